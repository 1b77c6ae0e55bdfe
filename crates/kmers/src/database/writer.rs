//! Writes a database of any format from one stream.

use std::path::Path;

use super::formatter::out_of_order;
use super::output::{FULL, Output};
use super::{
    DatabaseFormat, Description, Formatted, Formatter, Separator, Totals, jellyfish, kmc, thk,
};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Writes a database. It gets its name in [`DatabaseWriter::finish`]; dropped before, it leaves nothing.
///
/// Records come with ascending k-mers; for TSV and FASTA in any order. They come one by one, or as bytes that several
/// threads made of them, each with a [`Formatter`] of this writer.
#[derive(Debug)]
pub struct DatabaseWriter<K: Kmer> {
    kind: Kind<K>,
    k: usize,
    /// The last k-mer, where the order matters.
    last: Option<K>,
    any_order: bool,
    /// Of what is written, and of what waits here.
    totals: Totals,
}

#[derive(Debug)]
enum Kind<K: Kmer> {
    // Boxed: some hundred bytes each, and one of a kind.
    Thk(Box<(thk::ThkWriter<K>, thk::Encoder<K>)>),
    Bytes(Box<Bytes>),
}

/// A format of records of which each is made into bytes by itself.
#[derive(Debug)]
struct Bytes {
    formatter: Formatter,
    /// What came one by one and is not written yet.
    pending: Formatted,
    file: File,
}

#[derive(Debug)]
enum File {
    Jellyfish(jellyfish::Writer),
    Kmc(kmc::Writer),
    Text(Output),
}

impl<K: Kmer> DatabaseWriter<K> {
    /// Creates the file that will be `path`. For KMC, `path` is the name without extension.
    ///
    /// # Errors
    /// [`Error::BadK`], [`Error::BadOption`] for a description that the format cannot hold or a format that is
    /// only read, [`Error::Io`].
    pub fn create(
        path: impl AsRef<Path>,
        format: DatabaseFormat,
        description: &Description,
    ) -> Result<DatabaseWriter<K>> {
        let path = path.as_ref();
        description.check::<K>()?;
        let kind = match format {
            DatabaseFormat::Thk => {
                let writer =
                    thk::ThkWriter::create(path, description, thk::Partitioning::sorted())?;
                let mut encoder = writer.encoder();
                encoder.begin(0)?;
                Kind::Thk(Box::new((writer, encoder)))
            }
            DatabaseFormat::Jellyfish | DatabaseFormat::JellyfishText => {
                let writer = jellyfish::Writer::create(path, format, description)?;
                let formatter = Formatter::of_jellyfish(writer.layout().clone(), description.k);
                Kind::bytes(formatter, File::Jellyfish(writer))
            }
            DatabaseFormat::Kmc => {
                let writer = kmc::Writer::create(path, description)?;
                let formatter = Formatter::of_kmc(writer.layout().clone(), description.k);
                Kind::bytes(formatter, File::Kmc(writer))
            }
            DatabaseFormat::Tsv => Kind::text(path, Separator::Tab, description.k)?,
            DatabaseFormat::Fasta => Kind::text(path, Separator::Fasta, description.k)?,
            DatabaseFormat::Kmc2 => {
                return Err(Error::BadOption(
                    "KMC's version 0x200 is only read; version 0 is written".into(),
                ));
            }
        };
        Ok(DatabaseWriter {
            kind,
            k: description.k,
            last: None,
            any_order: matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta),
            totals: Totals::default(),
        })
    }

    /// What makes bytes of records for [`DatabaseWriter::append`]; `None` for `.thk`, which takes
    /// [partitions](thk::ThkWriter) from several threads.
    pub fn formatter(&self) -> Option<&Formatter> {
        match &self.kind {
            Kind::Thk(_) => None,
            Kind::Bytes(bytes) => Some(&bytes.formatter),
        }
    }

    /// What was pushed and appended.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Adds the next record.
    ///
    /// # Errors
    /// [`Error::BadOption`] if its k-mer is not greater than the last one, [`Error::LargeCount`] if its count does not fit;
    /// [`Error::Io`].
    #[inline]
    pub fn push(&mut self, kmer: K, count: u64) -> Result<()> {
        if !self.any_order {
            if self.last >= Some(kmer) {
                return Err(out_of_order(kmer, self.k));
            }
            self.last = Some(kmer);
        }
        self.totals.add(count);
        match &mut self.kind {
            Kind::Thk(thk) => thk.1.push(kmer, count),
            Kind::Bytes(bytes) => bytes.push(kmer, count),
        }
    }

    /// Adds records that the [formatter](DatabaseWriter::formatter) made into bytes.
    ///
    /// # Errors
    /// [`Error::BadOption`] if the first k-mer is not greater than the last one before, or for a format without
    /// formatter; [`Error::Io`].
    pub fn append(&mut self, records: &Formatted) -> Result<()> {
        let Kind::Bytes(bytes) = &mut self.kind else {
            return Err(Error::BadOption("`.thk` takes no bytes".into()));
        };
        let ends = records.ends::<K>();
        if ends.is_none() && records.totals.distinct > 0 && !self.any_order {
            return Err(Error::BadOption(
                "records of which nobody has seen that they are sorted".into(),
            ));
        }
        if let Some([first, last]) = ends {
            if !self.any_order && self.last >= Some(first) {
                return Err(out_of_order(first, self.k));
            }
            self.last = Some(last);
        }
        self.totals.merge(&records.totals);
        bytes.flush()?;
        bytes.file.append(records)
    }

    /// Adds all records of a stream.
    ///
    /// # Errors
    /// As [`DatabaseWriter::push`], and those of the stream.
    pub fn extend(&mut self, records: impl IntoIterator<Item = Result<(K, u64)>>) -> Result<()> {
        for record in records {
            let (kmer, count) = record?;
            self.push(kmer, count)?;
        }
        Ok(())
    }

    /// Makes the file durable and gives it its name; an older one is replaced.
    ///
    /// # Errors
    /// [`Error::Io`]. The file under the final name is then as it was before; of KMC's two files the
    /// `.kmc_suf` may be missing.
    pub fn finish(self) -> Result<Totals> {
        match self.kind {
            Kind::Thk(thk) => {
                let (writer, mut encoder) = *thk;
                encoder.end()?;
                writer.finish()?;
            }
            Kind::Bytes(bytes) => bytes.finish()?,
        }
        Ok(self.totals)
    }
}

impl<K: Kmer> Kind<K> {
    fn text(path: &Path, separator: Separator, k: usize) -> Result<Self> {
        let formatter = Formatter::of_text(separator, k);
        Ok(Self::bytes(formatter, File::Text(Output::create(path)?)))
    }

    fn bytes(formatter: Formatter, file: File) -> Self {
        Kind::Bytes(Box::new(Bytes {
            formatter,
            pending: Formatted::default(),
            file,
        }))
    }
}

impl Bytes {
    #[inline]
    fn push<K: Kmer>(&mut self, kmer: K, count: u64) -> Result<()> {
        self.formatter.push(kmer, count, &mut self.pending)?;
        match self.pending.bytes.len() >= FULL {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes what waits.
    fn flush(&mut self) -> Result<()> {
        let result = self.file.append(&self.pending);
        self.pending.clear();
        result
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.file {
            File::Jellyfish(writer) => writer.finish(),
            File::Kmc(writer) => writer.finish(),
            File::Text(output) => output.finish(),
        }
    }
}

impl File {
    fn append(&mut self, records: &Formatted) -> Result<()> {
        match self {
            File::Jellyfish(writer) => writer.append(records),
            File::Kmc(writer) => writer.append(records),
            File::Text(output) => output.write(&records.bytes),
        }
    }
}
