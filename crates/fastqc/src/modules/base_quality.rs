//! How good bases are at each position.

use crate::Findings;
use crate::figures;
use crate::groups::Group;
use crate::java::Double;
use crate::positions::slots_between;
use crate::report::Module;
use crate::tally::VALUES;
use crate::verdict::Verdict;

/// Positions that so many reads have, or fewer, have no percentiles.
const FEW: u64 = 100;

/// What a row tells: the mean, and percentiles in the order of the table.
pub(crate) struct Row {
    pub(crate) group: Group,
    pub(crate) mean: f64,
    /// The median, the lower and the upper quartile, the 10th and the 90th percentile; NaN if no position has any.
    pub(crate) percentiles: [f64; 5],
}

const PERCENTS: [u64; 5] = [50, 25, 75, 10, 90];

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limits = &findings.settings.limits;
    if limits.quality_base.ignored {
        return None;
    }
    let rows: Vec<Row> = findings
        .groups()
        .into_iter()
        .map(|group| row(findings, group))
        .collect();
    let (lower, median) = (limits.quality_base_lower, limits.quality_base_median);
    let is_below = |lower: f64, median: f64| {
        rows.iter()
            .any(|row| row.percentiles[1] < lower || row.percentiles[0] < median)
    };
    let verdict = Verdict::of(
        is_below(lower.error, median.error),
        is_below(lower.warn, median.warn),
    );
    let mut module = Module::new("Per base sequence quality", verdict).head(&[
        "Base",
        "Mean",
        "Median",
        "Lower Quartile",
        "Upper Quartile",
        "10th Percentile",
        "90th Percentile",
    ]);
    module.figures = figures::base_quality(&rows);
    module.rows = rows
        .iter()
        .map(|row| {
            let values = std::iter::once(row.mean).chain(row.percentiles);
            let values = values.map(|value| Double(value).to_string());
            std::iter::once(row.group.label()).chain(values).collect()
        })
        .collect();
    Some(module)
}

/// Means over the positions of a group.
fn row(findings: &Findings, group: Group) -> Row {
    let (mut sum, mut positions) = (0.0, 0.0);
    let (mut sums, mut many) = ([0.0; 5], 0.0);
    let zero = usize::from(findings.offset - b'!');
    for (slot, width) in slots_between(group.lower, group.upper) {
        let counts = findings.counts.qualities.at(slot);
        let reads: u64 = counts.iter().sum();
        if reads == 0 {
            continue;
        }
        let width = width as f64;
        let weighted = counts[zero..].iter().zip(0_u64..);
        let total: u64 = weighted.map(|(count, quality)| count * quality).sum();
        add(&mut sum, total as f64 / reads as f64, width);
        positions += width;
        if reads > FEW * width as u64 {
            for (sum, percent) in sums.iter_mut().zip(PERCENTS) {
                add(sum, percentile(&counts[zero..], reads, percent), width);
            }
            many += width;
        }
    }
    Row {
        group,
        mean: match positions > 0.0 {
            true => sum / positions,
            false => 0.0,
        },
        percentiles: sums.map(|sum| match many > 0.0 {
            true => sum / many,
            false => f64::NAN,
        }),
    }
}

/// Add a value of so many positions.
fn add(sum: &mut f64, value: f64, width: f64) {
    // Multiplied by 1, it is the same value.
    *sum += value * width;
}

/// The lowest quality that at least so many percent, rounded down to whole reads, do not exceed.
fn percentile(counts: &[u64], reads: u64, percent: u64) -> f64 {
    debug_assert!(counts.len() <= VALUES);
    let wanted = reads * percent / 100;
    let mut seen = 0;
    let quality = counts.iter().position(|count| {
        seen += count;
        seen >= wanted
    });
    quality.map_or(-1.0, |quality| quality as f64)
}
