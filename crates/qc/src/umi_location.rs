//! Where unique molecular identifiers are.

use std::fmt;

/// Where a unique molecular identifier stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiLocation {
    /// The first index of the name of read 1.
    Index1,
    /// The last index of the name of read 2.
    Index2,
    /// The first bases of read 1.
    Read1,
    /// The first bases of read 2.
    Read2,
    /// Both indexes.
    PerIndex,
    /// The first bases of both reads.
    PerRead,
    /// A tag behind the name of read 1, or else of read 2, as SAM has them: `RX:Z:ACGT` behind a tab.
    Tag([u8; 2]),
}

impl UmiLocation {
    /// The location that fastp calls so, in upper case or lower; of a tag, which fastp does not know, `tag:RX`.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(tag) = name.strip_prefix("tag:") {
            return match tag.as_bytes() {
                [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => {
                    Some(UmiLocation::Tag([*a, *b]))
                }
                _ => None,
            };
        }
        Some(match name.to_ascii_lowercase().as_str() {
            "index1" => UmiLocation::Index1,
            "index2" => UmiLocation::Index2,
            "read1" => UmiLocation::Read1,
            "read2" => UmiLocation::Read2,
            "per_index" => UmiLocation::PerIndex,
            "per_read" => UmiLocation::PerRead,
            _ => return None,
        })
    }

    /// Whether bases of reads are cut off as UMI.
    pub(crate) fn is_in_reads(self) -> bool {
        matches!(
            self,
            UmiLocation::Read1 | UmiLocation::Read2 | UmiLocation::PerRead
        )
    }
}

impl fmt::Display for UmiLocation {
    /// The name that [`parse`](Self::parse) takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UmiLocation::Index1 => "index1",
            UmiLocation::Index2 => "index2",
            UmiLocation::Read1 => "read1",
            UmiLocation::Read2 => "read2",
            UmiLocation::PerIndex => "per_index",
            UmiLocation::PerRead => "per_read",
            UmiLocation::Tag(tag) => return write!(f, "tag:{}", tag.escape_ascii()),
        })
    }
}
