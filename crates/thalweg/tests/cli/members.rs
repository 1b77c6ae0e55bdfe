//! The checksums that gzip members have of their own, where the file is read by its index.

use std::path::Path;

use crate::extent::one_of;
use crate::support::{Place, bgzf, fastq, gzip, gzip_at};

const COUNT: usize = 30_000;

/// Records of the first of three members. It is more than 4 MiB on disk: smaller ones begin with a chunk each, and lie in one.
const LARGE: usize = 21_000;

/// A file of members with so many records each, one behind the other, and where each ends.
fn members(text: &[u8], of: &[usize]) -> (Vec<u8>, Vec<usize>) {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::len);
    let (mut file, mut ends, mut start) = (Vec::new(), Vec::new(), 0);
    for &records in of {
        let length: usize = lines.by_ref().take(4 * records).sum();
        // A large one need not be compressed well to be one.
        let level = if records < LARGE { 6 } else { 0 };
        file.extend(gzip_at(level, &text[start..start + length]));
        ends.push(file.len());
        start += length;
    }
    (file, ends)
}

/// Index `name`; the file is `data` from then on. Our own index forgets the hash of the file, and of both its ends.
fn index_then(place: &Place, name: &str, sound: &[u8], format: &str, data: &[u8]) {
    place.write(name, sound);
    let options = ["--force", "--span", "100k", "--format", format];
    place.ok(&[&["index", "-q"], &options[..], &[name]].concat());
    let beside = place.path(&format!("{name}.thw"));
    if format == "mim" {
        // The content tells the format.
        std::fs::rename(place.path(&format!("{name}.mim")), beside).unwrap();
    } else {
        let mut index = thalweg::index::Index::open(&beside).unwrap();
        index.identity.blake3 = None;
        index.identity.head_tail = None;
        index.write(&beside).unwrap();
    }
    place.write(name, data);
}

/// What the message says of the fault, without the record that only a reader in order knows.
fn fault(stderr: &str) -> String {
    let line = stderr
        .lines()
        .find(|line| line.contains("error: "))
        .unwrap();
    match (line.find("record "), line.find("byte ")) {
        (Some(record), Some(byte)) => format!("{}{}", &line[..record], &line[byte..]),
        _ => line.to_owned(),
    }
}

/// Every command that reads all of `name`, at several numbers of threads, tells the same as a reader in order does.
fn all_tell(place: &Place, name: &str, offset: usize, what: &str) {
    // That differs, and is looked at first.
    let has_hash = place.read(&format!("{name}.thw")).starts_with(b"MIMINDEX");
    let in_order = place.run(&["stats", "--index", "never", name]);
    assert_eq!(in_order.code, Some(1), "{}", in_order.stderr);
    let expected = fault(&in_order.stderr);
    assert!(
        expected.contains(&format!("byte {offset} of the file")),
        "{expected}"
    );
    assert!(expected.contains(what), "{expected}");
    for threads in ["1", "3"] {
        for command in [
            &["cat", "-o", "out"][..],
            &["cat", "--records", "0.."],
            &["cat", "--parts", "3", "-o", "part_"],
            &["stats"],
            &["count", "-k", "21", "-o", "out"],
            &["qc", "-o", "out"],
            &["verify", "--full"],
        ] {
            if has_hash && command[0] == "verify" {
                continue;
            }
            let arguments = [command, &["--threads", threads, name]].concat();
            let ended = place.fails(&arguments, 1, &[name, what]);
            assert_eq!(fault(&ended.stderr), expected, "{arguments:?}");
        }
    }
}

#[test]
fn a_trailer_at_fault_is_found_with_an_index() {
    let text = fastq(COUNT);
    // Members of many chunks, of a few, of parts of one, and many in each.
    let number_of_chunks = |place: &Place| {
        let index = thalweg::index::Index::open(&place.path("a.fq.gz.thw")).unwrap();
        index.chunks()
    };
    for of in [
        &[LARGE, 5_000, 4_000][..],
        &[LARGE, 10, 4_990, 3_990, 10],
        &[5; 2_400],
    ] {
        let (sound, ends) = members(&text, of);
        for (member, byte, what) in [(0, 0, "CRC32"), (ends.len() - 2, 7, "length")] {
            let trailer = ends[member] - 8;
            let place = Place::new();
            let mut bad = sound.clone();
            bad[trailer + byte] ^= 1;
            index_then(&place, "a.fq.gz", &sound, "thw", &bad);
            assert!(number_of_chunks(&place) > 5);
            all_tell(&place, "a.fq.gz", trailer, what);
        }
    }
}

#[test]
fn of_two_trailers_at_fault_the_first_is_told() {
    let text = fastq(COUNT);
    let (sound, ends) = members(&text, &[LARGE, 5_000, 4_000]);
    let place = Place::new();
    let mut bad = sound.clone();
    for end in &ends[..2] {
        bad[end - 5] ^= 0x80;
    }
    index_then(&place, "a.fq.gz", &sound, "thw", &bad);
    all_tell(&place, "a.fq.gz", ends[0] - 8, "CRC32");
}

/// They have no checksum of a chunk: that of the member is the only one.
#[test]
fn damage_is_found_with_an_imported_index() {
    let text = fastq(COUNT);
    // As it is in the file, so that a base can be another one.
    let sound = gzip_at(0, &text);
    let name = b"@r7000\n";
    let at = sound.windows(name.len()).position(|window| window == name);
    let mut bad = sound.clone();
    let base = &mut bad[at.unwrap() + name.len()];
    *base = if *base == b'A' { b'C' } else { b'A' };
    let place = Place::new();
    index_then(&place, "a.fq.gz", &sound, "mim", &bad);
    all_tell(&place, "a.fq.gz", sound.len() - 8, "CRC32");
    let (sound, ends) = members(&text, &[LARGE, 5_000, 4_000]);
    for trailer in [ends[0] - 8, ends[1] - 8, ends[2] - 8] {
        let mut bad = sound.clone();
        bad[trailer] ^= 1;
        index_then(&place, "a.fq.gz", &sound, "mim", &bad);
        all_tell(&place, "a.fq.gz", trailer, "CRC32");
    }
}

#[test]
fn mates_are_checked_each_for_itself() {
    let text = fastq(COUNT);
    let (first, _) = members(&text, &[COUNT]);
    let (second, ends) = members(&text, &[LARGE, 5_000, 4_000]);
    let place = Place::new();
    let mut bad = second.clone();
    bad[ends[1] - 8] ^= 4;
    index_then(&place, "r1.fq.gz", &first, "thw", &first);
    index_then(&place, "r2.fq.gz", &second, "thw", &bad);
    let byte = format!("byte {} of the file", ends[1] - 8);
    for threads in ["1", "3"] {
        for arguments in [
            &["cat", "--mates", "r1.fq.gz", "r2.fq.gz"][..],
            &["stats", "--mates", "r2.fq.gz", "r1.fq.gz"],
            &["stats", "r1.fq.gz", "r2.fq.gz"],
            &["count", "-k", "21", "-o", "o", "r2.fq.gz", "r1.fq.gz"],
            &[
                "qc", "-i", "r1.fq.gz", "-I", "r2.fq.gz", "-o", "o1", "-O", "o2",
            ],
            &["cat", "--mates", "--parts", "3", "r1.fq.gz", "r2.fq.gz"],
        ] {
            let arguments = [arguments, &["--threads", threads]].concat();
            place.fails(&arguments, 1, &["r2.fq.gz", "CRC32", &byte]);
        }
    }
}

/// Who reads part of a member cannot know its checksum; who reads all of it does.
#[test]
fn of_a_selection_the_members_read_whole_are_checked() {
    let text = fastq(COUNT);
    let (sound, ends) = members(&text, &[LARGE, 5_000, 4_000]);
    let place = Place::new();
    for (member, checked, not) in [
        (
            0,
            &["0..21100", "0..30000", "10..22000"][..],
            &["0..19000", "5000.."][..],
        ),
        (1, &["0..26100", "5000.."], &["0..24000", "27500.."]),
    ] {
        let mut bad = sound.clone();
        bad[ends[member] - 8] ^= 1;
        index_then(&place, "a.fq.gz", &sound, "thw", &bad);
        for ranks in checked {
            place.fails(
                &["cat", "--records", ranks, "a.fq.gz"],
                1,
                &["a.fq.gz", "CRC32"],
            );
        }
        for ranks in not {
            place.ok(&["cat", "--records", ranks, "a.fq.gz"]);
        }
    }
}

#[test]
fn sound_members_of_all_kinds_pass_with_an_index() {
    let text = fastq(COUNT);
    let empty = gzip(b"");
    let kinds = [
        gzip(&text),
        bgzf(&text),
        members(&text, &[3; 10_000]).0,
        members(&text, &[1, 29_998, 1]).0,
        // Empty members, and zeros behind the last.
        [
            &empty[..],
            &members(&text, &[LARGE, 9_000]).0,
            &empty,
            &[0; 512],
        ]
        .concat(),
    ];
    for (turn, sound) in kinds.into_iter().enumerate() {
        for (number, format) in ["thw", "mim"].into_iter().enumerate() {
            let place = Place::new();
            index_then(&place, "a.fq.gz", &sound, format, &sound);
            for threads in one_of(turn + number, &["1", "3"]) {
                assert!(place.ok(&["cat", "-t", threads, "a.fq.gz"]).stdout == text);
                let ended = place.ok(&["cat", "-t", threads, "--records", "0..", "a.fq.gz"]);
                assert!(ended.stdout == text);
                place.ok(&["stats", "-t", threads, "a.fq.gz"]);
                place.ok(&["cat", "-t", threads, "--parts", "4", "-o", "p", "a.fq.gz"]);
                place.ok(&["verify", "--full", "-t", threads, "a.fq.gz"]);
            }
            assert!(Path::new(&place.path("p001.fastq")).exists());
        }
    }
}
