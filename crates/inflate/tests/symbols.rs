//! Streams begun in the middle without their window: symbols that stand for its bytes, and bytes of the text that
//! do.

mod support;

use support::literals::mostly_literals;
use support::*;
use thalweg_inflate::testing::{Kernel, decode_symbols_with, decode_with};
use thalweg_inflate::{ByteSet, Job, Lane, MAX_LANES, Status, WINDOW, Workbench, decode};

/// The first symbol that is no byte: it stands for the oldest byte of the window.
const FIRST: u16 = 256;

/// Where the blocks of a stream begin, behind the first: bit, and bytes of output before it.
fn block_starts(stream: &[u8], size: usize) -> Vec<(u64, usize)> {
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut output = vec![0; size];
    let (mut starts, mut input_bit, mut output_at) = (Vec::new(), 0, 0);
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
            Some(Ok(Status::BlockEnd)) => starts.push((input_bit, output_at)),
            Some(Ok(Status::StreamEnd)) => return starts,
            status => panic!("{status:?}"),
        }
    }
}

/// From every block on, up to four at a time, with symbols for the window: the window in their place is the text.
#[test]
fn symbols_stand_for_the_window() {
    let kinds = [
        fastq(51, 500_000),
        echoes(52, 300_000),
        noise(53, 200_000, 5),
    ];
    for (data, level) in kinds
        .iter()
        .flat_map(|data| [1, 6, 9].map(|level| (data, level)))
    {
        let stream = compress_in_blocks(data, level, 41_000);
        let mut starts = block_starts(&stream, data.len());
        starts.retain(|&(_, at)| at >= WINDOW);
        assert!(starts.len() >= 2 * MAX_LANES);
        for (kernel, count) in
            Kernel::available().flat_map(|kernel| (1..=4).map(move |n| (kernel, n)))
        {
            for starts in starts.chunks(count) {
                let mut lanes: Vec<Lane> = starts.iter().map(|_| Lane::new()).collect();
                let mut outputs: Vec<Vec<u16>> = Vec::new();
                for (lane, &(_, at)) in lanes.iter_mut().zip(starts) {
                    lane.start(WINDOW);
                    let mut output: Vec<u16> = (0..WINDOW as u16).map(|i| FIRST + i).collect();
                    output.resize(WINDOW + data.len() - at, 7);
                    outputs.push(output);
                }
                let mut jobs: Vec<Job<'_, u16>> = (lanes.iter_mut().zip(&mut outputs).zip(starts))
                    .map(|((lane, output), &(input_bit, _))| Job {
                        lane,
                        input: &stream,
                        input_bit,
                        input_is_last: true,
                        output,
                        output_at: WINDOW,
                        status: None,
                    })
                    .collect();
                let mut workbench = Workbench::new();
                while jobs.iter().any(|job| job.status.is_none()) {
                    decode_symbols_with(kernel, &mut workbench, &mut jobs);
                }
                for job in jobs {
                    assert_eq!(job.status, Some(Ok(Status::StreamEnd)));
                }
                for (output, &(_, at)) in outputs.iter().zip(starts) {
                    let window = &data[at - WINDOW..at];
                    let resolved = output[WINDOW..].iter().map(|&symbol| match symbol {
                        FIRST.. => window[usize::from(symbol - FIRST)],
                        byte => byte as u8,
                    });
                    assert!(
                        resolved.eq(data[at..].iter().copied()),
                        "{kernel:?} {count}"
                    );
                }
            }
        }
    }
}

#[test]
fn neighbours_of_wide_symbols_stay_as_they_are() {
    let data = echoes(31, 100_000);
    let stream = compress(&data, 9);
    for (stream, data) in [(stream, data), mostly_literals(31, &[], 40_000)] {
        let cuts = [0, 1, 31, 32, 33, 400, data.len() - 1];
        for (kernel, cut) in Kernel::available().flat_map(|kernel| cuts.map(|cut| (kernel, cut))) {
            for count in 1..=MAX_LANES {
                let mut slabs = vec![vec![0xcccc_u16; data.len() + 1000]; count];
                let mut lanes = vec![Lane::new(); count];
                let room = data.len() - cut;
                let mut workbench = Workbench::new();
                let mut jobs: Vec<Job<'_, u16>> = (lanes.iter_mut().zip(&mut slabs))
                    .map(|(lane, slab)| Job {
                        lane,
                        input: &stream,
                        input_bit: 0,
                        input_is_last: true,
                        output: &mut slab[..room],
                        output_at: 0,
                        status: None,
                    })
                    .collect();
                while jobs.iter().any(|job| job.status.is_none()) {
                    decode_symbols_with(kernel, &mut workbench, &mut jobs);
                }
                for slab in slabs {
                    let (output, rest) = slab.split_at(room);
                    assert!(
                        output
                            .iter()
                            .copied()
                            .eq(data[..room].iter().map(|&byte| byte.into()))
                    );
                    assert!(rest.iter().all(|&symbol| symbol == 0xcccc));
                }
            }
        }
    }
}

/// What is reserved stops a lane before each block that could make it, and nothing of that block is taken.
#[test]
fn reserved_bytes_come_only_from_copies() {
    let letters = fastq(61, 30_000);
    let mut with_x = letters.clone();
    for at in (0..with_x.len()).step_by(97) {
        with_x[at] = 0xf8;
    }
    let reserved: ByteSet = [0xf8, 0xf9].into_iter().collect();
    for kernel in Kernel::available() {
        let stream = compress_in_blocks(&[&letters[..], &with_x, &letters].concat(), 6, 30_000);
        let starts = block_starts(&stream, 90_000);
        let mut lane = Box::new(Lane::new());
        lane.reserve(reserved);
        let mut output = vec![0; 90_000];
        let mut at = 0;
        let mut bit = 0;
        let mut stops = Vec::new();
        loop {
            let mut jobs = [Job {
                lane: &mut lane,
                input: &stream,
                input_bit: bit,
                input_is_last: true,
                output: &mut output,
                output_at: at,
                status: None,
            }];
            decode_with(kernel, &mut Workbench::new(), &mut jobs);
            (bit, at) = (jobs[0].input_bit, jobs[0].output_at);
            match jobs[0].status {
                Some(Ok(Status::Reserved)) => {
                    assert!(starts.contains(&(bit, at)));
                    stops.push(at);
                    // The same again, as nothing was taken; then without.
                    let mut jobs = [Job {
                        lane: &mut lane,
                        input: &stream,
                        input_bit: bit,
                        input_is_last: true,
                        output: &mut output,
                        output_at: at,
                        status: None,
                    }];
                    decode_with(kernel, &mut Workbench::new(), &mut jobs);
                    assert_eq!(jobs[0].status, Some(Ok(Status::Reserved)));
                    assert_eq!((jobs[0].input_bit, jobs[0].output_at), (bit, at));
                    assert!(at == 90_000 || lane.literals().contains(0xf8));
                    lane.reserve(ByteSet::EMPTY);
                    lane.stop_at_blocks(true);
                }
                Some(Ok(Status::BlockEnd)) => {
                    lane.reserve(reserved);
                    lane.stop_at_blocks(false);
                }
                Some(Ok(Status::StreamEnd)) => break,
                status => panic!("{status:?}"),
            }
        }
        // The last one is the empty block in the fixed code that ends the stream.
        assert_eq!(stops, [30_000, 90_000]);
        assert!(output == [&letters[..], &with_x, &letters].concat());
    }
}

/// The fixed code has a word for every byte, a stored block may have any; an empty one has none.
#[test]
fn fixed_and_stored_blocks_may_make_what_is_reserved() {
    let status = |stream: &[u8]| {
        let mut lane = Box::new(Lane::new());
        lane.reserve([b'q'].into_iter().collect());
        let mut jobs = [Job {
            lane: &mut lane,
            input: stream,
            input_bit: 0,
            input_is_last: true,
            output: &mut [0; 100],
            output_at: 0,
            status: None,
        }];
        decode(&mut Workbench::new(), &mut jobs);
        (jobs[0].status, jobs[0].input_bit)
    };
    assert_eq!(
        status(&[1, 0, 0, 0xff, 0xff]),
        (Some(Ok(Status::StreamEnd)), 40)
    );
    assert_eq!(
        status(&[1, 1, 0, 0xfe, 0xff, b'a']),
        (Some(Ok(Status::Reserved)), 0)
    );
    assert_eq!(status(&[0b011, 0]), (Some(Ok(Status::Reserved)), 0));
    assert_eq!(
        status(&[0, 0, 0, 0xff, 0xff, 0b011, 0]),
        (Some(Ok(Status::Reserved)), 40)
    );
}
