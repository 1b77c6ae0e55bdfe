//! `thalweg kmers info`

use serde_json::{Value, json};
use thalweg::files::{escape_controls, one_line};
use thalweg::kmers::database::{self, Database, InputShare, Order, Part};

use super::failure::Fault;
use crate::options::kmers::InfoArguments;
use crate::options::quantity::thousands;
use crate::output;

pub(crate) fn run(arguments: &InfoArguments) -> Result<(), Fault> {
    let databases = arguments.databases.iter().map(database::open);
    let databases = databases.collect::<Result<Vec<_>, _>>()?;
    let text = if arguments.json {
        let documents: Vec<Value> = databases.iter().map(to_json).collect();
        format!("{:#}\n", json!({ "databases": documents }))
    } else {
        databases.iter().map(to_text).collect()
    };
    Ok(output::print(&text)?)
}

fn strands(database: &Database) -> &'static str {
    match database.header().canonical {
        Some(true) => "canonical",
        Some(false) => "separate",
        None => "unknown",
    }
}

fn to_text(database: &Database) -> String {
    let header = database.header();
    let number = |number: Option<u64>| number.map_or("unknown".to_owned(), thousands);
    let mut lines = vec![
        ("format", header.format.name().to_owned()),
        ("k", header.k.to_string()),
        ("strands", strands(database).to_owned()),
        ("distinct", number(header.distinct)),
    ];
    if let Some(totals) = database.stored_totals() {
        lines.extend([
            ("total", thousands(totals.total)),
            ("occur once", thousands(totals.unique)),
            ("largest count", thousands(totals.max_count)),
        ]);
    }
    lines.push(match header.order {
        Order::Sorted => ("order", "sorted".to_owned()),
        Order::Partitioned(count) => ("order", format!("sorted in {count} partitions")),
        _ => ("order", "not sorted".to_owned()),
    });
    if let Some(bytes) = header.counter_bytes {
        lines.push(("bytes of a count", bytes.to_string()));
    }
    if let Ok(Some(share)) = InputShare::of(database) {
        lines.push(("shard", format!("{} of {}", share.number, share.of)));
    }
    if let Ok(Some(part)) = Part::of(database) {
        lines.push(("part", format!("{} of {}", part.number, part.of)));
    }
    match header.kept {
        (0 | 1, u64::MAX) => {}
        (min, u64::MAX) => lines.push(("kept counts", format!("{min} and more"))),
        (min, max) => lines.push(("kept counts", format!("{min} to {max}"))),
    }
    for (name, field) in [("command", "cmdline"), ("where", "pwd"), ("when", "time")] {
        let text = match header.provenance.get(field) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                words.join(" ")
            }
            _ => continue,
        };
        if !text.is_empty() {
            lines.push((name, text));
        }
    }
    let mut text = format!("{}\n", one_line(database.path()));
    for (name, value) in lines {
        // Who made it says what it was made with.
        let value = escape_controls(&value, |_| true);
        text.push_str(&format!("  {name:<17} {value}\n"));
    }
    text
}

fn to_json(database: &Database) -> Value {
    let header = database.header();
    let totals = database.stored_totals();
    json!({
        "file": database.path().display().to_string(),
        "format": header.format.name(),
        "k": header.k,
        "canonical": header.canonical,
        "distinct": header.distinct,
        "total": totals.map(|totals| match u64::try_from(totals.total) {
            Ok(total) => json!(total),
            Err(_) => json!(totals.total.to_string()),
        }),
        "unique": totals.map(|totals| totals.unique),
        "max_count": totals.map(|totals| totals.max_count),
        "sorted": header.order == Order::Sorted,
        "partitions": match header.order {
            Order::Partitioned(count) => json!(count),
            _ => Value::Null,
        },
        "counter_bytes": header.counter_bytes,
        "kept": [header.kept.0, header.kept.1],
        "provenance": header.provenance,
    })
}
