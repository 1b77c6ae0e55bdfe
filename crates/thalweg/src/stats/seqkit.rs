//! The tables of `seqkit stats`, whose columns and formats are those of seqkit 2.10.
//!
//! Of each file: lengths with quartiles, the share of bases by quality and by letter, and what kind of sequences it is of, which
//! seqkit guesses from its first record. A few numbers are what seqkit makes of them, and not what their names say:
//! `N50_num` is how many different lengths there are from N50 up, `GC(%)` is 0 where the first record is none of nucleotides,
//! and a file whose first read is empty is called FASTA.

use thalweg_files::one_line;

use super::{FileStatistics, SequenceKind};

/// Which columns there are, and how they are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeqkitLayout {
    /// All columns (`-a`), or those of numbers and lengths only.
    pub all: bool,
    /// Behind tabs, with plain numbers (`-T`), or aligned for people.
    pub tabular: bool,
}

/// The table of these files, which were counted [with qualities](super::StatsSettings::qualities) and
/// [first records](super::StatsSettings::first_records).
pub fn seqkit_table(files: &[FileStatistics], layout: SeqkitLayout) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    rows.extend(files.iter().map(|file| {
        let cells = cells(file).into_iter();
        match layout.tabular {
            true => cells.map(|cell| cell.plain()).collect(),
            false => cells.map(|cell| cell.for_people()).collect::<Vec<_>>(),
        }
    }));
    if !layout.all {
        rows.iter_mut().for_each(|row| row.truncate(FEW));
    }
    match layout.tabular {
        true => rows.iter().map(|row| row.join("\t") + "\n").collect(),
        false => aligned(&rows),
    }
}

const COLUMNS: [&str; 19] = [
    "file", "format", "type", "num_seqs", "sum_len", "min_len", "avg_len", "max_len", "Q1", "Q2",
    "Q3", "sum_gap", "N50", "N50_num", "Q20(%)", "Q30(%)", "AvgQual", "GC(%)", "sum_n",
];

/// Columns that are always there.
const FEW: usize = 8;
/// Columns of words.
const WORDS: usize = 3;

enum Cell {
    Word(String),
    Whole(u64),
    /// A number and its decimals in a table behind tabs.
    Real(f64, usize),
}

impl Cell {
    fn plain(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Whole(number) => number.to_string(),
            Self::Real(number, decimals) => format!("{number:.decimals$}"),
        }
    }

    fn for_people(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Whole(number) => with_commas(&number.to_string()),
            Self::Real(number, _) => with_commas(&number.to_string()),
        }
    }
}

fn cells(file: &FileStatistics) -> [Cell; COLUMNS.len()] {
    let FileStatistics {
        path,
        statistics,
        first_record,
        ..
    } = file;
    let kind = first_record.kind();
    let (reads, bases) = (statistics.reads(), statistics.bases());
    let count = |letters: &[u8]| -> u64 {
        let letters = letters.iter();
        letters
            .map(|&letter| statistics.letters().count(letter))
            .sum()
    };
    let is_of_nucleotides = matches!(kind, SequenceKind::Dna | SequenceKind::Rna);
    let (gc, unknown) = match is_of_nucleotides {
        true => (count(b"GCgc"), count(b"Nn")),
        false => (0, count(b"Xx")),
    };
    // Of no bases, seqkit divides by zero; of no reads, it does not divide.
    let percent = |part: u64| match reads {
        0 => 0.0,
        _ => rounded(part as f64 / bases as f64 * 100.0, 2),
    };
    let qualities = statistics.qualities().unwrap_or_default();
    let [q1, q2, q3] = quartiles(statistics.lengths(), reads);
    let (n50, lengths_from_n50) = match statistics.n50() {
        Some(n50) => (n50, from(n50, statistics.lengths())),
        None => (0, 0),
    };
    let whole = |number: Option<u64>| Cell::Whole(number.unwrap_or(0));
    [
        // A name may hold anything but must not break the table.
        Cell::Word(one_line(path)),
        Cell::Word(match (reads, first_record.has_qualities()) {
            (0, _) => String::new(),
            (_, true) => "FASTQ".to_owned(),
            (_, false) => "FASTA".to_owned(),
        }),
        Cell::Word(match (reads, kind) {
            (0, _) => String::new(),
            (_, SequenceKind::Dna) => "DNA".to_owned(),
            (_, SequenceKind::Rna) => "RNA".to_owned(),
            (_, SequenceKind::Protein) => "Protein".to_owned(),
            (_, SequenceKind::Unlimited) => "Unlimit".to_owned(),
        }),
        Cell::Whole(reads),
        Cell::Whole(bases),
        whole(statistics.shortest()),
        Cell::Real(rounded(statistics.mean_length().unwrap_or(0.0), 1), 1),
        whole(statistics.longest()),
        Cell::Real(q1, 0),
        Cell::Real(q2, 0),
        Cell::Real(q3, 0),
        Cell::Whole(count(b"- .")),
        Cell::Whole(n50),
        Cell::Whole(lengths_from_n50),
        Cell::Real(percent(qualities.q20), 0),
        Cell::Real(percent(qualities.q30), 0),
        Cell::Real(
            rounded(statistics.quality_of_mean_error().unwrap_or(0.0), 2),
            2,
        ),
        Cell::Real(percent(gc), 2),
        Cell::Whole(unknown),
    ]
}

/// The medians of the lower half of all lengths, of all, and of the upper half; what is in the middle is in both halves.
fn quartiles(lengths: impl Iterator<Item = (u64, u64)>, reads: u64) -> [f64; 3] {
    let half = reads.div_ceil(2);
    let mut wanted = [0, 0, reads - half].map(|first| (first, half));
    wanted[1].1 = reads;
    // Of each, the ranks of the two in its middle, which may be one.
    let ranks = wanted
        .map(|(first, number)| [(first + number.saturating_sub(1) / 2), (first + number / 2)]);
    let mut found = [[0; 2]; 3];
    let mut before = 0;
    for (length, count) in lengths {
        let after = before + count;
        for (ranks, found) in ranks.iter().zip(&mut found) {
            for (rank, found) in ranks.iter().zip(found) {
                if (before..after).contains(rank) {
                    *found = length;
                }
            }
        }
        before = after;
    }
    found.map(|[lower, upper]| (lower + upper) as f64 / 2.0)
}

/// How many different lengths there are that are `length` or more.
fn from(length: u64, lengths: impl Iterator<Item = (u64, u64)>) -> u64 {
    lengths.filter(|&(other, _)| other >= length).count() as u64
}

/// Half is rounded up.
fn rounded(number: f64, decimals: i32) -> f64 {
    let power = 10_f64.powi(decimals);
    ((number + 0.5 / power) * power).trunc() / power
}

/// `1234567.5` as `1,234,567.5`.
fn with_commas(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let groups: Vec<&[u8]> = whole.as_bytes().rchunks(3).rev().collect();
    match whole.bytes().all(|byte| byte.is_ascii_digit()) {
        true => String::from_utf8_lossy(&groups.join(&b',')).into_owned() + rest,
        false => number.to_owned(),
    }
}

/// Words to the left, numbers to the right, as wide as needed, with two blanks between columns.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| match column < WORDS {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        text.push_str(&cells.collect::<Vec<_>>().join("  "));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As they are told of a list.
    fn of_list(mut lengths: Vec<u64>) -> [f64; 3] {
        lengths.sort_unstable();
        let median = |list: &[u64]| match list.len() {
            0 => 0.0,
            even if even % 2 == 0 => (list[even / 2 - 1] + list[even / 2]) as f64 / 2.0,
            odd => list[odd / 2] as f64,
        };
        let half = lengths.len().div_ceil(2);
        [
            median(&lengths[..half]),
            median(&lengths),
            median(&lengths[lengths.len() - half..]),
        ]
    }

    #[test]
    fn quartiles_are_those_of_a_list() {
        let mut state = 7_u64;
        for number in 0..200 {
            let lengths: Vec<u64> = (0..number % 23)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 60) + 1
                })
                .collect();
            let mut counts = std::collections::BTreeMap::new();
            for length in &lengths {
                *counts.entry(*length).or_default() += 1;
            }
            let reads = lengths.len() as u64;
            assert_eq!(quartiles(counts.into_iter(), reads), of_list(lengths));
        }
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, grouped) in [
            ("0", "0"),
            ("999", "999"),
            ("1234", "1,234"),
            ("1234567.5", "1,234,567.5"),
            ("NaN", "NaN"),
        ] {
            assert_eq!(with_commas(number), grouped);
        }
    }
}
