//! Reports beside those of FastQC itself, and what MultiQC makes of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fastqc::{data, link, place, reads};
use crate::support::{Place, ended};

/// FastQC 0.12.1's reports, in the directory that `THALWEG_FASTQC_GOLDEN` names, on reads in `THALWEG_TEST_DATA`.
#[test]
fn reports_are_those_of_fastqc_0_12() {
    let golden = std::env::var_os("THALWEG_FASTQC_GOLDEN").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let reads = std::env::var_os("THALWEG_TEST_DATA")
        .map_or(beside, PathBuf::from)
        .join("reads");
    let (Some(golden), true) = (golden, reads.is_dir()) else {
        eprintln!(
            "SKIPPED: reports_are_those_of_fastqc_0_12: no THALWEG_FASTQC_GOLDEN, or no reads"
        );
        return;
    };
    let place = place();
    let mut compared = 0;
    for folder in std::fs::read_dir(golden).unwrap() {
        let folder = folder.unwrap().path();
        let wanted = std::fs::read_to_string(folder.join("fastqc_data.txt")).unwrap();
        let file = wanted
            .lines()
            .find_map(|line| line.strip_prefix("Filename\t"))
            .unwrap();
        let folder_name = folder.file_name().unwrap().to_str().unwrap();
        let set = folder_name
            .strip_suffix(file)
            .unwrap()
            .trim_end_matches('_');
        let path = reads.join(set).join(file);
        let threads = ["1", "2", "5"][compared % 3];
        let arguments = [
            "-q",
            "-t",
            threads,
            "-o",
            ".",
            "--extract",
            path.to_str().unwrap(),
        ];
        let ended = ended(link(&place, &arguments));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let name = file
            .replace(".gz", "")
            .replace(".fastq", "")
            .replace(".fq", "");
        assert_same(&data(&place, &name), &wanted, file);
        let summary = place.read(&format!("{name}_fastqc/summary.txt"));
        assert_eq!(
            summary,
            std::fs::read(folder.join("summary.txt")).unwrap(),
            "{file}"
        );
        compared += 1;
    }
    assert_eq!(compared, 27);
}

/// All must be equal but what contaminants are called.
fn assert_same(found: &str, wanted: &str, name: &str) {
    let lines = |text: &str| -> Vec<String> { text.lines().map(without_source).collect() };
    let (found, wanted) = (lines(found), lines(wanted));
    for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found, wanted, "{name}, line {}", number + 1);
    }
    assert_eq!(found.len(), wanted.len(), "{name}");
}

/// Of a frequent sequence: letters, count, percent and source.
fn without_source(line: &str) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[..] {
        [sequence, count, percent, _]
            if sequence.bytes().all(|byte| b"ACGTN".contains(&byte))
                && count.parse::<u64>().is_ok() =>
        {
            [sequence, count, percent].join("\t")
        }
        _ => line.to_owned(),
    }
}

/// Debian's FastQC, if it is there: its version is older, and differs where these settings leave out what differs.
fn old_fastqc() -> bool {
    let version = Command::new("fastqc").arg("--version").output();
    let is_there = version.is_ok_and(|output| output.stdout.starts_with(b"FastQC v0.11.9"));
    if !is_there {
        eprintln!("SKIPPED: no fastqc 0.11.9");
    }
    is_there
}

/// Have both look at files, and compare all modules. The older one looks at other reads for tiles, takes whole reads of 51 to
/// 75 letters for keys, has a column more of duplicates, and does not tell bases. All files at once: starting Java takes
/// seconds.
fn compare_with_old(place: &Place, files: &[&str], options: &[&str]) {
    for (program, directory) in [
        (PathBuf::from("fastqc"), "old"),
        (place.path("fastqc"), "new"),
    ] {
        std::fs::create_dir_all(place.path(directory)).unwrap();
        let mut command = Command::new(program);
        command.current_dir(place.path("."));
        // The quickest that Java has: what it makes of the program is thrown away at once.
        command.env("_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        command
            .args(options)
            .args(["-q", "--extract", "-o", directory])
            .args(files);
        let ended = ended(command);
        assert_eq!(ended.code, Some(0), "{options:?}: {}", ended.stderr);
    }
    for file in files {
        assert_as_old(place, file, options);
    }
}

fn assert_as_old(place: &Place, file: &str, options: &[&str]) {
    let name = file.split('.').next().unwrap();
    let [old, new] = ["old", "new"].map(|directory| {
        let data = place.read(&format!("{directory}/{name}_fastqc/fastqc_data.txt"));
        String::from_utf8(data).unwrap()
    });
    let new: Vec<&str> = new
        .lines()
        .filter(|line| !line.starts_with("Total Bases"))
        .collect();
    let mut is_in_levels = false;
    let old: Vec<String> = old
        .lines()
        .map(|line| {
            is_in_levels = !line.starts_with(">>") && is_in_levels
                || line.starts_with(">>Sequence Duplication");
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                [level, _, percent] if is_in_levels => format!("{level}\t{percent}"),
                _ => line.replace("##FastQC\t0.11.9", "##FastQC\t0.12.1"),
            }
        })
        .collect();
    for (number, (new, old)) in new.iter().zip(&old).enumerate() {
        assert_eq!(new, old, "{file} {options:?}, line {}", number + 1);
    }
    assert_eq!(new.len(), old.len(), "{file} {options:?}");
}

/// All limits, of which the older one has no defaults; those of `more` last.
fn limits(more: &str) -> String {
    let mut text = String::new();
    for module in [
        "duplication",
        "kmer",
        "n_content",
        "overrepresented",
        "quality_base",
        "sequence",
        "gc_sequence",
        "quality_sequence",
        "tile",
        "sequence_length",
        "adapter",
    ] {
        let ignored = u8::from(module == "tile" || module == "kmer");
        text += &format!("{module} ignore {ignored}\n");
    }
    for (module, warn, error) in [
        ("duplication", "70", "50"),
        ("kmer", "2", "5"),
        ("n_content", "5", "20"),
        ("overrepresented", "0.1", "1"),
        ("quality_base_lower", "10", "5"),
        ("quality_base_median", "25", "20"),
        ("sequence", "10", "20"),
        ("gc_sequence", "15", "30"),
        ("quality_sequence", "27", "20"),
        ("tile", "5", "10"),
        ("sequence_length", "1", "1"),
        ("adapter", "5", "10"),
    ] {
        text += &format!("{module} warn {warn}\n{module} error {error}\n");
    }
    text + more
}

#[test]
fn reports_are_those_of_fastqc_0_11() {
    if !old_fastqc() {
        return;
    }
    let place = place();
    let adapters = "Universal\tAGATCGGAAGAG\nG\tGGGGGGGGGGGG\n";
    place.write("adapters", adapters);
    place.write(
        "uneven",
        format!("{adapters}Short\tGATTACAGA\nLong\tAGATCGGAAGAGCACACGTC\n"),
    );
    place.write(
        "contaminants",
        "Adapter\tGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCC\nOther\tTTTTGATCGGAAGAGCACACGTCTGAACTCC\n\
         Short\tGATTACAGATT\n",
    );
    place.write(
        "limits",
        limits("kmer ignore 0\noverrepresented warn 0.01\n"),
    );
    place.write(
        "strict",
        limits("n_content warn 0.01\nsequence_length error 0\nadapter error 1\n"),
    );
    place.write("even.fq", reads(6000, 100, 100));
    place.write("mixed.fq", reads(6000, 80, 160));
    place.write("small.fq", reads(300, 40, 50));
    let lower = String::from_utf8(reads(500, 90, 100)).unwrap();
    let lower: Vec<String> = lower
        .lines()
        .enumerate()
        .map(|(number, line)| match number % 4 {
            1 => line.to_lowercase(),
            _ => line.to_owned(),
        })
        .collect();
    place.write("lower.fq", lower.join("\n") + "\n");
    place.write(
        "none.fq",
        "@a\n\n+\n\n@b\nACGTACGT\n+\nIIIIIIII\n@c\n\n+\n\n",
    );
    // An adapter in a read that is as short counts only behind a longer one.
    place.write("tiny.fq", "@a\nAGATCGGAAGAG\n+\nIIIIIIIIIIII\n@b\nACGTACGTACGTA\n+\nIIIIIIIIIIIII\n@c\nAGATCGGAAGAG\n+\nIIIIIIIIIIII\n");
    let usual = [
        "--contaminants",
        "contaminants",
        "-l",
        "limits",
        "-a",
        "adapters",
    ];
    let files = [
        "even.fq", "mixed.fq", "small.fq", "lower.fq", "none.fq", "tiny.fq",
    ];
    compare_with_old(&place, &files, &usual);
    let more = ["--nogroup", "-k", "5", "--casava"];
    compare_with_old(&place, &["mixed.fq"], &[&usual[..], &more].concat());
    compare_with_old(
        &place,
        &["mixed.fq"],
        &[
            "--contaminants",
            "contaminants",
            "-l",
            "strict",
            "-a",
            "uneven",
        ],
    );
}

/// MultiQC finds the samples, FastQC's version, and what is in the reports.
#[test]
fn multiqc_reads_reports() {
    let place = place();
    place.write("sample_1.fq", reads(2000, 100, 100));
    place.write("sample_2.fq", reads(1500, 50, 100));
    place.write("nothing.fq", "");
    let ended_link = ended(link(
        &place,
        &["-q", "sample_1.fq", "sample_2.fq", "nothing.fq"],
    ));
    assert_eq!(ended_link.code, Some(0), "{}", ended_link.stderr);
    let multiqc = std::env::var_os("THALWEG_MULTIQC").unwrap_or("multiqc".into());
    let mut run = Command::new(multiqc);
    run.current_dir(place.path("."));
    run.args(["-q", "-m", "fastqc", "-o", "report", "."]);
    let Ok(output) = run.output() else {
        eprintln!("SKIPPED: multiqc_reads_reports: no multiqc");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let data: serde_json::Value =
        serde_json::from_slice(&place.read("report/multiqc_data/multiqc_data.json")).unwrap();
    let samples = &data["report_saved_raw_data"]["multiqc_fastqc"];
    for (sample, reads) in [("sample_1", 2000.0), ("sample_2", 1500.0)] {
        assert_eq!(samples[sample]["Total Sequences"], reads, "{samples}");
        assert_eq!(samples[sample]["basic_statistics"], "pass");
    }
    let versions = place.read("report/multiqc_data/multiqc_software_versions.txt");
    let versions = String::from_utf8(versions).unwrap();
    assert!(versions.contains("0.12.1"), "{versions}");
}
