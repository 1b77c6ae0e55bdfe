//! Which strands k-mers stand for, where their database does not say it: text, and what Jellyfish merges.

use thalweg_kmers::database::Database;

use crate::{Control, MessageKind};

/// Say what was taken for granted about a database that does not say which strands its k-mers stand for.
pub fn say_strands(database: &Database, canonical: bool, control: &Control) {
    if database.header().canonical.is_some() {
        return;
    }
    let taken = match canonical {
        true => "none is greater than its reverse complement, so each stands for both",
        false => "each is taken for its own",
    };
    let text = format!(
        "{} does not say which strands its k-mers stand for: {taken}",
        database.path().display()
    );
    control.say(MessageKind::Note, text);
}
