//! A format that is no text, made up to show what one needs.
//!
//! ```text
//! file    "MADE" | u32 length of the header | header | records
//! record  u32 bytes that follow | u32 bases | u16 tag | u8 flags | u8 length of the name
//!         | name | four bases in each byte | a quality for each base, from 0
//! ```
//! All numbers are little endian. Records of flag 1 are nobody's to see.

use thalweg_formats::{
    BinaryFormat, Format, FormatError, FormatErrorKind, HeaderReader, HeaderStep, RawRecords,
    Rendered, Search,
};

/// The format.
#[derive(Debug)]
pub(crate) struct MadeUp;

/// Bytes of a record before its name.
const FIXED: usize = 12;

/// Records in a row that make one be believed.
const IN_A_ROW: usize = 3;

const HIDDEN: u8 = 1;

/// A view of the bytes of a record.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(&'a [u8]);

impl<'a> View<'a> {
    pub(crate) fn new(record: &'a [u8]) -> Self {
        Self(record)
    }

    fn bases(self) -> usize {
        u32::from_le_bytes(self.0[4..8].try_into().unwrap()) as usize
    }

    /// What the text does not show.
    pub(crate) fn tag(self) -> u16 {
        u16::from_le_bytes(self.0[8..10].try_into().unwrap())
    }

    fn is_hidden(self) -> bool {
        self.0[10] & HIDDEN != 0
    }

    fn name(self) -> &'a [u8] {
        &self.0[FIXED..FIXED + usize::from(self.0[11])]
    }

    fn letters(self) -> impl Iterator<Item = u8> + use<'a> {
        let packed = &self.0[FIXED + self.name().len()..];
        (0..self.bases()).map(|base| b"ACGT"[usize::from(packed[base / 4] >> (2 * (base % 4)) & 3)])
    }

    fn qualities(self) -> &'a [u8] {
        &self.0[FIXED + self.name().len() + self.bases().div_ceil(4)..]
    }
}

/// What the bytes at a place are.
enum Look {
    /// A record of so many bytes.
    Record(usize),
    /// The start of what may be one.
    Part,
    /// None.
    No(&'static str),
}

fn look(data: &[u8]) -> Look {
    let Some(fixed) = data.first_chunk::<FIXED>() else {
        return Look::Part;
    };
    let view = View(fixed);
    let length = u32::from_le_bytes(fixed[..4].try_into().unwrap()) as usize + 4;
    let bases = view.bases();
    if length != FIXED + usize::from(fixed[11]) + bases.div_ceil(4) + bases {
        return Look::No("its lengths disagree");
    }
    if fixed[10] > HIDDEN || fixed[11] == 0 {
        return Look::No("unknown flags, or no name");
    }
    match data.get(FIXED..FIXED + usize::from(fixed[11])) {
        Some(name) if !name.iter().all(u8::is_ascii_graphic) => Look::No("its name is not text"),
        _ if data.len() < length => Look::Part,
        _ => Look::Record(length),
    }
}

/// Whether a record starts at `data`; `None` if more of them must be known.
fn is_record(mut data: &[u8], at_end: bool) -> Option<bool> {
    for _ in 0..IN_A_ROW {
        match look(data) {
            Look::Record(length) => data = &data[length..],
            Look::Part if !at_end => return None,
            _ => return Some(false),
        }
        if data.is_empty() && at_end {
            break;
        }
    }
    Some(true)
}

impl BinaryFormat for MadeUp {
    fn name(&self) -> &'static str {
        "a format that was made up"
    }

    fn text_format(&self) -> Format {
        Format::Fastq
    }

    fn sniff(&self, prefix: &[u8]) -> bool {
        prefix.starts_with(b"MADE")
    }

    fn header(&self) -> Box<dyn HeaderReader> {
        Box::new(Header { is_seen: false })
    }

    fn scan(
        &self,
        data: &[u8],
        from: usize,
        at_end: bool,
        limit: usize,
        ends: &mut Vec<u32>,
    ) -> Result<usize, FormatError> {
        let before = ends.len();
        let mut start = from;
        for _ in 0..limit {
            let fault = |kind, ends: &[u32]| {
                Err(FormatError::new(
                    kind,
                    (ends.len() - before) / 2,
                    start,
                    data,
                ))
            };
            match look(&data[start..]) {
                _ if start == data.len() => break,
                Look::Record(length) => {
                    if !View(&data[start..]).is_hidden() {
                        ends.extend([start, start + length - 1].map(|place| place as u32));
                    }
                    start += length;
                }
                Look::Part if at_end => return fault(FormatErrorKind::Truncated, ends),
                Look::Part => break,
                Look::No(why) => return fault(FormatErrorKind::Malformed(why), ends),
            }
        }
        Ok(start)
    }

    fn find(&self, data: &[u8], from: usize, at_end: bool) -> Search {
        for start in from..data.len() {
            match is_record(&data[start..], at_end) {
                Some(true) => return Search::Found(start),
                Some(false) => {}
                None => return Search::NeedMore(start),
            }
        }
        match at_end {
            true => Search::NoneLeft,
            false => Search::NeedMore(data.len()),
        }
    }

    fn render(&self, records: RawRecords<'_>, text: &mut Rendered) -> Result<(), FormatError> {
        for record in records.map(View) {
            text.line(|line| {
                line.push(b'@');
                line.extend(record.name());
            });
            text.line(|line| line.extend(record.letters()));
            text.line(|line| line.push(b'+'));
            text.line(|line| line.extend(record.qualities().iter().map(|quality| quality + b'!')));
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Header {
    is_seen: bool,
}

impl HeaderReader for Header {
    fn step(&mut self, data: &[u8], _: bool) -> Result<HeaderStep, FormatError> {
        if self.is_seen {
            return Ok(HeaderStep::End);
        }
        let Some([_, _, _, _, length @ ..]) = data.first_chunk::<8>() else {
            return Ok(HeaderStep::NeedMore);
        };
        self.is_seen = true;
        Ok(HeaderStep::Skip(8 + u64::from(u32::from_le_bytes(*length))))
    }
}

/// A file of so many records with a header of `header` bytes, the same records as FASTQ, and their tags.
pub(crate) struct Written {
    pub(crate) data: Vec<u8>,
    /// Where each record starts, also those that nobody is to see; and the end.
    pub(crate) starts: Vec<usize>,
    pub(crate) text: Vec<u8>,
    pub(crate) tags: Vec<u16>,
}

/// Records that differ in length and content, every seventh hidden if `hide`. Of many, two are longer than a slab.
pub(crate) fn write(records: usize, header: usize, hide: bool) -> Written {
    let mut data = b"MADE".to_vec();
    data.extend((header as u32).to_le_bytes());
    // Numbers, among which lengths may seem to be.
    data.extend((0..header).map(|place| (place % 251 % 13) as u8));
    let (mut starts, mut text, mut tags) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = 7u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    for number in 0..records {
        let name = format!("read:{number}");
        let bases = match number % 4000 {
            3000 => 700_000,
            _ => next() as usize % 200,
        };
        let (tag, is_hidden) = (next() as u16, hide && number % 7 == 3);
        let codes: Vec<u8> = (0..bases).map(|_| next() as u8 & 3).collect();
        let qualities: Vec<u8> = (0..bases).map(|_| next() as u8 % 42).collect();
        let length = FIXED + name.len() + bases.div_ceil(4) + bases;
        starts.push(data.len());
        data.extend((length as u32 - 4).to_le_bytes());
        data.extend((bases as u32).to_le_bytes());
        data.extend(tag.to_le_bytes());
        data.extend([u8::from(is_hidden), name.len() as u8]);
        data.extend(name.as_bytes());
        let pack = |codes: &[u8]| {
            (0..)
                .zip(codes)
                .fold(0, |byte, (at, code)| byte | code << (2 * at))
        };
        data.extend(codes.chunks(4).map(pack));
        data.extend(&qualities);
        if !is_hidden {
            tags.push(tag);
            text.extend(format!("@{name}\n").as_bytes());
            text.extend(codes.iter().map(|&code| b"ACGT"[usize::from(code)]));
            text.extend(b"\n+\n");
            text.extend(qualities.iter().map(|quality| quality + b'!'));
            text.push(b'\n');
        }
    }
    starts.push(data.len());
    Written {
        data,
        starts,
        text,
        tags,
    }
}
