//! How often each k-mer of a backbone came, by partition.

use super::{Backbone, Steps, join::weights_of, text::Text};
use crate::{
    count::{
        cut::{Ends, SEGMENT, Segment, for_each_stretch, list_plainly},
        encode::Encoded,
        fold::{SLACK, Weights},
        kernel::Kernel,
        plan::Plan,
        record::{self, Record},
    },
    minimizer::{Minimizers, partition},
};
use std::sync::Arc;

/// A super-k-mer of the text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    partition: u16,
    kmers: u8,
}

/// The super-k-mers of a backbone whose k-mers came, and how often.
#[derive(Debug)]
pub(in crate::count) struct Coverage {
    backbone: Arc<Backbone>,
    /// Of the k-mer that begins at each place of the text, and [`SLACK`] more.
    weights: Vec<u32>,
    pieces: Vec<Piece>,
    /// Where the pieces of each partition begin, and of one more.
    starts: Vec<u32>,
}

impl Coverage {
    /// Of what all workers have counted, if they have a backbone: all the same.
    pub(in crate::count) fn new(
        mut shares: impl Iterator<Item = (Arc<Backbone>, Steps)>,
        plan: Plan,
        kernel: Kernel,
    ) -> Option<Self> {
        let (backbone, mut weights) = shares.next()?;
        for (_, steps) in shares {
            for (sum, step) in weights.iter_mut().zip(steps) {
                *sum = sum.wrapping_add(step);
            }
        }
        let mut weights = weights_of(weights);
        weights.resize(weights.len() + SLACK, 0);
        let mut coverage = Self {
            backbone,
            weights,
            pieces: Vec::new(),
            starts: vec![0; plan.shape.partitions + 1],
        };
        coverage.cut(plan, kernel);
        coverage
            .pieces
            .sort_unstable_by_key(|piece| (piece.partition, piece.start));
        for piece in &coverage.pieces {
            coverage.starts[usize::from(piece.partition) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut coverage.starts {
            sum += *start;
            *start = sum;
        }
        Some(coverage)
    }

    /// Cuts the text into pieces, where k-mers came.
    fn cut(&mut self, plan: Plan, kernel: Kernel) {
        let Plan { k, m, .. } = plan;
        let text = &self.backbone.text;
        let (mut encoded, mut minimizers) = (Encoded::default(), Minimizers::default());
        let (mut ends, mut runs) = (Ends::default(), Vec::new());
        // Segments of whole words.
        for first in (Text::FIRST..text.end()).step_by(SEGMENT) {
            let bases = (text.end() - first).min(SEGMENT + k - 1);
            let kmers = (bases + 1).saturating_sub(k);
            runs.clear();
            let came = self.weights[first..][..kmers].chunk_by(|&a, &b| (a > 0) == (b > 0));
            let mut start = 0;
            for some in came {
                let end = start + some.len();
                if some[0] > 0 {
                    runs.push((start, end + k - 1));
                }
                start = end;
            }
            if runs.is_empty() {
                continue;
            }
            encoded.copy(&text.words()[first / 32..], bases);
            kernel.minimizers(&mut minimizers, &encoded, k, m);
            let segment = Segment {
                encoded: &encoded,
                minimizers: &minimizers,
                runs: &runs,
                plan,
                canonical: true,
            };
            let stretches = |value, start: usize, end: usize| {
                self.pieces.push(Piece {
                    start: (first + start) as u32,
                    partition: partition(value, plan.partition_bits) as u16,
                    kmers: (end - start) as u8,
                });
                Ok(())
            };
            let cut = for_each_stretch(segment, &mut ends, list_plainly, stretches);
            debug_assert!(cut.is_ok(), "nothing in it fails");
        }
    }

    /// Bytes of memory.
    pub(in crate::count) fn memory(&self) -> u64 {
        let pieces = size_of_val(&self.pieces[..]) + size_of_val(&self.starts[..]);
        let anchors = self.backbone.anchors.bytes();
        (size_of_val(&self.weights[..])
            + size_of_val(self.backbone.text.words())
            + pieces
            + anchors) as u64
    }

    /// What of it belongs to a partition.
    pub(in crate::count) fn of(&self, partition: usize) -> Covered<'_> {
        let [start, end] = [self.starts[partition], self.starts[partition + 1]];
        Covered {
            coverage: Some(self),
            pieces: &self.pieces[start as usize..end as usize],
        }
    }
}

/// Some super-k-mers of a backbone, with the weights of their k-mers.
#[derive(Clone, Copy, Debug)]
pub(in crate::count) struct Covered<'a> {
    coverage: Option<&'a Coverage>,
    pieces: &'a [Piece],
}

impl Covered<'_> {
    pub(in crate::count) const NONE: Self = Self {
        coverage: None,
        pieces: &[],
    };

    /// Number of super-k-mers.
    pub(in crate::count) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Calls `each` with all super-k-mers and the weights of their k-mers, none of them 0.
    #[inline(always)]
    pub(in crate::count) fn for_each<const N: usize>(
        &self,
        mut each: impl FnMut(&Record<N>, Weights),
    ) {
        let Some(Coverage {
            backbone, weights, ..
        }) = self.coverage
        else {
            return;
        };
        for &Piece { start, kmers, .. } in self.pieces {
            let (start, kmers) = (start as usize, usize::from(kmers));
            let record = record::cut::<N>(backbone.text.words(), 2 * start, kmers + backbone.k - 1);
            let weights = Weights::Each {
                weights: &weights[start..start + kmers + SLACK],
                most: u32::MAX,
            };
            each(&record, weights);
        }
    }
}
