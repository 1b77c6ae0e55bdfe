//! What went wrong, by status and in words; and that no panic goes on into C.

#![allow(unsafe_code)]

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use thalweg::{ErrorKind, Fault, Location, kmers};

/// All went well; of thalweg_next(), that there are no more records.
pub const THALWEG_OK: c_int = 0;
/// The records are at fault: what FASTQ, FASTA or BAM ask for is not there.
pub const THALWEG_ERROR_RECORDS: c_int = -1;
/// Other data are at fault: compressed data are damaged or cut off, a database is damaged.
pub const THALWEG_ERROR_DAMAGED: c_int = -2;
/// Mates do not match: their names, or how many there are.
pub const THALWEG_ERROR_MATES: c_int = -3;
/// An index is damaged, belongs to another file, or is required and not there.
pub const THALWEG_ERROR_INDEX: c_int = -4;
/// The system refused something: system_code says what.
pub const THALWEG_ERROR_SYSTEM: c_int = -5;
/// What was asked for makes no sense, or cannot be had of this input.
pub const THALWEG_ERROR_USAGE: c_int = -6;
/// The data may be well, but there is a limit of this library.
pub const THALWEG_ERROR_LIMIT: c_int = -7;
/// A fault of this library. Please report it.
pub const THALWEG_ERROR_INTERNAL: c_int = -8;

/// A number of a thalweg_error or thalweg_record that is not known.
pub const THALWEG_UNKNOWN: u64 = u64::MAX;

/// What went wrong, and where. The texts end with NUL.
#[repr(C)]
pub struct LastError {
    /// One of THALWEG_ERROR_...
    pub status: c_int,
    /// What the system said, as errno has it; 0 if it said nothing.
    pub system_code: c_int,
    /// A sentence that names file, record and byte.
    pub message: *const c_char,
    /// What can be done about it; NULL if there is nothing to say.
    pub hint: *const c_char,
    /// The file; NULL if it is of none.
    pub path: *const c_char,
    /// The record in its file, counted from 0; or THALWEG_UNKNOWN.
    pub record: u64,
    /// The byte in the file as it lies on disk; or THALWEG_UNKNOWN.
    pub offset: u64,
    /// The byte in the uncompressed data; or THALWEG_UNKNOWN.
    pub text_offset: u64,
}

/// What the last function of this thread that failed has to say; NULL if none has.
///
/// It belongs to the library, and is valid until another function fails on this thread, or the thread ends.
// SAFETY: no other item of this library has that name.
#[unsafe(no_mangle)]
pub extern "C" fn thalweg_last_error() -> *const LastError {
    // A thread that is ending has none any more.
    let last = LAST.try_with(|last| {
        let last = last.borrow();
        last.as_ref()
            .map_or(ptr::null(), |kept| &raw const kept.told)
    });
    last.unwrap_or(ptr::null())
}

thread_local! {
    static LAST: RefCell<Option<Box<Kept>>> = const { RefCell::new(None) };
}

/// An error with the texts that it points to.
struct Kept {
    told: LastError,
    _texts: [Option<CString>; 3],
}

/// Why a function failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure(Box<Cause>);

#[derive(Clone, Debug)]
struct Cause {
    status: c_int,
    system_code: c_int,
    message: String,
    hint: Option<String>,
    location: Location,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(THALWEG_ERROR_USAGE, message)
    }

    fn new(status: c_int, message: impl Into<String>) -> Self {
        Self(Box::new(Cause {
            status,
            system_code: 0,
            message: message.into(),
            hint: None,
            location: Location::default(),
        }))
    }

    /// The process is a copy of the one whose threads do the work.
    pub(crate) fn of_fork() -> Self {
        let mut failure = Self::usage(
            "this reader began before the process was forked, and its threads are not there",
        );
        let hint = "open files in the new process, or read all before it begins";
        failure.0.hint = Some(hint.to_owned());
        failure
    }

    fn of_panic(what: &(dyn Any + Send)) -> Self {
        let what = match (what.downcast_ref::<String>(), what.downcast_ref::<&str>()) {
            (Some(what), _) => what,
            (_, Some(what)) => *what,
            _ => "a panic",
        };
        Self::new(
            THALWEG_ERROR_INTERNAL,
            format!("internal error, please report it: {what}"),
        )
    }

    /// Lets the caller ask for it.
    pub(crate) fn tell(self) -> c_int {
        let cause = self.0;
        // A name of a file may have anything but NUL; a text of ours has none, but may quote some.
        let text = |text: &[u8]| {
            let text = text
                .iter()
                .map(|byte| if *byte == 0 { b' ' } else { *byte });
            CString::new(text.collect::<Vec<u8>>()).ok()
        };
        let texts = [
            text(cause.message.as_bytes()),
            cause.hint.as_ref().and_then(|hint| text(hint.as_bytes())),
            (cause.location.path.as_ref()).and_then(|path| text(path.as_os_str().as_bytes())),
        ];
        let start =
            |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let told = LastError {
            status: cause.status,
            system_code: cause.system_code,
            message: start(&texts[0]),
            hint: start(&texts[1]),
            path: start(&texts[2]),
            record: cause.location.record.unwrap_or(THALWEG_UNKNOWN),
            offset: cause.location.offset.unwrap_or(THALWEG_UNKNOWN),
            text_offset: cause.location.text_offset.unwrap_or(THALWEG_UNKNOWN),
        };
        let kept = Box::new(Kept {
            told,
            _texts: texts,
        });
        // As of `thalweg_last_error`.
        let _ = LAST.try_with(|last| last.replace(Some(kept)));
        cause.status
    }
}

impl From<thalweg::Error> for Failure {
    fn from(error: thalweg::Error) -> Self {
        let location = error.location().clone();
        let (status, system_code) = match error.kind() {
            ErrorKind::Io(cause) => (THALWEG_ERROR_SYSTEM, cause.raw_os_error().unwrap_or(0)),
            ErrorKind::NoThread(_) => (THALWEG_ERROR_SYSTEM, 0),
            ErrorKind::UnequalFiles { .. }
            | ErrorKind::MatesDisagree { .. }
            | ErrorKind::MateAmongSingle(_)
            | ErrorKind::OddInterleaved => (THALWEG_ERROR_MATES, 0),
            ErrorKind::Index(_)
            | ErrorKind::NoIndex
            | ErrorKind::NoRecordsInIndex
            | ErrorKind::UncheckedIndex
            | ErrorKind::WrongIndex(_)
            | ErrorKind::OtherFile(_) => (THALWEG_ERROR_INDEX, 0),
            ErrorKind::OutOfRange { .. } | ErrorKind::NotSeekable | ErrorKind::Unsupported(_) => {
                (THALWEG_ERROR_USAGE, 0)
            }
            ErrorKind::Panicked(_) | ErrorKind::Incomplete | ErrorKind::Stopped => {
                (THALWEG_ERROR_INTERNAL, 0)
            }
            ErrorKind::Format(_) | ErrorKind::OtherKind { .. } if error.is_data() => {
                (THALWEG_ERROR_RECORDS, 0)
            }
            _ if error.is_data() => (THALWEG_ERROR_DAMAGED, 0),
            _ => (THALWEG_ERROR_LIMIT, 0),
        };
        Self(Box::new(Cause {
            status,
            system_code,
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
            location,
        }))
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let fault = match fault {
            Fault::Reads(error) => return error.into(),
            fault => fault,
        };
        let (path, source) = match &fault {
            Fault::Io { path, source } | Fault::Kmers(kmers::Error::Io { path, source }) => {
                (Some(path), Some(source))
            }
            _ => (None, None),
        };
        let status = match &fault {
            _ if source.is_some() => THALWEG_ERROR_SYSTEM,
            fault if fault.is_data() => THALWEG_ERROR_DAMAGED,
            Fault::Usage { .. } | Fault::Kmers(kmers::Error::NoKmer { .. }) => THALWEG_ERROR_USAGE,
            _ => THALWEG_ERROR_LIMIT,
        };
        Self(Box::new(Cause {
            status,
            system_code: source.and_then(|source| source.raw_os_error()).unwrap_or(0),
            message: fault.to_string(),
            hint: fault.hint().map(str::to_owned),
            location: path.map_or_else(Location::default, |path| Location::of_file(path)),
        }))
    }
}

impl From<kmers::Error> for Failure {
    fn from(error: kmers::Error) -> Self {
        Fault::from(error).into()
    }
}

impl From<thalweg::taxa::Error> for Failure {
    fn from(error: thalweg::taxa::Error) -> Self {
        Fault::from(error).into()
    }
}

/// What `work` gives, its failure or its panic as a failure.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(what) => {
            let failure = Failure::of_panic(&*what);
            // What it holds may panic in its turn, when it is let go.
            std::mem::forget(what);
            Err(failure)
        }
    }
}

/// The status of a function that does `work`: nothing of Rust's goes on into C.
pub(crate) fn status(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match caught(work) {
        Ok(()) => THALWEG_OK,
        Err(failure) => failure.tell(),
    }
}

/// Lets go of what a handle was; a panic stays here.
pub(crate) fn let_go<T>(handle: Option<Box<T>>) {
    let _ = caught(|| {
        drop(handle);
        Ok(())
    });
}
