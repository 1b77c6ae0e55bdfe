//! `--shard`: of all inputs, those that a shard has something of.

use std::ops::Range;
use std::path::{Path, PathBuf};

use thalweg::kmers::database::Share;
use thalweg::{Portion, ReaderOptions};

use crate::options::quantity::Shard;
use crate::options::{IndexChoice, IndexMode, Pairing};
use crate::process::exit::Failure;

/// The files that are read, and how much of each.
pub(crate) struct Sharing {
    files: Vec<PathBuf>,
    /// The place of each among all that were named.
    places: Vec<usize>,
    /// Of each set of files; none if all of all is wanted.
    portions: Vec<Portion>,
    /// All files that have bytes which other shards have, by their places.
    elsewhere: Vec<usize>,
}

impl Sharing {
    /// What `shard` has of `files`, or all.
    ///
    /// # Errors
    /// If a file is not there, or cannot be shared out.
    pub(crate) fn of(
        files: &[PathBuf],
        pairing: &Pairing,
        shard: Option<Shard>,
    ) -> Result<Self, Failure> {
        let all = Self {
            files: files.to_vec(),
            places: (0..files.len()).collect(),
            portions: Vec::new(),
            elsewhere: Vec::new(),
        };
        let Some(shard) = shard else {
            return Ok(all);
        };
        let sets: Vec<Vec<_>> = match pairing.mates {
            true => vec![files.to_vec()],
            false => files.iter().map(|file| vec![file.clone()]).collect(),
        };
        let portions = thalweg::portions(&sets, shard.number - 1, shard.of)?;
        if sets.len() == 1 {
            return Ok(Self { portions, ..all });
        }
        let mut some = Self {
            files: Vec::new(),
            places: Vec::new(),
            portions: Vec::new(),
            elsewhere: Vec::new(),
        };
        for (place, portion) in portions.into_iter().enumerate() {
            if !portion.is_empty() {
                some.files.push(files[place].clone());
                some.places.push(place);
                some.portions.push(portion);
            }
            let has_bytes = std::fs::metadata(&files[place]).is_ok_and(|data| data.len() > 0);
            if has_bytes && (portion.is_empty() || !portion.is_to_end()) {
                some.elsewhere.push(place);
            }
        }
        Ok(some)
    }

    /// What a database of shard `shard` of `all` files says of itself. Only the first and the last file of it may go on elsewhere.
    pub(crate) fn share(
        &self,
        all: &[PathBuf],
        shard: Shard,
        index: &IndexChoice,
    ) -> Result<Share, Failure> {
        let sizes = all
            .iter()
            .map(|file| std::fs::metadata(file).map(|data| data.len()));
        let input = format!("{:?}", sizes.map(Result::ok).collect::<Vec<_>>());
        let mut share = Share::new(shard.number, shard.of, &input);
        for place in [self.places.first(), self.places.last()]
            .into_iter()
            .flatten()
        {
            let found = index_of(&all[*place], *place, index)?;
            let size = found.and_then(|index| std::fs::metadata(index).ok());
            let by = format!("index {:?}", size.map(|data| data.len()));
            share.cut(*place as u64, &by);
        }
        Ok(share)
    }

    /// The files, in their order.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether something comes in another shard behind all of `file`, the last one of which there was anything in this.
    pub(crate) fn is_followed(&self, file: &Path) -> bool {
        let last = self.files.iter().rposition(|other| other == file);
        let place = last.map(|last| self.places[last]);
        self.elsewhere.iter().any(|other| Some(*other) > place)
    }

    /// Have `options`, of the files in `range`, read no more than the shard has of them.
    pub(crate) fn choose(&self, options: ReaderOptions, range: Range<usize>) -> ReaderOptions {
        match self.portions.len() {
            0 => options,
            // Of mates, there is one portion of all of them.
            1 => options.portions(self.portions.clone()),
            _ => options.portions(self.portions[range].iter().copied()),
        }
    }

    /// What was said of the indexes of the files in `range`.
    pub(crate) fn indexes(&self, range: Range<usize>, index: &IndexChoice) -> IndexChoice {
        index.of_places(&self.places[range])
    }
}

/// The index by which a file is cut, if there is one.
fn index_of(file: &Path, place: usize, index: &IndexChoice) -> Result<Option<PathBuf>, Failure> {
    match (index.index, index.index_files.get(place)) {
        (IndexMode::Never, _) => Ok(None),
        (_, Some(named)) => Ok(Some(named.clone())),
        _ => Ok(thalweg::find_index(
            file,
            index.directory.path().as_deref(),
        )?),
    }
}
