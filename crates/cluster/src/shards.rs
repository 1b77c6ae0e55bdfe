//! The directory of a set: what may be in it, and how shards get their names.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use thalweg::count::{self, OutputFile, Target, provenance};
use thalweg::kmers::database::set::{MANIFEST, Manifest};

use crate::directory_lock::{DirectoryLock, LOCK};
use crate::{Fault, Ownership};

/// Where what is counted goes.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Nowhere: totals and a spectrum are all that is wanted.
    Nowhere,
    /// A set in this directory: a shard of each rank.
    Set(PathBuf),
    /// One database, merged by rank 0 of shards that lie beside it meanwhile.
    Merged(Target),
}

/// How names begin.
const PREFIX: &str = "shard-";

/// What is behind a name until all shards are whole.
const UNFINISHED: &str = ".unfinished";

impl Destination {
    /// The directory of shards.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        match self {
            Self::Nowhere => None,
            Self::Set(directory) => Some(directory.clone()),
            Self::Merged(target) => {
                let mut name = target.path.clone().into_os_string();
                name.push(".shards");
                Some(name.into())
            }
        }
    }
}

/// The name of the shard of a rank.
pub(crate) fn name(rank: usize, ranks: usize) -> String {
    format!("{PREFIX}{rank:05}-of-{ranks:05}.thk")
}

/// Its name until it is whole.
pub(crate) fn unfinished(directory: &Path, rank: usize, ranks: usize) -> PathBuf {
    directory.join(name(rank, ranks) + UNFINISHED)
}

/// Whether it is a name that we give, and whether it is that of an unfinished shard.
fn is_ours(name: &OsStr) -> (bool, bool) {
    let name = name.to_string_lossy();
    let (stem, is_unfinished) = match name.strip_suffix(UNFINISHED) {
        Some(stem) => (stem, true),
        None => (&*name, false),
    };
    let is_number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = stem
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(".thk")?.split_once("-of-"));
    let is_shard = numbers.is_some_and(|(rank, ranks)| is_number(rank) && is_number(ranks));
    (is_shard, is_shard && is_unfinished)
}

/// Make the directory, if it is not there, and lock it; else see that it is empty, or has a set or shards of ours. Unfinished
/// ones, of a job that failed, are removed. The set stays until another one is whole.
pub(crate) fn prepare(directory: &Path) -> Result<DirectoryLock, Fault> {
    let failed = |error| count::Fault::io(directory, error);
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made.map_err(failed)?,
    }
    refuse_foreign(directory)?;
    let lock = DirectoryLock::take(directory)?;
    for name in names(directory)? {
        if is_ours(&name).1 {
            remove(&directory.join(name))?;
        }
    }
    Ok(lock)
}

/// See that a directory has nothing but a set or shards of ours.
fn refuse_foreign(directory: &Path) -> Result<(), Fault> {
    if directory.join(MANIFEST).exists() {
        // What is not ours is refused.
        Manifest::read(directory)?;
    }
    let is_foreign = |name: &OsString| !is_ours(name).0 && name != MANIFEST && name != LOCK;
    match names(directory)?.into_iter().find(is_foreign) {
        None => Ok(()),
        Some(name) => Err(Fault::usage(
            format!(
                "{}: is not empty, and {} is not a shard of a set",
                directory.display(),
                name.display()
            ),
            "name another directory, or one that is to be made",
        )),
    }
}

fn names(directory: &Path) -> Result<Vec<OsString>, Fault> {
    let names = std::fs::read_dir(directory).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name()));
        names.collect()
    });
    names.map_err(|error| count::Fault::io(directory, error).into())
}

/// Remove the set that is there, its manifest first: nothing is valid without that.
pub(crate) fn remove_set(directory: &Path) -> Result<(), Fault> {
    remove(&directory.join(MANIFEST))?;
    for name in names(directory)? {
        if is_ours(&name) == (true, false) {
            remove(&directory.join(name))?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), Fault> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(count::Fault::io(path, error).into())
        }
        _ => Ok(()),
    }
}

/// Give a whole shard its name.
pub(crate) fn rename(directory: &Path, rank: usize, ranks: usize) -> Result<(), Fault> {
    let path = directory.join(name(rank, ranks));
    std::fs::rename(unfinished(directory, rank, ranks), &path)
        .map_err(|error| count::Fault::io(&path, error).into())
}

/// Write the manifest: the directory is a set from then on.
pub(crate) fn write_manifest(
    directory: &Path,
    ownership: &Ownership,
    ranks: usize,
) -> Result<(), Fault> {
    let shards = (0..ranks).map(|rank| (name(rank, ranks), ownership.range(rank)));
    let manifest = Manifest::of_shards(directory, shards, provenance())?;
    let mut file = OutputFile::create_plain(&directory.join(MANIFEST))?;
    file.write(manifest.to_json().as_bytes())?;
    Ok(file.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        let check = |name: &str| is_ours(OsStr::new(name));
        assert_eq!(check(&name(3, 128)), (true, false));
        assert_eq!(check(&name(123_456, 200_000)), (true, false));
        assert_eq!(check("shard-00003-of-00128.thk.unfinished"), (true, true));
        for other in [
            "shard-3-of-8.thk",
            "shard-00003-of-00128.thk.bak",
            "shard-.thk",
            "x",
            "shard-0000a-of-00001.thk",
        ] {
            assert_eq!(check(other), (false, false), "{other}");
        }
    }

    #[test]
    fn two_runs_do_not_share_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let set = directory.path().join("set");
        let lock = prepare(&set).unwrap();
        // What the first one is writing.
        std::fs::write(unfinished(&set, 0, 2), "part").unwrap();
        let fault = prepare(&set).unwrap_err();
        assert_eq!(fault.code(), 2);
        let process = format!("process {}", std::process::id());
        assert!(fault.to_string().contains(&process), "{fault}");
        assert!(unfinished(&set, 0, 2).exists());
        drop(lock);
        drop(prepare(&set).unwrap());
        assert_eq!(std::fs::read_dir(&set).unwrap().count(), 0);
        // The file of a run that was killed, which holds no lock any more.
        std::fs::write(set.join(LOCK), "node1, process 1").unwrap();
        drop(prepare(&set).unwrap());
        assert!(!set.join(LOCK).exists());
    }

    #[test]
    fn what_is_not_ours_stays() {
        let directory = tempfile::tempdir().unwrap();
        let set = directory.path().join("set");
        drop(prepare(&set).unwrap());
        drop(prepare(&set).unwrap());
        std::fs::write(unfinished(&set, 0, 2), "part").unwrap();
        drop(prepare(&set).unwrap());
        assert_eq!(std::fs::read_dir(&set).unwrap().count(), 0);
        std::fs::write(unfinished(&set, 0, 2), "part").unwrap();
        std::fs::write(set.join("thesis.tex"), "text").unwrap();
        let fault = prepare(&set).unwrap_err().to_string();
        assert!(fault.contains("thesis.tex"), "{fault}");
        // Nothing was removed.
        assert!(unfinished(&set, 0, 2).exists());
        std::fs::remove_file(set.join("thesis.tex")).unwrap();
        std::fs::write(set.join(MANIFEST), "{}").unwrap();
        assert!(
            prepare(&set)
                .unwrap_err()
                .to_string()
                .contains("not of a k-mer set")
        );
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(prepare(&file).is_err());
    }
}
