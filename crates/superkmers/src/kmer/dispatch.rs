use super::{Kmer, MAX_K, Wide};
use crate::error::{Error, Result};

/// Work that is written once for every k-mer type, for [`dispatch`].
pub trait KmerTask {
    /// What the work returns.
    type Output;

    /// Does the work with k-mers of type `K`.
    fn run<K: Kmer>(self) -> Self::Output;
}

/// Runs `task` with the narrowest type that holds k-mers of length `k`.
///
/// # Errors
///
/// [`Error::BadK`] unless `1 <= k <= 255`.
pub fn dispatch<T: KmerTask>(k: usize, task: T) -> Result<T::Output> {
    Ok(match k {
        1..=32 => task.run::<u64>(),
        33..=64 => task.run::<u128>(),
        65..=128 => task.run::<Wide<4>>(),
        129..=MAX_K => task.run::<Wide<8>>(),
        _ => return Err(Error::BadK { k, max: MAX_K }),
    })
}
