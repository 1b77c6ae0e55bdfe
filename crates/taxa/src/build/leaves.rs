//! Numbers for the taxa that sequences are of, while it is not known yet which ones will come.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::oriented::MOST_LEAVES;
use crate::{Error, ErrorKind, Node, Result};

/// Nodes by the order in which they came first: whichever thread they came to, equal ones have one number.
#[derive(Debug, Default)]
pub(super) struct Leaves(Mutex<Numbered>);

#[derive(Debug, Default)]
struct Numbered {
    numbers: HashMap<Node, u32>,
    nodes: Vec<Node>,
}

/// What one thread knows of them.
#[derive(Debug, Default)]
pub(super) struct Known {
    last: Option<(Node, u32)>,
    numbers: HashMap<Node, u32>,
}

/// All of them, when no more can come.
#[derive(Debug)]
pub(super) struct InOrder {
    /// In depth-first order.
    pub(super) nodes: Vec<Node>,
    /// By number: the place among these.
    pub(super) places: Vec<u32>,
}

impl Leaves {
    /// The number of a node.
    pub(super) fn number(&self, node: Node, known: &mut Known) -> Result<u32> {
        match known.last {
            Some((last, number)) if last == node => return Ok(number),
            _ => {}
        }
        let number = match known.numbers.get(&node) {
            Some(&number) => number,
            None => self.number_of(node)?,
        };
        known.numbers.insert(node, number);
        known.last = Some((node, number));
        Ok(number)
    }

    fn number_of(&self, node: Node) -> Result<u32> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = all.nodes.len() as u32;
        if let Some(&number) = all.numbers.get(&node) {
            return Ok(number);
        }
        if next == MOST_LEAVES {
            let limit = MOST_LEAVES as usize;
            return Err(Error::new(ErrorKind::TooManyLeaves { limit }));
        }
        all.numbers.insert(node, next);
        all.nodes.push(node);
        Ok(next)
    }

    /// Those that came so far.
    pub(super) fn in_order(&self) -> InOrder {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut nodes = all.nodes.clone();
        nodes.sort_unstable();
        let mut places = vec![0; nodes.len()];
        for (place, node) in nodes.iter().enumerate() {
            places[all.numbers[node] as usize] = place as u32;
        }
        InOrder { nodes, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_on_all_threads_and_places_in_order() {
        let leaves = Leaves::default();
        let [mut one, mut other] = [Known::default(), Known::default()];
        let mut numbers = Vec::new();
        for node in [7, 3, 7, 9, 3, 1] {
            let number = leaves.number(Node(node), &mut one).unwrap();
            assert_eq!(leaves.number(Node(node), &mut other).unwrap(), number);
            numbers.push(number);
        }
        assert_eq!(numbers, [0, 1, 0, 2, 1, 3]);
        let all = leaves.in_order();
        assert_eq!(all.nodes, [1, 3, 7, 9].map(Node));
        assert_eq!(all.places, [2, 1, 3, 0]);
    }
}
