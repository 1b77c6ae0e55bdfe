//! Names of reads that are wanted.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_files::{ListTextError, check_returns, without_mark};
use thalweg_reads::{Error, ErrorKind, FileText};

use crate::Control;

/// Names, and which of them were found.
///
/// The hashes are those of the standard library, which nobody can make collide from outside.
#[derive(Debug, Default)]
pub struct NameList {
    names: HashMap<Box<[u8]>, AtomicBool>,
}

impl NameList {
    /// Read a list with a name on each line, of which only what comes before the first space or tab is taken. Lines without
    /// a name are skipped, and so is a byte order mark; a name may begin with `#`. `-` is the standard input; compressed lists
    /// are told from their content.
    ///
    /// # Errors
    /// What the system says, and what is wrong with compressed data; a [`ListTextError`]; that it was cancelled.
    pub fn read(path: &Path, control: &Control) -> Result<Self, Error> {
        let mut text = FileText::open(path)?;
        let mut list = Self::default();
        let mut open = Vec::new();
        let mut number = 0;
        let mut add = |line: &[u8]| {
            number += 1;
            let added = list.add_line(line, number);
            added.map_err(|error| Error::new(ErrorKind::Io(error.into())).in_file(path))
        };
        loop {
            control.check()?;
            let more = text.read(usize::MAX)?;
            if more.is_empty() {
                add(&open)?;
                return Ok(list);
            }
            let mut lines = more.split(|&byte| byte == b'\n');
            // There is one at least, and the last one may go on.
            let mut line = lines.next().unwrap_or_default();
            for next in lines {
                match open.is_empty() {
                    true => add(line)?,
                    false => {
                        open.extend_from_slice(line);
                        add(&open)?;
                        open.clear();
                    }
                }
                line = next;
            }
            open.extend_from_slice(line);
        }
    }

    /// Number of different names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a name is in the list; it counts as found then.
    #[inline]
    pub fn find(&self, name: &[u8]) -> bool {
        match self.names.get(name) {
            Some(found) => {
                // Each is written once, so that threads do not take the line from each other's cache.
                if !found.load(Ordering::Relaxed) {
                    found.store(true, Ordering::Relaxed);
                }
                true
            }
            None => false,
        }
    }

    /// The names that were not found, sorted by their bytes.
    pub fn missing(&self) -> Vec<&[u8]> {
        let missing = self
            .names
            .iter()
            .filter(|(_, found)| !found.load(Ordering::Relaxed));
        let mut missing: Vec<&[u8]> = missing.map(|(name, _)| &**name).collect();
        missing.sort_unstable();
        missing
    }

    /// Adds the name in the line of this number, counted from 1.
    fn add_line(&mut self, line: &[u8], number: u64) -> Result<(), ListTextError> {
        let line = match number {
            1 => without_mark(line)?,
            _ => line,
        };
        check_returns(line, number)?;
        let name = line.split(u8::is_ascii_whitespace).next();
        let name = name.unwrap_or_default();
        if !name.is_empty() && !self.names.contains_key(name) {
            self.names.insert(name.into(), AtomicBool::new(false));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_the_first_blank() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a 1:N:0\r\nb\r\n\n\tx\nc\td\na\ne").unwrap();
        let list = NameList::read(file.path(), &Control::default()).unwrap();
        assert_eq!(list.len(), 4);
        assert_eq!(list.missing(), [b"a", b"b", b"c", b"e"]);
        assert!(list.find(b"b") && list.find(b"e") && list.find(b"b"));
        assert!(!list.find(b"x") && !list.find(b"") && !list.find(b"a 1:N:0"));
        assert_eq!(list.missing(), [b"a", b"c"]);
    }

    #[test]
    fn marks_and_hashes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &[u8]| {
            std::fs::write(file.path(), text).unwrap();
            NameList::read(file.path(), &Control::default())
        };
        let list = read(b"\xef\xbb\xbf#a 1\r\nb \r\n").unwrap();
        assert_eq!(list.missing(), [&b"#a"[..], b"b"]);
        for (text, told) in [
            (&b"\xff\xfea\0\n\0"[..], "text in UTF-16"),
            (b"a\nb\rc\rd", "line 2: a carriage return without a newline"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn lines_longer_than_what_is_read_at_once_are_whole() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let names: Vec<String> = (0..40_000).map(|number| format!("{number:0>40}")).collect();
        let long = "n".repeat(700_000);
        std::fs::write(file.path(), format!("{}\n{long}", names.join("\n"))).unwrap();
        let list = NameList::read(file.path(), &Control::default()).unwrap();
        assert_eq!(list.len(), names.len() + 1);
        assert!(names.iter().all(|name| list.find(name.as_bytes())));
        assert!(list.find(long.as_bytes()));
        assert!(list.missing().is_empty());
    }
}
