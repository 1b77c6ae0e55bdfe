//! Whether two outputs would be one, however they are spelled.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::{is_standard_output, resolve};

/// Whether two names are those of one file, which need not be there yet.
pub fn is_same(one: &Path, other: &Path) -> bool {
    one == other || identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// The first of `roles`, each with what it names, that names the same file as one before it, but for those that
/// `may_share` one: the role before it, its own, and the name.
pub fn find_shared<'a>(
    roles: impl IntoIterator<Item = (&'static str, &'a Path)>,
    may_share: impl Fn(&str, &str) -> bool,
) -> Option<(&'static str, &'static str, &'a Path)> {
    let mut known: Vec<(&str, Identity)> = Vec::new();
    for (role, path) in roles {
        let Some(identity) = identity(path) else {
            continue;
        };
        let shared = known
            .iter()
            .find(|(other, place)| *place == identity && !may_share(other, role));
        if let Some((other, _)) = shared {
            return Some((other, role, path));
        }
        known.push((role, identity));
    }
    None
}

/// What a name stands for.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// The terminal, or another device, that the standard output is.
    StandardOutput,
    /// A file or pipe that is there, by device and inode.
    Inode(u64, u64),
    /// A file that is not there yet.
    New(PathBuf),
}

/// What `path` stands for; `None` where it can be shared.
fn identity(path: &Path) -> Option<Identity> {
    let is_standard = is_standard_output(path);
    let found = match is_standard {
        true => fs::metadata("/dev/stdout"),
        false => fs::metadata(path),
    };
    match found {
        Ok(data) if data.file_type().is_char_device() => {
            (is_standard && !is_null(&data)).then_some(Identity::StandardOutput)
        }
        Ok(data) => Some(Identity::Inode(data.dev(), data.ino())),
        Err(_) if is_standard => Some(Identity::StandardOutput),
        Err(_) => Some(Identity::New(resolve(path))),
    }
}

/// Whether a device is the one that forgets all.
fn is_null(data: &Metadata) -> bool {
    fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == data.rdev())
}
