//! What libraries of compressed formats refuse although the data may be sound: too little memory, and features that they
//! do not have here, and libraries that a build was made without. Nobody is to download a file again for that.

use std::io;

use thalweg_gzip::Limit;

use crate::Compression;

/// The limit that `error` of the library of `compression` tells of, if it is none of the data.
pub(crate) fn limit_of(compression: Compression, error: &io::Error) -> Option<Limit> {
    left_out(compression).or_else(|| match compression {
        Compression::Zstd => zstd_limit(error),
        Compression::Xz => xz_limit(error),
        // bzip2 takes 4 MB, from the allocator of the process, and has no features.
        Compression::None | Compression::Gzip | Compression::Bzip2 => None,
    })
}

/// What to say of a format whose library was left out of this build.
pub(crate) fn left_out(compression: Compression) -> Option<Limit> {
    let (is_there, what, way_out) = match compression {
        Compression::None | Compression::Gzip => return None,
        Compression::Zstd => (
            cfg!(feature = "zstd"),
            "this is zstd, which this build cannot decode",
            "build with the feature `zstd` of thalweg, or decode it before: `zstd -dc --long=31 FILE`",
        ),
        Compression::Bzip2 => (
            cfg!(feature = "bzip2"),
            "this is bzip2, which this build cannot decode",
            "build with the feature `bzip2` of thalweg, or decode it before: `bzip2 -dc FILE`",
        ),
        Compression::Xz => (
            cfg!(feature = "xz"),
            "this is xz, which this build cannot decode",
            "build with the feature `xz` of thalweg, or decode it before: `xz -dc FILE`",
        ),
    };
    (!is_there).then_some(Limit { what, way_out })
}

#[cfg(not(feature = "zstd"))]
fn zstd_limit(_: &io::Error) -> Option<Limit> {
    None
}

#[cfg(feature = "zstd")]
fn zstd_limit(error: &io::Error) -> Option<Limit> {
    use zstd::zstd_safe::get_error_name;
    use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;
    // The library's code comes as its text.
    let text = error.to_string();
    let is = |code: ZSTD_ErrorCode| text == get_error_name(0_usize.wrapping_sub(code as usize));
    let limits = [
        (
            ZSTD_ErrorCode::ZSTD_error_memory_allocation,
            Limit {
                what: "zstd: the system refuses the memory that decoding takes: as much as the window that the file was made with, up to 2 GiB",
                way_out: "allow the process more (`ulimit -v`, the memory of the job or container), or decode it where there is more: `zstd -dc --long=31 FILE | thalweg ... -`",
            },
        ),
        (
            ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge,
            Limit {
                what: "zstd: its window is larger than the 2 GiB that are decoded here",
                way_out: "have it compressed again with a window of up to 2 GiB (`zstd --long=31`), where it can be decoded",
            },
        ),
        (
            ZSTD_ErrorCode::ZSTD_error_dictionary_wrong,
            Limit {
                what: "zstd: it was compressed with a dictionary, which is not in the file",
                way_out: "decode it with that: `zstd -dc --long=31 -D DICTIONARY FILE | thalweg ... -`",
            },
        ),
    ];
    let found = limits.into_iter().find(|(code, _)| is(*code));
    found.map(|(_, limit)| limit)
}

#[cfg(not(feature = "xz"))]
fn xz_limit(_: &io::Error) -> Option<Limit> {
    None
}

#[cfg(feature = "xz")]
fn xz_limit(error: &io::Error) -> Option<Limit> {
    use liblzma::stream::Error;
    match error.get_ref()?.downcast_ref::<Error>()? {
        Error::Mem | Error::MemLimit => Some(Limit {
            what: "xz: the system refuses the memory that decoding takes: as much as the dictionary that the file was made with, up to 4 GiB",
            way_out: "allow the process more (`ulimit -v`, the memory of the job or container), or decode it where there is more: `xz -dc FILE | thalweg ... -`",
        }),
        Error::Options | Error::UnsupportedCheck => Some(Limit {
            what: "xz: it asks for a filter or a check that is not known here",
            way_out: "if `xz -t FILE` finds no fault, read it through a pipe: `xz -dc FILE | thalweg ... -`",
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::FileText;

    const TEXT: &[u8] = b"@r\nA\n+\nI\n";
    /// The text as each format's own program compresses it.
    const ZSTD: &[u8] =
        b"\x28\xb5\x2f\xfd\x04\x58\x49\x00\x00\x40\x72\x0a\x41\x0a\x2b\x0a\x49\x0a\xf3\xae\xc0\xd6";
    const BZIP2: &[u8] =
        b"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x52\x63\x03\x8a\x00\x00\x02\xd4\x80\x00\x10\x00\x08\x60\
          \x20\x10\x00\x20\x00\x30\xc0\x06\x9a\x6d\x10\xa0\x95\xc2\xee\x48\xa7\x0a\x12\x0a\x4c\x60\x71\x40";
    const XZ: &[u8] =
        b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\
          \x01\x00\x08\x40\x72\x0a\x41\x0a\x2b\x0a\x49\x0a\x00\x00\x00\x00\x2b\x8f\xe2\xf5\x65\x6f\x38\xdb\
          \x00\x01\x21\x09\x6c\x18\xc5\xd5\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a";

    /// Whatever features the build has: the text, or the feature that is lacking; never another fault.
    #[test]
    fn a_format_is_read_or_its_feature_named() {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes, is_there) in [
            ("zstd", ZSTD, cfg!(feature = "zstd")),
            ("bzip2", BZIP2, cfg!(feature = "bzip2")),
            ("xz", XZ, cfg!(feature = "xz")),
        ] {
            let path = directory.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut file = match FileText::open(&path) {
                Ok(file) => file,
                Err(error) => {
                    assert!(!is_there, "{error}");
                    let text = error.to_string();
                    assert!(text.contains(&format!("this is {name}, which")), "{text}");
                    let hint = error.hint().unwrap();
                    assert!(hint.contains(&format!("the feature `{name}`")), "{hint}");
                    assert!(!error.is_data(), "{text}");
                    continue;
                }
            };
            assert!(is_there);
            let mut text = Vec::new();
            while let more @ [_, ..] = file.read(1000).unwrap() {
                text.extend_from_slice(more);
            }
            assert_eq!(text, TEXT);
        }
    }
}
