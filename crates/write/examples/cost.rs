//! What the ordered path costs beside a plain write of the same bytes, both to a file
//! and through a pipe: `cargo run --release -p thalweg-write --example cost`.
//!
//! Nothing is compressed or saved. Runs alternate; medians and their ratios are printed.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use thalweg_flow::{Claims, run_or};
use thalweg_write::{Error, OutputOptions, OutputPiece, Outputs, ordinal};

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
    let mut two_pipes = Vec::new();
    for _ in 0..RUNS {
        plain.push(time(|| write_plainly(&File::create(&file)?, &text))?);
        std::fs::remove_file(&file)?;
        for (threads, times) in threads.into_iter().zip(&mut ordered) {
            times.push(time(|| {
                write_in_order(std::slice::from_ref(&file), &text, threads)
            })?);
            std::fs::remove_file(&file)?;
        }
        two_pipes.push(through_pipes(2, |paths| write_in_order(paths, &text, 1))?);
        plain_pipe.push(through_pipes(1, |paths| {
            write_plainly(&File::create(&paths[0])?, &text)
        })?);
        ordered_pipe.push(through_pipes(1, |paths| write_in_order(paths, &text, 1))?);
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
    let cost = base / megabytes * 1e6;
    println!("pipe of 1 MiB, one write call per batch: {cost:.0} us/MB");
    println!(
        "pipe, ordered, 1 thread: {:.3} times that",
        median(ordered_pipe) / base
    );
    let each = median(two_pipes) / 2.0 / base;
    println!("two pipes, ordered, 1 thread: {each:.3} times that for each");
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

fn write_in_order(paths: &[PathBuf], text: &[u8], threads: usize) -> Outcome {
    let options = paths
        .iter()
        .map(|path| OutputOptions::new(path).sync(false));
    let outputs = Outputs::open(options.collect(), threads as u64 + 2)?;
    let claims = Claims::new(BATCHES);
    let work = |_: usize, _: &_| {
        let mut writer = outputs.writer()?;
        let mut buffers = vec![Vec::new(); paths.len()];
        while let Some(ticket) = claims.claim() {
            outputs.begin(ticket)?;
            for buffer in &mut buffers {
                buffer.extend_from_slice(text);
            }
            let mut pieces: Vec<_> = buffers
                .iter_mut()
                .map(|buffer| OutputPiece::new(buffer, 1))
                .collect();
            writer.write(ordinal(ticket), &mut pieces)?;
        }
        Ok::<_, Error>(())
    };
    run_or(threads, work, || outputs.close()).map_err(|failure| format!("{failure:?}"))?;
    outputs.finish(BATCHES)?;
    Ok(())
}

/// Seconds to write to pipes, each with a thread that reads and forgets.
fn through_pipes(
    count: usize,
    write: impl FnOnce(&[PathBuf]) -> Outcome,
) -> Result<f64, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let paths: Vec<_> = (0..count)
        .map(|n| directory.path().join(n.to_string()))
        .collect();
    for path in &paths {
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU)?;
    }
    std::thread::scope(|scope| {
        let read = |path: &PathBuf| -> std::io::Result<()> {
            let mut file = File::open(path)?;
            // As the ordered path does it, so that only that path makes a difference.
            nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETPIPE_SZ(1 << 20))?;
            let mut buffer = vec![0; 1 << 20];
            while file.read(&mut buffer)? > 0 {}
            Ok(())
        };
        let readers: Vec<_> = paths
            .iter()
            .map(|path| scope.spawn(move || read(path)))
            .collect();
        let seconds = time(|| write(&paths));
        for reader in readers {
            reader.join().map_err(|_| "a reader panicked")??;
        }
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
