//! What an index says about the file as a whole.

use thalweg_formats::FileFormat;

/// How the compressed file is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Container {
    /// gzip of one or more members.
    Gzip,
    /// gzip whose members are BGZF blocks.
    Bgzf,
}

/// Bytes at each end of the compressed file that [`IndexedFile::fingerprint`] covers.
///
/// 64 KiB: both ends together cost one or two disk accesses, while the head covers several thousand reads' names and
/// the tail holds the last member's CRC, so that two files of equal size differ there in practice.
pub const FINGERPRINT_SPAN: u64 = 64 * 1024;

/// Which compressed file an index belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Size of the compressed file in bytes; 0 while unknown (`.gzi`).
    pub compressed_size: u64,
    /// BLAKE3 of the whole compressed file.
    pub blake3: Option<[u8; 32]>,
    /// [`IndexedFile::fingerprint`] of the compressed file, so that opening can refuse a different file without reading
    /// all of it. `None` from formats that have none.
    pub head_tail: Option<[u8; 16]>,
}

impl IndexedFile {
    /// The cheap fingerprint: BLAKE3, cut to 16 bytes, of the size (u64 little endian), the head and the tail.
    ///
    /// `head` and `tail` are the first and the last [`FINGERPRINT_SPAN`] bytes of the file, or all of it (both times)
    /// if it is shorter.
    pub fn fingerprint(compressed_size: u64, head: &[u8], tail: &[u8]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(&compressed_size.to_le_bytes())
            .update(head)
            .update(tail);
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        fingerprint
    }
}

/// What an index says about the file as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Which compressed file.
    pub identity: IndexedFile,
    /// How it is framed.
    pub container: Container,
    /// How its records are written; `None` of any other format, or if it is not known.
    pub record_format: Option<FileFormat>,
    /// Whether `record_count` and the record fields of the checkpoints mean anything.
    pub has_records: bool,
    /// Uncompressed bytes of the whole file.
    pub output_size: u64,
    /// Records in the whole file.
    pub record_count: u64,
    /// What the user stored with the index.
    pub metadata: Option<serde_json::Value>,
}
