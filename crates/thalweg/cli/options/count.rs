//! The command line of `thalweg count`.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use thalweg::count::CountSettings;

use crate::jobs::kmers::OutputFormat;
use crate::options::files_from::FilesFrom;
use crate::options::quantity::{Shard, parse_k, parse_shard};
use crate::options::trace::trace_settings;
use crate::options::{Common, EndCheck, IndexChoice, RecordLimit};

/// Count all k-mers exactly
///
/// A k-mer and its reverse complement are counted together, unless --forward is given. U counts as T. K-mers with
/// letters other than A, C, G, T and U, in either case, are skipped; the number of such letters is reported.
/// Several files are counted as one. Counts are exact up to 2^64-1, and the same for any number of threads,
/// memory limit and order of files.
///
/// There is no hash size to choose. Data beyond --memory go to unnamed files in --tmp.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("result").args(["output", "histo"]).required(true).multiple(true),
    mut_arg("memory", |argument| argument.help(
        "Memory limit, such as 8G [default: half of what is available]"
    ).long_help(
        "Memory limit, such as 8G [default: half of what is available]\n\n\
         The minimum is 20Mi plus 8Mi per thread."
    )),
    after_help = "\
Examples:
  thalweg count -k 31 *.fastq.gz -o sample.thk
  thalweg count -k 21 *.fastq.gz --histo sample.histo   spectrum only
  thalweg count -k 31 reads.fq -o sample.jf             database for jellyfish
  thalweg count -k 31 -L 2 reads.fq -o sample.tsv       text, no singletons

Options of jellyfish and kmc: thalweg count --help",
    after_long_help = "\
Examples:
  thalweg count -k 31 *.fastq.gz -o sample.thk
  thalweg count -k 21 *.fastq.gz --histo sample.histo      spectrum only, no database
  thalweg count -k 31 reads.fq -o sample.jf                database for jellyfish
  thalweg count -k 31 -L 2 reads.fq -o sample.tsv          text, without singletons
  thalweg count -k 31 --shard 3/8 *.fastq.gz -o 3.thk      third of eight batch jobs

For users of jellyfish and kmc:
  jellyfish count -m 31 -C -s 1G reads.fq -o x.jf          count -k 31 reads.fq -o x.jf
  jellyfish without -C: add --forward
  kmc -k31 -ci2 -cx1000 reads.fq x tmp                     count -k 31 -L 2 -U 1000 reads.fq -o x.kmc
  Or symlink thalweg as jellyfish, kmc, kmc_dump or kmc_tools to use that program's options."
)]
pub(crate) struct CountArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is stdin
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Length of k-mers, 1 to 255
    ///
    /// 21 is usual for spectra and genome size, 31 for comparing sequences.
    #[arg(short, value_name = "K", value_parser = parse_k)]
    pub(crate) k: usize,

    /// Write the database to PATH
    ///
    /// The name selects the format (.thk .jf .kmc .tsv .fasta); for other names it is thk. For .kmc, PATH is the
    /// common part of two names: PATH.kmc_pre and PATH.kmc_suf.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the database, regardless of its name
    #[arg(long, value_enum, requires = "output")]
    pub(crate) format: Option<OutputFormat>,

    /// Write the k-mer spectrum to PATH; - is standard output
    ///
    /// It gives the number of k-mers for each count, before -L and -U.
    #[arg(long, value_name = "PATH")]
    pub(crate) histo: Option<PathBuf>,

    /// Write k-mers and counts as records for other programs
    ///
    /// Records are those of the database, in ascending order. FILE ends in .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl;
    /// see `thalweg trace`.
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "output")]
    pub(crate) trace: Option<PathBuf>,

    /// Count k-mers as they stand, not as canonical k-mers
    #[arg(long)]
    pub(crate) forward: bool,

    /// Drop k-mers that occur less often
    #[arg(short = 'L', long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) min: u64,

    /// Drop k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,

    /// Cap counts at the maximum of the format
    ///
    /// Without this option, larger counts are an error (KMC: from 2^32 on).
    #[arg(long, hide_short_help = true, requires = "output")]
    pub(crate) saturate: bool,

    /// Omit command, directory and time from the database
    ///
    /// The same reads then give the same bytes, from any kind of file or a pipe. Threads and memory limit do not matter.
    #[arg(long, hide_short_help = true, requires = "output")]
    pub(crate) no_provenance: bool,

    /// Skip k-mers with a base below this Phred quality
    ///
    /// Qualities of FASTQ have an offset of 33.
    #[arg(long, value_name = "Q", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=93))]
    pub(crate) min_quality: u8,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    ///
    /// Temporary files are unnamed, or removed on every exit.
    #[arg(long, help_heading = "Common options", value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    /// Count only part I of N parts of about equal size
    ///
    /// I starts at 1. Parts are taken across all input files; a single file is split as by `cat --shard`. `thalweg kmers
    /// merge` adds the parts up.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

impl CountArguments {
    /// What the library is asked for, as far as the options of a count say it.
    pub(crate) fn settings(&self, tmp: &Path) -> CountSettings {
        CountSettings {
            forward: self.forward,
            least: self.min,
            most: self.max,
            minimum_quality: self.min_quality,
            saturate: self.saturate,
            provenance: !self.no_provenance,
            output: self.output.clone(),
            histo: self.histo.clone(),
            trace: self.trace.as_deref().map(trace_settings),
            shard: self.shard,
            max_record: self.limit.max_record,
            check_end: self.end.is_wanted(),
            memory: self.common.memory,
            temporary_directory: tmp.to_owned(),
            ..CountSettings::new(self.k, &self.files)
        }
    }
}
