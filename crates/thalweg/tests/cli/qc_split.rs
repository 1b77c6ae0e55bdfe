//! Split output of `thalweg qc --fastp-compat`: the files of fastp, with the names of fastp, for every number of threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::extent::one_of;
use crate::qc_compat::has_fastp;
use crate::support::{Place, bgzf, gzip, names_in, random};

/// Reads of about 40 bases, of which one in `worst` has bad qualities, and one in 50 is the copy of another.
fn reads(count: usize, worst: usize, mate: usize) -> String {
    let mut random = random(count as u64 * 7 + mate as u64 + 1);
    let mut reads: Vec<String> = Vec::with_capacity(count);
    for number in 0..count {
        let bases: String = (0..30 + random(20))
            .map(|_| char::from(b"ACGT"[random(4)]))
            .collect();
        let quality = if random(worst) == 0 { "#" } else { "I" };
        let qualities = quality.repeat(bases.len());
        let body = match reads.get(number / 2) {
            Some(earlier) if number % 50 == 49 => earlier.split_once('\n').unwrap().1.to_owned(),
            _ => format!("{bases}\n+\n{qualities}\n"),
        };
        reads.push(format!("@r{number}/{mate}\n{body}"));
    }
    reads.concat()
}

type Files = BTreeMap<String, Vec<u8>>;

/// Run a program in a directory of its own; give the files that it made but for the reports, if it ended well.
fn files_of(place: &Place, program: &[&str], line: &str) -> Option<Files> {
    let directory = place.path("run");
    std::fs::create_dir(&directory).unwrap();
    let status = Command::new("timeout")
        .current_dir(&directory)
        .arg("60")
        .args(program)
        .args(line.split_whitespace())
        .args(["-j", "r.json", "-h", "r.html", "--dont_eval_duplication"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let read = |name: String| {
        let bytes = std::fs::read(directory.join(&name)).unwrap();
        // fastp makes empty files of no reads, which are no gzip.
        let is_compressed = Path::new(&name).extension() == Some("gz".as_ref());
        let text = match is_compressed && !bytes.is_empty() {
            true => {
                let mut text = Vec::new();
                let mut decoder = flate2::read::MultiGzDecoder::new(&bytes[..]);
                std::io::Read::read_to_end(&mut decoder, &mut text).unwrap();
                text
            }
            false => bytes,
        };
        (name, text)
    };
    let files = names_in(&directory).into_iter();
    let files = files.filter(|name| !name.starts_with("r.")).map(read);
    let files = status.success().then(|| files.collect());
    std::fs::remove_dir_all(&directory).unwrap();
    files
}

fn sizes(files: Option<&Files>) -> Option<BTreeMap<&str, usize>> {
    let records = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() / 4;
    let sizes = files?.iter().map(|(name, text)| (&name[..], records(text)));
    Some(sizes.collect())
}

/// Each line against fastp, with one of some numbers of threads, or with all of them in a long run.
fn compare(place: &Place, lines: &[String]) {
    let ways = [("0.23", "1"), ("0.23", "3"), ("1.3", "2")];
    for (turn, line) in lines.iter().enumerate() {
        let wanted = files_of(place, &["fastp", "-w", "1"], line);
        for (version, threads) in one_of(turn, &ways) {
            let version = format!("--fastp-compat={version}");
            let ours = [env!("CARGO_BIN_EXE_thalweg"), "qc", &version, "-w", threads];
            let found = files_of(place, &ours, line);
            assert!(
                found == wanted,
                "{line}, {version}, {threads} threads: {:?} instead of {:?}",
                sizes(found.as_ref()),
                sizes(wanted.as_ref())
            );
        }
    }
}

#[test]
fn files_are_those_of_fastp() {
    if !has_fastp() {
        return;
    }
    let place = Place::new();
    let mut lines = Vec::new();
    for (count, worst) in [
        (0, 9),
        (2, 9),
        (999, 9),
        (1000, 999_999),
        (1001, 9),
        (2500, 3),
        (5000, 2),
    ] {
        for mate in [1, 2] {
            place.write(&format!("{count}.{mate}.fq"), reads(count, worst, mate));
        }
        let single = format!("-i ../{count}.1.fq -o o.fq");
        let pairs = format!("-i ../{count}.1.fq -I ../{count}.2.fq -o a.fq -O b.fq");
        for split in [
            "-s 2",
            "-s 3 -d 0",
            "-s 7",
            "-S 1000",
            "-S 4000",
            "-S 8000 -d 2",
        ] {
            lines.extend([&single, &pairs].map(|line| format!("{line} {split}")));
        }
    }
    let mates = [1, 2].map(|mate| place.read(&format!("5000.{mate}.fq")));
    let [first, second] = mates.map(|text| String::from_utf8(text).unwrap());
    let records = |text: &str| {
        text.split_inclusive('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (first, second) = (records(&first), records(&second));
    let both = first.chunks(4).zip(second.chunks(4));
    let mixed: String = both
        .flat_map(|(one, other)| [one.concat(), other.concat()])
        .collect();
    place.write("mixed.fq", mixed);
    let single = "-i ../5000.1.fq -o o.fq";
    let pairs = "-i ../5000.1.fq -I ../5000.2.fq -o a.fq -O b.fq";
    for split in ["-s 4", "-S 2000"] {
        for more in [
            "-Q -L",
            "-A -l 44",
            "-D --dup_calc_accuracy 1",
            "-p",
            "--reads_to_process 1000",
            "--reads_to_process 2000",
            "--reads_to_process 1700 -l 40",
        ] {
            lines.extend([single, pairs].map(|line| format!("{line} {split} {more}")));
        }
        lines.push(format!(
            "--interleaved_in -i ../mixed.fq -o a.fq -O b.fq {split}"
        ));
        lines.push(format!("-i ../2500.1.fq -o o.fq.gz {split}"));
        lines.push(format!("-i ../0.1.fq -o o.fq.gz {split}"));
    }
    // Refused by both.
    for wrong in [
        "-s 1",
        "-s 1000",
        "-S 996",
        "-S 1002",
        "-s 2 -d 11",
        "-s 2 -S 1000",
    ] {
        lines.push(format!("{single} {wrong}"));
    }
    compare(&place, &lines);
}

/// What is long is estimated, from its first 256 Ki reads if adapters are looked for in it.
#[test]
fn files_of_long_input_are_those_of_fastp() {
    if !has_fastp() {
        return;
    }
    let place = Place::new();
    let mut text = String::new();
    for (count, length) in [(100_000, 60), (170_000, 20), (5000, 90)] {
        for number in 0..count {
            let bases = ["ACGTTGCATC", "GGTACCATTA", "TTGACAGCAA"][number % 3].repeat(length / 10);
            let qualities = "I".repeat(length);
            text += &format!("@r{number}\n{bases}\n+\n{qualities}\n");
        }
    }
    place.write("long.fq", &text);
    place.write("long.fq.gz", gzip(text.as_bytes()));
    place.write("blocks.fq.gz", bgzf(text.as_bytes()));
    let lines = ["long.fq", "long.fq.gz", "blocks.fq.gz"]
        .map(|name| format!("-i ../{name} -o o.fq -L -G -s 3"));
    compare(&place, &lines);
    compare(&place, &[format!("{} -A", lines[0])]);
}

/// What fastp leaves out in split output is written all the same.
#[test]
fn failed_and_unpaired_reads_are_kept() {
    let place = Place::new();
    place.write("1.fq", reads(2500, 3, 1));
    place.write("2.fq", reads(2500, 3, 2));
    let pairs = "qc --fastp-compat 1.fq 2.fq -o a.fq -O b.fq --no_report";
    let others = "--unpaired1 u.fq --unpaired2 v.fq --failed_out f.fq";
    let run = |more: &str| {
        let line = format!("{pairs} {more} {others}");
        place.ok(&line.split_whitespace().collect::<Vec<_>>());
        ["u.fq", "v.fq", "f.fq"].map(|name| place.read(name))
    };
    let wanted = run("");
    assert!(wanted.iter().all(|text| !text.is_empty()));
    assert!(run("-s 3") == wanted && run("-S 1000") == wanted);
    let joined = |mate| {
        [1, 2, 3]
            .map(|file| place.read(&format!("{file:04}.{mate}.fq")))
            .concat()
    };
    place.ok(&format!("{pairs} -s 3").split(' ').collect::<Vec<_>>());
    assert!(joined("a") == place.read("a.fq") && joined("b") == place.read("b.fq"));
}

/// Nor do they depend on what is known of the input, or how it is compressed.
#[test]
fn files_do_not_depend_on_how_the_input_is_read() {
    let place = Place::new();
    for mate in [1, 2] {
        let text = reads(9500, 3, mate);
        place.write(&format!("r{mate}.fq"), &text);
        place.write(&format!("r{mate}.fq.gz"), gzip(text.as_bytes()));
        place.write(&format!("i{mate}.fq.gz"), gzip(text.as_bytes()));
        place.ok(&["index", "-q", "--span", "100k", &format!("i{mate}.fq.gz")]);
        place.write(&format!("b{mate}.fq.gz"), bgzf(text.as_bytes()));
    }
    for split in ["-s 4", "-S 4000"] {
        let mut first: Option<Files> = None;
        for (name, ending) in [("r", "fq"), ("r", "fq.gz"), ("i", "fq.gz"), ("b", "fq.gz")] {
            for threads in 1..=4 {
                let line = format!(
                    "-i ../{name}1.{ending} -I ../{name}2.{ending} -o a.fq -O b.fq {split} -w {threads}"
                );
                let ours = [env!("CARGO_BIN_EXE_thalweg"), "qc", "--fastp-compat"];
                let files = files_of(&place, &ours, &line).unwrap();
                assert!(files.len() >= 8, "{line}");
                assert!(
                    first.get_or_insert_with(|| files.clone()) == &files,
                    "{line}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_read_twice_is_not_counted() {
    let place = Place::new();
    place.write("r.fq", reads(10, 3, 1));
    let said = &["is not read twice", "--split_by_lines"];
    let line = [
        "qc",
        "--fastp-compat",
        "-o",
        "o.fq",
        "--no_report",
        "-s",
        "2",
    ];
    place.fails(&[&line[..], &["--stdin"]].concat(), 2, said);
    place.fails(&[&line[..], &["-i", "/dev/stdin"]].concat(), 2, said);
    let piped = "cat r.fq | $THALWEG qc --fastp-compat --no_report -Q -L -A -o o.fq";
    assert_eq!(
        place.shell(&format!("{piped} -i <(cat r.fq) -s 2")).code,
        Some(2)
    );
    assert_eq!(
        place.shell(&format!("{piped} --stdin -S 1000")).code,
        Some(0)
    );
    assert!(place.read("0001.o.fq").starts_with(b"@r0/1\n"));
    // It deals the reads out by itself.
    let dealt = "cat r.fq | $THALWEG qc --no_report --stdin -o p.fq -s 2";
    assert_eq!(place.shell(dealt).code, Some(0));
}
