//! Positions that become one row of a table.

use crate::positions;

/// Neighbouring positions, counted from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
}

impl Group {
    /// As it is written.
    pub(crate) fn label(self) -> String {
        match self.lower == self.upper {
            true => self.lower.to_string(),
            false => format!("{}-{}", self.lower, self.upper),
        }
    }

    /// How many positions it has.
    pub(crate) fn len(self) -> usize {
        self.upper - self.lower + 1
    }
}

/// How positions are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// So that there are fewer than 75 rows, of equal width from the tenth position on.
    #[default]
    Linear,
    /// In groups that get wider the further they are from the start.
    Exponential,
    /// Not at all.
    None,
}

/// The longest reads whose positions all have rows of their own.
const SINGLE: usize = 75;

/// The groups of `length` positions.
pub(crate) fn groups(length: usize, grouping: Grouping) -> Vec<Group> {
    let width_at: Box<dyn Fn(usize) -> usize> = match grouping {
        Grouping::None => Box::new(|_| 1),
        _ if length <= SINGLE => Box::new(|_| 1),
        Grouping::Linear => {
            let interval = linear_interval(length);
            Box::new(move |start| match start {
                ..10 => 1,
                // Wider groups end before multiples of their width.
                10 if interval > 10 => interval - 10,
                _ => interval,
            })
        }
        Grouping::Exponential => Box::new(move |start| match start {
            ..10 => 1,
            10..50 => 5,
            50..100 if length > 200 => 10,
            100..500 if length > 300 => 50,
            500..1000 if length > 1000 => 100,
            1000.. if length > 2000 => 500,
            _ => exponential_before(start, length),
        }),
    };
    let mut groups = Vec::new();
    let mut lower = 1;
    while lower <= length {
        let width = width_at(lower).max(positions::width_at(lower));
        let upper = length.min(lower + width - 1);
        groups.push(Group { lower, upper });
        lower = upper + 1;
    }
    groups
}

/// The width that stays where the reads are too short for the next one.
fn exponential_before(start: usize, length: usize) -> usize {
    match start {
        500.. if length > 1000 => 100,
        100.. if length > 300 => 50,
        50.. if length > 200 => 10,
        _ => 5,
    }
}

/// The smallest of 2, 5, 10, 20, 50, ... with which there are fewer than 75 groups.
fn linear_interval(length: usize) -> usize {
    let mut power = 1;
    loop {
        for step in [2, 5, 10] {
            let interval = step * power;
            if 9 + (length - 9).div_ceil(interval) < SINGLE {
                return interval;
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(length: usize, grouping: Grouping) -> Vec<String> {
        let groups = groups(length, grouping);
        groups.into_iter().map(Group::label).collect()
    }

    #[test]
    fn short_reads_have_a_row_for_each_position() {
        assert_eq!(labels(0, Grouping::Linear), [""; 0]);
        for grouping in [Grouping::Linear, Grouping::Exponential, Grouping::None] {
            assert_eq!(labels(75, grouping).len(), 75);
        }
        assert_eq!(labels(76, Grouping::None).len(), 76);
    }

    #[test]
    fn longer_ones_have_groups_of_equal_width() {
        let of_76 = labels(76, Grouping::Linear);
        assert_eq!(of_76[8..11], ["9", "10-11", "12-13"]);
        assert_eq!(of_76.last().map(String::as_str), Some("76"));
        assert_eq!(labels(251, Grouping::Linear)[9..11], ["10-14", "15-19"]);
        let long = labels(19_214, Grouping::Linear);
        assert_eq!(long[9..11], ["10-499", "500-999"]);
        assert_eq!(long.last().map(String::as_str), Some("19000-19214"));
        for length in 76..3000 {
            assert!(labels(length, Grouping::Linear).len() < 76);
        }
    }

    #[test]
    fn exponential_groups_widen() {
        let groups = labels(2500, Grouping::Exponential);
        for label in ["9", "10-14", "50-59", "100-149", "500-599", "1000-1499"] {
            assert!(groups.iter().any(|group| group == label), "{label}");
        }
        assert!(
            labels(150, Grouping::Exponential)
                .iter()
                .any(|group| group == "100-104")
        );
    }

    #[test]
    fn no_group_is_narrower_than_what_is_told_apart() {
        let far = positions::EXACT + 2500;
        for grouping in [Grouping::Exponential, Grouping::None] {
            let last = labels(far, grouping).pop();
            assert_eq!(last, Some(format!("{}-{far}", positions::EXACT + 2001)));
        }
    }
}
