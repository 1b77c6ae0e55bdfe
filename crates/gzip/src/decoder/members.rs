//! What a chunk has of members, so that those which several chunks share can be checked, too.
//!
//! ```text
//! chunks   |----------|----------|----------|
//! members  |-------------|--|-|-------------|
//!           head        head whole tail head
//! ```
//! The decoder itself checks the members that it sees from their start on. Of the others, the bytes up to a chunk's first
//! trailer, and behind its last one, are told: their checksums give that of the member. Up to the first trailer a chunk's
//! own checksum is that of the part, so no byte is summed for it twice.

use super::{Checksum, Decoder};
use crate::error::{Error, ErrorKind};

/// What a member's trailer says, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// CRC32 of the member's data.
    pub crc32: u32,
    /// Their length in bytes, modulo 2^32.
    pub length: u32,
    /// Its first byte, from the start of the compressed file.
    pub offset: u64,
}

/// The bytes of one member within one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPart {
    /// CRC32 of the part.
    pub crc32: u32,
    /// Length of the part in uncompressed bytes.
    pub length: u64,
    /// The member's trailer, if the member ends here and not at the end of the chunk, or behind it.
    pub trailer: Option<Trailer>,
}

/// What one chunk has of members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkMembers {
    /// All up to the first trailer, or all of the chunk if it has none.
    pub head: Option<MemberPart>,
    /// Number of members behind that which end in the chunk. The decoder has checked them.
    pub whole: u64,
    /// What is behind the last trailer, if there is anything.
    pub tail: Option<MemberPart>,
}

impl Trailer {
    /// Compare it with the data of the member: their CRC32, and their length in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::MemberChecksum`], [`ErrorKind::MemberLength`].
    pub fn check(&self, crc32: u32, length: u64) -> Result<(), Error> {
        let kind = if crc32 != self.crc32 {
            ErrorKind::MemberChecksum {
                expected: self.crc32,
                found: crc32,
            }
        } else if length as u32 != self.length {
            ErrorKind::MemberLength {
                expected: self.length,
                found: length as u32,
            }
        } else {
            return Ok(());
        };
        Err(Error::new(kind, self.offset))
    }
}

impl Checksum {
    fn part(&self, trailer: Option<Trailer>) -> MemberPart {
        MemberPart {
            crc32: self.value(),
            length: self.length,
            trailer,
        }
    }
}

impl Decoder {
    /// A member ends here, all of whose data have been summed.
    pub(super) fn note_trailer(&mut self, trailer: Trailer) {
        let was_in_head = std::mem::replace(&mut self.in_head, false);
        let Some(members) = &mut self.members else {
            return;
        };
        if !was_in_head {
            members.whole += 1;
            return;
        }
        members.head = self.chunk.as_ref().map(|chunk| chunk.part(Some(trailer)));
        let is_wanted = self.goal.is_some_and(|goal| goal.crc32().is_some());
        self.chunk.take_if(|_| !is_wanted);
    }

    /// The chunk ends here, all of which has been summed.
    pub(super) fn note_chunk_end(&mut self) {
        let Some(members) = &mut self.members else {
            return;
        };
        match self.in_head {
            true => members.head = self.chunk.as_ref().map(|chunk| chunk.part(None)),
            false => {
                let begun = self.member.as_ref().filter(|member| member.length > 0);
                members.tail = begun.map(|member| member.part(None));
            }
        }
    }
}
