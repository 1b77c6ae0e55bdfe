//! How long reads are.

use crate::figures;
use crate::java::Double;
use crate::report::Module;
use crate::verdict::Verdict;
use crate::{Findings, Grouping};

/// So many rows at most, or a few more.
const ROWS: usize = 50;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.sequence_length;
    if limit.ignored {
        return None;
    }
    let lengths = || findings.counts.lengths.iter();
    let shortest = lengths().next().map_or(0, |(length, _)| length);
    // One more on either side.
    let (low, high) = (shortest.saturating_sub(1), findings.longest + 1);
    let width = match findings.settings.grouping {
        Grouping::None => 1,
        _ => width(high - low),
    };
    let start = match findings.settings.grouping {
        Grouping::None => low,
        _ => low / width * width,
    };
    let mut counts = vec![0_u64; (high - start) / width + 1];
    for (length, reads) in lengths() {
        counts[(length - start) / width] += reads;
    }
    let has_more = lengths().nth(1).is_some();
    let has_empty = lengths().next().is_some_and(|(length, _)| length == 0);
    let verdict = Verdict::of(
        limit.error != 0.0 && has_empty,
        limit.warn != 0.0 && has_more,
    );
    let mut module =
        Module::new("Sequence Length Distribution", verdict).head(&["Length", "Count"]);
    let last = counts.len() - 1;
    for (number, &reads) in counts.iter().enumerate() {
        if reads == 0 && (number == 0 || number == last) {
            continue;
        }
        let first = start + number * width;
        let label = match width {
            1 => first.to_string(),
            _ => format!("{first}-{}", high.min(first + width - 1)),
        };
        module
            .rows
            .push(vec![label, Double(reads as f64).to_string()]);
    }
    module.figures = figures::lengths(start, width, &counts);
    Some(module)
}

/// The smallest of 1, 2, 5, 10, ... that leaves few enough rows.
fn width(range: usize) -> usize {
    let mut power = 1;
    loop {
        for step in [1, 2, 5] {
            if range / (step * power) <= ROWS {
                return step * power;
            }
        }
        power *= 10;
    }
}
