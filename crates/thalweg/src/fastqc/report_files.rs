//! Where a report goes: a page and an archive, which get their names together, and the archive's folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thalweg_fastqc::{Report, archive, files, page};
use thalweg_files::Unfinished;
use thalweg_write::{Error, SealedFile};

/// What of the archive is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extract {
    /// The archive alone.
    #[default]
    No,
    /// The archive, and the folder that is in it.
    Yes,
    /// The folder alone.
    Instead,
}

/// Endings that the name of a report does not have, in the order in which they are taken off.
const ENDINGS: [&str; 9] = [
    ".gz", ".bz2", ".txt", ".fastq", ".fq", ".csfastq", ".sam", ".bam", ".ubam",
];

/// What a report on the file of this name is called: files are this and `_fastqc.html` or `_fastqc.zip`.
pub fn report_name(file_name: &str) -> String {
    let mut name = file_name;
    for ending in ENDINGS {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    name.to_owned()
}

/// The files of a report, which were opened before anything is read: nothing is there of them until all are whole.
///
/// They are `NAME_fastqc.html` and `NAME_fastqc.zip`; a folder `NAME_fastqc` of an older report is replaced.
#[derive(Debug)]
pub struct ReportFiles {
    page: Unfinished,
    archive: Option<Unfinished>,
    /// The folder as it will be called.
    folder: PathBuf,
    extract: Extract,
}

impl ReportFiles {
    /// Open them in a directory that is there.
    ///
    /// # Errors
    /// [`Error::Open`] with what the system says.
    pub fn create(directory: &Path, name: &str, extract: Extract) -> Result<Self, Error> {
        let open = |ending| {
            let path = directory.join(format!("{name}_fastqc.{ending}"));
            Unfinished::create(&path).map_err(|source| Error::Open { path, source })
        };
        Ok(Self {
            page: open("html")?,
            archive: match extract {
                Extract::Instead => None,
                _ => Some(open("zip")?),
            },
            folder: directory.join(format!("{name}_fastqc")),
            extract,
        })
    }

    /// The names that they will have.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let files = std::iter::once(&self.page).chain(&self.archive);
        files.map(Unfinished::path)
    }

    /// Write a report, and give all its files their names.
    ///
    /// # Errors
    /// What the system says. If it is about the last step, an error tells which of them have their names.
    pub fn finish(self, report: &Report) -> Result<(), Error> {
        let path = self.folder.clone();
        let (folder, files) = self.seal(report)?;
        if let Some(folder) = folder {
            folder.name(&path)?;
        }
        SealedFile::name_all(files)
    }

    /// Write a report: what is left to do is to give its folder, if it has one, and its files their names.
    pub(crate) fn seal(self, report: &Report) -> Result<(Option<Folder>, Vec<SealedFile>), Error> {
        let html = page(report);
        let files = files(report, &html);
        let folder = match self.extract {
            Extract::No => None,
            _ => Some(Folder::write(&self.folder, &files)?),
        };
        let mut sealed = vec![seal(self.page, html.as_bytes())?];
        if let Some(zip) = self.archive {
            let folder = self
                .folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            let Some(bytes) = archive(&folder, &files) else {
                let path = zip.path().to_owned();
                let source = io::Error::other("a report of more than 4 GiB");
                return Err(Error::Save { path, source });
            };
            sealed.push(seal(zip, &bytes)?);
        }
        Ok((folder, sealed))
    }
}

fn seal(mut file: Unfinished, bytes: &[u8]) -> Result<SealedFile, Error> {
    let path = file.path().to_owned();
    match file.write_all(bytes) {
        Ok(()) => match file.seal(true) {
            Ok(whole) => Ok(whole.into()),
            Err(source) => Err(Error::Save { path, source }),
        },
        Err(source) => Err(Error::Write {
            path,
            offset: 0,
            source,
        }),
    }
}

/// A folder under a temporary name, which is removed with all that is in it unless it gets its own.
pub(crate) struct Folder {
    temporary: PathBuf,
}

impl Folder {
    fn write(path: &Path, files: &[thalweg_fastqc::ReportFile]) -> Result<Self, Error> {
        check_replaceable(path)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}", std::process::id()));
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        let folder = Folder {
            temporary: path.with_file_name(hidden),
        };
        let write = || {
            for part in ["Icons", "Images"] {
                fs::create_dir_all(folder.temporary.join(part))?;
            }
            let mut files = files.iter();
            files.try_for_each(|file| fs::write(folder.temporary.join(&file.name), &file.bytes))
        };
        match write() {
            Ok(()) => Ok(folder),
            Err(source) => Err(Error::Open {
                path: path.to_owned(),
                source,
            }),
        }
    }

    fn name(self, path: &Path) -> Result<(), Error> {
        let rename = || {
            if path.exists() {
                fs::remove_dir_all(path)?;
            }
            fs::rename(&self.temporary, path)
        };
        rename().map_err(|source| Error::Save {
            path: path.to_owned(),
            source,
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // When it has its name, there is none.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// A folder that is no report stays.
fn check_replaceable(path: &Path) -> Result<(), Error> {
    let is_report = || path.join("fastqc_data.txt").is_file();
    match fs::symlink_metadata(path) {
        Ok(data) if !(data.is_dir() && is_report()) => Err(Error::Exists {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use thalweg_fastqc::{Findings, Ledger, Settings};

    use super::*;

    fn report() -> Report {
        let settings = Arc::new(Settings::default());
        let findings = Findings::new(&settings, [], Ledger::new(&settings), []);
        Report::new(&findings, "reads.fq")
    }

    #[test]
    fn names_lose_their_endings() {
        for (file, name) in [
            ("a.fastq.gz", "a"),
            ("a.fq", "a"),
            ("a.txt.gz", "a"),
            ("a.gz.fq", "a.gz"),
            ("a.bam", "a"),
            ("a.fasta", "a.fasta"),
            ("stdin", "stdin"),
        ] {
            assert_eq!(report_name(file), name);
        }
    }

    #[test]
    fn files_appear_when_all_are_whole() {
        let directory = tempfile::tempdir().expect("a directory");
        let names = || {
            let entries = fs::read_dir(directory.path()).expect("a directory");
            let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
            let mut names: Vec<_> = entries.map(name).collect();
            names.sort();
            names
        };
        for (extract, wanted) in [
            (Extract::No, &["a_fastqc.html", "a_fastqc.zip"][..]),
            (Extract::Yes, &["a_fastqc", "a_fastqc.html", "a_fastqc.zip"]),
        ] {
            let before = names();
            let files = ReportFiles::create(directory.path(), "a", extract).expect("new files");
            assert_eq!(names(), before);
            files.finish(&report()).expect("room for them");
            assert_eq!(names(), wanted);
        }
        let data = fs::read_to_string(directory.path().join("a_fastqc/fastqc_data.txt"));
        assert_eq!(data.expect("a text"), report().data());
        // Another one replaces it.
        let files = ReportFiles::create(directory.path(), "a", Extract::Instead);
        files
            .and_then(|files| files.finish(&report()))
            .expect("an older report");
    }

    #[test]
    fn a_folder_that_is_no_report_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let folder = directory.path().join("a_fastqc");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("thesis.tex"), "all").expect("a file");
        let files = ReportFiles::create(directory.path(), "a", Extract::Yes).expect("new files");
        let error = files.finish(&report()).expect_err("no report");
        assert!(matches!(error, Error::Exists { .. }), "{error}");
        assert_eq!(
            fs::read_dir(directory.path()).expect("a directory").count(),
            1
        );
        assert!(folder.join("thesis.tex").is_file());
    }
}
