//! The options that concern what happens to reads, by fastp's names: their defaults, their limits, and which of them
//! change nothing.

use std::ops::RangeInclusive;

use crate::steps::{LONGEST, REQUIRED, split_anchor};
use crate::{Error, Mode, UmiLocation, ranges};

/// What to do with the reads. Fields have the names, units and defaults of fastp's
/// options, except for those that fastp lacks, of which it is said; `None` stands for an option that follows another or is decided from the
/// data. [`Config::new`](crate::Config::new) checks them.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of fastp's options")]
pub struct Options {
    /// Whether there are mates.
    pub paired: bool,
    /// Whether to follow fastp where it is wrong.
    pub mode: Mode,
    pub phred64: bool,
    pub fix_mgi_id: bool,

    pub disable_adapter_trimming: bool,
    /// `None`: not given. What was detected goes here, too, with
    /// [`Config::set_detected_adapter`](crate::Config::set_detected_adapter).
    pub adapter_sequence: Option<Vec<u8>>,
    pub adapter_sequence_r2: Option<Vec<u8>>,
    /// The adapters of pairs are looked for ([`AdapterDetector`](crate::AdapterDetector)), so that
    /// the one of read 1 is not taken for that of read 2.
    pub detect_adapter_for_pe: bool,
    /// The sequences of the file, in order.
    pub adapter_fasta: Vec<Vec<u8>>,
    /// Adapters at the 5' end, of which the best one is cut with all before it, even if others
    /// are not (`disable_adapter_trimming`). IUPAC letters; with `^` before them only where the
    /// read begins. fastp has none of these.
    pub adapter_sequence_5p: Vec<Vec<u8>>,
    /// The same for read 2.
    pub adapter_sequence_5p_r2: Vec<Vec<u8>>,
    /// The same for both: the sequences of the file, in order.
    pub adapter_fasta_5p: Vec<Vec<u8>>,
    pub allow_gap_overlap_trimming: bool,
    pub dimer_max_len: usize,

    pub trim_front1: usize,
    pub trim_tail1: usize,
    pub trim_front2: Option<usize>,
    pub trim_tail2: Option<usize>,
    /// 0: no limit.
    pub max_len1: usize,
    pub max_len2: Option<usize>,

    /// `None`: depends on the instrument in the first read's name.
    pub trim_poly_g: Option<bool>,
    pub poly_g_min_len: usize,
    /// Cut tails of A from read 1 and heads of T from read 2; fastp does not know it.
    pub trim_poly_a: bool,
    pub poly_a_min_len: usize,
    pub trim_poly_x: bool,
    pub poly_x_min_len: usize,

    pub cut_front: bool,
    pub cut_tail: bool,
    pub cut_right: bool,
    pub cut_window_size: usize,
    pub cut_mean_quality: u8,
    pub cut_front_window_size: Option<usize>,
    pub cut_front_mean_quality: Option<u8>,
    pub cut_tail_window_size: Option<usize>,
    pub cut_tail_mean_quality: Option<u8>,
    pub cut_right_window_size: Option<usize>,
    pub cut_right_mean_quality: Option<u8>,

    pub disable_quality_filtering: bool,
    pub qualified_quality_phred: u8,
    pub unqualified_percent_limit: u8,
    pub n_base_limit: usize,
    pub average_qual: u8,
    pub disable_length_filtering: bool,
    pub length_required: usize,
    /// 0: no limit.
    pub length_limit: usize,
    pub low_complexity_filter: bool,
    pub complexity_threshold: u8,
    /// Percent of the bases that DUST may mask; `None`: any. fastp does not know it.
    pub dust: Option<u8>,
    /// The lines of the file.
    pub filter_by_index1: Vec<Vec<u8>>,
    pub filter_by_index2: Vec<Vec<u8>>,
    pub filter_by_index_threshold: usize,

    pub correction: bool,
    pub overlap_len_require: usize,
    pub overlap_diff_limit: usize,
    pub overlap_diff_percent_limit: u8,
    pub merge: bool,
    pub include_unmerged: bool,

    pub umi: bool,
    pub umi_loc: Option<UmiLocation>,
    pub umi_len: usize,
    pub umi_prefix: String,
    pub umi_skip: usize,
    pub umi_delim: String,

    pub dedup: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            paired: false,
            mode: Mode::Correct,
            phred64: false,
            fix_mgi_id: false,
            disable_adapter_trimming: false,
            adapter_sequence: None,
            adapter_sequence_r2: None,
            detect_adapter_for_pe: false,
            adapter_fasta: Vec::new(),
            adapter_sequence_5p: Vec::new(),
            adapter_sequence_5p_r2: Vec::new(),
            adapter_fasta_5p: Vec::new(),
            allow_gap_overlap_trimming: false,
            dimer_max_len: 2,
            trim_front1: 0,
            trim_tail1: 0,
            trim_front2: None,
            trim_tail2: None,
            max_len1: 0,
            max_len2: None,
            trim_poly_g: None,
            poly_g_min_len: 10,
            trim_poly_a: false,
            poly_a_min_len: 10,
            trim_poly_x: false,
            poly_x_min_len: 10,
            cut_front: false,
            cut_tail: false,
            cut_right: false,
            cut_window_size: 4,
            cut_mean_quality: 20,
            cut_front_window_size: None,
            cut_front_mean_quality: None,
            cut_tail_window_size: None,
            cut_tail_mean_quality: None,
            cut_right_window_size: None,
            cut_right_mean_quality: None,
            disable_quality_filtering: false,
            qualified_quality_phred: 15,
            unqualified_percent_limit: 40,
            n_base_limit: 5,
            average_qual: 0,
            disable_length_filtering: false,
            length_required: 15,
            length_limit: 0,
            low_complexity_filter: false,
            complexity_threshold: 30,
            dust: None,
            filter_by_index1: Vec::new(),
            filter_by_index2: Vec::new(),
            filter_by_index_threshold: 0,
            correction: false,
            overlap_len_require: 30,
            overlap_diff_limit: 5,
            overlap_diff_percent_limit: 20,
            merge: false,
            include_unmerged: false,
            umi: false,
            umi_loc: None,
            umi_len: 0,
            umi_prefix: String::new(),
            umi_skip: 0,
            umi_delim: String::from(":"),
            dedup: false,
        }
    }
}

impl Options {
    /// Options that change nothing, as another one is not given or switches them off: their names, and why.
    ///
    /// Those that are said by files, and are not known here, are left out.
    pub fn idle(&self) -> Vec<(&'static str, &'static str)> {
        let (o, usual) = (self, Options::default());
        let single = !o.paired;
        let uncut = !(o.cut_front || o.cut_tail || o.cut_right);
        let no_pairs = "the reads are single";
        let rows = [
            (single && o.correction, "correction", no_pairs),
            (
                single && o.detect_adapter_for_pe,
                "detect_adapter_for_pe",
                "adapters of single reads are always detected",
            ),
            (
                single && o.overlap_len_require != usual.overlap_len_require,
                "overlap_len_require",
                no_pairs,
            ),
            (
                single && o.overlap_diff_limit != usual.overlap_diff_limit,
                "overlap_diff_limit",
                no_pairs,
            ),
            (
                single && o.overlap_diff_percent_limit != usual.overlap_diff_percent_limit,
                "overlap_diff_percent_limit",
                no_pairs,
            ),
            (single && o.trim_front2.is_some(), "trim_front2", no_pairs),
            (single && o.trim_tail2.is_some(), "trim_tail2", no_pairs),
            (single && o.max_len2.is_some(), "max_len2", no_pairs),
            (
                !single && o.detect_adapter_for_pe && o.disable_adapter_trimming,
                "detect_adapter_for_pe",
                "--disable_adapter_trimming is given",
            ),
            (
                o.disable_adapter_trimming && o.adapter_sequence.is_some(),
                "adapter_sequence",
                "--disable_adapter_trimming is given",
            ),
            (
                o.disable_adapter_trimming && o.adapter_sequence_r2.is_some(),
                "adapter_sequence_r2",
                "--disable_adapter_trimming is given",
            ),
            (
                o.disable_length_filtering && o.length_required != usual.length_required,
                "length_required",
                "--disable_length_filtering is given",
            ),
            (
                o.disable_length_filtering && o.length_limit != usual.length_limit,
                "length_limit",
                "--disable_length_filtering is given",
            ),
            (
                o.disable_quality_filtering
                    && o.qualified_quality_phred != usual.qualified_quality_phred,
                "qualified_quality_phred",
                "--disable_quality_filtering is given",
            ),
            (
                o.disable_quality_filtering
                    && o.unqualified_percent_limit != usual.unqualified_percent_limit,
                "unqualified_percent_limit",
                "--disable_quality_filtering is given",
            ),
            (
                o.disable_quality_filtering && o.n_base_limit != usual.n_base_limit,
                "n_base_limit",
                "--disable_quality_filtering is given",
            ),
            (
                o.disable_quality_filtering && o.average_qual != usual.average_qual,
                "average_qual",
                "--disable_quality_filtering is given",
            ),
            (
                o.trim_poly_g == Some(false) && o.poly_g_min_len != usual.poly_g_min_len,
                "poly_g_min_len",
                "--disable_trim_poly_g is given",
            ),
            (
                !o.umi && o.umi_skip != usual.umi_skip,
                "umi_skip",
                "--umi is not given",
            ),
            (
                !o.umi && !o.umi_prefix.is_empty(),
                "umi_prefix",
                "--umi is not given",
            ),
            (
                uncut && o.cut_window_size != usual.cut_window_size,
                "cut_window_size",
                "none of --cut_front, --cut_tail and --cut_right is given",
            ),
            (
                uncut && o.cut_mean_quality != usual.cut_mean_quality,
                "cut_mean_quality",
                "none of --cut_front, --cut_tail and --cut_right is given",
            ),
            (
                !o.trim_poly_x && o.poly_x_min_len != usual.poly_x_min_len,
                "poly_x_min_len",
                "--trim_poly_x is not given",
            ),
            (
                !o.trim_poly_a && o.poly_a_min_len != usual.poly_a_min_len,
                "poly_a_min_len",
                "--trim_poly_a is not given",
            ),
            (
                !o.low_complexity_filter && o.complexity_threshold != usual.complexity_threshold,
                "complexity_threshold",
                "--low_complexity_filter is not given",
            ),
            (
                !o.umi && o.umi_loc.is_some(),
                "umi_loc",
                "--umi is not given",
            ),
            (
                !o.umi && o.umi_len != usual.umi_len,
                "umi_len",
                "--umi is not given",
            ),
        ];
        let idle = rows.into_iter().filter(|(is_idle, ..)| *is_idle);
        idle.map(|(_, option, why)| (option, why)).collect()
    }
}

/// Refuse values out of their range, and options that contradict each other.
pub(crate) fn check(o: &Options) -> Result<(), Error> {
    for (option, size) in [
        ("cut_window_size", Some(o.cut_window_size)),
        ("cut_front_window_size", o.cut_front_window_size),
        ("cut_tail_window_size", o.cut_tail_window_size),
        ("cut_right_window_size", o.cut_right_window_size),
    ] {
        range(option, size, ranges::WINDOW_SIZE)?;
    }
    for (option, quality) in [
        ("cut_mean_quality", Some(o.cut_mean_quality)),
        ("cut_front_mean_quality", o.cut_front_mean_quality),
        ("cut_tail_mean_quality", o.cut_tail_mean_quality),
        ("cut_right_mean_quality", o.cut_right_mean_quality),
    ] {
        range(option, quality, ranges::WINDOW_QUALITY)?;
    }
    for (option, quality) in [
        ("qualified_quality_phred", o.qualified_quality_phred),
        ("average_qual", o.average_qual),
    ] {
        range(option, Some(quality), ranges::QUALITY)?;
    }
    for (option, percent) in [
        ("unqualified_percent_limit", o.unqualified_percent_limit),
        ("complexity_threshold", o.complexity_threshold),
        ("dust", o.dust.unwrap_or(0)),
        ("overlap_diff_percent_limit", o.overlap_diff_percent_limit),
    ] {
        range(option, Some(percent), ranges::PERCENT)?;
    }
    if o.overlap_len_require == 0 && o.mode.is_correct() {
        return Err(Error::new(
            "overlap_len_require",
            "at least 1: all mates overlap in 0 bases",
        ));
    }
    for (option, length) in [
        ("poly_g_min_len", o.poly_g_min_len),
        ("poly_x_min_len", o.poly_x_min_len),
        ("poly_a_min_len", o.poly_a_min_len),
    ] {
        range(option, Some(length), ranges::TAIL_LENGTH)?;
    }
    // fastp lets all reads fail.
    let contradicts =
        !o.disable_length_filtering && o.length_limit > 0 && o.length_limit < o.length_required;
    if contradicts && o.mode.is_correct() {
        return Err(Error::new(
            "length_limit",
            format_args!("is less than --length_required {}", o.length_required),
        ));
    }
    check_adapters(o)?;
    check_front_adapters(o)?;
    for (option, given) in [("trim_poly_a", o.trim_poly_a), ("dust", o.dust.is_some())] {
        if given && !o.mode.is_correct() {
            return Err(Error::new(option, UNKNOWN_TO_FASTP));
        }
    }
    check_umi(o)?;
    for (option, given) in [
        ("merge", o.merge),
        ("adapter_sequence_r2", o.adapter_sequence_r2.is_some()),
        (
            "adapter_sequence_5p_r2",
            !o.adapter_sequence_5p_r2.is_empty(),
        ),
        ("allow_gap_overlap_trimming", o.allow_gap_overlap_trimming),
    ] {
        if given && !o.paired {
            return Err(Error::new(option, "only for paired-end data"));
        }
    }
    if o.include_unmerged && !o.merge {
        return Err(Error::new("include_unmerged", "only together with --merge"));
    }
    Ok(())
}

fn check_adapters(o: &Options) -> Result<(), Error> {
    for (option, sequence) in [
        ("adapter_sequence", &o.adapter_sequence),
        ("adapter_sequence_r2", &o.adapter_sequence_r2),
    ] {
        if let Some(sequence) = sequence {
            check_adapter(option, sequence, o.mode)?;
        }
    }
    for sequence in &o.adapter_fasta {
        check_adapter("adapter_fasta", sequence, o.mode)?;
    }
    Ok(())
}

/// The least bases that an adapter has.
const SHORTEST_ADAPTER: usize = 4;

fn check_adapter(option: &'static str, sequence: &[u8], mode: Mode) -> Result<(), Error> {
    if sequence.len() < SHORTEST_ADAPTER {
        return Err(Error::new(
            option,
            format_args!(
                "an adapter has at least {SHORTEST_ADAPTER} bases: {}",
                String::from_utf8_lossy(sequence)
            ),
        ));
    }
    check_letters(option, sequence, mode)
}

/// What is said of an option that `Mode::Fastp` cannot follow.
const UNKNOWN_TO_FASTP: &str = "fastp knows no such option: leave out --fastp-compat";

fn check_front_adapters(o: &Options) -> Result<(), Error> {
    for (option, sequences) in [
        ("adapter_sequence_5p", &o.adapter_sequence_5p),
        ("adapter_sequence_5p_r2", &o.adapter_sequence_5p_r2),
        ("adapter_fasta_5p", &o.adapter_fasta_5p),
    ] {
        if !sequences.is_empty() && !o.mode.is_correct() {
            return Err(Error::new(option, UNKNOWN_TO_FASTP));
        }
        for sequence in sequences {
            let (_, letters) = split_anchor(sequence);
            check_letters(option, letters, o.mode)?;
            let known = letters.iter().filter(|letter| !b"Nn".contains(letter));
            if known.count() < REQUIRED || letters.len() > LONGEST {
                return Err(Error::new(
                    option,
                    format_args!(
                        "an adapter at the 5' end has at least {REQUIRED} letters other than N, and \
                         at most {LONGEST} in all: {}",
                        String::from_utf8_lossy(sequence)
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn check_letters(option: &'static str, sequence: &[u8], mode: Mode) -> Result<(), Error> {
    let is_letter = |base: &u8| {
        b"ACGTNacgtnRYSWKMBDHVryswkmbdhv".contains(base)
            || mode.is_correct() && b"Uu".contains(base)
    };
    match sequence.iter().find(|base| !is_letter(base)) {
        Some(base) => Err(Error::new(
            option,
            format_args!("{:?} is not a base", char::from(*base)),
        )),
        None => Ok(()),
    }
}

fn check_umi(o: &Options) -> Result<(), Error> {
    if !o.umi {
        return Ok(());
    }
    let Some(location) = o.umi_loc else {
        return Err(Error::new("umi_loc", "is needed with --umi"));
    };
    if location.is_in_reads() {
        if o.umi_len == 0 {
            return Err(Error::new(
                "umi_len",
                "is needed if the UMI is in the reads",
            ));
        }
        range("umi_len", Some(o.umi_len), ranges::UMI_LENGTH)?;
    } else if o.umi_len > 0 && !o.mode.is_correct() {
        return Err(Error::new("umi_len", "only where the UMI is in the reads"));
    }
    if o.umi_prefix.len() >= 10
        || !o
            .umi_prefix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric())
    {
        return Err(Error::new(
            "umi_prefix",
            "at most 9 letters and digits, nothing else",
        ));
    }
    if matches!(location, UmiLocation::Tag(_)) && !o.mode.is_correct() {
        return Err(Error::new("umi_loc", "fastp knows no tags"));
    }
    if !o.paired && matches!(location, UmiLocation::Read2) {
        return Err(Error::new("umi_loc", "read2: there is no read 2"));
    }
    Ok(())
}

fn range<T: PartialOrd + Copy + std::fmt::Display>(
    option: &'static str,
    value: Option<T>,
    range: RangeInclusive<T>,
) -> Result<(), Error> {
    match value {
        Some(value) if !range.contains(&value) => Err(Error::new(
            option,
            format_args!("{value} is not from {} to {}", range.start(), range.end()),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    /// Sets an option to a number.
    type Set = fn(&mut Options, usize);

    #[test]
    fn numbers_at_both_ends_of_their_range_are_taken_and_no_others() {
        let percent = (0, 100);
        let options: [(&str, Set, (usize, usize)); 8] = [
            ("cut_window_size", |o, n| o.cut_window_size = n, (1, 1000)),
            (
                "cut_right_mean_quality",
                |o, n| o.cut_right_mean_quality = Some(n as u8),
                (1, 36),
            ),
            ("average_qual", |o, n| o.average_qual = n as u8, (0, 93)),
            (
                "complexity_threshold",
                |o, n| o.complexity_threshold = n as u8,
                percent,
            ),
            (
                "overlap_diff_percent_limit",
                |o, n| o.overlap_diff_percent_limit = n as u8,
                percent,
            ),
            (
                "unqualified_percent_limit",
                |o, n| o.unqualified_percent_limit = n as u8,
                percent,
            ),
            (
                "poly_a_min_len",
                |o, n| o.poly_a_min_len = n,
                (1, usize::MAX),
            ),
            (
                "umi_len",
                |o, n| {
                    o.umi = true;
                    o.umi_loc = Some(UmiLocation::Read1);
                    o.umi_len = n;
                },
                (1, 100),
            ),
        ];
        for (name, set, (least, most)) in options {
            let taken = |number: usize| {
                let mut options = Options::default();
                set(&mut options, number);
                Config::new(options)
            };
            for number in [least, most] {
                assert!(taken(number).is_ok(), "{name} {number}");
            }
            for number in [least.checked_sub(1), most.checked_add(1)]
                .into_iter()
                .flatten()
            {
                let error = taken(number).expect_err(name).to_string();
                assert!(error.contains(name), "{error}");
            }
        }
    }
}
