//! What `thalweg qc` refuses or leaves alone, where fastp does not.

use crate::qc_compat::{has_fastp, place};
use crate::support::{Place, fastq_with, random};

/// Reads with tails of G and adapters, which fastp finds out by looking at the first of them, but not of its standard input,
/// be it a file.
#[test]
fn fastp_looks_at_no_reads_of_its_standard_input() {
    let place = Place::new();
    let mut below = random(3);
    let reads: Vec<String> = (0..12_000)
        .map(|number| {
            let mut bases: String = (0..70).map(|_| char::from(b"ACGT"[below(4)])).collect();
            bases.push_str(match number % 3 {
                0 => "GGGGGGGGGGGGGGGGGGGGGGGGGGGGGG",
                _ => "AGATCGGAAGAGCACACGTCTGAACTCCAG",
            });
            format!(
                "@NB501788:53:FLOW:1:1101:7:{number}\n{bases}\n+\n{}\n",
                "I".repeat(100)
            )
        })
        .collect();
    place.write("in.fq", reads.concat());
    let mut programs = vec![
        "$THALWEG qc --fastp-compat=0.23",
        "$THALWEG qc --fastp-compat",
    ];
    if has_fastp() {
        programs.push("fastp --dont_eval_duplication");
    }
    let is_untouched = |program: &str, input: &str, given: &str| {
        let line = format!("{program} {input} -o o.fq -w 1 {given}");
        assert_eq!(place.shell(&line).code, Some(0), "{line}");
        if input.ends_with("stdin") && program.contains("fastp") {
            let report: serde_json::Value = serde_json::from_slice(&place.report("json")).unwrap();
            let wanted = serde_json::json!({
                "adapter_trimmed_reads": 0,
                "adapter_trimmed_bases": 0,
                "read1_adapter_sequence": "unspecified",
                "read1_adapter_counts": {},
            });
            assert_eq!(report["adapter_cutting"], wanted, "{line}");
        }
        place.read("o.fq") == reads.concat().as_bytes()
    };
    for program in programs {
        for input in ["--stdin", "-i /dev/stdin"] {
            for given in ["< in.fq", "< <(cat in.fq)"] {
                assert!(
                    is_untouched(program, input, given),
                    "{program} {input} {given}"
                );
            }
        }
        for (input, given) in [("-i in.fq", ""), ("-i /dev/fd/0", "< in.fq")] {
            assert!(!is_untouched(program, input, given), "{program} {input}");
        }
    }
    assert!(!is_untouched("$THALWEG qc", "--stdin", "< in.fq"));
}

/// Values and words that fastp understands somehow, which are mistakes where it is not followed.
#[test]
fn what_only_fastp_takes_is_refused_by_the_default_mode() {
    let place = Place::new();
    place.write("r.fq", fastq_with(10, ""));
    for (line, word) in [
        ("-w 0", "from 1 to"),
        ("-y -Y 150", "from 0 to 100"),
        ("--dup_calc_accuracy 9", "from 0 to 6"),
        ("extra", "cannot be used with"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let line = [&["qc", "-i", "r.fq", "-o", "o.fq"][..], &words].concat();
        place.fails_without_hint(&line, 2, word);
        let ended = place.ok(&[&line[..], &["--fastp-compat"]].concat());
        let is_told = ended.stderr.contains("note: extra is ignored, as in fastp");
        assert_eq!(is_told, words == ["extra"], "{}", ended.stderr);
    }
    for line in [
        &["qc", "--fastp-compat", "r.fq", "r.fq", "r.fq"][..],
        &["qc", "--fastp-compat", "r.fq", "-I", "r.fq"],
    ] {
        place.fails(line, 2, &["too many inputs"]);
    }
    // And what both take.
    for line in [
        &["-U", "--umi_loc", "Read1", "--umi_len", "4"][..],
        &["-L", "--length_limit", "10"],
    ] {
        for mode in [&[][..], &["--fastp-compat"]] {
            place.ok(&[&["qc", "-i", "r.fq", "-o", "o.fq"], line, mode].concat());
            assert_eq!(
                place
                    .read("o.fq")
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count(),
                40
            );
        }
    }
}

#[test]
fn the_default_mode_refuses_what_contradicts_itself() {
    let place = place();
    for (line, words) in [
        ("--stdout -o a.fq -O b.fq", "--stdout leaves nothing for -o"),
        ("--merged_out m.fq", "--merged_out needs --merge"),
        (
            "-m --merged_out m.fq -o a.fq",
            "one of -o and -O is missing",
        ),
        (
            "-m --merged_out m.fq -O b.fq",
            "one of -o and -O is missing",
        ),
        ("--length_limit 10", "--length_limit"),
        (
            "--overlap_len_require 0",
            "--overlap_len_require: at least 1",
        ),
        (
            "--include_unmerged",
            "--include_unmerged: only together with --merge",
        ),
    ] {
        let words_of = |line: &str| format!("qc -i r1.fq -I r2.fq {line}");
        let line = words_of(line);
        let arguments: Vec<&str> = line.split(' ').collect();
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{line}: {}", ended.stderr);
    }
    place.fails(&["qc", "--stdin", "-i", "r1.fq"], 2, &["--stdin and -i"]);
    let given_twice = place.run(&["qc", "r1.fq", "-j", "x", "-j", "y"]);
    assert_eq!(given_twice.code, Some(2), "{}", given_twice.stderr);
    assert!(
        given_twice.stderr.contains("--json"),
        "{}",
        given_twice.stderr
    );
}

#[test]
fn negative_numbers_are_answered_with_the_range() {
    let place = place();
    for (words, option, range) in [
        (["-q", "-1"], "--qualified_quality_phred", "from 0 to 93"),
        (["-q", "94"], "--qualified_quality_phred", "from 0 to 93"),
        (["-l", "-5"], "--length_required", "of at least 0"),
        (["--length_limit", "-10"], "--length_limit", "of at least 0"),
        (["-s", "-3"], "--split", "from 2 to 999"),
        (["-W", "-4"], "--cut_window_size", "from 1 to 1000"),
        (["-w", "-2"], "--thread", "from 1 to"),
        (
            ["-P", "0"],
            "--overrepresentation_sampling",
            "from 1 to 10000",
        ),
        (["--memory", "-1000"], "--memory", "more than 0"),
        (["-z", "-4"], "--compression", "1 (fastest)"),
    ] {
        for mode in [&[][..], &["--fastp-compat"]] {
            let ended = place.run(&[&["qc", "r1.fq"], &words[..], mode].concat());
            assert_eq!(ended.code, Some(2), "{words:?}: {}", ended.stderr);
            for said in [option, words[1], range] {
                assert!(ended.stderr.contains(said), "{words:?}: {}", ended.stderr);
            }
            assert!(!ended.stderr.contains("'--'"), "{}", ended.stderr);
            assert!(!ended.stderr.contains("-- -"), "{}", ended.stderr);
        }
    }
    // Options that look like numbers are options still.
    place.ok(&["qc", "r1.fq", "-5", "-3", "-q", "20", "-2"]);
    for words in [
        &["count", "-k", "-5", "r1.fq"][..],
        &["cat", "--records", "-5", "r1.fq"],
        &["kmers", "merge", "-L", "-1", "x"],
    ] {
        let ended = place.run(words);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("invalid value '-"),
            "{}",
            ended.stderr
        );
    }
}
