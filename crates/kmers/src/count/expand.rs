//! From merged records to their k-mers, in the table or in bins: the loops around what each set of instructions does its own way.
//!
//! ```text
//! into the table: fold the records; for each that is left                                        (fold, batch, table)
//!                   cut its k-mers into the batch, each with its weight; a full batch is inserted
//! into bins:      for each record: cut its k-mers into the bins, its weight below each, as often as it takes;   (bins)
//!                   if that is too often, into the batch and the table
//! ```
//!
//! `cut` puts the k-mers of a record to the beginning of a slice, which is long enough for whole vectors, and tells how many
//! they are; `insert` adds a batch to the table.

use super::{
    batch::Batch,
    bins::{Bins, Key, MAX_COPIES},
    fold::Folder,
    merge::Merger,
    record::{self, Record},
    table::Table,
};
use crate::kmer::Kmer;

/// Adds the k-mers of all records to the table and empties the merger.
#[inline(always)]
pub(super) fn into_table<K: Kmer, const N: usize>(
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    table: &mut Table<K>,
    cut: impl Fn(&Record<N>, &mut [K]) -> usize,
    insert: impl Fn(&mut Table<K>, &Batch<K>),
) {
    let mut batch = Batch::new();
    folder.drain(merger, |record, weights| {
        let kmers = cut(record, room(&mut batch, table, &insert));
        debug_assert_eq!(kmers, weights.len());
        batch.push_all(weights);
    });
    insert(table, &batch);
}

/// Adds the k-mers of all records to the bins, in which there is room for them, or if they are heavy to the table, and
/// empties the merger.
///
/// `cut_with` is given the weight, which it puts below each k-mer.
#[inline(always)]
pub(super) fn into_bins<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    cut_with: impl Fn(&Record<N>, u32, &mut [T]) -> usize,
    cut: impl Fn(&Record<N>, &mut [T]) -> usize,
    insert: impl Fn(&mut Table<T>, &Batch<T>),
) {
    let heaviest = bins.heaviest();
    let mut batch = Batch::new();
    merger.drain(|record, weight| {
        if weight > heaviest * MAX_COPIES {
            let kmers = cut(record, room(&mut batch, table, &insert));
            batch.push(kmers, weight);
            return;
        }
        let mut left = weight;
        while left > 0 {
            let weight = left.min(heaviest);
            let kmers = cut_with(record, weight, bins.room());
            bins.push(kmers);
            left -= weight;
        }
    });
    insert(table, &batch);
}

#[inline(always)]
pub(super) fn into_bins_folded<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    cut_with: impl Fn(&Record<N>, &[u32], &mut [T]) -> usize,
    cut: impl Fn(&Record<N>, &mut [T]) -> usize,
    insert: impl Fn(&mut Table<T>, &Batch<T>),
) {
    let heaviest = bins.heaviest();
    let mut batch = Batch::new();
    let mut kmers_of = [T::default(); super::fold::MAX_KMERS];
    folder.drain_light(
        merger,
        heaviest * MAX_COPIES,
        |record, weight| {
            let kmers = cut(record, room(&mut batch, table, &insert));
            batch.push(kmers, weight);
        },
        |record, weights| {
            if weights.iter().max() <= Some(&heaviest) {
                let kmers = cut_with(record, weights, bins.room());
                bins.push(kmers);
                return;
            }
            let kmers = cut(record, &mut kmers_of);
            for (&kmer, &weight) in kmers_of[..kmers].iter().zip(weights) {
                let mut left = weight;
                while left > 0 {
                    let weight = left.min(heaviest);
                    bins.push_one(kmer, weight);
                    left -= weight;
                }
            }
        },
    );
    insert(table, &batch);
}

/// Where the k-mers of a record go: the batch is inserted first if it is full.
#[inline(always)]
fn room<'a, K: Kmer>(
    batch: &'a mut Batch<K>,
    table: &mut Table<K>,
    insert: impl Fn(&mut Table<K>, &Batch<K>),
) -> &'a mut [K] {
    if batch.is_full() {
        insert(table, batch);
        batch.clear();
    }
    batch.room()
}

/// [`into_table`] for k-mers of any width on any processor.
#[inline(always)]
pub(super) fn into_table_plainly<K: Kmer, const N: usize>(
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    table: &mut Table<K>,
    k: usize,
    canonical: bool,
) {
    let cut = |record: &_, room: &mut [K]| cut_plainly(record, k, canonical, room, |kmer| kmer);
    into_table(merger, folder, table, cut, insert_plainly);
}

/// [`into_bins`] for k-mers of any width on any processor.
#[inline(always)]
pub(super) fn into_bins_plainly<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    _folder: &mut Folder<N>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    k: usize,
    canonical: bool,
) {
    let bits = bins.weight_bits();
    let cut_with = |record: &_, weight, room: &mut [T]| {
        cut_plainly(record, k, canonical, room, |kmer: T| {
            kmer.with_weight(weight, bits)
        })
    };
    let cut = |record: &_, room: &mut [T]| cut_plainly(record, k, canonical, room, |kmer| kmer);
    into_bins(merger, bins, table, cut_with, cut, insert_plainly);
}

#[inline(always)]
fn cut_plainly<K: Kmer, const N: usize>(
    record: &Record<N>,
    k: usize,
    canonical: bool,
    room: &mut [K],
    key: impl Fn(K) -> K,
) -> usize {
    let mut kmers = 0;
    record::for_each_kmer(record, k, canonical, |kmer| {
        room[kmers] = key(kmer);
        kmers += 1;
    });
    kmers
}

#[inline(always)]
fn insert_plainly<K: Kmer>(table: &mut Table<K>, batch: &Batch<K>) {
    batch.insert(table, |keys, key| {
        let place = (keys.iter()).position(|&found| found == key || found == K::ONES);
        match place {
            Some(place) if keys[place] == key => (1 << place, 0),
            Some(place) => (0, 1 << place),
            None => (0, 0),
        }
    });
}
