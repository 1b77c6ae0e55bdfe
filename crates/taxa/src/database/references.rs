//! The section of the reference sequences.

use thalweg_files::write_varint;

use super::header::{SectionName, TaxonDatabaseHeader};
use super::input::{Input, write_text};
use crate::Result;

/// The sequences that a database was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSequences {
    /// Names of their files.
    pub files: Vec<String>,
    /// The sequences, in the order in which they were read.
    pub sequences: Vec<Reference>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The number of its file.
    pub file: u32,
    /// The leaf that it was given to.
    pub leaf: u32,
    /// Number of its bases.
    pub bases: u64,
    /// Its name.
    pub name: String,
}

impl ReferenceSequences {
    /// Bases of all. Of so many that they do not fit, the most that do.
    pub fn bases(&self) -> u64 {
        (self.sequences.iter()).fold(0, |sum, sequence| sum.saturating_add(sequence.bases))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_varint(&mut bytes, self.files.len() as u64);
        (self.files.iter()).for_each(|file| write_text(&mut bytes, file));
        write_varint(&mut bytes, self.sequences.len() as u64);
        for sequence in &self.sequences {
            write_varint(&mut bytes, sequence.file.into());
            write_varint(&mut bytes, sequence.leaf.into());
            write_varint(&mut bytes, sequence.bases);
            write_text(&mut bytes, &sequence.name);
        }
        bytes
    }

    /// Those of these bytes, which are of `leaves` leaves.
    ///
    /// # Errors
    /// They are damaged.
    pub(super) fn from_bytes(
        bytes: &[u8],
        header: &TaxonDatabaseHeader,
        leaves: usize,
    ) -> Result<Self> {
        let mut input = Input::new(bytes, SectionName::Seqs);
        let mut references = Self::default();
        for _ in 0..input.number()? {
            references.files.push(input.text()?.to_owned());
        }
        for _ in 0..input.number()? {
            references.sequences.push(Reference {
                file: input.number_below(references.files.len(), "file")?,
                leaf: input.number_below(leaves, "leaf")?,
                bases: input.number()?,
                name: input.text()?.to_owned(),
            });
        }
        let numbers = (references.sequences.len() as u64, references.bases());
        if numbers != (header.sequences, header.bases) {
            return Err(input.fault("its sequences are not those of the header"));
        }
        input.end()?;
        Ok(references)
    }
}
