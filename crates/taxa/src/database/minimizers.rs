//! Goes through the minimizers of a database in order, and checks what a look-up need not.

use std::ops::Range;

use super::header::SectionName;
use super::input::fault;
use super::view::{View, split_overflow};
use super::writer::MOST_RECORDS;
use crate::Result;
use crate::record::StoredRecord;

/// What is stored of one minimizer: records, or k-mers if it has too many of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfMinimizer<'m> {
    /// Its value.
    pub(crate) value: u64,
    /// In order; one or more, unless it has `overflow`.
    pub(crate) records: &'m [StoredRecord],
    /// k-mers as they read turned, ascending, with their sets.
    pub(crate) overflow: &'m [(u64, u32)],
}

/// Calls `each` with all minimizers whose values are in a range. Memory: what is stored of one.
///
/// # Errors
/// Directory, records or overflow are damaged, or those of `each`.
pub(crate) fn minimizers(
    view: &View<'_>,
    values: Range<u64>,
    mut each: impl FnMut(&OfMinimizer<'_>) -> Result<()>,
) -> Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let layout = view.layout();
    let (first_bucket, _) = layout.split(values.start);
    let (last_bucket, _) = layout.split(values.end - 1);
    let mut next_overflow = (first_bucket == 0).then_some(0);
    let (mut records, mut overflow) = (Vec::new(), Vec::new());
    let mut end = view.first_record(first_bucket)?;
    if first_bucket == 0 && end != 0 {
        return Err(directory_fault(0));
    }
    for bucket in first_bucket..=last_bucket {
        let first = end;
        end = view.first_record(bucket + 1)?;
        if end < first || end > view.record_count() {
            return Err(directory_fault(bucket));
        }
        view.check_records(first..end)?;
        let mut at = first;
        let mut remainder_before = None;
        while at < end {
            let (start, remainder) = (at, layout.unpack(view.record(at)).remainder);
            records.clear();
            overflow.clear();
            while at < end {
                let record = layout.unpack(view.record(at));
                if record.remainder != remainder {
                    break;
                }
                if at - start == MOST_RECORDS as u64 {
                    return Err(record_fault(at));
                }
                check(view, at, &record, records.last())?;
                records.push(record);
                at += 1;
            }
            if remainder_before.is_some_and(|before| before > remainder) {
                return Err(record_fault(start));
            }
            remainder_before = Some(remainder);
            let value = layout.join(bucket, remainder);
            if records[0].lo > records[0].hi {
                let number = layout.marked(&records[0]);
                if next_overflow.is_some_and(|next| next != number) {
                    return Err(record_fault(start));
                }
                next_overflow = number.checked_add(1);
                read_overflow(view, number, value, &mut overflow)?;
                records.clear();
            }
            if values.contains(&value) {
                each(&OfMinimizer {
                    value,
                    records: &records,
                    overflow: &overflow,
                })?;
            }
        }
    }
    Ok(())
}

/// Checks a record by itself and behind the `last` one of its minimizer.
fn check(
    view: &View<'_>,
    at: u64,
    record: &StoredRecord,
    last: Option<&StoredRecord>,
) -> Result<()> {
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

fn read_overflow(
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
    let of_minimizer = view.overflow(minimizer)?;
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
