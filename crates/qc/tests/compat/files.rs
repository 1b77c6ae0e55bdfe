//! Comparing files and reports.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use thalweg_qc::counts::Counts;

use crate::command::Outcome;

/// Whether the names of reads are compared.
#[derive(Clone, Copy)]
pub(crate) enum Names {
    Compared,
    Ignored,
}

/// The lines of records but the names.
fn nameless(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|&byte| byte == b'\n').enumerate();
    lines
        .filter(|(number, _)| number % 4 != 0)
        .map(|(_, line)| line)
        .collect()
}

/// What is different between an outcome and what fastp left in `place`.
pub(crate) fn differences(
    outcome: &Outcome,
    place: &Path,
    what: &str,
    names: Names,
) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, ours) in &outcome.files {
        let theirs = std::fs::read(place.join(name)).unwrap_or_default();
        let is_same = match names {
            Names::Compared => *ours == theirs,
            Names::Ignored => nameless(ours) == nameless(&theirs),
        };
        if !is_same {
            let at = first_difference(ours, &theirs);
            differences.push(format!("{what}: {name}: {at}"));
        }
    }
    let json = std::fs::read(place.join("fastp.json")).expect("fastp.json");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    for (mate, adapter) in outcome.adapters.iter().enumerate() {
        let key = format!("/adapter_cutting/read{}_adapter_sequence", mate + 1);
        let ours = adapter.as_deref().unwrap_or(b"unspecified");
        if let Some(theirs) = json.pointer(&key)
            && theirs.as_str().map(str::as_bytes) != Some(ours)
        {
            let ours = String::from_utf8_lossy(ours);
            differences.push(format!("{what}: {key}: {ours} instead of {theirs}"));
        }
    }
    for (key, ours) in numbers(&outcome.counts) {
        // What fastp did not ask for, it does not report.
        let Some(theirs) = json.pointer(&key) else {
            continue;
        };
        if *theirs != ours {
            let mut difference = format!("{what}: {key}: {ours} instead of {theirs}");
            difference.truncate(1000);
            differences.push(difference);
        }
    }
    differences
}

/// Counts by their place in fastp's JSON.
fn numbers(counts: &Counts) -> Vec<(String, Value)> {
    let filtering = &counts.filtering;
    let mut numbers: Vec<(String, Value)> = [
        ("filtering_result/passed_filter_reads", filtering.passed),
        ("filtering_result/low_quality_reads", filtering.low_quality),
        ("filtering_result/too_many_N_reads", filtering.too_many_n),
        (
            "filtering_result/low_complexity_reads",
            filtering.low_complexity,
        ),
        (
            "filtering_result/adapter_dimer_reads",
            filtering.adapter_dimer,
        ),
        ("filtering_result/too_short_reads", filtering.too_short),
        ("filtering_result/too_long_reads", filtering.too_long),
        ("filtering_result/corrected_reads", counts.correction.reads),
        ("filtering_result/corrected_bases", counts.correction.bases),
        (
            "adapter_cutting/adapter_trimmed_reads",
            counts.adapters.trimmed_reads,
        ),
        (
            "adapter_cutting/adapter_trimmed_bases",
            counts.adapters.trimmed_bases,
        ),
        (
            "polyx_trimming/total_polyx_trimmed_reads",
            counts.poly_x.reads.iter().sum(),
        ),
        (
            "polyx_trimming/total_polyx_trimmed_bases",
            counts.poly_x.bases.iter().sum(),
        ),
        ("insert_size/peak", counts.insert_sizes.peak().0 as u64),
        ("insert_size/unknown", counts.insert_sizes.unknown),
    ]
    .into_iter()
    .map(|(key, number)| (format!("/{key}"), Value::from(number)))
    .collect();
    numbers.push((
        "/insert_size/histogram".into(),
        Value::from(counts.insert_sizes.histogram.clone()),
    ));
    for (read, table) in [(1, &counts.adapters.read1), (2, &counts.adapters.read2)] {
        let table: BTreeMap<_, _> = table.iter().collect();
        for (sequence, count) in table {
            let sequence = String::from_utf8_lossy(sequence);
            let key = format!("/adapter_cutting/read{read}_adapter_counts/{sequence}");
            numbers.push((key, Value::from(*count)));
        }
    }
    numbers
}

/// The first record that differs, of ours and of theirs.
fn first_difference(ours: &[u8], theirs: &[u8]) -> String {
    let lines = |text: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(text)
            .lines()
            .map(str::to_owned)
            .collect()
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    let at = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let record = at / 4 * 4;
    let show = |lines: &[String]| {
        let end = lines.len().min(record + 4);
        lines[record.min(end)..end].join("\n    ")
    };
    format!(
        "{} and {} lines, different from line {at}:\n    {}\n  instead of\n    {}",
        ours.len(),
        theirs.len(),
        show(&ours),
        show(&theirs)
    )
}
