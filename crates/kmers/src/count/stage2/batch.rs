//! k-mers on their way into the table, so that its cache lines can be asked for in advance.

use super::{
    fold::MAX_KMERS,
    table::{BUCKET, Buckets, Table},
};
use crate::kmer::Kmer;
use thalweg_superkmers::prefetch::prefetch;

/// Some k-mers with their weights.
pub(in crate::count) struct Batch<K> {
    keys: [K; ROOM],
    weights: [u32; ROOM],
    len: usize,
}

/// More than this many are inserted before others are appended. Twice what is asked for in
/// advance would do; more only spares calls.
const FULL: usize = 256;

/// Those of a record more, in whole vectors of up to 8.
const ROOM: usize = FULL + MAX_KMERS;

/// k-mers between asking for a bucket and looking at it: misses that are under way together.
const AHEAD: usize = 16;

impl<K: Kmer> Batch<K> {
    pub(super) fn new() -> Self {
        Self {
            keys: [K::default(); ROOM],
            weights: [0; ROOM],
            len: 0,
        }
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len > FULL
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Where the next k-mers go, for those of any record.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [K] {
        &mut self.keys[self.len..]
    }

    /// Appends `kmers` k-mers that lie in the room already, all of one weight.
    #[inline(always)]
    pub(super) fn push(&mut self, kmers: usize, weight: u32) {
        self.weights[self.len..][..kmers].fill(weight);
        self.len += kmers;
    }

    /// Appends as many k-mers as there are weights, that lie in the room already.
    #[inline(always)]
    pub(super) fn push_all(&mut self, weights: &[u32]) {
        self.weights[self.len..][..weights.len()].copy_from_slice(weights);
        self.len += weights.len();
    }

    /// Adds all to the table. `compare` tells with one bit each which places of a bucket hold the key, and which hold
    /// nothing: as buckets fill from the left, the first one of either is the right one.
    #[inline(always)]
    pub(in crate::count) fn insert(
        &self,
        table: &mut Table<K>,
        compare: impl Fn(&[K; BUCKET], K) -> (u32, u32),
    ) {
        let keys = &self.keys[..self.len];
        let weights = &self.weights[..self.len];
        if !table.make_room(keys.len()) {
            // The table takes only part of the k-mers: the plain way.
            for (&key, &weight) in keys.iter().zip(weights) {
                table.add(key, weight);
            }
            return;
        }
        let mut buckets = table.buckets();
        for &key in &keys[..keys.len().min(AHEAD)] {
            ask(&buckets, key);
        }
        for (i, (&key, &weight)) in keys.iter().zip(weights).enumerate() {
            if let Some(&later) = keys.get(i + AHEAD) {
                ask(&buckets, later);
            }
            let bucket = buckets.bucket(key);
            let (equal, empty) = compare(&buckets.at(bucket).0.0, key);
            let places = equal | empty;
            // The key of an empty place is the plain code's business, and so is a full bucket.
            if places == 0 || key == K::ONES {
                buckets.add(key, weight);
            } else {
                // Below 8; the mask tells the compiler.
                let place = places.trailing_zeros() & 7;
                let is_new = equal >> place & 1 == 0;
                buckets.add_at(bucket, place as usize, is_new, key, weight);
            }
        }
    }
}

/// Asks for the cache lines of a key's bucket.
#[inline(always)]
fn ask<K: Kmer>(buckets: &Buckets<K>, key: K) {
    let (keys, counts) = buckets.at(buckets.bucket(key));
    for line in keys.0.chunks(const { 64usize.div_ceil(size_of::<K>()) }) {
        prefetch(line);
    }
    prefetch(counts);
}
