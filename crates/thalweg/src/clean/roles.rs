//! Which output is written under which option: no file may be two of them, nor a numbered file of split output be another.

use std::fs;
use std::path::{Path, PathBuf};

use thalweg::write::{directory_of, resolve};

use super::options::is_paired;
use crate::options::qc::QcArguments;
use crate::output::refuse_unwritten;
use crate::process::exit::Failure;
use thalweg::write::find_shared;

/// Refuse that two options name one file: what they write would be mixed, or one of them lost.
///
/// Only unpaired mates may share a file, as fastp has it, and what takes anything: `/dev/null`.
pub(crate) fn refuse_shared(arguments: &QcArguments) -> Result<(), Failure> {
    let may_share = |one: &str, other: &str| (one, other) == ("--unpaired1", "--unpaired2");
    let Some((one, other, path)) = find_shared(roles(arguments), may_share) else {
        return Ok(());
    };
    Err(Failure::usage(
        format!("{}: {one} and {other} name the same file", path.display()),
        match (one, other) {
            ("-o", "-O") => "give each its own, or say --stdout for interleaved output",
            _ => "give each its own",
        },
    ))
}

/// Refuse names of compressions that are not written, but for what fastp does, and where another format is asked for.
pub(crate) fn refuse_unwritten_names(arguments: &QcArguments) -> Result<(), Failure> {
    if arguments.running.fastp_compat.is_some() {
        return Ok(());
    }
    let is_named = arguments.files.output_format.is_none();
    roles(arguments)
        .into_iter()
        .filter(|(role, _)| is_named || matches!(*role, "--json" | "--html"))
        // Its names are its own.
        .filter(|(role, _)| *role != "--trace")
        .try_for_each(|(_, path)| refuse_unwritten(path))
}

/// Refuse that a file of split output, as `0001.out.fq`, may be another output or an input.
pub(crate) fn refuse_numbered(arguments: &QcArguments, inputs: &[PathBuf]) -> Result<(), Failure> {
    let files = &arguments.files;
    let last = match (files.split, files.split_by_lines) {
        (None, None) => return Ok(()),
        (Some(count), _) => count,
        (None, Some(_)) => u64::MAX,
    };
    let digits = usize::from(files.split_prefix_digits);
    let is_split = |role: &str| matches!(role, "-o" | "-O");
    let roles = roles(arguments);
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
                    return Err(Failure::usage(
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
fn roles(arguments: &QcArguments) -> Vec<(&'static str, &Path)> {
    let (files, pairs, reports) = (&arguments.files, &arguments.pairs, &arguments.reports);
    let standard_output = files.stdout.then(|| Path::new("-"));
    let report = |path| (!reports.no_report).then_some(path);
    let merged = pairs.merged_out.as_deref().filter(|_| is_paired(arguments));
    [
        ("--stdout", standard_output),
        ("-o", files.out1.as_deref()),
        ("-O", files.out2.as_deref()),
        ("--unpaired1", files.unpaired1.as_deref()),
        ("--unpaired2", files.unpaired2.as_deref()),
        ("--merged_out", merged),
        ("--overlapped_out", files.overlapped_out.as_deref()),
        ("--failed_out", files.failed_out.as_deref()),
        ("--trace", files.trace.as_deref()),
        ("--json", report(reports.json.as_path())),
        ("--html", report(reports.html.as_path())),
    ]
    .into_iter()
    .filter_map(|(role, path)| Some((role, path?)))
    .collect()
}
