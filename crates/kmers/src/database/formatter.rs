//! Records as the bytes of a format: what every thread can do for itself.

use super::{Separator, Totals, jellyfish, kmc, text};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Makes bytes of sorted records.
///
/// That of a binary format comes from its [`DatabaseWriter`](super::DatabaseWriter), which takes what it made.
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
    /// Of the records as they are stored, where the format says it.
    pub(super) stored: jellyfish::Sums,
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
        self.stored = jellyfish::Sums::default();
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
    /// [`Error::LargeCount`] if its count does not fit.
    #[inline]
    pub fn push<K: Kmer>(&self, kmer: K, count: u64, out: &mut Formatted) -> Result<()> {
        out.ends = None;
        self.put(kmer, count, out)
    }

    /// Appends records, whose k-mers ascend.
    ///
    /// # Errors
    /// [`Error::BadOption`] if they do not (nothing is appended then), [`Error::LargeCount`] if a count does not fit.
    pub fn extend<K: Kmer>(&self, records: &[(K, u64)], out: &mut Formatted) -> Result<()> {
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Ok(());
        };
        let before = out.ends::<K>();
        if before.is_some_and(|[_, last]| last >= first.0) {
            return Err(out_of_order(first.0, self.k));
        }
        let mut totals = Totals::default();
        totals.add(first.1);
        // Both at once, and without a branch.
        let mut ascend = true;
        for pair in records.windows(2) {
            ascend &= pair[0].0 < pair[1].0;
            totals.add(pair[1].1);
        }
        if !ascend && let Some(pair) = records.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(out_of_order(pair[1].0, self.k));
        }
        self.put_all(records, &totals, out)?;
        let first = before.map_or(first.0, |[first, _]| first);
        out.ends = Some([first.to_words(), last.0.to_words()]);
        Ok(())
    }

    /// As [`Self::put`] for each, which have these totals, but what they have in common is asked once.
    fn put_all<K: Kmer>(
        &self,
        records: &[(K, u64)],
        totals: &Totals,
        out: &mut Formatted,
    ) -> Result<()> {
        let is_done = match &self.layout {
            Layout::Jellyfish(layout) => layout.extend(records, self.largest, totals, out),
            Layout::Kmc(layout) => layout.extend(records, self.largest, totals, out),
            Layout::Text(_) => false,
        };
        if is_done {
            out.totals.merge(totals);
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
        kmer.to_text(k)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{DatabaseFormat, DatabaseWriter, Description};
    use std::path::Path;

    /// By [`Formatter::extend`], in pieces, and one by one.
    fn both<K: Kmer>(formatter: &Formatter, records: &[(K, u64)]) -> [Result<Formatted>; 2] {
        let mut by_slices = Formatted::default();
        let slices = records.split_at(records.len() / 3);
        let extended = formatter
            .extend(slices.0, &mut by_slices)
            .and_then(|()| formatter.extend(&[] as &[(K, u64)], &mut by_slices))
            .and_then(|()| formatter.extend(slices.1, &mut by_slices));
        let mut one_by_one = Formatted::default();
        let pushed = (records.iter())
            .try_for_each(|&(kmer, count)| formatter.push(kmer, count, &mut one_by_one));
        [extended.map(|()| by_slices), pushed.map(|()| one_by_one)]
    }

    #[test]
    fn slices_become_the_bytes_of_their_records() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("database");
        let formats = [
            DatabaseFormat::Jellyfish,
            DatabaseFormat::JellyfishText,
            DatabaseFormat::Kmc,
            DatabaseFormat::Tsv,
        ];
        let (mut fits, mut does_not) = (0, 0);
        for (k, format) in [4, 5, 8, 13, 21, 31, 32, 33, 36, 55, 61, 64]
            .into_iter()
            .flat_map(|k| formats.map(|format| (k, format)))
        {
            for (counter_bytes, saturate) in
                [(1, true), (1, false), (4, true), (4, false), (8, false)]
            {
                if format == DatabaseFormat::Kmc && counter_bytes > 4 && k > 8 {
                    // KMC has none of so many bytes.
                    continue;
                }
                let mut description = Description::new(k, true);
                description.counter_bytes = Some(counter_bytes);
                description.saturate = saturate;
                let fit = match k {
                    ..=32 => slices_fit::<u64>(&path, format, &description),
                    _ => slices_fit::<u128>(&path, format, &description),
                };
                fit.into_iter().for_each(|fit| match fit {
                    true => fits += 1,
                    false => does_not += 1,
                });
            }
        }
        assert!(fits > 200 && does_not > 20);
    }

    /// For several greatest counts, whether they fit, which slices and single records agree in.
    fn slices_fit<K: Kmer>(
        path: &Path,
        format: DatabaseFormat,
        description: &Description,
    ) -> Vec<bool> {
        let writer = DatabaseWriter::<K>::create(path, format, description).expect("a file");
        let formatter = writer.formatter().expect("one that makes bytes");
        let mut fit = Vec::new();
        for largest in [1, 255, 256, u64::from(u32::MAX), u64::MAX] {
            let all = u128::MAX >> (128 - 2 * description.k);
            let step = (all / 5000).max(1);
            let kmer = |i: u128| {
                let number = i * step;
                K::from_words(&[number as u64, (number >> 64) as u64, 0, 0, 0, 0, 0, 0])
            };
            let records: Vec<(K, u64)> = (0..=all / step)
                .map(|i| (kmer(i), largest.min(1 << (i % 64))))
                .collect();
            let last = records[records.len() - 1].0;
            for formatter in [formatter.clone(), formatter.clone().with_largest(200)] {
                match both(&formatter, &records) {
                    [Ok(slices), Ok(single)] => {
                        assert_eq!(slices.bytes, single.bytes, "{format:?}, {description:?}");
                        assert_eq!(slices.prefixes, single.prefixes);
                        assert_eq!(slices.totals, single.totals);
                        assert_eq!(slices.stored, single.stored);
                        assert_eq!(slices.ends(), Some([K::default(), last]));
                        fit.push(true);
                    }
                    [Err(slices), Err(single)] => {
                        assert_eq!(slices.to_string(), single.to_string());
                        fit.push(false);
                    }
                    both => panic!("{format:?}, {description:?}: {both:?}"),
                }
            }
        }
        fit
    }

    #[test]
    fn what_does_not_ascend_is_refused() {
        let formatter = Formatter::of_text(Separator::Tab, 5);
        for (before, records) in [
            (&[][..], &[(3u64, 1), (3, 1)][..]),
            (&[(7u64, 1)], &[(7, 1), (9, 1)]),
        ] {
            let mut out = Formatted::default();
            formatter.extend(before, &mut out).expect("sorted");
            let bytes = out.bytes.clone();
            let error = formatter.extend(records, &mut out).expect_err("not sorted");
            assert_eq!(
                (out.bytes, out.totals.distinct),
                (bytes, before.len() as u64)
            );
            assert!(error.to_string().contains("k-mers out of order"), "{error}");
        }
    }
}
