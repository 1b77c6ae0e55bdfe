//! The uncompressed bytes of a stream, whichever way they come.

use std::sync::Arc;

use thalweg_gzip::{Decoder, Event, Goal, Slab, Start};

use crate::batch::{BufferPool, take_buffers};
use crate::behind_member::behind_member;
use crate::codec_limits::limit_of;
use crate::file::InputFile;
use crate::raw::RawStream;
use crate::{Compression, Error, ErrorKind};

/// gzip through our kernel, all else as it is or through a library.
pub(crate) enum Bytes {
    Gzip(Box<Decoder>),
    Raw(RawStream),
}

impl Bytes {
    pub(crate) fn event(&self) -> Option<Event> {
        match self {
            Bytes::Gzip(bytes) => bytes.event(),
            Bytes::Raw(bytes) => bytes.event(),
        }
    }

    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Bytes::Gzip(bytes) => bytes.data(),
            Bytes::Raw(bytes) => bytes.data(),
        }
    }

    /// Uncompressed bytes since the start of the part.
    pub(crate) fn output(&self) -> u64 {
        match self {
            Bytes::Gzip(bytes) => bytes.output(),
            Bytes::Raw(bytes) => bytes.output(),
        }
    }

    pub(crate) fn take(&mut self, taken: usize, fresh: Slab) -> Slab {
        match self {
            Bytes::Gzip(bytes) => bytes.take(taken, fresh),
            Bytes::Raw(bytes) => bytes.take(taken, fresh),
        }
    }

    pub(crate) fn overwrite(&mut self, with: &[u8]) {
        match self {
            Bytes::Gzip(bytes) => bytes.overwrite(with),
            Bytes::Raw(bytes) => bytes.overwrite(with),
        }
    }

    pub(crate) fn make_room(&mut self) {
        match self {
            Bytes::Gzip(bytes) => bytes.make_room(),
            Bytes::Raw(bytes) => bytes.make_room(),
        }
    }

    pub(crate) fn skip(&mut self, count: usize) {
        match self {
            Bytes::Gzip(bytes) => bytes.skip(count),
            Bytes::Raw(bytes) => bytes.skip(count),
        }
    }

    pub(crate) fn go_on(&mut self) {
        match self {
            Bytes::Gzip(bytes) => bytes.go_on(),
            Bytes::Raw(bytes) => bytes.go_on(),
        }
    }

    pub(crate) fn set_limit(&mut self, limit: u64) {
        match self {
            Bytes::Gzip(bytes) => bytes.set_limit(limit),
            Bytes::Raw(bytes) => bytes.set_limit(limit),
        }
    }

    /// Read or decode a little more, on its own.
    pub(crate) fn advance_alone(&mut self, file: &InputFile) -> Result<(), Error> {
        match self {
            Bytes::Gzip(decoder) => decoder
                .advance()
                .map_err(|error| compressed_error(file, error)),
            Bytes::Raw(raw) => raw.fill().map_err(|error| raw_error(file, error)),
        }
    }
}

/// All uncompressed bytes of a file, from its start, in order.
pub(crate) fn sequential(file: &Arc<InputFile>, pool: &Arc<BufferPool>) -> Result<Bytes, Error> {
    let slab = take_buffers(pool).slab;
    let source = file.bytes_from(0)?;
    if file.compression() == Compression::Gzip {
        let decoder = Decoder::new(source, 0, Start::Member, Goal::EndOfFile, slab);
        return Ok(Bytes::Gzip(Box::new(decoder)));
    }
    let text = file.compression().reader(source).map_err(|error| {
        match limit_of(file.compression(), &error) {
            Some(limit) => {
                let limit = thalweg_gzip::ErrorKind::Limit(limit);
                compressed_error(file, thalweg_gzip::Error::new(limit, 0))
            }
            None => Error::io(file.path(), error),
        }
    })?;
    Ok(Bytes::Raw(RawStream::new(text, None, slab)))
}

pub(crate) fn compressed_error(file: &InputFile, error: thalweg_gzip::Error) -> Error {
    let error = match error.kind() {
        thalweg_gzip::ErrorKind::TrailingGarbage => {
            behind_member(file, error.offset()).unwrap_or(error)
        }
        _ => error,
    };
    let offset = error.offset();
    Error::new(ErrorKind::Compressed(error))
        .in_file(file.path())
        .at_offset(offset)
}

pub(crate) fn raw_error(file: &InputFile, error: std::io::Error) -> Error {
    if !file.is_codec_fault(&error) {
        return Error::io(file.path(), error);
    }
    let kind = match (limit_of(file.compression(), &error), error.kind()) {
        (Some(limit), _) => thalweg_gzip::ErrorKind::Limit(limit),
        (None, std::io::ErrorKind::UnexpectedEof) => thalweg_gzip::ErrorKind::Truncated,
        (None, _) => thalweg_gzip::ErrorKind::Codec(error),
    };
    compressed_error(file, thalweg_gzip::Error::new(kind, file.offset_reached()))
}
