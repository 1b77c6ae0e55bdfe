//! A gzip file decoded in several places at once, without an index.
//!
//! ```text
//! strips   |----------|----------|----------|-----   compressed bytes, cut by their offset alone
//! starts      ^           ^             ^            the first block that is found in each
//! legs        [-----------)[------------)[--------   decoded by whoever is free, without the window before them
//! decoder  ------------->|                           in order; where a leg begins right where it stands, takes that
//! ```
//! Whoever decodes in order ([`Decoder::with_legs`](crate::Decoder::with_legs)) stands at a block's start, and knows the
//! window before it. A leg that begins at that bit is what it would decode next: its symbols follow from the bits from there on and
//! the window, and where it refers to the window the bytes are put in. Nothing else of a leg is ever used. So what comes out,
//! the errors, and where they are told, are those of the decoder alone, whatever the legs are.
//!
//! Of a stream, such as a pipe, legs begin only where their strips have come; where they have not, the decoder goes on alone.
//!
//! A start that the decoder passes by was false. After two of those the rest of the file is decoded in order.

mod ahead;
mod buffers;
mod codes;
mod leg;
mod making;
mod shared;
mod source;
mod strip;
#[cfg(test)]
mod tests;

pub(crate) use self::leg::LegText;
pub use self::shared::{Helper, Legs};
