//! `--files-from`: a file that lists the names of inputs.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::options::Command;
use crate::options::kmers::KmersCommand;
use crate::options::taxa::TaxaCommand;
use crate::process::exit::Failure;

/// Lists of more inputs.
#[derive(Debug, Args)]
pub(crate) struct FilesFrom {
    /// Read the files that LIST names, too, one in each line, behind those named here. Names that end with a NUL
    /// byte, as of find -print0, may have line ends in them. - is the standard input
    #[arg(id = "files_from", long = "files-from", value_name = "LIST")]
    lists: Vec<PathBuf>,
}

impl FilesFrom {
    /// Add what the lists name to `files`.
    ///
    /// # Errors
    /// If a list cannot be read or names nothing, and if the standard input is to be a list and an input.
    pub(crate) fn add_to(&self, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
        for list in &self.lists {
            let is_standard_input = |path: &PathBuf| path.as_os_str() == "-";
            let names = names(&read(list)?);
            if names.is_empty() {
                return Err(Failure::usage(
                    format!("{}: names no file", list.display()),
                    "a list has the name of a file in each line",
                ));
            }
            files.extend(names);
            if is_standard_input(list) && files.iter().any(is_standard_input) {
                return Err(Failure::usage(
                    "the standard input is the list of files, and one of them",
                    "put the list into a file",
                ));
            }
        }
        Ok(())
    }
}

impl Command {
    /// Put the names that lists have behind those of the command line.
    ///
    /// # Errors
    /// As [`FilesFrom::add_to`].
    pub(crate) fn read_lists(&mut self) -> Result<(), Failure> {
        let (lists, files) = match self {
            Self::Index(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Info(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Verify(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Cat(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Stats(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Count(arguments) => (&arguments.files_from, &mut arguments.files),
            Self::Kmers(arguments) => match &mut arguments.command {
                KmersCommand::FilterReads(arguments) => {
                    (&arguments.files_from, &mut arguments.files)
                }
                _ => return Ok(()),
            },
            Self::Taxa(arguments) => match &mut arguments.command {
                TaxaCommand::Add(arguments) => (&arguments.files_from, &mut arguments.files),
                TaxaCommand::Build(arguments) => (&arguments.files_from, &mut arguments.files),
                _ => return Ok(()),
            },
            Self::Classify(arguments) => (&arguments.reads.files_from, &mut arguments.reads.files),
            Self::Qc(_) | Self::Trace(_) | Self::Completions(_) | Self::Man(_) => return Ok(()),
        };
        lists.add_to(files)
    }
}

/// All that a list says; `-` is the standard input.
pub(crate) fn read(list: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let outcome = match list.as_os_str() == "-" {
        true => std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes),
        false => std::fs::read(list),
    };
    outcome.map_err(|error| Failure::io(list, error))
}

/// The names in a list. Blank lines name nothing, and carriage returns before line ends belong to these.
fn names(list: &[u8]) -> Vec<PathBuf> {
    let end = match list.contains(&0) {
        true => 0,
        false => b'\n',
    };
    let names = list.split(|&byte| byte == end);
    let names = names.map(|name| match end {
        0 => name,
        _ => name.strip_suffix(b"\r").unwrap_or(name),
    });
    let names = names.filter(|name| !name.is_empty());
    names
        .map(|name| OsString::from_vec(name.to_vec()).into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lines_or_end_with_nul() {
        let all = |list: &[u8]| -> Vec<Vec<u8>> {
            let names = names(list).into_iter();
            names.map(|name| name.into_os_string().into_vec()).collect()
        };
        assert_eq!(
            all(b"a b.fq\r\n\n\xffc\nd"),
            [&b"a b.fq"[..], b"\xffc", b"d"]
        );
        assert_eq!(all(b"a\nb\0c\r\0"), [&b"a\nb"[..], b"c\r"]);
        assert!(all(b"\n\r\n").is_empty());
    }
}
