use std::path::{Path, PathBuf};

use thalweg_files::is_stream;

use crate::sink::Sink;
use crate::{Error, Level, OutputFormat, Split};

/// What one output is to be.
///
/// ```
/// use thalweg_write::{Level, OutputOptions};
///
/// // BGZF, because of the name.
/// let options = OutputOptions::new("clean.fq.gz").level(Level::FASTEST);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct OutputOptions {
    pub(crate) path: PathBuf,
    pub(crate) format: OutputFormat,
    pub(crate) level: Level,
    pub(crate) split: Option<Split>,
    pub(crate) overwrite: bool,
    pub(crate) sync: bool,
    pub(crate) head: Vec<u8>,
}

impl OutputOptions {
    /// Write to `path`, in the format that its name stands for. `-` is the
    /// standard output. Pipes and devices are written to as they are; a file
    /// appears, or is replaced, when it is whole.
    pub fn new(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_owned();
        Self {
            format: OutputFormat::of_name(&path),
            path,
            level: Level::default(),
            split: None,
            overwrite: true,
            sync: true,
            head: Vec::new(),
        }
    }

    /// The format, whatever the name is.
    pub fn format(mut self, format: OutputFormat) -> Self {
        self.format = format;
        self
    }

    /// How hard to compress.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Write several files instead of one, with numbers before their names.
    pub fn split(mut self, split: Split) -> Self {
        self.split = Some(split);
        self
    }

    /// Refuse to replace a file that is there.
    pub fn dont_overwrite(mut self, yes: bool) -> Self {
        self.overwrite = !yes;
        self
    }

    /// Whether to wait until the disk has the data before a file gets its name; yes
    /// unless told otherwise. Without it a file that has its name may still be
    /// lost, or hold zeros, if the machine (not the process) fails soon after.
    pub fn sync(mut self, yes: bool) -> Self {
        self.sync = yes;
        self
    }

    /// Begin each file with this text, which is no record. A file without records has it, too.
    pub fn head(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.head = text.into();
        self
    }

    /// Refuse an output for which there is no place, before what takes long is done: of one that is [split](Self::split), its
    /// first file. Nothing is left of it, and a file that is there stays.
    ///
    /// # Errors
    /// As [`Outputs::open`](crate::Outputs::open).
    pub fn check_place(&self) -> Result<(), Error> {
        let path = match self.split {
            Some(split) => split.name(&self.path, 0),
            None => self.path.clone(),
        };
        match is_stream(&path) {
            true if self.split.is_some() => Err(Error::SplitStream { path }),
            // Whoever reads a pipe would take it for the end if it were opened and closed.
            true => Ok(()),
            // It has no name before it is saved.
            false => Sink::open(&path, self, false).map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn there_is_a_place_or_none_and_nothing_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let split = Split::every(NonZeroU64::MIN).digits(3).at_braces();
        let check = |name: &str| OutputOptions::new(path(name)).check_place();
        let check_split = |name: &str| OutputOptions::new(path(name)).split(split).check_place();
        fs::write(path("old"), "kept").unwrap();
        fs::create_dir(path("part_001.d")).unwrap();
        std::os::unix::fs::symlink("/dev/null", path("part_001.n")).unwrap();
        for name in ["new", "old", "part_001.n"] {
            check(name).unwrap();
        }
        check_split("part_{}.fq").unwrap();
        assert!(matches!(check("no/new"), Err(Error::Open { .. })));
        assert!(matches!(check_split("part_{}.d"), Err(Error::Open { .. })));
        let stream = check_split("part_{}.n");
        assert!(matches!(stream, Err(Error::SplitStream { .. })));
        let exists = OutputOptions::new(path("old")).dont_overwrite(true);
        assert!(matches!(exists.check_place(), Err(Error::Exists { .. })));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
        assert_eq!(fs::read(path("old")).unwrap(), b"kept");
    }
}
