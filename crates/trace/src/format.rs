//! How a trace lies on disk.

use std::path::Path;

/// How values are noted and compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceFormat {
    /// MessagePack in LZ4 frames, one for each batch: blocks of 256 KiB that need no other, the size of the content, and its checksum.
    Lz4,
    /// MessagePack in zstd frames, one for each batch: for traces that are kept.
    Zstd,
    /// MessagePack as it is.
    MessagePack,
    /// A line of JSON for each value.
    JsonLines,
}

/// First bytes of an LZ4 frame.
pub(crate) const LZ4: [u8; 4] = 0x184d_2204_u32.to_le_bytes();

/// First bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// How a MessagePack array of two begins, which each value is.
pub(crate) const PAIR: u8 = 0x92;

impl TraceFormat {
    /// The format that the end of a name stands for: `.lz4`, `.zst` or `.zstd`, `.msgpack` or `.mpk`, `.jsonl` or `.ndjson`.
    /// `None` if it is none of these, or says that there is text under a compression, as `.jsonl.zst` does.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let inner = Path::new(path.file_stem()?).extension();
        let is_of_text = inner.is_some_and(|inner| {
            let is = |text: &&str| inner.eq_ignore_ascii_case(text);
            ["jsonl", "ndjson", "json", "tsv"].iter().any(is)
        });
        match &*ending {
            "lz4" | "zst" | "zstd" if is_of_text => None,
            "lz4" => Some(Self::Lz4),
            "zst" | "zstd" => Some(Self::Zstd),
            "msgpack" | "mpk" => Some(Self::MessagePack),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// The format of a file that begins with these bytes, four of them if it has as many.
    pub(crate) fn of_bytes(first: &[u8]) -> Option<Self> {
        match first {
            _ if first.starts_with(&LZ4) => Some(Self::Lz4),
            _ if first.starts_with(&ZSTD) => Some(Self::Zstd),
            [PAIR, ..] => Some(Self::MessagePack),
            [b'{', ..] => Some(Self::JsonLines),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_formats() {
        for (name, format) in [
            ("a.msgpack.lz4", Some(TraceFormat::Lz4)),
            ("a.LZ4", Some(TraceFormat::Lz4)),
            ("a.msgpack.zst", Some(TraceFormat::Zstd)),
            ("a.msgpack", Some(TraceFormat::MessagePack)),
            ("a.jsonl", Some(TraceFormat::JsonLines)),
            ("a.json", None),
            ("a.lz4.gz", None),
            ("a.jsonl.zst", None),
            ("a.JSONL.lz4", None),
            ("a.tsv.zstd", None),
            ("lz4", None),
            ("-", None),
        ] {
            assert_eq!(TraceFormat::of_name(Path::new(name)), format, "{name}");
        }
    }
}
