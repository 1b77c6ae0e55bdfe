//! What an index says, as values: nothing of it stays open.

use std::path::{Path, PathBuf};

use thalweg_formats::FileFormat;
use thalweg_gzip::index::{Checkpoint, Index, Origin, Summary};
use thalweg_reads::{Error, ErrorKind, Format};

/// What an index says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IndexInfo {
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes on disk, if the system tells them.
    pub size: Option<u64>,
    /// Its format.
    pub origin: Origin,
    /// Bytes of it that windows take, as they lie there.
    pub windows_size: u64,
    /// What it says about its file as a whole; of formats that do not say it all, with zeros, so ask the functions here.
    pub summary: Summary,
    /// Places where decoding can start, in the order of its file.
    pub checkpoints: Vec<Checkpoint>,
}

impl IndexInfo {
    /// That of the index at `path`, which belongs to `file`.
    pub(super) fn open(path: &Path, file: &Path) -> Result<Self, Error> {
        let index =
            Index::open(path).map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file))?;
        Ok(Self {
            path: path.to_owned(),
            size: std::fs::metadata(path).ok().map(|data| data.len()),
            origin: index.origin,
            windows_size: index.windows_size(),
            summary: index.summary(),
            checkpoints: index.checkpoints,
        })
    }

    /// What the format of its file is called, in small letters, as [`DataInfo::format`](super::DataInfo::format) has it; none if
    /// it is not known.
    pub fn record_format(&self) -> Option<String> {
        self.summary.record_format.map(format_name)
    }

    /// Records of its file, if it knows records.
    pub fn records(&self) -> Option<u64> {
        let summary = &self.summary;
        summary.has_records.then_some(summary.record_count)
    }

    /// Bytes of its file, if it says so.
    pub fn compressed_size(&self) -> Option<u64> {
        known(self.summary.identity.compressed_size)
    }

    /// Bytes that its file has when it is decoded, if it says so.
    pub fn uncompressed_size(&self) -> Option<u64> {
        let summary = &self.summary;
        known(summary.output_size).or(summary.has_records.then_some(0))
    }

    /// Decoded bytes between two checkpoints, in the mean, or 0 if the decoded size is not known; none without checkpoints.
    pub fn mean_span(&self) -> Option<u64> {
        let chunks = self.checkpoints.len() as u64;
        self.summary.output_size.checked_div(chunks)
    }

    /// Decoded bytes between two checkpoints, at most; none if the decoded size is not known.
    pub fn longest_span(&self) -> Option<u64> {
        let starts = self.checkpoints.iter().map(|start| start.output_offset);
        let ends = starts.clone().skip(1).chain([self.summary.output_size]);
        let spans = starts
            .zip(ends)
            .map(|(start, end)| end.saturating_sub(start));
        spans.max().filter(|_| self.summary.output_size > 0)
    }

    /// Whether each chunk has a checksum.
    pub fn has_checksums(&self) -> bool {
        let mut checkpoints = self.checkpoints.iter();
        checkpoints.all(|checkpoint| checkpoint.crc32.is_some())
    }
}

/// What a format is called, in small letters.
pub(super) fn format_name(format: FileFormat) -> String {
    match format {
        FileFormat::Text(Format::FastqMultiline) => "fastq-multiline".to_owned(),
        format => format.name().to_lowercase(),
    }
}

/// Sizes that are not known are 0.
fn known(size: u64) -> Option<u64> {
    Some(size).filter(|&size| size > 0)
}

#[cfg(test)]
mod tests {
    use thalweg_gzip::index::gzi;

    use super::*;

    /// Block offsets tell neither sizes nor records.
    #[test]
    fn what_an_index_does_not_say_is_not_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.gz.gzi");
        gzi::write(&path, &[(100, 65_280), (250, 130_560)]).unwrap();
        let info = IndexInfo::open(&path, &path).unwrap();
        assert_eq!((info.origin, info.checkpoints.len()), (Origin::Gzi, 3));
        assert_eq!((info.records(), info.record_format()), (None, None));
        assert_eq!(
            (info.compressed_size(), info.uncompressed_size()),
            (None, None)
        );
        assert_eq!(info.longest_span(), None);
        assert!(!info.has_checksums());
    }
}
