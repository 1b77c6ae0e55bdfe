//! Every kernel that this machine can run, against loops that cannot be wrong.

use proptest::prelude::*;

use crate::Qualities;

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
            let number = $($unsafe)? { kernel::count_newlines(bytes) };
            assert_eq!(number, ends.len() - 1);
            let mut counts = [0; 256];
            // SAFETY: as above.
            let number = $($unsafe)? { kernel::letters_in_lines(bytes, &mut counts) };
            let body = without_line_ends(bytes);
            assert_eq!(number, body.len());
            assert_eq!(counts, letters(&[&body]));
        }
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
    let mut totals = Qualities::default();
    crate::qualities(b"!5?I", &mut totals);
    assert_eq!((totals.sum, totals.q20, totals.q30), (20 + 30 + 40, 3, 2));
    assert_eq!(crate::count_newlines(b"\n\n"), 2);
    assert!(["avx512", "avx2", "neon", "portable"].contains(&crate::active_kernel()));
}
