//! Threads, budgets, ordering and cancellation: the only crate that starts a thread.
//!
//! What a stage needs to work on several cores is here, in the order in which
//! data meet it:
//!
//! - [`Budget`]: how many threads and how much memory a command may use.
//! - [`Claims`]: who does what: one atomic increment hands out the next piece of work.
//! - [`Relay`]: what can only be made in order is made by one worker at a time, and taken by all.
//! - [`Pile`]: work that some bring and any do, who stay until nobody brings more.
//! - [`Pool`]: buffers that are used again instead of being allocated again.
//! - [`run`] and [`Crew`]: threads that stop together when one of them fails or panics.
//! - [`Background`]: one thread that waits for something, while its owner goes on.
//! - [`Gate`]: nobody starts work that lies too far ahead of what is finished.
//! - [`Sequencer`]: results leave in the order of their tickets, whoever made them.
//!
//! The ordering code takes its locks from the private module `sync`, so that
//! `RUSTFLAGS="--cfg loom" cargo test -p thalweg-flow` lets the model checker
//! try every interleaving.
//!
//! ```
//! use thalweg_flow::{Claims, run};
//!
//! let squares = Claims::new(100);
//! let sums = run::<u64, (), _>(4, |_worker, stop| {
//!     let mut sum = 0;
//!     while let Some(n) = squares.claim().filter(|_| !stop.is_stopped()) {
//!         sum += n * n;
//!     }
//!     Ok(sum)
//! })?;
//! assert_eq!(sums.iter().sum::<u64>(), 328_350);
//! # Ok::<(), thalweg_flow::Failure<()>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(not(loom))]
mod background;
mod budget;
mod claims;
mod gate;
mod pile;
mod pool;
mod relay;
#[cfg(not(loom))]
mod run;
mod sequencer;
mod stop;
mod sync;

#[cfg(not(loom))]
pub use background::Background;
pub use budget::Budget;
pub use claims::Claims;
pub use gate::{Closed, Gate};
pub use pile::{Bringer, Pile};
pub use pool::Pool;
pub use relay::{Made, Relay};
#[cfg(not(loom))]
pub use run::{Crew, Failure, run, run_or};
pub use sequencer::{Place, Sequencer, SequencerError};
pub use stop::Stop;
