//! Which bytes stand for what is not known.

use thalweg_inflate::{ByteSet, WINDOW};

/// The first symbol that is no byte: it stands for the oldest byte of the window before a leg, the next one for the next.
pub(super) const UNKNOWN: u16 = 256;

/// Symbols that are looked at before it is asked whether they are too many kinds.
const LOOKED_AT: usize = 2048;

/// For each byte, what it stands for: itself, or a byte of the window before the leg.
///
/// A byte that stands for another is a code. It is exact, not likely: nothing in the window at the switch was that byte, and
/// no block behind it may have it as a literal or stored ([`Lane::reserve`](thalweg_inflate::Lane::reserve)), so that it
/// only ever came from copies of codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Codes {
    symbols: [u16; 256],
    codes: ByteSet,
}

impl Codes {
    /// Every byte stands for itself.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self {
            symbols: std::array::from_fn(|byte| byte as u16),
            codes: ByteSet::EMPTY,
        }
    }

    /// Codes for all that is unknown in `window`, the last symbols before a block, if there are enough bytes for them:
    /// those that are not in the window, and best those that no text has. `likely` are such as may soon be literals;
    /// they are not taken.
    pub(super) fn for_window(window: &[u16], likely: ByteSet) -> Option<Self> {
        let mut seen = [0_u64; (1 << 16) / 64];
        let unknown = usize::from(UNKNOWN / 64)..usize::from(UNKNOWN / 64) + WINDOW / 64;
        let mut count = 0;
        for some in window.chunks(LOOKED_AT) {
            for &symbol in some {
                seen[usize::from(symbol / 64)] |= 1 << (symbol % 64);
            }
            let words = seen[unknown.clone()].iter();
            count = words.map(|word| word.count_ones() as usize).sum();
            // Most windows have far too many, which is soon seen.
            if count > 256 {
                return None;
            }
        }
        let has_byte = |byte: u8| seen[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
        // Those above all letters first, then control characters, then the rest.
        let order = (128..=255).chain(0..32).chain(32..128_u8);
        let free = |&byte: &u8| !has_byte(byte) && !likely.contains(byte);
        let mut free = order.filter(free).take(count);
        let mut symbols: [u16; 256] = std::array::from_fn(|byte| byte as u16);
        let mut codes = ByteSet::EMPTY;
        for (word, mut bits) in seen[unknown].iter().copied().enumerate() {
            while bits != 0 {
                let place = word as u16 * 64 + bits.trailing_zeros() as u16;
                bits &= bits - 1;
                let code = free.next()?;
                symbols[usize::from(code)] = UNKNOWN + place;
                codes.insert(code);
            }
        }
        Some(Self { symbols, codes })
    }

    /// How many codes there are in `window`, which is coded.
    pub(super) fn count_in(&self, window: &[u8]) -> usize {
        let mut seen = [false; 256];
        window
            .iter()
            .for_each(|&byte| seen[usize::from(byte)] = true);
        let is_code = |byte: &u8| seen[usize::from(*byte)] && self.codes.contains(*byte);
        (0..=255).filter(is_code).count()
    }

    /// The bytes that are codes.
    pub(super) fn codes(&self) -> ByteSet {
        self.codes
    }

    /// The bytes of `window`, coded, into `to` of the same length.
    ///
    /// # Panics
    /// If there is something unknown in it that has no code.
    pub(super) fn code(&self, window: &[u16], to: &mut [u8]) {
        let mut bytes = vec![0_u8; usize::from(UNKNOWN) + WINDOW];
        let mut has_code = vec![false; bytes.len()];
        for byte in 0..=255_u8 {
            let symbol = usize::from(self.symbols[usize::from(byte)]);
            bytes[symbol] = byte;
            has_code[symbol] = true;
        }
        for (to, &symbol) in to.iter_mut().zip(window) {
            assert!(has_code[usize::from(symbol)], "a symbol without a code");
            *to = bytes[usize::from(symbol)];
        }
    }

    /// What a byte stands for.
    pub(super) fn symbol(&self, byte: u8) -> u16 {
        self.symbols[usize::from(byte)]
    }

    /// The byte that each byte stands for, given the window before the leg.
    pub(super) fn table(&self, window: &[u8; WINDOW]) -> [u8; 256] {
        self.symbols
            .map(|symbol| match symbol.checked_sub(UNKNOWN) {
                Some(place) => window[usize::from(place)],
                None => symbol as u8,
            })
    }
}

/// Bytes that text may have: they come as literals sooner or later.
pub(super) fn text() -> ByteSet {
    (b' '..=b'~').chain(*b"\t\n\r").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_coded_is_found_again() {
        let window: Vec<u16> = (0..3000)
            .map(|i| [65, 66, 10, UNKNOWN + i % 97 * 300, UNKNOWN + 32_767][usize::from(i) % 5])
            .collect();
        let codes = Codes::for_window(&window, text()).unwrap();
        let mut coded = vec![0; window.len()];
        codes.code(&window, &mut coded);
        assert!(
            coded
                .iter()
                .zip(&window)
                .all(|(&byte, &symbol)| codes.symbol(byte) == symbol)
        );
        assert_eq!(codes.codes().len(), 98);
        assert_eq!(codes.count_in(&coded), 98);
        assert_eq!(codes.count_in(b"AB\n"), 0);
        assert!(!codes.codes().meets(text()));
        let known: Box<[u8; WINDOW]> = Box::new(std::array::from_fn(|place| (place % 251) as u8));
        let table = codes.table(&known);
        for (byte, symbol) in coded.iter().zip(&window) {
            let wanted = symbol
                .checked_sub(UNKNOWN)
                .map_or(*symbol as u8, |place| known[usize::from(place)]);
            assert_eq!(table[usize::from(*byte)], wanted);
        }
        assert_eq!(
            Codes::none().table(&known),
            std::array::from_fn(|byte| byte as u8)
        );
    }

    #[test]
    fn there_are_as_many_codes_as_bytes_are_free() {
        let unknown = |count: u16| (0..count).map(|place| UNKNOWN + place);
        let most = 256 - text().len() as u16;
        assert!(Codes::for_window(&unknown(most).collect::<Vec<_>>(), text()).is_some());
        assert!(Codes::for_window(&unknown(most + 1).collect::<Vec<_>>(), text()).is_none());
        // A byte in the window is not free.
        let window: Vec<u16> = unknown(most).chain([200]).collect();
        assert!(Codes::for_window(&window, text()).is_none());
        let window: Vec<u16> = unknown(most - 1).chain([200]).collect();
        let codes = Codes::for_window(&window, text()).unwrap();
        assert!(!codes.codes().contains(200));
        assert!(Codes::for_window(&unknown(256).collect::<Vec<_>>(), ByteSet::EMPTY).is_some());
        assert!(Codes::for_window(&unknown(257).collect::<Vec<_>>(), ByteSet::EMPTY).is_none());
    }
}
