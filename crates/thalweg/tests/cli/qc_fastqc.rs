//! `thalweg qc --fastqc`: the reports are those of the link named fastqc on what is read and written.

use std::collections::BTreeMap;
use std::io::Read;

use crate::fastqc::{link, place, reads};
use crate::support::{Place, ended, gzip, names_in};

/// `fastqc_data.txt` of an archive.
fn data(place: &Place, archive: &str) -> String {
    let zip = place.read(archive);
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let mut entry = number(&zip[zip.len() - 6..zip.len() - 2]);
    loop {
        let header = &zip[entry..];
        assert_eq!(
            &header[..4],
            b"PK\x01\x02",
            "{archive} has no fastqc_data.txt"
        );
        let name = &header[46..46 + number(&header[28..30])];
        if name.ends_with(b"/fastqc_data.txt") {
            let packed =
                &zip[number(&header[42..46]) + 30 + name.len()..][..number(&header[20..24])];
            let mut text = String::new();
            flate2::read::DeflateDecoder::new(packed)
                .read_to_string(&mut text)
                .unwrap();
            return text;
        }
        entry += 46 + name.len();
    }
}

/// What the link says of a file, under another name.
fn wanted(place: &Place, file: &str, name: &str) -> String {
    std::fs::create_dir_all(place.path("wanted")).unwrap();
    let ended = ended(link(place, &["-q", "-o", "wanted", file]));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let archive = thalweg::fastqc::report_name(file.rsplit('/').next().unwrap());
    let data = data(place, &format!("wanted/{archive}_fastqc.zip"));
    let line = data
        .lines()
        .find(|line| line.starts_with("Filename\t"))
        .unwrap();
    data.replacen(line, &format!("Filename\t{name}"), 1)
}

/// The arguments of qc, and each report with the file that it is on and the name that it tells.
fn check(place: &Place, arguments: &[&str], reports: &[(&str, &str, &str)]) {
    // All threads but the first write again what has been looked at.
    let mut known = BTreeMap::new();
    for threads in ["1", "2", "5"] {
        let _ = std::fs::remove_dir_all(place.path("reports"));
        std::fs::create_dir(place.path("reports")).unwrap();
        let usual = [
            "qc",
            "--quiet",
            "--no_report",
            "--fastqc",
            "reports",
            "-w",
            threads,
        ];
        place.ok(&[&usual, arguments].concat());
        for (report, file, name) in reports {
            let found = data(place, &format!("reports/{report}_fastqc.zip"));
            assert!(
                place
                    .path(&format!("reports/{report}_fastqc.html"))
                    .is_file()
            );
            let wanted = known
                .entry((name, place.read(file)))
                .or_insert_with(|| wanted(place, file, name));
            let mut lines = found.lines().zip(wanted.lines());
            let other = lines.find(|(found, wanted)| found != wanted);
            assert_eq!(other, None, "{arguments:?}, {report}, {threads} threads");
            assert_eq!(found.len(), wanted.len(), "{arguments:?}, {report}");
        }
        assert_eq!(names_in(&place.path("reports")).len(), 2 * reports.len());
    }
}

/// Mates of a text: the same reads, cut at their front.
fn mates(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|&byte| byte == b'\n').enumerate();
    let cut = lines.map(|(number, line)| match number % 4 {
        1 | 3 => &line[line.len().saturating_sub(1).min(7)..],
        _ => line,
    });
    cut.collect::<Vec<_>>().join(&b'\n')
}

#[test]
fn reports_are_those_on_the_files() {
    let place = place();
    let text = reads(12_000, 40, 120);
    place.write("a_1.fastq.gz", gzip(&text));
    place.write("a_2.fastq.gz", gzip(&mates(&text)));
    place.write("b.fq", &text);
    let both = [
        "a_1.fastq.gz",
        "a_2.fastq.gz",
        "-o",
        "c_1.fq",
        "-O",
        "c_2.fq",
    ];
    let of_both = [
        ("a_1", "a_1.fastq.gz", "a_1.fastq.gz"),
        ("a_2", "a_2.fastq.gz", "a_2.fastq.gz"),
        ("c_1", "c_1.fq", "c_1.fq"),
        ("c_2", "c_2.fq", "c_2.fq"),
    ];
    check(&place, &both, &of_both);
    check(
        &place,
        &[&both[..], &["--dedup", "-5", "-3"]].concat(),
        &of_both,
    );
    place.ok(&["index", "-q", "--checkpoints", "100000", "a_1.fastq.gz"]);
    place.ok(&["index", "-q", "--checkpoints", "100000", "a_2.fastq.gz"]);
    check(
        &place,
        &[&both[..], &["--trace", "t.jsonl"]].concat(),
        &of_both,
    );
    check(
        &place,
        &["b.fq", "-o", "c.fq.gz", "-t", "3", "-l", "60"],
        &[("b", "b.fq", "b.fq"), ("c", "c.fq.gz", "c.fq.gz")],
    );
}

#[test]
fn outputs_without_names_are_called_after_inputs() {
    let place = place();
    let text = reads(2000, 80, 120);
    place.write("b.fq", &text);
    std::fs::create_dir(place.path("out")).unwrap();
    // The same name in another directory.
    check(
        &place,
        &["b.fq", "-o", "out/b.fq"],
        &[("b", "b.fq", "b.fq"), ("b_clean", "out/b.fq", "b_clean")],
    );
    let ended = place.feed(
        &[
            "qc",
            "--quiet",
            "--no_report",
            "--stdin",
            "--stdout",
            "--fastqc",
            "out",
        ],
        &text,
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    place.write("written.fq", &ended.stdout);
    assert_eq!(
        data(&place, "out/stdin_fastqc.zip"),
        wanted(&place, "b.fq", "stdin")
    );
    assert_eq!(
        data(&place, "out/stdin_clean_fastqc.zip"),
        wanted(&place, "written.fq", "stdin_clean")
    );
}

#[test]
fn merged_and_interleaved_reads_have_reports() {
    let place = place();
    let text = reads(1500, 60, 60);
    let (first, second) = (text.clone(), mates(&text));
    let records = |text: &[u8]| -> Vec<Vec<u8>> {
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        lines.chunks(4).map(<[&[u8]]>::concat).collect()
    };
    let turns = records(&first).into_iter().zip(records(&second));
    place.write(
        "both.fq",
        turns
            .flat_map(|(one, two)| [one, two].concat())
            .collect::<Vec<u8>>(),
    );
    place.write("a_1.fq", &first);
    place.write("a_2.fq", &second);
    check(
        &place,
        &[
            "--interleaved_in",
            "both.fq",
            "-o",
            "c_1.fq",
            "-O",
            "c_2.fq",
        ],
        &[
            ("both", "both.fq", "both.fq"),
            ("c_1", "c_1.fq", "c_1.fq"),
            ("c_2", "c_2.fq", "c_2.fq"),
        ],
    );
    check(
        &place,
        &[
            "a_1.fq",
            "a_2.fq",
            "-m",
            "--merged_out",
            "m.fq",
            "-o",
            "u_1.fq",
            "-O",
            "u_2.fq",
        ],
        &[
            ("a_1", "a_1.fq", "a_1.fq"),
            ("a_2", "a_2.fq", "a_2.fq"),
            ("m", "m.fq", "m.fq"),
        ],
    );
}

/// What the steps see otherwise than it lies in the file: lower case, and qualities that count from 64.
#[test]
fn reads_are_told_as_they_lie_in_the_file() {
    let place = place();
    let text = String::from_utf8(reads(1500, 60, 90)).unwrap();
    let lines = text
        .lines()
        .enumerate()
        .map(|(number, line)| match number % 4 {
            1 => line.to_lowercase() + "\n",
            3 => {
                line.bytes()
                    .map(|byte| char::from(byte + 31))
                    .collect::<String>()
                    + "\n"
            }
            _ => line.to_owned() + "\n",
        });
    place.write("old.fq", lines.collect::<String>());
    check(
        &place,
        &["-6", "old.fq", "-o", "new.fq"],
        &[("old", "old.fq", "old.fq"), ("new", "new.fq", "new.fq")],
    );
}

#[test]
fn a_directory_that_is_not_there_is_told() {
    let place = place();
    place.write("b.fq", reads(5, 60, 60));
    place.fails(
        &["qc", "b.fq", "--fastqc", "nowhere"],
        2,
        &["--fastqc nowhere: is not a directory"],
    );
    place.write("cut.fq", "@a\nACGT\n+\nII\n");
    place.fails(
        &["qc", "--quiet", "cut.fq", "--fastqc", ".", "--no_report"],
        1,
        &["cut.fq"],
    );
}
