//! The command lines of `thalweg taxa` and `thalweg classify`.

mod profiles;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use thalweg::taxa::build::Strains;
use thalweg::taxa::{BuildSettings, TaxonSources};

use crate::options::files_from::FilesFrom;
use crate::options::{Common, Compression, EndCheck, IndexChoice, RecordLimit};

use crate::options::quantity::{Shard, parse_shard};
pub(crate) use profiles::ProfileArguments;

/// Build and inspect databases of k-mers and their taxa
#[derive(Debug, Args)]
pub(crate) struct TaxaArguments {
    #[command(subcommand)]
    pub(crate) command: TaxaCommand,
}

/// The commands on databases.
#[derive(Debug, Subcommand)]
pub(crate) enum TaxaCommand {
    Build(BuildArguments),
    Add(AddArguments),
    Merge(MergeArguments),
    Info(InfoArguments),
    Verify(VerifyArguments),
    Dump(DumpArguments),
}

/// Build a database of k-mers and their taxa from genomes
///
/// The database stores every k-mer of the genomes with all taxa that have it. It is the same for any number of threads and any
/// memory limit.
///
/// The taxid of a sequence is taken from the first of these sources that has one: the table of --taxa, by the name of the
/// sequence or its file; kraken:taxid|N in the header; seqid2taxid.map next to the taxonomy, or --map; --accessions. A sequence
/// without a known taxid is an error, unless --skip-unmapped is given.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory limit for the build, such as 8G [default: half of what is available]"
    ).long_help(
        "Memory limit for the build, such as 8G [default: half of what is available]\n\n\
         Data beyond the limit go to unnamed files in --tmp."
    )),
    after_help = "\
Examples:
  thalweg taxa build --taxonomy taxdump/ genomes/ -o ref.tht
  thalweg taxa build --taxonomy bac120_taxonomy.tsv genomes/ -o gtdb.tht
  thalweg taxa build kraken2-db/ -o ref.tht

More examples and options: thalweg taxa build --help",
    after_long_help = "\
Examples:
  thalweg taxa build --taxonomy taxdump/ genomes/ -o ref.tht
  thalweg taxa build --taxonomy taxdump/ --taxa mine.tsv genomes/ -o ref.tht
  thalweg taxa build --taxonomy bac120_taxonomy.tsv genomes/ -o gtdb.tht
  thalweg taxa build kraken2-db/ -o ref.tht
  find library -name '*.fna' -print0 |
    thalweg taxa build --taxonomy taxonomy/ --files-from - -o ref.tht

In parts, each a separate job that can be repeated alone:
  for i in 1 2 3 4; do
    thalweg taxa verify part$i.tht ||
      thalweg taxa build --taxonomy taxdump/ genomes/ --partition $i/4 \\
        -o part$i.tht
  done
  thalweg taxa merge part1.tht part2.tht part3.tht part4.tht -o ref.tht"
)]
pub(crate) struct BuildArguments {
    /// FASTA files, directories, or a kraken2-build folder
    ///
    /// Files may be compressed. Directories are searched recursively for FASTA files, following symbolic links. A kraken2-build folder contains
    /// library/ and taxonomy/.
    #[arg(required_unless_present = "files_from", value_name = "GENOMES")]
    pub(crate) files: Vec<PathBuf>,

    /// Write the database to PATH
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Length of k-mers, 16 to 31
    #[arg(short, value_name = "K", default_value_t = BuildSettings::USUAL_K as u8, value_parser = parse_length)]
    pub(crate) k: u8,

    #[command(flatten)]
    pub(crate) taxa_of: TaxaOf,

    /// Keep low-complexity k-mers
    ///
    /// By default, low-complexity regions are masked by DUST, as in kraken2-build.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_masking: bool,

    /// Taxa to store for k-mers shared by more than 16 strains of a species
    #[arg(long, hide_short_help = true, value_enum, default_value_t = StrainsKept::Folded, value_name = "WHAT")]
    pub(crate) strains: StrainsKept,

    /// Build only part I of N (I starts at 1)
    ///
    /// Each part reads all genomes, and keeps one range of minimizers. The file appears under its name only when it is
    /// complete. `thalweg taxa merge` combines all parts into the database that a single build would write.
    #[arg(long, hide_short_help = true, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) partition: Option<Shard>,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    #[arg(long, help_heading = "Common options", value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Parse the length of k-mers.
fn parse_length(text: &str) -> Result<u8, String> {
    let (least, most) = (BuildSettings::K.start(), BuildSettings::K.end());
    let k = text.trim().parse::<u8>().ok();
    k.filter(|&k| BuildSettings::K.contains(&usize::from(k)))
        .ok_or_else(|| format!("k must be from {least} to {most}"))
}

impl BuildArguments {
    /// Returns the settings for the library, without temporary files and memory, which the process sets.
    pub(crate) fn settings(&self) -> BuildSettings {
        BuildSettings {
            k: self.k.into(),
            masking: !self.no_masking,
            strains: match self.strains {
                StrainsKept::Folded => Strains::Folded,
                StrainsKept::All => Strains::All,
            },
            part: self.partition,
            taxa: self.taxa_of.sources(),
            ..BuildSettings::new(&self.files, &self.output)
        }
    }
}

impl TaxaOf {
    /// Returns the sources for the library.
    pub(crate) fn sources(&self) -> TaxonSources {
        TaxonSources {
            taxonomy: self.taxonomy.clone(),
            taxa: self.taxa.clone(),
            map: self.map.clone(),
            accessions: self.accessions.clone(),
            skip_unmapped: self.skip_unmapped,
        }
    }
}

/// Sources of the taxids of sequences.
#[derive(Debug, Args)]
pub(crate) struct TaxaOf {
    /// Taxdump directory, or table of lineages
    ///
    /// A taxdump directory contains NCBI's nodes.dmp and names.dmp. A table of lineages, as from GTDB, is
    /// tab-separated: genome, lineage (d__Bacteria;p__...;s__...) [default: the taxonomy in a kraken2-build folder]
    #[arg(long, value_name = "PATH")]
    taxonomy: Option<PathBuf>,

    /// Tab-separated table: name, taxid (repeatable)
    ///
    /// Names may be files, sequences, or FILE:SEQUENCE (a.fa:contig_1). Files are given by name or path, with or without
    /// extension. A header line is allowed if its second column is `taxid`. Lines starting with # are comments.
    #[arg(long, value_name = "TABLE")]
    taxa: Vec<PathBuf>,

    /// Kraken 2's seqid2taxid.map, if not next to nodes.dmp
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    map: Vec<PathBuf>,

    /// NCBI's accession2taxid (repeatable)
    ///
    /// The genomes are then read once more, for the names of their sequences.
    #[arg(long, value_name = "FILE")]
    accessions: Vec<PathBuf>,

    /// Skip sequences without a known taxid
    ///
    /// A warning gives their number. Without this option, they are an error.
    #[arg(long)]
    skip_unmapped: bool,
}

/// Add genomes to a database, without rereading the old ones
///
/// The new database inherits k, minimizer length, masking and --strains from the old one. It has the same k-mers and taxa as a
/// build from all genomes, but may be slightly larger. Strains that the old database does not store
/// are not stored in the new one (see `thalweg taxa info`). The taxonomy must agree with the old one on all old taxa.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory limit for the build, such as 8G [default: half of what is available]"
    ).long_help(
        "Memory limit for the build, such as 8G [default: half of what is available]\n\n\
         Data beyond the limit go to unnamed files in --tmp."
    )),
    mut_arg("taxonomy", |argument| argument.long_help(
        "Taxdump directory, or table of lineages\n\n\
         A taxdump directory contains NCBI's nodes.dmp and names.dmp. A table of lineages, as from GTDB, is tab-separated: \
         genome, lineage (d__Bacteria;p__...;s__...). By default, the taxonomy in a kraken2-build folder is used, or else that \
         of the database. The latter has only the taxa of its sequences and their ancestors."
    )),
    after_help = "\
Examples:
  thalweg taxa add ref.tht new/*.fa.gz --taxonomy taxdump/ -o ref2.tht
  thalweg taxa add ref.tht more-strains.fa --taxa mine.tsv -o ref2.tht"
)]
pub(crate) struct AddArguments {
    /// Database (.tht)
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// New FASTA files, directories, or a kraken2-build folder
    ///
    /// Files may be compressed. Directories are searched recursively for FASTA files, following symbolic links.
    #[arg(required_unless_present = "files_from", value_name = "GENOMES")]
    pub(crate) files: Vec<PathBuf>,

    /// Write the new database to PATH
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) taxa_of: TaxaOf,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    #[arg(long, help_heading = "Common options", value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Merge the parts of a build, or several databases
///
/// All parts of a build (--partition I/N) make the same database, byte for byte, as a build without parts.
///
/// Whole databases must have the same k, minimizer length and masking; `thalweg taxa info` prints them. -k and --no-masking set
/// two of these. There is no option for the minimizer length: a build takes it from the number of bases of its genomes. At
/// k = 31, it is 15 up to 500 Mbp, 17 up to 8 Gbp, and 19 beyond. If it differs, use `thalweg taxa add` to add the genomes of
/// the smaller database to the larger one.
///
/// Taxonomies must not contradict each other. The new database has all k-mers, each with its taxa from all databases.
/// Strains that one of the databases does not store are not stored in the new one.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory", |argument| argument.help(
        "Memory limit for merging, such as 8G [default: half of what is available]"
    )),
    after_help = "\
Examples:
  thalweg taxa merge part*.tht -o ref.tht       all parts of one build
  thalweg taxa merge a.tht b.tht -o both.tht    k, minimizers and masking must match

If the minimizer lengths differ, add the genomes of the smaller database:
  thalweg taxa add bacteria.tht viruses/ --taxonomy taxdump/ -o both.tht"
)]
pub(crate) struct MergeArguments {
    /// All parts of one build, or complete databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Write the merged database to PATH
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    #[arg(long, help_heading = "Common options", value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Strains that a database stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrainsKept {
    /// Only the species
    Folded,
    /// All strains
    All,
}

/// Show the k-mers, taxa, sequences and size of a database
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Print one line of JSON per database
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check a database against its checksums
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,
}

/// List all k-mers with their taxa
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    /// Database (.tht)
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Write to PATH instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

/// Assign reads to taxa by their k-mers
#[derive(Debug, Args)]
#[command(
    long_about = "\
Assign reads to taxa by their k-mers

Two files are read as mates; each pair gets one label. Labels are in input order, and the same for any number of threads. They are \
tab-separated lines with the columns of Kraken 2:

  1  C: classified, U: unclassified
  2  name of the read, or of the pair without /1 and /2
  3  taxid, 0 if unclassified; --use-names adds the name
  4  length; for a pair, those of both mates: 150|148
  5  taxa of its k-mers, in order: 562:13 0:102 A:31 |:| 561:4

This fifth column means: 13 k-mers at taxon 562 or below; 102 that are not in the database; 31 with a letter that is not a base; \
the end of read 1; 4 k-mers at taxon 561 or below.

To use Kraken 2's options, symlink thalweg as kraken2.",
    after_help = "\
Examples:
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o labels.tsv --report s.kreport
  thalweg classify ref.tht reads.fq.gz -o labels.tsv --presence taxa.tsv

More examples and options: thalweg classify --help",
    after_long_help = "\
Examples:
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o labels.tsv --report s.kreport
  thalweg classify ref.tht --single *.fastq.gz -o labels.tsv.gz
  zcat reads.fq.gz | thalweg classify ref.tht - > labels.tsv
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null \\
    --presence taxa.tsv --html taxa.html
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null \\
    --taxon 9606 --other-out 'clean_#.fq.gz'"
)]
pub(crate) struct ClassifyArguments {
    /// Database (.tht), or a directory that contains one
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    #[command(flatten)]
    pub(crate) reads: ReadArguments,

    /// Write labels to PATH instead of standard output
    ///
    /// Output named .gz, .bgz or .zst is compressed.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Write the report, in Kraken 2's format
    ///
    /// It gives the number of reads at each taxon, with and without those below.
    #[arg(long, value_name = "PATH")]
    pub(crate) report: Option<PathBuf>,

    /// Write the evidence for each label as records for other programs
    ///
    /// PATH ends in .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl; see `thalweg trace`.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub(crate) trace: Option<PathBuf>,

    /// List all taxa of the database in the report
    #[arg(long, hide_short_help = true)]
    pub(crate) report_zero_counts: bool,

    /// Classification rule
    #[arg(long, value_enum, default_value_t = RuleName::Posterior, value_name = "RULE")]
    pub(crate) rule: RuleName,

    /// Minimum fraction of k-mers at or below the assigned taxon (--rule lca)
    ///
    /// If fewer k-mers agree, the label is a higher taxon.
    #[arg(long, hide_short_help = true, value_name = "SHARE")]
    pub(crate) confidence: Option<f64>,

    /// Minimum score of a label, typically -1 to 2 (--rule lmat) [default: 0]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "SCORE",
        allow_negative_numbers = true
    )]
    pub(crate) min_score: Option<f64>,

    /// Add names of taxa to labels
    ///
    /// The third column is then, for example, Escherichia coli (taxid 562).
    #[arg(long)]
    pub(crate) use_names: bool,

    /// Add columns to labels: rank, score, alternative, identity, reason
    ///
    /// The six columns are rank, score, best alternative, its score, identity, and reason. Scores are 0 to 1; with
    /// --rule lmat, they are logarithms.
    #[arg(long, hide_short_help = true)]
    pub(crate) scores: bool,

    /// Load and check the whole database before the reads
    ///
    /// By default, the database is memory-mapped. It is preloaded automatically for many reads, if it takes at most a
    /// sixteenth of the unused memory.
    #[arg(long, hide_short_help = true)]
    pub(crate) preload: bool,

    /// Read the database from start to end for each batch of reads
    ///
    /// Use it for millions of reads and a database larger than memory. A batch is as many reads as fit into --memory. The
    /// output is the same.
    #[arg(long, hide_short_help = true, conflicts_with = "preload")]
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
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The reads to classify.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// FASTQ, FASTA or BAM: one file, or two files of mates
    ///
    /// Files may be compressed. Use - for standard input. Several files of single reads need --single; lanes of pairs are given with -i and -I.
    #[arg(required_unless_present_any = ["files_from", "in1", "samples"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Read 1, or single reads; repeat for more lanes
    #[arg(short = 'i', long, value_name = "FILE", conflicts_with_all = ["files", "files_from"])]
    pub(crate) in1: Vec<PathBuf>,

    /// Read 2; repeat as often as -i
    #[arg(
        short = 'I',
        long,
        value_name = "FILE",
        requires = "in1",
        conflicts_with = "single"
    )]
    pub(crate) in2: Vec<PathBuf>,

    /// Read all files as single reads
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) single: bool,

    /// Read interleaved mates
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Pair mates by position, without checking names
    #[arg(long, hide_short_help = true)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) samples: SampleArguments,
}

/// Several samples at once.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Classify all samples listed in SHEET
    ///
    /// Each line has sample, file and, for pairs, second file, separated by tabs. Use - for standard input. A header line
    /// is allowed if its first column is `sample`, `name` or `id`. Lines starting with # are comments. If a sample fails, the others are
    /// still classified.
    #[arg(help_heading = "Many samples", long, value_name = "SHEET", requires = "out_dir",
        conflicts_with_all = ["files", "files_from", "in1", "in2", "output", "report", "index_files"])]
    pub(crate) samples: Option<PathBuf>,

    /// Directory for the outputs of samples
    ///
    /// It gets SAMPLE.labels.tsv, SAMPLE.kreport, and all other outputs with SAMPLE. before their names. The --html
    /// page covers all samples and is written to its own PATH.
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
        hide_short_help = true,
        long,
        value_enum,
        requires = "samples",
        value_name = "HOW"
    )]
    pub(crate) compress: Option<TextCompression>,
}

/// Compression of text, by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextCompression {
    Gz,
    Bgz,
    Zst,
}

/// Outputs of reads by their labels.
#[derive(Debug, Args)]
pub(crate) struct ChosenArguments {
    /// Taxids or names to select
    ///
    /// They apply to --taxon-out and --other-out. All taxa below them are included. Separate several by commas, or repeat the option.
    #[arg(
        help_heading = "Reads by label",
        long,
        value_name = "TAXA",
        value_delimiter = ','
    )]
    pub(crate) taxon: Vec<String>,

    /// Write reads assigned to --taxon
    ///
    /// Reads are written unchanged. For pairs, x_#.fq stands for x_1.fq and x_2.fq. Without #, both mates go to one file, interleaved. With --samples,
    /// x_#.fq becomes x.fq for samples of single reads.
    #[arg(
        help_heading = "Reads by label",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) taxon_out: Option<PathBuf>,

    /// Write all other reads
    ///
    /// Reads are written unchanged. # works as in --taxon-out.
    #[arg(
        help_heading = "Reads by label",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) other_out: Option<PathBuf>,

    /// Write classified reads
    ///
    /// Headers get kraken:taxid|562. For pairs, x#.fq stands for x_1.fq and x_2.fq, as in Kraken 2.
    #[arg(help_heading = "Reads by label", long, value_name = "PATH")]
    pub(crate) classified_out: Option<PathBuf>,

    /// Write unclassified reads
    ///
    /// # works as in --classified-out.
    #[arg(help_heading = "Reads by label", long, value_name = "PATH")]
    pub(crate) unclassified_out: Option<PathBuf>,
}

/// Classification rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// The lowest taxon whose posterior probability, from distinct k-mers, is at least 0.8
    Posterior,
    /// As in Kraken 2: each k-mer counts for its lowest common ancestor, and the heaviest path wins
    Lca,
    /// As in LMAT: taxa are scored by matching k-mers relative to chance; near ties go to the parent taxon
    Lmat,
}
