//! Bytes from a place on, as a stream.

use std::io::{self, Read};

use crate::ReadAt;

/// All bytes of a source from an offset on, read in order.
///
/// It has a place of its own: any number of them read the same open file, through `&S` or `Arc<S>`. Each `read` is one
/// [`read_at`](ReadAt::read_at) of as many bytes as are asked for; nothing is kept.
#[derive(Clone, Debug)]
pub struct ReadFrom<S> {
    source: S,
    offset: u64,
}

impl<S: ReadAt> ReadFrom<S> {
    /// `source` from byte `offset` on.
    pub fn new(source: S, offset: u64) -> Self {
        Self { source, offset }
    }
}

impl<S: ReadAt> Read for ReadFrom<S> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reads_from_its_place() {
        let text = b"0123456789".as_slice();
        let [mut a, mut b] = [2, 7].map(|offset| ReadFrom::new(text, offset));
        let mut two = [0; 2];
        a.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"23");
        for (reader, expected) in [(&mut a, "456789"), (&mut b, "789")] {
            let mut rest = String::new();
            reader.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, expected);
            assert_eq!(reader.read(&mut two).unwrap(), 0);
        }
    }
}
