//! One output: its files, and the writes that are placed but not done.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_files::{Whole, is_stream};

use crate::divider::{Divider, Share};
use crate::press::Press;
use crate::sink::Sink;
use crate::{Error, OutputOptions};

/// A file as it came out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Its name; `standard output` for the standard output.
    pub path: PathBuf,
    /// Records in it, as the pieces said.
    pub records: u64,
    /// Bytes in it, compressed.
    pub bytes: u64,
}

/// A file that has all its bytes and lacks its name; nothing of a stream, which is closed.
pub(crate) type Sealed = Option<Whole>;

/// The compressed part of a piece that goes to one file.
pub(crate) struct Part {
    pub(crate) file: u64,
    pub(crate) records: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Bytes whose place in a file is known.
pub(crate) struct Write {
    pub(crate) file: u64,
    pub(crate) sink: Arc<Sink>,
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
    /// How many of the bytes are written already.
    pub(crate) done: usize,
    /// Whose part it is; nobody's, if it ends the file.
    pub(crate) ticket: Option<u64>,
}

impl Write {
    pub(crate) fn is_done(&self) -> bool {
        self.done == self.bytes.len()
    }
}

/// A file that has all its bytes.
pub(crate) struct Full {
    pub(crate) file: u64,
    pub(crate) sink: Arc<Sink>,
    records: u64,
    bytes: u64,
}

struct Open {
    sink: Arc<Sink>,
    /// What begins it, until that is placed.
    head: Vec<u8>,
    end: u64,
    records: u64,
    /// Writes that are not done.
    pending: usize,
    /// Whether nothing will be added.
    ended: bool,
}

/// One output.
pub(crate) struct Stream {
    options: OutputOptions,
    /// If it is split, where that stands.
    divider: Option<Divider>,
    /// What ends a file without and with bytes.
    trailers: [Vec<u8>; 2],
    /// What begins a file.
    head: Vec<u8>,
    /// A pipe, a device or the standard output.
    direct: bool,
    open: BTreeMap<u64, Open>,
    sealed: BTreeMap<u64, (Sealed, Written)>,
    /// Writes that nobody has taken on.
    pub(crate) queue: VecDeque<Write>,
    /// Whether somebody writes to this pipe.
    pub(crate) busy: bool,
    /// Files that are to be sealed.
    pub(crate) full: VecDeque<Full>,
}

impl Stream {
    /// Open the output, and check that its compressor can be had.
    pub(crate) fn open(options: OutputOptions) -> Result<Self, Error> {
        let fail = |error| Error::compress(&options.path, error);
        let mut press = Press::new(options.format, options.level).map_err(fail)?;
        let trailers = [press.trailer(true), press.trailer(false)];
        let [without, with] = trailers.map(|trailer| trailer.map_err(fail));
        let mut head = Vec::new();
        press.press(&options.head, &mut head).map_err(fail)?;
        let mut stream = Self {
            trailers: [without?, with?],
            head,
            direct: false,
            divider: options.split.map(|split| split.divider()),
            options,
            open: BTreeMap::new(),
            sealed: BTreeMap::new(),
            queue: VecDeque::new(),
            busy: false,
            full: VecDeque::new(),
        };
        // With a number before its name it would be another thing.
        if stream.options.split.is_some() && is_stream(&stream.options.path) {
            let path = stream.options.path;
            return Err(Error::SplitStream { path });
        }
        let at_once = match (&stream.options.split, &stream.divider) {
            (Some(split), Some(divider)) if !split.is_consecutive() => divider.files(),
            _ => 1,
        };
        for file in 0..at_once {
            stream.open_file(file)?;
        }
        Ok(stream)
    }

    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Prepare a pipe to be served together with others.
    pub(crate) fn never_wait(&mut self) {
        for open in self.open.values_mut() {
            // Nobody writes yet.
            if let Some(sink) = Arc::get_mut(&mut open.sink) {
                sink.never_wait();
            }
        }
    }

    /// Final names of files that are open or sealed.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Path> {
        let open = self.open.values().map(|open| open.sink.path());
        open.chain(self.sealed.values().map(|(_, written)| &*written.path))
    }

    fn open_file(&mut self, file: u64) -> Result<(), Error> {
        let options = &self.options;
        let sink = match &options.split {
            None => Sink::open(&options.path, options, false)?,
            Some(split) => Sink::open(&split.name(&options.path, file), options, true)?,
        };
        if options.split.is_some() && sink.is_direct() {
            let path = sink.path().to_owned();
            return Err(Error::SplitStream { path });
        }
        self.direct = sink.is_direct();
        let open = Open {
            sink: Arc::new(sink),
            head: self.head.clone(),
            end: 0,
            records: 0,
            pending: 0,
            ended: false,
        };
        self.open.insert(file, open);
        Ok(())
    }

    /// The files of the next records, if the output is split.
    pub(crate) fn divide(
        &mut self,
        records: u64,
        pack_ends: &[u64],
        weights: &[u64],
    ) -> Vec<Share> {
        let divider = self.divider.as_mut();
        divider.map_or_else(Vec::new, |divider| {
            divider.divide(records, pack_ends, weights)
        })
    }

    /// Give a part its place behind all before it. Returns whether there is
    /// something to write.
    pub(crate) fn place(&mut self, part: Part, ticket: u64) -> Result<bool, Error> {
        if !self.open.contains_key(&part.file) {
            self.open_file(part.file)?;
        }
        if let Some(split) = &self.options.split
            && split.is_consecutive()
        {
            let before: Vec<_> = self
                .open
                .range(..part.file)
                .map(|(&file, _)| file)
                .collect();
            for file in before {
                self.end_file(file);
            }
        }
        let Some(open) = self.open.get_mut(&part.file) else {
            return Ok(false);
        };
        open.records = open.records.saturating_add(part.records);
        if part.bytes.is_empty() {
            return Ok(false);
        }
        self.queue
            .push_back(open.write(part.file, part.bytes, Some(ticket)));
        Ok(true)
    }

    /// Nothing will be added to a file: put its trailer behind it.
    fn end_file(&mut self, file: u64) {
        let Some(open) = self.open.get_mut(&file).filter(|open| !open.ended) else {
            return;
        };
        open.ended = true;
        let is_headed = !open.head.is_empty();
        let trailer = &self.trailers[usize::from(open.end > 0 || is_headed)];
        if is_headed || !trailer.is_empty() {
            let trailer = trailer.clone();
            self.queue.push_back(open.write(file, trailer, None));
        }
        self.take_if_full(file);
    }

    /// Nothing will be added to any file.
    pub(crate) fn end(&mut self) {
        let files: Vec<_> = self.open.keys().copied().collect();
        files.into_iter().for_each(|file| self.end_file(file));
    }

    /// Open the next file that has to be there although no record came so far.
    /// Returns whether there was one.
    pub(crate) fn open_missing(&mut self) -> Result<bool, Error> {
        let files = self.divider.as_ref().map_or(1, Divider::files);
        let is_there = |file: &u64| self.open.contains_key(file) || self.sealed.contains_key(file);
        let missing = (0..files).find(|file| !is_there(file));
        missing.map(|file| self.open_file(file)).transpose()?;
        Ok(missing.is_some())
    }

    /// A write is done.
    pub(crate) fn done(&mut self, file: u64) {
        if let Some(open) = self.open.get_mut(&file) {
            open.pending -= 1;
            self.take_if_full(file);
        }
    }

    fn take_if_full(&mut self, file: u64) {
        let is_full = |open: &&Open| open.ended && open.pending == 0;
        if self.open.get(&file).filter(is_full).is_none() {
            return;
        }
        if let Some(open) = self.open.remove(&file) {
            self.full.push_back(Full {
                file,
                sink: open.sink,
                records: open.records,
                bytes: open.end,
            });
        }
    }

    /// Keep a file until all outputs are whole.
    pub(crate) fn keep(&mut self, file: u64, sealed: Sealed, written: Written) {
        self.sealed.insert(file, (sealed, written));
    }

    /// All files in their order, if all are sealed.
    pub(crate) fn take_sealed(&mut self) -> Option<Vec<(Sealed, Written)>> {
        if !self.open.is_empty() {
            return None;
        }
        Some(std::mem::take(&mut self.sealed).into_values().collect())
    }

    /// Drop everything that is not saved.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.full.clear();
        self.open.clear();
        self.sealed.clear();
    }
}

impl Open {
    fn write(&mut self, file: u64, mut bytes: Vec<u8>, ticket: Option<u64>) -> Write {
        if !self.head.is_empty() {
            let behind = std::mem::replace(&mut bytes, std::mem::take(&mut self.head));
            bytes.extend(behind);
        }
        let offset = self.end;
        self.end += bytes.len() as u64;
        self.pending += 1;
        Write {
            file,
            sink: Arc::clone(&self.sink),
            offset,
            bytes,
            done: 0,
            ticket,
        }
    }
}

impl Full {
    /// Make sure that the file is safe. `None` if somebody still writes to it,
    /// which cannot be: it was full.
    pub(crate) fn seal(self) -> Option<Result<(u64, Sealed, Written), Error>> {
        let written = Written {
            path: self.sink.path().to_owned(),
            records: self.records,
            bytes: self.bytes,
        };
        let sink = Arc::into_inner(self.sink)?;
        Some(sink.seal().map(|sealed| (self.file, sealed, written)))
    }
}
