//! A k-mer as a value: two bits per base in one to eight words.
//!
//! All of it is [`thalweg_superkmers::kmer`]'s, which says what each bit means; [`dispatch`] has this crate's errors.
//!
//! ```
//! use thalweg_kmers::Kmer;
//!
//! let kmer = u64::from_letters(b"ACGTT").expect("five bases");
//! assert_eq!(kmer.canonical(5).to_letters(5), b"AACGT");
//! ```

use crate::error::Result;

pub use thalweg_superkmers::kmer::{
    Alphabet, EachType, Family, INVALID, Kmer, KmerTask, LETTERS, MAX_K, Wide, byte_len, code,
};

/// Runs `task` with the narrowest type that holds k-mers of length `k`.
///
/// # Errors
///
/// [`Error::BadK`](crate::Error::BadK) unless `1 <= k <= 255`.
pub fn dispatch<T: KmerTask>(k: usize, task: T) -> Result<T::Output> {
    Ok(thalweg_superkmers::kmer::dispatch(k, task)?)
}
