//! Where a trace goes.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use thalweg_trace::{Error, Text, TraceEncoder, TraceFormat, TraceHeader};
use thalweg_write::{OutputOptions, is_stream};

use crate::Fault;

/// Names that stand for a format.
const NAMES: &str = "names of traces end in .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl";

/// A trace that a job is to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// Where it goes. The name says [how it is written](TraceOutput::format_of).
    pub path: PathBuf,
    /// The command line that it tells, without the name of the program; empty by default.
    pub command: Vec<OsString>,
}

impl TraceSettings {
    /// A trace to this path, that tells no command line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            command: Vec::new(),
        }
    }

    /// The output, of a job that reads `inputs`.
    ///
    /// # Errors
    /// If the name stands for no format; and as [`TraceOutput::new`].
    pub fn output(&self, inputs: &[PathBuf]) -> Result<TraceOutput, Fault> {
        let path = &self.path;
        let format = TraceOutput::format_of(path).ok_or_else(|| {
            let message = format!("--trace {}: the format is unknown", path.display());
            Fault::usage(message, NAMES)
        })?;
        Ok(TraceOutput::new(path, format, &self.command, inputs)?)
    }
}

/// A trace that is to be written, among other outputs of a job or alone.
#[derive(Clone, Debug)]
pub struct TraceOutput {
    path: PathBuf,
    format: TraceFormat,
    head: Vec<u8>,
}

impl TraceOutput {
    /// The format that a name stands for: that of its [ending](TraceFormat::of_name), or MessagePack as it is of the standard output (`-`), a pipe
    /// or a device. `None` if it is another ending.
    pub fn format_of(path: &Path) -> Option<TraceFormat> {
        TraceFormat::of_name(path).or_else(|| is_stream(path).then_some(TraceFormat::MessagePack))
    }

    /// A trace to `path` of a job that reads `inputs`, by a `command` line without the name of the program.
    ///
    /// # Errors
    /// If there is no memory for a compressor, or the names of the inputs are more than a trace can have.
    pub fn new(
        path: &Path,
        format: TraceFormat,
        command: &[OsString],
        inputs: &[PathBuf],
    ) -> Result<Self, Error> {
        let command = command
            .iter()
            .map(|argument| Text::from(argument.as_bytes()));
        let inputs = inputs.iter().map(|path| path.as_os_str().as_bytes().into());
        let program = concat!("thalweg ", env!("CARGO_PKG_VERSION"));
        let header = TraceHeader {
            inputs: inputs.collect(),
            ..TraceHeader::new(program, command, [])
        };
        Ok(Self {
            path: path.to_owned(),
            format,
            head: TraceEncoder::new(format)?.header(&header)?,
        })
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it lies there.
    pub fn format(&self) -> TraceFormat {
        self.format
    }

    /// What it begins with, for who writes it alone.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The output, which gets batches as a [`TraceEncoder`] makes them, and [what it ends with](Self::end) behind all others.
    pub fn options(&self) -> OutputOptions {
        OutputOptions::new(&self.path)
            .format(thalweg_write::OutputFormat::Plain)
            .head(self.head.clone())
    }

    /// What one worker makes batches with.
    ///
    /// # Errors
    /// If there is no memory for a compressor.
    pub fn encoder(&self) -> Result<TraceEncoder, Error> {
        TraceEncoder::new(self.format)
    }

    /// What it ends with, of so many values in batches.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub fn end(&self, values: u64) -> Result<Vec<u8>, Error> {
        self.encoder()?.end(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a trace says of the command line is what whoever writes it said, and not what this process was called with.
    #[test]
    fn the_command_line_is_the_callers() {
        let inputs = [PathBuf::from("reads.fq")];
        let said = TraceSettings {
            command: ["qc", "-i", "a b"].map(OsString::from).to_vec(),
            ..TraceSettings::new("trace.jsonl")
        };
        let head = |settings: &TraceSettings| {
            let output = settings.output(&inputs).unwrap();
            String::from_utf8(output.head().to_vec()).unwrap()
        };
        let text = head(&said);
        assert!(text.contains(r#"["qc","-i","a b"]"#), "{text}");
        assert!(text.contains(r#"["reads.fq"]"#), "{text}");
        let text = head(&TraceSettings::new("trace.jsonl"));
        assert!(text.contains("[]"), "{text}");
        let fault = TraceSettings::new("trace.txt").output(&inputs).unwrap_err();
        assert!(fault.to_string().contains("--trace trace.txt"), "{fault}");
    }
}
