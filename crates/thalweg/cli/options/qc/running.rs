//! Threads, memory and messages.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use thalweg::clean::CleanSettings;
use thalweg::qc::{FastpVersion, Mode};

use super::MOST;
use crate::options::quantity::{parse_memory, parse_threads};
use crate::options::{EndCheck, IndexChoice, RecordLimit};

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Common options")]
pub(crate) struct Running {
    /// Write fastp's exact output, byte for byte
    ///
    /// It follows fastp where fastp deviates from its documentation. VERSION is 1.3 if none is given.
    #[arg(hide_short_help = true, long = "fastp-compat", help_heading = "Compatibility", value_enum, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_missing_value = "1.3")]
    pub(crate) fastp_compat: Option<Compat>,

    /// Threads to use
    ///
    /// The default is one per core.
    #[arg(short = 'w', long = "thread", visible_alias = "threads", value_name = "N", value_parser = parse_threads, help_heading = MOST)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Memory limit for buffered output [default: 256Mi]
    ///
    /// Up to half of it is used to buffer the first reads of a pipe. Databases of --remove may use up to 3/4 of --memory
    /// if it is given, else up to half of the free memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    ///
    /// When reading from a pipe, buffered reads that do not fit into --memory go here, in unnamed files.
    #[arg(hide_short_help = true, long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    /// Report how the files are read
    #[arg(hide_short_help = true, short = 'V', long)]
    pub(crate) verbose: bool,

    /// Print only errors
    #[arg(long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Hide the progress bar, which appears only on a terminal
    #[arg(hide_short_help = true, long, visible_alias = "no-progress")]
    pub(crate) no_progress: bool,

    /// Print help
    #[arg(short = '?', long, action = ArgAction::Help)]
    pub(crate) help: Option<bool>,

    /// Print version
    #[arg(short = 'v', long, action = ArgAction::Version)]
    pub(crate) version: Option<bool>,
}

impl Running {
    /// Adds the options to `settings`.
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

    /// Returns true if progress is drawn on a terminal.
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
