//! Where a trace goes.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use thalweg_trace::{Encoder, Error, Format, Header, Text};
use thalweg_write::{OutputOptions, is_stream};

use crate::Fault;

/// Names that stand for a format.
const NAMES: &str = "names of traces end in .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl";

/// A trace that is to be written, among other outputs of a job or alone.
#[derive(Clone, Debug)]
pub struct TraceOutput {
    path: PathBuf,
    format: Format,
    head: Vec<u8>,
}

impl TraceOutput {
    /// The format that a name stands for: that of its [ending](Format::of_name), or MessagePack as it is of the standard output (`-`), a pipe
    /// or a device. `None` if it is another ending.
    pub fn format_of(path: &Path) -> Option<Format> {
        Format::of_name(path).or_else(|| is_stream(path).then_some(Format::MessagePack))
    }

    /// A trace of what this process does, to `path`, in the format that its name stands for.
    ///
    /// # Errors
    /// If it stands for none; and as [`new`](Self::new).
    pub fn of_name(path: &Path, inputs: &[PathBuf]) -> Result<Self, Fault> {
        let format = Self::format_of(path).ok_or_else(|| {
            let message = format!(
                "--trace {}: how it is to be written is not told",
                path.display()
            );
            Fault::usage(message, NAMES)
        })?;
        Ok(Self::new(path, format, inputs)?)
    }

    /// A trace of what this process does, to `path`.
    ///
    /// # Errors
    /// If there is no memory for a compressor, or the names of the inputs are more than a trace can have.
    pub fn new(path: &Path, format: Format, inputs: &[PathBuf]) -> Result<Self, Error> {
        let command: Vec<OsString> = std::env::args_os().skip(1).collect();
        let command = command
            .iter()
            .map(|argument| Text::from(argument.as_bytes()));
        let inputs = inputs.iter().map(|path| path.as_os_str().as_bytes().into());
        let program = concat!("thalweg ", env!("CARGO_PKG_VERSION"));
        let header = Header {
            inputs: inputs.collect(),
            ..Header::new(program, command, [])
        };
        Ok(Self {
            path: path.to_owned(),
            format,
            head: Encoder::new(format)?.header(&header)?,
        })
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it lies there.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What it begins with, for who writes it alone.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The output, which gets batches as an [`Encoder`] makes them, and [what it ends with](Self::end) behind all others.
    pub fn options(&self) -> OutputOptions {
        OutputOptions::new(&self.path)
            .format(thalweg_write::Format::Plain)
            .head(self.head.clone())
    }

    /// What one worker makes batches with.
    ///
    /// # Errors
    /// If there is no memory for a compressor.
    pub fn encoder(&self) -> Result<Encoder, Error> {
        Encoder::new(self.format)
    }

    /// What it ends with, of so many values in batches.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub fn end(&self, values: u64) -> Result<Vec<u8>, Error> {
        self.encoder()?.end(values)
    }
}
