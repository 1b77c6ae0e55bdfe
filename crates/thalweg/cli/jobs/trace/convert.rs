//! A trace to a table, or to a trace of another format.

use std::path::{Path, PathBuf};

use thalweg::trace::{self, Encoder, Header, Table, Value};
use thalweg::write::Format;

use super::{BUFFER, open};
use crate::options::trace::{ConvertArguments, Target};
use crate::output::{Output, refuse_input};
use crate::process::exit::Failure;

pub(super) fn run(arguments: &ConvertArguments) -> Result<(), Failure> {
    let path = arguments.output.clone().unwrap_or(PathBuf::from("-"));
    let target = match arguments.to {
        Some(target) => target,
        None => target_of(&path)?,
    };
    refuse_input(&path, std::slice::from_ref(&arguments.file))?;
    let mut reader = open(&arguments.file)?;
    // The compression of a trace is its own.
    let output = match target {
        Target::Tsv | Target::Jsonl => Output::create(&path)?,
        Target::Msgpack | Target::Lz4 | Target::Zst => Output::create_plain(&path)?,
    };
    let mut writer = Writer::new(output, target, arguments.kind.as_deref())?;
    writer.begin(reader.header())?;
    while let Some(value) = reader.next_value()? {
        writer.push(&value)?;
    }
    writer.finish()
}

/// What a name stands for, also of one that says how text is compressed.
fn target_of(path: &Path) -> Result<Target, Failure> {
    if path == Path::new("-") {
        return Ok(Target::Jsonl);
    }
    let inner = match Format::of_name(path) {
        Format::Plain => path,
        _ => Path::new(path.file_stem().unwrap_or_default()),
    };
    match (inner.extension(), trace::Format::of_name(path)) {
        (Some(ending), _) if ending.eq_ignore_ascii_case("tsv") => Ok(Target::Tsv),
        (Some(ending), _) if ending.eq_ignore_ascii_case("jsonl") => Ok(Target::Jsonl),
        (_, Some(trace::Format::JsonLines)) => Ok(Target::Jsonl),
        (_, Some(trace::Format::MessagePack)) => Ok(Target::Msgpack),
        (_, Some(trace::Format::Lz4)) => Ok(Target::Lz4),
        (_, Some(trace::Format::Zstd)) => Ok(Target::Zst),
        (_, None) => Err(Failure::usage(
            format!("{}: what is to be written is not told", path.display()),
            "name it .tsv, .jsonl, .msgpack, .msgpack.lz4 or .msgpack.zst, or say --to",
        )),
    }
}

struct Writer {
    output: Output,
    form: Form,
    bytes: Vec<u8>,
}

enum Form {
    /// Of a kind that may not be known before the first record comes; and how many records of other kinds were left out.
    Table(Option<Table>, u64),
    /// With the number of values that were written.
    Trace(Encoder, u64),
}

impl Writer {
    fn new(output: Output, target: Target, kind: Option<&str>) -> Result<Self, Failure> {
        let form = match target.format() {
            Some(format) => Form::Trace(Encoder::new(format)?, 0),
            None => Form::Table(kind.and_then(Table::of), 0),
        };
        Ok(Self {
            output,
            form,
            bytes: Vec::new(),
        })
    }

    fn begin(&mut self, header: &Header<'_>) -> Result<(), Failure> {
        match &mut self.form {
            Form::Table(table, _) => {
                let head = table.as_ref().map(Table::head);
                self.bytes.extend(head.unwrap_or_default().into_bytes());
            }
            // What is not known here is not written: the version is ours.
            Form::Trace(encoder, _) => {
                let header = Header {
                    program: header.program.clone(),
                    command: header.command.clone(),
                    inputs: header.inputs.clone(),
                    ..Header::new("", [""; 0], [])
                };
                self.bytes.extend(encoder.header(&header)?);
            }
        }
        Ok(())
    }

    fn push(&mut self, value: &Value<'_>) -> Result<(), Failure> {
        match &mut self.form {
            Form::Table(table, others) => {
                if table.is_none() {
                    *table = Table::of(value.kind());
                    let head = table.as_ref().map(Table::head);
                    self.bytes.extend(head.unwrap_or_default().into_bytes());
                }
                let is_of_kind = table
                    .as_ref()
                    .is_some_and(|table| table.write(value, &mut self.bytes));
                *others += u64::from(!is_of_kind);
            }
            Form::Trace(encoder, values) => {
                encoder.push(value);
                if encoder.buffered() >= BUFFER {
                    *values += encoder.take_batch(&mut self.bytes)?;
                }
            }
        }
        if self.bytes.len() >= BUFFER {
            self.output.write(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        match self.form {
            Form::Table(_, 0) => {}
            Form::Table(_, others) => {
                tell!("thalweg: note: {others} records of other kinds are not in the table");
            }
            Form::Trace(mut encoder, values) => {
                let values = values + encoder.take_batch(&mut self.bytes)?;
                self.bytes.extend(encoder.end(values)?);
            }
        }
        self.output.write(&self.bytes)?;
        self.output.finish()
    }
}
