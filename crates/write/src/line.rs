//! A waiting room: what arrives in any order leaves in the order of its place.

use std::collections::BTreeMap;

use thalweg_flow::Place;

/// Values that wait for those before them.
pub(crate) struct Line<T> {
    waiting: BTreeMap<(u64, u64), (T, bool)>,
    next: (u64, u64),
}

impl<T> Line<T> {
    pub(crate) fn new() -> Self {
        Self {
            waiting: BTreeMap::new(),
            next: (0, 0),
        }
    }

    /// Let a value wait. Returns whether its place was free.
    pub(crate) fn insert(&mut self, place: Place, value: T) -> bool {
        let key = (place.ticket, place.piece);
        if key < self.next || self.waiting.contains_key(&key) {
            return false;
        }
        self.waiting.insert(key, (value, place.last));
        true
    }

    /// The value whose turn it is, if it is there.
    pub(crate) fn pop(&mut self) -> Option<(Place, T)> {
        let (ticket, piece) = self.next;
        let (value, last) = self.waiting.remove(&self.next)?;
        self.next = if last {
            (ticket + 1, 0)
        } else {
            (ticket, piece + 1)
        };
        let place = Place {
            ticket,
            piece,
            last,
        };
        Some((place, value))
    }

    /// The first ticket that has not left wholly.
    pub(crate) fn ticket(&self) -> u64 {
        self.next.0
    }

    /// Whether tickets `0..tickets` have left, and nothing else has come.
    pub(crate) fn is_complete(&self, tickets: u64) -> bool {
        self.waiting.is_empty() && self.next == (tickets, 0)
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(ticket: u64, piece: u64, last: bool) -> Place {
        Place {
            ticket,
            piece,
            last,
        }
    }

    #[test]
    fn values_leave_in_order_and_each_place_once() {
        let mut line = Line::new();
        assert!(line.insert(place(1, 0, true), 'c'));
        assert!(line.pop().is_none());
        assert!(line.insert(place(0, 1, true), 'b'));
        assert!(!line.insert(place(0, 1, true), 'b'));
        assert!(line.insert(place(0, 0, false), 'a'));
        let left: String = std::iter::from_fn(|| line.pop()).map(|(_, c)| c).collect();
        assert_eq!(left, "abc");
        assert!(line.is_complete(2) && !line.is_complete(3));
        assert!(!line.insert(place(0, 0, true), 'd'));
    }
}
