//! The section of numbers for each node.

use thalweg_files::write_varint;

use super::header::SectionName;
use super::input::Input;
use crate::Result;
use crate::record::K;

/// Numbers of G and C that a k-mer can have.
pub const GC_BINS: usize = *K.end() + 1;

/// What the references of one node, and of all below it, have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeStatistics {
    /// Their bases.
    pub bases: u64,
    /// How many sequences they are.
    pub sequences: u64,
    /// How many genomes they are taken for: a file's sequences of one leaf are one.
    pub genomes: u64,
    /// Those of their distinct canonical k-mers that no other reference has.
    pub specific: u64,
    /// Their distinct canonical k-mers, by how many of their bases are G or C.
    pub by_gc: [u64; GC_BINS],
}

impl NodeStatistics {
    /// Their distinct canonical k-mers.
    pub fn kmers(&self) -> u64 {
        self.by_gc.iter().sum()
    }
}

/// The bytes of the section, for k-mers of `k` bases.
pub(super) fn write(statistics: &[NodeStatistics], k: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64 * statistics.len());
    for node in statistics {
        let numbers = [node.bases, node.sequences, node.genomes, node.specific];
        for number in numbers.into_iter().chain(node.by_gc[..=k].iter().copied()) {
            write_varint(&mut bytes, number);
        }
    }
    bytes
}

/// The numbers of `nodes` nodes, for k-mers of `k` bases.
///
/// # Errors
/// They are not so many, or cannot all be true.
pub(super) fn read(bytes: &[u8], nodes: usize, k: usize) -> Result<Vec<NodeStatistics>> {
    let mut input = Input::new(bytes, SectionName::Stat);
    let mut statistics = Vec::new();
    for node in 0..nodes {
        let mut of_node = NodeStatistics {
            bases: input.number()?,
            sequences: input.number()?,
            genomes: input.number()?,
            specific: input.number()?,
            by_gc: [0; GC_BINS],
        };
        let mut kmers = Some(0_u64);
        for count in &mut of_node.by_gc[..=k] {
            *count = input.number()?;
            kmers = kmers.and_then(|kmers| kmers.checked_add(*count));
        }
        if kmers.is_none_or(|kmers| of_node.specific > kmers) {
            return Err(input.fault(&format!("the k-mers of node {node} cannot be true")));
        }
        statistics.push(of_node);
    }
    input.end()?;
    Ok(statistics)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<NodeStatistics> {
        let mut by_gc = [0; GC_BINS];
        by_gc[..3].copy_from_slice(&[7, 0, u64::MAX - 9]);
        let one = NodeStatistics {
            bases: u64::MAX,
            sequences: 3,
            genomes: 2,
            specific: u64::MAX - 2,
            by_gc,
        };
        vec![one, NodeStatistics::default()]
    }

    #[test]
    fn numbers_come_back() {
        let bytes = write(&some(), 20);
        assert_eq!(read(&bytes, 2, 20).unwrap(), some());
        assert_eq!(some()[0].kmers(), u64::MAX - 2);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let bytes = write(&some(), 20);
        for (nodes, k) in [(1, 20), (3, 20), (2, 21), (2, 19)] {
            assert!(read(&bytes, nodes, k).is_err(), "{nodes} nodes, k = {k}");
        }
        let mut more_specific = some();
        more_specific[0].specific += 1;
        assert!(read(&write(&more_specific, 20), 2, 20).is_err());
        let mut too_many = some();
        too_many[0].by_gc[5] = 3;
        assert!(read(&write(&too_many, 20), 2, 20).is_err());
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], 2, 20).is_err(), "{length} bytes");
        }
    }
}
