//! `--shard`: of all inputs, those that a shard has something of.

use std::ops::Range;
use std::path::PathBuf;

use thalweg::ReaderOptions;

use crate::options::quantity::Shard;
use crate::options::{IndexChoice, Pairing};
use crate::process::exit::Failure;

/// The files that are read, and how much of each.
pub(crate) struct Sharing(thalweg::sharing::Sharing);

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
        let sharing = thalweg::sharing::Sharing::of(files, pairing.mates, shard)?;
        Ok(Self(sharing))
    }

    /// The files, in their order.
    pub(crate) fn files(&self) -> &[PathBuf] {
        self.0.files()
    }

    /// Have `options`, of the files in `range`, read no more than the shard has of them.
    pub(crate) fn choose(&self, options: ReaderOptions, range: Range<usize>) -> ReaderOptions {
        self.0.choose(options, range)
    }

    /// What was said of the indexes of the files in `range`.
    pub(crate) fn indexes(&self, range: Range<usize>, index: &IndexChoice) -> IndexChoice {
        index.of_places(&self.0.places()[range])
    }
}
