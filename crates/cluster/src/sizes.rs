//! How much memory the exchange takes.

/// Sizes of what waits between cutting and sending, from what a rank may use for it.
///
/// A worker fills one buffer for each other rank. Those that are full wait to be sent, and some are under way. One message is
/// received at a time, and appended to the inbox at once. What is cut before partitions have owners is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of a buffer.
    pub buffer: usize,
    /// Bytes of full buffers beyond which workers wait. A batch that is being cut may exceed it by what it has.
    pub waiting: usize,
    /// Messages under way.
    pub under_way: usize,
    /// Bytes that each worker holds before partitions have owners.
    pub held: usize,
}

/// What the exchange takes of a rank's memory.
const SHARE: u64 = 8;

/// It needs no more, however much there is.
const MOST: u64 = 512 << 20;

/// A smaller buffer costs more waiting than it spares memory.
const LEAST_BUFFER: u64 = 16 << 10;

/// A larger one gives nothing.
const MOST_BUFFER: u64 = 1 << 20;

impl Sizes {
    /// What `memory` bytes of a rank with so many workers give to the exchange with so many ranks, of that many partitions; and
    /// how many bytes that are.
    pub fn of(memory: u64, workers: usize, ranks: usize, partitions: usize) -> (Self, u64) {
        if ranks == 1 {
            let nothing = Self {
                buffer: 0,
                waiting: 0,
                under_way: 0,
                held: 0,
            };
            return (nothing, 0);
        }
        let share = (memory / SHARE).min(MOST);
        let filled = (workers * (ranks - 1)) as u64;
        let buffer = (share / 4 / filled).clamp(LEAST_BUFFER, MOST_BUFFER);
        let waiting = (share / 4).max(2 * buffer);
        let under_way = (share / 4 / buffer).clamp(4, 64);
        // Four blocks of each partition tell their sizes well enough.
        let wanted = (4 * 260 * partitions) as u64;
        let held = wanted.min(share / 4 / workers as u64).max(LEAST_BUFFER);
        let taken = filled * buffer + waiting + under_way * buffer + held * workers as u64;
        let sizes = Self {
            buffer: buffer as usize,
            waiting: waiting as usize,
            under_way: under_way as usize,
            held: held as usize,
        };
        (sizes, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exchange_takes_an_eighth_where_that_is_enough() {
        for memory in [256 << 20, 1 << 30, 64 << 30] {
            for (workers, ranks) in [(1, 2), (2, 4), (24, 128)] {
                let (sizes, taken) = Sizes::of(memory, workers, ranks, 4096);
                let filled = (workers * (ranks - 1) * sizes.buffer) as u64;
                let least = filled + 8 * LEAST_BUFFER;
                assert!(
                    taken <= (memory / SHARE).max(2 * least),
                    "{memory} {sizes:?} {taken}"
                );
                assert!(sizes.buffer >= 16 << 10 && sizes.under_way >= 4);
            }
        }
        assert_eq!(Sizes::of(1 << 30, 2, 1, 4096).1, 0);
    }
}
