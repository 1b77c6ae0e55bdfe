//! How much memory a count takes if nobody says, and what of it is left for counting.

use thalweg_flow::Budget;
use thalweg_kmers::Error;

use crate::memory;

/// Less than this is slower than it needs to be, on any machine that reads are counted on.
const LEAST: u64 = 256 << 20;

/// What the process takes besides: the program itself (9 MiB), five blocks on their way to the disk
/// (10 MiB), and what the allocator keeps of what was freed. What decoders of zstd, xz and bzip2 hold is
/// not known before, and comes on top.
const PROCESS: u64 = 20 << 20;

/// What each thread takes besides: text on its way from the reader, blocks on their way into the database, its
/// stack, and again what the allocator keeps. 3 to 5 MiB were seen with 2 to 16 threads.
const THREAD: u64 = 6 << 20;

/// The least that a thread counts with.
const COUNTING: u64 = 2 << 20;

/// What is left for counting of a process that may take `limit` bytes, all in all: its allocator must not keep large ones that
/// were freed. By itself it takes what [`available`] says, or what it needs.
///
/// # Errors
/// [`Error::Memory`] if the limit is lower than what a count needs: 20 MiB, and 8 MiB for each thread.
pub fn for_counting(
    limit: Option<u64>,
    threads: usize,
    addresses: Option<u64>,
) -> Result<u64, Error> {
    let threads = threads as u64;
    let besides = PROCESS + THREAD * threads;
    let needed = besides + COUNTING * threads;
    match limit {
        Some(limit) if limit < needed => Err(Error::Memory { limit, needed }),
        Some(limit) => Ok(limit - besides),
        None => Ok(available(addresses).max(needed) - besides),
    }
}

/// What the system says is available, or the limit that this process runs under, if that is less.
pub fn unused() -> Option<u64> {
    memory::unused()
}

/// Half of what the system says is available, or of the limit that this process runs under, if
/// that is less; of the `addresses` that it may use, where there is a limit, a quarter.
pub fn available(addresses: Option<u64>) -> u64 {
    let bytes = match unused() {
        Some(bytes) => share_of(bytes),
        None => Budget::DEFAULT_MEMORY,
    };
    // Stacks and what the allocator sets aside for each thread are addresses, too, of which little becomes memory.
    addresses.map_or(bytes, |limit| bytes.min(limit / 4))
}

/// What to take of what there is: half, or more if that is little, but never all.
fn share_of(bytes: u64) -> u64 {
    (bytes / 2).max(LEAST.min(bytes / 4 * 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_some() {
        if unused().is_none_or(|bytes| bytes >= 2 * LEAST) {
            assert!(available(None) >= LEAST);
            assert_eq!(available(Some(LEAST)), LEAST / 4);
        }
        assert!(available(None) > 0);
        assert_eq!(share_of(8 << 30), 4 << 30);
        assert_eq!(share_of(400 << 20), LEAST);
        assert_eq!(share_of(128 << 20), 96 << 20);
        for threads in [1, 64, 1024] {
            assert!(for_counting(None, threads, None).unwrap() >= COUNTING * threads as u64);
        }
    }

    #[test]
    fn limits_that_are_too_low_are_told() {
        let needed = 36 << 20;
        assert_eq!(for_counting(Some(needed), 2, None).unwrap(), 4 << 20);
        let error = for_counting(Some(needed - 1), 2, None).unwrap_err();
        assert!(error.to_string().contains(&needed.to_string()), "{error}");
    }
}
