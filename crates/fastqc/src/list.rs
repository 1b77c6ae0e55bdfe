//! Files of names and sequences, of which a user may give his own.

use crate::ListError;

/// A sequence and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it is called.
    pub name: String,
    /// Its letters, in upper case.
    pub sequence: Vec<u8>,
}

impl Named {
    pub(crate) fn new(name: &str, sequence: &[u8]) -> Self {
        Named {
            name: name.to_owned(),
            sequence: sequence.to_vec(),
        }
    }
}

/// Read lines of a name, tabs and a sequence. Lines that begin with `#` are comments.
///
/// # Errors
/// For the first line that is not so, or whose sequence has other than letters.
pub fn parse_list(text: &str) -> Result<Vec<Named>, ListError> {
    let mut list = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').filter(|field| !field.is_empty()).collect();
        let [name, sequence] = fields[..] else {
            let reason = format!(
                "{} fields, where there should be a name, a tab and a sequence",
                fields.len()
            );
            return Err(ListError::new(number, reason));
        };
        let sequence = sequence.trim().to_ascii_uppercase();
        if sequence.is_empty() || !sequence.bytes().all(|letter| letter.is_ascii_uppercase()) {
            let reason = format!("{sequence:?} is not a sequence of letters");
            return Err(ListError::new(number, reason));
        }
        list.push(Named {
            name: name.trim().to_owned(),
            sequence: sequence.into_bytes(),
        });
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sequences_are_split_by_tabs() {
        let list = parse_list("# ours\n\nMy adapter\t\t acgt \r\n").expect("well-formed");
        assert_eq!(list, [Named::new("My adapter", b"ACGT")]);
    }

    #[test]
    fn other_lines_are_told() {
        for (text, reason) in [
            (
                "name ACGT",
                "line 1: 1 fields, where there should be a name, a tab and a sequence",
            ),
            (
                "\na\tb\tc",
                "line 2: 3 fields, where there should be a name, a tab and a sequence",
            ),
            ("a\tAC GT", "line 1: \"AC GT\" is not a sequence of letters"),
        ] {
            assert_eq!(parse_list(text).expect_err(text).to_string(), reason);
        }
    }
}
