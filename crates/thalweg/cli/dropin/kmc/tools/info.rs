//! `kmc_tools info`: what a database says of itself

use std::path::Path;

use thalweg::kmers::database::{self, DatabaseFormat, Order};

use crate::jobs::kmers::failure::Fault;
use crate::output;

pub(super) fn run(path: &Path) -> Result<(), Fault> {
    let database = database::open(path)?;
    let header = database.header();
    let number = |number: Option<u64>| number.map_or("not said".to_owned(), |it| it.to_string());
    let bytes = header
        .counter_bytes
        .map_or("not said".to_owned(), |bytes| format!("{bytes} bytes"));
    let strands = match header.canonical {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not said",
    };
    let format = match header.format {
        DatabaseFormat::Kmc => "KMC1.x",
        DatabaseFormat::Kmc2 => "KMC2.x",
        other => other.name(),
    };
    let mut lines = vec![
        ("k", header.k.to_string()),
        ("total k-mers", number(header.distinct)),
        ("cutoff max", header.kept.1.to_string()),
        ("cutoff min", header.kept.0.to_string()),
        ("counter size", bytes),
        ("mode", "occurrence counters".to_owned()),
        ("both strands", strands.to_owned()),
        ("database format", format.to_owned()),
    ];
    if let Some(prefix) = header.prefix {
        // A database of one table has, to KMC, no bins.
        let bins = match header.order {
            Order::Partitioned(bins) => bins,
            _ => 0,
        };
        lines.extend([
            (
                "signature length",
                header.signature.unwrap_or(0).to_string(),
            ),
            ("number of bins", bins.to_string()),
            ("lut_prefix_len", prefix.to_string()),
        ]);
    }
    let lines = lines.iter();
    let text: String = lines
        .map(|(name, value)| format!("{name:<18}:  {value}\n"))
        .collect();
    Ok(output::print(&text)?)
}
