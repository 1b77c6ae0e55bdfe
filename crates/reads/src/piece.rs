//! Where a long record of FASTA is cut for those who can do with pieces of its sequence.
//!
//! ```text
//! slab        >name | lines ................ next ..... end ............ |
//! piece       >name | lines ........................... |                   given out
//! next slab                            >name | lines from `next` on .... | and what is still to come
//! ```
//! A piece is a record of its own, with the header of the whole. It begins with a line, so that what is said of a line at
//! fault is the same as of the whole record; and it ends where the next one has the letters that both are to have.

use thalweg_formats::lines::trim;
use thalweg_gzip::WINDOW;

use crate::batch::SLAB;

/// Longer headers are no names: such a record is held whole.
const LONGEST_HEADER: usize = 4096;

/// Bytes behind the end of a piece that are shown with it, for messages: more than they quote of a line.
const SHOWN: usize = 64;

/// What part of a record a piece of it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPiece {
    pub(crate) letters_before: u64,
    pub(crate) is_last: bool,
}

impl RecordPiece {
    /// Letters of the record before those of this piece.
    pub fn letters_before(&self) -> u64 {
        self.letters_before
    }

    /// Whether the record begins with it.
    pub fn is_first(&self) -> bool {
        self.letters_before == 0
    }

    /// Whether the record ends with it.
    pub fn is_last(&self) -> bool {
        self.is_last
    }
}

/// Where data that begin with an unfinished record can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Length of the header line, with its end.
    pub(crate) header: usize,
    /// Where the next piece begins: at a line.
    pub(crate) next: usize,
    /// Where this piece ends.
    pub(crate) end: usize,
    /// Where what is shown with it ends.
    pub(crate) shown: usize,
    /// Letters before `next`.
    pub(crate) letters: u64,
}

impl Cut {
    /// A place such that both pieces have the `overlap` letters around it, if there is one near the end of the data;
    /// at least 32 KiB stay, which a decoder refers to.
    pub(crate) fn find(data: &[u8], overlap: usize) -> Option<Self> {
        let header = memchr::memchr(b'\n', &data[..data.len().min(LONGEST_HEADER)])? + 1;
        let last = data.len().checked_sub(WINDOW)?;
        // What came before was looked through before.
        let new = (data.len() / 4).max(2 * SLAB);
        let first = header.max(last.saturating_sub(new));
        let newline = memchr::memrchr(b'\n', data.get(first..last)?)?;
        let next = first + newline + 1;
        let letters = letters(&data[header..next]);
        let end = end_of_letters(data, next, overlap)?;
        // An empty piece would be taken for the first one, and its successor, too.
        (letters > 0).then_some(Self {
            header,
            next,
            end,
            shown: data.len().min(end + SHOWN),
            letters,
        })
    }
}

/// The number of letters of whole lines.
fn letters(lines: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', lines).map(|newline| match newline.checked_sub(1) {
        Some(before) if lines[before] == b'\r' => 2,
        _ => 1,
    });
    lines.len() as u64 - ends.sum::<u64>()
}

/// Where the first `letters` letters of the lines from `from` on end, if all are there.
fn end_of_letters(data: &[u8], from: usize, letters: usize) -> Option<usize> {
    let (mut position, mut left) = (from, letters);
    while left > 0 {
        let rest = &data[position..];
        let newline = memchr::memchr(b'\n', rest);
        // All of a line that has not ended yet may be letters.
        let line = newline.map_or(rest, |length| trim(&rest[..length]));
        if left <= line.len() {
            let end = position + left;
            // It would be taken for the end of a line.
            return (data[end - 1] != b'\r').then_some(end);
        }
        left -= line.len();
        position += newline? + 1;
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_at_lines_and_leave_the_window() {
        for (width, end) in [(60, "\n"), (80, "\r\n"), (7, "\n"), (20_000, "\r\n")] {
            let line = "A".repeat(width) + end;
            let text = format!(">a b{end}{}", line.repeat((3 * WINDOW).div_ceil(width)));
            let data = text.as_bytes();
            for overlap in [0, 1, width - 1, width, width + 1, 254] {
                let cut = Cut::find(data, overlap).unwrap();
                assert_eq!(&data[..cut.header], format!(">a b{end}").as_bytes());
                assert_eq!((cut.next - cut.header) % line.len(), 0);
                assert_eq!(
                    cut.letters as usize,
                    (cut.next - cut.header) / line.len() * width
                );
                assert_eq!(letters_between(data, cut.next, cut.end), overlap);
                let left = data.len() - cut.next;
                assert!((WINDOW..WINDOW + line.len()).contains(&left), "{left}");
            }
        }
    }

    fn letters_between(data: &[u8], from: usize, to: usize) -> usize {
        data[from..to].iter().filter(|&&byte| byte == b'A').count()
    }

    #[test]
    fn nothing_is_cut_without_a_place() {
        let line = "ACGT".repeat(WINDOW);
        let unsuitable = [
            "",
            ">a\nACGT\n",
            // One line, with and without the end of the header.
            &format!(">a\n{line}"),
            &format!(">{line}"),
            // Too long a header, too few letters behind the place, none before it.
            &format!(">{}\n{}", &line[..5000], "ACGT\n".repeat(WINDOW)),
            &format!(">a\n{}{}", "ACGT\n".repeat(10), "\n".repeat(WINDOW)),
            &format!(">a\n\n\n{line}"),
            // A carriage return where the piece would end.
            &format!(
                ">a\n{}{}",
                "AC\n".repeat(10),
                "ACG\rT\n".repeat(WINDOW / 6 + 1)
            ),
        ];
        for text in unsuitable {
            assert_eq!(Cut::find(text.as_bytes(), 4), None);
        }
    }
}
