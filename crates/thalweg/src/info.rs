//! What files are, and how they would be read: the job behind `thalweg info`.
//!
//! ```
//! use thalweg::Control;
//! use thalweg::info::{FileContents, InfoSettings};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("reads.fq");
//! # std::fs::write(&path, "@r1\nACGT\n+\nIIII\n")?;
//! for file in InfoSettings::new([path]).run(&Control::default())? {
//!     match file.contents {
//!         FileContents::Data(data) => println!("{} in {}", data.format(), data.plan.compression),
//!         FileContents::Index(index) => println!("the index of {:?} records", index.records()),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`InfoSettings`]: what is asked for; [`FileInfo`]: what comes of it, for each file.
//! - [`DataInfo`]: reads, and the plan for them; [`IndexInfo`]: what an index says.

mod index_info;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_gzip::index::{Index, Origin};
use thalweg_reads::{Error, FilePlan, IndexUse, ReaderOptions};

pub use self::index_info::IndexInfo;
use crate::{Control, Fault, notes};

/// Which files are described. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct InfoSettings {
    /// FASTQ, FASTA or BAM, compressed or not, or indexes; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Where indexes are looked for that do not lie beside their files.
    pub index_directory: Option<PathBuf>,
    /// Threads that are planned for; by default as many as there are cores.
    pub threads: usize,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
}

/// What a file is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileInfo {
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub contents: FileContents,
}

/// What is in a file.
#[derive(Clone, Debug)]
pub enum FileContents {
    /// Reads.
    Data(DataInfo),
    /// The index of another file.
    Index(IndexInfo),
}

/// A file of reads, and how it would be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DataInfo {
    /// Its bytes on disk; none of a pipe.
    pub size: Option<u64>,
    /// Its format and compression, and how it would be read.
    pub plan: FilePlan,
    /// The index that would be used.
    pub index: Option<IndexInfo>,
}

impl InfoSettings {
    /// Describe `files`, for all cores.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            index_directory: None,
            threads: Budget::all_cores().threads(),
            check_end: true,
        }
    }

    /// Describe all files, in their order.
    ///
    /// # Errors
    /// As of [`describe`](Self::describe), for the first file that is at fault.
    pub fn run(&self, control: &Control) -> Result<Vec<FileInfo>, Fault> {
        let files = self.files.iter();
        files.map(|file| self.describe(file, control)).collect()
    }

    /// Describe one file. What follows its first records is not looked at.
    ///
    /// # Errors
    /// If it cannot be opened, holds neither reads nor an index, or has an index that does not belong to it; if it was
    /// cancelled.
    pub fn describe(&self, file: &Path, control: &Control) -> Result<FileInfo, Fault> {
        control.check()?;
        let contents = match looks_like_index(file)? {
            true => FileContents::Index(IndexInfo::open(file, file)?),
            false => FileContents::Data(self.describe_data(file, control)?),
        };
        Ok(FileInfo {
            path: file.to_owned(),
            contents,
        })
    }

    fn describe_data(&self, file: &Path, control: &Control) -> Result<DataInfo, Fault> {
        let reader = ReaderOptions::new()
            .file(file)
            .budget(Budget::new(self.threads))
            .index(IndexUse::Auto)
            .index_directory(self.index_directory.clone())
            .check_end(self.check_end)
            .open()?;
        notes::cut(file).for_each(|note| control.tell(note));
        // There is one for each file.
        let plan = reader.plan().swap_remove(0);
        let index = plan.index.as_deref();
        let index = index
            .map(|index| IndexInfo::open(index, file))
            .transpose()?;
        let is_regular = |data: &std::fs::Metadata| data.is_file();
        let metadata = std::fs::metadata(file).ok().filter(is_regular);
        Ok(DataInfo {
            size: metadata.map(|data| data.len()),
            plan,
            index,
        })
    }
}

impl DataInfo {
    /// What its format is called, in small letters: `fastq`, `fastq-multiline`, `fasta`, `bam`.
    pub fn format(&self) -> String {
        let plan = &self.plan;
        match plan.format_name == plan.format.name() {
            true => index_info::format_name(plan.format.into()),
            false => plan.format_name.to_lowercase(),
        }
    }
}

/// Indexes are told from their content; `.gzi` has nothing to tell it by.
fn looks_like_index(file: &Path) -> Result<bool, Error> {
    let fail = |error| Error::io(file, error);
    if file.as_os_str() == "-" {
        return Ok(false);
    }
    // A pipe must not be opened twice.
    if !std::fs::metadata(file).map_err(fail)?.is_file() {
        return Ok(false);
    }
    let ending = file.extension().and_then(|ending| ending.to_str());
    if matches!(ending, Some("thw" | "mim" | "gzi")) {
        return Ok(true);
    }
    let mut start = Vec::new();
    File::open(file)
        .and_then(|file| file.take(4).read_to_end(&mut start))
        .map_err(fail)?;
    let is_data = start.is_empty() || matches!(start[0], b'@' | b'>' | 0x1f);
    let is_index = |index: Index| matches!(index.origin, Origin::Thw | Origin::Mim);
    Ok(!is_data && Index::open(file).is_ok_and(is_index))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::control::stopping;
    use crate::index::IndexSettings;

    fn gzip(path: &Path) {
        let file = File::create(path).unwrap();
        let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::new(1));
        file.write_all(&b"@r\nACGT\n+\nIIII\n".repeat(1000))
            .unwrap();
        file.finish().unwrap();
    }

    #[test]
    fn a_file_is_described_with_its_index_as_the_index_alone_is() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.fq.gz");
        gzip(&file);
        let settings = InfoSettings::new([&file]);
        let data = || match settings
            .run(&Control::default())
            .unwrap()
            .remove(0)
            .contents
        {
            FileContents::Data(data) => data,
            FileContents::Index(_) => panic!("it is no index"),
        };
        let without = data();
        assert_eq!(
            (&*without.format(), without.plan.compression),
            ("fastq", "gzip")
        );
        assert_eq!(without.size, Some(std::fs::metadata(&file).unwrap().len()));
        assert!(without.index.is_none());

        let made = IndexSettings::new([&file]).index(&file, &Control::default());
        let made = made.unwrap();
        let beside = data().index.unwrap();
        assert_eq!(
            (beside.records(), beside.uncompressed_size()),
            (Some(1000), Some(15_000))
        );
        assert_eq!(beside.compressed_size(), without.size);
        assert!(beside.has_checksums());
        let alone = settings.describe(&made.path, &Control::default()).unwrap();
        match alone.contents {
            FileContents::Index(alone) => assert_eq!(alone, beside),
            FileContents::Data(_) => panic!("it is an index"),
        }
    }

    #[test]
    fn what_is_neither_reads_nor_an_index_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("bad.thw"), "no index").unwrap();
        std::fs::write(path("letter.txt"), "Dear reader").unwrap();
        for name in ["bad.thw", "letter.txt"] {
            let fault = InfoSettings::new([path(name)]).run(&Control::default());
            let fault = fault.unwrap_err();
            assert!(
                fault.is_data() && fault.to_string().contains(name),
                "{fault}"
            );
        }
        let fault = InfoSettings::new([path("none")]).run(&Control::default());
        assert!(!fault.unwrap_err().is_data());
    }

    #[test]
    fn who_cancels_is_told_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let settings = InfoSettings::new([directory.path().join("none")]);
        stopping::at_once(directory.path(), |control| settings.run(control));
    }
}
