//! Writes simulated Illumina reads as FASTQ to stdout, for the benchmarks.
//!
//! The same arguments give the same bytes on every machine. Reads are drawn from the FASTA on stdin
//! (any number of sequences) or, when that is empty, from a random genome. What matters for a decoder is that
//! gzip finds about as much to copy as it does in real files: names that share most of their
//! text, bases that hardly compress past two bits, qualities that run and drift (module `quality`).
//!
//! ```text
//! simulate --mode hiseq|novaseq --bytes 607000000 --seed 1 < genomes.fna > reads.fastq
//! simulate --mode hiseq --bytes 607000000 --seed 1 --random 2700000 --skew 50 < /dev/null > reads.fastq
//! simulate --mode novaseq --pairs 1000000 --insert 250,80 --out PREFIX --seed 1 < genomes.fna
//! ```

#![forbid(unsafe_code)]

mod genome;
mod names;
mod pairs;
mod quality;
mod random;
mod skew;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use genome::Genome;
use names::Names;
use pairs::Library;
use quality::Qualities;
use random::Random;
use skew::Skew;

/// Bases per read.
const LENGTH: usize = 150;

/// Which sequencer's names and qualities are imitated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// HiSeq 2500: 40 quality values.
    HiSeq,
    /// NovaSeq 6000: four quality values.
    NovaSeq,
}

struct Arguments {
    mode: Mode,
    bytes: u64,
    seed: u64,
    /// Pairs instead of single reads: how many, and the prefix of the two files.
    pairs: Option<u64>,
    out: String,
    insert: (f32, f32),
    /// Bases of the random genome if there is none on stdin.
    random: usize,
    /// Percent of single reads that are poly-A, adapters or satellites.
    skew: u64,
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("simulate: {message}");
            eprintln!(
                "usage: simulate --mode hiseq|novaseq --bytes N --seed N [--random BASES] [--skew PERCENT] < genomes.fna > reads.fastq\n\
                 \x20      simulate --mode hiseq|novaseq --pairs N --insert MEAN,SD --out PREFIX --seed N < genomes.fna"
            );
            return ExitCode::from(2);
        }
    };
    match simulate(&arguments) {
        Ok(records) => {
            eprintln!("simulate: {records} records");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("simulate: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        mode: Mode::HiSeq,
        bytes: 607_000_000,
        seed: 1,
        pairs: None,
        out: "pairs".into(),
        insert: (250.0, 80.0),
        random: genome::RANDOM_GENOME,
        skew: 0,
    };
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|error| format!("{word} {value}: {error}"))
        };
        match word.as_str() {
            "--mode" if value == "hiseq" => arguments.mode = Mode::HiSeq,
            "--mode" if value == "novaseq" => arguments.mode = Mode::NovaSeq,
            "--bytes" => arguments.bytes = number()?,
            "--seed" => arguments.seed = number()?,
            "--pairs" => arguments.pairs = Some(number()?),
            "--random" => {
                arguments.random = usize::try_from(number()?).unwrap_or(usize::MAX).max(LENGTH);
            }
            "--skew" => arguments.skew = number()?.min(100),
            "--insert" => arguments.insert = insert(&value)?,
            "--out" => arguments.out = value,
            _ => return Err(format!("do not understand {word} {value}")),
        }
    }
    Ok(arguments)
}

/// `MEAN,SD` in bases.
fn insert(value: &str) -> Result<(f32, f32), String> {
    let wrong = || format!("--insert {value}: not MEAN,SD");
    let (mean, deviation) = value.split_once(',').ok_or_else(wrong)?;
    match (mean.parse(), deviation.parse()) {
        (Ok(mean), Ok(deviation)) => Ok((mean, deviation)),
        _ => Err(wrong()),
    }
}

/// Writes whole records until `bytes` are reached; returns how many.
fn simulate(arguments: &Arguments) -> io::Result<u64> {
    let mut random = Random::new(arguments.seed);
    let genome = Genome::read(io::stdin().lock(), LENGTH, arguments.random, &mut random)?;
    if let Some(pairs) = arguments.pairs {
        let (mode, insert) = (arguments.mode, arguments.insert);
        let library = Library {
            mode,
            pairs,
            insert,
        };
        pairs::simulate(&library, &genome, &arguments.out, &mut random)?;
        return Ok(2 * pairs);
    }
    let mut names = Names::new(arguments.mode);
    let qualities = Qualities::new(arguments.mode, LENGTH);
    let skew = Skew::new(arguments.skew, &mut random);
    let mut output = BufWriter::with_capacity(1 << 20, io::stdout().lock());

    let (mut record, mut bases, mut scores) = (Vec::new(), [0; LENGTH], [0; LENGTH]);
    let (mut written, mut records) = (0, 0);
    while written < arguments.bytes {
        record.clear();
        genome.draw(&mut bases, &mut random);
        skew.apply(&mut bases, &mut random);
        qualities.draw(&mut scores, &mut random);
        quality::apply_errors(&mut bases, &scores, &mut random);
        names.write(&mut record, &mut random);
        record.extend_from_slice(&bases);
        record.extend_from_slice(b"\n+\n");
        record.extend_from_slice(&scores);
        record.push(b'\n');
        output.write_all(&record)?;
        written += record.len() as u64;
        records += 1;
    }
    output.flush()?;
    Ok(records)
}
