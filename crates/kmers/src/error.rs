use std::{fmt, io, path::PathBuf};
use thalweg_files::{Location, TemporaryError, write_readable};
use thalweg_flow::Failure;

/// Why k-mers could not be counted, or a database not be read or written. `{:?}` shows it as `{}` does, with its causes.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// k lies outside what is supported.
    #[error("k = {k}: k must be from 1 to {max}")]
    BadK {
        /// The k asked for.
        k: usize,
        /// The largest k of the type or format used.
        max: usize,
    },
    /// An option contradicts another or makes no sense.
    #[error("{0}")]
    BadOption(String),
    /// A count is larger than what the format has room for.
    #[error("the count {count} of {kmer} does not fit into {bytes} bytes")]
    LargeCount {
        /// The count.
        count: u64,
        /// The letters of the k-mer.
        kmer: String,
        /// Bytes that the format has for a count.
        bytes: u8,
    },
    /// The memory limit does not hold even the smallest buffers.
    #[error(
        "a memory limit of {limit} bytes ({}) is too low: at least {needed} ({}) are needed",
        readable(*limit, |bytes, unit| bytes / unit),
        readable(*needed, u128::div_ceil)
    )]
    Memory {
        /// The limit, in bytes.
        limit: u64,
        /// The least that works, in bytes.
        needed: u64,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory has shards, and nothing says that they are all of a set.
    #[error("{}: is a directory of .thk files, and has no manifest.json", path.display())]
    NoManifest {
        /// The directory.
        path: PathBuf,
    },
    /// A database is a pipe or a device.
    #[error("{}: a database must be a regular file: it is read at several places", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// A temporary file could not be made, written or read.
    #[error("{}: temporary files: {source}", directory.display())]
    Temporary {
        /// The directory that holds it: it has no name, or a random one.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A database file breaks its format.
    #[error("{}: damaged {format} database: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        format: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// A database that need not be damaged, but of a size or a kind that is not read here.
    #[error("{}: a {format} database that is not supported: {reason}", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        format: &'static str,
        /// What it has, and what is read.
        reason: String,
        /// What can be done.
        way_out: &'static str,
    },
    /// A file is of another known kind.
    #[error("{}: not a k-mer database: it is {kind}", path.display())]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
        /// What can be done.
        way_out: &'static str,
    },
    /// Of the two files of a KMC database, one is not there.
    #[error("{}: no such file, but {} is only half of a KMC database", missing.display(), there.display())]
    HalfDatabase {
        /// The file that is not there.
        missing: PathBuf,
        /// The other one.
        there: PathBuf,
    },
    /// A file is no database of a kind that is known here.
    #[error("{}: not a k-mer database of a known format: {reason}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// Databases that cannot be combined, or a query that does not fit a database.
    #[error("{0}")]
    Mismatch(String),
    /// What is to be looked up is no k-mer of the database's length.
    #[error("{letters:?} is not a k-mer of {k} bases")]
    NoKmer {
        /// The first 300 letters that were given.
        letters: String,
        /// The length asked for.
        k: usize,
    },
    /// The totals at the end differ from what was read: a fault of this program or of the machine.
    #[error("totals disagree: {read} k-mers were read, {counted} were counted")]
    Totals {
        /// k-mers in the input.
        read: u64,
        /// Sum of all counts.
        counted: u64,
    },
    /// Blocks of super-k-mers that could not be handed on, or foreign ones that are none.
    #[error(transparent)]
    Blocks(thalweg_superkmers::Error),
    /// The receiver of the counts failed, or a consumer stopped the work.
    #[error("the sink of the counts failed: {0}")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system did not let another thread begin.
    #[error("cannot start a thread: {0}")]
    NoThread(String),
    /// Whoever started the work has stopped it.
    #[error("cancelled")]
    Cancelled,
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, None)
    }
}

impl From<thalweg_superkmers::Error> for Error {
    fn from(error: thalweg_superkmers::Error) -> Self {
        use thalweg_superkmers::Error as Cause;
        match error {
            Cause::BadK { k, max } => Self::BadK { k, max },
            Cause::Temporary { directory, source } => Self::Temporary { directory, source },
            Cause::BadScheme(reason) => Self::BadOption(reason),
            other => Self::Blocks(other),
        }
    }
}

impl Error {
    /// Whether a file that was read is at fault, and not who reads or writes it.
    pub fn is_data(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::UnknownFormat { .. } | Self::WrongKind { .. }
        )
    }

    /// `source`, which happened to the file `path`.
    pub fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io {
            path: path.into(),
            source,
        }
    }

    /// `source`, which happened to a temporary file in `directory`.
    pub fn temporary(directory: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Temporary {
            directory: directory.into(),
            source,
        }
    }

    /// Where it happened: which file it is about, or which directory of temporary ones; nothing of others.
    pub fn location(&self) -> Location {
        match self {
            Self::Io { path, .. }
            | Self::NotRegular { path }
            | Self::Temporary {
                directory: path, ..
            }
            | Self::Damaged { path, .. }
            | Self::NotRead { path, .. }
            | Self::WrongKind { path, .. }
            | Self::HalfDatabase { missing: path, .. }
            | Self::UnknownFormat { path, .. } => Location::of_file(path),
            _ => Location::default(),
        }
    }

    /// As many k-mers were to come as `read`, and `counted` came; either is told as 2^64 - 1 if it is more.
    pub fn totals(read: u128, counted: u128) -> Self {
        let bounded = |total| u64::try_from(total).unwrap_or(u64::MAX);
        Self::Totals {
            read: bounded(read),
            counted: bounded(counted),
        }
    }
}

/// `bytes` in Mi, or Ki if they are few, with a digit behind the point if need be. What is needed is to be rounded up, so
/// that it suffices when it is asked for.
fn readable(bytes: u64, divide: impl Fn(u128, u128) -> u128) -> String {
    let (unit, name) = match bytes {
        0..0x10_0000 => (1 << 10, "Ki"),
        _ => (1 << 20, "Mi"),
    };
    let tenths = divide(10 * u128::from(bytes), unit);
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole}{name}"),
        (whole, tenth) => format!("{whole}.{tenth}{name}"),
    }
}

impl From<TemporaryError> for Error {
    fn from(error: TemporaryError) -> Self {
        Self::Temporary {
            directory: error.directory,
            source: error.source,
        }
    }
}

/// Why threads did not do their work.
pub(crate) fn of_threads<E: From<Error>>(failure: Failure<E>) -> E {
    match failure {
        Failure::Failed(error) => error,
        Failure::Panicked(message) => Error::Sink(message.into()).into(),
        Failure::NoThread(reason) => Error::NoThread(reason).into(),
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use thalweg_files::{Unfinished, UnnamedFile};

    use super::*;

    #[test]
    fn memory_is_told_in_bytes_and_as_people_ask_for_it() {
        for (limit, needed, told) in [
            (
                20 << 20,
                28 << 20,
                ["20971520 bytes (20Mi)", "29360128 (28Mi)"],
            ),
            (
                20_000_000,
                29_000_000,
                ["20000000 bytes (19Mi)", "29000000 (27.7Mi)"],
            ),
            (
                2000,
                (1 << 20) - 1,
                ["2000 bytes (1.9Ki)", "1048575 (1024Ki)"],
            ),
        ] {
            let error = Error::Memory { limit, needed }.to_string();
            assert!(told.iter().all(|told| error.contains(told)), "{error}");
        }
    }

    #[test]
    fn temporary_names_are_not_told() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no");
        let file = missing.join("a.jf");
        for source in [
            Unfinished::create(&file).unwrap_err(),
            Unfinished::create_named(&file).unwrap_err(),
            std::fs::File::open(&missing).unwrap_err(),
        ] {
            let error = Error::io("no", source);
            let told = "no: No such file or directory (os error 2)";
            assert_eq!(error.to_string(), told);
        }
        let error = Error::from(UnnamedFile::create(&missing).unwrap_err());
        let told = "temporary files: No such file or directory (os error 2)";
        assert_eq!(error.to_string(), format!("{}: {told}", missing.display()));
        let other = io::Error::new(io::ErrorKind::InvalidData, "torn");
        assert_eq!(Error::io("a", other).to_string(), "a: torn");
    }
}
