//! The command line of `thalweg trace`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use thalweg::trace::{self, TraceSettings};

/// Returns the settings of the trace that `--trace` names.
pub(crate) fn trace_settings(path: &Path) -> TraceSettings {
    TraceSettings {
        command: std::env::args_os().skip(1).collect(),
        ..TraceSettings::new(path)
    }
}

/// Inspect and convert trace files (from --trace)
///
/// A trace has a record for each read of `qc` or `classify`, in input order, or for each k-mer of `count`, in ascending order.
/// It is MessagePack, usually compressed, or JSON Lines. docs/formats/trace.md describes the records.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg qc reads.fq.gz -o clean.fq.gz --trace qc.msgpack.lz4
  thalweg trace count qc.msgpack.lz4                number of reads per step
  thalweg trace show qc.msgpack.lz4 --name SRR1.7   what happened to one read
  thalweg trace convert qc.msgpack.lz4 -o qc.tsv    a table")]
pub(crate) struct TraceArguments {
    #[command(subcommand)]
    pub(crate) command: TraceCommand,
}

/// The commands on traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    Show(ShowArguments),
    Count(CountArguments),
    Convert(ConvertArguments),
}

/// Print the header, then the records, as JSON lines
///
/// If a trace is truncated, its complete records are printed before the error.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Trace; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print only the first N matching records
    #[arg(short, long, value_name = "N")]
    pub(crate) number: Option<u64>,

    /// Print only reads of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Print only records of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(["header", "read", "kmer", "label"]))]
    pub(crate) kind: Option<String>,
}

/// Count the records by kind and result
///
/// Each line has kind, category and number, separated by tabs. A truncated trace is an error.
#[derive(Debug, Args)]
pub(crate) struct CountArguments {
    /// Trace; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Convert a trace to a table or another format
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg trace convert qc.msgpack.lz4 -o qc.tsv.gz
  thalweg trace convert qc.msgpack.lz4 --to jsonl | jq .verdict
  thalweg trace convert qc.msgpack.lz4 -o qc.msgpack.zst   about half the size")]
pub(crate) struct ConvertArguments {
    /// Trace; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Write to PATH instead of standard output
    ///
    /// .tsv and .jsonl can be compressed, as in .tsv.gz.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Format [default: from the name; jsonl on standard output]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,

    /// Kind of records in a table [default: that of the first record]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(["read", "kmer", "label"]))]
    pub(crate) kind: Option<String>,
}

/// Formats of a converted trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Tab-separated table
    Tsv,
    /// JSON Lines
    Jsonl,
    /// MessagePack
    Msgpack,
    /// MessagePack in LZ4 frames
    #[value(alias = "msgpack.lz4")]
    Lz4,
    /// MessagePack in zstd frames
    #[value(aliases = ["msgpack.zst", "zstd"])]
    Zst,
}

impl From<Target> for trace::TraceTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Tsv => Self::Table,
            Target::Jsonl => Self::Trace(trace::TraceFormat::JsonLines),
            Target::Msgpack => Self::Trace(trace::TraceFormat::MessagePack),
            Target::Lz4 => Self::Trace(trace::TraceFormat::Lz4),
            Target::Zst => Self::Trace(trace::TraceFormat::Zstd),
        }
    }
}
