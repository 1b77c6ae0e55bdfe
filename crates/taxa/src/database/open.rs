//! Opens a database, mapped or read into memory.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Deref;
use std::path::Path;

use memmap2::{Mmap, MmapMut};

use super::header::{LARGE, PAGE, PIECE, SectionName, TaxonDatabaseHeader};
use super::input::fault;
use super::pages::{PageStates, pages_of};
use super::stamp::Stamp;
use super::view::View;
use super::{TaxonDatabase, map, sets::StoredSets, statistics, taxa};
use crate::{Error, ErrorKind, GoOn, Result};

/// Bytes that are waited for at a time. Whoever asks for all at once loses the first for the last where memory is short, and
/// cannot stop.
#[cfg(target_os = "linux")]
const POPULATED: usize = 16 * PIECE as usize;

/// Bytes that the system is asked for at a time. Of one wish, Linux grants no more than it reads ahead of a file, and forgets the
/// rest; it reads at least so much ahead of any disk, unless that was changed.
#[cfg(unix)]
const WISH: usize = 128 << 10;

/// All bytes of a database.
#[derive(Debug)]
pub(super) enum Bytes {
    Mapped(Mmap),
    Loaded(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Loaded(bytes) => bytes,
        }
    }
}

impl TaxonDatabase {
    /// Opens the database of this name, whose directory and records are read from the disk when they are needed, and shared by
    /// all processes that have it open. Each page of them is checked when it is needed for the first time.
    ///
    /// While it is open, the file must not be written to. [`check_unchanged`](Self::check_unchanged) says whether it was. If it is
    /// truncated, the system ends a process that reads what is not there any more (SIGBUS). Where that may happen,
    /// [`preload`](Self::preload) it.
    ///
    /// # Errors
    /// What the system said; it is no database, or one that cannot be read, or damaged, or a part of one.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_or_part(path)?.whole()
    }

    /// The same, also of what is only a part of a database: see [`Making::part`](super::Making::part).
    ///
    /// # Errors
    /// As [`open`](Self::open), but for parts.
    pub fn open_or_part(path: &Path) -> Result<Self> {
        Self::new(path, |file, _| {
            let map = map::map(file).map_err(|source| Error::io(path, source))?;
            Ok(Bytes::Mapped(map))
        })
        .inspect(Self::read_here_and_there)
    }

    /// Opens the database of this name and reads all of it into memory.
    ///
    /// # Errors
    /// As [`open`](Self::open), also where directory or records are damaged; there is not so much memory.
    pub fn preload(path: &Path) -> Result<Self> {
        Self::preload_unless(path, &|| Ok(()))
    }

    /// The same, as long as `go_on`, which is asked before each part, says so.
    ///
    /// # Errors
    /// As [`preload`](Self::preload), and those of `go_on`.
    pub fn preload_unless(path: &Path, go_on: &GoOn<'_>) -> Result<Self> {
        let io = |source| Error::io(path, source);
        let mut database = Self::new(path, |mut file, header| {
            let length = usize::try_from(header.file_bytes)
                .map_err(|_| io(io::ErrorKind::OutOfMemory.into()))?;
            let mut memory = MmapMut::map_anon(length).map_err(io)?;
            // A wish: each look-up is at another place, and large pages are found sooner.
            #[cfg(target_os = "linux")]
            let _ = memory.advise(memmap2::Advice::HugePage);
            file.rewind().map_err(io)?;
            for part in memory.chunks_mut(16 * PIECE as usize) {
                go_on()?;
                file.read_exact(part).map_err(io)?;
            }
            Ok(Bytes::Mapped(memory.make_read_only().map_err(io)?))
        })?;
        // Whatever happens to the file now, this stays.
        database.stamp = None;
        database.check_pages(go_on)?;
        database.whole()
    }

    /// The database of these bytes, which messages call `path`. Pages of directory and records are checked when they are needed.
    ///
    /// # Errors
    /// It is no database, or one that cannot be read, or damaged.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let page = &bytes[..bytes.len().min(PAGE as usize)];
        TaxonDatabaseHeader::from_bytes(page, bytes.len() as u64)
            .and_then(|header| Self::read(path, Bytes::Loaded(bytes), header, None))
            .map_err(|error| error.in_file(path))?
            .whole()
    }

    /// The same, if it is no part.
    fn whole(self) -> Result<Self> {
        match self.header.making.part {
            None => Ok(self),
            Some(part) => {
                let (number, of) = (part.number, part.of);
                let kind = ErrorKind::PartOfDatabase { number, of };
                Err(Error::new(kind).in_file(&self.path))
            }
        }
    }

    /// Asks the system for all of it before it is needed, and waits until it is there. Of a database that was preloaded nothing
    /// is left to do; where the system does not offer it, nothing happens either.
    pub fn populate(&self) {
        self.populate_while(|| true);
    }

    /// As [`populate`](Self::populate), from the first byte on, a part at a time, as long as `is_wanted`, which is asked before
    /// each.
    pub fn populate_while(&self, is_wanted: impl Fn() -> bool) {
        #[cfg(target_os = "linux")]
        if let Bytes::Mapped(map) = &self.bytes {
            use memmap2::Advice::{Normal, PopulateRead};
            // All of it comes: who needs a page before may have its neighbours, too.
            let _ = map.advise(Normal);
            let (mut at, mut asked) = (0, 0);
            while at < map.len() && is_wanted() {
                let end = map.len().min(at + POPULATED);
                // The disk has something to do between two parts.
                let ahead = map.len().min(end + POPULATED);
                self.will_need(asked as u64, (ahead - asked) as u64);
                asked = ahead;
                if map.advise_range(PopulateRead, at, end - at).is_err() {
                    return;
                }
                at = end;
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = is_wanted;
    }

    /// Asks the system for a range of bytes of the file, which may go beyond its end, and waits for none of them.
    pub(super) fn will_need(&self, first: u64, bytes: u64) {
        self.bytes.will_need(first, bytes);
    }

    /// Tells the system that all will be read from its start to its end: pages behind one that is needed are read with it.
    pub(crate) fn read_in_order(&self) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = &self.bytes {
            // A wish, as others.
            let _ = map.advise(memmap2::Advice::Sequential);
        }
    }

    /// Tells the system that of directory and records a page here and a page there will be read, as look-ups do. All else was
    /// read on opening.
    fn read_here_and_there(&self) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = &self.bytes {
            for name in LARGE {
                let section = self.header.section(name);
                let (first, bytes) = (section.offset as usize, section.length as usize);
                // A wish, as others.
                let _ = map.advise_range(memmap2::Advice::Random, first, bytes);
            }
        }
    }

    fn new(
        path: &Path,
        bytes: impl FnOnce(&File, &TaxonDatabaseHeader) -> Result<Bytes>,
    ) -> Result<Self> {
        let io = |source| Error::io(path, source);
        let stamp = File::open(path).and_then(Stamp::new).map_err(io)?;
        let mut page = Vec::new();
        let file = stamp.file();
        file.take(PAGE).read_to_end(&mut page).map_err(io)?;
        let header = TaxonDatabaseHeader::from_bytes(&page, stamp.bytes());
        let header = header.map_err(|error| error.in_file(path))?;
        let bytes = bytes(file, &header)?;
        Self::read(path, bytes, header, Some(stamp)).map_err(|error| error.in_file(path))
    }

    fn read(
        path: &Path,
        bytes: Bytes,
        header: TaxonDatabaseHeader,
        stamp: Option<Stamp>,
    ) -> Result<Self> {
        if bytes.len() as u64 != header.file_bytes {
            let source = io::Error::other("it changed while it was opened");
            return Err(Error::io(path, source));
        }
        for name in READ_ON_OPENING {
            let section = header.section(name);
            bytes.will_need(section.offset, section.length);
        }
        let checked = |name| checked_section(&bytes, &header, name);
        let (taxonomy, species) = taxa::read(checked(SectionName::Taxa)?)?;
        let (lists, details) = (checked(SectionName::Sets)?, checked(SectionName::Detl)?);
        let sets = StoredSets::from_bytes(lists, details, header.sets, &species)?;
        let k = header.layout.scheme().k();
        let statistics = statistics::read(checked(SectionName::Stat)?, taxonomy.len(), k)?;
        let sums = checked(SectionName::Sums)?;
        let mut rest = sums;
        for name in LARGE {
            let section = header.section(name);
            let pages = pages_of(section.length) as usize;
            // Their number was checked with the header.
            let of_section = rest.split_off(..4 * pages).unwrap_or_default();
            if crc32fast::hash(of_section) != section.crc {
                return Err(fault(SectionName::Sums, "it is not that of the header"));
            }
        }
        let database = Self {
            path: path.to_owned(),
            bytes,
            pages: PageStates::new(&header),
            stamp,
            header,
            taxonomy,
            species,
            sets,
            statistics,
        };
        database.view().check_heads()?;
        let over = section(&database.bytes, &database.header, SectionName::Over);
        if View::has_firsts(over) {
            Ok(database)
        } else {
            let what = "the number of its minimizers is wrong";
            Err(fault(SectionName::Over, what))
        }
    }
}

/// The sections that are read whole when a database is opened.
const READ_ON_OPENING: [SectionName; 5] = [
    SectionName::Taxa,
    SectionName::Sets,
    SectionName::Detl,
    SectionName::Stat,
    SectionName::Sums,
];

impl Bytes {
    /// Asks the system for a range of bytes, which may go beyond the end, and waits for none of them.
    fn will_need(&self, first: u64, bytes: u64) {
        #[cfg(unix)]
        if let Self::Mapped(map) = self {
            let end = first.saturating_add(bytes).min(map.len() as u64) as usize;
            for at in (first as usize..end).step_by(WISH) {
                // What is not there when it is read, comes then.
                let _ = map.advise_range(memmap2::Advice::WillNeed, at, WISH.min(end - at));
            }
        }
        #[cfg(not(unix))]
        let _ = (first, bytes);
    }
}

/// The bytes of a section; none if the file is shorter than it was.
pub(super) fn section<'a>(
    bytes: &'a [u8],
    header: &TaxonDatabaseHeader,
    name: SectionName,
) -> &'a [u8] {
    let section = header.section(name);
    // Whether they fit the file was checked with the header.
    let start = usize::try_from(section.offset).unwrap_or(usize::MAX);
    let length = usize::try_from(section.length).unwrap_or(usize::MAX);
    (bytes.get(start..))
        .and_then(|bytes| bytes.get(..length))
        .unwrap_or_default()
}

/// The bytes of a section that has one checksum.
///
/// # Errors
/// It is another one.
pub(super) fn checked_section<'a>(
    bytes: &'a [u8],
    header: &TaxonDatabaseHeader,
    name: SectionName,
) -> Result<&'a [u8]> {
    let bytes = section(bytes, header, name);
    match crc32fast::hash(bytes) == header.section(name).crc {
        true => Ok(bytes),
        false => Err(fault(name, "its checksum is wrong")),
    }
}
