//! What an instruction set must offer, and the entry points made from it.
//!
//! Each algorithm is written once, over [`Lanes`]: 64 bytes, whatever registers hold them, and
//! comparisons that give one bit per byte. An instruction set is then a file of seven short
//! methods. The algorithms are `inline(always)`, so that they are compiled inside the entry
//! points, where the CPU features are enabled.
//!
//! ```text
//! for each 64 bytes:            lanes = load
//! what is left, n < 64 bytes:   lanes = the last n bytes, zeros elsewhere; valid = n bits
//! ```

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(crate) mod neon;

/// Bytes in [`Lanes`]: as many as a `u64` mask has bits.
pub(crate) const WIDTH: usize = 64;

/// Sixty-four bytes; comparisons give one bit per byte, the first byte lowest.
pub(crate) trait Lanes: Copy {
    /// Load 64 bytes.
    ///
    /// # Safety
    /// `bytes` holds at least 64 bytes. The CPU has the features of the implementation; this goes
    /// for every method.
    unsafe fn load(bytes: &[u8]) -> Self;

    /// Load the last `left` bytes of `bytes`, and zeros in the other lanes: the second value has a
    /// bit for each lane that was loaded, the third is the index in `bytes` of lane 0.
    ///
    /// # Safety
    /// `0 < left < 64` and `left <= bytes.len()`.
    unsafe fn load_last(bytes: &[u8], left: usize) -> (Self, u64, usize);

    /// Which bytes are `byte`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn equal(self, byte: u8) -> u64;

    /// Which bytes are those of `other`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn equal_lanes(self, other: Self) -> u64;

    /// Which bytes are `byte` or more, unsigned.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn at_least(self, byte: u8) -> u64;

    /// Which bytes are `first` to `last`, both included; `first` is not above `last`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn within(self, first: u8, last: u8) -> u64;

    /// The sum of all 64 bytes.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn sum(self) -> u64;
}

/// 64 zeros, then 64 times 255: 64 bytes from `left` on keep the last `left` of 64 lanes.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
pub(crate) static KEEP_LAST: [u8; 2 * WIDTH] = {
    let mut mask = [0; 2 * WIDTH];
    let mut index = WIDTH;
    while index < 2 * WIDTH {
        mask[index] = 255;
        index += 1;
    }
    mask
};

/// The entry points of an instruction set: the generic algorithms with its features enabled.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
macro_rules! entry_points {
    ($lanes:ty, $features:literal) => {
        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn newlines(bytes: &[u8], base: u32, ends: &mut Vec<u32>) {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::newlines::find::<$lanes>(bytes, base, ends) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn count_equal(bytes: &[u8], byte: u8) -> usize {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::judge::count::<$lanes>(bytes, $crate::judge::Equal(byte)) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn count_at_least(bytes: &[u8], least: u8) -> usize {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::judge::count::<$lanes>(bytes, $crate::judge::AtLeast(least)) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn count_values(bytes: &[u8], values: &[u8], counts: &mut [u64]) -> u64 {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::judge::tally_values::<$lanes>(bytes, values, counts) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn are_all_within<'a, const FIRST: u8, const LAST: u8>(
            lines: impl Iterator<Item = &'a [u8]>,
            _: $crate::Within<FIRST, LAST>,
        ) -> bool {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::judge::all_within::<$lanes>(lines, FIRST, LAST) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn are_bases(bytes: &[u8]) -> bool {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::judge::all_bases::<$lanes>(bytes) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn repeats(bytes: &[u8], masks: &mut Vec<u64>) {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::repeats::find::<$lanes>(bytes, masks) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn reverse_complement(bases: &[u8], output: &mut [u8]) {
            $crate::bases::complement_words(bases, output)
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn pack(quartets: &[[u8; 4]], codes: &mut [u8]) {
            $crate::bases::pack_words(quartets, codes)
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn add_columns(
            letter: u8,
            bases: [&[u8]; 2],
            qualities: [&[u8]; 2],
            counts: &mut [u8],
            sums: &mut [u16],
        ) {
            $crate::columns::add(letter, bases, qualities, counts, sums)
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn count_columns(
            letters: [u8; 4],
            bases: [&[u8]; 2],
            counts: [&mut [u8]; 4],
        ) {
            $crate::columns::count(letters, bases, counts)
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn offsets_of(
            letters: &[u8; $crate::PROBE],
            least: u8,
            text: &[u8; $crate::OFFSETS + $crate::PROBE],
        ) -> u128 {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::bases::find_offsets::<$lanes>(letters, least, text) }
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn letters<'a>(
            lines: impl Iterator<Item = &'a [u8]>,
            counts: &mut [u64; 256],
        ) {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::letters::tally::<$lanes, false>(lines, counts) };
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn letters_in_lines(body: &[u8], counts: &mut [u64; 256]) -> usize {
            let body_only = std::iter::once(body);
            // SAFETY: the caller vouches for the CPU.
            let left_out = unsafe { $crate::letters::tally::<$lanes, true>(body_only, counts) };
            body.len() - left_out
        }

        /// # Safety
        /// The CPU has the features of this module.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn qualities<'a>(
            lines: impl Iterator<Item = &'a [u8]>,
            totals: &mut $crate::Qualities,
        ) {
            // SAFETY: the caller vouches for the CPU.
            unsafe { $crate::qualities::tally::<$lanes>(lines, totals) }
        }
    };
}
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
pub(crate) use entry_points;
