//! Sound files that ask for more than is to be had: told as what they are, never as damage.

use std::process::Command;

use crate::support::{Ended, Place, fastq, gzip};

/// A frame of zstd as RFC 8878 (section 3.1.1) has it, of raw blocks: `descriptor` and what goes with it, then the text.
fn zstd_frame(header: &[u8], text: &[u8]) -> Vec<u8> {
    let mut frame = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    frame.extend_from_slice(header);
    let blocks = text.chunks(100_000);
    let last = blocks.len() - 1;
    for (number, block) in blocks.enumerate() {
        let header = (block.len() as u32) << 3 | u32::from(number == last);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

/// The same with a window of 2^`log` bytes, and nothing said of the text's length.
fn zstd_of_window(log: u8, text: &[u8]) -> Vec<u8> {
    zstd_frame(&[0, (log - 10) << 3], text)
}

fn is_no_damage(ended: &Ended, words: &[&str]) {
    ended.expect_failure(2, words);
    for word in ["damaged", "corrupt", "download"] {
        assert!(!ended.stderr.contains(word), "{}", ended.stderr);
    }
}

#[test]
fn every_window_that_zstd_makes_is_decoded() {
    let place = Place::new();
    let text = fastq(2_000);
    for log in [17, 27, 28, 29, 30, 31] {
        let frame = zstd_of_window(log, &text);
        place.write("a.fq.zst", &frame);
        for arguments in [
            &["cat", "a.fq.zst"][..],
            &["cat", "--records", "0..", "a.fq.zst"],
        ] {
            assert!(place.ok(arguments).stdout == text, "{log}");
        }
        assert!(place.feed(&["cat", "-"], &frame).stdout == text, "{log}");
        let ended = place.ok(&["verify", "-t", "2", "a.fq.zst"]);
        assert_eq!(ended.text(), "a.fq.zst: OK (2,000 records)\n");
    }
}

#[test]
fn what_zstd_does_not_decode_is_a_limit() {
    let place = Place::new();
    let text = fastq(200);
    place.write("large.fq.zst", zstd_of_window(32, &text));
    // The lowest two bits of the descriptor: an identifier of a dictionary of one byte follows.
    place.write("dictionary.fq.zst", zstd_frame(&[1, 80, 7], &text));
    let cases = [
        ("large.fq.zst", ["window", "compressed again"]),
        ("dictionary.fq.zst", ["dictionary", "-D DICTIONARY"]),
    ];
    for (file, words) in cases {
        for command in ["cat", "stats", "verify"] {
            is_no_damage(&place.fails(&[command, file], 2, &[file]), &words);
        }
    }
}

/// Damage stays damage: a block of a reserved type, and a block that is longer than one may be.
#[test]
fn damage_of_zstd_is_told_as_such() {
    let place = Place::new();
    let sound = zstd_of_window(28, &fastq(200));
    for byte in [0x07, 0xf8] {
        let mut frame = sound.clone();
        // The first block's header.
        frame[6] |= byte;
        frame[8] |= if byte == 0xf8 { 0xff } else { 0 };
        place.write("a.fq.zst", frame);
        place.fails(
            &["stats", "a.fq.zst"],
            1,
            &["a.fq.zst", "corrupt", "damaged"],
        );
    }
}

/// Memory that the system refuses to the library of a format.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn memory_that_is_refused_is_no_damage() {
    let place = Place::new();
    place.write("a.fq.zst", zstd_of_window(31, &fastq(2_000)));
    for command in ["cat", "stats -t 2", "count -k 21 -o o.thk"] {
        let script = format!("ulimit -c 0; ulimit -v 1000000; $THALWEG {command} a.fq.zst");
        let words = ["a.fq.zst", "memory", "ulimit -v", "zstd -dc --long=31"];
        is_no_damage(&place.shell(&script), &words);
    }
    let Some(mut xz) = xz(&place, &fastq(2_000)) else {
        println!("SKIPPED: memory_that_is_refused_is_no_damage: no xz");
        return;
    };
    // The last but one value of the property of LZMA2: a dictionary of 3 GiB.
    patch_xz(&mut xz, 0x21, 39);
    place.write("a.fq.xz", &xz);
    let script = "ulimit -c 0; ulimit -v 1000000; $THALWEG stats a.fq.xz";
    let words = ["a.fq.xz", "memory", "ulimit -v", "xz -dc"];
    is_no_damage(&place.shell(script), &words);
    // With memory enough, the same file is sound.
    place.ok(&["stats", "a.fq.xz"]);
}

#[test]
fn an_unknown_filter_of_xz_is_a_limit() {
    let place = Place::new();
    let Some(mut xz) = xz(&place, &fastq(200)) else {
        println!("SKIPPED: an_unknown_filter_of_xz_is_a_limit: no xz");
        return;
    };
    // No filter has this number yet.
    patch_xz(&mut xz, 0x3e, 22);
    place.write("a.fq.xz", xz);
    let ended = place.fails(&["stats", "a.fq.xz"], 2, &["a.fq.xz"]);
    is_no_damage(&ended, &["filter", "xz -dc FILE"]);
}

/// RFC 1952 gives names no length.
#[test]
fn a_gzip_header_with_a_long_name_is_a_limit() {
    let place = Place::new();
    let gzip = gzip(&fastq(200));
    for length in [50_000, 300_000] {
        let mut named = gzip[..10].to_vec();
        named[3] = 8;
        named.extend(std::iter::repeat_n(b'n', length));
        named.push(0);
        named.extend_from_slice(&gzip[10..]);
        place.write("a.fq.gz", &named);
        // Behind another member, too.
        place.write("b.fq.gz", [&gzip[..], &named].concat());
        for file in ["a.fq.gz", "b.fq.gz"] {
            for command in ["cat", "stats", "verify", "index"] {
                if length < 90_000 {
                    place.ok(&[command, file]);
                    let _ = std::fs::remove_file(place.path(&format!("{file}.thw")));
                    continue;
                }
                let ended = place.fails(&[command, file], 2, &[file, "byte "]);
                is_no_damage(&ended, &["96 KiB", "gzip -dc FILE"]);
            }
        }
    }
}

/// Of another version, nothing is known to be wrong.
#[test]
fn an_index_of_a_newer_version_is_a_limit() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(200)));
    place.ok(&["index", "-q", "a.fq.gz"]);
    let mut index = place.read("a.fq.gz.thw");
    index[8] = 9;
    place.write("a.fq.gz.thw", index);
    let ended = place.fails(&["stats", "a.fq.gz"], 2, &["a.fq.gz", "version 9"]);
    is_no_damage(&ended, &["--index never"]);
}

/// `text` as the program `xz` writes it: one block of LZMA2.
fn xz(place: &Place, text: &[u8]) -> Option<Vec<u8>> {
    let plain = place.write("plain.fq", text);
    let output = Command::new("xz").arg("-kc").arg(plain).output().ok()?;
    std::fs::remove_file(place.path("plain.fq")).unwrap();
    Some(output.stdout).filter(|_| output.status.success())
}

/// Another filter, and another property of it, in the header of the first block (section 3.1 of the format's description).
fn patch_xz(file: &mut [u8], filter: u8, property: u8) {
    let block = &mut file[12..];
    let length = (usize::from(block[0]) + 1) * 4;
    let header = &mut block[..length];
    let sizes = usize::from(header[1] & 0x40 != 0) + usize::from(header[1] & 0x80 != 0);
    assert_eq!(sizes, 0, "xz writes sizes with several threads only");
    assert_eq!(header[2..4], [0x21, 1]);
    header[2] = filter;
    header[4] = property;
    let mut crc = flate2::Crc::new();
    crc.update(&header[..length - 4]);
    header[length - 4..].copy_from_slice(&crc.sum().to_le_bytes());
}
