use std::path::Path;
use std::sync::Arc;

use thalweg_files::{Whole, name_all};
use thalweg_flow::{Closed, Gate, Place, Pool};

use crate::press::Press;
use crate::room::Room;
use crate::stream::{Stream, Written};
use crate::{Error, OutputOptions, SealedFile, Writer};

/// The place of a batch that is numbered without gaps from 0.
pub fn ordinal(ordinal: u64) -> Place {
    Place {
        ticket: ordinal,
        piece: 0,
        last: true,
    }
}

/// Outputs that get a piece of every batch, in the order of the batches.
///
/// [`finish`](Self::finish) must be called: dropping it before removes what was
/// written.
pub struct Outputs {
    pub(crate) room: Arc<Room>,
    pub(crate) pool: Pool<Vec<u8>>,
    pub(crate) options: Vec<OutputOptions>,
    splits: bool,
}

impl Outputs {
    /// Open all outputs. `ahead` (at least one) is the capacity of the waiting room,
    /// in tickets: a ticket may begin when fewer than so many are unfinished
    /// before it. So the batches of no more than `ahead` tickets are in memory, those
    /// being made included: at most `ahead` times the text of a ticket, twice (as
    /// text and compressed) where an output is compressed.
    ///
    /// Opening a FIFO waits for its reader.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::Exists`], [`Error::Twice`], [`Error::SplitStream`],
    /// [`Error::Compress`].
    pub fn open(options: Vec<OutputOptions>, ahead: u64) -> Result<Self, Error> {
        let mut streams: Vec<Stream> = Vec::with_capacity(options.len());
        for options in &options {
            streams.push(Stream::open(options.clone())?);
        }
        refuse_twice(&streams)?;
        // Each batch in flight may have a text and a compressed piece per output.
        let buffers = ahead.saturating_mul(2 * options.len() as u64);
        Ok(Self {
            room: Arc::new(Room::new(streams, ahead)),
            pool: Pool::new(usize::try_from(buffers).unwrap_or(usize::MAX)),
            splits: options.iter().any(|options| options.split.is_some()),
            options,
        })
    }

    /// How many outputs there are.
    pub fn len(&self) -> usize {
        self.options.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.options.is_empty()
    }

    /// The gate that tickets pass before they begin: give it to the reader's workers,
    /// or call [`begin`](Self::begin).
    pub fn gate(&self) -> &Arc<Gate> {
        self.room.gate()
    }

    /// Wait until work on a ticket may begin. Without this (or the gate in the
    /// reader) nothing bounds what waits. A worker must not call it while it
    /// holds back a lower ticket.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the outputs were closed.
    pub fn begin(&self, ticket: u64) -> Result<(), Error> {
        self.gate().wait(ticket).map_err(|Closed| Error::Stopped)
    }

    /// One worker's way to the outputs.
    ///
    /// # Errors
    /// [`Error::Compress`] if there is no memory for its compressors.
    pub fn writer(&self) -> Result<Writer<'_>, Error> {
        let press = |options: &OutputOptions| {
            Press::new(options.format, options.level)
                .map_err(|error| Error::compress(&options.path, error))
        };
        let presses = self.options.iter().map(press).collect::<Result<_, _>>()?;
        Ok(Writer::new(self, presses))
    }

    /// Give up: all workers that wait or write get [`Error::Stopped`], and no file
    /// appears. To be called when a worker fails for reasons of its own, for instance as
    /// `on_failure` of [`thalweg_flow::run_or`]. A worker that is inside a write
    /// call of the system leaves when that returns.
    pub fn close(&self) {
        self.room.close();
    }

    /// All `tickets` tickets have been handed in, and the workers have ended: write
    /// what is left, save the data, and give the files their names. Returns the
    /// files of each output in their order.
    ///
    /// No file gets its name before the data of all are safe. Then they get them one behind the other; if one of them
    /// cannot, the error tells which ones had theirs before.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if a batch is missing, [`Error::Stopped`] if the outputs
    /// were closed, and whatever the system says.
    pub fn finish(self, tickets: u64) -> Result<Vec<Vec<Written>>, Error> {
        self.finish_with(tickets, [])
    }

    /// The same, with files that belong to them: these get their names behind those of the outputs, and none has one before
    /// the data of all are safe.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_with(
        self,
        tickets: u64,
        files: impl IntoIterator<Item = SealedFile>,
    ) -> Result<Vec<Vec<Written>>, Error> {
        self.seal(tickets)?.name_with(files)
    }

    /// As [`finish`](Self::finish), but for the names of files: what is left to do is [to give them](SealedOutputs::name_with).
    /// Pipes and the like have everything, and are closed.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn seal(self, tickets: u64) -> Result<SealedOutputs, Error> {
        self.try_seal(tickets)
            .map_err(|error| self.room.fail(error))
    }

    fn try_seal(&self, tickets: u64) -> Result<SealedOutputs, Error> {
        let mut writer = self.writer()?;
        writer.work()?;
        self.room.end(tickets)?;
        writer.work()?;
        while self.room.end_missing()? {
            writer.work()?;
        }
        let (mut whole, mut written) = (Vec::new(), Vec::new());
        for files in self.room.take_sealed()? {
            let (sealed, files): (Vec<_>, Vec<_>) = files.into_iter().unzip();
            whole.extend(sealed.into_iter().flatten());
            written.push(files);
        }
        Ok(SealedOutputs { whole, written })
    }

    /// Whether an output is split: then pieces tell the ends of their records where these are not FASTQ of four lines.
    pub fn splits(&self) -> bool {
        self.splits
    }

    pub(crate) fn recycle(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.pool.give(buffer);
    }
}

/// [`Outputs`] all of whose data are safe, and whose files lack their names. Dropping it leaves none of these behind.
#[derive(Debug)]
#[must_use]
pub struct SealedOutputs {
    whole: Vec<Whole>,
    written: Vec<Vec<Written>>,
}

impl SealedOutputs {
    /// Give the files their names, one behind the other, and behind them `files` that belong to them. Returns the files of each
    /// output in their order.
    ///
    /// # Errors
    /// [`Error::Save`], or [`Error::SaveOfSome`] with those that had their names before.
    pub fn name_with(
        self,
        files: impl IntoIterator<Item = SealedFile>,
    ) -> Result<Vec<Vec<Written>>, Error> {
        let others = files.into_iter().filter_map(|file| file.0);
        name_all(self.whole.into_iter().chain(others)).map_err(Error::naming)?;
        Ok(self.written)
    }
}

/// Two outputs under one name would overwrite, or interrupt, each other.
fn refuse_twice(streams: &[Stream]) -> Result<(), Error> {
    let mut names: Vec<_> = streams
        .iter()
        .flat_map(Stream::names)
        .filter(|path| *path != Path::new("/dev/null"))
        .collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::Twice {
            path: pair[0].to_owned(),
        }),
        None => Ok(()),
    }
}
