//! Where plain files in step can be cut: at records of the same name.
//!
//! ```text
//! next cut, about `part` bytes behind the last one:
//!   first file: the first record behind that place, by inspection
//!   each other: look for its name around where it must be if all records were alike:
//!               as far along what is left of that file
//!   not there, or there twice: try further on
//! ```
//! Nothing here is trusted. A part must begin with a record and end with one, its files must have
//! equal numbers of them, and all names are compared; the first that fails is looked into by reading
//! everything in order.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use thalweg_gzip::FileFrom;

use crate::file::InputFile;
use crate::record::{Boundary, find_record, id, same_template, template};
use crate::{Error, Format};

/// Bytes of the first file in which its first record is looked for: reads of up to 15,000 bases.
const NEAR: u64 = 64 << 10;

/// Bytes on either side in which the record of that name is looked for, first and at last. Mates of one
/// length are hit within a few names; trimmed ones drift apart, by the root of their number.
const AROUND: [u64; 2] = [64 << 10, 2 << 20];

/// Cuts files in step, of four-line FASTQ, into parts that can be read on their own.
pub(crate) struct Cutter {
    files: Vec<Arc<InputFile>>,
    sizes: Vec<u64>,
    /// Where the next part begins in each file.
    at: Vec<u64>,
    part: u64,
    number: u64,
    done: bool,
}

/// The bytes of one part in each file.
pub(crate) struct Cut {
    pub(crate) number: u64,
    pub(crate) ranges: Vec<Range<u64>>,
}

impl Cutter {
    /// A cutter of regular files; `part` are the bytes of a part in the first one.
    ///
    /// `None` if one of them is none.
    pub(crate) fn new(files: Vec<Arc<InputFile>>, part: u64) -> Option<Self> {
        let sizes: Option<Vec<u64>> = files.iter().map(|file| file.size()).collect();
        Some(Self {
            sizes: sizes?,
            at: vec![0; files.len()],
            part: part.max(1),
            files,
            number: 0,
            done: false,
        })
    }

    /// How many parts have been cut. Final when there are no more.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the first file that a part has, if cuts are found where they are looked for.
    pub(crate) fn part(&self) -> u64 {
        self.part
    }

    /// The next part.
    ///
    /// # Errors
    /// What reading gave.
    pub(crate) fn next(&mut self) -> Result<Option<Cut>, Error> {
        if self.done {
            return Ok(None);
        }
        let mut length = self.part;
        let end = loop {
            let place = self.at[0].saturating_add(length);
            if place >= self.sizes[0] {
                self.done = true;
                break self.sizes.clone();
            }
            if let Some(cut) = self.cut_behind(place)? {
                break cut;
            }
            length *= 2;
        };
        let start = std::mem::replace(&mut self.at, end.clone());
        let number = self.number;
        self.number += 1;
        let ranges = start.into_iter().zip(end).map(|(start, end)| start..end);
        Ok(Some(Cut {
            number,
            ranges: ranges.collect(),
        }))
    }

    /// The same record in all files, the first one behind `place` of the first file.
    fn cut_behind(&self, place: u64) -> Result<Option<Vec<u64>>, Error> {
        let Some((first, head)) = self.record_behind(place)? else {
            return Ok(None);
        };
        let mut cut = vec![first];
        for mate in 1..self.files.len() {
            // In proportion to what is left of both files, which need not have equal names or lengths.
            let passed = u128::from(first - self.at[0]);
            let (left, left_first) = (self.sizes[mate] - self.at[mate], self.sizes[0] - self.at[0]);
            let expected =
                self.at[mate] + (passed * u128::from(left) / u128::from(left_first)) as u64;
            let mut found = None;
            for around in AROUND {
                found = self.find_name(mate, expected, around, &head)?;
                if found.is_some() {
                    break;
                }
            }
            match found {
                Some(place) if place > self.at[mate] => cut.push(place),
                _ => return Ok(None),
            }
        }
        Ok(Some(cut))
    }

    /// Where the first record behind `place` of the first file starts, and its header line.
    fn record_behind(&self, place: u64) -> Result<Option<(u64, Vec<u8>)>, Error> {
        let bytes = read(&self.files[0], place..place + NEAR)?;
        let at_end = place + bytes.len() as u64 >= self.sizes[0];
        let Boundary::Found(start) = find_record(Format::Fastq, &bytes, 1.min(bytes.len()), at_end)
        else {
            return Ok(None);
        };
        Ok(head(&bytes[start..]).map(|head| (place + start as u64, head.to_vec())))
    }

    /// The only record with the name of `wanted` that starts within `around` bytes of `expected`.
    fn find_name(
        &self,
        mate: usize,
        expected: u64,
        around: u64,
        wanted: &[u8],
    ) -> Result<Option<u64>, Error> {
        let start = expected.saturating_sub(around).max(self.at[mate]);
        let end = expected.saturating_add(around).min(self.sizes[mate]);
        let bytes = read(&self.files[mate], start..end)?;
        let at_end = start + bytes.len() as u64 >= self.sizes[mate];
        let mut needle = b"\n@".to_vec();
        needle.extend_from_slice(template(id(wanted)));
        let mut found = None;
        for place in memchr::memmem::find_iter(&bytes, &needle) {
            let place = place + 1;
            let is_same = head(&bytes[place..]).is_some_and(|head| same_template(head, wanted));
            if !is_same
                || find_record(Format::Fastq, &bytes, place, at_end) != Boundary::Found(place)
            {
                continue;
            }
            if found.replace(start + place as u64).is_some() {
                return Ok(None);
            }
        }
        Ok(found)
    }
}

/// The header line at the start of `record`, without its `@`; `None` if its end is not there.
fn head(record: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'\n', record)?;
    let line = &record[1.min(end)..end];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

fn read(file: &InputFile, range: Range<u64>) -> Result<Vec<u8>, Error> {
    let Some(open) = file.regular() else {
        return Ok(Vec::new());
    };
    let mut bytes = Vec::new();
    FileFrom::new(Arc::clone(open), range.start)
        .take(range.end.saturating_sub(range.start))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(file.path(), error))?;
    Ok(bytes)
}
