//! Pairs from fragments of known length, read into the adapters where the fragment is shorter than a read.
//!
//! Both names carry the truth in their description: `insert=187` is the fragment's length, so that
//! `min(insert, 150)` bases of each read are genome and the rest is adapter.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::genome::{Genome, reverse_complement};
use crate::names::Names;
use crate::quality::{Qualities, apply_errors};
use crate::random::Random;
use crate::{LENGTH, Mode};

/// What follows the fragment in read 1 and read 2: Illumina's TruSeq adapters with an index, to the end of the
/// oligonucleotide (Illumina's public adapter list). Behind it a two-colour instrument sees nothing: G.
pub(crate) const ADAPTERS: [&[u8]; 2] = [
    b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
    b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT",
];

/// How pairs are drawn.
pub(crate) struct Library {
    /// Instrument to imitate.
    pub(crate) mode: Mode,
    /// Pairs to write.
    pub(crate) pairs: u64,
    /// Mean and standard deviation of the fragments' lengths, in bases.
    pub(crate) insert: (f32, f32),
}

/// Writes `library` to `PREFIX_R1.fastq` and `PREFIX_R2.fastq`.
pub(crate) fn simulate(
    library: &Library,
    genome: &Genome,
    prefix: &str,
    random: &mut Random,
) -> io::Result<()> {
    let create = |mate| {
        let path = format!("{prefix}_R{mate}.fastq");
        File::create(Path::new(&path)).map(|file| BufWriter::with_capacity(1 << 20, file))
    };
    let mut outputs = [create(1)?, create(2)?];
    let mut names = Names::new(library.mode);
    let qualities = Qualities::new(library.mode, LENGTH);
    let (mut name, mut scores, mut fragment) = (Vec::new(), [0; LENGTH], Vec::new());
    for _ in 0..library.pairs {
        let (mean, deviation) = library.insert;
        let length = (mean + deviation * random.normal()).round();
        fragment.resize((length.max(1.0) as usize).min(genome.len()), 0);
        genome.draw(&mut fragment, random);
        name.clear();
        names.write(&mut name, random);
        let name_end = name
            .iter()
            .position(|&byte| byte == b' ')
            .expect("names have descriptions");
        for (mate, output) in outputs.iter_mut().enumerate() {
            let filler = if library.mode == Mode::HiSeq {
                b'A'
            } else {
                b'G'
            };
            let mut bases = [filler; LENGTH];
            let sequence = fragment.iter().chain(ADAPTERS[mate]);
            for (base, &letter) in bases.iter_mut().zip(sequence) {
                *base = letter;
            }
            qualities.draw(&mut scores, random);
            apply_errors(&mut bases, &scores, random);
            output.write_all(&name[..name_end])?;
            // The mate's number is the first letter of the description.
            write!(output, " {}", mate + 1)?;
            output.write_all(&name[name_end + 2..name.len() - 1])?;
            writeln!(output, " insert={}", fragment.len())?;
            output.write_all(&bases)?;
            output.write_all(b"\n+\n")?;
            output.write_all(&scores)?;
            output.write_all(b"\n")?;
            // Read 2 starts at the other end of the fragment.
            reverse_complement(&mut fragment);
        }
    }
    outputs.iter_mut().try_for_each(Write::flush)
}
