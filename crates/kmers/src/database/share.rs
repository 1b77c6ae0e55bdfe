//! Databases of shares of one input that several jobs count: whether all are there when they are merged.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Database;
use crate::error::{Error, Result};

/// One of the shares of an input, whose k-mers a database has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputShare {
    /// From 1 on.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// A checksum of the input: shares of others do not go with it.
    pub input: u32,
    /// Of files that another share may have the rest of, by their place in the input: a checksum of what decides where they are cut.
    pub cuts: BTreeMap<u64, u32>,
}

/// The field of the provenance.
const FIELD: &str = "share";

impl InputShare {
    /// Share `number` of `of` of what `input` describes, none of which is cut yet.
    pub fn new(number: u64, of: u64, input: &str) -> Self {
        Self {
            number,
            of,
            input: crc32fast::hash(input.as_bytes()),
            cuts: BTreeMap::new(),
        }
    }

    /// The file at `place` of the input may be cut, where what `by` describes decides.
    pub fn cut(&mut self, place: u64, by: &str) {
        self.cuts.insert(place, crc32fast::hash(by.as_bytes()));
    }

    /// Whether both cut the files that they both have at the same places.
    fn meets(&self, other: &Self) -> bool {
        let is_same = |(place, by)| other.cuts.get(place).is_none_or(|other| other == by);
        self.cuts.iter().all(is_same)
    }

    /// What a database says of itself; `None` if it is of all of its input.
    ///
    /// # Errors
    /// [`Error::Damaged`] if that makes no sense.
    pub fn of(database: &Database) -> Result<Option<Self>> {
        let header = database.header();
        match header.provenance.get(FIELD) {
            None => Ok(None),
            Some(value) => match Self::of_json(value) {
                Some(share) => Ok(Some(share)),
                None => Err(Error::Damaged {
                    path: database.path().to_owned(),
                    format: header.format.name(),
                    reason: "what it says of its share is not what it should be".to_owned(),
                }),
            },
        }
    }

    fn of_json(value: &Value) -> Option<Self> {
        let number = |name: &str| value.get(name)?.as_u64();
        let share = Self {
            number: number("number")?,
            of: number("of")?,
            input: number("input")?.try_into().ok()?,
            cuts: (value.get("cuts")?.as_object()?.iter())
                .map(|(place, by)| Some((place.parse().ok()?, by.as_u64()?.try_into().ok()?)))
                .collect::<Option<_>>()?,
        };
        (1..=share.of).contains(&share.number).then_some(share)
    }

    /// Has a database say that it is of this share.
    pub fn tell(&self, provenance: &mut Map<String, Value>) {
        let cuts = self.cuts.iter();
        let cuts: Map<String, Value> = cuts
            .map(|(place, by)| (place.to_string(), json!(by)))
            .collect();
        let value = json!({
            "number": self.number,
            "of": self.of,
            "input": self.input,
            "cuts": cuts,
        });
        provenance.insert(FIELD.to_owned(), value);
    }
}

/// Checks that those of the databases that are of shares are of all shares of their inputs, each once.
///
/// If `some_are_enough`, only that none is there twice.
///
/// # Errors
/// [`Error::Mismatch`] names a share that is missing, or is there twice.
pub fn check_shares(databases: &[Database], some_are_enough: bool) -> Result<()> {
    let mut shares: Vec<(InputShare, &Path)> = Vec::new();
    for database in databases {
        shares.extend(InputShare::of(database)?.map(|share| (share, database.path())));
    }
    shares.sort_by_key(|(share, _)| (share.of, share.input, share.number));
    let is_of_one =
        |one: &InputShare, other: &InputShare| (one.of, one.input) == (other.of, other.input);
    for of_one in shares.chunk_by(|(one, _), (next, _)| is_of_one(one, next)) {
        let (first, path) = &of_one[0];
        let twice = of_one
            .windows(2)
            .find(|two| two[0].0.number == two[1].0.number);
        if let Some([(share, one), (_, other)]) = twice {
            return Err(Error::Mismatch(format!(
                "{} and {} are both shard {} of {}: its reads would count twice",
                one.display(),
                other.display(),
                share.number,
                share.of
            )));
        }
        let unlike = of_one.windows(2).find(|two| !two[0].0.meets(&two[1].0));
        if let Some([(_, one), (_, other)]) = unlike {
            return Err(changed(one, other));
        }
        let missing = (1..)
            .zip(of_one)
            .find(|(number, (share, _))| share.number != *number);
        let missing = missing.map_or(of_one.len() as u64 + 1, |(number, _)| number);
        if missing > first.of || some_are_enough {
            continue;
        }
        // That of a changed input lacks what is here.
        let is_of_others = |(share, _): &&(InputShare, &Path)| {
            let lacks = |number| {
                let is_it = |(other, _): &(InputShare, &Path)| {
                    is_of_one(other, share) && other.number == number
                };
                !shares.iter().any(is_it)
            };
            (share.number, share.of) == (missing, first.of)
                && share.input != first.input
                && lacks(first.number)
        };
        return Err(match shares.iter().find(is_of_others) {
            Some((_, other)) => changed(path, other),
            None => Error::Mismatch(format!(
                "shard {missing} of {} is missing ({} is shard {}); --some-shards merges the given shards",
                first.of,
                path.display(),
                first.number
            )),
        });
    }
    Ok(())
}

fn changed(one: &Path, other: &Path) -> Error {
    Error::Mismatch(format!(
        "{} and {} are shards of unlike inputs: a file or an index has changed between their jobs, so that reads may be \
         lost or count twice; count all shards again, and make no index meanwhile",
        one.display(),
        other.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read() {
        let mut share = InputShare::new(2, 3, "a.fq 17");
        share.cut(5, "an index");
        let mut provenance = Map::new();
        share.tell(&mut provenance);
        assert_eq!(InputShare::of_json(&provenance[FIELD]), Some(share.clone()));
        assert_ne!(share.input, InputShare::new(2, 3, "a.fq 18").input);
        let mut next = InputShare::new(3, 3, "a.fq 17");
        assert!(share.meets(&next));
        next.cut(5, "an index");
        assert!(share.meets(&next) && next.meets(&share));
        next.cut(5, "no index");
        assert!(!share.meets(&next) && !next.meets(&share));
        for (number, of) in [(0, 3), (4, 3)] {
            let value = json!({ "number": number, "of": of, "input": 1, "cuts": {} });
            assert_eq!(InputShare::of_json(&value), None);
        }
    }
}
