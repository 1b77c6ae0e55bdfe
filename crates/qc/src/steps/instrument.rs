//! Instruments with one or two colours, which call G where there is no signal, by the names of their reads.

use crate::{FastpVersion, Mode};

/// Prefixes of serial numbers: NextSeq 500 and 550 (NS, NB, NDX), NextSeq 1000 and 2000 (VL, VH), NovaSeq (A, NA), NovaSeq X
/// (LH), iSeq (FS), MiniSeq (MN), MiSeq i100 (SH). fastp 1.3 has the same, as the begins of names.
const TWO_COLOURS: [&[u8]; 11] = [
    b"NS", b"NB", b"NDX", b"VH", b"VL", b"A", b"NA", b"LH", b"FS", b"MN", b"SH",
];

/// The begins of names that fastp 0.23.2 knows.
const KNOWN_TO_0_23: [&[u8]; 4] = [b"NS", b"NB", b"NDX", b"A0"];

/// The fewest digits of a serial number: A01225 and MN00123 have five, all others more.
const SERIAL_DIGITS: usize = 5;

/// The fewest colons in a name that an instrument gave: `A01225:404:H5NYTDSX3:2:1468:1000:2000` has six, names without run and
/// flow cell four.
const COLONS: usize = 4;

/// The serial number of an instrument with two colours or one (iSeq), from the header line (without `@`) of a read that has its name from
/// that instrument.
pub fn two_colour_instrument(head: &[u8]) -> Option<&[u8]> {
    let name = head.split(u8::is_ascii_whitespace).next()?;
    let serial = name.split(|&byte| byte == b':').next()?;
    let colons = name.iter().filter(|&&byte| byte == b':').count();
    let digits_of = |prefix: &&[u8]| serial.strip_prefix(*prefix);
    let is_number =
        |digits: &[u8]| digits.len() >= SERIAL_DIGITS && digits.iter().all(u8::is_ascii_digit);
    let is_known = TWO_COLOURS.iter().filter_map(digits_of).any(is_number);
    (is_known && colons >= COLONS).then_some(serial)
}

/// Returns `true` if a read with this header line (without `@`) comes from an instrument with two colours: by its serial
/// number, or, where fastp is followed, by the begins of names that fastp goes by.
pub fn is_two_colour(head: &[u8], mode: Mode) -> bool {
    let known: &[&[u8]] = match mode {
        Mode::Correct => return two_colour_instrument(head).is_some(),
        Mode::Fastp(FastpVersion::V0_23) => &KNOWN_TO_0_23,
        Mode::Fastp(FastpVersion::V1_3) => &TWO_COLOURS,
    };
    known.iter().any(|begin| head.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruments_are_known_by_serial_numbers() {
        for (head, serial) in [
            ("A01225:404:H5NYTDSX3:2:1468:10:20 1:N:0:ACGT", "A01225"),
            ("NS500211:808:HW27KAFXY:1:11101:1:2", "NS500211"),
            ("NB501788:53:H3HYMBGX3:1:11101:1:2", "NB501788"),
            ("NDX550123:53:H3HYMBGX3:1:11101:1:2", "NDX550123"),
            ("VH00123:77:AAH2HKKM5:1:1101:1:2", "VH00123"),
            ("VL00870:19:AAH2HKKM5:1:2201:1:2", "VL00870"),
            ("LH00123:77:22H2HKLT5:1:1101:1:2", "LH00123"),
            ("FS10000123:7:BNT:1:1101:1:2", "FS10000123"),
            ("MN00123:12:000H:1:11101:1:2", "MN00123"),
            ("SH00123:1:SC2000:1:1101:1:2", "SH00123"),
            ("NA00123:1:1101:1:2/1", "NA00123"),
            // Four colours, and other makers.
            ("M01378:492:000000000-BLK46:1:1101:1:2", ""),
            ("D00123:77:CAH2H:1:1101:1:2", ""),
            ("AV240405:run1:2345:1:10102:1:2", ""),
            // Names that begin like serial numbers.
            ("Amplicon12_7", ""),
            ("A", ""),
            ("A123:1:1:1:1:1:1", ""),
            ("A01225x:404:H5NYTDSX3:2:1468:10:20", ""),
            ("A01225", ""),
            ("A01225_7", ""),
            ("NS500211_assembly:5", ""),
            ("SH3_sample 1:2:3:4:5:6", ""),
            ("SRR1.5 A01225:404:H5NYTDSX3:2:1468:10:20", ""),
            ("", ""),
        ] {
            let found = two_colour_instrument(head.as_bytes()).unwrap_or_default();
            assert_eq!(found, serial.as_bytes(), "{head}");
            let is_known = is_two_colour(head.as_bytes(), Mode::Correct);
            assert_eq!(is_known, !serial.is_empty(), "{head}");
        }
        for version in [FastpVersion::V0_23, FastpVersion::V1_3] {
            assert!(is_two_colour(b"NS", Mode::Fastp(version)));
        }
        let is_new = |mode| is_two_colour(b"Amplicon12_7", mode);
        assert!(is_new(Mode::Fastp(FastpVersion::V1_3)));
        assert!(!is_new(Mode::Fastp(FastpVersion::V0_23)));
    }
}
