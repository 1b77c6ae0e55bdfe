//! The records of all ranges, in memory and in the file.

use std::marker::PhantomData;

use super::lane::{Lane, Piece};
use super::record::{REACH, Shape};
use crate::count::{DistinctSorter, Kernel};
use crate::database::thk::sort_by_distance;
use crate::error::Result;
use crate::kmer::Kmer;
use crate::unnamed::UnnamedFile;

/// Bits by which a range is cut that is too large.
const CUT_BITS: usize = 8;

/// The most bits that [`Kmer::upper`] gives: k-mers that have them in common stay together.
const MOST_BITS: usize = 32;

/// What all lanes took.
#[derive(Debug)]
pub(super) struct Stored<K: Kmer> {
    shape: Shape,
    file: UnnamedFile,
    /// Of each range.
    pieces: Vec<Vec<Piece>>,
    lanes: Vec<Lane>,
    kernel: Kernel,
    kmers: PhantomData<fn() -> K>,
}

/// k-mers of one range whose upper `bits` bits are a number from `first` to `last`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    bits: usize,
    first: u32,
    last: u32,
}

impl<K: Kmer> Stored<K> {
    pub(super) fn new(shape: Shape, file: UnnamedFile, lanes: Vec<Lane>, kernel: Kernel) -> Self {
        let mut pieces = vec![Vec::new(); shape.ranges()];
        for &piece in lanes.iter().flat_map(Lane::pieces) {
            pieces[piece.range as usize].push(piece);
        }
        Self {
            shape,
            file,
            pieces,
            lanes,
            kernel,
            kmers: PhantomData,
        }
    }

    pub(super) fn ranges(&self) -> usize {
        self.shape.ranges()
    }

    /// The range, in parts of up to `most` records where it has more.
    pub(super) fn spans(
        &self,
        range: usize,
        most: u64,
        buffers: &mut Buffers<K>,
    ) -> Result<Vec<Span>> {
        let whole = Span {
            bits: self.shape.bits,
            first: range as u32,
            last: range as u32,
        };
        let mut spans = Vec::new();
        self.cut(whole, self.records(range), range, most, buffers, &mut spans)?;
        Ok(spans)
    }

    /// Appends parts of `span`, which has so many records.
    fn cut(
        &self,
        span: Span,
        records: u64,
        range: usize,
        most: u64,
        buffers: &mut Buffers<K>,
        spans: &mut Vec<Span>,
    ) -> Result<()> {
        let bits = (span.bits + CUT_BITS).min(MOST_BITS).min(2 * self.shape.k);
        if records <= most || bits == span.bits {
            spans.push(span);
            return Ok(());
        }
        // `span` is one number of `span.bits` bits: those of more bits that begin with it.
        let first = span.first << (bits - span.bits);
        let mut counts = vec![0; 1 << (bits - span.bits)];
        self.visit(range, &mut buffers.bytes, |kmer, _| {
            if span.holds(kmer, self.shape.k) {
                counts[(kmer.upper(bits, self.shape.k) - first) as usize] += 1;
            }
        })?;
        let mut part: Option<(Span, u64)> = None;
        for (number, count) in (first..).zip(counts) {
            let alone = Span {
                bits,
                first: number,
                last: number,
            };
            match &mut part {
                Some((part, sum)) if *sum + count <= most => {
                    part.last = number;
                    *sum += count;
                }
                part => {
                    if let Some((part, sum)) = part.replace((alone, count)) {
                        self.cut_further(part, sum, range, most, buffers, spans)?;
                    }
                }
            }
        }
        match part {
            Some((part, sum)) => self.cut_further(part, sum, range, most, buffers, spans),
            None => Ok(()),
        }
    }

    /// A part of several numbers is small enough.
    fn cut_further(
        &self,
        part: Span,
        records: u64,
        range: usize,
        most: u64,
        buffers: &mut Buffers<K>,
        spans: &mut Vec<Span>,
    ) -> Result<()> {
        if part.first == part.last {
            return self.cut(part, records, range, most, buffers, spans);
        }
        spans.push(part);
        Ok(())
    }

    /// Brings the sorted records of a span into `buffers`.
    pub(super) fn load(&self, range: usize, span: &Span, buffers: &mut Buffers<K>) -> Result<()> {
        let k = self.shape.k;
        let Buffers {
            records,
            scratch,
            distinct,
            bytes,
        } = buffers;
        records.clear();
        let is_whole = span.bits == self.shape.bits;
        if is_whole
            && let Some(sorter) = distinct
            && sorter.begin(self.records(range) as usize)
        {
            let low = self.low_bits();
            let mask = (1 << low) - 1;
            self.visit(range, bytes, |kmer, count| {
                sorter.push(kmer.to_words()[0] & mask, count);
            })?;
            let high = (range as u64) << low;
            let kmer = |number| K::from_words(&[high | number, 0, 0, 0, 0, 0, 0, 0]);
            sorter.sorted(|some| {
                records.extend(some.iter().map(|&(number, count)| (kmer(number), count)));
            });
            return Ok(());
        }
        self.visit(range, bytes, |kmer, count| {
            if is_whole || span.holds(kmer, k) {
                records.push((kmer, count));
            }
        })?;
        sort_by_distance(records, scratch);
        Ok(())
    }

    /// Buffers of one thread.
    pub(super) fn buffers(&self) -> Buffers<K> {
        let is_word = K::MAX_K == u64::MAX_K;
        Buffers {
            records: Vec::new(),
            scratch: Vec::new(),
            distinct: (is_word.then(|| DistinctSorter::new(self.low_bits(), self.kernel)))
                .flatten(),
            bytes: Vec::new(),
        }
    }

    /// Bits of a k-mer that do not tell its range.
    fn low_bits(&self) -> u32 {
        (2 * self.shape.k - self.shape.bits) as u32
    }

    fn records(&self, range: usize) -> u64 {
        self.lanes.iter().map(|lane| lane.records(range)).sum()
    }

    /// Shows all records of a range, in no order.
    fn visit(&self, range: usize, bytes: &mut Vec<u8>, mut see: impl FnMut(K, u64)) -> Result<()> {
        let mut show = |bytes: &[u8], length: usize| {
            let mut at = 0;
            while at < length {
                let (record, length) = self.shape.read(range, &bytes[at..]);
                see(record.0, record.1);
                at += length;
            }
            at == length
        };
        for piece in &self.pieces[range] {
            let length = piece.bytes as usize;
            bytes.resize(length + REACH, 0);
            self.file.read(&mut bytes[..length], piece.offset)?;
            if !show(bytes, length) {
                return Err(self.file.changed());
            }
        }
        for rest in self.lanes.iter().map(|lane| lane.rest(range)) {
            bytes.clear();
            bytes.extend_from_slice(rest);
            bytes.resize(rest.len() + REACH, 0);
            if !show(bytes, rest.len()) {
                return Err(self.file.changed());
            }
        }
        Ok(())
    }
}

impl Span {
    fn holds<K: Kmer>(&self, kmer: K, k: usize) -> bool {
        (self.first..=self.last).contains(&kmer.upper(self.bits, k))
    }
}

/// One thread's buffers.
pub(super) struct Buffers<K: Kmer> {
    /// Those loaded last.
    pub(super) records: Vec<(K, u64)>,
    scratch: Vec<(K, u64)>,
    /// For k-mers of one word.
    distinct: Option<DistinctSorter>,
    bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::super::ranges::tests::{partitions, scattered};

    #[test]
    fn large_ranges_are_cut() {
        let ranges = scattered(&partitions(200_000, true), 1 << 20).0;
        let most = 5000;
        let mut buffers = ranges.buffers();
        let spans = ranges.spans(0, most, &mut buffers).expect("the file");
        // Numbers of four bits at the end, of 16 bases that are told apart: 256 k-mers for each, at most.
        assert!((40..60).contains(&spans.len()), "{} spans", spans.len());
        let mut records = 0;
        for span in &spans {
            ranges.load(0, span, &mut buffers).expect("the file");
            assert!(buffers.records.len() as u64 <= most);
            records += buffers.records.len();
        }
        assert_eq!(records, 200_000);
    }
}
