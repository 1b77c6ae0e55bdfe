//! The allocator of the GNU C library. With other C libraries nothing here does anything.

/// Has every buffer of a MiB or more given back to the system as soon as it is freed, in the whole process and from now on.
///
/// To be called before other threads are started.
///
/// For a process that must not take more memory than it was allowed. The allocator does so from the start, but whenever
/// such a buffer is freed, it raises the bound to the size of that one, up to 32 MiB, and keeps what is freed below it: a
/// count of adapters in 100 MiB took 87 to 124 MiB, and takes 64 to 69 with the bound fixed, in the same time.
pub fn give_back_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    set(libc::M_MMAP_THRESHOLD, 1 << 20);
}

/// Has all threads allocate from one heap, in the whole process and from now on.
///
/// To be called before other threads are started.
///
/// For a process that may use few addresses (`ulimit -v`, as some batch systems set it). The allocator reserves 64 MiB of
/// them for each thread, whether it needs them or not: with 150 MB in all, two threads found no room for 64 KiB.
pub fn keep_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    set(libc::M_ARENA_MAX, 1);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set(parameter: libc::c_int, value: libc::c_int) {
    // SAFETY: no memory is named: it sets a number of the allocator, which takes its own lock for it. That it may refuse
    // changes nothing.
    let _ = unsafe { libc::mallopt(parameter, value) };
}
