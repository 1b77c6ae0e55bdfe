//! `thalweg taxa` and `thalweg classify`

use crate::support::{gzip, random};
use crate::taxa_world::{BUILD, built, fasta, letters, reads};

#[test]
fn reads_get_the_taxa_that_they_are_of() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 4000));
    let ended = place.ok(&["classify", "ref.tht", "reads.fq", "--report", "x.kreport"]);
    let mut right = 0;
    for line in ended.text().lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), 5, "{line}");
        assert_eq!(columns[3], "150");
        let truth = columns[1].split('-').next().unwrap();
        let called = columns[2];
        match truth {
            "0" => assert_eq!((columns[0], called), ("U", "0"), "{line}"),
            "12" => assert_eq!((columns[0], called), ("C", "12"), "{line}"),
            // A strain, if the read has what tells it; its species in any case.
            _ => assert!([truth, "11"].contains(&called), "{line}"),
        }
        right += usize::from(truth == called);
    }
    assert!(right > 2500, "{right} right down to the strain");
    assert_eq!(ended.text().lines().count(), 4000);
    assert!(
        ended.stderr.contains("4000 sequences (0.60 Mbp) processed"),
        "{}",
        ended.stderr
    );
    assert!(
        ended
            .stderr
            .contains("1000 sequences unclassified (25.00%)")
    );
    let report = String::from_utf8(place.read("x.kreport")).unwrap();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines[0], " 25.00\t1000\t1000\tU\t0\tunclassified");
    assert_eq!(lines[1], " 75.00\t3000\t0\tR\t1\troot");
    assert!(
        lines.contains(&" 25.00\t1000\t1000\tS\t12\t      Madeus alter"),
        "{report}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with(" 50.00\t2000\t")),
        "{report}"
    );
}

#[test]
fn threads_files_and_memory_do_not_matter() {
    let world = built();
    let place = &world.place;
    for (number, more) in [&["-t1"][..], &["-t3"], &["-t2", "--memory", "44M"]]
        .iter()
        .enumerate()
    {
        let name = format!("{number}.tht");
        place.ok(&[&BUILD[..], more, &["-q", "-o", &name]].concat());
        assert!(place.read(&name) == place.read("ref.tht"), "{more:?}");
    }
    place.write("reads.fq", reads(&world, 20_000));
    place.write("reads.fq.gz", gzip(&reads(&world, 20_000)));
    let expected = place
        .ok(&["classify", "-q", "-t1", "ref.tht", "reads.fq"])
        .stdout;
    for more in [
        &["-t2", "reads.fq"][..],
        &["-t8", "reads.fq.gz"],
        &["--preload", "reads.fq"],
    ] {
        let ended = place.ok(&[&["classify", "-q", "ref.tht"], more].concat());
        assert!(ended.stdout == expected, "{more:?}");
        assert_eq!(ended.stderr, "");
    }
    place.ok(&[
        "classify",
        "-q",
        "ref.tht",
        "reads.fq",
        "-o",
        "labels.tsv.gz",
    ]);
    let text = place.ok(&["cat", "labels.tsv.gz"]).stdout;
    assert!(text == expected);
    // Pairs are one line; in two files, or one.
    let once = reads(&world, 1000);
    place.write("r1.fq", &once);
    place.write("r2.fq", &once);
    let pairs = place
        .ok(&["classify", "-q", "ref.tht", "r1.fq", "r2.fq"])
        .text();
    assert_eq!(pairs.lines().count(), 1000);
    assert!(
        pairs
            .lines()
            .all(|line| line.contains("\t150|150\t") && line.contains("|:|"))
    );
    let single = place
        .ok(&["classify", "-q", "ref.tht", "--single", "r1.fq", "r2.fq"])
        .text();
    assert_eq!(single.lines().count(), 2000);
    let both = place.ok(&["cat", "-q", "--mates", "r1.fq", "r2.fq"]).stdout;
    place.write("both.fq", both);
    let interleaved = place
        .ok(&["classify", "-q", "ref.tht", "--interleaved", "both.fq"])
        .text();
    assert!(interleaved == pairs);
}

#[test]
fn rules_and_columns() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 400));
    let run = |more: &[&str]| {
        place
            .ok(&[&["classify", "-q", "ref.tht", "reads.fq"], more].concat())
            .text()
    };
    let named = run(&["--use-names"]);
    assert!(named.contains("\tMadeus alter (taxid 12)\t"), "{named}");
    assert!(
        run(&["--scores"])
            .lines()
            .all(|line| line.split('\t').count() == 11)
    );
    let lca = run(&["--rule", "lca"]);
    assert!(lca.lines().filter(|line| line.starts_with("C\t")).count() == 300);
    // All k-mers of these reads are found, but for some of low complexity.
    let strict = run(&["--rule", "lca", "--confidence", "1"]);
    let called = strict
        .lines()
        .filter(|line| line.starts_with("C\t"))
        .count();
    assert!((250..=300).contains(&called), "{called}");
}

#[test]
fn databases_are_looked_into() {
    let world = built();
    let place = &world.place;
    assert!(
        place
            .ok(&["taxa", "verify", "ref.tht"])
            .text()
            .starts_with("ref.tht: OK (")
    );
    let info = place.ok(&["taxa", "info", "--json", "ref.tht"]).text();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(
        (&info["k"], &info["leaves"], &info["species"]),
        (&31.into(), &3.into(), &2.into())
    );
    assert_eq!(info["bases"], 90_000);
    let dump = place.ok(&["taxa", "dump", "ref.tht"]).text();
    assert_eq!(dump.lines().count() as u64, info["kmers"].as_u64().unwrap());
    let text = place.ok(&["taxa", "info", "ref.tht"]).text();
    assert!(text.contains("k = 31"), "{text}");
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_left() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 10));
    let build = |more: &[&str], code, words: &[&str]| {
        place.fails(
            &[&["taxa", "build", "-o", "x.tht"], more].concat(),
            code,
            words,
        );
        assert!(!place.path("x.tht").exists());
    };
    build(
        &["--taxonomy", "taxdump", "genomes"],
        1,
        &["c1", "--skip-unmapped"],
    );
    build(&["--taxonomy", "nowhere", "genomes"], 2, &["nowhere"]);
    build(
        &["--taxonomy", "taxdump", "taxdump"],
        2,
        &["taxdump", "FASTA"],
    );
    build(&["--taxonomy", "taxdump", "missing.fa"], 2, &["missing.fa"]);
    assert_eq!(
        place
            .run(&[&BUILD[..], &["-k", "40", "-o", "x.tht"]].concat())
            .code,
        Some(2)
    );
    place.ok(&[
        "taxa",
        "build",
        "-q",
        "--taxonomy",
        "taxdump",
        "--skip-unmapped",
        "genomes",
        "-o",
        "some.tht",
    ]);
    // A device is there before and behind.
    for stream in ["-", "/dev/null", "taxdump"] {
        place.fails(&[&BUILD[..], &["-o", stream]].concat(), 2, &[stream]);
    }
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    place.fails(
        &[&BUILD[..], &["--memory", "10M", "-o", "x.tht"]].concat(),
        2,
        &["memory"],
    );
    let classify = |more: &[&str], code, words: &[&str]| {
        place.fails(&[&["classify"], more].concat(), code, words);
    };
    classify(&["reads.fq", "reads.fq"], 1, &["reads.fq"]);
    classify(&["missing.tht", "reads.fq"], 2, &["missing.tht"]);
    classify(&["ref.tht", "missing.fq"], 2, &["missing.fq"]);
    classify(
        &["ref.tht", "reads.fq", "reads.fq", "reads.fq"],
        2,
        &["--single"],
    );
    classify(
        &["ref.tht", "reads.fq", "--confidence", "0.5"],
        2,
        &["--rule lca"],
    );
    classify(&["ref.tht", "reads.fq", "-o", "reads.fq"], 2, &["reads.fq"]);
    let whole = place.read("ref.tht");
    place.write("cut.tht", &whole[..whole.len() / 2]);
    classify(&["cut.tht", "reads.fq"], 1, &["cut.tht"]);
    let mut changed = whole.clone();
    let at = changed.len() / 2;
    changed[at] ^= 0x10;
    place.write("changed.tht", changed);
    place.fails(
        &["stats", "ref.tht"],
        1,
        &["taxon database", "thalweg classify"],
    );
    place.fails(
        &["kmers", "info", "ref.tht"],
        1,
        &["taxon database", "thalweg taxa"],
    );
    place.fails(&["taxa", "verify", "changed.tht"], 1, &["changed.tht"]);
}

/// A file of two chromosomes, which all threads cut.
#[test]
fn long_sequences_are_the_same_for_any_number_of_threads() {
    let world = built();
    let place = &world.place;
    let mut next = random(3);
    let long = letters(9_000_000, &mut next);
    let mut genome = fasta("kraken:taxid|21|long", &long);
    genome.extend(fasta(
        "kraken:taxid|22|longer",
        &[&long[..], b"NNN", &long[..100]].concat(),
    ));
    place.write("long.fa", genome);
    let build = [
        "taxa",
        "build",
        "--taxonomy",
        "taxdump",
        "long.fa",
        "genomes/a.fa",
        "-q",
    ];
    place.ok(&[&build[..], &["-t1", "-o", "1.tht"]].concat());
    place.ok(&[&build[..], &["-t3", "-o", "3.tht"]].concat());
    assert!(place.read("1.tht") == place.read("3.tht"));
}
