//! Changed bytes, missing and additional ones, other versions, and what is no index.

use std::path::Path;

use crate::support::{bytes_of, open_fully, small};
use thalweg_gzip::index::{Index, IndexError};

#[test]
fn every_damaged_byte_is_noticed() {
    let bytes = bytes_of(&small());
    open_fully(bytes.clone()).unwrap();
    for at in 0..bytes.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            assert!(
                open_fully(damaged).is_err(),
                "byte {at} of {} changed by {flip:#x}",
                bytes.len()
            );
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_noticed() {
    let bytes = bytes_of(&small());
    for length in 0..bytes.len() {
        assert!(
            Index::from_bytes(bytes[..length].to_vec()).is_err(),
            "cut to {length} bytes"
        );
    }
    assert!(Index::from_bytes([&bytes[..], b"\0"].concat()).is_err());
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = bytes_of(&small());
    bytes[8] = 2;
    let error = Index::from_bytes(bytes).unwrap_err();
    assert!(
        matches!(
            error,
            IndexError::TooNew {
                format: "thw",
                found: 2,
                supported: 1
            }
        ),
        "{error}"
    );
}

#[test]
fn errors_name_section_and_offset() {
    let bytes = bytes_of(&small());
    let body =
        u64::from_le_bytes(bytes[bytes.len() - 16..bytes.len() - 8].try_into().unwrap()) as usize;
    let mut damaged = bytes;
    damaged[body + 4] ^= 1;
    match Index::from_bytes(damaged).unwrap_err() {
        IndexError::Damaged {
            section, offset, ..
        } => assert_eq!((section, offset), ("file", body as u64)),
        other => panic!("{other}"),
    }
}

#[test]
fn files_that_are_no_index_are_refused() {
    for bytes in [
        &b""[..],
        b"@read\nACGT\n+\nIIII\n",
        b"\x1f\x8b\x08\x04",
        b"MIMINDEX",
        b"MIMINDEY",
    ] {
        assert!(Index::from_bytes(bytes.to_vec()).is_err());
    }
    let error = Index::open(Path::new("/nonexistent/reads.thw")).unwrap_err();
    assert!(
        error.to_string().contains("/nonexistent/reads.thw"),
        "{error}"
    );
    assert!(Index::open(&std::env::temp_dir()).is_err());
}
