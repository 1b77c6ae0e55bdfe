//! Which of the fast loops run.

/// A set of fast loops, by the instructions that they use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// What every machine of the target has.
    Portable,
    /// AVX2 and BMI2.
    Avx2,
    /// The same for several lanes; AVX-512 with VBMI for one.
    Avx512,
}

impl Kernel {
    /// All that this machine can run, the fastest one first; the portable one is always there.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Avx512, Self::Avx2, Self::Portable]
            .into_iter()
            .filter(|kernel| kernel.is_available())
    }

    /// The fastest one that this machine can run.
    #[inline(always)]
    pub(crate) fn best() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }

    /// Whether this machine has its instructions. The answer is cached by the standard library.
    #[inline(always)]
    pub(super) fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => super::x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => super::x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2+bmi2",
            Self::Avx512 => "avx2+bmi2, avx512vbmi for one lane",
        }
    }
}

/// The instruction sets that the fast loops use on this machine, for logs: `"avx2+bmi2, avx512vbmi for one
/// lane"`, `"avx2+bmi2"` or `"portable"`.
pub fn active_kernel() -> &'static str {
    Kernel::best().name()
}
