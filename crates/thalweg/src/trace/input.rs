//! A trace that a job reads.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use thalweg_trace::{TraceHeader, TraceReader, Value};

use crate::{Control, Fault, MessageKind, standard_input};

/// An open trace, whose reader may be stopped, and of which is said if it has what is not known here.
pub(super) struct Input<'a> {
    reader: TraceReader<BufReader<File>>,
    /// Bytes of the file, if it is one.
    size: Option<u64>,
    /// Bytes of which it was told that they were read.
    told: u64,
    /// The first kind that is not known, until that is said.
    unknown: Option<Arc<OnceLock<String>>>,
    control: &'a Control<'a>,
}

impl<'a> Input<'a> {
    /// Open the trace at `path`, or the one that the standard input is for `-`, and read its header.
    pub(super) fn open(path: &Path, control: &'a Control<'a>) -> Result<Self, Fault> {
        control.check()?;
        let (name, file) = match path.as_os_str() == "-" {
            true => (
                Path::new(standard_input::STANDARD_INPUT),
                standard_input::open()?,
            ),
            false => {
                let file = File::open(path).map_err(|error| Fault::io(path, error))?;
                (path, BufReader::new(file))
            }
        };
        let metadata = file.get_ref().metadata().ok();
        let size = metadata
            .filter(|data| data.is_file())
            .map(|data| data.len());
        let unknown = Arc::new(OnceLock::new());
        let noted = Arc::clone(&unknown);
        let note = move |kind: &str| {
            noted.get_or_init(|| kind.to_owned());
        };
        Ok(Self {
            reader: TraceReader::new(file, name)?.on_unknown(note),
            size,
            told: 0,
            unknown: Some(unknown),
            control,
        })
    }

    /// What the trace begins with.
    pub(super) fn header(&self) -> &TraceHeader<'static> {
        self.reader.header()
    }

    /// The next value; `None` when the trace is whole and has ended.
    ///
    /// # Errors
    /// As [`TraceReader::next_value`]; if the job was cancelled.
    pub(super) fn next_value(&mut self) -> Result<Option<Value<'static>>, Fault> {
        self.control.check()?;
        let value = self.reader.next_value();
        self.say_what_is_unknown();
        let read = self.reader.offset();
        if read != self.told {
            self.told = read;
            self.control.progress(|| (read, self.size));
        }
        Ok(value?)
    }

    fn say_what_is_unknown(&mut self) {
        let Some(kind) = self.unknown.as_deref().and_then(OnceLock::get) else {
            return;
        };
        let text = format!(
            "{}: skipped values of kinds that this version does not know, such as {}",
            self.reader.path().display(),
            kind.escape_debug()
        );
        self.control.say(MessageKind::Warning, text);
        self.unknown = None;
    }
}
