//! How often each of some dozens of values occurs, without a table in which each byte would have to find its counter.
//!
//! ```text
//! for each 64 bytes:
//!     planes = the lowest bits of all bytes, the second bits, ...: eight words of 64 bits
//!     low    = where the lower three bits are 0, 1, ... 7: eight words
//!     high   = where the upper bits are 0, 1, ... 7: eight words
//!     for each turn of high:
//!         counts += ones(low & high)                                       eight values at once
//! ```
//! One increment for each byte, or for two, has to wait for the last one of the same counter. Here 64 bytes take some
//! 20 cycles, whatever they are. This takes AVX-512 with VBMI, VPOPCNTDQ and GFNI (Ice Lake, Zen 4 and later); where
//! there is none, there is no [`ValueCounter`].

#[cfg(target_arch = "x86_64")]
mod planes;

/// Lanes of a row of [`ValueCounts`], and rows of the 64 lower values.
const LANES: usize = 8;
/// Rows of the next 32 values.
const UPPER: usize = 4;

/// How often each value occurred: a byte less the lowest one that counts. With 8 rows there are 64 values, with 12 there
/// are 96.
#[derive(Clone, Debug)]
pub struct ValueCounts<const ROWS: usize> {
    /// A lane has the same lower three bits in all rows, and other upper bits in each: see [`ValueCounts::place`].
    rows: [[u64; LANES]; ROWS],
}

impl<const ROWS: usize> ValueCounts<ROWS> {
    /// Values that are told apart.
    pub const VALUES: usize = ROWS * LANES;

    /// Nothing occurred yet.
    pub const fn new() -> Self {
        const { assert!(ROWS == LANES || ROWS == LANES + UPPER) };
        ValueCounts {
            rows: [[0; LANES]; ROWS],
        }
    }

    /// Of all values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        (0..Self::VALUES).map(|value| {
            let (row, lane) = Self::place(value);
            self.rows[row][lane]
        })
    }

    /// In row r, lane l has its upper bits from lane l + r: of eight, or of four.
    fn place(value: usize) -> (usize, usize) {
        let (high, lane) = (value / LANES, value % LANES);
        let row = if high < LANES {
            high.wrapping_sub(lane) % LANES
        } else {
            LANES + high.wrapping_sub(lane) % UPPER
        };
        (row, lane)
    }
}

impl<const ROWS: usize> Default for ValueCounts<ROWS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows that this machine can do what its methods do.
#[derive(Clone, Copy, Debug)]
pub struct ValueCounter(pub(crate) Proof);

#[cfg(target_arch = "x86_64")]
pub(crate) type Proof = ();
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Proof = std::convert::Infallible;

#[cfg(target_arch = "x86_64")]
impl ValueCounter {
    /// A counter, if this machine can have one.
    pub fn new() -> Option<Self> {
        let has_it = crate::kernel::has_avx512()
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("gfni");
        has_it.then_some(ValueCounter(()))
    }

    /// Add how often each value occurs, a byte less `lowest`, to `counts`; returns how many bytes are none of these.
    #[inline]
    pub fn count<const ROWS: usize>(
        self,
        bytes: &[u8],
        lowest: u8,
        counts: &mut ValueCounts<ROWS>,
    ) -> u64 {
        // SAFETY: a counter was made after all features were found that the function enables.
        unsafe { planes::count(bytes, lowest, &mut counts.rows) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl ValueCounter {
    /// No counter: there is none for this machine.
    pub fn new() -> Option<Self> {
        None
    }

    /// Never called.
    pub fn count<const ROWS: usize>(self, _: &[u8], _: u8, _: &mut ValueCounts<ROWS>) -> u64 {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One by one.
    fn counted(bytes: &[u8], lowest: u8, values: usize) -> (Vec<u64>, u64) {
        let (mut counts, mut others) = (vec![0; values], 0);
        for byte in bytes {
            match counts.get_mut(usize::from(byte.wrapping_sub(lowest))) {
                Some(count) => *count += 1,
                None => others += 1,
            }
        }
        (counts, others)
    }

    fn check<const ROWS: usize>(counter: ValueCounter, parts: [&[u8]; 2], lowest: u8) {
        let (mut counts, mut others) = (ValueCounts::<ROWS>::new(), 0);
        for part in parts {
            others += counter.count(part, lowest, &mut counts);
        }
        let expected = counted(&parts.concat(), lowest, 8 * ROWS);
        assert_eq!((counts.iter().collect(), others), expected);
    }

    proptest! {
        #[test]
        fn values_are_counted_as_one_by_one(
            bytes in prop::collection::vec(prop_oneof![4 => 33_u8..97, 1 => any::<u8>()], 0..300),
            cut in any::<prop::sample::Index>(),
            lowest in prop_oneof![Just(0), Just(33), any::<u8>()],
        ) {
            let Some(counter) = ValueCounter::new() else {
                eprintln!("not tested: this machine has no AVX-512 with VPOPCNTDQ and GFNI");
                return Ok(());
            };
            let (first, second) = bytes.split_at(cut.index(bytes.len() + 1));
            check::<8>(counter, [first, second], lowest);
            check::<12>(counter, [first, second], lowest);
        }
    }
}
