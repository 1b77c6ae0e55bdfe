//! Single records of a file in which all are equally long and ascend.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use super::DatabaseFormat;
use super::input::Input;
use crate::error::{Error, Result};

/// So few records are read at once.
const FEW: u64 = 32;

/// Records of one length, one after another, whose keys ascend unless the file is damaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) input: &'a Input,
    pub(super) format: DatabaseFormat,
    /// Where record 0 begins.
    pub(super) offset: u64,
    /// Bytes of a record; none if a record is what its number says.
    pub(super) bytes: usize,
    /// How many records are read on either side of those among which the one that is looked for must be.
    pub(super) beside: u64,
}

impl Row<'_> {
    /// The value of the record with the key `wanted`, which must be `among` these if it is there at all; `all` may be looked at.
    /// `parse` makes key and value of a record and its number; `buffer` is used.
    ///
    /// The records are halved until few are left. These are read with some beside them, and their order is checked. So a
    /// single record with a wrong key cannot hide another one nor pass for it, if `beside` is two or more: a search that it
    /// misleads ends at it, directly behind it or before it, where it and the neighbour that it should not have passed are read.
    ///
    /// Time: log2(records / 32) reads of one record, and one of some.
    ///
    /// # Errors
    /// [`Error::Damaged`] if keys do not ascend, [`Error::Io`], and those of `parse`.
    pub(super) fn find<Key: Ord>(
        &self,
        wanted: &Key,
        among: Range<u64>,
        all: Range<u64>,
        buffer: &mut Vec<u8>,
        parse: impl Fn(u64, &[u8]) -> Result<(Key, u64)>,
    ) -> Result<Option<u64>> {
        let (mut low, mut high) = (among.start, among.end);
        while high - low > FEW {
            let middle = low + (high - low) / 2;
            self.read(middle..middle + 1, buffer)?;
            let (key, _) = parse(middle, buffer)?;
            match key.cmp(wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => (low, high) = (middle, middle + 1),
            }
        }
        let start = low.saturating_sub(self.beside).max(all.start);
        let end = high.saturating_add(self.beside).min(all.end);
        self.read(start..end, buffer)?;
        let (mut before, mut found) = (None, None);
        for number in start..end {
            let at = (number - start) as usize * self.bytes;
            let (key, value) = parse(number, &buffer[at..][..self.bytes])?;
            if before.as_ref() >= Some(&key) {
                return Err(out_of_order(self.input.path(), self.format, number));
            }
            if key == *wanted {
                found = Some(value);
            }
            before = Some(key);
        }
        Ok(found)
    }

    fn read(&self, numbers: Range<u64>, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize((numbers.end - numbers.start) as usize * self.bytes, 0);
        let offset = self.offset + numbers.start * self.bytes as u64;
        self.input.read_at(buffer, offset)
    }
}

/// Record `number`, the first being 0, should not come behind the one before it.
pub(super) fn out_of_order(path: &Path, format: DatabaseFormat, number: u64) -> Error {
    Error::Damaged {
        path: path.to_path_buf(),
        format: format.name(),
        reason: format!("its k-mers are out of order at record {}", number + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Every key in a row of 120, of which one was changed to anything between all others: it is found, or the damage is told.
    #[test]
    fn no_changed_key_hides_another() {
        let sound: Vec<u8> = (0..120).map(|i| i + 60).collect();
        let mut hidden = 0;
        for place in 0..sound.len() {
            for wrong in (0..=255).step_by(5) {
                let mut keys = sound.clone();
                keys[place] = wrong;
                let mut file = tempfile::tempfile().expect("a file");
                file.write_all(&keys).expect("room");
                let input = Input::from_file(file, Path::new("keys")).expect("a file");
                let row = Row {
                    input: &input,
                    format: DatabaseFormat::Jellyfish,
                    offset: 0,
                    bytes: 1,
                    beside: 2,
                };
                for wanted in sound.iter().filter(|&&key| key != sound[place]) {
                    let all = 0..keys.len() as u64;
                    let parse = |number, record: &[u8]| Ok((record[0], number));
                    match row.find(wanted, all.clone(), all, &mut Vec::new(), parse) {
                        Ok(found) => assert_eq!(found, Some(u64::from(wanted - 60))),
                        Err(error) => {
                            assert!(error.to_string().contains("out of order"), "{error}");
                            hidden += 1;
                        }
                    }
                }
            }
        }
        assert!(hidden > 1000, "{hidden}");
    }

    #[test]
    fn records_of_no_bytes_are_their_numbers() {
        let file = tempfile::tempfile().expect("a file");
        let input = Input::from_file(file, Path::new("nothing")).expect("a file");
        let row = Row {
            input: &input,
            format: DatabaseFormat::Kmc,
            offset: 4,
            bytes: 0,
            beside: 2,
        };
        let parse = |number, _: &[u8]| Ok((2 * number, number));
        for (wanted, found) in [(0, Some(0)), (3, None), (1998, Some(999)), (2000, None)] {
            let result = row.find(&wanted, 0..1000, 0..1000, &mut Vec::new(), parse);
            assert_eq!(result.expect("in order"), found);
        }
    }
}
