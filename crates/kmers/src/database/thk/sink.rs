//! A `.thk` file as the sink of a count.

use super::encoder::Encoder;
use super::writer::ThkWriter;
use crate::count::Sink;
use crate::error::Result;
use crate::kmer::Kmer;

impl<K: Kmer> ThkWriter<K> {
    /// The encoder of a partition, with its beginning if that has come.
    fn take_encoder(&self, partition: u32) -> Result<Encoder<K>> {
        let idle = {
            let mut encoders = self.encoders();
            if let Some(at) = encoders.busy.iter().position(|busy| busy.0 == partition) {
                return Ok(encoders.busy.swap_remove(at).1);
            }
            encoders.idle.pop()
        };
        let mut encoder = idle.unwrap_or_else(|| self.encoder());
        encoder.begin(partition)?;
        Ok(encoder)
    }
}

/// Encoding happens in the thread that calls; the lock is held for appending to the file.
impl<K: Kmer> Sink<K> for ThkWriter<K> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
        let partition = partition as u32;
        let mut encoder = self.take_encoder(partition)?;
        encoder.extend(entries)?;
        self.encoders().busy.push((partition, encoder));
        Ok(())
    }

    fn end(&self, partition: usize) -> Result<()> {
        let mut encoder = self.take_encoder(partition as u32)?;
        encoder.end()?;
        self.encoders().idle.push(encoder);
        Ok(())
    }
}
