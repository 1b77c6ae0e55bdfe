//! Jellyfish's command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::output::refuse_input;
use crate::process::exit::Failure;

/// Whose options and files these are: alone, as scripts note what is printed. The help says whose program it is.
pub(super) const VERSION: &str = "2.3.0";

/// Counts k-mers with thalweg, for scripts that call jellyfish
#[derive(Debug, Parser)]
#[command(
    name = "jellyfish",
    version = VERSION,
    infer_long_args = true,
    disable_help_subcommand = true
)]
pub(super) struct Jellyfish {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Count(CountArguments),
    Histo(HistoArguments),
    Dump(DumpArguments),
    Stats(StatsArguments),
    Query(QueryArguments),
    Merge(MergeArguments),
    Info(InfoArguments),
    Bc(FilterArguments),
    Mem(MemoryArguments),
    Cite(CiteArguments),
}

/// Tell which paper describes Jellyfish
#[derive(Debug, Args)]
pub(super) struct CiteArguments {
    /// As an entry of BibTeX
    #[arg(short, long)]
    pub(super) bibtex: bool,

    /// Output file
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,
}

/// Count k-mers in fasta or fastq files, compressed or not
#[derive(Debug, Args)]
pub(super) struct CountArguments {
    /// Length of mer
    #[arg(short, long, value_name = "K")]
    pub(super) mer_len: usize,

    /// Not needed: memory grows as it must
    #[arg(short, long, value_name = "SIZE", value_parser = parse_number)]
    pub(super) size: Option<u64>,

    /// Number of threads
    #[arg(short, long, default_value = "1")]
    pub(super) threads: NonZeroUsize,

    /// Output file
    #[arg(short, long, default_value = "mer_counts.jf")]
    pub(super) output: PathBuf,

    /// Count both strands, canonical representation
    #[arg(short = 'C', long)]
    pub(super) canonical: bool,

    /// Length in bytes of a count in the output; larger counts are cut to what fits
    #[arg(long, value_name = "BYTES", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(super) out_counter_len: u8,

    /// Count only k-mers in these files
    #[arg(long = "if", value_name = "FILE")]
    pub(super) only: Vec<PathBuf>,

    /// Count only k-mers that occur more than once, as `jellyfish bc` has found
    #[arg(long = "bc", value_name = "FILE", conflicts_with = "only")]
    pub(super) filter: Option<PathBuf>,

    /// Leave out k-mers that occur only once, however many there are: exactly, and counts are not one too low
    #[arg(long, value_name = "SIZE", value_parser = parse_number, conflicts_with_all = ["filter", "only"])]
    pub(super) bf_size: Option<u64>,

    /// Ignored: no k-mer passes by mistake
    #[arg(long, value_name = "RATE")]
    bf_fp: Option<f64>,

    /// A base with a quality character below this one is an N
    #[arg(short = 'Q', long, value_name = "CHARACTER", value_parser = parse_character)]
    pub(super) min_qual_char: Option<u8>,

    /// Character of quality 0, for --min-quality
    #[arg(long, value_name = "ASCII", default_value_t = 64)]
    pub(super) quality_start: u8,

    /// A base of lower quality is an N
    #[arg(long, value_name = "Q", conflicts_with = "min_qual_char")]
    pub(super) min_quality: Option<u8>,

    /// Write text/sorted
    #[arg(long)]
    pub(super) text: bool,

    /// Don't output k-mers with count < lower-count
    #[arg(short = 'L', long, value_parser = parse_number)]
    pub(super) lower_count: Option<u64>,

    /// Don't output k-mers with count > upper-count
    #[arg(short = 'U', long, value_parser = parse_number)]
    pub(super) upper_count: Option<u64>,

    /// Write here how long it took
    #[arg(long, value_name = "FILE")]
    pub(super) timing: Option<PathBuf>,

    /// Count, and write no output
    #[arg(long, hide = true)]
    pub(super) no_write: bool,

    #[command(flatten)]
    pub(super) ignored: Ignored,

    #[command(flatten)]
    pub(super) input: Input,
}

/// What is read.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Input {
    /// File of commands, one on a line, whose output is FASTA or FASTQ
    #[arg(short, long, value_name = "FILE")]
    pub(super) generator: Option<PathBuf>,

    /// Ignored: commands run as their output is read
    #[arg(short = 'G', long = "Generators", value_name = "N")]
    generators: Option<u64>,

    /// Shell that runs the commands [default: $SHELL or /bin/sh]
    #[arg(short = 'S', long)]
    pub(super) shell: Option<PathBuf>,

    /// Ignored: any number of files is open
    #[arg(short = 'F', long = "Files", value_name = "N")]
    files_open: Option<u64>,

    /// Files to read
    #[arg(required_unless_present = "generator", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

impl Input {
    /// Refuse outputs that are read: as one of these, or as `others`.
    pub(super) fn refuse<'a>(
        &'a self,
        outputs: impl IntoIterator<Item = &'a PathBuf>,
        others: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<(), Failure> {
        let read = self.files.iter().chain(&self.generator).chain(others);
        let read: Vec<PathBuf> = read.cloned().collect();
        let mut outputs = outputs.into_iter();
        outputs.try_for_each(|output| refuse_input(output, &read))
    }
}

/// Find the k-mers that occur more than once, for count --bc
#[derive(Debug, Args)]
pub(super) struct FilterArguments {
    /// Not needed: the result is exact, and as large as it must be
    #[arg(short, long, value_name = "SIZE", value_parser = parse_number)]
    size: Option<u64>,

    /// Length of mer
    #[arg(short, long, value_name = "K")]
    pub(super) mer_len: usize,

    /// Ignored: the result is exact
    #[arg(short, long, value_name = "RATE")]
    fpr: Option<f64>,

    /// Count both strands, canonical representation
    #[arg(short = 'C', long)]
    pub(super) canonical: bool,

    /// Number of threads
    #[arg(short, long, default_value = "1")]
    pub(super) threads: NonZeroUsize,

    /// Output file: a database of thalweg's
    #[arg(short, long, default_value = "mer_bloom_filter")]
    pub(super) output: PathBuf,

    /// Write here how long it took
    #[arg(long, value_name = "FILE")]
    pub(super) timing: Option<PathBuf>,

    #[command(flatten)]
    pub(super) input: Input,
}

/// Tell how much memory Jellyfish's hash table would take; thalweg has none
#[derive(Debug, Args)]
#[command(mut_arg("files", |files| files.required(false).required_unless_present("mer_len")))]
pub(super) struct MemoryArguments {
    /// Tell the largest size that fits into so many bytes
    #[arg(long, value_name = "BYTES", value_parser = parse_number)]
    pub(super) mem: Option<u64>,

    #[command(flatten)]
    pub(super) count: CountArguments,
}

/// What describes Jellyfish's hash table and has no counterpart here.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Ignored {
    /// Ignored: counts have no fixed length
    #[arg(short, long, value_name = "BITS")]
    pub(super) counter_len: Option<u64>,

    /// Ignored: there is no such table
    #[arg(short = 'p', long, value_name = "N")]
    pub(super) reprobes: Option<u64>,

    /// Ignored: the disk is used where memory does not suffice
    #[arg(long)]
    disk: bool,

    /// Ignored: no parts of the result are left to be merged
    #[arg(long, hide = true)]
    pub(super) no_merge: bool,

    /// Ignored: temporary files have no names
    #[arg(long, hide = true)]
    pub(super) no_unlink: bool,
}

/// Create an histogram of k-mer occurrences
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct HistoArguments {
    /// Low count value of histogram
    #[arg(short, long, default_value_t = 1, value_parser = parse_number)]
    pub(super) low: u64,

    /// High count value of histogram
    #[arg(short, long, default_value_t = 10_000, value_parser = parse_number)]
    pub(super) high: u64,

    /// Increment value for buckets
    #[arg(short, long, default_value_t = 1, value_parser = parse_number)]
    pub(super) increment: u64,

    /// Ignored
    #[arg(short, long)]
    threads: Option<u64>,

    /// Don't skip count 0
    #[arg(short, long)]
    pub(super) full: bool,

    /// Output file
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    /// Ignored
    #[arg(short, long)]
    verbose: bool,

    /// Ignored: there is no such buffer
    #[arg(short = 's', long, hide = true, value_name = "BYTES", value_parser = parse_number)]
    buffer_size: Option<u64>,

    /// Print this
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,

    #[arg(value_name = "DB")]
    pub(super) database: PathBuf,
}

/// Dump k-mer counts
#[derive(Debug, Args)]
pub(super) struct DumpArguments {
    /// Column format
    #[arg(short, long)]
    pub(super) column: bool,

    /// Tab separator
    #[arg(short, long)]
    pub(super) tab: bool,

    /// Don't output k-mers with count < lower-count
    #[arg(short = 'L', long, value_parser = parse_number)]
    pub(super) lower_count: Option<u64>,

    /// Don't output k-mers with count > upper-count
    #[arg(short = 'U', long, value_parser = parse_number)]
    pub(super) upper_count: Option<u64>,

    /// Output file
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    #[arg(value_name = "DB")]
    pub(super) database: PathBuf,
}

/// Statistics
#[derive(Debug, Args)]
pub(super) struct StatsArguments {
    /// Don't consider k-mers with count < lower-count
    #[arg(short = 'L', long, value_parser = parse_number)]
    pub(super) lower_count: Option<u64>,

    /// Don't consider k-mers with count > upper-count
    #[arg(short = 'U', long, value_parser = parse_number)]
    pub(super) upper_count: Option<u64>,

    /// Ignored
    #[arg(short, long)]
    verbose: bool,

    /// Ignored: all is computed from the k-mers
    #[arg(short, long, hide = true)]
    recompute: bool,

    /// Output file
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    #[arg(value_name = "DB")]
    pub(super) database: PathBuf,
}

/// Query a database
#[derive(Debug, Args)]
pub(super) struct QueryArguments {
    /// Output counts for all mers in sequence
    #[arg(short, long, value_name = "FILE")]
    pub(super) sequence: Vec<PathBuf>,

    /// Output file
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    /// Queries from stdin
    #[arg(short, long)]
    pub(super) interactive: bool,

    /// Ignored: what is loaded depends on the format
    #[arg(short, long)]
    load: bool,

    /// Ignored: what is loaded depends on the format
    #[arg(short = 'L', long)]
    no_load: bool,

    #[arg(value_name = "DB")]
    pub(super) database: PathBuf,

    #[arg(value_name = "MER")]
    pub(super) mers: Vec<String>,
}

/// Merge databases
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// Output file
    #[arg(short, long, default_value = "mer_counts_merged.jf")]
    pub(super) output: PathBuf,

    /// Compute min count instead of sum
    #[arg(short, long)]
    pub(super) min: bool,

    /// Compute max count instead of sum
    #[arg(short = 'M', long, conflicts_with = "min")]
    pub(super) max: bool,

    /// Compute the jaccard and weighted jaccard similarities
    #[arg(short, long, conflicts_with_all = ["min", "max"])]
    pub(super) jaccard: bool,

    /// Don't output k-mers with count < lower-count
    #[arg(short = 'L', long, value_parser = parse_number)]
    pub(super) lower_count: Option<u64>,

    /// Don't output k-mers with count > upper-count
    #[arg(short = 'U', long, value_parser = parse_number)]
    pub(super) upper_count: Option<u64>,

    #[arg(required = true, num_args = 2.., value_name = "DB")]
    pub(super) databases: Vec<PathBuf>,
}

/// Display information about a database
#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    /// Skip the header and dump the remainder of the file
    #[arg(short, long)]
    pub(super) skip: bool,

    /// Dump the full header in JSON
    #[arg(short, long)]
    pub(super) json: bool,

    /// Display only the command line
    #[arg(short, long)]
    pub(super) cmd: bool,

    #[arg(value_name = "DB")]
    pub(super) database: PathBuf,
}

/// A number with k, M, G, T, P or E, powers of 1000, behind it.
fn parse_number(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let factor: u64 = match &text[digits.len()..] {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "P" => 1_000_000_000_000_000,
        "E" => 1_000_000_000_000_000_000,
        _ => return Err("expected a number, with k, M, G, T, P or E if need be".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number".to_owned())?;
    number
        .checked_mul(factor)
        .ok_or_else(|| "too large".to_owned())
}

fn parse_character(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err("expected one character".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Jellyfish as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn numbers_have_suffixes() {
        assert_eq!(parse_number("100M"), Ok(100_000_000));
        assert_eq!(parse_number("7"), Ok(7));
        for wrong in ["", "M", "1X", "1MM", "99E", "-1", "1.5G"] {
            assert!(parse_number(wrong).is_err(), "{wrong}");
        }
    }
}
