//! One input for several jobs or processes: which parts of which files each reads.
//!
//! - [`Shard`], [`Sharing`]: one of several parts of about equal size, which jobs make without knowing of each other.
//! - [`portions`]: the same of each file; [`CommonChecks`]: gzip members that no part has whole.
//! - [`ClaimTable`], [`SharedReader`]: parts that are given out while several processes read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use thalweg_reads::ReaderOptions;

use crate::Fault;

pub use thalweg_reads::{
    ClaimReport, ClaimSource, ClaimTable, ClaimedFile, CommonChecks, Portion, Seam, SharedReader,
    SharedWorker, portions,
};

/// One of several parts, counted from 1 as the command does; [`ReaderOptions::shard`] counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1 to `of`.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

impl Shard {
    /// Whether there is such a part.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(self) -> Result<(), Fault> {
        let Self { number, of } = self;
        match (1..=of).contains(&number) {
            true => Ok(()),
            false => Err(Fault::usage(
                format!("part {number} of {of}"),
                "parts are counted from 1, up to as many as there are",
            )),
        }
    }
}

/// The files that are read of, and how much of each.
#[derive(Clone, Debug)]
pub struct Sharing {
    files: Vec<PathBuf>,
    /// The place of each among all that were named.
    places: Vec<usize>,
    /// Of each set of files; none if all of all is wanted.
    portions: Vec<Portion>,
    /// All files that have bytes which other shards have, by their places.
    elsewhere: Vec<usize>,
}

impl Sharing {
    /// What `shard` has of `files`, which are read in step if they `are_mates`; or all.
    ///
    /// # Errors
    /// If there is [no such shard](Shard::check); if a file is not there, or cannot be shared out.
    pub fn of(files: &[PathBuf], are_mates: bool, shard: Option<Shard>) -> Result<Self, Fault> {
        let all = Self {
            files: files.to_vec(),
            places: (0..files.len()).collect(),
            portions: Vec::new(),
            elsewhere: Vec::new(),
        };
        let Some(shard) = shard else {
            return Ok(all);
        };
        shard.check()?;
        let sets: Vec<Vec<_>> = match are_mates {
            true => vec![files.to_vec()],
            false => files.iter().map(|file| vec![file.clone()]).collect(),
        };
        let portions = portions(&sets, shard.number - 1, shard.of)?;
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

    /// What a database of shard `shard` of `all` files, which are cut by the indexes of `choice`, says of itself. Only the
    /// first and the last file of it may go on elsewhere.
    ///
    /// # Errors
    /// What the system says of a file that must be read for its index.
    #[cfg(feature = "kmers")]
    pub fn share(
        &self,
        all: &[PathBuf],
        shard: Shard,
        choice: &crate::index::IndexChoice,
    ) -> Result<thalweg_kmers::database::InputShare, thalweg_reads::Error> {
        let sizes = all
            .iter()
            .map(|file| std::fs::metadata(file).map(|data| data.len()));
        let input = format!("{:?}", sizes.map(Result::ok).collect::<Vec<_>>());
        let mut share = thalweg_kmers::database::InputShare::new(shard.number, shard.of, &input);
        let ends = [self.places.first(), self.places.last()];
        for place in ends.into_iter().flatten() {
            let found = choice.of_file(&all[*place], *place)?;
            let size = found.and_then(|index| std::fs::metadata(index).ok());
            let by = format!("index {:?}", size.map(|data| data.len()));
            share.cut(*place as u64, &by);
        }
        Ok(share)
    }

    /// The files, in their order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The place of each file among all.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Whether something comes in another shard behind all of `file`, the last one of which there was anything in this.
    pub fn is_followed(&self, file: &Path) -> bool {
        let last = self.files.iter().rposition(|other| other == file);
        let place = last.map(|last| self.places[last]);
        self.elsewhere.iter().any(|other| Some(*other) > place)
    }

    /// Have `options`, of the files in `range`, read no more than the shard has of them.
    pub fn choose(&self, options: ReaderOptions, range: Range<usize>) -> ReaderOptions {
        match self.portions.len() {
            0 => options,
            // Of mates, there is one portion of all of them.
            1 => options.portions(self.portions.clone()),
            _ => options.portions(self.portions[range].iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_there_are_not_are_refused() {
        let files = [PathBuf::from("a.fq"), PathBuf::from("b.fq")];
        for (number, of) in [(0, 3), (4, 3), (1, 0), (0, 0), (u64::MAX, 1)] {
            let shard = Some(Shard { number, of });
            for (files, are_mates) in [(&files[..1], false), (&files, false), (&files, true)] {
                let fault = Sharing::of(files, are_mates, shard).unwrap_err();
                assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
            }
        }
        // Of one set, nothing is looked at before it is opened.
        let whole = Some(Shard { number: 3, of: 3 });
        assert_eq!(Sharing::of(&files, true, whole).unwrap().files(), files);
    }
}
