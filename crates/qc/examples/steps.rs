//! What the steps cost: reads mates from two plain FASTQ files, takes them through the
//! steps some times over, and prints nanoseconds per pair.
//!
//! `cargo run --release -p thalweg-qc --example steps -- 1.fq 2.fq [times] [what]`, where
//! `what` is `all`, `nostatistics`, or `load` (records are found and loaded, and no more).

use std::hint::black_box;
use std::time::Instant;

use thalweg_formats::{Format, Records, Scanner};
use thalweg_qc::statistics::{LetterRule, Stages};
use thalweg_qc::{Config, Destination, Options, Pieces, Read, Routes, Worker};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, second, rest @ ..] = &arguments[..] else {
        panic!("two files are needed");
    };
    let times: usize = rest
        .first()
        .map_or(5, |times| times.parse().expect("times"));
    let what = rest.get(1).map_or("all", String::as_str);
    let texts = [first, second].map(|path| std::fs::read(path).expect("a file"));
    let ends = texts.each_ref().map(|text| {
        let mut ends = Vec::new();
        Scanner::new(Format::Fastq)
            .scan(text, 0, true, usize::MAX, &mut ends)
            .expect("FASTQ");
        ends
    });
    let [reads, mates] =
        [0, 1].map(|mate| Records::new(&texts[mate], 0, Format::Fastq, &ends[mate]));
    let options = Options {
        paired: true,
        ..Options::default()
    };
    let config = Config::new(options).expect("options");
    let routes = Routes::none()
        .set(Destination::Read1, 0)
        .set(Destination::Read2, 1);
    let mut worker = Worker::new(&config);
    let mut pieces = Pieces::new(routes);
    let mut stages = [(); 2].map(|()| Stages::new(LetterRule::Plain));
    let (mut first, mut second) = (Read::default(), Read::default());
    let start = Instant::now();
    let mut pairs = 0;
    for _ in 0..times {
        for (record, mate) in reads.zip(mates) {
            first.load(&record);
            second.load(&mate);
            match what {
                "load" => drop(black_box((first.bases(), second.bases()))),
                "nostatistics" => {
                    worker.pair(&mut first, &mut second, false, &mut pieces, &mut ());
                }
                _ => worker.pair(&mut first, &mut second, false, &mut pieces, &mut stages),
            }
            pairs += 1;
            if pieces.stream(0).text.len() > 1 << 18 {
                black_box(&pieces);
                pieces.clear();
            }
        }
    }
    let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(pairs);
    let trimmed = worker.counts.adapters.trimmed_reads;
    println!("{nanoseconds:.0} ns per pair, {pairs} pairs, {trimmed} reads trimmed");
}
