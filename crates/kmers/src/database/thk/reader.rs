//! An open `.thk` file. `partitions` reads it in its order, in that of its k-mers, or by parts; `search` finds single k-mers.

use std::path::Path;
use std::sync::Arc;

use super::joined::Joined;
use super::layout::{HEADER, Index, Layout, Refusal};
use super::partitioning::Partitioning;
use crate::database::input::Input;
use crate::database::{DatabaseFormat, Header, Order, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// An open `.thk` file.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) input: Arc<Input>,
    pub(super) layout: Layout,
    header: Header,
    /// The files that this stands for, if they are several.
    pub(super) joined: Option<Joined>,
    /// The checksum of the header.
    checksum: u32,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let input = Input::open(path)?;
        let damaged = |reason: String| damaged(path, reason);
        if input.size() < HEADER as u64 {
            return Err(damaged("it is shorter than the header".into()));
        }
        let mut bytes = [0; HEADER];
        input.read_at(&mut bytes, 0)?;
        let layout = Layout::parse(&bytes, input.size()).map_err(|refusal| match refusal {
            Refusal::Damaged(reason) => damaged(reason),
            Refusal::NotRead(reason) => Error::NotRead {
                path: path.to_path_buf(),
                format: DatabaseFormat::Thk.name(),
                reason,
                way_out: "use a newer version of this program",
            },
        })?;
        let metadata = input.bytes_at(
            layout.file_size - layout.metadata_size,
            layout.metadata_size,
        )?;
        if crc32fast::hash(&metadata) != layout.metadata_crc {
            return Err(damaged("the metadata do not match their checksum".into()));
        }
        let provenance = if metadata.is_empty() {
            Default::default()
        } else {
            serde_json::from_slice(&metadata)
                .map_err(|error| damaged(format!("the metadata are not a JSON object: {error}")))?
        };
        let header = Header {
            canonical: Some(layout.canonical),
            order: if layout.sorted || layout.partitions == 1 {
                Order::Sorted
            } else {
                Order::Partitioned(layout.partitions)
            },
            distinct: Some(layout.distinct),
            kept: layout.kept,
            provenance,
            ..Header::new(DatabaseFormat::Thk, layout.k)
        };
        let checksum = bytes[HEADER - 4..].try_into().map_or(0, u32::from_le_bytes);
        Ok(Reader {
            checksum,
            ..Reader::from_parts(Arc::new(input), layout, header)
        })
    }

    /// Its size and the checksum of its header: another file has others.
    pub(crate) fn identity(&self) -> (u64, u32) {
        (self.layout.file_size, self.checksum)
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The totals that the header has.
    pub(crate) fn totals(&self) -> Totals {
        Totals {
            distinct: self.layout.distinct,
            total: self.layout.total,
            unique: self.layout.unique,
            max_count: self.layout.max_count,
        }
    }

    /// How many partitions there are, if it is by the rule of this version's counts that k-mers belong to them.
    pub(crate) fn counted_partitions(&self) -> Option<usize> {
        let partitions = self.layout.partitions as usize;
        let rule = Partitioning {
            partitions: self.layout.partitions,
            scheme: self.layout.scheme,
            minimizer: self.layout.minimizer,
        };
        // A header of that rule has a power of two.
        let is_usual = partitions.is_power_of_two()
            && rule == Partitioning::minimizers(partitions, self.layout.k);
        is_usual.then_some(partitions)
    }

    /// A file whose index is known already.
    pub(super) fn from_parts(input: Arc<Input>, layout: Layout, header: Header) -> Reader {
        Reader {
            input,
            layout,
            header,
            joined: None,
            checksum: 0,
        }
    }

    pub(super) fn index<K: Kmer>(&self) -> Result<Arc<Index<K>>> {
        self.header.check_type::<K>()?;
        if let Some(joined) = &self.joined {
            return Ok(Arc::new(joined.index()?));
        }
        let size = self.layout.index_size().unwrap_or(u64::MAX);
        let bytes = self.input.bytes_at(self.layout.index_offset, size)?;
        let index = Index::parse(&bytes, &self.layout);
        Ok(Arc::new(index.map_err(|reason| self.damaged(reason))?))
    }

    /// That block number `number`, at byte `offset`, is as `what` says.
    pub(super) fn damaged_block(&self, number: usize, offset: u64, what: &str) -> Error {
        match &self.joined {
            None => self.damaged(format!("block {number} at byte {offset} {what}")),
            Some(joined) => {
                let (file, offset) = joined.find(offset);
                file.damaged(format!("the block at byte {offset} {what}"))
            }
        }
    }

    pub(super) fn damaged(&self, reason: String) -> Error {
        damaged(self.input.path(), reason)
    }
}

fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged {
        path: path.to_path_buf(),
        format: DatabaseFormat::Thk.name(),
        reason,
    }
}
