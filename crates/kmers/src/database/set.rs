//! Several `.thk` files that are one database: a directory of *shards* and a manifest.
//!
//! Each shard has all partitions, of which it fills a range that is its own; together the ranges are all partitions. So
//! nothing needs to be merged: a set is read as if it were one file, wherever a database is. docs/formats/kmers.md specifies
//! the manifest. Without it there is no set: whoever makes one writes it last.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Database, DatabaseFormat, part, thk};
use crate::error::{Error, Result};

/// The name of the manifest in the directory.
pub const MANIFEST: &str = "manifest.json";

/// What a manifest says of its kind.
const KIND: &str = "thalweg k-mer set";

/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;

/// More bytes than any manifest has: a hostile one gets no more memory.
const LARGEST: u64 = 64 << 20;

/// What a set is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The shards, in the order of their partitions.
    pub shards: Vec<ShardFile>,
    /// Whence the set comes.
    pub provenance: Map<String, Value>,
}

/// One file of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFile {
    /// Its name in the directory.
    pub file: String,
    /// Partitions that it fills.
    pub partitions: Range<usize>,
    /// Bytes.
    pub size: u64,
    /// The checksum of its header, which has those of the rest.
    pub checksum: u32,
}

impl Manifest {
    /// That of the shards of `directory` with these names and partitions, in the order of these.
    ///
    /// # Errors
    /// If one cannot be opened, or they are no set.
    pub fn of_shards(
        directory: &Path,
        shards: impl IntoIterator<Item = (String, Range<usize>)>,
        provenance: Map<String, Value>,
    ) -> Result<Self> {
        let shard = |(file, partitions): (String, Range<usize>)| {
            let reader = thk::Reader::open(&directory.join(&file))?;
            let (size, checksum) = reader.identity();
            Ok(ShardFile {
                file,
                partitions,
                size,
                checksum,
            })
        };
        let shards = shards.into_iter().map(shard);
        let manifest = Self {
            shards: shards.collect::<Result<_>>()?,
            provenance,
        };
        manifest.open_shards(directory)?;
        Ok(manifest)
    }

    /// That of the parts of one database, which all lie in the same directory, and that directory.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if one is missing, there twice, of something else or in another directory; else as
    /// [`Manifest::of_shards`].
    pub fn of_parts(
        databases: &[Database],
        provenance: Map<String, Value>,
    ) -> Result<(Self, PathBuf)> {
        let parts = part::in_order(databases)?;
        let directory = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let (first, common) = (&parts[0].1, directory(&parts[0].1));
        let mut shards = Vec::with_capacity(parts.len());
        for (part, path) in &parts {
            let name = path.file_name().and_then(|name| name.to_str());
            match name {
                Some(name) if directory(path) == common => {
                    shards.push((name.to_owned(), part.partitions.clone()));
                }
                Some(_) => {
                    return Err(Error::Mismatch(format!(
                        "{} and {} are in two directories: all parts of a set are in one",
                        first.display(),
                        path.display()
                    )));
                }
                None => {
                    return Err(Error::Mismatch(format!(
                        "{}: its name is not UTF-8, as those in a manifest are",
                        path.display()
                    )));
                }
            }
        }
        Ok((Self::of_shards(&common, shards, provenance)?, common))
    }

    /// The manifest of the set in `directory`.
    ///
    /// # Errors
    /// [`Error::Io`] if there is none, [`Error::Damaged`] if it is not whole, [`Error::NotRead`] if it is newer.
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(MANIFEST);
        let failed = |source| Error::io(&path, source);
        let file = std::fs::File::open(&path).map_err(failed)?;
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, LARGEST), &mut text)
            .map_err(failed)?;
        let damaged = |reason: &str| Error::Damaged {
            path: path.clone(),
            format: "manifest",
            reason: reason.to_owned(),
        };
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("it is not JSON: {error}")))?;
        if value.get("kind").and_then(Value::as_str) != Some(KIND) {
            return Err(damaged("it is not of a k-mer set"));
        }
        match value.get("version").and_then(Value::as_u64) {
            Some(1..=VERSION) => {}
            Some(newer) => {
                return Err(Error::NotRead {
                    path,
                    format: "manifest",
                    reason: format!(
                        "it has version {newer}, but this program reads only up to {VERSION}"
                    ),
                    way_out: "use a newer version of this program",
                });
            }
            None => return Err(damaged("it has no version")),
        }
        Self::of_json(&value)
            .ok_or_else(|| damaged("a field is missing, or is not what it should be"))
    }

    fn of_json(value: &Value) -> Option<Self> {
        let shard = |value: &Value| {
            let number = |name: &str| value.get(name)?.as_u64();
            let file = value.get("file")?.as_str()?;
            // Nothing leads out of the directory.
            let is_name = Path::new(file).file_name() == Some(file.as_ref());
            let partitions = usize::try_from(number("first_partition")?).ok()?
                ..usize::try_from(number("end_partition")?).ok()?;
            (is_name && partitions.start <= partitions.end).then_some(())?;
            Some(ShardFile {
                file: file.to_owned(),
                partitions,
                size: number("size")?,
                checksum: number("checksum")?.try_into().ok()?,
            })
        };
        let shards = value.get("shards")?.as_array()?.iter().map(shard);
        Some(Self {
            shards: shards.collect::<Option<_>>()?,
            provenance: value.get("provenance")?.as_object()?.clone(),
        })
    }

    /// The text of the manifest.
    pub fn to_json(&self) -> String {
        let shard = |shard: &ShardFile| {
            json!({
                "file": shard.file,
                "first_partition": shard.partitions.start,
                "end_partition": shard.partitions.end,
                "size": shard.size,
                "checksum": shard.checksum,
            })
        };
        let shards: Vec<Value> = self.shards.iter().map(shard).collect();
        let value = json!({
            "kind": KIND,
            "version": VERSION,
            "shards": shards,
            "provenance": self.provenance,
        });
        format!("{value:#}\n")
    }

    /// The files of the set, and the manifest.
    pub fn files(&self, directory: &Path) -> Vec<PathBuf> {
        let shards = self.shards.iter().map(|shard| directory.join(&shard.file));
        std::iter::once(directory.join(MANIFEST))
            .chain(shards)
            .collect()
    }

    /// All shards as one file.
    ///
    /// # Errors
    /// If one cannot be opened, is another one than it was, or they do not go together.
    pub(crate) fn open_shards(&self, directory: &Path) -> Result<thk::Reader> {
        let damaged = |reason: String| Error::Damaged {
            path: directory.to_owned(),
            format: DatabaseFormat::Thk.name(),
            reason,
        };
        let mut readers = Vec::with_capacity(self.shards.len());
        for shard in &self.shards {
            let reader = thk::Reader::open(&directory.join(&shard.file))?;
            if reader.identity() != (shard.size, shard.checksum) {
                return Err(damaged(format!(
                    "{} is another file than the manifest says",
                    shard.file
                )));
            }
            readers.push((reader, shard.partitions.clone()));
        }
        thk::Reader::join(readers, directory, &self.provenance).map_err(damaged)
    }
}

/// Whether `path` is the directory of a set.
pub fn is_set(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}
