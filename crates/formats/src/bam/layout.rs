//! How the bytes of a record of BAM lie.
//!
//! ```text
//! u32 bytes that follow | i32 reference | i32 place | u8 length of the name, with its NUL | u8 | u16
//! | u16 operations of the alignment | u16 flags | u32 bases | i32 reference of the mate | i32 its place | i32
//! | name, NUL | alignment, 4 bytes each | two bases in each byte, the upper half first | a quality each | tags
//! ```
//! All numbers are little endian.

/// Bytes of a record before its name.
pub(super) const FIXED: usize = 36;

/// The first bytes of a record, all of fixed length.
#[derive(Clone, Copy)]
pub(super) struct Fixed<'a>(&'a [u8; FIXED]);

impl<'a> Fixed<'a> {
    pub(super) fn new(bytes: &'a [u8; FIXED]) -> Self {
        Self(bytes)
    }

    fn number(self, at: usize) -> u32 {
        u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    /// Bytes of the record in all.
    pub(super) fn length(self) -> usize {
        self.number(0) as usize + 4
    }

    /// Bytes of the name, with the NUL behind it.
    pub(super) fn name(self) -> usize {
        usize::from(self.0[12])
    }

    /// Bytes of the alignment.
    pub(super) fn alignment(self) -> usize {
        4 * usize::from(u16::from_le_bytes([self.0[16], self.0[17]]))
    }

    pub(super) fn flags(self) -> u16 {
        u16::from_le_bytes([self.0[18], self.0[19]])
    }

    pub(super) fn bases(self) -> usize {
        self.number(20) as usize
    }

    /// Where the packed bases start.
    pub(super) fn sequence_start(self) -> usize {
        FIXED + self.name() + self.alignment()
    }

    /// Where the qualities start.
    pub(super) fn qualities_start(self) -> usize {
        self.sequence_start() + self.bases().div_ceil(2)
    }

    /// Where the tags start.
    pub(super) fn tags_start(self) -> usize {
        self.qualities_start() + self.bases()
    }
}

/// What the bytes at a place are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// A record of so many bytes.
    Record(usize),
    /// The start of what may be one.
    Part,
    /// None.
    No(&'static str),
}

/// Numbers above are negative, and no lengths.
const MOST: u32 = i32::MAX as u32;

/// Tell whether a record starts with `data`.
///
/// The same is asked of records where they must be, and where one is looked for: so that what one reader passes over, no
/// other takes.
#[inline]
pub(super) fn look(data: &[u8]) -> Look {
    let Some(bytes) = data.first_chunk::<FIXED>() else {
        return Look::Part;
    };
    let fixed = Fixed::new(bytes);
    if fixed.number(0) > MOST || fixed.number(20) > MOST || fixed.tags_start() > fixed.length() {
        return Look::No("its lengths disagree");
    }
    // A reference and a place may be missing, which is -1.
    let is_place = |at| fixed.number(at) <= MOST || fixed.number(at) == u32::MAX;
    if ![4, 8, 24, 28].into_iter().all(is_place) {
        return Look::No("a reference or a place is below 0");
    }
    let name = fixed.name();
    if name < 2 {
        return Look::No("it has no name");
    }
    match data.get(FIXED..FIXED + name) {
        Some([name @ .., end]) if *end != 0 || !is_name(name) => Look::No("its name is not text"),
        Some(_) if data.len() >= fixed.length() => Look::Record(fixed.length()),
        _ => Look::Part,
    }
}

/// Printing characters; blanks are not allowed there, but met.
fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_graphic)
        && name.iter().all(|byte| matches!(byte, b' '..=b'~'))
}
