//! Which instruction set runs: detected once, then one relaxed load per call.

use std::sync::atomic::{AtomicU8, Ordering};

/// An implementation of the kernels of this crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kernel {
    /// Any machine.
    Portable = 1,
    /// 64 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512 = 2,
    /// Twice 32 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2 = 3,
    /// Four times 16 bytes at a time.
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon = 4,
}

/// 0 until the first call; detection is idempotent, so that racing threads agree.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// The kernel of this machine.
#[inline]
pub(crate) fn kernel() -> Kernel {
    match CHOSEN.load(Ordering::Relaxed) {
        #[cfg(target_arch = "x86_64")]
        2 => Kernel::Avx512,
        #[cfg(target_arch = "x86_64")]
        3 => Kernel::Avx2,
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        4 => Kernel::Neon,
        1 => Kernel::Portable,
        _ => choose(),
    }
}

/// The name of the instruction set in use: `"avx512"`, `"avx2"`, `"neon"` or `"portable"`.
///
/// For logs and bug reports. It does not change while the process runs.
pub fn active_kernel() -> &'static str {
    match kernel() {
        Kernel::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => "avx512",
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => "avx2",
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Kernel::Neon => "neon",
    }
}

#[cold]
fn choose() -> Kernel {
    let kernel = detect();
    CHOSEN.store(kernel as u8, Ordering::Relaxed);
    kernel
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Kernel {
    if has_avx512() {
        Kernel::Avx512
    } else if has_avx2() {
        Kernel::Avx2
    } else {
        Kernel::Portable
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
fn detect() -> Kernel {
    // NEON is part of every aarch64 target that Rust has for hosted systems.
    Kernel::Neon
}

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
)))]
fn detect() -> Kernel {
    Kernel::Portable
}

/// Whether everything that `vector::avx512` enables is there.
///
/// VBMI is not used. It is asked for because the CPUs that have it (Ice Lake, Zen 4 and later) no
/// longer lower their clock for 512-bit integer work, which Skylake does.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
}

/// Whether everything that `vector::avx2` enables is there.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Run an entry point of the chosen kernel: `dispatch!(newlines(bytes, base, ends))`.
macro_rules! dispatch {
    ($entry:ident($($argument:expr),*)) => {
        match $crate::kernel::kernel() {
            $crate::kernel::Kernel::Portable => $crate::portable::$entry($($argument),*),
            // SAFETY: `kernel` returns Avx512 only after `has_avx512`, which detects every feature
            // that the entry points of that module enable.
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::Kernel::Avx512 => unsafe {
                $crate::vector::avx512::$entry($($argument),*)
            },
            // SAFETY: as above, with `has_avx2`.
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::Kernel::Avx2 => unsafe {
                $crate::vector::avx2::$entry($($argument),*)
            },
            // SAFETY: NEON is part of the target's baseline.
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            $crate::kernel::Kernel::Neon => unsafe {
                $crate::vector::neon::$entry($($argument),*)
            },
        }
    };
}
pub(crate) use dispatch;
