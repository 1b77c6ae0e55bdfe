//! The table: buckets of k-mers and counts, in regions that are filled by themselves.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

use crate::kmer::Kmer;
use thalweg_superkmers::prefetch::prefetch;
use thalweg_superkmers::slab::{LARGE_PAGE, Slab};

/// Places of a bucket: with 32 bits for each count, as many one-word k-mers as a cache line holds.
const PLACES: usize = 5;

/// Words of their counts, of which a word holds two.
const COUNT_WORDS: usize = PLACES.div_ceil(2);

/// Buckets that hold so many k-mers on average are as full as they may be.
const MOST_PER_BUCKET: f64 = 0.75 * PLACES as f64;

/// In the place of a count: there is no k-mer. Other counts are one more than what they stand for.
const NONE: u32 = 0;

/// In the place of a count: it is too large, and stands apart.
const LARGE: u32 = u32::MAX;

/// k-mers and their counts.
pub(in crate::database) struct Table<K> {
    words: Slab,
    layout: Layout<K>,
    /// The buckets of each region.
    spans: Vec<Span>,
    /// What there is of each region besides its buckets.
    sides: Vec<Side<K>>,
}

/// Where k-mers belong.
#[derive(Clone, Copy)]
pub(super) struct Layout<K> {
    /// Regions that the hash chooses among; 1 where something else does.
    regions: usize,
    /// Of this process: nobody can make a file whose k-mers all belong to one bucket.
    secret: [u64; 2],
    kmers: PhantomData<K>,
}

/// Some buckets: behind the last one comes the first.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    buckets: usize,
}

impl Span {
    /// The bucket for the rest of a hash.
    #[inline(always)]
    fn bucket(self, rest: u64) -> usize {
        self.first + ((u128::from(rest) * self.buckets as u128) >> 64) as usize
    }

    #[inline(always)]
    fn next(self, bucket: usize) -> usize {
        match bucket + 1 - self.first {
            number if number == self.buckets => self.first,
            _ => bucket + 1,
        }
    }
}

/// A k-mer and where it is looked for.
#[derive(Clone, Copy, Default)]
pub(in crate::database) struct Wanted<K> {
    pub(super) kmer: K,
    region: usize,
    bucket: usize,
}

/// What there is of a region besides its buckets.
struct Side<K> {
    /// k-mers in it.
    len: usize,
    /// Counts that do not fit 32 bits.
    large: HashMap<K, u64>,
}

/// A region, which one thread at a time fills.
pub(super) struct Region<'a, K> {
    layout: Layout<K>,
    /// Its buckets, counted from its first one.
    span: Span,
    words: &'a mut [u64],
    side: &'a mut Side<K>,
}

impl<K: Kmer> Layout<K> {
    const KMER_WORDS: usize = size_of::<K>() / 8;
    const BUCKET_WORDS: usize = PLACES * Self::KMER_WORDS + COUNT_WORDS;

    /// The region that the hash of a k-mer chooses, and what the hash has besides, which chooses the bucket there.
    ///
    /// Both halves of a product with numbers that nobody knows, added without carry, word by word.
    #[inline(always)]
    fn hash(self, kmer: K) -> (usize, u64) {
        let words = kmer.to_words();
        let [seed, factor] = self.secret;
        let hash = words[..Self::KMER_WORDS].iter().fold(seed, |hash, word| {
            let product = u128::from(hash ^ word) * u128::from(factor);
            product as u64 ^ (product >> 64) as u64
        });
        let product = u128::from(hash) * self.regions as u128;
        ((product >> 64) as usize, product as u64)
    }

    /// The region that the hash of a k-mer chooses.
    #[inline(always)]
    pub(super) fn region_of(self, kmer: K) -> usize {
        self.hash(kmer).0
    }

    fn kmer_of(words: &[u64]) -> K {
        let mut all = [0; 8];
        all[..words.len()].copy_from_slice(words);
        K::from_words(&all)
    }
}

impl<K: Kmer> Table<K> {
    /// Words of a table for so many k-mers, in whole large pages.
    pub(super) fn words_for(distinct: u64) -> Option<usize> {
        Self::words_of(Self::buckets_for(distinct))
    }

    fn buckets_for(distinct: u64) -> f64 {
        (distinct as f64 / MOST_PER_BUCKET).ceil() + 1.0
    }

    fn words_of(buckets: f64) -> Option<usize> {
        let bytes = buckets * Layout::<K>::BUCKET_WORDS as f64 * 8.0;
        let pages = (bytes / LARGE_PAGE as f64).ceil();
        // The conversion saturates.
        (pages as usize).checked_mul(LARGE_PAGE / 8)
    }

    /// One that has room for so many, if there is so much memory, in so many regions that the hash chooses among.
    pub(super) fn for_kmers(distinct: u64, regions: usize) -> Option<Self> {
        let words = Self::words_for(distinct)?;
        Slab::of_large_pages(words).map(|slab| Self::by_hash(slab, words, regions))
    }

    /// One with a region for each of these numbers of k-mers, whatever it is that chooses among them.
    pub(super) fn for_parts(distinct: impl Iterator<Item = u64> + Clone) -> Option<Self> {
        let buckets = distinct.clone().map(Self::buckets_for).sum();
        let slab = Slab::of_large_pages(Self::words_of(buckets)?)?;
        let buckets = distinct.map(|distinct| Self::buckets_for(distinct) as usize);
        Some(Self::new(slab, 1, buckets))
    }

    /// One for the first k-mers, whatever memory there is.
    pub(super) fn least() -> Self {
        let words = LARGE_PAGE / 8;
        Self::by_hash(Slab::new(words), words, 1)
    }

    fn by_hash(slab: Slab, words: usize, regions: usize) -> Self {
        let buckets = words / Layout::<K>::BUCKET_WORDS / regions;
        Self::new(slab, regions, std::iter::repeat_n(buckets, regions))
    }

    fn new(slab: Slab, regions: usize, buckets: impl Iterator<Item = usize>) -> Self {
        let mut first = 0;
        let span = |buckets| {
            let before = first;
            first += buckets;
            Span {
                first: before,
                buckets,
            }
        };
        let spans: Vec<Span> = buckets.map(span).collect();
        let side = |_| Side {
            len: 0,
            large: HashMap::new(),
        };
        Self {
            words: slab,
            layout: Layout {
                regions,
                secret: [0, 1].map(|number| RandomState::new().hash_one(number) | 1),
                kmers: PhantomData,
            },
            sides: spans.iter().map(side).collect(),
            spans,
        }
    }

    /// k-mers in it.
    pub(in crate::database) fn len(&self) -> usize {
        self.sides.iter().map(|side| side.len).sum()
    }

    /// What tells which region the hash of a k-mer chooses.
    pub(super) fn layout(&self) -> Layout<K> {
        self.layout
    }

    /// All regions, to be filled.
    pub(super) fn regions(&mut self) -> impl Iterator<Item = Region<'_, K>> {
        let layout = self.layout;
        let mut rest = self.words.words_mut();
        let spans = self.spans.iter().zip(&mut self.sides);
        spans.map(move |(&span, side)| {
            let all = std::mem::take(&mut rest);
            let (words, behind) = all.split_at_mut(span.buckets * Layout::<K>::BUCKET_WORDS);
            rest = behind;
            Region {
                layout,
                span: Span { first: 0, ..span },
                words,
                side,
            }
        })
    }

    /// Where a k-mer is looked for that belongs to the region which its hash chooses.
    #[inline(always)]
    pub(in crate::database) fn wanted(&self, kmer: K) -> Wanted<K> {
        let (region, rest) = self.layout.hash(kmer);
        Wanted {
            kmer,
            region,
            bucket: self.spans[region].bucket(rest),
        }
    }

    /// Where a k-mer is looked for that belongs to this region.
    #[inline(always)]
    pub(in crate::database) fn wanted_in(&self, region: usize, kmer: K) -> Wanted<K> {
        let (_, rest) = self.layout.hash(kmer);
        Wanted {
            kmer,
            region,
            bucket: self.spans[region].bucket(rest),
        }
    }

    /// Grows to twice its size, and one region, unless it takes `more` k-mers; `None` if there is no memory for that.
    pub(super) fn make_room(&mut self, more: usize) -> Option<()> {
        let buckets = |table: &Self| table.spans.iter().map(|span| span.buckets).sum::<usize>();
        while self.len() + more > (buckets(self) as f64 * MOST_PER_BUCKET) as usize {
            let words = 2 * self.words.words().len();
            let mut larger = Self::by_hash(Slab::of_large_pages(words)?, words, 1);
            for mut region in larger.regions() {
                for bucket in 0..buckets(self) {
                    let (kmers, counts) = self.bucket(bucket);
                    let kmers = kmers.chunks_exact(Layout::<K>::KMER_WORDS);
                    let kmers = kmers.map(Layout::<K>::kmer_of).zip(counts);
                    for (kmer, &count) in kmers.filter(|(_, count)| **count != NONE) {
                        *region.place(kmer).1 = count;
                        region.side.len += 1;
                    }
                }
                let large = self.sides.drain(..).flat_map(|side| side.large);
                region.side.large.extend(large);
            }
            *self = larger;
        }
        Some(())
    }

    #[inline(always)]
    pub(in crate::database) fn get(&self, place: Wanted<K>) -> Option<u64> {
        let words = place.kmer.to_words();
        let wanted = &words[..Layout::<K>::KMER_WORDS];
        let mut number = place.bucket;
        loop {
            let (kmers, counts) = self.bucket(number);
            for (other, &count) in kmers.chunks_exact(wanted.len()).zip(counts) {
                if count == NONE {
                    return None;
                }
                if other == wanted {
                    return match count {
                        LARGE => self.large_count(place),
                        count => Some(u64::from(count) - 1),
                    };
                }
            }
            number = self.spans[place.region].next(number);
        }
    }

    #[cold]
    fn large_count(&self, place: Wanted<K>) -> Option<u64> {
        self.sides[place.region].large.get(&place.kmer).copied()
    }

    /// Asks for the lines of the bucket where a k-mer is looked for first.
    #[inline(always)]
    pub(in crate::database) fn ask(&self, place: Wanted<K>) {
        ask::<K>(self.words.words(), place.bucket);
    }

    fn bucket(&self, number: usize) -> (&[u64], &[u32; PLACES]) {
        bucket::<K>(self.words.words(), number)
    }

    /// Number of buckets.
    pub(in crate::database) fn buckets(&self) -> usize {
        self.spans.iter().map(|span| span.buckets).sum()
    }

    /// Appends the k-mers of some buckets whose counts are within limits, and all whose counts stand apart.
    pub(in crate::database) fn list(
        &self,
        buckets: Range<usize>,
        limits: &RangeInclusive<u64>,
        list: &mut Vec<K>,
    ) {
        for number in buckets {
            let (kmers, counts) = self.bucket(number);
            let kmers = kmers.chunks_exact(Layout::<K>::KMER_WORDS);
            for (words, &count) in kmers.zip(counts) {
                match count {
                    NONE => break,
                    LARGE => list.push(Layout::kmer_of(words)),
                    count if limits.contains(&(u64::from(count) - 1)) => {
                        list.push(Layout::kmer_of(words));
                    }
                    _ => {}
                }
            }
        }
    }
}

impl<K: Kmer> Region<'_, K> {
    /// Asks for the lines of the bucket where a k-mer is looked for first.
    #[inline(always)]
    pub(super) fn ask(&self, kmer: K) {
        ask::<K>(self.words, self.first_bucket(kmer));
    }

    #[inline(always)]
    fn first_bucket(&self, kmer: K) -> usize {
        let (_, rest) = self.layout.hash(kmer);
        self.span.bucket(rest)
    }

    /// Whether there is room for so many more k-mers: it may be somewhat fuller than all together, but not full, or no
    /// search would end.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.side.len + more < self.span.buckets * (PLACES - 1)
    }

    /// Adds to the count of a k-mer, for which there is room; `None` if the sum is beyond 64 bits.
    #[inline]
    pub(super) fn add(&mut self, kmer: K, count: u64) -> Option<()> {
        let (is_new, place) = self.place(kmer);
        let before = match *place {
            NONE | LARGE => 0,
            stored => u64::from(stored) - 1,
        };
        let sum = before.checked_add(count)?;
        let fits = *place != LARGE && sum < u64::from(LARGE) - 1;
        *place = if fits { sum as u32 + 1 } else { LARGE };
        self.side.len += usize::from(is_new);
        if !fits {
            let large = self.side.large.entry(kmer).or_default();
            *large = large.checked_add(sum)?;
        }
        Some(())
    }

    /// Where the count of a k-mer stands; whether it is new. Then it takes a place of its own.
    #[inline(always)]
    fn place(&mut self, kmer: K) -> (bool, &mut u32) {
        let words = kmer.to_words();
        let wanted = &words[..Layout::<K>::KMER_WORDS];
        let mut number = self.first_bucket(kmer);
        let (is_new, place) = 'found: loop {
            let (kmers, counts) = bucket::<K>(self.words, number);
            for (place, other) in kmers.chunks_exact(wanted.len()).enumerate() {
                if counts[place] == NONE {
                    break 'found (true, place);
                }
                if other == wanted {
                    break 'found (false, place);
                }
            }
            number = self.span.next(number);
        };
        let start = number * Layout::<K>::BUCKET_WORDS;
        let bucket = &mut self.words[start..][..Layout::<K>::BUCKET_WORDS];
        let (kmers, counts) = bucket.split_at_mut(PLACES * wanted.len());
        if is_new {
            kmers[place * wanted.len()..][..wanted.len()].copy_from_slice(wanted);
        }
        let counts: &mut [u32] = bytemuck::cast_slice_mut(counts);
        (is_new, &mut counts[place])
    }
}

/// The words of the k-mers of a bucket, and their counts.
#[inline(always)]
fn bucket<K: Kmer>(words: &[u64], number: usize) -> (&[u64], &[u32; PLACES]) {
    let start = number * Layout::<K>::BUCKET_WORDS;
    let bucket = &words[start..][..Layout::<K>::BUCKET_WORDS];
    let (kmers, counts) = bucket.split_at(PLACES * Layout::<K>::KMER_WORDS);
    let counts: &[u32] = bytemuck::cast_slice(counts);
    match counts.first_chunk() {
        Some(counts) => (kmers, counts),
        None => unreachable!("there are words for all counts"),
    }
}

/// Asks for all lines of a bucket, which begins anywhere in one if it is not as long as one.
#[inline(always)]
fn ask<K: Kmer>(words: &[u64], number: usize) {
    let start = number * Layout::<K>::BUCKET_WORDS;
    let bucket = &words[start..][..Layout::<K>::BUCKET_WORDS];
    bucket.chunks(8).for_each(prefetch);
    if Layout::<K>::BUCKET_WORDS > 8 {
        prefetch(&bucket[Layout::<K>::BUCKET_WORDS - 1..]);
    }
}
