//! Several files, each with partitions of its own, read as one.
//!
//! Their bytes are taken to lie behind each other. So an index of all has the blocks of each behind those of the one before,
//! and whatever reads blocks by an index reads them.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use thalweg_files::{Identity, ReadAt};

use super::layout::{Index, Layout};
use super::partitioning::Partitioning;
use super::reader::Reader;
use crate::database::input::Input;
use crate::database::{DatabaseFormat, Header, Order};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// The files that are read as one.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    /// With the partitions that each fills.
    files: Arc<[(Reader, Range<usize>)]>,
    /// Where the bytes of each begin.
    starts: Arc<[u64]>,
}

impl Reader {
    /// The files of `directory` as one, in the order of the partitions that each fills.
    ///
    /// # Errors
    /// Why they are not one.
    pub(crate) fn join(
        files: Vec<(Reader, Range<usize>)>,
        directory: &Path,
        provenance: &Map<String, Value>,
    ) -> std::result::Result<Reader, String> {
        let (first, _) = files.first().ok_or("it has no shards")?;
        let common = |layout: &Layout| {
            let scheme = (layout.partitions, layout.scheme, layout.minimizer);
            (layout.k, layout.canonical, layout.kept, scheme)
        };
        let mut layout = Layout {
            // Of ranges, that all are is seen in the index.
            sorted: first.layout.partitions == 1 || first.layout.scheme == Partitioning::BY_RANGE,
            distinct: 0,
            total: 0,
            unique: 0,
            max_count: 0,
            file_size: 0,
            index_offset: 0,
            blocks: 0,
            metadata_size: 0,
            ..first.layout.clone()
        };
        let (mut starts, mut next) = (Vec::with_capacity(files.len()), 0);
        for (file, partitions) in &files {
            let name = || file.input.path().display();
            if common(&file.layout) != common(&first.layout) {
                return Err(format!(
                    "{} does not belong to the same set as {}",
                    name(),
                    first.input.path().display()
                ));
            }
            if partitions.start != next {
                return Err(format!("partitions {next} on are in no shard, or in two"));
            }
            next = partitions.end;
            starts.push(layout.file_size);
            layout.distinct += file.layout.distinct;
            layout.total += file.layout.total;
            layout.unique += file.layout.unique;
            layout.max_count = layout.max_count.max(file.layout.max_count);
            layout.file_size += file.layout.file_size;
            layout.blocks += file.layout.blocks;
        }
        if next != layout.partitions as usize {
            return Err("its shards are not all partitions of one count".to_owned());
        }
        layout.index_offset = layout.file_size;
        let header = Header {
            canonical: Some(layout.canonical),
            order: match layout.sorted {
                true => Order::Sorted,
                false => Order::Partitioned(layout.partitions),
            },
            distinct: Some(layout.distinct),
            kept: layout.kept,
            provenance: provenance.clone(),
            ..Header::new(DatabaseFormat::Thk, layout.k)
        };
        let joined = Joined {
            files: files.into(),
            starts: starts.into(),
        };
        let size = layout.file_size;
        let input = Input::new(Arc::new(joined.clone()), size, directory);
        let mut reader = Reader::from_parts(Arc::new(input), layout, header);
        reader.joined = Some(joined);
        Ok(reader)
    }
}

impl Joined {
    /// The index of all.
    pub(super) fn index<K: Kmer>(&self) -> Result<Index<K>> {
        let partitions = self.files[0].0.layout.partitions as usize;
        let mut index = Index {
            starts: vec![0; partitions + 1],
            entries: Vec::new(),
        };
        for ((file, own), start) in self.files.iter().zip(self.starts.iter()) {
            let part = file.index::<K>()?;
            if part.starts[own.start] != 0 || part.starts[own.end] != part.starts[partitions] {
                return Err(
                    file.damaged("it has k-mers of partitions that are in other shards".into())
                );
            }
            for (sum, more) in index.starts.iter_mut().zip(&part.starts) {
                *sum += more;
            }
            let entries = part.entries.iter().map(|entry| super::layout::Entry {
                offset: entry.offset + start,
                ..*entry
            });
            index.entries.extend(entries);
        }
        let last = &self.files[self.files.len() - 1].0;
        if last.layout.scheme == Partitioning::BY_RANGE
            && !index
                .entries
                .is_sorted_by(|one, next| one.first < next.first)
        {
            return Err(last.damaged("its range overlaps with that of a shard before it".into()));
        }
        Ok(index)
    }

    /// The file that has the byte at `offset` of all, and that byte's place in it.
    pub(super) fn find(&self, offset: u64) -> (&Reader, u64) {
        let file = self.starts.partition_point(|&start| start <= offset) - 1;
        (&self.files[file].0, offset - self.starts[file])
    }
}

impl ReadAt for Joined {
    fn length(&self) -> io::Result<u64> {
        Ok(self
            .files
            .iter()
            .map(|(file, _)| file.layout.file_size)
            .sum())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset >= self.length()? {
            return Ok(0);
        }
        let (file, place) = self.find(offset);
        let left = file.layout.file_size - place;
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        match file.input.read_at(&mut buffer[..most], place) {
            Ok(()) => Ok(most),
            Err(Error::Io { path, source }) => {
                let message = format!("{}: {source}", path.display());
                Err(io::Error::new(source.kind(), message))
            }
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    fn identity(&self) -> io::Result<Identity> {
        // Nobody asks: what was written of it is told by checksums.
        Err(io::ErrorKind::Unsupported.into())
    }
}
