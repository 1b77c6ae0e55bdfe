//! A record of BAM as a view of its bytes.

use super::layout::{FIXED, Fixed, Look, look};
use super::letters;
use super::tags::{BamTag, BamTags};

/// What is known of a record, bit by bit (SAM specification, section 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags(pub u16);

impl Flags {
    /// On the reverse strand of the reference.
    pub const REVERSE: u16 = 0x10;
    /// The first of a pair.
    pub const FIRST: u16 = 0x40;
    /// The second of a pair.
    pub const SECOND: u16 = 0x80;
    /// Another place for a read that has its primary record elsewhere.
    pub const SECONDARY: u16 = 0x100;
    /// Another part of a read that has its primary record elsewhere.
    pub const SUPPLEMENTARY: u16 = 0x800;

    /// Whether it has one of these flags.
    #[inline]
    pub fn has(self, flags: u16) -> bool {
        self.0 & flags != 0
    }

    /// Whether sequence and qualities are those of the other strand than the sequencer read.
    #[inline]
    pub fn is_reverse(self) -> bool {
        self.has(Self::REVERSE)
    }

    /// 1 or 2 for the first or second of a pair; `None` for a read that is neither, or both.
    #[inline]
    pub fn mate(self) -> Option<u8> {
        match self.0 & (Self::FIRST | Self::SECOND) {
            Self::FIRST => Some(1),
            Self::SECOND => Some(2),
            _ => None,
        }
    }
}

/// A record of BAM; nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct BamRecord<'a> {
    bytes: &'a [u8],
}

impl<'a> BamRecord<'a> {
    /// The record of these bytes, as [`RawRecords`](crate::RawRecords) give them. Other bytes make later calls panic, or
    /// give other slices; [`try_new`](Self::try_new) looks at them.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The record that `bytes` are, if they are one and nothing else.
    pub fn try_new(bytes: &'a [u8]) -> Option<Self> {
        (look(bytes) == Look::Record(bytes.len())).then_some(Self { bytes })
    }

    #[inline]
    fn fixed(self) -> Fixed<'a> {
        let (fixed, _) = self
            .bytes
            .split_first_chunk::<FIXED>()
            .expect("a whole record");
        Fixed::new(fixed)
    }

    /// Its bytes, as they lie in the file.
    #[inline]
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The name of the read; `*` if it has none.
    #[inline]
    pub fn name(self) -> &'a [u8] {
        &self.bytes[FIXED..FIXED + self.fixed().name() - 1]
    }

    /// What is known of it.
    #[inline]
    pub fn flags(self) -> Flags {
        Flags(self.fixed().flags())
    }

    /// The number of bases, 0 if the sequence is left out.
    #[inline]
    pub fn bases(self) -> usize {
        self.fixed().bases()
    }

    /// Append the letters of the sequence as the sequencer read it.
    #[inline]
    pub fn write_sequence(self, line: &mut Vec<u8>) {
        let fixed = self.fixed();
        let packed = &self.bytes[fixed.sequence_start()..fixed.qualities_start()];
        match self.flags().is_reverse() {
            true => letters::write_complement(packed, fixed.bases(), line),
            false => letters::write(packed, fixed.bases(), line),
        }
    }

    /// The qualities as they lie in the file: numbers from 0, in the order of the reference's strand. `None` if they are
    /// missing.
    #[inline]
    pub fn raw_qualities(self) -> Option<&'a [u8]> {
        let fixed = self.fixed();
        let qualities = &self.bytes[fixed.qualities_start()..fixed.tags_start()];
        Some(qualities).filter(|qualities| qualities.first() != Some(&0xff))
    }

    /// Append the qualities as letters, in the order in which the sequencer read them; `missing` for each if they are
    /// missing.
    ///
    /// # Errors
    /// One above 93, for which there is no letter.
    #[inline]
    pub fn write_qualities(self, missing: u8, line: &mut Vec<u8>) -> Result<(), &'static str> {
        let Some(qualities) = self.raw_qualities() else {
            line.resize(line.len() + self.bases(), missing);
            return Ok(());
        };
        let highest = qualities
            .iter()
            .fold(0, |highest, &quality| quality.max(highest));
        if highest > b'~' - b'!' {
            return Err("it has a quality above 93, for which FASTQ has no letter");
        }
        let letters = qualities.iter().map(|quality| quality.wrapping_add(b'!'));
        match self.flags().is_reverse() {
            true => line.extend(letters.rev()),
            false => line.extend(letters),
        }
        Ok(())
    }

    /// Its tags, in their order.
    #[inline]
    pub fn tags(self) -> BamTags<'a> {
        BamTags::new(&self.bytes[self.fixed().tags_start()..])
    }

    /// The first tag of this name.
    ///
    /// # Errors
    /// If the tags before it are damaged.
    pub fn tag(self, name: [u8; 2]) -> Result<Option<BamTag<'a>>, &'static str> {
        let is_it =
            |tag: &Result<BamTag<'_>, _>| tag.is_err() || tag.is_ok_and(|tag| tag.name() == name);
        self.tags().find(is_it).transpose()
    }
}
