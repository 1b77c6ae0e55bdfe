//! Writes records to a target of any format.

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{
    BATCH, DatabaseFormat, DatabaseWriter, Description, Formatted, Formatter, KmerRecords,
    Separator, Totals,
};

use super::Fault;
use super::target::{Placement, Target};
use super::text_file::TextFile;
use crate::Control;
use crate::output_file::OutputFile;

/// A database that is being written. Dropped unfinished, it leaves nothing.
pub struct DatabaseOutput<K: Kmer>(Kind<K>);

enum Kind<K: Kmer> {
    Text(Box<TextFile>),
    Binary(Box<BinaryOutput<K>>),
}

/// A file of the library's, which is renamed when it is whole.
struct BinaryOutput<K: Kmer> {
    writer: DatabaseWriter<K>,
    placement: Placement,
}

impl<K: Kmer> DatabaseOutput<K> {
    /// One that has nothing yet.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create(target: &Target, description: &Description) -> Result<Self, Fault> {
        let separator = match target.format {
            DatabaseFormat::Tsv => Some(Separator::Tab),
            DatabaseFormat::Fasta => Some(Separator::Fasta),
            _ => None,
        };
        if let Some(separator) = separator {
            let output = OutputFile::create(&target.path)?;
            let text = TextFile::new(output, description.k, separator);
            return Ok(Self(Kind::Text(Box::new(text))));
        }
        let placement = Placement::new(target)?;
        let writer = DatabaseWriter::create(&placement.path, target.format, description)
            .map_err(|error| placement.told(error))?;
        Ok(Self(Kind::Binary(Box::new(BinaryOutput {
            writer,
            placement,
        }))))
    }

    /// Write all records with counts in `kept`, which come sorted. So many threads make bytes of them.
    ///
    /// # Errors
    /// Those of the records, and of writing; if the job was cancelled.
    pub fn extend(
        &mut self,
        records: KmerRecords<K>,
        kept: (u64, u64),
        threads: usize,
        control: &Control,
    ) -> Result<(), Fault> {
        let kept = kept.0..=kept.1;
        if let Some(formatter) = self.formatter().cloned() {
            return records.in_order(
                threads,
                |records, bytes: &mut Formatted| {
                    records.retain(|record| kept.contains(&record.1));
                    Ok(formatter.extend(records, bytes)?)
                },
                |bytes| {
                    control.check()?;
                    self.append(bytes)?;
                    bytes.clear();
                    Ok(())
                },
            );
        }
        let mut records = records.enumerate();
        records.try_for_each(|(number, record)| {
            if number % BATCH == 0 {
                control.check()?;
            }
            let (kmer, count) = record?;
            match kept.contains(&count) {
                true => self.push(kmer, count),
                false => Ok(()),
            }
        })
    }

    /// Write the next record. They come sorted.
    ///
    /// # Errors
    /// If it does not fit, or cannot be written.
    #[inline]
    pub fn push(&mut self, kmer: K, count: u64) -> Result<(), Fault> {
        match &mut self.0 {
            Kind::Text(text) => text.push(kmer, count)?,
            Kind::Binary(binary) => {
                (binary.writer.push(kmer, count)).map_err(|error| binary.placement.told(error))?
            }
        }
        Ok(())
    }

    /// What threads make bytes of records with, for [`Self::append`]; `None` for our own format.
    pub fn formatter(&self) -> Option<&Formatter> {
        match &self.0 {
            Kind::Text(text) => Some(text.formatter()),
            Kind::Binary(binary) => binary.writer.formatter(),
        }
    }

    /// Write records that are bytes already. They come sorted.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn append(&mut self, records: &Formatted) -> Result<(), Fault> {
        match &mut self.0 {
            Kind::Text(text) => text.append(records),
            Kind::Binary(binary) => Ok(
                (binary.writer.append(records)).map_err(|error| binary.placement.told(error))?
            ),
        }
    }

    /// What was appended.
    pub fn totals(&self) -> &Totals {
        match &self.0 {
            Kind::Text(text) => text.totals(),
            Kind::Binary(binary) => binary.writer.totals(),
        }
    }

    /// Give the file its name.
    ///
    /// # Errors
    /// If it cannot have it; if the job was cancelled before.
    pub fn finish(self, control: &Control) -> Result<Totals, Fault> {
        control.check()?;
        match self.0 {
            Kind::Text(text) => text.finish(),
            Kind::Binary(binary) => {
                let totals =
                    (binary.writer.finish()).map_err(|error| binary.placement.told(error))?;
                binary.placement.finish(control)?;
                Ok(totals)
            }
        }
    }
}
