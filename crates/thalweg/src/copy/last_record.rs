//! The last record of a text of FASTQ, by its last lines: whether the text ends inside of it.

/// What is kept of a line: how it begins, and how long it is without its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    first: Option<u8>,
    /// Whether the last byte is a carriage return, which belongs to the end.
    returns: bool,
    length: u64,
}

impl Line {
    fn of(line: &[u8]) -> Self {
        Self {
            first: line.first().copied(),
            returns: line.last() == Some(&b'\r'),
            length: line.len() as u64,
        }
    }

    /// Of a line of which this is the first part, and `rest` the other.
    fn followed_by(self, rest: Self) -> Self {
        match rest.length {
            0 => self,
            _ => Self {
                first: self.first.or(rest.first),
                returns: rest.returns,
                length: self.length + rest.length,
            },
        }
    }

    fn letters(self) -> u64 {
        self.length - u64::from(self.returns)
    }
}

/// Lines that are kept: those of a record, and one that is empty behind them.
const KEPT: usize = 5;

/// The last lines of a text, which may be a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LastRecord {
    /// The last lines that have an end: the last one first.
    ended: [Line; KEPT],
    /// How many those are.
    count: usize,
    /// What is behind them.
    open: Line,
    /// Whether the first of all these begins with the text, so that more of it may stand before.
    begins: bool,
}

impl LastRecord {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut last = Self::default();
        let newline = |end: usize| memchr::memrchr(b'\n', &text[..end]);
        let mut next = newline(text.len());
        last.open = Line::of(&text[next.map_or(0, |newline| newline + 1)..]);
        while let Some(end) = next
            && last.count < KEPT
        {
            next = newline(end);
            last.ended[last.count] = Line::of(&text[next.map_or(0, |newline| newline + 1)..end]);
            last.count += 1;
        }
        last.begins = next.is_none();
        last
    }

    /// Those of this text with `next` behind it.
    pub(super) fn followed_by(self, next: Self) -> Self {
        if next.count == 0 {
            let open = self.open.followed_by(next.open);
            return Self { open, ..self };
        }
        let mut all = next;
        if !all.begins {
            return all;
        }
        all.ended[all.count - 1] = self.open.followed_by(all.ended[all.count - 1]);
        for line in &self.ended[..self.count.min(KEPT - all.count)] {
            all.ended[all.count] = *line;
            all.count += 1;
        }
        all.begins = self.begins && self.count + next.count <= KEPT;
        all
    }

    /// Whether they are those of a whole record of four lines. Where not, the text ends inside a record, or has its lines
    /// otherwise, such as wrapped ones, or several empty ones at its end.
    ///
    /// No line of bases begins with `@` or `+`, so that lines of qualities cannot deceive.
    pub(super) fn is_whole(&self) -> bool {
        let ended = &self.ended[..self.count];
        match self.open.length {
            // An empty line of qualities may lack its end, or an empty line stand behind all.
            0 => {
                [ended, ended.get(1..).unwrap_or_default()]
                    .iter()
                    .enumerate()
                    .any(|(blank, lines)| {
                        (blank == 0 || ended.first().is_some_and(|line| line.letters() == 0))
                            && is_record(lines)
                    })
                    || self.with_open_line().is_some_and(|lines| is_record(&lines))
            }
            _ => self.with_open_line().is_some_and(|lines| is_record(&lines)),
        }
    }

    /// Whether the last line is empty, as it may be behind whole records.
    pub(super) fn ends_empty(&self) -> bool {
        self.open.length == 0 && self.count > 0 && self.ended[0].letters() == 0
    }

    /// The last four lines, the last one first, what has no end among them.
    fn with_open_line(&self) -> Option<[Line; 4]> {
        let [last, third, second, ..] = self.ended;
        (self.count >= 3).then_some([self.open, last, third, second])
    }
}

/// Whether lines begin, from their end, with a record.
fn is_record(lines: &[Line]) -> bool {
    match lines {
        [qualities, plus, bases, head, ..] => {
            head.first == Some(b'@')
                && plus.first == Some(b'+')
                && !matches!(bases.first, Some(b'@' | b'+'))
                && bases.letters() == qualities.letters()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three records, cut anywhere and in any two pieces: whole at their ends only.
    #[test]
    fn texts_are_whole_behind_records() {
        for text in [
            "@r\nACGT\n+\n@III\n@s\nAC\n+s\n+I\n@t\nG\n+\n@\n",
            "@r\r\nACGT\r\n+\r\n@III\r\n@s\r\nAC\r\n+\r\n@I\r\n",
            "@r\n\n+\n\n@s\nA\n+\nI\n@t\n\n+\n\n",
        ] {
            let text = text.as_bytes();
            let mut ends = vec![];
            let (mut lines, mut at) = (0, 0);
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                at += line.len();
                lines += 1;
                let returns = usize::from(line.ends_with(b"\r\n"));
                if lines % 4 == 0 {
                    // Without the end of the last line, or half of it, it is whole, too.
                    ends.extend(at - 1 - returns..=at);
                }
            }
            for end in 1..=text.len() {
                let whole = ends.contains(&end);
                for cut in 0..=end {
                    let [one, two] = [&text[..cut], &text[cut..end]].map(LastRecord::of);
                    let told = one.followed_by(two).is_whole();
                    assert_eq!(told, whole, "{} of {cut}", text[..end].escape_ascii());
                }
            }
        }
    }

    #[test]
    fn an_empty_line_at_the_end_is_no_matter() {
        assert!(LastRecord::of(b"@r\nAC\n+\nII\n\n").is_whole());
        for cut in ["@r\n", "@r\nAC\n", "@r\nAC\n+\n", "@r\nAC\n+\nI\n", "x\n"] {
            assert!(!LastRecord::of(cut.as_bytes()).is_whole(), "{cut}");
        }
    }
}
