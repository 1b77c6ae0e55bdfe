//! Which bytes sequences and qualities may hold.
//!
//! Finding records does not ask: a blank or a control byte inside a line breaks no record, and in FASTA
//! every line up to the next `>` is sequence, also the lines of FASTQ that someone has appended. Whoever
//! counts or judges what is in the reads, or says that a file is sound, asks for this.

use thalweg_scan::{Within, are_all_graphic, are_all_within, are_graphic};

use crate::lines::LineEnd;
use crate::{Format, FormatError, FormatErrorKind, Records};

/// The letters among which nearly all sequences of FASTQ have theirs: A, C, G, T and N, but neither lower case nor U.
const USUAL: Within<b'A', b'T'> = Within;

/// The first fault of records that lie in `data`; if there is none, whether all bases are known to be A to T.
///
/// # Errors
/// [`FormatErrorKind::FastqInFasta`], [`FormatErrorKind::StrayBase`] or [`FormatErrorKind::StrayQuality`]; the record is
/// counted from the first of `records`, the offset from the start of `data`.
pub fn check(data: &[u8], records: Records<'_>) -> Result<bool, FormatError> {
    if records.format() == Format::Fastq {
        let are_usual = are_all_within(records.one_line_sequences(), USUAL);
        if (are_usual || are_all_graphic(records.one_line_sequences()))
            && are_all_graphic(records.one_line_qualities())
        {
            return Ok(are_usual);
        }
    }
    let is_fasta = records.format() == Format::Fasta;
    for (number, record) in records.enumerate() {
        let fault = |line: &[u8], kind| {
            let offset = line.as_ptr().addr() - data.as_ptr().addr();
            Err(FormatError::new(kind, number, offset, data))
        };
        let of_fastq = |line: &&[u8]| is_fasta && matches!(line.first(), Some(b'@' | b'+'));
        // The first line at fault, whatever its fault: the rest of the record may come later, as a piece of its own.
        let is_faulty = |line: &&[u8]| of_fastq(line) || !are_letters(line);
        if let Some(line) = record.sequence_lines().find(is_faulty) {
            let kind = match first_stray(std::iter::once(line)) {
                Some((line, place)) if !of_fastq(&line) => FormatErrorKind::StrayBase {
                    byte: line[place],
                    place,
                },
                _ => FormatErrorKind::FastqInFasta,
            };
            return fault(line, kind);
        }
        if let Some((line, place)) = first_stray(record.quality_lines()) {
            let byte = line[place];
            return fault(line, FormatErrorKind::StrayQuality { byte, place });
        }
    }
    Ok(false)
}

/// The first header, or line with `+`, of four-line FASTQ in `data` that ends with a carriage return alone. In other formats,
/// finding records sees each.
///
/// # Errors
/// [`FormatErrorKind::LoneReturn`], of a record and at an offset as those of [`check`].
pub fn check_headers(data: &[u8], records: Records<'_>) -> Result<(), FormatError> {
    if records.format() != Format::Fastq || memchr::memchr(b'\r', data).is_none() {
        return Ok(());
    }
    for (number, record) in records.enumerate() {
        let record = record.as_bytes();
        let start = record.as_ptr().addr() - data.as_ptr().addr();
        let plus = memchr::memchr_iter(b'\n', record).nth(1);
        for line in [Some(0), plus.map(|newline| newline + 1)]
            .into_iter()
            .flatten()
        {
            if let LineEnd::LoneReturn(_) = LineEnd::find(record, line) {
                let kind = FormatErrorKind::LoneReturn;
                return Err(FormatError::new(kind, number, start + line, data));
            }
        }
    }
    Ok(())
}

/// The printing characters of ASCII but for the blank: `!` to `~`.
fn is_letter(byte: u8) -> bool {
    byte.wrapping_sub(b'!') <= b'~' - b'!'
}

/// Whether all bytes may stand in a sequence or among qualities: `!` to `~`.
#[inline]
fn are_letters(line: &[u8]) -> bool {
    are_graphic(line)
}

/// The first line with a byte that is no letter, and the place of that in it.
fn first_stray<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<(&'a [u8], usize)> {
    lines.find_map(|line| {
        if are_letters(line) {
            return None;
        }
        let stray = line.iter().position(|&byte| !is_letter(byte));
        stray.map(|place| (line, place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_at_every_place() {
        for length in [1, 15, 16, 17, 33, 150] {
            let mut line = vec![b'A'; length];
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    line[at] = byte;
                    assert_eq!(are_letters(&line), byte.is_ascii_graphic(), "{byte}");
                    if !are_letters(&line) {
                        assert_eq!(first_stray([&line[..]].into_iter()), Some((&line[..], at)));
                    }
                }
                line[at] = b'A';
            }
        }
        assert!(are_letters(b""));
    }
}
