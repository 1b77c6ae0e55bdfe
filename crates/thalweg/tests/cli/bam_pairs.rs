//! BAM whose flags say pairs, as `qc` and `classify` take it.

use crate::bam_file::{Record, append, header, of_fastq};
use crate::support::{Place, bgzf, fastq, fastq_with};
use crate::taxa_world::{built, reads};

/// Mates one after the other, as uncompressed BAM; of every second pair the second mate comes first.
fn interleaved(files: [&[u8]; 2], header_text: usize) -> Vec<u8> {
    let records = |text: &[u8]| {
        let lines = Vec::from_iter(
            text.split_inclusive(|&byte| byte == b'\n')
                .map(<[u8]>::to_vec),
        );
        Vec::from_iter(lines.chunks_exact(4).map(<[_]>::concat))
    };
    let [first, second] = files.map(records);
    let pairs = first.into_iter().zip(second).enumerate();
    let text = pairs.flat_map(|(number, (first, second))| match number % 2 {
        0 => [first, second].concat(),
        _ => [second, first].concat(),
    });
    of_fastq(&Vec::from_iter(text), header_text)
}

/// Pairs as two files of FASTQ, and as BAM with a short header and with one that is longer than what is looked at at once.
fn with_pairs() -> Place {
    let place = Place::new();
    let (first, second) = (fastq_with(9000, "/1"), fastq_with(9000, "/2"));
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    for (name, header) in [("pairs.bam", 0), ("long.bam", 700_000)] {
        place.write(name, bgzf(&interleaved([&first, &second], header)));
    }
    place
}

const OUTPUTS: [&str; 6] = ["-o", "o1.fq", "-O", "o2.fq", "--json", "o.json"];

fn cleaned(place: &Place, arguments: &[&str]) -> [Vec<u8>; 2] {
    place.ok(&[&["qc", "-c"][..], arguments, &OUTPUTS].concat());
    ["o1.fq", "o2.fq"].map(|name| place.read(name))
}

#[test]
fn qc_takes_pairs_by_their_flags() {
    let place = with_pairs();
    for some in [&[][..], &["--reads_to_process", "777"]] {
        let expected = cleaned(&place, &[&["1.fq", "2.fq"], some].concat());
        for name in ["pairs.bam", "long.bam"] {
            for threads in ["1", "3"] {
                let found = cleaned(&place, &[&[name, "-w", threads], some].concat());
                assert!(found == expected, "{name}, {threads} threads");
            }
            let arguments = [&["qc", "-c", "-"], some, &OUTPUTS].concat();
            let told = place.feed(&arguments, &place.read(name)).stderr;
            assert!(
                told.contains("-: reads are taken as pairs, as the flags of its records say"),
                "{told}"
            );
            assert!(["o1.fq", "o2.fq"].map(|name| place.read(name)) == expected);
        }
    }
    // Two files of whole pairs are lanes, and never each other's mates, whatever their names are.
    for ignoring in [&[][..], &["--ignore-names"]] {
        let mates = ["qc", "pairs.bam", "long.bam"];
        place.fails(
            &[&mates[..], &OUTPUTS, ignoring].concat(),
            2,
            &["pairs.bam", "hold whole pairs each", "-i FILE -i FILE"],
        );
    }
    let lanes = ["-i", "pairs.bam", "-i", "long.bam"];
    let twice = ["-i", "1.fq", "-I", "2.fq", "-i", "1.fq", "-I", "2.fq"];
    assert!(cleaned(&place, &lanes) == cleaned(&place, &twice));
    // They need two outputs, or one for both.
    for more in [
        &["-o", "one.fq"][..],
        &["--quiet", "-o", "one.fq"],
        &["--quiet", "-O", "one.fq"],
    ] {
        let told = place.fails(
            &[&["qc", "pairs.bam"], more].concat(),
            2,
            &[
                "pairs.bam: its reads are pairs, by the flags of its records, but one of -o and -O is missing",
                "-o r1.fq -O r2.fq",
                "--stdout > pairs.fq",
                "thalweg cat pairs.bam | thalweg qc - -o reads.fq",
            ],
        );
        assert_eq!(
            told.stderr.matches("flags of its records").count(),
            1,
            "{}",
            told.stderr
        );
    }
    // What the hint says is true.
    let [first, second] = cleaned(&place, &["1.fq", "2.fq"]);
    let run = |line: &str| assert_eq!(place.shell(line).code, Some(0), "{line}");
    run("$THALWEG qc --quiet -c pairs.bam --stdout > pairs.fq");
    place.ok(&[
        "qc",
        "--quiet",
        "-A",
        "-Q",
        "-L",
        "-G",
        "--interleaved_in",
        "pairs.fq",
        "-o",
        "p1.fq",
        "-O",
        "p2.fq",
    ]);
    assert!(place.read("p1.fq") == first && place.read("p2.fq") == second);
    run("$THALWEG cat pairs.bam | $THALWEG qc --quiet -A -Q -L -G - -o reads.fq");
    assert!(place.read("reads.fq") == place.ok(&["cat", "pairs.bam"]).stdout);
    // Mates of one kind alone are single reads.
    place.write("first.bam", bgzf(&of_fastq(&place.read("1.fq"), 0)));
    let told = place.ok(&["qc", "first.bam", "-o", "first.fq"]).stderr;
    assert!(!told.contains("taken as pairs"), "{told}");
    // Single reads are none, whatever their file is called.
    place.write("single.bam", bgzf(&of_fastq(&fastq(60), 0)));
    let told = place.ok(&["qc", "single.bam", "-o", "single.fq"]).stderr;
    assert!(!told.contains("pairs"), "{told}");
    place.fails_without_hint(
        &["qc", "--merge", "single.bam", "--merged_out", "a.fq"],
        2,
        "only for paired-end data",
    );
}

#[test]
fn reads_without_their_mates_are_not_taken_for_pairs() {
    let world = built();
    let place = &world.place;
    let bases = [&b"ACGTACGTTGCATGCATCGA"[..]; 2].concat();
    let bam = |records: &[(&str, u16)]| {
        let mut data = header(0);
        for &(name, flags) in records {
            append(&mut data, &Record::new(name, flags, &bases, &[b'I'; 40]));
        }
        bgzf(&data)
    };
    let (first, second, single) = (77, 141, 4);
    for (what, records) in [
        (
            "a mate is elsewhere",
            &[("a", first), ("b", first), ("a", second), ("b", second)][..],
        ),
        (
            "one is single",
            &[
                ("a", first),
                ("a", second),
                ("s", single),
                ("b", first),
                ("b", second),
            ],
        ),
        (
            "the last one is single",
            &[("a", first), ("a", second), ("s", single)],
        ),
        (
            "both are first",
            &[("a", first), ("a", second), ("b", first), ("b", first)],
        ),
        (
            "both are of no pair",
            &[("a", first), ("a", second), ("s", single), ("s", single)],
        ),
    ] {
        place.write("mixed.bam", bam(records));
        for arguments in [
            &["qc", "mixed.bam", "-o", "o1.fq", "-O", "o2.fq"][..],
            &["classify", "ref.tht", "mixed.bam", "-o", "labels.tsv"],
        ] {
            let told = place.fails(arguments, 1, &["mixed.bam", "thalweg cat -1", "-s SINGLE"]);
            assert!(
                !place.path(arguments[arguments.len() - 1]).exists(),
                "{what}: {}",
                told.stderr
            );
        }
        // As single reads all are there.
        let single = ["classify", "--single", "ref.tht", "mixed.bam"];
        let labels = String::from_utf8(place.ok(&single).stdout).unwrap();
        assert_eq!(labels.lines().count(), records.len(), "{what}");
    }
}

#[test]
fn pairs_after_single_reads_are_not_taken_as_single() {
    let world = built();
    let place = &world.place;
    let bases = [&b"ACGTACGTTGCATGCATCGA"[..]; 2].concat();
    let (single, first, second) = (4, 77, 141);
    let bam = |groups: &[(u64, &[u16])]| {
        let mut data = header(0);
        for (group, (times, flags)) in groups.iter().enumerate() {
            for number in 0..*times {
                for &flags in *flags {
                    let name = format!("g{group}n{number}");
                    append(&mut data, &Record::new(&name, flags, &bases, &[b'I'; 40]));
                }
            }
        }
        bgzf(&data)
    };
    place.write(
        "mixed.bam",
        bam(&[(3000, &[single]), (500, &[first, second])]),
    );
    place.write("first.bam", bam(&[(3000, &[first]), (2, &[second])]));
    let qc = ["qc", "mixed.bam", "-o", "o.fq"];
    let classify = ["classify", "ref.tht", "mixed.bam", "-o", "labels.tsv"];
    for arguments in [&qc[..], &classify] {
        for threads in ["1", "3"] {
            for file in ["mixed.bam", "first.bam"] {
                let line = Vec::from_iter(arguments.iter().map(|&word| match word {
                    "mixed.bam" => file,
                    _ => word,
                }));
                let found = &[
                    file,
                    "record 3001",
                    "is of a pair, by its flags, but the first reads of the file are not in pairs",
                    "thalweg cat -1",
                    "-s SINGLE",
                    "takes all as single reads",
                ];
                let told = place.fails(&[&line[..], &["--threads", threads]].concat(), 1, found);
                let written = place.path(line[line.len() - 1]);
                assert!(!written.exists(), "{}", told.stderr);
            }
        }
        let line = Vec::from_iter(arguments.iter().map(|&word| match word {
            "mixed.bam" => "-",
            _ => word,
        }));
        let told = place.feed(&line, &place.read("mixed.bam"));
        assert_eq!(told.code, Some(1), "{}", told.stderr);
        assert!(told.stderr.contains("record 3001"), "{}", told.stderr);
    }
    // What the hint says is true.
    for line in [
        "$THALWEG cat mixed.bam | $THALWEG qc - -o o.fq",
        "$THALWEG cat mixed.bam | $THALWEG classify ref.tht - -o labels.tsv",
        "$THALWEG classify --single ref.tht mixed.bam -o labels.tsv",
        "$THALWEG cat -1 1.fq -2 2.fq -s s.fq -0 other.fq mixed.bam",
    ] {
        let ended = place.shell(line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
    }
    let lines = |name| {
        place
            .read(name)
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
    };
    assert_eq!(lines("labels.tsv"), 4000);
    let records = ["1.fq", "2.fq", "s.fq", "other.fq"].map(|name| lines(name) / 4);
    assert_eq!(records, [500, 500, 0, 3000]);
    // Reads of one mate alone are single reads, whatever other ones come between.
    place.write("one.bam", bam(&[(300, &[single, first]), (700, &[first])]));
    let told = place.ok(&["qc", "one.bam", "-o", "one.fq"]);
    assert!(!told.stderr.contains("pair, by"), "{}", told.stderr);
    place.ok(&["classify", "ref.tht", "one.bam", "-o", "labels.tsv"]);
    assert_eq!(lines("labels.tsv"), 1300);
}

#[test]
fn classify_takes_pairs_by_their_flags() {
    let world = built();
    let place = &world.place;
    let text = String::from_utf8(reads(&world, 800)).unwrap();
    let mut mates = [String::new(), String::new()];
    for (number, record) in Vec::from_iter(text.split_inclusive('\n'))
        .chunks(4)
        .enumerate()
    {
        let mate = number % 2;
        mates[mate] += &format!("@p{}/{}\n", number / 2, mate + 1);
        mates[mate] += &record[1..].concat();
    }
    let [first, second] = mates.each_ref().map(String::as_bytes);
    place.write("1.fq", first);
    place.write("2.fq", second);
    place.write("pairs.bam", bgzf(&interleaved([first, second], 500_000)));
    let outputs = [
        "--report",
        "report",
        "--classified-out",
        "c#.fq",
        "-o",
        "labels.tsv",
    ];
    let written = |arguments: &[&str]| {
        place.ok(&[&["classify", "ref.tht"], arguments, &outputs].concat());
        ["labels.tsv", "report", "c_1.fq", "c_2.fq"].map(|name| place.read(name))
    };
    let expected = written(&["1.fq", "2.fq"]);
    assert_eq!(expected[0].split(|&byte| byte == b'\n').count(), 401);
    for more in [
        &["-t", "1"][..],
        &["-t", "3"],
        &["--sweep"],
        &["--rule", "lca"],
    ] {
        let expected = written(&[&["1.fq", "2.fq"], more].concat());
        assert!(
            written(&[&["pairs.bam"], more].concat()) == expected,
            "{more:?}"
        );
    }
    let arguments = [&["classify", "ref.tht", "-"][..], &outputs].concat();
    let told = place.feed(&arguments, &place.read("pairs.bam"));
    assert!(
        told.stderr
            .contains("reads are taken as pairs, as the flags of its records say")
    );
    assert!(place.read("labels.tsv") == expected[0]);

    let single = place.ok(&["classify", "--single", "ref.tht", "pairs.bam"]);
    assert_eq!(single.stdout.split(|&byte| byte == b'\n').count(), 801);
    assert!(!single.stderr.contains("flags"));
}
