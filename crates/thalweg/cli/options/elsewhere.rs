//! Hints for commands and options of other programs: their counterparts here.

use std::cmp::Reverse;

use clap::ValueEnum;

use super::SeqkitLayoutName;

/// Returns the place of something that is not a command here: a subcommand of a group, or a name in other programs.
pub(super) fn elsewhere(command: &clap::Command, name: &str) -> Option<String> {
    if command.find_subcommand(name).is_some() {
        // It was looked for in a group.
        return Some(format!("did you mean `thalweg {name}`?"));
    }
    let groups = groups_with(command, name.as_ref());
    let commands: Vec<String> = groups
        .map(|group| format!("`thalweg {group} {name}`"))
        .collect();
    let in_groups =
        (!commands.is_empty()).then(|| format!("did you mean {}?", commands.join(" or ")));
    let known = place_of(without_ending(name), ELSEWHERE.iter().chain(PROGRAMS));
    let places = Vec::from_iter(in_groups.as_deref().into_iter().chain(known));
    (!places.is_empty()).then(|| places.join(" "))
}

/// Returns the name of a program, without the extension of a script.
fn without_ending(name: &str) -> &str {
    name.strip_suffix(".sh").unwrap_or(name)
}

/// Names in other programs, and the counterpart here.
type Place = (&'static str, &'static str);

/// Returns the counterpart of this name.
fn place_of(name: &str, mut places: impl Iterator<Item = &'static Place>) -> Option<&'static str> {
    let known = places.find(|(words, _)| words.split(' ').any(|word| word == name));
    known.map(|(_, place)| *place)
}

/// Names in other programs.
const ELSEWHERE: &[Place] = &[
    (
        "align bowtie2 bwa map minimap2",
        "no command aligns reads: thalweg cat FILE passes them on to a program that does",
    ),
    ("bam2fq fastq", "thalweg cat FILE.bam"),
    ("check quickcheck validate", "thalweg verify FILE"),
    ("clean trim trimfq", "thalweg qc IN.fq.gz -o OUT.fq.gz"),
    (
        "collate",
        "no command reorders BAM records: use `samtools collate`, then thalweg cat --interleaved FILE.bam",
    ),
    ("comp", "thalweg stats FILE, for the whole file"),
    ("compress", "thalweg cat FILE -o FILE.gz"),
    (
        "concat",
        "thalweg cat FILES -o OUT.gz; without recompressing: thalweg cat --join FILES -o OUT.gz",
    ),
    (
        "convert",
        "FASTQ to FASTA: thalweg cat --fasta FILE; databases of k-mers: thalweg kmers merge DB -o OUT.kmc",
    ),
    ("decompress gunzip unzip zcat", "thalweg cat FILE"),
    (
        "decontaminate dehost",
        "thalweg qc --remove DB IN.fq.gz -o OUT.fq.gz; by taxa: thalweg classify --other-out",
    ),
    (
        "dedup dedupe rmdup",
        "thalweg qc --dedup IN.fq.gz -o OUT.fq.gz, by sequence; thalweg verify --faults FILE lists duplicate names",
    ),
    (
        "deinterleave",
        "thalweg cat --interleaved FILE -o r1.fq.gz -O r2.fq.gz",
    ),
    (
        "faidx fqidx",
        "thalweg's indexes do not store read names: thalweg cat --names LIST FILE searches for names, thalweg cat --records 0..1000 FILE reads by number; thalweg index FILE.gz adds random access",
    ),
    ("fasta", "thalweg cat --fasta FILE"),
    (
        "fastp",
        "thalweg qc takes fastp's options; --fastp-compat, or a symlink named fastp, gives fastp's exact output",
    ),
    (
        "fastqc",
        "thalweg qc --fastqc DIR FILE; or use FastQC's options through a symlink named fastqc",
    ),
    (
        "filter",
        "thalweg qc; by k-mers: thalweg kmers filter-reads",
    ),
    (
        "fq",
        "thalweg verify --mates r1.fq.gz r2.fq.gz lints, thalweg cat --sample 10% FILE subsamples",
    ),
    (
        "flagstat idxstats",
        "no command reads alignments: thalweg stats FILE.bam counts reads",
    ),
    ("fq2fa", "thalweg cat --fasta FILE -o OUT.fa.gz"),
    (
        "fqchk",
        "thalweg qc FILE; for totals only: thalweg stats --quality FILE",
    ),
    ("grep", "thalweg cat --grep MOTIF FILE"),
    (
        "head",
        "thalweg cat --records 0..1000 FILE; for files that may have fewer reads: thalweg cat FILE | head -n 4000",
    ),
    (
        "histogram",
        "for a database: thalweg kmers histo DB; for reads: thalweg count -k 21 FILE --histo OUT",
    ),
    ("import", "thalweg cat FILE.fq.gz -o FILE.bam"),
    (
        "inspect",
        "for reads or an index: thalweg info FILE; for a database: thalweg kmers info DB, thalweg taxa info DB or thalweg taxa dump DB",
    ),
    (
        "interleave mergepe",
        "thalweg cat --mates r1.fq.gz r2.fq.gz -o OUT.fq.gz",
    ),
    (
        "jellyfish",
        "thalweg count and thalweg kmers; or use jellyfish's options through a symlink named jellyfish",
    ),
    (
        "kmc",
        "thalweg count and thalweg kmers; or use kmc's options through a symlink named kmc",
    ),
    (
        "kraken2",
        "thalweg classify; or use kraken2's options through a symlink named kraken2",
    ),
    (
        "lint",
        "thalweg verify --faults FILE, or thalweg verify --mates r1.fq.gz r2.fq.gz",
    ),
    (
        "locate",
        "thalweg cat --grep MOTIF FILE keeps the reads that contain the motif",
    ),
    ("lookup", "thalweg kmers query DB KMER"),
    (
        "markdup",
        "no command marks alignments; thalweg qc --dedup IN.fq.gz -o OUT.fq.gz drops duplicate reads",
    ),
    ("merge", "for overlapping mates: thalweg qc --merge"),
    (
        "pair repair",
        "thalweg verify --mates r1.fq.gz r2.fq.gz reports where mates get out of step; there is no command that brings them in step again, as seqkit pair and repair.sh do",
    ),
    ("range", "thalweg cat --records 0..1000 FILE"),
    ("sample subsample", "thalweg cat --sample 10% FILE -o OUT"),
    ("sana", "thalweg verify --faults FILE lists what is wrong"),
    ("scat", "thalweg cat FILES"),
    (
        "screen",
        "thalweg qc --remove DB IN.fq.gz -o OUT.fq.gz; by taxa: thalweg classify DB FILE",
    ),
    (
        "seq",
        "to convert: thalweg cat FILE, or thalweg cat --fasta FILE; to filter by length or quality: thalweg qc -l N -e Q IN.fq.gz -o OUT.fq.gz",
    ),
    (
        "simple",
        "thalweg kmers merge, thalweg kmers intersect, thalweg kmers subtract or thalweg kmers diff",
    ),
    (
        "sort",
        "no command sorts reads; thalweg kmers dump DB lists k-mers in order",
    ),
    ("split split2", "thalweg cat --parts 4 FILE"),
    ("subseq", "for reads by name: thalweg cat --names LIST FILE"),
    (
        "transform",
        "thalweg kmers merge, thalweg kmers histo or thalweg kmers dump",
    ),
    ("union", "thalweg kmers merge DB DB -o OUT.thk"),
    ("version", "thalweg --version"),
    (
        "view",
        "thalweg cat FILE; BAM is written as FASTQ, and no command writes SAM",
    ),
];

/// Returns the command in place of a program that thalweg does not stand in for. The extension of a script is ignored.
pub(crate) fn in_place_of_program(name: &str) -> Option<&'static str> {
    place_of(without_ending(name), PROGRAMS.iter())
}

/// Programs, and their counterparts here. Short names, such as fq, are not listed: somebody may name a link so.
const PROGRAMS: &[Place] = &[
    (
        "bbduk",
        "thalweg qc IN.fq.gz -o OUT.fq.gz trims and filters; thalweg qc --remove DB removes reads by k-mers",
    ),
    (
        "bbmap",
        "no command aligns reads: thalweg cat FILE passes them on; thalweg qc --remove DB IN.fq.gz -o OUT.fq.gz removes reads by shared k-mers",
    ),
    (
        "bgzip gzip pigz",
        "thalweg cat FILE -o FILE.gz compresses as BGZF, thalweg cat FILE.gz decompresses",
    ),
    (
        "bracken",
        "thalweg classify DB FILE --presence TABLE writes the abundance of each taxon",
    ),
    (
        "clumpify",
        "no command puts similar reads together; thalweg qc --dedup IN.fq.gz -o OUT.fq.gz drops duplicates, thalweg cat -z 12 FILE -o FILE.gz compresses more",
    ),
    (
        "cutadapt",
        "thalweg qc IN.fq.gz -o OUT.fq.gz, with -a SEQUENCE for an adapter",
    ),
    (
        "falco",
        "thalweg qc --fastqc DIR FILE; or use FastQC's options through a symlink named fastqc",
    ),
    (
        "genomescope",
        "thalweg kmers stats DB, or thalweg kmers histo DB --plot FILE.svg",
    ),
    (
        "kraken2-build",
        "thalweg taxa build GENOMES --taxonomy DIR -o ref.tht",
    ),
    (
        "kraken2-inspect",
        "thalweg taxa info DB, or thalweg taxa dump DB",
    ),
    (
        "meryl",
        "thalweg count -k 21 FILE -o DB.thk counts; thalweg kmers merge, thalweg kmers histo and others work on databases",
    ),
    (
        "rasusa",
        "thalweg cat --sample 30x --genome-size 4.6M FILE -o OUT.fq.gz",
    ),
    (
        "samtools",
        "thalweg cat FILE.bam is its fastq, thalweg cat FILE.fq.gz -o FILE.bam its import",
    ),
    (
        "seqkit",
        "thalweg stats --seqkit FILE is its stats; thalweg cat samples, splits and searches (--sample, --parts, --grep)",
    ),
    (
        "seqtk",
        "thalweg cat --sample 10% FILE is its sample, thalweg cat --fasta FILE its seq -A, thalweg qc FILE its trimfq",
    ),
    (
        "trim_galore",
        "thalweg qc --fastqc DIR r1.fq.gz r2.fq.gz -o c1.fq.gz -O c2.fq.gz",
    ),
    (
        "trimmomatic",
        "thalweg qc r1.fq.gz r2.fq.gz -o c1.fq.gz -O c2.fq.gz",
    ),
];

/// Returns the commands with a subcommand of this name.
pub(super) fn groups_with<'a>(
    command: &'a clap::Command,
    name: &'a std::ffi::OsStr,
) -> impl Iterator<Item = &'a str> {
    let groups = command.get_subcommands();
    let groups = groups.filter(move |group| group.find_subcommand(name).is_some());
    groups.map(clap::Command::get_name)
}

/// Returns the hint for an option of another program that `command`, of this name, lacks. `words` are those of the command
/// line: in joined letters, such as `-ci2`, the option is the first unknown one.
pub(super) fn in_place_of(
    command: &clap::Command,
    name: &str,
    option: &str,
    words: &[String],
) -> Option<&'static str> {
    let joined: Vec<&String> = (words.iter())
        .filter(|word| are_joined_letters(word, option))
        .collect();
    let begins = |known: &str| joined.iter().any(|word| word.starts_with(known));
    let fits = |known: &&str| match joined.is_empty() {
        true => is_same(known, option),
        false => !known.starts_with("--") && begins(known),
    };
    let sentence = |name: &str| {
        let rows = rows().filter(|row| row.is_of(name) && row.is_true_of(command));
        let fitting = rows.filter_map(|row| {
            let length = row.words().filter(fits).map(str::len).max()?;
            Some((length, row.sentence))
        });
        // The first of those with the longest word.
        let longest = fitting.min_by_key(|(length, _)| Reverse(*length));
        longest.map(|(_, sentence)| sentence)
    };
    sentence(name).or_else(|| sentence(ANY))
}

/// Returns the hint for a word such as `in=reads.fq`, as BBDuk has them, if it is no file.
pub(super) fn in_place_of_assignment(command: &str, word: &str) -> Option<&'static str> {
    let (name, _) = word.split_once('=')?;
    let is_it = |known: &str| known.strip_suffix('=') == Some(name);
    let mut rows = rows().filter(|row| row.is_of(command));
    rows.find(|row| row.words().any(is_it))
        .map(|row| row.sentence)
}

/// Returns the hint for a word after an option without value, which is taken for a file.
pub(super) fn in_place_of_value(command: &str, option: &str, word: &str) -> Option<&'static str> {
    let is_layout = || SeqkitLayoutName::from_str(word, false).is_ok();
    let is_number = || word.bytes().all(|byte| byte.is_ascii_digit());
    match (command, option) {
        ("stats", "--seqkit") if is_layout() => Some("a layout follows =, as in --seqkit=all"),
        ("cat", "-n") if is_number() => Some(
            "--records 0..10 writes the first 10 reads, --sample 1000 a random sample (as in samtools fastq, -n omits /1 and /2 from names)",
        ),
        _ => None,
    }
}

/// Returns true if a word is several letters after one dash, among them the one of `option`.
fn are_joined_letters(word: &str, option: &str) -> bool {
    let letter = option
        .strip_prefix('-')
        .filter(|letter| letter.chars().count() == 1);
    let letters = word
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'));
    match (letter, letters) {
        (Some(letter), Some(letters)) => letters.contains(letter),
        _ => false,
    }
}

/// Returns true if a command takes an option of this name, which begins with one or two dashes.
fn takes(command: &clap::Command, option: &str) -> bool {
    let is_it = |arg: &clap::Arg| match option.strip_prefix("--") {
        Some(long) => {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(long) || aliases.contains(&long)
        }
        None => {
            let letter = option.chars().nth(1);
            let aliases = arg.get_all_short_aliases().unwrap_or_default();
            let is_alias = letter.is_some_and(|letter| aliases.contains(&letter));
            arg.get_short() == letter || is_alias
        }
    };
    command.get_arguments().any(is_it)
}

/// Returns the option that a word of a sentence is, if it is one.
fn option_in(word: &str) -> Option<&str> {
    let option = word.trim_matches(['`', ',', ';', ':', '(', ')']);
    let option = option.split('=').next().unwrap_or(option);
    (option.len() > 1 && option.starts_with('-')).then_some(option)
}

/// Compares options; hyphens and underscores are equal.
fn is_same(known: &str, option: &str) -> bool {
    known.replace('_', "-") == option.replace('_', "-")
}

/// Any command without a line of its own that takes the options named.
const ANY: &str = "any";

/// A line of [`OPTIONS`].
#[derive(Clone, Copy)]
struct Row {
    commands: &'static str,
    words: &'static str,
    sentence: &'static str,
}

impl Row {
    fn is_of(self, command: &str) -> bool {
        self.commands.split(", ").any(|of| of == command)
    }

    /// Returns true if the sentence applies to the command: for any command, if it takes the options named.
    fn is_true_of(self, command: &clap::Command) -> bool {
        let mut options = self.sentence.split(' ').filter_map(option_in);
        self.commands != ANY || options.all(|option| takes(command, option))
    }

    fn words(self) -> impl Iterator<Item = &'static str> {
        self.words.split_whitespace()
    }
}

fn rows() -> impl Iterator<Item = Row> {
    OPTIONS.trim().lines().map(|line| {
        let mut parts = line.splitn(3, '|').map(str::trim);
        let mut part = || parts.next().unwrap_or_default();
        Row {
            commands: part(),
            words: part(),
            sentence: part(),
        }
    })
}

/// Commands | options of other programs, or names before `=` | what to do instead. A letter followed by others is the
/// beginning of a word (`-ci` of `-ci2`). Lines for `any` command apply if no other line does; the first one counts whose
/// options the command takes.
const OPTIONS: &str = r"
any | -@ -j --cores --cpus --thread --num-threads | -t N is the number of threads in all
any | -1 -2 --in1 --in2 --read1 --read2 | files are named without an option; for mates: --mates r1.fq.gz r2.fq.gz
any | -i --in --input --infile --fastq -1 -2 --in1 --in2 --read1 --read2 | files are named without an option
any | --paired --pe | --mates reads two files as pairs, --interleaved reads pairs from one file
any | --infile-list --input-list --file-list | --files-from LIST reads the files that LIST names
any | -Xmx --max-memory --mem | --memory SIZE is the memory limit, such as 8G
any | --gzip --gzip-compressed --bzip2-compressed --gz | not needed: the compression of input is detected, that of output follows its name
any | --tmp-dir --temp-dir --tmpdir | --tmp DIR is where temporary files go
any | --tmp-dir --temp-dir --tmpdir | TMPDIR=DIR before the command sets the directory for temporary files
stats | -T --tabular | --tsv prints tab-separated values, --seqkit=tabular those that seqkit prints
stats | -a --all | all columns are printed; --quality adds quality columns, and --seqkit prints seqkit's own table
stats | -b --basename | file names are printed as given; for base names, run it in the directory of the files
stats | -e --skip-err | not needed: files that cannot be counted have no row, and the exit code is then 1 or 2
stats | -E --fq-encoding | qualities have an offset of 33; `thalweg qc -6` converts those with 64
stats | -N --N50 | N50 is a column; other Nx values are not supported
stats | -o --out-file --output --out | the table goes to standard output: thalweg stats FILE > TABLE
count | -1 -2 --in1 --in2 --read1 --read2 --paired --pe | files are named alone, without an option; all their reads are counted
count | -m --mer-len | use -k K for the k-mer length (jellyfish -m), --memory 8G for memory (kmc -m)
count | --kmer --kmer-size --kmer-length --ksize --kmers -K | -k K is the length of a k-mer
count | -s --size | not needed: there is no hash size to set
count | -C --canonical --both-strands | not needed: both strands are counted together, unless --forward is given
count | -b --stranded | --forward counts the strands separately
count | -c --counter-len --out-counter-len | not needed: counts are exact, however large
count | -ci --lower-count --min-count | -L N drops k-mers that occur less often; kmc's default is 2, thalweg's is 1
count | -cx --upper-count --max-count | -U N drops k-mers that occur more often
count | -cs | not needed: counts are exact, however large; --saturate limits those too large for a format
count | -sm -r | not needed: --memory SIZE is the limit
count | -sf -sp -sr | -t N is the number of threads in all
count | -n -p --reprobes --disk --no-merge --no-unlink | not needed: data beyond --memory go to --tmp
count | -f -fa -fq -fm -fbam -fkmc --sam | not needed: the format is detected from the content
count | -F --Files -g --generator -G --Generators -S --shell | not needed: all threads read each file, and - is standard input: `zcat FILE | thalweg count -k 31 - -o DB`
count | -w -e --no-write | --histo FILE without -o writes only the histogram
count | --bf-size --bf-fp --bf --bc | not needed: -L 2 drops k-mers that occur once
count | -Q --min-qual-char | use --min-quality 20, a Phred score, instead of jellyfish's character '5'
count | --text | -o FILE.tsv writes lines of text
count | --if | `thalweg kmers query DB --sequence FILE` looks up the k-mers of a file
kmers histo | -t -j --threads | not needed: the spectrum takes one thread
kmers histo | -l | --low COUNT is the lowest bin
kmers histo | -i | --increment N is the number of counts per bin
kmers histo | -f | --full prints empty bins too; it needs --high
kmers histo | -s --buffer-size -v --verbose | not needed: there is no hash size to set, and nothing more to print
kmers stats | -t -j --threads | not needed: totals take one thread
kmers stats | -v --verbose -r --recompute | not needed: there is nothing more to print
kmers stats | -L -U --lower-count --upper-count --min --max -ci -cx | filter the database first: `thalweg kmers merge DB -L N -U N -o OUT`
kmers stats, kmers info | -o --output | the output goes to standard output: > FILE
kmers info | -c --cmd -s --skip | the header is printed, as JSON with --json; `thalweg kmers dump DB` lists the k-mers
kmers dump | --tab | not needed: the separator is a tab, or a space with -c
kmers dump, kmers merge, kmers filter-reads | --lower-count --min-count -ci | -L N is the minimum count
kmers dump, kmers merge, kmers filter-reads | --upper-count --max-count -cx | -U N is the maximum count
kmers dump | --fasta --fa | --format fasta
kmers dump | -s --sorted | not needed: k-mers are sorted, unless --file-order is given
kmers query | -l --load -L --no-load | not needed: a database is loaded if that is faster
kmers merge | -s --size --buffer-size | not needed: there is no hash size to set
kmers merge | --jaccard | run `thalweg kmers stats` on the results of `thalweg kmers intersect` and `thalweg kmers merge`
kmers filter-reads | --min-fraction --min-kmer-fraction --rel-threshold -r -f | --fraction PART is the minimum fraction of a read's k-mers; --min limits counts in the database
kmers filter-reads | --min-kmers --min-hits --abs-threshold -a | one matching k-mer is enough, or the fraction of --fraction; `thalweg qc --remove DB --remove-min N` requires N of them
kmers filter-reads | -d --deplete --exclude | --invert keeps the reads that do not match
kmers filter-reads | --ref --db --database -D | the database is the first argument: thalweg kmers filter-reads DB FILE
kmers filter-reads | --out --out1 --outm --outu | -o FILE gets the reads, -O FILE the second mates
kmers filter-reads | -k | k is that of the database
kmers filter-reads | ref= | the database is the first argument; `thalweg count -k 31 ref.fa -o ref.thk` builds one from FASTA
kmers filter-reads | in= in1= in2= | files follow the database: ref.thk reads.fq.gz, or ref.thk --mates r1.fq.gz r2.fq.gz
kmers filter-reads | out= out1= out2= outu= | -o FILE with --invert gets the reads that do not match; -O FILE gets second mates
kmers filter-reads | outm= outm1= outm2= | -o FILE gets the reads that match; -O FILE gets second mates
kmers filter-reads | k= hdist= mink= | k is that of the database, and k-mers are compared in full
kmers filter-reads | mkf= minkmerfraction= mcf= mkh= minkmerhits= | --fraction PART is the minimum fraction of a read's k-mers
kmers filter-reads | threads= t= | -t N is the number of threads in all
classify | --db | the database is the first argument: thalweg classify ref.tht r1.fq r2.fq
classify | --paired -1 -2 | not needed: two files are read as mates
classify | -f | not needed: the format is detected from the content
classify | --memory-mapping -M | not needed: databases are memory-mapped; --preload loads them first
classify | --quick --minimum-hit-groups | not supported: all k-mers are looked up, and compared in full
classify | --report-minimizer-data | --report-kmers adds these columns, for k-mers
classify | --minimum-base-quality --use-mpa-style --only-classified-output | a symlink named kraken2 accepts these, with all of kraken2's options
taxa build | --db --database | use -o FILE to name the database
taxa build | --kmer-len --kmer-size | -k K is the length of a k-mer
taxa build | --no-mask --skip-masking | --no-masking keeps low-complexity k-mers
taxa build | --build --standard --max-db-size --minimizer-len --minimizer-spaces --load-factor --fast-build | not needed: all k-mers of the genomes are kept, and there is no size to choose
taxa build | --add-to-library --library | genomes are named without an option, as files or folders; -o FILE is the database
taxa build | --download-taxonomy --download-library | nothing is downloaded: --taxonomy names a folder with NCBI's taxdump, and genomes are files
cat | -p | to sample 10% of the reads, use --sample 10%; to split into N parts, --parts N; to search, --grep MOTIF
cat | --proportion --fraction --number --two-pass | --sample 10% or --sample 1000 samples reads, in one pass
cat | --rand-seed | --seed N
cat | --head --first | --records 0..1000 writes the first records
cat | --by-part | --parts N
cat | --by-size | --records-per-part N
cat | --by-length | --bases-per-part N
cat | --out-dir --outdir | -o DIR/part_{}.fq.gz names parts by a pattern
cat | --out-file --stdout -c --to-stdout | output goes to standard output, unless -o FILE is given; -z LEVEL is the compression level
cat | -d --decompress --uncompress -k --keep | not needed: inputs are decompressed, and never modified
cat | --pattern --by-seq | --grep MOTIF searches sequences, --names LIST selects by name
cat | -f --pattern-file | --names LIST keeps the reads that LIST names
cat | -m --max-mismatch | --mismatches N
cat | --only-positive-strand -P | not needed: the other strand is searched only with --both-strands
cat | --invert-match | --invert
cat | -r --range | --records A..B, counted from 0; B is not included
cat | -a -A | --fasta writes FASTA
cat | -F -G | --secondary and --supplementary also write these BAM records
cat | --min-len --max-len --min-length --max-length -l -M -L -Q --min-qual | `thalweg qc -l N --length_limit N -e Q` filters by length and mean quality
qc | -@ --cores --cpus --num-threads | -w N is the number of threads in all
qc | --in --input -1 --read1 --fastq | -i FILE is read 1, -I FILE read 2; or name the files without an option
qc | --read2 | -I FILE is read 2
qc | --out --output | -o FILE gets read 1, -O FILE gets read 2
qc | --output2 --paired-output --out-2 | -O FILE gets read 2
qc | --paired --pe | name both files: thalweg qc r1.fq.gz r2.fq.gz; pairs in one file are --interleaved_in
qc | --interleaved-out | --stdout writes pairs interleaved
qc | --outdir --output-dir | -o, -O, -j and -h name the files; FastQC reports go to --fastqc DIR
qc | --extract --noextract --nogroup --contaminants --limits --adapters --kmers -k --casava --nano --nofilter --expgroup --svg | --fastqc DIR writes FastQC reports; a symlink named fastqc accepts all of FastQC's options
qc | --length --min-length --minimum-length --minlen --min-len | -l N drops shorter reads
qc | --max-length --maximum-length --max-len | --length_limit N drops longer reads
qc | --quality --quality-cutoff --trim-qual --qual | --cut_tail and --cut_tail_mean_quality Q trim tails; -q Q filters whole reads
qc | --min-qual --min-mean-quality --mean-quality --average-quality | -e Q drops reads with a lower mean quality
qc | --max-n --maxn --trim-n | -n N drops reads with more N
qc | --nextseq-trim --2colour --two-color | -g cuts polyG tails; for two-colour instruments it is the default
qc | --poly-a --poly-x | --trim_poly_a and --trim_poly_x
qc | --adapter --adapter1 | -a SEQUENCE is the adapter of read 1, --adapter_sequence_r2 that of read 2
qc | --adapter2 | --adapter_sequence_r2 SEQUENCE is the adapter of read 2
qc | --front | --adapter_sequence_5p SEQUENCE is cut at the 5' end
qc | --illumina --nextera --small-rna --detect-adapter-for-se --overlap --error-rate --stringency | not needed: adapters are detected; -a SEQUENCE sets one
qc | --clip-R1 --headcrop | -f N cuts the first bases of read 1, -F N of read 2
qc | --three-prime-clip-R1 --crop | -b N limits the length of read 1, -t N cuts bases from its end
qc | --phred33 | not needed: qualities have an offset of 33, unless -6 is given
qc | --report --title | -R TEXT is the title of the HTML report, -j FILE and -h FILE name the reports
qc | --no-html --no-json | --no_report writes neither report; -h /dev/null or -j /dev/null discards one
qc | --host --contaminant --ref --reference --deplete | --remove DB removes reads by the k-mers of a database, --remove phix those of PhiX
qc | --dedupe --deduplicate --rmdup | -D, --dedup
qc | in= in1= | -i FILE is read 1; or name the files without an option: thalweg qc r1.fq.gz r2.fq.gz
qc | in2= | -I FILE is read 2
qc | out= out1= | -o FILE gets read 1
qc | out2= | -O FILE gets read 2
qc | outm= outm1= outm2= | --failed_out FILE gets the failing reads
qc | ref= | adapters are detected, or set with -a or --adapter_fasta FILE; --remove DB removes reads by the k-mers of a database, --remove phix those of PhiX
qc | k= hdist= mink= ktrim= tbo= tpe= | not needed: adapters are detected by sequence, and in pairs by overlap; there is no k to choose
qc | qtrim= trimq= | --cut_tail and --cut_tail_mean_quality Q trim tails
qc | minlen= minlength= ml= | -l N drops shorter reads
qc | maxlen= maxlength= | --length_limit N drops longer reads
qc | maq= minavgquality= | -e Q drops reads with a lower mean quality
qc | maxns= | -n N drops reads with more N
qc | stats= | -j FILE is the JSON report
qc | threads= t= | -w N is the number of threads in all
verify | --lint-mode | not needed: all faults are listed, up to --list N of each kind
verify | --disable-validator --single-read-validation-level --paired-read-validation-level | --disable CODE skips a check: S001 to S007, or P001
";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::options::command;

    /// Returns the command of this name, `kmers histo` or `qc`.
    fn named<'a>(command: &'a clap::Command, name: &str) -> &'a clap::Command {
        let subcommand = |command: &'a clap::Command, name| command.find_subcommand(name);
        name.split(' ').fold(command, |command, name| {
            subcommand(command, name).expect(name)
        })
    }

    #[test]
    fn what_is_said_of_options_is_true() {
        let mut command = command();
        command.build();
        let mut wrong = Vec::new();
        for row in rows() {
            assert!(!row.sentence.is_empty(), "{}", row.words);
            for name in row.commands.split(", ").filter(|name| *name != ANY) {
                let of = named(&command, name);
                for word in row.words() {
                    // Of letters that stand together, one must be unknown.
                    let is_known = match word.strip_prefix('-') {
                        None => continue,
                        Some(letters) if letters.starts_with('-') => takes(of, word),
                        Some(letters) => letters
                            .chars()
                            .all(|letter| takes(of, &format!("-{letter}"))),
                    };
                    wrong.extend(is_known.then(|| format!("{name} takes {word}")));
                }
                wrong.extend(unknown_options(&command, vec![of], row.sentence));
            }
        }
        for (names, sentence) in ELSEWHERE.iter().chain(PROGRAMS) {
            for name in names.split(' ') {
                assert!(command.find_subcommand(name).is_none(), "{name}");
                assert_eq!(
                    place_of(name, ELSEWHERE.iter().chain(PROGRAMS)),
                    Some(*sentence)
                );
            }
            wrong.extend(unknown_options(&command, Vec::new(), sentence));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Returns options that a sentence names, and that neither these commands have nor one named before them.
    fn unknown_options<'a>(
        command: &'a clap::Command,
        mut of: Vec<&'a clap::Command>,
        sentence: &str,
    ) -> Vec<String> {
        let mut unknown = Vec::new();
        let mut words = sentence.split(' ').peekable();
        while let Some(word) = words.next() {
            if word.trim_start_matches('`') == "thalweg" {
                // The command itself has options, too.
                if words.peek().is_some_and(|next| next.starts_with("--")) {
                    of.push(command);
                    continue;
                }
                let is_group = |word: &&str| ["kmers", "taxa"].contains(word);
                let group = words.next_if(is_group).map(|group| format!("{group} "));
                let name = words.next().unwrap().trim_end_matches(['`', ',', ';']);
                of.push(named(command, &(group.unwrap_or_default() + name)));
            }
            let Some(option) = option_in(word) else {
                continue;
            };
            let is_theirs = ["kmc -m", "jellyfish -m", "seq -A"]
                .iter()
                .any(|theirs| theirs.ends_with(option) && sentence.contains(theirs));
            let is_known = is_theirs || of.iter().any(|command| takes(command, option));
            unknown.extend((!is_known).then(|| format!("{option} in: {sentence}")));
        }
        unknown
    }

    /// Returns the names of all commands that are not groups.
    fn names(command: &clap::Command) -> Vec<String> {
        let subcommands = command.get_subcommands();
        let names = subcommands.flat_map(|subcommand| {
            let name = subcommand.get_name();
            match subcommand.has_subcommands() {
                true => (names(subcommand).iter())
                    .map(|of| format!("{name} {of}"))
                    .collect(),
                false => vec![name.to_owned()],
            }
        });
        names.filter(|name| !name.contains("help")).collect()
    }

    #[test]
    fn no_command_is_told_of_an_option_that_it_lacks() {
        let mut command = command();
        command.build();
        let mut told = BTreeSet::new();
        for name in names(&command) {
            let of = named(&command, &name);
            let words = rows().filter(|row| row.is_of(ANY)).flat_map(Row::words);
            for word in words.filter(|word| !takes(of, word)) {
                let said = in_place_of(of, &name, word, &["thalweg".to_owned()]);
                let wrong = said.map(|said| unknown_options(&command, vec![of], said));
                assert_eq!(wrong.unwrap_or_default(), [""; 0], "{name} {word}");
                told.extend(said);
            }
        }
        // Each is of some command.
        for row in rows().filter(|row| row.is_of(ANY)) {
            assert!(told.contains(row.sentence), "{}", row.sentence);
        }
    }

    #[test]
    fn options_of_others_have_a_place() {
        let mut commands = command();
        commands.build();
        let place = |name, option, word: &str| {
            let words = ["thalweg", word].map(str::to_owned);
            in_place_of(named(&commands, name), name, option, &words).unwrap_or_default()
        };
        for (command, option, word, told) in [
            ("stats", "-T", "-T", "--tsv"),
            ("stats", "-j", "-j8", "-t N"),
            ("count", "-m", "-m31", "-k K"),
            ("count", "-c", "-ci2", "-L N"),
            ("count", "-c", "-cx1000", "-U N"),
            ("count", "-c", "-c", "exact"),
            ("kmers dump", "-i", "-ci2", "-L N"),
            (
                "kmers filter-reads",
                "--min_fraction",
                "--min_fraction",
                "--fraction",
            ),
            ("classify", "--db", "--db", "first argument"),
            ("cat", "-@", "-@", "-t N"),
            ("qc", "-@", "-@", "-w N"),
            ("count", "-1", "-1", "named alone"),
            ("count", "--pe", "--pe", "named alone"),
            ("count", "--tmpdir", "--tmpdir", "--tmp DIR is"),
            ("stats", "--tmpdir", "--tmpdir", "TMPDIR=DIR"),
            ("cat", "--in1", "--in1", "--mates"),
            ("kmers histo", "--in1", "--in1", "without an option"),
        ] {
            let found = place(command, option, word);
            assert!(found.contains(told), "{command} {word}: {found}");
        }
        // Of several words with the letter, any may be the one that is not known.
        let words = ["thalweg", "count", "-k31", "-tc", "-ci2"].map(str::to_owned);
        let told = in_place_of(named(&commands, "count"), "count", "-c", &words);
        assert!(told.is_some_and(|told| told.contains("-L N")), "{told:?}");
        assert_eq!(place("stats", "--dance", "--dance"), "");
        assert_eq!(place("kmers info", "--mem", "--mem"), "");
        let assigned = |command, word| in_place_of_assignment(command, word).unwrap_or_default();
        assert!(assigned("qc", "minlen=30").contains("-l N"));
        assert!(assigned("kmers filter-reads", "ref=phix.fa").contains("thalweg count"));
        assert_eq!(assigned("cat", "in=a.fq"), "");
        assert_eq!(assigned("qc", "a.fq"), "");
    }

    #[test]
    fn values_that_no_option_takes_have_a_place() {
        let mut commands = command();
        commands.build();
        for (command, option, word) in [
            ("stats", "--seqkit", "all"),
            ("stats", "--seqkit", "tabular-all"),
            ("cat", "-n", "5"),
        ] {
            let told = in_place_of_value(command, option, word).expect(word);
            let of = named(&commands, command);
            assert_eq!(unknown_options(&commands, vec![of], told), [""; 0]);
        }
        for (command, option, word) in [
            ("stats", "--seqkit", "a.fq"),
            ("cat", "-n", "a.bam"),
            ("cat", "-n", "-"),
            ("qc", "-n", "5"),
        ] {
            assert_eq!(in_place_of_value(command, option, word), None);
        }
    }

    #[test]
    fn what_is_elsewhere_is_found() {
        for (name, place) in [
            ("merge", "thalweg kmers merge"),
            ("merge", "thalweg taxa merge"),
            ("merge", "qc --merge"),
            ("count", "did you mean `thalweg count`?"),
            ("query", "thalweg kmers query"),
            ("build", "thalweg taxa build"),
            ("fastp", "thalweg qc"),
            ("zcat", "thalweg cat"),
            ("bbduk.sh", "thalweg qc"),
            ("repair.sh", "no command that brings them in step"),
        ] {
            let told = elsewhere(&command(), name).unwrap();
            assert!(told.contains(place), "{name}: {told}");
        }
        assert_eq!(elsewhere(&command(), "dance"), None);
    }
}
