//! From merged records to their k-mers, in the table or in bins: the loops around what each set of instructions does its own way.
//!
//! ```text
//! into the table: fold the records; for each that is left                                        (fold, batch, table)
//!                   cut its k-mers into the batch, each with its weight; a full batch is inserted
//! into bins:      fold the records, if asked to;
//!                   for each that is left: cut its k-mers into the bins, its weight below each, as often as it takes; (bins)
//!                   if that is too often, into the batch and the table
//! ```
//!
//! `cut` puts the k-mers of a record to the beginning of a slice, which is long enough for whole vectors, and tells how many
//! they are; `insert` adds a batch to the table.

use super::{
    batch::Batch,
    bins::{Bins, Key, MAX_COPIES},
    fold::{Folder, MAX_KMERS, Weights},
    merge::Merger,
    table::Table,
};
use crate::kmer::Kmer;
use thalweg_superkmers::record::{self, Record};

/// Adds the k-mers of all records to the table and empties the merger.
#[inline(always)]
pub(in crate::count) fn into_table<K: Kmer, const N: usize>(
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    table: &mut Table<K>,
    cut: impl Fn(&Record<N>, &mut [K]) -> usize,
    insert: impl Fn(&mut Table<K>, &Batch<K>),
) {
    let mut batch = Batch::new();
    folder.drain(merger, u32::MAX, |record, weights| {
        let kmers = cut(record, room(&mut batch, table, &insert));
        match weights {
            Weights::Alike(weight) => batch.push(kmers, weight),
            Weights::Each { weights, .. } => batch.push_all(&weights[..kmers]),
        }
    });
    insert(table, &batch);
}

/// Adds the k-mers of all records to the bins, which grow where they must, or if they are heavy to the table, and
/// empties the merger. With a folder, records are folded before.
///
/// `cut_with` is given the weights, of which it puts each below its k-mer.
#[inline(always)]
pub(in crate::count) fn into_bins<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    folder: Option<&mut Folder<N>>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    cut_with: impl Fn(&Record<N>, Weights, &mut [T]) -> usize,
    cut: impl Fn(&Record<N>, &mut [T]) -> usize,
    insert: impl Fn(&mut Table<T>, &Batch<T>),
) {
    let heaviest = bins.heaviest();
    let most = heaviest * MAX_COPIES;
    let mut batch = Batch::new();
    // Most are light: what is done with the others is not in the loops.
    let mut add_heavy = |bins: &mut Bins<T>, record: &_, weights: Weights| match weights {
        Weights::Alike(weight) if weight > most => {
            let kmers = cut(record, room(&mut batch, table, &insert));
            batch.push(kmers, weight);
        }
        Weights::Alike(mut left) => {
            while left > 0 {
                let weight = left.min(heaviest);
                let kmers = cut_with(record, Weights::Alike(weight), bins.room());
                bins.push(kmers);
                left -= weight;
            }
        }
        Weights::Each { weights, .. } => {
            let mut kmers = [T::default(); MAX_KMERS];
            let len = cut(record, &mut kmers);
            for (&kmer, &weight) in kmers[..len].iter().zip(weights) {
                bins.push_split(kmer, weight);
            }
        }
    };
    match folder {
        Some(folder) => folder.drain(merger, most, |record, weights| {
            if weights.most() > heaviest {
                return add_heavy(bins, record, weights);
            }
            let kmers = cut_with(record, weights, bins.room());
            bins.push(kmers);
        }),
        None => merger.drain(|record, weight| {
            let weights = Weights::Alike(weight);
            if weight > heaviest {
                return add_heavy(bins, record, weights);
            }
            let kmers = cut_with(record, weights, bins.room());
            bins.push(kmers);
        }),
    }
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
pub(in crate::count) fn into_table_plainly<K: Kmer, const N: usize>(
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    table: &mut Table<K>,
    k: usize,
    canonical: bool,
) {
    let cut = |record: &_, room: &mut [K]| cut_plainly(record, k, canonical, room, |_, kmer| kmer);
    into_table(merger, folder, table, cut, insert_plainly);
}

/// [`into_bins`] for k-mers of any width on any processor.
#[inline(always)]
pub(in crate::count) fn into_bins_plainly<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    folder: Option<&mut Folder<N>>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    k: usize,
    canonical: bool,
) {
    let bits = bins.weight_bits();
    let cut_with = |record: &_, weights: Weights, room: &mut [T]| {
        cut_plainly(record, k, canonical, room, |i, kmer: T| {
            kmer.with_weight(weights.of(i), bits)
        })
    };
    let cut = |record: &_, room: &mut [T]| cut_plainly(record, k, canonical, room, |_, kmer| kmer);
    into_bins(merger, folder, bins, table, cut_with, cut, insert_plainly);
}

#[inline(always)]
fn cut_plainly<K: Kmer, const N: usize>(
    record: &Record<N>,
    k: usize,
    canonical: bool,
    room: &mut [K],
    key: impl Fn(usize, K) -> K,
) -> usize {
    let mut kmers = 0;
    record::for_each_kmer(record, k, canonical, |kmer| {
        room[kmers] = key(kmers, kmer);
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
