//! k-mers that come much more often at some positions than at others.

use crate::Findings;
use crate::binomial;
use crate::figures;
use crate::groups::Group;
use crate::java::{Float, string_hash, table_order};
use crate::kmers::Places;
use crate::report::Module;
use crate::verdict::Verdict;

/// Less likely ones are told.
const UNLIKELY: f32 = 0.01;

/// How many times more often than expected they must be.
const TIMES: f32 = 5.0;

/// What FastQC's table is made for: all k-mers of 7 letters, whatever their length is.
const ROOM: usize = 1 << 14;

/// So many are told.
const ROWS: usize = 20;

/// What is told of a k-mer.
pub(super) struct Uneven {
    kmer: String,
    count: u64,
    p_value: f32,
    /// By group, how much more often than expected.
    pub(super) enrichment: Vec<f32>,
}

impl Uneven {
    fn most(&self) -> f32 {
        self.enrichment.iter().copied().fold(0.0, f32::max)
    }
}

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let limit = findings.settings.limits.kmer;
    if limit.ignored {
        return None;
    }
    let counts = &findings.samples.kmers;
    let positions = (counts.longest + 1).saturating_sub(counts.length);
    let groups = findings.groups_of(positions);
    let mut kmers: Vec<(&[u8], &Places)> = counts
        .kmers
        .iter()
        .map(|(kmer, places)| (&kmer[..counts.length], places))
        .collect();
    kmers.sort_by_key(|(_, places)| places.first);
    let hashes: Vec<u32> = kmers.iter().map(|(kmer, _)| string_hash(kmer)).collect();
    let total = counts.totals.iter().sum();
    let order = table_order(&hashes, ROOM).into_iter();
    let mut uneven: Vec<Uneven> = order
        .filter_map(|place| {
            let (kmer, places) = kmers[place];
            judge(kmer, places, &counts.totals, total, &groups)
        })
        .collect();
    uneven.sort_by(|one, other| other.most().total_cmp(&one.most()));
    uneven.truncate(ROWS);
    let unlikely = uneven
        .first()
        .map(|first| -f64::from(first.p_value).log10());
    let is_beyond = |limit: f64| unlikely.is_some_and(|unlikely| unlikely > limit);
    let verdict = Verdict::of(is_beyond(limit.error), is_beyond(limit.warn));
    let mut module = Module::new("Kmer Content", verdict);
    if uneven.is_empty() {
        return Some(module);
    }
    module = module.head(&[
        "Sequence",
        "Count",
        "PValue",
        "Obs/Exp Max",
        "Max Obs/Exp Position",
    ]);
    for one in &uneven {
        let most = one.most();
        let place = one
            .enrichment
            .iter()
            .position(|&times| times == most)
            .unwrap_or(0);
        module.rows.push(vec![
            one.kmer.clone(),
            (one.count * 5).to_string(),
            Float(one.p_value).to_string(),
            Float(most).to_string(),
            groups[place].label(),
        ]);
    }
    module.figures = figures::kmers(
        &groups,
        &uneven
            .iter()
            .map(|one| (one.kmer.as_str(), &one.enrichment[..]))
            .collect::<Vec<_>>(),
    );
    Some(module)
}

fn judge(
    kmer: &[u8],
    places: &Places,
    totals: &[u64],
    total: u64,
    groups: &[Group],
) -> Option<Uneven> {
    let count: u64 = places.positions.iter().sum();
    let expected = count as f32 / total as f32;
    let combinations = 4_f64.powi(kmer.len() as i32) as f32;
    let sum = |values: &[u64], group: &Group| -> u64 {
        let upper = group.upper.min(places.compared()).min(values.len());
        values
            .get(group.lower - 1..upper)
            .unwrap_or_default()
            .iter()
            .sum()
    };
    let (mut enrichment, mut lowest) = (Vec::with_capacity(groups.len()), 1.0_f32);
    for group in groups {
        let (all, hits) = (sum(totals, group), sum(&places.positions, group));
        let predicted = expected * all as f32;
        let times = hits as f32 / predicted;
        let p_value = match hits as f32 > predicted {
            true => {
                (1.0 - binomial::cumulative(hits, all, f64::from(expected))) as f32 * combinations
            }
            false => 1.0,
        };
        if p_value < UNLIKELY && times > TIMES && p_value < lowest {
            lowest = p_value;
        }
        enrichment.push(times);
    }
    (lowest < UNLIKELY).then(|| Uneven {
        kmer: String::from_utf8_lossy(kmer).into_owned(),
        count,
        p_value: lowest,
        enrichment,
    })
}
