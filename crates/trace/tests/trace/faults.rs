//! Each row a way to break a trace, and what is said.

use thalweg_trace::{ErrorKind, MOST_BYTES, TraceEncoder, TraceFormat, TraceReader};

use super::support::{FORMATS, examples, header, read, trace};

/// At every byte, also where a frame or a value ends: whole values come, and then it is told.
#[test]
fn a_cut_at_every_byte_is_told() {
    let values = examples();
    for &format in FORMATS {
        for in_batch in [1, 2, 9] {
            let bytes = trace(format, &values, in_batch);
            for length in 0..bytes.len() {
                let (back, end) = read(&bytes[..length]);
                let error = end.expect_err("it is not whole");
                assert!(values.starts_with(&back));
                assert!(error.is_data(), "{error}");
                match error.kind() {
                    ErrorKind::Cut { values } => {
                        // With the header, and without the end, of which no byte may be lacking.
                        let whole = back.len() as u64 + 1;
                        assert!([0, whole, whole + 1].contains(values), "{error}");
                    }
                    ErrorKind::NotATrace(_) => assert!(length < 4, "{length}: {error}"),
                    _ => panic!("{format:?}, {length} of {} bytes: {error}", bytes.len()),
                }
                assert!(error.to_string().starts_with("x: "), "{error}");
                assert!(error.hint().is_some());
            }
        }
    }
}

/// Frames have checksums: no changed byte leads to other values. Without frames nothing worse happens than that.
#[test]
fn a_change_of_every_byte_is_told_or_harmless() {
    let values = examples();
    for &format in FORMATS {
        let bytes = trace(format, &values, 2);
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let (back, end) = read(&changed);
                if matches!(format, TraceFormat::Lz4 | TraceFormat::Zstd) {
                    assert!(end.is_err() || back == values, "{format:?}, byte {at}");
                }
            }
        }
    }
}

type Row<'a> = &'a dyn Fn(&mut Vec<u8>);

fn rows(rows: &[Row<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    rows.iter().for_each(|row| row(&mut bytes));
    bytes
}

fn message(value: &impl serde::Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).unwrap()
}

#[test]
fn what_is_no_trace_is_told() {
    let end = message(&("end", (1,)));
    for (bytes, words) in [
        (&b""[..], "is not a trace: it is empty"),
        (
            b"@r\nACGT\n+\nIIII\n",
            "is not a trace: it begins with \"@r\\nA\"",
        ),
        (
            b"\x1f\x8b\x08\x00",
            "is not a trace: it begins with \"\\x1f",
        ),
        (b"\x92\xa4", "truncated: the end record is missing"),
        (b"\x92\x01\x02", "is not a trace"),
        (
            &end,
            "is not a trace: it begins with \"end\", not with a header",
        ),
        (
            &message(&("other", (1,))),
            "is not a trace: it begins with \"other\"",
        ),
        (b"{\"a\":1}\n", "is not a trace: a line without a kind"),
        (b"{}", "truncated: the end record is missing"),
        (
            b"{\"kind\":\"end\",\"values\":1}\n",
            "is not a trace: it begins with \"end\"",
        ),
    ] {
        let (values, end) = read(bytes);
        let error = end.unwrap_err();
        assert!(values.is_empty() && error.is_data());
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn what_disagrees_is_told() {
    let head = |bytes: &mut Vec<u8>| {
        bytes.extend(
            TraceEncoder::new(TraceFormat::MessagePack)
                .unwrap()
                .header(&header())
                .unwrap(),
        )
    };
    let kmer = |bytes: &mut Vec<u8>| bytes.extend(message(&("kmer", ("ACG", 1))));
    let end = |number: u64| move |bytes: &mut Vec<u8>| bytes.extend(message(&("end", (number,))));
    let byte = |bytes: &mut Vec<u8>| bytes.push(0);
    for (bytes, values, words) in [
        (
            rows(&[&head, &kmer, &end(1)]),
            1,
            "it says that it has 1 values, and has 2",
        ),
        (
            rows(&[&head, &kmer, &end(3)]),
            1,
            "it says that it has 3 values, and has 2",
        ),
        (
            rows(&[&head, &end(1), &byte]),
            0,
            "there are bytes after its end",
        ),
        (
            rows(&[&head, &end(1), &head]),
            0,
            "there are bytes after its end",
        ),
        (rows(&[&head, &head]), 0, "there is a second header"),
        (
            rows(&[&head, &|bytes| bytes.push(0xc1)]),
            0,
            "a byte that MessagePack does not have",
        ),
        (
            rows(&[&head, &kmer, &byte]),
            1,
            "not an array of a kind and its fields",
        ),
        (
            rows(&[&head, &|bytes| bytes.extend(message(&("kmer", ("ACG",))))]),
            0,
            "the fields of a kmer",
        ),
        (
            rows(&[&head, &|bytes| bytes.extend([0x91; 60])]),
            0,
            "too deep",
        ),
    ] {
        let (back, end) = read(&bytes);
        let error = end.unwrap_err();
        assert_eq!(back.len(), values);
        assert!(matches!(error.kind(), ErrorKind::Damaged(_)), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("(record "), "{error}");
    }
}

/// What says that it is large is not believed, and a limit of ours is not told as damage.
#[test]
fn sizes_that_are_not_there_take_no_memory() {
    let head = TraceEncoder::new(TraceFormat::MessagePack)
        .unwrap()
        .header(&header())
        .unwrap();
    for hostile in [
        &b"\x92\xa4read\xdb\xff\xff\xff\xff"[..],
        b"\x92\xa4read\xdd\xff\xff\xff\xff",
        b"\x92\xa4read\xdf\xff\xff\xff\xff",
        b"\xdd\xff\xff\xff\xff",
    ] {
        let (_, end) = read(&[&head, hostile].concat());
        let error = end.unwrap_err();
        let is_told = matches!(error.kind(), ErrorKind::TooLarge | ErrorKind::Cut { .. });
        assert!(is_told, "{error}");
    }
    // An array of more than is allowed, all of which is there.
    let mut large = [&head, &b"\x92\xa4read\xdd\xff\xff\xff\xff"[..]].concat();
    large.resize(head.len() + MOST_BYTES + 100, 0xc0);
    let error = read(&large).1.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooLarge), "{error}");
    assert!(!error.is_data());
    // A line that does not end.
    let head = TraceEncoder::new(TraceFormat::JsonLines)
        .unwrap()
        .header(&header())
        .unwrap();
    let mut line = head.clone();
    line.resize(head.len() + MOST_BYTES + 100, b' ');
    let error = read(&line).1.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooLarge), "{error}");
}

struct Fails;

impl std::io::Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::from_raw_os_error(5))
    }
}

#[test]
fn what_the_system_says_is_told_as_that() {
    use std::io::Read;
    for &format in FORMATS {
        let bytes = trace(format, &examples(), 1);
        for length in [0, 3, 100, bytes.len() - 1, bytes.len()] {
            let reader = TraceReader::new(bytes[..length].chain(Fails), "x");
            let error = reader.map(|mut reader| {
                loop {
                    match reader.next_value() {
                        Ok(Some(_)) => {}
                        Ok(None) => panic!("it cannot have seen the end"),
                        Err(error) => return error,
                    }
                }
            });
            let error = error.unwrap_or_else(|error| error);
            assert!(
                matches!(error.kind(), ErrorKind::Io(_)),
                "{format:?}, {length}: {error}"
            );
            assert!(!error.is_data());
        }
    }
    let missing = TraceReader::open("/nowhere/at/all").err().unwrap();
    assert!(
        missing.to_string().starts_with("/nowhere/at/all: "),
        "{missing}"
    );
}
