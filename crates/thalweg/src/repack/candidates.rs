//! Templates that may be in a sample of inputs of which nobody knows how many templates they have.
//!
//! Each comes with its key (see [`RankKeys`](super::RankKeys)), in the order of the input. Whose key is above the limit
//! so far cannot be in the sample; the limit only falls:
//!
//! - of a number of templates, to the greatest of so many smallest keys;
//! - of a number of bases, likewise to the key with which the smallest ones have as many;
//! - of a fraction, to what it will be at the end, and ten standard deviations of that more. Only if the smallest keys of
//!   all ranks were that unevenly spread, the sample could lack one; this is looked at in the end.

use thalweg_files::TemporaryError;

use super::rank_keys::to_key;
use super::spool::Spool;
use super::{Layout, SampleSize};
use crate::Record;

/// Mates that go apart are two.
pub(super) const MOST_OUTPUTS: usize = 2;

/// A template that may be drawn.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) key: u64,
    /// Where its text is in the spool: that for the first output, and behind it that for the second.
    pub(super) place: u64,
    pub(super) sizes: [u32; MOST_OUTPUTS],
    pub(super) bases: u64,
}

impl Candidate {
    pub(super) fn size(&self) -> u64 {
        self.sizes.iter().copied().map(u64::from).sum()
    }
}

/// Those that may be drawn so far.
pub(super) struct Candidates {
    size: SampleSize,
    layout: Layout,
    pub(super) spool: Spool,
    /// In the order of the input.
    pub(super) all: Vec<Candidate>,
    /// Bases of them.
    bases: u64,
    /// The greatest key that may be drawn.
    limit: u64,
    /// When they are next reduced to those that may be drawn.
    next_cut: u64,
    pub(super) read: u64,
    pub(super) bases_read: u64,
    /// The texts of one template.
    texts: Vec<Vec<u8>>,
}

/// Not to cut too often.
const LEAST: u64 = 1024;

impl Candidates {
    pub(super) fn new(size: SampleSize, layout: Layout, outputs: usize, spool: Spool) -> Self {
        Self {
            size,
            layout,
            spool,
            all: Vec::new(),
            bases: 0,
            limit: u64::MAX,
            next_cut: LEAST,
            read: 0,
            bases_read: 0,
            texts: vec![Vec::new(); outputs],
        }
    }

    /// The template that is next in order, with its key.
    #[inline]
    pub(super) fn add(&mut self, key: u64, template: &[Record<'_>]) -> Result<(), TemporaryError> {
        self.read += 1;
        let counts_bases = matches!(self.size, SampleSize::Bases(_));
        let bases = match counts_bases {
            true => template.iter().map(|record| record.length() as u64).sum(),
            false => 0,
        };
        self.bases_read += bases;
        match key <= self.limit {
            true => self.take(key, bases, template),
            false => Ok(()),
        }
    }

    fn take(
        &mut self,
        key: u64,
        bases: u64,
        template: &[Record<'_>],
    ) -> Result<(), TemporaryError> {
        let place = self.spool.end();
        let mut sizes = [0; MOST_OUTPUTS];
        self.layout.push(template, &mut self.texts);
        for (text, size) in self.texts.iter_mut().zip(&mut sizes) {
            // A record has no more than 4 GiB.
            *size = text.len() as u32;
            self.spool.memory().append(text);
        }
        self.bases += bases;
        self.all.push(Candidate {
            key,
            place,
            sizes,
            bases,
        });
        let (now, wanted) = match self.size {
            SampleSize::Reads(reads) => (self.all.len() as u64, reads),
            SampleSize::Bases(wanted) => (self.bases, wanted),
            SampleSize::Fraction(_) => (self.all.len() as u64, LEAST),
        };
        if now >= self.next_cut && self.all.len() as u64 >= LEAST {
            self.cut();
            // Twice as many as are wanted, or as there are: so all cuts together are linear in what is taken.
            let left = match self.size {
                SampleSize::Bases(_) => self.bases,
                _ => self.all.len() as u64,
            };
            self.next_cut = wanted.max(left).saturating_mul(2).max(LEAST);
        }
        self.spool.settle()
    }

    /// Reduce them to those that may be drawn.
    fn cut(&mut self) {
        let limit = match self.size {
            SampleSize::Fraction(share) => {
                let deviation = (share * (1.0 - share) / self.read as f64).sqrt();
                Some(to_key(share + 10.0 * deviation + 10.0 / self.read as f64))
            }
            size => self.smallest(size),
        };
        self.limit = limit.unwrap_or(u64::MAX).min(self.limit);
        let limit = self.limit;
        self.all.retain(|candidate| candidate.key <= limit);
        self.bases = self.all.iter().map(|candidate| candidate.bases).sum();
        let places = self.all.iter_mut().map(|candidate| {
            let size = candidate.size();
            (&mut candidate.place, size)
        });
        self.spool.keep(places);
    }

    /// The greatest of the smallest keys that are a sample of this size; none if all are fewer.
    fn smallest(&self, size: SampleSize) -> Option<u64> {
        match size {
            SampleSize::Reads(reads) => {
                let mut keys: Vec<u64> = self.all.iter().map(|candidate| candidate.key).collect();
                let place = usize::try_from(reads.checked_sub(1)?).ok()?;
                (place < keys.len()).then(|| *keys.select_nth_unstable(place).1)
            }
            SampleSize::Bases(wanted) => {
                let key_and_bases = |candidate: &Candidate| (candidate.key, candidate.bases);
                let mut keys: Vec<(u64, u64)> = self.all.iter().map(key_and_bases).collect();
                keys.sort_unstable();
                let mut bases = 0;
                let enough = keys.iter().find(|(_, more)| {
                    bases += more;
                    bases >= wanted
                });
                enough.map(|(key, _)| *key)
            }
            SampleSize::Fraction(_) => None,
        }
    }

    /// Nothing more comes: leave those that are drawn. Returns whether the sample is what it should be.
    pub(super) fn finish(&mut self) -> bool {
        let size = match self.size {
            SampleSize::Fraction(share) => SampleSize::Reads(share_of(share, self.read)),
            size => size,
        };
        if size == SampleSize::Reads(0) {
            self.all.clear();
            return true;
        }
        match self.smallest(size) {
            Some(limit) => {
                self.all.retain(|candidate| candidate.key <= limit);
                true
            }
            // All there are, if none was left out.
            None => self.all.len() as u64 == self.read,
        }
    }
}

/// This fraction of so many, to the nearest whole number.
pub(super) fn share_of(share: f64, all: u64) -> u64 {
    ((share * all as f64).round() as u64).min(all)
}
