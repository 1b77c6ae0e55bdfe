//! The command line of `thalweg trace`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use thalweg::trace::{self, TraceSettings};

/// The trace that `--trace` of a job names.
pub(crate) fn trace_settings(path: &Path) -> TraceSettings {
    TraceSettings {
        command: std::env::args_os().skip(1).collect(),
        ..TraceSettings::new(path)
    }
}

/// Look into traces: what jobs saw and decided, as --trace writes it
///
/// A trace has a record for each read that `qc` cleaned, k-mer that `count` counted, or read that
/// `classify` labelled, in the order of the input. It is compressed MessagePack; what a record has is
/// in docs/formats/trace.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg qc r1.fq.gz r2.fq.gz -o c1.fq.gz -O c2.fq.gz --trace qc.msgpack.lz4
  thalweg trace count qc.msgpack.lz4                    how many reads were cut by which step
  thalweg trace show qc.msgpack.lz4 --name SRR1.7       what became of one read
  thalweg trace convert qc.msgpack.lz4 -o qc.tsv        a table")]
pub(crate) struct TraceArguments {
    #[command(subcommand)]
    pub(crate) command: TraceCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    Show(ShowArguments),
    Count(CountArguments),
    Convert(ConvertArguments),
}

/// Print values as lines of JSON, the header first
///
/// Of a trace that was cut, what is whole is printed before the error.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// A trace; - is the standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only the first N records, of those that are wanted
    #[arg(short, long, value_name = "N")]
    pub(crate) number: Option<u64>,

    /// Only reads of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only values of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(["header", "read", "kmer", "label"]))]
    pub(crate) kind: Option<String>,
}

/// Print how many records there are, and of what; a trace that was cut is an error
///
/// A line has the kind, what was counted, and the number, with tabs between them.
#[derive(Debug, Args)]
pub(crate) struct CountArguments {
    /// A trace; - is the standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Write a trace as a table, or in another format
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg trace convert qc.msgpack.lz4 -o qc.tsv.gz
  thalweg trace convert qc.msgpack.lz4 --to jsonl | jq .verdict
  thalweg trace convert qc.msgpack.lz4 -o qc.msgpack.zst       about half the size, to be kept")]
pub(crate) struct ConvertArguments {
    /// A trace; - is the standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Where it goes [default: the standard output]; .tsv and .jsonl can be compressed, as in .tsv.gz
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// The format, whatever the name [default: by the name; of the standard output, jsonl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,

    /// Of a table, the kind of record that it has [default: that of the first record]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(["read", "kmer", "label"]))]
    pub(crate) kind: Option<String>,
}

/// What a trace is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// A table: columns with tabs between them
    Tsv,
    /// Lines of JSON
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
