//! The super-k-mers of a partition, or of a part of one that fits the memory.

use thalweg_superkmers::{Error, packed::unpack, partition::SealedStore, record::Record};

use super::{
    bases::Base,
    options::{Plan, Values},
    oriented::{MOST_LEAVES, Oriented, RECORD_WORDS},
};
use crate::{ErrorKind, Result};

/// A range of minimizers' values of a partition: those whose next bits are in it.
pub(super) type Part = std::ops::Range<usize>;

/// Binary logarithm of the number of ranges that a partition is divided into where it does not fit.
const RANGE_BITS: u32 = 10;

/// Reads partitions. It has buffers of its own, which it uses again.
#[derive(Debug)]
pub(super) struct Loader<'a> {
    plan: &'a Plan,
    stores: &'a [SealedStore],
    /// By number of a leaf in records: its place in depth-first order.
    leaves: &'a [u32],
    bases: &'a [Base<'a>],
    /// Of the part that was loaded last: the sets of bases that it has, ascending, by base and number.
    sets: Vec<(u32, u32)>,
    /// k-mers of super-k-mers that there is memory for.
    most_kmers: u64,
    bits: u32,
    records: Vec<Record<RECORD_WORDS>>,
    bytes: Vec<u8>,
    words: Vec<u64>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        stores: &'a [SealedStore],
        leaves: &'a [u32],
        bases: &'a [Base<'a>],
        most_kmers: u64,
    ) -> Self {
        Self {
            plan,
            stores,
            leaves,
            bases,
            sets: Vec::new(),
            // So that there is a number for each set.
            most_kmers: most_kmers.min(u64::from(MOST_LEAVES / 2)),
            bits: RANGE_BITS.min(plan.values.shift),
            records: Vec::new(),
            bytes: Vec::new(),
            words: Vec::new(),
        }
    }

    /// The parts of a partition that fit the memory, in the order of their values. Whether a part of a single range does,
    /// loading tells.
    pub(super) fn parts(&mut self, partition: usize) -> Result<Vec<Part>> {
        let all = 1 << self.bits;
        let mut kmers = vec![0u64; all];
        self.count_bases(partition, &mut kmers)?;
        if self.bound(partition) + kmers.iter().sum::<u64>() <= self.most_kmers {
            return Ok(std::iter::once(0..all).collect());
        }
        let k = self.plan.scheme.k();
        self.visit(partition, |loader, super_kmer| {
            kmers[loader.range(super_kmer)] += super_kmer.kmers(k) as u64;
            Ok(())
        })?;
        let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0);
        for (range, kmers) in kmers.into_iter().enumerate() {
            if start < range && sum + kmers > self.most_kmers {
                parts.push(start..range);
                (start, sum) = (range, 0);
            }
            sum += kmers;
        }
        parts.push(start..all);
        Ok(parts)
    }

    /// Loads the super-k-mers of a part, sorted, each of a leaf once. Tells how many k-mers they have.
    ///
    /// In the place of a leaf they have the place of a [set of a base](Self::sets), or that of their leaf behind all of these.
    pub(super) fn load(
        &mut self,
        partition: usize,
        part: &Part,
        super_kmers: &mut Vec<Oriented>,
    ) -> Result<usize> {
        super_kmers.clear();
        let most = self.most_kmers as usize;
        let bound = usize::try_from(self.bound(partition)).unwrap_or(usize::MAX);
        super_kmers.reserve(bound.min(most));
        let is_whole = part.len() == 1 << self.bits;
        let mut kmers = 0;
        self.load_bases(partition, part, super_kmers, &mut kmers)?;
        let sets = self.sets.len() as u32;
        self.visit(partition, |loader, super_kmer| {
            if !is_whole && !part.contains(&loader.range(super_kmer)) {
                return Ok(());
            }
            let leaf = loader.leaves.get(super_kmer.leaf() as usize);
            let leaf = sets + *leaf.ok_or_else(|| bad(partition))?;
            if leaf >= MOST_LEAVES {
                let limit = MOST_LEAVES as usize / 2;
                return Err(crate::Error::new(ErrorKind::TooManyLeaves { limit }));
            }
            loader.push(super_kmer.with_leaf(leaf), super_kmers, &mut kmers)
        })?;
        Ok(each_once(super_kmers, self.plan.scheme.k()))
    }

    /// Appends a super-k-mer to those that have `kmers` together, if the memory has room.
    #[inline]
    fn push(
        &self,
        super_kmer: Oriented,
        super_kmers: &mut Vec<Oriented>,
        kmers: &mut usize,
    ) -> Result<()> {
        let (k, most) = (self.plan.scheme.k(), self.most_kmers as usize);
        let more = super_kmer.kmers(k);
        if *kmers + more > most {
            // Those that repeats have in common count once.
            *kmers = each_once(super_kmers, k);
            if *kmers + more > most / 4 * 3 {
                let (limit, needed) = (self.plan.memory, 2 * self.plan.memory);
                return Err(crate::Error::new(ErrorKind::Memory { limit, needed }));
            }
        }
        *kmers += more;
        super_kmers.push(super_kmer);
        Ok(())
    }

    /// The sets of bases that super-k-mers have which were loaded last, ascending: the number of the base, and that of the set.
    pub(super) fn sets(&self) -> &[(u32, u32)] {
        &self.sets
    }

    /// Adds the k-mers that bases have of each range.
    fn count_bases(&self, partition: usize, kmers: &mut [u64]) -> Result<()> {
        if self.bases.is_empty() {
            return Ok(());
        }
        let values = self.values(partition, &(0..kmers.len()));
        for base in self.bases {
            base.visit(values.clone(), |stored, _| {
                kmers[self.range_of(stored.value())] += stored.kmers() as u64;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Loads what bases have of a part.
    fn load_bases(
        &mut self,
        partition: usize,
        part: &Part,
        super_kmers: &mut Vec<Oriented>,
        kmers: &mut usize,
    ) -> Result<()> {
        self.sets.clear();
        let values = self.values(partition, part);
        for (number, base) in (0..).zip(self.bases) {
            base.visit(values.clone(), |_, set| {
                if self.sets.last() != Some(&(number, set)) {
                    self.sets.push((number, set));
                }
                Ok(())
            })?;
        }
        self.sets.sort_unstable();
        self.sets.dedup();
        let this = &*self;
        for (number, base) in (0..).zip(this.bases) {
            base.visit(values.clone(), |stored, set| {
                let place = this.sets.partition_point(|&other| other < (number, set));
                stored.stretches(|stretch| {
                    this.push(stretch.with_leaf(place as u32), super_kmers, kmers)
                })
            })?;
        }
        Ok(())
    }

    /// The values of a part.
    fn values(&self, partition: usize, part: &Part) -> std::ops::Range<u64> {
        let Values {
            first,
            number,
            shift,
        } = self.plan.values;
        let place = |range: usize| {
            let ranges = ((partition as u64) << self.bits) + range as u64;
            (ranges << (shift - self.bits)).min(number)
        };
        first + place(part.start)..first + place(part.end)
    }

    /// k-mers of the partition's super-k-mers, at most: by their bytes.
    fn bound(&self, partition: usize) -> u64 {
        let words: u64 = (self.stores.iter())
            .map(|store| store.words(partition))
            .sum();
        let scheme = &self.plan.scheme;
        // One byte of the length, four bases and an end mark, and of the leaf, at least a byte.
        let bytes = |kmers: usize| 2 + ((scheme.k() + kmers - 1 + 8) / 4) as u64;
        let kmers = 1..=scheme.most_kmers();
        let of_bytes = kmers.map(|kmers| (8 * words * kmers as u64).div_ceil(bytes(kmers)));
        of_bytes.max().unwrap_or(0)
    }

    /// The range of a super-k-mer's value in its partition.
    #[inline]
    fn range(&self, super_kmer: Oriented) -> usize {
        self.range_of(super_kmer.value(&self.plan.scheme))
    }

    /// The range of a value in its partition.
    #[inline]
    fn range_of(&self, value: u64) -> usize {
        let Values { first, shift, .. } = self.plan.values;
        let place = value.wrapping_sub(first);
        (place >> (shift - self.bits)) as usize & ((1 << self.bits) - 1)
    }

    /// Shows all super-k-mers of a partition as they are stored.
    fn visit(
        &mut self,
        partition: usize,
        mut see: impl FnMut(&Self, Oriented) -> Result<()>,
    ) -> Result<()> {
        let mut records = std::mem::take(&mut self.records);
        let mut bytes = std::mem::take(&mut self.bytes);
        let mut words = std::mem::take(&mut self.words);
        let (this, mut outcome) = (&*self, Ok(()));
        let mut see_blocks = |blocks: &[u64]| {
            records.clear();
            unpack(blocks, &mut records)?;
            for record in &records {
                let super_kmer = Oriented::from_record(record)?;
                if !super_kmer.is_possible(&this.plan.scheme) {
                    return None;
                }
                if outcome.is_ok() {
                    outcome = see(this, super_kmer);
                }
            }
            Some(())
        };
        for store in this.stores {
            for blocks in store.chunks(partition) {
                see_blocks(blocks).ok_or_else(|| bad(partition))?;
            }
            store.visit_spilled(partition, &mut bytes, &mut words, &mut see_blocks)?;
        }
        (self.records, self.bytes, self.words) = (records, bytes, words);
        outcome
    }
}

/// Sorts super-k-mers, leaves each there once, and tells how many k-mers they have.
fn each_once(super_kmers: &mut Vec<Oriented>, k: usize) -> usize {
    super_kmers.sort_unstable();
    super_kmers.dedup();
    super_kmers
        .iter()
        .map(|super_kmer| super_kmer.kmers(k))
        .sum()
}

/// What is stored is not what was.
fn bad(partition: usize) -> crate::Error {
    let reason = "it holds what was not stored";
    Error::BadBlock { partition, reason }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;
    use crate::build::{BuildOptions, DatabaseBuilder};
    use std::collections::BTreeSet;
    use thalweg_flow::Budget;

    /// A builder of one partition, and what a worker has stored of random letters, each stretch `times` times.
    fn stored(letters: usize, times: usize) -> (DatabaseBuilder, SealedStore) {
        let options = BuildOptions::new(31).unwrap().with_masking(false);
        let options = options.with_partitions(1).unwrap();
        let builder = DatabaseBuilder::new(options, Budget::new(1)).unwrap();
        let mut worker = builder.worker().unwrap();
        let mut state = 1u64;
        let mut letter = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            b"ACGT"[(state >> 62) as usize]
        };
        let letters = Vec::from_iter((0..letters).map(|_| letter()));
        for node in [5, 3] {
            for _ in 0..times {
                worker.add(Node(node), &letters).unwrap();
            }
        }
        (builder, worker.into_share().unwrap().store)
    }

    #[test]
    fn parts_are_all_and_fit() {
        let (builder, store) = stored(20_000, 1);
        let stores = [store];
        let loader = |most| Loader::new(&builder.plan, &stores, &[1, 0], &[], most);
        let (mut all, mut some) = (Vec::new(), Vec::new());
        let mut whole = loader(1 << 20);
        let parts = whole.parts(0).unwrap();
        assert_eq!(parts.len(), 1);
        assert_eq!(whole.load(0, &parts[0], &mut all).unwrap(), 2 * 19_970);
        assert!(all.is_sorted_by(|one, next| one < next));

        let mut in_parts = loader(1000);
        let parts = in_parts.parts(0).unwrap();
        assert!((40..200).contains(&parts.len()));
        let (mut found, mut end) = (BTreeSet::new(), 0);
        let mut values = 0..=0;
        for part in parts {
            assert_eq!(std::mem::replace(&mut end, part.end), part.start);
            assert!(in_parts.load(0, &part, &mut some).unwrap() <= 1000);
            found.extend(some.iter().copied());
            let of_part = some.iter().map(|one| one.value(&builder.plan.scheme));
            let (least, most) = (of_part.clone().min(), of_part.max());
            if let (Some(least), Some(most)) = (least, most) {
                assert!(least >= *values.end());
                values = least..=most;
            }
        }
        assert!(found.into_iter().eq(all));
    }

    /// What repeats takes no memory: all else, if it does not fit, is an error.
    #[test]
    fn repeats_count_once() {
        let (builder, store) = stored(500, 100);
        let stores = [store];
        let all = 0..1 << RANGE_BITS;
        for (most, is_enough) in [(1300, true), (900, false)] {
            let mut loader = Loader::new(&builder.plan, &stores, &[1, 0], &[], most);
            let mut super_kmers = Vec::new();
            let loaded = loader.load(0, &all, &mut super_kmers);
            match is_enough {
                true => assert_eq!(loaded.unwrap(), 2 * 470),
                false => {
                    let error = loaded.unwrap_err();
                    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
                }
            }
        }
    }
}
