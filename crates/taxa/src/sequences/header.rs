//! What headers of sequences say, given without their `>`.

use crate::Taxid;
use crate::text::parse_taxid;

/// The names in a header: the first word; and of NCBI's non-redundant libraries, which join the headers of equal sequences
/// by bytes of value 1, the first word of each.
pub fn names(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    parts(header).map(name)
}

/// The headers that were joined by bytes of value 1; mostly there is one.
pub(super) fn parts(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| *byte == 1)
}

/// The first word.
pub(super) fn name(part: &[u8]) -> &[u8] {
    let end = part.iter().position(u8::is_ascii_whitespace);
    &part[..end.unwrap_or(part.len())]
}

/// The taxid of a header with `kraken:taxid|N` at the start of a word or after a `|`, whatever follows the digits. The first
/// word that has one counts; kraken2 looks at the first word alone.
///
/// `None` if there is none; also if it is 0 or more than 2^32 - 1, for which there is no taxon.
pub fn taxid(header: &[u8]) -> Option<Taxid> {
    let words = header.split(u8::is_ascii_whitespace);
    words.filter_map(taxid_of_word).next()
}

fn taxid_of_word(name: &[u8]) -> Option<Taxid> {
    const MARK: &[u8] = b"kraken:taxid|";
    let mut starts = (0..name.len()).filter(|&at| at == 0 || name[at - 1] == b'|');
    let digits = starts.find_map(|at| {
        let rest = name[at..].strip_prefix(MARK)?;
        let end = rest.iter().position(|byte| !byte.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        (!digits.is_empty()).then_some(digits)
    });
    parse_taxid(digits?)
}

/// The accession in a name: the first of its parts between `|` that looks like one, else the whole name.
///
/// Such are capital letters, perhaps `_`, and capital letters and digits, with at least one digit; perhaps `.` and the
/// version: `NC_000913.3`, `CP001071`, `AAAA02000001.1`.
pub fn accession(name: &[u8]) -> &[u8] {
    let mut parts = name.split(|byte| *byte == b'|');
    parts.find(|part| is_accession(part)).unwrap_or(name)
}

pub(super) fn is_accession(part: &[u8]) -> bool {
    let accession = without_version(part);
    let letters = accession
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase());
    let letters = letters.count();
    let rest = &accession[letters..];
    let rest = rest.strip_prefix(b"_").unwrap_or(rest);
    let is_capital_or_digit = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    letters > 0 && rest.iter().all(is_capital_or_digit) && rest.iter().any(u8::is_ascii_digit)
}

/// An accession without the `.` and digits at its end.
pub fn without_version(accession: &[u8]) -> &[u8] {
    match accession.iter().rposition(|byte| *byte == b'.') {
        Some(dot) if is_number(&accession[dot + 1..]) => &accession[..dot],
        _ => accession,
    }
}

fn is_number(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_names() {
        let all = |header: &str| -> Vec<String> {
            let text = |name| String::from_utf8_lossy(name).into_owned();
            names(header.as_bytes()).map(text).collect()
        };
        assert_eq!(all("NC_1.1 Escherichia coli"), ["NC_1.1"]);
        assert_eq!(all("a\tb"), ["a"]);
        assert_eq!(all("a b\u{1}c d\u{1}e"), ["a", "c", "e"]);
        assert_eq!(all(""), [""]);
    }

    #[test]
    fn headers_may_have_taxids() {
        let of = |name: &str| taxid(name.as_bytes()).map(|taxid| taxid.0);
        for (name, found) in [
            ("kraken:taxid|562", Some(562)),
            ("kraken:taxid|562|NC_000913.3", Some(562)),
            ("NC_000913.3|kraken:taxid|562", Some(562)),
            ("a|b|kraken:taxid|562|c", Some(562)),
            ("a|kraken:taxid|562x", Some(562)),
            ("kraken:taxid|x|kraken:taxid|7", Some(7)),
            ("xkraken:taxid|562", None),
            ("a|kraken:taxid|", None),
            ("a|kraken:taxid|x", None),
            ("a|kraken:taxid|0", None),
            ("a|kraken:taxid|4294967296", None),
            ("contig_1 kraken:taxid|562 Flye", Some(562)),
            ("contig_1\tlength=5 x|kraken:taxid|562", Some(562)),
            ("kraken:taxid|562 kraken:taxid|7", Some(562)),
            ("a of xkraken:taxid|562", None),
            ("562", None),
            ("", None),
        ] {
            assert_eq!(of(name), found, "{name}");
        }
    }

    #[test]
    fn names_may_have_accessions() {
        for (name, found) in [
            ("NC_000913.3", "NC_000913.3"),
            ("NC_000913", "NC_000913"),
            ("gi|49175990|ref|NC_000913.2|", "NC_000913.2"),
            ("kraken:taxid|562|CP001071.1", "CP001071.1"),
            ("AAAA02000001.1", "AAAA02000001.1"),
            ("lcl|contig_1.2", "lcl|contig_1.2"),
            ("NODE_1_length_5", "NODE_1_length_5"),
            ("AB|C", "AB|C"),
        ] {
            assert_eq!(accession(name.as_bytes()), found.as_bytes(), "{name}");
        }
        assert_eq!(without_version(b"NC_000913.3"), b"NC_000913");
        assert_eq!(without_version(b"a.b"), b"a.b");
        assert_eq!(without_version(b"a."), b"a.");
    }
}
