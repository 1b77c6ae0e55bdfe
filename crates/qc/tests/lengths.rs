//! Mates of different lengths, as quality cuts leave them: each is cut where the fragment ends,
//! and merged they are the fragment.

use thalweg_formats::{Format, Records, Scanner};
use thalweg_qc::counts::Counts;
use thalweg_qc::{Config, Destination, Options, Pieces, Read, Routes, Worker};

/// What follows fragments; not published, so that only the mates tell where it begins.
const ADAPTERS: [&str; 2] = [
    "TCCATGACCAGGTTAACTCGAGCAATCTTGGACCTTAGCAGTACCATGGAATCCGTTAGCACTGAATGCC",
    "GGATTCTAACGCTTGCAAGTGACCTATCGGAATTGCCACTTGTAGGCATCAACTGGTACGTTCAGTTAGA",
];

/// Least bases of an overlap.
const OVERLAP: usize = 30;

struct Pair {
    fragment: String,
    /// Bases of the reads.
    lengths: [usize; 2],
}

impl Pair {
    /// Bases of the fragment that both mates show.
    fn overlap(&self) -> usize {
        let size = self.fragment.len();
        let begin = size.saturating_sub(self.lengths[1]);
        self.lengths[0].min(size).saturating_sub(begin)
    }

    fn reads(&self) -> [String; 2] {
        let strands = [self.fragment.clone(), reverse_complement(&self.fragment)];
        [0, 1].map(|mate| {
            let read = format!("{}{}", strands[mate], ADAPTERS[mate]);
            read[..self.lengths[mate]].to_owned()
        })
    }
}

fn reverse_complement(bases: &str) -> String {
    let other = |base| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        _ => 'A',
    };
    bases.chars().rev().map(other).collect()
}

fn pairs(count: usize) -> Vec<Pair> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % limit
    };
    let mut pair = || {
        let size = 35 + below(150);
        let fragment = (0..size).map(|_| char::from(b"ACGT"[below(4)])).collect();
        let lengths = [0; 2].map(|_| 40 + below(61));
        Pair { fragment, lengths }
    };
    (0..count).map(|_| pair()).collect()
}

/// The bases that go to each of these destinations, by the number of the pair; and the counts.
fn run(pairs: &[Pair], options: Options, wanted: &[Destination]) -> (Vec<Vec<String>>, Counts) {
    let texts = [0, 1].map(|mate| {
        let record = |(number, pair): (usize, &Pair)| {
            let read = &pair.reads()[mate];
            format!("@{number}\n{read}\n+\n{}\n", "I".repeat(read.len()))
        };
        pairs.iter().enumerate().map(record).collect::<String>()
    });
    let config = Config::new(options).expect("options");
    let routes = wanted
        .iter()
        .enumerate()
        .fold(Routes::none(), |routes, (stream, &destination)| {
            routes.set(destination, stream)
        });
    let mut worker = Worker::new(&config);
    let mut pieces = Pieces::new(routes);
    let ends = texts.each_ref().map(|text| {
        let mut ends = Vec::new();
        let scanned =
            Scanner::new(Format::Fastq).scan(text.as_bytes(), 0, true, usize::MAX, &mut ends);
        scanned.expect("FASTQ");
        ends
    });
    let records = |mate: usize| Records::new(texts[mate].as_bytes(), 0, Format::Fastq, &ends[mate]);
    let (mut first, mut second) = (Read::default(), Read::default());
    for (record, mate) in records(0).zip(records(1)) {
        first.load(&record);
        second.load(&mate);
        worker.pair(&mut first, &mut second, false, &mut pieces, &mut ());
    }
    let outputs = (0..wanted.len()).map(|stream| {
        let mut bases = vec![String::new(); pairs.len()];
        let text = String::from_utf8_lossy(&pieces.stream(stream).text).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        for record in lines.chunks(4) {
            let number = record[0][1..].split(' ').next().unwrap_or_default();
            bases[number.parse::<usize>().expect("a number")] = record[1].to_owned();
        }
        bases
    });
    (outputs.collect(), worker.counts)
}

#[test]
fn both_mates_are_cut_where_the_fragment_ends() {
    let pairs = pairs(20_000);
    let options = Options {
        paired: true,
        ..Options::default()
    };
    let (outputs, counts) = run(&pairs, options, &[Destination::Read1, Destination::Read2]);
    let mut sizes = vec![0u64; 512];
    let mut unknown = 0u64;
    for (number, pair) in pairs.iter().enumerate() {
        let reads = pair.reads();
        if pair.overlap() < OVERLAP {
            unknown += 1;
            continue;
        }
        sizes[pair.fragment.len()] += 1;
        for mate in 0..2 {
            let length = reads[mate].len().min(pair.fragment.len());
            assert_eq!(
                outputs[mate][number],
                reads[mate][..length],
                "pair {number}"
            );
        }
    }
    assert!(unknown > 1000 && sizes.iter().sum::<u64>() > 10_000);
    assert_eq!(counts.insert_sizes.unknown, unknown);
    assert_eq!(counts.insert_sizes.histogram, sizes);
}

#[test]
fn merged_mates_are_the_fragment() {
    let pairs = pairs(20_000);
    let options = Options {
        paired: true,
        merge: true,
        ..Options::default()
    };
    let (outputs, counts) = run(&pairs, options, &[Destination::Merged]);
    let mut merged = 0;
    for (number, pair) in pairs.iter().enumerate() {
        if pair.overlap() < OVERLAP {
            assert_eq!(outputs[0][number], "", "pair {number}");
        } else {
            assert_eq!(outputs[0][number], pair.fragment, "pair {number}");
            merged += 1;
        }
    }
    assert_eq!(counts.merged_pairs, merged);
}
