//! `thalweg cat` where records are chosen, or packed otherwise than they are.

use std::path::{Path, PathBuf};

use thalweg::index::{IndexFormat, index_place};
use thalweg::inputs::check_output_name;
use thalweg::repack::{
    Choice, DEFAULT_SEED, Layout, Motif, NameList, RankKeys, RepackJob, SampleJob, SampleSize,
    Sampled,
};
use thalweg::write::{OutputFormat, OutputOptions, Outputs, Split, find_shared};
use thalweg::{Control, Fault, FilePlan, Format, IndexOptions, ReaderOptions, Reads, Workers};

use super::is_unaligned;
use super::parts::{self, Division};
use crate::input::sharing::Sharing;
use crate::input::{self, indexes};
use crate::options::CatArguments;
use crate::options::quantity::thousands;
use crate::options::repack::Amount;
use crate::output::{refuse_input, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(crate) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    check(arguments)?;
    let repack = &arguments.repack;
    let size = repack
        .sample
        .map(|amount| size(amount, arguments))
        .transpose()?;
    let motif = motif(arguments)?;
    let read = |list: &Path| NameList::read(list, &Control::default());
    let names = repack.names.as_deref().map(read).transpose()?;
    if let (Some(names), Some(file)) = (&names, &repack.names)
        && names.is_empty()
    {
        tell!(
            "thalweg: warning: {}: there is no name in it",
            file.display()
        );
    }
    let reads = open(arguments)?;
    let templates = templates(&reads.plan(), arguments);
    if arguments.shard.is_some() && size.is_some() {
        check_sample_of_shard(&templates, size)?;
    }
    let packing = Packing::of(arguments, &reads.plan(), &templates)?;
    packing.check_names(&reads.plan())?;
    let first_name = first_name(&reads.plan());
    let job = RepackJob {
        choice: match (&names, &motif) {
            (Some(names), _) => Choice::Named(names),
            (None, Some(motif)) => Choice::WithMotif(motif),
            (None, None) => Choice::All,
        },
        invert: repack.invert,
        layout: packing.layout,
    };
    let workers = reads.all_workers();
    let outputs = packing.open(arguments, &workers);
    let run = |control: &Control| {
        let outputs = outputs?;
        let Some(size) = size else {
            return Ok(Sampled::of(job.run(workers, outputs, control)?));
        };
        let job = SampleJob {
            size,
            keys: RankKeys::new(repack.seed.unwrap_or(DEFAULT_SEED)),
            layout: job.layout,
            templates,
            memory: input::budget(&arguments.common).memory() / 2,
            directory: temporary_directory(arguments),
        };
        job.run(workers, outputs, control)
    };
    let outcome: Result<Sampled, Fault> = heard(&arguments.common, &arguments.files[0], run);
    let done = outcome.map_err(|fault| Failure::from(fault).of_outputs(&packing.paths))?;
    if let (Some(names), Some(list)) = (&names, &repack.names) {
        tell_of_missing(names, list, first_name.as_deref());
    }
    tell(&done, size, &packing, arguments);
    if arguments.repack.index_output {
        let files = done.repacked.files.iter().flatten();
        files
            .map(|file| &*file.path)
            .try_for_each(|path| index_output(path, arguments))?;
    }
    Ok(())
}

/// Where records go, and how.
struct Packing {
    /// Of each output, or what its parts are called after.
    paths: Vec<PathBuf>,
    layout: Layout,
    split: Option<Split>,
}

impl Packing {
    fn of(
        arguments: &CatArguments,
        plans: &[FilePlan],
        templates: &Option<Vec<u64>>,
    ) -> Result<Self, Failure> {
        let division = Division::of(arguments);
        let paths = match division {
            Some(_) => parts::patterns(arguments, plans)?,
            None => paths(arguments),
        };
        let is_bgzf = |path: &PathBuf| OutputFormat::of_name(path) == OutputFormat::Bgzf;
        if arguments.repack.index_output && !paths.iter().any(is_bgzf) {
            return Err(Failure::usage(
                "--index-output applies only to outputs named .gz or .bgz",
                "omit it: plain files need no index",
            ));
        }
        let all = templates.as_ref().map(|templates| templates.iter().sum());
        let split = division.map(|division| division.split(arguments, &paths, all));
        let split = split.transpose()?;
        if let Some(split) = split {
            parts::refuse_inputs(&paths, split, arguments)?;
        }
        Ok(Self {
            layout: Layout {
                interleaved: arguments.pairing.interleaved,
                apart: paths.len() > 1,
                fasta: arguments.repack.fasta,
            },
            paths,
            split,
        })
    }

    /// Refuse outputs whose names are those of another format.
    fn check_names(&self, plans: &[FilePlan]) -> Result<(), Failure> {
        let mut plans = plans.to_vec();
        if self.layout.fasta {
            plans
                .iter_mut()
                .for_each(|plan| plan.format = Format::Fasta);
        }
        let mut paths = self.paths.iter();
        Ok(paths.try_for_each(|path| check_output_name(path, &plans))?)
    }

    fn open(&self, arguments: &CatArguments, workers: &Workers) -> Result<Outputs, Fault> {
        let level = arguments.compression.level();
        let options = self.paths.iter().map(|path| {
            let options = OutputOptions::new(path).level(level);
            match self.split {
                Some(split) => options.split(split),
                None => options,
            }
        });
        Ok(Outputs::open(options.collect(), workers.ahead())?)
    }
}

/// The index of an output, if it is compressed so that it may have one.
fn index_output(path: &Path, arguments: &CatArguments) -> Result<(), Failure> {
    if OutputFormat::of_name(path) != OutputFormat::Bgzf || !path.is_file() {
        return Ok(());
    }
    let directory = arguments.index.directory.path();
    let destination = index_place(path, directory.as_deref(), IndexFormat::Thw)?;
    let options = IndexOptions {
        budget: input::budget(&arguments.common),
        ..IndexOptions::default()
    };
    thalweg::build_index(path, Some(&destination), &options, &|_, _| {})?;
    Ok(())
}

fn motif(arguments: &CatArguments) -> Result<Option<Motif>, Failure> {
    let repack = &arguments.repack;
    let motif = repack.grep.as_deref().map(|motif| {
        let mismatches = repack.mismatches.unwrap_or(0);
        Motif::new(motif.as_bytes(), mismatches, repack.both_strands)
    });
    motif.transpose().map_err(|error| {
        let hint = "use IUPAC codes, as in --grep GGATCC or --grep CCWGG";
        Failure::usage(error.to_string(), hint)
    })
}

/// Refuse what makes no sense.
fn check(arguments: &CatArguments) -> Result<(), Failure> {
    let repack = &arguments.repack;
    if is_unaligned(arguments) {
        return Err(Failure::usage(
            "records that are chosen or packed anew are written as FASTQ or FASTA, not as BAM",
            "let one `thalweg cat` choose, and another convert to BAM: `thalweg cat ... | thalweg cat - -o FILE.bam`",
        ));
    }
    if repack.invert && repack.names.is_none() && repack.grep.is_none() {
        return Err(Failure::usage(
            "--invert requires --names or --grep",
            "omit it, or name the reads to exclude",
        ));
    }
    let is_standard_input = |path: &PathBuf| path.as_os_str() == "-";
    if repack.names.as_ref().is_some_and(is_standard_input)
        && arguments.files.iter().any(is_standard_input)
    {
        return Err(Failure::usage(
            "the standard input can be read only once, and is both the list of names and an input",
            "put the list into a file",
        ));
    }
    if repack.out2.is_some() && !arguments.pairing.interleaved {
        match (arguments.pairing.mates, arguments.files.len()) {
            (true, 2) => {}
            (true, files) => {
                return Err(Failure::usage(
                    format!("-O is for the second of two mates, but there are {files}"),
                    "omit it: all mates of a read go to -o, one after the other",
                ));
            }
            (false, _) => {
                return Err(Failure::usage(
                    "-O requires --mates or --interleaved",
                    "use --mates if the two files belong together, or --interleaved",
                ));
            }
        }
    }
    let outputs = [
        ("-o", arguments.output.as_deref()),
        ("-O", repack.out2.as_deref()),
    ];
    let outputs = outputs
        .into_iter()
        .filter_map(|(option, path)| Some((option, path?)));
    for (_, path) in outputs.clone() {
        refuse_unwritten(path)?;
        if Division::of(arguments).is_none() {
            refuse_input(path, &arguments.files)?;
        }
        refuse_input(path, repack.names.as_slice())?;
    }
    match find_shared(outputs, |_, _| false) {
        Some((one, other, path)) => Err(Failure::usage(
            format!("{}: {one} and {other} name the same file", path.display()),
            "give each its own; without -O mates go to -o, one after the other",
        )),
        None => Ok(()),
    }
}

fn paths(arguments: &CatArguments) -> Vec<PathBuf> {
    let first = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let second = arguments.repack.out2.as_deref();
    [Some(first), second]
        .into_iter()
        .flatten()
        .map(Path::to_owned)
        .collect()
}

/// How much is drawn.
fn size(amount: Amount, arguments: &CatArguments) -> Result<SampleSize, Failure> {
    match (amount, arguments.repack.genome_size) {
        (Amount::Depth(depth), Some(genome)) => {
            let bases = (depth * genome as f64).ceil();
            // Of floats beyond the range, the conversion gives its end.
            Ok(SampleSize::Bases(bases as u64))
        }
        (Amount::Depth(depth), None) => Err(Failure::usage(
            format!("--sample {depth}x requires --genome-size"),
            "give the size of the genome in bases: --genome-size 4.6M",
        )),
        (Amount::Of(_), Some(_)) => Err(Failure::usage(
            "--genome-size applies only to a depth, such as --sample 30x",
            "omit it, or ask for a depth",
        )),
        (Amount::Of(size), None) => Ok(size),
    }
}

fn open(arguments: &CatArguments) -> Result<Reads, Failure> {
    let sharing = Sharing::of(&arguments.files, &arguments.pairing, arguments.shard)?;
    if arguments.records.is_some() || arguments.shard.is_some() {
        indexes::save_all_missing(sharing.files(), &arguments.index, &arguments.common)?;
    }
    let all = 0..sharing.files().len();
    let index = arguments.bam.index(&arguments.index)?;
    let index = sharing.indexes(all.clone(), &index);
    let options = input::options(
        sharing.files(),
        &arguments.pairing,
        &index,
        &arguments.common,
    )?;
    let mut options: ReaderOptions = sharing.choose(options, all);
    if let Some(ranks) = &arguments.records {
        options = options.records(ranks.start..ranks.end.unwrap_or(u64::MAX));
    }
    let options = arguments
        .bam
        .choose(options)
        .max_record(arguments.limit.max_record)
        .check_end(arguments.end.is_wanted());
    // Whoever looks for letters wants to know that they are some.
    let options = options.check_letters(arguments.repack.grep.is_some());
    let reads = input::open(options, &arguments.common)?;
    arguments.bam.check(&reads.plan())?;
    if !arguments.repack.fasta {
        input::refuse_two_formats(&reads, "write both as FASTA, with --fasta")?;
    }
    Ok(reads)
}

/// How many templates each set of files has, if indexes tell it of all.
fn templates(plans: &[FilePlan], arguments: &CatArguments) -> Option<Vec<u64>> {
    let in_step = match arguments.pairing.mates {
        true => arguments.files.len(),
        false => 1,
    };
    let records = if arguments.pairing.interleaved { 2 } else { 1 };
    let first_of_set = plans.iter().step_by(in_step);
    first_of_set
        .map(|plan| Some(plan.records? / records))
        .collect()
}

/// Ranks of a shard are known by an index; how many bases come before it nobody knows.
fn check_sample_of_shard(
    templates: &Option<Vec<u64>>,
    size: Option<SampleSize>,
) -> Result<(), Failure> {
    match (templates.as_deref(), size) {
        (_, Some(SampleSize::Bases(_))) => Err(Failure::usage(
            "--shard does not work with a --sample of bases or of a depth",
            "sample a number of reads or a fraction, or omit --shard",
        )),
        (Some([_]), _) => Ok(()),
        _ => Err(Failure::usage(
            "--sample with --shard requires an index, and works with one file or one set of mates only",
            "index the files first (`thalweg index`), or omit --shard",
        )),
    }
}

/// Where what does not fit in memory waits: as the user says, else beside the output.
fn temporary_directory(arguments: &CatArguments) -> PathBuf {
    let said = std::env::var_os("TMPDIR").filter(|path| !path.is_empty());
    let output = arguments.output.as_deref();
    let output = output.filter(|path| !thalweg::write::is_stream(path));
    match (said, output) {
        (Some(said), _) => PathBuf::from(said),
        (None, Some(output)) => {
            let output = thalweg::write::resolve(output);
            thalweg::write::directory_of(&output).to_owned()
        }
        (None, None) => std::env::temp_dir(),
    }
}

/// Say what came of it.
fn tell(done: &Sampled, size: Option<SampleSize>, packing: &Packing, arguments: &CatArguments) {
    let is_paired = arguments.pairing.mates || arguments.pairing.interleaved;
    let what = if is_paired { "pairs" } else { "reads" };
    let (read, kept) = (done.repacked.read, done.repacked.kept);
    if done.is_short {
        let (there, asked, unit) = match (done.bases, size) {
            (Some((bases, _)), Some(SampleSize::Bases(asked))) => (bases, asked, "bases"),
            (_, Some(SampleSize::Reads(asked))) => (read, asked, what),
            _ => return,
        };
        if arguments.shard.is_some() {
            tell!(
                "thalweg: warning: fewer than {} {unit} available: all are written",
                thousands(asked)
            );
        } else {
            tell!(
                "thalweg: warning: only {} {unit} available ({} requested): all are written",
                thousands(there),
                thousands(asked)
            );
        }
    }
    warn_of_old_parts(done, packing);
    if arguments.common.quiet {
        return;
    }
    let bases = done.bases.map_or(String::new(), |(all, kept)| {
        format!(", {} of {} bases", thousands(kept), thousands(all))
    });
    let parts = told_parts(done, packing);
    let seed = match size {
        Some(_) => format!("; seed {}", arguments.repack.seed.unwrap_or(DEFAULT_SEED)),
        None => String::new(),
    };
    tell!(
        "thalweg: {} of {} {what}{bases}{parts}{seed}",
        thousands(kept),
        thousands(read)
    );
}

/// Say which names of a list are of no read: it may be of more files than these, but whoever made it by hand wants to know. What
/// stands there may be headers, and no names.
fn tell_of_missing(names: &NameList, list: &Path, first_name: Option<&str>) {
    let missing = names.missing();
    let Some(first) = missing.first() else {
        return;
    };
    let (list, example) = (list.display(), String::from_utf8_lossy(first));
    let (lacking, all) = (missing.len() as u64, names.len() as u64);
    let is_none_found = lacking == all;
    match is_none_found {
        true if all == 1 => {
            tell!("thalweg: warning: {list}: no read is named '{example}'")
        }
        true => tell!(
            "thalweg: warning: {list}: none of the {} names, such as '{example}', matches a read",
            thousands(all)
        ),
        false => tell!(
            "thalweg: warning: {list}: {} of {} names not found, such as '{example}'",
            thousands(lacking),
            thousands(all)
        ),
    }
    let is_header = |name: &&[u8]| matches!(name, [b'>' | b'@', ..]);
    if missing.iter().any(is_header) {
        tell!("hint: list names without '>' or '@'; to remove them: `sed 's/^[>@]//' LIST`");
    } else if is_none_found && let Some(name) = first_name {
        tell!(
            "hint: names are compared up to the first blank, including /1 and /2: the first read is called '{name}'"
        );
    }
}

/// What the first read is called, if that is known before it is read.
fn first_name(plans: &[FilePlan]) -> Option<String> {
    let heads = plans.iter().map(|plan| &plan.first_head);
    let head = heads.into_iter().find(|head| !head.is_empty())?;
    let name = head.split(u8::is_ascii_whitespace).next()?;
    Some(String::from_utf8_lossy(name).into_owned())
}

/// Say so if a part is there that follows these, of another division: whoever takes all files of the pattern takes it, too.
fn warn_of_old_parts(done: &Sampled, packing: &Packing) {
    let Some(split) = packing.split else {
        return;
    };
    for (files, pattern) in done.repacked.files.iter().zip(&packing.paths) {
        let next = split.name(pattern, files.len() as u64);
        if next.exists() {
            tell!(
                "thalweg: warning: {}: was there before and is not one of these parts",
                next.display()
            );
        }
    }
}

/// The names of the first and the last part of each output, as the user would write them.
fn told_parts(done: &Sampled, packing: &Packing) -> String {
    let Some(split) = packing.split else {
        return String::new();
    };
    let mut told = Vec::new();
    for (files, pattern) in done.repacked.files.iter().zip(&packing.paths) {
        let name = |part: usize| split.name(pattern, part as u64).display().to_string();
        told.push(match files.len() {
            0 | 1 => name(0),
            parts => format!("{} to {}", name(0), name(parts - 1)),
        });
    }
    format!(" in {}", told.join(", "))
}
