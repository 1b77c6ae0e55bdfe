//! Text that is put aside: in memory, and what is more in a file without a name.

use std::borrow::Cow;
use std::io::IoSlice;
use std::path::PathBuf;

use thalweg_files::{TemporaryError, UnnamedFile};

/// Bytes that are appended, and read again by their places.
pub(super) struct Spool {
    /// What is not in the file.
    memory: Vec<u8>,
    /// Bytes that memory may hold.
    most: usize,
    directory: PathBuf,
    file: Option<UnnamedFile>,
}

impl Spool {
    /// An empty one. What is more than `most` bytes goes to a file in `directory`.
    pub(super) fn new(most: usize, directory: PathBuf) -> Self {
        Self {
            memory: Vec::new(),
            most,
            directory,
            file: None,
        }
    }

    /// Bytes that are in the file.
    pub(super) fn in_file(&self) -> u64 {
        self.file.as_ref().map_or(0, UnnamedFile::bytes)
    }

    /// Where the next bytes go.
    pub(super) fn end(&self) -> u64 {
        self.in_file() + self.memory.len() as u64
    }

    /// To append to, a template at a time: whoever does calls [`settle`](Self::settle) then.
    pub(super) fn memory(&mut self) -> &mut Vec<u8> {
        &mut self.memory
    }

    /// Make room in memory, if there is too much in it.
    pub(super) fn settle(&mut self) -> Result<(), TemporaryError> {
        if self.memory.len() <= self.most {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory)?),
        };
        file.append(&mut [IoSlice::new(&self.memory)])?;
        self.memory.clear();
        Ok(())
    }

    /// Keep of what is in memory only what is at these places, which come in order, and tell where each is then.
    pub(super) fn keep<'a>(&mut self, places: impl Iterator<Item = (&'a mut u64, u64)>) {
        let first = self.in_file();
        let mut end = 0;
        for (place, size) in places {
            let Some(start) = place.checked_sub(first) else {
                continue;
            };
            let range = start as usize..(start + size) as usize;
            *place = first + end as u64;
            let length = range.len();
            self.memory.copy_within(range, end);
            end += length;
        }
        self.memory.truncate(end);
    }

    /// The bytes from one place to another, all of them in the file or none.
    pub(super) fn read(&self, from: u64, to: u64) -> Result<Cow<'_, [u8]>, TemporaryError> {
        let in_file = self.in_file();
        match &self.file {
            Some(file) if from < in_file => {
                let mut bytes = vec![0; (to - from) as usize];
                file.read(&mut bytes, from)?;
                Ok(Cow::Owned(bytes))
            }
            _ => {
                let range = (from - in_file) as usize..(to - in_file) as usize;
                Ok(Cow::Borrowed(&self.memory[range]))
            }
        }
    }
}
