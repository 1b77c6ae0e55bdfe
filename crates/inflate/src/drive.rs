//! From one event to the next: block headers, stored blocks and the choice between the fast and the
//! careful loops.

use crate::bits::Bits;
use crate::careful::{self, Turn};
use crate::error::{Error, ErrorKind};
use crate::header::{self, Block, Trouble};
use crate::job::{Job, Status};
use crate::kernel::{self, Kernel};
use crate::lane::{Lane, Place};
use crate::symbol::Symbol;
use crate::workbench::Workbench;
use crate::{MAX_LANES, WINDOW};

/// Run the first up to [`MAX_LANES`] jobs whose status is `None`, side by side in one loop, until at
/// least one of them has a status.
///
/// The others stand at some token boundary then, and go on in the next call. Jobs beyond
/// [`MAX_LANES`] wait until those before them have a status. Returns at once if every job has one.
///
/// Data that are wrong give an [`Error`] in [`Job::status`]; the bytes decoded before the fault count.
/// A lane with an error must be [started](crate::Lane::start) anew.
///
/// # Panics
///
/// If `output_at` is past the end of `output`.
pub fn decode(workbench: &mut Workbench, jobs: &mut [Job<'_>]) {
    run(Kernel::best(), workbench, jobs);
}

/// [`decode`] to symbols of 16 bits, for a stream whose history is not known: put symbols above 255 in its place,
/// and see where matches copy them to. What is a byte becomes a symbol of the same value.
///
/// # Panics
///
/// As [`decode`].
pub fn decode_symbols(workbench: &mut Workbench, jobs: &mut [Job<'_, u16>]) {
    run(Kernel::best(), workbench, jobs);
}

/// [`decode`] by a kernel that is not this machine's best, so that tests reach all of them.
///
/// # Panics
///
/// As [`decode`], and if this machine cannot run `kernel`.
pub fn decode_with(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_>]) {
    run(kernel, workbench, jobs);
}

/// [`decode_symbols`] by a kernel that is not this machine's best.
///
/// # Panics
///
/// As [`decode_with`].
pub fn decode_symbols_with(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_, u16>]) {
    run(kernel, workbench, jobs);
}

fn run<S: Symbol>(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_, S>]) {
    let mut running: [Option<&mut Job<'_, S>>; MAX_LANES] = [const { None }; MAX_LANES];
    let mut count = 0;
    for job in jobs.iter_mut().filter(|job| job.status.is_none()) {
        assert!(
            job.output_at <= job.output.len(),
            "output_at is past the end"
        );
        if count == MAX_LANES {
            break;
        }
        running[count] = Some(job);
        count += 1;
    }
    if count == 0 {
        return;
    }
    // Where the symbols begin that matches may refer to.
    let mut floors = [0; MAX_LANES];
    for (floor, job) in floors.iter_mut().zip(running.iter().flatten()) {
        *floor = job.output_at.saturating_sub(job.lane.history);
    }

    loop {
        for (&floor, job) in floors.iter().zip(running.iter_mut().flatten()) {
            job.status = prepare(job, floor).transpose();
        }
        if running.iter().flatten().any(|job| job.status.is_some()) {
            break;
        }
        kernel::run(kernel, &mut running[..count], &floors, workbench);
    }
    for (&floor, job) in floors.iter().zip(running.iter_mut().flatten()) {
        job.lane.history = (job.output_at - floor).min(WINDOW);
    }
}

/// Bring a lane to where the fast loops can take it (`None`), or to a status.
fn prepare<S: Symbol>(job: &mut Job<'_, S>, floor: usize) -> Result<Option<Status>, Error> {
    let mut bits = Bits::new(job.input, job.input_bit);
    let result = prepare_at(job, &mut bits, floor);
    job.input_bit = bits.at();
    result.map_err(|kind| Error {
        kind,
        bit: job.input_bit,
    })
}

fn prepare_at<S: Symbol>(
    job: &mut Job<'_, S>,
    bits: &mut Bits<'_>,
    floor: usize,
) -> Result<Option<Status>, ErrorKind> {
    let short = if job.input_is_last {
        Err(ErrorKind::UnexpectedEnd)
    } else {
        Ok(Some(Status::NeedInput))
    };
    loop {
        match job.lane.place {
            Place::Header => {
                let mut ahead = *bits;
                match header::read(&mut ahead, &mut job.lane.tables) {
                    Ok((_, block)) if may_make_reserved(job.lane, block) => {
                        return Ok(Some(Status::Reserved));
                    }
                    Ok((last, block)) => {
                        *bits = ahead;
                        job.lane.last = last;
                        job.lane.place = match block {
                            Block::Stored(length) => Place::Stored(length),
                            Block::Fixed if job.lane.fixed => Place::Tokens,
                            Block::Fixed => {
                                header::build_fixed(&mut job.lane.tables);
                                job.lane.fixed = true;
                                Place::Tokens
                            }
                            Block::Dynamic => {
                                job.lane.fixed = false;
                                Place::Tokens
                            }
                        };
                    }
                    Err(Trouble::Short) => return short,
                    Err(Trouble::Wrong(kind)) => {
                        // The tables may be half made.
                        job.lane.fixed = false;
                        return Err(kind);
                    }
                }
            }
            Place::Stored(0) => {
                if let Some(status) = end_block(job) {
                    return Ok(Some(status));
                }
            }
            Place::Stored(left) => {
                let from = (bits.at() / 8) as usize;
                let input = job.input.get(from..).unwrap_or_default();
                let room = &mut job.output[job.output_at..];
                if room.is_empty() {
                    return Ok(Some(Status::OutputFull));
                }
                let count = left.min(input.len()).min(room.len());
                if count == 0 {
                    return short;
                }
                S::store(&input[..count], &mut room[..count]);
                job.output_at += count;
                bits.skip(count as u32 * 8); // at most 65535 bytes
                job.lane.place = Place::Stored(left - count);
                if let Some(watch) = &mut job.lane.watch {
                    watch.pass(count);
                }
            }
            Place::Tokens => {
                if job.lane.pending.length > 0 {
                    careful::finish_match(job.lane, job.output, &mut job.output_at);
                    if job.lane.pending.length > 0 {
                        return Ok(Some(Status::OutputFull));
                    }
                }
                let fast = kernel::has_room(bits.left(), job.output.len() - job.output_at)
                    && !job.lane.is_watching();
                // In reach of the fast loops the only token taken here is the one that they left.
                let tokens = if !fast {
                    usize::MAX
                } else if job.lane.take_event() {
                    1
                } else {
                    return Ok(None);
                };
                match careful::run(
                    job.lane,
                    bits,
                    job.output,
                    &mut job.output_at,
                    floor,
                    tokens,
                )? {
                    Turn::Pause => {}
                    Turn::Short => return short,
                    Turn::Full => return Ok(Some(Status::OutputFull)),
                    Turn::BlockEnd => {
                        if let Some(status) = end_block(job) {
                            return Ok(Some(status));
                        }
                    }
                }
            }
            Place::End => return Ok(Some(Status::StreamEnd)),
        }
    }
}

/// Whether a block, of which the tables are made, could make a byte that is reserved.
#[inline]
fn may_make_reserved(lane: &mut Lane, block: Block) -> bool {
    if lane.reserved.is_empty() {
        return false;
    }
    let may = match block {
        Block::Stored(length) => length > 0,
        Block::Fixed => true,
        Block::Dynamic => lane.literals().meets(lane.reserved),
    };
    if may && block == Block::Dynamic {
        // The tables are no longer those of the fixed code, although the block is not begun.
        lane.fixed = false;
    }
    may
}

/// Leave a block.
fn end_block<S>(job: &mut Job<'_, S>) -> Option<Status> {
    if job.lane.last {
        job.lane.place = Place::End;
        return None;
    }
    job.lane.place = Place::Header;
    job.lane.stop_at_blocks.then_some(Status::BlockEnd)
}
