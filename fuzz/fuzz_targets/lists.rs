//! Lists that people write: file names, read names, sample sheets, tables.
//!
//! Nothing panics. The text of an accepted list is accepted again, and its lines are those that a slow reader finds: split at
//! newlines, without blanks at their ends, numbered from 1, empty ones skipped.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_files::{ListTextError, list_lines, list_text, without_mark};

const MARK: &[u8] = b"\xef\xbb\xbf";

fuzz_target!(|input: &[u8]| {
    let text = match list_text(input.to_vec()) {
        Ok(text) => text,
        Err(error) => return check_refusal(input, &error),
    };
    assert_eq!(text, input.strip_prefix(MARK).unwrap_or(input));
    if !text.starts_with(MARK) && without_mark(&text).is_ok() {
        assert_eq!(list_text(text.clone()), Ok(text.clone()));
    }
    let lines = Vec::from_iter(list_lines(&text));
    assert_eq!(lines, slow_lines(&text));
    if !text.contains(&0) {
        assert!(lines.iter().all(|(_, line)| !line.contains(&b'\r')));
    }
});

fn check_refusal(input: &[u8], error: &ListTextError) {
    assert!(!error.hint().is_empty());
    match error {
        ListTextError::LoneReturn { line } => {
            let before = input.split(|&byte| byte == b'\n').nth(*line as usize - 1);
            assert!(before.is_some_and(|line| line.contains(&b'\r')), "{error}");
        }
        ListTextError::Encoding { .. } => assert!(without_mark(input).is_err()),
        other => panic!("{other}"),
    }
}

fn slow_lines(text: &[u8]) -> Vec<(u64, &[u8])> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut number = 1;
    for end in 0..=text.len() {
        if end < text.len() && text[end] != b'\n' {
            continue;
        }
        let mut line = &text[start..end];
        while let [rest @ .., b' ' | b'\t' | b'\r' | b'\x0c'] = line {
            line = rest;
        }
        if !line.is_empty() {
            lines.push((number, line));
        }
        start = end + 1;
        number += 1;
    }
    lines
}
