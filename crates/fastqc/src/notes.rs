//! What of a batch's reads depends on the reads before them.

/// What is noted of one read.
#[derive(Clone, Copy, Debug)]
pub struct Note<'a> {
    /// Hash of the start of the read.
    pub(crate) hash: u64,
    /// Letters that GC is counted in, and those that are G or C; none of an empty read.
    pub(crate) gc: (u32, u32),
    pub(crate) length: usize,
    /// Adapters of which only the place of the read tells whether they count, and where they begin.
    pub(crate) doubtful: &'a [(usize, usize)],
}

/// An adapter in a read that is so short that FastQC counts it only if a longer one came before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoubtfulHit {
    pub(crate) adapter: usize,
    pub(crate) start: usize,
    /// The longest read of the batch so far.
    pub(crate) longest: usize,
}

/// Notes of a batch's reads, to be [entered](crate::Ledger::enter) in the order of the batches.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    pub(crate) hashes: Vec<u64>,
    pub(crate) gc: Vec<(u32, u32)>,
    /// Which reads are empty.
    pub(crate) empty: Vec<usize>,
    pub(crate) doubtful: Vec<DoubtfulHit>,
    pub(crate) longest: usize,
}

impl Notes {
    /// Nothing noted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Note the next read.
    #[inline]
    pub fn push(&mut self, note: &Note<'_>) {
        self.longest = self.longest.max(note.length);
        if note.length == 0 {
            self.empty.push(self.hashes.len());
        } else {
            self.gc.push(note.gc);
        }
        self.hashes.push(note.hash);
        for &(adapter, start) in note.doubtful {
            self.doubtful.push(DoubtfulHit {
                adapter,
                start,
                longest: self.longest,
            });
        }
    }

    /// How many reads were noted.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Forget all.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.gc.clear();
        self.empty.clear();
        self.doubtful.clear();
        self.longest = 0;
    }
}
