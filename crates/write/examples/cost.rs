//! What the ordered path costs beside a plain write of the same bytes, both to a file
//! and through a pipe: `cargo run --release -p thalweg-write --example cost`.
//!
//! Nothing is compressed or saved. Runs alternate; medians and their ratios are printed.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg_flow::{Claims, run_or};
use thalweg_write::{Error, OutputOptions, Outputs, Piece, ordinal};

const SIZE: usize = 512 << 10;
const BATCHES: u64 = 1024;
const RUNS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = match std::env::args_os().nth(1) {
        Some(directory) => tempfile::tempdir_in(directory)?,
        None => tempfile::tempdir()?,
    };
    let file = directory.path().join("out");
    let text = vec![b'A'; SIZE];
    let megabytes = (SIZE as u64 * BATCHES) as f64 / 1e6;

    let threads = [1, 2];
    let mut plain = Vec::new();
    let mut ordered = vec![Vec::new(); threads.len()];
    let mut plain_pipe = Vec::new();
    let mut ordered_pipe = Vec::new();
    for _ in 0..RUNS {
        plain.push(time(|| write_plainly(&File::create(&file)?, &text))?);
        std::fs::remove_file(&file)?;
        for (threads, times) in threads.into_iter().zip(&mut ordered) {
            times.push(time(|| write_in_order(file.clone(), &text, threads))?);
            std::fs::remove_file(&file)?;
        }
        plain_pipe.push(through_pipe(|path| {
            write_plainly(&File::create(path)?, &text)
        })?);
        ordered_pipe.push(through_pipe(|path| {
            write_in_order(path.to_owned(), &text, 1)
        })?);
    }
    let base = median(plain);
    println!(
        "file, one write call per batch: {:.0} us/MB",
        base / megabytes * 1e6
    );
    for (threads, times) in threads.into_iter().zip(ordered) {
        println!(
            "file, ordered, {threads} threads: {:.3} times that",
            median(times) / base
        );
    }
    let base = median(plain_pipe);
    println!(
        "pipe, one write call per batch: {:.0} us/MB",
        base / megabytes * 1e6
    );
    println!(
        "pipe, ordered, 1 thread: {:.3} times that",
        median(ordered_pipe) / base
    );
    Ok(())
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Each batch is formatted (copied) into a buffer that is used again, and written.
fn write_plainly(mut file: &File, text: &[u8]) -> Outcome {
    let mut buffer = Vec::new();
    for _ in 0..BATCHES {
        buffer.clear();
        buffer.extend_from_slice(text);
        file.write_all(&buffer)?;
    }
    Ok(())
}

fn write_in_order(path: PathBuf, text: &[u8], threads: usize) -> Outcome {
    let options = OutputOptions::new(path).sync(false);
    let outputs = Outputs::open(vec![options], threads as u64 + 2)?;
    let claims = Claims::new(BATCHES);
    let work = |_: usize, _: &_| {
        let mut writer = outputs.writer()?;
        let mut buffer = Vec::new();
        while let Some(ticket) = claims.claim() {
            outputs.begin(ticket)?;
            buffer.extend_from_slice(text);
            writer.write(ordinal(ticket), &mut [Piece::new(&mut buffer, 1)])?;
        }
        Ok::<_, Error>(())
    };
    run_or(threads, work, || outputs.close()).map_err(|failure| format!("{failure:?}"))?;
    outputs.finish(BATCHES)?;
    Ok(())
}

/// Seconds to write to `cat >/dev/null`'s like: a thread that reads and forgets.
fn through_pipe(write: impl FnOnce(&Path) -> Outcome) -> Result<f64, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("pipe");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU)?;
    let reader = path.clone();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| -> std::io::Result<()> {
            let mut file = File::open(reader)?;
            // As the ordered path does it, so that only that path makes a difference.
            nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETPIPE_SZ(1 << 20))?;
            let mut buffer = vec![0; 1 << 20];
            while file.read(&mut buffer)? > 0 {}
            Ok(())
        });
        let seconds = time(|| write(&path));
        reader.join().map_err(|_| "the reader panicked")??;
        seconds
    })
}

fn time(work: impl FnOnce() -> Outcome) -> Result<f64, Box<dyn std::error::Error>> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
