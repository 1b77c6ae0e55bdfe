//! Goes through all k-mers of a database in order.

use std::ops::Range;

use thalweg_superkmers::Kmer;

use super::header::SectionName;
use super::input::fault;
use super::minimizers::{OfMinimizer, minimizers};
use super::view::View;
use crate::Result;
use crate::record::RecordLayout;

/// What there is in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Distinct canonical k-mers.
    pub(super) kmers: u64,
    /// k-mers of records.
    pub(super) entries: u64,
    /// Minimizers that have too many records.
    pub(super) overflow_minimizers: u64,
    /// Their k-mers.
    pub(super) overflow_kmers: u64,
}

/// Calls `each` with the distinct canonical k-mers of each minimizer whose value is in a range, ascending, and their sets.
/// Memory: those of one minimizer.
///
/// # Errors
/// Directory, records or overflow are damaged, or those of `each`.
pub(crate) fn walk_values(
    view: &View<'_>,
    values: Range<u64>,
    mut each: impl FnMut(&OfMinimizer<'_>, &[(u64, u32)]) -> Result<()>,
) -> Result<()> {
    let layout = view.layout();
    let mut kmers = Vec::new();
    minimizers(view, values, |of_minimizer| {
        canonical_kmers(of_minimizer, &layout, &mut kmers);
        if kmers.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(fault(SectionName::Recs, "a k-mer has two sets"));
        }
        each(of_minimizer, &kmers)
    })
}

/// The same of all minimizers, which must be of a range of values; tells what there is.
///
/// # Errors
/// The same, or there are other records than those.
pub(super) fn walk(
    view: &View<'_>,
    values: Range<u64>,
    mut each: impl FnMut(&[(u64, u32)]) -> Result<()>,
) -> Result<Counts> {
    let layout = view.layout();
    let mut counts = Counts::default();
    let all = 0..1 << (2 * layout.scheme().m());
    walk_values(view, all, |of_minimizer, kmers| {
        if !values.contains(&of_minimizer.value) {
            let what = "a minimizer is of another part of the database";
            return Err(fault(SectionName::Recs, what));
        }
        if !of_minimizer.overflow.is_empty() {
            counts.overflow_minimizers += 1;
            counts.overflow_kmers += of_minimizer.overflow.len() as u64;
        }
        let records = of_minimizer.records.iter();
        let of_records = records.map(|record| u64::from(record.hi - record.lo) + 1);
        counts.entries += of_records.sum::<u64>();
        counts.kmers += kmers.len() as u64;
        each(kmers)
    })?;
    let is_end = view.first_record(layout.buckets())? == view.record_count();
    match is_end && view.behind_records()?.iter().all(|&byte| byte == 0) {
        true => Ok(counts),
        false => Err(fault(
            SectionName::Recs,
            "records are not as many as they should be",
        )),
    }
}

/// The canonical k-mers of a minimizer and their sets, ascending, each pair once.
fn canonical_kmers(
    of_minimizer: &OfMinimizer<'_>,
    layout: &RecordLayout,
    kmers: &mut Vec<(u64, u32)>,
) {
    let value = of_minimizer.value;
    kmers.clear();
    kmers.extend(of_minimizer.overflow);
    for record in of_minimizer.records {
        let of_record =
            (record.lo..=record.hi).map(|j| (layout.kmer(value, record.flanks, j), record.id));
        kmers.extend(of_record);
    }
    for (kmer, _) in &mut *kmers {
        *kmer = kmer.canonical(layout.scheme().k());
    }
    kmers.sort_unstable();
    kmers.dedup();
}
