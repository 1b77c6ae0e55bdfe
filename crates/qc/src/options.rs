//! The options that concern what happens to reads, by fastp's names.

use std::fmt;

use crate::Mode;

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

/// Where a unique molecular identifier stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiLocation {
    /// The first index of the name of read 1.
    Index1,
    /// The last index of the name of read 2.
    Index2,
    /// The first bases of read 1.
    Read1,
    /// The first bases of read 2.
    Read2,
    /// Both indexes.
    PerIndex,
    /// The first bases of both reads.
    PerRead,
    /// A tag behind the name of read 1, or else of read 2, as SAM has them: `RX:Z:ACGT` behind a tab.
    Tag([u8; 2]),
}

impl UmiLocation {
    /// The location that fastp calls so, in upper case or lower; of a tag, which fastp does not know, `tag:RX`.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(tag) = name.strip_prefix("tag:") {
            return match tag.as_bytes() {
                [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => {
                    Some(UmiLocation::Tag([*a, *b]))
                }
                _ => None,
            };
        }
        Some(match name.to_ascii_lowercase().as_str() {
            "index1" => UmiLocation::Index1,
            "index2" => UmiLocation::Index2,
            "read1" => UmiLocation::Read1,
            "read2" => UmiLocation::Read2,
            "per_index" => UmiLocation::PerIndex,
            "per_read" => UmiLocation::PerRead,
            _ => return None,
        })
    }

    /// Whether bases of reads are cut off as UMI.
    pub(crate) fn is_in_reads(self) -> bool {
        matches!(
            self,
            UmiLocation::Read1 | UmiLocation::Read2 | UmiLocation::PerRead
        )
    }
}

impl fmt::Display for UmiLocation {
    /// The name that [`parse`](Self::parse) takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UmiLocation::Index1 => "index1",
            UmiLocation::Index2 => "index2",
            UmiLocation::Read1 => "read1",
            UmiLocation::Read2 => "read2",
            UmiLocation::PerIndex => "per_index",
            UmiLocation::PerRead => "per_read",
            UmiLocation::Tag(tag) => return write!(f, "tag:{}", tag.escape_ascii()),
        })
    }
}
