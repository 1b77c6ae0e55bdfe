//! How many reads have had an adapter up to each position.

use crate::Findings;
use crate::figures;
use crate::groups::Group;
use crate::java::Double;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let settings = &findings.settings;
    let limit = settings.limits.adapter;
    if limit.ignored {
        return None;
    }
    // A read must be longer than an adapter for a position to be told.
    let positions = match findings.longest.checked_sub(settings.longest_adapter()) {
        Some(0) | None => 0,
        Some(more) => more + 1,
    };
    let groups = findings.groups_of(positions);
    let percents: Vec<Vec<f64>> = (0..settings.adapters.len())
        .map(|adapter| means(&cumulative(findings, adapter, positions), &groups))
        .collect();
    let most = percents.iter().flatten().copied().fold(0.0, f64::max);
    // Where no read is long enough, that is told.
    let verdict = match positions {
        0 => Verdict::Warn,
        _ => Verdict::of_highest(most, limit),
    };
    let mut module = Module::new("Adapter Content", verdict);
    if groups.is_empty() {
        return Some(module);
    }
    module = module.head(&["Position"]);
    let names = settings.adapters.iter().map(|adapter| adapter.name.clone());
    module.head.extend(names);
    for (row, group) in groups.iter().enumerate() {
        let values = percents
            .iter()
            .map(|percents| Double(percents[row]).to_string());
        module
            .rows
            .push(std::iter::once(group.label()).chain(values).collect());
    }
    module.figures = figures::adapter_content(&groups, &settings.adapters, &percents);
    Some(module)
}

/// Of reads, how many percent have this adapter at a position or before it.
fn cumulative(findings: &Findings, adapter: usize, positions: usize) -> Vec<f64> {
    let mut starts = vec![0_u64; positions];
    let hits = findings.counts.hits.get(adapter).into_iter().flatten();
    let hits = hits.map(|(&start, &reads)| (start, reads));
    let in_order = findings.ledger.hits.iter().filter(|hit| hit.0 == adapter);
    for (start, reads) in hits.chain(in_order.map(|&(_, start)| (start, 1))) {
        if let Some(count) = starts.get_mut(start) {
            *count += reads;
        }
    }
    let mut so_far = 0;
    let percent = |&starts: &u64| {
        so_far += starts;
        so_far as f64 * 100.0 / findings.counts.reads as f64
    };
    starts.iter().map(percent).collect()
}

/// The mean over the positions of each group.
fn means(percents: &[f64], groups: &[Group]) -> Vec<f64> {
    let mean = |group: &Group| {
        let upper = group.upper.min(percents.len());
        let sum: f64 = percents
            .get(group.lower - 1..upper)
            .unwrap_or_default()
            .iter()
            .sum();
        sum / group.len() as f64
    };
    groups.iter().map(mean).collect()
}
