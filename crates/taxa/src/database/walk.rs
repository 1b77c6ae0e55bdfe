//! Goes through all records in order, and checks what a look-up need not.

use thalweg_superkmers::Kmer;

use super::header::SectionName;
use super::input::fault;
use super::view::{View, split_overflow};
use super::writer::MOST_RECORDS;
use crate::Result;
use crate::record::Record;

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

/// Calls `each` with the distinct canonical k-mers of each minimizer, ascending, and their sets. Memory: those of one minimizer.
///
/// # Errors
/// Directory, records or overflow are damaged, or those of `each`.
pub(super) fn walk(
    view: &View<'_>,
    mut each: impl FnMut(&[(u64, u32)]) -> Result<()>,
) -> Result<Counts> {
    let layout = view.layout();
    let mut counts = Counts::default();
    let mut kmers = Vec::new();
    let mut end = view.first_record(0);
    if end != 0 {
        return Err(directory_fault(0));
    }
    for bucket in 0..layout.buckets() {
        let first = end;
        end = view.first_record(bucket + 1);
        if end < first || end > view.record_count() {
            return Err(directory_fault(bucket));
        }
        let mut at = first;
        while at < end {
            let (start, remainder) = (at, layout.unpack(view.record(at)).remainder);
            let mut last: Option<Record> = None;
            while at < end {
                let record = layout.unpack(view.record(at));
                if record.remainder != remainder {
                    break;
                }
                if at - start == MOST_RECORDS as u64 {
                    return Err(record_fault(at));
                }
                check(view, at, &record, last.as_ref())?;
                if record.lo > record.hi {
                    if layout.marked(&record) != counts.overflow_minimizers {
                        return Err(record_fault(at));
                    }
                    counts.overflow_minimizers += 1;
                    add_overflow(
                        view,
                        layout.marked(&record),
                        layout.join(bucket, remainder),
                        &mut kmers,
                    )?;
                    counts.overflow_kmers += kmers.len() as u64;
                } else {
                    let value = layout.join(bucket, remainder);
                    let of_record = (record.lo..=record.hi)
                        .map(|j| (layout.kmer(value, record.flanks, j), record.id));
                    kmers.extend(of_record);
                    counts.entries += u64::from(record.hi - record.lo) + 1;
                }
                last = Some(record);
                at += 1;
            }
            let follows =
                start == first || layout.unpack(view.record(start - 1)).remainder < remainder;
            if !follows {
                return Err(record_fault(start));
            }
            for (kmer, _) in &mut kmers {
                *kmer = kmer.canonical(layout.scheme().k());
            }
            kmers.sort_unstable();
            kmers.dedup();
            if kmers.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(fault(SectionName::Recs, "a k-mer has two sets"));
            }
            counts.kmers += kmers.len() as u64;
            each(&kmers)?;
            kmers.clear();
        }
    }
    match end == view.record_count() && view.behind_records().iter().all(|&byte| byte == 0) {
        true => Ok(counts),
        false => Err(fault(
            SectionName::Recs,
            "records are not as many as they should be",
        )),
    }
}

/// Checks a record by itself and behind the `last` one of its minimizer.
fn check(view: &View<'_>, at: u64, record: &Record, last: Option<&Record>) -> Result<()> {
    let layout = view.layout();
    let bits = view.record(at) & u128::MAX >> (128 - 8 * layout.record_bytes());
    let is_sound = layout.pack(record) == bits
        && match record.lo > record.hi {
            true => {
                layout.marker(record.remainder, layout.marked(record)) == Some(*record)
                    && last.is_none()
            }
            false => {
                usize::from(record.hi) <= layout.flank()
                    && layout.cut_flanks(record.flanks, record.lo, record.hi) == record.flanks
                    && (1..=view.sets()).contains(&record.id)
                    && last.is_none_or(|last| {
                        last.lo <= last.hi
                            && (last.flanks, last.lo, last.hi)
                                < (record.flanks, record.lo, record.hi)
                    })
            }
        };
    match is_sound {
        true => Ok(()),
        false => Err(record_fault(at)),
    }
}

fn add_overflow(
    view: &View<'_>,
    minimizer: u64,
    value: u64,
    kmers: &mut Vec<(u64, u32)>,
) -> Result<()> {
    let scheme = view.layout().scheme();
    let (k, m) = (scheme.k(), scheme.m());
    let canonical = scheme.canonical(value);
    let has_minimizer = |kmer: u64| {
        let mask = u64::MAX >> (64 - 2 * m);
        kmer >> (2 * k) == 0 && (0..=k - m).any(|at| kmer >> (2 * at) & mask == canonical)
    };
    let of_minimizer = view.overflow(minimizer);
    kmers.extend(of_minimizer.iter().map(split_overflow));
    let is_sound = kmers.is_sorted_by(|one, next| one.0 < next.0)
        && (kmers.iter())
            .all(|&(kmer, set)| has_minimizer(kmer) && (1..=view.sets()).contains(&set));
    match is_sound && !kmers.is_empty() {
        true => Ok(()),
        false => Err(fault(
            SectionName::Over,
            &format!("k-mers of minimizer {minimizer} are damaged"),
        )),
    }
}

fn directory_fault(bucket: u64) -> crate::Error {
    fault(SectionName::Dirc, &format!("bucket {bucket} is damaged"))
}

fn record_fault(at: u64) -> crate::Error {
    fault(SectionName::Recs, &format!("record {at} is damaged"))
}
