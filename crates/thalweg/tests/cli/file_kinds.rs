//! Files that are no reads, or no longer, although they are named as if.

use crate::support::{Place, bgzf, fastq, gzip};

/// Every command that reads them, and what else it needs.
const COMMANDS: [&[&str]; 6] = [
    &["stats"],
    &["verify"],
    &["info"],
    &["cat", "--records", "0..1"],
    &["count", "-k", "21", "--histo", "-"],
    &["qc", "-o", "o.fq"],
];

#[test]
fn a_compressed_file_that_begins_as_nothing_known_is_refused() {
    let place = Place::new();
    let mut damaged = gzip(&fastq(100));
    damaged[0] = 0x1e;
    let text = b"Lorem ipsum\n".to_vec();
    for name in ["a.gz", "a.bgz", "a.zst", "a.bz2", "a.xz", "A.FQ.GZ"] {
        for bytes in [&damaged, &text] {
            place.write(name, bytes);
            for command in COMMANDS.iter().chain(&[&["cat"][..]]) {
                let ended = place.fails(&[*command, &[name]].concat(), 1, &[name]);
                assert!(ended.stdout.is_empty(), "{name}");
            }
        }
        // Reads are reads, whatever they are called.
        place.write(name, fastq(100));
        assert!(place.ok(&["cat", name]).stdout == fastq(100));
    }
    // Without such a name, NUL bytes tell; ^A, which NCBI's headers have, is text.
    place.write("a", [&b"\0\x8b\x08"[..], &damaged[3..]].concat());
    place.fails(&["cat", "a"], 1, &["a: "]);
    place.write("a", b"text\0text");
    place.fails(&["cat", "a"], 1, &["a: "]);
    // Wherever they stand in the first block, and whatever asks.
    place.write("m.fq", b"@a\0b\nACGT\n+\nIIII\n");
    for command in COMMANDS.iter().chain(&[&["cat"][..]]) {
        place.fails(&[*command, &["m.fq"]].concat(), 1, &["m.fq: ", "no text"]);
    }
    // Its first byte may become that of FASTA.
    for length in 20..60 {
        let record = [b">r\n", &fastq(1)[8..8 + length], b"\n"].concat();
        let mut short = gzip(&record);
        short[0] = b'>';
        place.write("short.fa.gz", &short);
        for command in COMMANDS.iter().take(5).chain(&[&["cat"][..]]) {
            place.fails(
                &[*command, &["short.fa.gz"]].concat(),
                1,
                &["short.fa.gz: "],
            );
        }
    }
    place.write("lines.fq.gz", "\n\n");
    place.fails(&["verify", "lines.fq.gz"], 1, &["line ends"]);
    // As in `cat a.fq b.fq.gz`; and names of reads may have any word.
    let joined = [&fastq(3000)[..], &gzip(&fastq(10))].concat();
    place.write("joined.fq", joined);
    place.fails(
        &["stats", "joined.fq"],
        1,
        &["record 3001", "gzip data follow"],
    );
    let ended = place.feed(&["cat", "-"], b"\0\0\0\0");
    ended.expect_failure(1, &["-: "]);
    let proteins = b">a one\x01b two\nMKV\n";
    place.write("nr.fa", proteins);
    assert_eq!(place.ok(&["cat", "nr.fa"]).stdout, proteins);
    place.ok(&["stats", "nr.fa"]);
}

#[test]
fn a_compressed_file_of_no_bytes_is_told() {
    let place = Place::new();
    for name in ["a.fq.gz", "a.bgz", "a.zst", "a.bz2", "a.xz", "a.bam"] {
        place.write(name, "");
        for command in COMMANDS.iter().chain(&[&["cat"][..]]) {
            let arguments = [*command, &[name]].concat();
            // As `gzip -dc` has it.
            place.fails(&arguments, 1, &[name, "unexpected end of file", "0 bytes"]);
        }
        place.fails(&["verify", "--full", name], 1, &[name, "0 bytes"]);
        place.fails(&["info", name], 1, &[name, "0 bytes"]);
        place.fails(&["index", name], 1, &[name, "0 bytes"]);
    }
    // Plain text of no reads is that, and so is what other programs compress of it.
    place.write("a.fq", "");
    place.write("b.fq.gz", gzip(b""));
    place.write("c.fq.gz", bgzf(b""));
    for name in ["a.fq", "b.fq.gz", "c.fq.gz"] {
        let told = format!("thalweg: note: {name}: no reads\n");
        assert_eq!(place.ok(&["stats", name]).stderr, told);
        place.ok(&["verify", "--full", name]);
    }
    // fastp 0.23.2 ends with 255 there, KMC 3.2.1 and Jellyfish 2.3.0 with 0.
    place.fails(
        &["qc", "--fastp-compat=0.23", "-i", "a.fq.gz", "-o", "o.fq"],
        1,
        &["a.fq.gz", "0 bytes"],
    );
}

#[test]
fn every_kind_is_named_with_its_way_out() {
    let place = Place::new();
    let text = fastq(10);
    let utf16: Vec<u8> = String::from_utf8(text.clone())
        .unwrap()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut tar = vec![0; 1024];
    tar[..4].copy_from_slice(b"a.fq");
    tar[257..262].copy_from_slice(b"ustar");
    let sam = b"@HD\tVN:1.6\n@SQ\tSN:1\tLN:9\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";
    let kinds: [(&[u8], &str, &str); 24] = [
        (&gzip(&text), "compressed twice", "gzip -dc"),
        (sam, "SAM", "samtools view -u"),
        (b"CRAM\x03\0", "CRAM", "samtools view -u"),
        (&[&b"\xff\xfe"[..], &utf16].concat(), "UTF-16", "iconv"),
        (&utf16, "UTF-16", "iconv"),
        (
            &[&b"\xef\xbb\xbf"[..], &text].concat(),
            "byte order mark",
            "tail -c +4",
        ),
        (b"PK\x03\x04\x14\0\0\0", "zip archive", "unzip -p"),
        (&tar, "tar archive", "tar -xOf"),
        (
            b"\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff",
            "lzma",
            "xz --format=lzma",
        ),
        (b"\x04\x22\x4d\x18dp", "LZ4", "lz4 -dc"),
        (b"\x78\x9c\x4b\x4c", "zlib", "pigz -dc"),
        (b"\x1f\x9d\x90\x40", "compress", "gzip -dc"),
        (b"\n <!DOCTYPE html><html>", "web page", "download"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "Git LFS",
            "git lfs pull",
        ),
        (
            b"NCBI.sra\x88\x19\x03\x05",
            "Sequence Read Archive",
            "fasterq-dump",
        ),
        (b"\x89HDF\r\n\x1a\n\0", "HDF5", "basecall"),
        (b"\x8bPOD\r\n\x1a\n\0", "POD5", "dorado"),
        (b"\0\x05\x16\x07\0\x02", "macOS", "._"),
        (b"crypt4gh\x01\0\0\0", "Crypt4GH", "crypt4gh decrypt"),
        (b"KMCP\0\0", "KMC", "kmers dump"),
        (b"000000123{\"canonical\":true}", "Jellyfish", "kmers dump"),
        (b"\x8bTHK\r\n\x1a\n\0", "k-mer database", "kmers dump"),
        (b"\x8bTHT\r\n\x1a\n\0", "taxon database", "thalweg classify"),
        (b"\x8bTHW\r\n\x1a\n\0", "index", "thalweg info"),
    ];
    for (bytes, name, way_out) in kinds {
        // As it is, which a compressed one is only inside of another, and compressed.
        if !bytes.starts_with(b"\x1f\x8b") {
            place.write("input", bytes);
            refused(&place, name, way_out);
        }
        place.write("input", gzip(bytes));
        refused(&place, name, way_out);
        place.write("input", zstd::encode_all(bytes, 1).unwrap());
        refused(&place, name, way_out);
    }
}

/// What goes on as reads must be some.
#[test]
fn sam_is_no_text_of_reads() {
    let place = Place::new();
    let sam = b"@HD\tVN:1.6\n@SQ\tSN:1\tLN:9\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";
    place.write("a.sam", sam);
    place.write("a.sam.gz", gzip(sam));
    for name in ["a.sam", "a.sam.gz"] {
        let words = ["SAM", "samtools view -u"];
        place.fails(&["cat", name], 1, &words);
        place.fails(&["cat", name, "-o", "a.fq"], 1, &words);
        assert!(!place.path("a.fq").exists());
        assert_eq!(place.ok(&["cat", "--raw", name]).stdout, sam);
    }
    let ended = place.feed(&["cat", "-"], sam);
    ended.expect_failure(1, &["-: ", "SAM"]);
    // A read may have such a name.
    let read = b"@HD\tVN:1.6\nACGT\n+\nIIII\n";
    place.write("a.fq", read);
    assert_eq!(place.ok(&["cat", "a.fq"]).stdout, read);
}

fn refused(place: &Place, name: &str, way_out: &str) {
    // An index, too, tells what it is.
    for command in COMMANDS {
        if command[0] == "info" && name == "index" {
            continue;
        }
        let arguments = [command, &["input"]].concat();
        let ended = place.fails(&arguments, 1, &["input: ", name, way_out]);
        let is_text = |letter: char| letter == '\n' || !letter.is_control();
        assert!(ended.stderr.chars().all(is_text), "{}", ended.stderr);
    }
}

/// Reads follow: whoever cut the file there would lose them.
#[test]
fn what_stands_between_two_members_is_no_end() {
    let place = Place::new();
    let member = gzip(&fastq(1000));
    let mut damaged = member.clone();
    damaged[0] ^= 1;
    let cases = [
        (
            "hole",
            [&member[..], &[0; 5000], &member].concat(),
            "a hole of NUL bytes",
        ),
        (
            "junk",
            [&member[..], b"junk", &member].concat(),
            "between two gzip members",
        ),
        (
            "header",
            [&member[..], &damaged].concat(),
            "malformed gzip header",
        ),
    ];
    for (name, bytes, word) in cases {
        place.write(name, bytes);
        for threads in ["1", "3"] {
            let at = format!(
                "byte {}",
                member.len() + if name == "hole" { 5000 } else { 0 }
            );
            let ended = place.fails(&["stats", "-t", threads, name], 1, &[name, word, &at]);
            assert!(
                !ended.stderr.contains("if the trailing bytes"),
                "{}",
                ended.stderr
            );
        }
    }
    let hole = [&member[..], &[0; 5000], &member].concat();
    let ended = place.feed(&["stats", "-"], &hole);
    ended.expect_failure(1, &["a hole of NUL bytes", "do not cut"]);
    place.write("end", [&member[..], b"junk"].concat());
    place.fails(
        &["stats", "end"],
        1,
        &["after the last gzip member", "head -c"],
    );
}

/// The bytes where a record should begin often tell what happened.
#[test]
fn the_bytes_at_a_fault_decide_the_hint() {
    let place = Place::new();
    let text = fastq(1000);
    for (name, between, word) in [
        ("hole", &[0; 5000][..], "NUL bytes"),
        ("joined", &gzip(&text), "gzip data follow plain text"),
        ("mark", b"\xef\xbb\xbf", "byte order mark"),
        ("edited", b"x", "verify --faults"),
    ] {
        place.write(name, [&text[..], between, &text].concat());
        for threads in ["1", "3"] {
            let ended = place.fails(&["stats", "-t", threads, name], 1, &[name, "record 1001"]);
            let hint = ended.stderr.split("\nhint: ").nth(1).unwrap();
            assert!(hint.contains(word), "{name}: {hint}");
        }
    }
    let name = "cut";
    place.write(name, &text[..text.len() - 3]);
    place.write("between lines", [&text[..], b"@r\nACGT\n"].concat());
    for name in [name, "between lines"] {
        let hint = place.fails(&["stats", name], 1, &[name]).stderr;
        assert!(!hint.contains("samtools"), "{hint}");
    }
    let hint = place
        .fails(
            &["stats", "between lines"],
            1,
            &["data end inside a record"],
        )
        .stderr;
    assert!(hint.contains("the file is truncated"), "{hint}");
}
