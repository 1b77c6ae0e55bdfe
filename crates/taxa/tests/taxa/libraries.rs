//! Lists of inputs do not depend on who has listed what.

use std::path::{Path, PathBuf};

use thalweg_taxa::library::{Library, Repeated};
use thalweg_taxa::sequences::Sources;
use thalweg_taxa::{ErrorKind, Taxid};

use crate::made::{self, Row};

const ROWS: [Row; 3] = [
    (1, 1, "no rank", "root"),
    (2, 1, "species", "A"),
    (3, 1, "species", "B"),
];

/// File, header and letters.
const SEQUENCES: [(usize, &str, &str); 9] = [
    (0, "kraken:taxid|2|a first", "ACGTACGTACGT"),
    (0, "kraken:taxid|2|b", ""),
    (0, "nobody's", "ACGTACGTACGT"),
    (1, "kraken:taxid|3|c", "acgtacgtacgt"),
    (1, "kraken:taxid|2|a", "ACGTACGTACGA"),
    (1, "kraken:taxid|7|d", "TTTT"),
    (1, "kraken:taxid|2|e", "ACGTACGT\0\0\0\0"),
    (2, "kraken:taxid|3|f", "ACGTACGT"),
    (2, "kraken:taxid|3|c", "ACGTACGTACGT"),
];

#[test]
fn lists_of_all_threads_are_one() {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let sources = Sources::new();
    let files =
        Vec::from_iter(["x/one.fa", "x/two.fa", "x/three.fa", "x/four.fa"].map(PathBuf::from));
    let library = Library::new(&taxonomy, &sources, files.clone());
    for threads in 1..=4 {
        let mut listings = Vec::from_iter((0..threads).map(|_| library.listing()));
        for (i, (file, header, letters)) in SEQUENCES.iter().enumerate().rev() {
            let before = SEQUENCES[..i].iter().filter(|other| other.0 == *file);
            let place = before.count() as u64;
            let listing = &mut listings[i * 7 % threads];
            let node = listing.add(*file, place, header.as_bytes(), letters.as_bytes());
            assert_eq!(node.is_none(), matches!(i, 2 | 5));
        }
        let inputs = library.finish(listings);
        assert_eq!(inputs.files, files);
        let found = inputs.sequences.iter();
        let found = found.map(|one| {
            (
                one.file,
                &*one.name,
                one.letters,
                taxonomy.taxid(one.node).0,
            )
        });
        let expected = [
            (0, "kraken:taxid|2|a", 12, 2),
            (0, "kraken:taxid|2|b", 0, 2),
            (1, "kraken:taxid|3|c", 12, 3),
            (1, "kraken:taxid|2|a", 12, 2),
            (1, "kraken:taxid|2|e", 12, 2),
            (2, "kraken:taxid|3|f", 8, 3),
        ];
        assert!(found.eq(expected), "{:?}", inputs.sequences);
        assert_eq!(inputs.empty, [1]);
        assert_eq!(inputs.equal, [(2, 0)]);
        let repeated = Repeated {
            name: "kraken:taxid|3|c".into(),
            first_file: 1,
            file: 2,
        };
        assert_eq!(inputs.repeated, [repeated]);
        assert_eq!(inputs.files_without, [3]);
        assert_eq!(inputs.named_alike, [(3, 0)]);
        assert_eq!(inputs.tally.mapped, 7);
        assert_eq!(inputs.tally.unknown[&Taxid(7)], 1);
        let unmapped = inputs.tally.unmapped.iter().map(|(_, name)| &name[..]);
        assert!(unmapped.eq(["nobody's", "kraken:taxid|7|d"]));

        let error = inputs.check_mapped().unwrap_err();
        assert!(matches!(
            error.kind(),
            ErrorKind::Unmapped { sequences: 2, .. }
        ));
        let told = "no known taxon for 2 sequences: nobody's (one.fa), kraken:taxid|7|d (two.fa); \
             taxid 7, named in the header, is not in the taxonomy";
        assert_eq!(error.to_string(), told);
        assert!(error.is_data());
    }
    assert!(library.finish([]).check_mapped().is_ok());
    let error = library.finish([]).check_some_mapped().unwrap_err();
    assert_eq!(error.to_string(), "the genome files have no sequences");
    assert!(error.is_data() && error.hint().is_some());
}

#[test]
fn taxids_that_are_not_there_are_told_with_what_names_them() {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let mut sources = Sources::new();
    let table = &b"a\t8\nb\t9\n"[..];
    sources.table.read(table, Path::new("bad.tsv")).unwrap();
    for path in ["one.map", "two.map"] {
        let map = &b"c\t10\n"[..];
        sources.map.read(map, Path::new(path)).unwrap();
    }
    let library = Library::new(&taxonomy, &sources, vec!["x/one.fa".into()]);
    let mut listing = library.listing();
    for (place, name) in (0..).zip(["a", "b", "c"]) {
        assert_eq!(listing.add(0, place, name.as_bytes(), b"ACGT"), None);
    }
    let inputs = library.finish([listing]);
    let told = "no known taxon for 3 sequences: a (one.fa), b (one.fa), c (one.fa); \
                taxid 8, named in bad.tsv, is not in the taxonomy; \
                taxid 9, named in bad.tsv, is not in the taxonomy; \
                taxid 10, named in one.map or 1 more, is not in the taxonomy";
    let error = inputs.check_mapped().unwrap_err();
    assert_eq!(error.to_string(), told);
    assert!(error.hint().unwrap().contains("release"));
    let error = inputs.check_some_mapped().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no sequences left for the database: {told}")
    );
}

#[test]
fn what_is_left_out_is_not_told_of_any_more() {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let sources = Sources::new();
    let library = Library::new(&taxonomy, &sources, vec!["one.fa".into()]);
    let mut listing = library.listing();
    let given = [("a", "ACGT"), ("b", ""), ("c", "ACGT"), ("d", "ACGT")];
    for (place, (name, letters)) in (0..).zip(given) {
        let header = format!("kraken:taxid|2|{name}");
        listing.add(0, place, header.as_bytes(), letters.as_bytes());
    }
    let mut inputs = library.finish([listing]);
    assert_eq!(inputs.equal, [(2, 0), (3, 0)]);
    let left_out = inputs.leave_out(|sequence| sequence.name.ends_with('c'));
    assert_eq!(left_out.len(), 1);
    assert_eq!((inputs.sequences.len(), &inputs.empty[..]), (3, &[1][..]));
    assert_eq!(inputs.equal, [(2, 0)]);
    inputs.leave_out(|sequence| sequence.name.ends_with('a'));
    assert_eq!((&inputs.empty[..], inputs.equal.len()), (&[0][..], 0));
}

/// Names of sequences alone, by how they hit the sequences of three files; and what is said of them.
#[test]
fn rows_that_name_more_than_one_sequence_are_told() {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let files = Vec::from_iter(["a.fa", "b.fa", "c.fa"].map(PathBuf::from));
    for (is_map, rows, sequences, told) in [
        // Equal sequences, in any case, of any file.
        (
            false,
            "x\t2\n",
            &[(0, "x", "ACGT"), (1, "x", "acgt")][..],
            "",
        ),
        (
            false,
            "x\t2\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGA")],
            "t.tsv: line 1: \"x\" names sequences of a.fa and of b.fa, which differ",
        ),
        (
            true,
            "y\t2\n\nx\t2\n",
            &[
                (2, "x", "ACGT"),
                (1, "x", "ACGA"),
                (0, "y", "A"),
                (2, "y", "C"),
            ],
            "t.tsv: line 1: \"y\" names sequences of a.fa and of c.fa, which differ (and 1 more row like this)",
        ),
        // Of one file alone.
        (true, "x\t2\n", &[(0, "x", "ACGT"), (0, "x", "ACGA")], ""),
        // The first of one file is that of the other, and the second is not.
        (
            false,
            "x\t2\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGT"), (0, "x", "ACGA")],
            "t.tsv: line 1: \"x\" names sequences of a.fa and of b.fa, which differ",
        ),
        // By a name that is not the first.
        (
            false,
            "x\t2\n",
            &[(0, "u\u{1}x", "ACGT"), (1, "x", "ACGA")],
            "t.tsv: line 1: \"x\" names sequences of a.fa and of b.fa, which differ",
        ),
        // Rows of files agree, or do not.
        (
            false,
            "x\t2\na\t2\nb\t2\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGA")],
            "",
        ),
        (
            false,
            "x\t2\na\t2\nb.fa\t3\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGA")],
            "t.tsv: line 1: \"x\" has taxid 2, but its file b.fa has taxid 3 in line 3 of t.tsv",
        ),
        (
            false,
            "x\t2\na\t2\nb.fa\t3\nb.fa:x\t2\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGA")],
            "",
        ),
        (
            true,
            "x\t2\nb:x\t3\n",
            &[(0, "x", "ACGT"), (1, "x", "ACGA")],
            "",
        ),
        // Both a file and a sequence of another one.
        (
            false,
            "c\t2\n",
            &[(0, "c", "ACGT"), (2, "c", "ACGA")],
            "t.tsv: line 1: \"c\" names the file c.fa, and a sequence of a.fa",
        ),
        (false, "c\t2\n", &[(2, "c", "ACGT"), (2, "d", "ACGA")], ""),
    ] {
        let mut sources = Sources::new();
        let table = match is_map {
            true => &mut sources.map,
            false => &mut sources.table,
        };
        table.read(rows.as_bytes(), Path::new("t.tsv")).unwrap();
        let library = Library::new(&taxonomy, &sources, files.clone());
        for threads in 1..=3 {
            let mut listings = Vec::from_iter((0..threads).map(|_| library.listing()));
            for (place, (file, header, letters)) in sequences.iter().enumerate().rev() {
                let listing = &mut listings[place % threads];
                listing.add(*file, place as u64, header.as_bytes(), letters.as_bytes());
            }
            let found = library.finish(listings).check_rows();
            let found = found.map_err(|error| {
                assert!(error.is_data() && error.hint().is_some());
                error.to_string()
            });
            match told {
                "" => found.unwrap(),
                _ => assert_eq!(found.unwrap_err(), told, "{rows}"),
            }
        }
    }
}

#[test]
fn sequences_without_a_kmer_are_listed_where_it_was_asked() {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let sources = Sources::new();
    let library = Library::new(&taxonomy, &sources, vec!["one.fa".into()]);
    let mut listing = library.listing();
    let mut add = |place, name: &str, letters: &[u8]| {
        let header = format!("kraken:taxid|2|{name}");
        listing.add(0, place, header.as_bytes(), letters);
        listing.kmers_of_last()
    };
    add(0, "a", b"ACGT");
    add(1, "b", b"ACGA").store(true, std::sync::atomic::Ordering::Relaxed);
    add(2, "c", b"");
    add(3, "d", b"AC");
    listing.add(0, 4, b"kraken:taxid|2|e", b"A");
    let mut inputs = library.finish([listing]);
    assert_eq!(
        (&inputs.without_kmers[..], &inputs.empty[..]),
        (&[0, 3][..], &[2][..])
    );
    inputs.leave_out(|sequence| sequence.name.ends_with('a'));
    assert_eq!(inputs.without_kmers, [2]);
}
