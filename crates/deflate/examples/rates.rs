//! Speed and ratio beside libdeflate's levels 1 to 4, in blocks as BGZF's.
//!
//! ```text
//! cargo run --release -p thalweg-deflate --example rates -- reads.fastq ...
//! ```
//! For profilers, `ALONE=Fast` or `ALONE=Small` leaves out everything else. The compressors take turns over the same pieces of text, so that a noisy machine hits all of
//! them alike; the time of each block is its least of several rounds. `BLOCKS=n` takes rounds of so many blocks: with the usual 8,
//! text and branches are known from the round before, with 200 they are not.

use std::{fs, hint::black_box, io::Read, time::Instant};

use libdeflater::{CompressionLvl, Compressor as Libdeflate};
use thalweg_deflate::{Compressor, Level};

const BLOCK: usize = 0xff00;
const ROUNDS: usize = 7;
const MOST: usize = 64 << 20;

type Press<'a> = Box<dyn FnMut(&[u8], &mut Vec<u8>) + 'a>;

fn main() {
    for path in std::env::args().skip(1) {
        let mut text = Vec::new();
        let file = fs::File::open(&path).expect("a file");
        let file: Box<dyn Read> = if path.ends_with(".gz") {
            Box::new(flate2::read::MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        file.take(MOST as u64).read_to_end(&mut text).expect("text");
        println!("{path}");
        measure(&text);
    }
}

fn measure(text: &[u8]) {
    let mut presses: Vec<(String, Press<'_>)> = Vec::new();
    let alone = std::env::var("ALONE").ok();
    for level in [Level::Fast, Level::Small] {
        if alone
            .as_ref()
            .is_some_and(|name| *name != format!("{level:?}"))
        {
            continue;
        }
        let mut compressor = Compressor::new(level);
        let press = move |text: &[u8], out: &mut Vec<u8>| compressor.compress(text, out);
        presses.push((format!("{level:?}"), Box::new(press)));
    }
    let rivals = if alone.is_some() { 0 } else { 4 };
    for level in 1..=rivals {
        let mut compressor = Libdeflate::new(CompressionLvl::new(level).expect("a level"));
        let press = move |text: &[u8], out: &mut Vec<u8>| {
            out.resize(compressor.deflate_compress_bound(text.len()), 0);
            let length = compressor.deflate_compress(text, out).expect("room");
            out.truncate(length);
        };
        presses.push((format!("libdeflate {level}"), Box::new(press)));
    }
    let mut sizes = vec![0; presses.len()];
    let mut seconds = vec![0.0; presses.len()];
    let mut out = Vec::new();
    // Few blocks in a row: what they need is in the cache, as it is where text was just made.
    let in_a_row = std::env::var("BLOCKS").map_or(8, |blocks| blocks.parse().expect("a number"));
    for blocks in text.chunks(in_a_row * BLOCK) {
        let mut best = vec![vec![f64::INFINITY; in_a_row]; presses.len()];
        for _ in 0..ROUNDS {
            for ((_, press), best) in presses.iter_mut().zip(&mut best) {
                for (block, best) in blocks.chunks(BLOCK).zip(best) {
                    out.clear();
                    let start = Instant::now();
                    press(block, &mut out);
                    *best = best.min(start.elapsed().as_secs_f64());
                    black_box(&out);
                }
            }
        }
        for (place, (_, press)) in presses.iter_mut().enumerate() {
            for (block, best) in blocks.chunks(BLOCK).zip(&best[place]) {
                out.clear();
                press(block, &mut out);
                sizes[place] += out.len();
                seconds[place] += best;
            }
        }
    }
    for (place, (name, _)) in presses.iter().enumerate() {
        println!(
            "  {name:<14} {:7.1} MB/s  {:.4}",
            text.len() as f64 / seconds[place] / 1e6,
            sizes[place] as f64 / text.len() as f64,
        );
    }
}
