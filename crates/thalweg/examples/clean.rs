//! Cleans reads as `thalweg qc` does: `clean OUT.fq.gz IN.fq.gz`, or `clean OUT1 OUT2 IN1 IN2` for pairs.

use std::path::PathBuf;

use thalweg::clean::{CleanSettings, Cleaned};
use thalweg::{Control, Fault};

fn main() -> Result<(), Fault> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let cleaned = clean(&files, "fastp.json")?;
    println!("{} reads pass", cleaned.passed());
    for (mate, adapter) in (1..).zip(cleaned.found_adapters()) {
        if let Some(adapter) = adapter {
            println!("adapter of read {mate}: {}", adapter.escape_ascii());
        }
    }
    Ok(())
}

/// Outputs before inputs; the report goes to `report`.
pub fn clean(files: &[PathBuf], report: &str) -> Result<Cleaned, Fault> {
    let mut settings = match files {
        [_, reads] => CleanSettings::new([reads]),
        [_, _, first, second] => CleanSettings::new_pairs(first, second),
        _ => {
            return Err(Fault::usage(
                "two files, or four",
                "clean OUT.fq.gz IN.fq.gz",
            ));
        }
    };
    settings.outputs.out1 = Some(files[0].clone());
    settings.outputs.out2 = settings.is_paired().then(|| files[1].clone());
    settings.reports.json = Some(report.into());
    settings.steps.cut_right = true;
    settings.run(&Control {
        says: Some(&|message| eprintln!("{message}")),
        ..Control::default()
    })
}
