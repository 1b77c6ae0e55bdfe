//! What the end of a name says of the contents of a file.

use std::path::Path;

use thalweg_files::is_stream;

use crate::{Error, OutputFormat};

/// A kind of file, as the end of its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Contents {
    /// Reads with qualities.
    Fastq,
    /// Sequences.
    Fasta,
    /// SAM, BAM or CRAM.
    Alignments,
    /// Text of any kind.
    Text,
    /// Lines of columns with tabs between them.
    Tabs,
    /// Lines of columns with commas between them.
    Commas,
    /// JSON.
    Json,
    /// A page for browsers.
    Html,
    /// A database of counts of ours.
    Thk,
    /// A database of Jellyfish.
    Jellyfish,
    /// A database of KMC.
    Kmc,
    /// A database in KFF.
    Kff,
    /// A database of taxa.
    Taxa,
    /// An index of a compressed file.
    Index,
}

/// Endings of names, and what they say. Of all others nothing is known.
const ENDINGS: [(&str, Contents); 32] = [
    ("fastq", Contents::Fastq),
    ("fq", Contents::Fastq),
    ("fasta", Contents::Fasta),
    ("fa", Contents::Fasta),
    ("fna", Contents::Fasta),
    ("ffn", Contents::Fasta),
    ("faa", Contents::Fasta),
    ("frn", Contents::Fasta),
    ("sam", Contents::Alignments),
    ("bam", Contents::Alignments),
    ("cram", Contents::Alignments),
    ("txt", Contents::Text),
    ("tsv", Contents::Tabs),
    ("tab", Contents::Tabs),
    ("csv", Contents::Commas),
    ("json", Contents::Json),
    ("jsonl", Contents::Json),
    ("ndjson", Contents::Json),
    ("html", Contents::Html),
    ("htm", Contents::Html),
    ("thk", Contents::Thk),
    ("jf", Contents::Jellyfish),
    ("kmc", Contents::Kmc),
    ("kmc_pre", Contents::Kmc),
    ("kmc_suf", Contents::Kmc),
    ("kff", Contents::Kff),
    ("tht", Contents::Taxa),
    ("thw", Contents::Index),
    ("mim", Contents::Index),
    ("gzi", Contents::Index),
    ("bai", Contents::Index),
    ("fai", Contents::Index),
];

impl Contents {
    /// Returns what the end of a name says, or the one before it where that only says how the file is compressed. `None` if it
    /// says nothing.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = match OutputFormat::of_name(path) {
            OutputFormat::Plain => path.extension()?,
            _ => Path::new(path.file_stem()?).extension()?,
        };
        let mut known = ENDINGS.iter();
        let known = known.find(|(name, _)| ending.eq_ignore_ascii_case(name));
        known.map(|&(_, contents)| contents)
    }

    /// A word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastq => "FASTQ",
            Self::Fasta => "FASTA",
            Self::Alignments => "SAM, BAM or CRAM",
            Self::Text => "text",
            Self::Tabs => "tab-separated values",
            Self::Commas => "comma-separated values",
            Self::Json => "JSON",
            Self::Html => "HTML",
            Self::Thk => "a .thk database",
            Self::Jellyfish => "a Jellyfish database",
            Self::Kmc => "a KMC database",
            Self::Kff => "KFF",
            Self::Taxa => "a database of taxa",
            Self::Index => "an index",
        }
    }

    /// What to call a file that has these contents.
    pub(crate) fn way_out(self) -> &'static str {
        match self {
            Self::Fastq => "end the name in .fastq or .fq, also with .gz or .zst",
            Self::Fasta => "end the name in .fasta or .fa, also with .gz or .zst",
            Self::Tabs => "end the name in .tsv or .txt, also with .gz or .zst",
            Self::Taxa => "end the name in .tht",
            _ => "use another ending, or none",
        }
    }
}

/// Refuses a name that says something else than the first of `accepted`, which is written, and than what else is accepted
/// for it. Names that say nothing, pipes and devices are accepted.
///
/// # Errors
/// [`Error::OtherContents`].
pub fn check_contents(path: &Path, accepted: &[Contents]) -> Result<(), Error> {
    let (Some(said), Some(&written)) = (Contents::of_name(path), accepted.first()) else {
        return Ok(());
    };
    match accepted.contains(&said) || is_stream(path) {
        true => Ok(()),
        false => Err(Error::OtherContents {
            path: path.to_owned(),
            said,
            written,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_in_files() {
        for (name, contents) in [
            ("a.fq", Some(Contents::Fastq)),
            ("a.FASTQ.gz", Some(Contents::Fastq)),
            ("a.fa.zst", Some(Contents::Fasta)),
            ("a.fq.csv", Some(Contents::Commas)),
            ("a.kmc_pre", Some(Contents::Kmc)),
            ("a.dat", None),
            ("a.gz", None),
            ("csv", None),
            ("-", None),
        ] {
            assert_eq!(Contents::of_name(Path::new(name)), contents, "{name}");
        }
    }

    #[test]
    fn names_of_other_contents_are_refused() {
        let accepted = [Contents::Fastq, Contents::Text];
        for (name, is_refused) in [
            ("a.fq.gz", false),
            ("s_1_sequence.txt", false),
            ("a.dat", false),
            ("/dev/null", false),
            ("a.fasta", true),
            ("a.csv", true),
            ("a.thk", true),
        ] {
            let error = check_contents(Path::new(name), &accepted).err();
            assert_eq!(error.is_some(), is_refused, "{name}");
            assert!(error.is_none_or(|error| error.hint().is_some()));
        }
    }
}
