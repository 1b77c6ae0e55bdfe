//! What can be wrong with a DEFLATE stream, and where.

/// A DEFLATE stream that cannot be decoded, and the place where that was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (bit {bit} of the compressed input)")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// First bit of the token or block header at fault, counted from the start of
    /// [`Job::input`](crate::Job::input) of the call that reported it.
    pub bit: u64,
}

/// The ways in which DEFLATE data can be wrong. The data are at fault in every case; retrying
/// does not help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A block header announces the reserved block type 3.
    #[error("reserved block type")]
    InvalidBlockType,
    /// The length of a stored block and its complement disagree.
    #[error("length of a stored block does not match its complement")]
    StoredLengthMismatch,
    /// A dynamic block declares more than 286 literal/length or 30 distance codes.
    #[error("too many literal/length or distance codes")]
    TooManySymbols,
    /// The code lengths of a dynamic block are over-subscribed, incomplete, run past their end,
    /// repeat nothing, or leave out the end-of-block symbol.
    #[error("invalid set of code lengths")]
    InvalidCodeLengths,
    /// A code word that stands for no symbol, or for one of the reserved ones.
    #[error("invalid literal, length or distance code")]
    InvalidSymbol,
    /// A match refers to bytes before the first one known.
    #[error("invalid back-reference: it points before the start of the data")]
    DistanceTooFar,
    /// The input ends within a block.
    #[error("compressed data end too early")]
    UnexpectedEnd,
}
