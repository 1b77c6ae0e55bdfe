//! What one thread counts with where reads are changed: for reports on them as they come, and as they go.

use std::sync::Arc;

use thalweg_fastqc::{
    Findings, KeptCopies, Ledger, Note, Notes, Samples, Settings, Standing, Tally,
};
use thalweg_reads::{Batch, Format};

use super::{Desk, KeptReads, ReportEntry};

/// Which reports there are: on each file in step as it comes, and behind these on what becomes of each mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// Files in step: 1 or 2. Where mates take turns in one file, that has one report.
    pub files: usize,
    /// Reports on what becomes of mates: 1 if both become one, such as merged reads, or there are single reads only.
    pub outputs: usize,
}

impl Sides {
    /// How many reports there are.
    pub fn reports(self) -> usize {
        self.files + self.outputs
    }

    /// The report on a mate as it comes.
    fn before(self, mate: usize) -> usize {
        mate.min(self.files - 1)
    }

    /// The report on a mate as it goes.
    fn after(self, mate: usize) -> usize {
        self.files + mate.min(self.outputs - 1)
    }
}

/// Counts of one thread, for all reports.
///
/// A read that goes as it came is counted once for both sides, but for what depends on the reads before it.
pub struct BothDesks {
    settings: Arc<Settings>,
    sides: Sides,
    /// By mate: what goes as it came, what goes otherwise or not at all, as it came, and what came otherwise.
    unchanged: [Tally; 2],
    only_before: [Tally; 2],
    only_after: [Tally; 2],
    /// By file, for batches whose reads are not told as they lie in the file.
    apart: Vec<Desk>,
    is_apart: bool,
    noted: Noted,
    samples: Vec<Samples>,
}

/// What is noted of the reads of a batch.
struct Noted {
    settings: Arc<Settings>,
    /// By report: notes, and the numbers of the copies of the reads.
    reports: Vec<(Notes, Vec<u32>)>,
    /// Of all reports: those of unchanged reads once.
    copies: KeptCopies,
}

impl Noted {
    #[inline]
    fn push(
        &mut self,
        reports: &[usize],
        note: &Note<'_>,
        head: &[u8],
        bases: &[u8],
        qualities: &[u8],
    ) {
        for &report in reports {
            let (notes, numbers) = &mut self.reports[report];
            notes.push(note);
            numbers.push(self.copies.len() as u32);
        }
        let bases = self.settings.kept(bases);
        self.copies.push(head, bases, qualities);
    }
}

/// What a thread has counted.
pub struct BothCounts {
    sides: Sides,
    unchanged: [Tally; 2],
    only_before: [Tally; 2],
    only_after: [Tally; 2],
    apart: Vec<(Tally, Samples)>,
    samples: Vec<Samples>,
}

impl BothDesks {
    /// Nothing counted yet.
    pub fn new(settings: &Arc<Settings>, sides: Sides) -> Self {
        let tallies = || [Tally::new(settings), Tally::new(settings)];
        let reports = sides.reports();
        Self {
            settings: Arc::clone(settings),
            sides,
            unchanged: tallies(),
            only_before: tallies(),
            only_after: tallies(),
            apart: (0..sides.files).map(|_| Desk::new(settings)).collect(),
            is_apart: false,
            noted: Noted {
                settings: Arc::clone(settings),
                reports: vec![Default::default(); reports],
                copies: KeptCopies::default(),
            },
            samples: (0..reports).map(|_| Samples::new(settings)).collect(),
        }
    }

    /// A batch is about to be told, read by read. `as_it_is` says that its qualities will be told as they lie in the file; its
    /// letters are if they are the usual ones. Else the reads are looked at in the batch.
    pub fn begin(&mut self, batch: &Batch, as_it_is: bool) {
        let mut blocks = batch.blocks().iter();
        let are_plain =
            blocks.all(|block| block.format() == Format::Fastq && block.has_usual_letters());
        self.is_apart = !(as_it_is && are_plain) || self.settings.casava;
    }

    /// A read that goes as it came.
    #[inline]
    pub fn unchanged(&mut self, mate: usize, head: &[u8], bases: &[u8], qualities: &[u8]) {
        if self.is_apart {
            return self.after(mate, head, bases, qualities);
        }
        let reports = [self.sides.before(mate), self.sides.after(mate)];
        let note = self.unchanged[mate].add(bases, qualities);
        self.noted.push(&reports, &note, head, bases, qualities);
    }

    /// A read as it came, which goes otherwise or not at all.
    #[inline]
    pub fn before(&mut self, mate: usize, head: &[u8], bases: &[u8], qualities: &[u8]) {
        if !self.is_apart {
            let note = self.only_before[mate].add(bases, qualities);
            let report = self.sides.before(mate);
            self.noted.push(&[report], &note, head, bases, qualities);
        }
    }

    /// A read as it goes, which came otherwise.
    #[inline]
    pub fn after(&mut self, mate: usize, head: &[u8], bases: &[u8], qualities: &[u8]) {
        let upper;
        let bases = match self.is_apart && bases.iter().any(u8::is_ascii_lowercase) {
            true => {
                upper = bases.to_ascii_uppercase();
                &upper
            }
            false => bases,
        };
        let note = self.only_after[mate].add(bases, qualities);
        let report = self.sides.after(mate);
        self.noted.push(&[report], &note, head, bases, qualities);
    }

    /// The batch is done. What is returned is to be [handed in](super::HandOver::hand_in).
    pub fn end(&mut self, batch: &Batch) -> Vec<ReportEntry<KeptReads>> {
        let copies = Arc::new(std::mem::take(&mut self.noted.copies));
        let reports = self.noted.reports.iter_mut().map(std::mem::take);
        let mut entries: Vec<ReportEntry<KeptReads>> = reports
            .map(|(notes, numbers)| ReportEntry {
                notes,
                kept: KeptReads::Some {
                    copies: Arc::clone(&copies),
                    numbers,
                },
            })
            .collect();
        if self.is_apart {
            for (file, desk) in self.apart.iter_mut().enumerate() {
                entries[file] = desk.count_copies(batch, file);
            }
        }
        entries
    }

    /// Look at what is left to do for a batch, which any thread has counted.
    pub fn settle(&mut self, entered: &[(ReportEntry<KeptReads>, Standing)]) {
        for (samples, (entry, standing)) in self.samples.iter_mut().zip(entered) {
            samples.add(&entry.notes, standing, &entry.kept);
        }
    }

    /// What was counted.
    pub fn finish(self) -> BothCounts {
        BothCounts {
            sides: self.sides,
            unchanged: self.unchanged,
            only_before: self.only_before,
            only_after: self.only_after,
            apart: self.apart.into_iter().map(Desk::finish).collect(),
            samples: self.samples,
        }
    }
}

impl BothCounts {
    /// What all threads have counted, for each report: those on files as they come, then the others.
    pub fn findings(
        settings: &Arc<Settings>,
        threads: Vec<Self>,
        ledgers: Vec<Ledger>,
    ) -> Vec<Findings> {
        let mut tallies: Vec<Vec<Tally>> = ledgers.iter().map(|_| Vec::new()).collect();
        let mut samples: Vec<Vec<Samples>> = ledgers.iter().map(|_| Vec::new()).collect();
        for thread in threads {
            let sides = thread.sides;
            let mates = thread
                .unchanged
                .into_iter()
                .zip(thread.only_before)
                .zip(thread.only_after);
            for (mate, ((unchanged, only_before), only_after)) in mates.enumerate() {
                tallies[sides.before(mate)].extend([unchanged.clone(), only_before]);
                tallies[sides.after(mate)].extend([unchanged, only_after]);
            }
            for (file, (tally, also)) in thread.apart.into_iter().enumerate() {
                tallies[file].push(tally);
                samples[file].push(also);
            }
            for (samples, also) in samples.iter_mut().zip(thread.samples) {
                samples.push(also);
            }
        }
        let reports = ledgers.into_iter().zip(tallies).zip(samples);
        reports
            .map(|((ledger, tallies), samples)| Findings::new(settings, tallies, ledger, samples))
            .collect()
    }
}
