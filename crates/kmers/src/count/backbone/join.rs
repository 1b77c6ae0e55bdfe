//! Pieces of a text that overlap by k - 1 bases become one, so that a read is found at one place instead of several.
//!
//! ```text
//! stretches = longest runs of k-mers that came twice or more, and of those that came once       (solid, thin)
//! ends      = first and last k - 1 bases of each stretch, on the strand of the lesser
//! of equal ends, one that goes on to the right meets one that goes on to the left: the heavier ones first
//! chains    = stretches, each behind the one that it met
//! new text  = the chains, of each stretch without the k - 1 bases that the one before it has
//! left      = short chains of thin stretches: most have a base that was read wrong
//! ```
//!
//! These are the paths without branches of the de Bruijn graph of the text, and some further. Ends are compared by a
//! number that they are mixed to; where two different ones have the same, nothing is joined.

use super::{
    Backbone, Steps,
    anchors::{Place, Stretches},
    text::{Bases, Text},
};
use crate::count::{cut::SEGMENT, encode::Encoded};

/// A stretch of k-mers, by the places of the first and of the one behind the last.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: u32,
    end: u32,
    is_solid: bool,
    is_used: bool,
    /// What its left and its right end have met: twice the number of a stretch, and 1 for its right end.
    met: [u32; 2],
}

const NOTHING: u32 = u32::MAX;

const LEFT: usize = 0;
const RIGHT: usize = 1;

/// An end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    mixed: u64,
    /// Whether the strand of the lesser leads out of the stretch.
    is_outward: bool,
    /// Thin ones last, then the longer first.
    order: u32,
    /// Twice the number of its stretch, and 1 for its right end.
    number: u32,
}

/// Joins the pieces of a text; `most` is the room of the new one. Gives the new text, what was counted by it, and what is left.
pub(super) fn join(old: Backbone, steps: Steps, most: usize) -> (Backbone, Steps, Rest) {
    let (k, weights) = (old.k, weights_of(steps));
    let mut stretches = stretches_of(&weights);
    meet(&mut stretches, &old.text, k);
    let mut new = Backbone::with_room(k, most);
    let mut new_weights = Vec::with_capacity(most);
    new_weights.resize(Text::FIRST, 0);
    let (mut left, mut chain) = (Vec::new(), Vec::new());
    for number in 0..stretches.len() {
        if stretches[number].is_used {
            continue;
        }
        follow_chain(&mut stretches, number as u32, &mut chain);
        let parts = || chain.iter().map(|&(number, _)| &stretches[number as usize]);
        let kmers: usize = parts().map(|part| (part.end - part.start) as usize).sum();
        if kmers <= 2 * k && parts().all(|part| !part.is_solid) {
            left.extend(parts().map(|part| (part.start as usize, part.end as usize)));
            continue;
        }
        append(
            &mut new.text,
            &mut new_weights,
            &chain,
            &stretches,
            &weights,
            &old.text,
            k,
        );
    }
    new_weights.resize(new.text.end() + 1, 0);
    find_anchors(&mut new);
    let mut before = 0;
    for weight in &mut new_weights {
        let step = weight.wrapping_sub(before);
        before = std::mem::replace(weight, step);
    }
    left.sort_unstable();
    let rest = Rest {
        k,
        text: old.text,
        stretches: left,
    };
    (new, new_weights, rest)
}

/// Stretches of k-mers that came once each, of a text that is no more: to be cut.
#[derive(Debug)]
pub(in crate::count) struct Rest {
    k: usize,
    text: Text,
    stretches: Vec<(usize, usize)>,
}

impl Rest {
    /// Calls `each` with segments of the text and the runs of bases in them.
    ///
    /// # Errors
    ///
    /// The first of `each`, at which it ends.
    pub(in crate::count) fn for_each_segment<E>(
        &self,
        mut each: impl FnMut(&Encoded, &[(usize, usize)]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { k, text, stretches } = self;
        let mut stretches = stretches.iter().copied();
        let (mut encoded, mut runs) = (Encoded::default(), Vec::new());
        let mut next = stretches.next();
        for first in (Text::FIRST..text.end()).step_by(SEGMENT) {
            runs.clear();
            while let Some((start, end)) = next.filter(|next| next.0 < first + SEGMENT) {
                let here = end.min(first + SEGMENT);
                runs.push((start - first, here - first + k - 1));
                next = match here < end {
                    true => Some((here, end)),
                    false => stretches.next(),
                };
            }
            if !runs.is_empty() {
                encoded.copy(
                    &text.words()[first / 32..],
                    (text.end() - first).min(SEGMENT + k - 1),
                );
                each(&encoded, &runs)?;
            }
        }
        Ok(())
    }
}

/// How often the k-mer at each place came.
pub(super) fn weights_of(mut steps: Steps) -> Vec<u32> {
    let mut weight = 0u32;
    for step in &mut steps {
        weight = weight.wrapping_add(*step);
        *step = weight;
    }
    steps
}

fn stretches_of(weights: &[u32]) -> Vec<Stretch> {
    let mut start = 0;
    let mut stretches = Vec::new();
    for run in weights.chunk_by(|&a, &b| a.min(2) == b.min(2)) {
        if run[0] > 0 {
            stretches.push(Stretch {
                start,
                end: start + run.len() as u32,
                is_solid: run[0] > 1,
                is_used: false,
                met: [NOTHING; 2],
            });
        }
        start += run.len() as u32;
    }
    stretches
}

/// Has ends meet.
fn meet(stretches: &mut [Stretch], text: &Text, k: usize) {
    let mut ends = Vec::with_capacity(2 * stretches.len());
    for (number, stretch) in stretches.iter().enumerate() {
        let order =
            u32::from(!stretch.is_solid) << 31 | (1 << 30) - 1 - (stretch.end - stretch.start);
        for (side, base) in [stretch.start, stretch.end].into_iter().enumerate() {
            let base = base as usize;
            let (mixed, is_reverse) = mix(Bases::new(text.words(), base, base + k - 1));
            ends.push(End {
                mixed,
                is_outward: is_reverse != (side == RIGHT),
                order,
                number: (2 * number + side) as u32,
            });
        }
    }
    ends.sort_unstable();
    for equal in ends.chunk_by(|a, b| a.mixed == b.mixed) {
        let (inward, outward) = equal.split_at(equal.partition_point(|end| !end.is_outward));
        for (one, other) in inward.iter().zip(outward) {
            for (end, met) in [(one, other), (other, one)] {
                stretches[end.number as usize / 2].met[end.number as usize % 2] = met.number;
            }
        }
    }
}

/// Mixes bases of both strands: the lesser number of both, and whether it is that of the other strand.
fn mix(bases: Bases) -> (u64, bool) {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |bases: Bases| {
        let steps = bases.steps();
        steps.fold(0u64, |mixed, (_, bases)| {
            (mixed.rotate_left(29) ^ bases).wrapping_mul(ODD)
        })
    };
    let forward = mix(bases);
    let backward = mix(Bases {
        is_reverse: true,
        ..bases
    });
    match backward < forward {
        true => (backward, true),
        false => (forward, false),
    }
}

/// The chain of a stretch, from its left end on: numbers of stretches, and whether each is reversed. All are used then.
fn follow_chain(stretches: &mut [Stretch], number: u32, chain: &mut Vec<(u32, bool)>) {
    chain.clear();
    // To the left first, then over all of it to the right. Chains are paths, as every end has met one at most, or circles.
    let (mut first, mut is_reverse) = (number, false);
    loop {
        let back = if is_reverse { RIGHT } else { LEFT };
        let met = stretches[first as usize].met[back];
        if met == NOTHING || met / 2 == number {
            break;
        }
        first = met / 2;
        // It is left by the end that was met: its right one, if it goes the same way.
        is_reverse = met as usize % 2 == LEFT;
    }
    let mut next = Some((first, is_reverse));
    while let Some((number, is_reverse)) = next.filter(|next| !stretches[next.0 as usize].is_used) {
        let stretch = &mut stretches[number as usize];
        stretch.is_used = true;
        chain.push((number, is_reverse));
        let ahead = if is_reverse { LEFT } else { RIGHT };
        let met = stretch.met[ahead];
        next = (met != NOTHING).then_some((met / 2, met as usize % 2 == RIGHT));
    }
}

/// Appends a chain and its weights.
fn append(
    new: &mut Text,
    new_weights: &mut Vec<u32>,
    chain: &[(u32, bool)],
    stretches: &[Stretch],
    weights: &[u32],
    old: &Text,
    k: usize,
) {
    for (i, &(number, is_reverse)) in chain.iter().enumerate() {
        let Stretch { start, end, .. } = stretches[number as usize];
        let (start, end) = (start as usize, end as usize);
        let mut bases = Bases {
            is_reverse,
            ..Bases::new(old.words(), start, end + k - 1)
        };
        // What the one before ends with, unless other bases are mixed to the same number.
        if i > 0 && new.ends_with(bases.first(k - 1)) {
            bases = bases.without(k - 1);
        }
        // Otherwise k - 1 k-mers never came that begin in one and end in the other.
        new_weights.resize(new.end() + bases.len() - (end - start) - (k - 1), 0);
        new.push(bases);
        match is_reverse {
            true => new_weights.extend(weights[start..end].iter().rev()),
            false => new_weights.extend_from_slice(&weights[start..end]),
        }
    }
}

/// Fills in the anchors of the text.
fn find_anchors(backbone: &mut Backbone) {
    let Backbone { text, anchors, .. } = backbone;
    let mut encoded = Encoded::default();
    for first in (Text::FIRST..text.end()).step_by(SEGMENT) {
        let bases = (text.end() - first).min(SEGMENT + super::anchors::BASES - 1);
        encoded.copy(&text.words()[first / 32..], bases);
        for stretch in Stretches::new(&encoded, 0, bases) {
            let place = Place {
                at: first + stretch.at,
                is_reverse: stretch.is_reverse,
            };
            anchors.insert(stretch, place);
        }
    }
}
