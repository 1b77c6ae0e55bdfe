//! Writes records to a target of any format.

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Description, Format, Records, Totals, Writer};

use super::failure::Fault;
use super::target::{Placement, Target, remove_unfinished_on_signal};
use crate::exit::Failure;
use crate::output::Output;
use crate::signals::Cleanup;

/// A database that is being written. Dropped unfinished, it leaves nothing.
pub(crate) enum DatabaseOutput<K: Kmer> {
    Text(TextOutput),
    Binary(Box<BinaryOutput<K>>),
}

/// A file of the library's, which is renamed when it is whole.
pub(crate) struct BinaryOutput<K: Kmer> {
    writer: Writer<K>,
    placement: Placement,
    _cleanup: Vec<Cleanup>,
}

impl<K: Kmer> DatabaseOutput<K> {
    pub(crate) fn create(target: &Target, description: &Description) -> Result<Self, Fault> {
        let separator = match target.format {
            Format::Tsv => Some(Separator::Tab),
            Format::Fasta => Some(Separator::Fasta),
            _ => None,
        };
        if let Some(separator) = separator {
            let output = Output::create(&target.path)?;
            return Ok(Self::Text(TextOutput::new(
                output,
                description.k,
                separator,
            )));
        }
        let placement = Placement::new(target)?;
        let writer = Writer::create(&placement.path, target.format, description)?;
        Ok(Self::Binary(Box::new(BinaryOutput {
            _cleanup: remove_unfinished_on_signal(&placement.path),
            writer,
            placement,
        })))
    }

    /// Write all records with counts in `kept`. They come sorted.
    pub(crate) fn extend(&mut self, records: Records<K>, kept: (u64, u64)) -> Result<(), Fault> {
        for record in records {
            let (kmer, count) = record?;
            if count < kept.0 || count > kept.1 {
                continue;
            }
            self.push(kmer, count)?;
        }
        Ok(())
    }

    /// Write the next record. They come sorted.
    #[inline]
    pub(crate) fn push(&mut self, kmer: K, count: u64) -> Result<(), Fault> {
        match self {
            Self::Text(text) => text.push(kmer, count)?,
            Self::Binary(binary) => binary.writer.push(kmer, count)?,
        }
        Ok(())
    }

    /// Give the file its name.
    pub(crate) fn finish(self) -> Result<Totals, Fault> {
        match self {
            Self::Text(text) => Ok(text.finish()?),
            Self::Binary(binary) => {
                let totals = binary.writer.finish()?;
                binary.placement.finish()?;
                Ok(totals)
            }
        }
    }
}

/// What stands between a k-mer and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Tab,
    Blank,
    /// The count comes first, as the name of the k-mer.
    Fasta,
}

/// Lines of text, also to pipes and the standard output.
pub(crate) struct TextOutput {
    output: Output,
    buffer: Vec<u8>,
    k: usize,
    separator: Separator,
    totals: Totals,
}

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 18;

impl TextOutput {
    pub(crate) fn new(output: Output, k: usize, separator: Separator) -> Self {
        Self {
            output,
            buffer: Vec::with_capacity(2 * BUFFER),
            k,
            separator,
            totals: Totals::default(),
        }
    }

    #[inline]
    pub(crate) fn push<K: Kmer>(&mut self, kmer: K, count: u64) -> Result<(), Failure> {
        self.totals.add(count);
        let buffer = &mut self.buffer;
        if self.separator == Separator::Fasta {
            buffer.push(b'>');
            push_number(buffer, count);
            buffer.push(b'\n');
            kmer.write_letters(self.k, buffer);
        } else {
            kmer.write_letters(self.k, buffer);
            buffer.push(match self.separator {
                Separator::Tab => b'\t',
                _ => b' ',
            });
            push_number(buffer, count);
        }
        buffer.push(b'\n');
        if buffer.len() >= BUFFER {
            self.output.write(buffer)?;
            buffer.clear();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Totals, Failure> {
        self.output.write(&self.buffer)?;
        self.output.finish()?;
        Ok(self.totals)
    }
}

/// Appends decimal digits.
fn push_number(buffer: &mut Vec<u8>, mut number: u64) {
    let start = buffer.len();
    loop {
        buffer.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    buffer[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_std() {
        for number in [0, 1, 9, 10, 12345, u64::MAX] {
            let mut digits = b"x".to_vec();
            push_number(&mut digits, number);
            assert_eq!(digits, format!("x{number}").into_bytes());
        }
    }
}
