//! `thalweg kmers stats`

use serde_json::{Map, Value, json};
use thalweg::kmers::database::Header;
use thalweg::kmers::histogram::{Estimate, Histogram, NoEstimate};

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::open_database;
use crate::options::kmers::StatsArguments;
use crate::options::quantity::thousands;
use crate::output;

pub(crate) fn run(arguments: &StatsArguments) -> Result<(), Fault> {
    let sorting = sort_options(&arguments.sorting)?;
    output::expect_standard_output()?;
    let mut text = String::new();
    let mut documents = Vec::new();
    for path in &arguments.databases {
        let database = open_database(path)?;
        let histogram = database
            .histogram(&sorting)
            .map_err(|error| Fault::from(error).of_temporary_files(TMP_HINT))?;
        let k = database.header().k;
        let name = path.display().to_string();
        let estimate = histogram.estimate(k);
        warn(&name, database.header(), estimate.is_ok());
        warn_of_cut_counts(&name, database.header(), &histogram);
        if arguments.json {
            documents.push(to_json(&name, k, &histogram, &estimate));
        } else {
            text.push_str(&to_text(&name, k, &histogram, &estimate));
        }
    }
    if arguments.json {
        text = format!("{:#}\n", json!({ "databases": documents }));
    }
    Ok(output::print(&text)?)
}

/// Say what makes an estimate false, or impossible.
fn warn(name: &str, header: &Header, is_estimated: bool) {
    /// The largest count that `kmc` keeps unless told otherwise; hardly a k-mer occurs so often.
    const KMC_LARGEST: u64 = 1_000_000_000;
    let (least, largest) = header.kept;
    let only = match (least, largest) {
        (1, KMC_LARGEST..) => None,
        (least, u64::MAX) => Some(format!("of counts from {least} on only")),
        (least, largest) => Some(format!("of counts from {least} to {largest} only")),
    };
    if let Some(only) = only {
        let so = match is_estimated {
            true => "what is estimated is false if others occurred",
            false => "that may be why nothing can be estimated",
        };
        tell!("warning: {name}: {only}: {so}");
    }
    if is_estimated && header.canonical == Some(false) {
        tell!(
            "warning: {name}: the strands are counted apart: of reads of both strands, the genome size is that of \
             both strands together, and the coverage that of one"
        );
    }
}

/// Warn if the largest count is the largest that the file has room for: `kmc` and `jellyfish` cut larger ones. What they
/// were told to cut otherwise (`kmc -cs1000`) their files do not say.
fn warn_of_cut_counts(name: &str, header: &Header, histogram: &Histogram) {
    let bits = header.counter_bytes.map_or(0, |bytes| 8 * u32::from(bytes));
    let largest = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
    // Where larger ones were left out, none were cut.
    if largest > 0 && histogram.max_count() == largest && header.kept.1 > largest {
        tell!(
            "warning: {name}: the largest count, {largest}, is the largest that the file has room for \
             (k-mers with it: {}): if larger ones were cut, the total is too small",
            histogram.get(largest)
        );
    }
}

fn to_text(
    name: &str,
    k: usize,
    histogram: &Histogram,
    estimate: &Result<Estimate, NoEstimate>,
) -> String {
    let mut lines = vec![
        ("k", k.to_string()),
        ("occur once", thousands(histogram.unique())),
        ("distinct", thousands(histogram.distinct())),
        ("total", thousands(histogram.total())),
        ("largest count", thousands(histogram.max_count())),
    ];
    match estimate {
        Ok(estimate) => lines.extend([
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
                format!("{:.3} %", 100.0 * estimate.heterozygosity),
            ),
            (
                "duplicated",
                format!("{:.1} %", 100.0 * estimate.duplication),
            ),
            (
                "error rate",
                format!("{:.3} %", 100.0 * estimate.error_rate),
            ),
            ("fit of the model", format!("{:.3}", estimate.fit)),
        ]),
        Err(reason) => lines.push(("no estimate", reason.to_string())),
    }
    let mut text = format!("{name}\n");
    for (name, value) in lines {
        text.push_str(&format!("  {name:<17} {value}\n"));
    }
    text
}

fn to_json(
    name: &str,
    k: usize,
    histogram: &Histogram,
    estimate: &Result<Estimate, NoEstimate>,
) -> Value {
    let mut fields = Map::new();
    fields.insert("file".to_owned(), json!(name));
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
