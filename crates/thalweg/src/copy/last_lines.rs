//! The end of a text of FASTQ: whether what follows would go on with its last record.

/// What tells of a line here: how it begins, and whether there is more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Start {
    bytes: [u8; 2],
    /// 3 for all that is more than two bytes.
    length: u8,
}

impl Start {
    fn of(line: &[u8]) -> Self {
        let mut start = Self {
            length: line.len().min(3) as u8,
            ..Self::default()
        };
        for (byte, from) in start.bytes.iter_mut().zip(line) {
            *byte = *from;
        }
        start
    }

    /// Of a line of which this is the first part, and `rest` the other.
    fn followed_by(self, rest: Self) -> Self {
        if self.length > 2 {
            return self;
        }
        let mut line = Vec::with_capacity(6);
        line.extend_from_slice(&self.bytes[..usize::from(self.length)]);
        line.extend_from_slice(&rest.bytes[..usize::from(rest.length.min(2))]);
        let more = usize::from(rest.length > 2);
        line.resize(line.len() + more, 0);
        Self::of(&line)
    }

    fn is_blank(self) -> bool {
        self.length == 0 || self.length == 1 && self.bytes[0] == b'\r'
    }

    fn is_plus(self) -> bool {
        self.length > 0 && self.bytes[0] == b'+'
    }
}

/// The last lines of a text, which may be a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LastLines {
    /// How many of its lines have an end: up to 3.
    ended: u8,
    /// The last but one that has an end.
    before: Start,
    /// The last one.
    last: Start,
    /// What is behind it.
    open: Start,
}

/// Whether what follows a text would go on with its last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoesOn {
    No,
    Yes,
    /// Its last line may be one with a `+`, or qualities that begin so.
    Perhaps,
}

impl LastLines {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut lines = Self::default();
        let mut end = text.len();
        // From the end: what has none, the last line, the one before it; and whether there are more.
        for part in 0..4 {
            let newline = memchr::memrchr(b'\n', &text[..end]);
            let line = Start::of(&text[newline.map_or(0, |newline| newline + 1)..end]);
            match part {
                0 => lines.open = line,
                1 => lines.last = line,
                2 => lines.before = line,
                _ => {}
            }
            lines.ended = part;
            match newline {
                Some(newline) => end = newline,
                None => break,
            }
        }
        lines
    }

    /// Those of this text with `next` behind it.
    pub(super) fn followed_by(self, next: Self) -> Self {
        let ended = (self.ended + next.ended).min(3);
        match next.ended {
            0 => Self {
                open: self.open.followed_by(next.open),
                ..self
            },
            1 => Self {
                ended,
                before: self.last,
                last: self.open.followed_by(next.last),
                open: next.open,
            },
            2 => Self {
                ended,
                before: self.open.followed_by(next.before),
                ..next
            },
            _ => next,
        }
    }

    /// Of records of four lines: without bases, the line of qualities is empty, and its end may be missing. Then the last line
    /// is that with the `+`, behind an empty one. No other line of such a record begins with a `+` behind an empty one.
    pub(super) fn goes_on(self) -> GoesOn {
        match self.open.length > 0 || self.ends_with_plus() && self.before.is_blank() {
            true => GoesOn::Yes,
            false => GoesOn::No,
        }
    }

    /// Of records of any number of lines, where qualities may stand behind anything.
    pub(super) fn goes_on_wrapped(self) -> GoesOn {
        match self.open.length > 0 {
            true => GoesOn::Yes,
            false if self.ends_with_plus() => GoesOn::Perhaps,
            false => GoesOn::No,
        }
    }

    fn ends_with_plus(self) -> bool {
        self.ended > 1 && self.last.is_plus()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by all lines of a whole text.
    fn plain(text: &[u8]) -> [GoesOn; 2] {
        let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        if !lines.pop().unwrap_or_default().is_empty() {
            return [GoesOn::Yes; 2];
        }
        let [.., before, last] = lines[..] else {
            return [GoesOn::No; 2];
        };
        match (last.first() == Some(&b'+'), matches!(before, b"" | b"\r")) {
            (true, true) => [GoesOn::Yes, GoesOn::Perhaps],
            (true, false) => [GoesOn::No, GoesOn::Perhaps],
            _ => [GoesOn::No; 2],
        }
    }

    #[test]
    fn texts_in_any_pieces_end_alike() {
        for text in [
            "@r\n\n+\n",
            "@r\r\n\r\n+\r\n",
            "@r\n\n+r 1:N:0\n",
            "@r\n\n+\n\n",
            "@r\nA\n+\n+\n",
            "@r\nA\n+\nI",
            "@r\nA\n+\n",
            "@r\n+\n",
            "+\n",
            "",
            "\n\n",
            "@r\nACGT\n+\nIIII\n@s\n\n+\n",
        ] {
            let text = text.as_bytes();
            for one in 0..=text.len() {
                for two in one..=text.len() {
                    let parts = [&text[..one], &text[one..two], &text[two..]];
                    let whole = parts.map(LastLines::of).into_iter();
                    let whole = whole.reduce(LastLines::followed_by).unwrap();
                    let told = [whole.goes_on(), whole.goes_on_wrapped()];
                    assert_eq!(told, plain(text), "{} at {one}, {two}", text.escape_ascii());
                }
            }
        }
    }
}
