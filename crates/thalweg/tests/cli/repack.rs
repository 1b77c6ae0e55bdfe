//! `thalweg cat --names`, `--grep` and `--fasta`, and mates to files of their own.

use std::process::Command;

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, random};

/// Records of FASTQ of four lines, with names and sequences.
fn split(text: &str) -> Vec<(&str, &str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let records = lines.chunks_exact(4);
    records
        .map(|record| {
            let name = record[0][1..].split_whitespace().next().unwrap();
            (name, record[1], record.join("\n") + "\n")
        })
        .collect()
}

fn text(count: usize) -> String {
    String::from_utf8(fastq(count)).unwrap()
}

fn chosen(text: &str, wants: impl Fn(&str, &str) -> bool) -> String {
    let records = split(text).into_iter();
    records
        .filter(|(name, sequence, _)| wants(name, sequence))
        .map(|(_, _, record)| record)
        .collect()
}

fn turned(motif: &str) -> String {
    motif
        .chars()
        .rev()
        .map(|base| match base {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            _ => 'A',
        })
        .collect()
}

/// Whether the motif is somewhere in the sequence, one window after the other.
fn has(sequence: &str, motif: &str, mismatches: usize) -> bool {
    sequence.as_bytes().windows(motif.len()).any(|window| {
        let pairs = window.iter().zip(motif.bytes());
        pairs.filter(|(base, wanted)| **base != *wanted).count() <= mismatches
    })
}

fn place_with_inputs(text: &str) -> Place {
    let place = Place::new();
    place.write("plain.fq", text);
    place.write("indexed.fq.gz", gzip(text.as_bytes()));
    place.write("blocks.fq.gz", bgzf(text.as_bytes()));
    place.ok(&["index", "-q", "--span", "300k", "indexed.fq.gz"]);
    place
}

const INPUTS: [&str; 3] = ["plain.fq", "indexed.fq.gz", "blocks.fq.gz"];

#[test]
fn names_are_whole_and_keep_the_order_of_the_file() {
    let text = text(8000);
    let place = place_with_inputs(&text);
    let mut next = random(7);
    let mut names: Vec<String> = (0..500).map(|_| format!("r{}", next(8000))).collect();
    names.extend(["r12 some text", "r80000", "r", "R5"].map(str::to_owned));
    place.write("names", names.join("\n"));
    place.write("names.gz", gzip(names.join("\r\n").as_bytes()));
    let ids: Vec<&str> = names
        .iter()
        .map(|name| name.split(' ').next().unwrap())
        .collect();
    let wanted = chosen(&text, |name, _| ids.contains(&name));
    let others = chosen(&text, |name, _| !ids.contains(&name));
    for input in INPUTS {
        for (threads, list) in [("1", "names"), ("4", "names.gz")] {
            let ended = place.ok(&["cat", "-t", threads, "--names", list, input]);
            assert!(ended.stdout == wanted.as_bytes(), "{input}");
            assert!(
                ended.stderr.contains("names not found, such as 'R5'"),
                "{}",
                ended.stderr
            );
            let ended = place.ok(&[
                "cat", "-q", "-t", threads, "--names", list, "--invert", input,
            ]);
            assert!(ended.stdout == others.as_bytes(), "{input}");
        }
    }
    let from_pipe = place.feed(
        &["cat", "--names", "-", "plain.fq"],
        names.join("\n").as_bytes(),
    );
    assert!(from_pipe.stdout == wanted.as_bytes());
    // The same as others find.
    if let Ok(output) = Command::new("seqkit")
        .args(["grep", "-f", "names", "plain.fq"])
        .current_dir(place.path(""))
        .output()
    {
        assert!(output.status.success());
        // It takes lines as they are, and so does not find the one with more behind the name.
        let wanted = chosen(&text, |name, _| {
            ids.contains(&name) && name != "r12" || names.contains(&name.to_owned())
        });
        assert!(output.stdout == wanted.as_bytes());
    } else {
        println!("SKIPPED: names_are_whole_and_keep_the_order_of_the_file: no seqkit");
    }
}

/// Headers are no names. They match nothing, as with others, and it is told why.
#[test]
fn a_list_of_headers_is_told() {
    let place = Place::new();
    place.write("a.fq", fastq_with(20, "/1 x"));
    let told = |list: &str, code: &str| {
        place.write("list", list);
        let ended = place.ok(&["cat", "--names", "list", "a.fq"]);
        let kept = ended.text().lines().count() / 4;
        assert!(ended.stderr.contains(code), "{}", ended.stderr);
        let hints = ended
            .stderr
            .lines()
            .filter(|line| line.starts_with("hint: "));
        let hints: Vec<&str> = hints.collect();
        assert!(hints.len() <= 1, "{}", ended.stderr);
        (kept, hints.concat())
    };
    for list in ["@r1/1 x\n@r2/1\n", ">r1/1\nr0/1\n"] {
        let (kept, hint) = told(list, "names");
        assert_eq!(kept, usize::from(list.contains("r0")));
        assert!(hint.contains("without '>' or '@'"), "{hint}");
    }
    let (kept, hint) = told(
        "r1\nr2\n",
        "none of the 2 names, such as 'r1', matches a read",
    );
    assert!(
        kept == 0 && hint.ends_with("the first read is called 'r0/1'"),
        "{hint}"
    );
    // Where others are found, it is not how names are written.
    let (kept, hint) = told("r1/1\nr200/1\n", "1 of 2 names not found");
    assert_eq!((kept, &*hint), (1, ""));
    let ended = place.feed(&["cat", "--names", "list", "-"], b"@x\nA\n+\nI\n");
    assert!(
        ended.stderr.contains("none of the 2 names"),
        "{}",
        ended.stderr
    );
}

#[test]
fn motifs_are_found_as_windows_tell() {
    let text = text(6000);
    let place = place_with_inputs(&text);
    for (motif, mismatches) in [
        ("GATTACA", 0),
        ("GATTACAGGT", 1),
        ("ACGTTGCATTAC", 2),
        ("ACG", 1),
    ] {
        let number = mismatches.to_string();
        let one = chosen(&text, |_, sequence| has(sequence, motif, mismatches));
        let both = chosen(&text, |_, sequence| {
            has(sequence, motif, mismatches) || has(sequence, &turned(motif), mismatches)
        });
        assert!(
            one.len() > 1000 && (both.len() > one.len() || both.len() == text.len()),
            "{motif}"
        );
        for input in INPUTS {
            for threads in ["1", "3"] {
                let grep = [
                    "cat",
                    "-t",
                    threads,
                    input,
                    "--grep",
                    motif,
                    "--mismatches",
                    &number,
                ];
                assert!(
                    place.ok(&grep).stdout == one.as_bytes(),
                    "{motif} in {input}"
                );
                let ended = place.ok(&[&grep[..], &["--both-strands"]].concat());
                assert!(ended.stdout == both.as_bytes(), "{motif} in {input}");
            }
        }
        let ran = Command::new("seqkit")
            .args(["grep", "-s", "-m", &number, "-p", motif, "plain.fq"])
            .current_dir(place.path(""))
            .output();
        match ran {
            Ok(output) if mismatches < 2 => {
                assert!(output.stdout == both.as_bytes(), "seqkit: {motif}");
            }
            Ok(_) => {}
            Err(_) => println!("SKIPPED: motifs_are_found_as_windows_tell: no seqkit"),
        }
    }
    // Letters of IUPAC, and those of reads in lower case.
    let wanted = chosen(&text, |_, sequence| {
        ["CCAGG", "CCTGG"]
            .iter()
            .any(|motif| has(sequence, motif, 0))
    });
    assert!(place.ok(&["cat", "--grep", "ccwgg", "plain.fq"]).stdout == wanted.as_bytes());
    place.write(
        "lower.fq",
        "@a\nttgattacatt\n+\nFFFFFFFFFFF\n@b\nttgattanatt\n+\nFFFFFFFFFFF\n",
    );
    let ended = place.ok(&["cat", "--grep", "GATTACA", "lower.fq"]);
    assert_eq!(ended.text(), "@a\nttgattacatt\n+\nFFFFFFFFFFF\n");
}

#[test]
fn pairs_are_kept_if_either_matches() {
    let place = Place::new();
    let mates = ["/1", "/2"].map(|end| String::from_utf8(fastq_with(4000, end)).unwrap());
    // The second mates have other bases.
    let second: String = split(&mates[1])
        .into_iter()
        .map(|(_, sequence, record)| record.replace(sequence, &turned(sequence)))
        .collect();
    place.write("1.fq", &mates[0]);
    place.write("2.fq.gz", gzip(second.as_bytes()));
    let pairs: Vec<_> = split(&mates[0]).into_iter().zip(split(&second)).collect();
    let whole: String = pairs.iter().flat_map(|(a, b)| [&*a.2, &*b.2]).collect();
    place.write("both.fq", &whole);
    let kept: Vec<_> = pairs
        .iter()
        .filter(|(a, b)| has(a.1, "GATTAC", 0) || has(b.1, "GATTAC", 0))
        .collect();
    assert!(kept.len() > 50 && kept.len() < 1000);
    let joined: String = kept.iter().flat_map(|(a, b)| [&*a.2, &*b.2]).collect();
    let apart = [0, 1].map(|mate| {
        kept.iter()
            .map(|(a, b)| [&*a.2, &*b.2][mate])
            .collect::<String>()
    });
    for files in [
        &["--mates", "1.fq", "2.fq.gz"][..],
        &["--interleaved", "both.fq"],
    ] {
        let grep = [&["cat", "--grep", "GATTAC", "-t", "3"], files].concat();
        let ended = place.ok(&grep);
        assert!(ended.stdout == joined.as_bytes(), "{files:?}");
        place.ok(&[&grep[..], &["-o", "a.fq", "-O", "b.fq"]].concat());
        assert!(
            place.read("a.fq") == apart[0].as_bytes() && place.read("b.fq") == apart[1].as_bytes()
        );
        // A name of one of them is enough, and both are found.
        place.write("names", "r3/2\nr1/1\nr1/2\n");
        let ended = place.ok(&[&["cat", "--names", "names"], files].concat());
        let wanted: String = [1, 3]
            .iter()
            .flat_map(|&at: &usize| [&*pairs[at].0.2, &*pairs[at].1.2])
            .collect();
        assert!(ended.stdout == wanted.as_bytes(), "{files:?}");
        assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
        // Nothing but to files of their own.
        place.ok(&[&["cat", "-o", "a.fq.gz", "-O", "b.fq"], files].concat());
        assert!(
            place.ok(&["cat", "a.fq.gz"]).text() == mates[0]
                && place.read("b.fq") == second.as_bytes()
        );
    }
}

#[test]
fn fasta_has_each_sequence_on_one_line() {
    let text = text(3000);
    let place = place_with_inputs(&text);
    let wanted: String = split(&text)
        .iter()
        .map(|(name, sequence, _)| format!(">{name}\n{sequence}\n"))
        .collect();
    for input in INPUTS {
        assert!(
            place.ok(&["cat", "--fasta", input]).text() == wanted,
            "{input}"
        );
    }
    let ended = Command::new("seqtk")
        .args(["seq", "-A", "plain.fq"])
        .current_dir(place.path(""))
        .output();
    match ended {
        Ok(output) => assert!(output.stdout == wanted.as_bytes()),
        Err(_) => println!("SKIPPED: fasta_has_each_sequence_on_one_line: no seqtk"),
    }
    place.write(
        "lines.fq",
        "@a some text\r\nAC\r\nGT\r\n+\r\nFF\r\nFF\r\n@b\r\n\r\n+\r\n\r\n",
    );
    place.write("lines.fa", ">c x\nAC\nGT\n\n>d\n>e\nTTT");
    let ended = place.ok(&["cat", "--fasta", "lines.fq", "lines.fa"]);
    assert_eq!(
        ended.text(),
        ">a some text\nACGT\n>b\n\n>c x\nACGT\n>d\n\n>e\nTTT\n"
    );
    let some = place.ok(&["cat", "--fasta", "--records", "5..7", "plain.fq"]);
    assert!(
        some.text()
            == wanted
                .split_inclusive('>')
                .skip(6)
                .take(2)
                .fold(String::from(">"), |all, more| all + more)
                .trim_end_matches('>')
    );
    place.fails(
        &["cat", "--grep", "A", "lines.fq", "lines.fa"],
        2,
        &["FASTQ and FASTA", "--fasta"],
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = place_with_inputs(&text(100));
    place.write("names", "r1\n");
    for (options, words) in [
        (&["--grep", ""][..], &["empty"][..]),
        (&["--grep", "ACGZ"], &["'Z'"]),
        (&["--grep", &"ACGT".repeat(17)], &["68 letters"]),
        (&["--grep", "ACG", "--mismatches", "3"], &["everywhere"]),
        (
            &["--grep", "ACGTACGTACGT", "--mismatches", "9"],
            &["9 mismatches"],
        ),
        (&["--mismatches", "1"], &["--grep"]),
        (&["--both-strands"], &["--grep"]),
        (&["--invert"], &["--names or --grep"]),
        (&["--names", "nobody"], &["nobody"]),
        (&["--names", "-", "-"], &["standard input", "once"]),
        (&["--names", "names", "--grep", "A"], &["--grep"]),
        (&["--names", "names", "-o", "names"], &["names", "input"]),
        (&["-o", "a.fq", "-O", "b.fq"], &["mates"]),
        (&["-O", "b.fq"], &["--output"]),
        (
            &["--interleaved", "-o", "a.fq", "-O", "a.fq"],
            &["same file"],
        ),
        (&["--fasta", "-o", "a.bam"], &["BAM"]),
    ] {
        place.refuses(&[&["cat", "plain.fq"], options].concat(), words);
    }
    let three = [
        "cat",
        "--mates",
        "plain.fq",
        "indexed.fq.gz",
        "blocks.fq.gz",
        "-o",
        "a",
        "-O",
        "b",
    ];
    place.fails(&three, 2, &["second of two mates"]);
    place.write("empty", "\n\n");
    let ended = place.ok(&["cat", "--names", "empty", "plain.fq"]);
    assert!(
        ended.stdout.is_empty() && ended.stderr.contains("no name in it"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.names().len(), 6);
}
