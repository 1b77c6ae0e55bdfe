//! `thalweg cat --parts`, `--records-per-part`, `--bases-per-part`: parts in detail.

use std::process::Command;

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, random, records};

/// Reads of 1 to 300 bases.
fn of_any_length(count: usize, suffix: &str) -> String {
    let mut next = random(99);
    let mut text = String::new();
    for record in 0..count {
        let size = 1 + next(300);
        let bases: String = (0..size).map(|_| ['A', 'C', 'G', 'T'][next(4)]).collect();
        text += &format!("@v{record}{suffix}\n{bases}\n+\n{}\n", "F".repeat(size));
    }
    text
}

/// Each record with its bases.
fn split(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let record = |lines: &[&str]| (lines.join("\n") + "\n", lines[1].len());
    lines.chunks_exact(4).map(record).collect()
}

/// What a file holds, by the tools of the system.
fn expanded(place: &Place, name: &str) -> String {
    let bytes = place.read(name);
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return String::from_utf8(bytes).unwrap();
    }
    let output = Command::new("gzip")
        .args(["-dc", name])
        .current_dir(place.path(""))
        .output();
    let output = output.unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// All parts of a pattern, and nothing behind them.
fn parts(place: &Place, pattern: &str) -> Vec<String> {
    let name = |number: usize| pattern.replace("{}", &format!("{number:03}"));
    let there = (1..).map(name).take_while(|name| place.path(name).exists());
    let names: Vec<String> = there.collect();
    let parts = names.iter().map(|name| expanded(place, name)).collect();
    for name in names {
        std::fs::remove_file(place.path(&name)).unwrap();
    }
    parts
}

#[test]
fn parts_have_their_share_of_reads() {
    let text = String::from_utf8(fastq(5003)).unwrap();
    let all = split(&text);
    let place = Place::new();
    place.write("a.fq", &text);
    place.write("b.fastq.gz", gzip(text.as_bytes()));
    place.write("c.fq.gz", bgzf(text.as_bytes()));
    place.write("i.fq.gz", gzip(text.as_bytes()));
    place.ok(&["index", "-q", "--span", "100k", "i.fq.gz"]);
    for (input, pattern) in [
        ("a.fq", "a.part_{}.fq"),
        ("b.fastq.gz", "b.part_{}.fastq.gz"),
        ("c.fq.gz", "c.part_{}.fq.gz"),
        ("i.fq.gz", "i.part_{}.fq.gz"),
    ] {
        for threads in ["1", "4"] {
            for count in [1, 3, 7] {
                place.ok(&["cat", "-t", threads, "--parts", &count.to_string(), input]);
                let found = parts(&place, pattern);
                let wanted: Vec<String> = (0..count)
                    .map(|part| (part * 5003 / count)..((part + 1) * 5003 / count))
                    .map(|ranks| all[ranks].iter().map(|(record, _)| &**record).collect())
                    .collect();
                assert!(found == wanted, "{count} of {input}");
            }
            place.ok(&["cat", "-t", threads, "--records-per-part", "1k", input]);
            let found = parts(&place, pattern);
            let wanted: Vec<String> = all
                .chunks(1000)
                .map(|part| part.iter().map(|(record, _)| &**record).collect())
                .collect();
            assert!(found == wanted, "{input}");
            let ended = place.ok(&["cat", "-t", threads, "--bases-per-part", "100k", input]);
            // Of 100 bases each.
            assert!(parts(&place, pattern) == wanted, "{input}");
            let told = format!(
                "5,003 of 5,003 reads in {} to ",
                pattern.replace("{}", "001")
            );
            assert!(ended.stderr.contains(&told), "{}", ended.stderr);
        }
    }
    // What is left of parts that were more is told.
    place.ok(&["cat", "--parts", "3", "a.fq"]);
    let ended = place.ok(&["cat", "-q", "--parts", "2", "a.fq"]);
    let told = "warning: a.part_003.fq: was there before and is not one of these parts";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    assert_eq!(parts(&place, "a.part_{}.fq").len(), 3);
    // More parts than reads: some have none, and are there all the same.
    place.write("few.fq", records(text.as_bytes(), 0, 2));
    place.ok(&["cat", "--parts", "4", "few.fq"]);
    let found = parts(&place, "few.part_{}.fq");
    assert_eq!(
        found.iter().map(String::len).collect::<Vec<_>>(),
        [0, all[0].0.len(), 0, all[1].0.len()]
    );
    place.write("none.fq", "");
    place.ok(&["cat", "--records-per-part", "4", "none.fq"]);
    assert_eq!(parts(&place, "none.part_{}.fq"), [""]);
    // From a pipe, in the directory.
    let ended = place.feed(&["cat", "--records-per-part", "3000", "-"], text.as_bytes());
    assert!(ended.code == Some(0) && parts(&place, "stdin.part_{}.fastq").concat() == text);
    let ended = place.feed(&["cat", "--parts", "2", "-"], text.as_bytes());
    ended.expect_failure(
        2,
        &[
            "-: --parts must count the reads first",
            "--records-per-part",
        ],
    );
    assert_eq!(place.names().len(), 7);
}

#[test]
fn parts_of_bases_end_with_the_read_that_has_them() {
    // With a file for each read, names have more digits from 1000 on.
    let text = of_any_length(1100, "");
    let place = Place::new();
    place.write("a.fq", &text);
    place.write("b.fq.gz", gzip(text.as_bytes()));
    for least in [1, 5000, 123_456, 100_000_000] {
        let mut wanted = vec![String::new()];
        let mut bases = 0;
        for (record, more) in split(&text) {
            if bases >= least {
                wanted.push(String::new());
                bases = 0;
            }
            *wanted.last_mut().unwrap() += &record;
            bases += more;
        }
        for input in ["a.fq", "b.fq.gz"] {
            for threads in ["1", "4"] {
                if least == 1 && threads == "4" {
                    continue;
                }
                let size = least.to_string();
                place.ok(&[
                    "cat",
                    "-t",
                    threads,
                    "--bases-per-part",
                    &size,
                    "-o",
                    "p{}",
                    input,
                ]);
                let found = parts(&place, "p{}");
                assert!(found == wanted, "{least} of {input}");
            }
        }
    }
}

#[test]
fn mates_are_divided_in_step() {
    let place = Place::new();
    let texts = ["/1", "/2"].map(|end| of_any_length(3001, end));
    // Second mates of other lengths.
    let second: Vec<(String, usize)> = split(&texts[1]);
    let second: String = second
        .iter()
        .map(|(record, _)| {
            let lines: Vec<&str> = record.lines().collect();
            let size = lines[1].len().div_ceil(2);
            format!(
                "{}\n{}\n+\n{}\n",
                lines[0],
                &lines[1][..size],
                &lines[3][..size]
            )
        })
        .collect();
    let texts = [texts[0].clone(), second];
    place.write("r1.fq.gz", gzip(texts[0].as_bytes()));
    place.write("r2.fq", &texts[1]);
    let [first, second] = texts.each_ref().map(|text| split(text));
    let pairs: String = first
        .iter()
        .zip(&second)
        .flat_map(|(a, b)| [&*a.0, &*b.0])
        .collect();
    place.write("pairs.fq", &pairs);
    let mut wanted = vec![[String::new(), String::new()]];
    let mut bases = 0;
    for (a, b) in first.iter().zip(&second) {
        if bases >= 60_000 {
            wanted.push(Default::default());
            bases = 0;
        }
        let part = wanted.last_mut().unwrap();
        part[0] += &a.0;
        part[1] += &b.0;
        bases += a.1 + b.1;
    }
    let of_mate = |mate: usize| {
        wanted
            .iter()
            .map(|part| part[mate].clone())
            .collect::<Vec<_>>()
    };
    let mates = ["--mates", "r1.fq.gz", "r2.fq"];
    for threads in ["1", "4"] {
        let bases = ["cat", "-t", threads, "--bases-per-part", "60k"];
        place.ok(&[&bases[..], &mates].concat());
        assert!(parts(&place, "r1.part_{}.fq.gz") == of_mate(0));
        assert!(parts(&place, "r2.part_{}.fq") == of_mate(1));
        for files in [&mates[..], &["--interleaved", "pairs.fq"]] {
            place.ok(&[&bases, files, &["-o", "a{}.fq", "-O", "b{}.fq.gz"]].concat());
            assert!(parts(&place, "a{}.fq") == of_mate(0), "{files:?}");
            assert!(parts(&place, "b{}.fq.gz") == of_mate(1), "{files:?}");
            // Without -O, both go to -o.
            place.ok(&[&["cat", "--parts", "3", "-o", "c{}.fq"], files].concat());
            let found = parts(&place, "c{}.fq");
            assert!(found.concat() == pairs && found.len() == 3, "{files:?}");
            assert!(found.iter().all(
                |part| split(part).len() / 2 - 1000 <= 1 && split(part).len().is_multiple_of(2)
            ));
        }
        place.ok(&[
            "cat",
            "-t",
            threads,
            "--interleaved",
            "--records-per-part",
            "2000",
            "pairs.fq",
        ]);
        let found = parts(&place, "pairs.part_{}.fq");
        assert_eq!(
            found
                .iter()
                .map(|part| split(part).len())
                .collect::<Vec<_>>(),
            [4000, 2002]
        );
        assert!(found.concat() == pairs);
    }
    let shorter = records(texts[1].as_bytes(), 0, 3000).to_vec();
    place.write("short.fq", shorter);
    let before = place.names();
    place.fails(
        &["cat", "--parts", "2", "--mates", "r1.fq.gz", "short.fq"],
        1,
        &["short.fq"],
    );
    assert_eq!(place.names(), before);
}

#[test]
fn other_formats_are_divided_too() {
    let place = Place::new();
    place.write("a.fa", ">a x\nACGT\nAC\n>b\n>c\nTTT\n>d\nG\n");
    place.ok(&["cat", "--records-per-part", "2", "a.fa"]);
    assert_eq!(
        parts(&place, "a.part_{}.fa"),
        [">a x\nACGT\nAC\n>b\n", ">c\nTTT\n>d\nG\n"]
    );
    place.ok(&[
        "cat",
        "--bases-per-part",
        "6",
        "--fasta",
        "a.fa",
        "-o",
        "p_",
    ]);
    assert_eq!(
        parts(&place, "p_{}.fasta"),
        [">a x\nACGTAC\n", ">b\n\n>c\nTTT\n>d\nG\n"]
    );
    place.write("b.fq", fastq(10));
    place.ok(&["cat", "--parts", "2", "--fasta", "b.fq"]);
    let found = parts(&place, "b.part_{}.fasta");
    assert_eq!(
        found
            .iter()
            .map(|part| part.matches('>').count())
            .collect::<Vec<_>>(),
        [5, 5]
    );
    // What is chosen is divided.
    place.write("names", "r1\nr3\nr5\n");
    place.ok(&["cat", "--names", "names", "--records-per-part", "2", "b.fq"]);
    let found = parts(&place, "b.part_{}.fq");
    assert_eq!(
        found
            .iter()
            .map(|part| part.matches("@r").count())
            .collect::<Vec<_>>(),
        [2, 1]
    );
    // Files behind one another are one.
    place.write("c.fq", fastq_with(5, "c"));
    place.ok(&["cat", "--parts", "3", "-o", "x{}", "b.fq", "c.fq"]);
    let found = parts(&place, "x{}");
    assert!(
        found.len() == 3 && found.concat().into_bytes() == [fastq(10), fastq_with(5, "c")].concat()
    );
}

#[test]
fn outputs_are_indexed_on_request() {
    let place = Place::new();
    let text = fastq(3000);
    place.write("a.fq.gz", gzip(&text));
    place.ok(&["cat", "--parts", "3", "--index-output", "a.fq.gz"]);
    for part in ["a.part_001.fq.gz", "a.part_002.fq.gz", "a.part_003.fq.gz"] {
        assert!(place.path(&format!("{part}.thw")).exists(), "{part}");
        place.ok(&["verify", "--full", part]);
        let ended = place.ok(&["cat", "--index", "require", "--records", "999..1000", part]);
        assert_eq!(ended.text().matches('@').count(), 1);
    }
    place.ok(&[
        "cat",
        "--sample",
        "10",
        "--index-output",
        "-o",
        "s.fq.gz",
        "a.fq.gz",
    ]);
    place.ok(&["verify", "--full", "s.fq.gz"]);
    assert!(place.path("s.fq.gz.thw").exists());
    place.write("b.fq", &text);
    place.fails(
        &["cat", "--parts", "2", "--index-output", "b.fq"],
        2,
        &["--index-output", ".gz"],
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    place.write("a.fq", fastq(100));
    place.write("b.fq", fastq(100));
    place.write("x_002.fq", fastq(100));
    let before = place.names();
    for (options, words) in [
        (&["--parts", "0"][..], &["from 1 to 1024"][..]),
        (&["--records-per-part", "0"], &["more than 0"]),
        (&["--bases-per-part", "0"], &["more than 0"]),
        (&["--records-per-part", "-3"], &["more than 0"]),
        (
            &["--records-per-part", "2", "--bases-per-part", "2"],
            &["--bases-per-part"],
        ),
        (
            &["--parts", "2", "--records-per-part", "2"],
            &["--records-per-part"],
        ),
        (&["--parts", "2", "--records", "0..5"], &["--records"]),
        (&["--records-per-part", "2", "--shard", "1/2"], &["--shard"]),
        (
            &["--records-per-part", "2", "-o", "-"],
            &["standard output"],
        ),
        (
            &["--records-per-part", "2", "-o", "x.fq.gz"],
            &["x.fq.gz", "{}"],
        ),
        (
            &["--records-per-part", "2", "-o", "x.fastq"],
            &["x.fastq", "{}"],
        ),
        (&["--records-per-part", "2", "-o", "x{}.fq.xz"], &["xz"]),
        (&["--records-per-part", "2", "-o", "x{}.bam"], &["BAM"]),
        (&["--records-per-part", "2", "-o", "no/x{}"], &["no/x001"]),
        (&["--parts", "2", "-O", "x{}"], &["--output"]),
        (&["--parts", "2", "-o", "y{}", "-O", "x{}"], &["mates"]),
        (&["--parts", "2", "b.fq"], &["2 files", "-o"]),
        (
            &["--parts", "2", "x_002.fq", "-o", "x_{}.fq"],
            &["x_002.fq", "input"],
        ),
        (
            &["--records-per-part", "2", "x_002.fq", "-o", "x_{}.fq"],
            &["x_002.fq", "input"],
        ),
    ] {
        place.refuses(&[&["cat", "a.fq"], options].concat(), words);
        assert_eq!(place.names(), before, "{options:?}");
    }
    place.write("cut.fq.gz", &gzip(&fastq(3000))[..40_000]);
    for division in [["--parts", "2"], ["--records-per-part", "9"]] {
        place.fails(
            &[&["cat", "cut.fq.gz"], &division[..]].concat(),
            1,
            &["cut.fq.gz"],
        );
    }
    assert_eq!(place.names().len(), before.len() + 1);
}

/// Neither parts nor anything unfinished stays when the disk, or what may be used of it, is full.
#[test]
fn a_full_disk_leaves_no_parts() {
    let place = Place::new();
    place.write("a.fq", fastq(5000));
    let before = place.names();
    // In units of 512 or 1024 bytes.
    let ended = place.shell("ulimit -f 300; $THALWEG cat --parts 3 a.fq");
    ended.expect_failure(2, &["a.part_00", "large"]);
    assert_eq!(place.names(), before);
}
