//! Records as the bytes of a format: what every thread can do for itself.

use super::{Separator, Totals, jellyfish, kmc, text};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Makes bytes of sorted records.
///
/// That of a binary format comes from its [`Writer`](super::Writer), which takes what it made.
#[derive(Clone, Debug)]
pub struct Formatter {
    layout: Layout,
    k: usize,
    largest: u64,
}

#[derive(Clone, Debug)]
enum Layout {
    Jellyfish(jellyfish::Layout),
    Kmc(kmc::Layout),
    Text(text::Layout),
}

/// Bytes of records that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Formatted {
    pub(super) bytes: Vec<u8>,
    /// Of the counts as they came.
    pub(super) totals: Totals,
    /// Of the counts as they are stored, where the format says it.
    pub(super) stored: Totals,
    /// KMC's prefixes, each with the number of its first record here.
    pub(super) prefixes: Vec<(usize, u64)>,
    /// Words of the first k-mer and of the last one of those whose order was checked.
    ends: Option<[[u64; 8]; 2]>,
}

impl Formatted {
    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What the counts add up to, as they were given.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Forgets all records, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.totals = Totals::default();
        self.stored = Totals::default();
        self.prefixes.clear();
        self.ends = None;
    }

    /// The first k-mer and the last one, if they came by [`Formatter::extend`].
    pub(super) fn ends<K: Kmer>(&self) -> Option<[K; 2]> {
        Some(self.ends?.map(|words| K::from_words(&words)))
    }
}

impl Formatter {
    /// Of text, which needs no header.
    pub fn of_text(separator: Separator, k: usize) -> Self {
        Self::new(Layout::Text(text::Layout::new(k, separator)), k)
    }

    pub(super) fn of_jellyfish(layout: jellyfish::Layout, k: usize) -> Self {
        Self::new(Layout::Jellyfish(layout), k)
    }

    pub(super) fn of_kmc(layout: kmc::Layout, k: usize) -> Self {
        Self::new(Layout::Kmc(layout), k)
    }

    fn new(layout: Layout, k: usize) -> Self {
        Self {
            layout,
            k,
            largest: u64::MAX,
        }
    }

    /// Larger counts are written as this one.
    pub fn with_largest(self, largest: u64) -> Self {
        Self { largest, ..self }
    }

    /// At most so many bytes are made of a record.
    pub fn record_bytes(&self) -> usize {
        match &self.layout {
            Layout::Jellyfish(layout) => layout.record_bytes(),
            Layout::Kmc(layout) => layout.record_bytes(),
            Layout::Text(layout) => layout.record_bytes(),
        }
    }

    /// Appends one record to `out`, for formats that take them in any order.
    ///
    /// # Errors
    /// [`Error::BadOption`] if its count does not fit.
    #[inline]
    pub fn push<K: Kmer>(&self, kmer: K, count: u64, out: &mut Formatted) -> Result<()> {
        out.ends = None;
        self.put(kmer, count, out)
    }

    /// Appends records, whose k-mers ascend.
    ///
    /// # Errors
    /// [`Error::BadOption`] if they do not, or if a count does not fit.
    pub fn extend<K: Kmer>(&self, records: &[(K, u64)], out: &mut Formatted) -> Result<()> {
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Ok(());
        };
        let before = out.ends::<K>();
        if before.is_some_and(|[_, last]| last >= first.0) {
            return Err(out_of_order(first.0, self.k));
        }
        if let Some(pair) = records.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(out_of_order(pair[1].0, self.k));
        }
        self.put_all(records, out)?;
        let first = before.map_or(first.0, |[first, _]| first);
        out.ends = Some([first.to_words(), last.0.to_words()]);
        Ok(())
    }

    /// As [`Self::put`] for each, but what they have in common is asked once.
    fn put_all<K: Kmer>(&self, records: &[(K, u64)], out: &mut Formatted) -> Result<()> {
        let mut totals = Totals::default();
        records.iter().for_each(|record| totals.add(record.1));
        let is_done = match &self.layout {
            _ if totals.max_count > self.largest => false,
            Layout::Jellyfish(layout) => layout.extend(records, &totals, out),
            Layout::Kmc(layout) => layout.extend(records, &totals, out),
            Layout::Text(_) => false,
        };
        if is_done {
            out.totals.merge(&totals);
            return Ok(());
        }
        (records.iter()).try_for_each(|&(kmer, count)| self.put(kmer, count, out))
    }

    #[inline]
    fn put<K: Kmer>(&self, kmer: K, count: u64, out: &mut Formatted) -> Result<()> {
        out.totals.add(count);
        let count = count.min(self.largest);
        match &self.layout {
            Layout::Jellyfish(layout) => layout.push(kmer, count, out),
            Layout::Kmc(layout) => layout.push(kmer, count, out),
            Layout::Text(layout) => {
                layout.push(kmer, count, &mut out.bytes);
                Ok(())
            }
        }
    }
}

/// `kmer` does not come behind the one before it.
pub(super) fn out_of_order<K: Kmer>(kmer: K, k: usize) -> Error {
    Error::BadOption(format!(
        "k-mers out of order at {}: the format needs them sorted",
        String::from_utf8_lossy(&kmer.to_letters(k))
    ))
}
