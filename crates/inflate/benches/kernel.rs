//! The fast loops beside libdeflate and zlib-rs, in memory, on one thread.
//!
//! `cargo bench -p thalweg-inflate -- file.gz...`: gzip files of one member (without a file: 64 MB
//! of made-up FASTQ). `ROUNDS=n` repeats (7), `LANES=1,4` chooses, `CHUNK=bytes` is the distance of the
//! starting points.
//! All candidates take turns; the best round of each counts. Every output is compared with
//! libdeflate's outside the time measured. Ours writes 32 KiB + 512 KiB slabs again and again, as its
//! owners do; libdeflate writes the whole text, as it must.

use std::time::{Duration, Instant};

use thalweg_inflate::{Job, Lane, Status, WINDOW, decode};

const SLAB: usize = 512 << 10;

/// A place to start: bit, output before it, the window.
struct Point {
    bit: u64,
    at: usize,
    window: Vec<u8>,
}

struct Owner {
    lane: Box<Lane>,
    slab: Vec<u8>,
    at: usize,
    bit: u64,
    left: usize,
    place: usize,
}

fn main() {
    let mut paths: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .collect();
    if paths.is_empty() {
        paths.push(String::new());
    }
    let rounds = number("ROUNDS", 7);
    let chunk = number("CHUNK", 2 << 20);
    let lanes: Vec<usize> = std::env::var("LANES")
        .unwrap_or("1,2,3,4".into())
        .split(',')
        .filter(|lanes| !lanes.is_empty())
        .map(|lanes| lanes.parse().expect("LANES is a list of numbers"))
        .collect();
    println!("kernel: {}", thalweg_inflate::active_kernel());
    for path in paths {
        file(&path, rounds, chunk, &lanes);
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

fn file(path: &str, rounds: usize, chunk: usize, lanes: &[usize]) {
    let (stream, text) = if path.is_empty() {
        let text = made_up();
        let mut compressor =
            libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
        let mut out = vec![0; compressor.deflate_compress_bound(text.len())];
        let size = compressor.deflate_compress(&text, &mut out).unwrap();
        out.truncate(size);
        (out, text)
    } else {
        let gzip = std::fs::read(path).expect("readable file");
        let size = u32::from_le_bytes(*gzip.last_chunk().unwrap()) as usize;
        let mut text = vec![0; size];
        libdeflater::Decompressor::new()
            .gzip_decompress(&gzip, &mut text)
            .expect("one gzip member");
        (gzip[header(&gzip)..gzip.len() - 8].to_vec(), text)
    };
    let points = points(&stream, &text, chunk);
    let mut out = vec![0; text.len()];
    let mut best = vec![Duration::MAX; lanes.len() + 2];
    let mut spare = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        libdeflater::Decompressor::new()
            .deflate_decompress(&stream, &mut out)
            .unwrap();
        best[0] = best[0].min(start.elapsed());
        let start = Instant::now();
        flate2::Decompress::new(false)
            .decompress(&stream, &mut out, flate2::FlushDecompress::Finish)
            .unwrap();
        best[1] = best[1].min(start.elapsed());
        for (&lanes, best) in lanes.iter().zip(&mut best[2..]) {
            let start = Instant::now();
            ours(&stream, &text, &points, lanes, &mut spare, false);
            *best = (*best).min(start.elapsed());
        }
    }
    for &lanes in lanes {
        ours(&stream, &text, &points, lanes, &mut spare, true);
    }
    println!(
        "{path} {} -> {} bytes, {} chunks",
        stream.len(),
        text.len(),
        points.len()
    );
    let names = ["libdeflate".to_owned(), "zlib-rs".to_owned()]
        .into_iter()
        .chain(lanes.iter().map(|lanes| format!("lanes {lanes}")));
    for (name, time) in names.zip(&best) {
        println!(
            "  {name:12} {:6.3} GB/s  {:5.2} of libdeflate",
            text.len() as f64 / time.as_secs_f64() / 1e9,
            best[0].as_secs_f64() / time.as_secs_f64()
        );
    }
}

/// Length of a gzip header (RFC 1952, section 2.3).
fn header(gzip: &[u8]) -> usize {
    let flags = gzip[3];
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(u16::from_le_bytes([gzip[at], gzip[at + 1]]));
    }
    for bit in [8, 16] {
        if flags & bit != 0 {
            at += gzip[at..].iter().position(|byte| *byte == 0).unwrap() + 1;
        }
    }
    at + if flags & 2 != 0 { 2 } else { 0 }
}

/// Block boundaries about every `chunk` bytes of output.
fn points(stream: &[u8], text: &[u8], chunk: usize) -> Vec<Point> {
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut out = vec![0; text.len()];
    let mut points = vec![Point {
        bit: 0,
        at: 0,
        window: vec![],
    }];
    let (mut bit, mut at) = (0, 0);
    loop {
        let mut jobs = [Job {
            lane: &mut lane,
            input: stream,
            input_bit: bit,
            input_is_last: true,
            output: &mut out,
            output_at: at,
            status: None,
        }];
        decode(&mut jobs);
        let status = jobs[0].status;
        (bit, at) = (jobs[0].input_bit, jobs[0].output_at);
        match status {
            Some(Ok(Status::BlockEnd)) if at >= points.last().unwrap().at + chunk => {
                let window = text[at.saturating_sub(WINDOW)..at].to_vec();
                points.push(Point { bit, at, window });
            }
            Some(Ok(Status::BlockEnd)) => {}
            Some(Ok(Status::StreamEnd)) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(out == text);
    points
}

/// Decode all chunks, `lanes` at a time; with one lane as one stream.
fn ours(
    stream: &[u8],
    text: &[u8],
    points: &[Point],
    lanes: usize,
    spare: &mut Vec<Owner>,
    verify: bool,
) {
    let points = if lanes == 1 { &points[..1] } else { points };
    let mut next = 0;
    let mut owners: Vec<Owner> = Vec::new();
    while next < points.len().min(lanes) {
        owners.push(spare.pop().unwrap_or_else(|| Owner {
            lane: Box::new(Lane::new()),
            slab: vec![0; WINDOW + SLAB],
            at: 0,
            bit: 0,
            left: 0,
            place: 0,
        }));
        claim(owners.last_mut().unwrap(), points, &mut next, text.len());
    }
    while !owners.is_empty() {
        let mut jobs: Vec<Job> = owners
            .iter_mut()
            .map(|owner| {
                let room = (owner.at + owner.left).min(WINDOW + SLAB);
                Job {
                    lane: &mut owner.lane,
                    input: stream,
                    input_bit: owner.bit,
                    input_is_last: true,
                    output: &mut owner.slab[..room],
                    output_at: owner.at,
                    status: None,
                }
            })
            .collect();
        decode(&mut jobs);
        let results: Vec<_> = jobs
            .iter()
            .map(|job| (job.input_bit, job.output_at, job.status))
            .collect();
        drop(jobs);
        for (index, (bit, at, status)) in results.into_iter().enumerate().rev() {
            let owner = &mut owners[index];
            let made = at - owner.at;
            if verify {
                assert!(owner.slab[owner.at..at] == text[owner.place..owner.place + made]);
            }
            owner.place += made;
            owner.left -= made;
            owner.bit = bit;
            owner.at = at;
            match status {
                None => {}
                Some(Ok(Status::OutputFull)) if owner.left > 0 => {
                    owner.slab.copy_within(at - WINDOW..at, 0);
                    owner.at = WINDOW;
                }
                Some(Ok(Status::OutputFull | Status::StreamEnd)) => {
                    assert_eq!(owner.left, 0);
                    if next < points.len() {
                        claim(owner, points, &mut next, text.len());
                    } else {
                        spare.push(owners.remove(index));
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

fn claim(owner: &mut Owner, points: &[Point], next: &mut usize, end: usize) {
    let point = &points[*next];
    *next += 1;
    owner.left = points.get(*next).map_or(end, |point| point.at) - point.at;
    owner.place = point.at;
    owner.bit = point.bit;
    owner.lane.start(point.window.len());
    owner.slab[..point.window.len()].copy_from_slice(&point.window);
    owner.at = point.window.len();
}

fn made_up() -> Vec<u8> {
    let mut seed = 1_u64;
    let mut below = |end: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % end
    };
    let genome: Vec<u8> = (0..4_000_000).map(|_| b"ACGT"[below(4) as usize]).collect();
    let mut text = Vec::new();
    let mut x = 1000;
    while text.len() < 64_000_000 {
        x += below(9);
        text.extend(
            format!(
                "@HWI-ST1276:71:C1162ACXX:1:1101:{x}:{} 1:N:0:CGATGT\n",
                below(99_999)
            )
            .bytes(),
        );
        let start = below(3_999_900) as usize;
        text.extend(&genome[start..start + 100]);
        text.extend(b"\n+\n");
        let mut quality = 40;
        for _ in 0..100 {
            if below(3) == 0 {
                quality = 41 - below(7).pow(2) as u8 * 4 / 5;
            }
            text.push(33 + quality);
        }
        text.push(b'\n');
    }
    text
}
