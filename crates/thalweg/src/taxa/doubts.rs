//! What looks like a mistake in genomes of which a database was made.

use std::path::PathBuf;

use thalweg_files::thousands;
use thalweg_taxa::library::Repeated;
use thalweg_taxa::sequences::UnmatchedRows;

use super::{BuiltDatabase, TaxonSources};
use crate::{Message, MessageKind};

/// Names that are told, at most.
const NAMED: usize = 5;

/// The same of sequences that have no k-mer.
const NAMED_WITHOUT_KMERS: usize = 10;

/// All there is to doubt, with the rows of those of `sources` that the user named.
pub(super) fn of(made: &BuiltDatabase, sources: &TaxonSources) -> impl Iterator<Item = Message> {
    let inputs = &made.inputs;
    let name = |place: usize| &*inputs.sequences[place].name;
    let unmapped = inputs.unmapped();
    let unmapped = unmapped.map(|unmapped| format!("skipped: {unmapped}"));
    let files = (inputs.files_without.iter()).map(|&file| inputs.files[file].to_string_lossy());
    let known = made.known.iter().map(|known| &*known.name);
    let file = |number: u32| inputs.files[number as usize].to_string_lossy();
    let repeated = inputs.repeated.iter().map(|repeated| {
        let Repeated {
            name,
            first_file,
            file: again,
        } = repeated;
        let (first, second) = (file(*first_file), file(*again));
        if first_file == again {
            format!("{name} (twice in {first})")
        } else if first == second {
            format!("{name} ({first} is given twice)")
        } else {
            format!("{name} (in {first} and {second})")
        }
    });
    let with_file = |place: &usize| {
        let sequence = &inputs.sequences[*place];
        format!("{} ({})", sequence.name, file(sequence.file))
    };
    let is_named = |path: &PathBuf| sources.taxa.iter().chain(&sources.map).any(|it| it == path);
    let unmatched = inputs.unmatched.iter();
    let unmatched = Vec::from_iter(unmatched.filter(|rows| is_named(&rows.path)).map(rows));
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
            "sequences without a k-mer (too short, all N or of low complexity)",
            inputs.without_kmers.iter().map(with_file),
        ),
        some(
            NAMED,
            "skipped, already in the database (same name, length and taxon)",
            known,
        ),
        some(NAMED, "sequences given twice, counted once", repeated),
        some(
            NAMED,
            "the same letters as sequences before them",
            inputs.equal.iter().map(|&(place, _)| name(place)),
        ),
    ];
    let texts = texts.into_iter().flatten().chain(unmatched);
    texts.map(|text| Message {
        kind: MessageKind::Doubt,
        text,
    })
}

/// Returns the number of rows that name nothing, and the first names.
fn rows(unmatched: &UnmatchedRows) -> String {
    let UnmatchedRows { path, rows, first } = unmatched;
    let (path, names) = (path.display(), first.join(", "));
    let more = *rows as usize - first.len();
    match (*rows, more) {
        (1, _) => format!("{path}: 1 row matches no sequence or file: {names}"),
        (_, 0) => format!("{path}: {rows} rows match no sequence or file: {names}"),
        _ => format!(
            "{path}: {} rows match no sequence or file: {names}, and {} more",
            thousands(*rows),
            thousands(more as u64)
        ),
    }
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
        _ => format!("{what}: {first}, and {} more", thousands(more as u64)),
    })
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
