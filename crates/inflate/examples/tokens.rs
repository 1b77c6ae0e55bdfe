//! Of which tokens gzip files are made: `cargo run --release -p thalweg-inflate --example tokens -- FILE...`
//!
//! Prints one column of the table in docs/design/inflate.md for each file. Decodes the first 2 MB of each by
//! the naive decoder of the tests, which takes some seconds.

#[path = "../tests/support/naive.rs"]
#[allow(dead_code, unreachable_pub)] // made for the tests
mod naive;

use naive::Naive;

/// Bytes of compressed data that are looked at.
const BYTES: usize = 2_000_000;

fn main() {
    for path in std::env::args().skip(1) {
        let gzip = std::fs::read(&path).expect("readable file");
        let stream = &gzip[header(&gzip)..];
        // Cut off in the middle of a token: what came before counts.
        let (decoder, _) = Naive::decode(&stream[..stream.len().min(BYTES)]);
        report(&path, &decoder);
    }
}

fn report(path: &str, decoder: &Naive) {
    let matches = &decoder.matches;
    let count = matches.len() as f64;
    let copied: usize = matches.iter().map(|found| found.2).sum();
    let literals = (decoder.out.len() - copied) as f64;
    let share = |predicate: &dyn Fn(usize, usize) -> bool| {
        let fitting = matches.iter().filter(|found| predicate(found.1, found.2));
        fitting.count() as f64 / count * 100.0
    };
    let mut runs = [0.0; 4];
    let mut end = 0;
    for &(place, _, length) in matches {
        runs[(place - end).min(3)] += 1.0;
        end = place + length;
    }
    println!("{path}");
    println!(
        "  bytes/token            {:.2}",
        decoder.out.len() as f64 / (literals + count)
    );
    println!(
        "  literals, % of tokens  {:.1}",
        literals / (literals + count) * 100.0
    );
    println!("  mean match length      {:.2}", copied as f64 / count);
    println!(
        "  length > 32, %         {:.2}",
        share(&|_, length| length > 32)
    );
    println!(
        "  distance < 32, %       {:.2}",
        share(&|distance, _| distance < 32)
    );
    println!(
        "  distance > 4096, %     {:.1}",
        share(&|distance, _| distance > 4096)
    );
    println!(
        "  overlapping, %         {:.2}",
        share(&|distance, length| distance < length)
    );
    let [none, one, two, more] = runs.map(|run| run / count * 100.0);
    println!(
        "  literals before a match: none {none:.1} %, one {one:.1} %, two {two:.1} %, more {more:.1} %"
    );
}

/// Length of a gzip header without a name or with one (RFC 1952, section 2.3).
fn header(gzip: &[u8]) -> usize {
    match gzip[3] {
        0 => 10,
        8 => {
            11 + gzip[10..]
                .iter()
                .position(|byte| *byte == 0)
                .expect("a name that ends")
        }
        flags => panic!("a gzip header with flags {flags}"),
    }
}
