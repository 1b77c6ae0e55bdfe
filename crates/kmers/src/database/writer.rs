//! Writes a database of any format from one stream.

use std::path::Path;

use super::{Description, Format, Totals, jellyfish, kmc, text, thk};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Writes a database. It gets its name in [`Writer::finish`]; dropped before, it leaves nothing.
///
/// Records come with ascending k-mers; for TSV and FASTA in any order.
#[derive(Debug)]
pub struct Writer<K: Kmer> {
    kind: Kind<K>,
    k: usize,
    /// The last k-mer, where the order matters.
    last: Option<K>,
    any_order: bool,
    totals: Totals,
}

#[derive(Debug)]
enum Kind<K: Kmer> {
    // Boxed: some hundred bytes each, and one of a kind.
    Thk(Box<(thk::Writer<K>, thk::Encoder<K>)>),
    Jellyfish(Box<jellyfish::Writer>),
    Kmc(Box<kmc::Writer>),
    Text(Box<text::Writer>),
}

impl<K: Kmer> Writer<K> {
    /// Creates the temporary file beside `path`. For KMC, `path` is the name without extension.
    ///
    /// # Errors
    /// [`Error::BadK`], [`Error::BadOption`] for a description that the format cannot hold or a format that is
    /// only read, [`Error::Io`].
    pub fn create(
        path: impl AsRef<Path>,
        format: Format,
        description: &Description,
    ) -> Result<Writer<K>> {
        let path = path.as_ref();
        description.check::<K>()?;
        let kind = match format {
            Format::Thk => {
                let writer = thk::Writer::create(path, description, thk::Partitioning::sorted())?;
                let mut encoder = writer.encoder();
                encoder.begin(0)?;
                Kind::Thk(Box::new((writer, encoder)))
            }
            Format::Jellyfish | Format::JellyfishText => {
                let writer = jellyfish::Writer::create(path, format, description)?;
                Kind::Jellyfish(Box::new(writer))
            }
            Format::Kmc => Kind::Kmc(Box::new(kmc::Writer::create(path, description)?)),
            Format::Kmc2 => {
                return Err(Error::BadOption(
                    "KMC's version 0x200 is only read; version 0 is written".into(),
                ));
            }
            Format::Tsv | Format::Fasta => {
                let writer = text::Writer::create(path, format, description.k)?;
                Kind::Text(Box::new(writer))
            }
        };
        Ok(Writer {
            any_order: matches!(kind, Kind::Text(_)),
            kind,
            k: description.k,
            last: None,
            totals: Totals::default(),
        })
    }

    /// Adds the next record.
    ///
    /// # Errors
    /// [`Error::BadOption`] if its k-mer is not greater than the last one, or if its count does not fit;
    /// [`Error::Io`].
    #[inline]
    pub fn push(&mut self, kmer: K, count: u64) -> Result<()> {
        if !self.any_order {
            if self.last >= Some(kmer) {
                return Err(Error::BadOption(format!(
                    "k-mers out of order at {}: the format needs them sorted",
                    String::from_utf8_lossy(&kmer.to_letters(self.k))
                )));
            }
            self.last = Some(kmer);
        }
        self.totals.add(count);
        match &mut self.kind {
            Kind::Thk(thk) => thk.1.push(kmer, count),
            Kind::Jellyfish(writer) => writer.push(kmer, count),
            Kind::Kmc(writer) => writer.push(kmer, count),
            Kind::Text(writer) => writer.push(kmer, count),
        }
    }

    /// Adds all records of a stream.
    ///
    /// # Errors
    /// As [`Writer::push`], and those of the stream.
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
            Kind::Jellyfish(writer) => writer.finish()?,
            Kind::Kmc(writer) => writer.finish()?,
            Kind::Text(writer) => writer.finish()?,
        }
        Ok(self.totals)
    }
}
