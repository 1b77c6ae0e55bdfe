//! Why records are no table.

use pyo3::prelude::*;

use crate::columns::Column;
use crate::errors;

/// Why records are no table.
#[derive(Debug)]
pub(crate) enum TableFault {
    /// There is no room for them in columns with positions of 32 bits.
    TooLong,
    /// A record has more bases than 32 bits tell.
    LongRecord(Box<thalweg::Location>),
    /// A text is no UTF-8.
    Text(Box<thalweg::Location>, Column),
    /// No tag can be told from what is there in a record of this name: what is wrong.
    DamagedTags(Box<thalweg::Location>, String, &'static str),
    /// A tag is of another type than its column: what it is not.
    OtherType(Box<thalweg::Location>, String, Column, &'static str),
    /// Of text, which has no tags.
    NoTags(Box<thalweg::Location>),
}

/// More text than positions of 32 bits can tell.
#[derive(Debug)]
pub(crate) struct TooLong;

impl From<TooLong> for TableFault {
    fn from(TooLong: TooLong) -> Self {
        Self::TooLong
    }
}

impl TableFault {
    pub(crate) fn into_python(self, py: Python<'_>) -> PyErr {
        match self {
            Self::TooLong => errors::of_thalweg(
                py,
                "Error",
                "a batch of more than 2 GiB of text is too long for Arrow's utf8",
                "TooLong",
                &thalweg::Location::default(),
                Some("ask for fewer records in a batch"),
            ),
            Self::LongRecord(location) => errors::of_thalweg(
                py,
                "Error",
                &format!(
                    "{}a record of more than {} bases is too long for column 'length', which is uint32{}",
                    location.head(),
                    u32::MAX,
                    location.tail()
                ),
                "TooLong",
                &location,
                Some("leave that column out, or take the records one by one"),
            ),
            Self::Text(location, column) => errors::of_thalweg(
                py,
                "DataError",
                &format!(
                    "{}the {} is not UTF-8, as columns of text must be{}",
                    location.head(),
                    column.name(),
                    location.tail()
                ),
                "NotUtf8",
                &location,
                Some("leave that column out, or take the records one by one"),
            ),
            Self::DamagedTags(location, name, what) => errors::of_thalweg(
                py,
                "DataError",
                &format!(
                    "{}read '{name}': {what}{}",
                    location.head(),
                    location.tail()
                ),
                "DamagedTags",
                &location,
                None,
            ),
            Self::OtherType(location, name, column, what) => errors::of_thalweg(
                py,
                "UsageError",
                &format!(
                    "{}read '{name}': its '{}' is {what}{}",
                    location.head(),
                    column.name(),
                    location.tail()
                ),
                "OtherType",
                &location,
                Some("ask for that tag as text, 'tag:XX:Z'"),
            ),
            Self::NoTags(location) => errors::of_thalweg(
                py,
                "UsageError",
                &format!("{}no tags: only BAM has them", location.head()),
                "NoTags",
                &location,
                Some("leave columns of tags out"),
            ),
        }
    }
}
