//! Indexes of gzip files: the job behind `thalweg index`, and indexes as data.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::index::IndexSettings;
//!
//! for (file, made) in IndexSettings::new(["reads.fastq.gz"]).run(&Control::default())? {
//!     println!("{}: {} records", file.display(), made?.index.record_count);
//! }
//! # Ok::<(), thalweg::Fault>(())
//! ```
//!
//! - [`IndexSettings`]: what is asked for, with its defaults; [`MadeIndex`]: what came of it.
//! - [`IndexChoice`]: which indexes another job uses, and which it keeps.
//! - [`index_place`]: where an index goes; [`build_missing`]: make the one that a file lacks.
//! - `existing`: what may be replaced; `bgzf_blocks`: indexes of block offsets.
//! - [`Index`]: what an index holds, and the rest of [`thalweg_gzip::index`].

mod bgzf_blocks;
mod choice;
mod existing;

use std::path::{Path, PathBuf};

pub use choice::IndexChoice;
pub use thalweg_gzip::index::*;
use thalweg_reads::{
    Error, ErrorKind, IndexOptions, IndexUse, ReaderOptions, build_index_unless, find_index,
    index_path_in,
};
use thalweg_write::{OutputContents, check_contents, check_not_input, resolve};

use crate::{Control, Fault, Outcomes, notes};

/// Which indexes are made, of which files. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct IndexSettings {
    /// gzip or BGZF files of reads, BAM among them.
    pub files: Vec<PathBuf>,
    /// Where the index of the only file goes; else each goes beside its file, or into `directory`.
    pub output: Option<PathBuf>,
    /// Where indexes go that do not lie beside their files; made if it is not there.
    pub directory: Option<PathBuf>,
    /// What the indexes are; our own by default.
    pub format: IndexFormat,
    /// Checkpoints, what is kept with the index, and threads.
    pub options: IndexOptions,
    /// Whether an index that is there is replaced.
    pub force: bool,
}

/// Formats of indexes that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexFormat {
    /// Our own: smallest, with a checksum for each chunk.
    #[default]
    Thw,
    /// That of mim 0.1.
    Mim,
    /// That of bgzip: block offsets of BGZF files, no records.
    Gzi,
}

impl IndexFormat {
    /// What names of such files end with, behind the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Thw => "thw",
            Self::Mim => "mim",
            Self::Gzi => "gzi",
        }
    }
}

/// An index that is there now.
#[derive(Debug)]
pub struct MadeIndex {
    /// Its file.
    pub path: PathBuf,
    /// What it holds.
    pub index: Index,
    /// Bytes of the file that it is of.
    pub file_size: u64,
    /// Whether it was there before, and is what would have been made.
    pub was_there: bool,
}

impl IndexSettings {
    /// Threads that [`Checkpoints::ForThreads`](crate::Checkpoints::ForThreads) provides for unless told otherwise: what a
    /// common node or large workstation has, or a job on a larger one gets.
    pub const FOR_THREADS: usize = 16;

    /// Our own indexes of `files`, beside them.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            output: None,
            directory: None,
            format: IndexFormat::default(),
            options: IndexOptions::default(),
            force: false,
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        if self.output.is_some() && self.files.len() > 1 {
            return Err(Fault::usage(
                "-o works with one input file only",
                "omit it: each index gets the name of its file",
            ));
        }
        if let Some(output) = &self.output {
            self.check_name(output)?;
        }
        if self.format == IndexFormat::Gzi && self.options.metadata.is_some() {
            return Err(Fault::usage(
                "a .gzi index holds no metadata",
                "use --format thw",
            ));
        }
        Ok(())
    }

    /// Refuses a name that says another format.
    fn check_name(&self, output: &Path) -> Result<(), Fault> {
        let ending = output.extension().unwrap_or_default();
        let formats = [IndexFormat::Thw, IndexFormat::Mim, IndexFormat::Gzi];
        let said = formats.into_iter().find(|format| format.ending() == ending);
        match said.filter(|&said| said != self.format) {
            Some(said) => Err(Fault::usage(
                format!(
                    "{}: the name says .{}, but the index is .{}",
                    output.display(),
                    said.ending(),
                    self.format.ending()
                ),
                format!("use --format {}, or another extension", said.ending()),
            )),
            None => Ok(check_contents(output, &[OutputContents::Index])?),
        }
    }

    /// Make the indexes of all files, and go on where one fails: what came of each, in their order.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and that it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Outcomes<MadeIndex>, Fault> {
        self.check()?;
        let mut made = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let outcome = self.index(file, control);
            control.check()?;
            made.push((file.clone(), outcome));
        }
        Ok(made)
    }

    /// Make the index of one file.
    ///
    /// # Errors
    /// If the file is not a regular gzip file of sequencing reads, is damaged or malformed anywhere, or changes meanwhile;
    /// if the index cannot be written, or something else lies there; if it was cancelled. Nothing is left then.
    pub fn index(&self, file: &Path, control: &Control) -> Result<MadeIndex, Fault> {
        // An input that is missing comes before an index that exists.
        let file_size = size_of_regular(file)?;
        // A link stays; what it points to is replaced, or made.
        let mut path = self.destination(file)?;
        if path.is_symlink() {
            path = resolve(&path);
        }
        check_not_input(&path, &self.files)?;
        if path.exists() {
            existing::refuse_other_files(&path, self.format)?;
            if !self.force {
                let index = existing::keep_or_refuse(file, &path, &self.options)?;
                return Ok(MadeIndex {
                    path,
                    index,
                    file_size,
                    was_there: true,
                });
            }
        }
        let index = build(file, &path, self.format, &self.options, control)?;
        notes::cut(file).for_each(|note| control.tell(note));
        Ok(MadeIndex {
            path,
            index,
            file_size,
            was_there: false,
        })
    }

    /// Where the index of `file` goes.
    ///
    /// # Errors
    /// What the system says of the directory, or of a file that must be read for its name there.
    pub fn destination(&self, file: &Path) -> Result<PathBuf, Fault> {
        match &self.output {
            Some(output) => Ok(output.clone()),
            None => index_place(file, self.directory.as_deref(), self.format),
        }
    }
}

/// Where the index of `file` goes if nobody says: beside it, or into `directory`, which is made if it is not there.
///
/// # Errors
/// What the system says of the directory, or of the file, which is read for its name there.
pub fn index_place(
    file: &Path,
    directory: Option<&Path>,
    format: IndexFormat,
) -> Result<PathBuf, Fault> {
    let Some(directory) = directory else {
        let mut name = file.as_os_str().to_owned();
        name.push(".");
        name.push(format.ending());
        return Ok(PathBuf::from(name));
    };
    std::fs::create_dir_all(directory).map_err(|error| Fault::io(directory, error))?;
    Ok(index_path_in(directory, file, format.ending())?)
}

/// Make the index of `file`, if it is a gzip file that has none: at `destination`, or where it is looked for. Whether there
/// was one to make.
///
/// # Errors
/// As of [`IndexSettings::index`].
pub fn build_missing(
    file: &Path,
    destination: Option<&Path>,
    directory: Option<&Path>,
    options: &IndexOptions,
    control: &Control,
) -> Result<bool, Fault> {
    // Pipes must not be opened twice, and cannot be indexed anyway.
    let is_regular = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
    if !is_regular {
        return Ok(false);
    }
    let destination = match destination {
        Some(destination) => destination.to_owned(),
        None if find_index(file, directory)?.is_some() => return Ok(false),
        None => index_place(file, directory, IndexFormat::Thw)?,
    };
    if destination.exists() {
        return Ok(false);
    }
    let reads = ReaderOptions::new().file(file).index(IndexUse::Never);
    let plans = reads.open()?.plan();
    if plans.iter().any(|plan| plan.compression != "gzip") {
        return Ok(false);
    }
    build(file, &destination, IndexFormat::Thw, options, control)?;
    Ok(true)
}

fn build(
    file: &Path,
    destination: &Path,
    format: IndexFormat,
    options: &IndexOptions,
    control: &Control,
) -> Result<Index, Fault> {
    let progress = |done, size| {
        control.progress(|| (done, Some(size)));
        control.check()
    };
    match format {
        IndexFormat::Thw => Ok(build_index_unless(
            file,
            Some(destination),
            options,
            &progress,
        )?),
        IndexFormat::Mim => {
            let index = build_index_unless(file, None, options, &progress)?;
            let written = index.write_mim(destination);
            written.map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file))?;
            Ok(index)
        }
        IndexFormat::Gzi => Ok(bgzf_blocks::build(file, destination, &progress)?),
    }
}

/// Bytes of a file that can be indexed.
fn size_of_regular(file: &Path) -> Result<u64, Fault> {
    match std::fs::metadata(file) {
        Err(_) if file.as_os_str() == "-" => Err(Fault::usage(
            "the standard input cannot be indexed: an index needs a file on disk",
            "write it to a file first",
        )),
        Ok(metadata) if metadata.is_dir() => {
            Err(Fault::io(file, std::io::ErrorKind::IsADirectory.into()))
        }
        Ok(metadata) => Ok(metadata.len()),
        Err(error) => Err(Fault::io(file, error)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn gzip(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        let file = std::fs::File::create(&path).unwrap();
        let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::new(1));
        file.write_all(&b"@r\nACGT\n+\nIIII\n".repeat(1000))
            .unwrap();
        file.finish().unwrap();
        path
    }

    #[test]
    fn an_index_is_made_once() {
        let directory = tempfile::tempdir().unwrap();
        let file = gzip(directory.path(), "a.fq.gz");
        let settings = IndexSettings::new([&file]);
        for was_there in [false, true] {
            let made = settings.index(&file, &Control::default()).unwrap();
            assert_eq!(made.path, directory.path().join("a.fq.gz.thw"));
            assert_eq!((made.index.record_count, made.was_there), (1000, was_there));
        }
    }

    #[test]
    fn one_bad_file_does_not_keep_others_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing.fq.gz");
        let file = gzip(directory.path(), "a.fq.gz");
        let settings = IndexSettings::new([&missing, &file]);
        let made = settings.run(&Control::default()).unwrap();
        let fault = made[0].1.as_ref().unwrap_err();
        assert!(!fault.is_data() && fault.hint().is_some(), "{fault}");
        assert_eq!(made[1].1.as_ref().unwrap().index.record_count, 1000);
    }

    #[test]
    fn other_files_are_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let file = gzip(directory.path(), "a.fq.gz");
        let notes = directory.path().join("notes");
        std::fs::write(&notes, "to keep").unwrap();
        let settings = IndexSettings {
            output: Some(notes.clone()),
            force: true,
            ..IndexSettings::new([&file])
        };
        let outcome = settings.index(&file, &Control::default());
        assert!(matches!(outcome, Err(Fault::Usage { .. })), "{outcome:?}");
        assert_eq!(std::fs::read(&notes).unwrap(), b"to keep");
    }

    #[test]
    fn who_cancels_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let file = gzip(directory.path(), "a.fq.gz");
        let cancel = AtomicBool::new(true);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let fault = IndexSettings::new([&file]).run(&control).unwrap_err();
        assert!(fault.is_cancelled());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
