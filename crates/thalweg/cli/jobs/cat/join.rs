//! `thalweg cat --join`

use std::path::Path;

use thalweg::files::counted;
use thalweg::repack::{JoinJob, Joined};
use thalweg::write::is_stream;
use thalweg::{ReaderOptions, notes};

use crate::input::{self, indexes};
use crate::options::CatArguments;
use crate::options::quantity::bytes;
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
        makes_index: arguments.repack.index_output && !is_stream(output),
        index_directory: index.directory.path(),
    };
    let joined = heard(&arguments.common, &arguments.files[0], |control| {
        job.run(control)
    });
    let joined = joined.map_err(|fault| Failure::from(fault).of_outputs(&[output]))?;
    if joined.index.is_none() {
        warn_of_old_index(output);
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
            "thalweg: warning: {}: is the index of another file than the one that was written",
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
    if let [first, others @ ..] = &joined.unchecked[..] {
        let others = match others.len() {
            0 => String::new(),
            others => format!(" and {}", counted(others as u64, "other")),
        };
        tell!(
            "thalweg: note: {}{others}: taken as it is, unchecked: only decoding all of it would tell whether it is whole, as \
             `thalweg verify --full` does",
            first.display()
        );
    }
    if let (Some(file), None, Some(_)) = (&joined.unindexed, &joined.index, &arguments.output) {
        tell!(
            "thalweg: note: {} has no index, so the output has none: --index-output builds one, decoding such files once",
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
        // What has no such name is refused for that.
        .filter(|file| file.as_os_str() != "-")
        .filter(|file| std::fs::metadata(file).is_ok_and(|data| data.is_file()))
        .find(|file| said(file) != said(output));
    match other {
        Some(file) => Err(Failure::usage(
            format!(
                "{}: --join cannot change the compression, but {} has a different extension",
                output.display(),
                file.display()
            ),
            "use the inputs' extension, or omit --join to recompress",
        )),
        None => Ok(()),
    }
}
