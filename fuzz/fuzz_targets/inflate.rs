//! DEFLATE: arbitrary bytes through every kernel, beside zlib-rs.
//!
//! The first four bytes of the input choose the number of lanes and, for each of them, the sizes of the pieces
//! of input and output. All lanes decode the rest, each at its own pace.
//! Asserts: every lane of every kernel, decoding to bytes and to wider symbols, gives the oracle's bytes and its verdict, and stops at the same place.
#![no_main]

use flate2::{Decompress, FlushDecompress};
use libfuzzer_sys::fuzz_target;
use thalweg_inflate::testing::{Kernel, decode_symbols_with, decode_with};
use thalweg_inflate::{Job, Lane, MAX_LANES, Status, WINDOW, Workbench};

/// Uncompressed bytes at which a bomb is left alone.
const MOST: usize = 1 << 18;

fuzz_target!(|input: &[u8]| {
    let Some((choice, data)) = input.split_first_chunk::<4>() else {
        return;
    };
    let mut wanted = Vec::with_capacity(MOST);
    let mut stream = Decompress::new(false);
    let status = stream.decompress_vec(data, &mut wanted, FlushDecompress::Finish);
    let end = matches!(status, Ok(flate2::Status::StreamEnd)).then(|| stream.total_in());
    let is_bomb = wanted.len() == MOST;

    for kernel in Kernel::available() {
        let lanes = decode::<u8>(kernel, data, *choice).into_iter().chain(decode::<u16>(kernel, data, *choice));
        for (number, (text, found)) in lanes.enumerate() {
            let common = text.len().min(wanted.len());
            assert!(text[..common] == wanted[..common], "{kernel:?}, lane {number}: other bytes");
            if !is_bomb {
                assert_eq!(found, end, "{kernel:?}, lane {number}: ends elsewhere");
                assert!(found.is_none() || text.len() == wanted.len(), "{kernel:?}, lane {number}: data are missing");
            }
        }
    }
});

/// What streams are decoded to.
trait Symbol: Copy + From<u8> + TryInto<u8> {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<Self>]);
}

impl Symbol for u8 {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job]) {
        decode_with(kernel, workbench, jobs);
    }
}

impl Symbol for u16 {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<u16>]) {
        decode_symbols_with(kernel, workbench, jobs);
    }
}

/// One stream and what is known of it.
struct Owner<S> {
    lane: Box<Lane>,
    /// The input lent, and the most bytes to add to it.
    from: usize,
    to: usize,
    piece: usize,
    bit: u64,
    slab: Vec<S>,
    room: usize,
    at: usize,
    text: Vec<u8>,
    /// Bytes of input taken, or `None` if they are wrong or [`MOST`] is reached.
    end: Option<Option<u64>>,
}

/// What each lane made, and where the stream ended, if it did.
fn decode<S: Symbol>(kernel: Kernel, data: &[u8], choice: [u8; 4]) -> Vec<(Vec<u8>, Option<u64>)> {
    let lanes = 1 + usize::from(choice[0] & 3);
    let mut owners: Vec<Owner<S>> = choice[..lanes.min(MAX_LANES)]
        .iter()
        .map(|&choice| {
            let piece = [1, 37, 1000, usize::MAX][usize::from(choice >> 2 & 3)];
            let room = [1, 3, 33, 258, 500, 3000, WINDOW, MOST][usize::from(choice >> 4 & 7)];
            let mut lane = Box::new(Lane::new());
            lane.stop_at_blocks(choice >> 7 == 1);
            Owner { lane, from: 0, to: data.len().min(piece), piece, bit: 0, slab: vec![0xaa.into(); room], room, at: 0, text: Vec::new(), end: None }
        })
        .collect();
    let mut workbench = Workbench::new();
    loop {
        let mut running: Vec<&mut Owner<S>> = owners.iter_mut().filter(|owner| owner.end.is_none()).collect();
        let mut jobs: Vec<Job<S>> = running
            .iter_mut()
            .map(|owner| Job {
                lane: &mut owner.lane,
                input: &data[owner.from..owner.to],
                input_bit: owner.bit,
                input_is_last: owner.to == data.len(),
                output: &mut owner.slab,
                output_at: owner.at,
                status: None,
            })
            .collect();
        if jobs.is_empty() {
            break;
        }
        S::decode(kernel, &mut workbench, &mut jobs);
        let results: Vec<_> = jobs.into_iter().map(|job| (job.input_bit, job.output_at, job.status)).collect();
        assert!(results.iter().any(|result| result.2.is_some()), "no lane came to anything");
        for (owner, (bit, at, status)) in running.into_iter().zip(results) {
            settle(owner, data, bit, at, status);
        }
    }
    owners.into_iter().map(|owner| (owner.text, owner.end.flatten())).collect()
}

fn settle<S: Symbol>(owner: &mut Owner<S>, data: &[u8], bit: u64, at: usize, status: Option<Result<Status, thalweg_inflate::Error>>) {
    let byte = |&symbol: &S| symbol.try_into().unwrap_or_else(|_| panic!("a symbol that is no byte"));
    owner.text.extend(owner.slab[owner.at..at].iter().map(byte));
    (owner.bit, owner.at) = (bit, at);
    match status {
        None | Some(Ok(Status::BlockEnd)) => {}
        Some(Ok(Status::Reserved)) => panic!("nothing is reserved"),
        Some(Ok(Status::NeedInput)) => {
            assert!(owner.to < data.len());
            owner.from += (bit / 8) as usize;
            owner.bit = bit % 8;
            owner.to = owner.to.saturating_add(owner.piece).min(data.len());
        }
        Some(Ok(Status::OutputFull)) => {
            assert_eq!(at, owner.slab.len());
            // A new slab of the exact size, so that the sanitizer sees every byte too far. Not of one byte
            // to the end of a bomb: each brings its window along.
            if owner.text.len() > 4096 {
                owner.room = owner.room.max(4096);
            }
            let kept = at.min(WINDOW);
            let mut slab = Vec::with_capacity(kept + owner.room);
            slab.extend_from_slice(&owner.slab[at - kept..]);
            slab.resize(kept + owner.room, 0x55.into());
            (owner.slab, owner.at) = (slab, kept);
        }
        Some(Ok(Status::StreamEnd)) => owner.end = Some(Some(owner.from as u64 + bit.div_ceil(8))),
        Some(Err(_)) => owner.end = Some(None),
    }
    if owner.text.len() >= MOST {
        owner.end = owner.end.or(Some(None));
    }
}
