//! Files of each released version stay readable; newer ones are read as far as they are known.

use std::sync::{Arc, Mutex};

use thalweg_trace::{TraceEncoder, TraceFormat, TraceReader, VERSION, Value};

use super::support::{FORMATS, examples, header, read, trace};

fn name(version: u32, format: TraceFormat) -> String {
    let ending = match format {
        TraceFormat::Lz4 => "msgpack.lz4",
        TraceFormat::Zstd => "msgpack.zst",
        TraceFormat::MessagePack => "msgpack",
        TraceFormat::JsonLines => "jsonl",
    };
    format!(
        "{}/tests/versions/{version}.{ending}",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// What each version wrote of [`examples`]. A new version has a new row here, and the older ones stay: fields that
/// were added since have their defaults.
#[test]
fn every_version_is_read() {
    for version in 1..=VERSION {
        for &format in FORMATS {
            let mut reader = TraceReader::open(name(version, format)).unwrap();
            assert_eq!(
                (reader.format(), reader.header().version),
                (format, version)
            );
            assert_eq!(reader.header().inputs, header().inputs);
            for value in examples() {
                assert_eq!(reader.next_value().unwrap(), Some(value));
            }
            assert_eq!(reader.next_value().unwrap(), None);
        }
    }
}

/// What is written now is still what this version is: whoever changes it has a new version to make.
#[test]
fn this_version_is_written_as_it_was() {
    let written = trace(TraceFormat::MessagePack, &examples(), 2);
    let kept = std::fs::read(name(VERSION, TraceFormat::MessagePack)).unwrap();
    assert!(
        written == kept,
        "other bytes: raise VERSION, and keep a file of it"
    );
}

/// Makes the files of a new version: `cargo test -p thalweg-trace -- --ignored files_of_this_version`.
#[test]
#[ignore = "writes files that are kept"]
fn files_of_this_version() {
    for &format in FORMATS {
        let path = name(VERSION, format);
        assert!(
            !std::fs::exists(&path).unwrap(),
            "{path} is there: it stays as it is"
        );
        std::fs::write(path, trace(format, &examples(), 2)).unwrap();
    }
}

/// A version that is not there yet: more fields, more kinds.
#[test]
fn newer_versions_are_read_as_far_as_they_are_known() {
    let message = |value: &dyn Fn() -> Vec<u8>| value();
    let mut newer = header();
    newer.version = VERSION + 7;
    newer.schema.insert("gap".into(), vec!["at".into()]);
    let mut bytes = TraceEncoder::new(TraceFormat::MessagePack)
        .unwrap()
        .header(&newer)
        .unwrap();
    for _ in 0..3 {
        bytes.extend(message(&|| rmp_serde::to_vec(&("gap", (7, "x"))).unwrap()));
        bytes.extend(message(&|| {
            rmp_serde::to_vec(&("kmer", ("ACG", 3, "new", [1, 2]))).unwrap()
        }));
        bytes.extend(message(&|| rmp_serde::to_vec(&("hole", ())).unwrap()));
    }
    bytes.extend(
        TraceEncoder::new(TraceFormat::MessagePack)
            .unwrap()
            .end(9)
            .unwrap(),
    );
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let reader = TraceReader::new(&bytes[..], "x").unwrap();
    let mut reader = reader.on_unknown(move |kind| heard.lock().unwrap().push(kind.to_owned()));
    let mut kmers = 0;
    while let Some(value) = reader.next_value().unwrap() {
        assert!(matches!(value, Value::Kmer(kmer) if kmer.count == 3));
        kmers += 1;
    }
    // One warning, whatever comes.
    assert_eq!(
        (kmers, &**told.lock().unwrap()),
        (3, &["gap".to_owned()][..])
    );
    // Who does not listen reads the same.
    assert_eq!(read(&bytes).0.len(), 3);
    assert!(read(&bytes).1.is_ok());
}
