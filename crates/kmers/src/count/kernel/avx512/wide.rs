//! k-mers of two words, eight at a time: the lower words in one vector, the upper ones in another.

use super::{kernel, load, reverse_pairs, store_u128, weights_of};
use crate::count::stage2::{
    batch::Batch,
    bins::Bins,
    expand,
    fold::{Folder, Weights},
    merge::Merger,
    table::Table,
};
use crate::kmer::Kmer;
use std::arch::x86_64::*;
use thalweg_superkmers::record::{self, Record};

kernel! {
    /// As [`Kernel::expand`](crate::count::kernel::Counting::expand), for k from 33 to 64.
    pub(in crate::count) fn expand<const N: usize>(
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<u128>,
        k: usize,
        canonical: bool,
    ) {
        let kmers = Kmers::new(k, canonical);
        expand::into_table(
            merger,
            folder,
            table,
            |record, room| kmers.of(record, |done, kmers| write(&mut room[done..], kmers)),
            |table, batch| insert(table, batch),
        );
    }
}

kernel! {
    /// As [`expand::into_bins_plainly`]; fast for k from 33 on.
    pub(in crate::count) fn expand_into_bins<const N: usize>(
        merger: &mut Merger<N>,
        folder: Option<&mut Folder<N>>,
        bins: &mut Bins<u128>,
        table: &mut Table<u128>,
        k: usize,
        canonical: bool,
    ) {
        if k <= u64::MAX_K {
            return expand::into_bins_plainly(merger, folder, bins, table, k, canonical);
        }
        let kmers = Kmers::new(k, canonical);
        let shift = _mm512_set1_epi64(i64::from(bins.weight_bits()));
        let one = _mm512_set1_epi64(1);
        let put = |room: &mut [u128], kmers: Words, weights| {
            let low = _mm512_or_si512(_mm512_sllv_epi64(kmers.low, shift), _mm512_sub_epi64(weights, one));
            let high = _mm512_shldv_epi64(kmers.high, kmers.low, shift);
            write(room, Words { low, high });
        };
        expand::into_bins(
            merger,
            folder,
            bins,
            table,
            |record, weights, room| match weights {
                Weights::Alike(weight) => {
                    let weight = _mm512_set1_epi64(i64::from(weight));
                    kmers.of(record, |done, kmers| put(&mut room[done..], kmers, weight))
                }
                Weights::Each { weights, .. } => {
                    kmers.of(record, |done, kmers| put(&mut room[done..], kmers, weights_of(&weights[done..])))
                }
            },
            |record, room| kmers.of(record, |done, kmers| write(&mut room[done..], kmers)),
            |table, batch| insert(table, batch),
        );
    }
}

/// Eight numbers of two words.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) low: __m512i,
    pub(super) high: __m512i,
}

impl Words {
    kernel! {
        /// From where they lie one behind the other.
        #[inline]
        pub(super) fn of(numbers: &[u128; 8]) -> Self {
            let [first, last] = halves(numbers);
            let (first, last) = (load(first), load(last));
            let low = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let high = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            Self {
                low: _mm512_permutex2var_epi64(first, low, last),
                high: _mm512_permutex2var_epi64(first, high, last),
            }
        }
    }

    kernel! {
        /// The word of each that begins at this bit, less than 128.
        #[inline]
        pub(super) fn words_at(self, bit: u32) -> __m512i {
            match bit {
                ..64 => _mm512_shrdv_epi64(self.low, self.high, _mm512_set1_epi64(i64::from(bit))),
                _ => _mm512_srl_epi64(self.high, _mm_cvtsi32_si128(bit as i32 - 64)),
            }
        }
    }
}

/// The first four and the last four.
#[inline(always)]
fn halves(numbers: &[u128; 8]) -> [&[u128; 4]; 2] {
    let (halves, _) = numbers.as_chunks();
    [&halves[0], &halves[1]]
}

kernel! {
    #[inline]
    fn write(room: &mut [u128], Words { low, high }: Words) {
        if let Some(room) = room.first_chunk_mut::<8>()
            && let [first, last] = room.as_chunks_mut().0
        {
            store_u128(first, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high));
            store_u128(last, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), high));
        }
    }
}

/// What all records' k-mers are cut with.
#[derive(Clone, Copy)]
struct Kmers {
    k: usize,
    canonical: bool,
    unused: __m512i,
    high_mask: __m512i,
}

impl Kmers {
    kernel! {
        #[inline]
        fn new(k: usize, canonical: bool) -> Self {
            let unused = 128 - 2 * k as i64;
            Self {
                k,
                canonical,
                unused: _mm512_set1_epi64(unused),
                high_mask: _mm512_set1_epi64((u64::MAX >> unused) as i64),
            }
        }
    }

    kernel! {
        /// Hands the k-mers of a record, eight at a time, to `each`, with how many came before; the last vectors may
        /// hold others behind them. Returns their number.
        #[inline]
        fn of<const N: usize>(self, record: &Record<N>, mut each: impl FnMut(usize, Words)) -> usize {
            let kmers = (record::len(record) + 1).saturating_sub(self.k);
            let word = |i: usize| _mm512_set1_epi64(record.get(i).copied().unwrap_or(0) as i64);
            let mut done = 0;
            while done < kmers {
                // Those of 32 bases begin in the same word.
                let (first, end) = (done / 32, kmers.min(done + 32));
                let (first, second, third) = (word(first), word(first + 1), word(first + 2));
                let mut shifts = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
                while done < end {
                    let low = _mm512_shrdv_epi64(first, second, shifts);
                    let high = _mm512_shrdv_epi64(second, third, shifts);
                    each(done, self.kmers(Words { low, high }));
                    done += 8;
                    shifts = _mm512_add_epi64(shifts, _mm512_set1_epi64(16));
                }
            }
            kmers
        }
    }

    kernel! {
        /// Of windows of 64 bases, the first base lowest, as a record has them.
        #[inline]
        fn kmers(self, window: Words) -> Words {
            let (low, high) = (reverse_pairs(window.high), reverse_pairs(window.low));
            let forward = Words {
                low: _mm512_shrdv_epi64(low, high, self.unused),
                high: _mm512_srlv_epi64(high, self.unused),
            };
            if !self.canonical {
                return forward;
            }
            let backward = Words {
                low: _mm512_xor_si512(window.low, _mm512_set1_epi64(-1)),
                high: _mm512_andnot_si512(window.high, self.high_mask),
            };
            let equal = _mm512_cmpeq_epu64_mask(backward.high, forward.high);
            let is_less = _mm512_cmplt_epu64_mask(backward.high, forward.high)
                | _mm512_mask_cmplt_epu64_mask(equal, backward.low, forward.low);
            Words {
                low: _mm512_mask_mov_epi64(forward.low, is_less, backward.low),
                high: _mm512_min_epu64(forward.high, backward.high),
            }
        }
    }
}

kernel! {
    #[inline(never)]
    fn insert(table: &mut Table<u128>, batch: &Batch<u128>) {
        batch.insert(table, |keys, key| {
            let [first, last] = halves(keys);
            let (first, last) = (load(first), load(last));
            let key = _mm512_broadcast_i32x4(_mm_set_epi64x((key >> 64) as i64, key as i64));
            let equal = |to| {
                let words = u32::from(_mm512_cmpeq_epi64_mask(first, to)) | u32::from(_mm512_cmpeq_epi64_mask(last, to)) << 8;
                // Every second bit: a place has two words.
                _pext_u32(words & words >> 1, 0x5555)
            };
            (equal(key), equal(_mm512_set1_epi64(-1)))
        });
    }
}
