//! Parts of a database that several jobs make, each on its own: whether they go together, and are all.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Database, files_of};
use crate::error::{Error, Result};

/// One of the parts of what becomes one database. No k-mer is in two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 1 on.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// Partitions that it fills.
    pub partitions: Range<usize>,
    /// A checksum of what goes into all: parts of others do not go with it.
    pub job: u32,
    /// The sum of the counts of all parts, if that is known.
    pub total: Option<u128>,
}

/// The field of the provenance.
const FIELD: &str = "part";

impl Part {
    /// Partitions of the part with this number, of so many parts: contiguous, and of nearly equal number.
    pub fn range(number: u64, of: u64, partitions: usize) -> Range<usize> {
        let bound = |number: u64| {
            (u128::from(number) * partitions as u128 / u128::from(of.max(1))) as usize
        };
        bound(number.saturating_sub(1))..bound(number)
    }

    /// What a database says of itself; `None` if it is whole.
    ///
    /// # Errors
    /// [`Error::Damaged`] if that makes no sense.
    pub fn of(database: &Database) -> Result<Option<Self>> {
        let header = database.header();
        match header.provenance.get(FIELD) {
            None => Ok(None),
            Some(value) => match Self::of_json(value) {
                Some(part) => Ok(Some(part)),
                None => Err(Error::Damaged {
                    path: database.path().to_owned(),
                    format: header.format.name(),
                    reason: "what it says of its part is not what it should be".to_owned(),
                }),
            },
        }
    }

    fn of_json(value: &Value) -> Option<Self> {
        let number = |name: &str| value.get(name)?.as_u64();
        let place = |name: &str| usize::try_from(number(name)?).ok();
        let part = Self {
            number: number("number")?,
            of: number("of")?,
            partitions: place("first_partition")?..place("end_partition")?,
            job: number("job")?.try_into().ok()?,
            total: match value.get("total")? {
                Value::Null => None,
                total => Some(total.as_str()?.parse().ok()?),
            },
        };
        let makes_sense =
            (1..=part.of).contains(&part.number) && part.partitions.start <= part.partitions.end;
        makes_sense.then_some(part)
    }

    /// Has a database say that it is this part.
    pub fn tell(&self, provenance: &mut Map<String, Value>) {
        let value = json!({
            "number": self.number,
            "of": self.of,
            "first_partition": self.partitions.start,
            "end_partition": self.partitions.end,
            "job": self.job,
            // More than numbers of JSON hold.
            "total": self.total.map(|total| total.to_string()),
        });
        provenance.insert(FIELD.to_owned(), value);
    }
}

/// A checksum of what goes into all parts: of these databases, and of `options` for what is done with them. If `in_any_order`,
/// it does not depend on their order.
///
/// What it tells of a database is its sizes and totals, not each byte.
///
/// # Errors
/// If a file cannot be found.
pub fn job_checksum(databases: &[Database], options: &str, in_any_order: bool) -> Result<u32> {
    let mut told = Vec::with_capacity(databases.len());
    for database in databases {
        let mut sizes = Vec::new();
        for path in files_of(database.path()) {
            let file = std::fs::metadata(&path).map_err(|error| Error::io(&path, error))?;
            sizes.push(file.len());
        }
        let (header, totals) = (database.header(), database.stored_totals());
        let is_canonical = header.canonical;
        told.push(format!(
            "{} {is_canonical:?} {sizes:?} {totals:?} {}",
            header.k,
            database.checksum()
        ));
    }
    if in_any_order {
        told.sort();
    }
    told.push(options.to_owned());
    Ok(crc32fast::hash(told.join("\n").as_bytes()))
}

/// Checks that those of the databases that are parts are all parts of what they are of, each once.
///
/// # Errors
/// [`Error::Mismatch`] names a part that is missing, or is there twice.
pub fn check_parts(databases: &[Database]) -> Result<()> {
    let mut parts: Vec<(Part, &Path)> = Vec::new();
    for database in databases {
        parts.extend(Part::of(database)?.map(|part| (part, database.path())));
    }
    parts.sort_by_key(|(part, _)| (part.job, part.of, part.number));
    for of_one in parts.chunk_by(|(one, _), (next, _)| (one.job, one.of) == (next.job, next.of)) {
        let of = of_one[0].0.of;
        let twice = of_one
            .windows(2)
            .find(|two| two[0].0.number == two[1].0.number);
        if let Some([(part, one), (_, other)]) = twice {
            return Err(Error::Mismatch(format!(
                "{} and {} are both part {} of {of}",
                one.display(),
                other.display(),
                part.number
            )));
        }
        let missing = (1..)
            .zip(of_one)
            .find(|(number, (part, _))| part.number != *number);
        let missing = missing.map_or(of_one.len() as u64 + 1, |(number, _)| number);
        if missing <= of {
            return Err(Error::Mismatch(format!(
                "part {missing} of {of} is missing ({} is part {})",
                of_one[0].1.display(),
                of_one[0].0.number
            )));
        }
    }
    Ok(())
}

/// The parts of one database, in their order.
///
/// # Errors
/// [`Error::Mismatch`] unless they are all parts of one database, each once, with as many k-mers as went in.
pub(super) fn in_order(databases: &[Database]) -> Result<Vec<(Part, PathBuf)>> {
    check_parts(databases)?;
    let mut parts = Vec::with_capacity(databases.len());
    for database in databases {
        let part = Part::of(database)?.ok_or_else(|| {
            let path = database.path().display();
            Error::Mismatch(format!(
                "{path} is a whole database, not a part of one (kmers merge --partition)"
            ))
        })?;
        parts.push((part, database.path().to_owned()));
    }
    parts.sort_by_key(|(part, _)| part.number);
    let (first, last) = match &parts[..] {
        [first, .., last] => (first, last),
        [one] => (one, one),
        [] => return Err(Error::Mismatch("no parts are given".to_owned())),
    };
    if let Some(other) = parts.iter().find(|other| {
        (other.0.job, other.0.of, other.0.total) != (first.0.job, first.0.of, first.0.total)
    }) {
        return Err(Error::Mismatch(format!(
            "{} and {} are not parts of the same merge: each of its jobs must have the same databases and options",
            first.1.display(),
            other.1.display()
        )));
    }
    let written: Option<u128> = databases
        .iter()
        .map(|database| Some(database.stored_totals()?.total))
        .sum();
    match (first.0.total, written) {
        (Some(total), Some(written)) if total != written => Err(Error::Mismatch(format!(
            "the counts of {} to {} add up to {written}, and those that were merged to {total}: make the parts again",
            first.1.display(),
            last.1.display()
        ))),
        _ => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_all_partitions() {
        for partitions in [1, 5, 64, 1 << 24] {
            for of in [1, 2, 3, 7, 100, u64::MAX] {
                let numbers = (1..=of.min(100)).map(|number| Part::range(number, of, partitions));
                let mut next = 0;
                for range in numbers {
                    assert_eq!(range.start, next);
                    assert!(range.len() <= partitions / of as usize + 1);
                    next = range.end;
                }
                assert!(of > 100 || next == partitions);
            }
        }
    }

    #[test]
    fn what_is_told_is_read() {
        let part = Part {
            number: 2,
            of: 3,
            partitions: 5..9,
            job: u32::MAX,
            total: Some(u128::MAX),
        };
        let of_part = |part: &Part| {
            let mut provenance = Map::new();
            part.tell(&mut provenance);
            Part::of_json(&provenance[FIELD])
        };
        assert_eq!(of_part(&part), Some(part.clone()));
        let unknown = Part {
            total: None,
            ..part.clone()
        };
        assert_eq!(of_part(&unknown), Some(unknown));
        assert_eq!(
            of_part(&Part {
                number: 4,
                ..part.clone()
            }),
            None
        );
        assert_eq!(of_part(&Part { number: 0, ..part }), None);
    }
}
