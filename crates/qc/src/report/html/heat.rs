//! 5-mers as a table of colours.

use super::super::json::kmers;
use super::text;
use crate::statistics::ReadStatistics;

/// 5-mers: 64 rows by the first three bases, 16 columns by the last two.
pub(super) struct Heat {
    pub(super) title: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<(String, Vec<Cell>)>,
}

pub(super) struct Cell {
    /// 0 (an eighth of the mean, or less) to 8 (eight times the mean, or more).
    pub(super) level: usize,
    pub(super) kmer: String,
    pub(super) count: u64,
}

/// Which 5-mers are rare and which frequent.
pub(super) fn heat(title: &'static str, statistics: &ReadStatistics) -> Heat {
    let kmers: Vec<([u8; 5], u64)> = kmers().map(|kmer| (kmer, statistics.kmer(&kmer))).collect();
    let mean = kmers.iter().map(|(_, count)| *count).sum::<u64>() as f64 / 1024.0;
    let cell = |&(kmer, count): &([u8; 5], u64)| {
        let fold = if mean > 0.0 {
            (count as f64 / mean).log2()
        } else {
            0.0
        };
        Cell {
            // From -3 to 3 in steps of three quarters; a count of 0 is minus infinity.
            level: ((fold.clamp(-3.0, 3.0) + 3.0) / 0.75).round() as usize,
            kmer: text(&kmer),
            count,
        }
    };
    let rows = kmers.chunks(16);
    Heat {
        title,
        columns: kmers[..16]
            .iter()
            .map(|(kmer, _)| text(&kmer[3..]))
            .collect(),
        rows: rows
            .map(|row| (text(&row[0].0[..3]), row.iter().map(cell).collect()))
            .collect(),
    }
}
