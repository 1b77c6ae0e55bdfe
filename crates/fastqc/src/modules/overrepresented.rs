//! Reads that come so often that something is the matter.

use crate::Findings;
use crate::contaminants;
use crate::java::{Double, map_order, string_hash};
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.overrepresented;
    if limit.ignored {
        return None;
    }
    let keys = findings.ledger.keys();
    let counts = &findings.ledger.counts;
    let percent = |key: usize| counts[key] as f64 / findings.ledger.reads as f64 * 100.0;
    let frequent: Vec<usize> = (0..keys.len())
        .filter(|&key| percent(key) > limit.warn)
        .collect();
    let mut module = Module::new("Overrepresented sequences", Verdict::Pass);
    if frequent.is_empty() {
        return Some(module);
    }
    // Equals stay in the order of the table that all keys are in.
    let hashes: Vec<u32> = (0..keys.len())
        .map(|key| string_hash(keys.key(key)))
        .collect();
    let mut order: Vec<usize> = map_order(&hashes);
    order.retain(|key| frequent.binary_search(key).is_ok());
    order.sort_by_key(|&key| std::cmp::Reverse(counts[key]));
    module.verdict = Verdict::of(percent(order[0]) > limit.error, true);
    module = module.head(&["Sequence", "Count", "Percentage", "Possible Source"]);
    for key in order {
        let sequence = keys.key(key);
        let source = contaminants::source(sequence, &findings.settings.contaminants);
        module.rows.push(vec![
            String::from_utf8_lossy(sequence).into_owned(),
            counts[key].to_string(),
            Double(percent(key)).to_string(),
            source.map_or("No Hit".to_owned(), |source| source.to_string()),
        ]);
    }
    Some(module)
}
