//! The pass over the file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_flow::{Budget, Failure, Pool, Stop, run};
use thalweg_gzip::index::{Container, Index, References};
use thalweg_gzip::{Decoder, Event, Helper, Legs, Slab};

use super::byproduct::{Destination, SaveIndex};
use super::collector::{Collector, Mark};
use super::fault::as_reading_tells;
use super::hash::read_all;
use super::marker::Marker;
use super::options::{Checkpoints, IndexOptions};
use super::totals::{Totals, collect_error, index_error, summary};
use crate::batch::{BufferPool, Buffers, SLAB, give_buffers, take_buffers};
use crate::bytes::{Bytes, compressed_error, sequential};
use crate::file::{Handle, InputFile};
use crate::legs::legs_of;
use crate::members::in_parts;
use crate::open::{Expected, IndexSearch, IndexUse, OpenedFile};
use crate::{Compression, Error, ErrorKind, Progress, ReaderOptions};

/// Pieces that may be decoded before the oldest is taken in.
const AHEAD: usize = 4;

/// Threads from which on legs are decoded: two are as fast with one stream and what is taken in beside it.
const LEGS_FROM: usize = 3;

/// Threads of which the one that takes in decodes legs, too, when it has nothing to take in.
const FEW: usize = 3;

/// Index the gzip file `path` in one pass.
///
/// With a `destination` the index goes there as it grows, appears under that
/// name when it is whole, and is then opened; without one it stays in memory
/// (about 5 KB for each checkpoint). `progress` is told the compressed bytes
/// read so far and in all.
///
/// Files are indexed by all threads: those of many members (BGZF among them) in parts, others by
/// [legs](thalweg_gzip::Legs) if there are three or more. The index is the same for any number of them.
///
/// # Errors
/// If the file is not a regular gzip file of sequencing reads, is damaged or
/// malformed anywhere, or changes meanwhile; if the index cannot be written.
pub fn build_index(
    path: &Path,
    destination: Option<&Path>,
    options: &IndexOptions,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Index, Error> {
    let progress = |done, size| {
        progress(done, size);
        Ok(())
    };
    build_index_unless(path, destination, options, &progress)
}

/// As [`build_index`], and it ends with the error of `progress` if that has one: for whoever may be told to stop.
///
/// # Errors
/// As [`build_index`], and those of `progress`. Nothing is left under the name of the `destination`, then.
pub fn build_index_unless(
    path: &Path,
    destination: Option<&Path>,
    options: &IndexOptions,
    progress: Progress<'_>,
) -> Result<Index, Error> {
    let pool: Arc<BufferPool> = Arc::new(Pool::new(AHEAD + 4));
    let handle = Handle::open(path)?.check_end(options.check_end);
    let opened = OpenedFile::new(handle, IndexSearch::NONE, Expected::RECORDS, &pool)?;
    let file = Arc::clone(&opened.file);
    if file.compression() != Compression::Gzip {
        return Err(Error::new(ErrorKind::Unsupported(match file.compression() {
            Compression::None => "plain files need no index: all cores read them as they are",
            _ => "only gzip files can be indexed; this format is read on one thread",
        }))
        .in_file(path));
    }
    let Some(size) = file.size() else {
        return Err(Error::new(ErrorKind::NotSeekable).in_file(path));
    };
    if let Some(index) = by_members(in_parts(&opened)?, path, options, progress)? {
        if let Some(destination) = destination {
            let written = index.write(destination);
            written.map_err(|error| index_error(path, error))?;
        }
        return Ok(index);
    }
    let wanted = options.checkpoints.wanted();
    let collector = match (destination, wanted) {
        (Some(destination), None) => Collector::to_file(opened.format, destination),
        _ => Ok(Collector::in_memory(opened.format, wanted)),
    }
    .map_err(|error| index_error(path, error))?;

    let pass = Pass {
        file: &file,
        size,
        checkpoints: options.checkpoints,
        pool,
        progress,
    };
    let (collector, hash, container) = pass
        .run(collector, options.budget)
        .map_err(|error| as_reading_tells(path, error))?;
    file.check_unchanged()?;
    let (records, output) = collector.totals();
    let totals = Totals {
        hash,
        container,
        format: opened.format,
        records,
        output,
    };
    let summary = summary(&file, &totals, options)?;
    let index = collector
        .finish(summary)
        .map_err(|error| collect_error(&file, error))?;
    match (index, destination) {
        (Some(index), Some(destination)) => {
            index
                .write(destination)
                .map_err(|error| index_error(path, error))?;
            Ok(index)
        }
        (Some(index), None) => Ok(index),
        (None, destination) => {
            let written: PathBuf = destination.map(Path::to_owned).unwrap_or_default();
            Index::open(&written).map_err(|error| index_error(path, error))
        }
    }
}

/// Index a file of small members by reading its parts in parallel; `None` if it
/// has too large members for that.
fn by_members(
    in_parts: bool,
    path: &Path,
    options: &IndexOptions,
    progress: Progress<'_>,
) -> Result<Option<Index>, Error> {
    if !in_parts {
        return Ok(None);
    }
    let reader = ReaderOptions::new()
        .file(path)
        .index(IndexUse::Never)
        .check_end(options.check_end)
        .budget(options.budget)
        .save_index(SaveIndex {
            options: options.clone(),
            destination: Destination::Caller,
        })
        .open()?;
    let reader = Arc::new(reader);
    let outcome = run(options.budget.threads(), |number, stop| {
        let mut worker = reader.worker(number, None);
        while worker.next_batch()?.is_some() && !stop.is_stopped() {
            if let (read, Some(size)) = reader.progress() {
                progress(read.min(size), size)?;
            }
        }
        Ok(())
    });
    match outcome {
        Ok(_) => Ok(reader.take_index()),
        Err(Failure::Failed(error)) => Err(error),
        Err(Failure::Panicked(what)) => Err(Error::new(ErrorKind::Panicked(what))),
        Err(Failure::NoThread(reason)) => Err(Error::new(ErrorKind::NoThread(reason))),
    }
}

struct Pass<'a> {
    file: &'a Arc<InputFile>,
    size: u64,
    checkpoints: Checkpoints,
    pool: Arc<BufferPool>,
    progress: Progress<'a>,
}

/// A slab of data and what the decoder noted on the way.
struct Piece {
    slab: Slab,
    marks: Vec<Mark>,
    references: Vec<Option<Box<References>>>,
    /// The compressed file has been read up to here.
    compressed: u64,
    last: bool,
}

struct Decoding {
    decoder: Box<Decoder>,
    marker: Marker,
}

/// What one of two threads does.
enum Role {
    Decode(Decoding, SyncSender<Piece>),
    TakeIn(Box<Intake>, Receiver<Piece>),
    Help,
}

/// How that ended.
enum Ended {
    Decoded(Result<Decoding, Error>),
    TakenIn(Result<Box<Intake>, Error>),
}

/// What is done with the pieces, one after the other.
struct Intake {
    collector: Collector,
    hasher: blake3::Hasher,
    hashed: u64,
    buffer: Vec<u8>,
}

impl Pass<'_> {
    fn run(
        &self,
        collector: Collector,
        budget: Budget,
    ) -> Result<(Collector, [u8; 32], Container), Error> {
        let Bytes::Gzip(mut decoder) = sequential(self.file, &self.pool)? else {
            unreachable!("the file was seen to be gzip");
        };
        decoder.report_blocks();
        let legs = (budget.threads() >= LEGS_FROM)
            .then(|| legs_of(self.file, &mut decoder, 1, budget))
            .flatten();
        let mut decoding = Decoding {
            decoder,
            marker: Marker::new(self.checkpoints),
        };
        let mut intake = Intake {
            collector,
            hasher: blake3::Hasher::new(),
            hashed: 0,
            buffer: vec![0; SLAB / 4],
        };
        if budget.threads() == 1 {
            while self.take_in(&mut intake, self.decode(&mut decoding)?)? {}
        } else {
            // Without legs there is nothing for others to do.
            let threads = legs.as_ref().map_or(2, |_| budget.threads());
            (decoding, intake) = self.run_on(threads, decoding, intake, legs.as_deref())?;
        }
        let container = match decoding.decoder.is_bgzf() {
            true => Container::Bgzf,
            false => Container::Gzip,
        };
        Ok((
            intake.collector,
            *intake.hasher.finalize().as_bytes(),
            container,
        ))
    }

    /// One thread decodes in order, another takes in, and all others decode `legs`; so does who takes in while there is nothing, if threads
    /// are few. Who decodes in order does not do that while pieces wait to be taken in: two threads would wait for each other by turns.
    /// The decoder's state stays with one core: handing it over for each piece cost more than it gave.
    fn run_on(
        &self,
        threads: usize,
        decoding: Decoding,
        intake: Intake,
        legs: Option<&Legs>,
    ) -> Result<(Decoding, Intake), Error> {
        let (sender, receiver) = sync_channel(AHEAD);
        let mut roles = vec![
            Role::TakeIn(Box::new(intake), receiver),
            Role::Decode(decoding, sender),
        ];
        roles.resize_with(threads.max(2), || Role::Help);
        let roles = Mutex::new(roles);
        let work = |_, _: &Stop| {
            let role = roles.lock().unwrap_or_else(PoisonError::into_inner).pop();
            Ok::<_, Error>(role.and_then(|role| self.play(role, threads, legs)))
        };
        let ended = match run(threads.max(2), work) {
            Ok(ended) => ended,
            Err(Failure::Failed(error)) => return Err(error),
            Err(Failure::Panicked(what)) => return Err(Error::new(ErrorKind::Panicked(what))),
            Err(Failure::NoThread(reason)) => return Err(Error::new(ErrorKind::NoThread(reason))),
        };
        let (mut decoded, mut taken) = (None, None);
        for ended in ended.into_iter().flatten() {
            match ended {
                Ended::Decoded(outcome) => decoded = Some(outcome),
                Ended::TakenIn(outcome) => taken = Some(outcome),
            }
        }
        match (taken, decoded) {
            // A faulty record lies before the place where decoding failed.
            (Some(taken), Some(decoded)) => {
                let intake = taken?;
                Ok((decoded?, *intake))
            }
            _ => Err(Error::new(ErrorKind::Stopped)),
        }
    }

    fn play(&self, role: Role, threads: usize, legs: Option<&Legs>) -> Option<Ended> {
        match role {
            Role::Decode(mut decoding, sender) => {
                let _closed_at_the_end = Closing(legs);
                Some(Ended::Decoded(loop {
                    match self.decode(&mut decoding) {
                        Err(error) => break Err(error),
                        Ok(piece) => {
                            let last = piece.last;
                            // Nobody listens any more: the fault is the other's.
                            if sender.send(piece).is_err() || last {
                                break Ok(decoding);
                            }
                        }
                    }
                }))
            }
            Role::TakeIn(mut intake, receiver) => {
                let legs = legs.filter(|_| threads <= FEW);
                let mut helper = Helper::default();
                Some(Ended::TakenIn(loop {
                    // The sender went home: the fault is the other's.
                    let Some(piece) = receive(&receiver, legs, &mut helper) else {
                        break Ok(intake);
                    };
                    match self.take_in(&mut intake, piece) {
                        Err(error) => break Err(error),
                        Ok(true) => {}
                        Ok(false) => break Ok(intake),
                    }
                }))
            }
            Role::Help => {
                if let Some(legs) = legs {
                    legs.help_until_closed(&mut Helper::default());
                }
                None
            }
        }
    }

    /// Decode one slab.
    fn decode(&self, decoding: &mut Decoding) -> Result<Piece, Error> {
        let Decoding {
            decoder, marker, ..
        } = decoding;
        let decoder = &mut **decoder;
        loop {
            decoder
                .advance()
                .map_err(|error| compressed_error(self.file, error))?;
            marker.look(decoder, false);
            match decoder.event() {
                None | Some(Event::ChunkEnd) => {}
                Some(Event::Full | Event::End) => break,
                Some(Event::Block) => {
                    marker.block(decoder);
                    decoder.go_on();
                }
            }
        }
        let last = decoder.event() == Some(Event::End);
        marker.look(decoder, last);
        let compressed = match last {
            true => self.size,
            false => decoder.position() / 8,
        };
        let Buffers { slab, .. } = take_buffers(&self.pool);
        let length = decoder.data().len();
        let slab = decoder.take(length, slab);
        Ok(Piece {
            slab,
            marks: std::mem::take(&mut marker.marks),
            references: std::mem::take(&mut marker.references),
            compressed,
            last,
        })
    }

    /// Returns whether more pieces follow.
    fn take_in(&self, intake: &mut Intake, piece: Piece) -> Result<bool, Error> {
        for mark in piece.marks {
            intake.collector.mark(mark);
        }
        intake
            .collector
            .data(piece.slab.data(), piece.last)
            .map_err(|error| collect_error(self.file, error))?;
        for references in piece.references {
            intake.collector.references(references);
        }
        self.hash(intake, piece.compressed)?;
        let buffers = Buffers {
            slab: piece.slab,
            ..Buffers::default()
        };
        give_buffers(&self.pool, buffers);
        (self.progress)(piece.compressed, self.size)?;
        Ok(!piece.last)
    }

    /// Hash the compressed file up to `end`, while the page cache has it.
    fn hash(&self, intake: &mut Intake, end: u64) -> Result<(), Error> {
        let Some(open) = self.file.regular() else {
            return Err(Error::new(ErrorKind::NotSeekable).in_file(self.file.path()));
        };
        // Long inputs use the widest instructions.
        if end - intake.hashed < intake.buffer.len() as u64 && end < self.size {
            return Ok(());
        }
        let Intake {
            hasher,
            hashed,
            buffer,
            ..
        } = intake;
        read_all(open, *hashed, end - *hashed, buffer, |bytes| {
            hasher.update(bytes);
        })
        .map_err(|error| Error::io(self.file.path(), error))?;
        *hashed = end;
        Ok(())
    }
}

/// Closes legs when it is dropped, so that nobody waits for more of them.
struct Closing<'a>(Option<&'a Legs>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if let Some(legs) = self.0 {
            legs.close();
        }
    }
}

/// The next piece, and decode legs while there is none. `None` if nobody sends any more.
fn receive(receiver: &Receiver<Piece>, legs: Option<&Legs>, helper: &mut Helper) -> Option<Piece> {
    loop {
        match receiver.try_recv() {
            Ok(piece) => return Some(piece),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if !legs.is_some_and(|legs| legs.help(helper)) {
            return receiver.recv().ok();
        }
    }
}
