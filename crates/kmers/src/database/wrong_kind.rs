//! Files of other kinds that are given as databases, told by their first bytes, and what can be done with them.

use std::path::Path;

use thalweg_formats::Mark;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// With its article.
    pub(super) name: &'static str,
    pub(super) way_out: &'static str,
}

const COUNT: &str = "count its k-mers first: `thalweg count -k K FILE -o FILE.thk`";
const UNPACK: &str = "unpack it if it holds a database; reads are counted first: `thalweg count -k K FILE -o FILE.thk`";
const AGAIN: &str = "download it again, and look at what the server says";
const AS_BAM: &str =
    "count its reads as BAM: `samtools view -u FILE | thalweg count -k K -o FILE.thk -`";
const OWN_DUMP: &str =
    "if the program that made it can write text, use that: lines of a k-mer, a tab and its count";
const TAXA: &str = "databases of Kraken hold taxa, not counts: count the sequences";
const INDEX: &str = "it belongs to a file of reads: `thalweg count` takes that";

/// What has a mark of its own, and what can be done.
#[rustfmt::skip]
fn of_mark(mark: Mark) -> Option<Kind> {
    let (name, way_out) = match mark {
        Mark::Gzip => ("compressed with gzip", "unpack it if it holds a database (`gzip -dc FILE >NEW`); reads are counted first: `thalweg count -k K FILE -o FILE.thk`"),
        Mark::Compress => ("compressed with compress", UNPACK),
        Mark::Zstd => ("compressed with zstd", "unpack it if it holds a database (`zstd -dc FILE >NEW`); reads are counted first: `thalweg count -k K FILE -o FILE.thk`"),
        Mark::Xz => ("compressed with xz", "unpack it if it holds a database (`xz -dc FILE >NEW`); reads are counted first: `thalweg count -k K FILE -o FILE.thk`"),
        Mark::Bzip2 => ("compressed with bzip2", "unpack it if it holds a database (`bzip2 -dc FILE >NEW`); reads are counted first: `thalweg count -k K FILE -o FILE.thk`"),
        Mark::Lz4 => ("compressed with lz4", UNPACK),
        Mark::Lzma => ("compressed with lzma", UNPACK),
        Mark::Lzip => ("compressed with lzip", UNPACK),
        Mark::Zip => ("a zip archive", "unpack it (`unzip FILE`), and name what is in it"),
        Mark::SevenZip => ("a 7z archive", "unpack it (`7z x FILE`), and name what is in it"),
        Mark::Tar => ("a tar archive", "unpack it (`tar -xf FILE`), and name what is in it"),
        Mark::ThalwegIndex => ("an index that `thalweg index` made", INDEX),
        Mark::MimIndex => ("an index of the kind .mim", INDEX),
        Mark::Bam => ("BAM", COUNT),
        Mark::Cram => ("CRAM", AS_BAM),
        Mark::Sra => ("an SRA archive", "convert it to FASTQ (`fasterq-dump`), and count that: `thalweg count -k K FILE -o FILE.thk`"),
        Mark::Hdf5 => ("HDF5, as FAST5 and the databases of DSK are", "basecall FAST5, and count the reads; convert a DSK database to text with `dsk2ascii`"),
        Mark::Pod5 => ("POD5", "basecall it, and count the reads"),
        Mark::Kff => ("a KFF file", "convert it to text with KMC: `kmc_tools transform FILE dump NEW`"),
        Mark::Jellyfish1List => ("a database of Jellyfish 1 or Kraken 1", "convert it to text with Jellyfish 1 (`jellyfish dump -c`), or count the reads again"),
        Mark::Jellyfish1 => ("a database of Jellyfish 1", "convert it to text with Jellyfish 1 (`jellyfish dump -c`), or count the reads again"),
        Mark::ThalwegTaxa => ("a thalweg taxon database", "it holds taxa, not counts: see `thalweg taxa --help`"),
        Mark::Kraken1Index => ("an index of a Kraken 1 database", TAXA),
        Mark::Kraken2Taxonomy => ("the taxonomy of a Kraken 2 database", TAXA),
        Mark::GenomeTester => ("a list of GenomeTester4", OWN_DUMP),
        Mark::Sqlite => ("a database of SQLite", OWN_DUMP),
        Mark::LfsPointer => ("a pointer of Git LFS, not the file itself", "fetch the file: `git lfs pull`"),
        Mark::AnnexPointer => ("a pointer of git-annex, not the file itself", "fetch the file: `git annex get FILE`"),
        Mark::ByteOrderMark => ("text with a byte order mark", "remove the mark: `tail -c +4 FILE >NEW`"),
        Mark::Utf16 | Mark::Utf32 => ("text in UTF-16", "write it in UTF-8: `iconv -f UTF-16 -t UTF-8 FILE >NEW`"),
        Mark::Pdf => ("PDF", OWN_DUMP),
        Mark::Program => ("a program", OWN_DUMP),
        _ => return None,
    };
    Some(Kind { name, way_out })
}

/// First words of a header of SAM.
const SAM: &[&[u8]] = &[b"@HD\t", b"@SQ\t", b"@RG\t", b"@PG\t", b"@CO\t"];

/// The kind of a file of `size` bytes that begins with `start`, which is no database that is known.
pub(super) fn of(start: &[u8], size: u64) -> Option<Kind> {
    let kind = |name, way_out| Some(Kind { name, way_out });
    if is_bgzf(start) {
        return kind(
            "compressed with BGZF, as BAM and many FASTQ files are",
            "count reads (`thalweg count -k K FILE -o FILE.thk`); unpack a database: `gzip -dc FILE >NEW`",
        );
    }
    if start.starts_with(b"@") {
        return match SAM.iter().any(|word| start.starts_with(word)) {
            true => kind("SAM", AS_BAM),
            false => kind("FASTQ", COUNT),
        };
    }
    if let Some(marked) = Mark::of(start).and_then(of_mark) {
        return Some(marked);
    }
    if is_zlib(start) {
        return kind("compressed with zlib", UNPACK);
    }
    if !start.is_empty() && start.iter().all(|&byte| byte == 0) {
        return kind(
            "a hole: it begins with NUL bytes, where nothing was written",
            "copy it again, and compare checksums",
        );
    }
    if is_kraken2(start, size) {
        return kind("the table of a Kraken 2 database", TAXA);
    }
    match utf16(start) {
        Some(true) => {
            return kind(
                "text in UTF-16",
                "write it in UTF-8: `iconv -f UTF-16BE -t UTF-8 FILE >NEW`",
            );
        }
        Some(false) => {
            return kind(
                "text in UTF-16",
                "write it in UTF-8: `iconv -f UTF-16LE -t UTF-8 FILE >NEW`",
            );
        }
        None => {}
    }
    of_text(start)
}

/// The kind of a directory that is the database of another program.
pub(super) fn of_directory(path: &Path) -> Option<Kind> {
    let kinds = [
        (
            "merylIndex",
            "a database of meryl",
            "convert it to text with `meryl print`",
        ),
        ("hash.k2d", "a Kraken 2 database", TAXA),
        ("database.kdb", "a Kraken 1 database", TAXA),
    ];
    let (_, name, way_out) = kinds
        .into_iter()
        .find(|(file, ..)| path.join(file).exists())?;
    Some(Kind { name, way_out })
}

fn of_text(start: &[u8]) -> Option<Kind> {
    let kind = |name, way_out| Some(Kind { name, way_out });
    let small = start.trim_ascii_start().get(..14).unwrap_or_default();
    let small = small.to_ascii_lowercase();
    if small.starts_with(b"<!doctype html") || small.starts_with(b"<html") {
        return kind("a web page (HTML)", AGAIN);
    }
    if small.starts_with(b"<?xml") {
        return kind("XML, as what servers say of errors", AGAIN);
    }
    if small.starts_with(b"{") || small.starts_with(b"[") {
        return kind("JSON", OWN_DUMP);
    }
    let mut lines = start.split(|&byte| byte == b'\n').map(without_return);
    let (first, second) = (lines.next()?, lines.next());
    if first.starts_with(b">") {
        let third = lines.next();
        let is_count = first.len() > 1 && first[1..].iter().all(u8::is_ascii_digit);
        // A dump has one line behind each name; these are as long.
        let goes_on = third.is_some_and(|line| !line.is_empty() && !line.starts_with(b">"));
        return match !is_count || goes_on {
            true => kind("FASTA of sequences", COUNT),
            false => None,
        };
    }
    let words: Vec<&[u8]> = words(first);
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    match words[..] {
        [a, b] if is_kmer(a) && is_number(b) => match a.iter().any(|letter| b"Uu".contains(letter))
        {
            true => kind(
                "a dump of k-mers with U",
                "write T for U: `tr Uu Tt <FILE >NEW`",
            ),
            false => None,
        },
        [a, b] if is_number(a) && is_number(b) => kind(
            "lines of two numbers, as a spectrum is",
            "use the database that it was made from",
        ),
        [a, b] if is_number(a) && is_kmer(b) => kind(
            "text with counts before their k-mers",
            "write k-mers first: `awk '{print $2 \"\\t\" $1}' FILE >NEW`",
        ),
        [word] => match word.split(|&byte| byte == b',').collect::<Vec<_>>()[..] {
            [a, b, ..] if is_kmer(a) && is_number(b) => {
                kind("text with commas", "write tabs: `tr , '\\t' <FILE >NEW`")
            }
            [a] if is_sequence(a) => kind(
                "lines of letters without counts",
                "a dump has a k-mer, a tab and its count in each line; sequences are counted first, as FASTA",
            ),
            _ => under_heads(second),
        },
        _ => under_heads(second),
    }
}

/// A dump whose first line, which is none of a dump, tells what is in its columns.
fn under_heads(second: Option<&[u8]>) -> Option<Kind> {
    let words = words(second?);
    match words[..] {
        [kmer, count] if is_kmer(kmer) && count.iter().all(u8::is_ascii_digit) => Some(Kind {
            name: "a dump with a header line",
            way_out: "remove the first line: `tail -n +2 FILE >NEW`",
        }),
        _ => None,
    }
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    let line = line.get(..4096).unwrap_or(line);
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .take(4)
        .collect()
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn is_kmer(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|letter| b"ACGTUacgtu".contains(letter))
}

fn is_sequence(word: &[u8]) -> bool {
    let is_letter = |letter: &u8| b"ACGTUNRYSWKMBDHV-".contains(&letter.to_ascii_uppercase());
    !word.is_empty() && word.iter().all(is_letter)
}

/// A member of gzip with the extra field that BGZF has.
fn is_bgzf(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b\x08")
        && start.get(3).is_some_and(|flags| flags & 4 != 0)
        && start.get(12..14) == Some(b"BC")
}

/// RFC 1950: a window of 32 KiB at the most, and a multiple of 31.
fn is_zlib(start: &[u8]) -> bool {
    matches!(start, [first @ (0x58 | 0x68 | 0x78), second, rest @ ..]
        if (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
            && rest.iter().take(64).any(|byte| !byte.is_ascii()))
}

/// Slots, those in use, and bits of keys and values, which make up 32; then four bytes for each slot.
fn is_kraken2(start: &[u8], size: u64) -> bool {
    let Some((words, _)) = start.split_first_chunk::<32>() else {
        return false;
    };
    let word = |at: usize| u64::from_le_bytes(words[at..at + 8].try_into().expect("eight bytes"));
    let (slots, used, bits) = (word(0), word(8), word(16).checked_add(word(24)));
    used <= slots
        && bits == Some(32)
        && slots.checked_mul(4).and_then(|bytes| bytes.checked_add(32)) == Some(size)
}

/// Whether it is text of which every second byte is zero: the first of two (`true`), or the second.
fn utf16(start: &[u8]) -> Option<bool> {
    let start = &start[..start.len().min(64)];
    let (pairs, _) = start.as_chunks::<2>();
    if pairs.len() < 2 {
        return None;
    }
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if pairs.iter().all(|&[a, b]| a == 0 && is_text(b)) {
        return Some(true);
    }
    (pairs.iter().all(|&[a, b]| b == 0 && is_text(a))).then_some(false)
}
