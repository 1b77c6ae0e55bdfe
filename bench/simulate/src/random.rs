//! A small random generator: xoshiro256++ seeded by splitmix64 (both in the public domain).
//!
//! The standard library has none, and the stream must never change: the data of dated results hang on it.

/// A seeded generator; equal seeds give equal streams.
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut counter = seed;
        let state = std::array::from_fn(|_| {
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = counter;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        });
        Self { state }
    }

    pub(crate) fn word(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Uniform in `0..limit`. The bias of the multiplication is below 2^-32 for the limits used here.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(limit)) >> 64) as u64
    }

    /// True with probability `numerator / 65536`.
    pub(crate) fn chance(&mut self, numerator: u32) -> bool {
        (self.word() >> 48) < u64::from(numerator)
    }

    /// About normal, mean 0, standard deviation 1: the sum of 12 uniforms of 16 bits, less 6.
    pub(crate) fn normal(&mut self) -> f32 {
        let sum: u64 = (0..3)
            .map(|_| {
                let word = self.word();
                (word & 0xffff) + ((word >> 16) & 0xffff) + ((word >> 32) & 0xffff) + (word >> 48)
            })
            .sum();
        sum as f32 / 65536.0 - 6.0
    }

    /// About exponential, mean 1: the negated logarithm of a uniform, its mantissa taken as linear.
    ///
    /// Only additions and multiplications: a library's `ln` may round differently on another machine, and
    /// the reads would no longer be the same.
    pub(crate) fn exponential(&mut self) -> f32 {
        let uniform = (self.word() >> 32) as u32 | 1;
        let zeros = uniform.leading_zeros();
        let mantissa = (uniform << zeros) as f32 / (1_u32 << 31) as f32;
        (zeros as f32 + 2.0 - mantissa) * std::f32::consts::LN_2
    }
}
