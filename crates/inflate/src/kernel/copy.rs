//! Copying matches.

/// Bytes copied at a time.
const WIDTH: usize = 32;

/// Copy a match of any length and distance, and up to `WIDTH` bytes more.
///
/// # Safety
///
/// `to` is valid for writes of `length + WIDTH` bytes and for reads from `distance >= 1` bytes back on.
#[inline]
pub(super) unsafe fn any(to: *mut u8, distance: usize, length: usize) {
    debug_assert!(distance >= 1);
    // SAFETY: every write begins before to + length; every read is from bytes written before.
    unsafe {
        let from = to.wrapping_sub(distance).cast_const();
        if distance >= WIDTH {
            let mut done = 0;
            while done < length {
                let bytes = from.add(done).cast::<[u8; WIDTH]>().read_unaligned();
                to.add(done).cast::<[u8; WIDTH]>().write_unaligned(bytes);
                done += WIDTH;
            }
            return;
        }
        // Each copy of 8 bytes makes as many right ones as `to` is ahead of `from`: the pattern's
        // length, which doubles, until it is 8.
        let mut done = 0;
        let mut ahead = distance;
        while ahead < 8 && done < length {
            let bytes = from.cast::<[u8; 8]>().read_unaligned();
            to.add(done).cast::<[u8; 8]>().write_unaligned(bytes);
            done += ahead;
            ahead *= 2;
        }
        let mut from = to.add(done).wrapping_sub(ahead).cast_const();
        while done < length {
            let bytes = from.cast::<[u8; 8]>().read_unaligned();
            to.add(done).cast::<[u8; 8]>().write_unaligned(bytes);
            from = from.add(8);
            done += 8;
        }
    }
}
