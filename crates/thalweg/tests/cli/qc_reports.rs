//! What the reports of `thalweg qc` say: their numbers add up to what was read and written, and MultiQC tells samples apart.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::qc::{place_of_pairs, records};
use crate::support::{Ended, Place, fastq};

fn json(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&place.read(name)).unwrap()
}

/// The report that was written last under a name of its own.
fn of_run(place: &Place) -> Value {
    serde_json::from_slice(&place.report("json")).unwrap()
}

/// A number of a report; 0 if it is not there.
fn number(json: &Value, pointer: &str) -> usize {
    json.pointer(pointer)
        .map_or(0, |number| number.as_u64().unwrap() as usize)
}

/// Pairs of which some have copies, some bad qualities in either mate, some an index on the list.
fn mixed_pairs() -> Place {
    let place = place_of_pairs(3000);
    for (name, bad) in [("r1.fq", 3), ("r2.fq", 11)] {
        let text = String::from_utf8(place.read(name)).unwrap();
        let changed: String = text
            .lines()
            .enumerate()
            .map(|(line, text)| match (line % 4, line % 20, line % 36) {
                (3, rest, _) if rest == bad => "#".repeat(text.len()) + "\n",
                (0, _, 8) => format!("{text} 1:N:0:ACGTACGT\n"),
                (0, ..) => format!("{text} 1:N:0:TTTTGGGG\n"),
                _ => text.to_owned() + "\n",
            })
            .collect();
        place.write(name, changed);
    }
    place.write("list", "ACGTACGT\n");
    place
}

/// Reads that a file stands for: two for each merged one.
fn reads(text: &[u8]) -> usize {
    let text = String::from_utf8_lossy(text);
    let names = text.lines().step_by(4);
    names
        .map(|name| 1 + usize::from(name.contains(" merged_")))
        .sum()
}

#[test]
fn reports_add_up_to_what_was_read_and_written() {
    let place = mixed_pairs();
    let outputs = ["o1.fq", "o2.fq", "u1.fq", "u2.fq", "m.fq"];
    let pairs = "qc r1.fq r2.fq -o o1.fq -O o2.fq";
    let merging = "qc r1.fq r2.fq -m --merged_out m.fq";
    let bases = [
        ("qc r1.fq -o o1.fq", 3000),
        (pairs, 6000),
        (&format!("{pairs} --unpaired1 u1.fq"), 6000),
        (&format!("{pairs} --unpaired2 u2.fq"), 6000),
        (
            &format!("{pairs} --unpaired1 u1.fq --unpaired2 u2.fq"),
            6000,
        ),
        (&format!("{merging} -o o1.fq -O o2.fq"), 6000),
        (
            &format!("{merging} -o o1.fq -O o2.fq --unpaired1 u1.fq"),
            6000,
        ),
        (&format!("{merging} --include_unmerged"), 6000),
        (merging, 6000),
    ];
    let more = [
        "",
        "-D",
        "-D -y -l 80 --length_limit 95 -n 0",
        "-D --filter_by_index1 list -A",
        "--filter_by_index1 list -3 -c",
    ];
    let mut seen = [0; 4];
    for (base, before) in bases {
        for more in more {
            let line = format!("{base} --failed_out f.fq {more}");
            for name in outputs.iter().chain(&["f.fq"]) {
                place.write(name, "");
            }
            let said = place
                .ok(&line.split_whitespace().collect::<Vec<_>>())
                .stderr;
            let json = of_run(&place);
            let [written, merged, in_files] = outputs.map(|name| place.read(name)).iter().fold(
                [0; 3],
                |[written, merged, in_files], text| {
                    let (reads, records) = (reads(text), records(text));
                    [
                        written + reads,
                        merged + reads - records,
                        in_files + records,
                    ]
                },
            );
            let failed = reads(&place.read("f.fq"));
            assert_eq!(
                number(&json, "/summary/before_filtering/total_reads"),
                before
            );

            // Every read has one place in the verdicts.
            let result = json["filtering_result"].as_object().unwrap();
            let all = result
                .iter()
                .filter(|(name, _)| !name.starts_with("corrected"));
            let all: usize = all.map(|(_, count)| count.as_u64().unwrap() as usize).sum();
            assert_eq!(all, before, "{line}: {result:?}");
            let passed = number(&json, "/filtering_result/passed_filter_reads");
            let unwritten = number(&json, "/merging/unmerged_reads_not_written");
            assert_eq!(passed, written + unwritten, "{line}: {result:?}");
            let by_index = number(&json, "/filtering_result/removed_by_index_reads");
            assert_eq!(before, passed + failed + by_index, "{line}: {result:?}");

            // What is in the statistics, and what is told besides.
            let after = number(&json, "/summary/after_filtering/total_reads");
            let unmerged = number(&json, "/unmerged_after_filtering/total_reads");
            assert_eq!(after + unmerged, in_files, "{line}");
            if line.contains("-m ") {
                assert_eq!(number(&json, "/merging/merged_pairs"), merged, "{line}");
                let others = number(&json, "/merging/unmerged_reads_written");
                assert_eq!(2 * merged + others, written, "{line}");
            }

            // The screen and the page say the same.
            let thousands = |number: usize| match number {
                1000.. => format!("{},{:03}", number / 1000, number % 1000),
                _ => number.to_string(),
            };
            let pass = format!("{} of {} reads pass", thousands(passed), thousands(before));
            assert!(said.contains(&pass), "{line}: {pass}: {said}");
            let copies = number(&json, "/filtering_result/removed_duplicate_reads");
            let html = String::from_utf8(place.report("html")).unwrap();
            for (name, count, is_shown) in [
                ("Passed", passed, true),
                ("Removed as duplicates", copies, line.contains("-D")),
                ("Removed by index", by_index, line.contains("index")),
            ] {
                let row = format!(
                    "</span>{name}</td><td class=\"n\">{}</td>",
                    thousands(count)
                );
                assert_eq!(html.contains(&row), is_shown, "{line}: {row}");
            }
            assert!(!html.contains("Copies removed"), "{line}");
            let is_said = said.contains("of unmerged pairs not written");
            assert_eq!(is_said, unwritten > 0, "{line}: {said}");
            for (sum, part) in seen.iter_mut().zip([copies, by_index, unwritten, merged]) {
                *sum += part;
            }
        }
    }
    assert!(seen.iter().all(|number| *number > 500), "{seen:?}");
}

/// fastp counts copies among what passes, and unpaired reads with their mates among what fails.
#[test]
fn as_fastp_reports_have_the_numbers_of_fastp() {
    let place = mixed_pairs();
    for version in ["--fastp-compat", "--fastp-compat=0.23"] {
        let line = "qc r1.fq r2.fq -o o1.fq -O o2.fq -D --filter_by_index1 list -t 8";
        let words: Vec<&str> = line.split(' ').chain([version]).collect();
        let said = place.ok(&words).stderr;
        let json = of_run(&place);
        let written = records(&place.read("o1.fq")) + records(&place.read("o2.fq"));
        assert_eq!(
            number(&json, "/summary/after_filtering/total_reads"),
            written
        );
        assert!(number(&json, "/filtering_result/passed_filter_reads") > written);
        let result = json["filtering_result"].as_object().unwrap();
        assert!(
            !result.keys().any(|key| key.contains("removed")),
            "{result:?}"
        );
        assert!(json["tail_trimming"].is_null(), "{version}");
        assert!(!said.contains("threads"), "{said}");
    }
}

#[test]
fn tails_that_were_cut_are_not_taken_for_threads() {
    let place = place_of_pairs(300);
    for (line, cut) in [
        ("qc r1.fq -o o.fq -t 8", Some((300, 2400, "2,400"))),
        (
            "qc r1.fq r2.fq -o o.fq -O p.fq -t 8",
            Some((600, 4800, "4,800")),
        ),
        (
            "qc r1.fq r2.fq -o o.fq -O p.fq -T 2",
            Some((300, 600, "600")),
        ),
        (
            "qc r1.fq r2.fq -o o.fq -O p.fq -t 3 -T 2 -3",
            Some((600, 1500, "1,500")),
        ),
        // Of a read that is shorter, all is cut.
        ("qc r1.fq -o o.fq -t 200", Some((300, 30_000, "30,000"))),
        ("qc r1.fq -o o.fq -t 8 -w 2", None),
        ("qc r1.fq -o o.fq -t 8 --threads 2", None),
        ("qc r1.fq -o o.fq -t 8 --thread 2", None),
        ("qc r1.fq -o o.fq -t 0", None),
        ("qc r1.fq -o o.fq --threads 2", None),
    ] {
        let said = place.ok(&line.split(' ').collect::<Vec<_>>()).stderr;
        let json = of_run(&place);
        let html = String::from_utf8(place.report("html")).unwrap();
        let told = said
            .lines()
            .find(|line| line.contains("the number of threads is -w"));
        assert_eq!(told.is_some(), cut.is_some(), "{line}: {said}");
        assert_eq!(json["tail_trimming"].is_object(), cut.is_some(), "{line}");
        assert_eq!(
            html.contains("the number of threads is -w"),
            cut.is_some(),
            "{line}"
        );
        let Some((reads, bases, written)) = cut else {
            continue;
        };
        assert_eq!(json["tail_trimming"]["trimmed_reads"], reads, "{line}");
        assert_eq!(json["tail_trimming"]["trimmed_bases"], bases, "{line}");
        assert!(
            told.unwrap().contains(&format!("cut {written} bases from")),
            "{said}"
        );
        assert!(
            json["tail_trimming"]["note"]
                .as_str()
                .unwrap()
                .contains("-w")
        );
    }
}

/// Through process substitution, descriptors and named pipes, with reports that are named and that are not, in every mode.
#[test]
fn multiqc_tells_samples_apart_that_come_through_pipes() {
    let place = Place::new();
    place.write("reads.fq", fastq(20));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastp")).unwrap();
    let quiet = "-h /dev/null --quiet";
    let script = |name: &str, line: &str| {
        let Ended { code, stderr, .. } = place.shell(&format!("set -e\n{line}"));
        assert_eq!(code, Some(0), "{name}: {stderr}");
    };
    let mut wanted = Vec::new();
    let mut run = |name: &str, line: &str, sample: &str, command: &str| {
        script(name, &line.replace("NAME", name));
        let file = match name.starts_with("dir") {
            true => format!("{name}/fastp.json"),
            false => format!("{name}.fastp.json"),
        };
        let told = json(&place, &file)["command"].as_str().unwrap().to_owned();
        assert!(told.contains(command), "{name}: {told}");
        assert!(!told.contains("/fd/"), "{name}: {told}");
        wanted.push(sample.to_owned());
    };
    let pair = "<(cat reads.fq) <(cat reads.fq) -o NAME.1.fq -O NAME.2.fq -j NAME.fastp.json";
    let named =
        "-i <(cat reads.fq) -I <(cat reads.fq) -o NAME.1.fq -O NAME.2.fq -j NAME.fastp.json";
    let descriptors = "/dev/fd/8 /proc/self/fd/9 -o NAME.1.fq -O NAME.2.fq -j NAME.fastp.json 8<reads.fq 9< <(cat reads.fq)";
    let fifos = "mkfifo 1.fifo 2.fifo; (cat reads.fq >1.fifo & cat reads.fq >2.fifo &); \
                 $THALWEG qc 1.fifo 2.fifo -o NAME.1.fq -O NAME.2.fq -j NAME.fastp.json -h /dev/null --quiet; rm 1.fifo 2.fifo";
    for name in ["A", "B"] {
        run(
            name,
            &format!("$THALWEG qc {pair} {quiet}"),
            name,
            "qc --in1=fd:",
        );
    }
    for name in ["C", "D"] {
        run(
            name,
            &format!("$THALWEG qc {named} {quiet}"),
            name,
            "--in2=fd:",
        );
    }
    for name in ["E", "F"] {
        run(
            name,
            &format!("$THALWEG qc {descriptors} {quiet}"),
            name,
            "--in1=fd:8 --in2=fd:9",
        );
    }
    for name in ["G", "H"] {
        run(name, fifos, name, "--in1=1.fifo --in2=2.fifo -o");
    }
    for name in ["I", "J"] {
        run(
            name,
            &format!("./fastp {named} -h /dev/null 2>/dev/null"),
            name,
            "--in1=fd:",
        );
    }
    for name in ["K", "L"] {
        let line = format!("$THALWEG qc -i - -o NAME.fq -j NAME.fastp.json {quiet} <reads.fq");
        run(name, &line, name, "qc --stdin -o");
    }
    for name in ["M", "N"] {
        let line =
            format!("$THALWEG qc -i /dev/stdin -o NAME.fq -j NAME.fastp.json {quiet} <reads.fq");
        run(name, &line, name, "qc --in1=/dev/stdin -o");
    }
    // Where the report has no name, that of the output with its directory, or of the directory alone.
    for (name, output, sample) in [
        ("dir1", "-o lake_R1.fq -O lake_R2.fq", "pipe:dir1_lake_R1"),
        ("dir5", "-o lake_R1.fq -O lake_R2.fq", "pipe:dir5_lake_R1"),
        ("dir2", "-o pond_R1.fq -O pond_R2.fq", "pipe:dir2_pond_R1"),
        ("dir3", "", "pipe:dir3"),
        ("dir4", "", "pipe:dir4"),
    ] {
        let line = format!(
            "mkdir NAME; cd NAME; $THALWEG qc <(cat ../reads.fq) <(cat ../reads.fq) {output} {quiet}"
        );
        run(name, &line, sample, "qc -i pipe:");
    }
    let multiqc = std::env::var_os("THALWEG_MULTIQC").unwrap_or("multiqc".into());
    let ended = Command::new(multiqc)
        .args(["--quiet", "--module", "fastp", "--no-report", "."])
        .args(["--data-format", "json", "--outdir", "report"])
        .current_dir(place.path("."))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = ended else {
        println!("SKIPPED: multiqc_tells_samples_apart_that_come_through_pipes: no multiqc");
        return;
    };
    assert!(output.status.success());
    let data = json(&place, "report/multiqc_data/multiqc_data.json");
    let samples = &data["report_saved_raw_data"]["multiqc_fastp"];
    let mut names: Vec<&String> = samples.as_object().unwrap().keys().collect();
    names.sort();
    wanted.sort();
    assert_eq!(names, wanted.iter().collect::<Vec<_>>());
}

#[test]
fn reports_are_named_after_the_sample_and_tell_of_it() {
    let place = Place::new();
    let reads = fastq(200);
    let lanes =
        ["L001_R1", "L001_R2", "L002_R1", "L002_R2"].map(|lane| format!("S7_{lane}_001.fastq"));
    for lane in &lanes {
        place.write(lane, &reads);
    }
    let [a, b, c, d] = &lanes;
    let line = format!("qc -i {a} -I {b} -i {c} -I {d} -o o1.fq -O o2.fq -f 3 -t 2 -w 1");
    let words: Vec<&str> = line.split(' ').collect();
    let mut command = place.command(&words);
    let told = command
        .env("SOURCE_DATE_EPOCH", "1795651200")
        .output()
        .unwrap();
    assert!(told.status.success());
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(
        told.contains("reports: S7.fastp.json, S7.fastp.html"),
        "{told}"
    );
    let html = String::from_utf8(place.read("S7.fastp.html")).unwrap();
    let head = html.split("<nav>").next().unwrap();
    for part in [
        "<title>S7: thalweg qc report</title>",
        "<h1>S7: thalweg qc report</h1>",
        "Sample S7",
        "2026-11-26",
        "<code>S7_L002_R2_001.fastq</code>",
    ] {
        assert!(head.contains(part), "{part}: {head}");
    }
    // Every read loses 3 bases at its start, and 2 of its tail.
    for (name, bases) in [
        ("Bases cut from the start (-f, -F)", "2,400"),
        ("Bases cut from the end (-t, -T)", "1,600"),
    ] {
        let row = format!("<td>{name}</td><td class=\"n\">800</td><td class=\"n\">{bases}</td>");
        assert!(html.contains(&row), "{row}");
    }
    // Values of the charts, for who points at them.
    assert!(
        html.contains("<title>position in read 1: A ") && html.contains("<title>quality 40: "),
        "no values"
    );

    // As fastp, as before.
    let words = [&words[..], &["--fastp-compat"]].concat();
    place.ok(&words);
    assert!(place.path("fastp.json").exists() && place.path("fastp.html").exists());
    // A sample without a name.
    let place = Place::new();
    place.feed(&["qc", "--stdin", "-o", "o.fq"], &reads);
    assert!(place.path("fastp.json").exists());
}

#[test]
fn the_command_line_can_be_pasted() {
    let place = Place::new();
    place.write("my reads.fq", fastq(50));
    let words = ["qc", "my reads.fq", "-o", "it's.fq", "-R", "a $b"];
    place.ok(&words);
    let told = json(&place, "my reads.fastp.json");
    let command = told["command"].as_str().unwrap();
    let (_, command) = command.split_once(' ').unwrap();
    assert_eq!(command, r"qc -i 'my reads.fq' -o 'it'\''s.fq' -R 'a $b'");
    let first = place.read("it's.fq");
    std::fs::remove_file(place.path("it's.fq")).unwrap();
    let again = place.shell(&format!("$THALWEG {command}"));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(place.read("it's.fq"), first);
}

#[test]
fn few_reads_that_pass_have_a_likely_cause() {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    for (option, hint) in [
        (&["-l", "5000"][..], "-l allows"),
        (&["-l", "1", "--length_limit", "2"], "--length_limit allows"),
        (&["-q", "60", "-u", "1"], "--cut_right"),
    ] {
        let words = [&["qc", "a.fq", "-A", "-o", "o.fq"], option].concat();
        let told = place.ok(&words).stderr;
        let line = told
            .lines()
            .find(|line| line.contains("note: fewer than half of the reads pass: "));
        assert!(line.is_some_and(|line| line.contains(hint)), "{told}");
        let html = String::from_utf8(place.read("a.fastp.html")).unwrap();
        assert!(
            html.contains("Fewer than half of the reads pass: "),
            "{option:?}"
        );
    }
    let told = place
        .ok(&["qc", "a.fq", "-A", "-Q", "-L", "-o", "o.fq"])
        .stderr;
    assert!(!told.contains("half"), "{told}");
}

/// Lanes, or mates, of single reads that are cleaned one after the other in one folder: the last has the reports.
#[test]
fn reports_that_are_replaced_are_told() {
    let place = Place::new();
    for name in ["S_L001_R1.fq", "S_L002_R1.fq", "S_R2.fq", "T.fq"] {
        place.write(name, fastq(100));
    }
    let told = |words: &[&str]| {
        let told = place.ok(words).stderr;
        let is_note = |line: &&str| line.contains("will be overwritten");
        told.lines().find(is_note).unwrap_or_default().to_owned()
    };
    assert_eq!(told(&["qc", "S_L001_R1.fq", "-o", "o.fq"]), "");
    for name in ["S_L002_R1.fq", "S_R2.fq"] {
        assert_eq!(
            told(&["qc", name, "-o", "o.fq"]),
            "thalweg: note: S.fastp.json and S.fastp.html: these reports exist and will be overwritten; \
             -j FILE and -h FILE choose other names"
        );
    }
    let json = ["qc", "S_R2.fq", "-j", "mine.json"];
    assert_eq!(
        told(&json),
        "thalweg: note: S.fastp.html: this report exists and will be overwritten; -h FILE chooses another name"
    );
    // Whoever has named it knows; of others there is nothing to be said.
    for words in [
        &["qc", "S_R2.fq", "-j", "mine.json", "-h", "mine.html"][..],
        &["qc", "S_R2.fq", "-j", "S.fastp.json", "-h", "S.fastp.html"],
        &["qc", "T.fq"],
        &["qc", "S_R2.fq", "--no_report"],
        &["qc", "S_R2.fq", "--quiet"],
        &["qc", "T.fq", "--fastp-compat"],
        &["qc", "T.fq", "--fastp-compat"],
    ] {
        assert_eq!(told(words), "", "{words:?}");
    }
}
