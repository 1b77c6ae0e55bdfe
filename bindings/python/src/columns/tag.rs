//! Tags of BAM as columns: ``tag:RX`` by name, ``tag:qs:f`` with the type that is wanted.

use super::{Column, Nulls, Rows, Values};
use crate::fault::{TableFault, TooLong};

/// A tag, and what its column has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag {
    name: [u8; 2],
    kind: Kind,
    /// The user has named the type.
    is_stated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// As SAM writes it, whatever its type.
    Text,
    Integer,
    Float,
}

/// Tags that are whole numbers by the specification of optional fields (SAMtags). It has none that is a fraction.
const INTEGERS: [&[u8; 2]; 19] = [
    b"AM", b"AS", b"CM", b"CP", b"FI", b"H0", b"H1", b"H2", b"HI", b"IH", b"MN", b"MQ", b"NH",
    b"NM", b"OP", b"PQ", b"SM", b"TC", b"UQ",
];

impl Tag {
    /// The column of this name, if it is one of a tag.
    pub(super) fn parse(column: &str) -> Option<Self> {
        let (name, kind) = match column.strip_prefix("tag:")?.as_bytes() {
            [a, b] => ([*a, *b], None),
            [a, b, b':', kind] => ([*a, *b], Some(*kind)),
            _ => return None,
        };
        if !name[0].is_ascii_alphabetic() || !name[1].is_ascii_alphanumeric() {
            return None;
        }
        let usual = match INTEGERS.contains(&&name) {
            true => Kind::Integer,
            false => Kind::Text,
        };
        Some(Self {
            name,
            kind: match kind {
                None => usual,
                Some(b'Z') => Kind::Text,
                Some(b'i') => Kind::Integer,
                Some(b'f') => Kind::Float,
                Some(_) => return None,
            },
            is_stated: kind.is_some(),
        })
    }

    /// Its column's name, as it was asked for.
    pub(super) fn column(self) -> String {
        let [a, b] = self.name.map(char::from);
        match (self.is_stated, self.kind) {
            (false, _) => format!("tag:{a}{b}"),
            (true, Kind::Text) => format!("tag:{a}{b}:Z"),
            (true, Kind::Integer) => format!("tag:{a}{b}:i"),
            (true, Kind::Float) => format!("tag:{a}{b}:f"),
        }
    }

    pub(super) fn values(self) -> Values {
        match self.kind {
            Kind::Text => Values::Text(vec![0], Vec::new()),
            Kind::Integer => Values::I64(Vec::new()),
            Kind::Float => Values::F64(Vec::new()),
        }
    }

    /// Add what the records of `rows` have.
    pub(super) fn add(
        self,
        rows: &Rows<'_>,
        values: &mut Values,
        nulls: &mut Nulls,
    ) -> Result<(), TableFault> {
        rows.each_of_bam(|record, row| {
            let place = || Box::new(rows.location(row));
            let name = || String::from_utf8_lossy(record.name()).into_owned();
            let other = |what| TableFault::OtherType(place(), name(), Column::Tag(self), what);
            let tag = record.tag(self.name);
            let tag = tag.map_err(|what| TableFault::DamagedTags(place(), name(), what))?;
            nulls.push(tag.is_some());
            match values {
                Values::Text(ends, text) => {
                    let start = text.len();
                    if let Some(tag) = tag {
                        tag.write_value(text);
                    }
                    if std::str::from_utf8(&text[start..]).is_err() {
                        return Err(TableFault::Text(place(), Column::Tag(self)));
                    }
                    ends.push(i32::try_from(text.len()).map_err(|_| TooLong)?);
                }
                Values::I64(values) => values.push(match tag {
                    None => 0,
                    Some(tag) => tag.integer().ok_or_else(|| other(NO_INTEGER))?,
                }),
                Values::F64(values) => values.push(match tag {
                    None => f64::NAN,
                    Some(tag) => {
                        let integer = || tag.integer().map(|number| number as f64);
                        let number = tag.fraction().or_else(integer);
                        number.ok_or_else(|| other(NO_NUMBER))?
                    }
                }),
                Values::U8(_) | Values::U32(_) | Values::U64(_) => {
                    unreachable!("no kind of tag has such: `values` makes none")
                }
            }
            Ok(())
        })
    }
}

const NO_INTEGER: &str = "no whole number";
const NO_NUMBER: &str = "no number";
