//! JSON, read by MultiQC.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use thalweg_qc::FastpVersion;

use crate::reporting::run;
use crate::simulation;

#[test]
fn multiqc_reads_the_json() {
    let program = std::env::var_os("THALWEG_MULTIQC").unwrap_or(OsString::from("multiqc"));
    let version = Command::new(&program).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: no multiqc");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path();
    let [first, second] = simulation::pairs(8, 1500, 100, "K001");
    let run = self::run("-p -P 1 -c", FastpVersion::V1_3, place, &[&first, &second]);
    // What has to be escaped must not hide the name of the sample.
    let command = "thalweg qc -i a.fq.gz -I b.fq.gz -o \"quoted\\\tname\".fq";
    std::fs::write(place.join("fastp.json"), run.report("", command).json()).expect("JSON");
    // Nor must steps that fastp does not know.
    let line = "--trim_poly_a --adapter_sequence_5p CACACACGTACAC";
    let more = self::run(line, FastpVersion::V1_3, place, &[&first, &second]);
    let command = "thalweg qc -i c.fq.gz -I d.fq.gz";
    std::fs::write(
        place.join("more.fastp.json"),
        more.report("", command).json(),
    )
    .expect("JSON");
    let status = Command::new(&program)
        .args(["--quiet", "--module", "fastp", "--outdir", "report", "."])
        .args(["--no-report", "--data-format", "json", "--force"])
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("multiqc");
    assert!(status.success());
    let data = find(place, "multiqc_data.json");
    let data: serde_json::Value = serde_json::from_slice(&data).expect("JSON");
    let samples = &data["report_saved_raw_data"]["multiqc_fastp"];
    // It joins the names of mates.
    let sample = &samples["a_b"];
    assert!(sample.is_object(), "no sample a_b in {samples}");
    assert!(samples["c_d"].is_object(), "no sample c_d in {samples}");
    for (key, expected) in [
        ("/summary/before_filtering/total_reads", 3000),
        ("/filtering_result/passed_filter_reads", {
            let json: serde_json::Value =
                serde_json::from_str(&run.report("", command).json()).expect("JSON");
            json["filtering_result"]["passed_filter_reads"]
                .as_i64()
                .unwrap()
        }),
    ] {
        let found = sample.pointer(key).and_then(serde_json::Value::as_f64);
        assert_eq!(found, Some(expected as f64), "{key} in {sample}");
    }
}

/// The contents of a file somewhere below a directory.
fn find(place: &std::path::Path, name: &str) -> Vec<u8> {
    let mut directories = vec![place.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.file_name().is_some_and(|own| own == name) {
                return std::fs::read(path).expect("a file");
            }
        }
    }
    panic!("MultiQC made no {name}");
}
