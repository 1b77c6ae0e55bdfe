use thalweg_flow::Place;

use crate::outputs::Outputs;
use crate::press::Press;
use crate::room::{Task, Text};
use crate::split::cut;
use crate::stream::Part;
use crate::{Error, OutputFormat, OutputOptions, pipes};

/// What one batch contributes to one output.
#[derive(Debug)]
pub struct OutputPiece<'a> {
    /// Whole records. It is taken: afterwards it is empty, with the memory of some
    /// earlier piece.
    pub text: &'a mut Vec<u8>,
    /// How many records that are.
    pub records: u64,
    /// How many of them there were when packs of the input ended, in order; nothing
    /// but the rules of [`Split`](crate::Split) that speak of packs asks for it.
    ///
    /// What a pack is, the owner of the input knows. The end of a pack may be told with
    /// the batch that it lies in or, as 0, with the next one.
    pub pack_ends: &'a [u64],
    /// Where each of the records ends in the text; needed where an output that is not FASTQ of four lines is split, or where
    /// several records are counted as one.
    pub ends: &'a [usize],
    /// What each of the records weighs, such as its bases, for [`Split::weighing`](crate::Split::weighing).
    pub weights: &'a [u64],
}

impl<'a> OutputPiece<'a> {
    /// A piece of `records` records.
    pub fn new(text: &'a mut Vec<u8>, records: u64) -> Self {
        Self {
            text,
            records,
            pack_ends: &[],
            ends: &[],
            weights: &[],
        }
    }

    /// The same, with packs of the input that ended.
    pub fn pack_ends(mut self, pack_ends: &'a [u64]) -> Self {
        self.pack_ends = pack_ends;
        self
    }

    /// The same, with the ends of its records.
    pub fn ends(mut self, ends: &'a [usize]) -> Self {
        self.ends = ends;
        self
    }

    /// The same, with what its records weigh.
    pub fn weights(mut self, weights: &'a [u64]) -> Self {
        self.weights = weights;
        self
    }
}

/// One worker's way to all outputs, with its own compressors.
///
/// Dropping it in a panic closes the outputs, so that nobody waits for what that
/// worker will not hand in. A worker that ends with an error must see to it
/// itself: [`Outputs::close`].
pub struct Writer<'a> {
    outputs: &'a Outputs,
    presses: Vec<Press>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(outputs: &'a Outputs, presses: Vec<Press>) -> Self {
        Self { outputs, presses }
    }

    /// Hand in a batch: a piece, perhaps empty, for each output in the order in which
    /// they were opened.
    ///
    /// Batches may come in any order, from any worker. The call compresses the
    /// pieces and does what there is to do, also of other batches; it waits for
    /// nothing but the system's write calls (and, where several outputs are
    /// pipes, for room in one of them if no further batch may begin).
    ///
    /// # Errors
    /// The first failure is returned here once, to one worker; all others get
    /// [`Error::Stopped`]. Nothing can be written afterwards.
    pub fn write(&mut self, place: Place, pieces: &mut [OutputPiece<'_>]) -> Result<(), Error> {
        let outcome = self.hand_in(place, pieces).and_then(|()| self.work());
        // Only now: the memory that was used last, and is still in the cache, has come back.
        for piece in pieces {
            *piece.text = self.outputs.pool.take(Vec::new);
        }
        outcome.map_err(|error| self.outputs.room.fail(error))
    }

    fn hand_in(&mut self, place: Place, pieces: &mut [OutputPiece<'_>]) -> Result<(), Error> {
        if pieces.len() != self.presses.len() {
            return Err(Error::Misplaced {
                ticket: place.ticket,
                piece: place.piece,
            });
        }
        let texts = pieces.iter_mut().map(|piece| Text {
            bytes: std::mem::take(piece.text),
            records: piece.records,
            pack_ends: piece.pack_ends.to_vec(),
            ends: piece.ends.to_vec(),
            weights: piece.weights.to_vec(),
            shares: Vec::new(),
        });
        let texts = texts.collect();
        if self.outputs.splits() {
            return self.outputs.room.count(place, texts);
        }
        self.press(place, texts)
    }

    /// Do all there is to do.
    pub(crate) fn work(&mut self) -> Result<(), Error> {
        let room = &self.outputs.room;
        let mut with_pipes = true;
        while let Some(task) = room.task(with_pipes)? {
            match task {
                Task::Write(stream, write) => {
                    write.sink.write(&write.bytes, write.offset)?;
                    let (file, ticket) = (write.file, write.ticket);
                    self.outputs.recycle(write.bytes);
                    // Whoever finds the file full is the only one that has it.
                    drop(write.sink);
                    room.written(stream, file, ticket);
                }
                Task::Press(place, texts) => self.press(place, texts)?,
                Task::Pipes(mut writes, must_wait) => {
                    let progress = pipes::serve(&mut writes, must_wait)?;
                    with_pipes = progress || must_wait;
                    let (done, left): (Vec<_>, Vec<_>) =
                        writes.into_iter().partition(|(_, write)| write.is_done());
                    let done = done.into_iter().map(|(stream, write)| {
                        self.outputs.recycle(write.bytes);
                        (stream, write.file, write.ticket)
                    });
                    room.served(done.collect(), left);
                }
                Task::Seal(stream, full) => {
                    // Whoever wrote to it has let go of it before it was full.
                    if let Some(sealed) = full.seal() {
                        room.sealed(stream, sealed?);
                    }
                }
            }
        }
        Ok(())
    }

    fn press(&mut self, place: Place, texts: Vec<Text>) -> Result<(), Error> {
        let outputs = self.outputs;
        let streams = self.presses.iter_mut().zip(&outputs.options);
        let parts = texts
            .into_iter()
            .zip(streams)
            .map(|(text, (press, options))| parts(text, press, options, outputs))
            .collect::<Result<_, Error>>()?;
        outputs.room.place(place, parts)
    }
}

/// Cut a piece where its output is split, and compress the parts.
fn parts(
    text: Text,
    press: &mut Press,
    options: &OutputOptions,
    outputs: &Outputs,
) -> Result<Vec<Part>, Error> {
    let Text {
        bytes,
        records,
        shares,
        ends,
        ..
    } = text;
    let mut part = |file, records, bytes: &[u8]| {
        let mut pressed = Vec::new();
        if !bytes.is_empty() {
            pressed = outputs.pool.take(Vec::new);
            press
                .press(bytes, &mut pressed)
                .map_err(|error| Error::compress(&options.path, error))?;
        }
        Ok(Part {
            file,
            records,
            bytes: pressed,
        })
    };
    let parts = match options.split {
        None if options.format == OutputFormat::Plain => {
            // As it is, without a copy.
            return Ok(vec![Part {
                file: 0,
                records,
                bytes,
            }]);
        }
        None => vec![part(0, records, &bytes)?],
        Some(_) => cut(&bytes, &shares, &ends)
            .map_err(|lines| Error::Lines {
                path: options.path.clone(),
                lines,
                records,
            })?
            .into_iter()
            .map(|cut| part(cut.file, cut.records, &bytes[cut.bytes]))
            .collect::<Result<_, _>>()?,
    };
    outputs.recycle(bytes);
    Ok(parts)
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.outputs.close();
        }
    }
}
