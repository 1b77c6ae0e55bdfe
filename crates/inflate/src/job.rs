//! What the owner of a lane hands over for one call of [`decode`](crate::decode), and what it gets back.

use crate::{Error, Lane};

/// What one lane reads and writes in one call of [`decode`](crate::decode), where `S` is a byte, or of
/// [`decode_symbols`](crate::decode_symbols), where it is a `u16`.
///
/// The owner keeps input and output; the lane keeps only its place in the block. `input` is never
/// read past its end and `output` never written past its end, but what is in `output` from
/// `output_at` on is scratch space: the decoder may leave anything there.
#[derive(Debug)]
pub struct Job<'a, S = u8> {
    /// The state of the stream.
    pub lane: &'a mut Lane,
    /// Compressed bytes.
    pub input: &'a [u8],
    /// In and out: the next unread bit, counted from the start of `input`; bit 0 is the least
    /// significant one of byte 0.
    pub input_bit: u64,
    /// No more input will ever follow `input`: running out of it is an error.
    pub input_is_last: bool,
    /// History and room. `output[..output_at]` ends with the symbols decoded so far, at least the
    /// last [`WINDOW`](crate::WINDOW) of them or as many as there are.
    pub output: &'a mut [S],
    /// In and out: where the next symbol goes.
    pub output_at: usize,
    /// `None`: wants to run. Set by [`decode`](crate::decode) when the lane needs its owner.
    pub status: Option<Result<Status, Error>>,
}

/// Why a lane stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// What is left of the input does not hold the next token or block header whole. The unread
    /// rest, from byte `input_bit / 8` on, must stand at the front of the next input, with more
    /// behind it. Never returned when [`Job::input_is_last`].
    NeedInput,
    /// `output_at == output.len()` and more symbols are to come. A match that did not fit is
    /// remembered in the lane.
    OutputFull,
    /// A non-final block ended; `input_bit` is the first bit of the next block's header. Only
    /// returned when asked for by [`Lane::stop_at_blocks`].
    BlockEnd,
    /// The next block may have a literal that is [reserved](crate::Lane::reserve); `input_bit` is the first
    /// bit of its header, which was not taken.
    Reserved,
    /// The final block ended; `input_bit` is the bit after it, and what follows starts at the next
    /// whole byte.
    StreamEnd,
}
