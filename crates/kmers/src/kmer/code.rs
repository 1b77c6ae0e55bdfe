/// The letter of each code.
pub const LETTERS: [u8; 4] = *b"ACGT";

/// What [`code`] says of anything but ACGTacgt.
pub const INVALID: u8 = 4;

const CODES: [u8; 256] = {
    let mut codes = [INVALID; 256];
    let mut i = 0;
    while i < 4 {
        codes[LETTERS[i] as usize] = i as u8;
        codes[LETTERS[i].to_ascii_lowercase() as usize] = i as u8;
        i += 1;
    }
    codes
};

/// The two bits of a letter, upper or lower case; [`INVALID`] for all but ACGT.
#[inline]
pub const fn code(letter: u8) -> u8 {
    CODES[letter as usize]
}
