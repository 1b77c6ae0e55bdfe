//! What ranks tell each other when nobody reads: each waits for the others, and sleeps.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Arrived, Exchange, Fault, Tag};

/// How long a thread sleeps that has nothing to do: at first, and at most.
const SLEEP: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(1)];

/// Sleeps longer and longer, until something moves.
pub(crate) struct Patience(Duration);

impl Patience {
    pub(crate) fn new() -> Self {
        Self(SLEEP[0])
    }

    pub(crate) fn sleep(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 5 / 4).min(SLEEP[1]);
    }
}

/// An exchange, and messages that came before they were waited for.
pub(crate) struct Mail<'a> {
    exchange: &'a mut dyn Exchange,
    early: VecDeque<Arrived>,
}

impl<'a> Mail<'a> {
    pub(crate) fn new(exchange: &'a mut dyn Exchange) -> Self {
        Self {
            exchange,
            early: VecDeque::new(),
        }
    }

    pub(crate) fn exchange(&mut self) -> &mut dyn Exchange {
        self.exchange
    }

    pub(crate) fn rank(&self) -> usize {
        self.exchange.rank()
    }

    pub(crate) fn ranks(&self) -> usize {
        self.exchange.ranks()
    }

    /// Messages that came before they were waited for.
    pub(crate) fn take_early(&mut self) -> VecDeque<Arrived> {
        std::mem::take(&mut self.early)
    }

    /// Keep a message for who will wait for it.
    pub(crate) fn keep(&mut self, message: Arrived) {
        self.early.push_back(message);
    }

    /// Wait for a message of this kind.
    fn wait(&mut self, tag: Tag) -> Result<Arrived, Fault> {
        let place = self.early.iter().position(|early| early.tag == tag);
        if let Some(message) = place.and_then(|place| self.early.remove(place)) {
            return Ok(message);
        }
        let mut patience = Patience::new();
        loop {
            match self.exchange.receive()? {
                Some(message) if message.tag == tag => return Ok(message),
                Some(other) => self.early.push_back(other),
                None => patience.sleep(),
            }
        }
    }

    /// Give all ranks what rank 0 has: each tells those that are a power of two behind it, if that is more than its own number.
    pub(crate) fn broadcast(&mut self, tag: Tag, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let bytes = match rank {
            0 => bytes,
            _ => self.wait(tag)?.bytes,
        };
        let mut step = (rank + 1).next_power_of_two();
        while rank + step < ranks {
            self.exchange.send(rank + step, tag, bytes.clone())?;
            step *= 2;
        }
        self.flush()?;
        Ok(bytes)
    }

    /// Give rank 0 what each has, by ranks; the others get nothing.
    pub(crate) fn gather(&mut self, tag: Tag, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Fault> {
        if self.rank() > 0 {
            self.exchange.send(0, tag, bytes)?;
            self.flush()?;
            return Ok(Vec::new());
        }
        let mut all = vec![None; self.ranks()];
        all[0] = Some(bytes);
        while all.contains(&None) {
            let message = self.wait(tag)?;
            all[message.from] = Some(message.bytes);
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// Wait until all that this rank has sent was taken.
    fn flush(&mut self) -> Result<(), Fault> {
        let mut patience = Patience::new();
        while self.exchange.under_way()? > 0 {
            match self.exchange.receive()? {
                Some(message) => self.early.push_back(message),
                None => patience.sleep(),
            }
        }
        Ok(())
    }

    /// Wait until all ranks have come here.
    pub(crate) fn barrier(&mut self) -> Result<(), Fault> {
        self.exchange.begin_barrier()?;
        let mut patience = Patience::new();
        while !self.exchange.is_barrier_over()? {
            match self.exchange.receive()? {
                Some(message) => self.early.push_back(message),
                None => patience.sleep(),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delays, InProcess};

    #[test]
    fn everybody_hears_of_rank_0_and_rank_0_of_everybody() {
        for ranks in 1..=9 {
            let delays =
                Delays::new(|from, to, _| Duration::from_micros((from * 70 + to * 30) as u64));
            let ends = InProcess::new(ranks, delays);
            std::thread::scope(|scope| {
                for mut end in ends {
                    scope.spawn(move || {
                        let mut mail = Mail::new(&mut end);
                        let rank = mail.rank() as u8;
                        for round in 0..3 {
                            let told = mail.broadcast(Tag::Start, vec![rank, round]).unwrap();
                            assert_eq!(told, [0, round]);
                            let all = mail.gather(Tag::Counted, vec![rank, round]).unwrap();
                            let expected = (0..ranks as u8).map(|rank| vec![rank, round]);
                            assert!(rank > 0 || all.into_iter().eq(expected));
                        }
                        mail.barrier().unwrap();
                    });
                }
            });
        }
    }
}
