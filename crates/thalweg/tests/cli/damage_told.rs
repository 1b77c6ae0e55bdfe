//! Damage shows in the text before the check at the end of its block or member does: the message tells the damage, not what the
//! text looks like by then, and a fault that was there before is told as such.

use crate::support::{Place, bgzf_at, fastq, gzip_at};

const COUNT: usize = 20_000;

/// Change the byte behind `name` in `data`, which hold it as it is, to a letter: two lines become one.
fn join_lines_behind(data: &[u8], name: &[u8]) -> Vec<u8> {
    let mut starts = data.windows(name.len());
    let start = starts.position(|window| window == name).unwrap();
    let mut joined = data.to_vec();
    assert_eq!(joined[start + name.len()], b'\n');
    joined[start + name.len()] = b'A';
    joined
}

#[test]
fn damage_is_told_before_the_record_that_it_hits() {
    let text = fastq(COUNT);
    for (kind, data) in [("gzip", gzip_at(0, &text)), ("BGZF", bgzf_at(0, &text))] {
        for (name, record) in [("@r3", "record 4,"), ("@r15000", "record 15001,")] {
            // The first blocks of BGZF are decoded, and known to be damaged, before records are looked for.
            let shown = match (kind, name) {
                ("BGZF", "@r3") => "CRC32",
                _ => record,
            };
            let place = Place::new();
            place.write("bad.fq.gz", join_lines_behind(&data, name.as_bytes()));
            let mut messages = std::collections::BTreeSet::new();
            for threads in ["1", "2", "4"] {
                for command in [
                    &["stats"][..],
                    &["verify", "--full"],
                    &["count", "-k", "21", "-o", "out.thk"],
                    &["qc", "-o", "out.fq"],
                ] {
                    let arguments = [command, &["-t", threads, "bad.fq.gz"]].concat();
                    let words = ["CRC32", " of the file", shown];
                    let ended = place.fails(&arguments, 1, &words);
                    let told = ended.stderr.lines().find(|line| line.contains("CRC32"));
                    messages.insert(told.unwrap().to_owned());
                }
            }
            assert_eq!(messages.len(), 1, "{kind}, {name}: {messages:?}");
            place.fails(&["index", "bad.fq.gz"], 1, &["CRC32"]);
            place
                .feed(&["stats", "-"], &place.read("bad.fq.gz"))
                .expect_failure(1, &["CRC32", shown]);
        }
    }
}

/// Change the byte behind the line `name` in `data`, which hold it as it is, to a control byte: no line breaks.
fn stray_behind(data: &[u8], name: &[u8]) -> Vec<u8> {
    let name = [name, b"\n"].concat();
    let mut starts = data.windows(name.len());
    let start = starts.position(|window| window == name).unwrap();
    let mut stray = data.to_vec();
    stray[start + name.len()] = 1;
    stray
}

/// The same for records that are whole, but for a byte that is no letter. What cannot be read again is told as it is seen.
#[test]
fn damage_is_told_before_the_letter_that_it_hits() {
    let text = fastq(COUNT);
    for (is_indexed, data) in [
        (false, gzip_at(0, &text)),
        (false, bgzf_at(0, &text)),
        (true, gzip_at(0, &text)),
    ] {
        let place = Place::new();
        place.write("bad.fq.gz", &data);
        if is_indexed {
            place.ok(&["index", "-q", "--span", "500k", "bad.fq.gz"]);
        }
        place.write("bad.fq.gz", stray_behind(&data, b"@r15000"));
        let mut messages = std::collections::BTreeSet::new();
        for threads in ["1", "2", "4"] {
            for command in [
                &["stats"][..],
                &["count", "-k", "21", "-o", "out.thk"],
                &["qc", "-o", "out.fq"],
            ] {
                let arguments = [command, &["-t", threads, "bad.fq.gz"]].concat();
                let words = [
                    "CRC32",
                    "first symptom: ",
                    "not a letter, 0x01",
                    "record 15001,",
                ];
                let ended = place.fails(&arguments, 1, &words);
                let told = ended.stderr.lines().find(|line| line.contains("CRC32"));
                messages.insert(told.unwrap().to_owned());
            }
        }
        assert_eq!(messages.len(), 1, "{messages:?}");
        if is_indexed {
            let selected = ["cat", "--records", "14990..15010", "bad.fq.gz"];
            place.fails(&selected, 1, &["a chunk's CRC32 differs"]);
        }
        place
            .feed(&["stats", "-"], &place.read("bad.fq.gz"))
            .expect_failure(1, &["0x01", "record 15001"]);
    }
}

/// And for names of mates, of which one is damaged.
#[test]
fn damage_is_told_before_the_names_that_it_hits() {
    let data = gzip_at(0, &fastq(COUNT));
    let name = b"@r15000\n";
    let start = data.windows(name.len()).position(|window| window == name);
    let mut bad = data.clone();
    bad[start.unwrap() + 3] = b'7';
    for is_indexed in [false, true] {
        let place = Place::new();
        for mate in ["bad.fq.gz", "good.fq.gz"] {
            place.write(mate, &data);
            if is_indexed {
                place.ok(&["index", "-q", "--span", "500k", mate]);
            }
        }
        place.write("bad.fq.gz", &bad);
        for mates in [["bad.fq.gz", "good.fq.gz"], ["good.fq.gz", "bad.fq.gz"]] {
            let mut messages = std::collections::BTreeSet::new();
            for threads in ["1", "2", "4"] {
                for command in [
                    &["stats", "--mates"][..],
                    &["qc", "-o", "1.fq", "-O", "2.fq"],
                ] {
                    let words = ["bad.fq.gz", "CRC32", "first symptom: ", "record 15001"];
                    let arguments = [command, &["-t", threads], &mates].concat();
                    let ended = place.fails(&arguments, 1, &words);
                    let told = ended.stderr.lines().find(|line| line.contains("CRC32"));
                    messages.insert(told.unwrap().to_owned());
                }
            }
            assert_eq!(messages.len(), 1, "{messages:?}");
        }
    }
}

/// Damage that came after the file was indexed: a chunk has a checksum of its own.
#[test]
fn damage_of_indexed_files_is_told_before_the_record_that_it_hits() {
    let text = fastq(COUNT);
    for data in [gzip_at(0, &text), bgzf_at(0, &text)] {
        let place = Place::new();
        place.write("bad.fq.gz", &data);
        place.ok(&["index", "-q", "--span", "500k", "bad.fq.gz"]);
        place.write("bad.fq.gz", join_lines_behind(&data, b"@r15000"));
        for threads in ["1", "3"] {
            let words = ["CRC32", " of the file); first symptom: ", "record 15001,"];
            place.fails(&["stats", "-t", threads, "bad.fq.gz"], 1, &words);
        }
    }
}

/// A record reaches from one chunk into the next, where it is damaged: the workers of both notice that, and tell the
/// same.
#[test]
fn damage_between_chunks_is_told_alike_by_all() {
    let text = fastq(COUNT);
    let mut fasta = Vec::new();
    for record in text
        .split(|&byte| byte == b'\n')
        .collect::<Vec<_>>()
        .chunks(4)
    {
        if let [name, bases, ..] = record {
            fasta.extend_from_slice(&[b">", &name[1..], b"\n", bases, b"\n"].concat());
        }
    }
    for (text, mark) in [(text, b"\n@"), (fasta, b"\n>")] {
        let place = Place::new();
        let data = gzip_at(0, &text);
        place.write("bad.gz", &data);
        place.ok(&["index", "-q", "--span", "500k", "bad.gz"]);
        let messages = |bad: Vec<u8>| {
            place.write("bad.gz", bad);
            let runs = ["1", "2", "2", "3", "4"].map(|threads| {
                let words = ["a chunk's CRC32 differs", " of the file"];
                place.fails(&["stats", "-t", threads, "bad.gz"], 1, &words)
            });
            runs.map(|run| run.stderr)
        };
        // What is wrong with the chunk that holds the middle tells where the next one begins.
        let middle = data.len() / 2;
        let mut bad = data.clone();
        bad[middle] = b'N';
        let [message, ..] = messages(bad);
        let (before, _) = message.split_once(" of the file").unwrap();
        let (_, offset) = before.rsplit_once(' ').unwrap();
        // Behind the header of a stored block, in which the text stands as it is.
        let start = offset.parse::<usize>().unwrap() + 5;
        let ends = data[start..].windows(2).position(|two| two == mark);
        let next = start + ends.unwrap();
        // The record ends later, or differs from the others, or is sound, and one behind it is not.
        for (at, byte) in [
            (next, b'A'),
            (next + 1, b'A'),
            (start, b'\n'),
            (start + 3, b'\n'),
            (start + 3, b'?'),
            (next + 4000, b'\n'),
            (start + 3, 1),
            (next + 4000, 1),
        ] {
            let mut bad = data.clone();
            bad[at] = byte;
            let told = messages(bad);
            assert!(told.iter().all(|message| *message == told[0]), "{told:?}");
            // Lines of FASTA may have any length.
            let is_fault = byte == b'A' || (byte == b'\n' && mark == b"\n@");
            let is_shown = told[0].contains("; first symptom: ");
            // A name may hold any byte.
            let shows = byte != 1 || is_shown == told[0].contains(", 0x01; found ");
            assert!(shows, "{at}: {}", told[0]);
            assert!(is_shown == is_fault || byte == 1, "{at}: {}", told[0]);
            assert!(
                !told[0].contains("error: bad.gz: the index is for"),
                "{}",
                told[0]
            );
        }
    }
}

/// Another block or member that is damaged does not hide a fault that was there before it was compressed.
#[test]
fn a_fault_of_sound_blocks_is_told_before_later_damage() {
    let text = fastq(COUNT);
    let text = join_lines_behind(&text, b"@r300");
    for (first, second) in [
        (Vec::new(), bgzf_at(0, &text)),
        (gzip_at(0, &text), gzip_at(0, &fastq(1000))),
    ] {
        let place = Place::new();
        let name = if first.is_empty() { "@r900" } else { "@r9" };
        let second = join_lines_behind(&second, name.as_bytes());
        place.write("bad.fq.gz", [first, second].concat());
        for threads in ["1", "3"] {
            let arguments = ["stats", "-t", threads, "bad.fq.gz"];
            let ended = place.fails(&arguments, 1, &["record 301", "expected"]);
            assert!(!ended.stderr.contains("CRC32"), "{}", ended.stderr);
        }
    }
}
