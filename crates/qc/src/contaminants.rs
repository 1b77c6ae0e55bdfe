//! Reads of what is not wanted, such as a host or a control: how to tell them, the caller knows.

use std::fmt;

use crate::Read;

/// Tells which of several contaminants a read is of, or a pair.
#[derive(Default)]
pub(crate) struct Contaminants<'c> {
    find: Option<Box<Find<'c>>>,
}

/// From the bases of a read, or of both mates, to the number of the first contaminant that they are of.
type Find<'c> = dyn FnMut(&[&[u8]]) -> Option<usize> + 'c;

impl<'c> Contaminants<'c> {
    pub(crate) fn new(find: impl FnMut(&[&[u8]]) -> Option<usize> + 'c) -> Self {
        Self {
            find: Some(Box::new(find)),
        }
    }

    /// Which one the reads, taken together, are of. What is lost of them tells nothing.
    #[inline]
    pub(crate) fn find(&mut self, reads: [Option<&Read<'_>>; 2]) -> Option<usize> {
        let find = self.find.as_mut()?;
        let mut sequences: [&[u8]; 2] = [b""; 2];
        let left = reads.into_iter().flatten().filter(|read| !read.is_lost());
        let mut number = 0;
        for (place, read) in sequences.iter_mut().zip(left) {
            *place = read.bases();
            number += 1;
        }
        match number {
            0 => None,
            _ => find(&sequences[..number]),
        }
    }
}

impl fmt::Debug for Contaminants<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contaminants")
            .field("are_looked_for", &self.find.is_some())
            .finish()
    }
}
