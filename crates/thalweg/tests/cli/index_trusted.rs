//! An index beside a file decides what is read: one that is wrong is told, as far as something shows it.

use std::io::{Read, Write};

use crate::support::{Place, fastq, gzip};

const COUNT: usize = 20_000;

/// Bytes of a `.mim` before its metadata, and where their length stands (docs/formats/index.md).
const FIXED: usize = 76;

/// Have the windows of a `.mim` hold other bases.
fn forge(mim: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let start = FIXED + number(&mim[FIXED - 8..]) + 8;
    let mut list = Vec::new();
    let mut stream = flate2::read::GzDecoder::new(&mim[start..]);
    stream.read_to_end(&mut list).unwrap();
    let mut at = 8;
    for _ in 0..number(&list) {
        // in_pos, bits, out_pos; window; two more numbers.
        let length = number(&list[at + 17..]);
        let window = &mut list[at + 25..at + 25 + length];
        for byte in window {
            *byte = match *byte {
                b'A' => b'C',
                b'C' => b'G',
                b'G' => b'T',
                b'T' => b'A',
                other => other,
            };
        }
        at += 25 + length + 16;
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packed.write_all(&list).unwrap();
    [&mim[..start], &packed.finish().unwrap()].concat()
}

fn place() -> Place {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    let options = ["--format", "mim", "--span", "400k", "a.fq.gz"];
    place.ok(&[&["index", "-q"], &options[..]].concat());
    place
}

const PART: [&str; 4] = ["cat", "--records", "15000..15100", "a.fq.gz"];

#[test]
fn a_part_that_nothing_checks_is_told() {
    let place = place();
    let expected = place.ok(&[
        "cat",
        "--index",
        "never",
        "--records",
        "15000..15100",
        "a.fq.gz",
    ]);
    assert_eq!(expected.stderr, "");
    let warning =
        "warning: a.fq.gz: a part is read through a.fq.gz.mim, which has no checksums of chunks";
    for words in [&[][..], &["-q"], &["-t", "1"]] {
        let ended = place.ok(&[&PART[..], words].concat());
        assert!(ended.stdout == expected.stdout);
        assert_eq!(ended.stderr.matches(warning).count(), 1, "{}", ended.stderr);
    }
    let count = [
        "count", "-q", "-k21", "--shard", "2/3", "a.fq.gz", "-o", "o.thk",
    ];
    assert!(place.ok(&count).stderr.contains(warning));
    // All of it is checked by the checksum of the member.
    for command in [&["cat"][..], &["stats"], &["cat", "--records", ".."]] {
        let ended = place.ok(&[command, &["--index", "require", "a.fq.gz"]].concat());
        assert_eq!(ended.stderr, "", "{command:?}");
    }
    let words = ["no checksums of chunks", "`thalweg index FILE`"];
    place.fails(&[&PART[..], &["--index", "require"]].concat(), 2, &words);
    let ended = place.ok(&["verify", "a.fq.gz"]);
    assert!(ended.stderr.contains("--full"), "{}", ended.stderr);
    assert_eq!(place.ok(&["verify", "--full", "a.fq.gz"]).stderr, "");
    // Our own index has them.
    place.ok(&["index", "-q", "--span", "400k", "a.fq.gz"]);
    let ended = place.ok(&[&PART[..], &["--index", "require"]].concat());
    assert_eq!((ended.stdout, &*ended.stderr), (expected.stdout, ""));
}

#[test]
fn a_forged_window_is_told() {
    let place = place();
    place.write("a.fq.gz.mim", forge(&place.read("a.fq.gz.mim")));
    let sound = place.ok(&[
        "cat",
        "--index",
        "never",
        "--records",
        "15000..15100",
        "a.fq.gz",
    ]);
    // Nothing shows what is wrong with a part.
    let ended = place.run(&PART);
    assert!(ended.stdout != sound.stdout);
    assert!(
        ended.stderr.contains("no checksums of chunks"),
        "{}",
        ended.stderr
    );
    for command in [
        &["cat"][..],
        &["stats"],
        &["count", "-k21", "-o", "o.thk"],
        &["qc", "-o", "o.fq"],
    ] {
        let words = ["the index beside it is wrong", "--index never"];
        place.fails(&[command, &["a.fq.gz"]].concat(), 1, &words);
        place.ok(&[command, &["--index", "never", "a.fq.gz"]].concat());
    }
    let words = [
        "the index is wrong, and the file is sound",
        "checkpoint",
        "index --force",
    ];
    for threads in ["1", "3"] {
        let verify = ["verify", "--full", "-t", threads, "a.fq.gz"];
        place.fails(&verify, 1, &words);
    }
    // Of a file that is damaged as well, that is told.
    let mut damaged = place.read("a.fq.gz");
    let trailer = damaged.len() - 8;
    damaged[trailer] ^= 1;
    place.write("a.fq.gz", damaged);
    place.fails(&["verify", "--full", "a.fq.gz"], 1, &["a.fq.gz: "]);
}
