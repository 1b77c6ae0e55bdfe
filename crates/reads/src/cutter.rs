//! Where files can be cut whose records belong together by name: files in step at records of the same name,
//! interleaved ones between two pairs.
//!
//! ```text
//! next cut, about `part` bytes behind the last one:
//!   first file: the first record behind that place, by inspection; of BGZF, in the first block behind it
//!               (interleaved: the first that has the name of the next one, and that another than the one after it)
//!   each other: look for its name around where it must be if all records were alike:
//!               as far along what is left of that file
//!   not there, or there twice: try further on
//! ```
//! Nothing here is trusted. A part must begin with a record and end with one, its files must have
//! equal numbers of them, and all names are compared; the first that fails is looked into by reading
//! everything in order.

mod window;

use std::ops::Range;
use std::sync::Arc;

use thalweg_formats::name::id;
use thalweg_formats::{Boundary, MateNames, find_record};

pub(crate) use self::window::{Cutpoint, Framing};

use self::window::Window;
use crate::file::InputFile;
use crate::{Error, Format};

/// Bytes of a plain file in which its first record is looked for: reads of up to 15,000 bases; of an interleaved one,
/// where five records must fit, 6,000.
const NEAR: &[u64] = &[64 << 10];

/// The same of BGZF, on disk: one block, which has the start of a short read, then reads of some
/// 30,000 bases, or mates of 12,000.
const NEAR_BLOCKS: &[u64] = &[1, 64 << 10];

/// Bytes on either side in which the record of that name is looked for, until it is found. Mates of one
/// length are hit within a few names; trimmed ones drift apart, by the root of their number.
const AROUND: [u64; 2] = [64 << 10, 2 << 20];

/// The same of BGZF, on disk, as shares of a part: of 1 MiB first one or two blocks on either side. What is looked
/// through is decoded twice, and only one thread at a time cuts.
const AROUND_BLOCKS: [u64; 3] = [32, 8, 2];

/// Bytes on disk that are looked through on either side, at least, however small the parts.
const LEAST_AROUND: u64 = 2 << 10;

/// How often the first cut is tried, each time twice as far away, before files are read in order.
const TRIALS: u32 = 3;

/// Cuts files in step, or an interleaved one, of four-line FASTQ into parts that can be read on their own.
pub(crate) struct Cutter {
    files: Vec<Arc<InputFile>>,
    sizes: Vec<u64>,
    framing: Framing,
    interleaved: bool,
    names: MateNames,
    /// Where the next part begins in each file.
    at: Vec<Cutpoint>,
    /// The first cut, if it has been looked for.
    first: Option<Vec<Cutpoint>>,
    part: u64,
    number: u64,
    done: bool,
}

/// What one part has of each file.
pub(crate) struct Cut {
    pub(crate) number: u64,
    /// They end at the size of the file, or at a cutpoint.
    pub(crate) ranges: Vec<Range<Cutpoint>>,
}

impl Cutter {
    /// A cutter of regular files, all of one framing; `part` are the bytes of a part in the first one, on disk.
    /// One file alone is interleaved. `names` tell mates.
    ///
    /// `None` if one of them is no regular file.
    pub(crate) fn new(
        files: Vec<Arc<InputFile>>,
        framing: Framing,
        part: u64,
        names: MateNames,
    ) -> Option<Self> {
        let sizes: Option<Vec<u64>> = files.iter().map(|file| file.size()).collect();
        Some(Self {
            sizes: sizes?,
            framing,
            interleaved: files.len() == 1,
            names,
            at: vec![Cutpoint::START; files.len()],
            first: None,
            part: part.max(1),
            files,
            number: 0,
            done: false,
        })
    }

    /// Whether the first cut is found soon. Otherwise one part would be all, or most, and have one reader.
    ///
    /// # Errors
    /// What reading gave.
    pub(crate) fn can_cut(&mut self) -> Result<bool, Error> {
        let places = (0..TRIALS).map(|trial| self.part.saturating_mul(1 << trial));
        for place in places.take_while(|place| *place < self.sizes[0]) {
            self.first = self.cut_behind(place)?;
            if self.first.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many parts have been cut. Final when there are no more.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Uncompressed bytes that a part has, roughly, if cuts are found where they are looked for.
    pub(crate) fn part(&self) -> u64 {
        // BGZF seldom shrinks reads by more than a factor of 6.
        let factor = match self.framing {
            Framing::Plain => 1,
            Framing::Bgzf => 6,
        };
        self.part * self.files.len() as u64 * factor
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
            if let Some(first) = self.first.take() {
                break first;
            }
            let place = self.at[0].disk.saturating_add(length);
            if place >= self.sizes[0] {
                self.done = true;
                let end = |size: &u64| Cutpoint {
                    disk: *size,
                    skip: 0,
                };
                break self.sizes.iter().map(end).collect();
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
    fn cut_behind(&self, place: u64) -> Result<Option<Vec<Cutpoint>>, Error> {
        let Some((first, head)) = self.record_behind(place)? else {
            return Ok(None);
        };
        let around = match self.framing {
            Framing::Plain => AROUND.to_vec(),
            Framing::Bgzf => AROUND_BLOCKS
                .iter()
                .map(|share| (self.part / share).max(LEAST_AROUND))
                .collect(),
        };
        let mut cut = vec![first];
        for mate in 1..self.files.len() {
            // In proportion to what is left of both files, which need not have equal names or lengths.
            let passed = u128::from(first.disk - self.at[0].disk);
            let left =
                |file: usize| u128::from(self.sizes[file].saturating_sub(self.at[file].disk));
            let expected = self.at[mate].disk + (passed * left(mate) / left(0).max(1)) as u64;
            let mut found = None;
            for around in &around {
                found = self.find_name(mate, expected, *around, &head)?;
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

    /// Where the first record, or pair, behind `place` of the first file starts, and its header line.
    fn record_behind(&self, place: u64) -> Result<Option<(Cutpoint, Vec<u8>)>, Error> {
        let near = match self.framing {
            Framing::Plain => NEAR,
            Framing::Bgzf => NEAR_BLOCKS,
        };
        for near in near {
            let range = place..place.saturating_add(*near);
            let window = Window::read(&self.files[0], self.framing, range)?;
            let Window { text, at_end, .. } = &window;
            let from = LOOK_BACK.min(text.len());
            let Boundary::Found(mut start) = find_record(Format::Fastq, text, from, *at_end) else {
                continue;
            };
            if self.interleaved {
                match self.first_of_pair(text, start, *at_end) {
                    Some(first) => start = first,
                    None => continue,
                }
            }
            if let (false, Some(head)) = (follows_blank(text, start), head(&text[start..])) {
                return Ok(Some((window.cutpoint(start), head.to_vec())));
            }
        }
        Ok(None)
    }

    /// The only record with the name of `wanted` that starts within `around` bytes of `expected`.
    fn find_name(
        &self,
        mate: usize,
        expected: u64,
        around: u64,
        wanted: &[u8],
    ) -> Result<Option<Cutpoint>, Error> {
        let start = expected.saturating_sub(around).max(self.at[mate].disk);
        let end = expected.saturating_add(around).min(self.sizes[mate]);
        let window = Window::read(&self.files[mate], self.framing, start..end)?;
        let Window { text, at_end, .. } = &window;
        let mut needle = b"\n@".to_vec();
        needle.extend_from_slice(self.names.template(mate - 1, id(wanted)));
        let mut found = None;
        for place in memchr::memmem::find_iter(text, &needle) {
            let place = place + 1;
            let is_same =
                head(&text[place..]).is_some_and(|head| self.names.agree(mate - 1, wanted, head));
            if !is_same
                || find_record(Format::Fastq, text, place, *at_end) != Boundary::Found(place)
            {
                continue;
            }
            if found.replace(place).is_some() {
                return Ok(None);
            }
        }
        let found = found.filter(|place| !follows_blank(text, *place));
        Ok(found.map(|place| window.cutpoint(place)))
    }

    /// The first pair at or behind the record at `start`, as far as names tell.
    ///
    /// If the names of a record and the next one differ, they are no pair. So, where all are in pairs, the record and the
    /// one before it are.
    fn first_of_pair(&self, text: &[u8], start: usize, at_end: bool) -> Option<usize> {
        let next = |place: usize| {
            let mut ends = memchr::memchr_iter(b'\n', &text[place..]);
            let next = place + ends.nth(3)? + 1;
            let is_record = find_record(Format::Fastq, text, next, at_end) == Boundary::Found(next);
            is_record.then_some(next)
        };
        let mut first = start;
        let mut second = next(first)?;
        loop {
            let third = next(second)?;
            let [one, two, three] = [first, second, third].map(|place| head(&text[place..]));
            let (one, two, three) = (one?, two?, three?);
            if self.names.agree(0, one, two) && !self.names.agree(0, two, three) {
                return Some(first);
            }
            (first, second) = (second, third);
        }
    }
}

/// Bytes before a record by which a blank line before it can be told.
const LOOK_BACK: usize = 3;

/// Whether a blank line comes before the record at `start`, or may.
///
/// It would be at the end of a part, where blank lines are fine, which they are not in the middle of a file. (It may
/// be the quality of a read without bases; then there is no cut here.)
fn follows_blank(text: &[u8], start: usize) -> bool {
    start < LOOK_BACK || text[..start].ends_with(b"\n\n") || text[..start].ends_with(b"\n\r\n")
}

/// The header line at the start of `record`, without its `@`; `None` if its end is not there.
fn head(record: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'\n', record)?;
    let line = &record[1.min(end)..end];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}
