//! Output is compressed as its name says, and names of what is not written are refused.

use std::io::Read;
use std::process::Stdio;

use crate::support::{Place, bgzf, fastq, fastq_with, gzip};

/// What other programs' libraries read in it, by its first bytes.
fn expanded(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return zstd::stream::decode_all(bytes).unwrap();
    }
    let mut members = flate2::read::MultiGzDecoder::new(bytes);
    members.read_to_end(&mut text).unwrap();
    text
}

/// Whether it is BGZF from end to end, by the sizes in its headers (SAM specification, section 4.1).
fn is_bgzf(mut bytes: &[u8]) -> bool {
    let mut last = 0;
    while !bytes.is_empty() {
        if bytes.len() < 28 || bytes[..4] != [0x1f, 0x8b, 8, 4] || bytes[12..14] != *b"BC" {
            return false;
        }
        last = usize::from(u16::from_le_bytes([bytes[16], bytes[17]])) + 1;
        bytes = &bytes[last.min(bytes.len())..];
    }
    // The empty block at the end.
    last == 28
}

#[test]
fn cat_compresses_by_name() {
    let place = Place::new();
    let text = fastq(10_000);
    place.write("a.fq", &text);
    place.write("a.fq.gz", gzip(&text));
    place.write("b.fq.gz", gzip(&text));
    place.write("c.fq.gz", bgzf(&text));
    place.ok(&["index", "-q", "--span", "100k", "b.fq.gz"]);
    for input in ["a.fq", "a.fq.gz", "b.fq.gz", "c.fq.gz"] {
        for name in ["x.fq.gz", "x.bgz", "x.GZ", "x.fq.zst"] {
            let of_threads = ["1", "2", "5"].map(|threads| {
                place.ok(&["cat", "-t", threads, input, "-o", name]);
                place.read(name)
            });
            assert!(expanded(&of_threads[0]) == text, "{input} {name}");
            assert!(of_threads[0].len() < text.len() * 2 / 3);
            assert_eq!(is_bgzf(&of_threads[0]), !name.ends_with("zst"));
            // The same bytes for any number of threads.
            assert!(of_threads.iter().all(|bytes| *bytes == of_threads[0]));
        }
        // No more than the end of a name counts, as in `qc`.
        for name in ["x.gz.fq", "x.fq.gz.tmp", "gz"] {
            place.ok(&["cat", input, "-o", name]);
            assert!(place.read(name) == text, "{name}");
        }
    }
    let some = place.ok(&["cat", "--records", "7..9000", "b.fq.gz"]).stdout;
    place.ok(&["cat", "--records", "7..9000", "b.fq.gz", "-o", "some.gz"]);
    assert!(expanded(&place.read("some.gz")) == some);
    // What goes to the standard output is text.
    assert!(place.ok(&["cat", "a.fq.gz", "-o", "/dev/stdout"]).stdout == text);
}

/// Files are joined as they are in plain output, where a line end is missing, too.
#[test]
fn joined_and_interleaved_output_is_compressed() {
    let place = Place::new();
    let trimmed = |text: Vec<u8>| text[..text.len() - 1].to_vec();
    place.write("r1.fq", trimmed(fastq_with(12_000, "/1")));
    place.write("r2.fq", trimmed(fastq_with(12_000, "/2")));
    place.write("empty.fq", "");
    place.write("r1.fq.gz", gzip(&place.read("r1.fq")));
    place.write("r2.fq.gz", gzip(&place.read("r2.fq")));
    for files in [
        &["r1.fq", "empty.fq", "r2.fq", "r1.fq.gz"][..],
        &["--mates", "r1.fq", "r2.fq"],
        &["--mates", "r1.fq.gz", "r2.fq.gz"],
        &["empty.fq"],
    ] {
        let plain = place.ok(&[&["cat"], files].concat()).stdout;
        for name in ["x.fq.gz", "x.fq.zst"] {
            for threads in ["1", "4"] {
                place.ok(&[&["cat", "-o", name, "-t", threads], files].concat());
                assert!(expanded(&place.read(name)) == plain, "{files:?} {name}");
            }
        }
    }
    // Another program takes it for whole, also if nothing is in it.
    let ended = place.shell("$THALWEG cat empty.fq -o e.gz && gzip -t e.gz && bgzip -t e.gz");
    if ended.stderr.contains("bgzip: command not found") {
        eprintln!("SKIPPED: joined_and_interleaved_output_is_compressed: no bgzip");
        return;
    }
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn parts_and_pipes_are_compressed() {
    let place = Place::new();
    let text = fastq(20_000);
    place.write("a.fq.gz", bgzf(&text));
    for (pattern, ending) in [("p_{}.fq.gz", "fq.gz"), ("q{}.zst", "zst")] {
        place.ok(&["cat", "--parts", "3", "-o", pattern, "a.fq.gz"]);
        let start = &pattern[..pattern.find('{').unwrap()];
        let parts = (1..=3).map(|part| place.read(&format!("{start}00{part}.{ending}")));
        let parts: Vec<_> = parts.map(|part| expanded(&part)).collect();
        assert!(parts.iter().all(|part| !part.is_empty()));
        assert!(parts.concat() == text);
    }
    let arguments = [
        "cat",
        "-q",
        "--parts",
        "2",
        "--pipes",
        "-o",
        "pipe_{}.fq.gz",
        "a.fq.gz",
    ];
    let mut child = place
        .command(&arguments)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let names = ["pipe_001.fq.gz", "pipe_002.fq.gz"];
    while !names.iter().all(|name| place.path(name).exists()) {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let read = names.map(|name| {
        let path = place.path(name);
        std::thread::spawn(move || std::fs::read(path).unwrap())
    });
    let read = read.map(|reader| expanded(&reader.join().unwrap()));
    assert!(child.wait().unwrap().success());
    assert!(read.concat() == text);
    // A prefix that would not end as it promises.
    let prefix = ["cat", "--parts", "3", "-o", "x.fq.gz", "a.fq.gz"];
    place.fails(&prefix, 2, &["x.fq.gz", "{}"]);
}

#[test]
fn how_hard_is_asked_for() {
    let place = Place::new();
    place.write("a.fq", fastq(3_000));
    for name in ["x.gz", "x.zst"] {
        let size = |level: &str| {
            place.ok(&["cat", "a.fq", "-o", name, "-z", level]);
            assert!(expanded(&place.read(name)) == place.read("a.fq"));
            place.read(name).len()
        };
        assert!(size("12") < size("1"));
    }
    let told = place
        .ok(&["cat", "a.fq", "-o", "x.fq", "--compression", "9"])
        .stderr;
    assert!(told.contains("note: --compression has no effect"), "{told}");
    for level in ["0", "13"] {
        let ended = place.run(&["cat", "a.fq", "-o", "y.gz", "-z", level]);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains("levels are 1 (fastest) to 12"));
    }
    // As in `qc`.
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    let filter = ["kmers", "filter-reads", "-q", "a.thk", "a.fq", "-o"];
    let size = |level: &str| {
        place.ok(&[&filter[..], &["f.gz", "-z", level]].concat());
        place.read("f.gz").len()
    };
    assert!(size("12") < size("1"));
}

/// Told before the input is looked at, which is not even there.
#[test]
fn endings_of_what_is_not_written_are_refused() {
    let place = Place::new();
    for ending in [
        "bz2", "xz", "lzma", "lz4", "zip", "Z", "7z", "br", "BZ2", "tgz", "tar", "bam", "gzip",
    ] {
        let name = format!("x.fq.{ending}");
        let told = format!("{name}: output as .{ending} is not supported");
        let hint = match ending {
            "bam" => "thalweg cat - -o FILE.bam",
            _ => "hint: use another ending",
        };
        let words = [&told[..], hint];
        // BAM is what `cat` writes alone.
        if ending != "bam" {
            place.fails(&["cat", "missing.fq", "-o", &name], 2, &words);
        }
        place.fails(
            &["count", "-k21", "missing.fq", "--histo", &name],
            2,
            &words,
        );
        place.fails(&["count", "-k21", "missing.fq", "-o", &name], 2, &words);
        for command in [
            &["qc", "missing.fq", "-o"][..],
            &["qc", "missing.fq", "--failed_out"],
            &["qc", "missing.fq", "-o", "o.fq", "-j"],
            &["kmers", "dump", "missing.thk", "-o"],
            &["kmers", "histo", "missing.thk", "-o"],
            &["kmers", "histo", "missing.thk", "--plot"],
            &["kmers", "query", "missing.thk", "ACGT", "-o"],
            &["kmers", "filter-reads", "missing.thk", "missing.fq", "-o"],
        ] {
            place.fails(&[command, &[&name]].concat(), 2, &words);
        }
        let pattern = format!("x{{}}.fq.{ending}");
        let parts = ["cat", "--parts", "2", "missing.fq", "-o", &pattern];
        let told = match ending {
            "bam" => "does not work with BAM output",
            _ => "is not supported",
        };
        place.fails(&parts, 2, &[told]);
        place.fails(&[&parts[..], &["--pipes"]].concat(), 2, &[told]);
    }
    // What is not compressed at all.
    for name in ["x.gz", "x.thw.zst", "x.bgzf"] {
        place.fails(
            &["index", "missing.fq.gz", "-o", name],
            2,
            &["is not supported"],
        );
    }
    place.write("a.fq.gz", gzip(&fastq(10)));
    let saved = ["cat", "--index", "save", "--index-file", "x.gz", "a.fq.gz"];
    place.fails(&saved, 2, &["is not supported"]);
    for name in ["x.thk.gz", "x.jf.zst", "x.gz", "x.kmc.bgz"] {
        place.fails(
            &["count", "-k21", "missing.fq", "-o", name],
            2,
            &["is not supported"],
        );
    }
}

#[test]
fn text_about_kmers_is_compressed() {
    let place = Place::new();
    place.write("a.fq", fastq(4_000));
    place.ok(&[
        "count", "-q", "-k21", "a.fq", "-o", "a.thk", "--histo", "plain",
    ]);
    let dump = ["kmers", "dump", "-q", "a.thk"];
    let query = ["kmers", "query", "-q", "a.thk", "--sequence", "a.fq"];
    let histo = ["kmers", "histo", "-q", "a.thk"];
    for ending in ["gz", "zst"] {
        let name = format!("x.tsv.{ending}");
        for command in [&dump[..], &query, &histo] {
            let plain = place.ok(command).stdout;
            for threads in ["1", "2", "5"] {
                let mut command = [command, &["-o", &name]].concat();
                if command[1] != "histo" {
                    command.extend(["--threads", threads]);
                }
                place.ok(&command);
                assert!(expanded(&place.read(&name)) == plain, "{command:?}");
            }
        }
        let name = format!("x.fa.{ending}");
        place.ok(&[&dump[..], &["-o", &name]].concat());
        assert!(expanded(&place.read(&name)).starts_with(b">"));
        let [tsv, histo] = ["t.tsv", "t.histo"].map(|name| format!("{name}.{ending}"));
        place.ok(&["count", "-q", "-k21", "a.fq", "-o", &tsv, "--histo", &histo]);
        assert!(expanded(&place.read(&tsv)) == place.ok(&dump).stdout);
        assert!(expanded(&place.read(&histo)) == place.read("plain"));
        // It is a text for others, and no database.
        place.fails(
            &["kmers", "info", &tsv],
            1,
            &[&tsv, "compressed with", "unpack"],
        );
        let picture = format!("p.svg.{ending}");
        place.ok(&[
            "kmers", "histo", "-q", "a.thk", "-o", "h", "--plot", &picture,
        ]);
        assert!(expanded(&place.read(&picture)).starts_with(b"<svg"));
    }
}

#[test]
fn reports_of_qc_are_compressed() {
    let place = Place::new();
    place.write("a.fq", fastq(500));
    place.ok(&[
        "qc",
        "a.fq",
        "-q15",
        "-o",
        "o.fq",
        "-j",
        "x.json.gz",
        "-h",
        "x.html.zst",
    ]);
    assert!(expanded(&place.read("x.json.gz")).starts_with(b"{"));
    assert!(expanded(&place.read("x.html.zst")).starts_with(b"<"));
    place.fails(
        &["qc", "a.fq", "-o", "o2.fq", "-j", "x.json.xz", "-h", "h"],
        2,
        &["x.json.xz: output as .xz is not supported"],
    );
    // fastp writes text, whatever the name.
    place.ok(&[
        "qc",
        "--fastp-compat",
        "-i",
        "a.fq",
        "-o",
        "o.fq",
        "-j",
        "f.json.gz",
        "-h",
        "f.html",
    ]);
    assert!(place.read("f.json.gz").starts_with(b"{"));
}

#[test]
fn a_fault_leaves_no_compressed_file() {
    let place = Place::new();
    let whole = gzip(&fastq(20_000));
    place.write("cut.fq.gz", &whole[..whole.len() / 2]);
    for threads in ["1", "3"] {
        for name in ["x.gz", "x.zst"] {
            place.fails(
                &["cat", "-t", threads, "cut.fq.gz", "-o", name],
                1,
                &["cut.fq.gz"],
            );
        }
    }
}
