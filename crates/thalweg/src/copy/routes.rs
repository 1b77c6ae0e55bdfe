//! Reads of BAM by what they are: pairs, mates without the other, and reads of no pair.

use std::path::{Path, PathBuf};

use thalweg_write::{
    Level, OutputContents, OutputFormat, check_contents, check_not_input, check_written,
    find_shared,
};

use super::ReadingSettings;
use super::job::in_order;
use super::reading::{AsText, may_be_bam};
use crate::inputs::MissingEnds;
use crate::{
    BatchOfTemplates, Compressors, Control, Fault, OutputFile, Reads, SortedReads, TemplateJoiner,
};

/// Where reads of BAM go, by what they are. Names tell what they are compressed with.
#[derive(Clone, Debug, Default)]
pub struct RoutePaths {
    /// First reads of pairs.
    pub first: Option<PathBuf>,
    /// Second reads, in the same order.
    pub second: Option<PathBuf>,
    /// Reads of pairs without their mate; without this, one is an error.
    pub single: Option<PathBuf>,
    /// Reads of no pair; without this, one is an error.
    pub other: Option<PathBuf>,
}

/// Reads of BAM that is grouped by name, each to the output that is for what it is: the job behind `thalweg cat -1 -2`. All fields
/// can be set.
#[derive(Clone, Debug)]
pub struct RouteSettings {
    /// What is read. Names of pairs in files of their own need [no `/1` and `/2`](thalweg_formats::bam::BamOptions::with_mate).
    pub reading: ReadingSettings,
    /// Where reads go.
    pub paths: RoutePaths,
    /// How hard outputs are compressed.
    pub level: Level,
}

impl RoutePaths {
    fn all(&self) -> [Option<&Path>; 4] {
        [&self.first, &self.second, &self.single, &self.other].map(|path| path.as_deref())
    }

    /// Refuse outputs that are inputs, or that would overwrite each other; `/dev/null` takes several.
    ///
    /// # Errors
    /// [`Fault::Usage`], and those of names that cannot be written.
    pub fn check(&self, inputs: &[PathBuf]) -> Result<(), Fault> {
        let roles = OPTIONS.into_iter().zip(self.all());
        let roles = roles.filter_map(|(option, path)| Some((option, path?)));
        for (_, path) in roles.clone() {
            check_written(path)?;
            check_contents(path, &[OutputContents::Fastq, OutputContents::Text])?;
            check_not_input(path, inputs)?;
        }
        match find_shared(roles, |_, _| false) {
            Some((one, other, path)) => Err(Fault::usage(
                format!("{}: {one} and {other} name the same file", path.display()),
                "give each its own; `thalweg cat --interleaved FILE` writes each first mate before its second",
            )),
            None => Ok(()),
        }
    }
}

impl RouteSettings {
    /// Sort all reads.
    ///
    /// # Errors
    /// If only some records, or mates, are to be read; if an input is no BAM; a read for which there is no output; the first fault of reading or writing; if it was cancelled. No
    /// output is there, then.
    pub fn run(&self, control: &Control) -> Result<(), Fault> {
        self.paths.check(&self.reading.files)?;
        self.reading.check()?;
        self.refuse_some()?;
        let sharing = self.reading.share(control)?;
        let ends = MissingEnds::default();
        let inputs = self
            .reading
            .open(&sharing, AsText::No, false, &ends, control)?;
        if !inputs.plans().iter().all(may_be_bam) {
            return Err(super::reading::no_bam());
        }
        let mut routes = Routes::create(self)?;
        let copied = inputs.each(|reads| routes.copy(reads, control));
        ends.say(control);
        copied?;
        control.check()?;
        routes.finish()
    }

    /// Refuse some of the records, where a pair may be apart, and mates in files of their own: flags tell mates here.
    fn refuse_some(&self) -> Result<(), Fault> {
        let reading = &self.reading;
        let some = reading.records.is_some() || reading.shard.is_some();
        match some || reading.mates || reading.interleaved {
            true => Err(Fault::usage(
                "reads go by what BAM says of them, and all of them",
                "leave records, parts, mates and interleaved reads out",
            )),
            false => Ok(()),
        }
    }
}

/// The options in the order of outputs.
const OPTIONS: [&str; 4] = ["-1", "-2", "-s", "-0"];

/// Outputs in the order first, second, single, other.
struct Routes {
    outputs: [Option<OutputFile>; 4],
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
type Sorted = (BatchOfTemplates, [Vec<u8>; 4], Result<(), Fault>);

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
    fn create(settings: &RouteSettings) -> Result<Self, Fault> {
        let paths = settings.paths.all();
        let create = |path: Option<&Path>| {
            let create =
                |path| OutputFile::create_as(path, OutputFormat::of_name(path), settings.level);
            path.map(create).transpose()
        };
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
                input: settings.reading.files.first().cloned().unwrap_or_default(),
                has: paths.map(|path| path.is_some()),
            },
        })
    }

    /// Write all that `reads` gives.
    fn copy(&mut self, reads: Reads, control: &Control) -> Result<(), Fault> {
        let compressors = self
            .outputs
            .each_ref()
            .map(|output| output.as_ref()?.compressors());
        let places = self.places.clone();
        in_order(
            reads,
            control,
            |batch| -> Result<Sorted, Fault> {
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
        )
    }

    /// Write the last template, and give the files their names.
    fn finish(mut self) -> Result<(), Fault> {
        let mut rest = SortedReads::default();
        std::mem::take(&mut self.joiner).finish(&mut rest);
        self.write_texts(rest)?;
        OutputFile::finish_all(self.outputs.into_iter().flatten())
    }

    /// Write what is whole before a batch, and its middle.
    fn write(&mut self, (mut templates, middle, outcome): Sorted) -> Result<(), Fault> {
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

    fn write_texts(&mut self, sorted: SortedReads) -> Result<(), Fault> {
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
    fn check(&self, texts: &[Vec<u8>; 4]) -> Result<(), Fault> {
        let [_, _, has_single, has_other] = self.has;
        let [_, _, single, other] = texts;
        let lost = |text: &[u8], what: &str, hint: &'static str| {
            let name = text[1..].split(u8::is_ascii_whitespace).next();
            let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
            let input = self.input.display();
            Err(Fault::usage(format!("{input}: read '{name}' {what}"), hint))
        };
        if !has_single && !single.is_empty() {
            return lost(
                single,
                "has no mate beside it, and -s is not given",
                "use -s FILE for such reads; for BAM sorted by position, \
                 `samtools collate -u -O FILE | thalweg cat ... -` puts mates beside each other",
            );
        }
        if !has_other && !other.is_empty() {
            return lost(
                other,
                "is not flagged as either read 1 or read 2, and -0 is not given",
                "use -0 FILE for such reads",
            );
        }
        Ok(())
    }
}

/// An input of which nothing told before that it is something else.
#[cold]
fn no_bam(input: &Path) -> Fault {
    Fault::usage(
        format!("{}: is not BAM, and only BAM marks mates", input.display()),
        "leave -1 and -2 out",
    )
}

/// In place of `text`.
fn compress(text: &mut Vec<u8>, compressors: Option<&Compressors>) -> Result<(), Fault> {
    if let (Some(compressors), false) = (compressors, text.is_empty()) {
        let mut bytes = Vec::new();
        compressors.compress(text, &mut bytes)?;
        *text = bytes;
    }
    Ok(())
}
