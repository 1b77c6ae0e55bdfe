//! The first stage of one rank: its workers read what they claim, one thread exchanges.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use thalweg::ReaderOptions;
use thalweg::count::add;
use thalweg::kmers::count::{Counter, Share};
use thalweg::sharing::{ClaimReport, ClaimTable};
use thalweg_flow::{Stop, run_or};

use crate::claims::{ClaimQueue, Dealer};
use crate::mail::Mail;
use crate::measure::Measure;
use crate::outbox::{Outbox, Shared};
use crate::outgoing::Outgoing;
use crate::post::{Post, Traffic};
use crate::{Fault, Ownership, RankReport, Sizes};

/// What the first stage works with.
pub(crate) struct Stage1<'a> {
    pub(crate) counter: &'a Counter,
    pub(crate) sizes: Sizes,
    pub(crate) reading: ReaderOptions,
    pub(crate) table: ClaimTable,
    pub(crate) workers: usize,
    /// Of all ranks.
    pub(crate) all_workers: usize,
    pub(crate) dealt: Arc<AtomicU64>,
}

/// What it gives.
pub(crate) struct Cut {
    pub(crate) shares: Vec<Share>,
    pub(crate) reports: Vec<ClaimReport>,
    pub(crate) ownership: Ownership,
}

/// What one thread gives.
enum Part {
    Worker(Vec<Share>),
    Post(Box<(Option<(Ownership, Traffic)>, Share)>),
}

impl Stage1<'_> {
    pub(crate) fn run(self, mail: &mut Mail<'_>, report: &mut RankReport) -> Result<Cut, Fault> {
        let Self {
            counter, workers, ..
        } = self;
        let partitions = counter.partitions();
        let claims = self.table.claims();
        let shared = Shared {
            rank: mail.rank(),
            ranks: mail.ranks(),
            record_words: counter.scheme().record_words(),
            sizes: self.sizes,
            measure: Measure::new(partitions, workers),
            outgoing: Outgoing::new(self.sizes.waiting),
        };
        let all_workers = self.all_workers as u64;
        let queue = Arc::new(ClaimQueue::new(claims, workers as u64, all_workers));
        let source = Arc::clone(&queue);
        let reader = Arc::new(self.reading.open_shared(self.table, source)?);
        let finished = AtomicUsize::new(0);
        let dealer = (mail.rank() == 0).then(|| Dealer::new(claims, all_workers));
        let post = Mutex::new(Some(Post {
            mail,
            shared: &shared,
            queue: &queue,
            dealer,
            dealt: self.dealt,
            workers,
            finished: &finished,
            partitions,
        }));
        let exchange = |stop: &Stop| -> Result<Part, Fault> {
            let mut inbox = counter.inbox()?;
            let post = post.lock().unwrap_or_else(PoisonError::into_inner).take();
            let outcome = match post {
                Some(post) => post.run(&mut inbox, stop)?,
                None => None,
            };
            let share = Share::of_blocks(inbox.seal());
            Ok(Part::Post(Box::new((outcome, share))))
        };
        let with_quality = counter.options().minimum_quality() > 0;
        let cut = |number: usize, stop: &Stop| -> Result<Part, Fault> {
            let of_blocks = thalweg::kmers::Error::from;
            let mut source = reader.worker(number);
            let mut worker =
                counter.worker_with(|chunks| Outbox::new(&shared, chunks, partitions))?;
            while let Some(batch) = source.next_batch()?
                && !stop.is_stopped()
            {
                add(&mut worker, &batch, with_quality)?;
                worker.sink_mut().settle().map_err(of_blocks)?;
            }
            let (share, outbox) = worker.finish()?;
            let chunks = outbox.finish().map_err(of_blocks)?;
            finished.fetch_add(1, Ordering::AcqRel);
            Ok(Part::Worker(vec![share, Share::of_blocks(chunks.seal())]))
        };
        let parts = run_or(
            workers + 1,
            |number, stop| match number {
                // MPI wants to be called by the thread that began it.
                0 => exchange(stop),
                _ => cut(number - 1, stop),
            },
            || {
                queue.close();
                shared.outgoing.close();
                shared.measure.close();
            },
        )
        .map_err(Fault::of_threads)?;
        let mut shares = Vec::with_capacity(2 * workers + 1);
        let mut exchanged = None;
        for part in parts {
            match part {
                Part::Worker(more) => shares.extend(more),
                Part::Post(post) => {
                    let (outcome, share) = *post;
                    shares.push(share);
                    exchanged = outcome;
                }
            }
        }
        let (ownership, traffic) = exchanged.ok_or_else(|| Fault::nonsense("the exchange"))?;
        report.sent = traffic.sent;
        report.received = traffic.received;
        report.waited = queue.waited() + shared.outgoing.waited() + shared.measure.waited();
        report.waiting_bytes = shared.outgoing.most_bytes() as u64;
        let reports = reader.take_reports();
        report.records = reports.iter().map(|report| report.records).sum();
        Ok(Cut {
            shares,
            reports,
            ownership,
        })
    }
}
