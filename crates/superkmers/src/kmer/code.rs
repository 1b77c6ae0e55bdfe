/// The letter of each code.
pub const LETTERS: [u8; 4] = *b"ACGT";

/// What [`code`] and [`Alphabet::code`] say of a letter that is no base.
pub const INVALID: u8 = 4;

/// Which letters are bases, in upper or lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// A, C, G and T; and U, which is T: sequencers of RNA write it.
    #[default]
    Acgtu,
    /// A, C, G and T alone, as for Jellyfish and KMC.
    Acgt,
}

impl Alphabet {
    /// The two bits of a letter; [`INVALID`] for one that is no base.
    #[inline]
    pub const fn code(self, letter: u8) -> u8 {
        self.codes()[letter as usize]
    }

    /// The code of every letter.
    #[inline]
    pub const fn codes(self) -> &'static [u8; 256] {
        match self {
            Self::Acgtu => &WITH_U,
            Self::Acgt => &WITHOUT_U,
        }
    }

    /// The upper-case U where it is a base; a byte that no letter is in upper case where it is not.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub const fn u(self) -> i8 {
        match self {
            Self::Acgtu => b'U' as i8,
            Self::Acgt => -1,
        }
    }
}

static WITHOUT_U: [u8; 256] = codes(false);
static WITH_U: [u8; 256] = codes(true);

const fn codes(with_u: bool) -> [u8; 256] {
    let mut codes = [INVALID; 256];
    let mut i = 0;
    while i < 4 {
        codes[LETTERS[i] as usize] = i as u8;
        codes[LETTERS[i].to_ascii_lowercase() as usize] = i as u8;
        i += 1;
    }
    if with_u {
        codes[b'U' as usize] = codes[b'T' as usize];
        codes[b'u' as usize] = codes[b'T' as usize];
    }
    codes
}

/// The two bits of a letter, upper or lower case; [`INVALID`] for all but ACGT.
#[inline]
pub const fn code(letter: u8) -> u8 {
    Alphabet::Acgt.code(letter)
}
