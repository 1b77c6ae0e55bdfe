//! `thalweg cat --join`

use std::path::Path;

use thalweg::index::{IndexFormat, index_place};
use thalweg::repack::{JoinJob, Joined};
use thalweg::write::is_stream;
use thalweg::{Error, ErrorKind, ReaderOptions, notes};

use super::repack::index_output;
use crate::input::{self, indexes};
use crate::options::CatArguments;
use crate::options::quantity::{bytes, counted};
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(super) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    check_name(arguments)?;
    let (index, budget) = (&arguments.index, input::budget(&arguments.common));
    indexes::check(&arguments.files, index)?;
    indexes::save_named(&arguments.files, index, budget, arguments.common.draws())?;
    indexes::save_all_missing(&arguments.files, index, &arguments.common)?;
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let options = ReaderOptions::new()
        .index(indexes::beside(index))
        .index_directory(index.directory.path())
        .budget(budget);
    // What was cut off between two blocks is one file with what follows, and nobody would see it any more.
    arguments
        .files
        .iter()
        .flat_map(|file| notes::cut(file))
        .for_each(|note| tell!("{note}"));
    let job = JoinJob {
        files: arguments.files.clone(),
        options: input::telling(options, arguments.common.quiet),
        index_files: index.index_files.clone(),
        output: output.to_owned(),
        wants_index: !is_stream(output),
    };
    let joined = heard(&arguments.common, &arguments.files[0], |control| {
        job.run(control)
    });
    let joined = joined.map_err(|fault| Failure::from(fault).of_outputs(&[output]))?;
    let directory = index.directory.path();
    match &joined.index {
        Some(joined) => {
            let destination = index_place(output, directory.as_deref(), IndexFormat::Thw)?;
            let written = joined.write(&destination);
            written.map_err(|error| Error::new(ErrorKind::Index(error)).in_file(output))?;
        }
        None if arguments.repack.index_output => index_output(output, arguments)?,
        None => warn_of_old_index(output),
    }
    if !arguments.common.quiet {
        tell(&joined, arguments);
    }
    Ok(())
}

/// One that is there is of what was there before.
fn warn_of_old_index(output: &Path) {
    let index = thalweg::index_path(output);
    if !is_stream(output) && index.exists() {
        tell!(
            "warning: {}: is the index of another file than the one that was written",
            index.display()
        );
    }
}

fn tell(joined: &Joined, arguments: &CatArguments) {
    let records = joined.records.map(|records| counted(records, "read"));
    let records = records.map_or(String::new(), |records| format!(", {records}"));
    tell!(
        "thalweg: {} of {}{records}",
        bytes(joined.bytes),
        counted(arguments.files.len() as u64, "file")
    );
    let is_indexed = joined.index.is_some() || arguments.repack.index_output;
    if let (Some(file), false, Some(_)) = (&joined.unindexed, is_indexed, &arguments.output) {
        tell!(
            "thalweg: note: {} has no index, and so the output has none: --index-output makes one, which decodes it once",
            file.display()
        );
    }
}

/// Refuse a name that says something else than what the files are compressed with.
fn check_name(arguments: &CatArguments) -> Result<(), Failure> {
    let Some(output) = arguments.output.as_deref().filter(|path| !is_stream(path)) else {
        return Ok(());
    };
    let said = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("gz" | "bgz" | "bgzf" | "gzip") => Some("gzip"),
            Some("zst" | "zstd") => Some("zstd"),
            Some("bz2") => Some("bzip2"),
            Some("xz") => Some("xz"),
            Some("bam") => Some("BAM"),
            _ => None,
        }
    };
    let other = arguments
        .files
        .iter()
        .find(|file| said(file) != said(output));
    match other {
        Some(file) => Err(Failure::usage(
            format!(
                "{}: --join keeps the bytes of {}, whose name says something else",
                output.display(),
                file.display()
            ),
            "end the name of the output as those of the inputs, or leave --join out to pack their records anew",
        )),
        None => Ok(()),
    }
}
