//! Lists of inputs do not depend on who has listed what.

use std::path::PathBuf;

use thalweg_taxa::library::Library;
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
    let files = Vec::from_iter(["x/one.fa", "x/two.fa", "x/three.fa"].map(PathBuf::from));
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
            (2, "kraken:taxid|3|c", 12, 3),
        ];
        assert!(found.eq(expected), "{:?}", inputs.sequences);
        assert_eq!(inputs.empty, [1]);
        assert_eq!(inputs.equal, [(2, 0), (6, 0)]);
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
        let told =
            "2 sequences are of no known taxon: nobody's (one.fa), kraken:taxid|7|d (two.fa)";
        assert_eq!(error.to_string(), told);
        assert!(error.is_data());
    }
    assert!(library.finish([]).check_mapped().is_ok());
}
