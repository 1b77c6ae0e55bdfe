//! What a sample is called, and which day it is: for reports.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Endings of files of reads, one behind the other: how they are compressed, their format, and others.
const COMPRESSED: [&str; 7] = ["gz", "bgz", "bgzf", "zst", "zstd", "bz2", "xz"];
const FORMATS: [&str; 7] = ["fastq", "fq", "fasta", "fa", "fna", "bam", "ubam"];
const OTHERS: [&str; 1] = ["txt"];

/// The name of the sample that these files of read 1 and read 2 are of: what their names have in common, without endings, lanes
/// (`_L001`) and what tells mates apart (`_R1_001`, `_R1`; of pairs also `_1`). `None` where nothing is left, or no input has
/// a name of its own: the standard input and pipes have none.
///
/// ```
/// use std::path::PathBuf;
/// use thalweg::clean::sample_name;
///
/// let [first, second] = ["a/S7_L001_R1_001.fastq.gz", "a/S7_L001_R2_001.fastq.gz"].map(PathBuf::from);
/// assert_eq!(sample_name(&[first], &[second]).as_deref(), Some("S7"));
/// ```
pub fn sample_name(in1: &[PathBuf], in2: &[PathBuf]) -> Option<String> {
    let are_pairs = !in2.is_empty();
    let names = in1.iter().chain(in2).filter(|path| has_name(path));
    let mut names = names.filter_map(|path| path.file_name().and_then(OsStr::to_str));
    let mut common = stem(names.next()?, are_pairs).to_owned();
    for name in names {
        let name = stem(name, are_pairs);
        let same = common.chars().zip(name.chars());
        let length: usize = same
            .take_while(|(one, other)| one == other)
            .map(|(letter, _)| letter.len_utf8())
            .sum();
        let goes_on = |text: &str| text[length..].starts_with(char::is_alphanumeric);
        let parts_word = goes_on(&common) || goes_on(name);
        common.truncate(length);
        if parts_word && common.ends_with(char::is_alphanumeric) {
            // `S1` of S12 and S13 would be the name of another.
            let end = common.rfind(|letter: char| !letter.is_alphanumeric());
            common.truncate(end.unwrap_or(0));
        }
    }
    // No report is to be a hidden file, or to look like an option.
    let name = common.trim_end_matches(['_', '.', '-', ' ']);
    let name = name.trim_start_matches(['.', '-']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether the name is that of the file, and not that of a stream.
fn has_name(path: &Path) -> bool {
    let is_stream = ["-", "/dev/stdin", "/dev/fd", "/proc"];
    !is_stream.iter().any(|place| path.starts_with(place))
}

/// A file's name without what is the same of other samples.
fn stem(name: &str, are_pairs: bool) -> &str {
    let mut stem = name;
    while let Some((rest, ending)) = stem.rsplit_once('.')
        && !rest.is_empty()
        && is_one_of(ending, &[&COMPRESSED, &FORMATS, &OTHERS])
    {
        stem = rest;
    }
    let without_chunk = match last_word(stem) {
        Some((rest, chunk)) if chunk.len() == 3 && is_number(chunk) => rest,
        _ => stem,
    };
    stem = match last_word(without_chunk) {
        Some((rest, "R1" | "R2" | "r1" | "r2")) => rest,
        _ => match last_word(stem) {
            Some((rest, "1" | "2")) if are_pairs => rest,
            _ => stem,
        },
    };
    match last_word(stem) {
        Some((rest, lane)) if lane.len() == 4 && lane.starts_with('L') && is_number(&lane[1..]) => {
            rest
        }
        _ => stem,
    }
}

/// Whether a file of this name has reads, by its endings.
pub(super) fn is_named_as_reads(path: &Path) -> bool {
    let mut name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    while let Some((rest, ending)) = name.rsplit_once('.') {
        if is_one_of(ending, &[&FORMATS]) {
            return true;
        }
        if !is_one_of(ending, &[&COMPRESSED]) {
            return false;
        }
        name = rest;
    }
    false
}

fn is_one_of(ending: &str, lists: &[&[&str]]) -> bool {
    let mut known = lists.iter().copied().flatten();
    known.any(|known| ending.eq_ignore_ascii_case(known))
}

/// The word behind the last separator, and what is before that.
fn last_word(stem: &str) -> Option<(&str, &str)> {
    let (rest, word) = stem.rsplit_once(['_', '.', '-'])?;
    (!rest.is_empty()).then_some((rest, word))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The day, as `2026-11-26` (UTC); that of `SOURCE_DATE_EPOCH` where it is set, for reports that are the same whenever they are
/// made (reproducible-builds.org).
pub(super) fn today() -> String {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok();
    let seconds = told.and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH);
    day(seconds.unwrap_or_else(|| now().map_or(0, |time| time.as_secs())))
}

/// The day of a second since 1970.
fn day(seconds: u64) -> String {
    let mut days = seconds / 86_400;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let length = |year| if is_leap(year) { 366 } else { 365 };
    while days >= length(year) && year < 9999 {
        days -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in months {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(in1: &[&str], in2: &[&str]) -> String {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        sample_name(&paths(in1), &paths(in2)).unwrap_or_default()
    }

    #[test]
    fn samples_are_called_as_their_files() {
        for (in1, in2, expected) in [
            (&["a.fq"][..], &[][..], "a"),
            (&["x/y/sample.fastq.gz"], &[], "sample"),
            (&["S1_R1.fq.gz"], &["S1_R2.fq.gz"], "S1"),
            (&["S1_1.fq.gz"], &["S1_2.fq.gz"], "S1"),
            (&["S1.1.fq"], &["S1.2.fq"], "S1"),
            (
                &["S1_S5_L001_R1_001.fastq.gz"],
                &["S1_S5_L001_R2_001.fastq.gz"],
                "S1_S5",
            ),
            (&["S1_S5_R1_001.fastq.gz"], &[], "S1_S5"),
            (
                &["S1_L001_R1.fq", "S1_L002_R1.fq"],
                &["S1_L001_R2.fq", "S1_L002_R2.fq"],
                "S1",
            ),
            // Two samples of single reads must not share a report.
            (&["treated_1.fq"], &[], "treated_1"),
            (&["run_001.fq"], &[], "run_001"),
            (&["S12.fq", "S13.fq"], &[], ""),
            (&["run7_S12.fq", "run7_S13.fq"], &[], "run7"),
            (&["run.a.fq", "run.b.fq"], &[], "run"),
            (&["-"], &[], ""),
            (&["/dev/fd/63"], &["/dev/fd/62"], ""),
            (&["/dev/shm/a.fq"], &[], "a"),
            (&["R1.fq"], &["R2.fq"], ""),
            (&["1.fq"], &["2.fq"], ""),
            (&[".fq"], &[], "fq"),
            (&["reads.unmapped.bam"], &[], "reads.unmapped"),
            (&["größe_R1.fq"], &["größe_R2.fq"], "größe"),
        ] {
            assert_eq!(name(in1, in2), expected, "{in1:?} {in2:?}");
        }
    }

    #[test]
    fn reads_are_told_by_their_endings() {
        for name in ["a.fq", "a.FASTQ.gz", "x/b.bam", "c.fa.zst"] {
            assert!(is_named_as_reads(Path::new(name)), "{name}");
        }
        for name in ["a.html", "fq", "a.fq.html", "a.json.gz", "8", "a.fq.d/b"] {
            assert!(!is_named_as_reads(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_651_200, "2026-11-26"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), expected);
        }
    }
}
