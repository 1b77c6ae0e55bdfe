//! What became of the reads, in a few lines on the terminal.

use thalweg::qc::Config;
use thalweg::qc::duplication::DuplicationSummary;
use thalweg::qc::statistics::Statistics;

use super::arguments::QcArguments;
use super::process::Findings;
use crate::quantity::thousands;

/// Say what became of the reads, and where there is more to be read.
pub(crate) fn summarise(
    arguments: &QcArguments,
    config: &Config,
    findings: &Findings,
    duplication: Option<&DuplicationSummary>,
) {
    filtering(findings);
    if findings.interleaved {
        say(
            "note: two and two of the first reads have the same name: if they are pairs, say --interleaved_in",
        );
    }
    if !arguments.reports.no_report {
        bases(config, findings);
        let doubt = super::hints::doubt_encoding(config, &findings.before);
        doubt.inspect(|doubt| say(&format!("note: {doubt}")));
    }
    found_adapters(config);
    steps(config, findings);
    if config.options().paired {
        let sizes = &findings.counts.insert_sizes;
        let pairs = sizes.unknown + sizes.histogram.iter().sum::<u64>();
        if let (peak, 1..) = sizes.peak() {
            let unknown = percent(sizes.unknown, pairs);
            say(&format!(
                "inserts: most often of {peak} bases; unknown for {unknown} of the pairs"
            ));
        }
    }
    if let Some(duplication) = duplication {
        say(&format!("duplicates: {:.2} %", 100.0 * duplication.rate()));
    }
    if !arguments.reports.no_report {
        let (json, html) = (&arguments.reports.json, &arguments.reports.html);
        say(&format!("reports: {}, {}", json.display(), html.display()));
    }
}

fn filtering(findings: &Findings) {
    let filtering = &findings.counts.filtering;
    let passed = filtering.passed - filtering.removed_duplicates;
    let failed = [
        (filtering.low_quality, "low quality"),
        (filtering.too_many_n, "too many N"),
        (filtering.too_short, "too short"),
        (filtering.too_long, "too long"),
        (filtering.low_complexity, "low complexity"),
        (filtering.adapter_dimer, "adapter dimers"),
        (filtering.removed_by_index, "removed by index"),
        (filtering.removed_duplicates, "removed as duplicates"),
    ];
    let all = passed + failed.iter().map(|(reads, _)| reads).sum::<u64>();
    let failed: Vec<String> = failed
        .into_iter()
        .filter(|(reads, _)| *reads > 0)
        .map(|(reads, why)| format!("{} {why}", thousands(reads)))
        .collect();
    let failed = match failed.is_empty() {
        true => "none failed".to_owned(),
        false => failed.join(", "),
    };
    say(&format!(
        "{} of {} reads pass ({}); {failed}",
        thousands(passed),
        thousands(all),
        percent(passed, all)
    ));
}

/// What is left: all that was written, if it is in the statistics after the steps or not.
fn bases(config: &Config, findings: &Findings) {
    let [before, mut after] = [&findings.before, &findings.after].map(|mates| {
        let sum = |of: &dyn Fn(&Statistics) -> u64| mates.iter().map(of).sum::<u64>();
        (
            sum(&Statistics::bases),
            sum(&|mate| mate.bases_from_quality(30)),
        )
    });
    let options = config.options();
    let merged = match after.0 {
        _ if !options.merge || options.include_unmerged => String::new(),
        bases => format!(", {} of them in merged reads", thousands(bases)),
    };
    let uncounted = &findings.counts.uncounted;
    after.0 += uncounted.bases;
    after.1 += uncounted.q30_bases;
    say(&format!(
        "{} of {} bases are left ({}){merged}; Q30: {}, before {}",
        thousands(after.0),
        thousands(before.0),
        percent(after.0, before.0),
        percent(after.1, after.0),
        percent(before.1, before.0)
    ));
}

/// Adapters that nobody named.
fn found_adapters(config: &Config) {
    let options = config.options();
    let given = [&options.adapter_sequence, &options.adapter_sequence_r2];
    for (mate, given) in given.into_iter().enumerate() {
        if given.is_none()
            && let Some(found) = config.adapter_sequence(mate)
        {
            let found = String::from_utf8_lossy(found);
            say(&format!("adapter found in read {}: {found}", mate + 1));
        }
    }
}

/// What was cut and changed, as far as it was asked for.
fn steps(config: &Config, findings: &Findings) {
    let (options, counts) = (config.options(), &findings.counts);
    let (front, adapters) = (&counts.front_adapters, &counts.adapters);
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    if options.trim_poly_g.is_none() && config.trims_poly_g() {
        say("tails of G are cut, as the instrument has two colours (not with -G)");
    }
    for (shown, what, reads, bases) in [
        (
            config.cuts_front_adapters(),
            "adapters at the 5' end cut from",
            front.trimmed_reads,
            front.trimmed_bases,
        ),
        (
            !options.disable_adapter_trimming,
            "adapters cut from",
            adapters.trimmed_reads,
            adapters.trimmed_bases,
        ),
        (
            options.trim_poly_a,
            "polyA cut from",
            sum(&counts.poly_a.reads),
            sum(&counts.poly_a.bases),
        ),
        (
            options.trim_poly_x,
            "tails of one base cut from",
            sum(&counts.poly_x.reads),
            sum(&counts.poly_x.bases),
        ),
        (
            options.paired && (options.correction || options.merge),
            "bases corrected in",
            counts.correction.reads,
            counts.correction.bases,
        ),
    ] {
        if shown {
            let (reads, bases) = (thousands(reads), thousands(bases));
            say(&format!("{what} {reads} reads ({bases} bases)"));
        }
    }
    if options.merge {
        say(&format!("{} pairs merged", thousands(counts.merged_pairs)));
    }
}

fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
    }
}

fn say(line: &str) {
    tell!("thalweg: {line}");
}
