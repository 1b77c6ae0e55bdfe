//! Files of genomes, also those in directories.

use std::path::{Path, PathBuf};

use crate::process::exit::Failure;

/// How names of FASTA files end, before what compression adds.
const FASTA: [&str; 5] = ["fa", "fna", "fasta", "fas", "ffn"];

const COMPRESSED: [&str; 7] = ["gz", "bgz", "bgzf", "bz2", "xz", "zst", "zstd"];

/// `named`, with the files in and below directories in the place of these, in the order of their names.
///
/// # Errors
/// If a directory cannot be listed, or has no such file.
pub(super) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::with_capacity(named.len());
    for path in named {
        let before = files.len();
        match path.is_dir() {
            true => list(path, &mut files)?,
            false => files.push(path.clone()),
        }
        if files.len() == before {
            return Err(Failure::usage(
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

fn list(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = std::fs::read_dir(directory).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<Result<Vec<_>, _>>()
    });
    let mut paths = entries.map_err(|error| Failure::io(directory, error))?;
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
