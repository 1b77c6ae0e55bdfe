//! `thalweg cat -1 r1.fq -2 r2.fq -0 other.fq -s single.fq reads.bam`: reads of BAM by what they are.

use std::path::{Path, PathBuf};

use clap::Args;
use thalweg::{BatchOfTemplates, Reads, SortedReads, TemplateJoiner};

use crate::options::CatArguments;
use crate::output::{Compressors, Output, refuse_input, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::progress::Progress;
use crate::process::threads::map_in_order;
use thalweg::write::find_shared;

/// Where reads of BAM go, by what they are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RouteArguments {
    /// Of BAM that is grouped by name, write the first reads of pairs here, without /1 (-N adds it)
    #[arg(short = '1', long, value_name = "FILE", requires = "read2",
        conflicts_with_all = ["output", "records", "shard", "parts", "mates", "interleaved", "raw"])]
    read1: Option<PathBuf>,

    /// The second reads, in the same order
    #[arg(short = '2', long, value_name = "FILE", requires = "read1")]
    read2: Option<PathBuf>,

    /// Reads of no pair; without this, one is an error
    #[arg(short = '0', long, value_name = "FILE", requires = "read1")]
    other: Option<PathBuf>,

    /// Reads of pairs without their mate; without this, one is an error
    #[arg(short = 's', long, value_name = "FILE", requires = "read1")]
    single: Option<PathBuf>,
}

impl RouteArguments {
    /// Whether reads are to be sorted.
    pub(crate) fn is_given(&self) -> bool {
        self.read1.is_some()
    }

    fn all(&self) -> [Option<&Path>; 4] {
        [&self.read1, &self.read2, &self.single, &self.other].map(|path| path.as_deref())
    }

    /// Refuse outputs that are inputs, or that would overwrite each other; `/dev/null` takes several.
    pub(crate) fn check(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let roles = OPTIONS.into_iter().zip(self.all());
        let roles = roles.filter_map(|(option, path)| Some((option, path?)));
        for (_, path) in roles.clone() {
            refuse_unwritten(path)?;
            refuse_input(path, inputs)?;
        }
        match find_shared(roles, |_, _| false) {
            Some((one, other, path)) => Err(Failure::usage(
                format!("{}: {one} and {other} name the same file", path.display()),
                "give each its own; `thalweg cat --interleaved FILE` writes mates behind each other",
            )),
            None => Ok(()),
        }
    }
}

/// The options in the order of outputs.
const OPTIONS: [&str; 4] = ["-1", "-2", "-s", "-0"];

/// Outputs in the order first, second, single, other.
pub(crate) struct Routes {
    outputs: [Option<Output>; 4],
    joiner: TemplateJoiner,
    places: Places,
}

/// For which reads there is an output.
#[derive(Clone)]
struct Places {
    /// A file, for messages.
    input: PathBuf,
    has: [bool; 4],
}

/// What a batch becomes: its ends, the middle as it is written, and the first read of that for which there is no output.
type Sorted = (BatchOfTemplates, [Vec<u8>; 4], Result<(), Failure>);

fn texts(sorted: SortedReads) -> [Vec<u8>; 4] {
    let SortedReads {
        first,
        second,
        single,
        other,
    } = sorted;
    [first, second, single, other]
}

impl Routes {
    pub(crate) fn create(arguments: &CatArguments) -> Result<Self, Failure> {
        let level = arguments.compression.level();
        let paths = arguments.bam.routes.all();
        let create =
            |path: Option<&Path>| path.map(|path| Output::create_at(path, level)).transpose();
        let [first, second, single, other] = paths;
        Ok(Self {
            outputs: [
                create(first)?,
                create(second)?,
                create(single)?,
                create(other)?,
            ],
            joiner: TemplateJoiner::default(),
            places: Places {
                input: arguments.files[0].clone(),
                has: paths.map(|path| path.is_some()),
            },
        })
    }

    /// Write all that `reads` gives.
    pub(crate) fn copy(&mut self, reads: Reads, arguments: &CatArguments) -> Result<(), Failure> {
        let workers = reads.all_workers();
        let _progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
        let compressors = self
            .outputs
            .each_ref()
            .map(|output| output.as_ref()?.compressors());
        let places = self.places.clone();
        map_in_order(
            workers,
            |batch| -> Result<Sorted, Failure> {
                let templates = BatchOfTemplates::of(&batch);
                let mut templates = templates.ok_or_else(|| no_bam(&places.input))?;
                let mut middle = texts(std::mem::take(&mut templates.middle));
                let outcome = places.check(&middle);
                for (text, compressors) in middle.iter_mut().zip(&compressors) {
                    compress(text, compressors.as_ref())?;
                }
                Ok((templates, middle, outcome))
            },
            |sorted| self.write(sorted),
            Failure::is_consequence,
        )
    }

    /// Write the last template, and give the files their names.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let mut rest = SortedReads::default();
        std::mem::take(&mut self.joiner).finish(&mut rest);
        self.write_texts(rest)?;
        let mut outputs = self.outputs.into_iter().flatten();
        outputs.try_for_each(Output::finish)
    }

    /// Write what is whole before a batch, and its middle.
    fn write(&mut self, (mut templates, middle, outcome): Sorted) -> Result<(), Failure> {
        let mut before = SortedReads::default();
        self.joiner.join(&mut templates, &mut before);
        self.write_texts(before)?;
        outcome?;
        for (output, bytes) in self.outputs.iter_mut().zip(middle) {
            if let (Some(output), false) = (output, bytes.is_empty()) {
                output.write_compressed(&bytes)?;
            }
        }
        Ok(())
    }

    fn write_texts(&mut self, sorted: SortedReads) -> Result<(), Failure> {
        let texts = texts(sorted);
        self.places.check(&texts)?;
        for (output, text) in self.outputs.iter_mut().zip(&texts) {
            if let Some(output) = output {
                output.write(text)?;
            }
        }
        Ok(())
    }
}

impl Places {
    /// Refuse to lose reads for which there is no output.
    fn check(&self, texts: &[Vec<u8>; 4]) -> Result<(), Failure> {
        let [_, _, has_single, has_other] = self.has;
        let [_, _, single, other] = texts;
        let lost = |text: &[u8], what: &str, hint: &str| {
            let name = text[1..].split(u8::is_ascii_whitespace).next();
            let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
            let input = self.input.display();
            Err(Failure::usage(
                format!("{input}: read '{name}' {what}"),
                hint,
            ))
        };
        if !has_single && !single.is_empty() {
            return lost(
                single,
                "has no mate beside it, and there is no -s",
                "name a file for such reads with -s; of BAM that is sorted by place, \
                 `samtools collate -u -O FILE | thalweg cat ... -` puts mates beside each other",
            );
        }
        if !has_other && !other.is_empty() {
            return lost(
                other,
                "is of no pair, and there is no -0",
                "name a file for such reads with -0",
            );
        }
        Ok(())
    }
}

/// An input of which nothing told before that it is something else.
#[cold]
fn no_bam(input: &Path) -> Failure {
    Failure::usage(
        format!("{}: is no BAM: only that tells mates", input.display()),
        "leave -1 and -2 out",
    )
}

/// In place of `text`.
fn compress(text: &mut Vec<u8>, compressors: Option<&Compressors>) -> Result<(), Failure> {
    if let (Some(compressors), false) = (compressors, text.is_empty()) {
        let mut bytes = Vec::new();
        compressors.compress(text, &mut bytes)?;
        *text = bytes;
    }
    Ok(())
}
