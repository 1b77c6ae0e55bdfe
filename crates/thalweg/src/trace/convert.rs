//! A trace to a table, or to a trace of another format.

use std::path::{Path, PathBuf};

use thalweg_files::counted;
use thalweg_trace::{TraceEncoder, TraceFormat, TraceHeader, TraceTable, Value};
use thalweg_write::{self as write, check_not_input};

use super::input::Input;
use super::{BLOCK, no_such_kind};
use crate::{Control, Fault, MessageKind, OutputFile};

/// Which trace is converted, and to what. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::trace::ConvertSettings;
///
/// let converted = ConvertSettings::new("qc.msgpack.lz4", "qc.tsv.gz").run(&Control::default())?;
/// println!("{} rows", converted.records);
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvertSettings {
    /// The trace; `-` is the standard input.
    pub trace: PathBuf,
    /// Where it goes; `-` is the standard output. Tables and lines of JSON are compressed as its name says.
    pub output: PathBuf,
    /// What it becomes; by default what the name of the output [stands for](TraceTarget::of_name).
    pub target: Option<TraceTarget>,
    /// Of a table, the [kind](Value::kind) of records that it has; by default that of the first record.
    pub kind: Option<String>,
}

/// What a trace is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceTarget {
    /// Columns with tabs between them, of records of one kind.
    Table,
    /// A trace of this format.
    Trace(TraceFormat),
}

/// What came of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// Records that were written.
    pub records: u64,
    /// Records of other kinds, which are not in the table.
    pub left_out: u64,
}

impl ConvertSettings {
    /// Convert all of `trace` to what the name of `output` stands for.
    pub fn new(trace: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            trace: trace.into(),
            output: output.into(),
            target: None,
            kind: None,
        }
    }

    /// Convert it.
    ///
    /// # Errors
    /// If the name of the output tells nothing, or there is no such kind; if the trace cannot be read, was cut or is damaged, or
    /// the output cannot be written; if it was cancelled. No output is there, then.
    pub fn run(&self, control: &Control) -> Result<Converted, Fault> {
        if let Some(kind) = self.kind.as_deref()
            && TraceTable::of(kind).is_none()
        {
            return Err(no_such_kind(kind, "read, kmer and label"));
        }
        let target = match self.target {
            Some(target) => target,
            None => TraceTarget::of_name(&self.output).ok_or_else(|| untold(&self.output))?,
        };
        check_not_input(&self.output, std::slice::from_ref(&self.trace))?;
        let mut input = Input::open(&self.trace, control)?;
        let output = match target {
            TraceTarget::Table | TraceTarget::Trace(TraceFormat::JsonLines) => {
                OutputFile::create(&self.output)?
            }
            // Its compression is its own.
            TraceTarget::Trace(_) => OutputFile::create_plain(&self.output)?,
        };
        let mut writer = Writer::new(output, target, self.kind.as_deref())?;
        writer.begin(input.header())?;
        while let Some(value) = input.next_value()? {
            writer.push(&value)?;
        }
        control.check()?;
        let converted = writer.finish()?;
        if converted.left_out > 0 {
            let left_out = counted(converted.left_out, "record");
            let text = format!("{left_out} of other kinds skipped");
            control.say(MessageKind::Note, text);
        }
        Ok(converted)
    }
}

impl TraceTarget {
    /// What a name stands for, also one that says how text is compressed: `.tsv`, `.jsonl`, `.msgpack.lz4` and so on. The
    /// standard output (`-`) stands for lines of JSON. `None` if it is none of these.
    pub fn of_name(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return Some(Self::Trace(TraceFormat::JsonLines));
        }
        let inner = match write::OutputFormat::of_name(path) {
            write::OutputFormat::Plain => path,
            _ => Path::new(path.file_stem().unwrap_or_default()),
        };
        let is = |wanted| {
            let ending = inner.extension();
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
        };
        match TraceFormat::of_name(path) {
            _ if is("tsv") => Some(Self::Table),
            _ if is("jsonl") => Some(Self::Trace(TraceFormat::JsonLines)),
            format => format.map(Self::Trace),
        }
    }
}

fn untold(output: &Path) -> Fault {
    Fault::usage(
        format!("{}: the format is unknown", output.display()),
        "name it .tsv, .jsonl, .msgpack, .msgpack.lz4 or .msgpack.zst, or use --to",
    )
}

struct Writer {
    output: OutputFile,
    form: Form,
    /// Written so far, or left out.
    done: Converted,
    bytes: Vec<u8>,
}

enum Form {
    /// Of a kind that may not be known before the first record comes.
    Table(Option<TraceTable>),
    Trace(TraceEncoder),
}

impl Writer {
    fn new(output: OutputFile, target: TraceTarget, kind: Option<&str>) -> Result<Self, Fault> {
        let form = match target {
            TraceTarget::Trace(format) => Form::Trace(TraceEncoder::new(format)?),
            TraceTarget::Table => Form::Table(kind.and_then(TraceTable::of)),
        };
        Ok(Self {
            output,
            form,
            done: Converted {
                records: 0,
                left_out: 0,
            },
            bytes: Vec::new(),
        })
    }

    fn begin(&mut self, header: &TraceHeader<'_>) -> Result<(), Fault> {
        match &mut self.form {
            Form::Table(table) => {
                let head = table.as_ref().map(TraceTable::head);
                self.bytes.extend(head.unwrap_or_default().into_bytes());
            }
            // What is not known here is not written: the version is ours.
            Form::Trace(encoder) => {
                let header = TraceHeader {
                    program: header.program.clone(),
                    command: header.command.clone(),
                    inputs: header.inputs.clone(),
                    ..TraceHeader::new("", [""; 0], [])
                };
                self.bytes.extend(encoder.header(&header)?);
            }
        }
        Ok(())
    }

    fn push(&mut self, value: &Value<'_>) -> Result<(), Fault> {
        match &mut self.form {
            Form::Table(table) => {
                if table.is_none() {
                    *table = TraceTable::of(value.kind());
                    let head = table.as_ref().map(TraceTable::head);
                    self.bytes.extend(head.unwrap_or_default().into_bytes());
                }
                let is_of_kind = table
                    .as_ref()
                    .is_some_and(|table| table.write(value, &mut self.bytes));
                match is_of_kind {
                    true => self.done.records += 1,
                    false => self.done.left_out += 1,
                }
            }
            Form::Trace(encoder) => {
                encoder.push(value);
                if encoder.buffered() >= BLOCK {
                    self.done.records += encoder.take_batch(&mut self.bytes)?;
                }
            }
        }
        if self.bytes.len() >= BLOCK {
            self.output.write(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Converted, Fault> {
        if let Form::Trace(encoder) = &mut self.form {
            self.done.records += encoder.take_batch(&mut self.bytes)?;
            self.bytes.extend(encoder.end(self.done.records)?);
        }
        self.output.write(&self.bytes)?;
        self.output.finish()?;
        Ok(self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_trace_becomes() {
        for (name, target) in [
            ("a.tsv", Some(TraceTarget::Table)),
            ("a.TSV.gz", Some(TraceTarget::Table)),
            ("a.jsonl", Some(TraceTarget::Trace(TraceFormat::JsonLines))),
            (
                "a.jsonl.zst",
                Some(TraceTarget::Trace(TraceFormat::JsonLines)),
            ),
            ("-", Some(TraceTarget::Trace(TraceFormat::JsonLines))),
            (
                "a.msgpack",
                Some(TraceTarget::Trace(TraceFormat::MessagePack)),
            ),
            ("a.msgpack.zst", Some(TraceTarget::Trace(TraceFormat::Zstd))),
            ("a.msgpack.lz4", Some(TraceTarget::Trace(TraceFormat::Lz4))),
            ("a.tsv.lz4", None),
            ("a.csv", None),
            ("a", None),
        ] {
            assert_eq!(TraceTarget::of_name(Path::new(name)), target, "{name}");
        }
    }
}
