//! Several pipes, read as data come: where the order of batches does not matter.
//!
//! ```text
//! one writer, in step:   p1 ▏▏ ▏▏ ▏▏       whoever decodes takes what there is of any pipe;
//!                        p2  ▏▏ ▏▏ ▏▏      it waits where none has anything
//! one after the other:   p1 ▏▏▏▏▏▏
//!                        p2       ▏▏▏▏▏▏   opened by its writer when that is done with p1
//! ```
//! A reader that waited for one pipe while its writer waits at another would wait for ever. So nothing here waits for a
//! certain one, from the first byte on: sources fail where they would wait, and what reads them goes on later.

use std::collections::VecDeque;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_flow::{Made, Place, Relay};
use thalweg_gzip::Workbench;

use crate::batch::{Batch, BufferPool};
use crate::bytes::{Bytes, sequential};
use crate::checks::Checks;
use crate::compression::SNIFF;
use crate::feed::Feed;
use crate::file::{AwaitedStream, Handle, InputFile};
use crate::open::{Expected, peek};
use crate::request::Request;
use crate::sequential::Decoded;
use crate::task::{Task, work};
use crate::waiting::Patience;
use crate::{Error, ErrorKind, Listener};

/// Pipes, and other streams, of which nothing has been read when the reader is opened.
pub(crate) struct Pipes {
    relay: Relay<Decoding, Decoded>,
    checks: Arc<Checks>,
    paths: Vec<PathBuf>,
    tell: Option<Listener>,
    /// Those of which something has been read.
    files: Mutex<Vec<Arc<InputFile>>>,
    request: Request,
}

/// What the worker has that decodes.
struct Decoding {
    /// Those that have not ended, the one first whose turn it is.
    pipes: VecDeque<Pipe>,
    tickets: u64,
    patience: Patience,
}

struct Pipe {
    /// Which of all inputs it is.
    set: usize,
    path: PathBuf,
    file: Arc<std::fs::File>,
    state: State,
}

/// How far one pipe has been read.
enum State {
    /// Too little to tell what it is.
    Begun {
        stream: AwaitedStream,
        prefix: Vec<u8>,
    },
    /// Too little to tell what is in it.
    Opened {
        file: Arc<InputFile>,
        bytes: Bytes,
    },
    Read(Box<Task>),
    Ended,
}

impl Pipes {
    /// `handles` with their numbers among all inputs. `tell` is called with the name of a pipe that is waited for.
    ///
    /// # Errors
    /// If one cannot be waited for.
    pub(crate) fn new(
        handles: Vec<(usize, Handle)>,
        request: &Request,
        tell: Option<Listener>,
    ) -> Result<Self, Error> {
        let paths = handles.iter().map(|(_, handle)| handle.path().to_owned());
        let paths = paths.collect();
        let pipe = |(set, handle): (usize, Handle)| {
            let path = handle.path().to_owned();
            let (file, stream) = handle.into_stream()?;
            let prefix = Vec::new();
            let state = State::Begun { stream, prefix };
            Ok(Pipe {
                set,
                path,
                file,
                state,
            })
        };
        let pipes = handles.into_iter().map(pipe);
        let pipes = pipes.collect::<Result<_, Error>>()?;
        Ok(Self {
            relay: Relay::new(Decoding {
                pipes,
                tickets: 0,
                patience: Patience::new(),
            }),
            checks: Arc::default(),
            paths,
            tell,
            files: Mutex::default(),
            request: request.clone(),
        })
    }

    /// The names that the user gave.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Batches, once all are decoded.
    pub(crate) fn tickets(&self) -> u64 {
        self.relay.at_home(|decoding| decoding.tickets).unwrap_or(0)
    }

    /// Bytes read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.files().iter().map(|file| file.offset_reached()).sum()
    }

    /// The checks of what has been decoded.
    pub(crate) fn checks(&self) -> &Arc<Checks> {
        &self.checks
    }

    /// What comes next of any pipe, or a fault in its place; `None` behind all ends, and behind a fault.
    ///
    /// Tickets count from `first_ticket`. Up to `ahead` bytes of batches lie ready.
    ///
    /// # Errors
    /// What waiting gave.
    pub(crate) fn next(
        &self,
        first_ticket: u64,
        ahead: u64,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Result<Option<Decoded>, Error> {
        self.relay.next(ahead, |decoding, some_are_ready| {
            self.make(decoding, some_are_ready, first_ticket, workbench, pool)
        })
    }

    fn make(
        &self,
        decoding: &mut Decoding,
        some_are_ready: bool,
        first_ticket: u64,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Result<Made<Decoded>, Error> {
        loop {
            for _ in 0..decoding.pipes.len() {
                // Nobody can go on behind a fault.
                if self.checks.has_fault() {
                    return Ok(Made::End);
                }
                let Some(mut pipe) = decoding.pipes.pop_front() else {
                    break;
                };
                let batch = self.advance(&mut pipe, workbench, pool).transpose();
                let set = pipe.set;
                if batch.is_none() || !matches!(pipe.state, State::Ended) {
                    decoding.pipes.push_back(pipe);
                }
                let Some(outcome) = batch else {
                    continue;
                };
                let ticket = first_ticket + decoding.tickets;
                decoding.tickets += 1;
                let check = self.checks.begin(ticket);
                let outcome = outcome.map(|mut batch| {
                    batch.place = Place {
                        ticket,
                        piece: 0,
                        last: true,
                    };
                    batch.of_set(set)
                });
                if outcome.is_err() {
                    decoding.pipes.clear();
                }
                let weight = outcome.as_ref().map_or(0, Batch::memory);
                let item = Decoded { check, outcome };
                return Ok(Made::Item { item, weight });
            }
            let Some(first) = decoding.pipes.iter().min_by_key(|pipe| pipe.set) else {
                return Ok(Made::End);
            };
            if some_are_ready {
                return Ok(Made::NotNow);
            }
            let files: Vec<_> = decoding.pipes.iter().map(|pipe| &*pipe.file).collect();
            let tell = || self.tell.iter().for_each(|tell| tell.tell(&first.path));
            let waited = decoding.patience.wait(&files, tell);
            waited.map_err(|error| Error::io(&first.path, error))?;
        }
    }

    /// The next batch of one pipe; `None` where it must be waited for.
    fn advance(
        &self,
        pipe: &mut Pipe,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Result<Option<Batch>, Error> {
        match self.step(pipe, workbench, pool) {
            Err(error) if error.is_wait() => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    fn step(
        &self,
        pipe: &mut Pipe,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Result<Batch, Error> {
        loop {
            match &mut pipe.state {
                State::Begun { stream, prefix } => {
                    let is_over = read_up_to(SNIFF, &mut stream.source, prefix)
                        .map_err(|error| Error::io(&pipe.path, error))?;
                    debug_assert!(is_over || prefix.len() >= SNIFF);
                    let State::Begun { stream, prefix } =
                        std::mem::replace(&mut pipe.state, State::Ended)
                    else {
                        continue;
                    };
                    let file = stream
                        .into_file(&pipe.path, prefix, is_over)
                        .map_err(|error| Error::io(&pipe.path, error))?;
                    let file = file.with_longest_record(self.request.longest_record);
                    let file = Arc::new(file);
                    self.files().push(Arc::clone(&file));
                    let bytes = sequential(&file, pool)?;
                    pipe.state = State::Opened { file, bytes };
                }
                State::Opened { file, bytes } => {
                    let expected = Expected {
                        text: false,
                        rendered: false,
                        formats: &self.request.formats,
                    };
                    let format = peek(file, bytes, expected)?;
                    let State::Opened { file, bytes } =
                        std::mem::replace(&mut pipe.state, State::Ended)
                    else {
                        continue;
                    };
                    let feed = Feed::whole(file, format, bytes, Arc::clone(pool))
                        .with_letters(self.request.check_letters)
                        .in_pieces(self.request.overlap)
                        .beside_pipes();
                    pipe.state = State::Read(Box::new(Task::new(0, vec![feed], 1)));
                }
                State::Read(task) => {
                    while !task.is_ready() {
                        work(workbench, std::iter::once(&mut **task))
                            .map_err(|(_, error)| error)?;
                    }
                    let batch = task.cut(pool)?;
                    if task.is_finished() {
                        pipe.state = State::Ended;
                    }
                    return Ok(batch);
                }
                State::Ended => return Err(Error::new(ErrorKind::Stopped)),
            }
        }
    }

    fn files(&self) -> MutexGuard<'_, Vec<Arc<InputFile>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Read until there are `length` bytes, or no more; what came before a failure is kept. Whether there are no more.
fn read_up_to(length: usize, source: &mut dyn Read, bytes: &mut Vec<u8>) -> std::io::Result<bool> {
    while bytes.len() < length {
        let mut buffer = [0; 64];
        let wanted = (length - bytes.len()).min(buffer.len());
        match source.read(&mut buffer[..wanted]) {
            Ok(0) => return Ok(true),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
