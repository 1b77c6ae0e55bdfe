//! Every fault of the input ends in a message that says where and what to do,
//! with exit code 1, and never in a panic.

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, records};

const COUNT: usize = 20_000;

/// All commands that read, with one thread and with more, must say so.
fn all_fail(place: &Place, files: &[&str], words: &[&str]) {
    for threads in ["1", "2", "5"] {
        for command in [
            &["stats"][..],
            &["stats", "--quality"],
            &["cat", "-o", "out"],
            &["verify", "--full"],
        ] {
            let arguments = [command, &["-t", threads], files].concat();
            place.fails(&arguments, 1, words);
        }
    }
}

#[test]
fn truncated_gzip_in_header_block_and_trailer() {
    let data = gzip(&fastq(COUNT));
    for (length, what) in [
        (5, "header"),
        (data.len() / 2, "block"),
        (data.len() - 5, "trailer"),
    ] {
        let place = Place::new();
        place.write("cut.fq.gz", &data[..length]);
        all_fail(&place, &["cut.fq.gz"], &["cut.fq.gz", "byte "]);
        let message = place.run(&["stats", "cut.fq.gz"]).stderr;
        let (before, _) = message.split_once(" of the file").unwrap();
        let (_, offset) = before.rsplit_once("byte ").unwrap();
        // A member without a whole header is cut off where it starts; elsewhere
        // it is the last symbol that is whole: one has at most 48 bits.
        let expected = if what == "header" {
            0..=0
        } else {
            length - 8..=length
        };
        assert!(
            expected.contains(&offset.parse().unwrap()),
            "{what}: {message}"
        );
        place.fails(&["index", "cut.fq.gz"], 1, &["cut.fq.gz", "byte "]);
    }
}

#[test]
fn damaged_gzip_in_block_and_trailer() {
    let data = gzip(&fastq(COUNT));
    for at in [data.len() / 2, data.len() - 7, data.len() - 2] {
        let place = Place::new();
        let mut bad = data.clone();
        bad[at] ^= 0x10;
        place.write("bad.fq.gz", &bad);
        all_fail(&place, &["bad.fq.gz"], &["bad.fq.gz", "byte "]);
        place.fails(&["index", "bad.fq.gz"], 1, &["bad.fq.gz", "byte "]);
    }
}

#[test]
fn damaged_header() {
    let data = gzip(&fastq(COUNT));
    for (at, value) in [(2, 7), (3, 0xff)] {
        let place = Place::new();
        let mut bad = data.clone();
        bad[at] = value;
        place.write("bad.fq.gz", &bad);
        all_fail(&place, &["bad.fq.gz"], &["bad.fq.gz", "header"]);
    }
}

#[test]
fn trailing_garbage() {
    let place = Place::new();
    let data = gzip(&fastq(COUNT));
    place.write("more.fq.gz", [&data[..], b"and some text"].concat());
    all_fail(
        &place,
        &["more.fq.gz"],
        &["more.fq.gz", &format!("byte {} of the file", data.len())],
    );
    place.fails(&["index", "more.fq.gz"], 1, &["more.fq.gz"]);
    // Zeros are padding, as from tapes.
    place.write("more.fq.gz", [&data[..], &[0; 512]].concat());
    place.ok(&["stats", "more.fq.gz"]);
}

#[test]
fn damaged_and_truncated_bgzf() {
    let data = bgzf(&fastq(60_000));
    let place = Place::new();
    let mut bad = data.clone();
    let middle = data.len() / 2;
    bad[middle..middle + 4].copy_from_slice(&[0; 4]);
    place.write("bad.fq.gz", &bad);
    all_fail(&place, &["bad.fq.gz"], &["bad.fq.gz", "byte "]);
    place.write("bad.fq.gz", &data[..middle]);
    all_fail(&place, &["bad.fq.gz"], &["bad.fq.gz", "byte "]);
}

#[test]
fn index_of_another_file_or_version() {
    let place = Place::new();
    let text = fastq(COUNT);
    place.write("a.fq.gz", gzip(&text));
    place.ok(&["index", "-q", "--span", "300k", "a.fq.gz"]);
    place.write("a.fq.gz", gzip(records(&text, 1, COUNT)));
    all_fail(&place, &["a.fq.gz"], &["a.fq.gz", "index", "--index never"]);
    place.ok(&["stats", "--index", "never", "a.fq.gz"]);
}

#[test]
fn same_size_and_ends_but_another_file() {
    let place = Place::new();
    // Stored blocks, so that a changed base changes nothing else.
    let text = fastq(COUNT);
    let store = |text: &[u8]| {
        use std::io::Write;
        let level = flate2::Compression::none();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    place.write("a.fq.gz", store(&text));
    place.ok(&["index", "-q", "--span", "300k", "a.fq.gz"]);
    let mut bad = store(&text);
    let middle = bad.len() / 2;
    let base = (middle..).find(|&at| bad[at..at + 50].iter().all(|byte| b"ACGT".contains(byte)));
    bad[base.unwrap()] = b'N';
    place.write("a.fq.gz", &bad);
    all_fail(&place, &["a.fq.gz"], &["a.fq.gz"]);
}

#[test]
fn damaged_index() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    place.ok(&["index", "-q", "--span", "300k", "a.fq.gz"]);
    let index = place.read("a.fq.gz.thw");
    for length in [0, 7, 20, index.len() / 2, index.len() - 1] {
        place.write("a.fq.gz.thw", &index[..length]);
        all_fail(&place, &["a.fq.gz"], &["a.fq.gz", "--index never"]);
        place.fails(&["info", "a.fq.gz"], 1, &["a.fq.gz"]);
    }
    for at in (0..index.len()).step_by(index.len() / 40) {
        let mut bad = index.clone();
        bad[at] ^= 0x40;
        place.write("a.fq.gz.thw", &bad);
        // Bytes that nothing depends on need not be noticed.
        let ended = place.run(&["stats", "a.fq.gz"]);
        if ended.code != Some(0) {
            ended.expect_failure(1, &["a.fq.gz"]);
        }
    }
}

#[test]
fn unequal_numbers_of_mates() {
    let (first, second) = (fastq_with(3000, "/1"), fastq_with(2999, "/2"));
    for indexed in [false, true] {
        let place = Place::new();
        place.write("r1.fq.gz", gzip(&first));
        place.write("r2.fq.gz", gzip(&second));
        if indexed {
            place.ok(&["index", "-q", "--span", "100k", "r1.fq.gz", "r2.fq.gz"]);
        }
        for files in [["r1.fq.gz", "r2.fq.gz"], ["r2.fq.gz", "r1.fq.gz"]] {
            for command in ["stats", "cat"] {
                let arguments = [command, "--mates", "-t", "3", files[0], files[1]];
                let counts = if indexed {
                    "3,000\n"
                } else {
                    "at least 3,000\n"
                };
                let told = "error: r2.fq.gz has 2,999 records, but r1.fq.gz has ";
                place.fails(&arguments, 1, &[&format!("{told}{counts}"), "the shorter"]);
            }
        }
    }
}

#[test]
fn names_that_disagree() {
    let place = Place::new();
    let first = fastq_with(3000, "/1");
    let second = fastq_with(3000, "/2");
    let other = [
        records(&second, 0, 1999),
        records(&second, 2000, 3000),
        records(&second, 0, 1),
    ];
    place.write("r1.fq", &first);
    place.write("r2.fq", other.concat());
    for threads in ["1", "3"] {
        let arguments = ["stats", "--mates", "-t", threads, "r1.fq", "r2.fq"];
        place.fails(
            &arguments,
            1,
            &["r1.fq", "r2.fq", "r1999", "r2000", "record 2000"],
        );
    }
    let odd = [
        records(&first, 0, 1),
        records(&second, 0, 1),
        records(&first, 1, 2),
    ];
    place.write("odd.fq", odd.concat());
    place.fails(
        &["stats", "--interleaved", "odd.fq"],
        1,
        &["odd.fq", "odd number", "single reads"],
    );
    let crossed = [records(&first, 0, 1), records(&second, 1, 2)];
    place.write("crossed.fq", crossed.concat());
    place.fails(
        &["cat", "--interleaved", "crossed.fq"],
        1,
        &[
            "crossed.fq",
            "record 1",
            "check that the file is interleaved",
        ],
    );
}

#[test]
fn malformed_records() {
    let text = fastq(COUNT);
    let good = records(&text, 0, 15_000);
    let offset = format!("byte {}", good.len());
    for (bad, words) in [
        (&b"@r\nACGT\n+\nIII\n"[..], &["qualities"][..]),
        (b"@r\nACGT\nIIII\n@s\nA\n+\nI\n", &["'+'"]),
        (b"r\nACGT\n+\nIIII\n", &["'@'"]),
    ] {
        let place = Place::new();
        let text = [good, bad, records(&text, 15_000, COUNT)].concat();
        place.write("bad.fq", &text);
        place.write("bad.fq.gz", gzip(&text));
        for name in ["bad.fq", "bad.fq.gz"] {
            let words = [&[name, "record 15001"], words].concat();
            for threads in ["1", "4"] {
                let ended = place.fails(&["stats", "-t", threads, name], 1, &words);
                let message = &ended.stderr;
                assert!(
                    message.contains("byte 3") || message.contains(&offset),
                    "{message}"
                );
            }
        }
        place.fails(&["index", "bad.fq.gz"], 1, &["bad.fq.gz", "record 15001"]);
    }
}

#[test]
fn truncated_records() {
    let place = Place::new();
    let text = fastq(COUNT);
    let cut = &text[..text.len() - 150];
    place.write("cut.fq", cut);
    place.write("cut.fq.gz", gzip(cut));
    for name in ["cut.fq", "cut.fq.gz"] {
        for threads in ["1", "3"] {
            place.fails(&["stats", "-t", threads, name], 1, &[name, "record 20000"]);
        }
    }
}

#[test]
fn what_is_no_sequence_file() {
    let place = Place::new();
    place.write("text", "Lorem ipsum\n");
    place.write("text.gz", gzip(b"Lorem ipsum\n"));
    place.write("zeros", [0; 1000]);
    for name in ["text", "text.gz", "zeros"] {
        place.fails(&["stats", name], 1, &[name, "neither FASTQ nor FASTA"]);
    }
    // `cat` decompresses anything.
    assert_eq!(place.ok(&["cat", "text.gz"]).stdout, b"Lorem ipsum\n");
}

#[test]
fn missing_files_and_directories() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    for command in ["stats", "cat", "verify", "index", "info"] {
        place.fails(&[command, "none.fq"], 2, &["none.fq", "No such file"]);
        place.fails(&[command, "/"], 2, &["/: ", "directory"]);
        if command != "index" {
            place.fails(&[command, "a.fq", "none.fq"], 2, &["none.fq"]);
        }
    }
}

/// A byte that is no letter may be the trace of a damaged file: whoever counts what is in the reads says so, and names the
/// first record that has one, however many threads read.
#[test]
fn what_is_counted_has_letters_only() {
    let place = Place::new();
    let good = "@r\nACGTACGTAC\n+\nIIIIIIIIII\n".repeat(20_000);
    let with = |bad: &[u8]| [good.as_bytes(), bad, good.as_bytes()].concat();
    place.write("good.fq", &good);
    place.write("blank.fq", with(b"@r\nACG ACGTAC\n+\nIIIIIIIIII\n"));
    place.write("zero.fq", with(b"@r\nACG\0ACGTAC\n+\nIIIIIIIIII\n"));
    place.write("quality.fq", with(b"@r\nACGTACGTAC\n+\nIIII\x01IIIII\n"));
    let fasta = ">r\nACGTACGTAC\nACGT\n".repeat(20_000);
    place.write(
        "blank.fa",
        [fasta.as_bytes(), b">r\nACGT ACGTA\n", fasta.as_bytes()].concat(),
    );
    place.write("both.fa", [fasta.as_bytes(), good.as_bytes()].concat());
    place.ok(&["count", "-q", "-k5", "good.fq", "-o", "x.thk"]);
    for (file, record, message) in [
        ("blank.fq", 20_001, "is not a letter, 0x20"),
        ("zero.fq", 20_001, "is not a letter, 0x00"),
        ("quality.fq", 20_001, "outside of '!' to '~', 0x01"),
        ("blank.fa", 20_001, "is not a letter, 0x20"),
        ("both.fa", 20_000, "a line of FASTQ"),
    ] {
        let record = format!("record {record}");
        for threads in ["1", "3"] {
            for command in [
                &["count", "-k5", "-o", "y.thk"][..],
                &["stats"],
                &["kmers", "filter-reads", "x.thk", "-o", "y"],
            ] {
                let arguments = [command, &["-t", threads, file]].concat();
                place.fails(&arguments, 1, &[file, &record, message]);
            }
        }
        let query = ["kmers", "query", "x.thk", "-s", file, "-o", "y.tsv"];
        place.fails(&query, 1, &[file, &record, message]);
    }
}

/// Of two faults the first is told, be they of letters or of lines, however the file is read and by how many.
#[test]
fn the_first_of_several_faults_is_told() {
    let good = "@r\nACGTACGTAC\n+\nIIIIIIIIII\n";
    let between = good.repeat(20_000);
    let (stray, broken) = ("@r\nACG ACGTAC\n+\nIIIIIIIIII\n", "@r\nACGTACGTAC\nIIII\n");
    let two = |first: &str, distance: &str, second: &str| {
        [&*between, first, distance, second, &*between].concat()
    };
    for (text, message) in [
        (two(stray, &between, stray), "is not a letter, 0x20"),
        // In the same batch, for the second of which no record is found.
        (two(stray, good, broken), "is not a letter, 0x20"),
        (two(broken, good, stray), "starts with '+'"),
        (two(broken, &between, stray), "starts with '+'"),
    ] {
        let place = Place::new();
        place.write("bad.fq", &text);
        place.write("bad.fq.gz", gzip(text.as_bytes()));
        place.write("bgzf.fq.gz", bgzf(text.as_bytes()));
        for threads in ["1", "2", "4"] {
            for command in [&["stats"][..], &["qc", "-o", "out.fq"]] {
                let words = ["record 20001", message];
                for file in ["bad.fq", "bad.fq.gz", "bgzf.fq.gz"] {
                    let arguments = [command, &["-t", threads, file]].concat();
                    place.fails(&arguments, 1, &[&[file], &words[..]].concat());
                }
                for input in [text.as_bytes(), &place.read("bad.fq.gz")] {
                    let arguments = [command, &["-t", threads, "-"]].concat();
                    place.feed(&arguments, input).expect_failure(1, &words);
                }
            }
        }
    }
}

/// Adapters are looked for in more reads than are wanted.
#[test]
fn a_fault_behind_the_reads_that_are_wanted_ends_nothing() {
    let place = Place::new();
    let text = fastq(2000);
    let fault = b"@bad\nACGT\n+\nII\n";
    place.write("late.fq", [&text[..], fault, &text[..]].concat());
    let wanted = ["qc", "late.fq", "-o", "out.fq", "--reads_to_process", "500"];
    place.ok(&wanted);
    place.fails(&["qc", "late.fq", "-o", "out.fq"], 1, &["record 2001"]);
}
