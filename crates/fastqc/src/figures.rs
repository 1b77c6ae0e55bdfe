//! Pictures of what modules find, drawn with `charts`' areas.
//!
//! The columns of a picture are rows of a table: groups of positions need not be of equal width.

mod plot;

use self::plot::{Plot, Scale};
use crate::Named;
use crate::groups::Group;
use crate::modules::QualityRow;
use crate::report::Figure;

/// Rows of a picture of tiles: of more, those of some that lie on each other are one.
const TILE_ROWS: usize = 100;

fn labels(groups: &[Group]) -> Vec<String> {
    groups.iter().map(|group| group.lower.to_string()).collect()
}

fn figure(
    file: &'static str,
    caption: &str,
    legend: &[(&'static str, &str)],
    svg: String,
) -> Vec<Figure> {
    let legend = legend.iter().map(|&(class, name)| (class, name.to_owned()));
    vec![Figure {
        file,
        caption: caption.to_owned(),
        legend: legend.collect(),
        svg,
    }]
}

pub(crate) fn base_quality(rows: &[QualityRow]) -> Vec<Figure> {
    let groups: Vec<Group> = rows.iter().map(|row| row.group).collect();
    let highest = rows
        .iter()
        .flat_map(|row| row.percentiles.into_iter().chain([row.mean]));
    let highest = highest
        .filter(|value| value.is_finite())
        .fold(40.0, f64::max);
    let mut plot = Plot::new(
        &labels(&groups),
        "position in read",
        Scale::new(0.0, highest, false),
    );
    plot.band("poor", 0.0, 20.0);
    plot.band("fair", 20.0, 28.0);
    plot.band("good", 28.0, f64::INFINITY);
    for (column, row) in rows.iter().enumerate() {
        let [median, lower, upper, tenth, ninetieth] = row.percentiles;
        if median.is_finite() {
            plot.stem(column, tenth, ninetieth);
            plot.bar("box", column, lower, upper);
            plot.tick("median", column, median);
        }
    }
    let means = rows.iter().map(|row| Some(row.mean));
    plot.line("mean", means);
    let legend = [
        ("box", "middle half of reads"),
        ("median", "median"),
        ("mean", "mean"),
    ];
    figure(
        "per_base_quality",
        "Quality at each position; whiskers: 10 % to 90 % of reads",
        &legend,
        plot.finish(),
    )
}

pub(crate) fn tile_quality(groups: &[Group], tiles: &[Vec<f64>]) -> Vec<Figure> {
    let together = tiles.len().div_ceil(TILE_ROWS).max(1);
    let rows: Vec<Vec<f64>> = tiles
        .chunks(together)
        .map(|tiles| {
            let worst = |column: usize| {
                tiles
                    .iter()
                    .map(|tile| tile[column])
                    .fold(f64::INFINITY, f64::min)
            };
            (0..groups.len()).map(worst).collect()
        })
        .collect();
    let caption = match together {
        1 => {
            "Quality less the mean of all tiles; a row for each tile, in the order of their numbers"
                .to_owned()
        }
        _ => format!(
            "Quality less the mean of all tiles; a row for {together} tiles, of which the worst is shown"
        ),
    };
    let svg = plot::heat(&labels(groups), "position in read", &rows);
    let legend = [
        ("cold", "no worse than the mean"),
        ("warm", "worse by 2 and more"),
        ("hot", "worse by 5 and more"),
    ];
    figure("per_tile_quality", &caption, &legend, svg)
}

pub(crate) fn sequence_quality(first: i64, reads: &[u64]) -> Vec<Figure> {
    let labels: Vec<String> = (first..)
        .take(reads.len())
        .map(|quality| quality.to_string())
        .collect();
    let reads: Vec<f64> = reads.iter().map(|&reads| reads as f64).collect();
    let mut plot = Plot::new(&labels, "mean quality of a read", Scale::of(&reads, false));
    plot.line("mean", reads.iter().copied().map(Some));
    figure(
        "per_sequence_quality",
        "Reads by mean quality",
        &[("mean", "reads")],
        plot.finish(),
    )
}

pub(crate) fn base_content(groups: &[Group], rows: &[[f64; 4]]) -> Vec<Figure> {
    let mut plot = Plot::new(
        &labels(groups),
        "position in read",
        Scale::new(0.0, 100.0, true),
    );
    let letters = [
        ("letter-g", "G"),
        ("letter-a", "A"),
        ("letter-t", "T"),
        ("letter-c", "C"),
    ];
    for (place, (class, _)) in letters.into_iter().enumerate() {
        plot.line(class, rows.iter().map(|row| Some(row[place])));
    }
    figure(
        "per_base_sequence_content",
        "Bases at each position",
        &letters,
        plot.finish(),
    )
}

pub(crate) fn sequence_gc(seen: &[f64], model: &[f64]) -> Vec<Figure> {
    let labels: Vec<String> = (0..seen.len()).map(|percent| percent.to_string()).collect();
    let all: Vec<f64> = seen.iter().chain(model).copied().collect();
    let mut plot = Plot::new(
        &labels,
        "percent of G and C in a read",
        Scale::of(&all, false),
    );
    plot.line("model", model.iter().copied().map(Some));
    plot.line("mean", seen.iter().copied().map(Some));
    let legend = [("mean", "reads"), ("model", "a normal distribution")];
    figure(
        "per_sequence_gc_content",
        "Reads by G and C",
        &legend,
        plot.finish(),
    )
}

pub(crate) fn n_content(groups: &[Group], percents: &[f64]) -> Vec<Figure> {
    let mut plot = Plot::new(
        &labels(groups),
        "position in read",
        Scale::new(0.0, 100.0, true),
    );
    plot.line("mean", percents.iter().copied().map(Some));
    figure(
        "per_base_n_content",
        "Bases that were not called",
        &[("mean", "N")],
        plot.finish(),
    )
}

pub(crate) fn lengths(start: usize, width: usize, reads: &[u64]) -> Vec<Figure> {
    // Long reads that are not put together have as many rows as letters.
    let together = reads.len().div_ceil(600).max(1);
    let sums: Vec<f64> = reads
        .chunks(together)
        .map(|reads| reads.iter().sum::<u64>() as f64)
        .collect();
    let labels: Vec<String> = (0..sums.len())
        .map(|row| (start + row * together * width).to_string())
        .collect();
    let mut plot = Plot::new(&labels, "length of a read", Scale::of(&sums, false));
    plot.line("mean", sums.iter().copied().map(Some));
    figure(
        "sequence_length_distribution",
        "Reads by length",
        &[("mean", "reads")],
        plot.finish(),
    )
}

pub(crate) fn duplication(labels: &[&str], percents: &[f64], left: f64) -> Vec<Figure> {
    let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    let mut plot = Plot::new(
        &labels,
        "times that a read comes",
        Scale::new(0.0, 100.0, true),
    );
    plot.line("mean", percents.iter().copied().map(Some));
    let caption =
        format!("Reads by how often they come; without copies, {left:.2} % would be left");
    figure(
        "duplication_levels",
        &caption,
        &[("mean", "of all reads")],
        plot.finish(),
    )
}

pub(crate) fn adapter_content(
    groups: &[Group],
    adapters: &[Named],
    percents: &[Vec<f64>],
) -> Vec<Figure> {
    let mut plot = Plot::new(
        &labels(groups),
        "position in read",
        Scale::new(0.0, 100.0, true),
    );
    for (percents, class) in percents.iter().zip(CLASSES.iter().cycle()) {
        plot.line(class, percents.iter().copied().map(Some));
    }
    let names = adapters.iter().map(|adapter| adapter.name.as_str());
    let legend: Vec<(&'static str, &str)> = CLASSES.iter().copied().cycle().zip(names).collect();
    figure(
        "adapter_content",
        "Reads that have had an adapter up to a position",
        &legend,
        plot.finish(),
    )
}

pub(crate) fn kmers(groups: &[Group], kmers: &[(&str, &[f32])]) -> Vec<Figure> {
    let shown = &kmers[..kmers.len().min(CLASSES.len())];
    let logs = |times: &[f32]| -> Vec<f64> {
        times
            .iter()
            .map(|&times| f64::from(times).max(1.0).log2())
            .collect()
    };
    let all: Vec<f64> = shown.iter().flat_map(|(_, times)| logs(times)).collect();
    let mut plot = Plot::new(&labels(groups), "position in read", Scale::of(&all, false));
    for ((_, times), class) in shown.iter().zip(CLASSES) {
        plot.line(class, logs(times).into_iter().map(Some));
    }
    let legend: Vec<(&'static str, &str)> = CLASSES
        .into_iter()
        .zip(shown.iter().map(|(kmer, _)| *kmer))
        .collect();
    figure(
        "kmer_profiles",
        "k-mers: binary logarithm of how much more often than expected",
        &legend,
        plot.finish(),
    )
}

/// Colours of lines that have no other.
const CLASSES: [&str; 6] = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6"];
