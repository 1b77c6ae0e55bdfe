use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{CleanSettings, OutputSettings};
use crate::trace::TraceSettings;
use crate::{Control, Fault, Message, MessageKind};

/// Reads of which every third is too short.
fn reads(number: usize) -> String {
    let read = |at: usize| {
        let length = if at.is_multiple_of(3) { 10 } else { 60 };
        let bases: String = (0..length)
            .map(|base| char::from(b"ACGT"[(at * 7 + base * base + base / 3) % 4]))
            .collect();
        format!("@r{at}\n{bases}\n+\n{}\n", "I".repeat(length))
    };
    (0..number).map(read).collect()
}

/// What passes, by the one rule that counts here.
fn passing(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let long = lines.chunks(4).filter(|read| read[1].len() >= 15);
    long.map(|read| read.join("\n") + "\n").collect()
}

fn settings(directory: &Path, text: &str) -> CleanSettings {
    let input = directory.join("reads.fq");
    fs::write(&input, text).unwrap();
    let mut settings = CleanSettings::new([input]);
    settings.steps.disable_adapter_trimming = true;
    settings.outputs.out1 = Some(directory.join("clean.fq"));
    settings
}

#[test]
fn numbers_and_reads_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let text = reads(30_000);
    let mut settings = settings(directory.path(), &text);
    settings.reports.json = Some(directory.path().join("report.json"));
    let told = Mutex::new(Vec::new());
    let position = Mutex::new((0, None));
    let cleaned = settings
        .run(&Control {
            says: Some(&|message| told.lock().unwrap().push(message)),
            progress: Some(&|done, all| *position.lock().unwrap() = (done, all)),
            ..Control::default()
        })
        .unwrap();
    assert_eq!(cleaned.passed(), 20_000);
    assert_eq!(cleaned.counts.filtering.too_short, 10_000);
    assert_eq!(cleaned.before[0].bases(), 20_000 * 60 + 10_000 * 10);
    assert_eq!(cleaned.after[0].bases(), 20_000 * 60);
    let clean = fs::read_to_string(directory.path().join("clean.fq")).unwrap();
    assert!(clean == passing(&text));
    let json = fs::read_to_string(directory.path().join("report.json")).unwrap();
    assert_eq!(json, cleaned.report().json());
    let input = cleaned.settings.in1[0].display().to_string();
    assert!(json.contains(&format!("thalweg qc -i {input}")), "{json}");
    assert!(!directory.path().join("fastp.html").exists());
    let told = told.into_inner().unwrap();
    assert!(
        matches!(&told[..], [only] if only.kind == MessageKind::Detail),
        "{told:?}"
    );
    let (done, all) = position.into_inner().unwrap();
    assert!(done > 0 && all == Some(text.len() as u64), "{done} {all:?}");
}

#[test]
fn what_changes_nothing_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let mut settings = settings(directory.path(), &reads(3));
    settings.steps.poly_x_min_len = 7;
    let told = Mutex::new(Vec::<Message>::new());
    let says = |message| told.lock().unwrap().push(message);
    let control = Control {
        says: Some(&says),
        ..Control::default()
    };
    settings.run(&control).unwrap();
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[1].kind, MessageKind::Note);
    assert_eq!(
        told[1].to_string(),
        "thalweg: note: --poly_x_min_len has no effect: --trim_poly_x is not given"
    );
}

#[test]
fn a_cleaning_that_is_stopped_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut settings = settings(directory.path(), &reads(30_000));
    settings.reports.html = Some(directory.path().join("report.html"));
    settings.outputs.trace = Some(TraceSettings::new(directory.path().join("trace.jsonl")));
    let cancel = AtomicBool::new(false);
    for at_once in [true, false] {
        cancel.store(at_once, Ordering::Relaxed);
        let control = Control {
            progress: Some(&|_, _| cancel.store(true, Ordering::Relaxed)),
            cancel: Some(&cancel),
            ..Control::default()
        };
        let fault = settings.run(&control).unwrap_err();
        assert!(fault.is_cancelled(), "{fault}");
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn a_report_that_fails_is_told_apart_where_the_reads_are_written() {
    if !Path::new("/dev/full").exists() {
        return println!("SKIPPED: a report that fails: no /dev/full");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut settings = settings(directory.path(), &reads(3));
    settings.reports.json = Some("/dev/full".into());
    for (output, is_written) in [(None, false), (Some("/dev/null"), true)] {
        if let Some(output) = output {
            settings.outputs.out1 = Some(output.into());
        }
        let fault = settings.run(&Control::default()).unwrap_err();
        assert_eq!(matches!(fault, Fault::Report(_)), is_written, "{fault:?}");
        assert!(fault.hint().is_some_and(|hint| hint.contains("room")));
        assert!(!directory.path().join("clean.fq").exists());
    }
}

/// A way to ask for what cannot be.
type Change = fn(&mut CleanSettings);

#[test]
fn what_cannot_be_is_told_before_anything_is_opened() {
    let changes: [(Change, &str); 9] = [
        (|s| s.in1.clear(), "no input"),
        (|s| s.in1 = vec!["-".into(), "-".into()], "only once"),
        (
            |s| s.in2 = vec!["a".into(), "b".into()],
            "1 file of read 1, but 2",
        ),
        (|s| s.steps.cut_mean_quality = 0, "cut_mean_quality"),
        (
            |s| s.outputs.split = Some(1),
            "--split: 1 is not in 2 to 999",
        ),
        (
            |s| s.outputs.split_prefix_digits = OutputSettings::SPLIT_DIGITS.end() + 1,
            "--split_prefix_digits: 11",
        ),
        (
            |s| s.reports.overrepresentation_sampling = 0,
            "--overrepresentation_sampling: 0",
        ),
        (
            |s| s.outputs.failed_out = Some("f.fq.xz".into()),
            "output as .xz is not supported",
        ),
        (
            |s| s.adapter_fasta = Some("/nowhere/a.fa".into()),
            "/nowhere/a.fa",
        ),
    ];
    for (change, wanted) in changes {
        let mut settings = CleanSettings::new(["there-is-none.fq"]);
        change(&mut settings);
        let fault = settings.run(&Control::default()).unwrap_err();
        assert!(fault.to_string().contains(wanted), "{fault}, not {wanted}");
        assert!(!fault.is_data());
    }
}
