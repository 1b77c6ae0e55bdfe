//! Files of genomes, also those in directories.

use std::path::{Path, PathBuf};

use super::KrakenLibrary;
use super::taxon_sources::check_there;
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
    /// Those that are `named`, each of which must be there.
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
        check_there(&files)?;
        inputs::check_standard_input(&files)?;
        Ok(Self { files, libraries })
    }
}

/// How names of FASTA files end, before what compression adds.
const FASTA: [&str; 5] = ["fa", "fna", "fasta", "fas", "ffn"];

const COMPRESSED: [&str; 7] = ["gz", "bgz", "bgzf", "bz2", "xz", "zst", "zstd"];

/// `named`, with the files in and below directories in the place of these, in the order of their names.
///
/// # Errors
/// If a directory cannot be listed, or has no such file.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::with_capacity(named.len());
    for path in named {
        let before = files.len();
        match path.is_dir() {
            true => list(path, &mut files)?,
            false => files.push(path.clone()),
        }
        if files.len() == before {
            return Err(Fault::usage(
                format!(
                    "{}: no file in it or below is FASTA by its name",
                    path.display()
                ),
                "names end in .fa, .fna, .fasta, .fas or .ffn, and .gz or the like behind that",
            ));
        }
    }
    Ok(files)
}

fn list(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Fault> {
    let entries = std::fs::read_dir(directory).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<Result<Vec<_>, _>>()
    });
    let mut paths = entries.map_err(|error| Fault::io(directory, error))?;
    paths.sort();
    for path in paths {
        // What a link leads to may be above.
        if path.is_dir() && !path.is_symlink() {
            list(&path, files)?;
        } else if path.is_file() && is_fasta(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_fasta(path: &Path) -> bool {
    let ending = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let is_one_of = |names: &[&str], ending: Option<String>| {
        ending.is_some_and(|ending| names.contains(&ending.as_str()))
    };
    match is_one_of(&COMPRESSED, ending(path)) {
        true => is_one_of(&FASTA, ending(&path.with_extension(""))),
        false => is_one_of(&FASTA, ending(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fasta_is_told_by_names() {
        for name in ["a.fa", "a.b.FNA.gz", "x.fasta.zst", "x.fas.bz2"] {
            assert!(is_fasta(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "fa", "a.fq.gz", "a.fa.txt", "nodes.dmp"] {
            assert!(!is_fasta(Path::new(name)), "{name}");
        }
    }
}
