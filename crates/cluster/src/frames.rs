//! Several pieces of bytes as one message: each behind its length, eight bytes, the least significant first.

/// The message of `pieces`.
pub(crate) fn join(pieces: &[&[u8]]) -> Vec<u8> {
    let mut message = Vec::with_capacity(pieces.iter().map(|piece| 8 + piece.len()).sum());
    for piece in pieces {
        message.extend_from_slice(&(piece.len() as u64).to_le_bytes());
        message.extend_from_slice(piece);
    }
    message
}

/// The `N` pieces of a message; `None` if it has not as many.
pub(crate) fn split<const N: usize>(mut message: &[u8]) -> Option<[&[u8]; N]> {
    let mut pieces = [&[][..]; N];
    for piece in &mut pieces {
        let (length, rest) = message.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        (*piece, message) = rest.split_at_checked(length)?;
    }
    message.is_empty().then_some(pieces)
}

/// Numbers as a message.
pub(crate) fn of_numbers(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// The numbers of a message; `None` if it is none.
pub(crate) fn numbers(message: &[u8]) -> Option<Vec<u64>> {
    let (numbers, []) = message.as_chunks::<8>() else {
        return None;
    };
    Some(
        numbers
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back() {
        let message = join(&[b"abc", b"", b"d"]);
        assert_eq!(split(&message), Some([&b"abc"[..], b"", b"d"]));
        assert_eq!(split::<2>(&message), None);
        assert_eq!(split::<4>(&message), None);
        assert_eq!(split::<3>(&message[..message.len() - 1]), None);
        assert_eq!(split::<1>(&[255; 8]), None);
    }

    #[test]
    fn numbers_come_back() {
        let some = [0, 1, u64::MAX];
        assert_eq!(numbers(&of_numbers(some)), Some(some.to_vec()));
        assert_eq!(numbers(&[0; 7]), None);
    }
}
