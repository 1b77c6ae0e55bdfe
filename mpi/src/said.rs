//! What is said beside results.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thalweg::count::Position;
use thalweg_cluster::{Fault, Found, RankReport};

use crate::arguments::CountArguments;
use crate::quantity::{bytes, thousands};

/// Between two lines of progress: a job's output is read later, as a file.
const TICK: Duration = Duration::from_secs(10);

/// Says how far reading is, until it is dropped.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    pub(crate) fn start(position: Position) -> Self {
        let (stop, stopped) = channel::<()>();
        let start = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let (done, all) = position();
                let rate = done as f64 / start.elapsed().as_secs_f64();
                let of = all.map_or(String::new(), |all| format!(" of {}", bytes(all)));
                eprintln!(
                    "thalweg-mpi: {}{of} given out, {}/s",
                    bytes(done),
                    bytes(rate as u64)
                );
            }
        });
        Self(thread.ok().map(|thread| (stop, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// Say what has gone wrong, and where.
pub(crate) fn tell_fault(rank: usize, fault: &Fault) {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let hint = fault
        .hint()
        .map_or(String::new(), |hint| format!("hint: {hint}\n"));
    // At once: other ranks may have something to say at the same time.
    let said = format!(
        "thalweg-mpi: error: rank {rank} ({}): {fault}\n{hint}",
        host.trim()
    );
    let _ = std::io::stderr().write_all(said.as_bytes());
}

/// Say what was found.
pub(crate) fn summarize(arguments: &CountArguments, found: &Found, time: Duration) {
    let totals = &found.totals;
    let strands = match arguments.forward {
        true => "strands separate",
        false => "canonical",
    };
    let kept = match (arguments.min.max(1), arguments.max) {
        (1, u64::MAX) => String::new(),
        _ => format!(", {} of them kept", thousands(totals.kept_distinct)),
    };
    eprintln!(
        "thalweg-mpi: {} k-mers, {} distinct{kept} (k = {}, {strands}) of {} bases in {:.1} s, {} ranks",
        thousands(totals.kmers),
        thousands(totals.distinct),
        arguments.k,
        thousands(totals.bases),
        time.as_secs_f64(),
        found.ranks.len(),
    );
    if totals.other_letters.total() > 0 {
        eprintln!(
            "thalweg-mpi: skipped k-mers that contain letters other than A, C, G, T and U; {} such letters in the reads",
            thousands(totals.other_letters.total())
        );
    }
    for (file, size) in &found.undivided {
        eprintln!(
            "thalweg-mpi: note: {} ({}) was read by one rank alone; `thalweg index` lets all share it, if it is gzip",
            file.display(),
            bytes(*size)
        );
    }
    for rank in &found.ranks {
        tell_rank(rank);
        if arguments.verbose {
            eprintln!(
                "rank {}: at most {} waited to be sent",
                rank.rank,
                bytes(rank.waiting_bytes)
            );
        }
    }
}

fn tell_rank(rank: &RankReport) {
    eprintln!(
        "rank {} ({}): {} reads, {} k-mers cut, {} counted; sent {}, received {}; waited {:.2} s; stages {:.2} and {:.2} s; \
         spilled {}; peak memory {}",
        rank.rank,
        rank.host,
        thousands(rank.records),
        thousands(rank.kmers_cut),
        thousands(rank.kmers_counted),
        bytes(rank.sent),
        bytes(rank.received),
        rank.waited.as_secs_f64(),
        rank.stages[0].as_secs_f64(),
        rank.stages[1].as_secs_f64(),
        bytes(rank.spilled),
        bytes(rank.peak_memory),
    );
}
