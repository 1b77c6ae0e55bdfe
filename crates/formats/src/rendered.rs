//! The text of records that were none.

/// Lines of text, and where they end.
#[derive(Clone, Default, Debug)]
pub struct Rendered {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl Rendered {
    /// Append what `write` appends, and a newline.
    ///
    /// A record of FASTQ has four such lines: `@` and the header, the sequence, `+`, the qualities; one of FASTA two.
    /// `write` must append no newline, and take nothing away.
    #[inline]
    pub fn line(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.text);
        // Of a text that has no room for positions, nobody asks for them.
        self.ends.push(self.text.len() as u32);
        self.text.push(b'\n');
    }

    /// The lines.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The positions of their newlines in the text: what [`Records::new`](crate::Records::new) takes.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Forget all lines; their memory stays.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.text.capacity() + size_of::<u32>() * self.ends.capacity()
    }
}
