//! The oracle: line by line, from the start, on one thread.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A record by its content: equal records have equal digests.
pub(crate) type Digest = u64;

pub(crate) fn digest(head: &[u8], sequence: &[u8], quality: Option<&[u8]>) -> Digest {
    let mut hasher = DefaultHasher::new();
    (head, sequence, quality).hash(&mut hasher);
    hasher.finish()
}

/// Lines without their ends; no empty one after a last newline.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let trim = |line| <[u8]>::strip_suffix(line, b"\r").unwrap_or(line);
    lines.into_iter().map(trim).collect()
}

/// The records of a well-formed text; `None` if it is malformed.
pub(crate) fn parse(text: &[u8]) -> Option<Vec<Digest>> {
    match text.first() {
        None => Some(Vec::new()),
        Some(b'>') => fasta(text),
        Some(b'@') => fastq(text),
        Some(_) => None,
    }
}

fn fastq(text: &[u8]) -> Option<Vec<Digest>> {
    let mut lines = lines(text);
    // A last record with an empty quality line ends with an empty line too.
    let blank = lines
        .iter()
        .rev()
        .take_while(|line| line.is_empty())
        .count();
    let spare = lines.len() % 4;
    if spare > 0 && spare <= blank {
        lines.truncate(lines.len() - spare);
    }
    let mut records = Vec::new();
    let mut rest = lines.as_slice();
    while let [head, sequence, plus, quality, more @ ..] = rest {
        if rest.iter().all(|line| line.is_empty()) {
            return Some(records);
        }
        if !head.starts_with(b"@") || !plus.starts_with(b"+") || sequence.len() != quality.len() {
            return None;
        }
        if sequence.starts_with(b"@") || sequence.starts_with(b"+") {
            return None;
        }
        records.push(digest(&head[1..], sequence, Some(quality)));
        rest = more;
    }
    if let [head, b"", plus] = rest
        && head.starts_with(b"@")
        && plus.starts_with(b"+")
        && text.ends_with(b"\n")
    {
        // The quality line is empty, as the sequence is, and has no line end.
        records.push(digest(&head[1..], b"", Some(b"")));
        return Some(records);
    }
    rest.is_empty().then_some(records)
}

fn fasta(text: &[u8]) -> Option<Vec<Digest>> {
    let mut records = Vec::new();
    let mut current: Option<(&[u8], Vec<u8>)> = None;
    for line in lines(text) {
        if let Some(head) = line.strip_prefix(b">") {
            if let Some((head, sequence)) = current.replace((head, Vec::new())) {
                records.push(digest(head, &sequence, None));
            }
        } else {
            current.as_mut()?.1.extend_from_slice(line);
        }
    }
    if let Some((head, sequence)) = current {
        records.push(digest(head, &sequence, None));
    }
    Some(records)
}

/// FASTQ whose lines may be wrapped.
pub(crate) fn parse_multiline(text: &[u8]) -> Option<Vec<Digest>> {
    let lines = lines(text);
    let mut records = Vec::new();
    let mut lines = lines.into_iter();
    while let Some(head) = lines.next() {
        // Blank lines behind the last record are passed over, as in `fastq`.
        if head.is_empty() && lines.clone().all(<[u8]>::is_empty) {
            break;
        }
        let head = head.strip_prefix(b"@")?;
        let mut sequence = Vec::new();
        let mut quality = Vec::new();
        loop {
            match lines.next()? {
                line if line.starts_with(b"+") => break,
                line => sequence.extend_from_slice(line),
            }
        }
        loop {
            quality.extend_from_slice(lines.next()?);
            if quality.len() >= sequence.len() {
                break;
            }
        }
        if quality.len() != sequence.len() {
            return None;
        }
        records.push(digest(head, &sequence, Some(&quality)));
    }
    Some(records)
}
