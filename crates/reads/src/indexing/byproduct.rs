//! The index of a file that is read for something else.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use thalweg_formats::FileFormat;
use thalweg_gzip::Decoder;
use thalweg_gzip::index::{Container, Index};

use super::collector::{CollectError, Collector};
use super::hash::hash_file;
use super::marker::Marker;
use super::options::IndexOptions;
use super::parts::{PartRecorder, merge};
use super::recorder::Recorder;
use super::totals::{Totals, collect_error, index_error, summary};
use crate::Error;
use crate::file::InputFile;
use crate::index_places::{index_path, path_in};

/// Chunks longer than this (and than four spans) are too uneven to share out:
/// some members were large.
const LONGEST: u64 = 256 << 20;

/// Keep the index that falls out when a gzip file without one is read whole.
#[derive(Clone, Debug)]
pub(crate) struct SaveIndex {
    pub(crate) options: IndexOptions,
    pub(crate) destination: Destination,
}

/// Where an index goes that falls out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// It is kept for the caller.
    Caller,
    Beside,
    /// Into a directory for indexes, which is made if it is not there.
    Directory(PathBuf),
}

/// Records a file that is read in order.
pub(crate) struct ByProduct {
    collector: Collector,
    marker: Marker,
    /// What went wrong; the reader goes on, and it is reported at the end.
    failure: Option<CollectError>,
    is_bgzf: bool,
}

impl ByProduct {
    pub(crate) fn new(format: FileFormat, save: &SaveIndex) -> Self {
        let checkpoints = save.options.checkpoints;
        Self {
            collector: Collector::in_memory(format, checkpoints.wanted()),
            marker: Marker::new(checkpoints),
            failure: None,
            is_bgzf: false,
        }
    }

    /// The index, when the file has been read to its end.
    pub(crate) fn finish(
        self,
        file: &Arc<InputFile>,
        format: FileFormat,
        save: &SaveIndex,
    ) -> Result<Option<Index>, Error> {
        if let Some(failure) = self.failure {
            return Err(collect_error(file, failure));
        }
        let (records, output) = self.collector.totals();
        let container = match self.is_bgzf {
            true => Container::Bgzf,
            false => Container::Gzip,
        };
        let totals = Totals {
            hash: hash(file, save)?,
            container,
            format,
            records,
            output,
        };
        let summary = summary(file, &totals, &save.options)?;
        let index = self
            .collector
            .finish(summary)
            .map_err(|error| collect_error(file, error))?;
        index.map_or(Ok(None), |index| keep(file, index, save))
    }
}

impl Recorder for ByProduct {
    fn block(&mut self, decoder: &mut Decoder) {
        self.marker.block(decoder);
    }

    fn data(&mut self, bytes: &[u8], at_end: bool) {
        if self.failure.is_some() {
            return;
        }
        for mark in self.marker.marks.drain(..) {
            self.collector.mark(mark);
        }
        if let Err(failure) = self.collector.data(bytes, at_end) {
            self.failure = Some(failure);
        }
    }

    fn stopped(&mut self, decoder: &mut Decoder, at_end: bool) {
        self.marker.look(decoder, at_end);
        for references in self.marker.references.drain(..) {
            self.collector.references(references);
        }
        self.is_bgzf = decoder.is_bgzf();
    }

    fn records(&mut self, _: u64, _: &[u32], _: FileFormat) {}

    fn part_end(&mut self, _: u64) {}

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The index that the parts of a file give; `None` if its members are too large.
pub(crate) fn finish_parts(
    file: &Arc<InputFile>,
    format: FileFormat,
    is_bgzf: bool,
    parts: &[PartRecorder],
    save: &SaveIndex,
) -> Result<Option<Index>, Error> {
    let checkpoints = save.options.checkpoints;
    let merged = merge(parts, |output| checkpoints.span_for(output));
    if merged.longest > LONGEST.max(checkpoints.span_for(merged.output).saturating_mul(4)) {
        return Ok(None);
    }
    let totals = Totals {
        hash: hash(file, save)?,
        container: if is_bgzf {
            Container::Bgzf
        } else {
            Container::Gzip
        },
        format,
        records: merged.records,
        output: merged.output,
    };
    let summary = summary(file, &totals, &save.options)?;
    let index = merged
        .builder
        .finish(summary)
        .map_err(|error| index_error(file.path(), error))?;
    keep(file, index, save)
}

fn keep(file: &Arc<InputFile>, index: Index, save: &SaveIndex) -> Result<Option<Index>, Error> {
    file.check_unchanged()?;
    let destination = match &save.destination {
        Destination::Caller => return Ok(Some(index)),
        Destination::Beside => index_path(file.path()),
        Destination::Directory(directory) => {
            std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
            path_in(directory, file, "thw")?
        }
    };
    index
        .write(&destination)
        .map_err(|error| index_error(file.path(), error))?;
    Ok(None)
}

/// BLAKE3 of the file, which the page cache still has.
fn hash(file: &Arc<InputFile>, save: &SaveIndex) -> Result<[u8; 32], Error> {
    let (Some(open), Some(size)) = (file.regular(), file.size()) else {
        return Err(Error::new(crate::ErrorKind::NotSeekable).in_file(file.path()));
    };
    hash_file(open, size, save.options.budget.threads())
        .map_err(|error| Error::io(file.path(), error))
}
