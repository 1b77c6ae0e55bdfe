//! Reads whose index is on a list vanish.

use super::umi::{first_index, last_index};
use crate::{Options, Read};

/// Removes reads by the index in their names.
#[derive(Clone, Debug)]
pub(crate) struct IndexFilter {
    first: Vec<Vec<u8>>,
    last: Vec<Vec<u8>>,
    threshold: usize,
}

impl IndexFilter {
    pub(crate) fn new(options: &Options) -> Option<Self> {
        let filter = IndexFilter {
            first: options.filter_by_index1.clone(),
            last: options.filter_by_index2.clone(),
            threshold: options.filter_by_index_threshold,
        };
        (!filter.first.is_empty() || !filter.last.is_empty()).then_some(filter)
    }

    /// Whether a read or pair is to be removed. Both indexes stand in the name of
    /// each mate; the second is taken from the second.
    pub(crate) fn removes(&self, read: &Read<'_>, mate: Option<&Read<'_>>) -> bool {
        let second = mate.unwrap_or(read);
        self.is_listed(&self.first, first_index(read.head()))
            || self.is_listed(&self.last, last_index(second.head()))
    }

    /// Whether `index` differs from one of the `list` in at most so many places, as
    /// far as both go.
    fn is_listed(&self, list: &[Vec<u8>], index: &[u8]) -> bool {
        list.iter().any(|listed| {
            let differences = listed.iter().zip(index).filter(|(a, b)| a != b).count();
            differences <= self.threshold
        })
    }
}
