//! The rules that every record of FASTQ is judged by, and every pair. Their codes and verdicts are those of fq lint.

use std::fmt;

/// What is wrong with a record, or with the mates of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultCode {
    /// S001: the third line does not begin with `+`.
    PlusLine,
    /// S002: something else than A, C, G, T and N stands in the sequence, in either case.
    Alphabet,
    /// S003: the first line does not begin with `@`.
    Name,
    /// S004: one of the four lines is empty, or not there.
    Complete,
    /// S005: there are not as many qualities as letters.
    ConsistentLengths,
    /// S006: something else than `!` to `~` stands among the qualities.
    Qualities,
    /// S007: a record before it has the same name.
    DuplicateName,
    /// P001: mates have different names.
    MateNames,
}

impl FaultCode {
    /// All codes, in their order.
    pub const ALL: [Self; 8] = [
        Self::PlusLine,
        Self::Alphabet,
        Self::Name,
        Self::Complete,
        Self::ConsistentLengths,
        Self::Qualities,
        Self::DuplicateName,
        Self::MateNames,
    ];

    /// As fq writes it.
    pub fn code(self) -> &'static str {
        match self {
            Self::PlusLine => "S001",
            Self::Alphabet => "S002",
            Self::Name => "S003",
            Self::Complete => "S004",
            Self::ConsistentLengths => "S005",
            Self::Qualities => "S006",
            Self::DuplicateName => "S007",
            Self::MateNames => "P001",
        }
    }

    /// The one with this code, in either case.
    pub fn of_code(code: &str) -> Option<Self> {
        let is_it = |other: &Self| other.code().eq_ignore_ascii_case(code);
        Self::ALL.into_iter().find(is_it)
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Four lines, without their ends: the name with its `@`, the sequence, that with `+`, the qualities.
pub(super) type FourLines<'a> = [&'a [u8]; 4];

/// One fault: its code, the line of the record that has it, the place in that line, and what it is.
pub(super) type Found = (FaultCode, usize, usize, String);

/// What is wrong with a record, by all rules for one record alone: one fault for each at most.
pub(super) fn judge(record: FourLines<'_>, mut tell: impl FnMut(Found)) {
    let [name, sequence, plus, qualities] = record;
    let found = |line: &[u8]| match line.first() {
        Some(&byte) => format!("found {}", quoted(byte)),
        None => "it is empty".to_owned(),
    };
    if plus.first() != Some(&b'+') {
        let what = format!("the third line does not begin with '+': {}", found(plus));
        tell((FaultCode::PlusLine, 2, 0, what));
    }
    if let Some(place) = first_other(sequence, is_base) {
        let letter = quoted(sequence[place]);
        let what = format!("{letter} is not A, C, G, T or N");
        tell((FaultCode::Alphabet, 1, place, what));
    }
    if name.first() != Some(&b'@') {
        let what = format!("the name does not begin with '@': {}", found(name));
        tell((FaultCode::Name, 0, 0, what));
    }
    if let Some(line) = record.iter().position(|line| line.is_empty()) {
        let name = ["name", "sequence", "line with '+'", "qualities"][line];
        let are = if line == 3 { "are" } else { "is" };
        tell((
            FaultCode::Complete,
            line,
            0,
            format!("the {name} {are} empty or missing"),
        ));
    }
    let (letters, values) = (sequence.len(), qualities.len());
    if letters != values {
        let what = format!("the sequence has length {letters}, the qualities have {values}");
        tell((FaultCode::ConsistentLengths, 3, 0, what));
    }
    if let Some(place) = first_other(qualities, |value| value.is_ascii_graphic()) {
        let what = format!("{} is outside of '!' to '~'", quoted(qualities[place]));
        tell((FaultCode::Qualities, 3, place, what));
    }
}

/// What mates have in common of their names: all before the first `/` or blank.
#[inline]
pub(super) fn common_name(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|byte| matches!(byte, b'/' | b' ' | b'\t'));
    &name[..end.unwrap_or(name.len())]
}

/// What single reads are told apart by: all before the first blank.
#[inline]
pub(super) fn single_name(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|byte| matches!(byte, b' ' | b'\t'));
    &name[..end.unwrap_or(name.len())]
}

/// Where the first byte is that is not allowed.
///
/// Most reads have none. So all bytes are looked at without a branch first, many at once by the compiler's doing.
#[inline(always)]
fn first_other(line: &[u8], is_allowed: impl Fn(u8) -> bool) -> Option<usize> {
    let are_all_allowed = (line.iter()).fold(true, |all, &byte| all & is_allowed(byte));
    match are_all_allowed {
        true => None,
        false => line.iter().position(|&byte| !is_allowed(byte)),
    }
}

/// Whether it may stand in a sequence.
#[inline(always)]
fn is_base(letter: u8) -> bool {
    let is = |base| letter.to_ascii_uppercase() == base;
    is(b'A') | is(b'C') | is(b'G') | is(b'T') | is(b'N')
}

/// What may stand in a sequence.
pub(super) const BASES: [u8; 10] = *b"ACGTNacgtn";

fn quoted(byte: u8) -> String {
    match byte.is_ascii_graphic() {
        true => format!("'{}'", char::from(byte)),
        false => format!("0x{byte:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(record: [&str; 4]) -> Vec<&'static str> {
        let mut codes = Vec::new();
        judge(record.map(str::as_bytes), |(code, ..)| {
            codes.push(code.code())
        });
        codes
    }

    #[test]
    fn every_rule_has_its_code() {
        for (record, expected) in [
            (["@r", "ACGTNacgtn", "+", "!!!!!~~~~~"], &[][..]),
            (["@r", "ACGT", "-", "IIII"], &["S001"]),
            (["@r", "ACRT", "+", "IIII"], &["S002"]),
            (["r", "ACGT", "+r", "IIII"], &["S003"]),
            (["@r", "", "+", ""], &["S004"]),
            (["", "ACGT", "+", "IIII"], &["S003", "S004"]),
            (["@r", "ACGT", "+", ""], &["S004", "S005"]),
            (["@r", "ACGT", "+", "III"], &["S005"]),
            (["@r", "ACGT", "+", "II I"], &["S006"]),
            (["@r", "", "", ""], &["S001", "S004"]),
        ] {
            assert_eq!(codes(record), expected, "{record:?}");
        }
    }

    #[test]
    fn bases_are_those_that_screening_counts() {
        for letter in 0..=u8::MAX {
            assert_eq!(is_base(letter), BASES.contains(&letter), "{letter}");
        }
    }

    #[test]
    fn codes_are_found_by_their_names() {
        for code in FaultCode::ALL {
            assert_eq!(FaultCode::of_code(&code.code().to_lowercase()), Some(code));
        }
        assert_eq!(FaultCode::of_code("S008"), None);
    }
}
