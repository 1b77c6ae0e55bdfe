//! Who else looks at each call, beside labels and the tally.

use thalweg_taxa::classify::{Call, Hits};
use thalweg_taxa::sample::SampleObserver;

/// A read, or a pair, with its call.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// The name of the read, or of the first mate.
    pub id: &'a [u8],
    /// What was found of the read, or of both mates.
    pub mates: &'a [Hits<'a>],
    /// What it is.
    pub call: &'a Call,
}

/// Collects something over all calls. Each thread has one, which is given the reads that the thread labels, in no order;
/// in the end they are merged. What comes of it must not depend on which of them had which read.
///
/// `()` collects nothing and costs nothing.
pub trait Collect: Send {
    /// Take one more read or pair.
    fn add(&mut self, called: &Called<'_>);

    /// Take all that another one has.
    fn merge(&mut self, other: Self);
}

impl Collect for () {
    #[inline]
    fn add(&mut self, _: &Called<'_>) {}

    #[inline]
    fn merge(&mut self, (): Self) {}
}

/// `None` collects nothing, and is what all have then.
impl Collect for Option<SampleObserver<'_>> {
    #[inline]
    fn add(&mut self, called: &Called<'_>) {
        if let Some(observer) = self {
            observer.add(called.mates, called.call);
        }
    }

    fn merge(&mut self, other: Self) {
        if let (Some(own), Some(others)) = (self, other) {
            own.merge(others);
        }
    }
}
