//! Blocks found in the middle of streams, beside those that there are.

mod support;

use support::*;
use thalweg_inflate::{Job, LONGEST_HEADER, Lane, Status, WINDOW, Workbench, decode, find_block};

/// Where the blocks of a stream begin.
fn block_starts(stream: &[u8]) -> Vec<u64> {
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut output = vec![0; 1 << 20];
    let (mut starts, mut input_bit, mut output_at) = (vec![0], 0, 0);
    loop {
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
        match jobs[0].status {
            Some(Ok(Status::BlockEnd)) => starts.push(input_bit),
            Some(Ok(Status::OutputFull)) => {
                output.copy_within(output_at - WINDOW..output_at, 0);
                output_at = WINDOW;
            }
            Some(Ok(Status::StreamEnd)) => return starts,
            status => panic!("{status:?}"),
        }
    }
}

/// All that is found, one after the other.
fn found(stream: &[u8]) -> Vec<u64> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(bit) = find_block(stream, from, stream.len() as u64 * 8) {
        places.push(bit);
        from = bit + 1;
    }
    places
}

/// Those of `starts` at which a dynamic block begins that is not the last one.
fn dynamic(stream: &[u8], starts: &[u64]) -> Vec<u64> {
    let bits =
        |bit: u64| (0..3).map(move |i| stream[((bit + i) / 8) as usize] >> ((bit + i) % 8) & 1);
    let is_dynamic = |&bit: &u64| bits(bit).eq([0, 0, 1]);
    starts.iter().copied().filter(is_dynamic).collect()
}

#[test]
fn finds_what_there_is_and_nothing_else() {
    for seed in 1..4 {
        let text = fastq(seed, 3_000_000);
        // Level 1 of zlib-rs knows only the fixed code.
        let zlib = [3, 6, 9].map(|level| compress(&text, level));
        let other = [1, 6, 9].map(|level| {
            let level = libdeflater::CompressionLvl::new(level).unwrap();
            let mut compressor = libdeflater::Compressor::new(level);
            let mut stream = vec![0; compressor.deflate_compress_bound(text.len())];
            let length = compressor.deflate_compress(&text, &mut stream).unwrap();
            stream.truncate(length);
            stream
        });
        for stream in zlib.iter().chain(&other) {
            let wanted = dynamic(stream, &block_starts(stream));
            assert!(wanted.len() > 5, "{}", wanted.len());
            assert_eq!(found(stream), wanted);
        }
    }
}

#[test]
fn looks_from_one_bit_to_another() {
    let stream = compress(&fastq(5, 1_000_000), 6);
    let starts = dynamic(&stream, &block_starts(&stream));
    let end = stream.len() as u64 * 8;
    for start in starts[1..].windows(2) {
        let &[first, second] = start else {
            unreachable!()
        };
        assert_eq!(find_block(&stream, first, first), None);
        assert_eq!(find_block(&stream, first, first + 1), Some(first));
        assert_eq!(find_block(&stream, first - 40, first), None);
        for bit in [1, 7, 8, 47, 48, 49, 100] {
            assert_eq!(find_block(&stream, first + bit, end), Some(second));
            assert_eq!(find_block(&stream, first - bit, end), Some(first));
        }
        // A header that is not all there is none; one at the end of what must be there is.
        let byte = (first / 8) as usize;
        assert_eq!(find_block(&stream[..byte + 20], first, end), None);
        assert_eq!(
            find_block(
                &stream[..(byte + LONGEST_HEADER + 1).min(stream.len())],
                first,
                end
            ),
            Some(first)
        );
    }
    assert_eq!(find_block(&[], 0, 0), None);
    assert_eq!(find_block(&[], 5, 1000), None);
    assert_eq!(find_block(&stream[..3], 0, u64::from(u32::MAX)), None);
}

#[test]
fn finds_nothing_where_no_text_is() {
    assert_eq!(found(&noise(6, 4_000_000, 256)), []);
    assert_eq!(found(&vec![0; 100_000]), []);
    assert_eq!(found(&vec![0xff; 100_000]), []);
    assert_eq!(found(&fastq(7, 500_000)), []);
    // Blocks with literals that no text has.
    let mut bytes = fastq(8, 500_000);
    bytes.iter_mut().step_by(1000).for_each(|byte| *byte = 0xb5);
    assert_eq!(found(&compress(&bytes, 6)), []);
}
