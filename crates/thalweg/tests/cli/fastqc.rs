//! A link named `fastqc`: its options, what it leaves, and what it says.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::support::{Ended, Place, bgzf, ended, fastq, gzip, names_in, random};

/// A directory with the link.
pub(crate) fn place() -> Place {
    let place = Place::new();
    symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastqc")).unwrap();
    place
}

/// The link, to be run there.
pub(crate) fn link(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("60").arg(place.path("fastqc"));
    command.current_dir(place.path("."));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(place: &Place, arguments: &[&str]) -> Ended {
    ended(link(place, arguments))
}

fn ok(place: &Place, arguments: &[&str]) -> Ended {
    let ended = run(place, arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended
}

/// Fails with a message, and leaves nothing.
fn fails(place: &Place, arguments: &[&str], code: i32, words: &[&str]) {
    let before = place.names();
    let ended = run(place, arguments);
    ended.expect_failure(code, words);
    assert_eq!(place.names(), before, "{arguments:?} left or took files");
}

/// Reads of Illumina with tiles, of mixed lengths, some with adapters, N, a preferred start, and copies of others.
pub(crate) fn reads(number: usize, shortest: usize, longest: usize) -> Vec<u8> {
    let mut next = random(41);
    let mut bodies: Vec<(String, String)> = Vec::new();
    let mut text = Vec::new();
    for rank in 0..number {
        let body = match rank > 10 && next(6) == 0 {
            true => bodies[next(rank)].clone(),
            false => {
                let length = shortest + next(longest - shortest + 1);
                let mut bases: String =
                    (0..length).map(|_| ['A', 'C', 'G', 'T'][next(4)]).collect();
                match next(12) {
                    0 => bases
                        .replace_range(next(length - 30).., "AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC"),
                    1 => bases.replace_range(next(length - 1)..=length - 1, "N"),
                    2 | 3 => bases.replace_range(..9, "GATTACAGA"),
                    4 => bases.replace_range(length - 20.., "GGGGGGGGGGGGGGGG"),
                    _ => {}
                }
                // The older FastQC has other keys of such.
                while (51..76).contains(&bases.len()) {
                    bases.push('C');
                }
                let qualities = (0..bases.len())
                    .map(|_| char::from(b'#' + next(39) as u8))
                    .collect();
                (bases, qualities)
            }
        };
        let tile = 1101 + next(4);
        let filtered = if next(9) == 0 { 'Y' } else { 'N' };
        let record = format!(
            "@A:1:F:1:{tile}:{rank}:7 1:{filtered}:0:AC\n{}\n+\n{}\n",
            body.0, body.1
        );
        text.extend(record.into_bytes());
        bodies.push(body);
    }
    text
}

/// What a report says, of a folder that was extracted.
pub(crate) fn data(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(&format!("{name}_fastqc/fastqc_data.txt"))).unwrap()
}

#[test]
fn the_version_is_on_a_line_of_its_own() {
    let place = place();
    for option in ["--version", "-v", "-version"] {
        let text = ok(&place, &[option]).text();
        assert_eq!(text.lines().next(), Some("FastQC v0.12.1"));
        assert!(text.contains("thalweg"));
    }
    assert!(ok(&place, &["--help"]).text().contains("--contaminants"));
}

#[test]
fn reports_lie_where_fastqc_puts_them() {
    let place = place();
    for folder in ["in", "out"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    place.write("in/a.fastq.gz", gzip(&fastq(50)));
    place.write("b.fq", fastq(20));
    let ended = ok(&place, &["in/a.fastq.gz", "b.fq"]);
    assert_eq!(
        ended.text(),
        "Analysis complete for a.fastq.gz\nAnalysis complete for b.fq\n"
    );
    assert_eq!(
        ended.stderr,
        "Started analysis of a.fastq.gz\nStarted analysis of b.fq\n"
    );
    for file in [
        "in/a_fastqc.html",
        "in/a_fastqc.zip",
        "b_fastqc.html",
        "b_fastqc.zip",
    ] {
        assert!(place.path(file).is_file(), "{file}");
    }
    let ended = ok(&place, &["-q", "-outdir", "out", "--extract", "b.fq"]);
    assert_eq!((ended.text().as_str(), ended.stderr.as_str()), ("", ""));
    let names = names_in(&place.path("out"));
    assert!(
        names
            .iter()
            .eq(["b_fastqc", "b_fastqc.html", "b_fastqc.zip"]),
        "{names:?}"
    );
    let names = names_in(&place.path("out/b_fastqc"));
    let wanted = [
        "Icons",
        "Images",
        "fastqc_data.txt",
        "fastqc_report.html",
        "summary.txt",
    ];
    assert!(names.iter().eq(wanted), "{names:?}");
    assert_eq!(
        place.read("out/b_fastqc/fastqc_report.html"),
        place.read("out/b_fastqc.html")
    );
    // The last of options that contradict each other; and no archive.
    ok(&place, &["-q", "--extract", "--noextract", "b.fq"]);
    assert!(!place.path("b_fastqc").exists());
    std::fs::remove_file(place.path("b_fastqc.zip")).unwrap();
    ok(&place, &["-q", "--extract", "--delete", "b.fq"]);
    assert!(place.path("b_fastqc").is_dir() && !place.path("b_fastqc.zip").exists());
}

#[test]
fn the_standard_input_has_a_name() {
    let place = place();
    let text = fastq(30);
    place.write("a.fq", &text);
    ok(&place, &["-q", "--extract", "a.fq"]);
    for (word, name) in [("stdin", "stdin"), ("stdin:sample.fastq", "sample")] {
        let mut command = link(&place, &["-q", "--extract", "-o", ".", word]);
        command.stdin(std::fs::File::open(place.path("a.fq")).unwrap());
        let ended = ended(command);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let told = word.strip_prefix("stdin:").unwrap_or(word);
        assert_eq!(data(&place, name), data(&place, "a").replace("a.fq", told));
    }
}

#[test]
fn threads_indexes_and_compression_change_nothing() {
    let place = place();
    let text = reads(9000, 40, 140);
    place.write("a.fastq.gz", gzip(&text));
    place.write("b.fastq.gz", bgzf(&text));
    place.write("c.fastq", &text);
    place.write("d.fastq.gz", gzip(&text));
    place.ok(&["index", "-q", "--checkpoints", "40000", "d.fastq.gz"]);
    // Blank lines, and line ends of Windows.
    place.write(
        "e.fastq",
        String::from_utf8(text.clone())
            .unwrap()
            .replace('\n', "\r\n"),
    );
    let mut wanted = None;
    for (file, name) in [
        ("a.fastq.gz", "a"),
        ("b.fastq.gz", "b"),
        ("c.fastq", "c"),
        ("d.fastq.gz", "d"),
        ("e.fastq", "e"),
    ] {
        for threads in ["1", "2", "3", "8"] {
            ok(&place, &["-q", "--extract", "-t", threads, file]);
            let data = data(&place, name).replace(file, "FILE");
            assert!(data.contains(">>Per tile sequence quality"));
            let wanted = wanted.get_or_insert_with(|| data.clone());
            assert!(data == *wanted, "{file} with {threads} threads");
        }
    }
}

#[test]
fn options_change_what_they_say() {
    let place = place();
    place.write("a.fq", reads(3000, 90, 120));
    place.write(
        "limits",
        "kmer ignore 0\nduplication ignore 1\nadapter warn 0.0001\nadapter error 0.001\n",
    );
    place.write("adapters", "# mine\nFirst letters\tGATTACA\n");
    place.write(
        "contaminants",
        "Mine\tAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGATTACAGATTACA\n",
    );
    let with = |options: &[&str]| {
        ok(&place, &[options, &["-q", "--extract", "a.fq"]].concat());
        data(&place, "a")
    };
    let plain = with(&[]);
    assert!(!plain.contains("Kmer") && plain.contains("10-11\t"));
    assert!(with(&["--nogroup"]).contains("\n119\t"));
    assert!(with(&["--expgroup"]).contains("\n10-14\t"));
    let both = ["--nogroup", "--expgroup", "a.fq"];
    let ended = run(&place, &both);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended
            .stderr
            .contains("'--nogroup' cannot be used with '--expgroup'")
    );
    assert!(with(&["--min_length", "151"]).contains("\n150-151\t"));
    let limits = with(&["-l", "limits"]);
    assert!(limits.contains(">>Kmer Content\t") && !limits.contains("Duplication"));
    assert!(limits.contains(">>Adapter Content\tfail"));
    assert!(with(&["-a", "adapters"]).contains("#Position\tFirst letters\n1\t"));
    let all = with(&["--casava", "--nofilter"]);
    assert_eq!(all, plain);
    let filtered = with(&["--casava"]);
    let flagged = filtered
        .lines()
        .find(|line| line.starts_with("Sequences flagged"))
        .unwrap();
    assert_ne!(flagged, "Sequences flagged as poor quality\t0");
    assert_ne!(with(&["--dup_length", "9"]), plain);
    with(&[
        "-f", "fastq", "-j", "java", "--dir", "/tmp", "--memory", "512", "--svg", "-k", "5",
    ]);
}

#[test]
fn groups_of_casava_are_one() {
    let place = place();
    let text = reads(400, 60, 60);
    let middle = text
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(799)
        .unwrap()
        .0
        + 1;
    place.write("s_L001_R1_001.fastq.gz", gzip(&text[..middle]));
    place.write("s_L001_R1_002.fastq.gz", gzip(&text[middle..]));
    place.write("all.fastq", &text);
    ok(
        &place,
        &[
            "-q",
            "--extract",
            "--casava",
            "s_L001_R1_002.fastq.gz",
            "s_L001_R1_001.fastq.gz",
            "all.fastq",
        ],
    );
    let whole = data(&place, "all").replace("all.fastq", "s_L001_R1.fastq.gz");
    assert_eq!(data(&place, "s_L001_R1"), whole);
}

#[test]
fn faults_are_told_and_others_are_done() {
    let place = place();
    let text = String::from_utf8(fastq(40)).unwrap();
    place.write("good.fq", &text);
    let cut = text.len() - 30;
    for (name, bytes, word) in [
        (
            "short.fq",
            format!("{text}@last\nACGT\n+\nII\n"),
            "record 41",
        ),
        ("cut.fq", text[..cut].to_owned(), "cut.fq"),
        (
            "blank.fq",
            text.replacen("\n+\n", "\n+\n \u{7f}", 1),
            "record 1",
        ),
    ] {
        place.write(name, bytes);
        let ended = run(&place, &["-q", "-t", "2", name, "good.fq"]);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended.stderr.contains(word) && ended.stderr.contains(name),
            "{}",
            ended.stderr
        );
        let stem = name.strip_suffix(".fq").unwrap();
        assert!(!place.path(&format!("{stem}_fastqc.html")).exists());
        assert!(place.path("good_fastqc.zip").is_file());
        std::fs::remove_file(place.path("good_fastqc.zip")).unwrap();
    }
    let mut gz = gzip(text.as_bytes());
    let half = gz.len() / 2;
    gz[half] ^= 0x55;
    place.write("damaged.fq.gz", &gz);
    let ended = run(&place, &["-q", "damaged.fq.gz"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(!place.path("damaged_fastqc.zip").exists());
}

#[test]
fn what_cannot_be_done_is_refused() {
    let place = place();
    place.write("a.fq", fastq(5));
    place.write("a.fastq", fastq(5));
    place.write("a.fa", ">a\nACGT\n");
    place.write("bad.txt", "no tabs here\n");
    place.write("none.txt", "# nothing\n");
    std::fs::create_dir(place.path("a_fastqc")).unwrap();
    fails(
        &place,
        &["-o", "nowhere", "a.fq"],
        2,
        &["'nowhere' does not exist", "mkdir"],
    );
    fails(&place, &["-q", "missing.fq"], 2, &["missing.fq"]);
    fails(&place, &["-q", "a.fa"], 2, &["a.fa: is FASTA"]);
    fails(&place, &["a.fq", "a.fastq"], 2, &["a_fastqc.html"]);
    fails(&place, &["--nano", "a.fq"], 2, &["fast5"]);
    fails(&place, &["-q", "--extract", "a.fq"], 2, &["a_fastqc"]);
    for option in ["-a", "-c", "-l"] {
        fails(
            &place,
            &[option, "bad.txt", "a.fq"],
            2,
            &["bad.txt: line 1"],
        );
        fails(
            &place,
            &[option, "missing.txt", "a.fq"],
            2,
            &["missing.txt"],
        );
    }
    fails(
        &place,
        &["-a", "none.txt", "a.fq"],
        2,
        &["none.txt: has no sequences"],
    );
    for arguments in [
        &[][..],
        &["-k", "11", "a.fq"],
        &["-t", "0", "a.fq"],
        &["--unheard", "a.fq"],
    ] {
        assert_eq!(run(&place, arguments).code, Some(2), "{arguments:?}");
    }
}

/// Reads of any length, in memory that does not grow with it; positions far from the start are counted together.
#[test]
fn long_reads_are_counted_to_their_ends() {
    let place = place();
    let length = 3_000_000;
    let bases: String = "ACGTTGCANG".chars().cycle().take(length).collect();
    let qualities = "I".repeat(length);
    place.write(
        "long.fq",
        format!("@a\n{bases}\n+\n{qualities}\n@b\nACGT\n+\n#III\n"),
    );
    ok(&place, &["-q", "--extract", "-t", "2", "long.fq"]);
    let data = data(&place, "long");
    assert!(data.contains("Sequence length\t4-3000000\n"));
    let row = data
        .lines()
        .find(|line| line.starts_with("2950000-2999999\t"));
    assert_eq!(row, Some("2950000-2999999\t40.0\tNaN\tNaN\tNaN\tNaN\tNaN"));
    let ended = place.shell("ulimit -v 400000; ./fastqc -q -t 2 long.fq");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

/// Hints name this program, and how it reads a pipe.
#[test]
fn hints_go_on_to_this_program() {
    let place = place();
    place.write(
        "a.sam",
        "@HD\tVN:1.6\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n",
    );
    let ended = ended(link(&place, &["-q", "a.sam"]));
    ended.expect_failure(
        1,
        &[
            "a.sam: this is SAM",
            "`samtools view -u FILE | fastqc stdin`",
        ],
    );
}

/// A rule of FastQC's, and the words say so: others take sizes with units.
#[test]
fn memory_is_a_number_of_megabytes() {
    let place = place();
    place.write("a.fq", reads(50, 100, 100));
    for size in ["1g", "512M", "1.5"] {
        let ended = run(&place, &["--memory", size, "a.fq"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        for word in [size, "FastQC", "megabytes", "1000 for 1 GB"] {
            assert!(ended.stderr.contains(word), "{}", ended.stderr);
        }
    }
    ok(&place, &["--memory", "1000", "a.fq"]);
}

/// FastQC's rule has qualities count from 64 where none is below `@`. Those of today may be so, too: the best of them are no
/// best of what counts from 64, and a warning says so.
#[test]
fn qualities_that_may_count_from_elsewhere_are_warned_of() {
    let place = place();
    place.shell("mkdir reports");
    for (qualities, encoding, doubt) in [
        ("IIIIIIIIII", "Illumina 1.5", Some("'I' to 'I'")),
        ("FFFFFFFFFFFFFFA", "Illumina 1.3", Some("'A' to 'F'")),
        // PacBio HiFi at its best, and instruments that go beyond J.
        ("~~~~~~~~~~~p~~~~~~", "Illumina 1.5", Some("'p' to '~'")),
        ("SSSSSSSRRRDD", "Illumina 1.5", Some("'D' to 'S'")),
        // What counts from 64, and ends in B.
        ("hhhhhhhhgfeehhhfabTSBBBB", "Illumina 1.5", None),
        ("cbbbbaaaa^^^BBBB", "Illumina 1.5", None),
        ("IIIIIIIIHGFEIIIG5:?#####", "Sanger / Illumina 1.9", None),
    ] {
        let bases = "ACGT".repeat(7)[..qualities.len()].to_owned();
        place.write("in.fq", format!("@r\n{bases}\n+\n{qualities}\n").repeat(50));
        let said = ok(&place, &["-q", "--extract", "in.fq"]).stderr;
        let data = String::from_utf8(place.read("in_fastqc/fastqc_data.txt")).unwrap();
        assert!(
            data.contains(&format!("Encoding\t{encoding}\n")),
            "{qualities}"
        );
        let beside = place.ok(&[
            "qc", "in.fq", "-o", "o.fq", "--quiet", "--fastqc", "reports",
        ]);
        for said in [said, beside.stderr] {
            match doubt {
                None => assert!(!said.contains("ambiguous"), "{qualities}: {said}"),
                Some(letters) => {
                    let warning = "warning: in.fq: the encoding of the qualities is ambiguous: their letters are ";
                    assert!(said.contains(&format!("{warning}{letters}")), "{said}");
                }
            }
        }
    }
    place.write("empty.fq", "");
    assert!(!ok(&place, &["-q", "empty.fq"]).stderr.contains("ambiguous"));
}
