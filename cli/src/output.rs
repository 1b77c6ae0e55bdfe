//! Where results go: the standard output, or a file that gets its name when it
//! is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use tempfile::{NamedTempFile, TempPath};

use crate::exit::Failure;
use crate::signals::{Cleanup, remove_on_signal};

/// An output that blocks of bytes are written to as they are: no buffer, no
/// copy. [`Output::finish`] must be called; dropping it before leaves nothing
/// behind.
pub(crate) struct Output {
    path: PathBuf,
    file: File,
    target: Target,
}

enum Target {
    /// The standard output, a pipe or a device: written to directly.
    Direct,
    /// A file without a name: nothing is left of it however this process ends.
    Unnamed,
    /// A file with a temporary name, removed when dropped or on a signal.
    Named(TempPath, Cleanup),
}

impl Output {
    /// The standard output.
    pub(crate) fn stdout() -> Result<Self, Failure> {
        let path = PathBuf::from("standard output");
        // std's own handle looks for line ends in what it is given.
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let file = file.map_err(|error| Failure::io(&path, error))?;
        Ok(Self::direct(path, file))
    }

    /// A file that will appear under `path`; an older one is replaced then.
    /// `-` is the standard output; pipes and devices are written to directly.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Self::stdout();
        }
        let fail = |error| Failure::io(path, error);
        // A link stays; what it points to is replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Ok(metadata) = fs::metadata(path) {
            let kind = metadata.file_type();
            if kind.is_dir() {
                return Err(fail(io::ErrorKind::IsADirectory.into()));
            }
            if kind.is_fifo() || kind.is_char_device() || kind.is_block_device() {
                let file = fs::OpenOptions::new()
                    .write(true)
                    .open(path)
                    .map_err(fail)?;
                return Ok(Self::direct(path.clone(), file));
            }
        }
        let (file, target) = match create_unnamed(directory_of(path)) {
            Ok(file) => (file, Target::Unnamed),
            // Not all file systems have this, networked ones mostly not.
            Err(_) => {
                let (file, path) = create_named(path).map_err(fail)?.into_parts();
                let cleanup = remove_on_signal(&path);
                (file, Target::Named(path, cleanup))
            }
        };
        Ok(Self {
            path: path.clone(),
            file,
            target,
        })
    }

    fn direct(path: PathBuf, file: File) -> Self {
        enlarge_pipe(&file);
        Self {
            path,
            file,
            target: Target::Direct,
        }
    }

    /// Write all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file
            .write_all(bytes)
            .map_err(|error| Failure::io(&self.path, error))
    }

    /// Make sure that everything has arrived, and give the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { path, file, target } = self;
        let fail = |error| Failure::io(&path, error);
        match target {
            Target::Direct => return close(file).map_err(fail),
            Target::Unnamed => {
                file.sync_all().map_err(fail)?;
                name(&file, &path).map_err(fail)?;
            }
            Target::Named(temporary, _cleanup) => {
                file.sync_all().map_err(fail)?;
                temporary
                    .persist(&path)
                    .map_err(|error| fail(error.error))?;
            }
        }
        close(file).map_err(fail)?;
        // So that the name survives a power failure too, where that is possible.
        if let Ok(directory) = File::open(directory_of(&path)) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

/// Print a text that is a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Refuse to write over a file that is being read.
pub(crate) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let identity = |path: &Path| {
        fs::metadata(path)
            .ok()
            .map(|data| (data.dev(), data.ino(), data.is_file()))
    };
    let Some((device, inode, true)) = identity(output) else {
        return Ok(());
    };
    for input in inputs {
        if identity(input) == Some((device, inode, true)) {
            return Err(Failure::usage(
                format!("{}: is an input file too", output.display()),
                "write to another name",
            ));
        }
    }
    Ok(())
}

/// The directory of a path, `.` if it names none.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

fn create_unnamed(directory: &Path) -> io::Result<File> {
    fs::OpenOptions::new()
        .write(true)
        .mode(0o666)
        .custom_flags(OFlag::O_TMPFILE.bits())
        .open(directory)
}

/// Give an unnamed file its name. A name that is taken cannot be linked to, so
/// the file gets a temporary one first and is renamed: both take microseconds.
fn name(file: &File, path: &Path) -> io::Result<()> {
    let itself = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let link = |to: &Path| {
        nix::unistd::linkat(AT_FDCWD, &itself, AT_FDCWD, to, AtFlags::AT_SYMLINK_FOLLOW)
            .map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let temporary = create_named(path)?.into_temp_path();
            fs::remove_file(&temporary)?;
            link(&temporary)?;
            temporary.persist(path).map_err(|error| error.error)
        }
        outcome => outcome,
    }
}

/// A file with a temporary name in the directory of `path`, with the
/// permissions that the user's umask gives any other file.
fn create_named(path: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    tempfile::Builder::new()
        .prefix(&prefix)
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(directory_of(path))
}

/// Close with the failure that std drops: where data are sent only now, as on
/// NFS, a full disk shows itself here.
fn close(file: File) -> io::Result<()> {
    nix::unistd::close(OwnedFd::from(file)).map_err(io::Error::from)
}

/// Let a whole block fit into a pipe, if it is one, so that its two ends need
/// not wake each other up for every 64 KiB.
fn enlarge_pipe(file: &File) {
    const BLOCK: i32 = 1 << 20;
    // Fails for other files, and where the administrator set a lower limit.
    let _ = nix::fcntl::fcntl(file, nix::fcntl::FcntlArg::F_SETPIPE_SZ(BLOCK));
}
