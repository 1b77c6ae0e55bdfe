//! Names of mates.

/// Whether two header lines (without `@` or `>`) name the same template.
///
/// Compared are the ids, what comes before the first space or tab. The mate is no part of it: a last `/1`, `/2` or
/// `/3`, also with a UMI behind it (`/1:ACGT`); `1` or `2` behind `_`, `-` or `:`; `R1`, `R2`, `F` or `R` (or in
/// lower case) behind one of these, `/` or `.`; and the last `.1`, `.2` or `.3` of a name as the sequence archives make
/// them from a run and a spot (`SRR1.5.1`).
///
/// Two names alone do not tell more: `x.1` and `x.2` may be mates, or reads that are numbered. A reader of mates knows
/// the first names of both files.
pub fn same_template(first: &[u8], second: &[u8]) -> bool {
    let (one, two) = (id(first), id(second));
    has_same_id(first, second) || one == two || without_mate(one, &[]) == without_mate(two, &[])
}

/// Whether two header lines have the same id and more behind it, which is told fast: so most mates have. Where it says
/// no, they may be the same all the same.
#[inline]
pub(crate) fn has_same_id(first: &[u8], second: &[u8]) -> bool {
    // Most often all of the id is the same, which is seen faster than where it ends.
    let shared = first.len().min(second.len());
    let words = first[..shared].as_chunks::<8>().0;
    let others = second[..shared].as_chunks::<8>().0;
    let same = words
        .iter()
        .zip(others)
        .take_while(|(word, other)| word == other)
        .count();
    // Where mates differ only behind their id, as most do, its end is often in the word that differs.
    let rest = first[8 * same..].iter().zip(&second[8 * same..]);
    let same = 8 * same + rest.take_while(|(byte, other)| byte == other).count();
    memchr::memchr2(b' ', b'\t', &first[..same]).is_some()
}

/// What comes before the first space or tab.
#[inline]
pub fn id(head: &[u8]) -> &[u8] {
    let end = head.iter().position(|byte| matches!(byte, b' ' | b'\t'));
    &head[..end.unwrap_or(head.len())]
}

/// What comes before the number of the mate, and behind it. A number behind a byte of `numbering` is none.
pub(crate) fn without_mate<'a>(id: &'a [u8], numbering: &[u8]) -> (&'a [u8], &'a [u8]) {
    match id {
        [.., separator, b'0'..=b'9'] if numbering.contains(separator) => (id, &[]),
        [name @ .., b'/', b'1'..=b'3']
        | [name @ .., b'_' | b'-' | b':', b'1' | b'2']
        | [
            name @ ..,
            b'/' | b'_' | b'-' | b':' | b'.',
            b'F' | b'R' | b'f' | b'r',
        ]
        | [
            name @ ..,
            b'/' | b'_' | b'-' | b':' | b'.',
            b'R' | b'r',
            b'1' | b'2',
        ] => (name, &[]),
        [name @ .., b'.', b'1'..=b'3'] if is_archive_spot(name) => (name, &[]),
        _ => {
            let mut triples = id.windows(3);
            let mate = triples.rposition(
                |triple| matches!(triple, [b'/', b'1'..=b'3', end] if !end.is_ascii_alphanumeric()),
            );
            mate.map_or((id, &[]), |at| (&id[..at], &id[at + 2..]))
        }
    }
}

/// Whether `name` is a run of the SRA, ENA or DDBJ and the number of a spot: `SRR1.5`.
fn is_archive_spot(name: &[u8]) -> bool {
    let [b'S' | b'E' | b'D', b'R', b'R', numbers @ ..] = name else {
        return false;
    };
    let mut parts = numbers.split(|&byte| byte == b'.');
    let number = |part: Option<&[u8]>| {
        part.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
    };
    number(parts.next()) && number(parts.next()) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::same_template;

    #[test]
    fn mates_are_recognized() {
        for (first, second) in [
            ("a", "a"),
            ("", ""),
            ("a 1:N:0:ACGT", "a 2:N:0:ACGT"),
            ("a\t1", "a 2"),
            ("run:lane:12 1:N:0", "run:lane:12 2:N:0"),
            ("run:lane:12345 1", "run:lane:12345 2"),
            ("run:lane:1234 ", "run:lane:1234"),
            ("x/1", "x/2"),
            ("x/1 length=3", "x/3"),
            ("x/1", "x"),
            ("SRR1.5.1", "SRR1.5.2"),
            ("ERR12.345.1 A", "ERR12.345.2 B"),
            ("SRR1.5_R1", "SRR1.5_R2"),
            ("x_1", "x_2"),
            ("x-1 A", "x-2 B"),
            ("x:1", "x:2"),
            ("x/F", "x/R"),
            ("x_f", "x_r"),
            ("x.f", "x.r"),
            ("x.R1", "x.R2"),
            ("x/1:ACGT_TTTT", "x/2:ACGT_TTTT"),
            ("x/1_ACGT A", "x/2_ACGT B"),
        ] {
            assert!(
                same_template(first.as_bytes(), second.as_bytes()),
                "{first}"
            );
        }
    }

    #[test]
    fn others_are_not() {
        for (first, second) in [
            ("a", "b"),
            ("x/1", "y/2"),
            ("x/4", "x/5"),
            ("x.1", "x.2"),
            ("SRR1.1", "SRR1.2"),
            ("SRR1.5.1", "SRR1.6.1"),
            ("SRRx.5.1", "SRRx.5.2"),
            ("x_3", "x_4"),
            ("x_11", "x_12"),
            ("x_R1", "y_R2"),
            ("xF", "xR"),
            ("x/1:ACGT", "x/2:ACGA"),
            ("x/1:ACGT", "y/2:ACGT"),
            ("a", ""),
            ("run:lane:12 1:N:0", "run:lane:13 1:N:0"),
            ("run:lane:12345 1", "run:lane:12346 1"),
            ("run:lane:1234 ", "run:lane:12345"),
        ] {
            assert!(
                !same_template(first.as_bytes(), second.as_bytes()),
                "{first}"
            );
        }
    }
}
