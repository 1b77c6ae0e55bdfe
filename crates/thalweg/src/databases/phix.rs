//! The genome of phage PhiX174, of which Illumina's control library is made.

use super::screen::Screen;

/// NC_001422.1 of NCBI's RefSeq, which puts no conditions on its use; one circle of 5386 bases.
const FASTA: &[u8] = include_bytes!("phix.fa");

/// Bases of its k-mers. With fewer, reads of another sequencer go that has a primer of 22 of its bases, and some more beside them; of
/// more, a short read with two errors may have none without an error.
const K: usize = 31;

impl Screen {
    /// What [`phix`](Self::phix) takes at most.
    pub const PHIX_BYTES: u64 = 4 << 20;

    /// The k-mers of both strands of PhiX174, across the end of its circle, too.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn phix() -> thalweg_kmers::Result<Self> {
        let mut circle = genome();
        circle.extend_from_within(..K - 1);
        Self::of_sequences([&circle[..]], K, 1)
    }
}

/// The letters of the genome.
fn genome() -> Vec<u8> {
    let lines = FASTA.split(|&byte| byte == b'\n').skip(1);
    lines.flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use thalweg_kmers::database::Threshold;
    use thalweg_kmers::kmer::Alphabet;

    use super::*;

    fn turned(sequence: &[u8]) -> Vec<u8> {
        let other = |base: &u8| match base {
            b'A' => b'T',
            b'C' => b'G',
            b'G' => b'C',
            _ => b'A',
        };
        sequence.iter().rev().map(other).collect()
    }

    #[test]
    fn it_is_the_genome_and_nothing_else() {
        let genome = genome();
        assert_eq!(genome.len(), 5386);
        assert!(genome.iter().all(|base| b"ACGT".contains(base)));
        assert!(genome.starts_with(b"GAGTTTTATCGCTTCCATGACGCAGAAG"));
        let letters: HashSet<&[u8]> = genome.windows(K).collect();
        // No stretch of it comes twice.
        assert_eq!(letters.len(), 5386 - K + 1);
    }

    /// Every window of the circle, of either strand, is found; with a base changed in its middle none is.
    #[test]
    fn all_of_its_circle_is_found_on_both_strands() {
        let genome = genome();
        let circle = [&genome[..], &genome[..K]].concat();
        let known: HashSet<Vec<u8>> = (circle.windows(K))
            .flat_map(|window| [window.to_vec(), turned(window)])
            .collect();
        assert_eq!(known.len(), 2 * 5386);
        let screen = Screen::phix().unwrap();
        assert!(screen.is_canonical());
        assert_eq!(screen.k(), K);
        let mut judge = screen.judge(Alphabet::Acgtu).unwrap();
        let one = Threshold {
            least: 1,
            fraction: 0.0,
        };
        for window in circle.windows(K) {
            for mut window in [window.to_vec(), turned(window)] {
                assert!(judge.sequences_reach(&[&window], one).unwrap());
                let middle = window[K / 2];
                window[K / 2] = if middle == b'A' { b'C' } else { b'A' };
                let expected = known.contains(&window);
                assert_eq!(judge.sequences_reach(&[&window], one).unwrap(), expected);
            }
        }
    }
}
