//! Adapters and primers, known by their sequences, at the 5' end of a read.
//!
//! ```text
//! inside:    ....AAAAAAAA|rest        the adapter, whatever stands before it
//! partial:       AAAA|rest            an end of it, where the read begins
//! anchored:  AAAAAAAA|rest            the adapter where the read begins, and nowhere else
//! ```
//! All that stands before the bar is cut. The adapter is laid at every position, and those
//! letters are counted that agree, for as many positions at once as there are lanes of bytes:
//! all letters, as this is hardly dearer than to look at some and then at the rest. The best
//! position wins, not the first: an end of the adapter is met by chance in one of 768 reads
//! (4^-5 + 4^-6 + ...), and must not hide the whole of it behind.

use super::iupac::{BASES, bases_of};
use crate::counts::AdapterCounts;
use crate::{Options, Read};

/// Letters that have to be met, `N` not counted: as many as of an adapter at the 3' end.
pub(crate) const REQUIRED: usize = 5;

/// The longest adapter: letters are counted in bytes, four at once.
pub(crate) const LONGEST: usize = 252;

/// One mismatch is allowed for so many letters, as at the 3' end.
const LETTERS_PER_MISMATCH: usize = 8;

/// What stands before an adapter that is not searched behind the beginning of the read.
const ANCHOR: u8 = b'^';

/// Positions that are looked at at once.
const LANES: usize = 128;

/// Of which so many are passed over at once.
const BLOCK: usize = 16;

/// Letters that are compared at once.
const LETTERS: usize = 4;

/// Blanks behind a read: the last position has as many lanes as the others, and three letters
/// more than the adapter if that is no multiple of four.
const BEHIND: usize = LANES + LETTERS - 1;

/// Cuts adapters at the 5' end.
#[derive(Clone, Debug)]
pub(crate) struct FrontAdapters {
    /// For read 1 and read 2.
    adapters: [Vec<FrontAdapter>; 2],
    /// Letters of the longest of them.
    longest: usize,
}

impl FrontAdapters {
    /// All adapters that are named, if any is. Their lengths have been checked.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        let of_mate = |sequences: &[Vec<u8>]| {
            let all = sequences.iter().chain(&options.adapter_fasta_5p);
            let all = all.map(|sequence| FrontAdapter::new(sequence));
            all.collect::<Vec<_>>()
        };
        let adapters = [
            of_mate(&options.adapter_sequence_5p),
            of_mate(&options.adapter_sequence_5p_r2),
        ];
        let all = adapters.iter().flatten();
        let longest = all.map(FrontAdapter::adapter_length).max()?;
        Some(FrontAdapters { adapters, longest })
    }

    /// Cut the adapter of read `mate` (0 or 1) that agrees best, and all before it.
    /// `padded` is a buffer of the caller. Returns whether one was cut.
    ///
    /// Takes time in proportion to the letters of the adapters times the bases of the read,
    /// but some 30 of these products at once.
    pub(crate) fn apply(
        &self,
        read: &mut Read<'_>,
        mate: usize,
        counts: &mut AdapterCounts,
        padded: &mut Vec<u8>,
    ) -> bool {
        // Blanks agree with no letter: before the read, of which an adapter's end may be the
        // beginning, and behind it, so that the last lanes have something to compare.
        padded.clear();
        padded.resize(self.longest, 0);
        padded.extend(
            read.bases()
                .iter()
                .map(|&letter| BASES[usize::from(letter)]),
        );
        padded.resize(padded.len() + BEHIND, 0);
        let mut best: Option<(Match, &FrontAdapter)> = None;
        for adapter in &self.adapters[mate] {
            let text = &padded[self.longest - adapter.adapter_length()..];
            if let Some(found) = adapter.find(text, read.len())
                && best.is_none_or(|(other, _)| found.agreeing > other.agreeing)
            {
                best = Some((found, adapter));
            }
        }
        let Some((found, adapter)) = best else {
            return false;
        };
        read.skip(found.end);
        counts.trimmed_reads += 1;
        counts.trimmed_bases += found.end as u64;
        counts.tabulate(mate, &adapter.sequence, usize::MAX);
        true
    }
}

/// Whether an adapter is anchored, and its letters.
pub(crate) fn split_anchor(sequence: &[u8]) -> (bool, &[u8]) {
    match sequence.split_first() {
        Some((&ANCHOR, letters)) => (true, letters),
        _ => (false, sequence),
    }
}

#[derive(Clone, Debug)]
struct FrontAdapter {
    /// As it was given, in upper case.
    sequence: Vec<u8>,
    /// The bases that each letter stands for; none for `N`, which is not compared, nor behind
    /// the last one, up to a multiple of [`LETTERS`].
    letters: Vec<u8>,
    is_anchored: bool,
    /// How many letters have to agree if so many of the last ones are compared; more than
    /// there are where they are too few.
    needed: Vec<usize>,
}

/// Where an adapter was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Match {
    /// Bases of the read up to its end.
    end: usize,
    /// Letters that agree.
    agreeing: usize,
}

impl FrontAdapter {
    fn new(sequence: &[u8]) -> Self {
        let sequence = sequence.to_ascii_uppercase();
        let (is_anchored, letters) = split_anchor(&sequence);
        let mut letters: Vec<u8> = letters
            .iter()
            .map(|&letter| if letter == b'N' { 0 } else { bases_of(letter) })
            .collect();
        let needed = (0..=letters.len()).map(|last| {
            let compared = &letters[letters.len() - last..];
            let compared = compared.iter().filter(|&&bases| bases != 0).count();
            match compared < REQUIRED {
                true => usize::MAX,
                false => compared - compared / LETTERS_PER_MISMATCH,
            }
        });
        let needed = needed.collect();
        letters.resize(letters.len().next_multiple_of(LETTERS), 0);
        FrontAdapter {
            needed,
            letters,
            is_anchored,
            sequence,
        }
    }

    /// The best of all places in a read of `length` bases, and of equals the first. `text` is
    /// the read, with as many blanks before it as there are letters, and [`BEHIND`] behind it.
    fn find(&self, text: &[u8], length: usize) -> Option<Match> {
        let whole = self.adapter_length();
        let (first, last) = match self.is_anchored {
            true => (whole, whole.min(length)),
            false => (1, length),
        };
        let mut best: Option<Match> = None;
        for from in (first..=last).step_by(LANES) {
            let lanes = self.count_agreeing(&text[from..]);
            let (blocks, _) = lanes.as_chunks::<BLOCK>();
            for (start, block) in (from..=last).step_by(BLOCK).zip(blocks) {
                // Behind the partial places most blocks have nothing.
                let most = || block.iter().fold(0, |most, &lane| lane.max(most));
                if start >= whole && usize::from(most()) < self.needed[whole] {
                    continue;
                }
                for (end, &agreeing) in (start..=last).zip(block) {
                    let agreeing = usize::from(agreeing);
                    if agreeing >= self.needed[end.min(whole)]
                        && best.is_none_or(|other| agreeing > other.agreeing)
                    {
                        best = Some(Match { end, agreeing });
                    }
                }
            }
        }
        best
    }

    /// Letters that agree at each of the first positions of a text. Those that do not are
    /// counted, which takes an instruction less.
    #[inline]
    fn count_agreeing(&self, text: &[u8]) -> [u8; LANES] {
        let mut lanes = [self.letters.len() as u8; LANES];
        let (quartets, _) = self.letters.as_chunks::<LETTERS>();
        for (number, letters) in quartets.iter().enumerate() {
            let rows: [&[u8; LANES]; LETTERS] = std::array::from_fn(|row| {
                let row = text[LETTERS * number + row..].first_chunk();
                row.expect("blanks behind the read")
            });
            for lane in 0..LANES {
                lanes[lane] -= u8::from(rows[0][lane] & letters[0] == 0)
                    + u8::from(rows[1][lane] & letters[1] == 0)
                    + u8::from(rows[2][lane] & letters[2] == 0)
                    + u8::from(rows[3][lane] & letters[3] == 0);
            }
        }
        lanes
    }

    fn adapter_length(&self) -> usize {
        self.needed.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where the read begins behind the adapter, and how many letters agreed: adapter by
    /// adapter, position by position, letter by letter.
    fn naive(adapters: &[String], read: &str) -> Option<(usize, usize)> {
        let stands_for = |letter: char| match letter {
            'R' => "AG",
            'Y' => "CT",
            'W' => "AT",
            'N' => "ACGTN",
            'A' => "A",
            'C' => "C",
            'G' => "G",
            _ => "T",
        };
        let mut best: Option<(usize, usize)> = None;
        for adapter in adapters {
            let letters = adapter.trim_start_matches('^');
            let is_anchored = letters.len() < adapter.len();
            for end in 1..=read.len() {
                if is_anchored && end != letters.len() {
                    continue;
                }
                let from_read = read[..end].chars().rev();
                let pairs: Vec<(char, char)> = letters
                    .chars()
                    .rev()
                    .zip(from_read)
                    .filter(|(letter, _)| *letter != 'N')
                    .collect();
                let agreeing = pairs
                    .iter()
                    .filter(|(letter, base)| stands_for(*letter).contains(*base))
                    .count();
                let is_match = pairs.len() >= 5 && pairs.len() - agreeing <= pairs.len() / 8;
                if is_match && best.is_none_or(|(_, most)| agreeing > most) {
                    best = Some((end, agreeing));
                }
            }
        }
        best
    }

    fn found(adapters: &[String], read: &str) -> Option<(usize, usize)> {
        let record = format!("@r\n{read}\n+\n{}\n", "I".repeat(read.len()));
        let ends = [
            2,
            3 + read.len() as u32,
            5 + read.len() as u32,
            record.len() as u32 - 1,
        ];
        let records = thalweg_formats::Records::new(
            record.as_bytes(),
            0,
            thalweg_formats::Format::Fastq,
            &ends,
        );
        let mut one = Read::default();
        one.load(&records.get(0).expect("one record"));
        let options = Options {
            adapter_sequence_5p: adapters.iter().map(|text| text.clone().into()).collect(),
            ..Options::default()
        };
        let front = FrontAdapters::new(&options)?;
        let mut counts = AdapterCounts::default();
        let agreeing = {
            let mut padded = vec![0; front.longest];
            padded.extend(read.bytes().map(|letter| BASES[usize::from(letter)]));
            padded.resize(padded.len() + BEHIND, 0);
            let all = front.adapters[0].iter().filter_map(|adapter| {
                adapter.find(
                    &padded[front.longest - adapter.adapter_length()..],
                    read.len(),
                )
            });
            all.map(|found| found.agreeing).max()
        };
        let is_cut = front.apply(&mut one, 0, &mut counts, &mut Vec::new());
        let cut = read.len() - one.len();
        assert_eq!(counts.trimmed_reads, u64::from(is_cut));
        assert_eq!(counts.trimmed_bases, cut as u64);
        assert_eq!(counts.read1.values().sum::<u64>(), u64::from(is_cut));
        is_cut.then_some((cut, agreeing?))
    }

    #[test]
    fn adapters_are_cut_with_all_before_them() {
        for (adapter, read, cut) in [
            ("ACGTTGCATT", "ACGTTGCATTGGCCAAGGCC", Some(10)),
            ("acgttgcatt", "ACGTTGCATTGGCCAAGGCC", Some(10)),
            // Inside the read, and an end of it at the beginning.
            ("ACGTTGCATT", "CCCCACGTTGCATTGGCCAAGGCC", Some(14)),
            ("ACGTTGCATT", "GCATTGGCCAAGGCC", Some(5)),
            ("ACGTTGCATT", "CATTGGCCAAGGCC", None),
            // Not its beginning at the end of the read.
            ("ACGTTGCATT", "GGCCAAGGCCACGTTGCA", None),
            // One of eight letters may differ; of five, none.
            ("ACGTTGCATT", "ACGTAGCATTGGCCAAGGCC", Some(10)),
            ("ACGTTGCATT", "ACGAAGCATTGGCCAAGGCC", None),
            ("ACGTTGCATT", "ACGTTGCTATGGCCAAGGCC", None),
            // The whole of it wins over a chance end of it before.
            ("ACGTTGCATT", "GCATTACGTTGCATTGG", Some(15)),
            // And of two, the first.
            ("ACGTTGCATT", "ACGTTGCATTGGACGTTGCATTCC", Some(10)),
            // Letters that stand for several, or for anything.
            ("ACRTYGCWTT", "ACGTTGCATTGGCC", Some(10)),
            ("ACRTYGCWTT", "ACATCGCTTTGGCC", Some(10)),
            ("ACGTTGCNNNNN", "TTACGTTGCGGCCAGGTT", Some(14)),
            // N alone shows nothing.
            ("ACGTTGCNNNNN", "GGCCAGGTTCCGG", None),
            ("NNNNNACGTTGC", "ACGTTGCGGCC", Some(7)),
            // An unknown base agrees with nothing.
            ("ACGTTG", "ACNTTGCCC", None),
            // A head of one base: the end of the adapter that agrees best is all of it.
            ("TTTTTTTTTTTTTTTTTTTT", "TTTTTTTTTTTTGGCCAATTGG", Some(12)),
            ("TTTTTTTTTTTTTTTTTTTT", "TTTTTTTGTTTTTGGCCAATTGG", Some(13)),
            ("^ACGTTGCATT", "ACGTTGCATTGGCC", Some(10)),
            ("^ACGTTGCATT", "TACGTTGCATTGGCC", None),
            ("^ACGTTGCATT", "CGTTGCATTGGCC", None),
            ("^ACGTTGCATT", "ACGTTGCA", None),
            ("ACGTTGCATT", "ACGTTGCATT", Some(10)),
        ] {
            let cuts = found(&[adapter.to_owned()], read).map(|(cut, _)| cut);
            assert_eq!(cuts, cut, "{adapter} in {read}");
        }
    }

    #[test]
    fn the_adapter_that_agrees_best_is_cut() {
        let adapters = ["CCATT".to_owned(), "ACGTTGCATT".to_owned()];
        assert_eq!(found(&adapters, "CCATTACGTTGCATTGG"), Some((15, 10)));
        assert_eq!(found(&adapters, "CCATTACGGGGCATTGG"), Some((5, 5)));
    }

    fn adapter() -> impl Strategy<Value = String> {
        "\\^?[ACGTRYWN]{0,30}[ACGT]{5}[ACGTN]{0,30}"
    }

    proptest! {
        #[test]
        fn lanes_and_letters_agree(
            adapters in proptest::collection::vec(adapter(), 1..4),
            before in "[ACGT]{0,150}",
            lacking in 0usize..30,
            after in "[ACGTN]{0,150}",
            errors in proptest::collection::vec(any::<usize>(), 0..4),
        ) {
            let whole = adapters[0].trim_start_matches('^').replace(['R', 'N'], "G");
            let whole = whole.replace(['Y', 'W'], "T");
            let end = &whole[lacking.min(whole.len())..];
            let before = if lacking % 2 == 0 { &before } else { "" };
            let mut read = format!("{before}{end}{after}").into_bytes();
            for error in errors {
                if !read.is_empty() {
                    let at = error % read.len();
                    read[at] = b"ACGTN"[error % 5];
                }
            }
            let read = String::from_utf8(read).unwrap();
            prop_assert_eq!(found(&adapters, &read), naive(&adapters, &read));
        }
    }
}
