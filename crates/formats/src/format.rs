//! Which format a file has, told from its first bytes and never from its name.

use crate::lines::LineEnd;
use crate::{FormatError, FormatErrorKind, fasta, fastq, fastq_multiline};

/// How records are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Four lines per record: `@head`, sequence, `+`, quality.
    Fastq,
    /// FASTQ whose sequence or quality is wrapped over several lines.
    ///
    /// Record boundaries cannot be found by inspection, because a wrapped quality line may look
    /// like anything: such a file is parsed from its start, on one thread.
    FastqMultiline,
    /// `>head`, then any number of lines of sequence.
    Fasta,
}

impl Format {
    /// Positions that [`Scanner::scan`](crate::Scanner::scan) appends for each record: 4 for FASTQ, 2 for FASTA.
    #[inline]
    pub const fn ends_per_record(self) -> usize {
        match self {
            Format::Fastq | Format::FastqMultiline => 4,
            Format::Fasta => 2,
        }
    }

    /// What it is called, however many lines it has: "FASTQ" or "FASTA".
    pub const fn name(self) -> &'static str {
        match self {
            Format::Fastq | Format::FastqMultiline => "FASTQ",
            Format::Fasta => "FASTA",
        }
    }

    /// Whether records have qualities.
    #[inline]
    pub const fn has_qualities(self) -> bool {
        matches!(self, Format::Fastq | Format::FastqMultiline)
    }
}

/// Tell the format from `prefix`, the first bytes of the uncompressed data.
///
/// `at_end` says that there are no more bytes. 64 KiB are plenty for short reads. FASTQ is
/// multi-line if some record in the prefix is not four lines of FASTQ but is FASTQ when lines are
/// joined; a first record longer than the prefix is taken for four lines. Data that are empty or
/// hold line ends only have no format: `None`, with which a caller that has more to give
/// (`at_end` is false) should ask again. Blank lines before the first record are refused, as
/// record positions would not be what they seem.
///
/// # Errors
///
/// [`FormatErrorKind::NotSequenceData`] if the first byte is neither `@` nor `>`, and
/// [`FormatErrorKind::LoneReturn`] if the first line ends so. Other faults are left to the scanner, which
/// knows their position.
pub fn sniff(prefix: &[u8], at_end: bool) -> Result<Option<Format>, FormatError> {
    match prefix.first() {
        // A file of such lines has no newline, and none of its records would ever end.
        Some(b'@' | b'>') if matches!(LineEnd::find(prefix, 0), LineEnd::LoneReturn(_)) => {
            let kind = FormatErrorKind::LoneReturn;
            Err(FormatError::new(kind, 0, 0, prefix))
        }
        _ if fasta::sniff(prefix) => Ok(Some(Format::Fasta)),
        _ if fastq_multiline::sniff(prefix, at_end) => Ok(Some(Format::FastqMultiline)),
        _ if fastq::sniff(prefix) => Ok(Some(Format::Fastq)),
        _ if prefix.iter().all(|byte| matches!(byte, b'\n' | b'\r')) => Ok(None),
        _ => Err(FormatError::new(
            FormatErrorKind::NotSequenceData,
            0,
            0,
            prefix,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        let sniffed = |text: &str| sniff(text.as_bytes(), true).unwrap();
        assert_eq!(sniffed(""), None);
        assert_eq!(sniffed("\r\n\n"), None);
        assert_eq!(sniffed(">a\nAC\nGT\n"), Some(Format::Fasta));
        assert_eq!(sniffed("@a\nACGT\n+\n@+II\n"), Some(Format::Fastq));
        assert_eq!(sniffed("@a\nACGT\n+\n@+II"), Some(Format::Fastq));
        assert_eq!(
            sniffed("@a\nAC\nGT\n+\nIIII\n"),
            Some(Format::FastqMultiline)
        );
        assert_eq!(
            sniffed("@a\nACGT\n+\nII\nII\n"),
            Some(Format::FastqMultiline)
        );
        // A short first record of a wrapped file.
        let wrapped = "@a\nA\n+\nI\n@b\nACGT\nA\n+\nIIII\nI\n";
        assert_eq!(sniffed(wrapped), Some(Format::FastqMultiline));
        // Faults of four-line files are not taken for wrapped lines.
        assert_eq!(
            sniffed("@a\nACGT\n+\nIII\n@b\nA\n+\nI\n"),
            Some(Format::Fastq)
        );
        assert_eq!(sniffed("@a\nACGT\n@b\nA\n+\nI\n"), Some(Format::Fastq));
    }

    #[test]
    fn a_cut_prefix_is_enough() {
        let text = b"@a\nACGTACGT\nACGT\n+\nIIIIIIII\nIIII\n@b\nA\n+\nI\n";
        // The fourth newline shows that the third line does not start with '+'.
        for length in 1..text.len() {
            let expected = if length < 19 {
                Format::Fastq
            } else {
                Format::FastqMultiline
            };
            assert_eq!(sniff(&text[..length], false).unwrap(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_sequence_is_shown() {
        let error = sniff(b"\x1f\x8b\x08hello", true).unwrap_err();
        assert_eq!(error.kind, FormatErrorKind::NotSequenceData);
        assert!(error.to_string().contains(r"\x1f\x8b\x08hello"), "{error}");
    }
}
