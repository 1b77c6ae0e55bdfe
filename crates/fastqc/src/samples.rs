//! What is looked at once it is known how many reads came before: by any thread.

use std::sync::Arc;

use crate::kept::Kept;
use crate::ledger::Standing;
use crate::notes::Notes;
use crate::tiles::{Tiles, is_sampled};
use crate::{Settings, kmers::KmerCounts};

/// What one worker found in batches whose standing was known.
pub struct Samples {
    settings: Arc<Settings>,
    /// Reads of each key, counted when no more keys were remembered.
    pub(crate) counts: Vec<u64>,
    pub(crate) tiles: Tiles,
    pub(crate) kmers: KmerCounts,
}

impl Samples {
    /// Nothing seen yet.
    pub fn new(settings: &Arc<Settings>) -> Self {
        Samples {
            settings: Arc::clone(settings),
            counts: Vec::new(),
            tiles: Tiles::new(settings.limits.tile.ignored),
            kmers: KmerCounts::new(settings.kmer_length),
        }
    }

    /// Look at the reads of a batch, which are `kept`.
    pub fn add(&mut self, notes: &Notes, standing: &Standing, kept: &impl Kept) {
        if let Some(table) = &standing.keys {
            self.counts.resize(table.len(), 0);
            for (read, &hash) in notes.hashes.iter().enumerate() {
                let key = self.settings.key(kept.bases(read));
                if let Some(number) = table.find(hash, key) {
                    self.counts[number] += 1;
                }
            }
        }
        if !self.tiles.are_dropped {
            self.add_tiles(notes, standing, kept);
        }
        if !self.settings.limits.kmer.ignored {
            for read in 0..notes.len() {
                self.kmers
                    .add(standing.reads + read as u64, kept.bases(read));
            }
        }
    }

    fn add_tiles(&mut self, notes: &Notes, standing: &Standing, kept: &impl Kept) {
        let mut rank = standing.not_empty;
        let mut empty = notes.empty.iter().peekable();
        for read in 0..notes.len() {
            if empty.next_if_eq(&&read).is_some() {
                continue;
            }
            if is_sampled(rank) {
                self.tiles
                    .add(kept.head(read), standing.tile_field, kept.qualities(read));
            }
            rank += 1;
        }
    }

    /// Whether qualities by tile may be asked for: else nobody need keep them.
    pub fn wants_tiles(&self) -> bool {
        !self.tiles.are_dropped
    }

    /// Add what `other` has found.
    pub fn merge(&mut self, other: Self) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts
            .iter_mut()
            .zip(other.counts)
            .for_each(|(own, other)| *own += other);
        self.tiles.merge(other.tiles);
        self.kmers.merge(other.kmers);
    }
}
