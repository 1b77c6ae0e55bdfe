use std::path::{Path, PathBuf};

use crate::{Format, Level, Split};

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
    pub(crate) format: Format,
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
            format: Format::of_name(&path),
            path,
            level: Level::default(),
            split: None,
            overwrite: true,
            sync: true,
            head: Vec::new(),
        }
    }

    /// The format, whatever the name is.
    pub fn format(mut self, format: Format) -> Self {
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
}
