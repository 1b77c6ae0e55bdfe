//! Reads to unaligned BAM.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_formats::bam::{BamMate, BamWriteError, BamWriter};
use thalweg_reads::FilePlan;
use thalweg_write::{Level, OutputFormat, check_not_input};

use super::ReadingSettings;
use super::job::in_order;
use super::reading::{AsText, is_bam};
use crate::inputs::MissingEnds;
use crate::{Batch, Compressors, Control, Fault, OutputFile, Record};

/// Reads to a file of unaligned BAM, mates beside each other: the job behind `thalweg cat -o FILE.bam`. All fields can be set.
#[derive(Clone, Debug)]
pub struct UnalignedSettings {
    /// What is read: no BAM.
    pub reading: ReadingSettings,
    /// Where it goes.
    pub output: PathBuf,
    /// How hard it is compressed.
    pub level: Level,
    /// Of which group reads are that do not say so themselves.
    pub read_group: Option<ReadGroup>,
}

impl UnalignedSettings {
    /// Write all reads. Returns how many of their letters were written as others: those of lower case as upper case, U as T, and
    /// others that BAM does not have as N.
    ///
    /// # Errors
    /// If there are more than two files of mates; if an input is BAM already, or has a read that BAM cannot hold; the first fault of reading or writing; if it was cancelled.
    /// No file is there, then.
    pub fn run(&self, control: &Control) -> Result<u64, Fault> {
        check_not_input(&self.output, &self.reading.files)?;
        self.reading.check()?;
        if self.reading.mates && self.reading.files.len() > 2 {
            return Err(Fault::usage(
                "BAM holds pairs, and these are more than two files of mates",
                "name two of them",
            ));
        }
        let sharing = self.reading.share(control)?;
        let ends = MissingEnds::default();
        let inputs = self
            .reading
            .open(&sharing, AsText::No, true, &ends, control)?;
        refuse_bam(inputs.plans())?;
        let mut output = OutputFile::create_as(&self.output, OutputFormat::Bgzf, self.level)?;
        let unaligned = Unaligned::begin(self, &mut output)?;
        let copied = inputs.each(|reads| {
            let compressors = output.compressors();
            in_order(
                reads,
                control,
                |batch| unaligned.compressed(&batch, compressors.as_ref()),
                |bytes| output.write_compressed(&bytes),
            )
        });
        ends.say(control);
        copied?;
        control.check()?;
        output.finish()?;
        Ok(unaligned.changed.into_inner())
    }
}

/// Reads that are BAM already lose what is not in their FASTQ.
fn refuse_bam(plans: &[FilePlan]) -> Result<(), Fault> {
    match plans.iter().find(|plan| is_bam(plan)) {
        Some(plan) => Err(Fault::usage(
            format!("{}: is BAM already", plan.path.display()),
            "`samtools cat` concatenates BAM files, `samtools view -b` writes some of their records",
        )),
        None => Ok(()),
    }
}

/// Records to one output.
struct Unaligned {
    writer: BamWriter,
    are_pairs: bool,
    /// Letters that were written as others.
    changed: AtomicU64,
}

impl Unaligned {
    /// Begin `output` with a header.
    fn begin(settings: &UnalignedSettings, output: &mut OutputFile) -> Result<Self, Fault> {
        let mut writer = BamWriter::new();
        let mut header = "@HD\tVN:1.6\tSO:unsorted\tGO:query\n".to_owned();
        if let Some(group) = &settings.read_group {
            header.push_str(&group.line);
            header.push('\n');
            writer = writer.read_group(&group.id);
        }
        let version = env!("CARGO_PKG_VERSION");
        header.push_str(&format!("@PG\tID:thalweg\tPN:thalweg\tVN:{version}\n"));
        output.write(&BamWriter::header(&header))?;
        Ok(Self {
            writer,
            are_pairs: settings.reading.mates || settings.reading.interleaved,
            changed: AtomicU64::new(0),
        })
    }

    fn compressed(
        &self,
        batch: &Batch,
        compressors: Option<&Compressors>,
    ) -> Result<Vec<u8>, Fault> {
        let mut records = Vec::new();
        let mut append = |record: &Record<'_>, mate| {
            let appended = self.writer.append(record, mate, &mut records);
            let changed = appended.map_err(|error| not_held(batch, record, error))?;
            if changed > 0 {
                self.changed.fetch_add(changed, Ordering::Relaxed);
            }
            Ok::<_, Fault>(())
        };
        match self.are_pairs {
            true => batch.pairs().try_for_each(|(first, second)| {
                append(&first, BamMate::First)?;
                append(&second, BamMate::Second)
            })?,
            false => batch
                .records()
                .try_for_each(|record| append(&record, BamMate::ByName))?,
        }
        match compressors {
            Some(compressors) => {
                let mut bytes = Vec::new();
                compressors.compress(&records, &mut bytes)?;
                Ok(bytes)
            }
            None => Ok(records),
        }
    }
}

#[cold]
fn not_held(batch: &Batch, record: &Record<'_>, error: BamWriteError) -> Fault {
    let path = batch.blocks()[0].path().display();
    let name = String::from_utf8_lossy(record.id()).into_owned();
    Fault::usage(
        format!("{path}: read '{name}': {error}"),
        "write FASTQ, or change the read",
    )
}

/// A read group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadGroup {
    id: String,
    /// Its line of the header.
    line: String,
}

impl std::str::FromStr for ReadGroup {
    type Err = String;

    /// `NAME`, or a line `@RG\tID:NAME\tSM:SAMPLE`, with tabs or `\t` between.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.replace("\\t", "\t");
        let is_printing = |text: &str| {
            !text
                .chars()
                .any(|letter| letter.is_control() && letter != '\t')
        };
        if !is_printing(&text) {
            return Err("a read group has no control characters".to_owned());
        }
        let group = match text.strip_prefix("@RG\t") {
            Some(fields) => {
                let id = fields
                    .split('\t')
                    .find_map(|field| field.strip_prefix("ID:"));
                ReadGroup {
                    id: id.unwrap_or_default().to_owned(),
                    line: text.clone(),
                }
            }
            None => ReadGroup {
                line: format!("@RG\tID:{text}"),
                id: text,
            },
        };
        match group.id.is_empty() || group.id.contains('\t') {
            true => {
                Err("expected a name, or a line such as '@RG\\tID:NAME\\tSM:SAMPLE'".to_owned())
            }
            false => Ok(group),
        }
    }
}
