//! `thalweg cat --parts`: a file for each part.

use std::path::{Path, PathBuf};

use thalweg::sharing::CommonChecks;
use thalweg::{Format, write};

use super::copy;
use crate::input;
use crate::options::CatArguments;
use crate::output::{Output, refuse_input};
use crate::process::exit::Failure;

/// All threads work on one part after the other; the files get their names when
/// all are whole.
pub(crate) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    let count = number_of_parts(arguments);
    // Built once, if it is to be saved; and the format decides the names.
    let format =
        input::open(copy::options(arguments)?.shard(0, count), &arguments.common)?.format();
    let names = names(arguments, format)?;
    for name in &names {
        refuse_input(name, &arguments.files)?;
    }
    let checks = CommonChecks::default();
    let mut outputs = Vec::with_capacity(names.len());
    for (number, name) in (0..count).zip(&names) {
        let mut output = Output::create_at(name, arguments.compression.level())?;
        let options = copy::options(arguments)?.shard(number, count);
        let reads = thalweg::Reads::open(options.check_together(&checks))?;
        copy::copy(reads, arguments, &mut output)?;
        outputs.push(output);
    }
    checks.finish()?;
    outputs.into_iter().try_for_each(Output::finish)
}

pub(crate) fn number_of_parts(arguments: &CatArguments) -> u64 {
    arguments.parts.map_or(1, usize::from) as u64
}

/// A prefix gets a number and an ending: the one that it has would be none any more.
pub(crate) fn refuse_compressed_prefix(pattern: &Path) -> Result<(), Failure> {
    let is_pattern = pattern.to_string_lossy().contains("{}");
    if is_pattern || write::Format::of_name(pattern) == write::Format::Plain {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "{}: has no {{}} for the numbers of the parts",
            pattern.display()
        ),
        "put it where they belong, as in -o 'part_{}.fastq.gz'",
    ))
}

/// `part_001.fastq`, … or what the user's pattern makes of the numbers, which
/// have leading zeros so that names sort.
pub(crate) fn names(arguments: &CatArguments, format: Format) -> Result<Vec<PathBuf>, Failure> {
    let pattern = arguments.output.as_deref().unwrap_or(Path::new("part_"));
    let Some(pattern) = pattern.to_str() else {
        return Err(Failure::usage(
            format!("{}: a pattern must be UTF-8", pattern.display()),
            "choose another name",
        ));
    };
    if pattern == "-" {
        return Err(Failure::usage(
            "parts cannot go to the standard output",
            "give a pattern such as -o 'part_{}.fastq', or one part with --shard I/N",
        ));
    }
    let count = number_of_parts(arguments);
    let digits = count.to_string().len().max(3);
    let ending = if format.has_qualities() {
        "fastq"
    } else {
        "fasta"
    };
    let name = |number: u64| {
        let number = format!("{number:0digits$}");
        PathBuf::from(match pattern.contains("{}") {
            true => pattern.replace("{}", &number),
            false => format!("{pattern}{number}.{ending}"),
        })
    };
    Ok((1..=count).map(name).collect())
}
