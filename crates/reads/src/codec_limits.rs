//! What libraries of compressed formats refuse although the data may be sound: too little memory, and features that they
//! do not have here. Nobody is to download a file again for that.

use std::io;

use thalweg_gzip::Limit;
use zstd::zstd_safe::get_error_name;
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;

use crate::Compression;

/// The limit that `error` of the library of `compression` tells of, if it is none of the data.
pub(crate) fn limit_of(compression: Compression, error: &io::Error) -> Option<Limit> {
    match compression {
        Compression::Zstd => zstd_limit(error),
        Compression::Xz => xz_limit(error),
        // bzip2 takes 4 MB, from the allocator of the process, and has no features.
        Compression::None | Compression::Gzip | Compression::Bzip2 => None,
    }
}

fn zstd_limit(error: &io::Error) -> Option<Limit> {
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
