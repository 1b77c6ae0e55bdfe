//! How often the same reads come.

use std::collections::HashMap;

use crate::Findings;
use crate::figures;
use crate::java::{Double, map_order, string_hash};
use crate::report::Module;
use crate::verdict::Verdict;

/// Levels of duplication that become one row, from which number on.
const LEVELS: [(u64, &str); 16] = [
    (1, "1"),
    (2, "2"),
    (3, "3"),
    (4, "4"),
    (5, "5"),
    (6, "6"),
    (7, "7"),
    (8, "8"),
    (9, "9"),
    (10, ">10"),
    (51, ">50"),
    (101, ">100"),
    (501, ">500"),
    (1001, ">1k"),
    (5001, ">5k"),
    (10_001, ">10k+"),
];

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.duplication;
    if limit.ignored {
        return None;
    }
    let (mut distinct, mut all) = (0.0, 0.0);
    let mut percents = [0.0; LEVELS.len()];
    for (level, keys) in levels(findings) {
        let keys = corrected(findings, level, keys);
        distinct += keys;
        all += keys * level as f64;
        let slot = LEVELS
            .iter()
            .rposition(|&(from, _)| from <= level)
            .unwrap_or(0);
        percents[slot] += keys * level as f64;
    }
    for percent in &mut percents {
        *percent /= all;
        *percent *= 100.0;
    }
    let left = match all == 0.0 {
        true => 100.0,
        false => distinct / all * 100.0,
    };
    let verdict = Verdict::of(left < limit.error, left < limit.warn);
    let mut module = Module::new("Sequence Duplication Levels", verdict)
        .head(&["Duplication Level", "Percentage of total"]);
    module.notes = vec![format!("Total Deduplicated Percentage\t{}", Double(left))];
    module.rows = LEVELS
        .iter()
        .zip(percents)
        .map(|((_, label), percent)| vec![(*label).to_owned(), Double(percent).to_string()])
        .collect();
    module.figures = figures::duplication(&LEVELS.map(|(_, label)| label), &percents, left);
    Some(module)
}

/// How many keys came how often, in the order in which FastQC adds them up.
fn levels(findings: &Findings) -> Vec<(u64, u64)> {
    let counts = &findings.ledger.counts;
    let keys = findings.ledger.keys();
    let hashes: Vec<u32> = (0..keys.len())
        .map(|key| string_hash(keys.key(key)))
        .collect();
    let mut levels: Vec<(u64, u64)> = Vec::new();
    let mut places = HashMap::new();
    for key in map_order(&hashes) {
        let level = counts[key];
        let place = *places.entry(level).or_insert(levels.len());
        match levels.get_mut(place) {
            Some((_, keys)) => *keys += 1,
            None => levels.push((level, 1)),
        }
    }
    // These are counts, which are their own hash codes.
    let hashes: Vec<u32> = levels.iter().map(|&(level, _)| level as u32).collect();
    let order = map_order(&hashes);
    order.into_iter().map(|place| levels[place]).collect()
}

/// How many keys of a level there would have been, had all been remembered.
fn corrected(findings: &Findings, level: u64, keys: u64) -> f64 {
    let (limit, all) = (findings.ledger.reads_at_limit, findings.ledger.reads);
    let seen = keys as f64;
    if limit == all || all - keys < limit {
        return seen;
    }
    // Below it the number would change by less than a hundredth.
    let least = 1.0 - seen / (seen + 0.01);
    let mut unseen = 1.0;
    for read in 0..limit {
        let left = (all - read) as f64;
        unseen *= (left - level as f64) / left;
        if unseen < least {
            unseen = 0.0;
            break;
        }
    }
    seen / (1.0 - unseen)
}
