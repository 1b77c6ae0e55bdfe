//! A number for each k-mer of a database: where it is.
//!
//! ```text
//! record number * (f + 1) + bases left of the minimizer          in records
//! records * (f + 1) + number of the k-mer                        of minimizers that have too many records
//! ```
//! Equal k-mers have the same number. A k-mer may be in several records: the first is taken. It may also have its
//! minimizer at several places, and which is met first depends on the strand: then it is looked up once more by itself, as
//! its lesser strand reads.

use thalweg_superkmers::{
    Kernel, Kmer,
    kmer::{Alphabet, LETTERS},
    sequence::{Cutter, Ties},
};

use crate::database::{Database, View};
use crate::record::{MAX_FLANK, Turned};

/// Finds numbers of k-mers. It has buffers of its own: one for each thread.
#[derive(Debug)]
pub struct Places<'a> {
    view: View<'a>,
    cutter: Cutter,
    /// For k-mers by themselves.
    alone: Cutter,
}

/// The number of a k-mer, and its set.
type Place = (u64, u32);

impl<'a> Places<'a> {
    /// Those of the k-mers of a database.
    pub fn new(database: &'a Database, kernel: Kernel) -> Self {
        let view = database.view();
        let cutter = || Cutter::new(view.layout().scheme(), kernel, Alphabet::Acgtu);
        Self {
            view,
            cutter: cutter(),
            alone: cutter(),
        }
    }

    /// One more than the greatest number. It is at most 17 times the number of records, and that of the other k-mers.
    pub fn number(database: &Database) -> u64 {
        let view = database.view();
        in_records(&view).saturating_add(view.overflow_kmers())
    }

    /// Shows the number and the set of every k-mer of a sequence that is in the database, in order.
    pub fn visit(&mut self, letters: &[u8], mut each: impl FnMut(u64, u32)) {
        let Self {
            view,
            cutter,
            alone,
        } = self;
        let k = view.layout().scheme().k();
        cutter.visit(letters, Ties::First, |super_kmer| {
            let turned = Turned::new(super_kmer, &view.layout());
            let places = find(view, &turned, super_kmer.kmers());
            let found = places.iter().take(super_kmer.kmers());
            for (number, place) in found.enumerate() {
                let start = super_kmer.start() + number;
                match place {
                    Some(_) if super_kmer.is_tied() => {
                        if let Some((place, set)) = find_alone(view, alone, &letters[start..][..k])
                        {
                            each(place, set);
                        }
                    }
                    Some((place, set)) => each(*place, *set),
                    None => {}
                }
            }
        });
    }
}

/// Numbers of k-mers that are in records.
fn in_records(view: &View<'_>) -> u64 {
    (view.record_count()).saturating_mul(view.layout().flank() as u64 + 1)
}

/// The places of the k-mers of a super-k-mer, in the order of the sequence.
fn find(view: &View<'_>, turned: &Turned, kmers: usize) -> [Option<Place>; MAX_FLANK + 1] {
    let mut places = [None; MAX_FLANK + 1];
    let layout = view.layout();
    let (bucket, remainder) = layout.split(turned.value);
    let flank = layout.flank() as u64;
    let mut missing = kmers;
    // Whatever a record says, there are no other sets.
    let is_set = |id: u32| (1..=view.sets()).contains(&id);
    for number in view.bucket(bucket) {
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
        place = find(view, &turned, 1)[0];
    });
    place
}
