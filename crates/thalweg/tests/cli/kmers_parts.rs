//! `thalweg kmers merge --partition` and `thalweg kmers join`: jobs that each make a part, and the set that they are.

use crate::count::{reads, to_fastq};
use crate::kmers::databases;
use crate::support::Place;

/// Databases of k-mers that they have partly in common, with different numbers of partitions.
fn place(k: usize) -> Place {
    let place = Place::new();
    for (name, seed, extensions) in [
        ("a", 1, &["thk", "jf", "tsv"][..]),
        ("b", 2, &["thk", "kmc", "jf"]),
    ] {
        let mut both = reads(7, 1500, 100);
        both.extend(reads(seed, 2000, 100));
        databases(&place, name, &both, k, extensions);
    }
    // More k-mers than a database of the fewest partitions has.
    let mut many = reads(7, 1500, 100);
    many.extend(reads(3, 4000, 200));
    let (k, many) = (k.to_string(), to_fastq(&many).repeat(900));
    let ended = place.feed(&["count", "-q", "-k", &k, "-", "-o", "large.thk"], &many);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    place
}

/// Merges in so many parts, and joins these in `set/`.
fn merge_in_parts(place: &Place, inputs: &[&str], of: usize, options: &[&str]) {
    let _ = std::fs::remove_dir_all(place.path("set"));
    std::fs::create_dir(place.path("set")).unwrap();
    let names: Vec<String> = (1..=of).map(|i| format!("set/part.{i}.thk")).collect();
    for (i, name) in names.iter().enumerate().rev() {
        let (part, threads) = (format!("{}/{of}", i + 1), ["1", "3"][i % 2]);
        let fixed = ["kmers", "merge", "-q", "--partition", &part, "-o", name];
        place.ok(&[&fixed[..], &["-t", threads], options, inputs].concat());
    }
    assert!(!place.path("set/manifest.json").exists());
    let mut shuffled: Vec<&str> = names.iter().map(String::as_str).collect();
    shuffled.reverse();
    place.ok(&[&["kmers", "join", "-q"][..], &shuffled].concat());
}

fn partitions(place: &Place, name: &str) -> String {
    let told = place.ok(&["kmers", "info", "--json", name]).text();
    let line = told.lines().find(|line| line.contains("\"partitions\""));
    line.unwrap().trim().to_owned()
}

#[test]
fn parts_together_are_the_merge() {
    for (k, numbers) in [(21, &[1, 2, 3, 7][..]), (40, &[3])] {
        let place = place(k);
        assert_ne!(partitions(&place, "a.thk"), partitions(&place, "large.thk"));
        place.ok(&["kmers", "merge", "-q", "a.jf", "-o", "sorted.thk"]);
        let mixtures: [(&[&str], &[&str]); 6] = [
            (&["a.thk", "b.thk"], &[]),
            (&["large.thk", "a.thk", "b.thk"], &["-L", "2", "-U", "30"]),
            (&["a.thk", "b.jf"], &[]),
            (&["a.tsv", "large.thk", "b.kmc"], &["--count", "max"]),
            (&["sorted.thk", "b.thk"], &["--count", "first"]),
            (&["a.thk"], &[]),
        ];
        for (inputs, options) in mixtures {
            let whole = ["kmers", "merge", "-q", "-o", "whole.thk"];
            place.ok(&[&whole[..], options, inputs].concat());
            let dump = place.ok(&["kmers", "dump", "-q", "whole.thk"]).stdout;
            let histogram = place.ok(&["kmers", "histo", "whole.thk"]).stdout;
            for &of in numbers {
                merge_in_parts(&place, inputs, of, options);
                let told = format!("{inputs:?} in {of}, k = {k}");
                let set = place.ok(&["kmers", "dump", "-q", "set"]).stdout;
                assert!(set == dump, "{told}");
                assert!(
                    place.ok(&["kmers", "histo", "set/"]).stdout == histogram,
                    "{told}"
                );
                place.ok(&["kmers", "verify", "set"]);
                // Parts are merged to one file, too.
                let parts: Vec<String> = (1..=of).map(|i| format!("set/part.{i}.thk")).collect();
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                place.ok(&[&["kmers", "merge", "-q", "-o", "one.thk"][..], &parts].concat());
                assert!(
                    place.ok(&["kmers", "dump", "-q", "one.thk"]).stdout == dump,
                    "{told}"
                );
            }
        }
    }
}

/// Each command says of a set what it says of a file with the same k-mers.
#[test]
fn a_set_stands_wherever_a_database_does() {
    let place = place(21);
    place.write("reads.fq", to_fastq(&reads(1, 700, 100)));
    place.ok(&["kmers", "merge", "-q", "a.thk", "b.thk", "-o", "whole.thk"]);
    let dump = place.ok(&["kmers", "dump", "whole.thk"]).text();
    let kmers: Vec<&str> = dump.lines().step_by(500).map(|line| &line[..21]).collect();
    place.write("kmers.txt", kmers.join("\n"));
    for inputs in [&["a.thk", "b.thk"][..], &["a.jf", "b.thk"]] {
        merge_in_parts(&place, inputs, 3, &[]);
        let commands: [&[&str]; 11] = [
            &["dump", "DB"],
            &["dump", "-L", "2", "--format", "fasta", "DB"],
            &["histo", "DB"],
            &["histo", "--json", "DB"],
            &["stats", "DB"],
            &["query", "DB", "-s", "reads.fq"],
            &["query", "DB", kmers[0], "AAAAACCCCCGGGGGTTTTTA"],
            &["filter-reads", "DB", "reads.fq", "--fraction", "0.5"],
            &["filter-reads", "DB", "reads.fq", "-L", "2", "--invert"],
            &["stats", "DB", "a.thk", "DB"],
            &["verify", "DB"],
        ];
        for command in commands {
            let of = |database: &str| {
                let named = |&word: &&str| word.replace("DB", database);
                let words: Vec<String> = command.iter().map(named).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                place.ok(&[&["kmers"][..], &words].concat()).text()
            };
            let file = of("whole.thk").replace("whole.thk", "DB");
            assert!(!file.is_empty());
            assert_eq!(of("set").replace("set", "DB"), file, "{command:?}");
        }
        let told = place.ok(&["kmers", "info", "set"]).text();
        assert!(told.starts_with("set\n"), "{told}");
        // Several are several: a set is one operand, among others.
        for command in [
            &["merge", "DB", "a.thk"][..],
            &["intersect", "--count", "min", "DB", "large.thk"],
            &["intersect", "DB", "DB"],
            &["subtract", "large.thk", "DB"],
            &["diff", "DB", "b.jf"],
        ] {
            let of = |database: &str| {
                let words = command.iter().map(|&word| match word {
                    "DB" => database,
                    word => word,
                });
                let words: Vec<&str> = words.collect();
                place.ok(&[&["kmers"][..], &words, &["-q", "-o", "result.thk"]].concat());
                place.ok(&["kmers", "dump", "result.thk"]).stdout
            };
            let file = of("whole.thk");
            assert!(!file.is_empty(), "{command:?}");
            assert!(of("set") == file, "{command:?}");
        }
    }
}

#[test]
fn parts_that_do_not_go_together_are_told() {
    let place = place(21);
    merge_in_parts(&place, &["a.thk", "b.thk"], 3, &[]);
    let manifest = place.read("set/manifest.json");
    let parts = ["set/part.1.thk", "set/part.2.thk", "set/part.3.thk"];
    let [first, second, third] = parts;
    let merge = ["kmers", "merge", "-q", "-o", "x.thk"];
    for (join, merged, words) in [
        (&[first, third][..], true, &["part 2 of 3 is missing"][..]),
        (&[second], true, &["part 1 of 3 is missing"]),
        (&[first, second], true, &["part 3 of 3 is missing"]),
        (
            &[first, second, second, third],
            true,
            &["are both part 2 of 3"],
        ),
        (
            &[first, second, third, "a.thk"],
            false,
            &["a.thk is a whole database"],
        ),
        (&["a.thk"], false, &["a.thk is a whole database"]),
    ] {
        place.fails(&[&["kmers", "join"][..], join].concat(), 2, words);
        if merged {
            place.fails(&[&merge[..], join].concat(), 2, words);
        }
    }
    assert!(place.read("set/manifest.json") == manifest);
    assert!(!place.path("x.thk").exists());

    // A part alone is read, and said to be one.
    let told = place.ok(&["kmers", "histo", second]).stderr;
    assert!(told.contains("this database is only part 2 of 3"), "{told}");
    let told = place.ok(&["kmers", "info", second]).text();
    assert!(told.contains("2 of 3"), "{told}");
    place.fails(
        &["kmers", "subtract", "a.thk", first, "-o", "x.thk"],
        2,
        &["part 1 of 3"],
    );

    // Of other databases, of other options, of as many parts.
    let other = ["kmers", "merge", "-q", "--partition", "2/3", "-o", second];
    for options in [&["a.thk", "large.thk"][..], &["a.thk", "b.thk", "-L", "2"]] {
        place.ok(&[&other[..], options].concat());
        place.fails(
            &[&["kmers", "join"][..], &parts].concat(),
            2,
            &["is missing"],
        );
        // Nor is it the file of the manifest.
        place.fails(
            &["kmers", "histo", "set"],
            1,
            &["part.2.thk", "another file"],
        );
    }
    // In another order it is the same job.
    place.ok(&[&other[..], &["b.thk", "a.thk"]].concat());
    place.ok(&[&["kmers", "join"][..], &parts].concat());
    place.ok(&["kmers", "verify", "set"]);

    // Where they do not lie together, and where the manifest is of something else.
    std::fs::copy(place.path(second), place.path("elsewhere.thk")).unwrap();
    let apart = ["kmers", "join", first, "elsewhere.thk", third];
    place.fails(&apart, 2, &["two directories"]);
    place.write("set/manifest.json", "{}");
    place.fails(
        &[&["kmers", "join"][..], &parts].concat(),
        1,
        &["manifest.json"],
    );
    assert_eq!(place.read("set/manifest.json"), b"{}");

    place.ok(&["count", "-q", "-k", "20", "a.fq", "-o", "k20.thk"]);
    let part = ["kmers", "merge", "--partition", "1/2", "a.thk"];
    place.fails(
        &[&part[..], &["k20.thk", "-o", "x.thk"]].concat(),
        2,
        &["k = 20", "k = 21"],
    );
    place.fails(&[&part[..], &["-o", "x.jf"]].concat(), 2, &["x.jf", ".thk"]);
    for wrong in ["0/2", "3/2", "1", "a/b"] {
        let wrong = [
            "kmers",
            "merge",
            "--partition",
            wrong,
            "a.thk",
            "-o",
            "x.thk",
        ];
        let told = place.run(&wrong);
        assert_eq!(told.code, Some(2));
        assert!(told.stderr.contains("expected I/N"), "{}", told.stderr);
    }
    assert!(!place.path("x.thk").exists());
}

/// Without enough parts that have k-mers, some have none.
#[test]
fn more_parts_than_kmers() {
    let place = Place::new();
    place.write("few.fa", ">1\nACGTTGCA\n");
    for (extension, k) in [("thk", "5"), ("jf", "5"), ("jf", "1")] {
        let database = format!("few.{extension}");
        place.ok(&["count", "-q", "-k", k, "few.fa", "-o", &database]);
        merge_in_parts(&place, &[&database], 40, &[]);
        let expected = place.ok(&["kmers", "dump", &database]).stdout;
        assert!(place.ok(&["kmers", "dump", "set"]).stdout == expected);
        place.ok(&["kmers", "verify", "set"]);
    }
}
