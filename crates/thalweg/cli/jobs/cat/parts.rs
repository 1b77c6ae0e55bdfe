//! `thalweg cat --parts`, `--records-per-part`, `--bases-per-part`: how outputs are divided, and their names.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use thalweg::write::{self, OutputOptions, Split, is_standard_output};
use thalweg::{FilePlan, Format, Reads};

use crate::input;
use crate::options::{CatArguments, Pairing};
use crate::output::refuse_input;
use crate::process::exit::Failure;
use crate::process::progress::Progress;

/// Where a part ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Division {
    /// There are so many.
    Parts(NonZeroU64),
    /// When it has so many templates.
    Records(NonZeroU64),
    /// When it has so many bases.
    Bases(NonZeroU64),
}

impl Division {
    /// What the user asks for, if there are to be parts.
    pub(super) fn of(arguments: &CatArguments) -> Option<Self> {
        let repack = &arguments.repack;
        let number = |number: Option<u64>| number.and_then(NonZeroU64::new);
        let parts = arguments.parts.map(|parts| parts.get() as u64);
        number(parts)
            .map(Self::Parts)
            .or(number(repack.records_per_part).map(Self::Records))
            .or(number(repack.bases_per_part).map(Self::Bases))
    }

    /// The rule by which outputs are divided, and their names made of `patterns`. `templates` are those of all inputs, if that is
    /// known.
    pub(super) fn split(
        self,
        arguments: &CatArguments,
        patterns: &[PathBuf],
        templates: Option<u64>,
    ) -> Result<Split, Failure> {
        let split = match self {
            Self::Records(records) => Split::every(records),
            Self::Bases(bases) => Split::weighing(bases),
            Self::Parts(parts) => {
                let templates = match templates {
                    Some(templates) => templates,
                    None => count(arguments, patterns)?,
                };
                Split::shares(parts, templates)
            }
        };
        // A number of parts that the user may write has no more.
        Ok(split.digits(self.digits() as u8).at_braces())
    }

    /// Leading zeros are there so that names sort.
    fn digits(self) -> usize {
        match self {
            Self::Parts(parts) => digits(parts.get()),
            Self::Records(_) | Self::Bases(_) => digits(0),
        }
    }
}

fn digits(parts: u64) -> usize {
    parts.to_string().len().max(3)
}

/// The names of so many parts.
fn names(parts: u64) -> Split {
    Split::every(NonZeroU64::MIN)
        .digits(digits(parts) as u8)
        .at_braces()
}

/// The templates of inputs of which no index tells how many they have. That there is a place for the parts is seen before.
fn count(arguments: &CatArguments, patterns: &[PathBuf]) -> Result<u64, Failure> {
    let is_file = |file: &&PathBuf| std::fs::metadata(file).is_ok_and(|data| data.is_file());
    if let Some(other) = arguments.files.iter().find(|file| !is_file(file)) {
        // What is not there is told as that.
        if other.as_os_str() == "-" || std::fs::metadata(other).is_ok_and(|data| !data.is_dir()) {
            return Err(Failure::usage(
                format!(
                    "{}: --parts must count the reads first, but this can be read only once",
                    other.display()
                ),
                "use --records-per-part or --bases-per-part, or write it to a file first",
            ));
        }
    }
    let names = names(number_of_parts(arguments));
    let mut outputs = patterns.iter().map(OutputOptions::new);
    outputs.try_for_each(|output| output.split(names).check_place())?;
    // Mates have as many, which is looked at when they are read.
    let files = match arguments.pairing.mates {
        true => &arguments.files[..1],
        false => &arguments.files[..],
    };
    let places: Vec<usize> = (0..files.len()).collect();
    let index = arguments.bam.index(&arguments.index)?.of_places(&places);
    let alone = Pairing {
        mates: false,
        interleaved: arguments.pairing.interleaved,
        ignore_names: arguments.pairing.interleaved && arguments.pairing.ignore_names,
    };
    let options = input::options(files, &alone, &index, &arguments.common)?;
    let options = arguments
        .bam
        .choose(options)
        .max_record(arguments.limit.max_record)
        .check_end(arguments.end.is_wanted());
    let workers = Reads::open(options)?.all_workers();
    let _progress = Progress::start(&arguments.common, &files[0], workers.progress());
    let records = workers.fold(
        || 0,
        |records, batch| *records += batch.len() as u64,
        |records, more| *records += more,
    )?;
    Ok(match arguments.pairing.interleaved {
        true => records / 2,
        false => records,
    })
}

/// The names of the outputs, with `{}` for the numbers: what the user says, or one beside each input.
pub(super) fn patterns(
    arguments: &CatArguments,
    plans: &[FilePlan],
) -> Result<Vec<PathBuf>, Failure> {
    let has_qualities =
        !arguments.repack.fasta && plans.iter().all(|plan| plan.format.has_qualities());
    let said = [
        arguments.output.as_deref(),
        arguments.repack.out2.as_deref(),
    ];
    let said: Vec<_> = said.into_iter().flatten().collect();
    if !said.is_empty() {
        let pattern = |said: &&Path| pattern(said, has_qualities);
        return said.iter().map(pattern).collect();
    }
    match (arguments.pairing.mates, plans) {
        (_, [one]) => Ok(vec![beside(one, has_qualities)]),
        (true, [first, second]) => Ok(vec![
            beside(first, has_qualities),
            beside(second, has_qualities),
        ]),
        _ => Err(Failure::usage(
            format!(
                "there are {} files, and parts of all of them need a name",
                plans.len()
            ),
            "give one, as in -o 'part_{}.fastq.gz'",
        )),
    }
}

/// A pattern stays; a prefix gets number and ending.
fn pattern(said: &Path, has_qualities: bool) -> Result<PathBuf, Failure> {
    if is_standard_output(said) {
        return Err(Failure::usage(
            "parts cannot go to the standard output",
            "give a pattern such as -o 'part_{}.fastq', or one part with --shard I/N",
        ));
    }
    refuse_ended_prefix(said)?;
    if has_braces(said) {
        return Ok(said.to_owned());
    }
    let mut pattern = said.as_os_str().to_owned();
    pattern.push("{}.");
    pattern.push(ending(has_qualities));
    Ok(PathBuf::from(pattern))
}

fn has_braces(pattern: &Path) -> bool {
    pattern
        .as_os_str()
        .as_encoded_bytes()
        .windows(2)
        .any(|two| two == b"{}")
}

fn ending(has_qualities: bool) -> &'static str {
    match has_qualities {
        true => "fastq",
        false => "fasta",
    }
}

/// What names of reads end with.
const ENDINGS: [&str; 9] = [
    "fastq", "fq", "fasta", "fa", "fna", "ffn", "faa", "txt", "bam",
];

/// `a/x.part_{}.fq.gz` for `a/x.fq.gz`, as `seqkit split2` names parts; what is not written becomes .gz.
fn beside(plan: &FilePlan, has_qualities: bool) -> PathBuf {
    let is_stream = plan.path.as_os_str() == "-";
    let path = if is_stream {
        Path::new("stdin")
    } else {
        &plan.path
    };
    let compression = match path.extension().and_then(|ending| ending.to_str()) {
        Some(known @ ("gz" | "bgz" | "zst")) => Some(known),
        Some("bz2" | "xz" | "zstd" | "bam") => Some("gz"),
        _ => None,
    };
    let is_packed = compression.is_some() && path.extension().is_some_and(|ending| ending != "bam");
    let name = match is_packed {
        true => Path::new(path.file_stem().unwrap_or_default()),
        false => Path::new(path.file_name().unwrap_or_default()),
    };
    let known = name.extension().and_then(|ending| ending.to_str());
    let known = known.filter(|ending| ENDINGS.contains(ending));
    let stem = match known {
        Some(_) => name.file_stem().unwrap_or_default(),
        None => name.as_os_str(),
    };
    // What the name says, as long as it is true of what is written.
    let is_true =
        |ending: &&str| *ending != "bam" && (plan.format.has_qualities() == has_qualities);
    let mut pattern = OsString::from(stem);
    pattern.push(".part_{}.");
    pattern.push(known.filter(is_true).unwrap_or(ending(has_qualities)));
    if let Some(compression) = compression {
        pattern.push(".");
        pattern.push(compression);
    }
    path.with_file_name(pattern)
}

/// Refuse parts that would replace an input.
pub(super) fn refuse_inputs(
    patterns: &[PathBuf],
    split: Split,
    arguments: &CatArguments,
) -> Result<(), Failure> {
    let known = match Division::of(arguments) {
        Some(Division::Parts(parts)) => parts.get(),
        _ => 0,
    };
    for pattern in patterns {
        for part in 0..known {
            refuse_input(&split.name(pattern, part), &arguments.files)?;
        }
        // Where the number of parts comes out in the end: any that an input may have.
        let numbers = arguments
            .files
            .iter()
            .filter_map(|file| number_in(file, pattern));
        for number in numbers.filter(|&number| number > known) {
            refuse_input(&split.name(pattern, number - 1), &arguments.files)?;
        }
    }
    Ok(())
}

/// The number of the part whose name a file has.
fn number_in(file: &Path, pattern: &Path) -> Option<u64> {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let (name, pattern) = (name(file)?, name(pattern)?);
    let (before, behind) = pattern.split_once("{}")?;
    let number = name.strip_prefix(before)?.strip_suffix(behind)?;
    number.parse().ok()
}

pub(super) fn number_of_parts(arguments: &CatArguments) -> u64 {
    arguments.parts.map_or(1, usize::from) as u64
}

/// A prefix gets a number and an ending: the one that it has would be none any more.
pub(super) fn refuse_ended_prefix(pattern: &Path) -> Result<(), Failure> {
    let is_packed = write::OutputFormat::of_name(pattern) != write::OutputFormat::Plain;
    let ending = pattern.extension().and_then(|ending| ending.to_str());
    let has_ending = ending.is_some_and(|ending| ENDINGS.contains(&ending));
    if has_braces(pattern) || !(is_packed || has_ending) {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "{}: has no {{}} for the numbers of the parts",
            pattern.display()
        ),
        "put {} where the number goes: -o 'part_{}.fastq.gz'",
    ))
}

/// The names of named pipes: `part_001.fastq`, … or what the user's pattern makes of the numbers.
pub(super) fn names_of_pipes(
    arguments: &CatArguments,
    format: Format,
) -> Result<Vec<PathBuf>, Failure> {
    let said = arguments.output.as_deref().unwrap_or(Path::new("part_"));
    let pattern = pattern(said, format.has_qualities())?;
    let count = number_of_parts(arguments);
    let names = names(count);
    Ok((0..count).map(|part| names.name(&pattern, part)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_their_numbers() {
        let number = |file, pattern| number_in(Path::new(file), Path::new(pattern));
        assert_eq!(number("a/x.part_012.fq", "x.part_{}.fq"), Some(12));
        assert_eq!(number("x.part_.fq", "x.part_{}.fq"), None);
        assert_eq!(number("y.part_012.fq", "x.part_{}.fq"), None);
    }
}
