//! The command lines of `thalweg taxa` and `thalweg classify`.

mod profiles;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::arguments::{Common, Compression, IndexChoice};
use crate::files_from::FilesFrom;

use crate::quantity::{Shard, parse_shard};
pub(crate) use profiles::ProfileArguments;

/// Build and look into databases of the k-mers of genomes, with the taxa that have them
#[derive(Debug, Args)]
pub(crate) struct TaxaArguments {
    #[command(subcommand)]
    pub(crate) command: TaxaCommand,
}

/// What to do with databases.
#[derive(Debug, Subcommand)]
pub(crate) enum TaxaCommand {
    Build(BuildArguments),
    Add(AddArguments),
    Merge(MergeArguments),
    Info(InfoArguments),
    Verify(VerifyArguments),
    Dump(DumpArguments),
}

/// Build a database of all k-mers of genomes, each with the taxa that have it
///
/// Which taxon a sequence is of is said by, in this order: the table of --taxa, by the name of the sequence and by
/// that of its file; kraken:taxid|N in its header; seqid2taxid.map beside the taxonomy, or --map; and
/// --accessions. The database is the same for any number of threads and any memory limit.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory that building may take, such as 8G; what does not fit goes to unnamed files in --tmp \
         [default: half of what is available]"
    )),
    after_help = "\
Examples:
  thalweg taxa build --taxonomy taxdump/ genomes/ -o ref.tht
  thalweg taxa build --taxonomy bac120_taxonomy.tsv genomes/*.fna.gz -o gtdb.tht
  find library -name '*.fna' -print0 | thalweg taxa build --taxonomy taxonomy/ --files-from - -o ref.tht
  thalweg taxa build kraken2-db/ -o ref.tht

In parts, each a job of its own that can be done again alone (a part appears under its name when it is whole):
  for i in 1 2 3 4; do
    thalweg taxa verify part$i.tht || thalweg taxa build --taxonomy taxdump/ genomes/ --partition $i/4 -o part$i.tht
  done
  thalweg taxa merge part1.tht part2.tht part3.tht part4.tht -o ref.tht"
)]
pub(crate) struct BuildArguments {
    /// Genomes, FASTA, compressed or not; of a directory, all such files in it and below; or a folder that kraken2-build
    /// has filled (with library/ and taxonomy/)
    #[arg(required_unless_present = "files_from", value_name = "GENOMES")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Where the database goes
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Bases of a k-mer, 16 to 31
    #[arg(short, value_name = "K", default_value_t = 31, value_parser = clap::value_parser!(u8).range(16..=31))]
    pub(crate) k: u8,

    #[command(flatten)]
    pub(crate) taxa_of: TaxaOf,

    /// Keep k-mers of low complexity, which are left out (by DUST, as kraken2-build does)
    #[arg(long)]
    pub(crate) no_masking: bool,

    /// Which strains of a species are told for a k-mer that more than 16 of them have
    #[arg(long, value_enum, default_value_t = StrainsKept::Folded, value_name = "WHAT")]
    pub(crate) strains: StrainsKept,

    /// Only part I of N, by ranges of minimizers; all genomes are read for each part. `thalweg taxa merge` makes the
    /// database of all parts, the same as if it had been built at once
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) partition: Option<Shard>,

    /// Where temporary files go [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// What says of which taxon a sequence is.
#[derive(Debug, Args)]
pub(crate) struct TaxaOf {
    /// A directory with NCBI's nodes.dmp and names.dmp, or a table of lineages as GTDB has it (genome, tab,
    /// d__Bacteria;p__...;s__...) [default: of a library folder of kraken2-build, the taxonomy in it]
    #[arg(long, value_name = "PATH")]
    pub(crate) taxonomy: Option<PathBuf>,

    /// A table of two columns: the name of a sequence or of a file, and its taxid
    #[arg(long, value_name = "TABLE")]
    pub(crate) taxa: Vec<PathBuf>,

    /// seqid2taxid.map of kraken2, if it is not beside nodes.dmp
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Vec<PathBuf>,

    /// NCBI's accession2taxid; the genomes are then read once more, for their names
    #[arg(long, value_name = "FILE")]
    pub(crate) accessions: Vec<PathBuf>,

    /// Leave out sequences of no known taxon, instead of ending with an error
    #[arg(long)]
    pub(crate) skip_unmapped: bool,
}

/// Make a database that has new genomes beside those of another one, which are not read again
///
/// k, minimizers, masking and what is told of strains are those of the old database. Its k-mers, and their taxa, are what
/// one build of all genomes has; records can be a few more. What the old one does not tell of strains, the new one does
/// not either: see `thalweg taxa info`. The taxonomy must say of the old taxa what it said before.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory that building may take, such as 8G; what does not fit goes to unnamed files in --tmp \
         [default: half of what is available]"
    )),
    after_help = "\
Examples:
  thalweg taxa add ref.tht new/*.fa.gz --taxonomy taxdump/ -o ref2.tht"
)]
pub(crate) struct AddArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// New genomes, FASTA, compressed or not; of a directory, all such files in it and below; or a folder that
    /// kraken2-build has filled
    #[arg(required_unless_present = "files_from", value_name = "GENOMES")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) taxa_of: TaxaOf,

    /// Where the new database goes
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Where temporary files go [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Make one database of all parts of one, or of several databases
///
/// All parts of a build (--partition I/N) make the same database, byte for byte, as a build without parts. Whole databases
/// must have the same k, minimizers and masking, and taxonomies that do not contradict each other; the new one has the
/// k-mers of all, and of each the taxa of all. What one of them does not tell of strains, the new one does not either.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory that merging may take, such as 8G [default: half of what is available]"
    )),
    after_help = "\
Examples:
  thalweg taxa merge part*.tht -o ref.tht
  thalweg taxa merge bacteria.tht viruses.tht -o both.tht"
)]
pub(crate) struct MergeArguments {
    /// All parts of a database, or whole databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Where the database goes
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Where temporary files go [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// What is told of strains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrainsKept {
    /// The species alone
    Folded,
    /// All of them
    All,
}

/// What a database has: k-mers, taxa, sequences, sizes
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// One JSON object for each, in a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Read all of a database and compare it with its checksums
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,
}

/// All k-mers with their taxa, as lines of text
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Write here instead of the standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

/// Label reads with the taxa that their k-mers support
///
/// Two files are the mates of pairs, which get one label. Labels are the lines of kraken2: C or U, the name, the
/// taxid, the length, and which taxon how many k-mers are of; in the order of the input, the same for any
/// number of threads.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o labels.tsv --report sample.kreport
  thalweg classify ref.tht --single *.fastq.gz -o labels.tsv.gz
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null --presence taxa.tsv --html taxa.html
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null --taxon 9606 --other-out 'clean_#.fq.gz'")]
pub(crate) struct ClassifyArguments {
    /// A database of thalweg taxa build
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    #[command(flatten)]
    pub(crate) reads: ReadArguments,

    /// Where labels go [default: the standard output]; names that end in .gz, .bgz or .zst are compressed
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Write how many reads are of each taxon and below, as kraken2's report
    #[arg(long, value_name = "PATH")]
    pub(crate) report: Option<PathBuf>,

    /// List all taxa of the database in the report
    #[arg(long)]
    pub(crate) report_zero_counts: bool,

    /// How a read gets its label
    #[arg(long, value_enum, default_value_t = RuleName::Posterior, value_name = "RULE")]
    pub(crate) rule: RuleName,

    /// Of --rule lca: the share of a read's k-mers that must be of its taxon or below, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) confidence: Option<f64>,

    /// Of --rule lmat: the score that a label needs, such as -1 to 2 [default: 0]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    pub(crate) min_score: Option<f64>,

    /// Write names of taxa, too, as in `Escherichia coli (taxid 562)`
    #[arg(long)]
    pub(crate) use_names: bool,

    /// Six columns more: rank, how sure the label is, what comes next, how sure that is, identity, and why
    #[arg(long)]
    pub(crate) scores: bool,

    /// Read the whole database into memory first, and check it, instead of mapping it; done by itself for many reads
    /// and a database of at most a sixteenth of the unused memory
    #[arg(long)]
    pub(crate) preload: bool,

    /// Read the database in its order, once for as many reads as --memory holds, instead of here and there for each read:
    /// for databases that are larger than memory, and many reads. The output is the same
    #[arg(long, conflicts_with = "preload")]
    pub(crate) sweep: bool,

    #[command(flatten)]
    pub(crate) chosen: ChosenArguments,

    #[command(flatten)]
    pub(crate) profiles: ProfileArguments,

    #[command(flatten)]
    pub(crate) compression: Compression,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Which reads are labelled.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// FASTQ or FASTA files, compressed or not: one, or two of mates; - is the standard input
    #[arg(required_unless_present_any = ["files_from", "in1", "samples"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Read 1, or single reads; given again: further lanes of the same sample
    #[arg(short = 'i', long, value_name = "FILE", conflicts_with_all = ["files", "files_from"])]
    pub(crate) in1: Vec<PathBuf>,

    /// Read 2; as often as -i
    #[arg(
        short = 'I',
        long,
        value_name = "FILE",
        requires = "in1",
        conflicts_with = "single"
    )]
    pub(crate) in2: Vec<PathBuf>,

    /// The files are of single reads, one after the other
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) single: bool,

    /// Mates follow each other in the same file
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Take reads of the same rank for mates, whatever their names
    #[arg(long)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) samples: SampleArguments,
}

/// Several samples at once.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Label many samples, and go on where one fails: SHEET has lines of sample, file and, of pairs, second file, with
    /// tabs between them; - is the standard input
    #[arg(help_heading = "Many samples", long, value_name = "SHEET", requires = "out_dir",
        conflicts_with_all = ["files", "files_from", "in1", "in2", "output", "report", "index_files"])]
    pub(crate) samples: Option<PathBuf>,

    /// Where SAMPLE.labels.tsv and SAMPLE.kreport go; names of outputs of reads get SAMPLE. before them
    #[arg(
        help_heading = "Many samples",
        long,
        value_name = "DIR",
        requires = "samples"
    )]
    pub(crate) out_dir: Option<PathBuf>,

    /// Compress the labels of samples: SAMPLE.labels.tsv.gz
    #[arg(
        help_heading = "Many samples",
        long,
        value_enum,
        requires = "samples",
        value_name = "HOW"
    )]
    pub(crate) compress: Option<TextCompression>,
}

/// How text is compressed, by the endings of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextCompression {
    Gz,
    Bgz,
    Zst,
}

/// Which reads are written by their labels. Of pairs a name has a #, or mates stand behind each other in one file.
#[derive(Debug, Args)]
pub(crate) struct ChosenArguments {
    /// Taxids, for --taxon-out and --other-out: these taxa and all below them
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "TAXIDS",
        value_delimiter = ','
    )]
    pub(crate) taxon: Vec<u32>,

    /// Write the reads of these taxa here, as they came; # is 1 or 2 for the mates of pairs, and without # they stand
    /// behind each other
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) taxon_out: Option<PathBuf>,

    /// Write all other reads here, as they came
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) other_out: Option<PathBuf>,

    /// Write reads with a label here, with `kraken:taxid|562` in their headers; # is _1 or _2, as in kraken2
    #[arg(help_heading = "Reads by their labels", long, value_name = "PATH")]
    pub(crate) classified_out: Option<PathBuf>,

    /// Write reads without a label here; # is _1 or _2
    #[arg(help_heading = "Reads by their labels", long, value_name = "PATH")]
    pub(crate) unclassified_out: Option<PathBuf>,
}

/// Rules of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// By how likely each species is
    Posterior,
    /// By the lowest common ancestors of k-mers, as kraken2
    Lca,
    /// By scores against what is by chance, as LMAT
    Lmat,
}
