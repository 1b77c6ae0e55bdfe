//! Unique molecular identifiers move into the name.

use crate::{Mode, Options, Read, UmiLocation};

/// Takes the UMI from where it stands and puts it behind the name.
#[derive(Clone, Debug)]
pub(crate) struct Umi {
    location: UmiLocation,
    length: usize,
    skip: usize,
    /// What comes between the name and the UMI.
    before: Vec<u8>,
    mode: Mode,
}

impl Umi {
    pub(crate) fn new(options: &Options) -> Option<Self> {
        let location = options.umi_loc.filter(|_| options.umi)?;
        let mut before = options.umi_delim.clone();
        if !options.umi_prefix.is_empty() {
            before.push_str(&options.umi_prefix);
            before.push('_');
        }
        Some(Umi {
            location,
            length: options.umi_len,
            skip: options.umi_skip,
            before: before.into_bytes(),
            mode: options.mode,
        })
    }

    /// Move the UMI of a read or pair. `umi` is a buffer of the caller.
    pub(crate) fn apply<'a>(
        &self,
        read: &mut Read<'a>,
        mut mate: Option<&mut Read<'a>>,
        umi: &mut Vec<u8>,
    ) {
        umi.clear();
        match self.location {
            UmiLocation::Index1 => {
                umi.extend_from_slice(first_index(self.without_mate(read.head())))
            }
            UmiLocation::Index2 => {
                let second = mate.as_deref().unwrap_or(read);
                umi.extend_from_slice(last_index(self.without_mate(second.head())));
            }
            UmiLocation::PerIndex => {
                umi.extend_from_slice(first_index(self.without_mate(read.head())));
                if let Some(mate) = &mate {
                    umi.push(b'_');
                    umi.extend_from_slice(last_index(self.without_mate(mate.head())));
                }
            }
            UmiLocation::Tag(name) => {
                let of_mate = || mate.as_deref().and_then(|mate| tag(mate.head(), name));
                umi.extend_from_slice(tag(read.head(), name).or_else(of_mate).unwrap_or_default());
            }
            UmiLocation::Read1 => self.cut(read, umi),
            UmiLocation::Read2 => {
                if let Some(mate) = &mut mate {
                    self.cut(mate, umi);
                }
            }
            UmiLocation::PerRead => {
                self.cut(read, umi);
                if let Some(mate) = &mut mate {
                    umi.push(b'_');
                    self.cut(mate, umi);
                }
            }
        }
        let joined = matches!(self.location, UmiLocation::PerIndex | UmiLocation::PerRead);
        if umi.is_empty() && !joined {
            return;
        }
        self.rename(read, umi);
        if let Some(mate) = mate {
            self.rename(mate, umi);
        }
    }

    /// Take the first bases of a read, of which at least one stays.
    fn cut(&self, read: &mut Read<'_>, umi: &mut Vec<u8>) {
        let length = self.length.min(read.len());
        umi.extend_from_slice(&read.bases()[..length]);
        let most = read.len().saturating_sub(1);
        read.skip(self.length.saturating_add(self.skip).min(most));
    }

    /// A name without the `/1` or `/2` at its end. fastp knows nothing of it.
    fn without_mate<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        match name {
            [rest @ .., b'/', b'1' | b'2'] if self.mode.is_correct() => rest,
            _ => name,
        }
    }

    /// Put the UMI behind the name, but before the number of the mate: without it the names of
    /// mates are to be the same.
    fn rename(&self, read: &mut Read<'_>, umi: &[u8]) {
        read.rename(|old, new| {
            let end = old
                .iter()
                .position(|&byte| byte == b' ' || byte == b'\t' && self.mode.is_correct())
                .unwrap_or(old.len());
            let end = self.without_mate(&old[..end]).len();
            new.extend_from_slice(&old[..end]);
            new.extend_from_slice(&self.before);
            new.extend_from_slice(umi);
            new.extend_from_slice(&old[end..]);
        });
    }
}

/// The text of the tag of this name, of those that stand behind a name, each behind a tab.
fn tag(head: &[u8], name: [u8; 2]) -> Option<&[u8]> {
    let fields = head.split(|&byte| byte == b'\t').skip(1);
    fields
        .filter_map(|field| field.strip_prefix(&name)?.strip_prefix(b":Z:"))
        .find(|text| !text.is_empty())
}

/// The first index in a name as Illumina writes it, `...:INDEX1+INDEX2`: what follows
/// the last colon, up to the plus. Empty if there is no colon.
pub(crate) fn first_index(head: &[u8]) -> &[u8] {
    let Some((colon, searched)) = last_separator(head, |byte| byte == b':') else {
        return b"";
    };
    // The plus is looked for where the colon was.
    let end = head[colon..searched]
        .iter()
        .position(|&byte| byte == b'+')
        .map_or(head.len(), |plus| colon + plus);
    &head[colon + 1..end]
}

/// The last index: what follows the last colon or plus.
pub(crate) fn last_index(head: &[u8]) -> &[u8] {
    match last_separator(head, |byte| byte == b':' || byte == b'+') {
        Some((at, _)) => &head[at + 1..],
        None => b"",
    }
}

/// Where the last separator stands, and up to where was looked: an index has at
/// least two letters, so the last two bytes are none.
fn last_separator(head: &[u8], is_separator: impl Fn(u8) -> bool) -> Option<(usize, usize)> {
    let searched = head.len().saturating_sub(2);
    let at = head[..searched]
        .iter()
        .rposition(|&byte| is_separator(byte))?;
    Some((at, searched))
}

#[cfg(test)]
mod tests {
    use super::{first_index, last_index, tag};

    #[test]
    fn tags_stand_behind_names() {
        let head = b"a/1 x\tRG:Z:RX:Z:no\tRX:Z:ACGT-TT\tBC:Z:\tBC:Z:AC";
        assert_eq!(tag(head, *b"RX"), Some(&b"ACGT-TT"[..]));
        assert_eq!(tag(head, *b"BC"), Some(&b"AC"[..]));
        assert_eq!(tag(head, *b"CB"), None);
        assert_eq!(tag(b"RX:Z:A", *b"RX"), None);
    }

    #[test]
    fn indexes_stand_at_the_end_of_names() {
        for (head, first, last) in [
            ("a:b 1:N:0:ACGTAA+TTGGCC", "ACGTAA", "TTGGCC"),
            ("a:b 1:N:0:ACGTAA", "ACGTAA", "ACGTAA"),
            ("x/1", "", ""),
            ("", "", ""),
        ] {
            assert_eq!(first_index(head.as_bytes()), first.as_bytes(), "{head}");
            assert_eq!(last_index(head.as_bytes()), last.as_bytes(), "{head}");
        }
    }
}
