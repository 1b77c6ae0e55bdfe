//! From settings to what is read, and to what the steps want.

use std::path::{Path, PathBuf};

use thalweg_files::{counted, list_lines, read_list};
use thalweg_formats::bam::{Bam, BamOptions, TagChoice};
use thalweg_qc::{Mode, Options, UmiLocation};
use thalweg_reads::ReaderOptions;

use super::{CleanSettings, adapter_list};
use crate::inputs::{self, check_standard_input};
use crate::{Control, Fault};

/// Bytes of the parts of an input whose reads are wanted in their order: what lies ready of a part must wait for those before
/// it, and with it the threads that have nothing else to do.
const ORDERED_PART: u64 = 512 << 10;

/// Whether fastp, which is followed, looks at no reads before it begins: what is read is its standard input, by one of the two
/// names that it knows.
pub(super) fn is_unseen(mode: Mode, lanes: &[Vec<PathBuf>]) -> bool {
    !mode.is_correct() && matches!(lanes[0][0].to_str(), Some("-" | "/dev/stdin"))
}

/// The options of the steps. Files that they name are read.
pub(super) fn steps(settings: &CleanSettings, control: &Control<'_>) -> Result<Options, Fault> {
    let mut steps = settings.steps.clone();
    let mode = steps.mode;
    steps.paired = settings.is_paired();
    let first = given("-a", steps.adapter_sequence.take(), mode)?;
    let second = steps.adapter_sequence_r2.take();
    let second = given("--adapter_sequence_r2", second, mode)?;
    // Where the adapter of read 2 is looked for, that of read 1 is not taken for it.
    let stands_for_both = steps.paired && !steps.detect_adapter_for_pe;
    steps.adapter_sequence_r2 = second.or_else(|| first.clone().filter(|_| stands_for_both));
    steps.adapter_sequence = first;
    if let Some(path) = &settings.adapter_fasta {
        let more = adapter_list::at_the_end(path, mode, control)?;
        steps.adapter_fasta.extend(more);
    }
    if let Some(path) = &settings.adapter_fasta_5p {
        let more = adapter_list::at_the_front(path)?;
        steps.adapter_fasta_5p.extend(more);
    }
    let indexes = [
        (&settings.filter_by_index1, &mut steps.filter_by_index1),
        (&settings.filter_by_index2, &mut steps.filter_by_index2),
    ];
    for (path, indexes) in indexes {
        if let Some(path) = path {
            indexes.extend(read_lines(path)?);
        }
    }
    Ok(steps)
}

/// The options of the steps for pairs, of those for single reads.
pub(super) fn of_pairs(mut steps: Options) -> Options {
    steps.paired = true;
    if steps.adapter_sequence_r2.is_none() && !steps.detect_adapter_for_pe {
        steps
            .adapter_sequence_r2
            .clone_from(&steps.adapter_sequence);
    }
    steps
}

/// Returns whether the flags of records may tell that reads are of pairs, as far as names of files say.
pub(super) fn may_be_paired(settings: &CleanSettings, lanes: &[Vec<PathBuf>]) -> bool {
    let mut files = lanes.iter().flatten();
    let is_correct = settings.steps.mode.is_correct();
    is_correct && !settings.is_paired() && files.all(|file| inputs::may_be_bam(file))
}

/// Sets of files that follow one another: one file each, or two mates.
pub(super) fn lanes(settings: &CleanSettings) -> Result<Vec<Vec<PathBuf>>, Fault> {
    let (first, second) = (settings.in1.clone(), settings.in2.clone());
    if first.is_empty() {
        return Err(Fault::usage("no input", "name a file, or two for pairs"));
    }
    let all: Vec<PathBuf> = first.iter().chain(&second).cloned().collect();
    check_standard_input(&all)?;
    if second.is_empty() {
        return Ok(first.into_iter().map(|file| vec![file]).collect());
    }
    if settings.interleaved_in {
        return Err(Fault::usage(
            "--interleaved_in works with one input, not with two",
            "leave out read 2, or --interleaved_in",
        ));
    }
    if first.len() != second.len() {
        return Err(Fault::usage(
            format!(
                "{} of read 1, but {} of read 2",
                counted(first.len() as u64, "file"),
                second.len()
            ),
            "give one -I for each -i",
        ));
    }
    for (first, second) in first.iter().zip(&second) {
        let same = std::fs::canonicalize(first).ok();
        if same.is_some() && same == std::fs::canonicalize(second).ok() && first.is_file() {
            return Err(Fault::usage(
                format!("{}: given as both read 1 and read 2", first.display()),
                "name the other file of the pair",
            ));
        }
    }
    let pairs = first.into_iter().zip(second);
    Ok(pairs.map(|(first, second)| vec![first, second]).collect())
}

/// How all of `lanes` are read, but for indexes.
pub(super) fn reader(settings: &CleanSettings, lanes: &[Vec<PathBuf>]) -> ReaderOptions {
    let options = lanes
        .iter()
        .fold(ReaderOptions::new(), |options, lane| match &lane[..] {
            [only] => options.file(only),
            mates => options.mates(mates),
        });
    let steps = &settings.steps;
    let is_correct = steps.mode.is_correct();
    let options = options
        .interleaved(settings.interleaved_in)
        .pairs_by_flags(is_correct)
        .check_names(!settings.ignore_names)
        // fastp takes any byte, and any two reads for mates.
        .check_letters(is_correct)
        .max_record(settings.max_record)
        .check_end(settings.check_end)
        .names_like_first(!is_correct);
    let options = inputs::tell_of_waits(options, settings.on_wait.as_ref());
    // Of BAM, the tag that has the UMI comes with the name.
    let options = match steps.umi_loc.filter(|_| steps.umi) {
        Some(UmiLocation::Tag(tag)) => options.format(with_tag(tag)),
        _ => options,
    };
    let outputs = &settings.outputs;
    let needs_order = steps.dedup
        || settings.reports.overrepresentation_analysis
        || outputs.split.is_some()
        || outputs.split_by_lines.is_some();
    let options = match needs_order {
        true => options.part_size(ORDERED_PART),
        false => options,
    };
    match settings.reads_to_process {
        0 => options,
        pairs if settings.interleaved_in => options.at_most(pairs.saturating_mul(2)),
        reads => options.at_most(reads),
    }
}

/// BAM with this tag behind names.
fn with_tag(tag: [u8; 2]) -> &'static Bam {
    Bam::shared(&BamOptions {
        tags: TagChoice::These(vec![tag]),
        ..BamOptions::new()
    })
}

/// The sequence that `option` names; `None` if it is to be found out, or, as fastp has it, if it is empty.
fn given(option: &str, sequence: Option<Vec<u8>>, mode: Mode) -> Result<Option<Vec<u8>>, Fault> {
    let Some(sequence) = sequence.filter(|sequence| mode.is_correct() || !sequence.is_empty())
    else {
        return Ok(None);
    };
    if !mode.is_correct() && !sequence.iter().all(|base| b"ACGT".contains(base)) {
        let sequence = String::from_utf8_lossy(&sequence);
        return Err(Fault::usage(
            format!("{option} {sequence}: fastp takes no other letters than A, C, G and T"),
            "write them in upper case, and N or R for several bases without --fastp-compat",
        ));
    }
    Ok(Some(sequence))
}

/// Lines that are not empty.
fn read_lines(path: &Path) -> Result<Vec<Vec<u8>>, Fault> {
    let text = read_list(path).map_err(|error| Fault::io(path, error))?;
    let lines = list_lines(&text).map(|(_, line)| line.trim_ascii_start());
    Ok(lines.map(<[u8]>::to_vec).collect())
}
