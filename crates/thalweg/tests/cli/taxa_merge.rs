//! `thalweg taxa build --partition`, `thalweg taxa merge` and `thalweg taxa add`

use crate::taxa_world::{BUILD, built, fasta};

#[test]
fn parts_become_the_same_database() {
    let world = built();
    let place = &world.place;
    for number in 1..=3 {
        let (part, name) = (format!("{number}/3"), format!("part{number}.tht"));
        place.ok(&[&BUILD[..], &["-q", "--partition", &part, "-o", &name]].concat());
    }
    let merge = ["taxa", "merge", "-o", "merged.tht"];
    place.ok(&[&merge[..], &["-q", "part3.tht", "part1.tht", "part2.tht"]].concat());
    assert!(place.read("merged.tht") == place.read("ref.tht"));

    let told = place.ok(&["taxa", "verify", "part2.tht"]).text();
    assert!(told.starts_with("part2.tht: OK ("), "{told}");
    let told = place.ok(&["taxa", "info", "part2.tht"]).text();
    assert!(
        told.starts_with("part2.tht: part 2 of 3 of a taxon database"),
        "{told}"
    );
    place.write("reads.fq", "@a\nACGT\n+\nIIII\n");
    for (arguments, message) in [
        (
            &["classify", "part2.tht", "reads.fq"][..],
            "part2.tht: this is part 2 of 3 of a taxon database",
        ),
        (
            &["taxa", "dump", "part2.tht"],
            "part2.tht: this is part 2 of 3 of a taxon database",
        ),
        (
            &["taxa", "merge", "part1.tht", "part3.tht", "-o", "x.tht"],
            "part 2 of 3 is missing",
        ),
        (
            &["taxa", "merge", "part1.tht", "part1.tht", "-o", "x.tht"],
            "part1.tht: cannot be merged: part 1 of 3 is also part1.tht",
        ),
        (
            &[
                "taxa",
                "merge",
                "part1.tht",
                "part2.tht",
                "ref.tht",
                "-o",
                "x.tht",
            ],
            "ref.tht: cannot be merged: it is a whole database, but the others are parts",
        ),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("x.tht").exists());
    }
}

#[test]
fn databases_and_genomes_become_one() {
    let world = built();
    let place = &world.place;
    let build = &BUILD[..6];
    for (genome, name) in [
        ("genomes/a.fa", "a.tht"),
        ("genomes/more/b.fna.gz", "b.tht"),
        ("genomes/c.fasta", "c.tht"),
    ] {
        place.ok(&[build, &[genome, "-q", "-o", name]].concat());
    }
    let expected = place.ok(&["taxa", "dump", "ref.tht"]).stdout;
    let is_whole = |name: &str| {
        place.ok(&["taxa", "verify", name]);
        assert!(
            place.ok(&["taxa", "dump", name]).stdout == expected,
            "{name}"
        );
    };
    let merge = ["taxa", "merge", "a.tht", "b.tht", "c.tht", "-o"];
    let ended = place.ok(&[&merge[..], &["abc.tht"]].concat());
    assert!(
        ended.stderr.contains("distinct k-mers in"),
        "{}",
        ended.stderr
    );
    is_whole("abc.tht");
    place.ok(&[&merge[..], &["again.tht", "-q", "-t3", "--memory", "60M"]].concat());
    assert!(place.read("again.tht") == place.read("abc.tht"));

    let taxa = ["--taxonomy", "taxdump", "--taxa", "taxa.tsv"];
    let add = [
        "taxa",
        "add",
        "a.tht",
        "genomes/c.fasta",
        "genomes/more",
        "-o",
        "a+.tht",
    ];
    let ended = place.ok(&[&add[..], &taxa].concat());
    let added = "thalweg: added 2 sequences (60,000 bases in total) from 2 files\n";
    assert!(ended.stderr.contains(added), "{}", ended.stderr);
    let all = " from 3 sequences (90,000 bases) in ";
    assert!(ended.stderr.contains(all), "{}", ended.stderr);
    is_whole("a+.tht");
    let told = place.ok(&["taxa", "info", "--json", "a+.tht"]).text();
    assert!(told.contains("\"log\":{\"added\":{"), "{told}");
    place.write("list", "genomes/a.fa\n");
    let again = [
        "taxa",
        "add",
        "abc.tht",
        "--files-from",
        "list",
        "-o",
        "twice.tht",
    ];
    let ended = place.ok(&[&again[..], &taxa].concat());
    let warning = "warning: skipped, already in the database (same name, length and taxon): a1|kraken:taxid|21";
    assert!(ended.stderr.contains(warning), "{}", ended.stderr);
    is_whole("twice.tht");
    let merged = ["taxa", "merge", "-q", "abc.tht", "a.tht", "-o"];
    place.ok(&[&merged[..], &["overlapping.tht"]].concat());
    is_whole("overlapping.tht");
    for name in ["abc.tht", "twice.tht", "overlapping.tht"] {
        let info = place.ok(&["taxa", "info", "--json", name]).text();
        assert!(info.contains("\"bases\":90000,"), "{name}: {info}");
        assert!(info.contains("\"sequences\":3,"), "{name}: {info}");
    }

    place.ok(&[
        build,
        &["genomes/c.fasta", "-q", "-k", "25", "-o", "25.tht"],
    ]
    .concat());
    let other = String::from_utf8(place.read("taxdump/nodes.dmp")).unwrap();
    std::fs::create_dir(place.path("other")).unwrap();
    place.write("other/nodes.dmp", other.replace("21\t|\t11", "21\t|\t12"));
    place.write("other/names.dmp", place.read("taxdump/names.dmp"));
    place.fails(
        &["taxa", "merge", "a.tht", "25.tht", "-o", "x.tht"],
        2,
        &[
            "25.tht: cannot be merged: it has k-mers of 25 bases",
            "same k",
        ],
    );
    let taxa = ["--taxonomy", "other", "--taxa", "taxa.tsv", "-o", "x.tht"];
    place.fails(
        &[&["taxa", "add", "a.tht", "genomes/c.fasta"][..], &taxa].concat(),
        1,
        &["a.tht: taxid 21 has the parent 12 in one taxonomy, and the parent 11 here"],
    );
    place.fails(
        &[
            &["taxa", "add", "a.tht", "genomes/c.fasta", "-o", "a.tht"][..],
            &taxa[..4],
        ]
        .concat(),
        2,
        &["a.tht"],
    );
    assert!(!place.path("x.tht").exists());
}

/// Without a taxonomy, that of the database has to have what is added.
#[test]
fn genomes_of_known_taxa_need_no_taxonomy() {
    let world = built();
    let place = &world.place;
    let add = ["taxa", "add", "ref.tht", "new.fa", "-q", "-o"];
    place.write("new.fa", fasta("kraken:taxid|12|new", &world.genomes[0].1));
    place.ok(&[&add[..], &["named.tht", "--taxonomy", "taxdump"]].concat());
    place.ok(&[&add[..], &["own.tht"]].concat());
    assert!(place.read("own.tht") == place.read("named.tht"));
    place.write("new.fa", fasta("kraken:taxid|99|new", &world.genomes[0].1));
    place.fails(
        &[&add[..], &["x.tht"]].concat(),
        1,
        &["taxid 99, named in the header, is not in the taxonomy"],
    );
    assert!(!place.path("x.tht").exists());
}
