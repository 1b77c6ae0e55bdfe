//! Pages of the large sections, each of which is checked before anything of it is used.
//!
//! ```text
//! bytes of a section that are needed ─► all of one page that is known to be sound: go on (a bit is looked at)
//!                                  └─► else: the checksum of each page; the bit of a sound one is set, damage is kept
//! ```
//! A page is checked once, by whichever thread needs it first; two that come together both do. What is read of a page is right
//! if its bit is set, unless somebody writes to the file meanwhile: that is looked for when the work is done.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::header::{LARGE, PAGE, SectionName, TaxonDatabaseHeader};
use super::input::fault;
use crate::{Error, Result};

/// The state of each page of a database.
#[derive(Debug)]
pub(super) struct PageStates {
    /// A bit for each page, by large section: its checksum was found right.
    sound: [Box<[AtomicU64]>; LARGE.len()],
    /// The first damage that was met.
    damage: OnceLock<Damage>,
}

/// A page whose checksum is wrong.
#[derive(Clone, Copy, Debug)]
struct Damage {
    section: SectionName,
    /// Its first byte in the file.
    offset: u64,
}

impl PageStates {
    /// The states of a database of which no page was checked.
    pub(super) fn new(header: &TaxonDatabaseHeader) -> Self {
        let words = |name| pages_of(header.section(name).length).div_ceil(64);
        let unknown = |words| (0..words).map(|_| AtomicU64::new(0)).collect();
        Self {
            sound: LARGE.map(words).map(unknown),
            damage: OnceLock::new(),
        }
    }
}

/// Number of pages, of which the last one may be shorter.
pub(super) fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE)
}

/// The large sections of a database, with what their pages are checked by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages<'a> {
    sections: [PagesOfSection<'a>; LARGE.len()],
    states: &'a PageStates,
}

#[derive(Clone, Copy, Debug)]
struct PagesOfSection<'a> {
    bytes: &'a [u8],
    sums: &'a [[u8; 4]],
    sound: &'a [AtomicU64],
    /// First byte of the section in the file.
    offset: u64,
}

impl<'a> Pages<'a> {
    /// The pages of these sections. `sums` are the checksums of all of them.
    pub(super) fn new(
        bytes: [&'a [u8]; LARGE.len()],
        sums: &'a [u8],
        header: &TaxonDatabaseHeader,
        states: &'a PageStates,
    ) -> Self {
        let mut rest = sums.as_chunks().0;
        let sections = std::array::from_fn(|at| {
            let section = header.section(LARGE[at]);
            // Their number was checked with the header.
            let pages = pages_of(section.length) as usize;
            PagesOfSection {
                bytes: bytes[at],
                sums: rest.split_off(..pages).unwrap_or_default(),
                sound: &states.sound[at],
                offset: section.offset,
            }
        });
        Self { sections, states }
    }

    /// Returns whether these bytes of a large section, by its place among them, are of sound pages. There must be a byte.
    #[inline(always)]
    pub(super) fn are_sound(&self, section: usize, bytes: Range<usize>) -> bool {
        let of_section = &self.sections[section];
        let page = bytes.start / PAGE as usize;
        let is_known = page == (bytes.end - 1) / PAGE as usize && of_section.is_known(page);
        is_known || self.check_bytes(section, bytes)
    }

    /// The same for the first time, or for several pages.
    #[cold]
    #[inline(never)]
    fn check_bytes(&self, section: usize, bytes: Range<usize>) -> bool {
        let of_section = &self.sections[section];
        let mut pages = bytes.start / PAGE as usize..=(bytes.end - 1) / PAGE as usize;
        pages.all(|page| of_section.is_known(page) || self.check_page(section, page))
    }

    /// Checks a page, whatever is known of it.
    pub(super) fn check_page(&self, section: usize, page: usize) -> bool {
        let of_section = &self.sections[section];
        let is_sound = of_section.is_sound(page);
        if is_sound {
            if let Some(word) = of_section.sound.get(page / 64) {
                word.fetch_or(1 << (page % 64), Relaxed);
            }
        } else {
            // What another thread met first is as good.
            let _ = self.states.damage.set(Damage {
                section: LARGE[section],
                offset: of_section.offset + page as u64 * PAGE,
            });
        }
        is_sound
    }

    /// Number of pages of a large section.
    pub(super) fn number(&self, section: usize) -> usize {
        self.sections[section].sums.len()
    }

    /// The first damage that was met since the database was opened, by any thread.
    ///
    /// # Errors
    /// There was some.
    pub(super) fn damage(&self) -> Result<()> {
        self.states.damage()
    }
}

impl PageStates {
    /// The first damage that was met since the database was opened, by any thread.
    ///
    /// # Errors
    /// There was some.
    #[inline]
    pub(super) fn damage(&self) -> Result<()> {
        match self.damage.get() {
            None => Ok(()),
            Some(damage) => Err(damage.error()),
        }
    }
}

impl PagesOfSection<'_> {
    /// Returns whether the checksum of a page was found right before.
    #[inline(always)]
    fn is_known(&self, page: usize) -> bool {
        let word = self.sound.get(page / 64);
        word.is_some_and(|word| word.load(Relaxed) >> (page % 64) & 1 == 1)
    }

    /// Compares a page with its checksum.
    fn is_sound(&self, page: usize) -> bool {
        let start = page * PAGE as usize;
        let bytes = self.bytes.get(start..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(PAGE as usize)];
        let sum = self.sums.get(page).copied();
        sum.map(u32::from_le_bytes) == Some(crc32fast::hash(bytes))
    }
}

impl Damage {
    #[cold]
    fn error(self) -> Error {
        let what = format!("the checksum of the page at byte {} is wrong", self.offset);
        fault(self.section, &what)
    }
}

#[cfg(test)]
mod tests {
    use super::super::header;
    use super::*;

    #[test]
    fn bytes_are_sound_if_all_of_their_pages_are() {
        let header = header::tests::header();
        let states = PageStates::new(&header);
        let lengths = LARGE.map(|name| header.section(name).length as usize);
        let mut sections = lengths.map(|length| Vec::from_iter((0..length).map(|i| (i / 7) as u8)));
        let pages = sections
            .iter()
            .flat_map(|bytes| bytes.chunks(PAGE as usize));
        let sums = Vec::from_iter(pages.flat_map(|page| crc32fast::hash(page).to_le_bytes()));
        // Of the records the third page, and the last one, which is shorter.
        let last = lengths[1] - 1;
        for at in [2 * 4096 + 77, last] {
            sections[1][at] ^= 1;
        }
        let bytes = sections.each_ref().map(Vec::as_slice);
        let pages = Pages::new(bytes, &sums, &header, &states);
        for _ in 0..2 {
            assert!(pages.are_sound(0, 0..lengths[0]));
            assert!(pages.are_sound(1, 0..1));
            assert!(pages.are_sound(1, 4095..8192));
            assert!(pages.are_sound(1, 3 * 4096..last / 4096 * 4096));
            assert!(pages.are_sound(2, 0..lengths[2]));
        }
        assert!(pages.damage().is_ok());
        for _ in 0..2 {
            assert!(!pages.are_sound(1, 8191..8193));
            assert!(!pages.are_sound(1, 0..lengths[1]));
            assert!(!pages.are_sound(1, last..last + 1));
            assert!(pages.are_sound(1, 4095..8192));
        }
        let told = pages.damage().unwrap_err().to_string();
        let offset = header.section(SectionName::Recs).offset + 2 * 4096;
        let expected = format!("section RECS: the checksum of the page at byte {offset} is wrong");
        assert!(told.contains(&expected), "{told}");
    }
}
