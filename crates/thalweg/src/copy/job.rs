//! Records, or whole texts, to one output in the order of the input.

use std::path::{Path, PathBuf};

use thalweg_reads::{FilePlan, FileText, find_index};
use thalweg_write::{Level, OutputContents, OutputFormat, check_not_input, check_written};

use super::ReadingSettings;
use super::reading::{AsText, is_bam};
use super::seam::{FORMATS_HINT, Interleaved, Interleaver, Joiner, Seam};
use crate::index::IndexChoice;
use crate::inputs::{self as kinds, MissingEnds};
use crate::sharing::Sharing;
use crate::{Batch, Control, Fault, MessageKind, OutputFile, Reads, Workers};

/// Files behind one another, or some of their records: the job behind plain `thalweg cat`. All fields can be set;
/// [`new`](Self::new) has the defaults.
///
/// Of whole files the records are not looked at: their bytes come out as they stand, and those of BAM as FASTQ. Where a file
/// lacks its last line end, and another follows, it gets one. Several files must be of one format, and each must end behind a
/// whole record, which the last lines tell. Mates come out interleaved.
#[derive(Clone, Debug)]
pub struct CopySettings {
    /// What is read.
    pub reading: ReadingSettings,
    /// Where it goes: `-`, the default, is the standard output. It is compressed as its name says.
    pub output: PathBuf,
    /// How hard it is compressed.
    pub level: Level,
    /// Whether the bytes of BAM are written, and no FASTQ. Not so by default. It goes with all of all files: nobody looks for
    /// records, then.
    pub raw: bool,
}

impl CopySettings {
    /// All of `files`, to the standard output.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            reading: ReadingSettings::new(files),
            output: PathBuf::from("-"),
            level: Level::default(),
            raw: false,
        }
    }

    /// Refuses the name of another format for reads. Text that is no reads may have any name.
    fn check_name(&self, plans: &[FilePlan]) -> Result<(), Fault> {
        let said = OutputContents::of_name(&self.output);
        let says_format = said.is_some_and(|said| said != OutputContents::Text);
        let first = plans.iter().find(|plan| !plan.first_head.is_empty());
        let are_reads = || first.map_or(Ok(false), |plan| has_reads(&plan.path));
        match self.reading.takes_records() || says_format && !self.raw && are_reads()? {
            true => kinds::check_output_name(&self.output, plans),
            false => Ok(()),
        }
    }

    /// Copy.
    ///
    /// # Errors
    /// If what is asked for does not go together; the first fault of reading or writing; if it was cancelled. No output is there,
    /// then, but what a stream got.
    pub fn run(&self, control: &Control) -> Result<(), Fault> {
        let reading = &self.reading;
        check_written(&self.output)?;
        check_not_input(&self.output, &reading.files)?;
        reading.check()?;
        if self.raw {
            reading.refuse_records("the bytes of BAM are asked for, and not its records")?;
        }
        let sharing = reading.share(control)?;
        // Nobody needs to know where records are, but of BAM, and whoever limits their size.
        let as_text = match reading.takes_records() {
            true => AsText::No,
            false if self.raw => AsText::Raw,
            false => AsText::Rendered,
        };
        let ends = MissingEnds::default();
        let inputs = reading.open(&sharing, as_text, false, &ends, control)?;
        if self.raw {
            refuse_headers_between(inputs.plans())?;
        }
        if !reading.mates {
            kinds::refuse_two_formats_of(inputs.plans(), FORMATS_HINT)?;
        }
        self.check_name(inputs.plans())?;
        let format = OutputFormat::of_name(&self.output);
        let mut output = OutputFile::create_as(&self.output, format, self.level)?;
        let unsaved = to_be_saved(inputs.plans(), &reading.indexes);
        let mut joiner = Joiner::default();
        let copied = inputs.each(|reads| copy(reads, &mut joiner, &mut output, control));
        ends.say(control);
        let closed = copied.and_then(|()| close(&joiner, &sharing, &mut output, control));
        closed
            .and_then(|()| Ok(control.check()?))
            .and_then(|()| output.finish())
            .inspect_err(|fault| {
                if fault.is_unread() {
                    say_unsaved(&unsaved, &reading.indexes, control);
                }
            })
    }
}

/// Returns whether a file has reads, and not other text, which is copied as well. It is not looked at where it can be read only
/// once.
fn has_reads(file: &Path) -> Result<bool, Fault> {
    if !file.is_file() {
        return Ok(true);
    }
    let mut text = FileText::open(file)?;
    Ok(matches!(text.read(4)?, [b'@' | b'>', ..] | b"BAM\x01"))
}

/// The line end that the last file lacks, if something follows in another shard.
fn close(
    joiner: &Joiner,
    sharing: &Sharing,
    output: &mut OutputFile,
    control: &Control,
) -> Result<(), Fault> {
    match joiner.is_open(|file| sharing.is_followed(file), control)? {
        true => output.write(b"\n"),
        false => Ok(()),
    }
}

/// Write everything that `reads` gives, in the order of the input, behind files that `joiner` has seen.
fn copy(
    reads: Reads,
    joiner: &mut Joiner,
    output: &mut OutputFile,
    control: &Control,
) -> Result<(), Fault> {
    let mut interleaver = Interleaver::default();
    // The records are brought into their order, and compressed, by all threads.
    match (reads.mates(), output.compressors()) {
        (1, None) => in_order(reads, control, Ok, |batch| {
            if joiner.lacks_line_end(Seam::of(&batch), control)? {
                output.write(b"\n")?;
            }
            let mut blocks = batch.blocks().iter();
            blocks.try_for_each(|block| output.write(block.as_bytes()))
        }),
        (1, Some(compressors)) => in_order(
            reads,
            control,
            |batch| {
                let mut bytes = Vec::new();
                for block in batch.blocks() {
                    compressors.compress(block.as_bytes(), &mut bytes)?;
                }
                Ok((Seam::of(&batch), bytes))
            },
            |(seam, bytes)| {
                if joiner.lacks_line_end(seam, control)? {
                    output.write(b"\n")?;
                }
                output.write_compressed(&bytes)
            },
        ),
        (_, None) => in_order(
            reads,
            control,
            |batch| Ok(Interleaved::of(&batch)),
            |next| {
                if interleaver.lacks_line_end(&next) {
                    output.write(b"\n")?;
                }
                output.write(&next.text)
            },
        ),
        (_, Some(compressors)) => in_order(
            reads,
            control,
            |batch| {
                let (text, mut bytes) = (Interleaved::of(&batch), Vec::new());
                compressors.compress(&text.text, &mut bytes)?;
                Ok((text, bytes))
            },
            |(next, bytes)| {
                if interleaver.lacks_line_end(&next) {
                    output.write(b"\n")?;
                }
                output.write_compressed(&bytes)
            },
        ),
    }
}

/// Have all threads make something of each batch, and `sink` take it in the order of the input, as long as the job is not stopped.
pub(super) fn in_order<T: Send>(
    reads: Reads,
    control: &Control,
    work: impl Fn(Batch) -> Result<T, Fault> + Sync,
    sink: impl FnMut(T) -> Result<(), Fault> + Send,
) -> Result<(), Fault> {
    let workers: Workers = reads.all_workers();
    let position = workers.progress();
    let work = |batch| {
        control.progress(&position);
        control.check()?;
        work(batch)
    };
    workers.map_in_order_of(work, sink, Fault::is_consequence)
}

/// Headers of BAM would stand in the middle.
fn refuse_headers_between(plans: &[FilePlan]) -> Result<(), Fault> {
    match plans.iter().find(|plan| is_bam(plan) && plans.len() > 1) {
        Some(plan) => Err(Fault::usage(
            format!(
                "{}: BAM has a header, which would stand in the middle of others",
                plan.path.display()
            ),
            "run it for each file; `samtools cat` concatenates BAM files",
        )),
        None => Ok(()),
    }
}

/// The files whose indexes will be saved when all are read, which is done so.
fn to_be_saved(plans: &[FilePlan], indexes: &IndexChoice) -> Vec<PathBuf> {
    plans
        .iter()
        .filter(|plan| indexes.save && plan.compression == "gzip" && !plan.indexed)
        .map(|plan| plan.path.clone())
        .collect()
}

/// Say so of files that were not read to their ends, so that they have no index.
fn say_unsaved(files: &[PathBuf], indexes: &IndexChoice, control: &Control) {
    let directory = indexes.directory.as_deref();
    let is_regular = |file: &Path| std::fs::metadata(file).is_ok_and(|data| data.is_file());
    for file in files {
        let found = find_index(file, directory);
        if is_regular(file) && found.is_ok_and(|found| found.is_none()) {
            let text = format!(
                "{}: its index is not saved: nobody read the output to its end",
                file.display()
            );
            control.say(MessageKind::Note, text);
        }
    }
}
