//! The names, marks and the header of KMC's two files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::database::input::Input;
use crate::database::{DatabaseFormat, Header, Order};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, MAX_K};

/// First and last four bytes of `.kmc_pre`.
pub(crate) const PREFIX_MAGIC: &[u8; 4] = b"KMCP";

/// First and last four bytes of `.kmc_suf`.
pub(crate) const SUFFIX_MAGIC: &[u8; 4] = b"KMCS";

/// The longest prefix of a version that is read: KMC chooses p below 16.
const LONGEST_PREFIX: u32 = 15;

/// The longest signature.
const LONGEST_SIGNATURE: u32 = 11;

/// The names of both files of a database, which may be named by either or without an extension.
pub(crate) fn names(path: &Path) -> (PathBuf, PathBuf) {
    let stem = match path.extension().and_then(|extension| extension.to_str()) {
        Some("kmc_pre" | "kmc_suf") => path.with_extension(""),
        _ => path.to_path_buf(),
    };
    let with = |extension: &str| {
        let mut name = OsString::from(&stem);
        name.push(extension);
        PathBuf::from(name)
    };
    (with(".kmc_pre"), with(".kmc_suf"))
}

/// What a reader needs to know.
#[derive(Clone, Debug)]
pub(super) struct KmcHeader {
    pub(super) header: Header,
    /// p: bases of the prefix.
    pub(super) prefix: u32,
    pub(super) counter_bytes: usize,
    pub(super) total: u64,
    /// Tables of 4^p entries.
    pub(super) tables: u64,
}

impl KmcHeader {
    pub(super) fn read(prefixes: &Input, suffixes: &Input) -> Result<KmcHeader> {
        let wrong = |reason: String| damaged(prefixes.path(), reason);
        check_marks(prefixes, PREFIX_MAGIC)?;
        check_marks(suffixes, SUFFIX_MAGIC)?;
        let size = prefixes.size();
        if size < 80 {
            return Err(wrong("it is shorter than its header".into()));
        }
        let mut tail = [0; 12];
        prefixes.read_at(&mut tail, size - 12)?;
        let half = |bytes: &[u8], offset: usize| {
            u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
        };
        let version = half(&tail, 0);
        // Readers look at the lowest byte of the size alone.
        let header_size = u64::from(tail[4]);
        let expected = match version {
            0 => 64,
            0x200 => 68,
            other => {
                return Err(not_read(
                    prefixes.path(),
                    format!("it says version {other:#x}, but only 0 and 0x200 are supported"),
                ));
            }
        };
        if header_size != expected {
            return Err(wrong(format!(
                "a header of {header_size} bytes in version {version:#x}"
            )));
        }
        let header_offset = size - 8 - header_size;
        let fields = prefixes.bytes_at(header_offset, header_size)?;
        let field = |index: usize| half(&fields, 4 * index);
        let word = |index: usize| u64::from(field(index)) | u64::from(field(index + 1)) << 32;

        let (k, mode, counter_bytes, prefix) = (field(0), field(1), field(2), field(3));
        let (signature, rest) = if version == 0 { (0, 4) } else { (field(4), 5) };
        let (lowest, highest, total) = (field(rest), field(rest + 1), word(rest + 2));
        let strands = fields[4 * (rest + 4)];
        let highest_above = if version == 0 { field(rest + 5) } else { 0 };

        if mode != 0 {
            return Err(not_read(
                prefixes.path(),
                "its counts are weighted by quality".into(),
            ));
        }
        if k == 0 {
            return Err(wrong("k = 0".into()));
        }
        if prefix > k || !(k - prefix).is_multiple_of(4) {
            return Err(wrong(format!("prefixes of {prefix} bases at k = {k}")));
        }
        if strands > 1 {
            return Err(wrong("an unknown strandedness".into()));
        }
        let record = u64::from((k - prefix) / 4) + u64::from(counter_bytes);
        let expected = total
            .checked_mul(record)
            .and_then(|bytes| bytes.checked_add(8));
        if expected != Some(suffixes.size()) {
            return Err(damaged(
                suffixes.path(),
                format!(
                    "it is truncated, or not of this database: {total} records of {record} bytes are expected"
                ),
            ));
        }
        // Where the file is as long as it says, its header is right, and what is too large for us is no damage.
        if let Some(limit) = limit_of(k, prefix, counter_bytes, signature) {
            let mut error = not_read(prefixes.path(), limit);
            if let Error::NotRead { way_out, .. } = &mut error
                && k > MAX_K as u32
            {
                *way_out = "use KMC itself (`kmc_dump`), or count again with a k of 255 or less";
            }
            return Err(error);
        }
        let table = 8u64 << (2 * prefix);
        let beside = 4 + match version {
            0 => 0,
            _ => 8 + 4 * ((1u64 << (2 * signature)) + 1),
        };
        let room = header_offset.checked_sub(beside);
        let tables = match room {
            Some(room) if room.is_multiple_of(table) && room > 0 => room / table,
            _ => return Err(wrong("its parts do not add up to its size".into())),
        };
        if version == 0 && tables != 1 {
            return Err(wrong("its parts do not add up to its size".into()));
        }

        // Records that have no byte cost nothing in a file: there are as many as the tables can tell apart.
        if record == 0 && total > tables << (2 * prefix) {
            return Err(wrong(format!("{total} different k-mers of {k} bases")));
        }

        let mut header = Header::new(
            if version == 0 {
                DatabaseFormat::Kmc
            } else {
                DatabaseFormat::Kmc2
            },
            k as usize,
        );
        header.canonical = Some(strands == 0);
        header.counter_bytes = Some(counter_bytes as u8);
        header.distinct = Some(total);
        header.kept = (
            u64::from(lowest),
            u64::from(highest) | u64::from(highest_above) << 32,
        );
        header.prefix = Some(prefix);
        header.signature = (version != 0).then_some(signature);
        header.order = if version == 0 {
            Order::Sorted
        } else {
            Order::Partitioned(u32::try_from(tables).unwrap_or(u32::MAX))
        };
        Ok(KmcHeader {
            header,
            prefix,
            counter_bytes: counter_bytes as usize,
            total,
            tables,
        })
    }

    /// Bytes of the bases of a record.
    pub(super) fn suffix_bytes(&self) -> usize {
        (self.header.k - self.prefix as usize) / 4
    }

    /// The first p bases of a k-mer: its entry in a table.
    pub(super) fn prefix_of<K: Kmer>(&self, kmer: K) -> u64 {
        let mut number = Vec::new();
        kmer.write_le_bytes(self.header.k, &mut number);
        let mut prefix = [0; 8];
        let high = &number[self.suffix_bytes()..];
        prefix[..high.len()].copy_from_slice(high);
        u64::from_le_bytes(prefix)
    }
}

/// What of a header is beyond what is read here.
fn limit_of(k: u32, prefix: u32, counter_bytes: u32, signature: u32) -> Option<String> {
    let limits = [
        ("k = ", k, "", MAX_K as u32),
        ("prefixes of ", prefix, " bases", LONGEST_PREFIX),
        ("counts of ", counter_bytes, " bytes", 8),
        ("signatures of ", signature, " bases", LONGEST_SIGNATURE),
    ];
    let (before, found, behind, most) = limits.into_iter().find(|limit| limit.1 > limit.3)?;
    Some(format!(
        "{before}{found}{behind}, but at most {most} is supported"
    ))
}

fn not_read(path: &Path, reason: String) -> Error {
    Error::NotRead {
        path: path.to_path_buf(),
        format: DatabaseFormat::Kmc.name(),
        reason,
        way_out: "convert it to text with `kmc_dump` of the version that wrote it",
    }
}

fn check_marks(input: &Input, magic: &[u8; 4]) -> Result<()> {
    let size = input.size();
    let (mut first, mut last) = ([0; 4], [0; 4]);
    if size >= 8 {
        input.read_at(&mut first, 0)?;
        input.read_at(&mut last, size - 4)?;
    }
    if (&first, &last) != (magic, magic) {
        return Err(damaged(
            input.path(),
            "the marks at its ends are missing: it is truncated, or another file".into(),
        ));
    }
    Ok(())
}

pub(super) fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged {
        path: path.to_path_buf(),
        format: DatabaseFormat::Kmc.name(),
        reason,
    }
}
