//! Where reads are drawn from: both strands of the sequences of a FASTA, or a random genome.

use std::io::{self, BufRead};

use crate::random::Random;

/// Length of the genome that is made when none is given and nothing else is asked for: long enough that reads hardly
/// overlap within 32 KiB.
pub(crate) const RANDOM_GENOME: usize = 50_000_000;

/// All sequences one after another, letters A, C, G, T only.
pub(crate) struct Genome {
    bases: Vec<u8>,
}

impl Genome {
    /// Reads FASTA to its end; a random genome of `bases_of_random` takes its place if it holds fewer than `length`
    /// bases.
    pub(crate) fn read(
        input: impl BufRead,
        length: usize,
        bases_of_random: usize,
        random: &mut Random,
    ) -> io::Result<Self> {
        let mut bases = Vec::new();
        for line in input.split(b'\n') {
            let line = line?;
            if line.first() != Some(&b'>') {
                // Ambiguity codes are dropped: they are a few thousand among 145 million.
                bases.extend(
                    line.iter()
                        .map(u8::to_ascii_uppercase)
                        .filter(|base| b"ACGT".contains(base)),
                );
            }
        }
        if bases.len() < length {
            eprintln!(
                "simulate: no genome on stdin; a random one of {bases_of_random} bases takes its place"
            );
            bases = (0..bases_of_random)
                .map(|_| b"ACGT"[random.below(4) as usize])
                .collect();
        } else {
            eprintln!("simulate: reads from {} bases of genomes", bases.len());
        }
        Ok(Self { bases })
    }

    /// Fills `read` from a random place of a random strand.
    pub(crate) fn draw(&self, read: &mut [u8], random: &mut Random) {
        let start = random.below((self.bases.len() - read.len() + 1) as u64) as usize;
        read.copy_from_slice(&self.bases[start..start + read.len()]);
        if random.chance(32768) {
            reverse_complement(read);
        }
    }

    /// Bases in all.
    pub(crate) fn len(&self) -> usize {
        self.bases.len()
    }
}

/// The other strand, in place.
pub(crate) fn reverse_complement(bases: &mut [u8]) {
    bases.reverse();
    bases.iter_mut().for_each(|base| *base = complement(*base));
}

fn complement(base: u8) -> u8 {
    match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    }
}
