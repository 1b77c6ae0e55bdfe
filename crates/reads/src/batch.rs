use std::path::Path;
use std::sync::Arc;

use thalweg_flow::{Place, Pool};
use thalweg_formats::{Fields, FileFormat, MateNames, RawRecords, Rendered, letters};
use thalweg_gzip::Slab;

use crate::file::InputFile;
use crate::first_mates::FirstMates;
use crate::{Error, ErrorKind, Format, FormatError, Record, RecordPiece, Records};

/// Uncompressed bytes per batch and file, unless a record is longer. Four
/// streams with a slab each stay in the second-level cache of today's cores,
/// and what is copied per batch (32 KiB of history) is an eighth of it. Larger
/// ones are slower for the kernel (`docs/design/inflate.md`).
pub(crate) const SLAB: usize = 256 * 1024;

/// Buffers of one block of records.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) slab: Slab,
    pub(crate) ends: Vec<u32>,
    /// The text of records that are none in the slab.
    pub(crate) rendered: Rendered,
}

impl Buffers {
    /// Bytes of memory held, but for positions in the slab.
    fn memory(&self) -> usize {
        self.slab.memory() + self.rendered.memory()
    }
}

pub(crate) type BufferPool = Pool<Buffers>;

/// Buffers to fill, used before if possible.
pub(crate) fn take_buffers(pool: &BufferPool) -> Buffers {
    pool.take(|| Buffers {
        slab: Slab::new(SLAB),
        ends: Vec::new(),
        rendered: Rendered::default(),
    })
}

/// Give buffers back, unless a long record has made them large.
pub(crate) fn give_buffers(pool: &BufferPool, buffers: Buffers) {
    if buffers.memory() <= 4 * SLAB {
        pool.give(buffers);
    }
}

/// Consecutive records of one file.
pub struct Block {
    pub(crate) file: Arc<InputFile>,
    pub(crate) buffers: Buffers,
    pub(crate) format: FileFormat,
    /// Rank of the first record, if it is known.
    pub(crate) rank: Option<u64>,
    pub(crate) text_offset: Option<u64>,
    /// Of the only record, if that is a piece of one.
    pub(crate) piece: Option<RecordPiece>,
    /// Whether all bases were found to be A to T.
    pub(crate) has_usual_letters: bool,
}

impl Block {
    /// The records, as views into this block.
    pub fn records(&self) -> Records<'_> {
        let ends = match self.format {
            FileFormat::Text(_) => &self.buffers.ends,
            FileFormat::Binary(_) => self.buffers.rendered.ends(),
        };
        Records::new(self.text(), 0, self.format.text_format(), ends)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.buffers.ends.len() / self.format.ends_per_record()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.buffers.ends.is_empty()
    }

    /// The text of the records, in one piece: as it stands in the file, line ends included, or as it was rendered from a
    /// format that is no text. It belongs to the block. Bytes of a piece's successor may follow the last record.
    pub fn text(&self) -> &[u8] {
        match self.format {
            FileFormat::Text(_) => self.buffers.slab.data(),
            FileFormat::Binary(_) => self.buffers.rendered.text(),
        }
    }

    /// The same as [`text`](Self::text).
    pub fn as_bytes(&self) -> &[u8] {
        self.text()
    }

    /// Where the names, sequences and qualities of all records lie, in bytes from the start of [`text`](Self::text): for
    /// columns of an array of strings, which need no copy of them.
    ///
    /// A sequence on several lines has their ends inside: see [`Records::are_on_one_line`].
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Fields> + '_ {
        self.records().fields()
    }

    /// The bytes of all records as they lie in a file that is no text, for views of its format's own; `None` of text.
    /// Record by record the same as [`records`](Self::records). They belong to the block.
    pub fn raw_records(&self) -> Option<RawRecords<'_>> {
        match self.format {
            FileFormat::Text(_) => None,
            FileFormat::Binary(_) => {
                let Buffers { slab, ends, .. } = &self.buffers;
                Some(RawRecords::new(slab.data(), ends))
            }
        }
    }

    /// Put the first of each pair before the second, as far as records say which they are.
    fn order_pairs(&mut self) {
        let FileFormat::Binary(format) = self.format else {
            return;
        };
        let Buffers { slab, ends, .. } = &mut self.buffers;
        let record = |first: u32, last: u32| &slab.data()[first as usize..=last as usize];
        for pair in ends.as_chunks_mut::<4>().0 {
            let [a, b, c, d] = *pair;
            if format.are_turned(record(a, b), record(c, d)) {
                *pair = [c, d, a, b];
            }
        }
    }

    /// Make text of records that are none. Before anybody else looks at them.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for a record that cannot be rendered.
    pub(crate) fn render(&mut self) -> Result<(), Error> {
        let Buffers {
            slab,
            ends,
            rendered,
        } = &mut self.buffers;
        let outcome = self.format.render(slab.data(), ends, rendered);
        outcome.map_err(|error| self.located(error))
    }

    /// Rank of the first record in its file, from 0; `None` where a part of a
    /// file without index was found by inspection, or cut by the names of mates.
    pub fn first_rank(&self) -> Option<u64> {
        self.rank
    }

    /// Where the block starts in its file's uncompressed data, if known.
    pub fn text_offset(&self) -> Option<u64> {
        self.text_offset
    }

    /// The file, as the user named it.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What part of a record the only one is; `None` for whole records, unless
    /// [`long_sequences_in_pieces`](crate::ReaderOptions::long_sequences_in_pieces) was asked for.
    pub fn piece(&self) -> Option<RecordPiece> {
        self.piece
    }

    /// Number of records that end in this block.
    pub(crate) fn ending(&self) -> u64 {
        match self.piece {
            Some(piece) if !piece.is_last() => 0,
            _ => self.len() as u64,
        }
    }

    /// FASTQ or FASTA: the format of its text.
    pub fn format(&self) -> Format {
        self.format.text_format()
    }

    /// Whether all bases are known to be `A` to `T`, as A, C, G, T and N are: there is no lower case, no U and no sign among
    /// them. `false` where letters are not [checked](crate::ReaderOptions::check_letters), and of FASTA.
    pub fn has_usual_letters(&self) -> bool {
        self.has_usual_letters
    }

    /// Check that only letters stand where there should be some.
    ///
    /// # Errors
    /// Those of [`letters::check`], with the record's rank and the place in the data, if they are known.
    pub(crate) fn check_letters(&mut self) -> Result<(), Error> {
        let checked = letters::check(self.as_bytes(), self.records());
        self.has_usual_letters = checked.map_err(|error| self.located(error))?;
        Ok(())
    }

    /// Check that no record is longer than its file's may be.
    ///
    /// # Errors
    /// [`ErrorKind::LongRecord`] with the first that is.
    pub(crate) fn check_lengths(&self) -> Result<(), Error> {
        let Some(most) = self.file.longest_record().filter(|_| self.piece.is_none()) else {
            return Ok(());
        };
        let is_long = |record: Record<'_>| record.as_bytes().len() as u64 > most;
        match self.records().position(is_long) {
            None => Ok(()),
            Some(place) => Err(Error::new(ErrorKind::LongRecord { most })
                .in_file(self.path())
                .at_record(self.rank.map(|rank| rank + place as u64))),
        }
    }

    /// Check that headers, and the lines with `+`, have no carriage return but at their ends.
    ///
    /// # Errors
    /// [`FormatErrorKind::LoneReturn`](crate::FormatErrorKind::LoneReturn), likewise.
    pub(crate) fn check_headers(&self) -> Result<(), Error> {
        letters::check_headers(self.as_bytes(), self.records()).map_err(|error| self.located(error))
    }

    #[cold]
    fn located(&self, error: FormatError) -> Error {
        let record = error.record as u64;
        let offset = match self.format {
            FileFormat::Text(_) => error.offset as u64,
            // Of what was rendered, the record has a place in the file.
            FileFormat::Binary(_) => u64::from(self.buffers.ends[2 * error.record]),
        };
        let error = Error::new(ErrorKind::Format(error))
            .in_file(self.path())
            .at_record(self.rank.map(|rank| rank + record));
        match self.text_offset {
            Some(start) => error.at_text_offset(start + offset),
            None => error,
        }
    }
}

/// Records for one worker: from one file, or as many from each of several
/// files that are read in step.
///
/// The records are views into buffers that the batch owns; dropping the batch
/// gives the buffers back for the next one.
pub struct Batch {
    pub(crate) place: Place,
    pub(crate) set: usize,
    pub(crate) blocks: Vec<Block>,
    /// Opened as pairs that follow each other in one file.
    pub(crate) interleaved: bool,
    pub(crate) pool: Arc<BufferPool>,
}

impl Batch {
    /// Where the batch stands among all batches, for ordered output; of batches in any order it tells nothing.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The same, from this one of the files that follow one another.
    pub(crate) fn of_set(mut self, set: usize) -> Self {
        self.set = set;
        self
    }

    /// Which of the files that follow one another it is from, counted from 0; files in step count as one.
    pub fn set(&self) -> usize {
        self.set
    }

    /// Number of records of each file.
    pub fn len(&self) -> usize {
        self.blocks.first().map_or(0, Block::len)
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One block of equally many records for each file read in step.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The records of the first file (of the only one, usually).
    pub fn records(&self) -> Records<'_> {
        self.blocks[0].records()
    }

    /// The records of file number `mate`, counted from 0.
    ///
    /// # Panics
    /// If there are not that many files in step.
    pub fn mates(&self, mate: usize) -> Records<'_> {
        self.blocks[mate].records()
    }

    /// Pairs of records: of equal rank in the first two files, or neighbours in
    /// one file that was opened as [interleaved](crate::ReaderOptions::interleaved).
    ///
    /// # Panics
    /// If there is one file, and it was not opened as interleaved: its
    /// neighbours are no pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (Record<'_>, Record<'_>)> {
        let interleaved = self.blocks.len() == 1;
        assert!(
            !interleaved || self.interleaved,
            "pairs of one file that was not opened as interleaved"
        );
        let first = self.blocks[0].records();
        let second = self.blocks[usize::from(!interleaved)].records();
        let pairs = first.len() / if interleaved { 2 } else { 1 };
        // As many as there are: `filter_map` would move each pair through memory several times.
        (0..pairs).map_while(move |pair| {
            let (left, right) = if interleaved {
                (2 * pair, 2 * pair + 1)
            } else {
                (pair, pair)
            };
            Some((first.get(left)?, second.get(right)?))
        })
    }

    /// Bytes of its buffers.
    pub(crate) fn memory(&self) -> u64 {
        let buffers = self.blocks.iter().map(|block| &block.buffers);
        buffers.map(|buffers| buffers.memory() as u64).sum()
    }

    /// Make text of records that are none. Before anybody else looks at them.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for the first record that cannot be rendered.
    pub(crate) fn render(&mut self) -> Result<(), Error> {
        if self.interleaved {
            self.blocks.iter_mut().for_each(Block::order_pairs);
        }
        self.blocks.iter_mut().try_for_each(Block::render)
    }

    /// Check that mates carry the same name, but for what tells them apart.
    ///
    /// # Errors
    /// [`ErrorKind::MatesDisagree`] with the first record that differs.
    pub(crate) fn check_names(&self, names: &MateNames) -> Result<(), Error> {
        let (first, others) = match self.blocks.split_first() {
            Some((first, others)) if !others.is_empty() => (first, others),
            _ => return Ok(()),
        };
        for (number, other) in others.iter().enumerate() {
            let mut heads = first.records().heads().zip(other.records().heads());
            let differ = |(left, right): (&[u8], &[u8])| !names.agree(number, left, right);
            if let Some(index) = heads.position(differ) {
                return Err(disagreement([first, other], [index; 2]));
            }
        }
        Ok(())
    }

    /// The same for an interleaved file.
    pub(crate) fn check_interleaved_names(&self, names: &MateNames) -> Result<(), Error> {
        let block = &self.blocks[0];
        let mut heads = block.records().heads();
        let mut pairs = std::iter::from_fn(|| Some((heads.next()?, heads.next()?)));
        match pairs.position(|(left, right)| !names.agree(0, left, right)) {
            Some(pair) => Err(disagreement([block; 2], [2 * pair, 2 * pair + 1])),
            None => Ok(()),
        }
    }
}

impl Batch {
    /// Check that the records of each pair of an interleaved file say that they are the first and the second one.
    ///
    /// # Errors
    /// [`ErrorKind::MatesDisagree`] with the first pair that is none.
    pub(crate) fn check_mates(&self) -> Result<(), Error> {
        let block = &self.blocks[0];
        let (FileFormat::Binary(format), Some(mut records)) = (block.format, block.raw_records())
        else {
            return Ok(());
        };
        let mut pairs = std::iter::from_fn(|| Some([records.next()?, records.next()?]));
        let is_none =
            |pair: [&[u8]; 2]| pair.map(|record| format.mate(record)) != [Some(1), Some(2)];
        match pairs.position(is_none) {
            Some(pair) => Err(disagreement([block; 2], [2 * pair, 2 * pair + 1])),
            None => Ok(()),
        }
    }

    /// Check that single reads stay so: that no record is a mate that the first ones of the file do not
    /// [allow](FirstMates::allow).
    ///
    /// # Errors
    /// [`ErrorKind::MateAmongSingle`] with the first record that is one.
    pub(crate) fn check_single(&self, first_mates: FirstMates) -> Result<(), Error> {
        let block = &self.blocks[0];
        let (FileFormat::Binary(format), Some(mut records)) = (block.format, block.raw_records())
        else {
            return Ok(());
        };
        match records.position(|record| !first_mates.allow(format.mate(record))) {
            Some(at) => Err(Error::new(ErrorKind::MateAmongSingle(name_of(block, at)))
                .in_file(block.path())
                .at_record(block.rank.map(|rank| rank + at as u64))),
            None => Ok(()),
        }
    }
}

/// The name of the record `at` of a block.
fn name_of(block: &Block, at: usize) -> String {
    let record = block.records().get(at);
    let id = record.as_ref().map(Record::id).unwrap_or_default();
    String::from_utf8_lossy(id).into_owned()
}

/// Of the record `at` in either block.
fn disagreement(blocks: [&Block; 2], at: [usize; 2]) -> Error {
    let [first, other] = blocks;
    Error::new(ErrorKind::MatesDisagree {
        other: other.path().to_owned(),
        format: first.format.name(),
        name: name_of(first, at[0]),
        other_name: name_of(other, at[1]),
    })
    .in_file(first.path())
    .at_record(first.rank.map(|rank| rank + at[0] as u64))
}

impl Drop for Batch {
    fn drop(&mut self) {
        for block in self.blocks.drain(..) {
            give_buffers(&self.pool, block.buffers);
        }
    }
}
