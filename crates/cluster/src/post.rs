//! The one thread of a rank that exchanges, while others read.
//!
//! ```text
//! until all ranks have come to the barrier:
//!   append each message with blocks to the inbox; answer who asks for claims (rank 0)
//!   send what is full, as long as not too much is under way
//!   ask for claims, if few are ahead
//!   own workers are done, nothing is to be sent, nothing under way: come to the barrier
//!   nothing moved: sleep, longer and longer
//! ```
//! Messages are counted as under way until their receiver begins to take them, which it then does at once. So when all ranks
//! have come to the barrier, all blocks are in inboxes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use thalweg::kmers::count::Inbox;
use thalweg_flow::Stop;

use crate::claims::{ClaimQueue, Dealer};
use crate::mail::{Mail, Patience};
use crate::outbox::{self, Shared};
use crate::{Arrived, Fault, Ownership, Tag, frames};

/// What the thread works with.
pub(crate) struct Post<'a, 'b> {
    pub(crate) mail: &'a mut Mail<'b>,
    pub(crate) shared: &'a Shared,
    pub(crate) queue: &'a ClaimQueue,
    /// Of rank 0.
    pub(crate) dealer: Option<Dealer>,
    /// Claims that were dealt, for who watches; of rank 0.
    pub(crate) dealt: Arc<AtomicU64>,
    pub(crate) workers: usize,
    /// Workers of this rank that are done.
    pub(crate) finished: &'a AtomicUsize,
    pub(crate) partitions: usize,
}

/// What went through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Post<'_, '_> {
    /// Exchange until all ranks have read all, or `stop` is raised. What this rank owns is told by others from then on.
    pub(crate) fn run(
        mut self,
        inbox: &mut Inbox,
        stop: &Stop,
    ) -> Result<Option<(Ownership, Traffic)>, Fault> {
        let mut traffic = Traffic::default();
        let mut weights = Weights::new(self.mail.ranks());
        let mut ownership: Option<Ownership> = None;
        let (mut has_asked, mut has_told, mut is_at_barrier) = (false, false, false);
        let mut patience = Patience::new();
        // Who began before this rank may have asked for claims already.
        let mut early = self.mail.take_early();
        while !stop.is_stopped() {
            let mut has_moved = false;
            while let Some(message) = match early.pop_front() {
                Some(early) => Some(early),
                None => self.mail.exchange().receive()?,
            } {
                has_moved = true;
                match message.tag {
                    Tag::Blocks => {
                        traffic.received += message.bytes.len() as u64;
                        self.take(inbox, &message)?;
                    }
                    Tag::Ask => self.answer(&message)?,
                    Tag::Deal => {
                        let [start, end, left] = frames::numbers(&message.bytes)
                            .and_then(|numbers| numbers.try_into().ok())
                            .ok_or_else(|| Fault::nonsense("claims"))?;
                        self.queue.add(start..end, left);
                        has_asked = false;
                    }
                    Tag::Weights => weights.add(&message.bytes)?,
                    Tag::Ranges => {
                        let ranges = Ownership::from_bytes(
                            &message.bytes,
                            self.mail.ranks(),
                            self.partitions,
                        );
                        ownership =
                            Some(self.begin(ranges.ok_or_else(|| Fault::nonsense("ranges"))?));
                    }
                    _ => self.mail.keep(message),
                }
            }
            while self.mail.exchange().under_way()? < self.shared.sizes.under_way
                && let Some((to, buffer)) = self.shared.outgoing.pop()
            {
                traffic.sent += buffer.len() as u64;
                self.mail.exchange().send(to, Tag::Blocks, buffer)?;
                has_moved = true;
            }
            while let Some(spare) = self.mail.exchange().spare() {
                self.shared.outgoing.give_back(spare);
            }
            if !has_asked && self.queue.wants_more() {
                has_asked = self.ask()?;
                has_moved = true;
            }
            if !has_told && let Some(own) = self.shared.measure.weights() {
                has_told = true;
                let bytes = frames::of_numbers(own);
                match self.mail.rank() {
                    0 => weights.add(&bytes)?,
                    _ => self.mail.exchange().send(0, Tag::Weights, bytes)?,
                }
            }
            if ownership.is_none()
                && let Some(all) = weights.all()
            {
                let ranges = Ownership::by_weights(all, self.mail.ranks());
                for rank in 1..self.mail.ranks() {
                    self.mail
                        .exchange()
                        .send(rank, Tag::Ranges, ranges.to_bytes())?;
                }
                ownership = Some(self.begin(ranges));
            }
            if !is_at_barrier
                && self.finished.load(Ordering::Acquire) == self.workers
                && self.shared.outgoing.is_empty()
                && self.mail.exchange().under_way()? == 0
            {
                self.mail.exchange().begin_barrier()?;
                is_at_barrier = true;
            }
            if is_at_barrier && self.mail.exchange().is_barrier_over()? {
                let ownership = ownership.ok_or_else(|| Fault::nonsense("ranges"))?;
                return Ok(Some((ownership, traffic)));
            }
            match has_moved {
                true => patience = Patience::new(),
                false => patience.sleep(),
            }
        }
        Ok(None)
    }

    /// Append blocks to the inbox.
    fn take(&self, inbox: &mut Inbox, message: &Arrived) -> Result<(), Fault> {
        if !outbox::is_whole(&message.bytes) {
            return Err(Fault::nonsense("a message of blocks"));
        }
        for (partition, block) in outbox::blocks(&message.bytes) {
            inbox
                .append(partition, block)
                .map_err(thalweg::kmers::Error::from)?;
        }
        Ok(())
    }

    /// Ask for claims; whether that takes until a message comes.
    fn ask(&mut self) -> Result<bool, Fault> {
        let workers = self.workers as u64;
        let Some(dealer) = &mut self.dealer else {
            let bytes = frames::of_numbers([workers]);
            self.mail.exchange().send(0, Tag::Ask, bytes)?;
            return Ok(true);
        };
        let run = dealer.deal(workers);
        self.dealt.fetch_add(run.end - run.start, Ordering::Relaxed);
        self.queue.add(run, dealer.left());
        Ok(false)
    }

    /// Give claims to who asks.
    fn answer(&mut self, message: &Arrived) -> Result<(), Fault> {
        let workers = frames::numbers(&message.bytes);
        let (Some(dealer), Some(&[workers])) = (&mut self.dealer, workers.as_deref()) else {
            return Err(Fault::nonsense("a wish for claims"));
        };
        let run = dealer.deal(workers);
        self.dealt.fetch_add(run.end - run.start, Ordering::Relaxed);
        let bytes = frames::of_numbers([run.start, run.end, dealer.left()]);
        Ok(self.mail.exchange().send(message.from, Tag::Deal, bytes)?)
    }

    /// Partitions have owners: workers can send.
    fn begin(&self, ownership: Ownership) -> Ownership {
        self.shared.measure.set_owners(ownership.owners());
        ownership
    }
}

/// What rank 0 hears of the sizes of partitions.
struct Weights {
    sums: Vec<u64>,
    missing: usize,
}

impl Weights {
    fn new(ranks: usize) -> Self {
        Self {
            sums: Vec::new(),
            missing: ranks,
        }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let more = frames::numbers(bytes).ok_or_else(|| Fault::nonsense("weights"))?;
        self.sums.resize(self.sums.len().max(more.len()), 0);
        for (sum, more) in self.sums.iter_mut().zip(more) {
            *sum += more;
        }
        self.missing -= 1;
        Ok(())
    }

    /// The sums, when all ranks have told theirs.
    fn all(&self) -> Option<&[u64]> {
        (self.missing == 0).then_some(&self.sums)
    }
}
