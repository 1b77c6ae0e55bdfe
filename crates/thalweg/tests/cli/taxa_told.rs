//! What `thalweg taxa build` tells of files that are not what they should be, and of databases that are not worth it

use crate::taxa_world::{BUILD, built, world};

/// Without a sequence or a k-mer there is no database, whether sequences may be left out or not.
#[test]
fn nothing_is_no_database() {
    let world = world();
    let place = &world.place;
    place.write("short.fa", ">kraken:taxid|12|a\nACGTTGCA\n");
    place.write("empty.fa", "");
    let build = [
        "taxa",
        "build",
        "-q",
        "--taxonomy",
        "taxdump",
        "-o",
        "x.tht",
    ];
    for (more, told) in [
        (
            &["genomes/c.fasta", "--skip-unmapped"][..],
            "no sequences left for the database: no known taxon for 1 sequence: c1 (c.fasta)",
        ),
        (&["empty.fa"], "the genome files have no sequences"),
        (
            &["short.fa"],
            "no k-mers: no sequence has 31 consecutive bases that are not of low complexity",
        ),
        (
            &["short.fa", "--no-masking"],
            "no k-mers: no sequence has 31 consecutive bases\n",
        ),
    ] {
        place.fails(&[&build[..], more].concat(), 1, &[told]);
        assert!(!place.path("x.tht").exists(), "{more:?}");
    }
    // One part may have none.
    place.ok(&[&build[..], &["short.fa", "--partition", "1/2"]].concat());
}

#[test]
fn wrong_taxids_and_tables_are_told() {
    let world = world();
    let place = &world.place;
    place.write("taxdump/delnodes.dmp", "77\t|\n");
    place.write("bad.tsv", "c.fasta\t99999999\n");
    place.write("old.map", "c1\t77\n");
    place.write("part.map", "kraken:taxid|12|x\t12\n");
    for (more, told) in [
        (
            &["--taxonomy", "taxdump", "--taxa", "bad.tsv"][..],
            "error: bad.tsv: line 1: taxid 99999999 of \"c.fasta\" is not in the taxonomy\nhint: use taxonomy and taxids from the same release",
        ),
        (
            &["--taxonomy", "taxdump", "--map", "old.map"],
            "error: old.map: line 1: taxid 77 of \"c1\" was deleted from the taxonomy",
        ),
        (
            &["--taxonomy", "taxdump/nodes.dmp"],
            "taxdump/nodes.dmp: line 1: this is one of the files of a taxdump, not a table of lineages\nhint: use the directory that it is in",
        ),
        (
            &["--taxonomy", "taxa.tsv"],
            "taxa.tsv: line 1: \"12\" is not a lineage: this is a table of taxids\nhint: --taxonomy takes",
        ),
        (
            &["--taxonomy", "taxdump", "--accessions", "part.map"],
            "part.map: line 1: \"kraken:taxid|12|x\" is not an accession: this is not an accession2taxid file\nhint: --map takes",
        ),
    ] {
        let build = ["taxa", "build", "-q", "genomes", "-o", "x.tht"];
        place.fails(&[&build[..], more].concat(), 1, &[told]);
    }
    let skip = [
        "--skip-unmapped",
        "--taxonomy",
        "taxdump",
        "--taxa",
        "bad.tsv",
    ];
    let build = ["taxa", "build", "genomes", "-o", "x.tht"];
    let ended = place.ok(&[&build[..], &skip].concat());
    let warning = "warning: skipped: no known taxon for 1 sequence: c1 (c.fasta); taxid 99999999";
    assert!(ended.stderr.contains(warning), "{}", ended.stderr);
}

/// Whatever is not there is told before anything else.
#[test]
fn paths_are_looked_for_first() {
    let world = built();
    let place = &world.place;
    let other = |option: &'static str| {
        let mut build = Vec::from(BUILD);
        build.extend([option, "nowhere/x", "-o", "x.tht"]);
        build
    };
    for arguments in [
        vec![
            "taxa",
            "build",
            "--taxonomy",
            "nowhere/x",
            "genomes",
            "-o",
            "x.tht",
        ],
        other("--taxa"),
        other("--map"),
        other("--accessions"),
        [&BUILD[..], &["nowhere/x", "-o", "x.tht"]].concat(),
        [&BUILD[..], &["-o", "nowhere/x.tht"]].concat(),
        vec!["taxa", "add", "ref.tht", "genomes", "-o", "nowhere/x.tht"],
        vec!["taxa", "merge", "ref.tht", "ref.tht", "-o", "nowhere/x.tht"],
    ] {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        let first = ended.stderr.lines().next().unwrap_or_default();
        assert!(first.starts_with("thalweg: error: nowhere"), "{first}");
    }
    place.fails(
        &[&BUILD[..], &["-o", "taxa.tsv/x.tht"]].concat(),
        2,
        &["error: taxa.tsv: ", "irectory"],
    );
}

#[test]
fn what_comes_twice_counts_once() {
    let world = built();
    let place = &world.place;
    place.write("genomes/empty.fa", "");
    let ended = place.ok(&[&BUILD[..], &["genomes/a.fa", "-o", "twice.tht"]].concat());
    for warning in [
        "warning: sequences given twice, counted once: a1|kraken:taxid|21 (genomes/a.fa is given twice)\n",
        "warning: files without a sequence: genomes/empty.fa\n",
        " from 3 sequences (90,000 bases) in ",
    ] {
        assert!(ended.stderr.contains(warning), "{}", ended.stderr);
    }
    let dump = |name: &str| place.ok(&["taxa", "dump", name]).stdout;
    assert!(dump("twice.tht") == dump("ref.tht"));
    let info = place.ok(&["taxa", "info", "--json", "twice.tht"]).text();
    assert!(info.contains("\"bases\":90000,"), "{info}");
}

#[test]
fn numbers_are_told_in_words_that_go_with_them() {
    let world = world();
    let place = &world.place;
    let build = [
        "taxa",
        "build",
        "--taxonomy",
        "taxdump",
        "genomes/a.fa",
        "-o",
        "a.tht",
    ];
    let ended = place.ok(&build);
    for told in [
        "thalweg: 1 genome file, about ",
        " from 1 sequence (",
        " in 1 combination of taxa; ",
    ] {
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    let text = place.ok(&["taxa", "info", "a.tht"]).text();
    assert!(
        text.contains("strains     all (no k-mer is shared by so many strains"),
        "{text}"
    );
    place.ok(&[&build[..6], &["all.tht", "-q", "--strains", "all"]].concat());
    let text = place.ok(&["taxa", "info", "all.tht"]).text();
    assert!(text.contains("strains     all\n"), "{text}");
    let small = [&build[..], &["--memory", "1M"]].concat();
    place.fails(&small, 2, &["is too low: at least "]);
}
