//! The options of `thalweg qc`: fastp's, by fastp's names, and some more.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{ArgAction, Args, ValueEnum};
use thalweg::qc::ranges;
use thalweg::write::Level;

use crate::options::IndexChoice;
use crate::options::quantity::{at_most, parse_size, parse_threads, whole};

/// Judge, trim and filter reads, and report on them
///
/// Takes fastp's options, and does what they say: where fastp itself deviates, --fastp-compat does
/// as fastp does, byte for byte. Inputs are FASTQ, plain or compressed, files or pipes; outputs
/// ending in .gz are BGZF, in .zst zstd. The output is the same for every number of threads.
#[derive(Debug, Args)]
#[command(
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "\
Examples:
  thalweg qc r1.fq.gz r2.fq.gz -o clean1.fq.gz -O clean2.fq.gz
  thalweg qc sample.fq.gz -o clean.fq.gz --cut_right
  thalweg qc -i L1_R1.fq.gz -I L1_R2.fq.gz -i L2_R1.fq.gz -I L2_R2.fq.gz -o c1.fq.gz -O c2.fq.gz
      several lanes as one sample
  curl -s $URL | thalweg qc --stdin --stdout | aligner -
  thalweg qc --fastp-compat -i r1.fq -I r2.fq -o c1.fq -O c2.fq
      what fastp 1.3 writes; --fastp-compat=0.23 for fastp 0.23.2"
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

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Input and output")]
pub(crate) struct Files {
    /// Reads, or the two files of pairs; -i and -I do the same
    #[arg(value_name = "FILE", conflicts_with_all = ["in1", "in2", "stdin"], num_args = 0..=2)]
    pub(crate) files: Vec<PathBuf>,

    /// Read 1, or single reads; given again: further lanes of the same sample
    #[arg(short = 'i', long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) in1: Vec<PathBuf>,

    /// Read 2; as often as -i
    #[arg(short = 'I', long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) in2: Vec<PathBuf>,

    /// Where read 1 goes
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) out1: Option<PathBuf>,

    /// Where read 2 goes
    #[arg(short = 'O', long, value_name = "FILE")]
    pub(crate) out2: Option<PathBuf>,

    /// Where read 1 goes if only read 2 fails
    #[arg(long, value_name = "FILE")]
    pub(crate) unpaired1: Option<PathBuf>,

    /// Where read 2 goes if only read 1 fails [default: as --unpaired1]
    #[arg(long, value_name = "FILE")]
    pub(crate) unpaired2: Option<PathBuf>,

    /// Where reads go that fail, with the reason behind their names
    #[arg(long, value_name = "FILE")]
    pub(crate) failed_out: Option<PathBuf>,

    /// Write what became of each read, and which step cut what off it, as records for other programs
    ///
    /// .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl; see `thalweg trace`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Where the bases go on which mates agree
    #[arg(long, value_name = "FILE")]
    pub(crate) overlapped_out: Option<PathBuf>,

    /// Read from the standard input (interleaved pairs with --interleaved_in)
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Write to the standard output (pairs interleaved; with --merge the merged reads)
    #[arg(long)]
    pub(crate) stdout: bool,

    /// The input holds pairs one after the other
    #[arg(long, visible_alias = "interleaved")]
    pub(crate) interleaved_in: bool,

    /// Take reads in the same position of both files for mates, whatever their names
    #[arg(long, visible_alias = "ignore-names")]
    pub(crate) ignore_names: bool,

    /// Only the first N reads or pairs; 0: all
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=u64::MAX))]
    pub(crate) reads_to_process: u64,

    /// Refuse to replace files that exist
    #[arg(long)]
    pub(crate) dont_overwrite: bool,

    /// How hard to compress: 1 (fastest) to 12 (smallest); 2 to 4 are alike for gzip
    #[arg(short = 'z', long, value_name = "LEVEL", default_value = "4", value_parser = parse_level)]
    pub(crate) compression: Level,

    /// What outputs are compressed with [default: by their names, .gz as BGZF]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<OutputFormat>,

    /// Qualities count from 64; they are written counting from 33
    #[arg(short = '6', long)]
    pub(crate) phred64: bool,

    /// Split the output into N files (2 to 999), named 0001.NAME and so on
    ///
    /// They get 1000 reads or pairs each in turn. With --fastp-compat each gets its share of the
    /// input, one after the other; that is counted, or estimated, first, for which the input must
    /// be a file.
    #[arg(short = 's', long, value_name = "N", conflicts_with = "split_by_lines", value_parser = whole(2_u64..=999))]
    pub(crate) split: Option<u64>,

    /// Split the output into files of exactly N lines (a multiple of 4, at least 1000)
    ///
    /// With --fastp-compat of N lines or more, as a file ends only where a thousand reads or pairs
    /// of the input do.
    #[arg(short = 'S', long, value_name = "N", value_parser = whole(1000..=u64::MAX))]
    pub(crate) split_by_lines: Option<u64>,

    /// Digits of the numbers of split files; 0: no leading zeros
    #[arg(short = 'd', long, value_name = "N", default_value_t = 4, value_parser = whole(0_u8..=10))]
    pub(crate) split_prefix_digits: u8,
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

/// Where the reports go unless told otherwise, as with fastp.
pub(crate) const JSON: &str = "fastp.json";
pub(crate) const HTML: &str = "fastp.html";

/// [`parse_level`](crate::options::quantity::parse_level), with the other way not to compress.
fn parse_level(text: &str) -> Result<Level, String> {
    crate::options::quantity::parse_level(text).map_err(|told| match text {
        "0" => format!("{told}, or say --output_format plain"),
        _ => told,
    })
}

/// fastp's choices of memory for duplicates.
const DUPLICATION_ACCURACY: RangeInclusive<u8> = 0..=6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Plain,
    Gzip,
    Bgzf,
    Zstd,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Adapters")]
pub(crate) struct Adapters {
    /// Cut no adapters at the 3' end
    #[arg(short = 'A', long)]
    pub(crate) disable_adapter_trimming: bool,

    /// Adapter of read 1; IUPAC letters match what they stand for
    #[arg(short = 'a', long, value_name = "SEQUENCE", default_value = "auto")]
    pub(crate) adapter_sequence: String,

    /// Adapter of read 2 [default: that of read 1 if it is given, without --detect_adapter_for_pe]
    #[arg(long, value_name = "SEQUENCE", default_value = "auto")]
    pub(crate) adapter_sequence_r2: String,

    /// FASTA of adapters to cut from both reads
    #[arg(long, value_name = "FILE")]
    pub(crate) adapter_fasta: Option<PathBuf>,

    /// Adapter or primer at the 5' end of read 1, cut with all before it; may be given again
    ///
    /// It may stand anywhere in the read, or its last 5 bases or more where the read begins; as
    /// ^SEQUENCE, only whole and where the read begins. IUPAC letters match what they stand for; one
    /// letter in 8 may differ. Of several, the one that agrees best is cut.
    #[arg(long = "adapter_sequence_5p", value_name = "SEQUENCE", action = ArgAction::Append)]
    pub(crate) front_adapters: Vec<String>,

    /// The same for read 2
    #[arg(long = "adapter_sequence_5p_r2", value_name = "SEQUENCE", action = ArgAction::Append)]
    pub(crate) front_adapters_r2: Vec<String>,

    /// FASTA of such adapters, for both reads
    #[arg(long = "adapter_fasta_5p", value_name = "FILE")]
    pub(crate) front_adapter_fasta: Option<PathBuf>,

    /// Find the adapters of pairs in their sequences, too
    #[arg(short = '2', long)]
    pub(crate) detect_adapter_for_pe: bool,

    /// Let the overlap of mates have one gap
    #[arg(long)]
    pub(crate) allow_gap_overlap_trimming: bool,

    /// Reads of at most so many bases after trimming are adapter dimers
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole(0..=usize::MAX))]
    pub(crate) dimer_max_len: usize,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Trimming")]
pub(crate) struct Trimming {
    /// Bases to cut from the front of read 1
    #[arg(short = 'f', long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front1: usize,

    /// Bases to cut from the tail of read 1 (the number of threads is -w)
    #[arg(short = 't', long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail1: usize,

    /// Cut read 1 at its tail to at most so many bases; 0: no limit
    #[arg(short = 'b', long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len1: usize,

    /// Bases to cut from the front of read 2 [default: as read 1]
    #[arg(short = 'F', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front2: Option<usize>,

    /// Bases to cut from the tail of read 2 [default: as read 1]
    #[arg(short = 'T', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail2: Option<usize>,

    /// Cut read 2 at its tail to at most so many bases [default: as read 1]
    #[arg(short = 'B', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len2: Option<usize>,

    /// Cut tails of G [default: if the instrument has two colours]
    #[arg(short = 'g', long, conflicts_with = "disable_trim_poly_g")]
    pub(crate) trim_poly_g: bool,

    /// Never cut tails of G
    #[arg(short = 'G', long)]
    pub(crate) disable_trim_poly_g: bool,

    /// Least length of a tail of G
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_g_min_len: usize,

    /// Cut tails of A from read 1, heads of T from read 2 (mRNA)
    #[arg(long)]
    pub(crate) trim_poly_a: bool,

    /// Least length of such a tail or head
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_a_min_len: usize,

    /// Cut tails of any one base
    #[arg(short = 'x', long)]
    pub(crate) trim_poly_x: bool,

    /// Least length of a tail of any base
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_x_min_len: usize,

    /// Cut from the front while a window's mean quality is low
    #[arg(short = '5', long)]
    pub(crate) cut_front: bool,

    /// Cut from the tail while a window's mean quality is low
    #[arg(short = '3', long)]
    pub(crate) cut_tail: bool,

    /// Cut from the first window of low mean quality to the tail
    #[arg(short = 'r', long)]
    pub(crate) cut_right: bool,

    /// Bases of a window
    #[arg(short = 'W', long, value_name = "N", default_value_t = 4, value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_window_size: usize,

    /// Mean quality that a window needs
    #[arg(short = 'M', long, value_name = "QUALITY", default_value_t = 20, value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_mean_quality: u8,

    /// As --cut_window_size, for --cut_front
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_front_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_front
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_front_mean_quality: Option<u8>,

    /// As --cut_window_size, for --cut_tail
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_tail_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_tail
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_tail_mean_quality: Option<u8>,

    /// As --cut_window_size, for --cut_right
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_right_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_right
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_right_mean_quality: Option<u8>,

    /// Old name of --cut_front
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality5: bool,

    /// Old name of --cut_tail
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality3: bool,

    /// Old name of --cut_right
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality_aggressive: bool,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Filters")]
pub(crate) struct Filters {
    /// Filter neither by quality nor by N
    #[arg(short = 'Q', long)]
    pub(crate) disable_quality_filtering: bool,

    /// Quality that a base needs to be good
    #[arg(short = 'q', long, value_name = "QUALITY", default_value_t = 15, value_parser = whole(ranges::QUALITY))]
    pub(crate) qualified_quality_phred: u8,

    /// Percentage of bases that may be worse
    #[arg(short = 'u', long, value_name = "PERCENT", default_value_t = 40, value_parser = whole(ranges::PERCENT))]
    pub(crate) unqualified_percent_limit: u8,

    /// Bases that may be N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5, value_parser = whole(0..=usize::MAX))]
    pub(crate) n_base_limit: usize,

    /// Mean quality that a read needs; 0: any
    #[arg(short = 'e', long, value_name = "QUALITY", default_value_t = 0, value_parser = whole(ranges::QUALITY))]
    pub(crate) average_qual: u8,

    /// Do not filter by length
    #[arg(short = 'L', long)]
    pub(crate) disable_length_filtering: bool,

    /// Bases that a read needs
    #[arg(short = 'l', long, value_name = "N", default_value_t = 15, value_parser = whole(0..=usize::MAX))]
    pub(crate) length_required: usize,

    /// Bases that a read may have; 0: any number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) length_limit: usize,

    /// Filter reads of which too few bases differ from their neighbour
    #[arg(short = 'y', long)]
    pub(crate) low_complexity_filter: bool,

    /// Percentage of bases that must differ from the next
    #[arg(short = 'Y', long, value_name = "PERCENT", default_value_t = 30, value_parser = whole(ranges::PERCENT))]
    pub(crate) complexity_threshold: u8,

    /// File of indexes, one in a line; reads with one of them as first index vanish
    #[arg(long, value_name = "FILE")]
    pub(crate) filter_by_index1: Option<PathBuf>,

    /// The same for the second index
    #[arg(long, value_name = "FILE")]
    pub(crate) filter_by_index2: Option<PathBuf>,

    /// Bases by which an index may differ
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) filter_by_index_threshold: usize,

    /// Keep only the first of equal reads or pairs; takes 11 to 22 bytes of memory for each different one
    ///
    /// These are not among the bytes that --memory bounds: 200 million different pairs take 2 GiB, and 3 GiB
    /// when room was made for them.
    #[arg(short = 'D', long)]
    pub(crate) dedup: bool,

    /// fastp's choice of memory for duplicates; without effect: their rate takes at most 64 MiB, and
    /// is estimated beyond 6 million different reads or pairs; what --dedup takes depends on the reads
    #[arg(long, value_name = "N", value_parser = whole(DUPLICATION_ACCURACY))]
    pub(crate) dup_calc_accuracy: Option<u8>,

    /// Do not estimate how many reads are duplicates
    #[arg(long)]
    pub(crate) dont_eval_duplication: bool,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Pairs")]
pub(crate) struct Pairs {
    /// Correct a bad base where the mate has a good one
    #[arg(short = 'c', long)]
    pub(crate) correction: bool,

    /// Least length of an overlap
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole(0..=usize::MAX))]
    pub(crate) overlap_len_require: usize,

    /// Bases in which an overlap may differ
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(0..=usize::MAX))]
    pub(crate) overlap_diff_limit: usize,

    /// Percentage of bases in which an overlap may differ
    #[arg(long, value_name = "PERCENT", default_value_t = 20, value_parser = whole(ranges::PERCENT))]
    pub(crate) overlap_diff_percent_limit: u8,

    /// Merge mates that overlap into one read
    #[arg(short = 'm', long)]
    pub(crate) merge: bool,

    /// Where merged reads go [default: the standard output with --stdout]
    #[arg(long, value_name = "FILE")]
    pub(crate) merged_out: Option<PathBuf>,

    /// Write unmerged reads to --merged_out, too
    #[arg(long)]
    pub(crate) include_unmerged: bool,

    /// Without effect, as in fastp, but that nothing is said of unmerged pairs that are not written
    #[arg(long, hide = true)]
    pub(crate) discard_unmerged: bool,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Names and UMIs")]
pub(crate) struct Names {
    /// Take unique molecular identifiers into the names
    #[arg(short = 'U', long)]
    pub(crate) umi: bool,

    /// Where they are: index1, index2, read1, read2, per_index or per_read; or tag:RX, a tag of BAM, or behind names of FASTQ
    #[arg(long, value_name = "WHERE", default_value = "")]
    pub(crate) umi_loc: String,

    /// Bases that a UMI in a read has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=*ranges::UMI_LENGTH.end()))]
    pub(crate) umi_len: usize,

    /// Text before the UMI in the name
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) umi_prefix: String,

    /// Bases to cut behind a UMI in a read
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=usize::MAX))]
    pub(crate) umi_skip: usize,

    /// Text between name and UMI
    #[arg(long, value_name = "TEXT", default_value = ":")]
    pub(crate) umi_delim: String,

    /// Mend the names that MGI's instruments give
    #[arg(long)]
    pub(crate) fix_mgi_id: bool,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Reports")]
pub(crate) struct Reports {
    /// Where the JSON report goes
    #[arg(short = 'j', long, value_name = "FILE", default_value = JSON)]
    pub(crate) json: PathBuf,

    /// Where the HTML report goes
    #[arg(short = 'h', long, value_name = "FILE", default_value = HTML)]
    pub(crate) html: PathBuf,

    /// Title of the HTML report [default: thalweg qc report; fastp's own with --fastp-compat]
    #[arg(short = 'R', long, value_name = "TEXT")]
    pub(crate) report_title: Option<String>,

    /// Write FastQC's reports on the reads as they come, and as they go, into this directory, which must be there
    ///
    /// They are those of FastQC 0.12.1: NAME_fastqc.html and NAME_fastqc.zip of each input, and of each output. An output
    /// without a name of its own is the input's with _clean.
    #[arg(long, value_name = "DIR")]
    pub(crate) fastqc: Option<PathBuf>,

    /// Write no reports and collect nothing for them (but for --fastqc)
    #[arg(long, visible_alias = "no-report", conflicts_with_all = ["json", "html"])]
    pub(crate) no_report: bool,

    /// Look for sequences that occur too often
    #[arg(short = 'p', long)]
    pub(crate) overrepresentation_analysis: bool,

    /// One in N reads is looked at for them (1 to 10000)
    #[arg(short = 'P', long, value_name = "N", default_value_t = 20, value_parser = whole(1_u32..=10_000))]
    pub(crate) overrepresentation_sampling: u32,
}

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Running")]
pub(crate) struct Running {
    /// Number of threads in all [default: one for each core]
    #[arg(short = 'w', long = "thread", visible_alias = "threads", value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Bytes that output may hold while it waits for its turn [default: 256Mi]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// fastp 0.23.2
    #[value(name = "0.23")]
    V0_23,
    /// fastp 1.3
    #[value(name = "1.3")]
    V1_3,
}
