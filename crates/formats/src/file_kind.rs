//! What a file is that is neither FASTQ nor FASTA, told from its first bytes, with what makes reads of it.

use crate::{Mark, is_colour_space};

/// A kind of file that has no reads in a form that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    name: &'static str,
    way_out: &'static str,
}

impl FileKind {
    /// What it is, with its article: "a zip archive".
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What the user can do about it.
    pub fn way_out(self) -> &'static str {
        self.way_out
    }

    /// What `data`, the first bytes of a file or of what is compressed in it, plainly are; `None` if they say nothing.
    ///
    /// Nothing is said of what is compressed in a way that is read here. Looks at 512 bytes, and at as many lines as a SAM header needs to be told from a read.
    pub fn of(data: &[u8]) -> Option<Self> {
        if let Some(kind) = Mark::of(data).and_then(marked) {
            return Some(kind);
        }
        let told: [(bool, FileKind); 12] = [
            (is_utf32(data), UTF_32),
            (is_utf16(data), UTF_16),
            (is_sam(data), FileKind::SAM),
            (is_tar(data), TAR),
            (is_zlib(data), ZLIB),
            (is_lzma(data), LZMA),
            (is_old_zstd(data), OLD_ZSTD),
            (begins_like(data, &["<!doctype html", "<html"]), WEB_PAGE),
            (begins_like(data, &["<?xml", "<error"]), XML),
            (is_jellyfish(data), JELLYFISH),
            (is_odd_colour_space(data), COLOUR_SPACE),
            (begins_like(data, &["{\"", "{}", "[{"]), JSON),
        ];
        let found = told.into_iter().find(|(is_it, _)| *is_it);
        found.map(|(_, kind)| kind)
    }

    /// Whether bytes are of no text: control bytes but for line ends, tabs and the ^A of NCBI's headers.
    pub fn has_binary(data: &[u8]) -> bool {
        let is_text =
            |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | 1);
        !data.iter().all(is_text)
    }

    /// Bytes that are no text.
    pub const BINARY: Self = kind(
        "no text: it has bytes that no text has",
        "compare its size and checksum with those of its source: it may be damaged, or another kind of file",
    );
}

impl FileKind {
    /// Compressed data where records should be.
    pub const COMPRESSED_TWICE: Self = kind(
        "compressed twice: there is compressed data inside",
        "decompress it once: `gzip -dc FILE | thalweg ... -` (or bzip2, xz or zstd -dc)",
    );

    /// Line ends where a compressed file should be.
    pub const BLANK: Self = kind(
        "nothing but line ends, under the name of a compressed file",
        "copy or download it again: whatever was to write it wrote something else",
    );

    /// Alignments as text.
    pub const SAM: Self = kind(
        "SAM; only BAM is read",
        "`samtools view -u FILE | thalweg ... -` converts it to BAM",
    );
}

const fn kind(name: &'static str, way_out: &'static str) -> FileKind {
    FileKind { name, way_out }
}

const UTF_16: FileKind = kind(
    "text in UTF-16, which PowerShell and some editors write",
    "make it plain text: `iconv -f UTF-16 -t ASCII FILE | thalweg ... -` (UTF-16LE or UTF-16BE if it has no mark; decompress it before)",
);
const UTF_32: FileKind = kind(
    "text in UTF-32",
    "make it plain text: `iconv -f UTF-32 -t ASCII FILE | thalweg ... -`",
);
const BYTE_ORDER_MARK: FileKind = kind(
    "text that begins with a byte order mark (UTF-8), which some editors write",
    "leave its three bytes out: `thalweg cat FILE | tail -c +4 | thalweg ... -`",
);
const CRAM: FileKind = kind(
    "CRAM; only BAM is read",
    "`samtools view -u -T REF.fa FILE | thalweg ... -` converts it to BAM",
);
const ZIP: FileKind = kind(
    "a zip archive",
    "`unzip -p FILE NAME | thalweg ... -` takes one file out; `unzip -l FILE` lists them",
);
const TAR: FileKind = kind(
    "a tar archive",
    "`tar -xOf FILE NAME | thalweg ... -` takes one file out; `tar -tf FILE` lists them",
);
const SEVEN_ZIP: FileKind = kind(
    "a 7z archive",
    "`7z x -so FILE NAME | thalweg ... -` takes one file out",
);
const RAR: FileKind = kind(
    "a RAR archive",
    "`unrar p -inul FILE NAME | thalweg ... -` takes one file out",
);
const LZMA: FileKind = kind(
    "compressed with lzma, the format before xz",
    "`xz --format=lzma -dc FILE | thalweg ... -` (or unlzma -c)",
);
const LZIP: FileKind = kind("compressed with lzip", "`lzip -dc FILE | thalweg ... -`");
const LZOP: FileKind = kind("compressed with lzop", "`lzop -dc FILE | thalweg ... -`");
const LZ4: FileKind = kind("compressed with LZ4", "`lz4 -dc FILE | thalweg ... -`");
const SNAPPY: FileKind = kind("compressed with Snappy", "`snzip -dc FILE | thalweg ... -`");
const COMPRESS: FileKind = kind(
    "compressed with compress or pack (.Z, .z)",
    "`gzip -dc FILE | thalweg ... -` reads it",
);
const OLD_ZSTD: FileKind = kind(
    "zstd of a version before 0.8",
    "`zstd -dc FILE | thalweg ... -`, if that was built with legacy support",
);
const GENOZIP: FileKind = kind("compressed with Genozip", "`genocat FILE | thalweg ... -`");
const ZLIB: FileKind = kind(
    "a zlib stream, which is not a gzip file",
    "`pigz -dc FILE | thalweg ... -`, or zlib-flate -uncompress",
);
const WEB_PAGE: FileKind = kind(
    "a web page (HTML): the download failed, or asks to log in",
    "look at it, and download the file again",
);
const XML: FileKind = kind(
    "an XML document, such as a server's error message",
    "look at it, and download the file again",
);
const JSON: FileKind = kind(
    "a JSON document, such as a server's error message",
    "look at it: the reads are somewhere else",
);
const LFS_POINTER: FileKind = kind(
    "a pointer of Git LFS, not the file itself",
    "fetch the file: `git lfs pull`",
);
const ANNEX_POINTER: FileKind = kind(
    "a pointer of git-annex, not the file itself",
    "fetch the file: `git annex get FILE`",
);
const COLOUR_SPACE: FileKind = kind(
    "reads in colour space (SOLiD), whose digits are colours and no bases",
    "use a program for colour space, or convert the reads to bases first",
);
const SRA: FileKind = kind(
    "a run of the Sequence Read Archive (.sra)",
    "`fasterq-dump FILE` converts it to FASTQ, or `fastq-dump --stdout FILE | thalweg ... -`",
);
const HDF5: FileKind = kind(
    "HDF5, such as FAST5: raw signals of nanopores, or a PacBio bas.h5",
    "basecall it first (dorado), or take the FASTQ out of it",
);
const POD5: FileKind = kind(
    "POD5: raw signals of nanopores",
    "basecall it first: `dorado basecaller --emit-fastq MODEL FILE`",
);
const SLOW5: FileKind = kind(
    "SLOW5 or BLOW5: raw signals of nanopores",
    "basecall it first (buttery-eel, or slow5tools to POD5 and dorado)",
);
const VARIANTS: FileKind = kind("VCF or BCF, which is variants", NO_READS);
const GFF: FileKind = kind("GFF, which is annotation", NO_READS);
const FLAT_FILE: FileKind = kind(
    "a flat file of GenBank or EMBL",
    "make FASTA of it: `seqret FILE fasta::stdout | thalweg ... -`",
);
const TWO_BIT: FileKind = kind(
    "a .2bit file of sequences",
    "`twoBitToFa FILE stdout | thalweg ... -`",
);
const CRYPT4GH: FileKind = kind(
    "encrypted (Crypt4GH), as archives of human data hand it out",
    "`crypt4gh decrypt --sk KEY < FILE | thalweg ... -`",
);
const ENCRYPTED: FileKind = kind(
    "encrypted",
    "decrypt it first: `gpg -d FILE | thalweg ... -` or `age -d`",
);
const APPLE_DOUBLE: FileKind = kind(
    "what macOS keeps beside a file (its name begins with ._)",
    "name the file without ._ before its name",
);
const ALIGNMENT_INDEX: FileKind =
    kind("an index of BAM, CRAM or BGZF (.bai, .csi, .tbi)", NO_READS);
const OUR_INDEX: FileKind = kind(
    "an index of thalweg or mim",
    "name the file that it is the index of; `thalweg info FILE` shows what is in it",
);
const OUR_DATABASE: FileKind = kind(
    "a thalweg k-mer database",
    "`thalweg kmers dump FILE` prints it; see `thalweg kmers --help` for other commands",
);
const OUR_TAXA: FileKind = kind(
    "a thalweg taxon database",
    "`thalweg classify FILE READS` labels reads by it; see `thalweg taxa --help` for other commands",
);
const KMC: FileKind = kind(
    "a KMC k-mer database",
    "`thalweg kmers dump FILE` prints it; see `thalweg kmers --help` for other commands",
);
const JELLYFISH: FileKind = kind(
    "a Jellyfish k-mer database",
    "`thalweg kmers dump FILE` prints it; see `thalweg kmers --help` for other commands",
);
const KRAKEN: FileKind = kind("a database of Kraken 2", NO_READS);
const PICTURE: FileKind = kind("a picture", NO_READS);
const DOCUMENT: FileKind = kind("a document (PDF, RTF or of an office program)", NO_READS);
const PROGRAM: FileKind = kind("a program", NO_READS);
const TABLE: FileKind = kind("a table (SQLite, Parquet or Arrow)", NO_READS);

const NO_READS: &str = "it holds no reads: check the name";

/// What is said of a kind that has a mark; nothing of those that are told otherwise, or are no matter of reads.
fn marked(mark: Mark) -> Option<FileKind> {
    Some(match mark {
        Mark::Utf32 => UTF_32,
        Mark::Utf16 => UTF_16,
        Mark::ByteOrderMark => BYTE_ORDER_MARK,
        Mark::Cram => CRAM,
        Mark::Zip | Mark::EmptyZip => ZIP,
        Mark::Tar => TAR,
        Mark::SevenZip => SEVEN_ZIP,
        Mark::Rar => RAR,
        Mark::Lzip => LZIP,
        Mark::Lzop => LZOP,
        Mark::Lz4 | Mark::OldLz4 => LZ4,
        Mark::Snappy => SNAPPY,
        Mark::Compress | Mark::Pack => COMPRESS,
        Mark::Genozip => GENOZIP,
        Mark::LfsPointer => LFS_POINTER,
        Mark::AnnexPointer => ANNEX_POINTER,
        Mark::Sra => SRA,
        Mark::Hdf5 => HDF5,
        Mark::Pod5 => POD5,
        Mark::Slow5 => SLOW5,
        Mark::Variants => VARIANTS,
        Mark::Annotation => GFF,
        Mark::FlatFile => FLAT_FILE,
        Mark::TwoBit => TWO_BIT,
        Mark::Crypt4gh => CRYPT4GH,
        Mark::Encrypted => ENCRYPTED,
        Mark::AppleDouble => APPLE_DOUBLE,
        Mark::AlignmentIndex => ALIGNMENT_INDEX,
        Mark::ThalwegIndex | Mark::MimIndex => OUR_INDEX,
        Mark::ThalwegDatabase => OUR_DATABASE,
        Mark::ThalwegTaxa => OUR_TAXA,
        Mark::Kmc => KMC,
        Mark::Kraken2Taxonomy => KRAKEN,
        Mark::Picture => PICTURE,
        Mark::Pdf | Mark::Document => DOCUMENT,
        Mark::Program | Mark::Script => PROGRAM,
        Mark::Sqlite | Mark::Table => TABLE,
        _ => return None,
    })
}

/// The same of letters of four bytes.
fn is_utf32(data: &[u8]) -> bool {
    matches!(
        data,
        [b'@' | b'>', 0, 0, 0, ..] | [0, 0, 0, b'@' | b'>', ..]
    )
}

/// Without a byte order mark: the first letter of a record beside a NUL, as every letter of its header is.
fn is_utf16(data: &[u8]) -> bool {
    matches!(
        data,
        [b'@' | b'>', 0, 1..=255, 0, ..] | [0, b'@' | b'>', 0, 1..=255, ..]
    )
}

/// A line of a SAM header (`@HD`, a tab, `VN:`), or of 11 columns (SAM specification, sections 1.3 and 1.4).
///
/// A read may have such a name, but then the third line begins with `+`.
/// Reads of SOLiD that break the rules of FASTA or FASTQ: lines of comments before the first, or a quality fewer than letters, as
/// the first letter is a base of the primer.
fn is_odd_colour_space(data: &[u8]) -> bool {
    let lines = data.split(|&byte| byte == b'\n');
    let mut lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    match data.first() {
        Some(b'#') => {
            let mut lines = lines.skip_while(|line| line.starts_with(b"#"));
            let is_header = lines.next().is_some_and(|line| line.starts_with(b">"));
            is_header && lines.next().is_some_and(is_colour_space)
        }
        Some(b'@') => {
            let record = [(); 4].map(|()| lines.next().unwrap_or_default());
            let [_, sequence, plus, qualities] = record;
            let is_one_fewer = sequence.len() == qualities.len() + 1;
            // The line of qualities is whole.
            is_one_fewer
                && lines.next().is_some()
                && plus.starts_with(b"+")
                && is_colour_space(sequence)
        }
        _ => false,
    }
}

fn is_sam(data: &[u8]) -> bool {
    let mut lines = data.split(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let third = lines.nth(1);
    let is_header = match first {
        [b'@', b'C', b'O', b'\t', ..] => true,
        [b'@', a, b, b'\t', _, _, b':', ..] => matches!(&[*a, *b], b"HD" | b"SQ" | b"RG" | b"PG"),
        _ => false,
    };
    if is_header {
        return third.is_none_or(|line| !line.starts_with(b"+"));
    }
    let columns: Vec<&[u8]> = first.split(|&byte| byte == b'\t').collect();
    let is_number = |column: &[u8]| !column.is_empty() && column.iter().all(u8::is_ascii_digit);
    let is_alignment = columns.len() >= 11 && [1, 3, 4, 7].iter().all(|&at| is_number(columns[at]));
    is_alignment && third.is_none_or(|line| !line.starts_with(b"+"))
}

/// The checksum of a header of the time before "ustar": the sum of its bytes, with blanks where it stands itself
/// (POSIX.1-1988, section 10.1.1).
fn is_tar(data: &[u8]) -> bool {
    let Some(header) = data.get(..512) else {
        return false;
    };
    let stated = header[148..156].iter().filter(|byte| byte.is_ascii_digit());
    let stated = stated.fold(0_u64, |sum, &digit| 8 * sum + u64::from(digit - b'0'));
    let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
    let checksum: u64 = header[148..156].iter().map(|&byte| u64::from(byte)).sum();
    header[0] != 0 && stated == sum - checksum + 8 * u64::from(b' ')
}

/// RFC 1950, section 2.2: a window of 32 KiB, and the header is a multiple of 31.
fn is_zlib(data: &[u8]) -> bool {
    matches!(data, [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..])
}

/// Properties of LZMA as its programs write them (0x5d), a dictionary of a whole number of 64 KiB, and the size of the
/// data, which is often not known.
fn is_lzma(data: &[u8]) -> bool {
    let [0x5d, 0, 0, _, _, size @ ..] = data else {
        return false;
    };
    size.starts_with(&[0xff; 8]) || size.get(5..8) == Some(&[0; 3])
}

/// Frames of the versions 0.1 to 0.7, one number each.
fn is_old_zstd(data: &[u8]) -> bool {
    matches!(data, [0x1e..=0x27, 0xb5, 0x2f, 0xfd, ..])
}

/// A number of nine digits, the length of the JSON behind it.
fn is_jellyfish(data: &[u8]) -> bool {
    data.get(..10)
        .is_some_and(|start| start[..9].iter().all(u8::is_ascii_digit) && start[9] == b'{')
}

/// Whether the text begins with one of these words, in either case and behind blanks.
fn begins_like(data: &[u8], words: &[&str]) -> bool {
    let text = data.trim_ascii_start();
    let begins = |word: &&str| {
        text.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    words.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(data: &[u8]) -> Option<&'static str> {
        FileKind::of(data).map(FileKind::name)
    }

    #[test]
    fn reads_are_of_no_other_kind() {
        for text in [
            "",
            "@",
            ">",
            "\n",
            "@a\nACGT\n+\nIIII\n",
            ">a\x01b\nACGT\n",
            "@HD\tVN:1.6\nACGT\n+\nIIII\n",
            "@CO\tx\nACGT\n+\nIIII\n",
            &format!("@{:0>256}ustard_1\nACGT\n+\nIIII\n", 1),
            "@a\t1\t*\t1\t0\t*\t*\t0\t0\tA\tI\nA\n+\nI\n",
        ] {
            assert_eq!(name(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn sam_is_told_from_reads_with_such_names() {
        for text in [
            "@HD\tVN:1.6\n@SQ\tSN:1\tLN:4\na\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n",
            "@SQ\tSN:1\tLN:4\n",
            "@CO\tmade by hand\na\t4\n",
            "a\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n",
        ] {
            assert_eq!(
                name(text.as_bytes()),
                Some(FileKind::SAM.name()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_header_of_tar_is_known_by_its_checksum() {
        let mut header = vec![0; 512];
        header[..4].copy_from_slice(b"a.fq");
        header[148..156].fill(b' ');
        let sum: u64 = header.iter().map(|&byte: &u8| u64::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        assert_eq!(name(&header), Some(TAR.name()));
        header[0] = b'b';
        assert_eq!(name(&header), None);
        assert_eq!(name(&[0; 512]), None);
    }

    #[test]
    fn letters_of_two_bytes_are_known_without_a_mark() {
        let text = "@read 1\r\nACGT\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(name(&little), Some(UTF_16.name()));
        assert_eq!(name(&big), Some(UTF_16.name()));
    }
}
