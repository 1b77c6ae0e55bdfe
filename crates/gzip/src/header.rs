//! gzip member headers (RFC 1952, section 2.3) and the BGZF field in them
//! (SAM specification, section 4.1).

/// Bytes `ID1 ID2 CM` of every member: gzip with DEFLATE.
pub const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Length of the trailer: CRC32 and ISIZE, 4 bytes each, little endian.
pub(crate) const TRAILER: usize = 8;

/// Longest header that is accepted: FEXTRA may hold 64 KiB, and a name or
/// comment that long again is an attack, not a name.
pub(crate) const LONGEST: usize = 96 * 1024;

const FHCRC: u8 = 1 << 1;
const FEXTRA: u8 = 1 << 2;
const FNAME: u8 = 1 << 3;
const FCOMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// What a member's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberHeader {
    /// Length of the header in bytes; the DEFLATE data follow.
    pub length: usize,
    /// For a BGZF block, its whole size in bytes, header and trailer included.
    pub block_size: Option<usize>,
}

/// Outcome of looking at the start of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A whole header.
    Header(MemberHeader),
    /// So far a header, but more bytes are needed.
    Incomplete,
    /// So far a header, but one that is longer than 96 KiB.
    TooLong,
    /// Not the magic bytes.
    NotGzip,
    /// The magic bytes, but the rest is malformed.
    Malformed(&'static str),
}

/// Read the member header at the start of `bytes`.
pub fn parse(bytes: &[u8]) -> Parsed {
    for (byte, magic) in bytes.iter().zip(MAGIC) {
        if *byte != magic {
            return Parsed::NotGzip;
        }
    }
    let Some(&flags) = bytes.get(3) else {
        return Parsed::Incomplete;
    };
    if flags & RESERVED != 0 {
        return Parsed::Malformed("reserved flag bits are set");
    }
    // MTIME (4), XFL and OS carry nothing that decoding needs.
    let mut length = 10;
    let mut block_size = None;
    if flags & FEXTRA != 0 {
        let Some(extra) = bytes.get(length..length + 2) else {
            return Parsed::Incomplete;
        };
        let extra_length = usize::from(u16::from_le_bytes([extra[0], extra[1]]));
        let Some(extra) = bytes.get(length + 2..length + 2 + extra_length) else {
            return Parsed::Incomplete;
        };
        block_size = bgzf_block_size(extra);
        length += 2 + extra_length;
    }
    for text in [FNAME, FCOMMENT] {
        if flags & text != 0 {
            let Some(rest) = bytes.get(length..) else {
                return Parsed::Incomplete;
            };
            match rest.iter().position(|byte| *byte == 0) {
                Some(end) => length += end + 1,
                None if rest.len() > LONGEST => return Parsed::TooLong,
                None => return Parsed::Incomplete,
            }
        }
    }
    if flags & FHCRC != 0 {
        let Some(stated) = bytes.get(length..length + 2) else {
            return Parsed::Incomplete;
        };
        // CRC16: the two low bytes of the CRC32 of the header before it.
        let actual = crc32fast::hash(&bytes[..length]) as u16;
        if u16::from_le_bytes([stated[0], stated[1]]) != actual {
            return Parsed::Malformed("its CRC16 does not match");
        }
        length += 2;
    }
    if bytes.len() < length {
        return Parsed::Incomplete;
    }
    Parsed::Header(MemberHeader { length, block_size })
}

/// Subfield `BC` of length 2 holds the block's size minus one.
fn bgzf_block_size(mut extra: &[u8]) -> Option<usize> {
    while let [id1, id2, low, high, rest @ ..] = extra {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        if (*id1, *id2, length) == (b'B', b'C', 2) {
            let size = rest.get(..2)?;
            return Some(usize::from(u16::from_le_bytes([size[0], size[1]])) + 1);
        }
        extra = rest.get(length..)?;
    }
    None
}

/// Position of the first BGZF block that starts in `bytes`, confirmed by the
/// header of the block after it, or by the end of the data when `at_end`.
///
/// The magic, flags and subfield are 9 fixed bytes, and the confirmation as
/// many again, so compressed data pass for a block once in 2^144 positions.
pub fn find_bgzf_block(bytes: &[u8], at_end: bool) -> Option<usize> {
    memchr::memmem::find_iter(bytes, &[0x1f, 0x8b, 8, FEXTRA]).find(|&start| {
        let Parsed::Header(header) = parse(&bytes[start..]) else {
            return false;
        };
        let Some(size) = header.block_size else {
            return false;
        };
        match bytes.get(start + size..) {
            Some([]) | None => at_end && bytes.len() == start + size,
            Some(next) => match parse(next) {
                Parsed::Header(next) => next.block_size.is_some(),
                Parsed::Incomplete => at_end,
                // Padding behind the last block.
                _ => next.iter().take(header.length).all(|byte| *byte == 0),
            },
        }
    })
}

/// The empty block that ends a whole BGZF file.
pub const BGZF_END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0,
    0, 0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_block_is_a_bgzf_block() {
        assert_eq!(
            parse(&BGZF_END),
            Parsed::Header(MemberHeader {
                length: 18,
                block_size: Some(28)
            })
        );
    }

    #[test]
    fn every_prefix_of_a_header_is_incomplete() {
        let header = [
            0x1f,
            0x8b,
            8,
            FEXTRA | FNAME | FCOMMENT,
            0,
            0,
            0,
            0,
            0,
            3,
            4,
            0,
            b'X',
            b'Y',
            0,
            0,
            b'n',
            0,
            b'c',
            0,
        ];
        for length in 0..header.len() {
            assert_eq!(parse(&header[..length]), Parsed::Incomplete, "{length}");
        }
        assert!(matches!(parse(&header), Parsed::Header(h) if h.length == header.len()));
    }

    #[test]
    fn malformed_headers_are_told_apart() {
        assert_eq!(parse(b"PK\x03\x04"), Parsed::NotGzip);
        assert_eq!(parse(&[0x1f, 0x8b, 7]), Parsed::NotGzip);
        assert!(matches!(
            parse(&[0x1f, 0x8b, 8, 0xe0]),
            Parsed::Malformed(_)
        ));
        let wrong_crc = [0x1f, 0x8b, 8, FHCRC, 0, 0, 0, 0, 0, 3, 1, 2];
        assert!(matches!(parse(&wrong_crc), Parsed::Malformed(_)));
    }
}
