//! Pairs and single reads, told apart by the first records of a file.

/// Which mates the first records of a file are, in a format in which records say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstMates {
    has_first: bool,
    has_second: bool,
}

impl FirstMates {
    /// Those of records that are mate 1, mate 2, or of no pair; `None` if there is no record.
    pub(crate) fn of(mates: impl IntoIterator<Item = Option<u8>>) -> Option<Self> {
        let mut found = None;
        for mate in mates {
            let first_mates: &mut Self = found.get_or_insert(Self {
                has_first: false,
                has_second: false,
            });
            first_mates.has_first |= mate == Some(1);
            first_mates.has_second |= mate == Some(2);
        }
        found
    }

    /// Returns whether there are first and second mates.
    pub(crate) fn are_pairs(self) -> bool {
        self.has_first && self.has_second
    }

    /// Returns whether a later record may be of this kind, if the file is taken as single reads: it may be of no pair, or the mate
    /// that the first records are. A file of first mates alone has single reads; one that goes on with pairs has not.
    #[inline]
    pub(crate) fn allow(self, mate: Option<u8>) -> bool {
        match mate {
            None => true,
            Some(1) => self.has_first,
            Some(_) => self.has_second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_mates_are_those_that_came_first() {
        let (none, first, second) = (None, Some(1), Some(2));
        assert!(FirstMates::of([]).is_none());
        for (mates, are_pairs, allowed) in [
            (&[none][..], false, &[none][..]),
            (&[first, first], false, &[none, first]),
            (&[none, second], false, &[none, second]),
            (&[none, second, first], true, &[none, first, second]),
        ] {
            let found = FirstMates::of(mates.iter().copied()).unwrap();
            assert_eq!(found.are_pairs(), are_pairs, "{mates:?}");
            for mate in [none, first, second] {
                assert_eq!(
                    found.allow(mate),
                    allowed.contains(&mate),
                    "{mates:?}, {mate:?}"
                );
            }
        }
    }
}
