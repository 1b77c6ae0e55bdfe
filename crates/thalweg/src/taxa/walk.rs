//! Files of genomes in a directory and below, links followed.
//!
//! ```text
//! a directory                 ─► its entries, by name; once, however many links lead to it
//! a file that is FASTA        ─► opened and closed again: it can be read
//! a link to nowhere, a loop, what cannot be opened  ─► reported, all together
//! a file of another name      ─► skipped
//! ```

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::hints::is_link_loop;

/// The files found so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Files that can be read.
    pub(super) files: Vec<PathBuf>,
    /// All that cannot.
    pub(super) unreadable: Vec<Unreadable>,
    /// Directories that are being listed, without links.
    above: Vec<PathBuf>,
    /// Directories that were listed, without links.
    listed: HashSet<PathBuf>,
}

/// A file or directory that cannot be read, and why.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) path: PathBuf,
    pub(super) reason: Reason,
}

/// Why something cannot be read.
#[derive(Debug)]
pub(super) enum Reason {
    /// The system refused.
    System(io::Error),
    /// A link leads to this name, and there is nothing.
    Dangling(PathBuf),
    /// A link leads to a directory above it.
    Loop(PathBuf),
    /// A link leads to this name, and from there back to itself.
    LinkLoop(PathBuf),
    /// A pipe, a socket or a device stands in a directory of genomes.
    NoFile,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.reason {
            Reason::System(error) => error.fmt(f),
            Reason::Dangling(target) => {
                write!(f, "a link to {}, which is not there", target.display())
            }
            Reason::Loop(above) => {
                write!(f, "a loop of links: {} is above it", above.display())
            }
            Reason::LinkLoop(target) => {
                write!(
                    f,
                    "a link to {}, which leads back to the link",
                    target.display()
                )
            }
            Reason::NoFile => f.write_str("neither a file nor a directory"),
        }
    }
}

impl Walk {
    /// Takes what a user named: a file of any name, or a directory.
    pub(super) fn take_named(&mut self, path: &Path) {
        if path == Path::new("-") {
            return self.files.push(path.to_owned());
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.list(path),
            Ok(found) if found.is_file() => self.open(path),
            // Pipes and devices are opened once only, to be read.
            Ok(_) => self.files.push(path.to_owned()),
            Err(error) => self.refuse(path, error),
        }
    }

    /// Takes an entry of a directory.
    fn take(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.list(path),
            Ok(_) if !is_fasta(path) => {}
            Ok(found) if found.is_file() => self.open(path),
            Ok(_) => self.report(path, Reason::NoFile),
            Err(_) if is_something_else(path) => {}
            Err(error) => self.refuse(path, error),
        }
    }

    fn list(&mut self, directory: &Path) {
        let place = match fs::canonicalize(directory) {
            Ok(place) => place,
            Err(error) => return self.refuse(directory, error),
        };
        if self.above.contains(&place) {
            return self.report(directory, Reason::Loop(place));
        }
        if !self.listed.insert(place.clone()) {
            return;
        }
        let entries = fs::read_dir(directory).and_then(|entries| {
            let paths = entries.map(|entry| entry.map(|entry| entry.path()));
            paths.collect::<io::Result<Vec<_>>>()
        });
        match entries {
            Ok(mut paths) => {
                paths.sort();
                self.above.push(place);
                paths.iter().for_each(|path| self.take(path));
                self.above.pop();
            }
            Err(error) => self.refuse(directory, error),
        }
    }

    fn open(&mut self, path: &Path) {
        match File::open(path) {
            Ok(_) => self.files.push(path.to_owned()),
            Err(error) => self.refuse(path, error),
        }
    }

    fn refuse(&mut self, path: &Path, error: io::Error) {
        let target = || fs::read_link(path).ok();
        let reason = match error.kind() {
            io::ErrorKind::NotFound => target().map(Reason::Dangling),
            _ if is_link_loop(&error) => target().map(Reason::LinkLoop),
            _ => None,
        };
        self.report(path, reason.unwrap_or(Reason::System(error)));
    }

    fn report(&mut self, path: &Path, reason: Reason) {
        let path = path.to_owned();
        self.unreadable.push(Unreadable { path, reason });
    }
}

/// The endings of FASTA files, before that of a compression.
const FASTA: [&str; 5] = ["fa", "fna", "fasta", "fas", "ffn"];

const COMPRESSED: [&str; 7] = ["gz", "bgz", "bgzf", "bz2", "xz", "zst", "zstd"];

fn is_fasta(path: &Path) -> bool {
    let is_one_of = |names: &[&str], ending: Option<String>| {
        ending.is_some_and(|ending| names.contains(&ending.as_str()))
    };
    if is_one_of(&COMPRESSED, ending(path)) {
        return is_one_of(&FASTA, ending(&path.with_extension("")));
    }
    is_one_of(&FASTA, ending(path))
}

/// Returns whether a name is that of a file, and of no genome: it has another ending of letters. Without one, a broken link may have led
/// to a directory, such as `GCF_000005845.2`.
fn is_something_else(path: &Path) -> bool {
    let of_letters = |ending: String| ending.starts_with(|first: char| first.is_ascii_alphabetic());
    !is_fasta(path) && ending(path).is_some_and(of_letters)
}

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn fasta_is_told_by_names() {
        for name in ["a.fa", "a.b.FNA.gz", "x.fasta.zst", "x.fas.bz2"] {
            assert!(is_fasta(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "fa", "a.fq.gz", "a.fa.txt", "nodes.dmp"] {
            assert!(!is_fasta(Path::new(name)), "{name}");
        }
        for name in ["notes.txt", "a.gz", "nodes.dmp"] {
            assert!(is_something_else(Path::new(name)), "{name}");
        }
        for name in ["a.fa", "bacteria", "GCF_1.2"] {
            assert!(!is_something_else(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn links_are_followed_once_and_all_that_is_unreadable_is_listed() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for folder in ["g/a", "g/z", "other/deep"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        for file in ["g/a/1.fa", "g/z/2.fa", "other/deep/3.fa.gz", "g/notes.txt"] {
            fs::write(path(file), ">a\nA\n").unwrap();
        }
        symlink("../other", path("g/b")).unwrap();
        symlink("../other/deep", path("g/c")).unwrap();
        symlink("a/1.fa", path("g/d.fa")).unwrap();
        symlink("gone.txt", path("g/gone.txt")).unwrap();
        let mut walk = Walk::default();
        walk.take_named(&path("g"));
        assert!(walk.unreadable.is_empty(), "{:?}", walk.unreadable);
        let expected = ["g/a/1.fa", "g/b/deep/3.fa.gz", "g/d.fa", "g/z/2.fa"];
        assert_eq!(walk.files, expected.map(path));

        symlink("../../g", path("g/a/up")).unwrap();
        symlink("/gone/4.fa", path("g/e.fa")).unwrap();
        symlink("gone", path("g/GCF_1.2")).unwrap();
        symlink("q", path("g/r")).unwrap();
        symlink("r", path("g/q")).unwrap();
        let _socket = UnixListener::bind(path("g/s.fa")).unwrap();
        let mut walk = Walk::default();
        walk.take_named(&path("g"));
        walk.take_named(&path("nowhere.fa"));
        let told = walk.unreadable.iter().map(Unreadable::to_string);
        let told = Vec::from_iter(told).join("\n");
        assert_eq!(told.lines().count(), 7, "{told}");
        for words in [
            "g/GCF_1.2: a link to gone, which is not there",
            "g/a/up: a loop of links: ",
            "g/e.fa: a link to /gone/4.fa, which is not there",
            "g/q: a link to r, which leads back to the link",
            "g/r: a link to q, which leads back to the link",
            "g/s.fa: neither a file nor a directory",
            "nowhere.fa: No such file",
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}
