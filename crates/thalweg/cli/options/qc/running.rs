//! How it runs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use thalweg::clean::CleanSettings;
use thalweg::qc::{FastpVersion, Mode};

use super::MOST;
use crate::options::quantity::{parse_memory, parse_threads};
use crate::options::{EndCheck, IndexChoice, RecordLimit};

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Running")]
pub(crate) struct Running {
    /// Number of threads in all [default: one for each core]
    #[arg(short = 'w', long = "thread", visible_alias = "threads", value_name = "N", value_parser = parse_threads, help_heading = MOST)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Bytes that output may hold while it waits for its turn, half of which the first reads of pipes may take; and what --remove loads [default: 256Mi for output]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Where the first reads of a pipe go that --memory does not hold, in files without names [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    /// Do as fastp 1.3 does, or 0.23.2 (=0.23), byte for byte, where it deviates from what its options say
    #[arg(long = "fastp-compat", value_enum, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_missing_value = "1.3")]
    pub(crate) fastp_compat: Option<Compat>,

    /// Say how the files are read
    #[arg(short = 'V', long)]
    pub(crate) verbose: bool,

    /// Print nothing but errors
    #[arg(long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Draw no progress bar (there is one only on a terminal)
    #[arg(long, visible_alias = "no-progress")]
    pub(crate) no_progress: bool,

    /// Print help
    #[arg(short = '?', long, action = ArgAction::Help)]
    pub(crate) help: Option<bool>,

    /// Print version
    #[arg(short = 'v', long, action = ArgAction::Version)]
    pub(crate) version: Option<bool>,
}

impl Running {
    /// Put what was said into `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        settings.threads = self.threads;
        settings.max_record = self.limit.max_record;
        settings.check_end = self.end.is_wanted();
        settings.memory = self.memory;
        settings.steps.mode = match self.fastp_compat {
            None => Mode::Correct,
            Some(Compat::V0_23) => Mode::Fastp(FastpVersion::V0_23),
            Some(Compat::V1_3) => Mode::Fastp(FastpVersion::V1_3),
        };
    }

    /// Whether progress is drawn on a terminal.
    pub(crate) fn draws(&self) -> bool {
        !self.quiet && !self.no_progress
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// fastp 0.23.2
    #[value(name = "0.23")]
    V0_23,
    /// fastp 1.3
    #[value(name = "1.3")]
    V1_3,
}
