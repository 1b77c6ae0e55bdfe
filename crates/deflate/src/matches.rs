//! Bytes in common.

use crate::symbols::LONGEST;

/// Eight bytes from `at`; `None` if there are not so many.
#[inline(always)]
pub(crate) fn word(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

/// How many bytes from `old` on equal those from `new` on: at most 258, none behind the text.
///
/// `old` is below `new`.
#[inline(always)]
pub(crate) fn common(text: &[u8], old: usize, new: usize) -> usize {
    let end = text.len().min(new + LONGEST);
    let (Some(new), Some(old)) = (text.get(new..end), text.get(old..)) else {
        return 0;
    };
    let (new_words, _) = new.as_chunks::<8>();
    let (old_words, _) = old.as_chunks::<8>();
    let mut length = 0;
    for (new, old) in new_words.iter().zip(old_words) {
        let difference = u64::from_le_bytes(*new) ^ u64::from_le_bytes(*old);
        if difference != 0 {
            return length + (difference.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    while length < new.len() && new[length] == old[length] {
        length += 1;
    }
    length
}

/// How many bytes before `old` equal those before `new`, none before `limit` of the latter.
#[inline(always)]
pub(crate) fn common_before(text: &[u8], old: usize, new: usize, limit: usize) -> usize {
    let most = old.min(new - limit);
    let mut length = 0;
    while length < most && text[new - 1 - length] == text[old - 1 - length] {
        length += 1;
    }
    length
}
