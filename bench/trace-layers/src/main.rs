//! Writes the same records through layers in different orders, and measures time and size.
//!
//! ```text
//! trace-layers [--records N] [--runs N] [--directory DIR]       2,000,000 records; the median of 5 runs
//! ```
//! ```text
//! slow    value ──► encoder ──► compressor ──► buffer ──► file
//! right   value ──► encoder ──► buffer ──► compressor ──► file
//! ours    the same, a frame for each buffer, by thalweg-trace
//! ```
//! All runs of a round follow each other, and rounds alternate. Processor seconds are those of the process, from the system; files
//! are written to the directory and removed. What is written is read back once and compared. The exit code is 1 if a target is missed.

mod chains;
mod values;

use std::path::PathBuf;
use std::time::Instant;

use chains::{Chain, chains};

/// What a run took.
#[derive(Clone, Copy)]
struct Run {
    processor: f64,
    wall: f64,
    bytes: u64,
}

struct Arguments {
    records: usize,
    runs: usize,
    directory: PathBuf,
}

fn main() {
    let arguments = arguments();
    let values = values::pool();
    let encoded = values::encoded(&values, arguments.records);
    let megabytes = encoded.len() as f64 / 1e6;
    println!(
        "{} records of {:.0} bytes on average, {megabytes:.0} MB of MessagePack; medians of {} runs\n",
        arguments.records,
        encoded.len() as f64 / arguments.records as f64,
        arguments.runs,
    );
    let input = chains::Input {
        values: &values,
        encoded: &encoded,
        records: arguments.records,
        path: arguments.directory.join("trace-layers.tmp"),
    };
    let chains = chains();
    let mut runs = vec![Vec::new(); chains.len()];
    for round in 0..arguments.runs {
        for (chain, runs) in chains.iter().zip(&mut runs) {
            runs.push(measure(chain, &input));
            if round == 0 && chain.is_readable {
                check(&input, chain);
            }
            let _ = std::fs::remove_file(&input.path);
        }
    }
    let medians: Vec<Run> = runs.iter().map(|runs| median(runs)).collect();
    println!("| layers | buffer | CPU s | wall s | MB |\n|---|--:|--:|--:|--:|");
    for (chain, run) in chains.iter().zip(&medians) {
        let megabytes = run.bytes as f64 / 1e6;
        println!(
            "| {} | {} | {:.2} | {:.2} | {megabytes:.1} |",
            chain.name,
            chain.buffer_name(),
            run.processor,
            run.wall
        );
    }
    let of = |name: &str, buffer: usize| {
        let is_it = |chain: &Chain| chain.name == name && chain.buffer == buffer;
        medians[chains.iter().position(is_it).expect("such a chain")]
    };
    let naive = of(chains::NAIVE, 64 << 10).processor;
    let (ours, two) = (
        of(chains::OURS, 256 << 10),
        of(chains::TWO_THREADS, 256 << 10),
    );
    let bare = of(chains::BARE, 256 << 10);
    let mut is_met = true;
    let mut target = |what: &str, ratio: f64, met: bool| {
        println!("{}: {what}: {ratio:.2}", if met { "met" } else { "MISSED" });
        is_met &= met;
    };
    println!();
    for buffer in [64 << 10, 256 << 10] {
        for name in [chains::RIGHT, chains::OURS] {
            let ratio = naive / of(name, buffer).processor;
            let what = format!(
                "{name}, buffer {} KiB, times as fast as the slow order (at least 1.35)",
                buffer >> 10
            );
            target(&what, ratio, ratio >= 1.35);
        }
    }
    let ratio = ours.processor / bare.processor;
    target(
        "encode and compress, to compressing the same bytes alone (at most 1.3)",
        ratio,
        ratio <= 1.3,
    );
    let ratio = of(chains::ONE_THREAD, 256 << 10).wall / two.wall;
    target(
        "two threads, times as fast as one (at least 1.6)",
        ratio,
        ratio >= 1.6,
    );
    std::process::exit(i32::from(!is_met));
}

fn arguments() -> Arguments {
    let mut arguments = Arguments {
        records: 2_000_000,
        runs: 5,
        directory: std::env::temp_dir(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match (&*word, value.parse::<usize>()) {
            ("--records", Ok(number)) if number > 0 => arguments.records = number,
            ("--runs", Ok(number)) if number > 0 => arguments.runs = number,
            ("--directory", _) if !value.is_empty() => arguments.directory = value.into(),
            _ => {
                eprintln!("usage: trace-layers [--records N] [--runs N] [--directory DIR]");
                std::process::exit(2);
            }
        }
    }
    arguments
}

fn measure(chain: &Chain, input: &chains::Input<'_>) -> Run {
    let (start, before) = (Instant::now(), processor_seconds());
    let bytes = (chain.run)(input, chain.buffer);
    Run {
        processor: processor_seconds() - before,
        wall: start.elapsed().as_secs_f64(),
        bytes,
    }
}

/// Seconds that all threads of this process took, of the system too. (proc(5): utime and stime, in hundredths.)
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = stat.rsplit_once(')').expect("a name in brackets");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / 100.0
}

fn median(runs: &[Run]) -> Run {
    let middle = |number: fn(&Run) -> f64| {
        let mut numbers: Vec<f64> = runs.iter().map(number).collect();
        numbers.sort_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    Run {
        processor: middle(|run| run.processor),
        wall: middle(|run| run.wall),
        bytes: runs[0].bytes,
    }
}

/// All records must come back.
fn check(input: &chains::Input<'_>, chain: &Chain) {
    let mut reader = thalweg_trace::TraceReader::open(&input.path).expect("a trace");
    let mut number = 0;
    while let Some(value) = reader.next_value().expect("a whole trace") {
        assert!(
            value == input.values[number % input.values.len()],
            "{}: record {number}",
            chain.name
        );
        number += 1;
    }
    assert_eq!(number, input.records, "{}", chain.name);
}
