//! Two overlapping mates become one read.

use std::io::Write;

use super::{Overlap, reverse_complement};
use crate::letters::spelled_as;
use crate::{Mode, Read};

/// Makes merged reads in buffers of its own.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    pub(crate) bases: Vec<u8>,
    pub(crate) qualities: Vec<u8>,
    /// The bases as they are written, if the mates have other letters than the steps compare.
    spelling: Option<Vec<u8>>,
    /// What is put behind the name.
    pub(crate) tag: Vec<u8>,
}

impl Merger {
    /// Read 1 as far as the mates overlap, then the rest of the other strand of read 2.
    pub(crate) fn merge(
        &mut self,
        first: &Read<'_>,
        second: &Read<'_>,
        overlap: Overlap,
        mode: Mode,
    ) {
        let (kept, added) = match mode {
            Mode::Correct => {
                let end = overlap.end(second.len());
                let kept = first.len().min(end);
                (kept, end - kept)
            }
            // If read 1 begins behind the end of read 2, fastp takes it to end behind its
            // beginning, too.
            Mode::Fastp(_) if overlap.offset <= 0 => (overlap.length, 0),
            Mode::Fastp(_) => {
                let kept = overlap.length + overlap.offset.max(0) as usize;
                (kept, second.len() - overlap.length)
            }
        };
        self.bases.clear();
        self.bases.extend_from_slice(&first.bases()[..kept]);
        reverse_complement(&second.bases()[..added], &mut self.bases);
        self.spelling = (first.is_respelled() || second.is_respelled()).then(|| {
            let has_u = first.has_u() || second.has_u();
            let (one, other) = (&first.spelling()[..kept], &second.spelling()[..added]);
            let other = other.iter().rev().zip(&self.bases[kept..]);
            let other = other.map(|(&old, &base)| match old {
                b'.' => old,
                _ => spelled_as(base, old, has_u),
            });
            one.iter().copied().chain(other).collect()
        });
        self.qualities.clear();
        self.qualities.extend_from_slice(&first.qualities()[..kept]);
        self.qualities
            .extend(second.qualities()[..added].iter().rev());
        self.tag.clear();
        // Writing to a vector cannot fail.
        let _ = write!(self.tag, "merged_{kept}_{added}");
    }

    /// The bases as they are written.
    pub(crate) fn spelling(&self) -> &[u8] {
        self.spelling.as_deref().unwrap_or(&self.bases)
    }
}
