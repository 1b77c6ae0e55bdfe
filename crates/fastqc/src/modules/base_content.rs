//! Which bases there are at each position.

use crate::Findings;
use crate::figures;
use crate::groups::Group;
use crate::java::Double;
use crate::positions::slots_between;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.sequence;
    if limit.ignored {
        return None;
    }
    let groups = findings.groups();
    let rows: Vec<[f64; 4]> = groups
        .iter()
        .map(|&group| percents(findings, group))
        .collect();
    let difference = |&[g, a, t, c]: &[f64; 4]| (a - t).abs().max((g - c).abs());
    let most = rows.iter().map(difference).fold(0.0, f64::max);
    let verdict = Verdict::of_highest(most, limit);
    let mut module =
        Module::new("Per base sequence content", verdict).head(&["Base", "G", "A", "T", "C"]);
    module.rows = groups
        .iter()
        .zip(&rows)
        .map(|(group, percents)| {
            let percents = percents.iter().map(|&percent| Double(percent).to_string());
            std::iter::once(group.label()).chain(percents).collect()
        })
        .collect();
    module.figures = figures::base_content(&groups, &rows);
    Some(module)
}

/// Of G, A, T and C, of all of these in a group.
fn percents(findings: &Findings, group: Group) -> [f64; 4] {
    let mut sums = [0_u64; 5];
    for (slot, _) in slots_between(group.lower, group.upper) {
        let letters = findings.counts.letters.at(slot);
        sums.iter_mut()
            .zip(letters)
            .for_each(|(sum, count)| *sum += count);
    }
    let [a, c, g, t, _] = sums;
    let all = (a + c + g + t) as f64;
    [g, a, t, c].map(|count| count as f64 / all * 100.0)
}
