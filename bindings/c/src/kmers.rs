//! Databases of counted k-mers.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use thalweg::Budget;
use thalweg::kmers::database::{Database, Lookup, open};
use thalweg::kmers::kmer::{Alphabet, INVALID, KmerTask, dispatch};
use thalweg::kmers::{self, Kmer};

use crate::error::{Failure, let_go, status};
use crate::pointers::{self, Text, give, path, put, shared, slice, unique, zeroed_slice};
use crate::settings::check_threads;

/// A database of counts, of any format that thalweg, Jellyfish or KMC write.
pub struct Kmers {
    database: Database,
    search: Box<dyn Search>,
}

impl Kmers {
    fn open(path: std::path::PathBuf) -> Result<Self, Failure> {
        let database = open(path)?;
        let search = dispatch(database.header().k, OpenSearch(&database))??;
        Ok(Self { database, search })
    }

    fn load(&mut self, threads: usize) -> Result<(), Failure> {
        check_threads(threads)?;
        let threads = match threads {
            0 => Budget::all_cores().threads(),
            threads => threads,
        };
        self.search = dispatch(self.k(), LoadSearch(&self.database, threads))??;
        Ok(())
    }

    fn k(&self) -> usize {
        self.database.header().k
    }

    fn find_numbers(&mut self, kmers: &[u64], counts: &mut [u64]) -> Result<(), Failure> {
        let k = self.k();
        if k > 32 {
            let what = format!("k is {k}, but numbers have room for 32 bases");
            return Err(Failure::usage(what));
        }
        for (kmer, count) in kmers.iter().zip(counts) {
            if kmer.checked_shr(2 * k as u32).unwrap_or(0) != 0 {
                return Err(Failure::usage(format!(
                    "{kmer} is not a k-mer of {k} bases"
                )));
            }
            *count = self.search.find_number(*kmer)?.unwrap_or(0);
        }
        Ok(())
    }

    /// Of every window of a sequence, 0 where it has other letters than bases.
    fn find_in(&mut self, sequence: &[u8], counts: &mut [u64]) -> Result<(), Failure> {
        let k = self.k();
        let mut first = 0;
        // What is left out are windows with a letter that is no base: each stretch of bases has all of its own.
        for stretch in sequence.split(|letter| Alphabet::default().code(*letter) == INVALID) {
            if stretch.len() >= k {
                let mut places = counts[first..].iter_mut();
                self.search.find_in(stretch, &mut |count| {
                    if let Some(place) = places.next() {
                        *place = count.unwrap_or(0);
                    }
                })?;
            }
            first += stretch.len() + 1;
        }
        Ok(())
    }
}

/// Finds k-mers of any length.
trait Search: Send {
    fn find_letters(&mut self, letters: &[u8]) -> kmers::Result<Option<u64>>;
    fn find_number(&mut self, kmer: u64) -> kmers::Result<Option<u64>>;
    fn find_in(&mut self, sequence: &[u8], each: &mut dyn FnMut(Option<u64>)) -> kmers::Result<()>;
}

impl<K: Kmer> Search for Lookup<K> {
    fn find_letters(&mut self, letters: &[u8]) -> kmers::Result<Option<u64>> {
        Lookup::find_letters(self, letters)
    }

    fn find_number(&mut self, kmer: u64) -> kmers::Result<Option<u64>> {
        self.find(K::from_words(&[kmer, 0, 0, 0, 0, 0, 0, 0]))
    }

    fn find_in(&mut self, sequence: &[u8], each: &mut dyn FnMut(Option<u64>)) -> kmers::Result<()> {
        self.find_in_sequence(sequence, |_, count| each(count))
    }
}

struct OpenSearch<'a>(&'a Database);

impl KmerTask for OpenSearch<'_> {
    type Output = kmers::Result<Box<dyn Search>>;

    fn run<K: Kmer>(self) -> Self::Output {
        Ok(Box::new(self.0.lookup::<K>()?))
    }
}

struct LoadSearch<'a>(&'a Database, usize);

impl KmerTask for LoadSearch<'_> {
    type Output = kmers::Result<Box<dyn Search>>;

    fn run<K: Kmer>(self) -> Self::Output {
        Ok(Box::new(self.0.load::<K>(self.1)?.lookup()))
    }
}

/// Open a database of counted k-mers: what thalweg count, jellyfish or kmc made.
///
/// @param kmers Is given a handle for thalweg_kmers_close(); NULL if that fails.
///
/// # Safety
/// `file` ends with NUL; `kmers` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_open(file: *const c_char, kmers: *mut *mut Kmers) -> c_int {
    // SAFETY: the caller's promise.
    let open = || Kmers::open(unsafe { path(file)? });
    // SAFETY: the same.
    status(|| unsafe { give(kmers, open, "the place for a database") })
}

/// Have all k-mers in memory, 17 bytes for each of up to 32 bases: many times faster for many look-ups.
///
/// @param threads How many do that; 0 for as many as there are cores; no more than 1024.
///
/// # Safety
/// `kmers` comes from thalweg_kmers_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_load(kmers: *mut Kmers, threads: usize) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { unique(kmers, "the database")? }.load(threads))
}

/// How many bases a k-mer has; 0 of NULL.
///
/// # Safety
/// `kmers` comes from thalweg_kmers_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_k(kmers: *const Kmers) -> usize {
    // SAFETY: the caller's promise.
    let kmers = unsafe { shared(kmers, "the database") };
    kmers.map_or(0, Kmers::k)
}

/// The count of a k-mer: 0 if it was not seen. Of canonical databases either strand can be looked up.
///
/// # Safety
/// `kmers` comes from thalweg_kmers_open(); `kmer` starts at so many bytes; `count` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_find(
    kmers: *mut Kmers,
    kmer: Text,
    count: *mut u64,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let (kmers, letters) = unsafe { (unique(kmers, "the database")?, kmer.bytes()?) };
        let found = kmers.search.find_letters(letters)?.unwrap_or(0);
        // SAFETY: the same.
        unsafe { put(count, found, "the place for a count") }
    })
}

/// The counts of many k-mers, which are numbers of two bits for each base: A is 0, C 1, G 2 and T 3, the last base in the
/// lowest bits. For k up to 32.
///
/// # Safety
/// `kmers` comes from thalweg_kmers_open(); `numbers` and `counts` have room for `number` numbers, and nothing in common.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_find_many(
    kmers: *mut Kmers,
    numbers: *const u64,
    number: usize,
    counts: *mut u64,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let kmers = unsafe { unique(kmers, "the database")? };
        // SAFETY: the same.
        let wanted = unsafe { slice(numbers, number, "the array of k-mers")? };
        // SAFETY: the same.
        let counts = unsafe { zeroed_slice(counts, number, "the array of counts")? };
        kmers.find_numbers(wanted, counts)
    })
}

/// The counts of all k-mers of a sequence, by their place in it; 0 where one has a letter that is no base.
///
/// @param counts Of which as many are written as there are places: length - k + 1, or none.
///
/// # Safety
/// `kmers` comes from thalweg_kmers_open(); `sequence` starts at so many bytes; `counts` has room for so many numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_find_in(
    kmers: *mut Kmers,
    sequence: Text,
    counts: *mut u64,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let (kmers, sequence) = unsafe { (unique(kmers, "the database")?, sequence.bytes()?) };
        let places = (sequence.len() + 1).saturating_sub(kmers.k());
        // SAFETY: the same.
        let counts = unsafe { zeroed_slice(counts, places, "the array of counts")? };
        kmers.find_in(sequence, counts)
    })
}

/// Let go of a database.
///
/// # Safety
/// `kmers` is NULL, or comes from thalweg_kmers_open(), and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_kmers_close(kmers: *mut Kmers) {
    // SAFETY: the caller's promise.
    let_go(unsafe { pointers::take(kmers) });
}
