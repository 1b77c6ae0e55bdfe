//! What the user wants of BAM.

use std::path::PathBuf;

use clap::Args;
use thalweg::copy::RoutePaths;
use thalweg::formats::BinaryFormat;
use thalweg::formats::bam::{BAM, Bam, BamOptions, Flags, TagChoice};
use thalweg::{FilePlan, ReaderOptions};

use crate::options::{IndexChoice, IndexMode};
use crate::process::exit::Failure;

/// How records of BAM become FASTQ.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options for BAM")]
pub(crate) struct BamArguments {
    /// Append these tags to read names, such as RX,BC
    ///
    /// '*' means all tags. The output is that of `samtools fastq -T`. Tags have two characters each and are separated by commas.
    #[arg(short = 'T', long, value_name = "TAGS", value_parser = parse_tags)]
    tags: Option<TagChoice>,

    /// Keep names without /1 and /2
    #[arg(
        short = 'n',
        hide_short_help = true,
        long,
        overrides_with = "mate_numbers"
    )]
    no_mate_numbers: bool,

    /// Append /1 and /2 to names (default unless -1/-2 is used)
    #[arg(
        short = 'N',
        hide_short_help = true,
        long,
        overrides_with = "no_mate_numbers"
    )]
    mate_numbers: bool,

    /// Use qualities from before recalibration, if present (tag OQ)
    #[arg(long, hide_short_help = true)]
    original_qualities: bool,

    /// Include secondary alignments, which repeat reads
    #[arg(long, hide_short_help = true)]
    secondary: bool,

    /// Include supplementary alignments, which repeat parts of reads
    #[arg(long, hide_short_help = true)]
    supplementary: bool,

    #[command(flatten)]
    pub(crate) routes: RouteArguments,
}

/// Where reads of BAM go, by what they are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RouteArguments {
    /// Write first mates to FILE; BAM must be grouped by name
    ///
    /// Names have no /1 unless -N is given.
    #[arg(short = '1', long, value_name = "FILE", requires = "read2",
        conflicts_with_all = ["output", "records", "shard", "parts", "mates", "interleaved", "raw"])]
    read1: Option<PathBuf>,

    /// Write second mates to FILE, in the same order
    #[arg(short = '2', long, value_name = "FILE", requires = "read1")]
    read2: Option<PathBuf>,

    /// Write unpaired reads to FILE
    ///
    /// Without this option, an unpaired read is an error.
    #[arg(
        short = '0',
        long,
        hide_short_help = true,
        value_name = "FILE",
        requires = "read1"
    )]
    other: Option<PathBuf>,

    /// Write paired reads without their mate (singletons) to FILE
    ///
    /// Without this option, such a read is an error.
    #[arg(short = 's', long, value_name = "FILE", requires = "read1")]
    single: Option<PathBuf>,
}

impl RouteArguments {
    /// Whether reads are to be sorted.
    pub(crate) fn is_given(&self) -> bool {
        self.read1.is_some()
    }

    /// The same as the library takes them.
    pub(crate) fn paths(&self) -> RoutePaths {
        RoutePaths {
            first: self.read1.clone(),
            second: self.read2.clone(),
            single: self.single.clone(),
            other: self.other.clone(),
        }
    }
}

/// `RX,BC` or `*`.
fn parse_tags(text: &str) -> Result<TagChoice, String> {
    if text == "*" {
        return Ok(TagChoice::All);
    }
    let tag = |name: &str| match name.as_bytes() {
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok([*a, *b]),
        _ => Err(format!(
            "'{name}' is not a tag: expected names such as RX,BC, or '*'"
        )),
    };
    let tags = text.split(',').map(tag);
    tags.collect::<Result<_, _>>().map(TagChoice::These)
}

impl BamArguments {
    /// How records become FASTQ.
    pub(crate) fn options(&self) -> BamOptions {
        let usual = BamOptions::new();
        let shown = [
            (self.secondary, Flags::SECONDARY),
            (self.supplementary, Flags::SUPPLEMENTARY),
        ];
        let shown = shown.iter().filter(|(wanted, _)| *wanted);
        BamOptions {
            hidden: shown.fold(usual.hidden, |hidden, (_, flag)| hidden & !flag),
            // Those of pairs are in files of their own.
            with_mate: match self.routes.is_given() {
                true => self.mate_numbers,
                false => !self.no_mate_numbers,
            },
            tags: self.tags.clone().unwrap_or(TagChoice::None),
            original_qualities: self.original_qualities,
            ..usual
        }
    }

    /// Whether something else is wanted than what all commands take.
    pub(crate) fn is_given(&self) -> bool {
        self.options() != BamOptions::new() || self.mate_numbers
    }

    /// Have BAM read so.
    pub(crate) fn choose(&self, reads: ReaderOptions) -> ReaderOptions {
        let options = self.options();
        match options == BamOptions::new() {
            true => reads,
            false => reads.format(Bam::shared(&options)),
        }
    }

    /// Refuse indexes, which have the ranks of the usual records, where others are wanted; none is used then.
    pub(crate) fn index(&self, index: &IndexChoice) -> Result<IndexChoice, Failure> {
        if self.options().hidden == BamOptions::new().hidden {
            return Ok(index.clone());
        }
        let is_used = matches!(index.index, IndexMode::Require | IndexMode::Save);
        match is_used || !index.index_files.is_empty() {
            true => Err(Failure::usage(
                "an index of BAM leaves secondary and supplementary records out",
                "omit --index and --index-file: BAM is read by all threads without them",
            )),
            false => Ok(IndexChoice {
                index: IndexMode::Never,
                ..index.clone()
            }),
        }
    }

    /// Refuse what is wanted of BAM where there is none.
    pub(crate) fn check(&self, plans: &[FilePlan]) -> Result<(), Failure> {
        // What is cut off before its first record is told when it is read.
        let may_be = |plan: &FilePlan| is_bam(plan) || plan.first_head.is_empty();
        let are_bam = match self.routes.is_given() {
            true => plans.iter().all(may_be),
            false => plans.iter().any(may_be),
        };
        match self.is_given() && !are_bam {
            true => Err(Failure::usage(
                "-1, -2, -T, -n, -N, -O, --secondary and --supplementary apply to BAM input only",
                "omit them",
            )),
            false => Ok(()),
        }
    }
}

/// Whether a file is BAM.
fn is_bam(plan: &FilePlan) -> bool {
    plan.format_name == BAM.name()
}
