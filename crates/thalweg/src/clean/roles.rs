//! Which output is written under which option: no file may be two of them, nor a numbered file of split output be another.

use std::fs;
use std::path::{Path, PathBuf};

use thalweg_write::{
    OutputContents, check_contents, check_written, directory_of, find_shared, resolve,
};

use super::CleanSettings;
use crate::Fault;

/// Refuse that two options name one file: what they write would be mixed, or one of them lost.
///
/// Only unpaired mates may share a file, as fastp has it, and what takes anything: `/dev/null`.
pub(crate) fn refuse_shared(settings: &CleanSettings) -> Result<(), Fault> {
    let may_share = |one: &str, other: &str| (one, other) == ("--unpaired1", "--unpaired2");
    let Some((one, other, path)) = find_shared(roles(settings), may_share) else {
        return Ok(());
    };
    Err(Fault::usage(
        format!("{}: {one} and {other} name the same file", path.display()),
        match (one, other) {
            ("-o", "-O") => "give each its own, or use --stdout for interleaved output",
            _ => "give each its own",
        },
    ))
}

/// Refuse names of compressions that are not written, but for what fastp does.
pub(crate) fn refuse_unwritten_names(settings: &CleanSettings) -> Result<(), Fault> {
    let named = named_by_their_endings(settings).into_iter();
    Ok(named.map(|(_, path)| path).try_for_each(check_written)?)
}

/// Refuses names that say another format than is written. To be asked after files that have two roles: these are the worse
/// mistake.
pub(crate) fn refuse_other_contents(settings: &CleanSettings) -> Result<(), Fault> {
    for (role, path) in named_by_their_endings(settings) {
        let accepted: &[OutputContents] = match role {
            "--json" => &[OutputContents::Json, OutputContents::Text],
            "--html" => &[OutputContents::Html],
            _ => &[OutputContents::Fastq, OutputContents::Text],
        };
        check_contents(path, accepted)?;
    }
    Ok(())
}

/// Outputs whose endings choose what is written. None in fastp's modes, and no reads where an option names the format.
fn named_by_their_endings(settings: &CleanSettings) -> Vec<(&'static str, &Path)> {
    let is_named = settings.outputs.output_format.is_none();
    let mut roles = roles(settings);
    // The endings of traces are their own.
    roles.retain(|(role, _)| match *role {
        "--trace" => false,
        "--json" | "--html" => settings.steps.mode.is_correct(),
        _ => settings.steps.mode.is_correct() && is_named,
    });
    roles
}

/// Refuse that a file of split output, as `0001.out.fq`, may be another output or an input.
pub(crate) fn refuse_numbered(settings: &CleanSettings, inputs: &[PathBuf]) -> Result<(), Fault> {
    let outputs = &settings.outputs;
    let last = match (outputs.split, outputs.split_by_lines) {
        (None, None) => return Ok(()),
        (Some(count), _) => count,
        (None, Some(_)) => u64::MAX,
    };
    let digits = usize::from(outputs.split_prefix_digits);
    let is_split = |role: &str| matches!(role, "-o" | "-O");
    let roles = roles(settings);
    let others = roles.iter().filter(|(role, _)| !is_split(role)).copied();
    let inputs = inputs.iter().map(|input| ("the input", input.as_path()));
    for (other, path) in others.chain(inputs) {
        // As it was named, and what a link of that name leads to.
        for name in [in_its_directory(path), resolve(path)] {
            for (role, split) in roles.iter().filter(|(role, _)| is_split(role)) {
                let split = in_its_directory(split);
                if name.parent() == split.parent()
                    && number(&name, &split, digits).is_some_and(|number| number <= last)
                {
                    return Err(Fault::usage(
                        format!(
                            "{}: {other} and a file of the split {role} have the same name",
                            path.display()
                        ),
                        "give each its own: split files have their number before the name",
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Which of the files that `split` is split into has the name `name`, counted from 1.
fn number(name: &Path, split: &Path, digits: usize) -> Option<u64> {
    let (name, split) = (name.file_name()?.to_str()?, split.file_name()?.to_str()?);
    let written = name.strip_suffix(split)?.strip_suffix('.')?;
    let number = written.parse().ok().filter(|number| *number > 0)?;
    (written == format!("{number:0digits$}")).then_some(number)
}

/// `path` in the one spelling of its directory; a link in its place stays.
fn in_its_directory(path: &Path) -> PathBuf {
    match (fs::canonicalize(directory_of(path)), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path.to_owned(),
    }
}

/// The options that name outputs, with what they name.
fn roles(settings: &CleanSettings) -> Vec<(&'static str, &Path)> {
    let (outputs, reports) = (&settings.outputs, &settings.reports);
    let standard_output = outputs.stdout.then(|| Path::new("-"));
    let [json, html] =
        [&reports.json, &reports.html].map(|path| path.as_deref().filter(|_| !reports.no_report));
    let merged = outputs.merged_out.as_deref();
    [
        ("--stdout", standard_output),
        ("-o", outputs.out1.as_deref()),
        ("-O", outputs.out2.as_deref()),
        ("--unpaired1", outputs.unpaired1.as_deref()),
        ("--unpaired2", outputs.unpaired2.as_deref()),
        ("--merged_out", merged.filter(|_| settings.is_paired())),
        ("--overlapped_out", outputs.overlapped_out.as_deref()),
        ("--failed_out", outputs.failed_out.as_deref()),
        ("--trace", outputs.trace.as_ref().map(|trace| &*trace.path)),
        ("--json", json),
        ("--html", html),
    ]
    .into_iter()
    .filter_map(|(role, path)| Some((role, path?)))
    .collect()
}
