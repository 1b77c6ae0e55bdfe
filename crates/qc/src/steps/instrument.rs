//! What the name of a read says about the instrument.

use crate::{FastpVersion, Mode};

/// Begins of names from instruments with two colours, for which the lack of a
/// signal is a G: NextSeq, NovaSeq, MiniSeq, iSeq, NovaSeq X. fastp 1.3 has the same.
const TWO_COLOURS: [&[u8]; 11] = [
    b"NS", b"NB", b"NDX", b"VH", b"VL", b"A", b"NA", b"LH", b"FS", b"MN", b"SH",
];

/// The ones that fastp 0.23.2 knows.
const KNOWN_TO_0_23: [&[u8]; 4] = [b"NS", b"NB", b"NDX", b"A0"];

/// Whether a read with this header line (without `@`) comes from an instrument with
/// two colours, as far as such are known in this mode.
pub fn is_two_colour(head: &[u8], mode: Mode) -> bool {
    let known: &[&[u8]] = match mode {
        Mode::Fastp(FastpVersion::V0_23) => &KNOWN_TO_0_23,
        Mode::Correct | Mode::Fastp(FastpVersion::V1_3) => &TWO_COLOURS,
    };
    known.iter().any(|begin| head.starts_with(begin))
}
