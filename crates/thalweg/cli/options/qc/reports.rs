//! Reports.

use std::path::{Path, PathBuf};

use clap::Args;
use thalweg::clean::{CleanSettings, ReportSettings};

use super::{MOST, USUAL};
use crate::options::quantity::whole;
use crate::process::exit::Failure;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Reports")]
pub(crate) struct Reports {
    /// Write the JSON report to FILE
    ///
    /// The default is SAMPLE.fastp.json. SAMPLE is the part that the input names have in common. With --fastp-compat, the default is fastp.json.
    #[arg(short = 'j', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) json: Option<PathBuf>,

    /// Write the HTML report to FILE
    ///
    /// The default is SAMPLE.fastp.html; with --fastp-compat, fastp.html.
    #[arg(short = 'h', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) html: Option<PathBuf>,

    /// Title of the HTML report
    ///
    /// [default: SAMPLE: thalweg qc report; with --fastp-compat, fastp's own]
    #[arg(hide_short_help = true, short = 'R', long, value_name = "TEXT")]
    pub(crate) report_title: Option<String>,

    /// Write FastQC reports before and after
    ///
    /// DIR must exist. The reports are those of FastQC 0.12.1: NAME_fastqc.html and NAME_fastqc.zip for each input and output. For standard
    /// output, NAME is the input's name with _clean.
    #[arg(long, value_name = "DIR", help_heading = MOST)]
    pub(crate) fastqc: Option<PathBuf>,

    /// Write no reports
    ///
    /// Nothing is collected for them. --fastqc still writes its reports.
    #[arg(hide_short_help = true, long, visible_alias = "no-report", conflicts_with_all = ["json", "html"])]
    pub(crate) no_report: bool,

    /// Report overrepresented sequences
    #[arg(hide_short_help = true, short = 'p', long)]
    pub(crate) overrepresentation_analysis: bool,

    /// For -p, analyze one read in N (1 to 10000)
    #[arg(hide_short_help = true, short = 'P', long, value_name = "N", default_value_t = USUAL.reports.overrepresentation_sampling, value_parser = whole(ReportSettings::SAMPLING))]
    pub(crate) overrepresentation_sampling: u32,
}

impl Reports {
    /// Rejects a number as name of a report: in other programs, `-j` is the number of threads or jobs.
    pub(super) fn refuse_number(&self) -> Result<(), Failure> {
        let name = self.json.as_deref().and_then(Path::to_str);
        let is_number = |name: &&str| name.bytes().all(|byte| byte.is_ascii_digit());
        match name.filter(|name| !name.is_empty()).filter(is_number) {
            Some(number) => Err(Failure::usage(
                format!("-j {number}: -j names the JSON report"),
                &format!(
                    "-w {number} is the number of threads; a report of this name is -j ./{number}"
                ),
            )),
            None => Ok(()),
        }
    }

    /// Adds the options to `settings`, which have inputs and mode.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        let [json, html] = settings.usual_reports();
        let reports = &mut settings.reports;
        (reports.json_is_unnamed, reports.html_is_unnamed) =
            (self.json.is_none(), self.html.is_none());
        reports.json = Some(self.json.clone().unwrap_or(json));
        reports.html = Some(self.html.clone().unwrap_or(html));
        reports.report_title = self.report_title.clone();
        reports.fastqc = self.fastqc.clone();
        reports.no_report = self.no_report;
        reports.overrepresentation_analysis = self.overrepresentation_analysis;
        reports.overrepresentation_sampling = self.overrepresentation_sampling;
    }
}
