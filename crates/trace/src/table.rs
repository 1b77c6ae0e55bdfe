//! Values as lines of text.

use std::fmt::Display;
use std::io::Write;

use crate::Value;

/// Lines with tabs between the fields of values of one kind, below a line with the names of these.
///
/// A list has commas between its items, and an item of several parts has colons: cuts are `poly_g:0:12`, which is step, bases off
/// the front, and bases off the tail; candidates are `562:0.98:87`, which is taxid, score and k-mers. In text, a tab, a line
/// end, a carriage return and a backslash are `\t`, `\n`, `\r` and `\\`; what is no UTF-8 is as it came.
#[derive(Clone, Debug)]
pub struct TraceTable {
    fields: &'static [&'static str],
    kind: String,
}

impl TraceTable {
    /// A table of records of this kind; `None` if this version has none.
    pub fn of(kind: &str) -> Option<Self> {
        let fields = Value::fields_of(kind).filter(|_| !matches!(kind, "header" | "end"))?;
        Some(Self {
            fields,
            kind: kind.to_owned(),
        })
    }

    /// The names of the columns, as a line.
    pub fn head(&self) -> String {
        self.fields.join("\t") + "\n"
    }

    /// Append the line of a value; returns `false` if it is of another kind, and has none.
    pub fn write(&self, value: &Value<'_>, into: &mut Vec<u8>) -> bool {
        if value.kind() != self.kind {
            return false;
        }
        let mut line = Line {
            into,
            is_begun: false,
        };
        match value {
            Value::Read(read) => {
                line.number(read.rank);
                line.number(read.mate);
                line.text(read.name.as_bytes());
                line.number(read.length_before);
                line.number(read.length_after);
                line.number(read.start);
                line.list(&read.cuts, |cut| {
                    format!("{}:{}:{}", cut.step, cut.front, cut.tail)
                });
                line.number(read.corrected);
                line.text(read.verdict.as_bytes());
                line.text(read.outcome.as_bytes());
            }
            Value::Kmer(kmer) => {
                line.text(kmer.kmer.as_bytes());
                line.number(kmer.count);
            }
            Value::Label(label) => {
                line.text(label.name.as_bytes());
                line.list(&label.lengths, u64::to_string);
                line.number(label.taxid);
                line.number(label.score);
                line.text(label.reason.as_bytes());
                line.number(label.kmers);
                line.number(label.support);
                line.list(&label.candidates, |candidate| {
                    format!(
                        "{}:{}:{}",
                        candidate.taxid, candidate.score, candidate.kmers
                    )
                });
            }
            Value::Header(_) | Value::End(_) => return false,
        }
        line.into.push(b'\n');
        true
    }
}

struct Line<'a> {
    into: &'a mut Vec<u8>,
    is_begun: bool,
}

impl Line<'_> {
    fn begin(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            self.into.push(b'\t');
        }
    }

    fn number(&mut self, value: impl Display) {
        self.begin();
        // Into memory, which does not fail.
        let _ = write!(self.into, "{value}");
    }

    fn text(&mut self, text: &[u8]) {
        self.begin();
        escape(text, self.into);
    }

    fn list<T>(&mut self, items: &[T], text: impl Fn(&T) -> String) {
        let items: Vec<String> = items.iter().map(text).collect();
        self.text(items.join(",").as_bytes());
    }
}

fn escape(text: &[u8], into: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'\t' => into.extend_from_slice(b"\\t"),
            b'\n' => into.extend_from_slice(b"\\n"),
            b'\r' => into.extend_from_slice(b"\\r"),
            b'\\' => into.extend_from_slice(b"\\\\"),
            byte => into.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, Label, TracedCandidate, TracedRead};

    #[test]
    fn values_are_lines() {
        let cut = |step: &'static str, front, tail| Cut {
            step: step.into(),
            front,
            tail,
        };
        let read = Value::Read(TracedRead {
            rank: 7,
            mate: 2,
            name: (&b"a\\b\xff"[..]).into(),
            length_before: 150,
            length_after: 120,
            start: 3,
            cuts: vec![cut("quality", 3, 0), cut("adapter", 0, 27)].into(),
            corrected: 1,
            verdict: "passed".into(),
            outcome: "kept".into(),
        });
        let label = Value::Label(Label {
            name: "r".into(),
            lengths: vec![150, 148].into(),
            taxid: 562,
            score: 0.5,
            reason: "shared".into(),
            kmers: 240,
            support: 200,
            candidates: vec![
                TracedCandidate {
                    taxid: 562,
                    score: 0.5,
                    kmers: 200,
                },
                TracedCandidate {
                    taxid: 7,
                    score: 0.25,
                    kmers: 9,
                },
            ]
            .into(),
        });
        let line = |value: &Value<'_>| {
            let (table, mut text) = (TraceTable::of(value.kind()).unwrap(), Vec::new());
            assert!(table.write(value, &mut text));
            assert_eq!(
                table.head().matches('\t').count(),
                text.iter().filter(|&&byte| byte == b'\t').count()
            );
            text
        };
        assert_eq!(
            line(&read),
            b"7\t2\ta\\\\b\xff\t150\t120\t3\tquality:3:0,adapter:0:27\t1\tpassed\tkept\n"
        );
        assert_eq!(
            line(&label),
            b"r\t150,148\t562\t0.5\tshared\t240\t200\t562:0.5:200,7:0.25:9\n"
        );
        let mut text = Vec::new();
        assert!(!TraceTable::of("read").unwrap().write(&label, &mut text));
        assert!(text.is_empty() && TraceTable::of("gap").is_none());
    }
}
