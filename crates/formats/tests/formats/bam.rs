//! BAM, against records that are put together byte by byte.

use proptest::prelude::*;
use thalweg_formats::bam::{
    BAM, Bam, BamMate, BamOptions, BamRecord, BamWriteError, BamWriter, TagChoice,
};
use thalweg_formats::{
    FileFormat, Format, FormatErrorKind, RawRecords, Records, Rendered, Scanner, Search,
};

const USUAL: FileFormat = FileFormat::Binary(&BAM);

const LETTERS: &[u8] = b"=ACMGRSVTWYHKDBN";

/// What a record is made of.
#[derive(Clone, Debug)]
struct Parts {
    name: String,
    flags: u16,
    operations: u16,
    codes: Vec<u8>,
    /// `None`: missing.
    qualities: Option<Vec<u8>>,
    /// As they lie in the file, and as text.
    tags: (Vec<u8>, String),
}

impl Parts {
    fn new(name: &str, flags: u16, letters: &[u8], qualities: Option<&[u8]>) -> Self {
        let code = |letter| LETTERS.iter().position(|other| other == letter).unwrap() as u8;
        Self {
            name: name.to_owned(),
            flags,
            operations: 0,
            codes: letters.iter().map(code).collect(),
            qualities: qualities.map(<[u8]>::to_vec),
            tags: (Vec::new(), String::new()),
        }
    }

    fn is_hidden(&self) -> bool {
        self.flags & 0x900 != 0
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        bytes.extend((-1i32).to_le_bytes());
        bytes.extend(7i32.to_le_bytes());
        bytes.extend([self.name.len() as u8 + 1, 60, 1, 2]);
        bytes.extend(self.operations.to_le_bytes());
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend((self.codes.len() as u32).to_le_bytes());
        bytes.extend((-1i32).to_le_bytes());
        bytes.extend((-1i32).to_le_bytes());
        bytes.extend((-300i32).to_le_bytes());
        bytes.extend(self.name.as_bytes());
        bytes.push(0);
        bytes.extend(vec![0x30; 4 * usize::from(self.operations)]);
        let pack = |pair: &[u8]| pair[0] << 4 | pair.get(1).unwrap_or(&0);
        bytes.extend(self.codes.chunks(2).map(pack));
        match &self.qualities {
            Some(qualities) => bytes.extend(qualities),
            None => bytes.extend(vec![0xff; self.codes.len()]),
        }
        bytes.extend(&self.tags.0);
        let length = bytes.len() as u32 - 4;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    /// Letter by letter.
    fn fastq(&self, with_mate: bool, with_tags: bool) -> String {
        let mate = match self.flags & 0xc0 {
            0x40 if with_mate => "/1",
            0x80 if with_mate => "/2",
            _ => "",
        };
        let letter = |&code: &u8| char::from(LETTERS[usize::from(code)]);
        let mut sequence: Vec<char> = self.codes.iter().map(letter).collect();
        let missing = vec![33; self.codes.len()];
        let qualities = self.qualities.as_ref().unwrap_or(&missing);
        let mut qualities: Vec<char> = qualities.iter().map(|&q| char::from(q + 33)).collect();
        if self.flags & 0x10 != 0 {
            qualities.reverse();
            sequence.reverse();
            for letter in &mut sequence {
                let at = "ATCGMKRYVBHDWWSSNN==".find(*letter).unwrap();
                *letter = char::from(b"ATCGMKRYVBHDWWSSNN=="[at ^ 1]);
            }
        }
        format!(
            "@{}{mate}{}\n{}\n+\n{}\n",
            self.name,
            if with_tags { &self.tags.1 } else { "" },
            String::from_iter(sequence),
            String::from_iter(qualities),
        )
    }
}

fn header(text: &str, references: &[&str]) -> Vec<u8> {
    let mut bytes = b"BAM\x01".to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend((references.len() as u32).to_le_bytes());
    for name in references {
        bytes.extend((name.len() as u32 + 1).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.extend(1000u32.to_le_bytes());
    }
    bytes
}

/// A file, and where its records start and end.
fn file(records: &[Parts]) -> (Vec<u8>, Vec<usize>) {
    let mut data = header("@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000\n", &["chr1", "x"]);
    let mut starts = vec![data.len()];
    for record in records {
        data.extend(record.bytes());
        starts.push(data.len());
    }
    (data, starts)
}

/// All records of data that begin with one, as text.
fn render(format: FileFormat, data: &[u8]) -> Result<String, (FormatErrorKind, usize, usize)> {
    let mut ends = Vec::new();
    let scanned = Scanner::new(format).scan(data, 0, true, usize::MAX, &mut ends);
    scanned.map_err(|error| (error.kind, error.record, error.offset))?;
    let mut rendered = Rendered::default();
    let outcome = format.render(data, &ends, &mut rendered);
    outcome.map_err(|error| (error.kind, error.record, error.offset))?;
    let records = Records::new(rendered.text(), 0, format.text_format(), rendered.ends());
    assert_eq!(records.as_bytes(), rendered.text());
    Ok(String::from_utf8_lossy(rendered.text()).into_owned())
}

fn leak(options: BamOptions) -> FileFormat {
    FileFormat::Binary(Bam::shared(&options))
}

/// One of each kind of tag, and what SAM has for it.
fn all_tags() -> (Vec<u8>, String) {
    let mut bytes = Vec::new();
    bytes.extend(b"RXZAC-GT\0xAAqXHH1AE3\0");
    bytes.extend(b"c1c\xffC1C\xff");
    bytes.extend(b"s1s\0\x80S1S\0\x80");
    bytes.extend(b"i1i\0\0\0\x80I1I\0\0\0\x80");
    bytes.extend(b"f1f");
    bytes.extend(0.1f32.to_le_bytes());
    bytes.extend(b"d1d");
    bytes.extend(1.5e-7f64.to_le_bytes());
    bytes.extend(b"MLBC\x03\0\0\0\0\x07\xff");
    bytes.extend(b"mvBc\x02\0\0\0\x05\xfb");
    bytes.extend(b"b1BS\x01\0\0\0\0\x80b2Bf\x01\0\0\0");
    bytes.extend(2.5f32.to_le_bytes());
    bytes.extend(b"b3Bi\0\0\0\0MMZ\0");
    let text = "\tRX:Z:AC-GT\txA:A:q\tXH:H:1AE3\tc1:i:-1\tC1:i:255\ts1:i:-32768\tS1:i:32768\
        \ti1:i:-2147483648\tI1:i:2147483648\tf1:f:0.1\td1:d:1.5e-07\tML:B:C,0,7,255\tmv:B:c,5,-5\
        \tb1:B:S,32768\tb2:B:f,2.5\tb3:B:i\tMM:Z:";
    (bytes, text.to_owned())
}

/// What samtools was seen to do, case by case.
#[test]
fn records_become_what_samtools_prints() {
    let mut turned = Parts::new(
        "rev",
        0x10,
        b"ACMGRSVTWYHKDBN",
        Some(&[32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46]),
    );
    turned.operations = 3;
    turned.tags = all_tags();
    let records = [
        turned,
        Parts::new("first", 77, b"AC=T", Some(&[0, 93, 25, 26])),
        Parts::new("second", 141, b"ACG", Some(&[40; 3])),
        Parts::new("both", 197, b"A", Some(&[1])),
        Parts::new("secondary", 256, b"A", Some(&[1])),
        Parts::new("supplementary", 0x810, b"A", Some(&[1])),
        Parts::new("failed", 516, b"ACGT", None),
        Parts::new("none", 4, b"", None),
        Parts::new("*", 4, b"GATTACA", Some(&[2; 7])),
    ];
    let (data, starts) = file(&records);
    let text = render(USUAL, &data[starts[0]..]).unwrap();
    let expected = "@rev\nNVHMDRWABSYCKGT\n+\nONMLKJIHGFEDCBA\n\
        @first/1\nAC=T\n+\n!~:;\n@second/2\nACG\n+\nIII\n@both\nA\n+\n\"\n\
        @failed\nACGT\n+\nBBBB\n@none\n\n+\n\n@*\nGATTACA\n+\n#######\n";
    assert_eq!(text, expected);

    let all = leak(BamOptions {
        hidden: 0,
        with_mate: false,
        tags: TagChoice::All,
        missing_quality: b'!',
        ..BamOptions::new()
    });
    let text = render(all, &data[starts[0]..]).unwrap();
    assert!(
        text.starts_with(&format!("@rev{}\nNVH", all_tags().1)),
        "{text}"
    );
    assert!(text.contains("@first\n") && text.contains("@failed\nACGT\n+\n!!!!\n"));
    assert!(text.contains("@secondary\nA\n") && text.contains("@supplementary\nT\n"));

    let some = leak(BamOptions {
        tags: TagChoice::These(vec![*b"mv", *b"RX", *b"no"]),
        ..BamOptions::new()
    });
    let text = render(some, &data[starts[0]..]).unwrap();
    assert!(
        text.starts_with("@rev\tRX:Z:AC-GT\tmv:B:c,5,-5\nNVH"),
        "{text}"
    );
}

#[test]
fn original_qualities_take_the_place_of_new_ones() {
    let mut record = Parts::new("a", 0x10, b"ACG", Some(&[1, 2, 3]));
    record.tags.0 = b"OQZABC\0".to_vec();
    let original = leak(BamOptions {
        original_qualities: true,
        ..BamOptions::new()
    });
    assert_eq!(
        render(original, &record.bytes()).unwrap(),
        "@a\nCGT\n+\nCBA\n"
    );
    record.tags.0 = b"OQZAB\0".to_vec();
    assert!(render(original, &record.bytes()).is_err());
    record.tags.0 = b"OQZA\nB\0".to_vec();
    assert!(render(original, &record.bytes()).is_err());
    record.tags.0.clear();
    assert_eq!(
        render(original, &record.bytes()).unwrap(),
        "@a\nCGT\n+\n$#\"\n"
    );
}

#[test]
fn views_show_what_text_does_not() {
    let mut record = Parts::new("a", 77, b"ACG", Some(&[1, 2, 3]));
    record.tags = all_tags();
    let bytes = record.bytes();
    let view = BamRecord::try_new(&bytes).unwrap();
    assert_eq!(
        (view.name(), view.bases(), view.flags().0),
        (&b"a"[..], 3, 77)
    );
    assert_eq!(view.raw_qualities(), Some(&[1, 2, 3][..]));
    assert_eq!(
        view.tag(*b"RX").unwrap().unwrap().text(),
        Some(&b"AC-GT"[..])
    );
    assert_eq!(view.tag(*b"ZZ").unwrap(), None);
    assert_eq!(view.tags().count(), 17);
    let mut fields = all_tags()
        .1
        .split('\t')
        .skip(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    for tag in view.tags() {
        let tag = tag.unwrap();
        let field = fields.remove(0);
        let mut value = Vec::new();
        tag.write_value(&mut value);
        assert_eq!(value, &field.as_bytes()[5..]);
        let kind = field.as_bytes()[3];
        assert_eq!(
            tag.integer(),
            field[5..].parse().ok().filter(|_| kind == b'i')
        );
        let fraction = match &tag.name() {
            b"f1" => Some(f64::from(0.1f32)),
            b"d1" => Some(1.5e-7),
            _ => None,
        };
        assert_eq!(tag.fraction(), fraction);
    }
    assert!(fields.is_empty());
    assert!(BamRecord::try_new(&bytes[..bytes.len() - 1]).is_none());
    assert!(BamRecord::try_new(&[&bytes[..], b"A"].concat()).is_none());
}

#[test]
fn a_header_may_come_in_any_pieces_and_end_nowhere_else() {
    for (text, references) in [("", &[][..]), ("@CO\tx\n", &["1", "chromosome_2", "3"])] {
        let mut data = header(text, references);
        let length = data.len();
        for end in 0..length {
            let error = USUAL.header().pass(&data[..end], true).unwrap_err();
            assert_eq!(error.kind, FormatErrorKind::Truncated, "{end}");
        }
        data.extend(Parts::new("a", 4, b"A", None).bytes());
        for piece in 1..60 {
            let mut header = USUAL.header();
            let (mut begin, mut end) = (0, 0);
            while !header.is_over() {
                end = data.len().min(end + piece);
                begin += header.pass(&data[begin..end], end == data.len()).unwrap();
            }
            assert_eq!(begin, length, "in pieces of {piece}");
        }
    }
}

#[test]
fn hostile_headers_are_refused() {
    let sound = header("@CO\tx\n", &["chr1"]);
    let count = 8 + 6;
    for (place, bytes) in [
        (4, [0xff; 4]),
        (count, [0, 0, 0, 0x80]),
        (count + 4, [0; 4]),
        (count + 4, [0xff; 4]),
    ] {
        let mut data = sound.clone();
        data[place..place + 4].copy_from_slice(&bytes);
        let error = USUAL.header().pass(&data, true).unwrap_err();
        assert!(
            matches!(error.kind, FormatErrorKind::MalformedHeader(_)),
            "{error}"
        );
        assert_eq!(error.offset, place);
    }
    // A length that is no nonsense, but more than there is.
    let mut data = sound;
    data[count..count + 4].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    let error = USUAL.header().pass(&data, true).unwrap_err();
    assert_eq!(error.kind, FormatErrorKind::Truncated);
}

#[test]
fn hostile_records_are_told_with_their_number_and_place() {
    let record = |number: usize| Parts::new(&format!("r{number}"), 4, b"ACGTA", Some(&[3; 5]));
    let records: Vec<_> = (0..9).map(record).collect();
    let (data, starts) = file(&records);
    let data = &data[starts[0]..];
    let start = starts[5] - starts[0];
    let malformed = |place: usize, bytes: &[u8]| {
        let mut damaged = data.to_vec();
        damaged[start + place..start + place + bytes.len()].copy_from_slice(bytes);
        let (kind, record, offset) = render(USUAL, &damaged).unwrap_err();
        assert!(
            matches!(kind, FormatErrorKind::Malformed(_)),
            "{place}: {kind}"
        );
        assert_eq!((record, offset), (5, start), "{place}");
    };
    malformed(0, &[0; 4]);
    malformed(0, &[0xff; 4]);
    malformed(0, &30u32.to_le_bytes());
    // More bases, a longer name or alignment than the record has room for.
    malformed(20, &[0xff; 4]);
    malformed(20, &0x7fff_ffffu32.to_le_bytes());
    malformed(20, &6u32.to_le_bytes());
    malformed(16, &[0xff; 2]);
    malformed(12, &[0]);
    malformed(12, &[1]);
    malformed(12, &[200]);
    malformed(4, &(-2i32).to_le_bytes());
    malformed(8, &(-2i32).to_le_bytes());
    malformed(24, &i32::MIN.to_le_bytes());
    malformed(28, &(-5i32).to_le_bytes());
    // Another byte in the name, and behind it.
    malformed(36, b"\n");
    malformed(37, &[0]);
    malformed(38, b"x");
    // A quality that no letter stands for; not the first, which would say that all are missing.
    malformed(36 + 3 + 3 + 1, &[94]);
    // A length that is consistent, and beyond the end.
    let mut damaged = data.to_vec();
    damaged[start..start + 4].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    let fault = render(USUAL, &damaged).unwrap_err();
    assert_eq!(fault, (FormatErrorKind::Truncated, 5, start));
}

#[test]
fn damaged_tags_are_told_where_they_are_asked_for() {
    let with = |tags: &[u8]| {
        let mut record = Parts::new("a", 4, b"ACGT", Some(&[3; 4]));
        record.tags.0 = tags.to_vec();
        record.bytes()
    };
    let all = leak(BamOptions {
        tags: TagChoice::All,
        ..BamOptions::new()
    });
    for tags in [
        &b"R"[..],
        b"RX",
        b"RXZ",
        b"RXZAC",
        b"RX?\0",
        b"NMi\0\0\0",
        b"\0\0c\0",
        b"MLBC\x05\0\0\0abcd",
        b"MLBC\xff\xff\xff\xffabcd",
        b"MLBi\xff\xff\xff\xffabcd",
        b"MLBZ\x01\0\0\0a",
        b"NMc\x01R",
        b"COZa\nb\0",
        b"COA\r",
    ] {
        let sound = with(b"NMc\x01");
        let data = [&sound[..], &with(tags), &sound].concat();
        let fault = render(all, &data).unwrap_err();
        assert!(matches!(fault.0, FormatErrorKind::Malformed(_)), "{tags:?}");
        assert_eq!((fault.1, fault.2), (1, sound.len()), "{tags:?}");
        render(USUAL, &data).unwrap();
    }
}

#[test]
fn truncation_at_every_byte_is_told() {
    let records = [
        Parts::new("a", 4, b"ACGTA", None),
        Parts::new("b", 256, b"ACG", Some(&[9; 3])),
        Parts::new("c", 4, b"", None),
    ];
    let (data, starts) = file(&records);
    for end in 0..data.len() {
        let mut header = USUAL.header();
        let passed = header.pass(&data[..end], true);
        if end < starts[0] {
            assert_eq!(passed.unwrap_err().kind, FormatErrorKind::Truncated);
            continue;
        }
        assert_eq!(passed.unwrap(), starts[0]);
        match (render(USUAL, &data[starts[0]..end]), starts.contains(&end)) {
            (Ok(_), true) => {}
            (Err((FormatErrorKind::Truncated, _, offset)), false) => {
                let place = starts.iter().rfind(|&&start| start <= end).unwrap();
                assert_eq!(offset + starts[0], *place);
            }
            (outcome, _) => panic!("{end}: {outcome:?}"),
        }
    }
}

/// Records of BAM, of all of a text of FASTQ.
fn written(text: &[u8], writer: &BamWriter) -> Vec<u8> {
    let mut ends = Vec::new();
    let mut scanner = Scanner::new(Format::Fastq);
    scanner.scan(text, 0, true, usize::MAX, &mut ends).unwrap();
    let mut bytes = Vec::new();
    for record in Records::new(text, 0, Format::Fastq, &ends) {
        writer.append(&record, BamMate::ByName, &mut bytes).unwrap();
    }
    bytes
}

fn all_as_text() -> FileFormat {
    leak(BamOptions {
        hidden: 0,
        tags: TagChoice::All,
        ..BamOptions::new()
    })
}

#[test]
fn fastq_becomes_unaligned_records() {
    let text = b"@a/1 1:N:0:ACGT\nACGTN\n+\nIIIII\n@b\tRX:Z:AC\tfree text\tML:B:C,1,2\nAC\n+\n!~\n@\n\n+\n\n";
    let bytes = written(text, &BamWriter::new());
    let mut first = Parts::new("a", 77, b"ACGTN", Some(&[40; 5]));
    first.tags.0 = b"COZ1:N:0:ACGT\0".to_vec();
    let mut second = Parts::new("b", 4, b"AC", Some(&[0, 93]));
    second.tags.0 = b"RXZAC\0MLBC\x02\0\0\0\x01\x02COZfree text\0".to_vec();
    let third = Parts::new("*", 4, b"", Some(&[]));
    let mut expected = Vec::new();
    for parts in [first, second, third] {
        let mut bytes = parts.bytes();
        // No place, no quality of a place it has not, the bin of none, and no length of what is between mates.
        bytes[8..12].fill(0xff);
        bytes[13..16].copy_from_slice(&[0, 0x48, 0x12]);
        bytes[32..36].fill(0);
        expected.extend(bytes);
    }
    assert_eq!(bytes, expected);

    let grouped = written(
        b"@a\nA\n+\nI\n@b\tRG:Z:y\nA\n+\nI\n",
        &BamWriter::new().read_group("x"),
    );
    let text = render(all_as_text(), &grouped).unwrap();
    assert_eq!(text, "@a\tRG:Z:x\nA\n+\nI\n@b\tRG:Z:y\nA\n+\nI\n");
    let header = BamWriter::header("@HD\tVN:1.6\n");
    assert_eq!(USUAL.header().pass(&header, true).unwrap(), header.len());
}

#[test]
fn what_bam_cannot_hold_is_told() {
    let append = |text: &[u8]| {
        let mut ends = Vec::new();
        let mut scanner = Scanner::new(Format::Fastq);
        scanner.scan(text, 0, true, usize::MAX, &mut ends).unwrap();
        let record = Records::new(text, 0, Format::Fastq, &ends).next().unwrap();
        let mut bytes = b"before".to_vec();
        let outcome = BamWriter::new().append(&record, BamMate::Second, &mut bytes);
        assert!(bytes.starts_with(b"before") && (outcome.is_ok() || bytes.len() == 6));
        outcome
    };
    assert_eq!(append(b"@a\nacgN.-U\n+\nIIIIIII\n"), Ok(6));
    let written = written(b"@a\nacgN.-Uu\n+\nIIIIIIII\n", &BamWriter::new());
    let text = render(all_as_text(), &written).unwrap();
    assert_eq!(text, "@a\nACGNNNTT\n+\nIIIIIIII\n");
    assert_eq!(
        append("@\u{e9}\nA\n+\nI\n".as_bytes()),
        Err(BamWriteError::Name)
    );
    let long = format!("@{}\nA\n+\nI\n", "x".repeat(255));
    assert_eq!(append(long.as_bytes()), Err(BamWriteError::Name));
    assert_eq!(append(long.replacen('x', "", 1).as_bytes()), Ok(0));
    assert_eq!(append(b"@a\nA\n+\n\x7f\n"), Err(BamWriteError::Qualities));
}

#[test]
fn what_looks_like_a_tag_and_is_none_is_a_comment() {
    for field in [
        "NM:i:",
        "NM:i:x",
        "NM:i:4294967296",
        "NM:c:1",
        "N:i:1",
        "1M:i:1",
        "NM:A:ab",
        "XH:H:1",
        "XH:H:xy",
        "ML:B:C1",
        "ML:B:C,256",
        "ML:B:C,",
        "ML:B:Z,1",
        "ML:B:",
        "ML:B:x",
        "xf:f:1..2",
    ] {
        let text = format!("@a\t{field}\nA\n+\nI\n");
        let bytes = written(text.as_bytes(), &BamWriter::new());
        let expected = format!("@a\tCO:Z:{field}\nA\n+\nI\n");
        assert_eq!(render(all_as_text(), &bytes).unwrap(), expected);
    }
}

/// As `samtools view` would make tags of what follows a tab in a comment.
#[test]
fn a_comment_has_no_tabs_and_a_tag_comes_once() {
    for (description, expected) in [
        ("RX:Z:AC GT\tXX\tNM:i:abc", "RX:Z:AC GT\tCO:Z:XX NM:i:abc"),
        ("RX:Z:A\tRX:Z:B\tNM:i:1", "RX:Z:A\tNM:i:1\tCO:Z:RX:Z:B"),
        ("CO:Z:a\tb\tNM:i:1\tCO:Z:c", "CO:Z:a b CO:Z:c\tNM:i:1"),
        ("CO:i:1\tNM:i:1\tNM:i:2", "NM:i:1\tCO:Z:CO:i:1 NM:i:2"),
        ("RG:Z:x\tRG:Z:y", "RG:Z:x\tCO:Z:RG:Z:y"),
        ("x\t\ty", "CO:Z:x y\tRG:Z:g"),
    ] {
        let text = format!("@a\t{description}\nA\n+\nI\n");
        let writer = match expected.contains("\tRG:Z:g") {
            true => BamWriter::new().read_group("g"),
            false => BamWriter::new(),
        };
        let bytes = written(text.as_bytes(), &writer);
        let expected = format!("@a\t{expected}\nA\n+\nI\n");
        assert_eq!(render(all_as_text(), &bytes).unwrap(), expected);
    }
}

/// Some that are alike, some that hold what looks like records.
fn any_records() -> impl Strategy<Value = Vec<Parts>> {
    let name = "[!-~][ -~]{0,40}";
    let flags = prop_oneof![Just(4u16), Just(77), Just(141), any::<u16>()];
    let bases = prop_oneof![0..40usize, 0..400usize];
    let record = (name, flags, 0..4u16, bases, any::<u64>(), 0..5u8).prop_map(
        |(name, flags, operations, bases, seed, kind)| {
            let mut random = seed | 1;
            let mut next = move || {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random as u8
            };
            let codes: Vec<u8> = (0..bases).map(|_| next() & 15).collect();
            let qualities = (0..bases).map(|_| next() % 94).collect();
            let tags = match kind {
                0 => all_tags(),
                // Moves of a nanopore's basecaller, 0 and 1.
                1 => {
                    let moves: Vec<u8> = (0..2 * bases).map(|_| next() & 1).collect();
                    let mut bytes = b"mvBc".to_vec();
                    bytes.extend((moves.len() as u32).to_le_bytes());
                    bytes.extend(&moves);
                    let text = moves.iter().map(|byte| format!(",{byte}"));
                    (bytes, format!("\tmv:B:c{}", text.collect::<String>()))
                }
                _ => (Vec::new(), String::new()),
            };
            Parts {
                name,
                flags,
                operations,
                codes,
                qualities: (kind != 4).then_some(qualities),
                tags,
            }
        },
    );
    prop::collection::vec(record, 0..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_is_that_of_letter_by_letter(records in any_records()) {
        let (data, starts) = file(&records);
        let data = &data[starts[0]..];
        let shown = records.iter().filter(|record| !record.is_hidden());
        let expected: String = shown.map(|record| record.fastq(true, false)).collect();
        prop_assert_eq!(render(USUAL, data).unwrap(), expected);
        let all = BamOptions { hidden: 0, with_mate: false, tags: TagChoice::All, ..BamOptions::new() };
        let expected: String = records.iter().map(|record| record.fastq(false, true)).collect();
        prop_assert_eq!(render(leak(all), data).unwrap(), expected);
    }

    #[test]
    fn pieces_give_the_same_records(records in any_records(), piece in 1..900usize, limit in 1..5usize) {
        let (data, starts) = file(&records);
        let data = &data[starts[0]..];
        let mut expected = Vec::new();
        Scanner::new(USUAL).scan(data, 0, true, usize::MAX, &mut expected).unwrap();
        let mut scanner = Scanner::new(USUAL);
        let (mut ends, mut next, mut length) = (Vec::new(), 0, 0);
        while next < data.len() {
            let before = next;
            next = scanner.scan(&data[..length], next, length == data.len(), limit, &mut ends).unwrap();
            if next == before {
                length = data.len().min(length + piece);
            }
        }
        prop_assert_eq!(&ends, &expected);
        let raw: Vec<_> = RawRecords::new(data, &ends).collect();
        let bytes: Vec<_> = records.iter().filter(|record| !record.is_hidden()).map(Parts::bytes).collect();
        prop_assert_eq!(raw, bytes);
    }

    #[test]
    fn records_are_found_from_anywhere(records in any_records(), ahead in 0..1500usize) {
        let (data, starts) = file(&records);
        for from in 0..=data.len() {
            let next = starts.iter().copied().find(|&start| start >= from);
            let expected = match next {
                Some(start) if start < data.len() => Search::Found(start),
                _ => Search::NoneLeft,
            };
            prop_assert_eq!(USUAL.find_first(&data, from, true), expected, "{}", from);
            let cut = data.len().min(from + ahead);
            match USUAL.find_first(&data[..cut], from, false) {
                Search::NeedMore(first) => prop_assert!(next.is_none_or(|next| first <= next)),
                found => prop_assert_eq!(found, expected),
            }
        }
    }

    #[test]
    fn what_is_written_is_read(records in any_records()) {
        let mut records = records;
        for (number, record) in records.iter_mut().enumerate() {
            record.name = format!("{number}:{}", record.name.replace([' ', '/'], "_"));
            // As it came off the sequencer, and is in either pair or none.
            record.flags &= 0xc0;
            if record.flags == 0xc0 {
                record.flags = 0;
            }
        }
        let text: String = records.iter().map(|record| record.fastq(true, true)).collect();
        let bytes = written(text.as_bytes(), &BamWriter::new());
        prop_assert_eq!(render(all_as_text(), &bytes).unwrap(), text);
    }

    #[test]
    fn garbage_is_no_panic(mut data in prop::collection::vec(any::<u8>(), 0..600), records in any_records(), at in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let all = leak(BamOptions { hidden: 0, tags: TagChoice::All, original_qualities: true, ..BamOptions::new() });
        let _ = render(all, &data);
        let (mut sound, _) = file(&records);
        let place = at.index(sound.len());
        sound[place] ^= flip;
        let mut header = all.header();
        if let Ok(passed) = header.pass(&sound, true) {
            let _ = render(all, &sound[passed..]);
        }
        data.extend(sound);
        let _ = all.find_first(&data, 0, false);
        let _ = all.find_first(&data, 0, true);
    }
}

#[test]
fn the_same_options_are_held_once() {
    let options = |with_mate| BamOptions {
        with_mate,
        tags: TagChoice::These(vec![*b"ZZ"]),
        ..BamOptions::new()
    };
    let one = Bam::shared(&options(true));
    assert!(std::ptr::eq(one, Bam::shared(&options(true))));
    assert!(!std::ptr::eq(one, Bam::shared(&options(false))));
}
