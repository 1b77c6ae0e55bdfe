use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thalweg_flow::{Budget, Pool};
use thalweg_formats::{BinaryFormat, MateNames};

use super::Reader;
use crate::batch::{BufferPool, SLAB};
use crate::file::Handle;
use crate::indexing::{Destination, IndexOptions, SaveIndex};
use crate::open::{Expected, IndexSearch, IndexUse, LEAST_HEADS, OpenedFile, first_heads};
use crate::pipes::Pipes;
use crate::plan::can_be_parted;
use crate::portions::{Portion, portions};
use crate::request::{Request, Selection};
use crate::section::Section;
use crate::waiting::OPENS_WITHOUT_WRITER;
use crate::{CommonChecks, Error, ErrorKind};

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
    lanes: Vec<Vec<PathBuf>>,
    interleaved: bool,
    check_names: bool,
    names_like_first: bool,
    check_letters: bool,
    check_headers: bool,
    overlap: Option<usize>,
    on_missing_end: Option<fn(&Path)>,
    on_wait: Option<fn(&Path)>,
    pipes_as_they_come: bool,
    index: IndexUse,
    index_files: Vec<PathBuf>,
    index_directory: Option<PathBuf>,
    selection: Selection,
    shards: Option<Shards>,
    budget: Budget,
    intervals: bool,
    part_size: Option<u64>,
    text: bool,
    formats: Vec<&'static dyn BinaryFormat>,
    together: Option<CommonChecks>,
    save: Option<SaveIndex>,
}

/// Which part of all sets of files is wanted.
#[derive(Clone, Debug)]
enum Shards {
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
            interleaved: false,
            check_names: true,
            names_like_first: false,
            check_letters: false,
            check_headers: false,
            overlap: None,
            on_missing_end: None,
            on_wait: None,
            pipes_as_they_come: false,
            index: IndexUse::Auto,
            index_files: Vec::new(),
            index_directory: None,
            selection: Selection::All,
            shards: None,
            budget: Budget::all_cores(),
            intervals: false,
            part_size: None,
            text: false,
            formats: Vec::new(),
            together: None,
            save: None,
        }
    }

    /// Add a file; it follows those added before as one stream. `-` is the
    /// standard input.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.lanes.push(vec![path.as_ref().to_owned()]);
        self
    }

    /// Add several files that are read in step: record `i` of each belongs
    /// together. All sets added must have as many files.
    pub fn mates<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let set = paths.into_iter().map(|path| path.as_ref().to_owned());
        self.lanes.push(set.collect());
        self
    }

    /// Records 2i and 2i + 1 belong together: batches never part them.
    pub fn interleaved(mut self, yes: bool) -> Self {
        self.interleaved = yes;
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

    /// Have `tell` called with the path of each pipe, and other stream, of BGZF that ended without the empty block that
    /// belongs there: it may have been cut off between two blocks. Of files, [`lacks_bgzf_end`](crate::lacks_bgzf_end)
    /// tells it before they are read.
    pub fn on_missing_end(mut self, tell: fn(&Path)) -> Self {
        self.on_missing_end = Some(tell);
        self
    }

    /// Leave gzip members that no shard has whole to `checks`, which all readers of a file's shards are given.
    pub fn check_together(mut self, checks: &CommonChecks) -> Self {
        self.together = Some(checks.clone());
        self
    }

    /// Have `tell` called with the path of a pipe that is waited for: when nothing has come of it for 5 seconds, and after
    /// longer times again. Only where there are several streams, whose writer may wait for us at another, or until the first
    /// byte of a named pipe: what one stream alone brings may be slow to make.
    pub fn on_wait(mut self, tell: fn(&Path)) -> Self {
        self.on_wait = Some(tell);
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

    /// Bytes on disk of the parts of plain and BGZF files that are found by inspection; some MiB unless
    /// set. Smaller ones keep workers closer to each other, where one must wait for what another reads.
    pub fn part_size(mut self, bytes: u64) -> Self {
        self.part_size = Some(bytes.max(1));
        self
    }

    /// Open the files and plan the work.
    ///
    /// # Errors
    /// If a file cannot be opened, is not sequence data, or has an index that
    /// cannot be used; if mates have different numbers of records, as far as
    /// indexes tell; if the selection is out of range or not possible.
    pub fn open(mut self) -> Result<Reader, Error> {
        self.check()?;
        let pool = self.pool();
        let index_uses = self.index_uses();
        let mut index_uses = index_uses.iter();
        let directory = self.index_directory.as_deref();
        let portions = self.portions_of_sets()?;
        let is_wanted = |set: usize| portions.get(set).is_none_or(|portion| !portion.is_empty());
        // All before one is read: their writer may wait until we have them.
        let handles = self.lanes.iter().enumerate();
        let handles = handles.map(|(number, set)| match is_wanted(number) {
            true => Handle::open_set(set),
            false => Ok(Vec::new()),
        });
        let handles = handles.collect::<Result<Vec<_>, _>>()?;
        let streams = handles
            .iter()
            .flatten()
            .filter(|handle| handle.is_stream())
            .count();
        let is_one_by_one = !self.interleaved
            && !self.text
            && self.wants_all()
            && handles.iter().all(|set| set.len() == 1);
        let as_they_come =
            self.pipes_as_they_come && OPENS_WITHOUT_WRITER && streams > 1 && is_one_by_one;
        let expected = Expected {
            text: self.text,
            formats: &self.formats,
        };
        let mut sets = Vec::with_capacity(handles.len());
        let mut pipes = Vec::new();
        for (number, set) in handles.into_iter().enumerate() {
            let mut opened = Vec::with_capacity(set.len());
            for handle in set {
                let tells = streams > 1 || handle.is_named_pipe();
                let handle = handle
                    .on_missing_end(self.on_missing_end)
                    .on_wait(self.on_wait.filter(|_| tells), streams > 1);
                let index_use = index_uses.next().unwrap_or(&self.index);
                let search = IndexSearch {
                    index_use,
                    directory,
                };
                match as_they_come && handle.is_stream() {
                    true => pipes.push((number, handle)),
                    false => opened.push(OpenedFile::new(handle, search, expected, &pool)?),
                }
            }
            sets.push(opened);
        }
        if let (Some(directory), Some(save)) = (&self.index_directory, &mut self.save)
            && save.destination == Destination::Beside
        {
            save.destination = Destination::Directory(directory.clone());
        }
        self.plan(sets, pipes, &portions)
    }

    fn wants_all(&self) -> bool {
        self.selection == Selection::All && self.shards.is_none()
    }

    /// What is wanted of each set, if it is a portion.
    fn portions_of_sets(&self) -> Result<Vec<Portion>, Error> {
        match &self.shards {
            None => Ok(Vec::new()),
            Some(Shards::Part { number, of }) => portions(&self.lanes, *number, *of),
            Some(Shards::Of(portions)) => Ok(portions.clone()),
        }
    }

    pub(crate) fn has_files(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Check that all records of all files are wanted, and nothing else.
    pub(crate) fn check_shared(&self) -> Result<(), Error> {
        if !self.wants_all() || self.text || self.save.is_some() || self.together.is_some() {
            let what = "claims of some records, of text, or with indexes to be saved: they are of all records";
            return Err(Error::new(ErrorKind::Unsupported(what)));
        }
        Ok(())
    }

    /// The same for each set of files alone.
    pub(crate) fn one_by_one(&self) -> impl Iterator<Item = Self> {
        let mut index_files = self.index_files.iter().cloned();
        self.lanes.iter().map(move |set| Self {
            index_files: index_files.by_ref().take(set.len()).collect(),
            lanes: vec![set.clone()],
            ..self.clone()
        })
    }

    /// What to do about the index of each file, where indexes were named.
    fn index_uses(&self) -> Vec<IndexUse> {
        match self.index {
            IndexUse::Never => Vec::new(),
            _ => self.index_files.iter().cloned().map(IndexUse::At).collect(),
        }
    }

    fn pool(&self) -> Arc<BufferPool> {
        // What is in flight comes back to the pool; it never has more than that.
        let keep = (self.budget.memory() / SLAB as u64).max(8) as usize;
        Arc::new(Pool::new(keep))
    }

    fn check(&self) -> Result<(), Error> {
        let unsupported = |what| Err(Error::new(ErrorKind::Unsupported(what)));
        let all = self.wants_all();
        let mates = self.lanes.first().map_or(1, Vec::len);
        if mates == 0 || self.lanes.iter().any(|set| set.len() != mates) {
            return unsupported("every set of mates must have as many files");
        }
        if matches!(self.selection, Selection::Ranks(_)) && self.lanes.len() > 1 {
            return unsupported(
                "records of several files at once: name one file or one set of mates",
            );
        }
        if let Some(Shards::Of(portions)) = &self.shards
            && portions.len() != self.lanes.len()
        {
            return unsupported("there must be as many portions as sets of files");
        }
        if let Selection::Ranks(Range { start, end }) = self.selection
            && start > end
        {
            return unsupported("a range of records that ends before it begins");
        }
        if self.interleaved
            && let Selection::Ranks(Range { start, end }) = self.selection
            && (start % 2 != 0 || (end % 2 != 0 && end != u64::MAX))
        {
            return unsupported("a range of an interleaved file must not part a pair");
        }
        if let (true, Selection::First(records)) = (self.interleaved, &self.selection)
            && records % 2 != 0
        {
            return unsupported("an odd number of records of an interleaved file parts a pair");
        }
        if self.together.is_some() && self.lanes.len() > 1 {
            return unsupported("checks of shards together are of one file, or one set of mates");
        }
        let files: usize = self.lanes.iter().map(Vec::len).sum();
        if !self.index_files.is_empty() && self.index_files.len() != files {
            return unsupported("there must be as many indexes as files");
        }
        if self.text && (mates > 1 || !all) {
            return unsupported("text is read whole, one file after the other");
        }
        if self.interleaved && mates > 1 {
            return unsupported("interleaved input is one file, not several in step");
        }
        Ok(())
    }

    /// Plan how to read files that are open already.
    pub(crate) fn open_files(self, sets: Vec<Vec<OpenedFile>>) -> Result<Reader, Error> {
        self.plan(sets, Vec::new(), &[])
    }

    /// The same, and pipes of which nothing has been read, with their numbers; their sets are empty.
    fn plan(
        mut self,
        mut sets: Vec<Vec<OpenedFile>>,
        mut pipes: Vec<(usize, Handle)>,
        portions: &[Portion],
    ) -> Result<Reader, Error> {
        let pool = self.pool();
        let names = match self.check_names && !self.text {
            true => names(&mut sets, self.interleaved)?,
            false => vec![MateNames::default(); sets.len()],
        };
        if self.names_like_first {
            let mut sets = sets.iter().zip(&names);
            self.check_names &= sets.all(|(set, names)| first_names_agree(set, names));
        }
        let all = self.wants_all();
        let request = Request {
            selection: self.selection,
            group: if self.interleaved { 2 } else { 1 },
            names_agree: self.check_names,
            names: MateNames::default(),
            check_letters: self.check_letters,
            // Pairs stay together, and an index needs to know where records begin.
            overlap: self
                .overlap
                .filter(|_| !self.interleaved && self.save.is_none()),
            text: self.text,
            formats: self.formats,
            part_size: self.part_size,
            together: self.together,
            // Of a part of a file no index falls out.
            save: self.save.filter(|_| all),
        };
        let mut sections: Vec<Section> = Vec::with_capacity(sets.len());
        let mut left = match request.selection {
            Selection::First(records) => Some(records),
            _ => None,
        };
        for (number, (mut set, names)) in sets.into_iter().zip(names).enumerate() {
            if set.is_empty() {
                // Where the first of them stands.
                if !pipes.is_empty() {
                    let pipes = Pipes::new(std::mem::take(&mut pipes), &request, self.on_wait);
                    sections.push(Section::of_pipes(number, pipes, &request));
                }
                continue;
            }
            let mut request = request.clone();
            request.names = names;
            if let Some(&portion) = portions.get(number) {
                request.selection = match () {
                    () if portion.is_of_only_set() => Selection::Portion(portion),
                    () if portion.is_whole() => Selection::All,
                    () if can_be_parted(&set, request.group)? => Selection::Portion(portion),
                    () if portion.has_middle() => Selection::All,
                    () => continue,
                };
            }
            if let Some(left) = &mut left {
                match sections.last().map(Section::given_by_index) {
                    Some(Some(given)) => *left -= given,
                    // How many are left is known when those before have been read; until then nothing can be asked of an index.
                    Some(None) => set.iter_mut().for_each(|file| file.index = None),
                    None => {}
                }
                request.selection = Selection::First(*left);
            }
            sections.push(Section::new(number, set, &request, &pool)?);
        }
        if let Some(first) = sections.first() {
            first.begin();
        }
        Ok(Reader {
            sections,
            abreast: OnceLock::new(),
            group: request.group,
            check_names: self.check_names,
            check_letters: self.check_letters,
            check_headers: self.check_headers,
            interleaved: self.interleaved,
            budget: self.budget,
            intervals: self.intervals,
            pool,
            given: Arc::default(),
        })
    }
}

/// What tells mates by their names, for each set of files: found out from their first records.
fn names(sets: &mut [Vec<OpenedFile>], interleaved: bool) -> Result<Vec<MateNames>, Error> {
    let mut heads = Vec::with_capacity(sets.len());
    for set in sets {
        heads.push(match set.as_mut_slice() {
            [] => Vec::new(),
            [_] if !interleaved => Vec::new(),
            [only] => {
                let heads = first_heads(std::slice::from_mut(only), 2 * LEAST_HEADS)?;
                let mates = |from| heads[0].iter().skip(from).step_by(2).cloned().collect();
                vec![mates(0), mates(1)]
            }
            set => first_heads(set, LEAST_HEADS)?,
        });
    }
    let mut names: Vec<_> = heads
        .iter()
        .map(|heads| MateNames::of_files(heads))
        .collect();
    // A lane of one read may not tell what others do.
    let known = names.clone();
    for (names, heads) in names.iter_mut().zip(&heads) {
        let known = known.iter().filter(|known| known.is_known());
        known.for_each(|known| names.learn_from(known, heads));
    }
    Ok(names)
}

/// Whether the first records of files in step are mates, by their names.
fn first_names_agree(set: &[OpenedFile], names: &MateNames) -> bool {
    let mut heads = set.iter().map(|file| &file.first_head);
    let first = heads.next();
    let mut others = heads.enumerate();
    others.all(|(other, head)| first.is_some_and(|first| names.agree(other, first, head)))
}
