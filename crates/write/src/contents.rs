//! What the end of a name says of the contents of a file.

use std::path::Path;

use thalweg_files::is_stream;

use crate::{Error, OutputFormat};

/// A kind of file, as the end of its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputContents {
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
const ENDINGS: [(&str, OutputContents); 32] = [
    ("fastq", OutputContents::Fastq),
    ("fq", OutputContents::Fastq),
    ("fasta", OutputContents::Fasta),
    ("fa", OutputContents::Fasta),
    ("fna", OutputContents::Fasta),
    ("ffn", OutputContents::Fasta),
    ("faa", OutputContents::Fasta),
    ("frn", OutputContents::Fasta),
    ("sam", OutputContents::Alignments),
    ("bam", OutputContents::Alignments),
    ("cram", OutputContents::Alignments),
    ("txt", OutputContents::Text),
    ("tsv", OutputContents::Tabs),
    ("tab", OutputContents::Tabs),
    ("csv", OutputContents::Commas),
    ("json", OutputContents::Json),
    ("jsonl", OutputContents::Json),
    ("ndjson", OutputContents::Json),
    ("html", OutputContents::Html),
    ("htm", OutputContents::Html),
    ("thk", OutputContents::Thk),
    ("jf", OutputContents::Jellyfish),
    ("kmc", OutputContents::Kmc),
    ("kmc_pre", OutputContents::Kmc),
    ("kmc_suf", OutputContents::Kmc),
    ("kff", OutputContents::Kff),
    ("tht", OutputContents::Taxa),
    ("thw", OutputContents::Index),
    ("mim", OutputContents::Index),
    ("gzi", OutputContents::Index),
    ("bai", OutputContents::Index),
    ("fai", OutputContents::Index),
];

impl OutputContents {
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
            Self::Taxa => "a taxon database",
            Self::Index => "an index",
        }
    }

    /// Returns the hint that says how to name a file with these contents.
    pub(crate) fn way_out(self) -> &'static str {
        match self {
            Self::Fastq => "end the name in .fastq or .fq, also with .gz or .zst",
            Self::Fasta => "end the name in .fasta or .fa, also with .gz or .zst",
            Self::Tabs => "end the name in .tsv or .txt, optionally followed by .gz or .zst",
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
pub fn check_contents(path: &Path, accepted: &[OutputContents]) -> Result<(), Error> {
    let (Some(said), Some(&written)) = (OutputContents::of_name(path), accepted.first()) else {
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
            ("a.fq", Some(OutputContents::Fastq)),
            ("a.FASTQ.gz", Some(OutputContents::Fastq)),
            ("a.fa.zst", Some(OutputContents::Fasta)),
            ("a.fq.csv", Some(OutputContents::Commas)),
            ("a.kmc_pre", Some(OutputContents::Kmc)),
            ("a.dat", None),
            ("a.gz", None),
            ("csv", None),
            ("-", None),
        ] {
            assert_eq!(OutputContents::of_name(Path::new(name)), contents, "{name}");
        }
    }

    #[test]
    fn names_of_other_contents_are_refused() {
        let accepted = [OutputContents::Fastq, OutputContents::Text];
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
