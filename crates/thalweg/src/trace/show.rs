//! Values of a trace as lines of JSON, and how many there are of what.

use std::path::{Path, PathBuf};

use thalweg_trace::{TraceEncoder, TraceFormat, TraceTable, TraceTally, Value};
use thalweg_write::check_not_input;

use super::input::Input;
use super::{BLOCK, no_such_kind};
use crate::{Control, Fault, OutputFile};

/// Which values of a trace are shown, and where. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::trace::ShowSettings;
///
/// let mut settings = ShowSettings::new("qc.msgpack.lz4", "one.jsonl");
/// settings.name = Some(b"SRR1.7".to_vec());
/// let records = settings.run(&Control::default())?;
/// println!("{records} records of this read");
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShowSettings {
    /// The trace; `-` is the standard input.
    pub trace: PathBuf,
    /// Where the lines go, compressed as its name says; `-` is the standard output.
    pub output: PathBuf,
    /// How many records are shown at most, of those that are wanted; all by default.
    pub most: Option<u64>,
    /// The name of the reads that are shown; by default all values are.
    pub name: Option<Vec<u8>>,
    /// The [kind](Value::kind) of the values that are shown; all by default.
    pub kind: Option<String>,
}

impl ShowSettings {
    /// All values, the header first.
    pub fn new(trace: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            trace: trace.into(),
            output: output.into(),
            most: None,
            name: None,
            kind: None,
        }
    }

    /// Show them; how many records these were. Of a trace that was cut, a pipe or the standard output gets what is whole before
    /// the error, if it is not compressed.
    ///
    /// # Errors
    /// If there is no such kind; if the trace cannot be read, was cut or is damaged, or the output cannot be written; if it was
    /// cancelled. A file does not appear, then.
    pub fn run(&self, control: &Control) -> Result<u64, Fault> {
        if let Some(kind) = self.kind.as_deref()
            && kind != "header"
            && TraceTable::of(kind).is_none()
        {
            return Err(no_such_kind(kind, "header, read, kmer and label"));
        }
        check_not_input(&self.output, std::slice::from_ref(&self.trace))?;
        let mut input = Input::open(&self.trace, control)?;
        let mut lines = Lines {
            output: OutputFile::create(&self.output)?,
            encoder: TraceEncoder::new(TraceFormat::JsonLines)?,
            text: Vec::new(),
        };
        if self.wants("header") && self.name.is_none() {
            lines.push(&Value::Header(input.header().clone()))?;
        }
        let most = self.most.unwrap_or(u64::MAX);
        let mut shown = 0;
        let mut outcome = Ok(());
        while shown < most {
            match input.next_value() {
                Ok(Some(value)) if self.is_wanted(&value) => {
                    lines.push(&value)?;
                    shown += 1;
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(fault) => {
                    outcome = Err(fault);
                    break;
                }
            }
        }
        lines.flush()?;
        outcome?;
        control.check()?;
        lines.output.finish()?;
        Ok(shown)
    }

    fn wants(&self, kind: &str) -> bool {
        self.kind.as_deref().is_none_or(|wanted| wanted == kind)
    }

    fn is_wanted(&self, value: &Value<'_>) -> bool {
        let name = match value {
            Value::Read(read) => Some(read.name.as_bytes()),
            Value::Label(label) => Some(label.name.as_bytes()),
            _ => None,
        };
        let wanted = self.name.as_deref();
        self.wants(value.kind()) && wanted.is_none_or(|wanted| name == Some(wanted))
    }
}

/// Lines on their way to an output.
struct Lines {
    output: OutputFile,
    encoder: TraceEncoder,
    text: Vec<u8>,
}

impl Lines {
    fn push(&mut self, value: &Value<'_>) -> Result<(), Fault> {
        self.encoder.push(value);
        match self.encoder.buffered() < BLOCK {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.encoder.take_batch(&mut self.text)?;
        self.output.write(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// How many values the trace at `path` has of what: the job behind `thalweg trace count`. The trace may be `-`, the standard
/// input.
///
/// # Errors
/// If the trace cannot be read, was cut or is damaged; if it was cancelled.
pub fn count_values(path: &Path, control: &Control) -> Result<TraceTally, Fault> {
    let mut input = Input::open(path, control)?;
    let mut tally = TraceTally::new();
    while let Some(value) = input.next_value()? {
        tally.add(&value);
    }
    Ok(tally)
}
