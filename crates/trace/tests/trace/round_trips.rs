use proptest::prelude::*;
use thalweg_trace::{
    ErrorKind, MOST_BYTES, TraceEncoder, TraceFormat, TraceReader, TracedRead, Value,
};

use super::support::{FORMATS, examples, header, read, trace, value};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn what_is_written_is_read(values in prop::collection::vec(value(), 0..60), in_batch in 1..20_usize) {
        for &format in FORMATS {
            let (back, end) = read(&trace(format, &values, in_batch));
            prop_assert!(end.is_ok(), "{format:?}: {end:?}");
            prop_assert_eq!(&back, &values, "{:?}", format);
        }
    }
}

/// A reader that gives a few bytes at a time, and is interrupted.
struct Slow<'a>(&'a [u8], usize);

impl std::io::Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let size = buffer.len().min(self.0.len()).min(self.1 % 7 + 1);
        let (now, later) = self.0.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.0 = later;
        Ok(size)
    }
}

#[test]
fn pipes_are_read_as_files_are() {
    let values = examples();
    for &format in FORMATS {
        let bytes = trace(format, &values, 2);
        let mut reader = TraceReader::new(Slow(&bytes, 0), "pipe").unwrap();
        assert_eq!((reader.format(), reader.header()), (format, &header()));
        for value in &values {
            assert_eq!(reader.next_value().unwrap().as_ref(), Some(value));
        }
        assert_eq!(reader.next_value().unwrap(), None);
        // Once more is no harm.
        assert_eq!(reader.next_value().unwrap(), None);
    }
}

#[test]
fn values_larger_than_blocks_are_read() {
    let read_of = |size: usize| {
        let name: Vec<u8> = (0..size).map(|at| ((at * at) >> 7) as u8).collect();
        Value::Read(TracedRead {
            name: name.into(),
            ..TracedRead::default()
        })
    };
    let values = [300_000, 1, 5 << 20, 262_144].map(read_of);
    for &format in FORMATS
        .iter()
        .filter(|format| **format != TraceFormat::JsonLines)
    {
        let (back, end) = read(&trace(format, &values, 3));
        assert!(end.is_ok(), "{end:?}");
        assert!(back == values);
    }
}

/// What nobody would read is not written; nor is it told as damage.
#[test]
fn what_is_too_large_is_refused() {
    let name = vec![b'a'; MOST_BYTES];
    let value = Value::Read(TracedRead {
        name: name[..].into(),
        ..TracedRead::default()
    });
    for &format in FORMATS {
        let mut encoder = TraceEncoder::new(format).unwrap();
        encoder.push(&examples()[0]);
        encoder.push(&value);
        let error = encoder.take_batch(&mut Vec::new()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLarge));
        assert!(!error.is_data() && error.hint().is_some());
    }
}

#[test]
fn a_trace_without_records_is_whole() {
    for &format in FORMATS {
        let (values, end) = read(&trace(format, &[], 1));
        assert!(end.is_ok() && values.is_empty());
    }
}
