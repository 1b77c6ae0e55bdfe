//! The fast loops beside libdeflate, ISA-L and zlib-rs, in memory, on one thread, with CRC32.
//!
//! `cargo bench -p thalweg-inflate -- file.gz...`: gzip files of one member (without a file: 64 MB
//! of made-up FASTQ). `ROUNDS=n` repeats (7), `LANES=1,4` chooses, `CHUNK=bytes` is the distance of the
//! starting points. A BGZF file is decoded block by block.
//! All candidates take turns; the best round of each counts. Every output is compared with
//! libdeflate's outside the time measured. Ours writes 32 KiB + 256 KiB slabs again and again, as its
//! owners do; libdeflate writes the whole text, as it must.

mod isal;

use std::time::{Duration, Instant};

use thalweg_inflate::{Job, Lane, MAX_LANES, Status, WINDOW, Workbench, decode};

const SLAB: usize = 256 << 10;
/// Bytes of compressed input that are lent at a time, as in the whole program.
const INPUT: usize = 32 << 10;

/// A place to start: bit, output before it, the window; and the CRC32 of the text up to the next one.
struct Point {
    bit: u64,
    at: usize,
    window: Vec<u8>,
    crc: u32,
}

struct Owner {
    lane: Box<Lane>,
    slab: Vec<u8>,
    at: usize,
    /// Where the input lent begins, and the place in it.
    input: usize,
    bit: u64,
    left: usize,
    place: usize,
    crc: crc32fast::Hasher,
    wanted: u32,
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
        let gzip = (!path.is_empty()).then(|| std::fs::read(&path).expect("readable file"));
        match gzip {
            Some(gzip) if block_length(&gzip).is_some() => blocks(&path, &gzip, rounds, &lanes),
            gzip => file(&path, gzip, rounds, chunk, &lanes),
        }
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// Length of the BGZF block at the start, by its BC field (SAM specification, section 4.1).
fn block_length(gzip: &[u8]) -> Option<usize> {
    let field = gzip.get(12..18).filter(|_| gzip[3] & 4 != 0)?;
    field
        .starts_with(b"BC\x02\0")
        .then(|| usize::from(u16::from_le_bytes([field[4], field[5]])) + 1)
}

/// BGZF: many short streams, each without a history.
fn blocks(path: &str, gzip: &[u8], rounds: usize, lanes: &[usize]) {
    let mut streams: Vec<(&[u8], usize)> = Vec::new();
    let mut left = gzip;
    while let Some(length) = block_length(left) {
        let (block, rest) = left.split_at(length);
        let size = u32::from_le_bytes(*block.last_chunk().unwrap()) as usize;
        streams.push((&block[18..length - 8], size));
        left = rest;
    }
    let size: usize = streams.iter().map(|stream| stream.1).sum();
    let mut best = vec![Duration::MAX; lanes.len() + 1];
    let mut out = vec![0; 1 << 16];
    let mut owners: Vec<_> = (0..MAX_LANES)
        .map(|_| (Box::new(Lane::new()), vec![0; 1 << 16], 0, 0, 0))
        .collect();
    for round in 0..=rounds {
        let start = Instant::now();
        let mut rival = libdeflater::Decompressor::new();
        for &(stream, size) in &streams {
            rival
                .deflate_decompress(stream, &mut out[..size])
                .expect("a valid block");
        }
        best[0] = best[0].min(start.elapsed());
        for (&lanes, best) in lanes.iter().zip(&mut best[1..]) {
            let start = Instant::now();
            let mut next = lanes;
            let mut workbench = Workbench::new();
            for (number, (lane, _, bit, at, stream)) in owners.iter_mut().enumerate() {
                lane.start(0);
                (*bit, *at, *stream) = (0, 0, number);
            }
            loop {
                let mut jobs: Vec<Job> = owners[..lanes]
                    .iter_mut()
                    .filter(|owner| owner.4 < streams.len())
                    .map(|(lane, slab, bit, at, stream)| Job {
                        lane,
                        input: streams[*stream].0,
                        input_bit: *bit,
                        input_is_last: true,
                        output: &mut slab[..streams[*stream].1],
                        output_at: *at,
                        status: None,
                    })
                    .collect();
                if jobs.is_empty() {
                    break;
                }
                decode(&mut workbench, &mut jobs);
                let results: Vec<_> = jobs
                    .into_iter()
                    .map(|job| (job.input_bit, job.output_at, job.status))
                    .collect();
                let running = owners[..lanes]
                    .iter_mut()
                    .filter(|owner| owner.4 < streams.len());
                for ((lane, slab, bit, at, stream), result) in running.zip(results) {
                    (*bit, *at) = (result.0, result.1);
                    if let Some(status) = result.2 {
                        assert_eq!(status, Ok(Status::StreamEnd));
                        if round == rounds {
                            let (input, size) = streams[*stream];
                            rival.deflate_decompress(input, &mut out[..size]).unwrap();
                            assert!(slab[..*at] == out[..size]);
                        }
                        lane.start(0);
                        (*bit, *at, *stream) = (0, 0, next);
                        next += 1;
                    }
                }
            }
            if round < rounds {
                *best = (*best).min(start.elapsed());
            }
        }
    }
    println!("{path} {} blocks, {size} bytes", streams.len());
    let names = ["libdeflate".to_owned()].into_iter();
    report(
        names.chain(lanes.iter().map(|lanes| format!("lanes {lanes}"))),
        &best,
        size,
    );
}

fn report(names: impl Iterator<Item = String>, best: &[Duration], size: usize) {
    for (name, time) in names.zip(best).filter(|(_, time)| **time < Duration::MAX) {
        println!(
            "  {name:12} {:6.3} GB/s  {:5.2} of libdeflate",
            size as f64 / time.as_secs_f64() / 1e9,
            best[0].as_secs_f64() / time.as_secs_f64()
        );
    }
}

fn file(path: &str, gzip: Option<Vec<u8>>, rounds: usize, chunk: usize, lanes: &[usize]) {
    let (stream, text) = if let Some(gzip) = gzip {
        let size = u32::from_le_bytes(*gzip.last_chunk().unwrap()) as usize;
        let mut text = vec![0; size];
        libdeflater::Decompressor::new()
            .gzip_decompress(&gzip, &mut text)
            .expect("one gzip member");
        (gzip[header(&gzip)..gzip.len() - 8].to_vec(), text)
    } else {
        let text = made_up();
        let mut compressor =
            libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
        let mut out = vec![0; compressor.deflate_compress_bound(text.len())];
        let size = compressor.deflate_compress(&text, &mut out).unwrap();
        out.truncate(size);
        (out, text)
    };
    let points = points(&stream, &text, chunk);
    let mut out = vec![0; text.len()];
    let isal = isal::Isal::load();
    let wanted = crc32fast::hash(&text);
    let mut best = vec![Duration::MAX; lanes.len() + 3];
    let mut spare = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        libdeflater::Decompressor::new()
            .deflate_decompress(&stream, &mut out)
            .unwrap();
        assert_eq!(libdeflater::crc32(&out), wanted);
        best[0] = best[0].min(start.elapsed());
        let start = Instant::now();
        flate2::Decompress::new(false)
            .decompress(&stream, &mut out, flate2::FlushDecompress::Finish)
            .unwrap();
        assert_eq!(crc32fast::hash(&out), wanted);
        best[1] = best[1].min(start.elapsed());
        if let Some(isal) = &isal {
            let start = Instant::now();
            assert_eq!(isal.decode(&stream), (text.len(), wanted));
            best[2] = best[2].min(start.elapsed());
        }
        for (&lanes, best) in lanes.iter().zip(&mut best[3..]) {
            let start = Instant::now();
            ours(&stream, (&text, wanted), &points, lanes, &mut spare, false);
            *best = (*best).min(start.elapsed());
        }
    }
    for &lanes in lanes {
        ours(&stream, (&text, wanted), &points, lanes, &mut spare, true);
    }
    println!(
        "{path} {} -> {} bytes, {} chunks",
        stream.len(),
        text.len(),
        points.len()
    );
    let names = ["libdeflate", "zlib-rs", "ISA-L"]
        .map(str::to_owned)
        .into_iter()
        .chain(lanes.iter().map(|lanes| format!("lanes {lanes}")));
    report(names, &best, text.len());
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
    let mut workbench = Workbench::new();
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut out = vec![0; text.len()];
    let mut points = vec![Point {
        bit: 0,
        at: 0,
        window: vec![],
        crc: 0,
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
        decode(&mut workbench, &mut jobs);
        let status = jobs[0].status;
        (bit, at) = (jobs[0].input_bit, jobs[0].output_at);
        match status {
            Some(Ok(Status::BlockEnd)) if at >= points.last().unwrap().at + chunk => {
                let window = text[at.saturating_sub(WINDOW)..at].to_vec();
                points.push(Point {
                    bit,
                    at,
                    window,
                    crc: 0,
                });
            }
            Some(Ok(Status::BlockEnd)) => {}
            Some(Ok(Status::StreamEnd)) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(out == text);
    let ends: Vec<usize> = points[1..]
        .iter()
        .map(|point| point.at)
        .chain([text.len()])
        .collect();
    for (point, end) in points.iter_mut().zip(ends) {
        point.crc = crc32fast::hash(&text[point.at..end]);
    }
    points
}

/// Decode all chunks, `lanes` at a time; with one lane as one stream.
fn ours(
    stream: &[u8],
    (text, crc): (&[u8], u32),
    points: &[Point],
    lanes: usize,
    spare: &mut Vec<Owner>,
    verify: bool,
) {
    let whole = [Point {
        bit: 0,
        at: 0,
        window: vec![],
        crc,
    }];
    let points = if lanes == 1 { &whole } else { points };
    let mut next = 0;
    let mut owners: Vec<Owner> = Vec::new();
    let mut workbench = Workbench::new();
    while next < points.len().min(lanes) {
        owners.push(spare.pop().unwrap_or_else(|| Owner {
            lane: Box::new(Lane::new()),
            slab: vec![0; WINDOW + SLAB],
            at: 0,
            input: 0,
            bit: 0,
            left: 0,
            place: 0,
            crc: crc32fast::Hasher::new(),
            wanted: 0,
        }));
        claim(owners.last_mut().unwrap(), points, &mut next, text.len());
    }
    while !owners.is_empty() {
        let mut jobs: Vec<Job> = owners
            .iter_mut()
            .map(|owner| {
                let room = (owner.at + owner.left).min(WINDOW + SLAB);
                let end = (owner.input + INPUT).min(stream.len());
                Job {
                    lane: &mut owner.lane,
                    input: &stream[owner.input..end],
                    input_bit: owner.bit,
                    input_is_last: end == stream.len(),
                    output: &mut owner.slab[..room],
                    output_at: owner.at,
                    status: None,
                }
            })
            .collect();
        decode(&mut workbench, &mut jobs);
        let results: Vec<_> = jobs
            .iter()
            .map(|job| (job.input_bit, job.output_at, job.status))
            .collect();
        drop(jobs);
        for (index, (bit, at, status)) in results.into_iter().enumerate().rev() {
            let owner = &mut owners[index];
            let made = at - owner.at;
            owner.crc.update(&owner.slab[owner.at..at]);
            if verify {
                assert!(owner.slab[owner.at..at] == text[owner.place..owner.place + made]);
            }
            owner.place += made;
            owner.left -= made;
            owner.bit = bit;
            owner.at = at;
            match status {
                None => {}
                Some(Ok(Status::NeedInput)) => {
                    owner.input += (bit / 8) as usize;
                    owner.bit = bit % 8;
                }
                Some(Ok(Status::OutputFull)) if owner.left > 0 => {
                    owner.slab.copy_within(at - WINDOW..at, 0);
                    owner.at = WINDOW;
                }
                Some(Ok(Status::OutputFull | Status::StreamEnd)) => {
                    assert_eq!(owner.left, 0);
                    assert_eq!(owner.crc.clone().finalize(), owner.wanted);
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
    owner.crc.reset();
    owner.wanted = point.crc;
    owner.left = points.get(*next).map_or(end, |point| point.at) - point.at;
    owner.place = point.at;
    owner.input = (point.bit / 8) as usize;
    owner.bit = point.bit % 8;
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
