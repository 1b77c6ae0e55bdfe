//! Work that is given out from outside: to several processes, or in another order.
//!
//! ```text
//! ReaderOptions ──► ClaimTable ══ sent ══► SharedReader ──► SharedWorker ──► Batch
//!                   what there is          in each process   asks a ClaimSource
//!                        ▲                                        │
//!                        └──── check: all, and once ══ sent ══ ClaimReport
//! ```
//! A *claim* is the right to read one run of records of indexed files, one part of a file that is cut by size, or all of what
//! can only be read in order. The claims of all inputs are numbered through. Whoever has the table can give the numbers
//! out, by a counter in shared memory, or by messages; a process opens the files of a claim when it has one.

mod reader;
mod report;
mod table;
mod worker;

use thalweg_flow::Claims;

pub use reader::SharedReader;
pub use report::ClaimReport;
pub use table::{ClaimTable, ClaimedFile};
pub(crate) use worker::OutsideClaims;
pub use worker::SharedWorker;

/// Who gives claims out, to any number of threads at a time.
pub trait ClaimSource: Send + Sync {
    /// A claim that nobody had, from 0 to the [number](ClaimTable::claims) of all; `None` when there are no more, for good.
    ///
    /// Files are opened in the order in which their claims come, and closed when the next one is of another file. So
    /// numbers that increase, as one thread sees them, are the fastest.
    fn claim(&self) -> Option<u64>;

    /// About how many claims are left for this process: near the end its threads take one at a time, and before that
    /// several, which they decode together.
    fn left(&self) -> u64;
}

/// The claims of one process, in their order.
impl ClaimSource for Claims {
    fn claim(&self) -> Option<u64> {
        Claims::claim(self)
    }

    fn left(&self) -> u64 {
        Claims::left(self)
    }
}
