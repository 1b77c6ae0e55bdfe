//! Reads of SOLiD instruments, whose letters are no bases.

/// Returns `true` if `sequence` is one of colour space: perhaps a base, then colours `0` to `3` and signs for unknown ones
/// (`.`, or `4` to `6`), at least one of them a colour. Linear in the sequence.
///
/// A sequence of unknown bases alone, such as `....` or `NNNN`, is none.
pub fn is_colour_space(sequence: &[u8]) -> bool {
    let colours = match sequence {
        [
            b'A' | b'C' | b'G' | b'T' | b'a' | b'c' | b'g' | b't',
            colours @ ..,
        ] => colours,
        colours => colours,
    };
    let is_colour = |letter: &u8| matches!(letter, b'0'..=b'3');
    let is_unknown = |letter: &u8| matches!(letter, b'.' | b'4'..=b'6');
    let mut letters = colours.iter();
    colours.iter().any(is_colour) && letters.all(|letter| is_colour(letter) || is_unknown(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_a_base() {
        for (sequence, expected) in [
            ("T0123", true),
            ("G.120", true),
            ("t0", true),
            ("0123", true),
            ("T4510", true),
            ("", false),
            ("T", false),
            ("....", false),
            ("T...", false),
            ("NNNN", false),
            ("ACGT", false),
            ("ACG0", false),
            ("T01A3", false),
            ("T0179", false),
        ] {
            assert_eq!(is_colour_space(sequence.as_bytes()), expected, "{sequence}");
        }
    }
}
