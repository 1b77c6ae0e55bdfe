//! Values to bytes, by one worker.

use serde::Serialize;

use crate::lz4::FrameWriter;
use crate::value::MOST_BYTES;
use crate::{End, Error, ErrorKind, TraceFormat, TraceHeader, Value};

/// The fastest of zstd's levels that is no special one: traces are written while something else is done.
#[cfg(feature = "zstd")]
const ZSTD_LEVEL: i32 = 1;

/// Makes the bytes of a trace, a batch at a time: those of several encoders, one behind the other, are one trace.
///
/// Each worker has one. Its buffer, where values wait until their batch is whole, and its tables are used again.
/// A trace is what [`header`](Self::header) gives, then batches, then what [`end`](Self::end) gives, each from any encoder
/// of the same format.
pub struct TraceEncoder {
    press: Press,
    /// Values of the batch, not compressed.
    buffer: Vec<u8>,
    /// How many these are.
    values: u64,
    /// What was wrong with one of them.
    fault: Option<Error>,
}

enum Press {
    /// MessagePack as it is.
    None,
    Lz4(Box<FrameWriter>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::bulk::Compressor<'static>),
    /// JSON.
    Lines,
}

impl TraceEncoder {
    /// An encoder without values.
    ///
    /// # Errors
    /// [`ErrorKind::Compressor`] if there is no memory for one, [`ErrorKind::WithoutZstd`].
    pub fn new(format: TraceFormat) -> Result<Self, Error> {
        let press = match format {
            TraceFormat::MessagePack => Press::None,
            TraceFormat::JsonLines => Press::Lines,
            TraceFormat::Lz4 => Press::Lz4(Box::new(FrameWriter::new())),
            #[cfg(not(feature = "zstd"))]
            TraceFormat::Zstd => return Err(Error::new(ErrorKind::WithoutZstd)),
            #[cfg(feature = "zstd")]
            TraceFormat::Zstd => {
                let mut frames = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(of_zstd)?;
                frames.include_checksum(true).map_err(of_zstd)?;
                Press::Zstd(frames)
            }
        };
        Ok(Self {
            press,
            buffer: Vec::new(),
            values: 0,
            fault: None,
        })
    }

    /// Add a value to the batch. What may be wrong with it, [`take_batch`](Self::take_batch) tells.
    #[inline]
    pub fn push(&mut self, value: &Value<'_>) {
        if let Err(error) = self.try_push(value) {
            self.fault.get_or_insert(error);
        }
    }

    fn try_push(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let before = self.buffer.len();
        if matches!(self.press, Press::Lines) {
            serde_json::to_writer(&mut self.buffer, value)
                .map_err(|error| Error::new(ErrorKind::Damaged(error.to_string())))?;
            self.buffer.push(b'\n');
        } else {
            let (kind, into) = (value.kind(), &mut self.buffer);
            match value {
                Value::Header(fields) => write(kind, fields, into),
                Value::Read(fields) => write(kind, fields, into),
                Value::Kmer(fields) => write(kind, fields, into),
                Value::Label(fields) => write(kind, fields, into),
                Value::End(fields) => write(kind, fields, into),
            }?;
        }
        if self.buffer.len() - before > MOST_BYTES {
            self.buffer.truncate(before);
            return Err(Error::new(ErrorKind::TooLarge));
        }
        self.values += 1;
        Ok(())
    }

    /// Bytes that wait, not compressed.
    #[inline]
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Append the bytes of all values that were added to `into`, compressed, and begin another batch. Returns how many values
    /// these were; of none there are no bytes.
    ///
    /// # Errors
    /// The first of a value that was added: [`ErrorKind::TooLarge`]. [`ErrorKind::Compressor`].
    pub fn take_batch(&mut self, into: &mut Vec<u8>) -> Result<u64, Error> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if !self.buffer.is_empty() {
            match &mut self.press {
                Press::None | Press::Lines if into.is_empty() => {
                    // Without a copy; the memory that was there comes back with the next batch.
                    std::mem::swap(into, &mut self.buffer);
                }
                Press::None | Press::Lines => into.extend_from_slice(&self.buffer),
                Press::Lz4(frames) => frames.write(&self.buffer, into),
                #[cfg(feature = "zstd")]
                Press::Zstd(frames) => {
                    let frame = frames.compress(&self.buffer).map_err(of_zstd)?;
                    into.extend_from_slice(&frame);
                }
            }
        }
        self.buffer.clear();
        Ok(std::mem::take(&mut self.values))
    }

    /// The bytes that a trace begins with.
    ///
    /// # Errors
    /// As [`take_batch`](Self::take_batch).
    pub fn header(&mut self, header: &TraceHeader<'_>) -> Result<Vec<u8>, Error> {
        self.alone(&Value::Header(header.clone()))
    }

    /// The bytes that a trace ends with, of so many values between it and the header.
    ///
    /// # Errors
    /// As [`take_batch`](Self::take_batch).
    pub fn end(&mut self, values: u64) -> Result<Vec<u8>, Error> {
        self.alone(&Value::End(End { values: values + 1 }))
    }

    /// A batch of one value.
    fn alone(&mut self, value: &Value<'_>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.push(value);
        self.take_batch(&mut bytes)?;
        Ok(bytes)
    }
}

/// The kind, and the fields as an array.
#[inline]
fn write(kind: &str, fields: &impl Serialize, mut into: &mut Vec<u8>) -> Result<(), Error> {
    rmp_serde::encode::write(&mut into, &(kind, fields))
        .map_err(|error| Error::new(ErrorKind::Damaged(error.to_string())))
}

#[cfg(feature = "zstd")]
fn of_zstd(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Compressor(format!("zstd: {error}")))
}
