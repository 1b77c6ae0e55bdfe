//! BAM that is cut off, or that has a byte changed: it is told, and no other reads come out.

use crate::bam_file::{Record, append, header};
use crate::extent::is_all;
use crate::support::{Place, bgzf};

/// What a file of BGZF ends with.
const END: usize = 28;

/// A few records of all kinds, uncompressed, and where each ends.
fn small() -> (Vec<u8>, Vec<usize>) {
    let mut data = header(20);
    let mut ends = vec![data.len()];
    let long = b"ACGTN".repeat(30);
    let tags = b"RXZAC-GT\0xii\x01\0\0\0MLBC\x02\0\0\0\x07\xff";
    for (name, flags, sequence, tags) in [
        ("a", 77, &b"ACGTN"[..], &tags[..]),
        ("a", 141, b"ACGT", b""),
        ("b", 0x100, b"A", b""),
        ("c", 0x10, &long, tags),
        ("d", 4, b"", b""),
        ("e", 4, b"GATTACA", b"BCZAC\0"),
    ] {
        let qualities = b"I".repeat(sequence.len());
        let record = Record::new(name, flags, sequence, &qualities);
        append(&mut data, &Record { tags, ..record });
        ends.push(data.len());
    }
    (data, ends)
}

/// In blocks of so many bytes, with the one at the end.
fn in_blocks_of(size: usize, data: &[u8]) -> Vec<u8> {
    let block = |data: &[u8]| {
        let mut file = bgzf(data);
        file.truncate(file.len() - END);
        file
    };
    let mut file: Vec<u8> = data.chunks(size).flat_map(block).collect();
    file.extend_from_slice(&bgzf(b""));
    file
}

#[test]
fn truncation_anywhere_is_told() {
    let place = Place::new();
    let (data, ends) = small();
    // Some places of each block, and every one of the last.
    let steps = if is_all() { [3, 7] } else { [11, 27] };
    for (size, every) in [20_000, 150].into_iter().zip(steps) {
        let whole = in_blocks_of(size, &data);
        place.write("a.bam", &whole);
        let text = place.ok(&["cat", "-T", "*", "a.bam"]).stdout;
        // One byte does not tell gzip from text.
        for length in (2..whole.len() - END)
            .step_by(every)
            .chain(whole.len() - END..whole.len())
        {
            place.write("a.bam", &whole[..length]);
            let threads = if length % 2 == 0 { "1" } else { "3" };
            let cat = ["cat", "-t", threads, "-T", "*", "a.bam"];
            if length == whole.len() - END {
                // Only the mark of the end is missing, as where its writer was killed.
                place.fails(&cat, 1, &["a.bam: truncated", "--no-eof-check"]);
                let ended = place.ok(&[&cat[..], &["--no-eof-check"]].concat());
                assert!(ended.stdout == text);
                let told = "warning: a.bam: no BGZF end-of-file block";
                assert!(ended.stderr.contains(told), "{}", ended.stderr);
                continue;
            }
            let ended = place.fails(&cat, 1, &["a.bam"]);
            assert!(
                text.starts_with(&ended.stdout) && ended.stdout.len() < text.len()
                    || length > whole.len() - END,
                "{length}"
            );
            assert!(ended.stderr.contains("byte "), "{length}: {}", ended.stderr);
            if length % 5 == 0 {
                place.fails(
                    &["cat", "-t", threads, "a.bam", "-o", "o.fq"],
                    1,
                    &["a.bam"],
                );
                place
                    .feed(&["stats", "-"], &whole[..length])
                    .expect_failure(1, &["byte "]);
            }
        }
    }
    // Without compression nothing tells that records are missing at the end, but that one is not whole.
    let is_asked = |length: &usize| is_all() || length % 4 == 1 || ends.contains(length);
    for length in (1..data.len()).filter(is_asked) {
        place.write("b.bam", &data[..length]);
        let ended = place.run(&["stats", "-t", "2", "b.bam"]);
        let expected = i32::from(!ends.contains(&length));
        assert_eq!(ended.code, Some(expected), "{length}: {}", ended.stderr);
        assert_eq!(ended.stderr.contains("byte "), expected == 1, "{length}");
    }
}

#[test]
fn a_changed_byte_is_told_or_changes_one_record() {
    let place = Place::new();
    let (data, ends) = small();
    let usual = place.feed(&["cat", "-T", "*", "-"], &data).text();
    let usual: Vec<&str> = usual.lines().collect();
    let packed = in_blocks_of(150, &data);
    for at in (0..packed.len()).step_by(3) {
        let mut changed = packed.clone();
        changed[at] ^= 1 << (at % 8);
        let ended = place.feed(&["cat", "-T", "*", "-"], &changed);
        match ended.code {
            // What gzip says of the time and the system, which is no part of the data.
            Some(0) => assert_eq!(ended.text().lines().collect::<Vec<_>>(), usual, "{at}"),
            code => assert_eq!(code, Some(1), "{at}: {}", ended.stderr),
        }
    }
    for at in (ends[0]..data.len()).step_by(3) {
        let mut changed = data.clone();
        changed[at] ^= [1, 0x80][at % 2];
        let ended = place.feed(&["cat", "-T", "*", "--secondary", "-"], &changed);
        assert!(
            matches!(ended.code, Some(0 | 1)),
            "{at}: {:?} {}",
            ended.code,
            ended.stderr
        );
        if ended.code == Some(1) {
            assert!(ended.stderr.contains("record "), "{at}: {}", ended.stderr);
        }
    }
}
