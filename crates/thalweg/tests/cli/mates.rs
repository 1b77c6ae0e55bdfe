//! What tells mates apart by name: found out from the first records, held against all of them.

use crate::support::{Place, bgzf, gzip, random};

/// What mates' names end with, as archives, sequencing centres and programs write them.
const ENDS: [[&str; 2]; 9] = [
    [".1", ".2"],
    ["_forward", "_reverse"],
    ["/forward", "/reverse"],
    [".FWD", ".REV"],
    ["_R1", "_R2"],
    [":1", ":2"],
    ["|1", "|2"],
    [".1_ACGTAC", ".2_ACGTAC"],
    [".1 length=20", ".2 length=20"],
];

/// Reads with these names, of bases that do not compress to nothing.
fn reads(names: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut text = Vec::new();
    for name in names {
        let seed = name.bytes().fold(1_u64, |seed, byte| {
            seed * 31 % 0xFFFF_FFFB + u64::from(byte)
        });
        let mut below = random(seed);
        let bases: Vec<u8> = (0..60).map(|_| b"ACGT"[below(4)]).collect();
        text.extend_from_slice(format!("@{name}\n").as_bytes());
        text.extend_from_slice(&bases);
        text.extend_from_slice(format!("\n+\n{}\n", "I".repeat(60)).as_bytes());
    }
    text
}

/// `count` reads of both files, whose names end so.
fn mates(count: usize, ends: [&str; 2]) -> [Vec<u8>; 2] {
    ends.map(|end| reads((0..count).map(|at| format!("CRR1.{at}{end}"))))
}

/// One read of each file in turn.
fn joined(count: usize, ends: [&str; 2]) -> Vec<u8> {
    reads((0..count).flat_map(|at| ends.map(|end| format!("CRR1.{at}{end}"))))
}

#[test]
fn ends_that_stay_the_same_tell_mates() {
    let place = Place::new();
    for ends in ENDS {
        let [first, second] = mates(40, ends);
        place.write("1.fq", &first);
        place.write("2.fq", &second);
        let both = joined(40, ends);
        place.write("both.fq", &both);
        let ended = place.ok(&["cat", "--mates", "1.fq", "2.fq"]);
        assert_eq!(ended.stdout, both, "{ends:?}");
        let ended = place.ok(&["cat", "--interleaved", "both.fq"]);
        assert_eq!(ended.stdout, both, "{ends:?}");
        let qc = |inputs: &[&str]| {
            let options = ["--no_report", "-L", "-Q", "-o", "o1.fq", "-O", "o2.fq"];
            place.ok(&[&["qc"], inputs, &options[..]].concat());
            assert_eq!(place.read("o1.fq"), first, "{ends:?}");
            assert_eq!(place.read("o2.fq"), second, "{ends:?}");
        };
        qc(&["1.fq", "2.fq"]);
        qc(&["--interleaved_in", "both.fq"]);
    }
}

/// Plain files and BGZF are cut at names where they are large, indexed ones at ranks, all else is read in order.
#[test]
fn all_ways_of_reading_judge_names_alike() {
    let place = Place::new();
    let count = 90_000;
    let [first, second] = mates(count, [".1", ".2"]);
    // As in the first half, but one read is missing there.
    let cut = place_of(&second, count / 2);
    let lacking = [&second[..cut], &second[place_of(&second, count / 2 + 1)..]].concat();
    for (name, text) in [("1", &first), ("2", &second), ("bad", &lacking)] {
        place.write(&format!("{name}.fq"), text);
        place.write(&format!("{name}.fq.gz"), gzip(text));
        place.write(&format!("{name}.bgzf"), bgzf(text));
        place.write(&format!("{name}-i.fq.gz"), gzip(text));
        place.ok(&["index", "-q", &format!("{name}-i.fq.gz")]);
    }
    let both = joined(count, [".1", ".2"]);
    place.write("both.fq", &both);
    place.write("both.bgzf", bgzf(&both));
    for threads in ["1", "3"] {
        for end in [".fq", ".fq.gz", ".bgzf", "-i.fq.gz"] {
            let [one, two, bad] = ["1", "2", "bad"].map(|name| format!("{name}{end}"));
            let ended = place.ok(&["stats", "-v", "-t", threads, "--tsv", "--mates", &one, &two]);
            assert_eq!(ended.text().matches("\t90000\t").count(), 2, "{end}");
            let is_cut = ended.stderr.contains("cut between mates");
            assert_eq!(is_cut, [".fq", ".bgzf"].contains(&end), "{}", ended.stderr);
            if end != "-i.fq.gz" {
                let words = [&one[..], "record 45001", "CRR1.45000.1", "CRR1.45001.2"];
                place.fails(&["stats", "-t", threads, "--mates", &one, &bad], 1, &words);
            }
        }
        for file in ["both.fq", "both.bgzf"] {
            let ended = place.ok(&["stats", "-v", "-t", threads, "--tsv", "--interleaved", file]);
            assert!(ended.text().contains("\t180000\t"));
            assert!(
                ended.stderr.contains("cut between mates"),
                "{}",
                ended.stderr
            );
        }
        let script = format!(
            "mkfifo a b; cat 1.fq >a & cat 2.fq >b & \"$THALWEG\" stats -t {threads} --tsv --mates a b && \
             rm a b && cat both.fq | \"$THALWEG\" stats -t {threads} --tsv --interleaved -"
        );
        let ended = place.shell(&script);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.text().matches("\t90000\t").count(), 2);
        let ended = place.shell(&format!(
            "\"$THALWEG\" stats -t {threads} --mates <(cat 1.fq) <(cat bad.fq)"
        ));
        ended.expect_failure(1, &["record 45001"]);
    }
}

/// Where read `number` of a text begins.
fn place_of(text: &[u8], number: usize) -> usize {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).nth(4 * number - 1).unwrap()
}

#[test]
fn numbers_of_reads_do_not_make_mates_of_neighbours() {
    let place = Place::new();
    let numbered = |from: usize, separator: &str| {
        reads((from..from + 30).map(|number| format!("n{separator}{number}")))
    };
    for separator in [".", "_", ":", "-", "/", "|"] {
        let first = place.write("1.fq", numbered(1, separator));
        place.write("2.fq", numbered(2, separator));
        for threads in ["1", "2"] {
            for arguments in [
                &["stats", "--mates", "1.fq", "2.fq"][..],
                &["cat", "--mates", "1.fq", "2.fq"],
                &["cat", "--interleaved", "1.fq"],
                &["qc", "1.fq", "2.fq", "-o", "o1", "-O", "o2"],
            ] {
                let arguments = [
                    arguments,
                    &["-t", threads][..usize::from(arguments[0] != "qc") * 2],
                ];
                let ended = place.fails(&arguments.concat(), 1, &["1.fq", "--ignore-names"]);
                assert!(ended.stderr.contains("record 1)\n"), "{}", ended.stderr);
            }
        }
        std::fs::copy(first, place.path("2.fq")).unwrap();
        place.ok(&["stats", "--mates", "1.fq", "2.fq"]);
        for name in ["1.fq", "2.fq"] {
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }
}

#[test]
fn where_one_read_does_not_tell_an_option_does() {
    let place = Place::new();
    let [first, second] = mates(1, [".1", ".2"]);
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    let both = joined(1, [".1", ".2"]);
    place.write("both.fq", &both);
    let words = [
        "record 1",
        "CRR1.0.1",
        "CRR1.0.2",
        "do not show which",
        "--ignore-names",
    ];
    place.fails(&["cat", "--mates", "1.fq", "2.fq"], 1, &words);
    place.fails(&["cat", "--interleaved", "both.fq"], 1, &words);
    place.fails(&["qc", "1.fq", "2.fq", "-o", "o1", "-O", "o2"], 1, &words);
    for arguments in [
        &["--mates", "1.fq", "2.fq"][..],
        &["--interleaved", "both.fq"],
    ] {
        let ended = place.ok(&[&["cat", "--ignore-names"], arguments].concat());
        assert_eq!(ended.stdout, both);
        place.ok(&[&["stats", "--ignore-names"], arguments].concat());
    }
    let qc = [
        "qc",
        "--no_report",
        "-Q",
        "-L",
        "--ignore-names",
        "1.fq",
        "2.fq",
        "-o",
        "o1",
        "-O",
        "o2",
    ];
    place.ok(&qc);
    assert_eq!([place.read("o1"), place.read("o2")], [first, second]);
    place.fails(
        &["cat", "--ignore-names", "1.fq"],
        2,
        &["--ignore-names applies only to mates"],
    );
    let ended = place.ok(&["qc", "--no_report", "--ignore-names", "1.fq", "-o", "o1"]);
    assert!(
        ended.stderr.contains("--ignore_names has no effect"),
        "{}",
        ended.stderr
    );
    // Beside a lane that tells, it is told.
    let lane = mates(20, [".1", ".2"]);
    place.write("l1.fq", &lane[0]);
    place.write("l2.fq", &lane[1]);
    let lanes = [
        "qc",
        "--no_report",
        "-i",
        "1.fq",
        "-I",
        "2.fq",
        "-i",
        "l1.fq",
        "-I",
        "l2.fq",
    ];
    place.ok(&[&lanes[..], &["-o", "o1", "-O", "o2"]].concat());
}

/// Index reads, and a file of names without an end; records beyond the first 4 KiB.
#[test]
fn each_of_several_files_has_ends_of_its_own() {
    let place = Place::new();
    let long = |end: &str, length: usize| {
        let record = |at| {
            format!(
                "@q{at}{end}\n{}\n+\n{}\n",
                "C".repeat(length),
                "I".repeat(length)
            )
        };
        (0..30).map(record).collect::<String>()
    };
    let files = [
        ("1", ".1", 9000),
        ("2", ".2", 6000),
        ("3", ".3", 10),
        ("4", "", 8),
    ];
    for (name, end, length) in files {
        place.write(name, long(end, length));
    }
    let ended = place.ok(&["stats", "--tsv", "--mates", "1", "2", "3", "4"]);
    assert_eq!(ended.text().matches("\t30\t").count(), 4);
    let pipes = place.shell("\"$THALWEG\" stats --tsv --mates <(cat 1) <(cat 2) <(cat 3) <(cat 4)");
    assert_eq!(pipes.code, Some(0), "{}", pipes.stderr);
    assert_eq!(pipes.text().matches("\t30\t").count(), 4);
}

#[test]
fn filter_reads_knows_mates_by_their_ends_too() {
    let place = Place::new();
    let [first, second] = mates(30, ["_forward", "_reverse"]);
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    place.ok(&["count", "-q", "-k", "11", "1.fq", "-o", "x.thk"]);
    let filter = ["kmers", "filter-reads", "x.thk", "--mates", "1.fq", "2.fq"];
    assert_eq!(
        place.ok(&filter).stdout,
        joined(30, ["_forward", "_reverse"])
    );
    place.write("2.fq", &mates(30, [".1", "_2"])[1]);
    place.fails(&filter, 1, &["record 1", "--ignore-names"]);
    place.ok(&[&filter[..], &["--ignore-names"]].concat());
}
