//! What a read is as a line of text, as kraken2 writes it.
//!
//! ```text
//! C  read/id  562  150|148  562:71 0:3 561:46 |:| A:31 562:87
//! │  │        │    │        └ runs of k-mers: taxid:number, A for k-mers with a letter that is no base, |:| between mates
//! │  │        │    └ letters, of both mates
//! │  │        └ taxid of the call, 0 for none
//! │  └ up to the first space; of pairs without /1 and /2
//! └ C: classified, U: unclassified
//! ```
//! Fields are separated by tabs. A run shows the lowest taxon that has all of the k-mers' set at or below it, whatever the
//! rule: it is what kraken2's database would hold for them. Runs of equal taxids are one; 0 is for k-mers that are in no
//! set. Without k-mers there is `0:0` for a read, and nothing beside the `|:|` for a mate. Where a hit list ends with `A`
//! a space follows, as in kraken2.
//!
//! With [`Columns::more`] there are six more: code of the rank (`-` without a taxon), score, taxid of the runner-up (0 for
//! none), its score, identity, and why it is this taxon ([`Reason`](crate::classify::Reason)).

use std::io::Write;

use crate::classify::{Call, Hits};
use crate::taxonomy::{Node, RankCode, Taxonomy};

/// What lines have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// `Escherichia coli (taxid 562)` in place of `562`.
    pub names: bool,
    /// The columns that kraken2 does not have.
    pub more: bool,
}

/// Writes lines, all of the same columns.
#[derive(Debug)]
pub struct Labels<'a> {
    taxonomy: &'a Taxonomy,
    k: usize,
    columns: Columns,
    /// By node, where they are needed.
    ranks: Vec<RankCode>,
}

impl<'a> Labels<'a> {
    /// For calls with k-mers of `k` bases.
    pub fn new(taxonomy: &'a Taxonomy, k: usize, columns: Columns) -> Self {
        let ranks = match columns.more {
            true => taxonomy.rank_codes(),
            false => Vec::new(),
        };
        Self {
            taxonomy,
            k,
            columns,
            ranks,
        }
    }

    /// Appends the line of a read, or of both mates of a pair, to `out`.
    ///
    /// `id` is that of the read, or of the first mate; `node_of` tells the node of a set.
    pub fn write(
        &self,
        id: &[u8],
        mates: &[Hits<'_>],
        call: &Call,
        node_of: impl FnMut(u32) -> Node,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(match call.node {
            Some(_) => b"C\t",
            None => b"U\t",
        });
        out.extend_from_slice(match mates {
            [_, _] => without_mate(id),
            _ => id,
        });
        out.push(b'\t');
        self.write_taxon(call.node, out);
        out.push(b'\t');
        for (i, mate) in mates.iter().enumerate() {
            if i > 0 {
                out.push(b'|');
            }
            write_number(mate.letters.len() as u64, out);
        }
        out.push(b'\t');
        self.write_hits(mates, node_of, out);
        if self.columns.more {
            self.write_more(call, out);
        }
        out.push(b'\n');
    }

    fn write_taxon(&self, node: Option<Node>, out: &mut Vec<u8>) {
        let taxid = node.map_or(0, |node| self.taxonomy.taxid(node).0);
        if !self.columns.names {
            return write_number(taxid.into(), out);
        }
        let name = node.map_or("unclassified", |node| self.taxonomy.name(node));
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b" (taxid ");
        write_number(taxid.into(), out);
        out.push(b')');
    }

    fn write_hits(
        &self,
        mates: &[Hits<'_>],
        mut node_of: impl FnMut(u32) -> Node,
        out: &mut Vec<u8>,
    ) {
        let mut list = HitList {
            out,
            current: None,
            is_empty: true,
        };
        for (i, mate) in mates.iter().enumerate() {
            if i > 0 {
                list.end_mate();
            }
            let all = (mate.letters.len() + 1).saturating_sub(self.k);
            let mut at = 0;
            for run in mate.runs {
                list.add(Hit::Ambiguous, (run.start - at) as u64);
                let taxid = match run.set {
                    0 => 0,
                    set => self.taxonomy.taxid(node_of(set)).0,
                };
                list.add(Hit::Taxid(taxid), run.kmers.into());
                at = run.start + run.kmers as usize;
            }
            list.add(Hit::Ambiguous, all.saturating_sub(at) as u64);
        }
        list.finish(mates.len() > 1);
    }

    fn write_more(&self, call: &Call, out: &mut Vec<u8>) {
        let rank = call.node.map(|node| self.ranks[node.0 as usize]);
        let (runner_up, its_score) = match call.runner_up {
            Some((node, score)) => (self.taxonomy.taxid(node).0, score),
            None => (0, 0.0),
        };
        let (score, identity) = (call.score, call.identity(self.k));
        let word = call.reason.word();
        out.push(b'\t');
        let rank = match rank {
            Some(rank) => write!(out, "{rank}"),
            None => write!(out, "-"),
        };
        let rest = write!(
            out,
            "\t{score:.3}\t{runner_up}\t{its_score:.3}\t{identity:.4}\t{word}"
        );
        rank.and(rest).expect("a vector takes all");
    }
}

/// What a k-mer is in a hit list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hit {
    Taxid(u32),
    Ambiguous,
}

struct HitList<'a> {
    out: &'a mut Vec<u8>,
    /// What has not been written yet.
    current: Option<(Hit, u64)>,
    /// Of this list.
    is_empty: bool,
}

impl HitList<'_> {
    #[inline]
    fn add(&mut self, hit: Hit, kmers: u64) {
        if kmers == 0 {
            return;
        }
        match &mut self.current {
            Some((last, number)) if *last == hit => *number += kmers,
            _ => {
                self.flush();
                self.current = Some((hit, kmers));
            }
        }
    }

    fn end_mate(&mut self) {
        self.flush();
        self.space();
        self.out.extend_from_slice(b"|:|");
    }

    fn finish(mut self, is_pair: bool) {
        let ends_ambiguous = matches!(self.current, Some((Hit::Ambiguous, _)));
        self.flush();
        if ends_ambiguous {
            self.out.push(b' ');
        } else if self.is_empty && !is_pair {
            self.out.extend_from_slice(b"0:0");
        }
    }

    fn flush(&mut self) {
        let Some((hit, kmers)) = self.current.take() else {
            return;
        };
        // From the last letter to the first: a space, ten digits, a colon, and twenty digits at most.
        let mut entry = [0; 32];
        let mut at = put_number(&mut entry, 32, kmers) - 1;
        entry[at] = b':';
        match hit {
            Hit::Taxid(taxid) => at = put_number(&mut entry, at, taxid.into()),
            Hit::Ambiguous => {
                at -= 1;
                entry[at] = b'A';
            }
        }
        if !std::mem::replace(&mut self.is_empty, false) {
            at -= 1;
            entry[at] = b' ';
        }
        self.out.extend_from_slice(&entry[at..]);
    }

    /// Between entries.
    fn space(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b' ');
        }
    }
}

/// The name of a pair, as kraken2 has it: without `/1` or `/2`.
pub fn without_mate(id: &[u8]) -> &[u8] {
    match id {
        [name @ .., b'/', b'1' | b'2'] if !name.is_empty() => name,
        _ => id,
    }
}

fn write_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let at = put_number(&mut digits, 20, number);
    out.extend_from_slice(&digits[at..]);
}

/// Puts the digits of a number before `end`; returns where they begin.
#[inline]
fn put_number(digits: &mut [u8], end: usize, mut number: u64) -> usize {
    let mut at = end;
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{without_mate, write_number};

    #[test]
    fn names_lose_their_mate() {
        for (id, name) in [
            ("a/1", "a"),
            ("a/2", "a"),
            ("a/3", "a/3"),
            ("a/1/2", "a/1"),
            ("/1", "/1"),
            ("a_1", "a_1"),
            ("1", "1"),
            ("", ""),
        ] {
            assert_eq!(without_mate(id.as_bytes()), name.as_bytes());
        }
    }

    #[test]
    fn numbers_are_written() {
        for number in [0, 7, 10, 99, 4_294_967_296, u64::MAX] {
            let mut out = Vec::new();
            write_number(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
