//! The first page of a database: what it is, and where its sections lie.

use std::ops::Range;

use thalweg_superkmers::Scheme;

use super::pages::pages_of;
use crate::record::{MAX_RECORD_BYTES, RecordLayout};
use crate::{Error, ErrorKind, Result};

/// Bytes of the header, what sections begin at a multiple of, and bytes that have a checksum of their own in the large sections.
pub(super) const PAGE: u64 = 4096;

/// Bytes of a section that are written at once: a multiple of pages.
pub(super) const PIECE: u64 = 1 << 20;

/// Buckets that share a first record which the others are counted from.
pub(super) const GROUP: u64 = 1 << 16;

/// Bytes of a k-mer in the section of those that are not in records.
pub(super) const OVERFLOW_BYTES: usize = 12;

/// What a database, or a part of one, begins with.
pub const MAGIC: [u8; 8] = *b"\x8bTHT\r\n\x1a\n";

/// The version of the format that is written and read.
pub const VERSION: u16 = 2;

const TABLE: usize = 128;

/// Flags.
const FOLDED: u8 = 1;
const MASKED: u8 = 2;
const ALL_STRAINS: u8 = 4;
const PART: u8 = 8;
const ALL_FLAGS: u8 = FOLDED | MASKED | ALL_STRAINS | PART;

/// The sections, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionName {
    /// Taxonomy and leaves.
    Taxa,
    /// Reference sequences.
    Seqs,
    /// Lists of species.
    Sets,
    /// Of each set its list, and which leaves of its species.
    Detl,
    /// Numbers for each node.
    Stat,
    /// How it was made.
    Log,
    /// First record of each bucket.
    Dirc,
    /// Records.
    Recs,
    /// k-mers of minimizers that have too many records.
    Over,
    /// Checksums of the three before.
    Sums,
}

/// All of them.
pub(super) const SECTIONS: [SectionName; 10] = [
    SectionName::Taxa,
    SectionName::Seqs,
    SectionName::Sets,
    SectionName::Detl,
    SectionName::Stat,
    SectionName::Log,
    SectionName::Dirc,
    SectionName::Recs,
    SectionName::Over,
    SectionName::Sums,
];

/// Those that are not read on opening.
pub(super) const LARGE: [SectionName; 3] =
    [SectionName::Dirc, SectionName::Recs, SectionName::Over];

impl SectionName {
    /// Its four letters.
    pub fn letters(self) -> &'static str {
        match self {
            Self::Taxa => "TAXA",
            Self::Seqs => "SEQS",
            Self::Sets => "SETS",
            Self::Detl => "DETL",
            Self::Stat => "STAT",
            Self::Log => "LOG_",
            Self::Dirc => "DIRC",
            Self::Recs => "RECS",
            Self::Over => "OVER",
            Self::Sums => "SUMS",
        }
    }
}

/// Where a section lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its first byte.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
    /// Their CRC-32; of `DIRC`, `RECS` and `OVER` that of their checksums.
    pub crc: u32,
}

impl Section {
    fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length)
    }
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaxonDatabaseHeader {
    /// Lengths of k-mers and minimizers, and which bits of a record are what.
    pub layout: RecordLayout,
    /// Whether a set does not tell which strains it has where it could have.
    pub is_folded: bool,
    /// Number of sets.
    pub sets: u32,
    /// Distinct canonical k-mers.
    pub kmers: u64,
    /// k-mers of records: one that has the same minimizer at several places counts for each of them.
    pub entries: u64,
    /// Number of records.
    pub records: u64,
    /// k-mers of minimizers that have too many records; in each turn of the minimizer once.
    pub overflow_kmers: u64,
    /// Bases of the references.
    pub bases: u64,
    /// Number of their sequences.
    pub sequences: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// How its k-mers were chosen.
    pub making: Making,
    pub(super) table: [Section; SECTIONS.len()],
}

/// How the k-mers of a database were chosen: databases in which this differs cannot become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Making {
    /// Those of low complexity were left out.
    pub is_masked: bool,
    /// Strains are told however many have a k-mer.
    pub tells_all_strains: bool,
    /// It is one part of a database, and not all of it.
    pub part: Option<DatabasePart>,
}

/// A part of a database: the k-mers whose minimizers' values are in one of equal ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabasePart {
    /// Which one, from 1.
    pub number: u32,
    /// How many parts the database has.
    pub of: u32,
    /// The same of all parts that belong together: of all sequences, and of what was to be made of them.
    pub fingerprint: u128,
}

/// The most parts of a database.
pub const MOST_PARTS: u32 = 4096;

impl DatabasePart {
    /// The values of minimizers that it has, of those of `scheme`.
    pub fn values(&self, scheme: &Scheme) -> Range<u64> {
        let end = 1u128 << (2 * scheme.m());
        let start = |number: u32| (end * u128::from(number) / u128::from(self.of)) as u64;
        start(self.number - 1)..start(self.number)
    }
}

impl TaxonDatabaseHeader {
    /// The values of minimizers that it may have.
    pub fn values(&self) -> Range<u64> {
        let scheme = self.layout.scheme();
        match self.making.part {
            Some(part) => part.values(&scheme),
            None => 0..1 << (2 * scheme.m()),
        }
    }

    /// Where a section lies.
    pub fn section(&self, name: SectionName) -> Section {
        self.table[name as usize]
    }

    /// All sections, in the order of the table.
    pub fn sections(&self) -> impl Iterator<Item = (SectionName, Section)> + '_ {
        SECTIONS.into_iter().zip(self.table)
    }

    /// Bytes of the directory.
    pub(super) fn directory_bytes(layout: &RecordLayout) -> u64 {
        directory_bases_offset(layout) + 8 * (layout.buckets() / GROUP + 1)
    }

    /// Bytes of all records, with what may be read behind the last one.
    pub(super) fn records_bytes(layout: &RecordLayout, records: u64) -> Option<u64> {
        let bytes = records.checked_mul(layout.record_bytes() as u64)?;
        bytes.checked_add(MAX_RECORD_BYTES as u64)
    }

    /// The page.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(PAGE as usize);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend(self.layout.scheme().to_bytes());
        bytes.extend([
            self.layout.directory_bits() as u8,
            self.layout.id_bits() as u8,
            self.layout.record_bytes() as u8,
            self.flags(),
        ]);
        bytes.extend(self.sets.to_le_bytes());
        for number in [
            self.kmers,
            self.entries,
            self.records,
            self.overflow_kmers,
            self.bases,
            self.sequences,
            self.file_bytes,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        if let Some(part) = self.making.part {
            bytes.extend(part.number.to_le_bytes());
            bytes.extend(part.of.to_le_bytes());
            bytes.extend(part.fingerprint.to_le_bytes());
        }
        bytes.resize(TABLE, 0);
        for (name, section) in SECTIONS.iter().zip(&self.table) {
            bytes.extend(name.letters().as_bytes());
            bytes.extend([0; 4]);
            bytes.extend(section.offset.to_le_bytes());
            bytes.extend(section.length.to_le_bytes());
            bytes.extend(section.crc.to_le_bytes());
            bytes.extend([0; 4]);
        }
        bytes.resize(PAGE as usize - 4, 0);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The header of a file of `file_bytes`, which begins with `page`: its first 4096 bytes, or all if it has fewer.
    ///
    /// # Errors
    /// It is no database, one that cannot be read, or damaged.
    pub(super) fn from_bytes(page: &[u8], file_bytes: u64) -> Result<Self> {
        if page.is_empty() {
            return Err(damaged("it has 0 bytes"));
        }
        if !page.starts_with(&MAGIC) {
            return Err(Error::new(ErrorKind::NotADatabase));
        }
        let Ok(page) = <&[u8; PAGE as usize]>::try_from(page) else {
            return Err(damaged("it ends in its header"));
        };
        let (body, crc) = page.split_at(PAGE as usize - 4);
        if crc32fast::hash(body).to_le_bytes() != crc {
            return Err(damaged("the checksum of its header is wrong"));
        }
        let mut fields = Fields(&body[8..]);
        let version = fields.u16();
        if version != VERSION {
            return Err(Error::new(ErrorKind::DatabaseVersion { version }));
        }
        let reserved = fields.array::<6>();
        let scheme = Scheme::from_bytes(&fields.array());
        let [directory_bits, id_bits, record_bytes, flags] = fields.array();
        let sets = fields.u32();
        let [
            kmers,
            entries,
            records,
            overflow_kmers,
            bases,
            sequences,
            told_bytes,
        ] = [(); 7].map(|()| fields.u64());
        let [number, of] = [(); 2].map(|()| fields.u32());
        let fingerprint = u128::from_le_bytes(fields.array());
        let gap = fields.array::<{ TABLE - 112 }>();

        let scheme = scheme.map_err(|error| unreadable(error.to_string()))?;
        let layout = RecordLayout::new(scheme, directory_bits.into(), id_bits.into());
        let layout = layout.map_err(unreadable)?;
        let is_whole = layout.id_bits() == id_bits.into()
            && layout.record_bytes() == usize::from(record_bytes)
            && scheme.partition_bits() == 0;
        if !is_whole || flags & !ALL_FLAGS != 0 {
            return Err(unreadable("records of another kind".to_owned()));
        }
        let part = DatabasePart {
            number,
            of,
            fingerprint,
        };
        let part = match flags & PART != 0 {
            true if (1..=MOST_PARTS).contains(&of) && (1..=of).contains(&number) => Some(part),
            false if (number, of, fingerprint) == (0, 0, 0) => None,
            _ => return Err(damaged("it is a part that cannot be")),
        };
        if told_bytes != file_bytes {
            return Err(Error::new(ErrorKind::DatabaseSize {
                told: told_bytes,
                found: file_bytes,
            }));
        }
        let mut table = [Section::default(); SECTIONS.len()];
        let mut zeros = reserved.iter().chain(&gap).all(|&byte| byte == 0);
        for (name, section) in SECTIONS.iter().zip(&mut table) {
            if fields.array::<4>() != name.letters().as_bytes() {
                return Err(unreadable("other sections".to_owned()));
            }
            zeros &= fields.u32() == 0;
            *section = Section {
                offset: fields.u64(),
                length: fields.u64(),
                crc: fields.u32(),
            };
            zeros &= fields.u32() == 0;
        }
        if !zeros || fields.0.iter().any(|&byte| byte != 0) {
            return Err(damaged("its header has non-zero padding"));
        }
        let header = Self {
            layout,
            is_folded: flags & FOLDED != 0,
            sets,
            kmers,
            entries,
            records,
            overflow_kmers,
            bases,
            sequences,
            file_bytes,
            making: Making {
                is_masked: flags & MASKED != 0,
                tells_all_strains: flags & ALL_STRAINS != 0,
                part,
            },
            table,
        };
        match header.fits() {
            true => Ok(header),
            false => Err(damaged("sections do not fit the file, or their contents")),
        }
    }

    fn flags(&self) -> u8 {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        flag(self.is_folded, FOLDED)
            | flag(self.making.is_masked, MASKED)
            | flag(self.making.tells_all_strains, ALL_STRAINS)
            | flag(self.making.part.is_some(), PART)
    }

    /// Whether sections lie inside the file, apart from each other, and have the lengths that follow from the numbers.
    fn fits(&self) -> bool {
        let mut sorted = self.table;
        sorted.sort_unstable_by_key(|section| (section.offset, section.length));
        let mut end = PAGE;
        for section in sorted {
            let begins = section.offset >= end && section.offset.is_multiple_of(PAGE);
            match section.end().filter(|&end| end <= self.file_bytes) {
                Some(behind) if begins => end = behind,
                _ => return false,
            }
        }
        let length = |name| self.section(name).length;
        let over = length(SectionName::Over);
        // A number for each minimizer, one before and one behind them.
        let over_firsts = (self.overflow_kmers)
            .checked_mul(OVERFLOW_BYTES as u64)
            .and_then(|kmers| over.checked_sub(kmers));
        let pages: u64 = LARGE.iter().map(|&name| pages_of(length(name))).sum();
        length(SectionName::Dirc) == Self::directory_bytes(&self.layout)
            && Some(length(SectionName::Recs)) == Self::records_bytes(&self.layout, self.records)
            && over_firsts.is_some_and(|bytes| bytes >= 16 && bytes.is_multiple_of(8))
            && length(SectionName::Sums) == 4 * pages
            && self.sets <= self.layout.max_id()
    }
}

/// Where the first records of groups of buckets begin in the directory.
pub(super) fn directory_bases_offset(layout: &RecordLayout) -> u64 {
    // One entry more than there are buckets, and zeros up to a multiple of eight.
    4 * (layout.buckets() + 2)
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::DamagedDatabase {
        what: what.to_owned(),
    })
}

fn unreadable(what: String) -> Error {
    Error::new(ErrorKind::OtherDatabase { what })
}

/// Numbers one after the other; zeros behind the end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((bytes, rest)) => {
                self.0 = rest;
                *bytes
            }
            None => [0; N],
        }
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::database) fn header() -> TaxonDatabaseHeader {
        let scheme = Scheme::new(31).unwrap().with_m(15).unwrap();
        let layout = RecordLayout::new(scheme, 10, 16).unwrap();
        let mut lengths = [
            5,
            0,
            7,
            1,
            0,
            2,
            TaxonDatabaseHeader::directory_bytes(&layout),
            TaxonDatabaseHeader::records_bytes(&layout, 100_000).unwrap(),
            16 + 24 + 12 * 50,
            0,
        ];
        let pages = lengths[6..9].iter().map(|&bytes| pages_of(bytes));
        lengths[9] = 4 * pages.sum::<u64>();
        let mut table = [Section::default(); 10];
        let mut end = PAGE;
        for (section, length) in table.iter_mut().zip(lengths) {
            *section = Section {
                offset: end.next_multiple_of(PAGE),
                length,
                crc: 77,
            };
            end = section.offset + length;
        }
        TaxonDatabaseHeader {
            layout,
            is_folded: true,
            sets: 1000,
            kmers: 1,
            entries: 2,
            records: 100_000,
            overflow_kmers: 50,
            bases: 4,
            sequences: 5,
            file_bytes: end,
            making: Making::default(),
            table,
        }
    }

    #[test]
    fn a_header_comes_back() {
        let mut header = header();
        let bytes = header.to_bytes();
        assert_eq!(bytes.len() as u64, PAGE);
        assert_eq!(&bytes[..10], b"\x8bTHT\r\n\x1a\n\x02\0");
        let part = |(number, of)| DatabasePart {
            number,
            of,
            fingerprint: 7 << 100 | 1,
        };
        for flags in 0..8 {
            for of in [None, Some((1, 1)), Some((3, 5)), Some((4096, 4096))] {
                header.is_folded = flags & 1 == 1;
                header.making = Making {
                    is_masked: flags & 2 == 2,
                    tells_all_strains: flags & 4 == 4,
                    part: of.map(part),
                };
                let back =
                    TaxonDatabaseHeader::from_bytes(&header.to_bytes(), header.file_bytes).unwrap();
                assert_eq!(back, header);
            }
        }
    }

    #[test]
    fn parts_are_all_values() {
        for m in [5, 15, 19] {
            let scheme = Scheme::new(20).unwrap().with_m(m).unwrap();
            for of in [1, 2, 3, 7, 1000] {
                let mut end = 0;
                for number in 1..=of {
                    let part = DatabasePart {
                        number,
                        of,
                        fingerprint: 0,
                    };
                    let values = part.values(&scheme);
                    assert_eq!(values.start, end);
                    end = values.end;
                }
                assert_eq!(end, 1 << (2 * m));
            }
        }
    }

    #[test]
    fn other_headers_are_refused() {
        let header = header();
        let size = header.file_bytes;
        let told = |bytes: &[u8], size| match TaxonDatabaseHeader::from_bytes(bytes, size) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        let bytes = header.to_bytes();
        assert!(told(&bytes[..7], size).contains("not a taxon database"));
        assert!(told(&bytes[..4095], size).contains("ends in its header"));
        assert!(told(&bytes, size - 1).contains("truncated"));
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            assert_ne!(told(&bytes, size), "", "{at}");
        }
        // With a checksum that is right.
        for (at, byte) in [
            (8, 1),
            (8, 3),
            (10, 1),
            (16, 2),
            (18, 30),
            (19, 13),
            (20, 1),
            (24, 9),
            (24, 200),
            (25, 17),
            (26, 13),
            (27, 16),
            (27, 8),
            (88, 1),
            (104, 1),
            (31, 1),
            (48, 1),
            (55, 1),
            (56, 1),
            (63, 255),
            (80, 1),
            (115, 1),
            (128, b'X'),
            (132, 1),
            (137, 1),
            (143, 255),
            (151, 255),
            (160 + 9, 0x21),
            (500, 1),
        ] {
            let mut bytes = bytes.clone();
            assert_ne!(bytes[at], byte);
            bytes[at] = byte;
            let crc = crc32fast::hash(&bytes[..4092]).to_le_bytes();
            bytes[4092..].copy_from_slice(&crc);
            assert_ne!(told(&bytes, size), "", "{at}");
        }
    }
}
