//! Copying matches.

use crate::symbol::Symbol;

/// Symbols copied at a time.
const WIDTH: usize = 32;

/// Copy a match of any length and distance, and up to `WIDTH` symbols more.
///
/// # Safety
///
/// `to` is valid for writes of `length + WIDTH` symbols and for reads from `distance >= 1` symbols back on.
#[inline]
pub(super) unsafe fn any<S: Symbol>(to: *mut S, distance: usize, length: usize) {
    debug_assert!(distance >= 1);
    // SAFETY: every write begins before to + length; every read is from symbols written before.
    unsafe {
        let from = to.wrapping_sub(distance).cast_const();
        if distance >= WIDTH {
            let mut done = 0;
            while done < length {
                let symbols = from.add(done).cast::<[S; WIDTH]>().read_unaligned();
                to.add(done).cast::<[S; WIDTH]>().write_unaligned(symbols);
                done += WIDTH;
            }
            return;
        }
        // Each copy of 8 symbols makes as many right ones as `to` is ahead of `from`: the pattern's
        // length, which doubles, until it is 8.
        let mut done = 0;
        let mut ahead = distance;
        while ahead < 8 && done < length {
            let symbols = from.cast::<[S; 8]>().read_unaligned();
            to.add(done).cast::<[S; 8]>().write_unaligned(symbols);
            done += ahead;
            ahead *= 2;
        }
        let mut from = to.add(done).wrapping_sub(ahead).cast_const();
        while done < length {
            let symbols = from.cast::<[S; 8]>().read_unaligned();
            to.add(done).cast::<[S; 8]>().write_unaligned(symbols);
            from = from.add(8);
            done += 8;
        }
    }
}
