//! What is told of slips in the command lines of `thalweg classify` and `thalweg taxa`.

use crate::taxa_world::{World, built, reads};

fn with_reads() -> World {
    let world = built();
    world.place.write("r1.fq", reads(&world, 40));
    world.place.write("r2.fq", reads(&world, 40));
    for folder in [
        "dbs/one",
        "dbs/two",
        "dbs/none",
        "dbs/theirs/library",
        "dbs/theirs/taxonomy",
    ] {
        std::fs::create_dir_all(world.place.path(folder)).unwrap();
    }
    for copy in ["dbs/one/any.tht", "dbs/two/a.tht", "dbs/two/b.tht"] {
        std::fs::copy(world.place.path("ref.tht"), world.place.path(copy)).unwrap();
    }
    for name in ["hash.k2d", "opts.k2d", "taxo.k2d"] {
        world.place.write(&format!("dbs/theirs/{name}"), "x");
    }
    world
}

#[test]
fn a_directory_stands_for_the_database_in_it() {
    let world = with_reads();
    let place = &world.place;
    let labels = place.ok(&["classify", "-q", "ref.tht", "r1.fq"]).stdout;
    let again = place.ok(&["classify", "-q", "dbs/one", "r1.fq"]).stdout;
    assert!(again == labels && !labels.is_empty());
    for (command, output) in [
        ("info", "dbs/one/any.tht: "),
        ("verify", "dbs/one/any.tht: OK"),
    ] {
        let ended = place.ok(&["taxa", command, "dbs/one/any.tht"]);
        let of_directory = place.ok(&["taxa", command, "dbs/one"]);
        assert!(of_directory.text().starts_with(output) || command == "verify");
        assert!(ended.text().starts_with(output));
    }
    let dump = |database: &str| place.ok(&["taxa", "dump", database]).stdout;
    assert!(dump("dbs/one") == dump("ref.tht"));
    place.ok(&[
        "taxa", "merge", "-q", "dbs/one", "ref.tht", "-o", "both.tht",
    ]);
    let theirs = ["dbs/theirs", "dbs/theirs/hash.k2d", "dbs/theirs/taxo.k2d"];
    for command in [
        &["classify"][..],
        &["taxa", "info"],
        &["taxa", "verify"],
        &["taxa", "dump"],
    ] {
        let reads = match command.len() {
            1 => &["r1.fq"][..],
            _ => &[],
        };
        for database in theirs {
            let words = [
                "dbs/theirs: this is a kraken2 database",
                "taxa build --taxonomy dbs/theirs/taxonomy dbs/theirs/library",
            ];
            place.fails(&[command, &[database], reads].concat(), 2, &words);
        }
        for (database, words) in [
            (
                "dbs/none",
                &["dbs/none: a directory without a database"][..],
            ),
            ("dbs/two", &["of 2 databases: a.tht, b.tht"]),
        ] {
            place.fails(&[command, &[database], reads].concat(), 2, words);
        }
    }
}

#[test]
fn the_database_comes_first() {
    let world = with_reads();
    let place = &world.place;
    for words in [
        &["r1.fq", "ref.tht"][..],
        &["r1.fq", "r2.fq", "ref.tht"],
        &["r1.fq", "-i", "r2.fq", "-I", "ref.tht"],
    ] {
        let told = [
            "r1.fq: this is not a taxon database, but ref.tht is",
            "first",
        ];
        place.fails(&[&["classify"], words].concat(), 2, &told);
    }
    place.fails(
        &["classify", "r1.fq", "r2.fq"],
        1,
        &["r1.fq", "takes the database first"],
    );
    let add = [
        "taxa",
        "add",
        "genomes/a.fa",
        "ref.tht",
        "--taxonomy",
        "taxdump",
        "-o",
        "x.tht",
    ];
    place.fails(&add, 2, &["genomes/a.fa", "ref.tht is"]);
}

#[test]
fn what_kraken2_has_is_told_in_our_words() {
    let world = with_reads();
    for (words, told) in [
        (
            &["--paired", "ref.tht", "r1.fq", "r2.fq"][..],
            "two files are read as mates",
        ),
        (
            &["--db", "ref.tht", "r1.fq"],
            "the database is the first argument",
        ),
        (
            &["ref.tht", "r1.fq", "--gzip-compressed"],
            "the compression of input is detected",
        ),
        (
            &["ref.tht", "r1.fq", "--memory-mapping"],
            "databases are memory-mapped",
        ),
        (&["ref.tht", "r1.fq", "--quick"], "all k-mers are looked up"),
        (
            &["ref.tht", "r1.fq", "--report-minimizer-data"],
            "--report-kmers",
        ),
        (&["ref.tht", "r1.fq", "--use-mpa-style"], "link"),
    ] {
        let ended = world.place.run(&[&["classify"], words].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(told), "{words:?}: {}", ended.stderr);
        assert!(
            !ended.stderr.contains("tip:"),
            "{words:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn the_standard_input_has_a_name() {
    let world = with_reads();
    let place = &world.place;
    for command in [&["classify", "ref.tht"][..], &["stats"], &["cat"]] {
        let ended = place.feed(command, &place.read("r1.fq"));
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        let told = "hint: use - as FILE to read standard input";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    let labels = place.ok(&["classify", "-q", "ref.tht", "r1.fq"]).stdout;
    let piped = place.feed(&["classify", "ref.tht", "-"], &place.read("r1.fq"));
    assert!(piped.stdout == labels);
    assert!(!piped.stderr.contains("Ctrl-D"), "{}", piped.stderr);
    // On a terminal, if there is a program that makes one.
    let script = "command -v script >/dev/null || exit 7; \
                  printf '\\4' | timeout 50 script -qec \"$THALWEG classify ref.tht -\" /dev/null";
    let typed = place.shell(script);
    match typed.code {
        Some(7) => eprintln!("SKIPPED: the_standard_input_has_a_name: no script"),
        _ => assert!(typed.text().contains("press Ctrl-D"), "{}", typed.text()),
    }
}

#[test]
fn taxa_have_names() {
    let world = with_reads();
    let place = &world.place;
    let chosen = |taxa: &[&str]| {
        let output = ["--taxon-out", "x.fq", "-o", "/dev/null"];
        place.ok(&[&["classify", "-q", "ref.tht", "r1.fq"], taxa, &output].concat());
        place.read("x.fq")
    };
    let primus = chosen(&["--taxon", "11"]);
    assert!(!primus.is_empty());
    assert!(chosen(&["--taxon", "Madeus primus"]) == primus);
    assert!(chosen(&["--taxon", "madeus PRIMUS"]) == primus);
    let both = chosen(&["--taxon", "11,12"]);
    assert!(both.len() > primus.len());
    assert!(chosen(&["--taxon", "12, Madeus primus"]) == both);
    assert!(chosen(&["--taxon", "Madeus alter", "--taxon", "11"]) == both);
    for (taxon, told) in [
        ("Madeus", None),
        ("Madeus tertius", Some("ref.tht has no taxon of this name")),
        ("11,", Some("--taxon without a taxid")),
        ("5000000000", Some("no such taxon")),
        ("9", Some("ref.tht has no such taxon")),
    ] {
        let run = [
            "classify",
            "ref.tht",
            "r1.fq",
            "--taxon",
            taxon,
            "--other-out",
            "x.fq",
        ];
        match told {
            Some(told) => drop(place.fails(&run, 2, &["--taxon", told])),
            None => drop(place.ok(&run)),
        }
    }
}

#[test]
fn how_the_database_is_read_is_told() {
    let world = with_reads();
    let said = |more: &[&str]| {
        let run = ["classify", "ref.tht", "r1.fq", "-o", "/dev/null"];
        world.place.ok(&[&run[..], more].concat()).stderr
    };
    let preloaded = said(&["-v", "--preload"]);
    assert!(
        preloaded.contains("ref.tht: ") && preloaded.contains("read into memory"),
        "{preloaded}"
    );
    let mapped = said(&["-v", "--sweep"]);
    assert!(
        mapped.contains("ref.tht: ") && mapped.contains("mapped"),
        "{mapped}"
    );
    assert!(!said(&[]).contains("ref.tht: "));
}

/// A database without k-mers finds nothing, which is no news of the reads.
#[test]
fn an_empty_database_is_told() {
    let world = with_reads();
    let place = &world.place;
    place.write("short.fa", ">kraken:taxid|12|x\nACGTACGT\n");
    let build = [
        "taxa",
        "build",
        "-q",
        "--taxonomy",
        "taxdump",
        "short.fa",
        "-o",
    ];
    // A build at once refuses to make it.
    for (part, name) in [("1/2", "1.tht"), ("2/2", "2.tht")] {
        place.ok(&[&build[..], &[name, "--partition", part]].concat());
    }
    let ended = place.ok(&["taxa", "merge", "1.tht", "2.tht", "-o", "none.tht"]);
    let warning = "warning: the merged database has no k-mers, as none of the inputs has any";
    assert!(ended.stderr.contains(warning), "{}", ended.stderr);
    let ended = place.ok(&["classify", "none.tht", "r1.fq"]);
    assert!(
        ended.stderr.contains("warning: none.tht: it has no k-mer"),
        "{}",
        ended.stderr
    );
}
