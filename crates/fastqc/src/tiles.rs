//! Qualities by tile and position, of one read in ten.

use std::collections::HashMap;

use crate::positions;

/// Non-empty reads that are all looked at; of those behind them every tenth is.
const ALL: u64 = 10_000;

/// More tiles than these are no tiles.
const MOST: usize = 2500;

/// More counters than these are not kept: names of long reads that look like tiles.
const MOST_COUNTERS: usize = 1 << 24;

/// Which field of a name, between colons, is the tile; `None` if names have none.
pub(crate) fn field_of(head: &[u8]) -> Option<usize> {
    match fields(head) {
        7.. => Some(4),
        5 | 6 => Some(2),
        _ => None,
    }
}

/// Fields between colons of `@` and the head; empty ones at the end do not count.
fn fields(head: &[u8]) -> usize {
    let colons = |text: &[u8]| text.iter().filter(|&&byte| byte == b':').count();
    let trailing = head.iter().rev().take_while(|&&byte| byte == b':').count();
    colons(&head[..head.len() - trailing]) + 1
}

/// The number that is in a field, as Java's `parseInt` reads it.
fn number(head: &[u8], field: usize) -> Option<i32> {
    if fields(head) <= field {
        return None;
    }
    let text = head.split(|&byte| byte == b':').nth(field)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether the non-empty read of this rank, counted from 0, is looked at.
#[inline]
pub(crate) fn is_sampled(rank: u64) -> bool {
    rank < ALL || (rank + 1).is_multiple_of(10)
}

/// Sums of quality letters, and reads, at the counter of each position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    pub(crate) sums: Vec<u64>,
    pub(crate) reads: Vec<u64>,
}

/// What was found of tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    pub(crate) tiles: HashMap<i32, Tile>,
    counters: usize,
    /// Names have none, or what looks like one is something else.
    pub(crate) are_dropped: bool,
}

impl Tiles {
    /// Nothing counted yet, nor ever, if they `are_dropped`.
    pub(crate) fn new(are_dropped: bool) -> Self {
        Tiles {
            are_dropped,
            ..Self::default()
        }
    }

    /// Count a read that is looked at; `field` is where names have their tile, if they do.
    pub(crate) fn add(&mut self, head: &[u8], field: Option<usize>, qualities: &[u8]) {
        if self.are_dropped {
            return;
        }
        let Some(number) = field.and_then(|field| number(head, field)) else {
            self.drop_all();
            return;
        };
        let tile = self.tiles.entry(number).or_default();
        let slots = positions::slots(qualities.len());
        if slots > tile.sums.len() {
            self.counters += slots - tile.sums.len();
            tile.sums.resize(slots, 0);
            tile.reads.resize(slots, 0);
        }
        let (near, far) = qualities.split_at(qualities.len().min(positions::EXACT));
        let counters = tile.sums.iter_mut().zip(&mut tile.reads);
        for (&quality, (sum, reads)) in near.iter().zip(counters) {
            *sum += u64::from(quality);
            *reads += 1;
        }
        for (bin, qualities) in far.chunks(positions::BIN).enumerate() {
            let slot = positions::EXACT + bin;
            tile.sums[slot] += qualities
                .iter()
                .map(|&quality| u64::from(quality))
                .sum::<u64>();
            tile.reads[slot] += qualities.len() as u64;
        }
        self.drop_if_many();
    }

    /// Add what `other` has counted.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.are_dropped || other.are_dropped {
            self.drop_all();
            return;
        }
        for (number, other) in other.tiles {
            let tile = self.tiles.entry(number).or_default();
            for (own, other) in [(&mut tile.sums, other.sums), (&mut tile.reads, other.reads)] {
                if other.len() > own.len() {
                    own.resize(other.len(), 0);
                }
                own.iter_mut()
                    .zip(other)
                    .for_each(|(own, other)| *own += other);
            }
        }
        self.counters = self.tiles.values().map(|tile| tile.sums.len()).sum();
        self.drop_if_many();
    }

    fn drop_if_many(&mut self) {
        // FastQC sees that there are too many when one more comes.
        if self.tiles.len() > MOST + 1 || self.counters > MOST_COUNTERS {
            self.drop_all();
        }
    }

    fn drop_all(&mut self) {
        *self = Tiles::new(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_where_illumina_puts_them() {
        for (head, tile) in [
            ("A00:8:FC:1:1101:10:20 1:N:0:ACGT", Some(1101)),
            ("604:2:17:0:1294/1", Some(17)),
            ("a:b:+7:d:e:f", Some(7)),
            ("a:b:17:d", None),
            ("a:b:17:d::", None),
            ("a:b:c:d:e", None),
            ("a b", None),
            ("", None),
        ] {
            let field = field_of(head.as_bytes());
            let found = field.and_then(|field| number(head.as_bytes(), field));
            assert_eq!(found, tile, "{head}");
        }
    }

    #[test]
    fn one_in_ten_is_looked_at_behind_the_first() {
        let sampled: Vec<u64> = (9_998..10_020).filter(|&rank| is_sampled(rank)).collect();
        assert_eq!(sampled, [9_998, 9_999, 10_009, 10_019]);
    }

    #[test]
    fn too_many_tiles_are_none() {
        let mut tiles = Tiles::default();
        for number in 0..=MOST + 1 {
            assert!(!tiles.are_dropped);
            tiles.add(format!("0:0:{number}:0:0").as_bytes(), Some(2), b"I");
        }
        assert!(tiles.are_dropped && tiles.tiles.is_empty());
    }
}
