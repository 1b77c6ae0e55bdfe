//! Look-ups of reads that are as long as chromosomes: what is held goes by what is found, and not by the length.
//!
//! ```text
//! for each window of super-k-mers:  look up; append runs, in which all k-mers count as distinct
//!                                   note those of which something is found: minimizer, place    (16 bytes)
//! sort the notes; for each minimizer that several have, or one may have twice:
//!     k-mers that came before are taken from the runs that they are in
//! ```
//! Equal k-mers have the same minimizer, so only those of one minimizer are compared, and equal k-mers have the same set, so that
//! what was not found need not be compared at all.

use thalweg_superkmers::{Kmer, kmer::Alphabet, sequence::Ties};

use super::repeats::{NONE, Seen};
use super::{Query, Run, TaxonLookup, find_all, push_runs};
use crate::record::Turned;

/// Letters of a read, of all of its mates together, with more of which it is looked up in windows.
pub const LONG: usize = 1 << 16;

/// Super-k-mers of a window: they stay in the cache of a core.
const WINDOW: usize = 1 << 13;

/// A sequence of a long read.
#[derive(Debug)]
pub(super) struct LongRead {
    /// Its number among all sequences.
    sequence: usize,
    runs: Vec<Run>,
}

/// A super-k-mer of which something was found.
///
/// ```text
/// | minimizer | place | k-mers | tied |      62, 56, 5 and 1 bits, the highest ones first
/// ```
/// The place of its first k-mer counts from the start of the first mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Note(u128);

impl Note {
    fn new(query: &Query, before: usize) -> Self {
        let place = (before + query.start) as u128;
        Self(
            u128::from(query.turned.value) << 62
                | place << 6
                | u128::from(query.kmers) << 1
                | u128::from(query.is_tied),
        )
    }

    fn minimizer(self) -> u64 {
        (self.0 >> 62) as u64
    }

    fn place(self) -> usize {
        (self.0 >> 6) as usize & (usize::MAX >> 8)
    }

    fn kmers(self) -> usize {
        (self.0 >> 1) as usize & 31
    }

    fn is_tied(self) -> bool {
        self.0 & 1 == 1
    }
}

impl TaxonLookup<'_> {
    /// Adds a long read, and looks it up.
    #[cold]
    pub(super) fn push_long<L: AsRef<[u8]>>(&mut self, mates: Vec<L>) {
        let Self {
            view,
            cutter,
            fetch,
            ..
        } = self;
        let (view, layout) = (*view, view.layout());
        let mut window = Vec::with_capacity(WINDOW);
        let (mut notes, mut before, mut of_mates) = (Vec::new(), 0, Vec::new());
        for letters in &mates {
            let mut runs = Vec::new();
            let mut look_up = |window: &mut Vec<Query>| {
                find_all(&view, fetch.as_mut(), window, |_, query, found| {
                    if found.found != 0 {
                        notes.push(Note::new(query, before));
                    }
                    push_runs(&mut runs, 0, query, found.sets(query.kmers));
                });
                window.clear();
            };
            cutter.visit(letters.as_ref(), Ties::First, |super_kmer| {
                let kmers = super_kmer.kmers() as u32;
                window.push(Query {
                    turned: Turned::new(super_kmer, &layout),
                    start: super_kmer.start(),
                    kmers,
                    new: u32::MAX >> (32 - kmers),
                    is_tied: super_kmer.is_tied(),
                });
                if window.len() == WINDOW {
                    look_up(&mut window);
                }
            });
            look_up(&mut window);
            before += letters.as_ref().len();
            of_mates.push(runs);
        }
        take_repeats(&mut notes, &mates, &mut of_mates, layout.scheme().k());
        for runs in of_mates {
            self.long.push(LongRead {
                sequence: self.query_ends.len(),
                runs,
            });
            self.query_ends.push(self.queries.len());
        }
    }

    /// The runs of a sequence of a long read.
    pub(super) fn runs_of_long(&self, sequence: usize) -> Option<&[Run]> {
        let at = (self.long).binary_search_by_key(&sequence, |long| long.sequence);
        at.ok().map(|at| &self.long[at].runs[..])
    }
}

/// Takes k-mers that came before from the distinct ones of their runs. `notes` are of all super-k-mers of which something was
/// found; they are sorted.
fn take_repeats(notes: &mut [Note], mates: &[impl AsRef<[u8]>], runs: &mut [Vec<Run>], k: usize) {
    notes.sort_unstable();
    let mut seen = Seen::default();
    for same in notes.chunk_by(|one, next| one.minimizer() == next.minimizer()) {
        // m is odd: if none of its k-mers has the minimizer twice, they differ.
        if let [only] = same
            && !only.is_tied()
        {
            continue;
        }
        seen.clear(0);
        for note in same {
            let (mut mate, mut place) = (0, note.place());
            while place >= mates[mate].as_ref().len() {
                place -= mates[mate].as_ref().len();
                mate += 1;
            }
            let letters = &mates[mate].as_ref()[place..place + note.kmers() + k - 1];
            let mut run = None;
            each_kmer(letters, k, |number, kmer| {
                if seen.insert(kmer, 0) != NONE {
                    let (runs, place) = (&mut runs[mate], place + number);
                    let at = run.unwrap_or_else(|| run_at(runs, place));
                    run = Some(take_from(runs, at, place));
                }
            });
        }
    }
}

/// Shows the canonical k-mers of letters that are all bases.
fn each_kmer(letters: &[u8], k: usize, mut each: impl FnMut(usize, u64)) {
    let mut kmer = 0_u64;
    for (at, letter) in letters.iter().enumerate() {
        kmer = kmer.append(Alphabet::Acgtu.code(*letter), k);
        if let Some(number) = (at + 1).checked_sub(k) {
            each(number, kmer.canonical(k));
        }
    }
}

/// The number of the run that has the k-mer at a place.
fn run_at(runs: &[Run], place: usize) -> usize {
    runs.partition_point(|run| run.start <= place) - 1
}

/// Takes one k-mer from the distinct ones of the run that has the place, which is `run` or one after it; returns which it is.
fn take_from(runs: &mut [Run], mut run: usize, place: usize) -> usize {
    while place >= runs[run].start + runs[run].kmers as usize {
        run += 1;
    }
    if runs[run].set != 0 {
        runs[run].distinct -= 1;
    }
    run
}
