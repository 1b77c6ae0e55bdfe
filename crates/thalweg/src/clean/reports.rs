//! The reports: JSON and HTML.

use std::path::{Path, PathBuf};

use thalweg_qc::FastpVersion;
use thalweg_qc::Mode;
use thalweg_qc::report::CleaningReport;
use thalweg_write::{
    Error, Level, OutputFormat, SealedFile, WholeFile, check_not_input, is_standard_output,
};

use super::CleanSettings;
use super::sample::is_named_as_reads;
use crate::{Control, Fault, MessageKind};

/// The files that the reports go to: opened before anything is done, so that a report that
/// cannot be written does not cost a run.
pub(super) struct Files {
    /// `None` if it is not wanted, or nobody reads it any more.
    json: Option<ReportFile>,
    html: Option<ReportFile>,
    /// What is to be told of that at the end.
    unread: Option<Fault>,
}

impl Files {
    /// Open both, neither of which may be an input or take the place of reads, nor exist if that is forbidden. Of others that
    /// they will take the place of, without having been named, it says so.
    pub(super) fn open(
        settings: &CleanSettings,
        inputs: &[PathBuf],
        control: &Control<'_>,
    ) -> Result<Self, Fault> {
        let (json, html) = (&settings.reports.json, &settings.reports.html);
        for path in [json, html].into_iter().flatten() {
            check_not_input(path, inputs)?;
            if settings.outputs.dont_overwrite && path.is_file() {
                return Err(Error::Exists { path: path.clone() }.into());
            }
            // `-h reads.fq` may come of one who asked for help.
            if path.is_file() && is_named_as_reads(path) {
                let path = path.display();
                return Err(Fault::usage(
                    format!("{path}: a report would take the place of a file of reads"),
                    "-h and -j name the reports, and --help prints help: give the report another name",
                ));
            }
        }
        let as_fastp = !settings.steps.mode.is_correct();
        if !as_fastp {
            say_what_is_overwritten(settings, control);
        }
        let create = |path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(|path| ReportFile::create(path, as_fastp))
                .transpose()
        };
        Ok(Self {
            json: create(json)?,
            html: create(html)?,
            unread: None,
        })
    }

    /// Write both; they have no names yet.
    pub(super) fn write(&mut self, report: &CleaningReport<'_>, mode: Mode) -> Result<(), Fault> {
        if self.json.is_some() {
            let json = report.json();
            // fastp's has no line feed at its end.
            let json = match mode {
                Mode::Correct => &json,
                Mode::Fastp(_) => json.trim_end(),
            };
            write(&mut self.json, json, &mut self.unread)?;
        }
        if self.html.is_some() {
            write(&mut self.html, &report.html(), &mut self.unread)?;
        }
        Ok(())
    }

    /// Make sure that both have arrived: what is left to do is to give them their names.
    pub(super) fn seal(self) -> Result<Sealed, Fault> {
        let mut sealed = Sealed {
            files: Vec::new(),
            unread: self.unread,
        };
        for output in [self.json, self.html].into_iter().flatten() {
            match output.seal() {
                Ok(file) => sealed.files.push(file),
                Err(fault) if has_no_reader(&fault) => sealed.unread = Some(fault),
                Err(fault) => return Err(fault),
            }
        }
        Ok(sealed)
    }
}

/// Reports that are whole, and lack their names.
#[derive(Default)]
pub(super) struct Sealed {
    /// Their files.
    pub(super) files: Vec<SealedFile>,
    /// What is to be told at the end of one that nobody reads any more.
    pub(super) unread: Option<Fault>,
}

/// Lanes of a sample, or its two mates, that are cleaned one after the other have the same reports unless those are named.
fn say_what_is_overwritten(settings: &CleanSettings, control: &Control<'_>) {
    let reports = &settings.reports;
    let reports = [
        (&reports.json, reports.json_is_unnamed, "-j"),
        (&reports.html, reports.html_is_unnamed, "-h"),
    ];
    let replaced = reports
        .into_iter()
        .filter_map(|(path, is_unnamed, option)| {
            let path = path.as_deref().filter(|path| is_unnamed && path.is_file());
            Some((path?.display().to_string(), format!("{option} FILE")))
        });
    let (names, options): (Vec<String>, Vec<String>) = replaced.unzip();
    let [exists, choose] = match names.len() {
        0 => return,
        1 => ["this report exists", "chooses another name"],
        _ => ["these reports exist", "choose other names"],
    };
    let (names, options) = (names.join(" and "), options.join(" and "));
    let text = format!("{names}: {exists} and will be overwritten; {options} {choose}");
    control.say(MessageKind::Note, text);
}

/// A reader of one report that goes does not cost the other.
fn write(
    output: &mut Option<ReportFile>,
    text: &str,
    unread: &mut Option<Fault>,
) -> Result<(), Fault> {
    let written = output.as_mut().map_or(Ok(()), |output| output.write(text));
    match written {
        Err(fault) if has_no_reader(&fault) => {
            *output = None;
            *unread = Some(fault);
            Ok(())
        }
        written => written,
    }
}

/// Whether whoever read a report, from a pipe or the standard output, has gone: it costs no reads.
fn has_no_reader(fault: &Fault) -> bool {
    fault.is_unread() || matches!(fault, Fault::Write(Error::ClosedPipe { .. }))
}

/// A report that appears when it is whole.
struct ReportFile {
    /// As whoever wants it wrote it.
    path: PathBuf,
    file: WholeFile,
}

impl ReportFile {
    /// Reports of the command are written whether they were asked for or not: the hint says how to do without.
    fn create(path: &Path, as_fastp: bool) -> Result<Self, Fault> {
        let format = match as_fastp {
            true => OutputFormat::Plain,
            false => OutputFormat::of_name(path),
        };
        let path = path.to_owned();
        match WholeFile::open_as(&path, format, Level::default()) {
            Ok(file) => Ok(Self { path, file }),
            Err(Error::Open { source, .. }) if !is_standard_output(&path) => Err(Fault::usage(
                format!("{}: {source}", path.display()),
                "reports go to the current directory unless -j and -h name other files; --no_report makes none",
            )),
            Err(error) => Err(of_system(&path, error)),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), Fault> {
        let written = self.file.write(text.as_bytes());
        written.map_err(|error| of_system(&self.path, error))
    }

    fn seal(self) -> Result<SealedFile, Fault> {
        let sealed = self.file.seal();
        sealed.map_err(|error| of_system(&self.path, error))
    }
}

/// Who writes one text need not be told at which byte it failed.
fn of_system(path: &Path, error: Error) -> Fault {
    let path = match is_standard_output(path) {
        true => Path::new("standard output"),
        false => path,
    };
    match error {
        Error::Open { source, .. } | Error::Write { source, .. } | Error::Save { source, .. } => {
            Fault::io(path, source)
        }
        error => error.into(),
    }
}

/// What becomes of a run whose standard output nobody reads any more, with `fault`, so that it has no reports.
///
/// It is quiet if nobody has asked for them: then it says so, and no more.
pub(super) fn unwritten(settings: &CleanSettings, fault: Fault, control: &Control<'_>) -> Fault {
    let reports = &settings.reports;
    let paths = [
        (&reports.json, reports.json_is_unnamed),
        (&reports.html, reports.html_is_unnamed),
    ];
    let files = paths
        .iter()
        .filter_map(|(path, is_unnamed)| Some((path.as_deref()?, is_unnamed)))
        .filter(|(path, _)| *path != Path::new("/dev/null"));
    let names: Vec<String> = (files.clone())
        .map(|(path, _)| path.display().to_string())
        .collect();
    if names.is_empty() {
        return fault;
    }
    let names = names.join(" and ");
    let mut files = files;
    if files.any(|(_, is_unnamed)| !is_unnamed) {
        return Fault::usage(
            format!("standard output: the pipe was closed, so no report is written: {names}"),
            "its reader ended before it had everything; --no_report makes none",
        );
    }
    let note = format!("the output pipe was closed, so no report is written: {names}");
    control.say(MessageKind::Note, note);
    fault
}

/// The version of fastp that is followed, as fastp tells it.
pub(super) fn fastp_version(mode: Mode) -> &'static str {
    match mode {
        Mode::Fastp(FastpVersion::V0_23) => "0.23.2",
        Mode::Correct | Mode::Fastp(FastpVersion::V1_3) => "1.3.6",
    }
}
