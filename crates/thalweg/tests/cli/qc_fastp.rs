//! What `thalweg qc --fastp-compat` prints is what fastp prints; and with it all files.

use std::collections::BTreeMap;
use std::process::Command;

use crate::qc_compat::{has_fastp, place};
use crate::support::{Ended, Place, ended, names_in, random};

/// What came of a run: files by name, but for HTML.
struct Outcome {
    ended: Ended,
    files: BTreeMap<String, Vec<u8>>,
}

/// Run a program in a directory of its own.
fn outcome(place: &Place, program: &[&str], line: &str, input: Option<&str>) -> Outcome {
    let directory = place.path("run");
    std::fs::create_dir(&directory).unwrap();
    let mut command = Command::new("timeout");
    command
        .current_dir(&directory)
        .arg("120")
        .args(program)
        .args(line.split_whitespace());
    if let Some(input) = input {
        command.stdin(std::fs::File::open(place.path(input)).unwrap());
    }
    let ended = ended(command);
    let names = names_in(&directory);
    let names = names.into_iter().filter(|name| !name.ends_with("html"));
    let read = |name: String| {
        let bytes = std::fs::read(directory.join(&name)).unwrap();
        // Of the JSON all but the command line.
        let bytes = match String::from_utf8(bytes) {
            Ok(text) if name.ends_with("json") => text
                .lines()
                .filter(|line| !line.contains("\"command\": "))
                .fold(String::new(), |text, line| text + line + "\n")
                .into_bytes(),
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        (name, bytes)
    };
    let files = names.map(read).collect();
    std::fs::remove_dir_all(&directory).unwrap();
    Outcome { ended, files }
}

/// The lines on standard error, but for the command line and the time it took.
fn said(ended: &Ended) -> Vec<String> {
    let mut lines: Vec<String> = ended.stderr.lines().map(str::to_owned).collect();
    let last = lines.pop().unwrap_or_default();
    let (version, took) = last.split_once(", time used: ").expect(&last);
    assert!(took.ends_with(" seconds"), "{took}");
    let command = lines.pop().unwrap_or_default();
    assert!(command.ends_with(' '), "{command}");
    lines.push(version.to_owned());
    lines
}

/// Do what each line says, here and by fastp; all that is compared must be equal.
fn compare(place: &Place, lines: &[&str], input: Option<&str>) {
    for line in lines {
        let line = format!("-w 1 {line}");
        let theirs = outcome(place, &["fastp"], &line, input);
        let program = [env!("CARGO_BIN_EXE_thalweg"), "qc", "--fastp-compat=0.23"];
        let ours = outcome(place, &program, &line, input);
        assert_eq!(theirs.ended.code, Some(0), "{}", theirs.ended.stderr);
        assert_eq!(ours.ended.code, Some(0), "{line}: {}", ours.ended.stderr);
        assert_eq!(said(&ours.ended), said(&theirs.ended), "{line}");
        assert!(ours.ended.stdout == theirs.ended.stdout, "{line}");
        let names = |of: &Outcome| of.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs), "{line}");
        for (name, text) in &theirs.files {
            assert!(*text == ours.files[name], "{line}: {name}");
        }
    }
}

/// Without it fastp clears a gigabyte for each run.
const QUICK: &str = "--dont_eval_duplication";

#[test]
fn standard_error_is_that_of_fastp() {
    if !has_fastp() {
        return;
    }
    let place = place();
    place.write("index.txt", "ATCACG\nTTAGGC\n");
    place.write("adapters.fa", ">a\nACGT\n>b\nACGTACGT\n");
    place.write("empty.fq", "");
    place.write(
        "one.fq",
        "@r\nACGTACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIII\n",
    );
    let pairs = format!("{QUICK} -i ../r1.fq -I ../r2.fq");
    let single = format!("{QUICK} -i ../r1.fq");
    let lines = [
        String::from("-i ../r1.fq -o a.fq"),
        String::from("-i ../r1.fq -I ../r2.fq -o a.fq -O b.fq -D --dup_calc_accuracy 1"),
        format!("{single} -o a.fq -y -x --length_limit 90"),
        format!("{single} -o a.fq -L -A -Q"),
        format!("{single} -o a.fq -c -l 101"),
        format!("{single} --stdout -o a.fq --failed_out f.fq -q 41"),
        format!(
            "{single} -o a.fq --unpaired1 u.fq --overlapped_out x.fq --merged_out m.fq --cut_by_quality5 --cut_by_quality3 \
             --cut_by_quality_aggressive --discard_unmerged"
        ),
        format!("{single} -o a.fq --unpaired1 u.fq --unpaired2 v.fq --cut_by_quality3"),
        format!(
            "{single} -o a.fq --adapter_fasta ../adapters.fa --filter_by_index1 ../index.txt --filter_by_index2 ../index.txt -W 3"
        ),
        format!("{single} -o a.fq -s 3"),
        format!("{single} -o a.fq -S 1000"),
        format!("{QUICK} -i ../one.fq -o a.fq -s 3"),
        format!("{QUICK} -i ../empty.fq -o a.fq"),
        format!("{pairs} -o a.fq -O b.fq -c -x -y --detect_adapter_for_pe"),
        format!("{pairs} -o a.fq -O b.fq --detect_adapter_for_pe -a ACGTACGTAA"),
        format!("{pairs} -o a.fq -O b.fq -U --umi_loc per_read --umi_len 5"),
        format!("{pairs} -m --merged_out m.fq -o a.fq -O b.fq"),
        format!("{pairs} -m -o a.fq -b 80"),
        format!(
            "{pairs} -m --merged_out m.fq --include_unmerged -o a.fq -O b.fq --unpaired1 u.fq --unpaired2 v.fq"
        ),
        format!("{pairs} -m --merged_out m.fq --include_unmerged -o a.fq --unpaired1 u.fq -O b.fq"),
        format!("{pairs} -m --stdout --merged_out m.fq -q 41 -u 0"),
        format!("{pairs} -m --stdout -o a.fq -O b.fq --unpaired1 u.fq --failed_out f.fq"),
        format!("{pairs} --merged_out m.fq -o a.fq -O b.fq --include_unmerged"),
        // Files that are opened and stay empty.
        format!("{pairs} --stdout -o a.fq -O b.fq"),
        format!(
            "{pairs} --stdout -o a.fq -O b.fq --unpaired1 u.fq --unpaired2 v.fq --failed_out f.fq -3 -M 30"
        ),
        format!("{pairs} --stdout"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    compare(&place, &lines, None);
    let piped = [
        format!("{QUICK} --stdin -q 41 -u 0"),
        format!("{QUICK} -i /dev/stdin -o a.fq"),
        format!("{QUICK} --stdin --stdout"),
    ];
    let piped: Vec<&str> = piped.iter().map(String::as_str).collect();
    compare(&place, &piped, Some("r1.fq"));
}

/// Reads of which a tenth go on with an adapter.
fn reads_with(adapter: &str, seed: u64) -> String {
    let mut below = random(seed);
    let mut text = String::new();
    for number in 0..11_000 {
        let length = if number % 10 == 0 {
            20 + below(60)
        } else {
            100
        };
        let mut bases: String = (0..length).map(|_| char::from(b"ACGT"[below(4)])).collect();
        bases.push_str(adapter);
        bases.push_str(&"A".repeat(100));
        let (bases, qualities) = (&bases[..100], "I".repeat(100));
        text += &format!("@r{number}\n{bases}\n+\n{qualities}\n");
    }
    text
}

/// As Illumina has published it, with an index.
const NEXTERA: [&str; 2] = [
    "CTGTCTCTTATACACATCTCCGAGCCCACGAGACTAAGGCGAATCTCGTATGCCGTCTTCTGCTTG",
    "CTGTCTCTTATACACATCTGACGCTGCCGACGAGCGATCTAGTGTAGATCTCGGTGGTCGCCGTATCATT",
];
const SMALL_RNA: &str = "TGGAATTCTCGGGTGCCAAGGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG";
const QIASEQ: &str = "AACTGTAGGCACCATCAATAGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCG";

#[test]
fn detected_adapters_are_named_as_fastp_names_them() {
    if !has_fastp() {
        return;
    }
    let place = Place::new();
    place.write("r1.fq", reads_with(NEXTERA[0], 1));
    place.write("r2.fq", reads_with(NEXTERA[1], 2));
    place.write("small.fq", reads_with(SMALL_RNA, 3));
    place.write("qiaseq.fq", reads_with(QIASEQ, 4));
    let lines = [
        format!("{QUICK} -i ../r1.fq -o a.fq"),
        format!("{QUICK} -i ../small.fq -o a.fq"),
        format!("{QUICK} -i ../qiaseq.fq -o a.fq"),
        format!("{QUICK} -i ../r1.fq -I ../r2.fq -o a.fq -O b.fq --detect_adapter_for_pe"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    compare(&place, &lines, None);
}

/// 1.3 counts in the reads what its table has, QIAseq's adapter among it, and finds, but does not use, what is longer than 60
/// bases.
#[test]
fn fastp_1_3_counts_the_adapters_that_it_knows() {
    let place = Place::new();
    place.write("nextera.fq", reads_with(NEXTERA[0], 5));
    place.write("small.fq", reads_with(SMALL_RNA, 6));
    place.write("qiaseq.fq", reads_with(QIASEQ, 7));
    for (name, found, is_cut) in [
        ("nextera", vec![&NEXTERA[0][..34]], true),
        ("qiaseq", vec![">QIASeq miRNA adapter", &QIASEQ[..19]], true),
        (
            "small",
            vec![SMALL_RNA, "No adapter detected for read1"],
            false,
        ),
    ] {
        let input = format!("{name}.fq");
        let line = ["qc", "--fastp-compat", "-i", &input, "-o", "o.fq"];
        let ended = place.ok(&line);
        let (detection, _) = ended.stderr.split_once("\n\n").unwrap();
        let lines: Vec<&str> = detection.lines().collect();
        assert_eq!(lines[0], "Detecting adapter sequence for read1...");
        assert!(lines.ends_with(&found), "{name}: {lines:?}");
        assert!(lines[1].starts_with('>'), "{name}: {lines:?}");
        let none = ended.stderr.contains("reads with adapter trimmed: 0\n");
        assert_eq!(none, !is_cut, "{name}: {}", ended.stderr);
    }
}

#[test]
fn standard_error_of_fastp_1_3_has_two_lines_more() {
    let place = Place::new();
    place.write(
        "r.fq",
        "@r\nACGTACGTACGTACGTACGT\n+\nIIIIIIIIII!!!!!!!!!!\n",
    );
    let line = "qc --fastp-compat -i r.fq --stdout -o o.fq -j x.json -h x.html";
    let ended = place.ok(&line.split(' ').collect::<Vec<_>>());
    let reads = "total reads: 1\ntotal bases: 20\nQ20 bases: 10(50%)\nQ30 bases: 10(50%)\nQ40 bases: 10(50%)\n";
    let none = "total reads: 0\ntotal bases: 0\nQ20 bases: 0(-nan%)\nQ30 bases: 0(-nan%)\nQ40 bases: 0(-nan%)\n";
    let wanted = format!(
        "Detecting adapter sequence for read1...\nNo adapter detected for read1\n\n\
         In STDOUT mode, ignore the out1 filename o.fq\nStreaming uncompressed  reads to STDOUT...\n\n\
         Read1 before filtering:\n{reads}\nRead1 after filtering:\n{none}\n\
         Filtering result:\nreads passed filter: 0\nreads failed due to low quality: 1\n\
         reads failed due to too many N: 0\nreads failed due to too short: 0\n\
         reads failed due to adapter dimer: 0\nreads with adapter trimmed: 0\nbases trimmed due to adapters: 0\n\n\
         Duplication rate (may be overestimated since this is SE data): 0%\n\n\
         JSON report: x.json\nHTML report: x.html\n\n{} {line} \nfastp v1.3.6, time used: 0 seconds\n",
        env!("CARGO_BIN_EXE_thalweg")
    );
    assert_eq!(ended.stderr, wanted);
    assert!(!place.path("o.fq").exists());
    let quiet = place.ok(&[&line.split(' ').collect::<Vec<_>>()[..], &["--quiet"]].concat());
    assert_eq!(quiet.stderr, "");
}
