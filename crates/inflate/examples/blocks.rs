//! Which blocks of gzip files are found without decoding: `cargo run --release -p thalweg-inflate --example blocks -- FILE...`
//!
//! Says of the first member of each file how many blocks are there to be found, how many were, how many of those are
//! none, and how many megabytes of compressed data were looked through in a second. Ends with 1 if one was wrong.

use std::process::ExitCode;
use std::time::Instant;

use thalweg_inflate::{Job, Lane, Status, WINDOW, Workbench, decode, find_block};

fn main() -> ExitCode {
    let mut wrong = 0;
    println!("there  found  wrong   MB/s  file");
    for path in std::env::args().skip(1) {
        let gzip = std::fs::read(&path).expect("readable file");
        let stream = &gzip[header(&gzip)..];
        let (starts, end) = dynamic_blocks(stream);
        let time = Instant::now();
        let mut found = Vec::new();
        while let Some(bit) = find_block(stream, found.last().map_or(0, |last| last + 1), end) {
            found.push(bit);
        }
        let speed = end as f64 / 8e6 / time.elapsed().as_secs_f64();
        let right = found.iter().filter(|bit| starts.binary_search(bit).is_ok());
        let none = found.len() - right.count();
        wrong += none;
        println!(
            "{:5}  {:5}  {none:5}  {speed:5.0}  {path}",
            starts.len(),
            found.len()
        );
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// The bits at which dynamic blocks begin that are not the last one, and the end of the stream.
fn dynamic_blocks(stream: &[u8]) -> (Vec<u64>, u64) {
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut output = vec![0; 1 << 20];
    let (mut starts, mut input_bit, mut output_at) = (Vec::new(), 0, 0);
    let mut is_start = true;
    loop {
        let kind =
            (0..3).map(|i| stream[((input_bit + i) / 8) as usize] >> ((input_bit + i) % 8) & 1);
        if is_start && kind.eq([0, 0, 1]) {
            starts.push(input_bit);
        }
        let mut jobs = [Job {
            lane: &mut lane,
            input: stream,
            input_bit,
            input_is_last: true,
            output: &mut output,
            output_at,
            status: None,
        }];
        decode(&mut Workbench::new(), &mut jobs);
        (input_bit, output_at) = (jobs[0].input_bit, jobs[0].output_at);
        is_start = false;
        match jobs[0].status {
            Some(Ok(Status::BlockEnd)) => is_start = true,
            Some(Ok(Status::OutputFull)) => {
                output.copy_within(output_at - WINDOW..output_at, 0);
                output_at = WINDOW;
            }
            Some(Ok(Status::StreamEnd)) => return (starts, input_bit),
            status => panic!("{status:?}"),
        }
    }
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
