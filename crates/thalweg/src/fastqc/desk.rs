//! What one thread counts the reads of a batch with.

use std::borrow::Cow;
use std::sync::Arc;

use thalweg_fastqc::{Kept, KeptCopies, Notes, Samples, Settings, Standing, Tally};
use thalweg_reads::{Batch, Format, Record};

use super::ReportEntry;

/// Reads that are kept until it is known what came before them: a batch itself, or copies.
pub enum KeptReads {
    /// All reads of one file of a batch, which are on four lines each, in upper case.
    Batch {
        /// The batch.
        batch: Arc<Batch>,
        /// Which of the files in step.
        mate: usize,
    },
    /// Copies of what was counted.
    Copies(KeptCopies),
    /// Some of these.
    Some {
        /// Copies of what was counted for several reports.
        copies: Arc<KeptCopies>,
        /// Which ones.
        numbers: Vec<u32>,
    },
}

impl Kept for KeptReads {
    #[inline]
    fn head(&self, read: usize) -> &[u8] {
        match self {
            Self::Batch { batch, mate } => {
                record(batch, *mate, read).map_or(b"", |record| record.head())
            }
            Self::Copies(copies) => copies.head(read),
            Self::Some { copies, numbers } => copies.head(numbers[read] as usize),
        }
    }

    #[inline]
    fn bases(&self, read: usize) -> &[u8] {
        match self {
            Self::Batch { batch, mate } => {
                record(batch, *mate, read).map_or(b"", |record| record.raw_sequence())
            }
            Self::Copies(copies) => copies.bases(read),
            Self::Some { copies, numbers } => copies.bases(numbers[read] as usize),
        }
    }

    #[inline]
    fn qualities(&self, read: usize) -> &[u8] {
        match self {
            Self::Batch { batch, mate } => {
                match record(batch, *mate, read).and_then(|record| record.quality()) {
                    Some(Cow::Borrowed(qualities)) => qualities,
                    // On one line, nothing is joined.
                    _ => b"",
                }
            }
            Self::Copies(copies) => copies.qualities(read),
            Self::Some { copies, numbers } => copies.qualities(numbers[read] as usize),
        }
    }
}

#[inline]
fn record(batch: &Batch, mate: usize, read: usize) -> Option<Record<'_>> {
    batch.mates(mate).get(read)
}

/// Counts of one thread, for one report.
pub struct Desk {
    settings: Arc<Settings>,
    tally: Tally,
    samples: Samples,
}

impl Desk {
    /// Nothing counted yet.
    pub fn new(settings: &Arc<Settings>) -> Self {
        Self {
            settings: Arc::clone(settings),
            tally: Tally::new(settings),
            samples: Samples::new(settings),
        }
    }

    /// Count the reads of one file of a batch; what is returned is to be [handed in](super::HandOver::hand_in).
    pub fn count(&mut self, batch: &Arc<Batch>, mate: usize) -> ReportEntry<KeptReads> {
        let block = &batch.blocks()[mate];
        let is_plain = block.format() == Format::Fastq && block.has_usual_letters();
        if is_plain && !self.settings.casava {
            let mut notes = Notes::new();
            for record in block.records() {
                if let Some(qualities) = record.quality() {
                    notes.push(&self.tally.add(record.raw_sequence(), &qualities));
                }
            }
            let batch = Arc::clone(batch);
            return ReportEntry {
                notes,
                kept: KeptReads::Batch { batch, mate },
            };
        }
        self.count_copies(batch, mate)
    }

    /// The same, and the batch is not needed any more.
    pub(super) fn count_copies(&mut self, batch: &Batch, mate: usize) -> ReportEntry<KeptReads> {
        let (mut notes, mut copies) = (Notes::new(), KeptCopies::default());
        for record in batch.mates(mate) {
            if self.settings.casava && is_flagged(record.head()) {
                self.tally.add_flagged();
                continue;
            }
            let bases = record.sequence().to_ascii_uppercase();
            let qualities = record.quality().unwrap_or_default();
            notes.push(&self.tally.add(&bases, &qualities));
            copies.push(record.head(), self.settings.kept(&bases), &qualities);
        }
        ReportEntry {
            notes,
            kept: KeptReads::Copies(copies),
        }
    }

    /// Look at what is left to do for a batch, which any thread has counted.
    pub fn settle(&mut self, entry: &ReportEntry<KeptReads>, standing: &Standing) {
        self.samples.add(&entry.notes, standing, &entry.kept);
    }

    /// What was counted.
    pub fn finish(self) -> (Tally, Samples) {
        (self.tally, self.samples)
    }
}

/// Whether a name says that the read failed the instrument's filter.
fn is_flagged(head: &[u8]) -> bool {
    head.windows(3).any(|three| three == b":Y:")
}
