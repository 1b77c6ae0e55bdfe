use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use thalweg_flow::Budget;
use thalweg_formats::BinaryFormat;

use crate::given::Given;
use crate::indexing::{Destination, IndexOptions, SaveIndex};
use crate::open::IndexUse;
use crate::portions::Portion;
use crate::request::Selection;
use crate::{CommonChecks, KeptStreams, Listener};

/// What to read and how. The defaults suit one file, or several that follow
/// each other as one stream.
///
/// ```no_run
/// use thalweg_reads::ReaderOptions;
///
/// let reader = ReaderOptions::new()
///     .mates(["r1.fastq.gz", "r2.fastq.gz"])
///     .open()?;
/// # Ok::<(), thalweg_reads::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderOptions {
    pub(super) lanes: Vec<Vec<PathBuf>>,
    /// Readers in the place of the files of each set; none for a set of files.
    pub(super) given: Vec<Vec<Given>>,
    pub(super) interleaved: bool,
    pub(super) pairs_by_flags: bool,
    pub(super) check_names: bool,
    pub(super) names_like_first: bool,
    pub(super) check_letters: bool,
    pub(super) check_headers: bool,
    pub(super) longest_record: Option<u64>,
    pub(super) overlap: Option<usize>,
    pub(super) check_end: bool,
    pub(super) on_missing_end: Option<Listener>,
    pub(super) on_wait: Option<Listener>,
    pub(super) pipes_as_they_come: bool,
    pub(super) kept: Option<KeptStreams>,
    pub(super) index: IndexUse,
    pub(super) index_files: Vec<PathBuf>,
    pub(super) index_directory: Option<PathBuf>,
    pub(super) selection: Selection,
    pub(super) shards: Option<Shards>,
    pub(super) budget: Budget,
    pub(super) intervals: bool,
    pub(super) part_size: Option<u64>,
    pub(super) text: bool,
    pub(super) rendered: bool,
    pub(super) formats: Vec<&'static dyn BinaryFormat>,
    pub(super) together: Option<CommonChecks>,
    pub(super) save: Option<SaveIndex>,
    pub(super) cancel: Option<Arc<AtomicBool>>,
}

/// Which part of all sets of files is wanted.
#[derive(Clone, Debug)]
pub(super) enum Shards {
    /// One of parts of equal size.
    Part { number: u64, of: u64 },
    /// This portion of each set.
    Of(Vec<Portion>),
}

impl Default for ReaderOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ReaderOptions {
    /// Nothing to read yet; all cores.
    pub fn new() -> Self {
        Self {
            lanes: Vec::new(),
            given: Vec::new(),
            interleaved: false,
            pairs_by_flags: false,
            check_names: true,
            names_like_first: false,
            check_letters: false,
            check_headers: false,
            longest_record: None,
            overlap: None,
            check_end: true,
            on_missing_end: None,
            on_wait: None,
            pipes_as_they_come: false,
            kept: None,
            index: IndexUse::Auto,
            index_files: Vec::new(),
            index_directory: None,
            selection: Selection::All,
            shards: None,
            budget: Budget::all_cores(),
            intervals: false,
            part_size: None,
            text: false,
            rendered: false,
            formats: Vec::new(),
            together: None,
            save: None,
            cancel: None,
        }
    }

    /// Add a file; it follows those added before as one stream. `-` is the
    /// standard input.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.lanes.push(vec![path.as_ref().to_owned()]);
        self.given.push(Vec::new());
        self
    }

    /// Add several files that are read in step: record `i` of each belongs
    /// together. All sets added must have as many files.
    pub fn mates<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let set = paths.into_iter().map(|path| path.as_ref().to_owned());
        self.lanes.push(set.collect());
        self.given.push(Vec::new());
        self
    }

    /// Add a reader, as if it were a pipe called `name`: it follows the files added before as one stream, and may be
    /// compressed. It is read from where it stands, once, in large steps, by one thread after the other.
    ///
    /// Copies of these options share it, and the first that is opened has it.
    pub fn reader(self, name: impl AsRef<Path>, reader: impl Read + Send + 'static) -> Self {
        self.mate_readers([(name, reader)])
    }

    /// Add several readers that are read in step, as [`mates`](Self::mates).
    pub fn mate_readers<P: AsRef<Path>, R: Read + Send + 'static>(
        mut self,
        readers: impl IntoIterator<Item = (P, R)>,
    ) -> Self {
        let named = |(name, reader): (P, R)| (name.as_ref().to_owned(), Given::new(reader));
        let (names, given) = readers.into_iter().map(named).unzip();
        self.lanes.push(names);
        self.given.push(given);
        self
    }

    /// Records 2i and 2i + 1 belong together: batches never part them.
    pub fn interleaved(mut self, yes: bool) -> Self {
        self.interleaved = yes;
        self
    }

    /// Read files whose records tell which of a pair they are, as those of BAM do, as [interleaved](Self::interleaved), if the
    /// first records of each have first and second mates; [`Reader::is_interleaved`](crate::Reader::is_interleaved) tells. All records must
    /// then be of pairs, with mates beside each other, the first and the second; [`at_most`](Self::at_most) counts pairs. If the
    /// first records of a file are no pairs, a later one that is of a pair is an error, too.
    ///
    /// It is ignored where files are in step, only some of the records are wanted by rank or portion, or text is.
    pub fn pairs_by_flags(mut self, yes: bool) -> Self {
        self.pairs_by_flags = yes;
        self
    }

    /// Whether mates must carry the same name (they must, by default).
    pub fn check_names(mut self, yes: bool) -> Self {
        self.check_names = yes;
        self
    }

    /// Check no names if those of the first mates differ already: for whoever must take what a program took that never
    /// compared them. Of interleaved mates they are checked all the same.
    pub fn names_like_first(mut self, yes: bool) -> Self {
        self.names_like_first = yes;
        self
    }

    /// Whether workers check of every batch before they give it what finding the records does not (they do not, by
    /// default): that qualities are `!` to `~`, and that sequences have no blank, no control byte and none beyond ASCII,
    /// and in FASTA no line that begins as FASTQ's do. For whoever counts or judges what is in the reads.
    ///
    /// Linear in the bytes of these lines. At a fault of a regular file it is read once more in order up to there, for
    /// the first one, and on to the next checksum of its compressed data: damage is told as what it is. (Not where the
    /// records wanted begin later in a file that has no index: of those, what is met first is told as it is seen.)
    pub fn check_letters(mut self, yes: bool) -> Self {
        self.check_letters = yes;
        self
    }

    /// Have every header looked at whose letters are: records that end with carriage returns alone can hide in one. Finding
    /// records sees all of them in FASTA, and nearly all in FASTQ.
    pub(crate) fn check_headers(mut self) -> Self {
        self.check_headers = true;
        self
    }

    /// Refuse records of more bytes than this, with header, qualities and line ends, and hold no more of one: for services
    /// that read what strangers send. There is no limit by default; a record must fit into memory. Sequences that are
    /// taken in pieces have none.
    pub fn max_record(mut self, bytes: Option<u64>) -> Self {
        self.longest_record = bytes;
        self
    }

    /// Sets whether BAM must end with the empty block of BGZF (it must, by default): [`ErrorKind::NoEnd`](crate::ErrorKind::NoEnd)
    /// if it does not. A writer that was killed leaves BAM whose blocks are all sound, without this one.
    ///
    /// A file is checked when it is opened, a stream at its end.
    pub fn check_end(mut self, yes: bool) -> Self {
        self.check_end = yes;
        self
    }

    /// Have `hear` called with the path of each pipe, and other stream, of BGZF that ended without the empty block that
    /// belongs there, if it is [accepted](Self::check_end) so: it may have been truncated between two blocks. For files,
    /// [`lacks_bgzf_end`](crate::lacks_bgzf_end) shows it before they are read.
    pub fn on_missing_end(mut self, hear: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        self.on_missing_end = Some(Listener::new(hear));
        self
    }

    /// Leave gzip members that no shard has whole to `checks`, which all readers of a file's shards are given.
    pub fn check_together(mut self, checks: &CommonChecks) -> Self {
        self.together = Some(checks.clone());
        self
    }

    /// Have `hear` called with the path of a pipe that is waited for: when nothing has come of it for 5 seconds, and after
    /// longer times again. Only where there are several streams, whose writer may wait for us at another, or until the first
    /// byte of a named pipe: what one stream alone brings may be slow to make.
    pub fn on_wait(mut self, hear: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        self.on_wait = Some(Listener::new(hear));
        self
    }

    /// Where several inputs are pipes or other streams, read them as data come: for whoever needs no order of batches, and
    /// may have one writer for all. Which file a batch is from, [`Batch::set`](crate::Batch::set) tells.
    ///
    /// Nothing of them is read before the first batch is asked for, so what is wrong with their first bytes is told then.
    /// Not of mates, interleaved reads and selections of records.
    pub fn pipes_as_they_come(mut self, yes: bool) -> Self {
        self.pipes_as_they_come = yes;
        self
    }

    /// Keep in `kept` what comes of pipes and other streams among the files of the first set, so that they can be read twice:
    /// another reader of the same files, opened with the same `kept`, begins at their start. It must be done before
    /// [`KeptStreams::release`] is called, after which this reader goes on.
    ///
    /// ```
    /// use thalweg_reads::{KeptStreams, ReaderOptions};
    ///
    /// let kept = KeptStreams::new(1 << 20, std::env::temp_dir());
    /// let text: &[u8] = b"@r1\nACGT\n+\nIIII\n@r2\nTTTT\n+\nIIII\n";
    /// let options = ReaderOptions::new().reader("memory", text).keep_streams(&kept);
    /// let all = options.clone().open()?;
    /// let first = options.at_most(1).open()?;
    /// let mut worker = std::sync::Arc::new(first).worker(0, None);
    /// assert_eq!(worker.next_batch()?.map(|batch| batch.len()), Some(1));
    ///
    /// drop(worker);
    /// kept.release();
    /// let mut worker = std::sync::Arc::new(all).worker(0, None);
    /// assert_eq!(worker.next_batch()?.map(|batch| batch.len()), Some(2));
    /// # Ok::<(), thalweg_reads::Error>(())
    /// ```
    pub fn keep_streams(mut self, kept: &KeptStreams) -> Self {
        self.kept = Some(kept.clone());
        self
    }

    /// What to do about indexes.
    pub fn index(mut self, index: IndexUse) -> Self {
        self.index = index;
        self
    }

    /// Use these indexes, one for each file in the order in which the files were added; mates count one by one.
    /// [`IndexUse::Never`] still means none.
    pub fn index_files<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.index_files = paths
            .into_iter()
            .map(|path| path.as_ref().to_owned())
            .collect();
        self
    }

    /// Look for indexes in `directory`, too, where there is none beside the file (see
    /// [`index_path_in`](crate::index_path_in)), and put those there that are saved.
    pub fn index_directory(mut self, directory: Option<impl Into<PathBuf>>) -> Self {
        self.index_directory = directory.map(Into::into);
        self
    }

    /// Only the records of these ranks, counted from 0; `u64::MAX` as the end
    /// means all that follow. One set of files only.
    pub fn records(mut self, ranks: Range<u64>) -> Self {
        self.selection = Selection::Ranks(ranks);
        self.shards = None;
        self
    }

    /// Only the first `records` records of all sets of files, or all if there are fewer; mates count as one.
    ///
    /// Behind a set without indexes, those of later sets are not used: how many records are wanted of them is known late.
    pub fn at_most(mut self, records: u64) -> Self {
        self.selection = Selection::First(records);
        self.shards = None;
        self
    }

    /// Only part `number` (from 0) of `of` parts of about equal size, which
    /// together hold every record once. A part of a file needs an index, or a plain or BGZF file. Of
    /// several sets of files, one that cannot be parted is in one part as a whole.
    ///
    /// The command counts parts from 1: `thalweg cat --shard 1/8` reads what `shard(0, 8)` does.
    ///
    /// # Panics
    /// If `number` is not below `of`.
    pub fn shard(mut self, number: u64, of: u64) -> Self {
        assert!(number < of, "shard {number} of {of}");
        self.selection = Selection::All;
        self.shards = Some(Shards::Part { number, of });
        self
    }

    /// The same of sets of files that are some of more: only this [portion](crate::portions) of each, in the order in which they
    /// were added. Sets that cannot be parted are read as a whole where the portion has their middle.
    pub fn portions(mut self, portions: impl IntoIterator<Item = Portion>) -> Self {
        self.selection = Selection::All;
        self.shards = Some(Shards::Of(portions.into_iter().collect()));
        self
    }

    /// Give sequences of FASTA that are longer than a batch in pieces of lines, so that no more of them than a few of the
    /// longest lines is in memory. Each but the first begins with the last `overlap` letters of the one before.
    ///
    /// A piece comes alone in its batch, as a record that has the header of the whole; [`Block::piece`] tells that it is
    /// one. Pieces of a record come one after the other, but in order only where batches do. For one file at a time;
    /// mates, interleaved reads and files from which an index falls out have whole records, as have lines without an end.
    ///
    /// [`Block::piece`]: crate::Block::piece
    pub fn long_sequences_in_pieces(mut self, overlap: usize) -> Self {
        self.overlap = Some(overlap);
        self
    }

    /// All uncompressed bytes as they are, and no records: batches without
    /// records, whose blocks in order are the files. What is in the files need
    /// not be sequencing reads.
    pub fn as_text(mut self, yes: bool) -> Self {
        self.text = yes;
        self
    }

    /// The same of files of text; of those of a format that is none, the text of their records: with
    /// [`as_text`](Self::as_text) alone they are bytes as all others. SAM is refused, as where records are read.
    pub fn as_rendered_text(mut self, yes: bool) -> Self {
        self.text = yes;
        self.rendered = yes;
        self
    }

    /// Read files of `format`, too, if they begin as such. Formats that are given are asked in their order, and before
    /// those that are known.
    ///
    /// Records come as text, as those of all formats do; [`Block::raw_records`](crate::Block::raw_records) has their bytes.
    pub fn format(mut self, format: &'static dyn BinaryFormat) -> Self {
        self.formats.push(format);
        self
    }

    /// When a gzip file without an index is read whole, write the index that
    /// falls out beside it, or where [`index_directory`](Self::index_directory) says, as `options` say.
    pub fn save_indexes(self, options: IndexOptions) -> Self {
        self.save_index(SaveIndex {
            options,
            destination: Destination::Beside,
        })
    }

    pub(crate) fn save_index(mut self, save: SaveIndex) -> Self {
        self.save = Some(save);
        self
    }

    /// How many threads and how much memory.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Give each worker one contiguous part of the chunks, decided beforehand,
    /// instead of the next chunk that nobody has. For programs whose workers
    /// write a file each.
    pub fn contiguous_intervals(mut self, yes: bool) -> Self {
        self.intervals = yes;
        self
    }

    /// When `flag` is set, workers give [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) and no further batch: for who
    /// started a job that takes long, and does not want it any more.
    pub fn cancel(mut self, flag: &Arc<AtomicBool>) -> Self {
        self.cancel = Some(Arc::clone(flag));
        self
    }

    /// Bytes on disk of the parts of plain and BGZF files that are found by inspection; some MiB unless
    /// set. Smaller ones keep workers closer to each other, where one must wait for what another reads.
    pub fn part_size(mut self, bytes: u64) -> Self {
        self.part_size = Some(bytes.max(1));
        self
    }
}
