//! What whoever starts a job is told while it runs, and how he stops it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_reads::{Error, ErrorKind};

/// Who watches a job: how far it is, what it says, and whether it is to stop. By default nobody does.
///
/// All is called by whichever thread has something to tell, also by several at once, and holds that one up.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use thalweg::Control;
///
/// let cancel = AtomicBool::new(false);
/// let control = Control {
///     progress: Some(&|done, all| eprintln!("{done} bytes of {all:?}")),
///     says: Some(&|message| eprintln!("{message}")),
///     cancel: Some(&cancel),
/// };
/// # control.check()?;
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Called now and then with the bytes on disk that were read, and how many there are, if that is known.
    pub progress: Option<&'a (dyn Fn(u64, Option<u64>) + Sync)>,
    /// Called with what is worth telling beside the result.
    pub says: Option<&'a (dyn Fn(Message) + Sync)>,
    /// The job stops soon after this is true, leaves nothing under a final name, and ends in an error. Outputs that are made
    /// one after the other may be there, where the job says so: a database whose trace was being written.
    pub cancel: Option<&'a AtomicBool>,
}

impl Control<'_> {
    /// Tell how far the job is.
    pub fn progress(&self, position: impl FnOnce() -> (u64, Option<u64>)) {
        if let Some(progress) = self.progress {
            let (done, all) = position();
            progress(done, all);
        }
    }

    /// Say something.
    pub fn say(&self, kind: MessageKind, text: impl Into<String>) {
        if let Some(says) = self.says {
            let text = text.into();
            says(Message { kind, text });
        }
    }

    /// Say a note that is made.
    pub fn tell(&self, message: Message) {
        if let Some(says) = self.says {
            says(message);
        }
    }

    /// Whether the job is to stop.
    pub fn is_cancelled(&self) -> bool {
        // It is tied to no other memory.
        self.cancel
            .is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Go on unless the job is to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub fn check(&self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled)),
            false => Ok(()),
        }
    }
}

#[cfg(feature = "kmers")]
impl Control<'_> {
    /// As [`check`](Self::check), for work on k-mers.
    ///
    /// # Errors
    /// [`Cancelled`](thalweg_kmers::Error::Cancelled), which a [`Fault`](crate::Fault) takes for being cancelled.
    pub(crate) fn check_kmers(&self) -> thalweg_kmers::Result<()> {
        match self.is_cancelled() {
            true => Err(thalweg_kmers::Error::Cancelled),
            false => Ok(()),
        }
    }

    /// What is called while a database is read: tells how far that is, where its number of k-mers is known, and stops it.
    pub(crate) fn watch(
        &self,
        database: &thalweg_kmers::database::Database,
    ) -> impl Fn(u64) -> thalweg_kmers::Result<()> {
        let length = |file| std::fs::metadata(file).map_or(0, |data| data.len());
        let files = || thalweg_kmers::database::files_of(database.path());
        let bytes: u64 = match self.progress {
            Some(_) => files().iter().map(length).sum(),
            None => 0,
        };
        let all = database.header().distinct.filter(|&all| all > 0);
        move |read| {
            if let Some(all) = all {
                let share = u128::from(bytes) * u128::from(read.min(all)) / u128::from(all);
                self.progress(|| (share as u64, Some(bytes)));
            }
            self.check_kmers()
        }
    }
}

#[cfg(feature = "taxa")]
impl Control<'_> {
    /// As [`check`](Self::check), for work on taxa.
    ///
    /// # Errors
    /// One that is [cancelled](thalweg_taxa::ErrorKind::Cancelled), which a [`Fault`](crate::Fault) takes for that.
    pub(crate) fn check_taxa(&self) -> thalweg_taxa::Result<()> {
        match self.is_cancelled() {
            true => Err(thalweg_taxa::Error::cancelled()),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("progress", &self.progress.is_some())
            .field("says", &self.says.is_some())
            .field("cancel", &self.cancel)
            .finish()
    }
}

/// What a job says beside its result: a line without an end, or a few.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// How much it matters.
    pub kind: MessageKind,
    /// What is said.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.kind {
            MessageKind::Warning | MessageKind::Doubt => "thalweg: warning: ",
            MessageKind::Note => "thalweg: note: ",
            MessageKind::Line => "",
            MessageKind::Detail => "thalweg: ",
        };
        write!(f, "{prefix}{}", self.text)
    }
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MessageKind {
    /// How files are read: for who wants to know.
    Detail,
    /// A line of another program's, where a job does as that does.
    Line,
    /// What was asked for changes nothing, or not all that it seems to.
    Note,
    /// Something looks like a mistake.
    Doubt,
    /// Data may be missing: to be told also to those who want to hear of errors only.
    Warning,
}

/// How jobs are tested that can be stopped.
#[cfg(test)]
pub(crate) mod stopping {
    use std::path::Path;

    use super::*;
    use crate::Fault;

    /// All names in a directory, and below.
    fn names(directory: &Path) -> Vec<std::path::PathBuf> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names.extend(self::names(&path));
            }
            names.push(path);
        }
        names.sort();
        names
    }

    /// Run a job that is stopped before it begins: it must end so, and leave nothing in the directory.
    pub(crate) fn at_once<T>(directory: &Path, job: impl FnOnce(&Control) -> Result<T, Fault>) {
        let cancel = AtomicBool::new(true);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let before = names(directory);
        let fault = job(&control).err().expect("it was stopped");
        assert!(fault.is_cancelled(), "{fault}");
        assert_eq!(names(directory), before);
    }

    /// Run a job that is stopped when it tells for the first time how far it is, and one that is stopped before it begins: the
    /// same must come of both. Left alone, it must succeed, and leave something.
    pub(crate) fn midway<T>(directory: &Path, job: impl Fn(&Control) -> Result<T, Fault>) {
        at_once(directory, &job);
        let cancel = AtomicBool::new(false);
        let control = Control {
            progress: Some(&|_, _| cancel.store(true, Ordering::Relaxed)),
            cancel: Some(&cancel),
            says: None,
        };
        let before = names(directory);
        let fault = job(&control).err().expect("it was stopped");
        assert!(fault.is_cancelled(), "{fault}");
        assert_eq!(names(directory), before);
        let done = job(&Control::default());
        assert!(done.is_ok(), "{}", done.err().unwrap());
        assert_ne!(names(directory), before);
    }
}
