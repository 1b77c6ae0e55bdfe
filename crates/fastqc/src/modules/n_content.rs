//! How many bases were not called at each position.

use crate::Findings;
use crate::figures;
use crate::groups::Group;
use crate::java::Double;
use crate::positions::slots_between;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.n_content;
    if limit.ignored {
        return None;
    }
    let groups = findings.groups();
    let percents: Vec<f64> = groups
        .iter()
        .map(|&group| percent(findings, group))
        .collect();
    let most = percents.iter().copied().fold(0.0, f64::max);
    let verdict = Verdict::of_highest(most, limit);
    let mut module = Module::new("Per base N content", verdict).head(&["Base", "N-Count"]);
    module.rows = groups
        .iter()
        .zip(&percents)
        .map(|(group, &percent)| vec![group.label(), Double(percent).to_string()])
        .collect();
    module.figures = figures::n_content(&groups, &percents);
    Some(module)
}

/// Of N, of all letters of a group.
fn percent(findings: &Findings, group: Group) -> f64 {
    let (mut unknown, mut all) = (0, 0);
    for (slot, _) in slots_between(group.lower, group.upper) {
        unknown += findings.counts.letters.at(slot)[4];
        all += findings.counts.qualities.at(slot).iter().sum::<u64>();
    }
    100.0 * (unknown as f64 / all as f64)
}
