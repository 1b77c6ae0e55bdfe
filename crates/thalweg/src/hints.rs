//! What a user can do about an error, as the command tells it.

use std::error::Error as _;
use std::io;

use thalweg_files::ListTextError;
use thalweg_reads as reads;
use thalweg_write as write;

/// Why a file could not be made larger.
pub const FILE_LIMIT: &str = "files may not grow so large here (`ulimit -f`, or the file system)";

/// What to do where a process may open no more files.
pub const MANY_FILES: &str = "too many files at once: let the system have more (`ulimit -n`)";

/// `EMFILE`, which has this number on all systems that are built for.
const EMFILE: i32 = 24;

/// `ELOOP`.
const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// Returns whether a link leads back to itself, or through too many others.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ELOOP)
}

/// Whether a process may open no more files.
pub fn is_of_many_files(error: &io::Error) -> bool {
    error.raw_os_error() == Some(EMFILE)
}

/// Of what the system said.
pub fn of_io(error: &io::Error) -> &'static str {
    if is_of_many_files(error) {
        return MANY_FILES;
    }
    if is_link_loop(error) {
        return "the link leads back to itself: remove it, or link to the file (`ln -sf FILE LINK`)";
    }
    if let Some(error) = ListTextError::of_io(error) {
        return error.hint();
    }
    match error.kind() {
        io::ErrorKind::NotFound => "check the path; relative paths start at the current directory",
        io::ErrorKind::NotADirectory => {
            "a directory is wanted where there is a file: check the name"
        }
        io::ErrorKind::PermissionDenied => "check the permissions of the file and its directory",
        io::ErrorKind::IsADirectory => "name a file in it instead",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room or write somewhere else; no incomplete file is left under the name of an output"
        }
        io::ErrorKind::FileTooLarge => {
            "files may not grow so large here (`ulimit -f`, or the file system); no incomplete file is left under the name of an output"
        }
        io::ErrorKind::AlreadyExists => "remove it or choose another name",
        io::ErrorKind::ReadOnlyFilesystem => "write somewhere else with -o",
        _ => "the operating system refused; see its log if the device may have failed",
    }
}

/// Of reading, and of indexes.
pub fn of_reads(error: &reads::Error) -> Option<&'static str> {
    match (error.hint(), error.kind()) {
        (Some(hint), _) => Some(hint),
        (None, reads::ErrorKind::Io(error)) => Some(of_io(error)),
        (None, reads::ErrorKind::Compressed(error)) if !error.is_data() => {
            // The system failed to read what lies there.
            Some(of_io(error.source()?.downcast_ref()?))
        }
        (None, reads::ErrorKind::Compressed(_)) => {
            Some("the file is damaged: copy or download it again and compare checksums")
        }
        (None, reads::ErrorKind::Unsupported(_)) => {
            Some("`thalweg info FILE` shows its format, and how it will be read")
        }
        _ => None,
    }
}

/// Of writing.
pub fn of_write(error: &write::Error) -> Option<&'static str> {
    match error.hint() {
        Some(hint) => Some(hint),
        None => Some(of_io(error.source()?.downcast_ref()?)),
    }
}

/// Of a taxonomy, or a database of taxa.
#[cfg(feature = "taxa")]
pub fn of_taxa(error: &thalweg_taxa::Error) -> Option<&'static str> {
    match (error.hint(), error.kind()) {
        (Some(hint), _) => Some(hint),
        (None, thalweg_taxa::ErrorKind::Io(error)) => Some(of_io(error)),
        _ => None,
    }
}

/// Of a trace.
#[cfg(feature = "trace")]
pub fn of_trace(error: &thalweg_trace::Error) -> Option<&'static str> {
    match error.kind() {
        thalweg_trace::ErrorKind::Io(error) => Some(of_io(error)),
        _ => error.hint(),
    }
}

/// Of counting, and of databases of counts.
#[cfg(feature = "kmers")]
pub fn of_kmers(error: &thalweg_kmers::Error) -> &'static str {
    use thalweg_kmers::Error;

    match error {
        Error::Io { source, .. } => of_io(source),
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
        Error::NoKmer { .. } => "use exactly k letters of A, C, G, T or U",
        Error::Mismatch(_) => "`thalweg kmers info FILE` prints what a database holds",
        Error::Totals { .. } => {
            "run it again; if it happens again, this is a fault of the program: please report it"
        }
        _ => "`--help` lists which options go together",
    }
}
