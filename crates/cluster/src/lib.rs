//! One count of k-mers by several processes, of which each owns some of the partitions.
//!
//! ```text
//!            rank 0: table of claims, who owns which partitions                                  (job, ownership)
//!                │ broadcast                        ┌──────────────── claims, two ahead of each worker (claims)
//!                ▼                                  ▼
//! each rank: workers: read ──► super-k-mers ──► own partition? ──► chunks                        (outbox)
//!                                                 │ no: a buffer for its owner
//!                                                 ▼
//!            one thread: sends, receives, appends what came to an inbox; sleeps when nothing moves    (post)
//!                │ all have read, nothing is under way
//!                ▼
//!            own partitions are counted ──► a shard, under a temporary name                         (job)
//! all:       sums and seams are checked by rank 0; shards get their names; the manifest is written (shards)
//! ```
//! What carries messages is an [`Exchange`]. [`InProcess`] has threads as ranks, with delays that tests choose; MPI's is a
//! program of its own, `thalweg-mpi`.
//!
//! Memory that the exchange takes beside counting is bounded: see [`Sizes`]. No worker waits for the net while it cuts a
//! sequence. Between batches it does, as long as more is to be sent than the bound allows. The thread that exchanges never
//! waits for a worker, so two ranks that are both full take from each other.
#![forbid(unsafe_code)]

mod claims;
mod directory_lock;
mod exchange;
mod fault;
mod frames;
mod in_process;
mod job;
mod mail;
mod measure;
pub mod model;
mod outbox;
mod outgoing;
mod ownership;
mod post;
mod rank_report;
mod shards;
mod sizes;
mod stage1;

pub use exchange::{Arrived, Exchange, Lost, Tag};
pub use fault::Fault;
pub use in_process::{Delays, InProcess};
pub use job::{ClusterJob, ClusterSettings, Found, Result as Outcome};
pub use ownership::Ownership;
pub use rank_report::RankReport;
pub use shards::Destination;
pub use sizes::Sizes;
