//! Which output is written under which option: no file may be two of them.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::arguments::QcArguments;
use super::options::is_paired;
use crate::exit::Failure;

/// Refuse that two options name one file: what they write would be mixed, or one of them lost.
///
/// Only unpaired mates may share a file, as fastp has it, and what takes anything: `/dev/null`.
pub(crate) fn refuse_shared(arguments: &QcArguments) -> Result<(), Failure> {
    let mut known: Vec<(&str, Identity)> = Vec::new();
    for (role, path) in roles(arguments) {
        let Some(identity) = identity(path) else {
            continue;
        };
        let shared = known.iter().find(|(other, place)| {
            *place == identity && (*other, role) != ("--unpaired1", "--unpaired2")
        });
        if let Some((other, _)) = shared {
            return Err(Failure::usage(
                format!("{}: {other} and {role} name the same file", path.display()),
                match (*other, role) {
                    ("-o", "-O") => "give each its own, or say --stdout for interleaved output",
                    _ => "give each its own",
                },
            ));
        }
        known.push((role, identity));
    }
    Ok(())
}

/// The options that name outputs, with what they name.
fn roles(arguments: &QcArguments) -> Vec<(&'static str, &Path)> {
    let (files, pairs, reports) = (&arguments.files, &arguments.pairs, &arguments.reports);
    let standard_output = files.stdout.then(|| Path::new("-"));
    // --merged_out goes before --stdout, which it leaves nothing for.
    let standard_output = standard_output.filter(|_| !pairs.merge || pairs.merged_out.is_none());
    let report = |path| (!reports.no_report).then_some(path);
    let merged = pairs.merged_out.as_deref().filter(|_| is_paired(arguments));
    [
        ("--stdout", standard_output),
        ("-o", files.out1.as_deref()),
        ("-O", files.out2.as_deref()),
        ("--unpaired1", files.unpaired1.as_deref()),
        ("--unpaired2", files.unpaired2.as_deref()),
        ("--merged_out", merged),
        ("--overlapped_out", files.overlapped_out.as_deref()),
        ("--failed_out", files.failed_out.as_deref()),
        ("--json", report(reports.json.as_path())),
        ("--html", report(reports.html.as_path())),
    ]
    .into_iter()
    .filter_map(|(role, path)| Some((role, path?)))
    .collect()
}

/// Whether two names are those of one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || identity(one).is_some_and(|one| identity(other) == Some(one))
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
    let is_standard = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path == Path::new(name));
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
        Err(_) => Some(Identity::New(target(path))),
    }
}

/// Whether a device is the one that forgets all.
fn is_null(data: &Metadata) -> bool {
    fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == data.rdev())
}

/// Links that are followed, at most: as many as Linux follows.
const LINKS: usize = 40;

/// Where a file comes to be that is opened under the name `path`: behind links, without `.` and
/// `..`.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        path = directory(&path).join(next);
    }
    match fs::canonicalize(directory(&path)) {
        Ok(directory) => directory.join(path.file_name().unwrap_or(OsStr::new(""))),
        // Nothing can be made there.
        Err(_) => path,
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
