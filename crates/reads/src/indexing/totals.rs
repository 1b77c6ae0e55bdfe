//! What is known of a file when a pass over it has ended, and what can go wrong with its index.

use std::path::Path;

use thalweg_formats::FileFormat;
use thalweg_gzip::index::{Container, IndexError, IndexedFile, Summary};

use super::collector::CollectError;
use super::options::IndexOptions;
use crate::file::InputFile;
use crate::open::fingerprint;
use crate::{Error, ErrorKind};

/// What one pass over a file found out about it as a whole.
pub(super) struct Totals {
    pub(super) hash: [u8; 32],
    pub(super) container: Container,
    pub(super) format: FileFormat,
    pub(super) records: u64,
    pub(super) output: u64,
}

pub(super) fn summary(
    file: &InputFile,
    totals: &Totals,
    options: &IndexOptions,
) -> Result<Summary, Error> {
    Ok(Summary {
        identity: IndexedFile {
            compressed_size: file.size().unwrap_or(0),
            blake3: Some(totals.hash),
            head_tail: Some(fingerprint(file)?),
        },
        container: totals.container,
        record_format: Some(totals.format),
        has_records: true,
        output_size: totals.output,
        record_count: totals.records,
        metadata: options.metadata.clone(),
    })
}

pub(super) fn index_error(path: &Path, error: IndexError) -> Error {
    Error::new(ErrorKind::Index(error)).in_file(path)
}

pub(super) fn collect_error(file: &InputFile, error: CollectError) -> Error {
    match error {
        CollectError::Index(error) => index_error(file.path(), error),
        CollectError::Format(error, rank, offset) => Error::new(ErrorKind::Format(error))
            .in_file(file.path())
            .at_record(Some(rank))
            .at_text_offset(offset),
    }
}
