//! Files that fastp 1.3 wrote.

use std::path::Path;

use thalweg_qc::{FastpVersion, Mode};

use crate::files::Names;
use crate::{command, files};

#[test]
fn files_of_fastp_1_3_are_met() {
    let Some(directory) = std::env::var_os("THALWEG_FASTP_GOLDEN") else {
        println!("skipped: THALWEG_FASTP_GOLDEN names no directory");
        return;
    };
    let directory = Path::new(&directory);
    let table = std::fs::read_to_string(directory.join("options.tsv")).expect("options.tsv");
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in table.lines() {
        let (number, line) = row.split_once('\t').expect("number and options");
        // -D needs what the statistics keep.
        if line.contains("-D") {
            continue;
        }
        let line = line
            .replace("MERGED", "merged.fq")
            .replace("UNPAIRED1", "unpaired1.fq")
            .replace("UNPAIRED2", "unpaired2.fq")
            .replace("FAILED", "failed.fq")
            .replace("OVERLAPPED", "overlapped.fq")
            .replace("IDX1", "IDX1.txt");
        for name in ["sars", "hiseqx", "yeast", "short"] {
            let read = |mate| std::fs::read(directory.join(format!("in/{name}.{mate}.fq")));
            let (first, second) = (read(1).expect("reads"), read(2).expect("mates"));
            for (kind, inputs) in [("pe", vec![&first[..], &second]), ("se", vec![&first[..]])] {
                let place = directory.join(kind).join(name).join(number);
                if !place.exists() {
                    continue;
                }
                let mode = Mode::Fastp(FastpVersion::V1_3);
                let outcome = command::run(&line, mode, directory, &inputs);
                let what = format!("{kind} {name} {number} {line}");
                differences.extend(files::differences(&outcome, &place, &what, Names::Compared));
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "only {compared} runs were compared");
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}
