//! What of the records `cat` writes, and how it packs them.

use std::path::PathBuf;

use clap::Args;
use thalweg::repack::SampleSize;

use super::quantity::{parse_size, whole};

/// Which records are wanted, and where they go.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selecting, splitting and joining reads")]
pub(crate) struct RepackArguments {
    /// Write second mates to PATH, and first mates to -o
    ///
    /// It needs --mates or --interleaved. For parts, PATH is a pattern or a prefix, as in -o.
    #[arg(short = 'O', long, value_name = "PATH", requires = "output",
        conflicts_with_all = ["raw", "pipes", "read1"])]
    pub(crate) out2: Option<PathBuf>,

    /// Write parts of N reads each; the last may have fewer
    ///
    /// For mates, N counts pairs.
    #[arg(long, value_name = "N", value_parser = parse_size,
        conflicts_with_all = ["parts", "records", "shard", "sample", "raw", "read1"])]
    pub(crate) records_per_part: Option<u64>,

    /// Write parts of BASES bases each, such as 500M or 1G
    ///
    /// Each part ends after the read or pair that reaches the number.
    #[arg(long, hide_short_help = true, value_name = "BASES", value_parser = parse_size,
        conflicts_with_all = ["records_per_part", "parts", "records", "shard", "sample", "raw", "read1"])]
    pub(crate) bases_per_part: Option<u64>,

    /// Concatenate compressed files without recompressing
    ///
    /// All files, such as lanes, must have the same compression. The end of each file is checked for
    /// truncation. For large files that would have to be decoded in full, a note says that the check is skipped. If all
    /// files have an index, the output gets one, merged from theirs.
    #[arg(long, conflicts_with_all = ["parts", "records_per_part", "bases_per_part", "records", "shard", "sample", "names",
        "grep", "fasta", "out2", "raw", "read1", "mates", "interleaved", "compression", "read_group",
        "max_record"])]
    pub(crate) join: bool,

    /// Index .gz and .bgz outputs, next to them or in --index-dir
    #[arg(long, hide_short_help = true, conflicts_with_all = ["raw", "read1", "pipes"])]
    pub(crate) index_output: bool,

    /// Sample reads at random: 100000, 10%, 30x or 500Mb
    ///
    /// SIZE is a number of reads (100000, 2M), a fraction (0.1, 10%), a depth (30x, with --genome-size) or a
    /// number of bases (500Mb). Mates are drawn and counted as pairs. The order is kept.
    #[arg(long, value_name = "SIZE", value_parser = parse_sample,
        conflicts_with_all = ["records", "parts", "raw", "read1"])]
    pub(crate) sample: Option<Amount>,

    /// Seed of the sample [default: 11]
    ///
    /// The same seed draws the same reads from any kind of file. A smaller sample is part of a larger one.
    #[arg(long, hide_short_help = true, value_name = "N", requires = "sample", value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// Genome size for a sample by depth, such as 4.6M
    #[arg(long, hide_short_help = true, value_name = "BASES", requires = "sample", value_parser = parse_size)]
    pub(crate) genome_size: Option<u64>,

    /// Keep only reads whose names are listed in FILE
    ///
    /// FILE has one name per line. Mates are kept if one of them is listed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sample", "grep", "parts", "raw", "read1"])]
    pub(crate) names: Option<PathBuf>,

    /// Keep only reads that contain MOTIF
    ///
    /// IUPAC letters are supported: N matches any base. Mates are kept if one of them contains the motif.
    #[arg(long, value_name = "MOTIF", conflicts_with_all = ["sample", "parts", "raw", "read1"])]
    pub(crate) grep: Option<String>,

    /// Mismatches to allow in the motif
    #[arg(long, hide_short_help = true, value_name = "N", requires = "grep", value_parser = whole(0..=usize::MAX))]
    pub(crate) mismatches: Option<usize>,

    /// Search both strands for the motif
    #[arg(long, hide_short_help = true, requires = "grep")]
    pub(crate) both_strands: bool,

    /// Keep the reads that --names or --grep would drop
    #[arg(long, hide_short_help = true)]
    pub(crate) invert: bool,

    /// Write FASTA, each sequence on one line
    #[arg(long, conflicts_with_all = ["raw", "pipes", "read1"])]
    pub(crate) fasta: bool,
}

impl RepackArguments {
    /// Whether there is anything to do but to write what stands in the files.
    pub(crate) fn is_given(&self) -> bool {
        self.out2.is_some()
            || self.sample.is_some()
            || self.names.is_some()
            || self.grep.is_some()
            || self.invert
            || self.fasta
            || self.records_per_part.is_some()
            || self.bases_per_part.is_some()
            || self.index_output
    }
}

/// How much is drawn, as the user says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    /// What needs nothing else.
    Of(SampleSize),
    /// So many times the genome.
    Depth(f64),
}

/// Parse `100000`, `2M`; `0.1`, `10%`; `30x`; `500Mb`.
pub(crate) fn parse_sample(text: &str) -> Result<Amount, String> {
    let text = text.trim();
    let number = |text: &str| {
        let number = text.parse::<f64>().ok();
        number.filter(|number| number.is_finite() && !text.starts_with('+'))
    };
    let fault = "expected a number of reads (100000), a fraction (0.1, 10%), a depth (30x) or bases (500Mb)";
    if let Some(depth) = text.strip_suffix(['x', 'X']) {
        let depth = number(depth).ok_or(fault)?;
        return match depth > 0.0 {
            true => Ok(Amount::Depth(depth)),
            false => Err("a depth must be more than 0".to_owned()),
        };
    }
    let bases = text.strip_suffix("bp").or(text.strip_suffix(['b', 'B']));
    if let Some(bases) = bases {
        return Ok(Amount::Of(SampleSize::Bases(parse_size(bases)?)));
    }
    let is_fraction = text.contains('.') && !text.contains(|letter: char| letter.is_alphabetic());
    let fraction = match text.strip_suffix('%') {
        Some(percent) => Some(number(percent).ok_or(fault)? / 100.0),
        None if is_fraction => Some(number(text).ok_or(fault)?),
        None => None,
    };
    match fraction {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(Amount::Of(SampleSize::Fraction(share))),
        Some(_) => Err(
            "a fraction must be more than 0 and at most 1 (100%); a whole number means a number of reads"
                .to_owned(),
        ),
        None => match parse_size(text) {
            Ok(reads) => Ok(Amount::Of(SampleSize::Reads(reads))),
            Err(error) if error.starts_with("must") => Err(error),
            Err(_) => Err(fault.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_reads_fractions_depths_or_bases() {
        for (text, size) in [
            ("100000", SampleSize::Reads(100_000)),
            ("1", SampleSize::Reads(1)),
            ("2M", SampleSize::Reads(2_000_000)),
            ("1.5k", SampleSize::Reads(1500)),
            ("0.1", SampleSize::Fraction(0.1)),
            (".5", SampleSize::Fraction(0.5)),
            ("1.0", SampleSize::Fraction(1.0)),
            ("10%", SampleSize::Fraction(0.1)),
            ("500Mb", SampleSize::Bases(500_000_000)),
            ("500Mbp", SampleSize::Bases(500_000_000)),
            ("75b", SampleSize::Bases(75)),
            ("1.5Gb", SampleSize::Bases(1_500_000_000)),
        ] {
            assert_eq!(parse_sample(text), Ok(Amount::Of(size)), "{text}");
        }
        assert_eq!(parse_sample("30x"), Ok(Amount::Depth(30.0)));
        assert_eq!(parse_sample("0.5X"), Ok(Amount::Depth(0.5)));
        for wrong in [
            "", "0", "-1", "0.0", "1.1", "0%", "101%", "x", "-3x", "0x", "nanx", "infx", "1e5",
            "b", "0b", "ten", "%", "-0.1", "0.1.2",
        ] {
            assert!(parse_sample(wrong).is_err(), "{wrong}");
        }
    }
}
