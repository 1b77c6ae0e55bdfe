/// Why sequences could not be cut into super-k-mers, or these not be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// k lies outside what is supported.
    #[error("k = {k} is outside 1..={max}")]
    BadK {
        /// The k asked for.
        k: usize,
        /// The largest k of the type or format used.
        max: usize,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
