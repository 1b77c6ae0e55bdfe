//! Sequences of adapters that instruments' makers have published.

/// Sequence and name. What reads show at their 3' ends begins like the sequence.
pub(crate) const KNOWN: [(&[u8], &str); 0] = [];
