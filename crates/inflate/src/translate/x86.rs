//! 32 bytes at a time.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_adds_epu8, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_storeu_si256,
    _mm256_xor_si256,
};

use super::{Rows, portable};

/// Bytes of a vector.
const WIDTH: usize = 32;

/// [`translate`](super::translate): for each row, a byte with its upper half becomes 0x70 to 0x7f, and any other 0x80 or more.
/// For those a shuffle gives 0, for the others the change of the byte.
///
/// # Safety
///
/// The machine has AVX2; `bytes` and `to` have the same length.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn translate(bytes: &[u8], table: &[u8; 256], rows: &Rows, to: &mut [u8]) {
    debug_assert_eq!(bytes.len(), to.len());
    let rows = &rows.rows[..rows.count];
    let mut vectors = [(_mm256_set1_epi8(0), _mm256_set1_epi8(0)); 16];
    for (vector, (upper, change)) in vectors.iter_mut().zip(rows) {
        // SAFETY: a row has 16 bytes.
        let change = unsafe { _mm_loadu_si128(change.as_ptr().cast::<__m128i>()) };
        *vector = (
            _mm256_set1_epi8(*upper as i8),
            _mm256_broadcastsi128_si256(change),
        );
    }
    let vectors = &vectors[..rows.len()];
    let most = _mm256_set1_epi8(0x70);
    let whole = bytes.len() / WIDTH * WIDTH;
    for at in (0..whole).step_by(WIDTH) {
        // SAFETY: WIDTH bytes from `at` on are within both slices, which have the same length.
        unsafe {
            let from = _mm256_loadu_si256(bytes.as_ptr().add(at).cast::<__m256i>());
            let mut all = from;
            for &(upper, change) in vectors {
                let place = _mm256_adds_epu8(_mm256_xor_si256(from, upper), most);
                all = _mm256_xor_si256(all, _mm256_shuffle_epi8(change, place));
            }
            _mm256_storeu_si256(to.as_mut_ptr().add(at).cast::<__m256i>(), all);
        }
    }
    portable(&bytes[whole..], table, &mut to[whole..]);
}
