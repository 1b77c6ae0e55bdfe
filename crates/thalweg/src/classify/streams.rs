//! What outputs get of each read.

use std::io::Write;
use std::ops::Range;

use thalweg_reads::Record;
use thalweg_taxa::taxonomy::{Node, Taxid, Taxonomy};

/// What one output gets, in the order of the input.
#[derive(Clone, Debug)]
pub enum Stream {
    /// A line for each read or pair.
    Labels,
    /// A line for each read or pair that has a taxon, as CAMI's binning has it. What comes before is
    /// [`bins_head`](thalweg_taxa::report::cami::bins_head), as the [head](thalweg_write::OutputOptions::head) of the output.
    Bins,
    /// Some of the reads themselves.
    Reads(ReadStream),
    /// A value for each read or pair, of a trace of this format; what comes before is its
    /// [header](crate::trace::TraceOutput::options). Behind the last one the job writes what it ends with. At most one output gets it.
    Trace(crate::trace::TraceFormat),
}

/// Reads that go to one output.
#[derive(Clone, Debug)]
pub struct ReadStream {
    /// By their calls: both mates of a pair go the same way.
    pub chosen: Chosen,
    /// Only first mates (0), or second ones (1); of `None` both, behind each other. Single reads are first mates.
    pub mate: Option<usize>,
    /// How they are written.
    pub form: Form,
}

/// Which reads are chosen.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// Those that are called to be of these taxa.
    Of(Taxa),
    /// All others, also without a call.
    Except(Taxa),
    /// Those with a call.
    Classified,
    /// Those without.
    Unclassified,
}

/// How reads are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Byte for byte as they came; a last line without its end gets one.
    AsTheyCame,
    /// As kraken2 does: sequence and qualities on one line each, ` kraken:taxid|N` behind the header of those with a call, and
    /// an `x` in place of letters whose quality is too low.
    Kraken,
}

/// Some taxa, and all that is below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taxa {
    /// Numbers of nodes, ascending; no two touch.
    ranges: Vec<Range<u32>>,
}

impl Taxa {
    /// The taxa with these taxids, and all below.
    ///
    /// # Errors
    /// The first taxid that the taxonomy does not have.
    pub fn at_or_below(taxonomy: &Taxonomy, taxids: &[Taxid]) -> Result<Self, Taxid> {
        let range = |&taxid| {
            taxonomy
                .node(taxid)
                .map(|node| taxonomy.range(node))
                .ok_or(taxid)
        };
        let mut all = taxids.iter().map(range).collect::<Result<Vec<_>, _>>()?;
        all.sort_unstable_by_key(|range| range.start);
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(all.len());
        for range in all {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        Ok(Self { ranges })
    }

    /// Whether a node is one of them. Cost: logarithmic in their number.
    #[inline]
    pub fn contains(&self, node: Node) -> bool {
        let before = self.ranges.partition_point(|range| range.start <= node.0);
        before > 0 && node.0 < self.ranges[before - 1].end
    }
}

impl Chosen {
    /// Whether a read with this call is chosen.
    #[inline]
    pub fn takes(&self, call: Option<Node>) -> bool {
        match self {
            Self::Of(taxa) => call.is_some_and(|node| taxa.contains(node)),
            Self::Except(taxa) => !call.is_some_and(|node| taxa.contains(node)),
            Self::Classified => call.is_some(),
            Self::Unclassified => call.is_none(),
        }
    }
}

impl ReadStream {
    /// Append what of a read or pair goes there to `text`; returns how many records that are.
    ///
    /// `letters` are those of the records as they were looked up; `call` is a node and its taxid.
    pub(super) fn write(
        &self,
        records: &[Record<'_>],
        letters: &[impl AsRef<[u8]>],
        call: Option<(Node, Taxid)>,
        text: &mut Vec<u8>,
    ) -> u64 {
        if !self.chosen.takes(call.map(|(node, _)| node)) {
            return 0;
        }
        let mut written = 0;
        for (mate, (record, letters)) in records.iter().zip(letters).enumerate() {
            if self.mate.is_some_and(|wanted| wanted != mate) {
                continue;
            }
            match self.form {
                Form::AsTheyCame => record.append_to(text),
                Form::Kraken => write_as_kraken2(record, letters.as_ref(), call, text),
            }
            written += 1;
        }
        written
    }
}

fn write_as_kraken2(
    record: &Record<'_>,
    letters: &[u8],
    call: Option<(Node, Taxid)>,
    text: &mut Vec<u8>,
) {
    text.push(if record.has_qualities() { b'@' } else { b'>' });
    text.extend_from_slice(record.head().trim_ascii_end());
    if let Some((_, taxid)) = call {
        // Into memory, which does not fail.
        let _ = write!(text, " kraken:taxid|{}", taxid.0);
    }
    text.push(b'\n');
    text.extend_from_slice(letters);
    text.push(b'\n');
    if let Some(quality) = record.quality() {
        text.extend_from_slice(b"+\n");
        text.extend_from_slice(&quality);
        text.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use thalweg_taxa::taxonomy::Taxdump;

    use super::*;

    #[test]
    fn taxa_have_all_below_them() {
        let mut dump = Taxdump::new();
        let parents = [(1, 1), (2, 1), (5, 2), (7, 2), (9, 7), (3, 1), (4, 3)];
        let nodes: String = (parents.iter())
            .map(|(taxid, parent)| format!("{taxid}\t|\t{parent}\t|\tno rank\t|\n"))
            .collect();
        dump.read_nodes(nodes.as_bytes(), Path::new("nodes.dmp"))
            .unwrap();
        let taxonomy = dump.finish().unwrap();
        let above = |mut taxid: u32| {
            let mut path = vec![taxid];
            while taxid != 1 {
                taxid = parents.iter().find(|(child, _)| *child == taxid).unwrap().1;
                path.push(taxid);
            }
            path
        };
        for chosen in [&[][..], &[1], &[7], &[9, 5], &[5, 7, 3], &[4, 2, 9, 9]] {
            let taxids: Vec<Taxid> = chosen.iter().copied().map(Taxid).collect();
            let taxa = Taxa::at_or_below(&taxonomy, &taxids).unwrap();
            for (taxid, _) in parents {
                let node = taxonomy.node(Taxid(taxid)).unwrap();
                let wanted = above(taxid).iter().any(|taxid| chosen.contains(taxid));
                assert_eq!(taxa.contains(node), wanted, "{taxid} of {chosen:?}");
            }
        }
        let unknown = Taxa::at_or_below(&taxonomy, &[Taxid(2), Taxid(8)]);
        assert_eq!(unknown, Err(Taxid(8)));
    }
}
