//! What looks like a mistake in genomes of which a database was made.

use super::BuiltDatabase;
use crate::{Message, MessageKind};

/// Names that are told, at most.
const NAMED: usize = 5;

/// The same of sequences that have no k-mer.
const NAMED_WITHOUT_KMERS: usize = 10;

/// All there is to doubt.
pub(super) fn of(made: &BuiltDatabase) -> impl Iterator<Item = Message> {
    let inputs = &made.inputs;
    let name = |place: usize| &*inputs.sequences[place].name;
    let unmapped = inputs.unmapped();
    let unmapped = unmapped.map(|unmapped| format!("left out: {unmapped}"));
    let files = (inputs.files_without.iter()).map(|&file| inputs.files[file].to_string_lossy());
    let known = made.known.iter().map(|known| &*known.name);
    let repeated = inputs.repeated.iter().map(|(_, name)| &**name);
    let with_file = |place: &usize| {
        let sequence = &inputs.sequences[*place];
        let file = inputs.files[sequence.file as usize].to_string_lossy();
        format!("{} ({file})", sequence.name)
    };
    let texts = [
        unmapped,
        some(NAMED, "files without a sequence", files),
        some(
            NAMED,
            "without letters",
            inputs.empty.iter().map(|&place| name(place)),
        ),
        some(
            NAMED_WITHOUT_KMERS,
            "sequences without a k-mer, too short or all N or of low complexity",
            inputs.without_kmers.iter().map(with_file),
        ),
        some(
            NAMED,
            "in the database already, by name, length and taxon, and counted once",
            known,
        ),
        some(NAMED, "given twice, and counted once", repeated),
        some(
            NAMED,
            "the same letters as sequences before them",
            inputs.equal.iter().map(|&(place, _)| name(place)),
        ),
    ];
    texts.into_iter().flatten().map(|text| Message {
        kind: MessageKind::Doubt,
        text,
    })
}

/// Returns what it is, and the first `most` names of what is so; none if nothing is.
fn some<T: AsRef<str>>(
    most: usize,
    what: &str,
    names: impl ExactSizeIterator<Item = T>,
) -> Option<String> {
    let more = names.len().saturating_sub(most);
    let is_any = names.len() > 0;
    let first: Vec<T> = names.take(most).collect();
    let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
    let first = first.join(", ");
    is_any.then(|| match more {
        0 => format!("{what}: {first}"),
        _ => format!("{what}: {first}, and {} more", thousands(more)),
    })
}

/// `1,234`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_names_are_told() {
        let names = |number: usize| some(5, "empty", vec!["a"; number].into_iter());
        assert_eq!(names(0), None);
        assert_eq!(names(2).unwrap(), "empty: a, a");
        assert_eq!(names(5).unwrap(), "empty: a, a, a, a, a");
        assert_eq!(names(1239).unwrap(), "empty: a, a, a, a, a, and 1,234 more");
    }
}
