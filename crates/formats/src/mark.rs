//! Marks: bytes at fixed places that files of a kind have.
//!
//! Sources: the specification of each format, and the list of magic numbers of file(1).

/// A kind of file that has a mark. Of FASTQ, FASTA and other text, and of kinds that are told by more than a mark, there
/// is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mark {
    /// Text in UTF-32, with a byte order mark.
    Utf32,
    /// Text in UTF-16, with a byte order mark.
    Utf16,
    /// Text in UTF-8, with a byte order mark.
    ByteOrderMark,
    /// gzip, BGZF among it.
    Gzip,
    /// A frame of Zstandard.
    Zstd,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// LZMA, the format before xz. The mark is a short one.
    Lzma,
    /// lzip.
    Lzip,
    /// lzop.
    Lzop,
    /// A frame of LZ4.
    Lz4,
    /// The frame that LZ4 had before.
    OldLz4,
    /// Snappy.
    Snappy,
    /// compress (`.Z`).
    Compress,
    /// pack and other programs of old (`.z`).
    Pack,
    /// Genozip.
    Genozip,
    /// A zip archive.
    Zip,
    /// A zip archive of no files, or one in parts.
    EmptyZip,
    /// A tar archive of POSIX or GNU.
    Tar,
    /// A 7z archive.
    SevenZip,
    /// A RAR archive.
    Rar,
    /// What Git has in place of a file that is in LFS.
    LfsPointer,
    /// What git-annex has in place of a file.
    AnnexPointer,
    /// BAM, uncompressed.
    Bam,
    /// CRAM.
    Cram,
    /// An index of alignments (`.bai`, `.csi`, `.tbi`), uncompressed.
    AlignmentIndex,
    /// VCF or BCF, uncompressed.
    Variants,
    /// GFF.
    Annotation,
    /// A flat file of GenBank or EMBL.
    FlatFile,
    /// A `.2bit` file.
    TwoBit,
    /// A run of the Sequence Read Archive.
    Sra,
    /// HDF5.
    Hdf5,
    /// POD5.
    Pod5,
    /// SLOW5 or BLOW5.
    Slow5,
    /// Encrypted by Crypt4GH.
    Crypt4gh,
    /// Encrypted by age, PGP or OpenSSL.
    Encrypted,
    /// What macOS keeps beside a file.
    AppleDouble,
    /// An index of thalweg.
    ThalwegIndex,
    /// An index of mim.
    MimIndex,
    /// A database of k-mers of thalweg.
    ThalwegDatabase,
    /// A database of taxa of thalweg.
    ThalwegTaxa,
    /// Either file of a database of KMC.
    Kmc,
    /// A file of the k-mer file format.
    Kff,
    /// A list of GenomeTester4.
    GenomeTester,
    /// A database of Jellyfish 1.
    Jellyfish1,
    /// The same, sorted; or one of Kraken 1.
    Jellyfish1List,
    /// The index of a database of Kraken 1.
    Kraken1Index,
    /// The taxonomy of a database of Kraken 2.
    Kraken2Taxonomy,
    /// PNG, JPEG or GIF.
    Picture,
    /// PDF.
    Pdf,
    /// RTF, or a document of an office program.
    Document,
    /// A program of Linux.
    Program,
    /// A script.
    Script,
    /// A database of SQLite.
    Sqlite,
    /// Parquet or Arrow.
    Table,
}

impl Mark {
    /// That of a file which begins with `data`, of which 263 bytes are enough.
    pub fn of(data: &[u8]) -> Option<Self> {
        let is_there = |(offset, bytes, _): &&(usize, &[u8], Self)| {
            data.get(*offset..)
                .is_some_and(|data| data.starts_with(bytes))
        };
        let found = MARKS.iter().find(is_there);
        found.map(|(_, _, mark)| *mark)
    }
}

/// Where a kind has its mark, and what that is. Longer marks stand before their beginnings.
const MARKS: &[(usize, &[u8], Mark)] = &[
    (0, b"\xff\xfe\0\0", Mark::Utf32),
    (0, b"\0\0\xfe\xff", Mark::Utf32),
    (0, b"\xff\xfe", Mark::Utf16),
    (0, b"\xfe\xff", Mark::Utf16),
    (0, b"\xef\xbb\xbf", Mark::ByteOrderMark),
    (0, b"\x1f\x8b", Mark::Gzip),
    (0, b"\x28\xb5\x2f\xfd", Mark::Zstd),
    (0, b"\xfd7zXZ\0", Mark::Xz),
    (0, b"BZh", Mark::Bzip2),
    (0, b"BAM\x01", Mark::Bam),
    (0, b"CRAM", Mark::Cram),
    (0, b"PK\x03\x04", Mark::Zip),
    (0, b"PK\x05\x06", Mark::EmptyZip),
    (0, b"PK\x07\x08", Mark::EmptyZip),
    // POSIX and GNU. Text may have the word there.
    (257, b"ustar\0", Mark::Tar),
    (257, b"ustar ", Mark::Tar),
    (0, b"7z\xbc\xaf\x27\x1c", Mark::SevenZip),
    (0, b"Rar!\x1a\x07", Mark::Rar),
    (0, b"LZIP", Mark::Lzip),
    (0, b"\x89LZO\0", Mark::Lzop),
    (0, b"\x04\x22\x4d\x18", Mark::Lz4),
    (0, b"\x02\x21\x4c\x18", Mark::OldLz4),
    (0, b"\xff\x06\0\0sNaPpY", Mark::Snappy),
    // Properties as its programs write them, and a dictionary of a whole number of 64 KiB: a short mark.
    (0, b"\x5d\0\0", Mark::Lzma),
    (0, b"\x1f\x9d", Mark::Compress),
    (0, b"\x1f\x1e", Mark::Pack),
    (0, b"\x1f\xa0", Mark::Pack),
    (0, b"\x27\x05\x20\x12", Mark::Genozip),
    (0, b"version https://git-lfs", Mark::LfsPointer),
    (0, b"/annex/objects/", Mark::AnnexPointer),
    (0, b"NCBI.sra", Mark::Sra),
    (0, b"\x89HDF\r\n\x1a\n", Mark::Hdf5),
    (0, b"\x8bPOD\r\n\x1a\n", Mark::Pod5),
    (0, b"BLOW5\x01", Mark::Slow5),
    (0, b"#slow5_version", Mark::Slow5),
    (0, b"##fileformat=VCF", Mark::Variants),
    (0, b"BCF\x02", Mark::Variants),
    (0, b"##gff-version", Mark::Annotation),
    (0, b"LOCUS       ", Mark::FlatFile),
    (0, b"ID   ", Mark::FlatFile),
    (0, b"\x1a\x41\x27\x43", Mark::TwoBit),
    (0, b"\x43\x27\x41\x1a", Mark::TwoBit),
    (0, b"crypt4gh", Mark::Crypt4gh),
    (0, b"age-encryption.org", Mark::Encrypted),
    (0, b"-----BEGIN PGP", Mark::Encrypted),
    (0, b"Salted__", Mark::Encrypted),
    (0, b"\0\x05\x16\x07", Mark::AppleDouble),
    (0, b"BAI\x01", Mark::AlignmentIndex),
    (0, b"CSI\x01", Mark::AlignmentIndex),
    (0, b"TBI\x01", Mark::AlignmentIndex),
    (0, b"\x8bTHW\r\n\x1a\n", Mark::ThalwegIndex),
    (0, b"MIMINDEX", Mark::MimIndex),
    (0, b"\x8bTHK\r\n\x1a\n", Mark::ThalwegDatabase),
    (0, b"\x8bTHT\r\n\x1a\n", Mark::ThalwegTaxa),
    (0, b"KMCP", Mark::Kmc),
    (0, b"KMCS", Mark::Kmc),
    (0, b"KFF", Mark::Kff),
    (0, b"GT4C", Mark::GenomeTester),
    (0, b"JFRHSHDN", Mark::Jellyfish1),
    // Of Kraken 1, too.
    (0, b"JFLISTDN", Mark::Jellyfish1List),
    (0, b"KRAKIX2", Mark::Kraken1Index),
    (0, b"KRAKIDX", Mark::Kraken1Index),
    (0, b"K2TAXDAT", Mark::Kraken2Taxonomy),
    (0, b"\x89PNG", Mark::Picture),
    (0, b"\xff\xd8\xff", Mark::Picture),
    (0, b"GIF8", Mark::Picture),
    (0, b"%PDF", Mark::Pdf),
    (0, b"{\\rtf", Mark::Document),
    (0, b"\xd0\xcf\x11\xe0", Mark::Document),
    (0, b"\x7fELF", Mark::Program),
    (0, b"#!", Mark::Script),
    (0, b"SQLite format 3", Mark::Sqlite),
    (0, b"PAR1", Mark::Table),
    (0, b"ARROW1", Mark::Table),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_hides_a_longer_one() {
        for (number, (offset, bytes, mark)) in MARKS.iter().enumerate() {
            let mut data = vec![b'?'; *offset];
            data.extend_from_slice(bytes);
            assert_eq!(Mark::of(&data), Some(*mark), "{number}");
            let hides = |(other, beginning, _): &(usize, &[u8], Mark)| {
                other == offset && bytes.starts_with(beginning)
            };
            assert_eq!(MARKS.iter().position(hides), Some(number), "{mark:?}");
        }
    }
}
