//! Generated texts, with all that makes boundaries hard to find.

use super::random::Random;

/// How lines and lengths are to be.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) records: usize,
    /// Lengths of sequences: from 0 to this.
    pub(crate) longest: usize,
    /// Every so many records one of 0.6 to 2 MB.
    pub(crate) giants: Option<usize>,
    pub(crate) line_end: &'static str,
    pub(crate) last_line_end: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            records: 4000,
            longest: 300,
            giants: None,
            line_end: "\n",
            last_line_end: true,
        }
    }
}

fn length(random: &mut Random, shape: &Shape, number: usize) -> usize {
    match shape.giants {
        Some(every) if number % every == every / 2 => random.range(600_000, 2_000_000),
        _ if random.chance(20) => random.range(0, 2),
        _ => random.range(0, shape.longest + 1),
    }
}

fn bases(random: &mut Random, length: usize, text: &mut Vec<u8>) {
    // IUPAC letters and lower case, but mostly what compresses like reads.
    const LETTERS: &[u8] = b"ACGTACGTACGTACGTACGTACGTACGTACGTNacgtnRYSWKM*-.";
    text.extend((0..length).map(|_| *random.pick(LETTERS)));
}

fn qualities(random: &mut Random, length: usize, text: &mut Vec<u8>) {
    let start = text.len();
    text.extend((0..length).map(|_| *random.pick(b"IIIIIIIFFFFF,,,::##@@++>!~")));
    if length > 0 && random.chance(2) {
        text[start] = *random.pick(b"@+>");
    }
}

/// FASTQ of four lines; names carry `suffix`.
pub(crate) fn fastq_named(seed: u64, shape: Shape, suffix: &str) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = Vec::new();
    let end = shape.line_end.as_bytes();
    for number in 0..shape.records {
        let length = length(&mut random, &shape, number);
        text.extend_from_slice(
            format!("@read.{number}:{}{suffix}", number * 7919 % 1000).as_bytes(),
        );
        if random.chance(3) {
            text.extend_from_slice(b" @comment +x");
        }
        text.extend_from_slice(end);
        bases(&mut random, length, &mut text);
        text.extend_from_slice(end);
        text.push(b'+');
        if random.chance(5) {
            text.extend_from_slice(format!("read.{number}").as_bytes());
        }
        text.extend_from_slice(end);
        qualities(&mut random, length, &mut text);
        text.extend_from_slice(end);
    }
    without_last_end(text, &shape)
}

pub(crate) fn fastq(seed: u64, shape: Shape) -> Vec<u8> {
    fastq_named(seed, shape, "")
}

/// FASTQ with wrapped lines.
pub(crate) fn fastq_multiline(seed: u64, records: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = Vec::new();
    for number in 0..records {
        let length = random.range(1, 400);
        text.extend_from_slice(format!("@wrapped.{number}\n").as_bytes());
        let mut sequence = Vec::new();
        bases(&mut random, length, &mut sequence);
        for line in sequence.chunks(60) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        text.extend_from_slice(b"+\n");
        let mut quality = Vec::new();
        qualities(&mut random, length, &mut quality);
        for line in quality.chunks(60) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
    }
    text
}

/// FASTA with lines of `width` letters, or one for each sequence.
pub(crate) fn fasta(seed: u64, shape: Shape, width: Option<usize>) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = Vec::new();
    let end = shape.line_end.as_bytes();
    for number in 0..shape.records {
        let length = length(&mut random, &shape, number);
        text.extend_from_slice(format!(">seq.{number} a>b").as_bytes());
        text.extend_from_slice(end);
        let mut sequence = Vec::new();
        bases(&mut random, length, &mut sequence);
        for line in sequence.chunks(width.unwrap_or(length).max(1)) {
            text.extend_from_slice(line);
            text.extend_from_slice(end);
        }
        if random.chance(30) {
            text.extend_from_slice(end);
        }
    }
    without_last_end(text, &shape)
}

fn without_last_end(mut text: Vec<u8>, shape: &Shape) -> Vec<u8> {
    if !shape.last_line_end && text.ends_with(shape.line_end.as_bytes()) {
        text.truncate(text.len() - shape.line_end.len());
    }
    text
}

/// Offsets at which records of a FASTQ text of four lines start, and its end.
pub(crate) fn fastq_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    starts.extend(ends.skip(3).step_by(4).map(|(at, _)| at + 1));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}
