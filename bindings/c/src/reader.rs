//! Records, one after the other.

#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{c_char, c_int};
use std::process;

use thalweg::{Batch, Batches, Reads};

use crate::error::{Failure, THALWEG_OK, THALWEG_UNKNOWN, caught, let_go, status};
use crate::pointers::{self, Text, give, path, put, shared, unique};
use crate::settings::Settings;

/// A read. Its texts belong to its reader, and are valid until the next call with that. They do not end with NUL.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Record {
    /// The header up to its first space or tab, without @ or >.
    pub name: Text,
    /// What follows that space or tab; empty if nothing does.
    pub comment: Text,
    /// The bases, without line ends.
    pub sequence: Text,
    /// As many letters of ! to ~, as FASTQ has them; those of FASTA start at NULL.
    pub quality: Text,
    /// The rank in its file, from 0; THALWEG_UNKNOWN in parts of files without an index.
    pub rank: u64,
}

/// Reads of some files, in order.
pub struct Reader {
    settings: Settings,
    state: State,
    /// Records that come together: 2 of pairs.
    mates: usize,
    /// Views of all records of the batch, mates beside each other.
    views: Vec<Record>,
    /// The first that was not given.
    next: usize,
    /// What lines of FASTA make that lie apart in the batch.
    joined: Vec<u8>,
    /// What the views are of.
    batch: Option<Batch>,
    /// That of the process that has the threads.
    process: u32,
}

enum State {
    Opened(Reads),
    Reading {
        batches: Batches,
        /// Its threads may have to wait without end.
        waits: bool,
    },
    Ended,
    Failed(Failure),
}

// SAFETY: the views point into the batch and into `joined`, which go with them.
unsafe impl Send for Reader {}

impl Reader {
    pub(crate) fn open(settings: Settings) -> Result<Self, Failure> {
        let reads = Reads::open(settings.options()?)?;
        Ok(Self {
            mates: match settings.interleaved {
                true => 2,
                false => reads.mates(),
            },
            settings,
            state: State::Opened(reads),
            views: Vec::new(),
            next: 0,
            joined: Vec::new(),
            batch: None,
            process: process::id(),
        })
    }

    /// The next group of mates.
    #[inline]
    fn next(&mut self) -> Result<Option<&[Record]>, Failure> {
        if self.next == self.views.len() && !self.fill()? {
            return Ok(None);
        }
        let first = self.next;
        self.next += self.mates;
        Ok(Some(&self.views[first..self.next]))
    }

    /// Takes the next batch; `false` at the end.
    #[cold]
    fn fill(&mut self) -> Result<bool, Failure> {
        // A panic leaves nothing half done behind: there is nothing more, then.
        let outcome = caught(|| self.fill_uncaught());
        if let Err(failure) = &outcome {
            self.stop(State::Failed(failure.clone()));
        }
        outcome
    }

    fn fill_uncaught(&mut self) -> Result<bool, Failure> {
        self.clear();
        loop {
            let batches = match &mut self.state {
                State::Reading { batches, .. } => batches,
                State::Ended => return Ok(false),
                State::Failed(failure) => return Err(failure.clone()),
                State::Opened(_) => {
                    self.begin();
                    continue;
                }
            };
            if self.process != process::id() {
                return Err(Failure::of_fork());
            }
            match batches.next().transpose()? {
                None => {
                    self.stop(State::Ended);
                    return Ok(false);
                }
                Some(batch) if batch.is_empty() => {}
                Some(batch) => {
                    self.view(batch);
                    return Ok(true);
                }
            }
        }
    }

    fn begin(&mut self) {
        if let State::Opened(reads) = std::mem::replace(&mut self.state, State::Ended) {
            let waits = !self.settings.is_regular();
            let batches = reads.all_workers().into_iter();
            self.state = State::Reading { batches, waits };
            self.process = process::id();
        }
    }

    /// Makes the views of a batch.
    fn view(&mut self, batch: Batch) {
        let blocks = batch.blocks();
        // Never moved while views are made: what is joined is part of the text.
        let text: usize = blocks.iter().map(|block| block.text().len()).sum();
        let is_apart = |batch: &Batch| {
            let mut blocks = batch.blocks().iter();
            blocks.any(|block| !block.records().are_on_one_line())
        };
        if is_apart(&batch) {
            self.joined.reserve(text);
        }
        let joined = &mut self.joined;
        if let [block] = blocks {
            let ranks = ranks(block.first_rank());
            let views = block.records().zip(ranks);
            self.views
                .extend(views.map(|(record, rank)| view(record, rank, joined)));
        } else {
            let mut files: Vec<_> = blocks
                .iter()
                .map(|block| block.records().zip(ranks(block.first_rank())))
                .collect();
            for _ in 0..batch.len() {
                let mates = files.iter_mut().filter_map(Iterator::next);
                self.views
                    .extend(mates.map(|(record, rank)| view(record, rank, joined)));
            }
        }
        self.batch = Some(batch);
    }

    /// No view is valid any more.
    fn clear(&mut self) {
        self.views.clear();
        self.next = 0;
        self.joined.clear();
        self.batch = None;
    }

    /// Ends what is under way.
    fn stop(&mut self, state: State) {
        self.clear();
        if let State::Reading { batches, waits } = std::mem::replace(&mut self.state, state) {
            if self.process != process::id() {
                // Threads that are not there cannot be waited for.
                std::mem::forget(batches);
            } else if waits {
                batches.leave();
            }
        }
    }

    fn rewind(&mut self) -> Result<(), Failure> {
        let opened = Self::open(self.settings.clone());
        match opened {
            Ok(new) => {
                self.stop(State::Ended);
                *self = new;
                Ok(())
            }
            Err(failure) => {
                self.stop(State::Failed(failure.clone()));
                Err(failure)
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop(State::Ended);
    }
}

/// Of the records of a block.
fn ranks(first: Option<u64>) -> impl Iterator<Item = u64> {
    let (first, step) = match first {
        Some(first) => (first, 1),
        None => (THALWEG_UNKNOWN, 0),
    };
    (0..).map(move |number| first + step * number)
}

#[inline(always)]
fn view(record: thalweg::Record<'_>, rank: u64, joined: &mut Vec<u8>) -> Record {
    let mut of_lines = |lines: Cow<'_, [u8]>| match lines {
        Cow::Borrowed(bytes) => Text::of(bytes),
        Cow::Owned(bytes) => {
            debug_assert!(
                joined.capacity() - joined.len() >= bytes.len(),
                "views would move"
            );
            let start = joined.len();
            joined.extend_from_slice(&bytes);
            Text::of(&joined[start..])
        }
    };
    let (head, name) = (record.head(), record.id());
    Record {
        name: Text::of(name),
        comment: Text::of(head.get(name.len() + 1..).unwrap_or(&head[head.len()..])),
        sequence: of_lines(record.sequence()),
        quality: record.quality().map_or(Text::NONE, of_lines),
        rank,
    }
}

/// Open what settings say: files of FASTQ, FASTA or BAM, plain or compressed with gzip, BGZF, zstd, bzip2 or xz.
///
/// @param reader Is given a handle for thalweg_close(); NULL if that fails.
///
/// # Safety
/// `settings` comes from thalweg_settings_new(); `reader` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_open(
    settings: *const Settings,
    reader: *mut *mut Reader,
) -> c_int {
    // SAFETY: the caller's promise.
    let open = || Reader::open(unsafe { shared(settings, "the settings")? }.clone());
    // SAFETY: the same.
    status(|| unsafe { give(reader, open, "the place for a reader") })
}

/// Open one file with all cores: thalweg_open() with the settings that nobody changed. "-" is the standard input.
///
/// # Safety
/// `file` ends with NUL; `reader` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_open_file(file: *const c_char, reader: *mut *mut Reader) -> c_int {
    // SAFETY: the caller's promise.
    let open = || Reader::open(Settings::of_set(vec![unsafe { path(file)? }]));
    // SAFETY: the same.
    status(|| unsafe { give(reader, open, "the place for a reader") })
}

/// Open two files of mates, likewise.
///
/// # Safety
/// `first` and `second` end with NUL; `reader` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_open_mates(
    first: *const c_char,
    second: *const c_char,
    reader: *mut *mut Reader,
) -> c_int {
    let open = || {
        // SAFETY: the caller's promise.
        let set = unsafe { vec![path(first)?, path(second)?] };
        Reader::open(Settings::of_set(set))
    };
    // SAFETY: the same.
    status(|| unsafe { give(reader, open, "the place for a reader") })
}

/// How many records come together: 2 of pairs, 1 of files alone; 0 of NULL.
///
/// # Safety
/// `reader` comes from thalweg_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_mates(reader: *const Reader) -> usize {
    // SAFETY: the caller's promise.
    let reader = unsafe { shared(reader, "the reader") };
    reader.map_or(0, |reader| reader.mates)
}

/// The next record, or the next ones that belong together: records[0], and its mates behind it.
///
/// @return 1 if there is one, 0 at the end, or a status. After an error there are no more: it is told again.
///
/// # Safety
/// `reader` comes from thalweg_open(), and used by one thread; `records` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_next(reader: *mut Reader, records: *mut *const Record) -> c_int {
    // Nothing in here panics but what `fill` catches.
    // SAFETY: the caller's promise.
    let next = unsafe { unique(reader, "the reader") }.and_then(Reader::next);
    let outcome = next.and_then(|next| match next {
        Some(group) => {
            // SAFETY: the same.
            unsafe { put(records, group.as_ptr(), "the place for records")? };
            Ok(1)
        }
        None => Ok(THALWEG_OK),
    });
    outcome.unwrap_or_else(Failure::tell)
}

/// All records that are at hand, some hundreds: those of mates one behind the other, so that number * thalweg_mates()
/// lie there. They are valid until the next call with this reader.
///
/// @return As for thalweg_next().
///
/// # Safety
/// As for thalweg_next(); `number` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_next_batch(
    reader: *mut Reader,
    records: *mut *const Record,
    number: *mut usize,
) -> c_int {
    let take = || {
        // SAFETY: the caller's promise.
        let reader = unsafe { unique(reader, "the reader")? };
        // SAFETY: the same.
        unsafe { put(number, 0, "the place for a number")? };
        if reader.next == reader.views.len() && !reader.fill()? {
            return Ok(THALWEG_OK);
        }
        let group = &reader.views[reader.next..];
        // SAFETY: the same.
        unsafe {
            put(records, group.as_ptr(), "the place for records")?;
            put(number, group.len() / reader.mates, "the place for a number")?;
        }
        reader.next = reader.views.len();
        Ok(1)
    };
    caught(take).unwrap_or_else(Failure::tell)
}

/// Begin anew with the first record, also after an error. Pipes cannot: what was read of them is gone.
///
/// # Safety
/// `reader` comes from thalweg_open(), and used by one thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_rewind(reader: *mut Reader) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { unique(reader, "the reader")? }.rewind())
}

/// Stop, and let go of threads and files, also in the middle.
///
/// # Safety
/// `reader` is NULL, or comes from thalweg_open(), and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_close(reader: *mut Reader) {
    // SAFETY: the caller's promise.
    let_go(unsafe { pointers::take(reader) });
}
