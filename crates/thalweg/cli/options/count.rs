//! The command line of `thalweg count`.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use thalweg::count::CountSettings;

use crate::jobs::kmers::OutputFormat;
use crate::options::files_from::FilesFrom;
use crate::options::quantity::{Shard, parse_k, parse_shard};
use crate::options::trace::trace_settings;
use crate::options::{Common, EndCheck, IndexChoice, RecordLimit};

/// Count all k-mers of reads, exactly
///
/// A k-mer and its reverse complement are one, unless --forward is given. U is T; a k-mer with any
/// other letter than ACGTU (in either case) does not count, and how many such letters there are is
/// said. Several files are counted as one. Counts are exact up to 2^64-1, and the same for any number of threads, memory limit and order of files.
///
/// No size needs to be guessed. What does not fit into --memory goes to unnamed files in --tmp.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("result").args(["output", "histo"]).required(true).multiple(true),
    mut_arg("memory", |argument| argument.help(
        "Memory that the process may have in all, such as 8G; at least 20Mi and 8Mi for each thread \
         [default: half of what is available]"
    )),
    after_help = "\
Examples:
  thalweg count -k 31 *.fastq.gz -o sample.thk
  thalweg count -k 21 *.fastq.gz --histo sample.histo      the spectrum alone, no database
  thalweg count -k 31 reads.fq -o sample.jf                a database for jellyfish
  thalweg count -k 31 -L 2 reads.fq -o sample.tsv          lines of text, without singletons
  thalweg count -k 31 --shard 3/8 *.fastq.gz -o 3.thk      the third of eight jobs of a batch system

For users of jellyfish and kmc:
  jellyfish count -m 31 -C -s 1G reads.fq -o x.jf          count -k 31 reads.fq -o x.jf (without -C: --forward)
  kmc -k31 -ci2 -cx1000 -m8 reads.fq x tmp                 count -k 31 -L 2 -U 1000 --memory 8G --tmp tmp reads.fq -o x.kmc
  Or link the program to those names: jellyfish, kmc, kmc_dump and kmc_tools then take their options."
)]
pub(crate) struct CountArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is the standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Bases of a k-mer, 1 to 255: 21 is usual for the spectrum and size of a genome, 31 to tell sequences apart
    #[arg(short, value_name = "K", value_parser = parse_k)]
    pub(crate) k: usize,

    /// Where the database goes; its format is told from the name (.thk .jf .kmc .tsv .fasta), and
    /// is thk where that tells nothing. Of .kmc, this is the common part of two names:
    /// PATH.kmc_pre and PATH.kmc_suf
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the database, whatever its name
    #[arg(long, value_enum, requires = "output")]
    pub(crate) format: Option<OutputFormat>,

    /// Write how many k-mers occur how often, before -L and -U; - is the standard output
    #[arg(long, value_name = "PATH")]
    pub(crate) histo: Option<PathBuf>,

    /// Write the k-mers of the database with their counts, ascending, as records for other programs:
    /// .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl; see `thalweg trace`
    #[arg(long, value_name = "FILE", requires = "output")]
    pub(crate) trace: Option<PathBuf>,

    /// Count the two strands apart
    #[arg(long)]
    pub(crate) forward: bool,

    /// Leave out k-mers that occur less often
    #[arg(short = 'L', long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) min: u64,

    /// Leave out k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,

    /// Cut counts that the database has no room for (KMC's: from 2^32 on) to the largest that it has;
    /// without this, they are an error
    #[arg(long, requires = "output")]
    pub(crate) saturate: bool,

    /// Leave command, directory and time out of the database: the same reads make the same bytes, from files of any kind or a
    /// pipe, with any number of threads and any memory limit
    #[arg(long, requires = "output")]
    pub(crate) no_provenance: bool,

    /// Leave out k-mers with a base of a lower Phred quality (FASTQ with an offset of 33)
    #[arg(long, value_name = "Q", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=93))]
    pub(crate) min_quality: u8,

    /// Where temporary files go; they have no names there, or are removed on every exit
    /// [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    /// Count only part I of N parts of about equal size, counted from 1, of all files together; of one file as cat --shard.
    /// The sum of all parts is made by kmers merge
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

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
