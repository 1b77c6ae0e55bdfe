//! What became of the reads, in a few lines on the terminal.

use std::path::PathBuf;
use std::time::Duration;

use thalweg::clean::{Cleaned, ReportSettings};
use thalweg::files::{counted, percent};
use thalweg::qc::statistics::ReadStatistics;

use crate::options::quantity::thousands;

/// Say what became of the reads, and where there is more to be read.
pub(super) fn summarise(cleaned: &Cleaned) {
    let (settings, counts) = (&cleaned.settings, &cleaned.counts);
    let is_correct = cleaned.config.mode().is_correct();
    filtering(cleaned);
    if is_correct && !settings.outputs.writes_any() {
        let mates = match cleaned.config.options().paired {
            true => "-o FILE and -O FILE write",
            false => "-o FILE writes",
        };
        say(&format!(
            "note: no reads are written: {mates} the reads that pass"
        ));
    }
    for (contaminant, reads) in cleaned.removed() {
        let (name, reads) = (contaminant.name(), counted(reads, "read"));
        say(&format!("{reads} removed that match {name}"));
    }
    if settings.outputs.unpaired1.is_some() || settings.outputs.unpaired2.is_some() {
        let reads = counted(counts.unpaired, "read");
        let counting = match is_correct {
            true => "counted as passed above, their mates as failed",
            false => "counted as failed above, as their mates",
        };
        say(&format!("{reads} written as unpaired ({counting})"));
    }
    if let 1.. = counts.discarded
        && is_correct
        && !settings.discard_unmerged
    {
        let reads = counted(counts.discarded, "read");
        say(&format!(
            "{reads} of unmerged pairs not written (counted as passed above)"
        ));
    }
    if settings.doubts_tails() {
        let tails = &counts.tails;
        let (reads, bases) = (counted(tails.reads, "read"), counted(tails.bases, "base"));
        say(&format!(
            "note: -t and -T (--trim_tail1, --trim_tail2) cut {bases} from the ends of {reads}; the number of threads is -w"
        ));
    }
    if cleaned.looks_interleaved {
        say(
            "note: each two of the first reads have the same name: if they are pairs, use --interleaved_in",
        );
    }
    if !settings.reports.no_report {
        bases(cleaned);
        tell_of_doubt(cleaned);
    }
    for (mate, found) in cleaned.found_adapters().into_iter().enumerate() {
        if let Some(found) = found {
            let found = String::from_utf8_lossy(found);
            say(&format!("adapter found in read {}: {found}", mate + 1));
        }
    }
    steps(cleaned);
    if cleaned.config.options().paired {
        let sizes = &counts.insert_sizes;
        let pairs = sizes.unknown + sizes.histogram.iter().sum::<u64>();
        if let (_, 1..) = sizes.peak() {
            let peak = sizes.told_peak();
            let unknown = percent(sizes.unknown, pairs);
            say(&format!(
                "insert size peak: {peak} bases; not determined for {unknown} of pairs"
            ));
        }
    }
    if let Some(duplication) = &cleaned.duplication {
        let copies = duplication.reads - duplication.distinct;
        say(&format!(
            "duplicates: {}",
            percent(copies, duplication.reads)
        ));
    }
    if !settings.reports.no_report {
        let [json, html] = names(&settings.reports);
        say(&format!("reports: {json}, {html}"));
    }
}

/// Say what fastp says: `said`, which the reports tell, where they are, and how long it took.
pub(super) fn as_fastp(cleaned: &Cleaned, said: &str, took: Duration) {
    tell_of_doubt(cleaned);
    said.lines().for_each(|line| tell!("{line}"));
    let [json, html] = names(&cleaned.settings.reports);
    tell!("\nJSON report: {json}");
    tell!("HTML report: {html}\n");
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned() + " ");
    tell!("{}", words.collect::<String>());
    let version = cleaned.fastp_version();
    tell!("fastp v{version}, time used: {} seconds", took.as_secs());
}

fn tell_of_doubt(cleaned: &Cleaned) {
    if let Some(doubt) = cleaned.doubted_encoding() {
        say(&format!("note: {doubt}"));
    }
}

/// Where the reports are.
fn names(reports: &ReportSettings) -> [String; 2] {
    let shown =
        |path: &Option<PathBuf>| path.iter().map(|path| path.display().to_string()).collect();
    [shown(&reports.json), shown(&reports.html)]
}

fn filtering(cleaned: &Cleaned) {
    let filtering = &cleaned.counts.filtering;
    let passed = cleaned.passed();
    let failed = [
        (filtering.low_quality, "low quality"),
        (filtering.too_many_n, "too many N"),
        (filtering.too_short, "too short"),
        (filtering.too_long, "too long"),
        (filtering.low_complexity, "low complexity"),
        (
            filtering.adapter_dimer,
            match filtering.adapter_dimer {
                1 => "adapter dimer",
                _ => "adapter dimers",
            },
        ),
        (filtering.contaminated, "contaminated"),
        (filtering.removed_by_index, "removed by index"),
        (
            filtering.removed_duplicates,
            match filtering.removed_duplicates {
                1 => "removed as a duplicate",
                _ => "removed as duplicates",
            },
        ),
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
    let few = filtering.why_few_pass(passed, cleaned.longest);
    // Of long reads, a warning has told it.
    if let Some(cause) = few.filter(|_| cleaned.why_long_reads_fail().is_none()) {
        say(&format!("note: fewer than half of the reads pass: {cause}"));
    }
    if all == 0 && cleaned.config.mode().is_correct() {
        say("note: there are no reads in the input");
    }
}

/// What is left: all that was written, if it is in the statistics after the steps or not.
fn bases(cleaned: &Cleaned) {
    let [before, mut after] = [&cleaned.before, &cleaned.after].map(|mates| {
        let sum = |of: &dyn Fn(&ReadStatistics) -> u64| mates.iter().map(of).sum::<u64>();
        (
            sum(&ReadStatistics::bases),
            sum(&|mate| mate.bases_from_quality(30)),
        )
    });
    let options = cleaned.config.options();
    let merged = match after.0 {
        _ if !options.merge || options.include_unmerged => String::new(),
        bases => format!(", {} of them in merged reads", thousands(bases)),
    };
    let uncounted = &cleaned.counts.uncounted;
    after.0 += uncounted.bases;
    after.1 += uncounted.q30_bases;
    say(&format!(
        "{} of {} bases kept ({}){merged}; Q30: {} before, {} after",
        thousands(after.0),
        thousands(before.0),
        percent(after.0, before.0),
        percent(before.1, before.0),
        percent(after.1, after.0)
    ));
}

/// What was cut and changed, as far as it was asked for.
fn steps(cleaned: &Cleaned) {
    let (config, counts) = (&cleaned.config, &cleaned.counts);
    let options = config.options();
    let (front, adapters) = (&counts.front_adapters, &counts.adapters);
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    if config.trims_poly_g() && config.mode().is_correct() {
        let cut = &counts.poly_g;
        let (reads, bases) = (counted(cut.reads, "read"), counted(cut.bases, "base"));
        let cause = match config.two_colour_instrument() {
            Some(serial) => format!(
                "instrument {serial} calls G where there is no signal; -G keeps these tails"
            ),
            None => "enabled by -g".to_owned(),
        };
        say(&format!("polyG tails cut from {reads} ({bases}): {cause}"));
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
            "polyA tails cut from",
            sum(&counts.poly_a.reads),
            sum(&counts.poly_a.bases),
        ),
        (
            options.trim_poly_x,
            "polyX tails cut from",
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
            let (reads, bases) = (counted(reads, "read"), counted(bases, "base"));
            say(&format!("{what} {reads} ({bases})"));
        }
    }
    if options.merge {
        say(&format!(
            "{} merged (before filtering)",
            counted(counts.merged_pairs, "pair")
        ));
    }
}

fn say(line: &str) {
    tell!("thalweg: {line}");
}
