//! All k-mers of a database in memory, each found by its hash.
//!
//! ```text
//! upper bits of the hash ──► bucket  | 5 k-mers | 5 counts |     64 bytes for k-mers of one word: a cache line
//! no place in it left    ──► the next bucket
//! ```
//! A bucket fills from the left, and k-mers go on to the next one only if it is full: so one that has room ends the
//! search. Three places of four are in use at most; then one bucket in seven is full, and most searches end where they
//! begin. What costs is the wait for that line: of the k-mers of a sequence, many are asked for at a time.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::marker::PhantomData;
use std::sync::Arc;

use super::records::Source;
use super::{Header, Lookup};
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use crate::prefetch::prefetch;
use crate::slab::{LARGE_PAGE, Slab};

/// Places of a bucket: with 32 bits for each count, as many one-word k-mers as a cache line holds.
const PLACES: usize = 5;

/// Words of their counts, one more than twice a count in them.
const COUNT_WORDS: usize = PLACES.div_ceil(2);

/// Buckets that hold so many k-mers on average are as full as they may be.
const MOST_PER_BUCKET: f64 = 0.75 * PLACES as f64;

/// k-mers that are asked for before the first of them is looked at: as many lines as are under way at a time, and more,
/// so that those of the next ones come while these are compared.
const AHEAD: usize = 32;

/// In the place of a count: there is no k-mer. Other counts are one more than what they stand for.
const NONE: u32 = 0;

/// In the place of a count: it is too large, and stands apart.
const LARGE: u32 = u32::MAX;

/// All k-mers of a database in memory, to be looked up by any number of threads.
///
/// 17 bytes for each k-mer of up to 32 bases, 28 for those of up to 64 ([`Loaded::bytes_for`]); up to twice that, and
/// three times while it is made, if the file does not say how many there are. Made by
/// [`Database::load`](super::Database::load).
#[derive(Clone)]
pub struct Loaded<K> {
    k: usize,
    canonical: bool,
    table: Arc<Table<K>>,
}

impl<K: Kmer> Loaded<K> {
    /// Counts of a k-mer that comes several times are added up.
    ///
    /// # Errors
    /// Those of the records, and a sum beyond 64 bits.
    pub(super) fn new(header: &Header, mut records: impl Source<K>) -> Result<Loaded<K>> {
        // Of KMC's files a forged one may say any number, but not of more k-mers than there can be. What cannot be had
        // at once is asked for as it comes.
        let most = 1u64.checked_shl(2 * header.k as u32).unwrap_or(u64::MAX);
        let distinct = header.distinct.unwrap_or(0).min(most);
        let mut table = Table::for_kmers(distinct).unwrap_or_else(Table::least);
        let mut all_canonical = true;
        let mut batch = Vec::new();
        loop {
            records.fill(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            table.make_room(batch.len());
            for &(kmer, _) in batch.iter().take(AHEAD) {
                table.ask(kmer);
            }
            for (number, &(kmer, count)) in batch.iter().enumerate() {
                if let Some(&(later, _)) = batch.get(number + AHEAD) {
                    table.ask(later);
                }
                if header.canonical.is_none() {
                    all_canonical &= kmer <= kmer.reverse_complement(header.k);
                }
                table.add(kmer, count).ok_or_else(|| {
                    let letters = kmer.to_letters(header.k);
                    let letters = String::from_utf8_lossy(&letters).into_owned();
                    Error::Mismatch(format!(
                        "the counts of {letters} add up to more than 2^64 - 1"
                    ))
                })?;
            }
        }
        Ok(Loaded {
            k: header.k,
            canonical: header.canonical.unwrap_or(all_canonical),
            table: Arc::new(table),
        })
    }

    /// What so many k-mers take.
    pub fn bytes_for(distinct: u64) -> u64 {
        Table::<K>::words_for(distinct).map_or(u64::MAX, |words| 8 * words as u64)
    }

    /// Whether a k-mer stands for both strands. Where the database does not say: whether none of its k-mers is
    /// greater than its reverse complement, which one in two is if strands are apart.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// What finds k-mers; as many as there are threads, of the same memory.
    pub fn lookup(&self) -> Lookup<K> {
        Lookup::loaded(self.k, self.clone())
    }

    /// The count of a k-mer, as it is stored.
    pub(super) fn get(&self, kmer: K) -> Option<u64> {
        self.table.get(kmer)
    }

    /// Calls `use_count` with each of `kmers`, as they are stored, and its count.
    pub(super) fn get_all(
        &self,
        mut kmers: impl Iterator<Item = K>,
        mut use_count: impl FnMut(K, Option<u64>),
    ) {
        let mut asked = [K::default(); AHEAD];
        loop {
            let mut number = 0;
            for (place, kmer) in asked.iter_mut().zip(&mut kmers) {
                self.table.ask(kmer);
                *place = kmer;
                number += 1;
            }
            if number == 0 {
                return;
            }
            for &kmer in &asked[..number] {
                use_count(kmer, self.table.get(kmer));
            }
        }
    }
}

impl<K> fmt::Debug for Loaded<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .field("distinct", &self.table.len)
            .finish()
    }
}

/// Buckets of k-mers and counts.
struct Table<K> {
    words: Slab,
    buckets: usize,
    /// k-mers in it, and how many there may be.
    len: usize,
    most: usize,
    /// Counts that do not fit 32 bits.
    large: HashMap<K, u64>,
    /// Of this process: nobody can make a file whose k-mers all belong to one bucket.
    seed: u64,
    kmers: PhantomData<K>,
}

impl<K: Kmer> Table<K> {
    const KMER_WORDS: usize = size_of::<K>() / 8;
    const BUCKET_WORDS: usize = PLACES * Self::KMER_WORDS + COUNT_WORDS;

    /// Words of a table for so many k-mers, in whole large pages.
    fn words_for(distinct: u64) -> Option<usize> {
        let buckets = (distinct as f64 / MOST_PER_BUCKET).ceil() + 1.0;
        let pages = (buckets * Self::BUCKET_WORDS as f64 * 8.0 / LARGE_PAGE as f64).ceil();
        // The conversion saturates.
        (pages as usize).checked_mul(LARGE_PAGE / 8)
    }

    /// One that has room for so many, if there is so much memory.
    fn for_kmers(distinct: u64) -> Option<Self> {
        let words = Self::words_for(distinct)?;
        Slab::of_large_pages(words).map(|slab| Self::new(slab, words))
    }

    /// One for the first k-mers, whatever memory there is.
    fn least() -> Self {
        let words = LARGE_PAGE / 8;
        Self::new(Slab::new(words), words)
    }

    fn new(slab: Slab, words: usize) -> Self {
        let buckets = words / Self::BUCKET_WORDS;
        Self {
            words: slab,
            buckets,
            len: 0,
            most: (buckets as f64 * MOST_PER_BUCKET) as usize,
            large: HashMap::new(),
            seed: RandomState::new().hash_one(0) | 1,
            kmers: PhantomData,
        }
    }

    /// Grows to twice its size, unless it takes `more` k-mers.
    fn make_room(&mut self, more: usize) {
        while self.len + more > self.most {
            let words = 2 * self.words.words().len();
            let mut larger = Self::new(Slab::new(words), words);
            for bucket in 0..self.buckets {
                let (kmers, counts) = self.bucket(bucket);
                let kmers = kmers.chunks_exact(Self::KMER_WORDS).map(Self::kmer_of);
                for (kmer, &count) in kmers.zip(counts).filter(|(_, count)| **count != NONE) {
                    *larger.place(kmer).1 = count;
                    larger.len += 1;
                }
            }
            larger.large = std::mem::take(&mut self.large);
            *self = larger;
        }
    }

    /// Adds to the count of a k-mer, for which there is room; `None` if the sum is beyond 64 bits.
    fn add(&mut self, kmer: K, count: u64) -> Option<()> {
        let (is_new, place) = self.place(kmer);
        let before = match *place {
            NONE | LARGE => 0,
            stored => u64::from(stored) - 1,
        };
        let sum = before.checked_add(count)?;
        let fits = *place != LARGE && sum < u64::from(LARGE) - 1;
        *place = if fits { sum as u32 + 1 } else { LARGE };
        self.len += usize::from(is_new);
        if !fits {
            let large = self.large.entry(kmer).or_default();
            *large = large.checked_add(sum)?;
        }
        Some(())
    }

    #[inline(always)]
    fn get(&self, kmer: K) -> Option<u64> {
        let words = kmer.to_words();
        let wanted = &words[..Self::KMER_WORDS];
        let mut number = self.first_bucket(kmer);
        loop {
            let (kmers, counts) = self.bucket(number);
            for (kmer, &count) in kmers.chunks_exact(Self::KMER_WORDS).zip(counts) {
                if count == NONE {
                    return None;
                }
                if kmer == wanted {
                    return match count {
                        LARGE => self.large_count(wanted),
                        count => Some(u64::from(count) - 1),
                    };
                }
            }
            number = self.next_bucket(number);
        }
    }

    #[cold]
    fn large_count(&self, words: &[u64]) -> Option<u64> {
        self.large.get(&Self::kmer_of(words)).copied()
    }

    /// Where the count of a k-mer stands; whether it is new. Then it takes a place of its own.
    #[inline(always)]
    fn place(&mut self, kmer: K) -> (bool, &mut u32) {
        let words = kmer.to_words();
        let wanted = &words[..Self::KMER_WORDS];
        let mut number = self.first_bucket(kmer);
        let (is_new, place) = 'found: loop {
            let (kmers, counts) = self.bucket(number);
            for (place, kmer) in kmers.chunks_exact(Self::KMER_WORDS).enumerate() {
                if counts[place] == NONE {
                    break 'found (true, place);
                }
                if kmer == wanted {
                    break 'found (false, place);
                }
            }
            number = self.next_bucket(number);
        };
        let start = number * Self::BUCKET_WORDS;
        let bucket = &mut self.words.words_mut()[start..][..Self::BUCKET_WORDS];
        let (kmers, counts) = bucket.split_at_mut(PLACES * Self::KMER_WORDS);
        if is_new {
            kmers[place * Self::KMER_WORDS..][..Self::KMER_WORDS].copy_from_slice(wanted);
        }
        let counts: &mut [u32] = bytemuck::cast_slice_mut(counts);
        (is_new, &mut counts[place])
    }

    /// The words of the k-mers of a bucket, and their counts.
    #[inline(always)]
    fn bucket(&self, number: usize) -> (&[u64], &[u32; PLACES]) {
        let start = number * Self::BUCKET_WORDS;
        let bucket = &self.words.words()[start..][..Self::BUCKET_WORDS];
        let (kmers, counts) = bucket.split_at(PLACES * Self::KMER_WORDS);
        let counts: &[u32] = bytemuck::cast_slice(counts);
        match counts.first_chunk() {
            Some(counts) => (kmers, counts),
            None => unreachable!("there are words for all counts"),
        }
    }

    /// Asks for the lines of the bucket where a k-mer is looked for first.
    #[inline(always)]
    fn ask(&self, kmer: K) {
        let start = self.first_bucket(kmer) * Self::BUCKET_WORDS;
        let bucket = &self.words.words()[start..][..Self::BUCKET_WORDS];
        bucket.chunks(8).for_each(prefetch);
    }

    #[inline(always)]
    fn first_bucket(&self, kmer: K) -> usize {
        let mixed = kmer.mix();
        let hash = (mixed ^ mixed >> 32).wrapping_mul(self.seed);
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }

    #[inline(always)]
    fn next_bucket(&self, number: usize) -> usize {
        match number + 1 {
            end if end == self.buckets => 0,
            next => next,
        }
    }

    fn kmer_of(words: &[u64]) -> K {
        let mut all = [0; 8];
        all[..words.len()].copy_from_slice(words);
        K::from_words(&all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kmer::Wide;

    /// By hand: buckets of 64 bytes with 3.75 k-mers of one word, of 344 bytes with those of eight.
    #[test]
    fn memory_is_that_of_buckets_of_three_k_mers_in_four_places() {
        let pages = |bytes: f64| (bytes / (2 << 20) as f64).ceil() as u64 * (2 << 20);
        let least = |distinct: u64, bucket: f64| pages(distinct as f64 / 3.75 * bucket);
        for distinct in [1_000_000, 7_000_000, 235_000_000] {
            let one = Loaded::<u64>::bytes_for(distinct);
            assert!((least(distinct, 64.0)..=least(distinct, 64.1)).contains(&one));
            let eight = Loaded::<Wide<8>>::bytes_for(distinct);
            assert!((least(distinct, 344.0)..=least(distinct, 344.1)).contains(&eight));
        }
        assert_eq!(Loaded::<u64>::bytes_for(u64::MAX), u64::MAX);
    }

    fn agrees<K: Kmer>(records: &[(u64, u64)], k: usize) {
        let spread = |number: u64| {
            let words = [number, number >> 1, number << 7, 3, number, 1, 2, number];
            K::from_words(&words).append(0, k)
        };
        let mut table = Table::<K>::least();
        let mut expected: HashMap<K, u64> = HashMap::new();
        for &(number, count) in records {
            let kmer = spread(number);
            let sum = expected.entry(kmer).or_default();
            let added = sum.checked_add(count);
            table.make_room(1);
            assert_eq!(table.add(kmer, count).is_some(), added.is_some());
            match added {
                Some(added) => *sum = added,
                None => return,
            }
        }
        assert_eq!(table.len, expected.len());
        for number in 0..200 {
            let kmer = spread(number);
            assert_eq!(table.get(kmer), expected.get(&kmer).copied());
        }
        for (&kmer, &count) in &expected {
            assert_eq!(table.get(kmer), Some(count));
        }
    }

    proptest! {
        #[test]
        fn all_counts_are_found(
            records in prop::collection::vec(
                (0..150u64, prop_oneof![
                    0..5u64,
                    u64::from(u32::MAX) - 3..u64::from(u32::MAX) + 3,
                    Just(u64::MAX / 3),
                ]),
                0..300,
            ),
        ) {
            agrees::<u64>(&records, 31);
            agrees::<u128>(&records, 61);
            agrees::<Wide<4>>(&records, 100);
            agrees::<Wide<8>>(&records, 255);
        }
    }

    /// More than the first pages hold.
    #[test]
    fn it_grows() {
        let records: Vec<(u64, u64)> = (0..400_000).map(|number| (number, number)).collect();
        agrees::<u64>(&records, 31);
        agrees::<Wide<4>>(&records, 128);
    }
}
