//! fastp 0.23, as it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use thalweg_qc::{FastpVersion, Mode};

use crate::files::Names;
use crate::{command, files, inserts, simulation};

/// Options for single reads and pairs.
const BOTH: [&str; 32] = [
    "",
    "-5 -3",
    "-5 -r -W 6 -M 25",
    "-5 -W 4 -M 15 -f 2 -t 1",
    "-3 --cut_tail_mean_quality 30 -t 3",
    "-r -f 5 -t 7 --cut_front_window_size 9",
    "-g --poly_g_min_len 5",
    "-G",
    "-x -g",
    "-x --poly_x_min_len 5",
    "-l 50 -e 25",
    "-y -Y 40",
    "-f 3 -t 2",
    "-b 60",
    "-A",
    "-Q -L",
    "-Q -L -A -f 30",
    "-n 0 -u 20 -q 20",
    "-a AGATCGGAAGAGC",
    "-a AGATCGGA --length_limit 90",
    "-a AGATCGGAAGAGCACACGTCTGAACTCCAGTCA -3",
    "--adapter_fasta adapters.fa",
    "--adapter_fasta adapters.fa -a AGATCGGAAGAGC",
    "--failed_out failed.fq -q 25 -u 30 -y -n 1",
    "-U --umi_loc index1",
    "--filter_by_index1 index1.txt --filter_by_index_threshold 1",
    "--filter_by_index2 index2.txt",
    "--reads_to_process 700 -U --umi_loc read1 --umi_len 6",
    // Later on it forgets to convert some reads, other ones in every run.
    "-6 -Q --reads_to_process 600",
    "--length_limit 60 -l 30 --failed_out failed.fq",
    "-5 -W 1 -M 30 -l 1 -n 50",
    "-5 -3 -W 30 -M 30 -F 3 -T 2 --poly_x_min_len 3 -x",
];

/// Options for pairs.
const PAIRS: [&str; 27] = [
    "-c",
    "-c -f 3 -F 7 -t 2",
    "-f 3 -t 2 -F 1 -T 4",
    "-b 60 -B 50",
    "-5 -3 -c -x -g",
    "-U --umi_loc per_read --umi_len 4 --umi_skip 2 --umi_prefix UMI",
    "-U --umi_loc per_index",
    "-U --umi_loc read2 --umi_len 9",
    "-U --umi_loc index2 --umi_prefix Q",
    "-a AGATCGGAAGAGCACACGTCTGAACTCCAGTCA --adapter_sequence_r2 AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
    "--overlap_len_require 20 --overlap_diff_limit 3 --overlap_diff_percent_limit 10",
    "--overlap_len_require 10 --overlap_diff_limit 20 --overlap_diff_percent_limit 40",
    "-m --merged_out merged.fq",
    "-m --merged_out merged.fq --include_unmerged -q 25 -u 30",
    "-m --merged_out merged.fq --unpaired1 unpaired1.fq --unpaired2 unpaired2.fq -5 -3",
    "-m --merged_out merged.fq --failed_out failed.fq -q 25 -u 30 -A -b 70",
    "--unpaired1 unpaired1.fq --unpaired2 unpaired2.fq -q 25 -u 30",
    "--unpaired1 unpaired1.fq -5 -3 -M 30 --failed_out failed.fq",
    "--unpaired2 unpaired2.fq -5 -r -M 30 --failed_out failed.fq",
    "--overlapped_out overlapped.fq",
    "--overlapped_out overlapped.fq -x -5 -3 -b 80",
    "--overlapped_out overlapped.fq -A",
    "--filter_by_index1 index1.txt --filter_by_index2 index2.txt",
    "-m --merged_out merged.fq --include_unmerged --failed_out failed.fq -q 25 -u 30 -f 4",
    "-m --merged_out merged.fq --overlap_diff_limit 2 -x -g --failed_out failed.fq -l 60",
    "-c --fix_mgi_id -U --umi_loc read1 --umi_len 8 --overlap_len_require 15",
    "--unpaired1 unpaired1.fq --unpaired2 unpaired2.fq --failed_out failed.fq -e 30 -y",
];

#[test]
fn fastp_0_23_is_met() {
    let lines: Vec<(&str, bool)> = BOTH
        .iter()
        .flat_map(|line| [(*line, false), (*line, true)])
        .chain(PAIRS.iter().map(|line| (*line, true)))
        .collect();
    compare(samples(), &lines);
}

#[test]
fn adapters_are_detected_as_by_fastp_0_23() {
    let lines = [
        ("", false),
        ("-3 -t 5", false),
        ("--detect_adapter_for_pe", true),
        ("--detect_adapter_for_pe -c -T 9", true),
        // What is named for one mate is not searched in the other one.
        (
            "--detect_adapter_for_pe -a AGATCGGAAGAGCACACGTCTGAACTCCAGTCA",
            true,
        ),
        (
            "--detect_adapter_for_pe --adapter_sequence_r2 AGATCGGAAGAGC",
            true,
        ),
        ("-5 -3 -x", true),
    ];
    // Fragments of up to 250 bases, so that many adapters are there in full; and reads
    // too short for that.
    let samples = [(4, 150), (5, 60)].map(|(seed, length)| {
        let name = format!("{length} bases, 12,000 pairs");
        (name, simulation::pairs(seed, 12_000, length, "K001"))
    });
    compare(samples.into(), &lines);
}

/// What reads of a kit's libraries show behind the insert: as makers have published them, with an index, as far as
/// the flow cell.
const KITS: [(&str, [&str; 2]); 11] = [
    (
        "TruSeq",
        [
            "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAAGGGGGGGGGG",
            "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAAGGGGGGGGGG",
        ],
    ),
    (
        "Nextera",
        [
            "CTGTCTCTTATACACATCTCCGAGCCCACGAGACTAAGGCGAATCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAAGGGGGGGG",
            "CTGTCTCTTATACACATCTGACGCTGCCGACGAGCGATCTAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAAGGGG",
        ],
    ),
    (
        "Nextera, older",
        [
            "CTGTCTCTTATACACATCTCTGAGCGGGCTGGCAAGGCAGACCGATCTCGTATGCCGTCTTCTGCTTG",
            "CTGTCTCTTATACACATCTCTGATGGCGCGAGGGAGGCGTGTAGATCTCGGTGGTCGCCGTATCATT",
        ],
    ),
    (
        "small RNA",
        [
            "TGGAATTCTCGGGTGCCAAGGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAAGGGGGGGGGG",
            "GATCGTCGGACTGTAGAACTCTGAACGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAAGGGGGGGGGG",
        ],
    ),
    (
        "QIAseq miRNA",
        [
            "AACTGTAGGCACCATCAATAGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG",
            "GATCGTCGGACTGTAGAACTCTGAACGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAA",
        ],
    ),
    (
        "MGI",
        [
            "AAGTCGGAGGCCAAGCGGTCTTAGGAAGACAAATCACGATCTCAACTCCTTGGCTCACAGAACGACATGGCTACGATCCGACTT",
            "AAGTCGGATCGTAGCCATGTCGTTCTGTGAGCCAAGGAGTTGTTGTCTTCCTAAGACCGCTTGGCCTCCGACTT",
        ],
    ),
    (
        "TruSeq 2, pairs",
        [
            "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAA",
            "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAA",
        ],
    ),
    (
        "TruSeq 2, single reads",
        [
            "AGATCGGAAGAGCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAAAAAAAAAAAA",
            "GATCGTCGGACTGTAGAACTCTGAACAAAAAAAAAAAAAAAAA",
        ],
    ),
    (
        "SMART",
        [
            "CTAATACGACTCACTATAGGGCAAGCAGTGGTATCAACGCAGAGTACATGGGAAGCAGTGGTATCAACGCAGAGT",
            "AAGCAGTGGTATCAACGCAGAGTACTTTTTTTTTTTTTTTTTTTTTTTTTTT",
        ],
    ),
    (
        "SOLiD",
        [
            "CCACTACGCCTCCGCTTTCCTCTCTATGGGCAGTCGGTGATACGTACGTGCATGCA",
            "CTGCCCCGGGTTCCTCATTCTCTCAGCAGCATGTTACGCATGCATGCAAA",
        ],
    ),
    (
        "none that is known",
        [
            "ACGTCCATGATCGTACGATTAGCATCAGACTGCATGTTACGATCAGCGGCATTACG",
            "TTGCATCGAGCATGCAATCGGCTAATCGCAGCTTCAGGATCCGATTACGCA",
        ],
    ),
];

#[test]
fn adapters_of_all_kits_are_detected_as_by_fastp_0_23() {
    let lines = [
        ("", false),
        ("--detect_adapter_for_pe", true),
        ("--detect_adapter_for_pe -c -T 40", true),
        ("", true),
    ];
    let mut samples: Vec<_> = KITS
        .iter()
        .zip(100..)
        .map(|((name, adapters), seed)| {
            let adapters = adapters.map(str::as_bytes);
            let mates = inserts::read_through(seed, 15_000, 100, Some(adapters));
            ((*name).to_owned(), mates)
        })
        .collect();
    samples.push((
        "no adapter".to_owned(),
        inserts::read_through(99, 15_000, 100, None),
    ));
    compare(samples, &lines);
}

#[test]
fn fastp_0_23_knows_the_same_instruments() {
    let names = "A0 A1 AB A: NS N5 ND NDX NB NA MN VH VL LH FS SH M0 K0";
    let samples = names.split(' ').map(|name| {
        let mates = [(1, 41), (2, 42)].map(|(mate, y)| {
            let read = |x| {
                let bases = "ACTCATTC".repeat(12 + mate) + &"G".repeat(30);
                let qualities = "I".repeat(bases.len());
                format!(
                    "@{name}123:7:H:1:1101:{x}:{y} {mate}:N:0:ATCACG\n{bases}\n+\n{qualities}\n"
                )
            };
            (0..20).map(read).collect::<String>().into_bytes()
        });
        (name.to_owned(), mates)
    });
    compare(samples.collect(), &[("-A", false), ("-A", true)]);
}

/// Do what each line says with each sample, here and by fastp.
fn compare(samples: Vec<(String, [Vec<u8>; 2])>, lines: &[(&str, bool)]) {
    let Some(version) = version() else {
        println!("skipped: no fastp");
        return;
    };
    if !version.contains("0.23.") {
        println!("skipped: {version} is not 0.23");
        return;
    }
    let mut differences = Vec::new();
    for (name, [first, second]) in samples {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path();
        let write = |name: &str, bytes: &[u8]| std::fs::write(place.join(name), bytes).unwrap();
        write("in1.fq", &first);
        write("in2.fq", &second);
        write("index1.txt", b"ATCACG\n");
        write("index2.txt", b"TTAGGA\nTTAGGT\n");
        write(
            "adapters.fa",
            b">a\nAGATCGGAAGAGCACACGTCTGAAC\n>b\nAGATCGGAAGAGCGTC\n>c\nTTTTTTTTTT\n",
        );
        for &(line, paired) in lines {
            let kind = if paired { "pairs" } else { "single" };
            let what = format!("{name}, {kind}, {line}");
            let inputs = match paired {
                true => vec![&first[..], &second],
                false => vec![&first[..]],
            };
            let mode = Mode::Fastp(FastpVersion::V0_23);
            let outcome = command::run(line, mode, place, &inputs);
            // With this option this fastp gives some reads the names of others, other ones in
            // every run.
            let names = match line.contains("--overlapped_out") {
                true => Names::Ignored,
                false => Names::Compared,
            };
            match fastp(line, paired, place) {
                Ok(()) => {
                    differences.extend(files::differences(&outcome, place, &what, names));
                }
                Err(message) => differences.push(format!("{what}: {message}")),
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Run fastp in `place`.
fn fastp(line: &str, paired: bool, place: &Path) -> Result<(), String> {
    let mut command = Command::new("fastp");
    command.args([
        "-w",
        "1",
        "-j",
        "fastp.json",
        "-h",
        "fastp.html",
        "-i",
        "in1.fq",
    ]);
    // Or else it clears a gigabyte for each run.
    command.arg("--dont_eval_duplication");
    if paired {
        command.args(["-I", "in2.fq"]);
    }
    if !line.contains("--include_unmerged") {
        command.args(["-o", "1.fq"]);
        if paired {
            command.args(["-O", "2.fq"]);
        }
    }
    let output = command
        .args(line.split_whitespace())
        .current_dir(place)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn version() -> Option<String> {
    let output = Command::new("fastp").arg("--version").output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&text).trim().to_owned())
}

/// Names, reads and mates. Fewer than 10,000 pairs, so that fastp detects no adapter.
fn samples() -> Vec<(String, [Vec<u8>; 2])> {
    let mut samples = vec![
        (
            "100 bases, two colours".into(),
            simulation::pairs(1, 1500, 100, "NB501"),
        ),
        (
            "150 bases, four colours".into(),
            simulation::pairs(2, 1500, 150, "K001"),
        ),
        ("36 bases".into(), simulation::pairs(3, 800, 36, "M001")),
    ];
    let Some(directories) = std::env::var_os("THALWEG_FASTP_READS") else {
        return samples;
    };
    for directory in std::env::split_paths(&directories) {
        let mut names: Vec<_> = std::fs::read_dir(&directory)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "fq"))
            .collect();
        names.sort();
        for pair in names.chunks_exact(2) {
            let read = |path: &Path| std::fs::read(path).expect("reads");
            samples.push((
                pair[0].display().to_string(),
                [read(&pair[0]), read(&pair[1])],
            ));
        }
    }
    samples
}
