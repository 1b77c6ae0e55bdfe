//! What differs by the type of k-mers, chosen by the type.

use super::{Kmer, Wide};

/// A type for each type of k-mers: what [`Kmer::choose`] chooses among.
pub trait Family {
    /// The one for k-mers of type `K`.
    type Of<K: Kmer>;
}

/// One value for each type of k-mers.
///
/// Who is generic over k-mers can so call what was compiled for each of them in another place: of functions, `Of<K>` is
/// a pointer to one.
///
/// ```
/// use thalweg_superkmers::kmer::{EachType, Family, Kmer};
///
/// struct Name;
/// impl Family for Name {
///     type Of<K: Kmer> = &'static str;
/// }
/// let names = || EachType::<Name> { one: "one word", two: "two", four: "four", eight: "eight" };
/// assert_eq!(u128::choose(names()), "two");
/// ```
#[derive(Debug)]
pub struct EachType<F: Family> {
    /// For `u64`.
    pub one: F::Of<u64>,
    /// For `u128`.
    pub two: F::Of<u128>,
    /// For [`Wide<4>`].
    pub four: F::Of<Wide<4>>,
    /// For [`Wide<8>`].
    pub eight: F::Of<Wide<8>>,
}
