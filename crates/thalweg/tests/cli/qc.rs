//! `thalweg qc`

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::extent::some_of;
use crate::support::{Place, bgzf, gzip, random};

/// Pairs whose fragments are `shortest` bases and longer, read 100 bases far, into the
/// adapter where the fragment is shorter; every eleventh is bad, every seventh a copy.
fn pairs(count: usize, shortest: usize) -> [Vec<u8>; 2] {
    let mut below = random(0x9E37_79B9_7F4A_7C15);
    let adapters = [
        b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
        b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAA",
    ];
    let mut mates = [Vec::new(), Vec::new()];
    let mut last = Vec::new();
    for number in 0..count {
        let mut fragment: Vec<u8> = (0..shortest + number % 170)
            .map(|_| b"ACGT"[below(4)])
            .collect();
        if number % 7 == 6 {
            fragment.clone_from(&last);
        }
        last.clone_from(&fragment);
        for (mate, text) in mates.iter_mut().enumerate() {
            let read = fragment.iter().chain(adapters[mate]).copied();
            let read: Vec<u8> = read.chain(std::iter::repeat(b'A')).take(100).collect();
            let quality = if number % 11 == 10 { "#" } else { "I" }.repeat(100);
            text.extend(format!("@r{number}/{}\n", mate + 1).bytes());
            text.extend(read);
            text.extend(format!("\n+\n{quality}\n").bytes());
            fragment.reverse();
            for base in &mut fragment {
                *base = match *base {
                    b'A' => b'T',
                    b'C' => b'G',
                    b'G' => b'C',
                    _ => b'A',
                };
            }
        }
    }
    mates
}

pub(crate) fn place_of_pairs(count: usize) -> Place {
    let place = Place::new();
    for (mate, text) in pairs(count, 60).iter().enumerate() {
        place.write(&format!("r{}.fq", mate + 1), text);
    }
    place
}

pub(crate) fn records(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count() / 4
}

#[test]
fn pairs_come_out_clean() {
    let place = place_of_pairs(3000);
    let ended = place.ok(&["qc", "r1.fq", "r2.fq", "-o", "o1.fq", "-O", "o2.fq"]);
    for said in [
        "5,456 of 6,000 reads pass (90.93%); 544 low quality",
        "insert size peak: ",
        "adapters cut from ",
        "reports: fastp.json, fastp.html",
    ] {
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
    let (first, second) = (place.read("o1.fq"), place.read("o2.fq"));
    assert_eq!(records(&first), 3000 - 3000 / 11);
    assert_eq!(records(&second), records(&first));
    // What is left of each read is the fragment, as long as that is shorter than the read.
    for record in first.split(|byte| *byte == b'@').skip(1) {
        let lines: Vec<&[u8]> = record.split(|byte| *byte == b'\n').collect();
        let name = std::str::from_utf8(lines[0]).unwrap();
        let number: usize = name[1..name.len() - 2].parse().unwrap();
        let number = if number % 7 == 6 { number - 1 } else { number };
        assert_eq!(lines[1].len(), (60 + number % 170).min(100), "{name}");
    }
    let json: serde_json::Value = serde_json::from_slice(&place.report("json")).unwrap();
    assert_eq!(json["summary"]["before_filtering"]["total_reads"], 6000);
    let html = String::from_utf8(place.report("html")).unwrap();
    assert!(html.contains("<svg") && !html.contains("http://") && !html.contains("<script src"));
}

/// Mates of different lengths, read as they come, by an index, and cut into parts: compressed blocks
/// end where batches do.
#[test]
fn compressed_output_is_the_same_byte_for_byte() {
    let place = Place::new();
    let [first, second] = pairs(60_000, 60);
    // Read 2 has its first 60 bases, so that its slabs hold more records.
    let short: Vec<u8> = second
        .split(|byte| *byte == b'\n')
        .enumerate()
        .flat_map(|(line, text)| {
            let length = if line % 2 == 1 { 60 } else { 100 };
            let text = &text[..text.len().min(length)];
            text.iter().chain(b"\n").copied().collect::<Vec<u8>>()
        })
        .collect();
    let short = &short[..short.len() - 1];
    place.write("r1.fq", &first);
    place.write("r2.fq", short);
    for name in ["r1", "r2"] {
        let packed = gzip(&place.read(&format!("{name}.fq")));
        place.write(&format!("{name}.fq.gz"), &packed);
        place.write(&format!("{name}.indexed.fq.gz"), &packed);
        place.ok(&["index", "--span", "300K", &format!("{name}.indexed.fq.gz")]);
        let blocks = bgzf(&place.read(&format!("{name}.fq")));
        // More than a part of 1 MiB of the first file, so that there are several.
        assert!(name == "r2" || blocks.len() > 3 << 19, "{}", blocks.len());
        place.write(&format!("{name}.blocks.fq.gz"), &blocks);
    }
    for ending in ["fq", "fq.gz", "indexed.fq.gz", "blocks.fq.gz"] {
        let run = |threads: &str| {
            let inputs = [format!("r1.{ending}"), format!("r2.{ending}")];
            place.ok(&[
                "qc",
                &inputs[0],
                &inputs[1],
                "-o",
                "o1.fq.gz",
                "-O",
                "o2.fq.gz",
                "-w",
                threads,
                "-z",
                "1",
                "--no_report",
            ]);
            (place.read("o1.fq.gz"), place.read("o2.fq.gz"))
        };
        let wanted = run("1");
        for threads in some_of(4, ["2", "2", "2", "3", "8"]) {
            assert!(run(threads) == wanted, "{ending} with {threads} threads");
        }
    }
}

#[test]
fn any_number_of_threads_and_any_input_give_the_same() {
    let place = place_of_pairs(14_000);
    for mate in ["r1", "r2"] {
        let text = place.read(&format!("{mate}.fq"));
        let packed = gzip(&text);
        place.write(&format!("{mate}.fq.gz"), &packed);
        place.write(&format!("{mate}.indexed.fq.gz"), &packed);
        place.write(&format!("{mate}.blocks.fq.gz"), bgzf(&text));
        place.write(
            &format!("{mate}.fq.zst"),
            zstd::encode_all(&text[..], 1).unwrap(),
        );
        let indexed = format!("{mate}.indexed.fq.gz");
        place.ok(&["index", "-q", "--span", "500k", &indexed]);
    }
    let outputs = ["o1.fq", "o2.fq", "u1.fq", "u2.fq", "f.fq"];
    let run = |ending: &str, threads: &str| {
        let (first, second) = (format!("r1{ending}"), format!("r2{ending}"));
        place.ok(&[
            "qc",
            &first,
            &second,
            "-o",
            "o1.fq",
            "-O",
            "o2.fq",
            "--unpaired1",
            "u1.fq",
            "--unpaired2",
            "u2.fq",
            "--failed_out",
            "f.fq",
            "-D",
            "-p",
            "-3",
            "-w",
            threads,
        ]);
        let json = String::from_utf8(place.report("json")).unwrap();
        let json: Vec<&str> = json
            .lines()
            .filter(|line| !line.contains("command"))
            .collect();
        (outputs.map(|name| place.read(name)), json.join("\n"))
    };
    let wanted = run(".fq", "1");
    assert!(records(&wanted.0[0]) > 7000 && records(&wanted.0[4]) > 700);
    for ending in [
        ".fq",
        ".fq.gz",
        ".indexed.fq.gz",
        ".blocks.fq.gz",
        ".fq.zst",
    ] {
        for threads in some_of(2, ["1", "2", "5"]) {
            let found = run(ending, threads);
            assert!(found.0 == wanted.0, "{ending} with {threads} threads");
            assert_eq!(found.1, wanted.1, "{ending} with {threads} threads");
        }
    }
}

#[test]
fn outputs_are_compressed_by_their_names() {
    let place = place_of_pairs(5000);
    let plain = ["qc", "r1.fq", "-o", "o.fq"];
    place.ok(&plain);
    let wanted = place.read("o.fq");
    for name in ["o.fq.gz", "o.fq.zst"] {
        place.ok(&["qc", "r1.fq", "-o", name, "-w", "2"]);
        assert!(place.ok(&["cat", name]).stdout == wanted, "{name}");
    }
    // BGZF, so that all cores can read it.
    let info = place.ok(&["info", "o.fq.gz"]).text();
    assert!(info.contains("pieces") || info.contains("BGZF"), "{info}");
    place.ok(&["qc", "r1.fq", "-o", "s.fq", "-S", "4000"]);
    let split: Vec<u8> = (1..=5)
        .flat_map(|part| place.read(&format!("000{part}.s.fq")))
        .collect();
    assert!(split == wanted);
}

#[test]
fn streams_and_lanes_are_read() {
    let place = place_of_pairs(2000);
    let text = place.read("r1.fq");
    place.ok(&["qc", "r1.fq", "-o", "o.fq", "-A"]);
    let wanted = place.read("o.fq");
    for input in [text.clone(), gzip(&text), bgzf(&text)] {
        let ended = place.feed(&["qc", "--stdin", "--stdout", "-A", "--no_report"], &input);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stdout == wanted);
    }
    place.ok(&["qc", "-i", "r1.fq", "-i", "r1.fq", "-o", "two.fq", "-A"]);
    assert!(place.read("two.fq") == [&wanted[..], &wanted].concat());
    place.ok(&[
        "qc",
        "r1.fq",
        "-o",
        "few.fq",
        "--reads_to_process",
        "10",
        "-Q",
    ]);
    assert_eq!(records(&place.read("few.fq")), 10);
    place.ok(&[
        "qc",
        "r1.fq",
        "-o",
        "few.fq",
        "--reads_to_process",
        "1000000",
        "-Q",
    ]);
    assert_eq!(records(&place.read("few.fq")), 2000);
}

/// The first reads of all lanes: of those whose numbers an index tells, of those that are read in order, and of both.
#[test]
fn the_first_reads_are_those_of_all_lanes() {
    let place = place_of_pairs(1000);
    let [first, second] = ["r1.fq", "r2.fq"].map(|name| place.read(name));
    for (name, text) in [("r1", &first), ("r2", &second)] {
        place.write(&format!("plain.{name}.fq"), text);
        place.write(&format!("gzip.{name}.fq.gz"), gzip(text));
        place.write(&format!("indexed.{name}.fq.gz"), bgzf(text));
        let name = format!("indexed.{name}.fq.gz");
        place.ok(&["index", "-q", "--span", "100k", &name]);
    }
    let lanes = [
        ["plain.r1.fq", "plain.r2.fq"],
        ["gzip.r1.fq.gz", "gzip.r2.fq.gz"],
        ["indexed.r1.fq.gz", "indexed.r2.fq.gz"],
    ];
    let lines = |text: &[u8], reads: usize| -> Vec<u8> {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.take(4 * reads).flatten().copied().collect()
    };
    let none = ["-A", "-Q", "-L", "-G", "--no_report"];
    for order in [[0, 1, 2], [2, 1, 0], [2, 2, 0], [1, 2, 2]] {
        for reads in [1, 999, 1000, 1001, 2000, 2500, 5000] {
            for threads in ["1", "3"] {
                let wanted = reads.to_string();
                let mut arguments = vec!["qc", "--reads_to_process", &wanted, "-w", threads];
                arguments.extend(["-o", "o1.fq", "-O", "o2.fq"]);
                arguments.extend(none);
                for lane in order {
                    arguments.extend(["-i", lanes[lane][0], "-I", lanes[lane][1]]);
                }
                place.ok(&arguments);
                for (output, text) in [("o1.fq", &first), ("o2.fq", &second)] {
                    let expected = lines(&text.repeat(3), reads);
                    assert!(place.read(output) == expected, "{order:?}, {reads}");
                }
            }
        }
    }
}

#[test]
fn interleaved_pairs_are_pairs() {
    let place = place_of_pairs(2000);
    let both = [place.read("r1.fq"), place.read("r2.fq")].map(|text| {
        let lines: Vec<Vec<u8>> = text
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        lines.chunks(4).map(<[Vec<u8>]>::concat).collect::<Vec<_>>()
    });
    let mixed: Vec<u8> = both[0]
        .iter()
        .zip(&both[1])
        .flat_map(|(a, b)| [&a[..], b].concat())
        .collect();
    place.write("mixed.fq", &mixed);
    place.ok(&["qc", "r1.fq", "r2.fq", "-o", "a1.fq", "-O", "a2.fq"]);
    place.ok(&[
        "qc",
        "--interleaved_in",
        "mixed.fq",
        "-o",
        "b1.fq",
        "-O",
        "b2.fq",
    ]);
    assert!(place.read("a1.fq") == place.read("b1.fq"));
    assert!(place.read("a2.fq") == place.read("b2.fq"));
    place.ok(&[
        "qc",
        "r1.fq",
        "r2.fq",
        "-m",
        "--merged_out",
        "m.fq",
        "-o",
        "c1.fq",
        "-O",
        "c2.fq",
    ]);
    let (merged, rest) = (records(&place.read("m.fq")), records(&place.read("c1.fq")));
    assert!(merged > 1000);
    assert!(
        place
            .read("m.fq")
            .windows(8)
            .any(|window| window == b" merged_")
    );
    assert!(merged + rest <= 2000 && rest > 100);
}

#[test]
fn what_is_wrong_with_the_input_is_an_error() {
    let place = place_of_pairs(3000);
    let text = place.read("r1.fq");
    let packed = gzip(&text);
    place.write("cut.fq.gz", &packed[..packed.len() / 2]);
    let mut flipped = packed.clone();
    flipped[packed.len() / 2] ^= 0x20;
    place.write("flipped.fq.gz", flipped);
    place.write("short.fq", &text[..text.len() / 2]);
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    place.write("fewer.fq", lines[..4000].concat());
    place.write(
        "malformed.fq",
        [
            &lines[..40].concat()[..],
            b"@x\nACGT\n+\nIII\n",
            &lines[40..].concat(),
        ]
        .concat(),
    );
    let other: Vec<u8> = String::from_utf8(place.read("r2.fq"))
        .unwrap()
        .replace("@r", "@q")
        .into();
    place.write("other.fq", other);
    let single = |input| ["qc", input, "-o", "o.fq", "-w", "2"];
    let pair = |first, second| ["qc", first, second, "-o", "o1.fq", "-O", "o2.fq"];
    place.fails(&single("cut.fq.gz"), 1, &["cut.fq.gz", "record"]);
    place.fails(&single("flipped.fq.gz"), 1, &["flipped.fq.gz"]);
    place.fails(&single("short.fq"), 1, &["short.fq", "record"]);
    place.fails(&single("malformed.fq"), 1, &["malformed.fq", "record 11"]);
    place.fails(&pair("r1.fq", "fewer.fq"), 1, &["fewer.fq", "records, but"]);
    place.fails(&pair("fewer.fq", "r2.fq"), 1, &["fewer.fq", "records, but"]);
    place.fails(
        &pair("r1.fq", "other.fq"),
        1,
        &["other.fq", "does not match", "record 1"],
    );
}

#[test]
fn what_fastp_asks_of_itself_is_answered() {
    let place = Place::new();
    for option in ["-v", "--version"] {
        let said = place.ok(&["qc", option]).text();
        assert!(said.contains(env!("CARGO_PKG_VERSION")), "{said}");
    }
    let short = place.ok(&["qc", "-?"]).text();
    let long = place.ok(&["qc", "--help"]).text();
    for option in ["--in1", "--adapter_sequence", "--trim_poly_g", "--merge"] {
        assert!(short.contains(option) && long.contains(option), "{option}");
    }
    for rare in ["--adapter_sequence_5p", "--trim_poly_a", "--split"] {
        assert!(!short.contains(rare) && long.contains(rare), "{rare}");
    }
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    let place = place_of_pairs(10);
    for (arguments, word) in [
        (&["r1.fq", "r2.fq", "-o", "o.fq"][..], "-O"),
        (&["r1.fq", "-o", "o.fq", "-O", "p.fq"], "--out2"),
        (
            &["r1.fq", "r1.fq", "-o", "o.fq", "-O", "p.fq"],
            "both read 1 and read 2",
        ),
        (&["r1.fq", "-o", "r1.fq"], "is an input file"),
        (&["r1.fq", "-o", "o.fq", "-W", "0"], "cut_window_size"),
        (&["r1.fq", "-o", "o.fq", "-z", "13"], "1 (fastest) to 12"),
        (&["r1.fq", "-o", "o.fq", "-s", "1"], "--split"),
        (&["r1.fq", "-o", "o.fq", "-S", "1001"], "--split_by_lines"),
        (
            &["r1.fq", "-o", "o.fq", "-U", "--umi_loc", "nowhere"],
            "nowhere",
        ),
        (&["-o", "o.fq"], "no input"),
        // Before anything is done, not after it.
        (&["r1.fq", "-o", "o.fq", "-j", "none/x.json"], "none/x.json"),
        (&["r1.fq", "-o", "o.fq", "-h", "none/x.html"], "none/x.html"),
        (&["r1.fq", "-o", "o.fq", "-j", "r1.fq"], "is an input file"),
        (&["r1.fq", "-o", "o.fq", "-j", "o.fq"], "-o and --json"),
        (
            &["r1.fq", "-o", "o.fq", "-j", "x", "-h", "x"],
            "--json and --html",
        ),
    ] {
        let before = place.names();
        let ended = place.run(&[&["qc"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(word),
            "{arguments:?}: {}",
            ended.stderr
        );
        assert_eq!(place.names(), before, "{arguments:?}");
    }
    place.write("o.fq", "mine");
    place.fails_without_hint(
        &["qc", "r1.fq", "-o", "o.fq", "--dont_overwrite"],
        2,
        "exists",
    );
    for option in ["-h", "-j"] {
        let line = ["qc", "r1.fq", "-o", "p.fq", option, "o.fq"];
        place.fails(&line, 2, &["o.fq", "a file of reads", "--help"]);
        assert_eq!(place.read("o.fq"), b"mine");
    }
    place.fails(
        &["qc", "r1.fq", "-o", "/dev/full"],
        2,
        &["/dev/full", "byte 0"],
    );
    place.fails(&["qc", "none.fq", "-o", "p.fq"], 2, &["none.fq"]);
}

/// What fastp 1.3.6 wrote at `-w 1`, met by a program under its name.
#[test]
fn under_the_name_of_fastp_it_writes_what_fastp_writes() {
    let Some(golden) = std::env::var_os("THALWEG_FASTP_GOLDEN").map(PathBuf::from) else {
        println!("skipped: THALWEG_FASTP_GOLDEN names no directory");
        return;
    };
    let place = Place::new();
    let fastp = place.path("fastp");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), &fastp).unwrap();
    let table = std::fs::read_to_string(golden.join("options.tsv")).unwrap();
    let mut compared = 0;
    for row in table.lines() {
        let (number, line) = row.split_once('\t').unwrap();
        let index = golden.join("IDX1.txt").display().to_string();
        let line = [
            ("MERGED", "merged.fq"),
            ("UNPAIRED1", "unpaired1.fq"),
            ("UNPAIRED2", "unpaired2.fq"),
            ("FAILED", "failed.fq"),
            ("OVERLAPPED", "overlapped.fq"),
            ("IDX1", &index),
        ]
        .iter()
        .fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
        for name in ["sars", "short"] {
            for kind in ["pe", "se"] {
                let wanted = golden.join(kind).join(name).join(number);
                if wanted.is_dir() {
                    compare(&fastp, &golden, &wanted, name, kind == "pe", &line);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 80, "only {compared} runs were compared");
}

fn compare(fastp: &Path, golden: &Path, wanted: &Path, name: &str, paired: bool, line: &str) {
    let directory = tempfile::tempdir().unwrap();
    let input = |mate: u8| golden.join(format!("in/{name}.{mate}.fq"));
    let mut command = Command::new(fastp);
    command
        .current_dir(directory.path())
        .args(["-w", "2", "-o", "1.fq", "-i"])
        .arg(input(1));
    if paired {
        command.args(["-O", "2.fq", "-I"]).arg(input(2));
    }
    command
        .args(["-j", "fastp.json", "-h", "/dev/null"])
        .args(line.split_whitespace());
    let output = command.output().unwrap();
    let what = format!("{name} {paired} {line}");
    let message = String::from_utf8_lossy(&output.stderr);
    let exit = std::fs::read_to_string(wanted.join("exit")).unwrap();
    assert_eq!(
        output.status.success(),
        exit.trim() == "0",
        "{what}: {message}"
    );
    if !output.status.success() {
        return;
    }
    for entry in std::fs::read_dir(wanted).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap();
        let theirs = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|end| end == "fq") {
            let ours = std::fs::read(directory.path().join(file)).unwrap_or_default();
            assert!(ours == theirs, "{what}: {}", path.display());
        } else if file == "fastp.json" {
            let ours = std::fs::read(directory.path().join(file)).unwrap();
            let [ours, theirs] = [ours, theirs].map(|json| {
                let mut json: serde_json::Value = serde_json::from_slice(&json).unwrap();
                json["command"].take();
                json["summary"]["fastp_version"].take();
                json
            });
            assert!(ours == theirs, "{what}: {}", path.display());
        }
    }
}
