//! What was compressed comes back, by readers that are not ours; and sizes keep their bounds.

use std::{fs, io::Read, path::Path};

use proptest::prelude::*;
use thalweg_deflate::{Compressor, Level};

const LEVELS: [Level; 2] = [Level::Fast, Level::Small];
const BLOCK: usize = 0xff00;

/// Compress at every level and read back; sizes by level.
fn check(compressors: &mut [Compressor; 2], text: &[u8]) -> [usize; 2] {
    let mut sizes = [0; 2];
    let mut plain = LEVELS.map(Compressor::without_coder);
    for ((compressor, plain), size) in compressors.iter_mut().zip(&mut plain).zip(&mut sizes) {
        let mut out = b"before".to_vec();
        compressor.compress(text, &mut out);
        assert_eq!(&out[..6], b"before");
        let stream = &out[6..];
        *size = stream.len();
        let blocks = text.len().div_ceil(BLOCK).max(1);
        assert!(stream.len() <= text.len() + 5 * blocks);

        let mut back = vec![0; text.len() + 1];
        let length = libdeflater::Decompressor::new()
            .deflate_decompress(stream, &mut back)
            .expect("a valid stream");
        assert!(back[..length] == *text, "libdeflate reads something else");

        let mut back = Vec::new();
        let mut decoder = flate2::bufread::DeflateDecoder::new(stream);
        decoder.read_to_end(&mut back).expect("a valid stream");
        assert!(back == text, "zlib-rs reads something else");
        assert_eq!(decoder.total_in(), stream.len() as u64, "bytes left over");

        let mut again = Vec::new();
        compressor.compress(text, &mut again);
        assert!(again == stream, "another stream the second time");

        again.clear();
        plain.compress(text, &mut again);
        assert!(again == stream, "another stream on other machines");
    }
    sizes
}

fn compressors() -> [Compressor; 2] {
    LEVELS.map(Compressor::new)
}

struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

/// Records as sequencers write them: fields that change, qualities that run.
fn records(count: usize, qualities: &[u8], noise: &mut Noise) -> Vec<u8> {
    let mut text = Vec::new();
    let mut bases = Vec::new();
    for record in 0..count {
        let length = 30 + noise.below(120);
        let name = format!(
            "@A00228:279:HFW:1:1101:{}:{} 1:N:0:GATC",
            noise.below(30_000),
            1000 + record / 3
        );
        if bases.len() < length || noise.below(4) > 0 {
            bases = (0..length).map(|_| b"ACGT"[noise.below(4)]).collect();
        }
        let mut quality = qualities[0];
        text.extend_from_slice(name.as_bytes());
        text.push(b'\n');
        text.extend_from_slice(&bases[..length]);
        text.extend_from_slice(b"\n+\n");
        for _ in 0..length {
            if noise.below(8) == 0 {
                quality = qualities[noise.below(qualities.len())];
            }
            text.push(quality);
        }
        text.push(b'\n');
    }
    text
}

#[test]
fn nothing_and_little() {
    let mut compressors = compressors();
    assert_eq!(check(&mut compressors, b""), [2, 2]);
    let mut noise = Noise(5);
    for length in 1..70 {
        // The fixed codes are a bit shorter than a stored block, or longer.
        let random: Vec<u8> = (0..length).map(|_| noise.next() as u8).collect();
        check(&mut compressors, &random);
        check(&mut compressors, &vec![b'x'; length]);
        check(
            &mut compressors,
            &b"@r\nACGT\n+\nIIII\n".repeat(9)[..length],
        );
    }
}

#[test]
fn worst_cases() {
    let mut compressors = compressors();
    let mut noise = Noise(1);
    let random: Vec<u8> = (0..0x1_0000).map(|_| noise.next() as u8).collect();
    let sizes = check(&mut compressors, &random[..BLOCK]);
    assert_eq!(sizes, [BLOCK + 5; 2]);
    check(&mut compressors, &random);
    check(&mut compressors, &random.repeat(3));
    for letter in [0, b'A', b'@', b'\n', 255] {
        let sizes = check(&mut compressors, &vec![letter; BLOCK]);
        assert!(sizes.iter().all(|&size| size < 1000), "{sizes:?}");
        check(&mut compressors, &vec![letter; 300_000]);
    }
    let all: Vec<u8> = (0..=255).cycle().take(BLOCK).collect();
    let sizes = check(&mut compressors, &all);
    assert!(sizes.iter().all(|&size| size < 1000), "{sizes:?}");
}

#[test]
fn deep_codes() {
    // Letters as frequent as the numbers of Fibonacci want words of up to 22 bits.
    let mut counts = vec![1, 1];
    while counts.iter().sum::<usize>() < 40_000 {
        counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
    }
    let mut text = Vec::new();
    for (letter, &count) in counts.iter().enumerate() {
        text.extend(std::iter::repeat_n(letter as u8 + b'A', count));
    }
    let mut noise = Noise(3);
    for last in (1..text.len()).rev() {
        text.swap(last, noise.below(last + 1));
    }
    check(&mut compressors(), &text);
}

/// Where the record before lets one expect the ends of lines: with lines in its midst that end there, or do not.
#[test]
fn records_of_one_length_that_are_none() {
    let mut compressors = compressors();
    let mut noise = Noise(77);
    for length in [0, 1, 33, 100] {
        let mut text = Vec::new();
        for record in 0..300 {
            text.extend_from_slice(format!("@name {record}\n").as_bytes());
            for end in ["\n+\n", "\n"] {
                let letters: &[u8] = match noise.below(3) {
                    0 => b"ACGT\n+@",
                    1 => b"ACGTN",
                    _ => b"AC",
                };
                text.extend((0..length).map(|_| letters[noise.below(letters.len())]));
                text.extend_from_slice(end.as_bytes());
            }
        }
        for cut in 0..10 {
            check(&mut compressors, &text[..text.len() - cut]);
        }
    }
}

#[test]
fn records_of_all_kinds() {
    let mut compressors = compressors();
    let mut noise = Noise(9);
    let many: Vec<u8> = (33..75).collect();
    for qualities in [&b"F:,"[..], b"I", b"FFFFF#", b"KF<A7,(", &many] {
        let text = records(1500, qualities, &mut noise);
        let sizes = check(&mut compressors, &text);
        assert!(sizes.iter().all(|&size| size < text.len() / 2), "{sizes:?}");
        // Begun and ended anywhere.
        for _ in 0..50 {
            let start = noise.below(text.len());
            let end = start + noise.below(text.len() - start);
            check(&mut compressors, &text[start..end]);
        }
    }
}

/// A text begins with qualities of few values, several follow, and many.
#[test]
fn qualities_are_searched_in_several_ways() {
    let mut compressors = compressors();
    let mut noise = Noise(13);
    let many: Vec<u8> = (33..75).collect();
    let mut text = Vec::new();
    for _ in 0..3 {
        for qualities in [&b"F:,"[..], b"KF<A7,(", &many] {
            // So many that one of the lines that are looked at is among them, one with runs and one without.
            for record in 0..50 {
                let longest = [1, 9][record % 2];
                let mut line = Vec::new();
                while line.len() < 150 {
                    let letter = qualities[noise.below(qualities.len())];
                    line.extend(std::iter::repeat_n(letter, 1 + noise.below(longest)));
                }
                text.extend_from_slice(b"@name\n");
                text.extend((0..150).map(|_| b"ACGT"[noise.below(4)]));
                text.extend_from_slice(b"\n+\n");
                text.extend_from_slice(&line[..150]);
                text.push(b'\n');
            }
        }
    }
    for start in [0, 1, 1000, 10_000, 20_000, 40_000] {
        check(&mut compressors, &text[start..]);
        for block in text[start..].chunks(BLOCK) {
            check(&mut compressors, block);
        }
    }
}

#[test]
fn runs_and_letters_of_qualities() {
    let mut compressors = compressors();
    let mut noise = Noise(11);
    let phred64: Vec<u8> = (64..105).collect();
    let any: Vec<u8> = (0..=255).filter(|&letter| letter != b'\n').collect();
    for letters in [&b"F"[..], b"F:", b"!`", b"!`a", b" !", &phred64, &any] {
        for longest in [1, 2, 5, 70, 300, 1100] {
            let mut text = Vec::new();
            while text.len() < 2 * BLOCK {
                let length = noise.below(1500);
                let mut qualities = Vec::new();
                while qualities.len() < length {
                    let letter = letters[noise.below(letters.len())];
                    qualities.extend(std::iter::repeat_n(letter, 1 + noise.below(longest)));
                }
                text.extend_from_slice(b"@name\n");
                text.extend((0..length).map(|_| b"ACGTN"[noise.below(5)]));
                text.extend_from_slice(b"\n+\n");
                text.extend_from_slice(&qualities[..length]);
                text.push(b'\n');
            }
            check(&mut compressors, &text);
            // The text ends within qualities, or close behind.
            for _ in 0..20 {
                check(&mut compressors, &text[..noise.below(text.len())]);
            }
        }
    }
}

#[test]
fn real_reads() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let mut files = 0;
    let mut compressors = compressors();
    let mut folders = vec![data];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("data").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).expect("a file");
            let mut text = Vec::new();
            if flate2::read::MultiGzDecoder::new(&bytes[..])
                .read_to_end(&mut text)
                .is_err()
            {
                text = bytes;
            }
            text.truncate(8 << 20);
            for block in text.chunks(BLOCK) {
                check(&mut compressors, block);
            }
            check(&mut compressors, &text);
            files += 1;
        }
    }
    assert!(files > 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(text in proptest::collection::vec(any::<u8>(), 0..5000)) {
        check(&mut compressors(), &text);
    }

    #[test]
    fn few_letters(text in proptest::collection::vec(0..3_u8, 0..20_000)) {
        check(&mut compressors(), &text);
    }

    /// Lines that look like records, or not.
    #[test]
    fn lines(lines in proptest::collection::vec("[@+ACGTF\n]{0,3}[ACGTN]{0,40}", 0..200)) {
        check(&mut compressors(), lines.join("\n").as_bytes());
    }

    /// A change in the midst of records.
    #[test]
    fn broken_records(
        seed in 1_u64..,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..9),
    ) {
        let mut text = records(100, b"F:,#", &mut Noise(seed));
        for (place, byte) in changes {
            let place = place.index(text.len());
            text[place] = byte;
        }
        check(&mut compressors(), &text);
    }
}
