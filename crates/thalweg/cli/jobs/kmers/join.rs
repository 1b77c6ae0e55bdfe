//! `thalweg kmers join`

use thalweg::databases::JoinSettings;

use super::failure::Fault;
use crate::options::kmers::JoinArguments;
use crate::options::quantity::thousands;
use crate::process::hearing::heard_unless;

pub(crate) fn run(arguments: &JoinArguments) -> Result<(), Fault> {
    let (settings, quiet) = (JoinSettings::new(&arguments.parts), arguments.notes.quiet);
    let joined = heard_unless(quiet, |control| settings.run(control))?;
    if !quiet {
        tell!(
            "thalweg: {} is a database of {} distinct k-mers in {} parts",
            joined.directory.display(),
            thousands(joined.distinct),
            joined.parts
        );
    }
    Ok(())
}
