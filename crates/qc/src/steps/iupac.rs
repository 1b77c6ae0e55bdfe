//! Letters that stand for several bases (IUPAC), as sets of bits.

/// The bases that a letter of an adapter stands for. `N` stands for what is unknown, too.
pub(crate) const fn bases_of(letter: u8) -> u8 {
    const A: u8 = base(b'A');
    const C: u8 = base(b'C');
    const G: u8 = base(b'G');
    const T: u8 = base(b'T');
    match letter {
        b'A' => A,
        b'C' => C,
        b'G' => G,
        b'T' | b'U' => T,
        b'R' => A | G,
        b'Y' => C | T,
        b'S' => C | G,
        b'W' => A | T,
        b'K' => G | T,
        b'M' => A | C,
        b'B' => C | G | T,
        b'D' => A | G | T,
        b'H' => A | C | T,
        b'V' => A | C | G,
        b'N' => A | C | G | T | base(b'N'),
        _ => 0,
    }
}

/// A base as it was read; empty if it is none.
pub(crate) const fn base(letter: u8) -> u8 {
    match letter {
        b'A' => 1,
        b'C' => 2,
        b'G' => 4,
        b'T' => 8,
        b'N' => 16,
        _ => 0,
    }
}

/// [`base`] of every letter.
pub(crate) static BASES: [u8; 256] = {
    let mut bases = [0; 256];
    let mut letter = 0;
    while letter < bases.len() {
        bases[letter] = base(letter as u8);
        letter += 1;
    }
    bases
};
