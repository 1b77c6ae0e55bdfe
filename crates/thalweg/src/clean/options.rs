//! From what the user said to what the steps want.

use std::path::{Path, PathBuf};

use thalweg::ReaderOptions;
use thalweg::qc::{FastpVersion, Mode, Options, UmiLocation};

use super::adapter_list;
use crate::input::{telling, warn_of_missing_end};
use crate::options::bam::with_tag;
use crate::options::is_named_fastp;
use crate::options::qc::{Compat, QcArguments};
use crate::process::exit::Failure;

/// What fastp is told when it is to find out by itself.
pub(super) const AUTO: &str = "auto";

/// Whether there are pairs.
pub(crate) fn is_paired(arguments: &QcArguments) -> bool {
    let files = &arguments.files;
    files.interleaved_in || files.files.len() == 2 || !files.in2.is_empty()
}

pub(crate) fn mode(arguments: &QcArguments) -> Mode {
    match arguments.running.fastp_compat {
        None => Mode::Correct,
        Some(Compat::V0_23) => Mode::Fastp(FastpVersion::V0_23),
        Some(Compat::V1_3) => Mode::Fastp(FastpVersion::V1_3),
    }
}

/// Bytes of the parts of an input whose reads are wanted in their order: what lies ready of a part must wait for those before
/// it, and with it the threads that have nothing else to do.
const ORDERED_PART: u64 = 512 << 10;

/// Whether fastp, which is followed, looks at no reads before it begins: what is read is its standard input, by one of the two
/// names that it knows.
pub(crate) fn is_unseen(arguments: &QcArguments, lanes: &[Vec<PathBuf>]) -> bool {
    !mode(arguments).is_correct() && matches!(lanes[0][0].to_str(), Some("-" | "/dev/stdin"))
}

/// The options of the steps. Files that they name are read.
pub(crate) fn options(arguments: &QcArguments) -> Result<Options, Failure> {
    let QcArguments {
        files,
        adapters,
        trimming,
        filters,
        pairs,
        names,
        ..
    } = arguments;
    let umi_loc = match names.umi_loc.as_str() {
        "" => None,
        name => Some(UmiLocation::parse(name).ok_or_else(|| {
            Failure::usage(
                format!("--umi_loc {name}: no such place"),
                "index1, index2, read1, read2, per_index, per_read, or a tag such as tag:RX",
            )
        })?),
    };
    let paired = is_paired(arguments);
    let adapter = given("-a", &adapters.adapter_sequence, mode(arguments))?;
    let second = given(
        "--adapter_sequence_r2",
        &adapters.adapter_sequence_r2,
        mode(arguments),
    )?;
    // Where the adapter of read 2 is looked for, that of read 1 is not taken for it.
    let stands_for_both = paired && !adapters.detect_adapter_for_pe;
    Ok(Options {
        paired,
        mode: mode(arguments),
        phred64: files.phred64,
        fix_mgi_id: names.fix_mgi_id,
        disable_adapter_trimming: adapters.disable_adapter_trimming,
        adapter_sequence_r2: second.or_else(|| adapter.clone().filter(|_| stands_for_both)),
        adapter_sequence: adapter,
        detect_adapter_for_pe: adapters.detect_adapter_for_pe,
        adapter_fasta: match &adapters.adapter_fasta {
            Some(path) => adapter_list::at_the_end(path, mode(arguments), arguments.running.quiet)?,
            None => Vec::new(),
        },
        adapter_sequence_5p: bytes(&adapters.front_adapters),
        adapter_sequence_5p_r2: bytes(&adapters.front_adapters_r2),
        adapter_fasta_5p: match &adapters.front_adapter_fasta {
            Some(path) => adapter_list::at_the_front(path)?,
            None => Vec::new(),
        },
        allow_gap_overlap_trimming: adapters.allow_gap_overlap_trimming,
        dimer_max_len: adapters.dimer_max_len,
        trim_front1: trimming.trim_front1,
        trim_tail1: trimming.trim_tail1,
        trim_front2: trimming.trim_front2,
        trim_tail2: trimming.trim_tail2,
        max_len1: trimming.max_len1,
        max_len2: trimming.max_len2,
        trim_poly_g: match (trimming.trim_poly_g, trimming.disable_trim_poly_g) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        poly_g_min_len: trimming.poly_g_min_len,
        trim_poly_a: trimming.trim_poly_a,
        poly_a_min_len: trimming.poly_a_min_len,
        trim_poly_x: trimming.trim_poly_x,
        poly_x_min_len: trimming.poly_x_min_len,
        cut_front: trimming.cut_front
            || trimming.cut_by_quality5
            // fastp takes the old name of --cut_tail for --cut_front.
            || (trimming.cut_by_quality3 && !mode(arguments).is_correct()),
        cut_tail: trimming.cut_tail || (trimming.cut_by_quality3 && mode(arguments).is_correct()),
        cut_right: trimming.cut_right || trimming.cut_by_quality_aggressive,
        cut_window_size: trimming.cut_window_size,
        cut_mean_quality: trimming.cut_mean_quality,
        cut_front_window_size: trimming.cut_front_window_size,
        cut_front_mean_quality: trimming.cut_front_mean_quality,
        cut_tail_window_size: trimming.cut_tail_window_size,
        cut_tail_mean_quality: trimming.cut_tail_mean_quality,
        cut_right_window_size: trimming.cut_right_window_size,
        cut_right_mean_quality: trimming.cut_right_mean_quality,
        disable_quality_filtering: filters.disable_quality_filtering,
        qualified_quality_phred: filters.qualified_quality_phred,
        unqualified_percent_limit: filters.unqualified_percent_limit,
        n_base_limit: filters.n_base_limit,
        average_qual: filters.average_qual,
        disable_length_filtering: filters.disable_length_filtering,
        length_required: filters.length_required,
        length_limit: filters.length_limit,
        low_complexity_filter: filters.low_complexity_filter,
        complexity_threshold: filters.complexity_threshold,
        filter_by_index1: read_lines(filters.filter_by_index1.as_deref())?,
        filter_by_index2: read_lines(filters.filter_by_index2.as_deref())?,
        filter_by_index_threshold: filters.filter_by_index_threshold,
        correction: pairs.correction,
        overlap_len_require: pairs.overlap_len_require,
        overlap_diff_limit: pairs.overlap_diff_limit,
        overlap_diff_percent_limit: pairs.overlap_diff_percent_limit,
        merge: pairs.merge,
        include_unmerged: pairs.include_unmerged,
        umi: names.umi,
        umi_loc,
        umi_len: names.umi_len,
        umi_prefix: names.umi_prefix.clone(),
        umi_skip: names.umi_skip,
        umi_delim: names.umi_delim.clone(),
        dedup: filters.dedup,
    })
}

/// Sets of files that follow one another: one file each, or two mates.
pub(crate) fn lanes(arguments: &QcArguments) -> Result<Vec<Vec<PathBuf>>, Failure> {
    let files = &arguments.files;
    if files.stdin && !files.in1.is_empty() {
        return Err(Failure::usage(
            "--stdin and -i name different inputs",
            "leave out one of them; -i - is the standard input, too",
        ));
    }
    if files.files.len() > 2 || !files.files.is_empty() && !files.in2.is_empty() {
        return Err(Failure::usage(
            "too many inputs are named by their places",
            "one file, or two for pairs; more with -i and -I",
        ));
    }
    let standard_input = PathBuf::from("-");
    let (first, second) = match files.files.as_slice() {
        [] if files.stdin => (vec![standard_input], files.in2.clone()),
        [] => (files.in1.clone(), files.in2.clone()),
        [only] => (vec![only.clone()], Vec::new()),
        [first, second, ..] => (vec![first.clone()], vec![second.clone()]),
    };
    if first.is_empty() {
        let hint = match is_named_fastp() {
            true => "fastp -i r1.fq.gz [-I r2.fq.gz] -o clean1.fq.gz [-O clean2.fq.gz]; or --stdin",
            false => "name one file, or two for pairs: thalweg qc r1.fq.gz r2.fq.gz; or --stdin",
        };
        return Err(Failure::usage("no input", hint));
    }
    if second.is_empty() {
        return Ok(first.into_iter().map(|file| vec![file]).collect());
    }
    if files.interleaved_in {
        return Err(Failure::usage(
            "--interleaved_in goes with one input, not with two",
            "leave out read 2, or --interleaved_in",
        ));
    }
    if first.len() != second.len() {
        return Err(Failure::usage(
            format!(
                "{} files of read 1, but {} of read 2",
                first.len(),
                second.len()
            ),
            "give -i and -I as often as each other",
        ));
    }
    for (first, second) in first.iter().zip(&second) {
        let same = std::fs::canonicalize(first).ok();
        if same.is_some() && same == std::fs::canonicalize(second).ok() && first.is_file() {
            return Err(Failure::usage(
                format!("{}: named twice as its own mate", first.display()),
                "name the other file of the pair",
            ));
        }
    }
    let pairs = first.into_iter().zip(second);
    Ok(pairs.map(|(first, second)| vec![first, second]).collect())
}

/// How all of `lanes` are read.
pub(crate) fn reader(arguments: &QcArguments, lanes: &[Vec<PathBuf>]) -> ReaderOptions {
    let files = &arguments.files;
    let options = lanes
        .iter()
        .fold(ReaderOptions::new(), |options, lane| match &lane[..] {
            [only] => options.file(only),
            mates => options.mates(mates),
        });
    let options = options
        .interleaved(files.interleaved_in)
        .check_names(!files.ignore_names)
        // fastp takes any byte, and any two reads for mates.
        .check_letters(arguments.running.fastp_compat.is_none())
        .names_like_first(arguments.running.fastp_compat.is_some())
        .on_missing_end(warn_of_missing_end);
    // Of BAM, the tag that has the UMI comes with the name.
    let umi = UmiLocation::parse(&arguments.names.umi_loc).filter(|_| arguments.names.umi);
    let options = match umi {
        Some(UmiLocation::Tag(tag)) => options.format(with_tag(tag)),
        _ => options,
    };
    let options = telling(options, arguments.running.quiet);
    let needs_order = arguments.filters.dedup
        || arguments.reports.overrepresentation_analysis
        || files.split.is_some()
        || files.split_by_lines.is_some();
    let options = match needs_order {
        true => options.part_size(ORDERED_PART),
        false => options,
    };
    match files.reads_to_process {
        0 => options,
        pairs if files.interleaved_in => options.at_most(pairs.saturating_mul(2)),
        reads => options.at_most(reads),
    }
}

/// The sequence that `option` names; `None` if it is to be found out, or, as fastp has it, if it is empty.
fn given(option: &str, sequence: &str, mode: Mode) -> Result<Option<Vec<u8>>, Failure> {
    if sequence == AUTO || sequence.is_empty() && !mode.is_correct() {
        return Ok(None);
    }
    let is_base = |letter: char| "ACGT".contains(letter);
    if !mode.is_correct() && !sequence.chars().all(is_base) {
        return Err(Failure::usage(
            format!("{option} {sequence}: fastp takes no other letters than A, C, G and T"),
            "write them in upper case, and N or R for several bases without --fastp-compat",
        ));
    }
    Ok(Some(sequence.as_bytes().to_vec()))
}

fn bytes(texts: &[String]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Lines that are not empty.
fn read_lines(path: Option<&Path>) -> Result<Vec<Vec<u8>>, Failure> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path, error))?;
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}
