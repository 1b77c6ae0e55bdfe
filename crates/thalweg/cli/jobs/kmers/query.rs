//! `thalweg kmers query`

use std::path::PathBuf;

use thalweg::Listener;
use thalweg::databases::QuerySettings;
use thalweg::index::IndexChoice;

use super::failure::Fault;
use crate::input::tell_of_wait;
use crate::options::IndexDirectory;
use crate::options::kmers::QueryArguments;
use crate::process::hearing::heard_unless;
use crate::process::limits::addresses;
use crate::process::threads::threads;

pub(crate) fn run(arguments: &QueryArguments) -> Result<(), Fault> {
    let settings = settings(arguments);
    heard_unless(arguments.notes.quiet, |control| settings.run(control))?;
    Ok(())
}

/// What the user has said, as the library takes it.
fn settings(arguments: &QueryArguments) -> QuerySettings {
    let output = arguments.output.clone().unwrap_or(PathBuf::from("-"));
    QuerySettings {
        kmers: arguments.kmers.clone(),
        sequences: arguments.sequence.clone(),
        interactive: arguments.interactive,
        indexes: indexes(),
        threads: threads(arguments.threads),
        memory: arguments.memory,
        check_end: arguments.end.is_wanted(),
        addresses: addresses(),
        on_wait: (!arguments.notes.quiet).then(|| Listener::new(tell_of_wait)),
        ..QuerySettings::new(&arguments.database, output)
    }
}

/// Those that are there, of sequences for whose indexes there are no options.
pub(crate) fn indexes() -> IndexChoice {
    IndexChoice {
        directory: IndexDirectory::of_environment(),
        ..IndexChoice::default()
    }
}
