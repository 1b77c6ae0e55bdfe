//! `--files-from`: a file that lists the names of inputs.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use thalweg::files::list_text;
use thalweg::inputs::file_names;

use crate::options::Command;
use crate::options::kmers::KmersCommand;
use crate::options::taxa::TaxaCommand;
use crate::process::exit::Failure;

/// Lists of more inputs.
#[derive(Debug, Args)]
pub(crate) struct FilesFrom {
    /// Also read the files listed in LIST, one per line
    ///
    /// They are read after the files on the command line. If names end with a NUL byte, as from find -print0, they
    /// may contain newlines. Use - for standard input.
    #[arg(
        id = "files_from",
        long = "files-from",
        help_heading = "Common options",
        hide_short_help = true,
        value_name = "LIST"
    )]
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
            let names = file_names(&read(list)?);
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
    /// Adds the names in lists after those on the command line.
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
            Self::Classify(arguments) => (&arguments.files_from, &mut arguments.reads.files),
            Self::Qc(_) | Self::Trace(_) | Self::Completions(_) | Self::Man(_) => return Ok(()),
        };
        lists.add_to(files)
    }
}

/// Reads a list, without a byte order mark; `-` is the standard input.
pub(crate) fn read(list: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let outcome = match list.as_os_str() == "-" {
        true => std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes),
        false => std::fs::read(list),
    };
    let text = outcome.and_then(|bytes| Ok(list_text(bytes)?));
    text.map_err(|error| Failure::io(list, error))
}
