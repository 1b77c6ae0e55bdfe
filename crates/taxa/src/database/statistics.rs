//! The section of numbers for each node.

use super::header::SectionName;
use super::input::fault;
use crate::Result;

/// What the references of one node, and of all below it, have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeStatistics {
    /// Their bases.
    pub bases: u64,
    /// How many sequences they are.
    pub sequences: u64,
    /// Their distinct canonical k-mers.
    pub kmers: u64,
    /// Those of these that no other reference has.
    pub specific: u64,
}

/// Columns that this version knows.
const COLUMNS: usize = 4;

impl NodeStatistics {
    fn columns(&self) -> [u64; COLUMNS] {
        [self.bases, self.sequences, self.kmers, self.specific]
    }
}

/// The bytes of the section.
pub(super) fn write(statistics: &[NodeStatistics]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 * (1 + COLUMNS * statistics.len()));
    bytes.extend((COLUMNS as u64).to_le_bytes());
    for column in 0..COLUMNS {
        let column = (statistics.iter()).map(|node| node.columns()[column]);
        column.for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    bytes
}

/// The numbers of `nodes` nodes. Columns behind the known ones may be there.
///
/// # Errors
/// There are too few.
pub(super) fn read(bytes: &[u8], nodes: usize) -> Result<Vec<NodeStatistics>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let number = |at: usize| {
        numbers
            .get(at)
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let columns = number(0);
    let expected = (columns.checked_mul(nodes as u64)).and_then(|cells| cells.checked_add(1));
    if columns < COLUMNS as u64 || expected != Some(numbers.len() as u64) || !rest.is_empty() {
        return Err(fault(
            SectionName::Stat,
            "it has not the length of its columns",
        ));
    }
    let of_node = |node: usize| {
        let [bases, sequences, kmers, specific] =
            std::array::from_fn(|column| number(1 + column * nodes + node));
        NodeStatistics {
            bases,
            sequences,
            kmers,
            specific,
        }
    };
    Ok((0..nodes).map(of_node).collect())
}
