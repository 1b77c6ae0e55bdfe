//! BAM put together byte by byte, without another program.

/// What a record is made of.
#[derive(Clone)]
pub(crate) struct Record<'a> {
    pub(crate) name: &'a str,
    pub(crate) flags: u16,
    /// Letters of the sequence as it lies in the file; none for `*`.
    pub(crate) sequence: &'a [u8],
    /// Letters of FASTQ; `None` if they are missing.
    pub(crate) qualities: Option<&'a [u8]>,
    /// As they lie in the file.
    pub(crate) tags: &'a [u8],
}

impl<'a> Record<'a> {
    pub(crate) fn new(name: &'a str, flags: u16, sequence: &'a [u8], qualities: &'a [u8]) -> Self {
        Self {
            name,
            flags,
            sequence,
            qualities: Some(qualities),
            tags: b"",
        }
    }
}

/// A header of BAM with a text of so many bytes and one reference.
pub(crate) fn header(text: usize) -> Vec<u8> {
    let mut bytes = b"BAM\x01".to_vec();
    let text = [b"@CO\t".to_vec(), vec![b'x'; text], b"\n".to_vec()].concat();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(5u32.to_le_bytes());
    bytes.extend(b"chr1\0");
    bytes.extend(1000u32.to_le_bytes());
    bytes
}

pub(crate) fn append(bytes: &mut Vec<u8>, record: &Record<'_>) {
    let start = bytes.len();
    bytes.extend([0; 4]);
    for number in [-1, -1] {
        bytes.extend(i32::to_le_bytes(number));
    }
    bytes.extend([record.name.len() as u8 + 1, 0, 0x48, 0x12, 0, 0]);
    bytes.extend(record.flags.to_le_bytes());
    bytes.extend((record.sequence.len() as u32).to_le_bytes());
    for number in [-1, -1, 0] {
        bytes.extend(i32::to_le_bytes(number));
    }
    bytes.extend(record.name.as_bytes());
    bytes.push(0);
    let code = |letter: &u8| {
        let letters = b"=ACMGRSVTWYHKDBN";
        letters.iter().position(|other| other == letter).unwrap() as u8
    };
    for pair in record.sequence.chunks(2) {
        bytes.push(code(&pair[0]) << 4 | pair.get(1).map_or(0, code));
    }
    match record.qualities {
        Some(qualities) => bytes.extend(qualities.iter().map(|quality| quality - b'!')),
        None => bytes.extend(vec![0xff; record.sequence.len()]),
    }
    bytes.extend(record.tags);
    let length = (bytes.len() - start - 4) as u32;
    bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Unaligned BAM, uncompressed, of FASTQ whose names may end with /1 and /2, which become flags.
pub(crate) fn of_fastq(text: &[u8], header_text: usize) -> Vec<u8> {
    let mut bytes = header(header_text);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    for record in lines.chunks_exact(4) {
        let name = std::str::from_utf8(&record[0][1..]).unwrap();
        let (name, flags) = match name.split_once('/') {
            Some((name, "1")) => (name, 77),
            Some((name, _)) => (name, 141),
            None => (name, 4),
        };
        append(&mut bytes, &Record::new(name, flags, record[1], record[3]));
    }
    bytes
}
