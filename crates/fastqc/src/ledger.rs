//! What is found out about reads in their order, one batch after the other: as little as may be.

use std::sync::Arc;

use crate::gc_model::GcModel;
use crate::kept::Kept;
use crate::keys::{KeyTable, REMEMBERED};
use crate::notes::Notes;
use crate::{Settings, tiles};

/// Takes the notes of all batches in the order of the reads.
///
/// Three things of FastQC's depend on that order: which starts of reads are remembered (those of the first 100,000 different
/// ones), sums of fractions (those of GC), and which reads are looked at for tiles. Where it stands when a batch comes, it
/// tells as a [`Standing`], with which the rest is done by any thread, at any time.
pub struct Ledger {
    settings: Arc<Settings>,
    pub(crate) reads: u64,
    not_empty: u64,
    longest: usize,
    longest_adapter: usize,
    /// Reads by percent of GC.
    pub(crate) gc: [f64; 101],
    models: Vec<GcModel>,
    keys: Keys,
    /// Reads of each key, while keys are still remembered.
    pub(crate) counts: Vec<u64>,
    /// How many reads had come when the last key was remembered, or when the last one came without that.
    pub(crate) reads_at_limit: u64,
    tile_field: Option<usize>,
    /// Adapters whose place had to be known, by number and position.
    pub(crate) hits: Vec<(usize, usize)>,
}

enum Keys {
    Growing(KeyTable),
    Frozen(Arc<KeyTable>),
}

/// How things stood when a batch came.
#[derive(Clone)]
pub struct Standing {
    /// Reads before it.
    pub(crate) reads: u64,
    /// Those of them that are not empty.
    pub(crate) not_empty: u64,
    pub(crate) tile_field: Option<usize>,
    /// What to look starts of reads up in, if the batch was not looked at in order.
    pub(crate) keys: Option<Arc<KeyTable>>,
}

impl Ledger {
    /// Nothing entered yet.
    pub fn new(settings: &Arc<Settings>) -> Self {
        Ledger {
            settings: Arc::clone(settings),
            reads: 0,
            not_empty: 0,
            longest: 0,
            longest_adapter: settings.longest_adapter(),
            gc: [0.0; 101],
            models: Vec::new(),
            keys: Keys::Growing(KeyTable::new()),
            counts: Vec::new(),
            reads_at_limit: 0,
            tile_field: None,
            hits: Vec::new(),
        }
    }

    /// Enter the notes of the next batch, whose reads are `kept`.
    pub fn enter(&mut self, notes: &Notes, kept: &impl Kept) -> Standing {
        if self.not_empty == 0
            && let Some(first) = first_not_empty(notes)
        {
            self.tile_field = tiles::field_of(kept.head(first));
        }
        let mut standing = Standing {
            reads: self.reads,
            not_empty: self.not_empty,
            tile_field: self.tile_field,
            keys: None,
        };
        for &(length, letters) in &notes.gc {
            let model = self.model(length as usize);
            self.models[model].add(letters as usize, &mut self.gc);
        }
        match &mut self.keys {
            Keys::Frozen(table) => standing.keys = Some(Arc::clone(table)),
            Keys::Growing(_) => self.enter_keys(notes, kept),
        }
        self.enter_hits(notes);
        self.reads += notes.len() as u64;
        self.not_empty += (notes.len() - notes.empty.len()) as u64;
        standing
    }

    fn enter_keys(&mut self, notes: &Notes, kept: &impl Kept) {
        let Keys::Growing(table) = &mut self.keys else {
            return;
        };
        for (read, &hash) in notes.hashes.iter().enumerate() {
            let key = self.settings.key(kept.bases(read));
            if table.len() == REMEMBERED {
                if let Some(number) = table.find(hash, key) {
                    self.counts[number] += 1;
                }
                continue;
            }
            let number = table.insert(hash, key);
            if number == self.counts.len() {
                self.counts.push(0);
            }
            self.counts[number] += 1;
            self.reads_at_limit = self.reads + read as u64 + 1;
        }
        if table.len() == REMEMBERED {
            let table = std::mem::replace(table, KeyTable::new());
            self.keys = Keys::Frozen(Arc::new(table));
        }
    }

    fn enter_hits(&mut self, notes: &Notes) {
        let longest_adapter = self.longest_adapter;
        for hit in &notes.doubtful {
            let longest = self.longest.max(hit.longest);
            if longest > longest_adapter && hit.start + longest_adapter <= longest {
                self.hits.push((hit.adapter, hit.start));
            }
        }
        self.longest = self.longest.max(notes.longest);
    }

    /// Where the model of this length is.
    #[inline]
    fn model(&mut self, length: usize) -> usize {
        let known = self
            .models
            .iter()
            .position(|model| model.length() == length);
        known.unwrap_or_else(|| {
            self.models.push(GcModel::new(length));
            self.models.len() - 1
        })
    }

    /// The keys in the order of their coming.
    pub(crate) fn keys(&self) -> &KeyTable {
        match &self.keys {
            Keys::Growing(table) => table,
            Keys::Frozen(table) => table,
        }
    }
}

fn first_not_empty(notes: &Notes) -> Option<usize> {
    (0..notes.len()).find(|read| !notes.empty.contains(read))
}
