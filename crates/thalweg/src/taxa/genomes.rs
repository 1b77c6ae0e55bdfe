//! Files of genomes, also those in directories.

use std::path::{Path, PathBuf};

use super::KrakenLibrary;
use super::walk::{Reason, Walk};
use crate::{Fault, inputs};

/// Files of genomes.
#[derive(Clone, Debug)]
pub struct Genomes {
    /// FASTA or FASTQ, compressed or not.
    pub files: Vec<PathBuf>,
    /// Libraries of kraken2 that some of them are of.
    pub libraries: Vec<KrakenLibrary>,
}

impl Genomes {
    /// Those that are `named`, all of which can be read; of directories, those in them and below.
    ///
    /// # Errors
    /// One that lists all files that cannot be read; if a directory has no genome.
    pub(super) fn find(named: &[PathBuf]) -> Result<Self, Fault> {
        let mut libraries = Vec::new();
        let sequences = |path: &PathBuf| match KrakenLibrary::find(path) {
            Some(library) => {
                let sequences = library.sequences();
                libraries.push(library);
                sequences
            }
            None => path.clone(),
        };
        let named = Vec::from_iter(named.iter().map(sequences));
        let files = files(&named)?;
        inputs::check_standard_input(&files)?;
        Ok(Self { files, libraries })
    }
}

/// Returns `named`, with the files in and below directories in the place of these, in the order of their names.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::with_capacity(named.len());
    let (mut unreadable, mut empty) = (Vec::new(), None);
    for path in named {
        let mut walk = Walk::default();
        walk.take_named(path);
        if walk.files.is_empty() && walk.unreadable.is_empty() {
            empty.get_or_insert(path);
        }
        files.append(&mut walk.files);
        unreadable.append(&mut walk.unreadable);
    }
    match (unreadable.len(), unreadable.pop()) {
        (_, None) => empty.map_or(Ok(files), |path| Err(no_genome(path))),
        (1, Some(only)) => Err(match only.reason {
            Reason::System(error) => Fault::io(&only.path, error),
            _ => Fault::usage(only.to_string(), HINT),
        }),
        (number, Some(last)) => {
            let lines = unreadable.iter().chain([&last]);
            let lines = Vec::from_iter(lines.map(|one| format!("\n  {one}"))).concat();
            let message = format!("{number} genome files cannot be read:{lines}");
            Err(Fault::usage(message, HINT))
        }
    }
}

/// The hint for files that cannot be read.
const HINT: &str = "check names, permissions and links: nothing was built, as genomes would be missing from the database";

fn no_genome(directory: &Path) -> Fault {
    Fault::usage(
        format!(
            "{}: no FASTA files found in it or below (by extension)",
            directory.display()
        ),
        "names must end in .fa, .fna, .fasta, .fas or .ffn, optionally followed by .gz etc.",
    )
}
