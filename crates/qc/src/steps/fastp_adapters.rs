//! The adapters that fastp knows, and how it counts them in reads.
//!
//! Most are from a collection of what makers published, by way of fastp: of the primers and indexes of a kit each has
//! a line. What decides is their letters, how many of them there are, and their order.

use super::known_search::KnownSearch;
use crate::FastpVersion;

/// A sequence, and what fastp calls it.
pub(super) type Adapter = (&'static [u8], &'static str);

/// By their letters, as fastp has them: sequence, tab, name.
const TABLE: &str = include_str!("fastp_adapters.tsv");

/// What came behind 0.23.2.
const NEW: &[u8] = b"AACTGTAGGCACCATCAAT";

/// Letters of an adapter that fastp takes: of a longer one nothing is left.
pub(super) const LONGEST: usize = 60;

/// All adapters that a version knows, in the order in which it looks at them.
pub(super) fn known_to(version: FastpVersion) -> Vec<Adapter> {
    let lines = TABLE.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(sequence, name)| (sequence.as_bytes(), name))
        .filter(|(sequence, _)| version == FastpVersion::V1_3 || *sequence != NEW)
        .collect()
}

/// Reads in which adapters are counted, at most.
const READS: usize = 100_000;

/// Their bases, at most.
const BASES: usize = READS * 1000;

/// No more reads are looked at when more than so many have the same adapter.
const ENOUGH: usize = 1000;

/// Which of `adapters` is frequent in `reads`, as fastp 1.3 counts.
///
/// An adapter that as many letters as a read has, or more, is not looked for in it. When one was in more than 20 reads,
/// those that were in fewer than a tenth of its reads are not looked for any more; nor is any when one was in more than 1000.
pub(super) fn frequent<'a>(
    reads: impl Iterator<Item = &'a [u8]>,
    adapters: &[Adapter],
) -> Option<Adapter> {
    let search = KnownSearch::new(adapters);
    let mut found = search.nothing();
    let mut hits = vec![(0usize, 0usize); adapters.len()];
    let (mut checked, mut bases, mut most) = (0, 0, 0);
    for read in reads {
        checked += 1;
        bases += read.len();
        if checked > READS || bases > BASES || most > ENOUGH {
            break;
        }
        search.find(read, &mut found);
        let adapters = adapters.iter().zip(&found).zip(&mut hits);
        for (((sequence, _), found), (reads, mismatches)) in adapters {
            let is_out = most > 20 && *reads < most / 10;
            let Some(found) = found.filter(|_| sequence.len() < read.len() && !is_out) else {
                continue;
            };
            *reads += 1;
            *mismatches += found.mismatches;
            most = most.max(*reads);
        }
    }
    // Of equals, the first.
    let (best, &(reads, mismatches)) = hits
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, (reads, _))| *reads)?;
    let is_frequent = reads > checked / 50 || (reads > checked / 200 && mismatches < checked);
    is_frequent.then(|| adapters[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_stand_in_the_order_of_their_letters() {
        let known = known_to(FastpVersion::V1_3);
        assert!(known.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(known.iter().all(|(sequence, name)| {
            sequence.len() > 8
                && sequence.iter().all(|base| b"ACGT".contains(base))
                && name.starts_with('>')
        }));
        assert_eq!(known.len(), 234);
        assert_eq!(known_to(FastpVersion::V0_23).len(), 233);
    }

    /// What fastp 1.3.6 printed for 20,000 reads of 100 bases that each read through into one of its adapters.
    #[test]
    fn of_adapters_that_begin_alike_the_shortest_is_printed() {
        let known = known_to(FastpVersion::V1_3);
        let mut state = 3u64;
        let mut base = || {
            state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
            b"ACGT"[(state >> 62) as usize]
        };
        for (name, length, printed) in [
            (">TruSeq_Universal_Adapter", 58, 58),
            (">Illumina TruSeq Adapter Read 1", 33, 33),
            (">RNA_PCR_Primer_Index_1_(RPI1)", 63, 63),
            (">TruSeq_Adapter_Index_5 |", 63, 33),
            (">Reverse_adapter", 64, 33),
            (">RNA PCR Primer, Index 35", 63, 63),
            (">pcr_dimer", 119, 58),
        ] {
            let is_it = |other: &&Adapter| other.1.starts_with(name);
            let (adapter, _) = *known.iter().find(is_it).expect(name);
            assert_eq!(adapter.len(), length, "{name}");
            let reads: Vec<Vec<u8>> = (0..2000)
                .map(|number| {
                    let insert = 20 + number % 20;
                    let mut read: Vec<u8> = (0..insert).map(|_| base()).collect();
                    read.extend_from_slice(adapter);
                    read.resize_with(read.len().max(100), &mut base);
                    read.truncate(100);
                    read
                })
                .collect();
            let found = frequent(reads.iter().map(Vec::as_slice), &known);
            assert_eq!(found.map(|(found, _)| found.len()), Some(printed), "{name}");
        }
    }

    #[test]
    fn of_adapters_that_begin_alike_the_most_frequent_is_taken_then_the_first() {
        let known = known_to(FastpVersion::V1_3);
        let long = b"CTGTCTCTTATACACATCTCCGAGCCCACGAGACTAAGGCGAATCTCGTATGCCG";
        let read = [b"ACGTTGCATTGACCATGCAA".as_slice(), long].concat();
        let sequence = |reads: &[&[u8]]| {
            let reads = (0..300).map(|number| reads[number % reads.len()]);
            frequent(reads, &known).map(|(sequence, _)| sequence)
        };
        // What stands behind the transposase's sequence is one, too.
        let index = b"CCGAGCCCACGAGACTAAGGCGAATCTCGTATGCCGTCTTCTGCTTG".as_slice();
        assert_eq!(sequence(&[&read]), Some(index));
        // Some reads have only the beginning; as far as it goes, several fit.
        let reads = [&read[..], &read[..38]];
        assert_eq!(sequence(&reads), Some(&long[..34]));
        // No adapter is looked for in a read that is no longer.
        assert_eq!(sequence(&[&long[..33]]), None);
        assert_eq!(sequence(&[b"ACGTTGCATTGACCATGCAACAGTC"]), None);
    }
}
