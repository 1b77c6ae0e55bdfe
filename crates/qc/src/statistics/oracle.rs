//! The slow way, which obviously counts the right things.

use super::{Cycle, LetterRule, ReadStatistics, kmers};

/// Statistics of reads, base by base.
pub(super) fn statistics(reads: &[(Vec<u8>, Vec<u8>)], rule: LetterRule) -> ReadStatistics {
    let mut statistics = ReadStatistics::default();
    for (sequence, quality) in reads {
        statistics.reads += 1;
        let length = sequence.len().min(ReadStatistics::CYCLE_LIMIT);
        if statistics.lengths.len() <= length {
            statistics.lengths.resize(length + 1, 0);
        }
        statistics.lengths[length] += 1;
        for (index, (&base, &quality)) in sequence.iter().zip(quality).enumerate() {
            let index = index.min(ReadStatistics::CYCLE_LIMIT);
            if statistics.cycles.len() <= index {
                statistics.cycles.resize(index + 1, Cycle::default());
            }
            let base = match rule {
                LetterRule::Plain => base.to_ascii_uppercase(),
                LetterRule::Fastp => *b"?A?CT?NG".get(usize::from(base % 8)).unwrap(),
            };
            let class = b"ACGTN"
                .iter()
                .position(|&letter| letter == base)
                .unwrap_or(5);
            statistics.cycles[index].letters[class] += 1;
            statistics.cycles[index].quality_bytes[class] += u64::from(quality);
            statistics.qualities[usize::from(quality)] += 1;
        }
        let mut sequence = sequence.clone();
        if rule == LetterRule::Plain {
            sequence.make_ascii_uppercase();
        }
        for kmer in sequence.windows(5) {
            if let Some(code) = kmers::code(kmer) {
                statistics.kmers[code] += 1;
            }
        }
    }
    statistics
}
