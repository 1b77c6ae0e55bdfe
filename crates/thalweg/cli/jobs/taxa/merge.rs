//! `thalweg taxa merge`

use std::path::Path;
use std::time::Instant;

use thalweg::files::counted;
use thalweg::taxa::MergeSettings;

use super::build::{budget, size};
use crate::jobs::count::temporary_directory;
use crate::options::taxa::MergeArguments;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let settings = MergeSettings {
        budget: budget(&arguments.common)?,
        temporary_directory: temporary_directory(arguments.tmp.as_deref())?,
        ..MergeSettings::new(&arguments.databases, &arguments.output)
    };
    let first = arguments.databases.first();
    let first = first.map_or(Path::new(""), |first| first);
    let header = heard(&arguments.common, first, |control| settings.run(control))?;
    if !arguments.common.quiet {
        tell!(
            "thalweg: {} in {} of taxa; {}; {:.1} s",
            counted(header.kmers, "distinct k-mer"),
            counted(header.sets.into(), "combination"),
            size(&header),
            start.elapsed().as_secs_f64(),
        );
        if header.kmers == 0 {
            tell!(
                "thalweg: warning: the merged database has no k-mers, as none of the inputs has any"
            );
        }
    }
    Ok(())
}
