//! Looks pairs of reads up in a database of which nothing is in memory: page by page, and with all pages of some pairs asked
//! for together.
//!
//! ```text
//! cold DB.tht R1.fastq R2.fastq PAIRS ROUNDS
//! ```
//! Before each run the system is told to forget the file (`dd iflag=nocache count=0`), and the database is opened anew.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use thalweg_taxa::Kernel;
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::lookup::TaxonLookup;

fn main() {
    let arguments = Vec::from_iter(std::env::args().skip(1));
    let [path, one, other, pairs, rounds] = &arguments[..] else {
        eprintln!("usage: cold DB.tht R1.fastq R2.fastq PAIRS ROUNDS");
        std::process::exit(2);
    };
    let pairs: usize = pairs.parse().expect("a number of pairs");
    let rounds: usize = rounds.parse().expect("a number of rounds");
    // From all of the file: reads that lie together are of the same genome.
    let all = Vec::from_iter(reads(one).zip(reads(other)));
    let step = (all.len() / pairs).max(1);
    let pairs = Vec::from_iter(all.iter().step_by(step).take(pairs));
    println!(
        "{} pairs; microseconds for each, of {rounds} runs in turns",
        pairs.len()
    );
    let ways = [
        ("page by page", false, 32),
        ("asked for, 1 pair", true, 1),
        ("asked for, 32 pairs", true, 32),
        ("asked for, 1024 pairs", true, 1024),
        ("all pairs, in the order of the file", true, usize::MAX),
    ];
    let mut times = vec![Vec::new(); ways.len()];
    let mut sums = Vec::new();
    for _ in 0..rounds {
        for (times, (_, together, group)) in times.iter_mut().zip(ways) {
            forget(path);
            let database = TaxonDatabase::open(Path::new(path)).expect("a database");
            let mut lookup = match together {
                true => TaxonLookup::of_large(&database, Kernel::best()),
                false => TaxonLookup::new(&database, Kernel::best()),
            };
            let start = Instant::now();
            let mut sum = 0u64;
            for group in pairs.chunks(group) {
                lookup.clear();
                group
                    .iter()
                    .for_each(|(one, other)| lookup.push([one, other]));
                let looked_up = match group.len() == pairs.len() {
                    true => lookup.sweep(),
                    false => lookup.look_up(),
                };
                looked_up.expect("a sound database");
                let runs = (0..lookup.sequences()).flat_map(|number| lookup.runs(number));
                sum += runs
                    .map(|run| u64::from(run.set) * u64::from(run.kmers))
                    .sum::<u64>();
            }
            times.push(start.elapsed().as_secs_f64() * 1e6 / pairs.len() as f64);
            sums.push(sum);
        }
    }
    assert!(sums.iter().all(|sum| *sum == sums[0]), "all find the same");
    println!("| look-ups | median | least | most | times the first |\n|---|---|---|---|---|");
    let median = |times: &[f64]| {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        (
            sorted[sorted.len() / 2],
            sorted[0],
            sorted[sorted.len() - 1],
        )
    };
    let first = median(&times[0]).0;
    for (times, (name, _, _)) in times.iter().zip(ways) {
        let (middle, least, most) = median(times);
        println!(
            "| {name} | {middle:.0} | {least:.0} | {most:.0} | {:.3} |",
            middle / first
        );
    }
}

fn forget(path: &str) {
    let input = format!("if={path}");
    let ended = Command::new("dd")
        .args([&input, "iflag=nocache", "count=0", "status=none"])
        .status();
    assert!(ended.is_ok_and(|status| status.success()), "dd");
}

/// The sequences of a plain FASTQ file of four lines a record.
fn reads(path: &str) -> impl Iterator<Item = Vec<u8>> + use<> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = BufReader::new(file)
        .split(b'\n')
        .map(|line| line.expect("lines"));
    lines.skip(1).step_by(4)
}
