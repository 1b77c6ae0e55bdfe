//! `thalweg cat`

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, records};

const COUNT: usize = 20_000;

/// The same text as plain, gzip, gzip with index, and BGZF.
fn place_with_inputs(text: &[u8]) -> Place {
    let place = Place::new();
    place.write("plain.fq", text);
    place.write("one.fq.gz", gzip(text));
    place.write("indexed.fq.gz", gzip(text));
    place.write("blocks.fq.gz", bgzf(text));
    place.ok(&["index", "--span", "300k", "indexed.fq.gz"]);
    place
}

const INPUTS: [&str; 4] = ["plain.fq", "one.fq.gz", "indexed.fq.gz", "blocks.fq.gz"];

#[test]
fn whole_files_come_out_byte_for_byte() {
    // Blank lines and a missing line end are bytes of the file as well.
    let mut text = fastq(COUNT);
    text.pop();
    let place = place_with_inputs(&text);
    for input in INPUTS {
        for threads in ["1", "2", "5"] {
            let ended = place.ok(&["cat", "--threads", threads, input]);
            assert!(ended.stdout == text, "{input} with {threads} threads");
            assert_eq!(ended.stderr, "");
        }
    }
    let ended = place.ok(&["cat", "one.fq.gz", "plain.fq", "indexed.fq.gz"]);
    // Between files it is put in.
    assert!(ended.stdout == [&text[..], &text, &text].join(&b'\n'));
}

#[test]
fn records_are_those_of_these_ranks() {
    let text = fastq(COUNT);
    let place = place_with_inputs(&text);
    for input in INPUTS {
        for (asked, first, end) in [
            ("0..1", 0, 1),
            ("1234..8765", 1234, 8765),
            ("19999..", 19_999, COUNT),
            ("20000..", COUNT, COUNT),
            ("..3", 0, 3),
            ("..", 0, COUNT),
            ("7..7", 7, 7),
            ("0..20000", 0, COUNT),
        ] {
            let ended = place.ok(&["cat", "--records", asked, input, "-t", "3"]);
            assert!(
                ended.stdout == records(&text, first, end),
                "{asked} of {input}"
            );
        }
    }
}

#[test]
fn records_past_the_end_are_a_usage_error() {
    let place = place_with_inputs(&fastq(COUNT));
    for input in INPUTS {
        for asked in ["0..20001", "20001..", "30000..30001", "20000..20001"] {
            for output in [&[][..], &["-o", "some.fq"]] {
                let arguments = [&["cat", "--records", asked, input], output].concat();
                place.fails(&arguments, 2, &[input, "20000"]);
            }
        }
    }
}

#[test]
fn shards_together_are_the_file() {
    let text = fastq(COUNT);
    let place = place_with_inputs(&text);
    for input in ["plain.fq", "indexed.fq.gz", "blocks.fq.gz"] {
        let mut all = Vec::new();
        for number in 1..=7 {
            let shard = format!("{number}/7");
            all.extend(place.ok(&["cat", "--shard", &shard, input]).stdout);
        }
        assert!(all == text, "{input}");
    }
    place.fails(
        &["cat", "--shard", "1/7", "one.fq.gz"],
        2,
        &["one.fq.gz", "index"],
    );
    for wrong in ["0/7", "8/7", "7", "a/b"] {
        assert_eq!(
            place.run(&["cat", "--shard", wrong, "plain.fq"]).code,
            Some(2)
        );
    }
}

#[test]
fn mates_come_out_interleaved() {
    let place = Place::new();
    let (mut first, second) = (fastq_with(5000, "/1"), fastq_with(5000, "/2"));
    let mut expected = Vec::new();
    let lines = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n').collect::<Vec<_>>();
    for (first, second) in lines(&first).chunks(4).zip(lines(&second).chunks(4)) {
        expected.extend_from_slice(&first.concat());
        expected.extend_from_slice(&second.concat());
    }
    first.pop();
    place.write("r1.fq", &first);
    place.write("r2.fq.gz", gzip(&second));
    for threads in ["1", "4"] {
        let ended = place.ok(&["cat", "--mates", "r1.fq", "r2.fq.gz", "-t", threads]);
        assert!(ended.stdout == expected);
    }
    place.write("both.fq.gz", gzip(&expected));
    let ended = place.ok(&["cat", "--interleaved", "both.fq.gz"]);
    assert!(ended.stdout == expected);
    let ended = place.ok(&["cat", "--mates", "--records", "10..20", "r1.fq", "r2.fq.gz"]);
    assert!(ended.stdout == records(&expected, 20, 40));
}

#[test]
fn choices_of_several_files_are_refused() {
    let place = place_with_inputs(&fastq(10));
    for choice in [&["--records=1..2"][..], &["--parts=2", "--pipes"]] {
        let files = ["cat", "plain.fq", "one.fq.gz"];
        place.fails(&[&files, choice].concat(), 2, &["one file"]);
    }
    place.fails(&["cat", "-", "-"], 2, &["standard input"]);
}

#[test]
fn an_empty_file_is_fine() {
    let place = Place::new();
    place.write("empty", "");
    place.write("empty.gz", gzip(b""));
    for input in ["empty", "empty.gz"] {
        assert_eq!(place.ok(&["cat", input]).stdout, b"");
        assert_eq!(place.ok(&["cat", "--records", "0..0", input]).stdout, b"");
        place.fails(&["cat", "--records", "0..1", input], 2, &[input]);
    }
}

#[test]
fn save_keeps_the_index() {
    let place = place_with_inputs(&fastq(COUNT));
    let text = fastq(COUNT);
    let ended = place.ok(&["cat", "--index", "save", "one.fq.gz"]);
    assert!(ended.stdout == text);
    assert!(place.path("one.fq.gz.thw").exists());
    place.ok(&["cat", "--index", "require", "one.fq.gz"]);
    // Nothing to save for files that need none.
    place.ok(&["cat", "--index", "save", "plain.fq"]);
    assert!(!place.path("plain.fq.thw").exists());
    std::fs::remove_file(place.path("one.fq.gz.thw")).unwrap();
    place.fails(
        &["cat", "--index", "require", "one.fq.gz"],
        2,
        &["no index"],
    );
    place.ok(&["cat", "--index-file", "indexed.fq.gz.thw", "indexed.fq.gz"]);
    place.fails(
        &[
            "cat",
            "--index-file",
            "indexed.fq.gz.thw",
            "one.fq.gz",
            "indexed.fq.gz",
        ],
        2,
        &["--index-file"],
    );
}

#[test]
fn a_missing_last_line_end_joins_no_records() {
    let place = Place::new();
    place.write("a.fq", "@a\nACGT\n+\nIIII");
    place.write("b.fq", "@b\nACGT\n+\nIIII");
    let ended = place.ok(&["cat", "a.fq", "b.fq", "a.fq"]);
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        "@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIIII\n@a\nACGT\n+\nIIII"
    );
}

#[test]
fn slips_of_the_keyboard_are_usage_errors() {
    let place = Place::new();
    place.write("a.fq", "@a\nACGT\n+\nIIII\n");
    for count in [
        ["--threads", "0"],
        ["--threads", "99999999999"],
        ["--parts", "99999999999"],
    ] {
        let ended = place.run(&[&["cat", "a.fq"], &count[..]].concat());
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains("from 1 to 1024"), "{}", ended.stderr);
    }
    place.fails(&["cat", "--mates", "a.fq"], 2, &["two files"]);
    place.fails(&["cat", "--mates", "a.fq", "./a.fq"], 2, &["given twice"]);
    let index = ["cat", "--index-file", "none.thw", "a.fq.gz"];
    place.write("a.fq.gz", crate::support::gzip(b"@a\nACGT\n+\nIIII\n"));
    place.fails(&index, 2, &["none.thw"]);
}

/// Files of one record each, which end in every way that a reader takes.
const ENDS: [(&str, &str); 8] = [
    ("whole.fq", "@a\nACGT\n+\nIIII\n"),
    ("open.fq", "@b\nACGT\n+\nIIII"),
    ("empty.fq", "@c\n\n+\n\n"),
    // The line of qualities is there, and empty, without an end.
    ("no_end.fq", "@d\n\n+\n"),
    ("named.fq", "@e\n\n+e\n"),
    ("returns.fq", "@f\r\n\r\n+\r\n"),
    ("plus.fq", "@g\nA\n+\n+\n"),
    ("plus_open.fq", "@h\nAC\n+h\n+I"),
];

/// Header, sequence and qualities of records of four lines, line by line.
fn lines_of_records(text: &[u8]) -> Vec<[String; 3]> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    let lines = match lines.len() % 4 {
        1 if lines.last() == Some(&"") => &lines[..lines.len() - 1],
        _ => &lines[..],
    };
    let line = |line: &str| line.trim_end_matches('\r').to_owned();
    let record = |lines: &[&str]| {
        assert!(lines.len() == 4 && lines[2].starts_with('+'), "{text:?}");
        [line(lines[0]), line(lines[1]), line(lines[3])]
    };
    lines.chunks(4).map(record).collect()
}

#[test]
fn whatever_ends_a_file_its_records_stay_whole() {
    let place = Place::new();
    for (name, text) in ENDS {
        place.write(name, text);
        place.write(&format!("{name}.gz"), gzip(text.as_bytes()));
    }
    place.write("names.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
    for (first, first_text) in ENDS {
        for (second, second_text) in [ENDS[0], ENDS[1], ENDS[3]] {
            let pair = [first, second];
            let all = [
                lines_of_records(first_text.as_bytes()),
                lines_of_records(second_text.as_bytes()),
            ]
            .concat();
            let run = |options: &[&str], files: &[&str]| {
                place.ok(&[&["cat", "-q"], options, files].concat()).stdout
            };
            for threads in ["1", "3"] {
                let joined = run(&["-t", threads], &pair);
                assert_eq!(lines_of_records(&joined), all, "{pair:?}");
            }
            // Nothing is added but where a line end is missing.
            let bytes = run(&[], &pair).len() - first_text.len() - second_text.len();
            assert!(bytes <= 1, "{pair:?}");
            let gz = pair.map(|name| format!("{name}.gz"));
            let gz = gz.each_ref().map(String::as_str);
            assert_eq!(lines_of_records(&run(&[], &gz)), all, "{gz:?}");
            if first != second {
                let mates = run(&["--mates", "--ignore-names"], &pair);
                assert_eq!(lines_of_records(&mates), all, "{pair:?}");
            }
            for options in [
                &["--names", "names.txt"][..],
                &["--sample", "2"],
                &["--max-record", "1M"],
            ] {
                assert_eq!(
                    lines_of_records(&run(options, &pair)),
                    all,
                    "{options:?} {pair:?}"
                );
            }
            run(&["-o", "packed.fq.gz"], &pair);
            let packed = place.ok(&["cat", "-q", "packed.fq.gz"]).stdout;
            assert_eq!(lines_of_records(&packed), all, "{pair:?}");
            let shards: Vec<u8> = ["1/2", "2/2"]
                .iter()
                .flat_map(|shard| run(&["--shard", shard], &pair))
                .collect();
            assert_eq!(lines_of_records(&shards), all, "{pair:?}");
            run(&["--records-per-part", "1", "-o", "part_{}.fq"], &pair);
            let parts = ["part_001.fq", "part_002.fq"].map(|part| place.read(part));
            assert_eq!(lines_of_records(&parts.concat()), all, "{pair:?}");
        }
    }
}

/// Where records are on several lines, a last line with a `+` may be of qualities.
#[test]
fn wrapped_records_stay_whole() {
    let place = Place::new();
    let wrapped = "@w\nAC\nGT\n+\nII\nII\n";
    let next = "@n\nACGT\nA\n+\nIIII\nI\n";
    place.write("next.fq", next);
    for (last, lacks_end) in [
        ("@x\n+\n", true),
        ("@x\n\n+\n", true),
        ("@x\n+\n\n", false),
        ("@x\nAC\nG\n+\n@I\n+\n", false),
        ("@x\nAC\nG\n+\n@I\n+", true),
        ("@x\nA\n+x\nI", true),
    ] {
        let text = format!("{wrapped}{last}");
        place.write("wrapped.fq", &text);
        let end = if lacks_end { "\n" } else { "" };
        let joined = place.ok(&["cat", "-q", "wrapped.fq", "next.fq"]).stdout;
        let joined = String::from_utf8(joined).unwrap();
        assert_eq!(joined, format!("{text}{end}{next}"), "{last:?}");
        // As its last file it stays as it is.
        let alone = place.ok(&["cat", "-q", "next.fq", "wrapped.fq"]).stdout;
        assert_eq!(alone, format!("{next}{text}").into_bytes(), "{last:?}");
        // Records that are chosen have all of their lines.
        place.write("list.txt", "w\nx\nn\n");
        let chosen = place.ok(&["cat", "-q", "--names", "list.txt", "wrapped.fq", "next.fq"]);
        assert_eq!(
            String::from_utf8(chosen.stdout).unwrap(),
            joined,
            "{last:?}"
        );
    }
    // A pipe cannot be read once more.
    place.write("wrapped.fq", format!("{wrapped}@x\nAC\nG\n+\n@I\n+\n"));
    let piped = place.shell("cat wrapped.fq | $THALWEG cat -q - next.fq");
    assert_eq!(piped.code, Some(2));
    assert!(
        piped.stderr.contains("can be read only once"),
        "{}",
        piped.stderr
    );
}

#[test]
fn records_that_are_too_long_for_a_service_are_refused() {
    let place = Place::new();
    let long = format!("@long\n{0}\n+\n{1}\n", "A".repeat(5000), "I".repeat(5000));
    place.write("a.fq", format!("@a\nACGT\n+\nIIII\n{long}"));
    for options in [
        &["cat", "--max-record", "1k", "a.fq", "-o", "out.fq"][..],
        &[
            "cat",
            "--max-record",
            "1k",
            "--sample",
            "1",
            "a.fq",
            "-o",
            "out.fq",
        ],
    ] {
        let ended = place.run(options);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains("a.fq"), "{}", ended.stderr);
        assert!(!place.path("out.fq").exists());
    }
    // The pass that counts refuses it, too: without the limit, that finds what is cut far behind it.
    let cut = [long.as_bytes(), &fastq(200_000), b"@cut\nAC"].concat();
    place.write("cut.fq", cut);
    let parts = ["cat", "--parts", "2", "cut.fq", "-o", "out{}.fq"];
    place.fails(&parts, 1, &["cut.fq"]);
    let limited = [&parts[..], &["--max-record", "1k"]].concat();
    place.fails(&limited, 2, &["cut.fq", "--max-record"]);
    assert!(!place.path("out001.fq").exists());
    // No record is looked at there.
    let join = [
        "cat",
        "--join",
        "--max-record",
        "1k",
        "a.fq",
        "-o",
        "out.fq",
    ];
    place.fails(&join, 2, &["--join", "--max-record"]);
    let whole = place.ok(&["cat", "-q", "--max-record", "1M", "a.fq"]);
    assert!(whole.stdout == place.read("a.fq"));
}

/// Of several files each ends behind a record, also the last one; one alone is not looked at.
#[test]
fn several_files_end_behind_records() {
    let place = Place::new();
    let text = fastq(3000);
    let cut = &text[..text.len() - 7];
    let at_line = &text[..text.len()
        - 1
        - text[..text.len() - 1]
            .iter()
            .rev()
            .position(|&byte| byte == b'\n')
            .unwrap()];
    place.write("whole.fq", &text);
    for (name, text) in [("cut", cut), ("line", at_line)] {
        place.write(&format!("{name}.fq"), text);
        place.write(&format!("{name}.fq.gz"), gzip(text));
        for file in [format!("{name}.fq"), format!("{name}.fq.gz")] {
            assert!(place.ok(&["cat", &file]).stdout == text);
            for files in [[&*file, "whole.fq"], ["whole.fq", &*file]] {
                for output in ["all.fq", "all.fq.gz"] {
                    let cat = [&["cat", "-o", output], &files[..]].concat();
                    place.fails(&cat, 1, &[&file, "record 3000", "byte "]);
                    assert!(!place.path(output).exists());
                }
            }
        }
        let ended = place.feed(&["cat", "-o", "all.fq", "-", "whole.fq"], text);
        ended.expect_failure(1, &["-: ", "inside a record", "byte "]);
        assert!(!place.path("all.fq").exists());
    }
    // Other lines than four, and empty ones at the end, are records, too.
    for text in [
        "@w\nAC\nGT\n+\nII\nII\n",
        "@r\nAC\n+\nII\n\n\n",
        "@r\n\n+\n\n",
        "@r\nA\n+\n@",
    ] {
        place.write("other.fq", text);
        let line_end = if text.ends_with('\n') { "" } else { "\n" };
        let all = [text.as_bytes(), line_end.as_bytes(), b"@r\nA\n+\nI\n"].concat();
        place.write("next.fq", "@r\nA\n+\nI\n");
        assert!(
            place.ok(&["cat", "other.fq", "next.fq"]).stdout == all,
            "{text:?}"
        );
    }
}

#[test]
fn formats_are_not_mixed() {
    let place = Place::new();
    place.write("r.fq.gz", gzip(&fastq(10)));
    place.write("y.fa.gz", gzip(b">a\nACGT\n"));
    place.write("none.fq", "");
    let words = [
        "cannot concatenate FASTQ and FASTA",
        "hint: write both as FASTA",
    ];
    for files in [["r.fq.gz", "y.fa.gz"], ["y.fa.gz", "r.fq.gz"]] {
        place.fails(&[&["cat", "-o", "x.fq"], &files[..]].concat(), 2, &words);
        assert!(!place.path("x.fq").exists());
    }
    let ended = place.feed(&["cat", "-o", "x.fa", "-", "y.fa.gz"], &fastq(10));
    ended.expect_failure(2, &words);
    assert!(!place.path("x.fa").exists());
    assert_eq!(
        place.ok(&["cat", "none.fq", "y.fa.gz"]).stdout,
        b">a\nACGT\n"
    );
}

#[test]
fn names_of_another_format_are_refused() {
    let place = Place::new();
    place.write("r.fq", fastq(10));
    place.write("y.fa", ">a\nACGT\n");
    for (arguments, is_refused) in [
        (&["r.fq", "-o", "x.fa"][..], true),
        (&["r.fq", "-o", "x.fasta.gz"], true),
        (&["y.fa", "-o", "x.fq"], true),
        (&["--fasta", "r.fq", "-o", "x.fq.gz"], true),
        (&["--sample", "3", "r.fq", "-o", "x.fna"], true),
        (&["--fasta", "r.fq", "-o", "x.fa"], false),
        (&["r.fq", "-o", "x.fq"], false),
        (&["r.fq", "-o", "x.txt"], false),
    ] {
        let arguments = [&["cat"], arguments].concat();
        match is_refused {
            true => drop(place.fails(&arguments, 2, &["the name says FAST", "but the output is"])),
            false => drop(place.ok(&arguments)),
        }
    }
}
