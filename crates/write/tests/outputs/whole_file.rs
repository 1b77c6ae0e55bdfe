//! One output of one thread: what is there before and after it has its name, and what is not.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use crate::support::names;
use thalweg_write::{
    Error, Level, OutputFormat, OutputOptions, OutputPiece, Outputs, SealedFile, WholeFile,
    is_stream, ordinal, resolve,
};

fn write(path: &Path, blocks: &[&[u8]]) -> Result<(), Error> {
    let mut file = WholeFile::open(path)?;
    for block in blocks {
        file.write(block)?;
    }
    file.finish()
}

#[test]
fn a_file_appears_when_it_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new");
    for old in [None, Some(&b"old"[..])] {
        // What was there before stays until then.
        let is_old = || fs::read(&path).ok().as_deref() == old;
        let mut file = WholeFile::open(&path).unwrap();
        file.write(b"ACGT").unwrap();
        assert!(is_old());
        drop(file);
        assert!(is_old());
        write(&path, &[b"", b"AC", b"GT"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ACGT");
        assert_eq!(names(directory.path()), ["new"]);
        fs::write(&path, b"old").unwrap();
    }
    // Its permissions are those of any other new file.
    write(&path, &[]).unwrap();
    fs::File::create(directory.path().join("usual")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&directory.path().join("usual")));
}

/// What is compressed goes out when it is finished: a full disk is told then.
#[test]
fn of_several_none_appears_before_all_are_safe() {
    let directory = tempfile::tempdir().unwrap();
    let compressed = |path: &Path| {
        let mut file = WholeFile::open_as(path, OutputFormat::Gzip, Level::default()).unwrap();
        file.write(b"ACGT").unwrap();
        file
    };
    let path = |name: &str| directory.path().join(name);
    let files = |second: &Path| [path("first").as_path(), second].map(compressed);
    let error = WholeFile::finish_all(files(Path::new("/dev/full"))).unwrap_err();
    assert!(matches!(error, Error::Write { .. }), "{error}");
    assert!(names(directory.path()).is_empty());
    let sealed = files(&path("second")).map(|file| file.seal().unwrap());
    assert!(names(directory.path()).is_empty());
    drop(sealed);
    assert!(names(directory.path()).is_empty());
    WholeFile::finish_all(files(&path("second"))).unwrap();
    assert_eq!(names(directory.path()), ["first", "second"]);

    // Beside outputs of all threads, which fail as well.
    let seal = |name: &str| {
        let options = OutputOptions::new(path(name)).format(OutputFormat::Gzip);
        let outputs = Outputs::open(vec![options], 1).unwrap();
        let (mut writer, mut text) = (outputs.writer().unwrap(), b"ACGT\n".to_vec());
        let written = writer.write(ordinal(0), &mut [OutputPiece::new(&mut text, 1)]);
        drop(writer);
        written.and_then(|()| outputs.seal(1))
    };
    assert!(seal("/dev/full").is_err());
    drop(seal("third").unwrap());
    assert!(!path("third").exists());
    let (outputs, file) = (seal("third").unwrap(), compressed(&path("fourth")).seal());
    assert!(!path("third").exists());
    assert_eq!(outputs.name_with(file).unwrap()[0][0].records, 1);
    assert!(path("third").exists() && path("fourth").exists());
    let file: Option<SealedFile> = None;
    SealedFile::name_all(file).unwrap();
}

#[test]
fn links_stay_and_their_targets_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/old"), b"old").unwrap();
    symlink("folder/old", at("to_old")).unwrap();
    symlink("folder/new", at("to_new")).unwrap();
    symlink("to_newer", at("to_link")).unwrap();
    symlink(at("folder/newer"), at("to_newer")).unwrap();
    symlink("folder", at("to_folder")).unwrap();
    for (path, target) in [
        ("to_old", "folder/old"),
        ("to_new", "folder/new"),
        ("to_link", "folder/newer"),
        ("to_folder/newest", "folder/newest"),
    ] {
        assert_eq!(
            resolve(&at(path)),
            fs::canonicalize(directory.path()).unwrap().join(target)
        );
        write(&at(path), &[path.as_bytes()]).unwrap();
        assert_eq!(fs::read(at(target)).unwrap(), path.as_bytes(), "{path}");
    }
    for link in ["to_old", "to_new", "to_link", "to_newer", "to_folder"] {
        assert!(at(link).is_symlink(), "{link}");
    }
    assert_eq!(names(&at("folder")), ["new", "newer", "newest", "old"]);
    // Where links lead nowhere, or in a circle, nothing is made.
    symlink("none/new", at("to_nowhere")).unwrap();
    symlink("circle", at("circle")).unwrap();
    for link in ["to_nowhere", "circle"] {
        let error = write(&at(link), &[]).unwrap_err();
        assert!(matches!(error, Error::Open { path, .. } if path == at(link)));
        assert!(at(link).is_symlink(), "{link}");
    }
    assert_eq!(names(directory.path()).len(), 8);
}

#[test]
fn a_directory_that_is_exchanged_meanwhile_makes_no_difference() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("first")).unwrap();
    fs::create_dir(at("second")).unwrap();
    symlink("first", at("link")).unwrap();
    let mut file = WholeFile::open(at("link/new")).unwrap();
    file.write(b"ACGT").unwrap();
    fs::remove_file(at("link")).unwrap();
    symlink("second", at("link")).unwrap();
    file.finish().unwrap();
    assert_eq!(fs::read(at("first/new")).unwrap(), b"ACGT");
    assert!(names(&at("second")).is_empty());
}

#[test]
fn pipes_and_devices_are_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let link = directory.path().join("link");
    symlink("pipe", &link).unwrap();
    let text = vec![b'A'; 3 << 20];
    for path in [&pipe, &link] {
        assert!(is_stream(path));
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&pipe).unwrap());
            write(path, &[&text, b"C"]).unwrap();
            reader.join().unwrap()
        });
        assert!(read.starts_with(&text) && read.ends_with(b"AC"));
    }
    assert_eq!(names(directory.path()), ["link", "pipe"]);
    assert!(is_stream(Path::new("/dev/null")) && is_stream(Path::new("-")));
    assert!(!is_stream(directory.path()) && !is_stream(&directory.path().join("none")));
    write(Path::new("/dev/null"), &[&text]).unwrap();
    assert!(is_stream(Path::new("/dev/null")));
}

#[test]
fn a_reader_that_goes_is_told_apart_from_a_full_device() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut reader = fs::File::open(&pipe).unwrap();
            reader.read_exact(&mut [0; 10]).unwrap();
            std::thread::sleep(Duration::from_millis(10));
        });
        write(&pipe, &[&[b'A'; 3 << 20]]).unwrap_err()
    });
    assert!(matches!(error, Error::ClosedPipe { .. }), "{error}");
    let error = write(Path::new("/dev/full"), &[b"", b"ACGT"]).unwrap_err();
    let Error::Write { offset, source, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((offset, source.kind()), (0, ErrorKind::StorageFull));
}

#[test]
fn what_cannot_be_written_to_is_refused_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let _listener = UnixListener::bind(at("socket")).unwrap();
    let refused = |path: &Path| match WholeFile::open(path) {
        Err(Error::Open { path: told, source }) => {
            assert_eq!(told, path);
            source.kind()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(directory.path()), ErrorKind::IsADirectory);
    assert_eq!(refused(&at("none/new")), ErrorKind::NotFound);
    assert_eq!(refused(Path::new("")), ErrorKind::NotFound);
    // A socket is no file that could be replaced.
    refused(&at("socket"));
    assert_eq!(names(directory.path()), ["socket"]);
}
