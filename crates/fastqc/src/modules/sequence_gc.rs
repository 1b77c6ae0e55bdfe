//! How many G and C reads have, beside a normal distribution.

use crate::Findings;
use crate::figures;
use crate::java::Double;
use crate::report::Module;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.gc_sequence;
    if limit.ignored {
        return None;
    }
    let seen = &findings.ledger.gc;
    let model = Model::new(seen);
    let verdict = Verdict::of_highest(model.deviation, limit);
    let mut module = Module::new("Per sequence GC content", verdict).head(&["GC Content", "Count"]);
    module.rows = seen
        .iter()
        .enumerate()
        .map(|(percent, &reads)| vec![percent.to_string(), Double(reads).to_string()])
        .collect();
    module.figures = figures::sequence_gc(seen, &model.reads);
    Some(module)
}

/// A normal distribution like the one that is seen.
struct Model {
    reads: [f64; 101],
    /// How far what is seen is from it, in percent of all reads.
    deviation: f64,
}

impl Model {
    fn new(seen: &[f64; 101]) -> Self {
        let total: f64 = seen.iter().sum();
        let center = center(seen);
        let spread = |(percent, reads): (usize, &f64)| {
            let from = percent as f64 - center;
            from * from * reads
        };
        let variance = seen.iter().enumerate().map(spread).sum::<f64>() / (total - 1.0);
        let deviation = variance.sqrt();
        let height = 1.0 / (2.0 * std::f64::consts::PI * deviation * deviation).sqrt();
        let mut reads = [0.0; 101];
        let mut off = 0.0;
        for (percent, (reads, seen)) in reads.iter_mut().zip(seen).enumerate() {
            let from = percent as f64 - center;
            let power = -(from * from / (2.0 * deviation * deviation));
            *reads = height * std::f64::consts::E.powf(power) * total;
            off += (*reads - seen).abs();
        }
        Model {
            reads,
            deviation: off / total * 100.0,
        }
    }
}

/// The mean of the percents around the most frequent one that have more than nine tenths of its reads; that one itself if they
/// reach an end of the scale.
fn center(seen: &[f64; 101]) -> f64 {
    let most = seen.iter().copied().fold(0.0, f64::max);
    let mode = seen.iter().position(|&reads| reads == most).unwrap_or(0);
    let is_near = |percent: &usize| seen[*percent] > seen[mode] - seen[mode] / 10.0;
    let above = (mode..101).take_while(is_near).count();
    let below = (0..mode).rev().take_while(is_near).count();
    if above == 101 - mode || below == mode {
        return mode as f64;
    }
    let near = mode - below..mode + above;
    let number = near.len() as f64;
    near.sum::<usize>() as f64 / number
}
