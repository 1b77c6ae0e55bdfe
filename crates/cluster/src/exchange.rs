//! What carries messages between ranks.

use std::fmt;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    /// From rank 0: what there is to read.
    Start,
    /// To rank 0: how many partitions there is memory for.
    Partitions,
    /// From rank 0: how many partitions there are.
    Agreed,
    /// To rank 0: how large partitions are in what was cut first.
    Weights,
    /// From rank 0: who owns which partitions.
    Ranges,
    /// To rank 0: a claim is wanted.
    Ask,
    /// From rank 0: claims.
    Deal,
    /// Blocks of partitions that the receiver owns.
    Blocks,
    /// To rank 0: what was counted.
    Counted,
    /// From rank 0: all is well.
    Verdict,
    /// To rank 0: a shard has its name.
    Named,
}

impl Tag {
    /// All of them, by their numbers.
    const ALL: [Self; 11] = [
        Self::Start,
        Self::Partitions,
        Self::Agreed,
        Self::Weights,
        Self::Ranges,
        Self::Ask,
        Self::Deal,
        Self::Blocks,
        Self::Counted,
        Self::Verdict,
        Self::Named,
    ];

    /// The tag of this number, if there is one.
    pub fn of_number(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }
}

/// A message that has arrived.
#[derive(Debug)]
pub struct Arrived {
    /// The rank that has sent it.
    pub from: usize,
    /// What it is.
    pub tag: Tag,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Messages between ranks, from the one thread of each that has this. None of its methods waits.
///
/// Messages of one rank to another arrive in the order in which they were sent. Those to oneself are not sent.
pub trait Exchange: Send {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// Begin to send a message. Its bytes are kept until the receiver begins to take them.
    ///
    /// # Errors
    /// If there is no way to send it, or the job is over.
    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Lost>;

    /// How many messages of this rank nobody has begun to take.
    ///
    /// # Errors
    /// If the job is over.
    fn under_way(&mut self) -> Result<usize, Lost>;

    /// Take a message that has arrived.
    ///
    /// # Errors
    /// If it is none of ours, or the job is over.
    fn receive(&mut self) -> Result<Option<Arrived>, Lost>;

    /// The memory of a message that was taken over by its receiver, empty.
    fn spare(&mut self) -> Option<Vec<u8>>;

    /// Say that this rank has come to a barrier.
    ///
    /// # Errors
    /// If the job is over.
    fn begin_barrier(&mut self) -> Result<(), Lost>;

    /// Whether all ranks have come to the barrier that this one began.
    ///
    /// # Errors
    /// If the job is over.
    fn is_barrier_over(&mut self) -> Result<bool, Lost>;

    /// End the job on all ranks, with this exit code where they are processes.
    fn abort(&mut self, code: u8);
}

/// The exchange does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost(pub String);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages between ranks: {}", self.0)
    }
}

impl std::error::Error for Lost {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tags_come_back() {
        for (number, tag) in Tag::ALL.into_iter().enumerate() {
            assert_eq!(tag as usize, number);
            assert_eq!(Tag::of_number(number), Some(tag));
        }
        assert_eq!(Tag::of_number(Tag::ALL.len()), None);
    }
}
