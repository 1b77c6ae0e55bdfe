//! What the name of a read says about the instrument.

/// Begins of names from instruments with two colours, for which the lack of a
/// signal is a G: NextSeq, NovaSeq, MiniSeq, iSeq, NovaSeq X.
const TWO_COLOURS: [&[u8]; 11] = [
    b"NS", b"NB", b"NDX", b"VH", b"VL", b"A", b"NA", b"LH", b"FS", b"MN", b"SH",
];

/// Whether a read with this header line (without `@`) comes from an instrument with
/// two colours.
pub fn is_two_colour(head: &[u8]) -> bool {
    TWO_COLOURS.iter().any(|begin| head.starts_with(begin))
}
