//! k-mers by position, of one read in fifty.

use std::collections::HashMap;

/// One in so many reads is looked at.
const SAMPLING: u64 = 50;

/// So many letters of it.
const LONGEST: usize = 500;

/// The longest k-mers.
pub(crate) const LONGEST_KMER: usize = 10;

/// A k-mer, with zeros behind its letters.
pub(crate) type Kmer = [u8; LONGEST_KMER];

/// What was found of k-mers.
#[derive(Clone, Debug)]
pub(crate) struct KmerCounts {
    pub(crate) length: usize,
    /// How often each k-mer begins at which position.
    pub(crate) kmers: HashMap<Kmer, Places>,
    /// All k-mers without N, by position.
    pub(crate) totals: Vec<u64>,
    pub(crate) longest: usize,
}

/// Where a k-mer is.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Where it was first seen: the read's rank, and the position.
    pub(crate) first: (u64, usize),
    /// How many k-mers that read has.
    room: usize,
    pub(crate) positions: Vec<u64>,
}

impl Places {
    /// How many positions are compared with others: those of the read that it was first seen in, and all at which it is.
    pub(crate) fn compared(&self) -> usize {
        self.positions.len().max(self.room)
    }

    fn see(&mut self, first: (u64, usize), room: usize) {
        if first < self.first {
            (self.first, self.room) = (first, room);
        }
    }

    fn add(&mut self, position: usize, number: u64) {
        if position >= self.positions.len() {
            self.positions.resize(position + 1, 0);
        }
        self.positions[position] += number;
    }
}

impl KmerCounts {
    pub(crate) fn new(length: usize) -> Self {
        KmerCounts {
            length: length.clamp(1, LONGEST_KMER),
            kmers: HashMap::new(),
            totals: Vec::new(),
            longest: 0,
        }
    }

    /// Look at the read of this rank, counted from 0, if it is one of those.
    pub(crate) fn add(&mut self, rank: u64, bases: &[u8]) {
        if !(rank + 1).is_multiple_of(SAMPLING) {
            return;
        }
        let bases = &bases[..bases.len().min(LONGEST)];
        self.longest = self.longest.max(bases.len());
        let room = (bases.len() + 1).saturating_sub(self.length);
        for (position, letters) in bases.windows(self.length).enumerate() {
            if position >= self.totals.len() {
                self.totals.resize(position + 1, 0);
            }
            if letters.contains(&b'N') {
                continue;
            }
            self.totals[position] += 1;
            let mut kmer = Kmer::default();
            kmer[..letters.len()].copy_from_slice(letters);
            let places = self.kmers.entry(kmer).or_insert_with(|| Places {
                first: (rank, position),
                room,
                positions: Vec::new(),
            });
            places.see((rank, position), room);
            places.add(position, 1);
        }
    }

    /// Add what `other` has counted.
    pub(crate) fn merge(&mut self, other: Self) {
        self.longest = self.longest.max(other.longest);
        if other.totals.len() > self.totals.len() {
            self.totals.resize(other.totals.len(), 0);
        }
        self.totals
            .iter_mut()
            .zip(other.totals)
            .for_each(|(own, other)| *own += other);
        for (kmer, others) in other.kmers {
            let places = self.kmers.entry(kmer).or_insert_with(|| Places {
                first: others.first,
                room: others.room,
                positions: Vec::new(),
            });
            places.see(others.first, others.room);
            for (position, &number) in others.positions.iter().enumerate() {
                places.add(position, number);
            }
        }
    }
}
