//! How good reads are.

use crate::Findings;
use crate::figures;
use crate::java::Double;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.quality_sequence;
    if limit.ignored {
        return None;
    }
    let means = &findings.counts.means;
    let lowest = means.iter().position(|&reads| reads > 0)?;
    let highest = means.iter().rposition(|&reads| reads > 0)?;
    let used = &means[lowest..=highest];
    let first = lowest as i64 - i64::from(findings.offset);
    let most = used.iter().max().copied().unwrap_or(0);
    let mode = used.iter().position(|&reads| reads == most).unwrap_or(0);
    let mode = (first + mode as i64) as f64;
    let verdict = Verdict::of(mode <= limit.error, mode <= limit.warn);
    let mut module =
        Module::new("Per sequence quality scores", verdict).head(&["Quality", "Count"]);
    module.rows = (first..)
        .zip(used)
        .map(|(quality, &reads)| vec![quality.to_string(), Double(reads as f64).to_string()])
        .collect();
    module.figures = figures::sequence_quality(first, used);
    Some(module)
}
