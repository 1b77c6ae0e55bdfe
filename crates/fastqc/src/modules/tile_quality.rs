//! How tiles of a flow cell differ from each other.

use crate::Findings;
use crate::figures;
use crate::groups::Group;
use crate::java::Double;
use crate::positions::slots_between;
use crate::report::Module;
use crate::tiles::Tile;
use crate::verdict::Verdict;

pub(super) fn module(findings: &Findings) -> Option<Module> {
    let tiles = &findings.samples.tiles;
    let limit = findings.settings.limits.tile;
    if limit.ignored || tiles.are_dropped || tiles.tiles.is_empty() {
        return None;
    }
    let mut tiles: Vec<(i32, &Tile)> = tiles
        .tiles
        .iter()
        .map(|(&number, tile)| (number, tile))
        .collect();
    tiles.sort_by_key(|&(number, _)| number);
    let groups = findings.groups();
    let mut means: Vec<Vec<f64>> = tiles
        .iter()
        .map(|(_, tile)| {
            groups
                .iter()
                .map(|&group| mean(findings, tile, group))
                .collect()
        })
        .collect();
    for group in 0..groups.len() {
        let sum: f64 = means.iter().map(|tile| tile[group]).sum();
        let average = sum / means.len() as f64;
        means.iter_mut().for_each(|tile| tile[group] -= average);
    }
    let deviations = means.iter().flatten().map(|value| value.abs());
    let verdict = Verdict::of_highest(deviations.fold(0.0, f64::max), limit);
    let mut module =
        Module::new("Per tile sequence quality", verdict).head(&["Tile", "Base", "Mean"]);
    module.rows = tiles
        .iter()
        .zip(&means)
        .flat_map(|((number, _), means)| {
            let row = move |(group, mean): (&Group, &f64)| {
                vec![number.to_string(), group.label(), Double(*mean).to_string()]
            };
            groups.iter().zip(means).map(row)
        })
        .collect();
    module.figures = figures::tile_quality(&groups, &means);
    Some(module)
}

/// The mean over the positions of a group; 0 if no read has any.
fn mean(findings: &Findings, tile: &Tile, group: Group) -> f64 {
    let (mut sum, mut positions) = (0.0, 0.0);
    for (slot, width) in slots_between(group.lower, group.upper) {
        let reads = tile.reads.get(slot).copied().unwrap_or(0);
        if reads > 0 {
            let total = tile.sums[slot].saturating_sub(reads * u64::from(findings.offset));
            sum += total as f64 / reads as f64 * width as f64;
            positions += width as f64;
        }
    }
    match positions > 0.0 {
        true => sum / positions,
        false => 0.0,
    }
}
