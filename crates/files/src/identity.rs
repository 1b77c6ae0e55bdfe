//! Whether bytes are still those that were opened.

use std::fs::Metadata;
use std::time::SystemTime;

/// What can be told of a file without reading it: a plain value, to be kept, sent and compared.
///
/// Two that differ are of two files, or of one that was changed in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Bytes that it has.
    pub length: u64,
    /// When its bytes were last written: seconds since 1970, negative before, and nanoseconds (0..10^9).
    /// `None` of memory, and where the system does not know.
    pub modified: Option<(i64, u32)>,
    /// Numbers of its device and of its inode: which of the files of this machine it is, whatever name it has.
    /// `None` where there are no such numbers.
    pub inode: Option<(u64, u64)>,
}

impl Identity {
    /// Of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok().map(since_1970),
            inode: inode(metadata),
        }
    }

    /// Of as many bytes in memory.
    pub fn of_memory(length: u64) -> Self {
        Self {
            length,
            modified: None,
            inode: None,
        }
    }

    /// Whether size and time are the same: so they are of a copy that keeps them, too, and of the same file as another
    /// machine sees it.
    pub fn is_alike(&self, other: &Self) -> bool {
        (self.length, self.modified) == (other.length, other.modified)
    }
}

fn since_1970(time: SystemTime) -> (i64, u32) {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => (after.as_secs() as i64, after.subsec_nanos()),
        Err(before) => match (
            before.duration().as_secs() as i64,
            before.duration().subsec_nanos(),
        ) {
            (seconds, 0) => (-seconds, 0),
            (seconds, part) => (-seconds - 1, 1_000_000_000 - part),
        },
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use super::*;
    use crate::ReadAt;

    #[test]
    fn other_and_changed_files_differ() {
        let directory = tempfile::tempdir().unwrap();
        let [path, other] = ["a", "b"].map(|name| directory.path().join(name));
        fs::write(&path, "text").unwrap();
        fs::write(&other, "text").unwrap();
        let open = |path| File::options().write(true).open(path).unwrap();
        let (file, other) = (open(&path), open(&other));
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000, 7);
        for file in [&file, &other] {
            file.set_modified(time).unwrap();
        }
        let before = file.identity().unwrap();
        assert_eq!((before.length, before.modified), (4, Some((1_000, 7))));
        assert_eq!(open(&path).identity().unwrap(), before);
        assert!(other.identity().unwrap().is_alike(&before));
        #[cfg(unix)]
        assert_ne!(other.identity().unwrap(), before);

        file.set_modified(time + Duration::from_nanos(1)).unwrap();
        assert!(!file.identity().unwrap().is_alike(&before));
        file.set_len(5).unwrap();
        file.set_modified(time).unwrap();
        assert!(!file.identity().unwrap().is_alike(&before));
    }

    #[test]
    fn times_before_1970_are_in_order() {
        let at = |seconds, part| SystemTime::UNIX_EPOCH - Duration::new(seconds, part);
        assert_eq!(since_1970(at(2, 0)), (-2, 0));
        assert_eq!(since_1970(at(1, 1)), (-2, 999_999_999));
        assert_eq!(since_1970(at(0, 1)), (-1, 999_999_999));
    }

    #[test]
    fn memory_has_a_length() {
        assert_eq!([1, 2, 3].identity().unwrap(), Identity::of_memory(3));
    }
}
