//! `thalweg verify --faults`, `--mates` and `--interleaved`

use std::path::PathBuf;

use thalweg::Listener;
use thalweg::files::{escape_controls, one_line};
use thalweg::verify::{FaultCode, LintReport, LintSettings};

use super::json;
use crate::input::{self, indexes};
use crate::options::VerifyArguments;
use crate::options::quantity::thousands;
use crate::output::Printer;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

/// The data are at fault.
const DATA: u8 = 1;

/// What to do where one of the files has fewer records.
const OF_SHORTER: &str =
    "the shorter file may be incomplete, the files may not be mates, or only one was filtered";

pub(super) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let common = &arguments.common;
    let settings = settings(arguments);
    indexes::check(&arguments.files, &arguments.index)?;
    settings.check()?;
    let mut printer = Printer::new()?;
    input::tell_of_terminal(&arguments.files, common);
    let reports = heard(common, &arguments.files[0], |control| settings.run(control))?;
    if arguments.json {
        printer.print(&json::of_reports(&reports))?;
    }
    let mut worst = 0;
    for report in reports {
        if !arguments.json {
            printer.print(&to_text(&report))?;
        }
        worst = worst.max(tell(report));
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// What the user has said, as the library takes it.
fn settings(arguments: &VerifyArguments) -> LintSettings {
    let common = &arguments.common;
    let usual = LintSettings::new(&arguments.files);
    let temporary = std::env::var_os("TMPDIR").filter(|path| !path.is_empty());
    LintSettings {
        mates: arguments.mates,
        interleaved: arguments.interleaved,
        disabled: arguments.disable.clone(),
        listed: arguments.list.unwrap_or(usual.listed),
        full: arguments.full,
        indexes: indexes::to_library(&arguments.index),
        budget: input::budget(common),
        check_end: arguments.end.is_wanted(),
        directory: temporary.map_or(usual.directory, PathBuf::from),
        on_wait: (!common.quiet).then(|| Listener::new(input::tell_of_wait)),
        ..usual
    }
}

/// A line for each fault that is listed, and one for each file or pair; before them, whether these are mates at all.
fn to_text(report: &LintReport) -> String {
    let mut text = String::new();
    if report.names_never_agree() {
        text.push_str(&format!("{}: {}\n", names(report), no_mates(report)));
    }
    for fault in &report.faults {
        text.push_str(&format!(
            "{}: {}: {} (record {}, byte {} of the uncompressed data)\n",
            one_line(&report.files[fault.file]),
            fault.code,
            escape_controls(&fault.what, |_| true),
            fault.record + 1,
            fault.offset,
        ));
    }
    let (listed, total) = (report.faults.len() as u64, report.total());
    let unlisted = match total - listed {
        0 => String::new(),
        more => format!("; {} not listed", thousands(more)),
    };
    if total > 0 {
        let codes = report.totals.iter();
        let codes = codes.map(|(code, total)| format!("{code}: {}", thousands(*total)));
        let codes: Vec<String> = codes.collect();
        text.push_str(&format!(
            "{}: {} {} in {} {} ({}{unlisted}){}\n",
            names(report),
            thousands(total),
            if total == 1 { "fault" } else { "faults" },
            thousands(report.records),
            things(report),
            codes.join(", "),
            report.out_of_step.map_or(String::new(), |lacks| {
                format!(
                    "; mates are out of step from record {} on",
                    thousands(lacks.record + 1)
                )
            }),
        ));
    } else if report.is_sound() {
        let records = thousands(report.records);
        text.push_str(&format!(
            "{}: OK ({records} {})\n",
            names(report),
            things(report)
        ));
    } else if report.records > 0 {
        text.push_str(&format!(
            "{}: no faults in the first {} {}\n",
            names(report),
            thousands(report.records),
            things(report)
        ));
    }
    text
}

/// What is said, before all else, of names that never agree.
fn no_mates(report: &LintReport) -> &'static str {
    match report.files.len() {
        1 => "names of adjacent records never agree: this file is not interleaved",
        _ => "the names never agree: the files are not mates, or not in the same order",
    }
}

/// What is said of faults beside the list; returns how bad it is.
fn tell(report: LintReport) -> u8 {
    let mut worst = 0;
    if report.total() > 0 {
        let repeats = report.totals.contains_key(&FaultCode::DuplicateName);
        let is_one_file = report.files.len() == 1;
        let to_see = to_see(&report);
        let hint = match (report.out_of_step, repeats && is_one_file) {
            (Some(_), _) if is_one_file => {
                "the file was truncated, or its reads were filtered one by one: make or copy it again"
            }
            (Some(_), _) => {
                "what lacks records was truncated, or filtered alone: make or copy it again; `seqkit pair` keeps what both files have"
            }
            (None, _) if report.names_never_agree() => {
                "check that these are the mates of one sample; if only the names differ, use --disable P001 (in other commands, --ignore-names)"
            }
            (None, true) => "if each name comes twice, mates may follow each other: --interleaved",
            (None, false) => &*to_see,
        };
        tell!(
            "thalweg: error: {}: some records have faults\nhint: {hint}",
            names(&report)
        );
        worst = DATA;
    }
    if let Some(fault) = report.error {
        let failure = Failure::from(fault);
        failure.print_as(|hint| match hint.contains("`thalweg verify --mates") {
            // That is what runs.
            true => OF_SHORTER.to_owned(),
            false => hint.to_owned(),
        });
        worst = worst.max(failure.code());
    }
    worst
}

/// Returns a hint with a command that prints the first record that is listed.
fn to_see(report: &LintReport) -> String {
    match report.faults.first() {
        Some(fault) => format!(
            "to see record {}: `thalweg cat FILE | sed -n '{},{}p'`; --disable CODE skips a check",
            fault.record + 1,
            4 * fault.record + 1,
            4 * fault.record + 4
        ),
        None => "--list N lists them; --disable CODE skips a check".to_owned(),
    }
}

fn names(report: &LintReport) -> String {
    let names = report.files.iter().map(|file| one_line(file));
    names.collect::<Vec<_>>().join(", ")
}

/// What is counted.
fn things(report: &LintReport) -> &'static str {
    match (report.files.len(), report.records) {
        (1, 1) => "record",
        (1, _) => "records",
        (_, 1) => "record of each",
        _ => "records of each",
    }
}
