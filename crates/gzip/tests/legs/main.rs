//! Files decoded by legs, beside the same decoder in one stream and beside flate2.

mod support;

use proptest::prelude::*;
use support::*;

/// All files, with nobody's help and with that of threads, as one stream.
#[test]
fn kinds_of_files() {
    let text = fastq(1, 6_000_000);
    let long = fastq(2, 12_000_000);
    let bytes = noise(3, 3_000_000);
    let few = [
        gzip(&text[..100], 6),
        gzip(&[], 6),
        gzip(&text[..70_000], 6),
    ]
    .concat();
    let files: Vec<(&str, Vec<u8>, bool)> = vec![
        ("zlib 2", gzip(&text, 2), true),
        ("zlib 6", gzip(&long, 6), true),
        ("zlib 9", gzip(&text, 9), true),
        ("libdeflate 1", libdeflate(&text, 1), true),
        ("libdeflate 6", libdeflate(&long, 6), true),
        ("libdeflate 12", libdeflate(&text[..3_000_000], 12), true),
        (
            "flushed, as pigz does",
            gzip_flushed(&long, 6, 128 << 10),
            true,
        ),
        ("FASTA", gzip(&fasta(4, 8_000_000), 6), true),
        (
            "names that are no ASCII",
            gzip(&with_names(&text, "@µβ-7"), 6),
            false,
        ),
        ("stored", gzip(&text, 0), false),
        ("fixed", gzip(&text, 1), false),
        ("no text", gzip(&bytes, 6), false),
        (
            "a gzip file in a gzip file",
            gzip(&gzip(&long, 6), 6),
            false,
        ),
        ("the same, stored", gzip(&gzip(&long, 6), 0), false),
        ("zeros", gzip(&vec![0; 20_000_000], 6), false),
        ("small members", few, false),
        ("nothing", Vec::new(), false),
        ("no gzip", text[..200_000].to_vec(), false),
    ];
    for (name, file, leaps) in &files {
        let found = check(name, file);
        if *leaps {
            assert!(
                found.leapt > found.text / 3,
                "{name}: only {} of {}",
                found.leapt,
                found.text
            );
            assert!(
                found.leapt_of_pipe > found.text / 4,
                "{name}: only {} of {}, through a pipe",
                found.leapt_of_pipe,
                found.text
            );
        }
    }
}

#[test]
fn several_members() {
    let parts: Vec<Vec<u8>> = (0..4)
        .map(|seed| gzip(&fastq(seed, 2_500_000), 6))
        .collect();
    let found = check("members", &parts.concat());
    assert!(found.leapt > found.text / 2, "only {}", found.leapt);
    check(
        "garbage behind",
        &[&parts.concat()[..], b"garbage"].concat(),
    );
    check("zeros behind", &[&parts.concat()[..], &[0; 3000]].concat());
    check("a hole", &[&parts[0][..], &[0; 3000], &parts[1]].concat());
    // Matches that reach back to the member before are wrong, although a leg from the first block could resolve them.
    let head = gzip(&fastq(7, 1_000_000), 6);
    let alike = [
        &head[..],
        &gzip_behind(&fastq(7, 1_000_000), &fastq(7, 2_000_000)),
    ]
    .concat();
    check("alike", &alike);
    check_cut(
        "alike",
        &alike,
        &[(head.len() - 100, 4, 1), (head.len() - 100, 1, 0)],
    );
}

/// Legs go on from one member to the next, and whoever takes them checks each.
#[test]
fn members_shorter_than_strips() {
    let member = |seed, size| gzip(&fastq(seed, size), 6);
    let mut numbers = Numbers(9);
    let parts: Vec<Vec<u8>> = (0..10)
        .map(|seed| match seed {
            5 => member(seed, numbers.below(3000)),
            _ => member(seed, 1_050_000 + numbers.below(400_000)),
        })
        .collect();
    let cuts = [(300_000, 1, 0), (700_000, 4, 2), (2 << 20, 6, 3)];
    let whole = parts.concat();
    let found = check_cut("short members", &whole, &cuts);
    assert!(found.leapt > found.text * 3 / 4, "only {}", found.leapt);
    let tiny: Vec<Vec<u8>> = (0..400).map(|seed| member(seed, 20_000)).collect();
    check_cut("tiny members", &tiny.concat(), &cuts);
    // Of two of them: the header, the trailer, and what lies between two.
    for number in [3, 7] {
        let start: usize = parts[..number].iter().map(Vec::len).sum();
        for (place, bits) in [(0, 1), (2, 4), (3, 0x80), (3, 4), (3, 8), (12, 0xff)] {
            let mut file = whole.clone();
            file[start + place] ^= bits;
            check_cut("another header", &file, &cuts);
        }
        for place in [1, 4, 5, 8, 9, 30] {
            let mut file = whole.clone();
            file[start - place] ^= 1;
            check_cut("another trailer", &file, &cuts);
        }
        for between in [&[0; 10][..], b"garbage", &whole[..5]] {
            let file = [&whole[..start], between, &whole[start..]].concat();
            check_cut("something between members", &file, &cuts);
        }
        for end in [start - 4, start, start + 5, start + 40] {
            check_cut("cut", &whole[..end], &cuts);
        }
    }
    // A member that refers to the one before.
    let text = fastq(7, 400_000);
    let behind = gzip_behind(&text, &text);
    let file = [&parts[0][..], &parts[1], &behind, &parts[2]].concat();
    check_cut("behind", &file, &cuts);
}

/// What an index is made of.
#[test]
fn blocks_and_what_refers_to_their_windows() {
    let text = fastq(5, 4_000_000);
    check_blocks("zlib 6", &gzip(&text, 6));
    check_blocks("libdeflate 3", &libdeflate(&text, 3));
    check_blocks("flushed", &gzip_flushed(&text, 6, 50_000));
    let small = gzip(&text[..20_000], 6);
    let large = gzip(&text[100..2_100_000], 6);
    let members = [&large[..], &small, &large, &small].concat();
    check_blocks("members", &members);
    let short: Vec<Vec<u8>> = (0..5)
        .map(|seed| gzip_flushed(&fastq(seed, 1_100_000), 6, 100_000))
        .collect();
    check_blocks("more members", &short.concat());
}

/// Other values in the trailer; and text that is the same but for bytes that were codes.
#[test]
fn trailers_and_bytes_that_are_no_text() {
    let text = fastq(11, 5_000_000);
    for place in [8, 5] {
        let mut file = gzip(&text, 6);
        let end = file.len();
        file[end - place] ^= 1;
        check("trailer", &file);
    }
    // Every byte value comes now and then, far into the text.
    let mut mixed = text.clone();
    for (number, at) in (2_000_000..mixed.len()).step_by(3001).enumerate() {
        mixed[at] = number as u8;
    }
    check("all bytes, late", &gzip(&mixed, 6));
    let mut mixed = text;
    let middle = mixed.len() / 2;
    mixed.splice(middle..middle, noise(12, 40_000));
    let found = check("a stored block in the middle", &gzip(&mixed, 6));
    assert!(found.leapt > found.text / 4, "only {}", found.leapt);
    let mut pieces = gzip_flushed(&mixed[..middle], 6, 200_000);
    pieces.extend(gzip(&mixed, 0));
    check("stored and not", &pieces);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn damage(
        seed in 0..1000_u64,
        level in 0..10_u32,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 0..4),
        cut in any::<prop::sample::Index>(),
        is_cut in prop::bool::weighted(0.3),
    ) {
        let text = fastq(seed, 3_000_000);
        let mut file = match seed % 3 {
            0 => libdeflate(&text, level as i32),
            1 => gzip_flushed(&text, level, 300_000),
            _ => gzip(&text, level),
        };
        for (place, change) in changes {
            let place = place.index(file.len());
            file[place] ^= change;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        check("damaged", &file);
    }
}

/// Files of `THALWEG_LEGS`, a list of paths: for a corpus that is not part of the project.
#[test]
fn files_of_others() {
    let list = std::env::var("THALWEG_LEGS").unwrap_or_default();
    for path in list.split_whitespace() {
        let file = std::fs::read(path).unwrap();
        let found = check(path, &file);
        println!("{path}: {} of {} bytes by legs", found.leapt, found.text);
    }
}
