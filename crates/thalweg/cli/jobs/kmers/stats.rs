//! `thalweg kmers stats`

use serde_json::{Map, Value, json};
use thalweg::databases::{Spectrum, SpectrumSettings};
use thalweg::files::one_line;
use thalweg::kmers::histogram::Estimate;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use crate::options::kmers::StatsArguments;
use crate::options::quantity::thousands;
use crate::output;
use crate::process::hearing::heard_unless;

pub(crate) fn run(arguments: &StatsArguments) -> Result<(), Fault> {
    let settings = SpectrumSettings {
        sorting: sort_options(&arguments.sorting)?,
        ..SpectrumSettings::new(&arguments.databases)
    };
    output::expect_standard_output()?;
    let outcome = heard_unless(arguments.notes.quiet, |control| settings.run(control));
    let spectra = outcome.map_err(|fault| Fault::from(fault).of_temporary_files(TMP_HINT))?;
    let text = match arguments.json {
        true => {
            let documents: Vec<Value> = spectra.iter().map(to_json).collect();
            format!("{:#}\n", json!({ "databases": documents }))
        }
        false => spectra.iter().map(to_text).collect(),
    };
    Ok(output::print(&text)?)
}

fn to_text(spectrum: &Spectrum) -> String {
    let Spectrum {
        path,
        k,
        histogram,
        estimate,
        ..
    } = spectrum;
    let mut lines = vec![
        ("k", k.to_string()),
        ("occur once", thousands(histogram.unique())),
        ("distinct", thousands(histogram.distinct())),
        ("total", thousands(histogram.total())),
        ("largest count", thousands(histogram.max_count())),
    ];
    match estimate {
        Ok(estimate) => {
            lines.extend([
                ("coverage", format!("{:.1}", 2.0 * estimate.coverage)),
                (
                    "peaks",
                    estimate
                        .peaks
                        .iter()
                        .take(4)
                        .map(u64::to_string)
                        .collect::<Vec<_>>()
                        .join(", "),
                ),
                ("genome size", thousands(estimate.genome_size)),
                (
                    "heterozygosity",
                    format!("{:.3}%", 100.0 * estimate.heterozygosity),
                ),
                (
                    "duplicated",
                    format!("{:.1}%", 100.0 * estimate.duplication),
                ),
                ("error rate", format!("{:.3}%", 100.0 * estimate.error_rate)),
                ("fit of the model", format!("{:.3}", estimate.fit)),
            ]);
            if estimate.has_low_coverage() {
                let enough = Estimate::ENOUGH_COVERAGE;
                let note = format!("low coverage: the estimate is uncertain below {enough:.0}");
                lines.push(("note", note));
            }
        }
        Err(reason) => lines.push(("no estimate", reason.to_string())),
    }
    let mut text = format!("{}\n", one_line(path));
    for (name, value) in lines {
        text.push_str(&format!("  {name:<17} {value}\n"));
    }
    text
}

fn to_json(spectrum: &Spectrum) -> Value {
    let Spectrum {
        path,
        k,
        histogram,
        estimate,
        ..
    } = spectrum;
    let mut fields = Map::new();
    fields.insert("file".to_owned(), json!(path.display().to_string()));
    fields.insert("k".to_owned(), json!(k));
    if let Value::Object(totals) = histogram.to_json() {
        for name in ["unique", "distinct", "total", "max_count"] {
            fields.extend(
                totals
                    .get(name)
                    .map(|value| (name.to_owned(), value.clone())),
            );
        }
    }
    let estimate = match estimate {
        Ok(estimate) => json!({
            "coverage": 2.0 * estimate.coverage,
            "coverage_of_one_copy": estimate.coverage,
            "valley": estimate.valley,
            "peaks": estimate.peaks,
            "genome_size": estimate.genome_size,
            "heterozygosity": estimate.heterozygosity,
            "duplication": estimate.duplication,
            "error_kmers": estimate.error_kmers,
            "error_rate": estimate.error_rate,
            "fit": estimate.fit,
        }),
        Err(_) => Value::Null,
    };
    fields.insert("estimate".to_owned(), estimate);
    Value::Object(fields)
}
