//! `--fastqc`: FastQC's reports on reads as they come and as they go, made in the pass that cleans them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_fastqc::{Report, Settings, Standing};
use thalweg_flow::Bringer;
use thalweg_reads::Batch;
use thalweg_write::is_stream;

use super::CleanSettings;
use crate::fastqc::{
    BothCounts, BothDesks, Extract, HandOver, KeptReads, ReportEntry, ReportFiles, Sides,
    doubt_encoding, report_name,
};
use crate::{Control, Fault};

/// What all threads share of these reports.
pub(crate) struct FastqcReports {
    settings: Arc<Settings>,
    sides: Sides,
    hand_over: HandOver<KeptReads>,
    /// What each report is on, and where it goes.
    outputs: Vec<(String, ReportFiles)>,
}

/// Batches that were entered, and how things stood before them.
type Entered = Vec<(ReportEntry<KeptReads>, Standing)>;

impl FastqcReports {
    /// Open the files of all reports, if they are asked for.
    pub(crate) fn open(
        settings: &CleanSettings,
        lanes: &[Vec<PathBuf>],
        paired: bool,
    ) -> Result<Option<Self>, Fault> {
        let Some(directory) = &settings.reports.fastqc else {
            return Ok(None);
        };
        if !directory.is_dir() {
            return Err(Fault::usage(
                format!("--fastqc {}: is not a directory", directory.display()),
                "create it first: mkdir -p",
            ));
        }
        let sides = Sides {
            files: lanes[0].len(),
            outputs: if paired && !settings.steps.merge {
                2
            } else {
                1
            },
        };
        let outputs = names(settings, &lanes[0], sides).into_iter().map(|name| {
            let files = ReportFiles::create(directory, &report_name(&name), Extract::No)?;
            Ok::<_, Fault>((name, files))
        });
        let outputs = outputs.collect::<Result<_, _>>()?;
        let settings = Arc::new(Settings::default());
        Ok(Some(Self {
            outputs,
            // The gate of the outputs bounds how far ahead anybody is.
            hand_over: HandOver::new(&settings, sides.reports(), u64::MAX),
            settings,
            sides,
        }))
    }

    /// What a thread counts with.
    pub(crate) fn seen(&self) -> FastqcSeen {
        FastqcSeen {
            desks: BothDesks::new(&self.settings, self.sides),
            heads: Default::default(),
        }
    }

    /// To be kept while there may be batches, however that ends.
    pub(crate) fn bringer(&self) -> Bringer<'_, Entered> {
        self.hand_over.bringer()
    }

    /// A batch is done: hand it in, and look at what is left to do for any.
    pub(crate) fn end(&self, batch: &Batch, seen: &mut FastqcSeen) -> Result<(), Fault> {
        let entries = seen.desks.end(batch);
        self.hand_over.hand_in(batch.place(), entries)?;
        while let Some(entered) = self.hand_over.take() {
            seen.desks.settle(&entered);
        }
        Ok(())
    }

    /// The same for batches of others, when there are no more of one's own.
    pub(crate) fn wait(&self, seen: &mut FastqcSeen) {
        while let Some(entered) = self.hand_over.wait() {
            seen.desks.settle(&entered);
        }
    }

    /// All reports, of what the threads have counted of so many tickets; they have no names yet.
    pub(crate) fn reports(
        self,
        counts: Vec<BothCounts>,
        tickets: u64,
        control: &Control<'_>,
    ) -> Result<Vec<(Report, ReportFiles)>, Fault> {
        let ledgers = self.hand_over.finish(tickets)?;
        let findings = BothCounts::findings(&self.settings, counts, ledgers);
        for (findings, (name, _)) in findings.iter().zip(&self.outputs) {
            doubt_encoding(findings, name).for_each(|warning| control.tell(warning));
        }
        let reports = findings.iter().zip(self.outputs);
        let reports =
            reports.map(|(findings, (name, files))| (Report::new(findings, &name), files));
        Ok(reports.collect())
    }
}

/// What one thread sees of reads, before and after the steps.
pub(crate) struct FastqcSeen {
    desks: BothDesks,
    /// Of the reads at hand.
    heads: [Vec<u8>; 2],
}

impl FastqcSeen {
    /// A batch begins; `as_it_is` says that its qualities are told as they lie in the file.
    pub(crate) fn begin(&mut self, batch: &Batch, as_it_is: bool) {
        self.desks.begin(batch, as_it_is);
    }

    #[inline]
    pub(crate) fn set_head(&mut self, mate: usize, head: &[u8]) {
        self.heads[mate].clear();
        self.heads[mate].extend_from_slice(head);
    }

    #[inline]
    pub(crate) fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.desks
            .unchanged(mate, &self.heads[mate], bases, qualities);
    }

    #[inline]
    pub(crate) fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.desks.before(mate, &self.heads[mate], bases, qualities);
    }

    #[inline]
    pub(crate) fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.desks.after(mate, &self.heads[mate], bases, qualities);
    }

    pub(crate) fn finish(self) -> BothCounts {
        self.desks.finish()
    }
}

/// What the reports are on: files as they come, then as they go; no two of these make the same name of a report.
fn names(settings: &CleanSettings, inputs: &[PathBuf], sides: Sides) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut free = |name: String, more: &str| {
        let mut name = name;
        while !taken.insert(report_name(&name)) {
            name = report_name(&name) + more;
        }
        name
    };
    let mut names: Vec<String> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let name = match is_stream(input) {
            true => "stdin".to_owned(),
            false => file_name(input),
        };
        names.push(free(name, &format!("_{}", number + 1)));
    }
    let (outputs, merge) = (&settings.outputs, settings.steps.merge);
    for mate in 0..sides.outputs {
        let output = match (merge, mate) {
            (true, _) => outputs.merged_out.as_ref(),
            // Both mates in one file are two reports.
            (false, 0) if sides.outputs == 2 => {
                outputs.out1.as_ref().filter(|_| outputs.out2.is_some())
            }
            (false, 0) => outputs.out1.as_ref(),
            (false, _) => outputs.out2.as_ref(),
        };
        let output = output.filter(|path| !is_stream(path));
        let mut clean = report_name(&names[mate.min(sides.files - 1)]) + "_clean";
        if sides.outputs > sides.files {
            clean += &format!("_{}", mate + 1);
        }
        let name = output.map(|path| file_name(path)).filter(|name| {
            let report = report_name(name);
            names.iter().all(|other| report_name(other) != report)
        });
        names.push(free(name.unwrap_or(clean), &format!("_{}", mate + 1)));
    }
    names
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
