//! Tables of names and taxids for `thalweg taxa build`: which sequences a row names, and what is no such table

use crate::support::{Place, random};
use crate::taxa_world::{self, World, fasta, letters, world};

const BUILD: [&str; 8] = [
    "taxa",
    "build",
    "--taxonomy",
    "taxdump",
    "drafts",
    "-q",
    "-o",
    "x.tht",
];

/// Drafts of two genomes, of which an assembler calls the sequences alike. `contig_3` is the same in both.
fn drafts() -> World {
    let world = world();
    let place = &world.place;
    std::fs::create_dir(place.path("drafts")).unwrap();
    let mut next = random(3);
    let same = letters(400, &mut next);
    for name in ["a", "b"] {
        let mut text = fasta("contig_1 length=3000", &letters(3000, &mut next));
        text.extend(fasta("contig_2", &letters(500, &mut next)));
        text.extend(fasta("contig_3", &same));
        place.write(&format!("drafts/{name}.fa"), text);
    }
    world
}

fn with(option: &str) -> Vec<&str> {
    [&BUILD[..], &[option, "table.tsv"]].concat()
}

/// Numbers of bases of taxa, by their names in the database.
fn bases_of(place: &Place, table: &str) -> String {
    place.write("table.tsv", table);
    place.ok(&with("--taxa"));
    let dump = place.ok(&["taxa", "dump", "x.tht"]).text();
    std::fs::remove_file(place.path("x.tht")).unwrap();
    dump
}

#[test]
fn a_name_of_sequences_in_several_files_is_refused() {
    let world = drafts();
    let place = &world.place;
    let rows = "contig_1\t12\ncontig_2\t12\ncontig_3\t12\n";
    place.write("table.tsv", rows);
    for option in ["--taxa", "--map"] {
        for threads in ["-t1", "-t3"] {
            let told = [
                "error: table.tsv: line 1: \"contig_1\" names sequences of drafts/a.fa and of drafts/b.fa, which differ \
                 (and 1 more row like this)\n",
                "hint: give file and sequence in --taxa (`a.fa:contig_1`",
            ];
            place.fails(&[&with(option)[..], &[threads]].concat(), 1, &told);
            let skip = [&with(option)[..], &["--skip-unmapped"]].concat();
            place.fails(&skip, 1, &told);
        }
    }
    // Sequences of one file, and equal ones, are named well enough.
    let one = [&BUILD[..4], &["drafts/a.fa", "-q", "-o", "a.tht"]].concat();
    place.ok(&[&one[..], &["--taxa", "table.tsv"]].concat());
    bases_of(place, "a\t12\nb.fa\t21\n");
    place.write("table.tsv", "contig_3\t12\n");
    place.ok(&[&with("--map")[..], &["--skip-unmapped"]].concat());
}

#[test]
fn a_name_that_contradicts_its_file_is_refused() {
    let world = drafts();
    let place = &world.place;
    place.write("table.tsv", "# mine\na.fa\t21\nb.fa\t12\ncontig_1\t21\n");
    let told = "error: table.tsv: line 4: \"contig_1\" has taxid 21, but its file drafts/b.fa has taxid 12 in line 3 of table.tsv\n";
    place.fails(
        &with("--taxa"),
        1,
        &[told, "hint: give file and sequence in --taxa"],
    );
    // The same taxon under its old taxid contradicts nothing.
    place.write("taxdump/merged.dmp", "5\t|\t12\t|\n");
    let expected = bases_of(place, "a.fa\t12\nb.fa\t12\n");
    assert!(bases_of(place, "a.fa\t12\nb.fa\t12\ncontig_1\t5\n") == expected);
    // One row for a file and for a sequence of another one.
    std::fs::rename(place.path("drafts/b.fa"), place.path("drafts/contig_1.fa")).unwrap();
    place.write("table.tsv", "contig_1\t21\n");
    let told =
        "line 1: \"contig_1\" names the file drafts/contig_1.fa, and a sequence of drafts/a.fa\n";
    place.fails(
        &[&with("--taxa")[..], &["--skip-unmapped"]].concat(),
        1,
        &[told],
    );
}

#[test]
fn a_file_and_a_sequence_can_be_named() {
    let world = drafts();
    let place = &world.place;
    let expected = bases_of(place, "a.fa\t21\nb.fa\t12\n");
    assert!(!expected.is_empty());
    // By files, by sequences of files, in any form of their names.
    let all = "a.fa:contig_1\t21\na:contig_2\t21\ndrafts/a.fa:contig_3\t21\n\
               b.fa.gz:contig_1\t12\nb:contig_2\t12\nb:contig_3\t12\n";
    assert!(bases_of(place, all) == expected);
    place.write("table.tsv", all);
    place.ok(&with("--map"));
    assert!(place.ok(&["taxa", "dump", "x.tht"]).text() == expected);
    std::fs::remove_file(place.path("x.tht")).unwrap();
    // They come before a row for the file, and before one for the sequence.
    let other = bases_of(place, "a.fa\t21\nb.fa\t12\nb.fa:contig_1\t22\n");
    assert!(other != expected);
    assert!(
        bases_of(
            place,
            "a.fa\t21\nb.fa\t12\nb.fa:contig_1\t22\ncontig_1\t21\n"
        ) == other
    );
}

#[test]
fn taxids_stand_anywhere_in_headers() {
    let world = world();
    let place = &world.place;
    let genome = &world.genomes[2].1;
    let build = ["taxa", "build", "-q", "--taxonomy", "taxdump"];
    let dump = |header: &str| {
        place.write("g.fa", fasta(header, genome));
        place.ok(&[&build[..], &["g.fa", "-o", "g.tht"]].concat());
        place.ok(&["taxa", "dump", "g.tht"]).stdout
    };
    let expected = dump("kraken:taxid|12|contig_1");
    assert!(dump("contig_1 kraken:taxid|12") == expected);
    assert!(dump("contig_1\tlength=9 x|kraken:taxid|12|y") == expected);
}

/// Not of text with tabs, not of numbers, not of this taxonomy: reported before genomes are read.
#[test]
fn other_tables_get_clear_answers() {
    let world = drafts();
    let place = &world.place;
    // Not read so far: it would be an error of another kind.
    place.write("drafts/z.fa", "no genome");
    for (table, told) in [
        (
            "file,taxid\na.fa,12\n",
            "table.tsv: line 1: no tab: columns are separated by commas here\nhint: save the table as text with tabs",
        ),
        (
            "a.fa;12\n",
            "table.tsv: line 1: no tab: columns are separated by semicolons here\n",
        ),
        (
            "a.fa 12\n",
            "table.tsv: line 1: no tab: columns are separated by blanks here\n",
        ),
        (
            "a.fa\tMadeus alter\n",
            "table.tsv: line 1: \"Madeus alter\" is not a taxid: taxids are numbers from 1 to 4294967295\n\
             hint: a row has the name of a sequence or a file, a tab, and a taxid: names.dmp has",
        ),
        (
            "taxid\tfile\n12\ta.fa\n",
            "table.tsv: line 1: \"file\" is not a taxid",
        ),
        (
            "a.fa\t12\nb.fa\t98\nc.fa\t99\n",
            "table.tsv: line 2: taxid 98 of \"b.fa\" is not in the taxonomy (and 1 more row like this)\n\
             hint: use taxonomy and taxids from the same release",
        ),
    ] {
        place.write("table.tsv", table);
        for option in ["--taxa", "--map"] {
            place.fails(&with(option), 1, &[told]);
        }
    }
    std::fs::remove_file(place.path("drafts/z.fa")).unwrap();
    let expected = bases_of(place, "a.fa\t21\nb.fa\t12\n");
    for head in ["file\ttaxid", "Sequence\tNCBI taxonomy ID\tnotes"] {
        assert!(bases_of(place, &format!("{head}\na.fa\t21\nb.fa\t12\n")) == expected);
    }
}

#[test]
fn rows_that_match_nothing_are_named() {
    let world = world();
    let place = &world.place;
    let told = |rows: &str, option: &str| {
        place.write("some.tsv", rows);
        let arguments = [&taxa_world::BUILD[..], &[option, "some.tsv", "-o", "x.tht"]].concat();
        place.ok(&arguments).stderr
    };
    // As file with or without its ending, in another directory, as sequence, and as both; superseded or not.
    let matching = "a1|kraken:taxid|21\t21\na\t21\nelsewhere/a.fa\t21\nc.fasta:c1\t12\nc1\t12\n";
    let none = told(matching, "--taxa");
    assert!(!none.contains("match"), "{none}");
    let one = told(&format!("{matching}a.fa:c1\t12\n"), "--taxa");
    let warning = "thalweg: warning: some.tsv: 1 row matches no sequence or file: a.fa:c1\n";
    assert!(one.contains(warning), "{one}");
    let gone = (0..1234).map(|number| format!("gone{number}\t12\n"));
    let rows = format!("c1\t12\n{}", String::from_iter(gone));
    for option in ["--taxa", "--map"] {
        let some = told(&rows, option);
        let warning = "warning: some.tsv: 1,234 rows match no sequence or file: gone0, gone1, gone2, and 1,231 more\n";
        assert!(some.contains(warning), "{option}: {some}");
        assert!(!some.contains("taxa.tsv: "), "{some}");
    }
    // A map beside the taxonomy is of all genomes that there are.
    place.write("taxdump/seqid2taxid.map", &rows);
    let beside = place.ok(&[&taxa_world::BUILD[..], &["-o", "x.tht"]].concat());
    let beside = beside.stderr;
    assert!(!beside.contains("match"), "{beside}");
}
