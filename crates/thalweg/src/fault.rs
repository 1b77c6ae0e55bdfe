//! What can go wrong when k-mers of files are counted.

use std::fmt;
use std::io;
use std::path::Path;

use thalweg_kmers as kmers;
use thalweg_reads as reads;
use thalweg_write as write;

/// What errors call the standard output.
pub(super) const STANDARD_OUTPUT: &str = "standard output";

/// Why a job did not succeed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Files could not be read.
    Reads(reads::Error),
    /// Counting, a database, or a file that is written.
    Kmers(kmers::Error),
    /// Something is wrong with an output that is not a matter of one call of the system.
    Write(write::Error),
    /// What was asked for makes no sense.
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
}

impl Fault {
    /// What was asked for makes no sense.
    pub fn usage(message: impl Into<String>, hint: &'static str) -> Self {
        let message = message.into();
        Self::Usage { message, hint }
    }

    /// What the system said about a file.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Self::Kmers(kmers::Error::io(path, error))
    }

    /// Whether the data are at fault, and not who reads or writes them.
    pub fn is_data(&self) -> bool {
        match self {
            Self::Reads(error) => error.is_data(),
            Self::Kmers(error) => matches!(
                error,
                kmers::Error::Damaged { .. }
                    | kmers::Error::UnknownFormat { .. }
                    | kmers::Error::WrongKind { .. }
            ),
            Self::Write(_) | Self::Usage { .. } => false,
        }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Reads(error) => error.hint(),
            Self::Kmers(kmers::Error::Io { .. }) => None,
            Self::Kmers(error) => Some(hint(error)),
            Self::Write(write::Error::ClosedPipe { .. }) => {
                Some("its reader ended before it had everything")
            }
            Self::Write(_) => None,
            Self::Usage { hint, .. } => Some(hint),
        }
    }

    /// Whether it is that nobody reads our standard output any more: who went has what it wants.
    pub fn is_unread(&self) -> bool {
        let is_standard =
            |path: &Path| write::is_standard_output(path) || path == Path::new(STANDARD_OUTPUT);
        match self {
            Self::Write(write::Error::ClosedPipe { path }) => is_standard(path),
            Self::Kmers(kmers::Error::Io { path, source }) => {
                source.kind() == io::ErrorKind::BrokenPipe && is_standard(path)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(error) => error.fmt(f),
            Self::Kmers(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Usage { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Reads(error) => error.source(),
            Self::Kmers(error) => error.source(),
            Self::Write(error) => error.source(),
            Self::Usage { .. } => None,
        }
    }
}

impl From<reads::Error> for Fault {
    fn from(error: reads::Error) -> Self {
        Self::Reads(error)
    }
}

impl From<kmers::Error> for Fault {
    fn from(error: kmers::Error) -> Self {
        Self::Kmers(error)
    }
}

impl From<write::Error> for Fault {
    fn from(error: write::Error) -> Self {
        Self::Write(error)
    }
}

/// What to do about an error of counting or of databases, as a user of the command is told.
pub fn hint(error: &kmers::Error) -> &'static str {
    use kmers::Error;

    match error {
        Error::Damaged { .. } => "make the database again, or copy it again and compare checksums",
        Error::NotRead { way_out, .. } | Error::WrongKind { way_out, .. } => way_out,
        Error::HalfDatabase { .. } => {
            "a KMC database is two files, NAME.kmc_pre and NAME.kmc_suf: copy both, and rename both"
        }
        Error::UnknownFormat { .. } => {
            "databases are what `thalweg count`, jellyfish and kmc write, and dumps of them"
        }
        Error::NoManifest { .. } => {
            "the job that makes the set did not finish: run it again; if it is none, name the files in it"
        }
        Error::NotRegular { .. } => "write it to a file, and name that",
        Error::BadK { .. } => "choose another k",
        Error::Memory { .. } => "allow more with --memory, or use fewer threads",
        Error::NoThread(_) => {
            "ask for fewer with --threads, or let the system have more (`ulimit -u`)"
        }
        Error::LargeCount { .. } => {
            "write another format (thk, tsv and fasta hold any count), or cut such counts with --saturate"
        }
        Error::NoKmer { .. } => "only letters A, C, G and T (or U for T), as many as k",
        Error::Mismatch(_) => "`thalweg kmers info FILE` tells what a database holds",
        Error::Totals { .. } => {
            "run it again; if it happens again, the program is at fault: please report it"
        }
        _ => "`--help` tells what goes together",
    }
}
