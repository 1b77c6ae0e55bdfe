//! Which strands k-mers stand for, where their database does not say it: text, and what Jellyfish merges.

use thalweg::kmers::database::Database;

/// Tell what was taken for granted about a database that does not say which strands its k-mers stand for.
pub(super) fn tell_strands(database: &Database, canonical: bool) {
    if database.header().canonical.is_some() {
        return;
    }
    let taken = match canonical {
        true => "none is greater than its reverse complement, so each stands for both",
        false => "each is taken for its own",
    };
    tell!(
        "thalweg: note: {} does not say which strands its k-mers stand for: {taken}",
        database.path().display()
    );
}
