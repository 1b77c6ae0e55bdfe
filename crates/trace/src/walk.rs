//! How far a value of MessagePack goes, without making anything of it.

/// How deep arrays and maps may lie in each other; a value of version 1 has four.
const MOST_DEEP: usize = 32;

/// What is known of a value of which not all bytes may be there yet.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Bytes that were gone over.
    at: usize,
    /// Of the arrays and maps that are open, the values that they have yet to come.
    open: Vec<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value has so many bytes.
    Whole(usize),
    /// There are more bytes to come, at least as many as make so many in all.
    Short(usize),
    /// That is no MessagePack, or nothing that a trace has.
    Broken(&'static str),
}

impl Walk {
    /// Go on in `bytes`, which begin with the value and have at least what they had before.
    pub(crate) fn step(&mut self, bytes: &[u8]) -> Step {
        loop {
            let (head, values) = match token(&bytes[self.at.min(bytes.len())..]) {
                Token::Scalar(length) => (length, 0),
                Token::Of(head, values) => (head, values),
                Token::Short(length) => return Step::Short(self.at.saturating_add(length)),
                Token::Reserved => return Step::Broken("a byte that MessagePack does not have"),
            };
            let Some(at) = self.at.checked_add(head) else {
                return Step::Broken("a length that no memory has");
            };
            if at > bytes.len() {
                return Step::Short(at);
            }
            self.at = at;
            if values > 0 {
                if self.open.len() == MOST_DEEP {
                    return Step::Broken("arrays that lie too deep in each other");
                }
                self.open.push(values);
                continue;
            }
            // The value is whole, and with it perhaps those that it is the last of.
            while let Some(left) = self.open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                self.open.pop();
            }
            if self.open.is_empty() {
                return Step::Whole(std::mem::take(&mut self.at));
            }
        }
    }
}

enum Token {
    /// So many bytes, and nothing inside.
    Scalar(usize),
    /// So many bytes, and so many values behind them, which are inside.
    Of(usize, u64),
    /// At least so many bytes are needed to tell.
    Short(usize),
    Reserved,
}

/// What `bytes` begin with (MessagePack specification, "Formats").
fn token(bytes: &[u8]) -> Token {
    let Some(&first) = bytes.first() else {
        return Token::Short(1);
    };
    let number = |width: usize| {
        let digits = bytes.get(1..1 + width)?;
        Some((digits.iter()).fold(0_u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    // A string or the like, whose length has so many bytes; `more` stand before the content.
    let sized = |width: usize, more: usize| match number(width) {
        Some(length) => Token::Scalar(
            (1 + width + more).saturating_add(usize::try_from(length).unwrap_or(usize::MAX)),
        ),
        None => Token::Short(1 + width),
    };
    let of = |width: usize, each: u64| match number(width) {
        Some(length) => Token::Of(1 + width, each * length),
        None => Token::Short(1 + width),
    };
    match first {
        0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => Token::Scalar(1),
        0x80..=0x8f => Token::Of(1, 2 * u64::from(first & 0xf)),
        0x90..=0x9f => Token::Of(1, u64::from(first & 0xf)),
        0xa0..=0xbf => Token::Scalar(1 + usize::from(first & 0x1f)),
        0xc1 => Token::Reserved,
        0xc4 | 0xd9 => sized(1, 0),
        0xc5 | 0xda => sized(2, 0),
        0xc6 | 0xdb => sized(4, 0),
        0xc7 => sized(1, 1),
        0xc8 => sized(2, 1),
        0xc9 => sized(4, 1),
        0xcc | 0xd0 => Token::Scalar(2),
        0xcd | 0xd1 => Token::Scalar(3),
        0xca | 0xce | 0xd2 => Token::Scalar(5),
        0xcb | 0xcf | 0xd3 => Token::Scalar(9),
        0xd4..=0xd8 => Token::Scalar(2 + (1 << (first - 0xd4))),
        0xdc => of(2, 1),
        0xdd => of(4, 1),
        0xde => of(2, 2),
        0xdf => of(4, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(bytes: &[u8]) -> Step {
        Walk::default().step(bytes)
    }

    #[test]
    fn values_of_all_types_end_where_they_do() {
        let long = [&[0xd9, 200][..], &[b'a'; 200]].concat();
        for value in [
            &[0x05][..],
            &[0xff],
            &[0xc0],
            &[0xc3],
            &[0xa2, b'a', b'b'],
            &[0xa0],
            &long,
            &[0xc4, 1, 0],
            &[0xc5, 0, 2, 0, 0],
            &[0xcc, 1],
            &[0xcd, 1, 2],
            &[0xce, 1, 2, 3, 4],
            &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0xd5, 1, 2, 3],
            &[0xc7, 2, 9, 1, 2],
            &[0x90],
            &[0x80],
            &[0x92, 0x01, 0x91, 0x02],
            &[0x82, 0x01, 0x90, 0xa1, b'x', 0x92, 0xc0, 0xc0],
            &[0xdc, 0, 2, 1, 2],
            &[0xde, 0, 1, 1, 0xdd, 0, 0, 0, 0],
        ] {
            assert_eq!(walk(value), Step::Whole(value.len()), "{value:02x?}");
            assert_eq!(walk(&[value, &[0xc1]].concat()), Step::Whole(value.len()));
            // Byte by byte, it is found at the last one, and never asks for more than it has.
            let mut slowly = Walk::default();
            for length in 0..value.len() {
                match slowly.step(&value[..length]) {
                    Step::Short(needed) => assert!((length + 1..=value.len()).contains(&needed)),
                    other => panic!("{other:?} of {length} bytes of {value:02x?}"),
                }
            }
            assert_eq!(slowly.step(value), Step::Whole(value.len()));
        }
    }

    #[test]
    fn what_is_hostile_is_told() {
        assert!(matches!(walk(&[0xc1]), Step::Broken(_)));
        assert!(matches!(walk(&[0x91; 100]), Step::Broken(_)));
        assert_eq!(
            walk(&[0xdb, 255, 255, 255, 255]),
            Step::Short(5 + 0xffff_ffff)
        );
        // No memory is taken for what is only said to come.
        assert_eq!(walk(&[0xdd, 255, 255, 255, 255]), Step::Short(6));
        assert_eq!(walk(&[0xdf, 255, 255, 255, 255, 0]), Step::Short(7));
    }
}
