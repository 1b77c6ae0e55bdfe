//! Unaligned BAM of reads that are text.

use crate::Record;
use crate::name::id;

use super::Flags;
use super::layout::FIXED;
use super::tag_text;

/// Makes records of unaligned BAM.
///
/// What BAM can hold, it keeps: names, letters of the sixteen that there are, qualities, and tags that stand behind a name as
/// SAM writes them, each behind a tab. What else stands there, and a tag that comes again, becomes the text of the tag `CO`,
/// with spaces for tabs. A last `/1` or `/2` of a name becomes a flag.
#[derive(Clone, Debug, Default)]
pub struct BamWriter {
    /// The tag `RG` of records that have none.
    read_group: Option<Vec<u8>>,
}

/// Which read of a pair a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BamMate {
    /// As its name says: a read of a pair if it ends with `/1` or `/2`.
    ByName,
    /// The first of a pair.
    First,
    /// The second of a pair.
    Second,
}

/// Why a record cannot be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BamWriteError {
    /// Its name has more bytes than 254, or others than printing ones of ASCII.
    #[error("BAM holds names of up to 254 printing characters, but this read's name is not one")]
    Name,
    /// There are not as many qualities as bases, or some that are none.
    #[error("a read whose qualities are none of FASTQ")]
    Qualities,
    /// Records have up to 2 GiB.
    #[error("a read that is longer than 2 GiB")]
    TooLong,
}

/// The flag of reads that are on no reference, and those of mates of which both are not.
const UNMAPPED: u16 = 0x4;
const PAIRED: u16 = 0x1 | UNMAPPED | 0x8;

/// The bin of records that are on no reference (SAM specification, section 4.2.1).
const NO_BIN: u16 = 4680;

/// The code of each letter, of either case, T for U; 15, which is N, of what is none.
static CODES: [u8; 256] = codes();

const fn codes() -> [u8; 256] {
    let letters = super::letters::LETTERS;
    let mut codes = [15; 256];
    let mut code = 0;
    while code < letters.len() {
        codes[letters[code] as usize] = code as u8;
        codes[letters[code].to_ascii_lowercase() as usize] = code as u8;
        code += 1;
    }
    codes[b'U' as usize] = codes[b'T' as usize];
    codes[b'u' as usize] = codes[b'T' as usize];
    codes
}

impl BamWriter {
    /// Of reads that are of no read group, or say of which they are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Have all records say that they are of this read group, if they do not say of which.
    pub fn read_group(mut self, name: &str) -> Self {
        self.read_group = Some(name.as_bytes().to_vec());
        self
    }

    /// What a file of BAM begins with: `text`, lines of a SAM header, and no references.
    pub fn header(text: &str) -> Vec<u8> {
        let mut bytes = super::header::MAGIC.to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(0_u32.to_le_bytes());
        bytes
    }

    /// Append `record` to `bytes`. Returns how many of its letters are written as others: those of lower case, U, which becomes
    /// T, and what is none of the sixteen, which becomes N.
    ///
    /// # Errors
    /// What BAM cannot hold; `bytes` are as before then.
    pub fn append(
        &self,
        record: &Record<'_>,
        mate: BamMate,
        bytes: &mut Vec<u8>,
    ) -> Result<u64, BamWriteError> {
        let start = bytes.len();
        let changed = self.write(record, mate, bytes);
        let length = bytes.len() - start;
        let outcome = match (changed, i32::try_from(length)) {
            (Ok(_), Err(_)) => Err(BamWriteError::TooLong),
            (changed, _) => changed,
        };
        match outcome {
            Ok(_) => {
                let behind = (length - 4) as u32;
                bytes[start..start + 4].copy_from_slice(&behind.to_le_bytes());
            }
            Err(_) => bytes.truncate(start),
        }
        outcome
    }

    fn write(
        &self,
        record: &Record<'_>,
        mate: BamMate,
        bytes: &mut Vec<u8>,
    ) -> Result<u64, BamWriteError> {
        let (name, flags) = name_and_flags(id(record.head()), mate);
        let is_name = name.len() <= 254 && name.iter().all(u8::is_ascii_graphic);
        if !is_name {
            return Err(BamWriteError::Name);
        }
        let sequence = record.sequence();
        let bases = u32::try_from(sequence.len()).map_err(|_| BamWriteError::TooLong)?;
        let start = bytes.len();
        bytes.extend([0; 4]);
        bytes.extend((-1_i32).to_le_bytes());
        bytes.extend((-1_i32).to_le_bytes());
        bytes.extend([name.len() as u8 + 1, 0]);
        bytes.extend(NO_BIN.to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(bases.to_le_bytes());
        bytes.extend((-1_i32).to_le_bytes());
        bytes.extend((-1_i32).to_le_bytes());
        bytes.extend(0_i32.to_le_bytes());
        debug_assert_eq!(bytes.len() - start, FIXED);
        bytes.extend_from_slice(name);
        bytes.push(0);
        let code = |letter: u8| CODES[usize::from(letter)];
        let (pairs, last) = sequence.as_chunks::<2>();
        bytes.extend(pairs.iter().map(|&[a, b]| code(a) << 4 | code(b)));
        bytes.extend(last.iter().map(|&letter| code(letter) << 4));
        match record.quality() {
            Some(quality) => {
                let are_qualities = quality.iter().all(u8::is_ascii_graphic);
                if quality.len() != sequence.len() || !are_qualities {
                    return Err(BamWriteError::Qualities);
                }
                bytes.extend(quality.iter().map(|letter| letter - b'!'));
            }
            None => bytes.resize(bytes.len() + sequence.len(), 0xff),
        }
        self.write_tags(record.description(), bytes);
        let is_changed =
            |letter: &&u8| super::letters::LETTERS[usize::from(code(**letter))] != **letter;
        Ok(sequence.iter().filter(is_changed).count() as u64)
    }

    /// Tags of what stands behind a name.
    fn write_tags(&self, description: &[u8], bytes: &mut Vec<u8>) {
        let (mut comment, mut written) = (Vec::new(), Vec::new());
        // The place of the NUL behind a comment that came as a tag.
        let mut comment_end = None;
        for field in description.split(|&byte| byte == b'\t') {
            // A record has a tag once, and the comment is text.
            let name = field.get(..2).unwrap_or_default();
            let is_free = !written.contains(&name);
            let is_other_comment = name == b"CO" && !field.starts_with(b"CO:Z:");
            if is_free && !is_other_comment && tag_text::write(field, bytes) {
                written.push(name);
                if name == b"CO" {
                    comment_end = Some(bytes.len() - 1);
                }
            } else if !field.is_empty() {
                if !comment.is_empty() {
                    // A tab would begin another tag where SAM is made of it.
                    comment.push(b' ');
                }
                comment.extend_from_slice(field);
            }
        }
        // A NUL would end the text.
        comment.retain(|&byte| byte != 0);
        match comment_end {
            _ if comment.is_empty() => {}
            Some(end) => {
                bytes.splice(end..end, [b' '].into_iter().chain(comment));
            }
            None => {
                bytes.extend_from_slice(b"COZ");
                bytes.extend(comment);
                bytes.push(0);
            }
        }
        let has_group = written.contains(&&b"RG"[..]);
        if let (Some(group), false) = (&self.read_group, has_group) {
            bytes.extend_from_slice(b"RGZ");
            bytes.extend_from_slice(group);
            bytes.push(0);
        }
    }
}

/// The name without what tells mates apart, and the flags.
fn name_and_flags(id: &[u8], mate: BamMate) -> (&[u8], u16) {
    let (name, told) = match id {
        [name @ .., b'/', b'1'] if !name.is_empty() => (name, BamMate::First),
        [name @ .., b'/', b'2'] if !name.is_empty() => (name, BamMate::Second),
        name => (name, BamMate::ByName),
    };
    let name = if name.is_empty() { b"*" } else { name };
    // A name says which mate it is, whatever the order of files.
    let mate = if told == BamMate::ByName { mate } else { told };
    let flags = match mate {
        BamMate::ByName => UNMAPPED,
        BamMate::First => PAIRED | Flags::FIRST,
        BamMate::Second => PAIRED | Flags::SECOND,
    };
    (name, flags)
}
