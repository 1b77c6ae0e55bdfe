//! Options that have been checked, in the form in which the steps want them.

use std::ops::RangeInclusive;

use crate::steps::{
    AdapterTrimmer, BaseCorrection, ComplexityFilter, FrontAdapters, GlobalTrim, IndexFilter,
    LONGEST, LengthFilter, OverlapFinder, PolyATrim, PolyGTrim, PolyXTrim, QualityCut,
    QualityFilter, REQUIRED, Umi, Window, split_anchor,
};
use crate::{Error, Mode, Options, ranges};

/// What each step is to do: [`Options`], checked. Shared by all workers.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) options: Options,
    pub(crate) index_filter: Option<IndexFilter>,
    pub(crate) umi: Option<Umi>,
    /// For read 1 and read 2.
    pub(crate) trim: [GlobalTrim; 2],
    pub(crate) cut: QualityCut,
    pub(crate) front_adapters: Option<FrontAdapters>,
    pub(crate) poly_g: Option<PolyGTrim>,
    pub(crate) overlap: OverlapFinder,
    pub(crate) correction: Option<BaseCorrection>,
    pub(crate) adapters: Option<AdapterTrimmer>,
    pub(crate) poly_a: Option<PolyATrim>,
    pub(crate) poly_x: Option<PolyXTrim>,
    /// For read 1 and read 2; 0: no limit.
    pub(crate) max_length: [usize; 2],
    pub(crate) quality: Option<QualityFilter>,
    pub(crate) length: Option<LengthFilter>,
    pub(crate) complexity: Option<ComplexityFilter>,
}

impl Config {
    /// Check options.
    ///
    /// # Errors
    /// The first option whose value is out of its range, or that contradicts another.
    pub fn new(options: Options) -> Result<Self, Error> {
        let o = &options;
        check(o)?;
        let window = |on: bool, size: Option<usize>, quality: Option<u8>| {
            on.then(|| Window {
                size: size.unwrap_or(o.cut_window_size),
                quality: quality.unwrap_or(o.cut_mean_quality),
            })
        };
        let config = Config {
            index_filter: IndexFilter::new(o),
            umi: Umi::new(o),
            trim: [
                GlobalTrim {
                    front: o.trim_front1,
                    tail: o.trim_tail1,
                },
                GlobalTrim {
                    front: o.trim_front2.unwrap_or(o.trim_front1),
                    tail: o.trim_tail2.unwrap_or(o.trim_tail1),
                },
            ],
            cut: QualityCut {
                front: window(
                    o.cut_front,
                    o.cut_front_window_size,
                    o.cut_front_mean_quality,
                ),
                tail: window(o.cut_tail, o.cut_tail_window_size, o.cut_tail_mean_quality),
                right: window(
                    o.cut_right,
                    o.cut_right_window_size,
                    o.cut_right_mean_quality,
                ),
                mode: o.mode,
            },
            front_adapters: FrontAdapters::new(o),
            poly_g: (o.trim_poly_g == Some(true)).then_some(PolyGTrim {
                minimum: o.poly_g_min_len,
            }),
            overlap: OverlapFinder::new(o),
            // A merged read shall have the better of two bases.
            correction: (o.paired && (o.correction || o.merge)).then_some(BaseCorrection),
            adapters: (!o.disable_adapter_trimming).then(|| AdapterTrimmer::new(o)),
            poly_a: o.trim_poly_a.then_some(PolyATrim {
                minimum: o.poly_a_min_len,
            }),
            poly_x: o.trim_poly_x.then_some(PolyXTrim {
                minimum: o.poly_x_min_len,
            }),
            max_length: [o.max_len1, o.max_len2.unwrap_or(o.max_len1)],
            quality: (!o.disable_quality_filtering).then_some(QualityFilter {
                qualified: o.qualified_quality_phred,
                unqualified_percent: o.unqualified_percent_limit,
                average: o.average_qual,
                most_n: o.n_base_limit,
                mode: o.mode,
            }),
            length: (!o.disable_length_filtering).then_some(LengthFilter {
                shortest: o.length_required,
                longest: o.length_limit,
            }),
            complexity: o.low_complexity_filter.then_some(ComplexityFilter {
                percent: o.complexity_threshold,
            }),
            options,
        };
        Ok(config)
    }

    /// The options that were checked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether to follow fastp where it is wrong.
    pub fn mode(&self) -> Mode {
        self.options.mode
    }

    /// Whether tails of G are cut.
    pub fn trims_poly_g(&self) -> bool {
        self.poly_g.is_some()
    }

    /// Whether adapters at the 5' end are cut.
    pub fn cuts_front_adapters(&self) -> bool {
        self.front_adapters.is_some()
    }

    /// Decide about tails of G by the name of the first read, unless the options did.
    pub fn set_first_name(&mut self, head: &[u8]) {
        let asked = self.options.trim_poly_g.is_some();
        if !asked && crate::steps::is_two_colour(head, self.options.mode) {
            self.poly_g = Some(PolyGTrim {
                minimum: self.options.poly_g_min_len,
            });
        }
    }

    /// Cut this adapter from read `mate` (0 or 1), as it was found in the data. Does
    /// nothing where the options name one.
    pub fn set_detected_adapter(&mut self, mate: usize, sequence: &[u8]) {
        if let Some(adapters) = &mut self.adapters {
            adapters.set_detected(mate, sequence);
        }
    }

    /// The adapter that is searched in read `mate` (0 or 1) by its sequence.
    pub fn adapter_sequence(&self, mate: usize) -> Option<&[u8]> {
        self.adapters.as_ref()?.sequence(mate)
    }
}

fn check(o: &Options) -> Result<(), Error> {
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
    if o.trim_poly_a && !o.mode.is_correct() {
        return Err(Error::new("trim_poly_a", UNKNOWN_TO_FASTP));
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
            format_args!("{:?} is no base", char::from(*base)),
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
    if matches!(location, crate::UmiLocation::Tag(_)) && !o.mode.is_correct() {
        return Err(Error::new("umi_loc", "fastp knows no tags"));
    }
    if !o.paired && matches!(location, crate::UmiLocation::Read2) {
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
            format_args!("{value} is not in {} to {}", range.start(), range.end()),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    o.umi_loc = Some(crate::UmiLocation::Read1);
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
