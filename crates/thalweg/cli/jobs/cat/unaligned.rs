//! `thalweg cat reads.fq.gz -o reads.bam`: unaligned BAM.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg::formats::bam::{BamMate, BamWriteError, BamWriter};
use thalweg::{Batch, Reads, Record};

use crate::options::CatArguments;
use crate::options::bam::is_bam;
use crate::options::quantity::thousands;
use crate::output::{Compressors, Output};
use crate::process::exit::Failure;
use crate::process::progress::Progress;
use crate::process::threads::map_in_order;

/// Whether that is what an output's name asks for.
pub(crate) fn is_asked_for(arguments: &CatArguments) -> bool {
    let output = arguments.output.as_deref();
    let ending = output.and_then(Path::extension).unwrap_or_default();
    ending.eq_ignore_ascii_case("bam")
}

/// Refuse what does not go with it, and what goes with nothing else.
pub(crate) fn check(arguments: &CatArguments) -> Result<(), Failure> {
    if !is_asked_for(arguments) {
        return match &arguments.read_group {
            Some(_) => Err(Failure::usage(
                "--read-group is for output that is BAM",
                "name the output .bam, as in -o reads.bam",
            )),
            None => Ok(()),
        };
    }
    let refused = match arguments {
        _ if arguments.raw => "--raw",
        _ if arguments.parts.is_some() => "--parts",
        _ if arguments.pairing.mates && arguments.files.len() > 2 => {
            "--mates of more than two files"
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(
        format!("{refused} does not go with output that is BAM"),
        "leave it out, or write FASTQ",
    ))
}

/// Reads that are BAM already lose what is not in their FASTQ.
pub(crate) fn refuse_bam(plans: &[thalweg::FilePlan]) -> Result<(), Failure> {
    match plans.iter().find(|plan| is_bam(plan)) {
        Some(plan) => Err(Failure::usage(
            format!("{}: is BAM already", plan.path.display()),
            "`samtools cat` puts files of BAM behind one another, `samtools view -b` writes some of their records",
        )),
        None => Ok(()),
    }
}

/// Records to one output.
pub(crate) struct Unaligned {
    writer: BamWriter,
    /// Letters that were written as others.
    changed: AtomicU64,
}

impl Unaligned {
    /// Begin `output` with a header.
    pub(crate) fn begin(arguments: &CatArguments, output: &mut Output) -> Result<Self, Failure> {
        let mut writer = BamWriter::new();
        let mut header = "@HD\tVN:1.6\tSO:unsorted\tGO:query\n".to_owned();
        if let Some(group) = &arguments.read_group {
            header.push_str(&group.line);
            header.push('\n');
            writer = writer.read_group(&group.id);
        }
        let version = env!("CARGO_PKG_VERSION");
        header.push_str(&format!("@PG\tID:thalweg\tPN:thalweg\tVN:{version}\n"));
        output.write(&BamWriter::header(&header))?;
        Ok(Self {
            writer,
            changed: AtomicU64::new(0),
        })
    }

    /// Write all that `reads` gives, in the order of the input; mates beside each other.
    pub(crate) fn copy(
        &self,
        reads: Reads,
        arguments: &CatArguments,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let compressors = output.compressors();
        let workers = reads.all_workers();
        let _progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
        map_in_order(
            workers,
            |batch| self.compressed(&batch, arguments, compressors.as_ref()),
            |bytes| output.write_compressed(&bytes),
            Failure::is_consequence,
        )
    }

    fn compressed(
        &self,
        batch: &Batch,
        arguments: &CatArguments,
        compressors: Option<&Compressors>,
    ) -> Result<Vec<u8>, Failure> {
        let mut records = Vec::new();
        let mut append = |record: &Record<'_>, mate| {
            let appended = self.writer.append(record, mate, &mut records);
            let changed = appended.map_err(|error| not_held(batch, record, error))?;
            if changed > 0 {
                self.changed.fetch_add(changed, Ordering::Relaxed);
            }
            Ok::<_, Failure>(())
        };
        match arguments.pairing.mates || arguments.pairing.interleaved {
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

    /// Say what was not kept.
    pub(crate) fn tell_changes(self) {
        let changed = self.changed.into_inner();
        if changed > 0 {
            tell!(
                "warning: {} letters are of lower case, or none that BAM has: they are written in upper case, U as T, all others as N",
                thousands(changed)
            );
        }
    }
}

#[cold]
fn not_held(batch: &Batch, record: &Record<'_>, error: BamWriteError) -> Failure {
    let path = batch.blocks()[0].path().display();
    let name = String::from_utf8_lossy(record.id()).into_owned();
    Failure::usage(
        format!("{path}: read '{name}': {error}"),
        "write FASTQ, or change the read",
    )
}

/// A read group as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct ReadGroup {
    id: String,
    /// Its line of the header.
    line: String,
}

/// `NAME`, or a line `@RG\tID:NAME\tSM:SAMPLE`, with tabs or `\t` between.
pub(crate) fn parse_read_group(text: &str) -> Result<ReadGroup, String> {
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
        true => Err("expected a name, or a line such as '@RG\\tID:NAME\\tSM:SAMPLE'".to_owned()),
        false => Ok(group),
    }
}
