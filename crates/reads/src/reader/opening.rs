//! From options to a reader: files are opened, and how they are shared out is planned.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use thalweg_flow::Pool;
use thalweg_formats::{FileFormat, MateNames};

use super::Reader;
use super::options::{ReaderOptions, Shards};
use crate::batch::{BufferPool, SLAB};
use crate::file::Handle;
use crate::first_mates::FirstMates;
use crate::indexing::Destination;
use crate::open::{Expected, IndexSearch, IndexUse, LEAST_HEADS, OpenedFile, first_heads};
use crate::pipes::Pipes;
use crate::plan::can_be_parted;
use crate::portions::{Portion, portions};
use crate::request::{Request, Selection};
use crate::section::Section;
use crate::waiting::OPENS_WITHOUT_WRITER;
use crate::{Error, ErrorKind};

impl ReaderOptions {
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
            true => {
                // Of the first set, as a second reader looks at that alone.
                let kept = self.kept.as_ref().filter(|_| number == 0);
                Handle::open_set(set, &self.given[number], kept)
            }
            false => Ok(Vec::new()),
        });
        let handles = handles.collect::<Result<Vec<_>, _>>()?;
        let streams = handles
            .iter()
            .flatten()
            .filter(|handle| handle.is_stream())
            .count();
        let can_be_waited_for = handles.iter().flatten().all(Handle::can_be_waited_for);
        let is_one_by_one = can_be_waited_for
            && !self.interleaved
            && !self.text
            && self.wants_all()
            && handles.iter().all(|set| set.len() == 1);
        let as_they_come =
            self.pipes_as_they_come && OPENS_WITHOUT_WRITER && streams > 1 && is_one_by_one;
        let expected = Expected {
            text: self.text,
            rendered: self.rendered,
            formats: &self.formats,
        };
        let mut sets = Vec::with_capacity(handles.len());
        let mut pipes = Vec::new();
        for (number, set) in handles.into_iter().enumerate() {
            let mut opened = Vec::with_capacity(set.len());
            for handle in set {
                let tells = streams > 1 || handle.is_named_pipe();
                let handle = handle
                    .longest_record(self.longest_record)
                    .check_end(self.check_end)
                    .on_missing_end(self.on_missing_end.clone())
                    .on_wait(self.on_wait.clone().filter(|_| tells), streams > 1);
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
        if self.given.iter().any(|set| !set.is_empty()) {
            let what = "claims of what one reader gives: several processes cannot share it";
            return Err(Error::new(ErrorKind::Unsupported(what)));
        }
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
            given: vec![Vec::new()],
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
        if self.shards.is_some() && self.given.iter().any(|set| !set.is_empty()) {
            return unsupported("shards need files: a reader can only be read in order");
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
        let by_flags = pipes.is_empty() && self.are_pairs_by_flags(&mut sets)?;
        if by_flags {
            self.interleaved = true;
            if let Selection::First(pairs) = &mut self.selection {
                *pairs = pairs.saturating_mul(2);
            }
        }
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
            longest_record: self.longest_record,
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
                    let pipes =
                        Pipes::new(std::mem::take(&mut pipes), &request, self.on_wait.clone())?;
                    sections.push(Section::of_pipes(number, pipes, &request));
                }
                continue;
            }
            let mut request = request.clone();
            request.names = names;
            let is_binary = |file: &OpenedFile| matches!(file.format, FileFormat::Binary(_));
            request.text &= !(self.rendered && set.iter().all(is_binary));
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
            let section = Section::new(number, set, &request, &pool)?;
            if self.index == IndexUse::Require {
                refuse_unchecked(&section)?;
            }
            sections.push(section);
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
            by_flags,
            budget: self.budget,
            intervals: self.intervals,
            pool,
            given: Arc::default(),
            cancel: self.cancel,
        })
    }
}

impl ReaderOptions {
    /// Returns whether the records of all files are to be taken as pairs because they say so themselves. If not, the records of
    /// each file must be as its first ones say.
    fn are_pairs_by_flags(&self, sets: &mut [Vec<OpenedFile>]) -> Result<bool, Error> {
        let is_wanted = self.pairs_by_flags && !self.interleaved && !self.text;
        let is_whole = self.shards.is_none() && !matches!(self.selection, Selection::Ranks(_));
        if !is_wanted || !is_whole || sets.is_empty() {
            return Ok(false);
        }
        let mut are_pairs = true;
        for set in sets.iter_mut() {
            match set.as_mut_slice() {
                [only] => {
                    only.first_mates = only.look_at_mates()?;
                    are_pairs &= only.first_mates.is_some_and(FirstMates::are_pairs);
                }
                [first, second] => {
                    refuse_two_of_pairs(first, second)?;
                    return Ok(false);
                }
                _ => return Ok(false),
            }
        }
        Ok(are_pairs)
    }
}

/// Refuses to pair the reads of one file with those of another where each holds whole pairs: whatever came of it would be wrong.
fn refuse_two_of_pairs(first: &mut OpenedFile, second: &mut OpenedFile) -> Result<(), Error> {
    if first.tells_pairs()? && second.tells_pairs()? {
        let what = "this file and the one given as its mates hold whole pairs each, by the flags of their records: name them as \
                    lanes (-i FILE -i FILE), which are read one after the other";
        return Err(Error::new(ErrorKind::Unsupported(what)).in_file(first.file.path()));
    }
    Ok(())
}

/// Refuse to read a part of a file through an index that has no checksum for it.
fn refuse_unchecked(section: &Section) -> Result<(), Error> {
    let mut files = section.files.iter().enumerate();
    match files.find(|(number, _)| section.is_unchecked(*number)) {
        Some((_, file)) => Err(Error::new(ErrorKind::UncheckedIndex).in_file(file.file.path())),
        None => Ok(()),
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
