//! The options of `thalweg qc`: fastp's, by fastp's names, and some more.
//!
//! A file for each group, with what clap takes and how that becomes a [setting](CleanSettings). Defaults and limits are
//! those of the settings.

mod adapters;
mod files;
mod filters;
mod names;
mod pairs;
mod reports;
mod running;
mod trimming;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use clap::Args;
use clap::builder::Resettable;
use thalweg::clean::CleanSettings;
use thalweg::qc::ranges;

use self::adapters::Adapters;
pub(crate) use self::files::Files;
use self::filters::{DUPLICATION_ACCURACY, Filters};
use self::names::Names;
use self::pairs::Pairs;
use self::reports::Reports;
use self::running::Running;
use self::trimming::Trimming;
use crate::options::quantity::{at_most, parse_threads};
use crate::process::exit::Failure;

/// The heading of the options that most users need, which come first.
const MOST: &str = "Main options";

/// The default settings.
static USUAL: LazyLock<CleanSettings> = LazyLock::new(|| CleanSettings::new([""; 0]));

/// Trim and filter reads, with a report before and after
///
/// Takes fastp's options, as documented. Where fastp deviates from its own documentation, --fastp-compat matches its output
/// byte for byte.
///
/// Inputs are FASTQ or BAM, plain or compressed, files or pipes. Output named .gz is compressed as BGZF, .zst as zstd. The
/// output is the same for any number of threads.
#[derive(Debug, Args)]
#[command(
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "\
Examples:
  thalweg qc r1.fq.gz r2.fq.gz -o clean1.fq.gz -O clean2.fq.gz
  thalweg qc sample.fq.gz -o clean.fq.gz --cut_right
  curl -s $URL | thalweg qc --stdin --stdout | aligner -

More examples and options: thalweg qc --help",
    after_long_help = "\
Examples:
  thalweg qc r1.fq.gz r2.fq.gz -o clean1.fq.gz -O clean2.fq.gz
  thalweg qc sample.fq.gz -o clean.fq.gz --cut_right
  curl -s $URL | thalweg qc --stdin --stdout | aligner -

Several lanes as one sample:
  thalweg qc -i L1_R1.fq.gz -I L1_R2.fq.gz -i L2_R1.fq.gz -I L2_R2.fq.gz \\
    -o c1.fq.gz -O c2.fq.gz

The output of fastp 1.3 (of fastp 0.23.2: --fastp-compat=0.23):
  thalweg qc --fastp-compat -i r1.fq -I r2.fq -o c1.fq -O c2.fq"
)]
pub(crate) struct QcArguments {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) adapters: Adapters,
    #[command(flatten)]
    pub(crate) trimming: Trimming,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) pairs: Pairs,
    #[command(flatten)]
    pub(crate) names: Names,
    #[command(flatten)]
    pub(crate) reports: Reports,
    #[command(flatten)]
    pub(crate) running: Running,
}

impl QcArguments {
    /// Returns the settings; the caller, who knows of pipes and indexes, adds those for reading files.
    pub(crate) fn settings(&self) -> Result<CleanSettings, Failure> {
        let mut settings = USUAL.clone();
        // What some options mean depends on the mode.
        self.running.apply(&mut settings);
        if settings.steps.mode.is_correct() {
            self.reports.refuse_number()?;
        }
        self.files.apply(&mut settings)?;
        self.adapters.apply(&mut settings);
        self.trimming.apply(&mut settings);
        self.filters.apply(&mut settings);
        self.pairs.apply(&mut settings);
        self.names.apply(&mut settings)?;
        self.reports.apply(&mut settings);
        Ok(settings)
    }
}

/// The command `qc` where it follows fastp: some values out of their range mean its end, and a word that belongs to no option
/// may stand beside `-i`.
pub(crate) fn taking_what_fastp_takes(qc: clap::Command) -> clap::Command {
    let threads = |text: &str| match text {
        "0" => Ok(NonZeroUsize::MIN),
        _ => parse_threads(text),
    };
    qc.mut_arg("threads", |arg| arg.value_parser(threads))
        .mut_arg("complexity_threshold", |arg| {
            arg.value_parser(at_most(ranges::PERCENT))
        })
        .mut_arg("dup_calc_accuracy", |arg| {
            arg.value_parser(at_most(DUPLICATION_ACCURACY))
        })
        .mut_arg("files", |arg| {
            arg.num_args(0..).conflicts_with(Resettable::Reset)
        })
}
