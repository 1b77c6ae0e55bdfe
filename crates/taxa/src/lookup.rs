//! The set of every k-mer of sequences, many at a time.
//!
//! ```text
//! push(read): super-k-mers of its mates, each turned to its minimizer; which of their k-mers came before in it (repeats)
//! look_up, for each super-k-mer i of all sequences:
//!   i + 2 AHEAD   ask for its entry of the directory
//!   i + AHEAD     read that, and ask for its records
//!   i             compare it with each record of its bucket that has its minimizer; all k-mers of one at once
//! ```
//! Nearly each step would wait for memory if it came by itself. A record is compared by one exclusive or and the numbers of
//! zeros on both sides; as a super-k-mer has up to 17 k-mers, so has an answer.
//!
//! A read of more than [`LONG`] letters is looked up when it is pushed, in windows (`long`).

mod long;
mod places;
mod repeats;
mod sweep;

use thalweg_superkmers::{
    Kernel,
    kmer::Alphabet,
    sequence::{Cutter, Ties},
};

pub use places::Places;

use crate::Result;
use crate::database::{Fetch, TaxonDatabase, View};
use crate::record::{MAX_FLANK, Turned};
pub use long::LONG;
use long::LongRead;
use repeats::Repeats;

/// Super-k-mers between steps.
const AHEAD: usize = 12;

/// Looks the k-mers of sequences up in a database. It has buffers of its own, which it uses again: one for each thread.
///
/// ```text
/// let mut lookup = TaxonLookup::new(&database, Kernel::best());
/// for read in batch { lookup.push([read]); }
/// lookup.look_up()?;
/// for number in 0..batch.len() { for run in lookup.runs(number) { … } }
/// ```
/// Memory: 64 bytes for each super-k-mer of the sequences pushed, one in 6 to 9 bases, and as many runs at most as k-mers. Of
/// [long](LONG) reads, 24 bytes for each run, and 16 for each super-k-mer that is found while the read is pushed.
#[derive(Debug)]
pub struct TaxonLookup<'a> {
    view: View<'a>,
    cutter: Cutter,
    queries: Vec<Query>,
    /// Of each sequence one behind its last query.
    query_ends: Vec<usize>,
    repeats: Repeats,
    runs: Vec<Run>,
    /// Of each sequence that was looked up one behind its last run.
    run_ends: Vec<usize>,
    /// Sequences of long reads, which have no queries, in order.
    long: Vec<LongRead>,
    /// If pages are asked for together.
    fetch: Option<Fetch<'a>>,
}

/// Consecutive k-mers of a sequence that have the same set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where the first one begins in the sequence.
    pub start: usize,
    /// How many they are.
    pub kmers: u32,
    /// How many of them come for the first time in their read, whichever strand it was on then. Of a [long](LONG) read,
    /// k-mers that are not in the database all count.
    pub distinct: u32,
    /// Number of their set; 0 if they are not in the database.
    pub set: u32,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    turned: Turned,
    start: usize,
    kmers: u32,
    /// By k-mer a bit: whether it comes for the first time in its read.
    new: u32,
    /// Whether a k-mer may have the minimizer twice.
    is_tied: bool,
}

// A bit for each k-mer.
const _: () = assert!(MAX_FLANK < 32);

impl<'a> TaxonLookup<'a> {
    /// One that has no sequences yet.
    pub fn new(database: &'a TaxonDatabase, kernel: Kernel) -> Self {
        let view = database.view();
        Self {
            view,
            cutter: Cutter::new(view.layout().scheme(), kernel, Alphabet::Acgtu),
            queries: Vec::new(),
            query_ends: Vec::new(),
            repeats: Repeats::default(),
            runs: Vec::new(),
            run_ends: Vec::new(),
            long: Vec::new(),
            fetch: None,
        }
    }

    /// One of a database that is larger than memory: before it [looks up](Self::look_up), it asks for all pages of the disk
    /// together that this needs. The answers are the same. Where all pages are in memory it takes some microseconds more for
    /// each read; what the disk has to bring comes several times faster, the more reads are looked up together.
    pub fn of_large(database: &'a TaxonDatabase, kernel: Kernel) -> Self {
        Self {
            fetch: Some(Fetch::new(database)),
            ..Self::new(database, kernel)
        }
    }

    /// Forgets all sequences.
    pub fn clear(&mut self) {
        self.queries.clear();
        self.query_ends.clear();
        self.runs.clear();
        self.run_ends.clear();
        self.long.clear();
    }

    /// Adds a read: its sequence, or those of all of its mates, in order. U is T; k-mers with any other letter than ACGTU and
    /// acgtu have no set and are in no run.
    #[inline]
    pub fn push<M>(&mut self, mates: M)
    where
        M: IntoIterator<Item: AsRef<[u8]>, IntoIter: Clone>,
    {
        let mates = mates.into_iter();
        let letters: usize = mates.clone().map(|mate| mate.as_ref().len()).sum();
        if letters > LONG {
            return self.push_long(Vec::from_iter(mates));
        }
        let (queries, layout) = (&mut self.queries, self.view.layout());
        let first = queries.len();
        for letters in mates {
            self.cutter
                .visit(letters.as_ref(), Ties::First, |super_kmer| {
                    let kmers = super_kmer.kmers() as u32;
                    queries.push(Query {
                        turned: Turned::new(super_kmer, &layout),
                        start: super_kmer.start(),
                        kmers,
                        new: u32::MAX >> (32 - kmers),
                        is_tied: super_kmer.is_tied(),
                    });
                });
            self.query_ends.push(queries.len());
        }
        self.repeats.find(&mut queries[first..], &layout);
    }

    /// Looks up all sequences that were added since the last time.
    ///
    /// # Errors
    /// The database is damaged: no run may be used.
    pub fn look_up(&mut self) -> Result<()> {
        let from = (self.run_ends.len().checked_sub(1)).map_or(0, |last| self.query_ends[last]);
        let queries = &self.queries[from..];
        let mut ends = self.query_ends[self.run_ends.len()..].iter();
        let mut end = ends.next();
        let mut first_run = self.runs.len();
        let (runs, run_ends) = (&mut self.runs, &mut self.run_ends);
        find_all(
            &self.view,
            self.fetch.as_mut(),
            queries,
            |at, query, found| {
                while end.is_some_and(|&end| end <= from + at) {
                    first_run = runs.len();
                    run_ends.push(first_run);
                    end = ends.next();
                }
                push_runs(runs, first_run, query, found.sets(query.kmers));
            },
        );
        self.run_ends.resize(self.query_ends.len(), self.runs.len());
        self.view.damage()
    }

    /// Number of sequences that were looked up since [`clear`](Self::clear).
    pub fn sequences(&self) -> usize {
        self.run_ends.len()
    }

    /// The runs of a sequence, counted from 0 since [`clear`](Self::clear): ascending, as long as they can be, and together
    /// all of its k-mers of valid letters.
    ///
    /// # Panics
    /// If it was not looked up.
    #[inline]
    pub fn runs(&self, sequence: usize) -> &[Run] {
        if !self.long.is_empty()
            && let Some(runs) = self.runs_of_long(sequence)
        {
            return runs;
        }
        let start = (sequence.checked_sub(1)).map_or(0, |before| self.run_ends[before]);
        &self.runs[start..self.run_ends[sequence]]
    }
}

/// Shows what is found of each query, with its number, in order; `fetch` asks the disk for all pages before.
#[inline]
fn find_all(
    view: &View<'_>,
    fetch: Option<&mut Fetch<'_>>,
    queries: &[Query],
    mut each: impl FnMut(usize, &Query, &Found),
) {
    let layout = view.layout();
    let bucket = |query: &Query| layout.split(query.turned.value).0;
    if let Some(fetch) = fetch {
        let buckets = || queries.iter().map(bucket);
        buckets().for_each(|bucket| fetch.add_bucket(bucket));
        fetch.ask();
        buckets().for_each(|bucket| fetch.add_records(&view.bucket(bucket)));
        fetch.ask();
    }
    let mut records = std::array::from_fn::<_, AHEAD, _>(|_| 0..0);
    for step in 0..queries.len() + 2 * AHEAD {
        let at = step.wrapping_sub(2 * AHEAD);
        if let Some(query) = queries.get(at) {
            let found = find(view, query, records[at % AHEAD].clone());
            each(at, query, &found);
        }
        let at = step.wrapping_sub(AHEAD);
        if let Some(query) = queries.get(at) {
            let of_bucket = view.bucket(bucket(query));
            view.prefetch_records(&of_bucket);
            records[at % AHEAD] = of_bucket;
        }
        if let Some(query) = queries.get(step) {
            view.prefetch_bucket(bucket(query));
        }
    }
}

/// The set of all k-mers of a super-k-mer, if they have the same one; else that of each.
type OfQuery = std::result::Result<u32, [u32; MAX_FLANK + 1]>;

/// What was found of a super-k-mer's k-mers. Most are in one record or in none.
struct Found {
    /// Which of the k-mers are in a set: their bits, and its number. No bit comes twice.
    parts: [(u32, u32); MAX_FLANK + 1],
    number: usize,
    /// All bits of parts.
    found: u32,
}

impl Found {
    /// Adds those of `kmers` that are in no part yet.
    #[inline]
    fn add(&mut self, kmers: u32, set: u32) {
        let new = kmers & !self.found;
        if new != 0
            && let Some(part) = self.parts.get_mut(self.number)
        {
            *part = (new, set);
            self.number += 1;
            self.found |= new;
        }
    }

    /// The set of all k-mers, if they have the same one; else that of each.
    #[inline]
    fn sets(&self, kmers: u32) -> OfQuery {
        match self.parts[..self.number] {
            [] => Ok(0),
            [(_, set)] if self.found == u32::MAX >> (32 - kmers) => Ok(set),
            ref parts => {
                let mut sets = [0; MAX_FLANK + 1];
                for &(mut bits, set) in parts {
                    while bits != 0 {
                        if let Some(place) = sets.get_mut(bits.trailing_zeros() as usize) {
                            *place = set;
                        }
                        bits &= bits - 1;
                    }
                }
                Err(sets)
            }
        }
    }
}

/// Looks for the k-mers of a super-k-mer among `records`.
#[inline]
fn find(view: &View<'_>, query: &Query, records: std::ops::Range<u64>) -> Found {
    let mut found = Found {
        parts: [(0, 0); MAX_FLANK + 1],
        number: 0,
        found: 0,
    };
    let (layout, turned) = (view.layout(), &query.turned);
    let (_, remainder) = layout.split(turned.value);
    // Whatever a record says, there are no other sets.
    let is_set = |id: u32| (1..=view.sets()).contains(&id);
    let all = u32::MAX >> (32 - query.kmers);
    for number in view.sound(records) {
        let record = layout.unpack(view.record(number));
        if record.remainder != remainder {
            if record.remainder > remainder {
                break;
            }
            continue;
        }
        if record.lo > record.hi {
            let minimizer = layout.marked(&record);
            for j in layout.flank() as u8 - turned.right..=turned.left {
                let kmer = layout.kmer(turned.value, turned.flanks, j);
                let id = view.overflow_set(minimizer, kmer);
                if is_set(id) {
                    found.add(1 << turned.number_of(j, &layout), id);
                }
            }
            break;
        }
        // A k-mer may be in several records.
        let range = layout.matching(&record, turned);
        if !range.is_empty() && is_set(record.id) {
            found.add(turned.bits_of(range, &layout), record.id);
            if found.found == all {
                break;
            }
        }
    }
    found
}

/// Appends the runs of a super-k-mer; those of its sequence begin with `first_run`.
#[inline]
fn push_runs(runs: &mut Vec<Run>, first_run: usize, query: &Query, sets: OfQuery) {
    let whole = Run {
        start: query.start,
        kmers: query.kmers,
        distinct: query.new.count_ones(),
        set: 0,
    };
    match sets {
        Ok(set) => push_run(runs, first_run, Run { set, ..whole }),
        Err(sets) => {
            let (mut start, mut new) = (query.start, query.new);
            for sets in sets[..query.kmers as usize].chunk_by(|one, next| one == next) {
                let kmers = sets.len() as u32;
                let run = Run {
                    start,
                    kmers,
                    distinct: (new & u32::MAX >> (32 - kmers)).count_ones(),
                    set: sets[0],
                };
                push_run(runs, first_run, run);
                start += sets.len();
                new = new.checked_shr(kmers).unwrap_or(0);
            }
        }
    }
}

/// Appends a run, or makes the last one longer.
#[inline]
fn push_run(runs: &mut Vec<Run>, first_run: usize, run: Run) {
    match runs[first_run..].last_mut() {
        Some(last)
            if last.set == run.set
                && last.start + last.kmers as usize == run.start
                && last.kmers < u32::MAX - run.kmers =>
        {
            last.kmers += run.kmers;
            last.distinct += run.distinct;
        }
        _ => runs.push(run),
    }
}
