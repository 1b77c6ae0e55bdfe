//! Super-k-mers cut out of a segment and brought to their partitions.
//!
//! ```text
//! for each run of valid bases:
//!   list the windows behind which the least m-mer changes             (without a branch for each)
//!   for each stretch between two of them, at most k - m + 1 k-mers:
//!     cut the record from the strand that the minimizer is on
//!     append it to the partition of the minimizer
//! ```

use crate::{
    encode::Encoded,
    error::Result,
    minimizer::Minimizers,
    partition::{BlockSink, Stages, Store},
    record,
    scheme::Scheme,
};

/// k-mers that begin in one segment: what is computed of it (16 bytes per base) stays in the
/// first-level cache, and the k - 1 bases that are seen twice are few.
pub const SEGMENT: usize = 2048;

/// A segment whose minimizers are known.
#[derive(Clone, Copy)]
pub struct Segment<'a> {
    /// Its bases.
    pub encoded: &'a Encoded,
    /// Those of its windows, by the scheme.
    pub minimizers: &'a Minimizers,
    /// What decides where to cut.
    pub scheme: Scheme,
    /// Whether records are stored as the strand of their minimizer reads.
    pub canonical: bool,
}

/// What every record of a segment is cut with.
#[derive(Clone, Copy)]
struct Cutter<'a> {
    packed: &'a [u64],
    least: &'a [u32],
    reverse_end: usize,
    overlap: usize,
    scheme: Scheme,
    canonical: bool,
}

impl Cutter<'_> {
    /// Cuts the record of the windows `start..end` and pushes it to its partition.
    #[inline(always)]
    fn push<const N: usize, S: BlockSink>(
        &self,
        start: usize,
        end: usize,
        stages: &mut Stages<S>,
    ) -> Result<()> {
        let value = self.least[start];
        let end = end + self.overlap;
        // Which strand it is cannot be predicted: a choice between two numbers, not a branch.
        let strands = [2 * start, self.reverse_end - 2 * end];
        let reverse = self.canonical & (value & 1 == 1);
        let len = end - start;
        let record = record::cut::<N>(self.packed, strands[usize::from(reverse)], len);
        let partition = self.scheme.partition(value);
        stages.push(partition, record, record::bytes_for(len))
    }
}

/// What was cut out of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cuts {
    /// Windows of k valid bases.
    pub kmers: u64,
    /// Super-k-mers.
    pub records: u64,
}

/// Where the stretches of a run end: each the number of the window behind its last.
#[derive(Debug)]
pub struct Ends {
    /// One for each window, and a vector more for kernels that write whole ones.
    windows: Box<[u16]>,
    len: usize,
}

impl Default for Ends {
    fn default() -> Self {
        Self {
            windows: vec![0; SEGMENT + 64].into(),
            len: 0,
        }
    }
}

impl Ends {
    /// Appends the first `len` of `L` numbers that `write` puts down.
    #[inline(always)]
    pub fn push_some<const L: usize>(&mut self, len: usize, write: impl FnOnce(&mut [u16; L])) {
        if let Some(room) = self.windows[self.len..].first_chunk_mut() {
            write(room);
            self.len += len;
        }
    }

    /// Lists the ends of the stretches of the windows `start..end`.
    #[inline(always)]
    fn list(
        &mut self,
        changes: &[u64],
        start: usize,
        end: usize,
        list: impl Fn(usize, u64, &mut Ends),
    ) {
        self.len = 0;
        // Whether the last window is like the one behind it does not matter.
        let last = end - 1;
        let mut mask = u64::MAX << (start % 64);
        for (i, &word) in changes
            .iter()
            .enumerate()
            .take(last.div_ceil(64))
            .skip(start / 64)
        {
            if i == last / 64 {
                mask &= (1 << (last % 64)) - 1;
            }
            list(64 * i, word & mask, self);
            mask = u64::MAX;
        }
        self.push(end);
    }

    #[inline(always)]
    fn push(&mut self, window: usize) {
        self.windows[self.len] = window as u16;
        self.len += 1;
    }
}

/// Lists one word's set bits, each as the number of the bit behind it.
#[inline(always)]
pub fn list_plainly(base: usize, mut word: u64, ends: &mut Ends) {
    while word != 0 {
        ends.push(base + word.trailing_zeros() as usize + 1);
        word &= word - 1;
    }
}

/// Cuts the records of `segment` and pushes them to `store`; `list` is [`list_plainly`] or does the same.
///
/// # Errors
///
/// Those of the temporary file, or of another sink; the segment is in part in the store then.
#[inline(always)]
pub fn cut<const N: usize, S: BlockSink>(
    segment: Segment,
    ends: &mut Ends,
    store: &mut Store<S>,
    list: impl Fn(usize, u64, &mut Ends),
) -> Result<Cuts> {
    let (k, widest) = (segment.scheme.k(), segment.scheme.most_kmers());
    let cutter = Cutter {
        packed: &segment.encoded.packed,
        least: &segment.minimizers.least,
        reverse_end: segment.encoded.reverse_end(),
        overlap: k - 1,
        scheme: segment.scheme,
        canonical: segment.canonical,
    };
    let mut stages = store.stages();
    let (mut kmers, mut records, mut from) = (0, 0, 0);
    while let Some((start, end)) = segment.encoded.next_run(from, k) {
        from = end;
        let windows = end - k + 1;
        ends.list(&segment.minimizers.changes, start, windows, &list);
        let mut first = start;
        for &end in &ends.windows[..ends.len] {
            let end = usize::from(end);
            // Where a minimizer repeats, more than `widest` k-mers may share its value.
            while end - first > widest {
                cutter.push::<N, S>(first, first + widest, &mut stages)?;
                records += 1;
                first += widest;
            }
            cutter.push::<N, S>(first, end, &mut stages)?;
            first = end;
        }
        kmers += (windows - start) as u64;
        records += ends.len as u64;
    }
    Ok(Cuts { kmers, records })
}
