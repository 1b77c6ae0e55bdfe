//! Names of mates.

/// Whether two header lines (without `@` or `>`) name the same template.
///
/// Compared are the ids, what comes before the first space or tab. A last `/1`, `/2` or `/3` is no
/// part of the id, nor is the last `.1`, `.2` or `.3` of a name as the sequence archives make them
/// from a run and a spot (`SRR1.5.1`).
pub fn same_template(first: &[u8], second: &[u8]) -> bool {
    // Most often all of the id is the same, which is seen faster than where it ends.
    let shared = first.len().min(second.len());
    let words = first[..shared].as_chunks::<8>().0;
    let others = second[..shared].as_chunks::<8>().0;
    let same = words
        .iter()
        .zip(others)
        .take_while(|(word, other)| word == other)
        .count();
    if memchr::memchr2(b' ', b'\t', words[..same].as_flattened()).is_some() {
        return true;
    }
    let (first, second) = (id(first), id(second));
    first == second || template(first) == template(second)
}

/// What comes before the first space or tab.
pub(crate) fn id(head: &[u8]) -> &[u8] {
    let end = head.iter().position(|byte| matches!(byte, b' ' | b'\t'));
    &head[..end.unwrap_or(head.len())]
}

/// An id without the number of the mate.
pub(crate) fn template(id: &[u8]) -> &[u8] {
    match id {
        [name @ .., b'/', b'1'..=b'3'] => name,
        [name @ .., b'.', b'1'..=b'3'] if is_archive_spot(name) => name,
        _ => id,
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
            ("x/1", "x/2"),
            ("x/1 length=3", "x/3"),
            ("x/1", "x"),
            ("SRR1.5.1", "SRR1.5.2"),
            ("ERR12.345.1 A", "ERR12.345.2 B"),
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
            ("a", ""),
        ] {
            assert!(
                !same_template(first.as_bytes(), second.as_bytes()),
                "{first}"
            );
        }
    }
}
