//! What there is to claim, as a value.

use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ClaimReport;
use crate::open::fingerprint;
use crate::plan::Plan;
use crate::section::Section;
use crate::section_file::SectionFile;
use crate::{Error, ErrorKind, seam};

/// All claims of all inputs, and what tells that the files are the same elsewhere.
///
/// It is a plain value, linear in the number of files and claims: [`to_bytes`](Self::to_bytes) makes it a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimTable {
    sets: Vec<ClaimedSet>,
}

/// One file, or several in step, and its claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClaimedSet {
    pub(super) files: Vec<ClaimedFile>,
    pub(super) division: Division,
}

/// A file as it was when the table was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedFile {
    /// As the user named it.
    #[serde(serialize_with = "path_to_bytes", deserialize_with = "path_of_bytes")]
    pub path: PathBuf,
    /// Bytes on disk.
    pub size: u64,
    /// [`IndexedFile::fingerprint`](thalweg_gzip::index::IndexedFile::fingerprint) of its size and both ends. A copy on another
    /// machine has the same one, whenever it was made.
    pub fingerprint: [u8; 16],
    /// The index that is used.
    #[serde(serialize_with = "index_to_bytes", deserialize_with = "index_of_bytes")]
    pub index: Option<PathBuf>,
}

/// How a set is divided into claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Division {
    /// At records of these ranks; the last is the number of records.
    Records(Vec<u64>),
    /// At these bytes on disk; the last is the size.
    Bytes(Vec<u64>),
    /// Not at all.
    Whole,
}

impl ClaimTable {
    /// Number of claims.
    pub fn claims(&self) -> u64 {
        self.sets.iter().map(ClaimedSet::claims).sum()
    }

    /// The files, those in step together, in the order of their claims.
    pub fn files(&self) -> impl Iterator<Item = &[ClaimedFile]> {
        self.sets.iter().map(|set| set.files.as_slice())
    }

    /// Files that are claimed as a whole: there is no way to share them out.
    pub fn undivided(&self) -> impl Iterator<Item = &ClaimedFile> {
        let is_whole = |set: &&ClaimedSet| set.division == Division::Whole;
        self.sets.iter().filter(is_whole).flat_map(|set| &set.files)
    }

    /// Add the claims of `others` behind these: so several processes can look at some of the files each.
    pub fn append(&mut self, mut others: Self) {
        self.sets.append(&mut others.sets);
    }

    /// The table as a message.
    pub fn to_bytes(&self) -> Vec<u8> {
        super::report::to_bytes(self)
    }

    /// The table of a message; `None` if it is none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let table: Self = super::report::from_bytes(bytes)?;
        let is_sound = |set: &ClaimedSet| {
            let bounds = set.division.bounds();
            !set.files.is_empty() && bounds.is_sorted() && bounds.len() != 1
        };
        table.sets.iter().all(is_sound).then_some(table)
    }

    pub(super) fn push(&mut self, set: ClaimedSet) {
        self.sets.push(set);
    }

    pub(super) fn sets(&self) -> &[ClaimedSet] {
        &self.sets
    }

    /// The set of claim number `claim`, and the numbers of all claims of that set.
    pub(super) fn set_of(&self, claim: u64) -> Option<(usize, Range<u64>)> {
        let mut start = 0;
        for (number, set) in self.sets.iter().enumerate() {
            let claims = start..start + set.claims();
            if claims.contains(&claim) {
                return Some((number, claims));
            }
            start = claims.end;
        }
        None
    }

    /// Check that `reports`, in any order, are of every claim once, and that parts found by inspection fit together. They come
    /// from all processes that read by this table.
    ///
    /// Returns the number of records of each set.
    ///
    /// # Errors
    /// [`ErrorKind::Incomplete`] if a claim was read twice or by nobody, or did not give what the table says;
    /// [`ErrorKind::BrokenSeam`] if parts do not fit.
    pub fn check(&self, mut reports: Vec<ClaimReport>) -> Result<Vec<u64>, Error> {
        reports.sort_by_key(|report| report.claim);
        let mut rest = reports.as_slice();
        let mut start = 0;
        let mut records = Vec::with_capacity(self.sets.len());
        for set in &self.sets {
            let incomplete = || Error::new(ErrorKind::Incomplete).in_file(&set.files[0].path);
            let claims = start..start + set.claims();
            let (of_set, others) = rest
                .split_at_checked(set.claims() as usize)
                .ok_or_else(incomplete)?;
            if !of_set.iter().map(|report| report.claim).eq(claims.clone()) {
                return Err(incomplete());
            }
            set.check(of_set, incomplete)?;
            records.push(of_set.iter().map(|report| report.records).sum());
            (start, rest) = (claims.end, others);
        }
        match rest {
            [] => Ok(records),
            _ => Err(Error::new(ErrorKind::Incomplete)),
        }
    }
}

impl ClaimedSet {
    /// What the section of a reader has to claim.
    ///
    /// # Errors
    /// [`ErrorKind::NotSeekable`] if it reads a stream.
    pub(super) fn of_section(section: &Section) -> Result<Self, Error> {
        let division = match &section.plan {
            Plan::Indexed { runs, .. } => {
                let end = runs.last().map(|run| run.first + run.records);
                let starts = runs.iter().map(|run| run.first);
                Division::Records(starts.chain(end).collect())
            }
            Plan::Parts { parts, .. } => {
                let end = parts.last().map(|part| part.end);
                Division::Bytes(parts.iter().map(|part| part.start).chain(end).collect())
            }
            Plan::InStep(_) | Plan::Sequential(_) | Plan::Pipes(_) => Division::Whole,
        };
        let files = section.files.iter().map(ClaimedFile::of);
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            division,
        })
    }

    pub(super) fn claims(&self) -> u64 {
        match &self.division {
            Division::Records(bounds) | Division::Bytes(bounds) => {
                (bounds.len() as u64).saturating_sub(1)
            }
            Division::Whole => 1,
        }
    }

    /// Check that the files, as another process has opened them, are these.
    ///
    /// # Errors
    /// [`ErrorKind::NotTheSame`], and [`ErrorKind::Unsupported`] if they are the same, but would be divided otherwise.
    pub(super) fn check_same(&self, here: &Self) -> Result<(), Error> {
        for (file, other) in self.files.iter().zip(&here.files) {
            if (file.size, file.fingerprint) != (other.size, other.fingerprint) {
                return Err(Error::new(ErrorKind::NotTheSame).in_file(&file.path));
            }
        }
        if self.division != here.division {
            let what = "claims of a table that was made with other options, or from another index";
            return Err(Error::new(ErrorKind::Unsupported(what)).in_file(&self.files[0].path));
        }
        Ok(())
    }

    /// Check what became of all claims of this set, in their order.
    fn check(&self, reports: &[ClaimReport], incomplete: impl Fn() -> Error) -> Result<(), Error> {
        let file = &self.files[0];
        match &self.division {
            Division::Records(bounds) => {
                let numbers = bounds.windows(2).map(|bounds| bounds[1] - bounds[0]);
                let found = reports.iter().map(|report| report.records);
                numbers.eq(found).then_some(()).ok_or_else(incomplete)
            }
            Division::Bytes(_) => {
                let seams = reports.iter().map(|report| report.seam.as_ref());
                let seams: Vec<_> = seams.collect::<Option<_>>().ok_or_else(incomplete)?;
                seam::check(seams.into_iter(), Some(file.size)).map_err(|offset| {
                    let broken = Error::new(ErrorKind::BrokenSeam);
                    broken.in_file(&file.path).at_text_offset(offset)
                })
            }
            Division::Whole => Ok(()),
        }
    }
}

impl Division {
    fn bounds(&self) -> &[u64] {
        match self {
            Self::Records(bounds) | Self::Bytes(bounds) => bounds,
            Self::Whole => &[],
        }
    }
}

impl ClaimedFile {
    fn of(section_file: &SectionFile) -> Result<Self, Error> {
        let SectionFile {
            file, index_path, ..
        } = section_file;
        let Some(identity) = file.identity() else {
            return Err(Error::new(ErrorKind::NotSeekable).in_file(file.path()));
        };
        Ok(Self {
            path: file.path().to_owned(),
            size: identity.length,
            fingerprint: fingerprint(file)?,
            index: index_path.clone(),
        })
    }
}

/// Paths are bytes; serde's own way refuses those that are no UTF-8.
fn path_to_bytes<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_os_str().as_bytes().serialize(serializer)
}

fn path_of_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Vec::deserialize(deserializer).map(path_of)
}

fn index_to_bytes<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = path.as_ref().map(|path| path.as_os_str().as_bytes());
    bytes.serialize(serializer)
}

fn index_of_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    Option::<Vec<u8>>::deserialize(deserializer).map(|bytes| bytes.map(path_of))
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}
