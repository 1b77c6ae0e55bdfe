//! What FastQC 0.12.1 wrote: in the directory that `THALWEG_FASTQC_GOLDEN` names, of files in `THALWEG_TEST_DATA`.

use std::path::{Path, PathBuf};

use thalweg_fastqc::Settings;

use crate::reads::{read, report};

#[test]
fn reports_are_those_of_fastqc() {
    let golden = std::env::var_os("THALWEG_FASTQC_GOLDEN").map(PathBuf::from);
    let data = std::env::var_os("THALWEG_TEST_DATA").map(PathBuf::from);
    let data =
        data.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let (Some(golden), true) = (golden, data.join("reads").is_dir()) else {
        eprintln!(
            "SKIPPED: reports_are_those_of_fastqc: THALWEG_FASTQC_GOLDEN names no directory of FastQC's reports, or \
             THALWEG_TEST_DATA none of reads"
        );
        return;
    };
    let mut compared = 0;
    let folders = std::fs::read_dir(&golden).expect("golden files");
    for folder in folders.map(|folder| folder.expect("a folder").path()) {
        let wanted = |file| std::fs::read_to_string(folder.join(file)).expect("a golden file");
        let data_wanted = wanted("fastqc_data.txt");
        let line = data_wanted
            .lines()
            .find_map(|line| line.strip_prefix("Filename\t"));
        let name = line.expect("the name of the file");
        let folder_name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        let set = folder_name
            .strip_suffix(name)
            .and_then(|set| set.strip_suffix('_'));
        let path = data
            .join("reads")
            .join(set.expect("the name of a set"))
            .join(name);
        let report = report(&read(&path), name, Settings::default(), 4000, 3);
        assert_eq!(report.summary(), wanted("summary.txt"), "{folder_name}");
        compare(&report.data(), &data_wanted, folder_name);
        compared += 1;
    }
    assert_eq!(compared, 27);
}

/// All must be equal but what contaminants are called: only how long and how similar they are.
fn compare(found: &str, wanted: &str, name: &str) {
    let mut lines = found.lines().zip(wanted.lines());
    let mut is_in_list = false;
    for (number, (found, wanted)) in lines.by_ref().enumerate() {
        is_in_list =
            is_in_list && !wanted.starts_with(">>") || wanted.starts_with(">>Overrepresented");
        let (found, wanted) = match is_in_list {
            true => (without_source(found), without_source(wanted)),
            false => (found.to_owned(), wanted.to_owned()),
        };
        assert_eq!(found, wanted, "{name}, line {}", number + 1);
    }
    assert_eq!(found.lines().count(), wanted.lines().count(), "{name}");
}

/// Makers whose oligonucleotides FastQC does not know.
const OTHERS: [&str; 3] = ["Oxford Nanopore", "PacBio", "MGI"];

fn without_source(line: &str) -> String {
    match line.rsplit_once('\t') {
        Some((before, source)) if OTHERS.iter().any(|maker| source.starts_with(maker)) => {
            format!("{before}\tNo Hit")
        }
        Some((before, source)) => {
            let similarity = source.find('(').map_or(source, |at| &source[at..]);
            format!("{before}\t{similarity}")
        }
        None => line.to_owned(),
    }
}
