//! Every kernel that this machine can run, against loops that cannot be wrong.

use proptest::prelude::*;

use crate::{COLUMNS, OFFSETS, PROBE, Qualities, Within};

fn newlines(bytes: &[u8], base: u32) -> Vec<u32> {
    let positions = bytes.iter().zip(base..);
    positions
        .filter(|&(&byte, _)| byte == b'\n')
        .map(|(_, position)| position)
        .collect()
}

fn letters(lines: &[&[u8]]) -> [u64; 256] {
    let mut counts = [0; 256];
    for &byte in lines.iter().copied().flatten() {
        counts[usize::from(byte)] += 1;
    }
    counts
}

fn without_line_ends(body: &[u8]) -> Vec<u8> {
    let lines = body.split(|&byte| byte == b'\n');
    lines
        .flat_map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .copied()
        .collect()
}

fn qualities(lines: &[&[u8]]) -> Qualities {
    let mut totals = Qualities::default();
    for &byte in lines.iter().copied().flatten() {
        totals.sum += i64::from(byte) - 33;
        totals.q20 += u64::from(byte >= 53);
        totals.q30 += u64::from(byte >= 63);
        totals.bases += 1;
    }
    totals
}

fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let other = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    };
    bases.iter().rev().map(other).collect()
}

fn pack(quartets: &[[u8; 4]]) -> Vec<u8> {
    let code = |base: &u8| match base {
        b'A' => 0,
        b'C' => 1,
        b'T' => 2,
        _ => 3,
    };
    let pack = |bases: &[u8; 4]| {
        bases
            .iter()
            .rev()
            .fold(0, |byte, base| byte << 2 | code(base))
    };
    quartets.iter().map(pack).collect()
}

fn repeats(bytes: &[u8]) -> Vec<u64> {
    let repeats: Vec<bool> = bytes.windows(2).map(|pair| pair[0] == pair[1]).collect();
    let mask = |bits: &[bool]| {
        (0..)
            .zip(bits)
            .fold(0, |mask, (i, &bit)| mask | u64::from(bit) << i)
    };
    repeats.chunks(64).map(mask).collect()
}

fn offsets_of(letters: &[u8; PROBE], least: u8, text: &[u8; OFFSETS + PROBE]) -> u128 {
    let matches = |offset: usize| {
        let there = text[offset..].iter().zip(letters);
        there.filter(|(base, letter)| base == letter).count() as u8
    };
    let good = (0..OFFSETS).filter(|&offset| matches(offset) >= least);
    good.fold(0, |offsets, offset| offsets | 1 << offset)
}

/// The checks of the module that is called `kernel` where this stands; `unsafe` if it has to be.
macro_rules! check {
    ($lines:expr, $base:expr $(, $unsafe:tt)?) => {{
        let lines: &[&[u8]] = $lines;
        let base: u32 = $base;
        for bytes in lines {
            let mut ends = vec![7];
            // SAFETY: whoever wrote `unsafe` has detected the features; so for all that follow.
            $($unsafe)? { kernel::newlines(bytes, base, &mut ends) };
            assert_eq!(ends[0], 7);
            assert_eq!(ends[1..], newlines(bytes, base));
            // SAFETY: as above.
            let number = $($unsafe)? { kernel::count_equal(bytes, b'\n') };
            assert_eq!(number, ends.len() - 1);
            for limit in [0, b'!', b'5', b'C', 0x7f, 0x80, 255] {
                // SAFETY: as above.
                let number = $($unsafe)? { kernel::count_at_least(bytes, limit) };
                assert_eq!(number, bytes.iter().filter(|byte| **byte >= limit).count());
            }
            let mut counts = [7; 3];
            // SAFETY: as above.
            let sum = $($unsafe)? { kernel::count_values(bytes, b"AG\n", &mut counts) };
            let expected = b"AG\n".map(|value| bytes.iter().filter(|byte| **byte == value).count() as u64);
            assert_eq!((counts, sum), (expected, expected.iter().sum()));
            // SAFETY: as above.
            let graphic = $($unsafe)? { kernel::are_all_within(std::iter::once(*bytes), Within::<b'!', b'~'>) };
            assert_eq!(graphic, bytes.iter().all(u8::is_ascii_graphic));
            macro_rules! check_range {
                ($first:literal, $last:literal) => {
                    let range = Within::<$first, $last>;
                    // SAFETY: as above.
                    let within = $($unsafe)? { kernel::are_all_within(std::iter::once(*bytes), range) };
                    assert_eq!(within, bytes.iter().all(|byte| ($first..=$last).contains(byte)));
                };
            }
            check_range!(0, 255);
            check_range!(b'A', b'T');
            check_range!(b'A', b'A');
            check_range!(0x7f, 0x90);
            // SAFETY: as above.
            let plain = $($unsafe)? { kernel::are_bases(bytes) };
            assert_eq!(plain, bytes.iter().all(|byte| b"ACGT".contains(byte)));
            let mut masks = vec![];
            // SAFETY: as above.
            $($unsafe)? { kernel::repeats(bytes, &mut masks) };
            assert_eq!(masks, repeats(bytes));
            let bases: Vec<u8> = bytes.iter().map(|byte| b"ACGT"[usize::from(byte % 4)]).collect();
            let mut other = vec![0; bases.len()];
            // SAFETY: as above.
            $($unsafe)? { kernel::reverse_complement(&bases, &mut other) };
            assert_eq!(other, reverse_complement(&bases));
            let (quartets, _) = bases.as_chunks::<4>();
            let mut codes = vec![0; quartets.len()];
            // SAFETY: as above.
            $($unsafe)? { kernel::pack(quartets, &mut codes) };
            assert_eq!(codes, pack(quartets));
            let columns = bases.len() / COLUMNS * COLUMNS;
            let rows = [&bases[..columns], &other[..columns]];
            let qualities = rows.map(|row| row.iter().map(|byte| byte ^ 0x3f).collect::<Vec<u8>>());
            let qualities = [&qualities[0][..], &qualities[1][..]];
            let (mut counts, mut sums) = (vec![250; columns], vec![9; columns]);
            // SAFETY: as above.
            $($unsafe)? { kernel::add_columns(b'C', rows, qualities, &mut counts, &mut sums) };
            for column in 0..columns {
                let mut expected = (250, 9);
                for (row, qualities) in rows.iter().zip(qualities) {
                    if row[column] == b'C' {
                        expected.0 += 1;
                        expected.1 += u16::from(qualities[column]);
                    }
                }
                assert_eq!((counts[column], sums[column]), expected);
            }
            let mut counts = [0, 1, 2, 253].map(|first| vec![first; columns]);
            let rows_of_counts = counts.each_mut().map(Vec::as_mut_slice);
            // SAFETY: as above.
            $($unsafe)? { kernel::count_columns(*b"ACGT", rows, rows_of_counts) };
            for column in 0..columns {
                for ((letter, first), counts) in b"ACGT".iter().zip([0, 1, 2, 253]).zip(&counts) {
                    let number = rows.iter().filter(|row| row[column] == *letter).count();
                    assert_eq!(counts[column], first + number as u8);
                }
            }
            if let Some((text, letters)) = bases.split_first_chunk() {
                if let Some(letters) = letters.first_chunk() {
                    for least in [0, 5, 9, 16] {
                        // SAFETY: as above.
                        let found = $($unsafe)? { kernel::offsets_of(letters, least, text) };
                        assert_eq!(found, offsets_of(letters, least, text));
                    }
                }
            }
            let mut counts = [0; 256];
            // SAFETY: as above.
            let number = $($unsafe)? { kernel::letters_in_lines(bytes, &mut counts) };
            let body = without_line_ends(bytes);
            assert_eq!(number, body.len());
            assert_eq!(counts, letters(&[&body]));
        }
        // SAFETY: as above.
        let graphic = $($unsafe)? { kernel::are_all_within(lines.iter().copied(), Within::<b'!', b'~'>) };
        assert_eq!(graphic, lines.concat().iter().all(u8::is_ascii_graphic));
        let mut counts = [0; 256];
        // SAFETY: as above.
        $($unsafe)? { kernel::letters(lines.iter().copied(), &mut counts) };
        assert_eq!(counts, letters(lines));
        let mut totals = Qualities::default();
        // SAFETY: as above.
        $($unsafe)? { kernel::qualities(lines.iter().copied(), &mut totals) };
        assert_eq!(totals, qualities(lines));
    }};
}

fn check_all(lines: &[&[u8]], base: u32) {
    {
        use crate::portable as kernel;
        check!(lines, base);
    }
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx2() {
        use crate::vector::avx2 as kernel;
        check!(lines, base, unsafe);
    }
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx512() {
        use crate::vector::avx512 as kernel;
        check!(lines, base, unsafe);
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    {
        use crate::vector::neon as kernel;
        check!(lines, base, unsafe);
    }
}

/// Bytes as they come, and bytes as reads have them: each kind reaches its own branches.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let any = prop::collection::vec(any::<u8>(), 0..600);
    let of = |letters: &'static [u8], most| {
        prop::collection::vec(prop::sample::select(letters), 0..most)
    };
    prop_oneof![
        any,
        of(b"ACGT", 600),
        of(b"ACGTNacgtn", 300),
        of(b"ACGTACGTACGTACGTACGTNR\r\n\n", 600),
        of(b"A\r\n", 300),
        of(b"\n", 9000),
        of(b"#-5:<?@FI", 600),
    ]
}

proptest! {
    #[test]
    fn kernels_agree_with_the_oracle(
        lines in prop::collection::vec(bytes(), 0..6),
        base in prop_oneof![Just(0u32), 0u32..1 << 31],
    ) {
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        check_all(&lines, base);
    }
}

#[test]
fn every_length_and_alignment() {
    let text =
        b"ACGTN\r\nacgtnR\n\r\rTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT\r\n".repeat(5);
    // Miri is thousands of times slower: one start, and ends that reach each way to load.
    let (starts, step) = if cfg!(miri) {
        (&[1][..], 37)
    } else {
        (&[0, 1, 7, 31][..], 1)
    };
    for &start in starts {
        for end in (start..text.len()).step_by(step) {
            check_all(&[&text[start..end]], 5);
        }
    }
}

#[test]
fn the_last_position_fits() {
    let base = u32::MAX - 4100;
    check_all(&[&[b'\n'; 4100]], base);
    let mut ends = Vec::new();
    crate::newlines(b"\n", u32::MAX - 1, &mut ends);
    assert_eq!(ends, [u32::MAX - 1]);
}

#[test]
#[should_panic(expected = "beyond 4 GiB")]
fn positions_do_not_wrap() {
    crate::newlines(b"\n\n", u32::MAX - 1, &mut Vec::new());
}

#[test]
fn public_functions_use_some_kernel() {
    let mut counts = crate::Letters::default();
    crate::letters(b"ACGTNacgtn*", &mut counts);
    assert_eq!(crate::letters_in_lines(b"AC\r\nGT\n", &mut counts), 4);
    let mut twice = counts.clone();
    twice.merge(&counts);
    assert_eq!(
        (twice.count(b'A'), twice.count(b'*'), twice.total()),
        (4, 2, 30)
    );
    assert_eq!(twice.iter().count(), 11);
    let mut masks = vec![7; 3];
    crate::repeats(b"AACCC", &mut masks);
    assert_eq!(masks, [0b1101]);
    let mut totals = Qualities::default();
    crate::qualities(b"!5?I", &mut totals);
    assert_eq!((totals.sum, totals.q20, totals.q30), (20 + 30 + 40, 3, 2));
    assert_eq!(crate::count_newlines(b"\n\n"), 2);
    assert!(["avx512", "avx2", "neon", "portable"].contains(&crate::active_kernel()));
}
