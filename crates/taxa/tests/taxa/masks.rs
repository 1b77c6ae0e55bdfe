//! Masks against the definition, and against dustmasker.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::slice;

use proptest::prelude::*;
use thalweg_taxa::mask::{WINDOW, low_complexity};

use crate::made::{given, is_there};

fn masked(sequence: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    low_complexity(sequence, &mut ranges);
    let mut ends = ranges.iter().flat_map(|range| [range.start, range.end]);
    assert!(ends.clone().is_sorted_by(|one, other| one < other));
    assert!(ends.all(|end| end <= sequence.len()));
    ranges
}

/// Whether each letter is in a perfect stretch, by the definition: all stretches, and the best score inside of each.
fn defined(sequence: &[u8]) -> Vec<bool> {
    let upper = sequence.to_ascii_uppercase();
    let is_base = |letter: &u8| b"ACGT".contains(letter);
    let triplets = upper.len().saturating_sub(2);
    let mut is_masked = vec![false; upper.len()];
    // A score as a fraction, and whether one is less than another.
    let less = |one: (u64, u64), other: (u64, u64)| one.0 * other.1 < other.0 * one.1;
    // Of stretches one triplet shorter: the best score inside, by start; of one triplet there is none.
    let mut best = vec![(0, 1); triplets];
    for length in 2..=WINDOW - 2 {
        for start in 0..(triplets + 1).saturating_sub(length) {
            let letters = &upper[start..start + length + 2];
            let inside = if less(best[start], best[start + 1]) {
                best[start + 1]
            } else {
                best[start]
            };
            if !letters.iter().all(is_base) {
                best[start] = inside;
                continue;
            }
            let mut kinds: Vec<&[u8]> = letters.windows(3).collect();
            kinds.sort_unstable();
            let pairs = |kind: &[&[u8]]| (kind.len() * (kind.len() - 1) / 2) as u64;
            let sum = kinds.chunk_by(|one, other| one == other).map(pairs).sum();
            let score = (sum, length as u64 - 1);
            if less((2, 1), score) && !less(score, inside) {
                is_masked[start..start + length + 2].fill(true);
            }
            best[start] = if less(score, inside) { inside } else { score };
        }
    }
    is_masked
}

fn by_letter(ranges: &[Range<usize>], length: usize) -> Vec<bool> {
    let mut is_masked = vec![false; length];
    ranges
        .iter()
        .for_each(|range| is_masked[range.clone()].fill(true));
    is_masked
}

fn is_as_defined(sequence: &[u8]) {
    let found = by_letter(&masked(sequence), sequence.len());
    assert_eq!(
        found,
        defined(sequence),
        "{}",
        String::from_utf8_lossy(sequence)
    );
}

/// Repeats of short units with faults, with any letters between them.
fn sequences() -> impl Strategy<Value = Vec<u8>> {
    let letters = |letters: &'static [u8], most| {
        prop::collection::vec(prop::sample::select(letters), 0..most)
    };
    let any = prop_oneof![
        letters(b"ACGT", 80),
        letters(b"AC", 40),
        letters(b"AAAAAAAAT", 70),
        letters(b"ACGTNacgtnR", 30),
        (letters(b"ACGT", 9), 0..30_usize).prop_map(|(unit, times)| unit.repeat(times)),
    ];
    prop::collection::vec(any, 0..5).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn what_is_masked_is_in_a_perfect_stretch(sequence in sequences()) {
        is_as_defined(&sequence);
    }

    #[test]
    fn case_does_not_matter_and_parts_know_their_neighbours(sequence in sequences(), at in any::<prop::sample::Index>()) {
        let whole = by_letter(&masked(&sequence), sequence.len());
        prop_assert_eq!(&masked(&sequence.to_ascii_lowercase()), &masked(&sequence.to_ascii_uppercase()));
        let at = at.index(sequence.len() + 1);
        let context = WINDOW - 1;
        let end = sequence.len().min(at + context);
        let start = at.saturating_sub(context);
        let left = by_letter(&masked(&sequence[..end]), end);
        let right = by_letter(&masked(&sequence[start..]), sequence.len() - start);
        prop_assert_eq!(&whole[..at], &left[..at]);
        prop_assert_eq!(&whole[at..], &right[at - start..]);
    }

    #[test]
    fn both_strands_are_masked_alike(sequence in sequences()) {
        let turned: Vec<_> = sequence.iter().rev().map(|letter| match letter.to_ascii_uppercase() {
            b'A' => b'T', b'C' => b'G', b'G' => b'C', b'T' => b'A', other => other,
        }).collect();
        let mut back = by_letter(&masked(&turned), sequence.len());
        back.reverse();
        prop_assert_eq!(by_letter(&masked(&sequence), sequence.len()), back);
    }
}

#[test]
fn short_and_plain_ones() {
    let of = |text: &str| masked(text.as_bytes());
    for none in [
        "",
        "A",
        "AA",
        "AAA",
        "AAAA",
        "AAAAAA",
        "ACGTACGTAC",
        "NNNNNNNNNNNNNNNNNNNN",
    ] {
        assert_eq!(of(none), [], "{none}");
    }
    // Five equal triplets are ten pairs, 2.5 for each of the four others.
    for (text, range) in [
        ("CGCTTTTTTTGCA", 3..10),
        ("CGCuuUTTttGCA", 3..10),
        ("TTTNTTTTTTTNTTT", 4..11),
        (&"A".repeat(1000), 0..1000),
        (&"ACACACAT".repeat(100), 0..800),
    ] {
        assert_eq!(of(text), slice::from_ref(&range), "{text}");
    }
}

/// The sequences of a compressed genome, each without its header.
fn genome(path: &Path) -> Vec<Vec<u8>> {
    let output = Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("gzip");
    let records = output.stdout.split(|byte| *byte == b'>').skip(1);
    let letters = records.map(|record| {
        let lines = record.split(|byte| *byte == b'\n');
        lines.skip(1).flatten().copied().collect()
    });
    letters.collect()
}

#[test]
fn parts_of_genomes_are_masked_as_defined() {
    let Some(folder) = given("parts_of_genomes_are_masked_as_defined", "genomes") else {
        return;
    };
    for name in [
        "HIV-1_NC_001802.1.fna.gz",
        "Lambdavirus_lambda_NC_001416.1.fna.gz",
        "Blochmanniella_floridana_GCF_000043285.1.fna.gz",
    ] {
        let sequences = genome(&folder.join(name));
        let first = &sequences[0];
        is_as_defined(&first[..first.len().min(6_000)]);
    }
}

#[test]
fn genomes_are_masked_as_by_dustmasker() {
    let test = "genomes_are_masked_as_by_dustmasker";
    let Some(folder) = given(test, "genomes") else {
        return;
    };
    if !is_there(test, "dustmasker") {
        return;
    }
    for name in [
        "Blochmanniella_floridana_GCF_000043285.1.fna.gz",
        "Caulobacter_vibrioides_NA1000_NC_011916.1.fna.gz",
        "Escherichia_coli_K-12_MG1655_NC_000913.3.fna.gz",
        "SARS-CoV-2_Wuhan-Hu-1_NC_045512.2.fna.gz",
        "Salmonella_enterica_Bareilly_CFSAN000211_JMMM01000001.1.fna.gz",
    ] {
        let mut sequences = genome(&folder.join(name));
        sequences
            .iter_mut()
            .for_each(|letters| letters.truncate(1_000_000));
        for (letters, theirs) in sequences.iter().zip(by_dustmasker(&sequences)) {
            let differs = differences(letters, &theirs);
            // They take other letters for A.
            let is_near_other = |&at: &usize| {
                let near = at.saturating_sub(WINDOW)..letters.len().min(at + WINDOW);
                letters[near]
                    .iter()
                    .any(|letter| !b"ACGTacgt".contains(letter))
            };
            assert!(differs.iter().all(is_near_other), "{name}: {differs:?}");
        }
    }
}

/// Letters that are masked by one and not by the other.
fn differences(letters: &[u8], theirs: &[Range<usize>]) -> Vec<usize> {
    let ours = by_letter(&masked(letters), letters.len());
    let theirs = by_letter(theirs, letters.len());
    (0..letters.len())
        .filter(|&at| ours[at] != theirs[at])
        .collect()
}

/// What dustmasker masks of each.
fn by_dustmasker(sequences: &[Vec<u8>]) -> Vec<Vec<Range<usize>>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.fa");
    let record = |(number, letters): (usize, &Vec<u8>)| {
        [format!(">s{number}\n").as_bytes(), letters, b"\n"].concat()
    };
    fs::write(
        &file,
        sequences
            .iter()
            .enumerate()
            .flat_map(record)
            .collect::<Vec<_>>(),
    )
    .unwrap();
    let mut command = Command::new("dustmasker");
    let output = command
        .arg("-in")
        .arg(&file)
        .args(["-outfmt", "interval"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let told = String::from_utf8(output.stdout).unwrap();
    let range = |line: &str| {
        let (first, last) = line.split_once(" - ").expect("two numbers");
        let [first, last] = [first, last].map(|number| number.parse::<usize>().expect("a number"));
        first..last + 1
    };
    let all = told
        .split('>')
        .skip(1)
        .map(|sequence| sequence.lines().skip(1).map(range).collect());
    let all: Vec<_> = all.collect();
    assert_eq!(all.len(), sequences.len());
    all
}
