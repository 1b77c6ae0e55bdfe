//! Sorted runs in an unnamed file, in the blocks of a `.thk` file: what external sorting spills.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_files::UnnamedFile;

use super::block::{BLOCK, Parts, encode};
use super::layout::{Entry, Index, Layout};
use super::reader::Reader;
use crate::database::input::Input;
use crate::database::{DatabaseFormat, Header, KmerRecords};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Runs that are being written. The file has no name, so the system removes it however the process ends.
#[derive(Debug)]
pub(crate) struct Runs<K> {
    directory: PathBuf,
    file: BufWriter<File>,
    position: u64,
    starts: Vec<u64>,
    entries: Vec<Entry<K>>,
    block: Vec<u8>,
    parts: Parts,
    k: usize,
}

impl<K: Kmer> Runs<K> {
    pub(crate) fn create(directory: &Path, k: usize) -> Result<Runs<K>> {
        let file = UnnamedFile::create(directory)?.into_file();
        Ok(Runs {
            directory: directory.to_path_buf(),
            file: BufWriter::new(file),
            position: 0,
            starts: vec![0],
            entries: Vec::new(),
            block: Vec::new(),
            parts: Parts::default(),
            k,
        })
    }

    /// The number of runs so far.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Appends to the current run; the first k-mer is greater than the last one before.
    pub(crate) fn extend(&mut self, records: &[(K, u64)]) -> Result<()> {
        for records in records.chunks(BLOCK) {
            self.block.clear();
            if encode(records, &mut self.parts, &mut self.block).is_none() {
                return Err(Error::BadOption("a run of k-mers out of order".into()));
            }
            self.file
                .write_all(&self.block)
                .map_err(|source| Error::temporary(&self.directory, source))?;
            self.entries.push(Entry {
                first: records[0].0,
                offset: self.position,
                length: self.block.len() as u32,
                records: records.len() as u32,
            });
            self.position += self.block.len() as u64;
        }
        Ok(())
    }

    /// Ends the current run.
    pub(crate) fn end_run(&mut self) {
        self.starts.push(self.entries.len() as u64);
    }

    /// The records of each run.
    pub(crate) fn into_records(self) -> Result<Vec<KmerRecords<K>>> {
        let failed = |source| Error::temporary(&self.directory, source);
        let file = self
            .file
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        let input = Input::from_file(file, &self.directory)?;
        let layout = Layout {
            k: self.k,
            partitions: self.starts.len() as u32 - 1,
            index_offset: self.position,
            ..Layout::default()
        };
        let reader = Reader::from_parts(
            Arc::new(input),
            layout,
            Header::new(DatabaseFormat::Thk, self.k),
        );
        let index = Index {
            starts: self.starts,
            entries: self.entries,
        };
        Ok(reader.partitions_of(&Arc::new(index)))
    }
}
