//! What a trace has.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Text;

/// The version of what is written here. It rises with each kind of value and each field that is added.
pub const VERSION: u32 = 1;

/// Bytes of the largest value, in MessagePack. More are neither written nor read.
pub const MOST_BYTES: usize = 16 << 20;

/// One value of a trace.
///
/// In MessagePack a value is an array of two: its kind, and an array of its fields in the order in which they stand here.
/// In JSON it is an object with a `kind`. What reads are called there is `"read"`, and so on.
///
/// Later versions append fields and add kinds; they change none. Arrays within fields (of [`Cut`] and [`TracedCandidate`]) never grow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Value<'a> {
    /// What comes first.
    Header(TraceHeader<'a>),
    /// A read that was cleaned: of `qc`.
    Read(TracedRead<'a>),
    /// A k-mer with its count: of `count`.
    Kmer(TracedKmer<'a>),
    /// A read or a pair that was labelled: of `classify`.
    Label(Label<'a>),
    /// What comes last: without it, a trace was cut.
    End(End),
}

/// Who wrote a trace, of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHeader<'a> {
    /// The [version](VERSION) of what is written.
    pub version: u32,
    /// The program and its version.
    pub program: Text<'a>,
    /// The command line.
    pub command: Vec<Text<'a>>,
    /// Files that were read.
    pub inputs: Vec<Text<'a>>,
    /// By kind: the names of its fields, in their order.
    pub schema: BTreeMap<Cow<'a, str>, Vec<Cow<'a, str>>>,
}

/// What became of a read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedRead<'a> {
    /// How many reads, or pairs, came before it.
    pub rank: u64,
    /// 1, or 2 for second mates.
    pub mate: u8,
    /// Up to the first space or tab, as it came.
    pub name: Text<'a>,
    /// Bases that came.
    pub length_before: u64,
    /// Bases that are left; 0 if a step gave the read up.
    pub length_after: u64,
    /// Bases that were cut off the front.
    pub start: u64,
    /// What each step cut, in their order; none of those that cut nothing.
    pub cuts: Cow<'a, [Cut<'a>]>,
    /// Bases that were changed by what the mate shows.
    pub corrected: u64,
    /// Of what is left, for itself: `passed`, or why not, in the words behind the names of reads that fail.
    pub verdict: Cow<'a, str>,
    /// Where it went: `kept`, `unpaired` (without its mate), `merged`, `failed`, `mate_failed` (it passed, and is not kept
    /// without its mate), `duplicate`, `index`.
    pub outcome: Cow<'a, str>,
}

/// What a step cut off a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut<'a> {
    /// The step.
    pub step: Cow<'a, str>,
    /// Bases off the front.
    pub front: u64,
    /// Bases off the tail.
    pub tail: u64,
}

/// A k-mer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedKmer<'a> {
    /// Its letters, as many as k; the smaller one of both strands, unless they are counted apart.
    pub kmer: Text<'a>,
    /// How often it occurs.
    pub count: u64,
}

/// What a read, or a pair, is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Label<'a> {
    /// Up to the first space or tab; of pairs without `/1` and `/2`.
    pub name: Text<'a>,
    /// Bases of the read, or of both mates.
    pub lengths: Cow<'a, [u64]>,
    /// The taxon; 0 for none.
    pub taxid: u32,
    /// How sure that is, as the rule has it; 0 without a taxon.
    pub score: f64,
    /// Why it is this taxon, or none: `direct`, `shared`, `partial`, `distant`, `few`, `none`, `short`.
    pub reason: Cow<'a, str>,
    /// k-mers of bases alone.
    pub kmers: u64,
    /// Those that speak for the taxon.
    pub support: u64,
    /// What was weighed, as the rule has it: best first.
    pub candidates: Cow<'a, [TracedCandidate]>,
}

/// A taxon that a read may be of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedCandidate {
    /// The taxon.
    pub taxid: u32,
    /// Its score, as the rule has it.
    pub score: f64,
    /// k-mers that are in it.
    pub kmers: u64,
}

/// The end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Number of values before it, the header included.
    pub values: u64,
}

/// Kinds of this version with their fields, in the order in which they are written.
pub(crate) const SCHEMA: [(&str, &[&str]); 5] = [
    (
        "header",
        &["version", "program", "command", "inputs", "schema"],
    ),
    (
        "read",
        &[
            "rank",
            "mate",
            "name",
            "length_before",
            "length_after",
            "start",
            "cuts",
            "corrected",
            "verdict",
            "outcome",
        ],
    ),
    ("kmer", &["kmer", "count"]),
    (
        "label",
        &[
            "name",
            "lengths",
            "taxid",
            "score",
            "reason",
            "kmers",
            "support",
            "candidates",
        ],
    ),
    ("end", &["values"]),
];

impl Value<'_> {
    /// The name of its kind.
    #[inline]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Header(_) => "header",
            Self::Read(_) => "read",
            Self::Kmer(_) => "kmer",
            Self::Label(_) => "label",
            Self::End(_) => "end",
        }
    }

    /// The names of the fields of a kind, if it is one of this version.
    pub fn fields_of(kind: &str) -> Option<&'static [&'static str]> {
        let mut kinds = SCHEMA.iter();
        kinds.find_map(|(name, fields)| (*name == kind).then_some(*fields))
    }
}

impl<'a> TraceHeader<'a> {
    /// The header of what is written now.
    pub fn new<T: Into<Text<'a>>>(
        program: impl Into<Text<'a>>,
        command: impl IntoIterator<Item = T>,
        inputs: impl IntoIterator<Item = T>,
    ) -> Self {
        let names = |fields: &[&'static str]| fields.iter().map(|&name| name.into()).collect();
        Self {
            version: VERSION,
            program: program.into(),
            command: command.into_iter().map(Into::into).collect(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            schema: (SCHEMA.iter())
                .map(|(kind, fields)| ((*kind).into(), names(fields)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names in the header are those of the fields that are written, in their order.
    #[test]
    fn the_schema_is_what_is_written() {
        let header = TraceHeader::new("x", ["x"], []);
        let kmer = TracedKmer {
            kmer: "ACGT".into(),
            count: 1,
        };
        let values = [
            Value::Header(header.clone()),
            Value::Read(TracedRead::default()),
            Value::Kmer(kmer),
            Value::Label(Label::default()),
            Value::End(End { values: 0 }),
        ];
        for value in &values {
            let text = serde_json::to_string(value).unwrap();
            let mut at = text
                .find(&format!("\"kind\":\"{}\"", value.kind()))
                .unwrap();
            for name in &header.schema[value.kind()] {
                let next = text[at..].find(&format!("\"{name}\":"));
                at += next.unwrap_or_else(|| panic!("{name} in {text}"));
            }
            let object: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&text).unwrap();
            assert_eq!(object.len(), header.schema[value.kind()].len() + 1);
        }
        assert_eq!(values.len(), header.schema.len());
    }
}
