//! Reads whose index is on a list vanish.

use super::umi::{first_index, last_index};
use crate::{Mode, Options, Read};

/// Removes reads by the index in their names.
#[derive(Clone, Debug)]
pub(crate) struct IndexFilter {
    first: Vec<Vec<u8>>,
    last: Vec<Vec<u8>>,
    threshold: usize,
    mode: Mode,
}

impl IndexFilter {
    pub(crate) fn new(options: &Options) -> Option<Self> {
        // fastp looks for the second index in the name of read 2 only.
        let ignores_last = !options.paired && !options.mode.is_correct();
        let filter = IndexFilter {
            first: options.filter_by_index1.clone(),
            last: match ignores_last {
                true => Vec::new(),
                false => options.filter_by_index2.clone(),
            },
            threshold: options.filter_by_index_threshold,
            mode: options.mode,
        };
        (!filter.first.is_empty() || !filter.last.is_empty()).then_some(filter)
    }

    /// Whether a read or pair is to be removed. Both indexes stand in the name of
    /// each mate; the second is taken from the second, or from the one read that there is.
    pub(crate) fn removes(&self, read: &Read<'_>, mate: Option<&Read<'_>>) -> bool {
        let second = mate.unwrap_or(read);
        self.is_listed(&self.first, first_index(read.head()))
            || self.is_listed(&self.last, last_index(second.head()))
    }

    /// Whether `index` differs from one of the `list` in at most so many places, as
    /// far as both go. A name without index is on no list, but fastp finds that it does
    /// not differ from any.
    fn is_listed(&self, list: &[Vec<u8>], index: &[u8]) -> bool {
        if index.is_empty() && self.mode.is_correct() {
            return false;
        }
        list.iter().any(|listed| {
            let differences = listed.iter().zip(index).filter(|(a, b)| a != b).count();
            differences <= self.threshold
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FastpVersion;

    #[test]
    fn names_without_index_stay() {
        let listed = |mode, index: &[u8]| {
            let filter = IndexFilter::new(&Options {
                mode,
                filter_by_index1: vec![b"ATCACG".to_vec()],
                filter_by_index_threshold: 1,
                ..Options::default()
            });
            let filter = filter.expect("a list");
            filter.is_listed(&filter.first, index)
        };
        for mode in [Mode::Correct, Mode::Fastp(FastpVersion::V1_3)] {
            assert!(listed(mode, b"ATCACG"));
            assert!(listed(mode, b"ATCACC"));
            assert!(!listed(mode, b"ATCTCC"));
            assert_eq!(listed(mode, b""), !mode.is_correct());
        }
    }

    #[test]
    fn single_reads_have_a_second_index_too_but_not_to_fastp() {
        let filter = |mode, paired| {
            IndexFilter::new(&Options {
                mode,
                paired,
                filter_by_index2: vec![b"TTAGGA".to_vec()],
                ..Options::default()
            })
        };
        assert!(filter(Mode::Correct, false).is_some());
        for version in [FastpVersion::V0_23, FastpVersion::V1_3] {
            assert!(filter(Mode::Fastp(version), false).is_none());
            assert!(filter(Mode::Fastp(version), true).is_some());
        }
    }
}
