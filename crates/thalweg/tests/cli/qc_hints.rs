//! What `thalweg qc` says of what looks like a mistake, and what it leaves when it is interrupted.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Place, fastq, fastq_with};

#[test]
fn mates_in_the_wrong_order_are_named() {
    let place = Place::new();
    for (file, suffix) in [
        ("1.fq", "/1"),
        ("2.fq", "/2"),
        ("first.fq", " 1:N:0:ACGT"),
        ("second.fq", " 2:N:0:ACGT"),
        ("none.fq", ""),
    ] {
        place.write(file, fastq_with(10, suffix));
    }
    let name = |mate| format!("@r/{mate}\nACGTACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIII\n");
    place.write("mixed.fq", name(1) + &name(2));
    place.write("swapped.fq", name(2) + &name(1));
    for (inputs, said) in [
        (&["1.fq", "2.fq"][..], None),
        (&["first.fq", "second.fq"], None),
        (&["none.fq", "2.fq"], None),
        (&["1.fq", "none.fq"], None),
        (&["2.fq"], None),
        (
            &["2.fq", "1.fq"],
            Some("the names in 2.fq are those of read 2, and those in 1.fq of read 1; name"),
        ),
        (
            &["second.fq", "first.fq"],
            Some("the names in second.fq are those of read 2, and those in first.fq of read 1"),
        ),
        (
            &["1.fq", "first.fq"],
            Some("1.fq and first.fq both hold read 1"),
        ),
        (
            &[
                "-i",
                "1.fq",
                "-I",
                "2.fq",
                "-i",
                "second.fq",
                "-I",
                "first.fq",
            ],
            Some("the names in second.fq are those of read 2"),
        ),
        (&["--interleaved_in", "mixed.fq"], None),
        (
            &["--interleaved_in", "swapped.fq"],
            Some("swapped.fq: the first read is named as read 2"),
        ),
    ] {
        let ended = place.ok(&[&["qc"], inputs].concat());
        let warning = ended.stderr.lines().find(|line| line.contains("warning"));
        match said {
            None => assert_eq!(warning, None, "{inputs:?}"),
            Some(said) => assert!(
                warning.is_some_and(|warning| warning.contains(said)),
                "{inputs:?}: {warning:?}"
            ),
        }
        for silent in ["--quiet", "--fastp-compat"] {
            let ended = place.ok(&[&["qc", silent], inputs].concat());
            assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
        }
    }
}

#[test]
fn qualities_that_count_from_elsewhere_are_doubted() {
    let place = Place::new();
    const FROM_64: &str = "if they count from 64, use --phred64";
    const FROM_33: &str = "is --phred64 right";
    for (qualities, option, said) in [
        // Illumina 1.5: B at the ends of reads, up to 40.
        ("hhhhhhhhgfeehhhfabTSBBBB", "", Some(FROM_64)),
        ("hhhhhhhhgfeehhhfabTSBBBB", "--phred64", None),
        // Illumina 1.8.
        ("IIIIIIIIHGFEIIIG5:?#####", "", None),
        ("IIIIIIIIIIIIIIIIIIIIIIII", "", None),
        ("JJJJJJJJJJJJJJJJJJJJJJJJ", "", None),
        ("IIIIIIIIIIIIIIIIIIIIIIII", "--phred64", Some(FROM_33)),
        ("FFFFFFFFFFFFFFFF:FFFFFFF", "--phred64", Some(FROM_33)),
        // PacBio HiFi, alone at its best and not.
        ("~~~~~~~~~~~~~~~~~~~~~~~~", "", None),
        ("~~~~~~~~~~~p~~~~~~7~~~~~", "", None),
        // Instruments that go beyond J.
        ("SSSSSSSSSSSSRRRRRRSSSS,S", "", None),
    ] {
        let read = format!("@r\nACGTTGCATTAGGCATTCAGGATC\n+\n{qualities}\n");
        place.write("r.fq", read);
        let arguments = ["qc", "r.fq", "-o", "o.fq", option];
        let given = if option.is_empty() { 4 } else { 5 };
        let ended = place.ok(&arguments[..given]);
        for hint in [FROM_64, FROM_33] {
            let (is_said, wanted) = (ended.stderr.contains(hint), said == Some(hint));
            assert_eq!(is_said, wanted, "{qualities} {option}: {}", ended.stderr);
        }
    }
}

/// Sound long reads have many bases of low quality: a warning says what to type, and nothing advises to cut them by it.
#[test]
fn long_reads_that_fail_by_limits_for_short_ones_are_warned_of() {
    let place = Place::new();
    // Half of the bases have quality 10, and the others 20; one read in ten is worse.
    let read = |number: usize, length: usize| {
        let bases = "ACGTTGCAGT".repeat(length / 10);
        let qualities = if number.is_multiple_of(10) {
            "'5"
        } else {
            "+5"
        };
        let qualities = qualities.repeat(length / 2);
        format!("@r{number}\n{bases}\n+\n{qualities}\n")
    };
    let write = |name: &str, length: usize| {
        let text: String = (0..400)
            .map(|number| read(number, if number % 20 == 0 { length } else { 400 }))
            .collect();
        place.write(name, text);
    };
    write("long.fq", 5000);
    write("short.fq", 400);
    let run = |options: &[&str]| {
        let ended = place.ok(&[&["qc", "-o", "o.fq", "-h", "h.html"], options].concat());
        let kept = place
            .read("o.fq")
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            / 4;
        let page = String::from_utf8(place.read("h.html")).unwrap();
        (kept, ended.stderr, page)
    };
    let (kept, said, page) = run(&["long.fq"]);
    assert_eq!(kept, 0);
    let warning = "warning: these are long reads, and 400 of 400 fail the quality filter, whose limits (-q 15, -u 40) \
                   are for short reads: -Q switches it off, and with -q 7 only the worst reads fail\n";
    assert!(said.contains(warning), "{said}");
    assert!(
        !said.contains("--cut_right") && !said.contains("fewer than half"),
        "{said}"
    );
    assert!(page.contains("-Q switches it off") && !page.contains("--cut_right cuts"));
    // It is heard by whoever wants to hear of errors only, and stands in no way of what it says.
    assert!(run(&["long.fq", "--quiet"]).1.contains(warning));
    for (options, wanted) in [(&["-Q"][..], 400), (&["-q", "7"], 360)] {
        let (kept, said, _) = run(&[&["long.fq"], options].concat());
        assert_eq!(kept, wanted, "{options:?}");
        assert!(!said.contains("long reads"), "{said}");
    }
    // Short reads of such qualities are bad.
    let (_, said, page) = run(&["short.fq"]);
    assert!(
        !said.contains("long reads") && said.contains("--cut_right"),
        "{said}"
    );
    assert!(page.contains("--cut_right cuts"));
    let (_, said, _) = run(&["long.fq", "--fastp-compat"]);
    assert!(!said.contains("long reads"), "{said}");
}

#[test]
fn options_that_change_nothing_are_noted() {
    let place = Place::new();
    for mate in ["1", "2"] {
        place.write(&format!("{mate}.fq"), fastq(10));
    }
    let (single, paired) = (&["qc", "1.fq"][..], &["qc", "1.fq", "2.fq"][..]);
    for (inputs, options, noted) in [
        (single, &["-c"][..], Some("--correction has no effect")),
        (paired, &["-c"], None),
        (
            single,
            &["-2"],
            Some("adapters of single reads are always detected"),
        ),
        (paired, &["-2"], None),
        (paired, &["-2", "-A"], Some("--disable_adapter_trimming")),
        (single, &["-F", "3"], Some("--trim_front2")),
        (paired, &["-F", "3"], None),
        (
            single,
            &["--overlap_len_require", "20"],
            Some("--overlap_len_require"),
        ),
        (paired, &["--overlap_len_require", "20"], None),
        (single, &["-W", "8"], Some("none of --cut_front")),
        (single, &["-W", "8", "--cut_right"], None),
        (single, &["-Y", "20"], Some("--low_complexity_filter")),
        (single, &["-Y", "20", "-y"], None),
        (single, &["--umi_len", "4"], Some("--umi is not given")),
        (single, &["-P", "1"], Some("--overrepresentation_analysis")),
        (single, &["-L", "-l", "40"], Some("--length_required")),
        (
            single,
            &["-L", "--length_limit", "10"],
            Some("--length_limit"),
        ),
        (
            single,
            &["-Q", "-q", "30"],
            Some("--qualified_quality_phred"),
        ),
        (single, &["-Q", "-e", "20"], Some("--average_qual")),
        (
            single,
            &["-A", "-a", "ACGTACGT"],
            Some("--adapter_sequence"),
        ),
        (single, &["--umi_skip", "2"], Some("--umi is not given")),
        (single, &["-p", "--no_report"], Some("--no_report is given")),
        (single, &[], None),
    ] {
        let ended = place.ok(&[inputs, options].concat());
        let mut lines = ended.stderr.lines();
        // That there are few reads, that they go nowhere, and that reports of another run are there holds of most of these.
        let others = [
            "too few reads",
            "fewer than half of the reads pass",
            "no reads are written",
            "will be overwritten",
        ];
        let is_other = |line: &str| others.iter().any(|other| line.contains(other));
        let note = lines.find(|line| line.contains("note: ") && !is_other(line));
        match noted {
            None => assert_eq!(note, None, "{options:?}"),
            Some(words) => assert!(
                note.is_some_and(|note| note.contains(words)),
                "{options:?}: {note:?}"
            ),
        }
        // fastp says nothing.
        let ended = place.ok(&[inputs, options, &["--fastp-compat"]].concat());
        assert!(!ended.stderr.contains("note: "), "{}", ended.stderr);
    }
}

#[test]
fn help_and_levels_that_fastp_has_not_are_explained() {
    let place = Place::new();
    place.write("r.fq", fastq(10));
    for (arguments, words) in [
        (&["-h"][..], "hint: -h sets the HTML report, as in fastp"),
        (&["r.fq", "-o", "o.fq", "-h"], "for help, use --help"),
        (&["r.fq", "-z", "0"], "name the output without .gz"),
        (&["r.fq", "-z", "13"], "levels are 1 (fastest) to 12"),
        (&["r.fq", "-z", "300"], "levels are 1 (fastest) to 12"),
        (&["r.fq", "-z", "best"], "levels are 1 (fastest) to 12"),
    ] {
        place.fails_without_hint(&[&["qc"], arguments].concat(), 2, words);
    }
    let ended = place.run(&["qc", "r.fq", "-o"]);
    assert!(!ended.stderr.contains("HTML"), "{}", ended.stderr);
}

#[test]
fn reports_have_the_title_of_their_maker() {
    let place = Place::new();
    place.write("r.fq", fastq(10));
    for (options, title) in [
        (&[][..], "r: thalweg qc report"),
        (&["--fastp-compat"], "fastp report"),
        (&["--fastp-compat=0.23"], "fastp report"),
        (&["-R", "lane 1"], "lane 1"),
        (&["-R", "lane 1", "--fastp-compat"], "lane 1"),
    ] {
        place.ok(&[&["qc", "r.fq"], options].concat());
        let html = String::from_utf8(place.report("html")).unwrap();
        assert!(
            html.contains(&format!("<title>{title}")),
            "{options:?} has not the title {title}"
        );
    }
}

/// The name of the sample, for inputs that no option names. `THALWEG_MULTIQC` names a MultiQC that is
/// not in PATH.
#[test]
fn multiqc_finds_the_sample() {
    let place = Place::new();
    for mate in ["1", "2"] {
        place.write(&format!("lake_R{mate}.fq"), fastq(10));
    }
    place.write("pond.fq", fastq(10));
    for (arguments, json, command) in [
        (
            &["-c", "lake_R1.fq", "lake_R2.fq", "-w", "1"][..],
            "pair.fastp.json",
            "qc -c -i lake_R1.fq -I lake_R2.fq -w 1 -j",
        ),
        (&["pond.fq"], "one.fastp.json", "qc -i pond.fq -j"),
        (
            &["--no-progress", "-"],
            "ditch.fastp.json",
            "qc --no-progress --stdin -j",
        ),
    ] {
        let line = [&["qc"], arguments, &["-j", json]].concat();
        let ended = place.feed(&line, &fastq(10));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let json: serde_json::Value = serde_json::from_slice(&place.read(json)).unwrap();
        let found = json["command"].as_str().unwrap();
        assert!(found.contains(command), "{found}");
    }
    let multiqc = std::env::var_os("THALWEG_MULTIQC").unwrap_or("multiqc".into());
    let mut run = Command::new(multiqc);
    run.args(["--quiet", "--module", "fastp", "--no-report", "."])
        .args(["--data-format", "json", "--outdir", "report"])
        .current_dir(place.path("."));
    let Ok(output) = run.output() else {
        println!("skipped: no multiqc");
        return;
    };
    assert!(output.status.success());
    let data = place.read("report/multiqc_data/multiqc_data.json");
    let data: serde_json::Value = serde_json::from_slice(&data).unwrap();
    let samples = &data["report_saved_raw_data"]["multiqc_fastp"];
    let mut names: Vec<&String> = samples.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["ditch", "lake", "pond"]);
}

/// What comes later is not looked at.
#[test]
fn outputs_that_cannot_be_are_told_at_once() {
    let place = Place::new();
    place.write("r.fq", "@r\nACGT\n+\nIIII\nno record\n");
    place.fails(&["qc", "r.fq", "-o", "none/o.fq"], 2, &["none/o.fq"]);
    place.fails(&["qc", "r.fq", "-o", "o.fq"], 1, &["r.fq"]);
}

/// Files of split output have temporary names, also those that are made later.
#[test]
fn signals_leave_no_split_files() {
    for split in [&["--split_by_lines", "1000"][..], &["--split", "30"]] {
        let place = Place::new();
        let pipe = place.path("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let mut child = place
            .command(&["qc", "--quiet", "-A", "pipe", "-o", "o.fq.gz", "-w", "2"])
            .args(split)
            .spawn()
            .unwrap();
        // It has what we write, and waits for more; no first reads are looked at before that.
        let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
        writer.write_all(&fastq(30_000)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while place.names().len() < 10 {
            assert!(Instant::now() < deadline, "{:?}", place.names());
            std::thread::sleep(Duration::from_millis(10));
        }
        let process = child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &process]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), None);
        drop(writer);
        assert_eq!(place.names(), ["pipe".to_owned()].into(), "{split:?}");
    }
}

#[test]
fn umis_leave_the_names_of_mates_alike() {
    let place = Place::new();
    for mate in ["1", "2"] {
        place.write(&format!("r{mate}.fq"), fastq_with(10, &format!("/{mate}")));
    }
    let umi = ["-U", "--umi_loc", "read1", "--umi_len", "4"];
    let outputs = ["-o", "a.fq", "-O", "b.fq", "-Q", "-L"];
    place.ok(&[&["qc", "r1.fq", "r2.fq"], &outputs[..], &umi].concat());
    for (file, mate) in [("a.fq", "/1"), ("b.fq", "/2")] {
        let text = String::from_utf8(place.read(file)).unwrap();
        let name = text.lines().next().unwrap();
        let (_, umi) = name.strip_suffix(mate).unwrap().rsplit_once(':').unwrap();
        assert!(
            umi.len() == 4 && umi.bytes().all(|base| b"ACGT".contains(&base)),
            "{name}"
        );
    }
    // They are pairs still.
    place.ok(&["qc", "a.fq", "b.fq", "-o", "c.fq", "-O", "d.fq"]);
    // fastp puts the UMI behind the number.
    place.ok(&[
        &["qc", "--fastp-compat", "r1.fq", "r2.fq"],
        &outputs[..],
        &umi,
    ]
    .concat());
    let text = String::from_utf8(place.read("a.fq")).unwrap();
    assert!(text.lines().next().unwrap().contains("/1:"), "{text}");
}

#[test]
fn umis_in_indexes_that_are_not_there_are_noted() {
    let place = Place::new();
    place.write("none.fq", fastq_with(10, ""));
    place.write("some.fq", fastq_with(10, " 1:N:0:ACGTAC+TTGGCC"));
    for (file, location, more, noted) in [
        ("none.fq", "index1", &[][..], true),
        ("none.fq", "per_index", &[], true),
        ("none.fq", "index1", &["--fastp-compat"], false),
        ("none.fq", "index1", &["--quiet"], false),
        ("none.fq", "read1", &["--umi_len", "4"], false),
        ("some.fq", "index1", &[], false),
        ("some.fq", "index2", &[], false),
    ] {
        let words = ["qc", file, "-o", "o.fq", "-U", "--umi_loc", location];
        let ended = place.ok(&[&words[..], more].concat());
        let said = format!("--umi_loc {location}: the first name of {file} has no index");
        assert_eq!(
            ended.stderr.contains(&said),
            noted,
            "{file} {location}: {}",
            ended.stderr
        );
    }
}

#[test]
fn adapters_are_not_missed_where_there_can_be_none() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    place.write("empty.fq", "");
    place.write("bases.fq", "@r\n\n+\n\n".repeat(5));
    place.write("cut.fq", "@r\nACGT\n+\nIIII\n@s\nACGT\n+\n");
    let told = |name: &str| place.run(&["qc", name, "-o", "o.fq", "--no_report"]).stderr;
    let note = "too few reads to detect an adapter";
    assert!(told("a.fq").contains(note));
    for name in ["empty.fq", "bases.fq", "cut.fq"] {
        assert!(!told(name).contains(note), "{name}: {}", told(name));
    }
}
