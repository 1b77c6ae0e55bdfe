//! A number for each k-mer of a database: where it is.
//!
//! ```text
//! record number * (f + 1) + bases left of the minimizer          in records
//! records * (f + 1) + number of the k-mer                        of minimizers that have too many records
//! ```
//! Equal k-mers have the same number. A k-mer may be in several records: the first is taken. It may also have its
//! minimizer at several places, and which is met first depends on the strand: then it is looked up once more by itself, as
//! its lesser strand reads.
//!
//! Super-k-mers are looked up some at a time, so that the memory brings entries of the directory and records of all at
//! once.

use std::ops::Range;

use thalweg_superkmers::{
    Kernel, Kmer,
    kmer::{Alphabet, LETTERS},
    sequence::{Cutter, Ties},
};

use crate::database::{TaxonDatabase, View};
use crate::record::{MAX_FLANK, Turned};

/// Finds numbers of k-mers. It has buffers of its own: one for each thread.
#[derive(Debug)]
pub struct Places<'a> {
    view: View<'a>,
    cutter: Cutter,
    /// For k-mers by themselves.
    alone: Cutter,
    /// Those that are looked up next, fewer than [`TOGETHER`].
    queries: Vec<Query>,
    /// Of each its records.
    records: Vec<Range<u64>>,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    turned: Turned,
    start: usize,
    kmers: usize,
    is_tied: bool,
}

/// Super-k-mers that are looked up at once: about those of a pair.
const TOGETHER: usize = 32;

/// The number of a k-mer, and its set.
type Place = (u64, u32);

impl<'a> Places<'a> {
    /// Those of the k-mers of a database.
    pub fn new(database: &'a TaxonDatabase, kernel: Kernel) -> Self {
        let view = database.view();
        let cutter = || Cutter::new(view.layout().scheme(), kernel, Alphabet::Acgtu);
        Self {
            view,
            cutter: cutter(),
            alone: cutter(),
            queries: Vec::with_capacity(TOGETHER),
            records: Vec::with_capacity(TOGETHER),
        }
    }

    /// One more than the greatest number. It is at most 17 times the number of records, and that of the other k-mers.
    pub fn number(database: &TaxonDatabase) -> u64 {
        let view = database.view();
        in_records(&view).saturating_add(view.overflow_kmers())
    }

    /// Shows the number and the set of every k-mer of a sequence that is in the database, in order. When all are done,
    /// [`check_looked_up`](TaxonDatabase::check_looked_up) says whether damage was met.
    pub fn visit(&mut self, letters: &[u8], mut each: impl FnMut(u64, u32)) {
        let Self {
            view,
            cutter,
            alone,
            queries,
            records,
        } = self;
        let layout = view.layout();
        let mut look_up = |queries: &mut Vec<Query>| {
            records.clear();
            for query in queries.iter() {
                let (bucket, _) = layout.split(query.turned.value);
                let of_bucket = view.bucket(bucket);
                view.prefetch_records(&of_bucket);
                records.push(of_bucket);
            }
            for (query, records) in queries.iter().zip(records.iter()) {
                show(view, alone, letters, query, records, &mut each);
            }
            queries.clear();
        };
        cutter.visit(letters, Ties::First, |super_kmer| {
            let turned = Turned::new(super_kmer, &layout);
            let (bucket, _) = layout.split(turned.value);
            view.prefetch_bucket(bucket);
            queries.push(Query {
                turned,
                start: super_kmer.start(),
                kmers: super_kmer.kmers(),
                is_tied: super_kmer.is_tied(),
            });
            if queries.len() == TOGETHER {
                look_up(queries);
            }
        });
        look_up(queries);
    }
}

/// Shows the k-mers of a super-k-mer that are found.
fn show(
    view: &View<'_>,
    alone: &mut Cutter,
    letters: &[u8],
    query: &Query,
    records: &Range<u64>,
    each: &mut impl FnMut(u64, u32),
) {
    let k = view.layout().scheme().k();
    let places = find(view, &query.turned, query.kmers, records);
    for (number, place) in places[..query.kmers].iter().enumerate() {
        let place = match place {
            Some(_) if query.is_tied => {
                find_alone(view, alone, &letters[query.start + number..][..k])
            }
            place => *place,
        };
        if let Some((place, set)) = place {
            each(place, set);
        }
    }
}

/// Numbers of k-mers that are in records.
fn in_records(view: &View<'_>) -> u64 {
    (view.record_count()).saturating_mul(view.layout().flank() as u64 + 1)
}

/// The places of the k-mers of a super-k-mer, in the order of the sequence.
fn find(
    view: &View<'_>,
    turned: &Turned,
    kmers: usize,
    records: &Range<u64>,
) -> [Option<Place>; MAX_FLANK + 1] {
    let mut places = [None; MAX_FLANK + 1];
    let layout = view.layout();
    let (_, remainder) = layout.split(turned.value);
    let flank = layout.flank() as u64;
    let mut missing = kmers;
    // Whatever a record says, there are no other sets.
    let is_set = |id: u32| (1..=view.sets()).contains(&id);
    for number in view.sound(records.clone()) {
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
                if let Some((at, set)) = view.overflow_place(minimizer, kmer)
                    && let Some(place) = places.get_mut(turned.number_of(j, &layout))
                    && is_set(set)
                {
                    *place = Some((in_records(view) + at, set));
                }
            }
            break;
        }
        for j in layout.matching(&record, turned) {
            if let Some(place) = places.get_mut(turned.number_of(j, &layout))
                && place.is_none()
                && is_set(record.id)
            {
                *place = Some((number * (flank + 1) + u64::from(j), record.id));
                missing = missing.saturating_sub(1);
            }
        }
        if missing == 0 {
            break;
        }
    }
    places
}

/// The place of a k-mer, whichever strand is given.
fn find_alone(view: &View<'_>, cutter: &mut Cutter, kmer: &[u8]) -> Option<Place> {
    let k = kmer.len();
    let mut letters = [0; 32];
    let canonical = u64::from_letters_of(Alphabet::Acgtu, kmer)?.canonical(k);
    for (i, letter) in letters[..k].iter_mut().enumerate() {
        *letter = LETTERS[(canonical >> (2 * (k - 1 - i)) & 3) as usize];
    }
    let mut place = None;
    cutter.visit(&letters[..k], Ties::First, |super_kmer| {
        let turned = Turned::new(super_kmer, &view.layout());
        let (bucket, _) = view.layout().split(turned.value);
        [place, ..] = find(view, &turned, 1, &view.bucket(bucket));
    });
    place
}
