//! `thalweg qc`: what is told of the reads that were written, and whether it is so.

use crate::qc::{place_of_pairs, records};
use crate::support::{Place, names_in};

#[test]
fn copies_are_removed_before_they_are_merged() {
    let place = place_of_pairs(3000);
    // As `pairs` makes them.
    let without_copies = |text: &[u8]| -> Vec<u8> {
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let kept = lines.chunks(4).filter(|record| {
            let name = record[0].split(|byte| *byte == b'/').next().unwrap();
            let number = std::str::from_utf8(&name[2..]).unwrap();
            number.parse::<usize>().unwrap() % 7 != 6
        });
        kept.flat_map(|record| record.concat()).collect()
    };
    let names = ["m.fq", "o1.fq", "o2.fq", "f.fq"];
    let run = |line: &str| {
        let words = "qc r1.fq r2.fq -m --merged_out m.fq -o o1.fq -O o2.fq --failed_out f.fq";
        let words: Vec<&str> = words.split(' ').chain(line.split_whitespace()).collect();
        place.ok(&words);
        names.map(|name| place.read(name))
    };
    for more in ["", "--include_unmerged", "-l 120", "-w 2 -3 -A"] {
        let wanted = run(more).map(|text| without_copies(&text));
        let found = run(&format!("{more} --dedup"));
        for (name, (found, wanted)) in names.iter().zip(found.iter().zip(&wanted)) {
            // Copies are where reads are that fail.
            match *name {
                "f.fq" => assert!(without_copies(found) == *wanted, "{more}: {name}"),
                _ => assert!(found == wanted, "{more}: {name}"),
            }
        }
        assert!(
            records(&found[0]) > 500 && records(&found[3]) > 100,
            "{more}"
        );
        let json: serde_json::Value = serde_json::from_slice(&place.report("json")).unwrap();
        let reads = &json["merged_and_filtered"]["total_reads"];
        assert_eq!(reads, records(&found[0]), "{more}");
    }
    // fastp leaves them where they are.
    let compat = run("--fastp-compat");
    assert!(run("--fastp-compat --dedup")[0] == compat[0]);
}

#[test]
fn no_read_vanishes_among_copies() {
    let place = place_of_pairs(3000);
    let names = ["o1.fq", "o2.fq", "f.fq"];
    let pairs = "qc r1.fq r2.fq -o o1.fq -O o2.fq --failed_out f.fq";
    for (line, reads) in [
        ("qc r1.fq -o o1.fq --failed_out f.fq -A", 3000),
        (&format!("{pairs} -A"), 6000),
        // Of these, copies fail.
        (&format!("{pairs} -l 120 -3"), 6000),
    ] {
        for dedup in ["", " --dedup", " --dedup -w 3"] {
            for name in names {
                place.write(name, "");
            }
            place.ok(&format!("{line}{dedup}").split(' ').collect::<Vec<_>>());
            let all: usize = names
                .map(|name| records(&place.read(name)))
                .into_iter()
                .sum();
            assert_eq!(all, reads, "{line}{dedup}");
            let failed = String::from_utf8(place.read("f.fq")).unwrap();
            let removed = failed
                .lines()
                .filter(|line| line.ends_with(" removed_duplicate"));
            let are_wanted = !dedup.is_empty() && line.ends_with("-A");
            assert_eq!(removed.count() > 100, are_wanted, "{line}{dedup}");
        }
    }
}

/// Whether merged or not, and whatever statistics the reads are in.
#[test]
fn bases_that_are_left_are_those_that_were_written() {
    let place = place_of_pairs(3000);
    // Some mates lose all of their quality, so that others are unpaired.
    for (name, bad) in [("r1.fq", 3), ("r2.fq", 11)] {
        let text = String::from_utf8(place.read(name)).unwrap();
        let lines = text
            .lines()
            .enumerate()
            .map(|(line, text)| match line % 20 {
                rest if rest == bad => "#".repeat(text.len()) + "\n",
                _ => text.to_owned() + "\n",
            });
        place.write(name, lines.collect::<String>());
    }
    let words =
        "qc r1.fq r2.fq -m --merged_out m.fq -o o1.fq -O o2.fq --unpaired1 u1.fq --unpaired2 u2.fq";
    let files = ["m.fq", "o1.fq", "o2.fq", "u1.fq", "u2.fq"];
    // Bases, those of Q30, and reads of a file.
    let amount = |name: &str| {
        let text = place.read(name);
        let qualities = text.split(|byte| *byte == b'\n').skip(3).step_by(4);
        qualities.fold([0, 0, 0], |[bases, good, reads], line: &[u8]| {
            let more = line.iter().filter(|quality| **quality >= b'?').count();
            [bases + line.len(), good + more, reads + 1]
        })
    };
    let pick = |text: &str, from: &str, to: &str| {
        let start = text.find(from).unwrap_or_else(|| panic!("{from}: {text}")) + from.len();
        text[start..].split(to).next().unwrap().replace(',', "")
    };
    for more in ["", "-w 2", "--fastp-compat", "--fastp-compat=0.23"] {
        let line: Vec<&str> = words.split(' ').chain(more.split_whitespace()).collect();
        let said = place.ok(&line).stderr;
        let amounts = files.map(amount);
        assert!(
            amounts.iter().all(|amount| amount[2] > 0) || !more.is_empty(),
            "{amounts:?}"
        );
        let sum = |of: usize| amounts.iter().map(|amount| amount[of]).sum::<usize>();
        if more.contains("compat") {
            // fastp's lines tell of merged reads only.
            let [bases, _, reads] = amounts[0];
            let merged =
                format!("Merged and filtered:\ntotal reads: {reads}\ntotal bases: {bases}\n");
            assert!(said.contains(&merged), "{more}: {merged}: {said}");
        } else {
            let unpaired = amounts[3][2] + amounts[4][2];
            let unpaired = format!("thalweg: {unpaired} reads written as unpaired");
            assert!(said.contains(&unpaired), "{more}: {unpaired}: {said}");
            let left = said
                .lines()
                .find(|line| line.contains("bases kept"))
                .unwrap();
            assert_eq!(
                pick(left, "thalweg: ", " of"),
                sum(0).to_string(),
                "{more}: {left}"
            );
            assert_eq!(
                pick(left, "), ", " of them in merged"),
                amounts[0][0].to_string()
            );
            let q30 = format!("{:.2}%", 100.0 * sum(1) as f64 / sum(0) as f64);
            assert_eq!(pick(left, " before, ", " after"), q30, "{left}");
        }
        let json: serde_json::Value = serde_json::from_slice(&place.report("json")).unwrap();
        assert_eq!(json["merged_and_filtered"]["total_bases"], amounts[0][0]);
        assert_eq!(
            json["summary"]["after_filtering"]["total_bases"],
            amounts[0][0]
        );
        let unmerged = &json["unmerged_after_filtering"];
        if more.contains("compat") {
            assert!(unmerged.is_null());
        } else {
            assert_eq!(unmerged["total_reads"], sum(2) - amounts[0][2]);
            assert_eq!(unmerged["total_bases"], sum(0) - amounts[0][0]);
            assert_eq!(unmerged["q30_bases"], sum(1) - amounts[0][1]);
        }
    }
}

#[test]
fn the_summary_rounds_nothing_to_all_and_one_to_no_several() {
    let place = Place::new();
    let fragment = "ACGTTGCATTAGGCATTCAGGATCCAGTACCATGATTGACCA";
    let record = |number: usize, bases: &str| {
        format!("@r{number}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
    };
    let mut text: String = (0..30_000).map(|number| record(number, fragment)).collect();
    text.push_str(&record(30_000, "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA"));
    place.write("r.fq", text);
    let adapter = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";
    let said = place
        .ok(&["qc", "r.fq", "-o", "o.fq", "-a", adapter])
        .stderr;
    for words in [
        "30,000 of 30,001 reads pass (>99.99%); 1 adapter dimer\n",
        "adapters cut from 1 read (33 bases)",
        "bases kept (>99.99%)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("unpaired"), "{said}");
}

#[test]
fn pairs_that_go_nowhere_are_told() {
    let place = place_of_pairs(300);
    let nowhere = "pairs that do not merge are not written";
    for (line, is_told) in [
        ("", true),
        ("-o o1.fq -O o2.fq", false),
        ("--include_unmerged", false),
        ("--discard_unmerged", false),
        ("--fastp-compat", false),
    ] {
        let words = "qc -i r1.fq -I r2.fq -m --merged_out m.fq --no_report";
        let words: Vec<&str> = words.split(' ').chain(line.split_whitespace()).collect();
        let said = place.ok(&words).stderr;
        assert_eq!(said.contains(nowhere), is_told, "{line}: {said}");
    }
}

#[test]
fn a_lane_that_is_named_twice_is_told() {
    let place = place_of_pairs(300);
    std::os::unix::fs::symlink("r1.fq", place.path("link.fq")).unwrap();
    let qc = |second| {
        let lanes = [
            "qc",
            "-i",
            "r1.fq",
            "-i",
            second,
            "-o",
            "o.fq",
            "--no_report",
        ];
        place.ok(&lanes).stderr
    };
    let count = |second| {
        let files = ["count", "-k", "21", "r1.fq", second, "-o", "o.thk"];
        place.ok(&files).stderr
    };
    for said in [qc("link.fq"), count("link.fq")] {
        assert!(said.contains("link.fq: named twice"), "{said}");
    }
    for said in [qc("r2.fq"), count("r2.fq")] {
        assert!(!said.contains("named twice"), "{said}");
    }
}

/// Reads appear with the reports on them, or not at all; those that went to a stream are there, and it is said so.
#[test]
fn reads_without_a_report_do_not_appear() {
    let place = place_of_pairs(30);
    let whole = place.ok(&["qc", "r1.fq", "--stdout", "--no_report"]);
    std::fs::create_dir(place.path("reports")).unwrap();
    let before = names_in(&place.path("."));
    let note = "all reads are written";
    for (options, fails) in [
        ("-o o.fq -j /dev/full -h h.html", "/dev/full"),
        ("-o o.fq.gz -j j.json -h h.html", "j.json"),
        ("-o o.fq -h h.html.gz -j /dev/full", "/dev/full"),
        (
            "-o o.fq --split 2 -j /dev/full --fastqc reports",
            "/dev/full",
        ),
        ("-o o.fq --no_report --fastqc reports", "r1_fastqc.html"),
        ("--stdout --failed_out o.fq -j /dev/full", "/dev/full"),
        ("--stdout --trace o.jsonl -j /dev/full", "/dev/full"),
    ] {
        // More than reads and their trace take, and less than a report.
        let script = format!("ulimit -f 16; $THALWEG qc r1.fq {options}");
        let ended = place.shell(&script);
        ended.expect_failure(2, &[fails, "hint: "]);
        assert!(!ended.stderr.contains(note), "{options}: {}", ended.stderr);
        assert_eq!(names_in(&place.path(".")), before, "{options}");
        assert!(names_in(&place.path("reports")).is_empty(), "{options}");
        // Whoever reads a stream has all of it.
        assert!(!options.contains("--stdout") || ended.stdout == whole.stdout);
    }
    for output in ["--stdout", "-o /dev/stdout"] {
        let ended = place.shell(&format!(
            "$THALWEG qc r1.fq {output} -j /dev/full -h h.html"
        ));
        ended.expect_failure(2, &["/dev/full: ", note]);
        assert!(ended.stdout == whole.stdout);
        assert_eq!(names_in(&place.path(".")), before, "{output}");
    }
    // No reads were asked for.
    let ended = place.shell("$THALWEG qc r1.fq --trace - -j /dev/full -h h.html >trace");
    ended.expect_failure(2, &["/dev/full: ", "hint: "]);
    assert!(!ended.stderr.contains(note), "{}", ended.stderr);
}

/// Who reads a report from a pipe, and goes, does not cost the reads.
#[test]
fn a_report_that_nobody_reads_any_more_costs_no_reads() {
    let place = place_of_pairs(30);
    place.ok(&["qc", "r1.fq", "-o", "whole.fq", "--no_report"]);
    let script = "mkfifo report; : <report & $THALWEG qc r1.fq -o o.fq -h h.html -j report";
    let ended = place.shell(script);
    ended.expect_failure(2, &["report: ", "all reads are written"]);
    assert!(place.read("o.fq") == place.read("whole.fq"));
    assert!(place.path("h.html").exists());
}

#[test]
fn reads_that_go_nowhere_are_told() {
    let place = place_of_pairs(100);
    let note = "note: no reads are written";
    let told = place.ok(&["qc", "r1.fq"]).stderr;
    assert!(
        told.contains(&format!("{note}: -o FILE writes the reads")),
        "{told}"
    );
    let told = place.ok(&["qc", "r1.fq", "r2.fq"]).stderr;
    assert!(
        told.contains(&format!("{note}: -o FILE and -O FILE write the reads")),
        "{told}"
    );
    for words in [
        &["qc", "r1.fq", "-o", "o.fq"][..],
        &["qc", "r1.fq", "--stdout"],
        &["qc", "r1.fq", "--failed_out", "o.fq"],
        &["qc", "r1.fq", "--trace", "o.jsonl"],
        &["qc", "r1.fq", "--quiet"],
        &["qc", "r1.fq", "--fastp-compat"],
        &["qc", "r1.fq", "--fastp-compat", "--no_report"],
    ] {
        let told = place.ok(words).stderr;
        assert!(!told.contains(note), "{words:?}: {told}");
    }
}

#[test]
fn empty_input_is_told() {
    let place = Place::new();
    place.write("empty.fq", "");
    let told = place.ok(&["qc", "empty.fq", "-o", "o.fq"]).stderr;
    assert!(
        told.contains("note: there are no reads in the input"),
        "{told}"
    );
    for words in [&["--quiet"][..], &["--fastp-compat"]] {
        let told = place.ok(&[&["qc", "empty.fq"], words].concat()).stderr;
        assert!(!told.contains("no reads in"), "{told}");
    }
    let r = place_of_pairs(10);
    let told = r.ok(&["qc", "r1.fq", "-o", "o.fq", "-l", "10000"]).stderr;
    assert!(!told.contains("no reads"), "{told}");
}

/// `-j 8` is how many threads there are to others: nobody wants a report of this name.
#[test]
fn a_number_is_no_name_of_a_report() {
    let place = place_of_pairs(100);
    for words in [&["-j", "8"][..], &["-j8"], &["--json=8"]] {
        place.fails(
            &[&["qc", "r1.fq", "-o", "o.fq"], words].concat(),
            2,
            &["-j 8", "-w 8"],
        );
    }
    assert_eq!(place.names().len(), 2);
    place.ok(&["qc", "r1.fq", "-j", "./8", "-h", "h"]);
    place.ok(&["qc", "r1.fq", "-j", "9", "-h", "h", "--fastp-compat"]);
    assert!(place.names().contains("8") && place.names().contains("9"));
}
