//! What was verified, for other programs.

use std::path::Path;

use serde_json::{Map, Value, json};
use thalweg::VerifyReport;
use thalweg::verify::{FaultCode, LintReport, RecordFault};

/// Of each file, whether it is what it was, and whole.
pub(super) fn of_outcomes(outcomes: &[(&Path, Result<VerifyReport, String>)]) -> String {
    let files = outcomes.iter().map(|(file, outcome)| {
        let mut value = json!({
            "file": file.display().to_string(),
            "ok": outcome.is_ok(),
        });
        match outcome {
            Ok(report) => {
                // Without an index, or one with a hash, there is nothing that it could match.
                value["hash_matches"] = json!(report.hash_matches.then_some(true));
                value["chunks"] = json!(report.chunks);
                value["members"] = json!(report.members);
                value["records"] = json!(report.records);
            }
            Err(told) => value["error"] = json!(told),
        }
        value
    });
    let files: Vec<Value> = files.collect();
    format!("{:#}\n", json!({ "files": files }))
}

/// All faults of records, as far as they are listed.
pub(super) fn of_reports(reports: &[LintReport]) -> String {
    let reports: Vec<Value> = reports.iter().map(of_report).collect();
    format!("{:#}\n", json!({ "reports": reports }))
}

fn of_report(report: &LintReport) -> Value {
    let files = report.files.iter().map(|file| file.display().to_string());
    let files: Vec<String> = files.collect();
    let totals: Map<String, Value> = FaultCode::ALL
        .into_iter()
        .map(|code| {
            let total = report.totals.get(&code).copied().unwrap_or(0);
            (code.to_string(), json!(total))
        })
        .collect();
    let fault = |fault: &RecordFault| {
        json!({
            "code": fault.code.code(),
            "file": files[fault.file],
            "record": fault.record + 1,
            "byte": fault.offset,
            "message": fault.what,
        })
    };
    let faults: Vec<Value> = report.faults.iter().map(fault).collect();
    let out_of_step = report.out_of_step.map(|lacks| {
        json!({
            "record": lacks.record + 1,
            "file": files[lacks.file],
            "lacking": lacks.lacking,
        })
    });
    json!({
        "files": files,
        "ok": report.is_sound(),
        "records": report.records,
        "totals": totals,
        "faults": faults,
        "out_of_step": out_of_step,
        "names_never_agree": report.names_never_agree(),
        "error": report.error.as_ref().map(ToString::to_string),
    })
}
