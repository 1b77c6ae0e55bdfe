//! The command lines of `thalweg taxa` and `thalweg classify`.

mod profiles;

use std::path::PathBuf;

use clap::builder::RangedI64ValueParser;
use clap::{Args, Subcommand, ValueEnum};
use thalweg::taxa::build::Strains;
use thalweg::taxa::{BuildSettings, TaxonSources};

use crate::options::files_from::FilesFrom;
use crate::options::{Common, Compression, EndCheck, IndexChoice, RecordLimit};

use crate::options::quantity::{Shard, parse_shard};
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
/// Of which taxon a sequence is, is looked for in this order. The table of --taxa has it, by the name of the sequence or of
/// its file; else kraken:taxid|N in its header; else seqid2taxid.map beside the taxonomy, or --map; else --accessions.
/// The database is the same for any number of threads and any memory limit.
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
    /// Genomes, FASTA, compressed or not; of a directory, all such files in it and below, links followed; or a folder that
    /// kraken2-build has filled (with library/ and taxonomy/)
    #[arg(required_unless_present = "files_from", value_name = "GENOMES")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Where the database goes
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Bases of a k-mer, 16 to 31
    #[arg(short, value_name = "K", default_value_t = BuildSettings::USUAL_K as u8, value_parser = lengths())]
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

/// Lengths of k-mers.
fn lengths() -> RangedI64ValueParser<u8> {
    let (least, most) = (BuildSettings::K.start(), BuildSettings::K.end());
    RangedI64ValueParser::new().range(*least as i64..=*most as i64)
}

impl BuildArguments {
    /// What the user has said, as the library takes it; temporary files and memory are the process's.
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
    /// The same as the library takes it.
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

/// What says of which taxon a sequence is.
#[derive(Debug, Args)]
pub(crate) struct TaxaOf {
    /// A directory with NCBI's nodes.dmp and names.dmp, or a table of lineages as GTDB has it (genome, tab,
    /// d__Bacteria;p__...;s__...) [default: of a library folder of kraken2-build, the taxonomy in it]
    #[arg(long, value_name = "PATH")]
    taxonomy: Option<PathBuf>,

    /// A table with tabs: the name of a file, of a sequence, or of both (a.fa:contig_1), and the taxid. Files by name or path,
    /// with or without their endings. A first line may name the columns (... taxid), and lines with # are comments
    #[arg(long, value_name = "TABLE")]
    taxa: Vec<PathBuf>,

    /// seqid2taxid.map of kraken2, if it is not beside nodes.dmp
    #[arg(long, value_name = "FILE")]
    map: Vec<PathBuf>,

    /// NCBI's accession2taxid; the genomes are then read once more, for their names
    #[arg(long, value_name = "FILE")]
    accessions: Vec<PathBuf>,

    /// Leave out sequences of no known taxon, instead of ending with an error
    #[arg(long)]
    skip_unmapped: bool,
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
    mut_arg("taxonomy", |argument| argument.help(
        "A directory with NCBI's nodes.dmp and names.dmp, or a table of lineages as GTDB has it. Without it, the taxonomy in \
         a library folder of kraken2-build is taken, else that of the database: taxa of its sequences and those above"
    )),
    after_help = "\
Examples:
  thalweg taxa add ref.tht new/*.fa.gz --taxonomy taxdump/ -o ref2.tht
  thalweg taxa add ref.tht more-of-the-same-species.fa --taxa mine.tsv -o ref2.tht"
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
/// must have the same k, minimizers and masking, and taxonomies that do not contradict each other. The new one has the
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
/// Two files are the mates of pairs, which get one label. Labels are lines with tabs, in the order of the input and the same
/// for any number of threads. Their columns are those of kraken2:
///
///   1  C: classified, U: unclassified
///   2  name of the read, or of the pair without /1 and /2
///   3  taxid, 0 for none; with --use-names the name, too
///   4  length, of pairs of both mates: 150|148
///   5  what its k-mers are of, in their order: 562:13 0:102 A:31 |:| 561:4 are 13 k-mers of taxon 562 or below,
///      102 of nothing in the database, 31 with a letter that is no base, the end of read 1, and 4 of taxon 561 or below
///
/// A link named kraken2 to this program takes kraken2's options.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o labels.tsv --report sample.kreport
  thalweg classify ref.tht --single *.fastq.gz -o labels.tsv.gz
  zcat reads.fq.gz | thalweg classify ref.tht - > labels.tsv
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null --presence taxa.tsv --html taxa.html
  thalweg classify ref.tht r1.fq.gz r2.fq.gz -o /dev/null --taxon 9606 --other-out 'clean_#.fq.gz'")]
pub(crate) struct ClassifyArguments {
    /// A database of thalweg taxa build, or a directory with one
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

    /// Write what each label was chosen from, as records for other programs: .msgpack.lz4, .msgpack.zst, .msgpack or
    /// .jsonl; see `thalweg trace`
    #[arg(long, value_name = "PATH")]
    pub(crate) trace: Option<PathBuf>,

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

    /// Six columns more: rank, score, what comes next, its score, identity, and why. Scores are 0 to 1, of --rule lmat
    /// logarithms
    #[arg(long)]
    pub(crate) scores: bool,

    /// Read the whole database into memory first, and check it, instead of mapping it. That is done without being asked for
    /// many reads and a database of at most a sixteenth of the unused memory
    #[arg(long)]
    pub(crate) preload: bool,

    /// Read the database in its order, once for as many reads as --memory holds, instead of here and there for each read.
    /// It is for many reads, and databases that are larger than memory. The output is the same
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
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Which reads are labelled.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// FASTQ, FASTA or BAM files, compressed or not: one, or two of mates; - is the standard input
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

    /// Take reads in the same position of both files for mates, whatever their names
    #[arg(long)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) samples: SampleArguments,
}

/// Several samples at once.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Label many samples, and go on where one fails: SHEET has lines of sample, file and, of pairs, second file, with
    /// tabs between them; - is the standard input. A first line may name the columns (sample, name or id), and lines with #
    /// are comments
    #[arg(help_heading = "Many samples", long, value_name = "SHEET", requires = "out_dir",
        conflicts_with_all = ["files", "files_from", "in1", "in2", "output", "report", "index_files"])]
    pub(crate) samples: Option<PathBuf>,

    /// Where SAMPLE.labels.tsv and SAMPLE.kreport go, and all other outputs of samples, whose names get SAMPLE. before them;
    /// only the page of --html goes where its own name says
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

/// Which reads are written by their labels. Of pairs a name has a #, or both mates go to one file, read 1 before read 2.
#[derive(Debug, Args)]
pub(crate) struct ChosenArguments {
    /// Taxids or names, for --taxon-out and --other-out: these taxa and all below them. Several have commas between them, or
    /// the option is given again
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "TAXA",
        value_delimiter = ','
    )]
    pub(crate) taxon: Vec<String>,

    /// Write the reads of these taxa here, as they came. Of pairs x_#.fq is x_1.fq and x_2.fq; without # both mates go to
    /// one file, read 1 before read 2. With --samples, single reads go to x.fq then
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) taxon_out: Option<PathBuf>,

    /// Write all other reads here, as they came; # as in --taxon-out
    #[arg(
        help_heading = "Reads by their labels",
        long,
        value_name = "PATH",
        requires = "taxon"
    )]
    pub(crate) other_out: Option<PathBuf>,

    /// Write reads with a label here, with `kraken:taxid|562` in their headers. As in kraken2, # is _1 or _2 here, and not
    /// 1 or 2: of pairs x#.fq is x_1.fq and x_2.fq
    #[arg(help_heading = "Reads by their labels", long, value_name = "PATH")]
    pub(crate) classified_out: Option<PathBuf>,

    /// Write reads without a label here; # as in --classified-out
    #[arg(help_heading = "Reads by their labels", long, value_name = "PATH")]
    pub(crate) unclassified_out: Option<PathBuf>,
}

/// Rules of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// The species that holds at least 0.8 of the probability by its different k-mers, else the taxon above those that do
    Posterior,
    /// As kraken2: each k-mer counts for the taxon above all that have it, and the path with the most k-mers wins
    Lca,
    /// As LMAT: each taxon is scored by how many more k-mers agree than by chance, and near equals go to the taxon above
    Lmat,
}
