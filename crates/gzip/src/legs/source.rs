//! Where the compressed bytes of legs are.

use std::io::{self, Read};
use std::sync::Arc;

use thalweg_files::{ReadAt, ReadFrom};

use super::ahead::{Ahead, AheadReader};

/// A file, or a stream that is read ahead.
#[derive(Debug)]
pub(super) enum Source {
    File { file: Arc<dyn ReadAt>, length: u64 },
    Stream(Arc<Ahead>),
}

/// What is there of a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Bytes from the start of the file.
    pub(super) length: u64,
    /// There are no more.
    pub(super) is_all: bool,
}

impl Source {
    pub(super) fn known(&self) -> Known {
        match self {
            Source::File { length, .. } => Known {
                length: *length,
                is_all: true,
            },
            Source::Stream(ahead) => {
                let (length, is_all) = ahead.known();
                Known { length, is_all }
            }
        }
    }

    /// Some of the bytes that are there from `offset` on.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Source::File { file, .. } => file.read_at(buffer, offset),
            Source::Stream(ahead) => Ok(ahead.read_kept(offset, buffer)),
        }
    }

    /// The bytes that are there from `offset` on. Of a stream, reading fails behind them, unless it has ended.
    pub(super) fn reader(&self, offset: u64) -> Box<dyn Read + Send> {
        match self {
            Source::File { file, .. } => Box::new(ReadFrom::new(Arc::clone(file), offset)),
            Source::Stream(ahead) => Box::new(AheadReader::kept(ahead, offset)),
        }
    }

    /// The bytes from `offset` on, for whoever decodes in order.
    pub(super) fn in_order(&self, offset: u64) -> Box<dyn Read + Send> {
        match self {
            Source::File { .. } => self.reader(offset),
            Source::Stream(ahead) => Box::new(AheadReader::in_order(ahead, offset)),
        }
    }
}

impl Known {
    /// Whether all is there of the strip at `index`, of `size` bytes.
    pub(super) fn has_strip(&self, index: u64, size: usize) -> bool {
        let size = size as u64;
        match self.is_all {
            true => index * size < self.length,
            false => (index + 1) * size <= self.length,
        }
    }

    /// Strips whose legs can be decoded: the one behind each is there, too, unless it is the last one of all.
    pub(super) fn legs(&self, size: usize) -> u64 {
        match self.is_all {
            true => self.length.div_ceil(size as u64),
            false => (self.length / size as u64).saturating_sub(1),
        }
    }
}
