//! The four lines of a record, each parsed in its own way.
//!
//! Nothing here decides about correctness: where a line is not what it was taken for, the parse
//! is worse, not wrong.

use memchr::memchr;

use crate::parse::Parser;

/// Where the lines of a record are: each ends before the next begins.
#[derive(Clone, Copy)]
struct Record {
    name: usize,
    bases: usize,
    /// The line feed before the `+`.
    bases_end: usize,
    qualities: usize,
    /// The line feed behind the qualities, or the end of the text.
    end: usize,
}

/// Text without records is searched in pieces of this size, after which records are looked for.
const PIECE: usize = 4096;

pub(crate) fn parse(parser: &mut Parser<'_>) {
    let text = parser.text;
    while parser.at < text.len() {
        let mut before = None;
        if let Some(start) = first_record(text, parser.at) {
            parser.search(start);
            let mut next = start;
            while let Some(record) = Record::read_after(text, next, before.as_ref()) {
                parse_record(parser, &record, before.as_ref());
                before = Some(record);
                next = record.end + 1;
            }
            parser.search(next.min(text.len()));
        }
        parser.search(text.len().min(parser.at + PIECE));
    }
}

/// The start of the first line, if any is near, that begins with an `@` and has one with a `+`
/// behind the next one.
fn first_record(text: &[u8], from: usize) -> Option<usize> {
    let near = &text[from..text.len().min(from + PIECE)];
    let starts = memchr::memchr_iter(b'\n', near).map(|end| from + end + 1);
    let first = (from == 0).then_some(0);
    first
        .into_iter()
        .chain(starts)
        .take(8)
        .find(|&start| Record::read(text, start).is_some())
}

impl Record {
    /// The record behind another one: most have as many bases, so that only the end of its name is
    /// searched for.
    fn read_after(text: &[u8], name: usize, before: Option<&Self>) -> Option<Self> {
        let Some(before) = before else {
            return Self::read(text, name);
        };
        if text.get(name) != Some(&b'@') {
            return None;
        }
        let bases = name + memchr(b'\n', &text[name..])? + 1;
        let bases_end = bases + (before.bases_end - before.bases);
        let qualities = bases_end + 3;
        let end = qualities + (bases_end - bases);
        if text.get(bases_end..qualities) == Some(b"\n+\n") && text.get(end) == Some(&b'\n') {
            return Some(Self {
                name,
                bases,
                bases_end,
                qualities,
                end,
            });
        }
        Self::read(text, name)
    }

    fn read(text: &[u8], name: usize) -> Option<Self> {
        if text.get(name) != Some(&b'@') {
            return None;
        }
        let line = |from: usize| Some(from + memchr(b'\n', text.get(from..)?)?);
        let bases = line(name)? + 1;
        let bases_end = line(bases)?;
        if text.get(bases_end + 1) != Some(&b'+') {
            return None;
        }
        let qualities = line(bases_end + 1)? + 1;
        let end = qualities + (bases_end - bases);
        if end < text.len() && text[end] != b'\n' {
            return None;
        }
        Some(Self {
            name,
            bases,
            bases_end,
            qualities,
            end: end.min(text.len()),
        })
    }
}

fn parse_record(parser: &mut Parser<'_>, record: &Record, before: Option<&Record>) {
    if let Some(before) = before {
        name(parser, record, before);
    }
    parser.search(record.bases);
    parser.sparse(record.bases_end);
    if parser.at == record.bases_end {
        if record.qualities > record.bases_end + 3 {
            // The name once more.
            parser.literal();
            parser.literal();
            parser.try_at(record.name + 1, 3);
        } else if let Some(before) = before {
            parser.try_at(before.bases_end, 3);
        }
    }
    parser.search(record.qualities);
    parser.qualities(record.end);
}

/// The name, from the line feed before it, against the name before, field by field.
#[inline(never)]
fn name(parser: &mut Parser<'_>, record: &Record, before: &Record) {
    let text = parser.text;
    let end = record.bases;
    if parser.at >= record.bases {
        return;
    }
    // At the line feed before both names, if it is not parsed yet.
    let mut old = if parser.at < record.name {
        before.name.saturating_sub(record.name - parser.at)
    } else {
        before.name + (parser.at - record.name)
    };
    // Where the last change began: often the same number follows once more.
    let mut changed = None;
    while parser.at < end && old < before.bases {
        let taken = parser.try_at(old, 3);
        old += taken;
        if taken == 0 && text[old] == text[parser.at] {
            old += 1;
            parser.literal();
            continue;
        }
        let change = parser.at;
        if let Some(changed) = changed {
            parser.try_at(changed, 3);
        }
        changed = Some(change);
        // To the end of this field in both.
        while parser.at < end && text[parser.at].is_ascii_alphanumeric() {
            parser.literal();
        }
        while old < before.bases && text[old].is_ascii_alphanumeric() {
            old += 1;
        }
        if parser.at < end && old < before.bases && text[old] != text[parser.at] {
            break;
        }
    }
}
