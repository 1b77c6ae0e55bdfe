//! The encoders of the threads of a count.

use super::encoder::Encoder;
use crate::kmer::Kmer;

/// Encoders that are not in use, and those in the middle of a partition.
#[derive(Debug)]
pub(super) struct Encoders<K: Kmer> {
    pub(super) idle: Vec<Encoder<K>>,
    pub(super) busy: Vec<(u32, Encoder<K>)>,
}

impl<K: Kmer> Default for Encoders<K> {
    fn default() -> Self {
        Encoders {
            idle: Vec::new(),
            busy: Vec::new(),
        }
    }
}
