use std::path::Path;

/// How the text of an output is compressed.
///
/// Each piece is compressed by itself, so that workers need not wait for one
/// another; all four formats may be concatenated piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// The text as it is.
    Plain,
    /// gzip (RFC 1952): a member for each piece. For readers that insist on large
    /// members; others are better served with [`OutputFormat::Bgzf`].
    Gzip,
    /// BGZF (SAM specification, section 4.1): gzip members of at most 64 KiB whose
    /// headers say where the next begins, and an empty one at the end. Every gzip
    /// reader understands it, and it can be read in parallel without an index.
    Bgzf,
    /// zstd (RFC 8878): a frame with size and checksum for each piece.
    Zstd,
}

impl OutputFormat {
    /// The format that the end of a name stands for: `.gz`, `.bgz` and `.bgzf`
    /// are BGZF, `.zst` and `.zstd` are zstd, everything else is plain.
    pub fn of_name(path: &Path) -> Self {
        let ending = path.extension().unwrap_or_default();
        let is = |name: &str| ending.eq_ignore_ascii_case(name);
        if is("gz") || is("bgz") || is("bgzf") {
            Self::Bgzf
        } else if is("zst") || is("zstd") {
            Self::Zstd
        } else {
            Self::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_formats() {
        for (name, format) in [
            ("a.fq.gz", OutputFormat::Bgzf),
            ("a.GZ", OutputFormat::Bgzf),
            ("a.bgz", OutputFormat::Bgzf),
            ("a.fastq.zst", OutputFormat::Zstd),
            ("a.gz.fq", OutputFormat::Plain),
            ("gz", OutputFormat::Plain),
            ("-", OutputFormat::Plain),
        ] {
            assert_eq!(OutputFormat::of_name(Path::new(name)), format, "{name}");
        }
    }
}
