//! The report for programs: fastp's JSON.

use std::fmt::{Display, Write};

use super::number::SixDigits;
use super::{
    CleaningReport, ReportedContaminants, ReportedPolyG, adapter_list, cycles, mean_quality, ratio,
};
use crate::FastpVersion;
use crate::counts::{AdapterCounts, FixedCounts};
use crate::overrepresented::Overrepresented;
use crate::statistics::{Cycle, ReadStatistics};

/// Letters in the order of fastp's reports, with their places in [`Cycle`].
const LETTERS: [(char, usize); 4] = [('A', 0), ('T', 3), ('C', 1), ('G', 2)];

pub(super) fn json(report: &CleaningReport<'_>) -> String {
    let mut out = Json::default();
    out.line(0, "{");
    summary(&mut out, report);
    filtering(&mut out, report);
    if let Some(duplication) = &report.duplication {
        out.line(1, "\"duplication\": {");
        out.line(
            2,
            format_args!("\"rate\": {}", SixDigits(duplication.rate())),
        );
        out.line(1, "},");
    }
    if report.is_paired() {
        let sizes = &report.counts.insert_sizes;
        out.line(1, "\"insert_size\": {");
        out.line(2, format_args!("\"peak\": {},", sizes.peak().0));
        out.line(2, format_args!("\"unknown\": {},", sizes.unknown));
        let histogram = list(sizes.histogram.iter());
        out.line(2, format_args!("\"histogram\": [{histogram}]"));
        out.line(1, "},");
    }
    adapters(&mut out, report);
    if let Some(contaminants) = &report.contaminants {
        self::contaminants(&mut out, contaminants);
    }
    if report.steps.unmerged {
        merging(&mut out, report);
        unmerged(&mut out, report);
    }
    if report.steps.tails {
        tails(&mut out, report);
    }
    if report.steps.front_adapters {
        front_adapters(&mut out, report);
    }
    if let Some(reported) = report.steps.poly_g {
        poly_g(&mut out, report, reported);
    }
    if report.steps.poly_a {
        poly_a(&mut out, report);
    }
    if report.steps.poly_x {
        poly_x(&mut out, report);
    }
    for (side, statistics) in [("before", report.before), ("after", report.after)] {
        for (mate, statistics) in statistics.iter().enumerate() {
            let name = match report.steps.merging && side == "after" {
                true => String::from("merged_and_filtered"),
                false => format!("read{}_{side}_filtering", mate + 1),
            };
            let sequences = report.overrepresented.as_ref().and_then(|sequences| {
                let sides = [&sequences.before, &sequences.after];
                sides[usize::from(side == "after")].get(mate)
            });
            let sequences = sequences.copied().unwrap_or_default();
            out.line(1, format_args!("\"{name}\": {{"));
            reads(&mut out, statistics, sequences, report.schema);
            out.line(1, "},");
        }
    }
    out.line(1, format_args!("\"command\": {}", quoted(report.command)));
    out.line(0, "}");
    out.text
}

fn summary(out: &mut Json, report: &CleaningReport<'_>) {
    out.line(1, "\"summary\": {");
    out.line(
        2,
        format_args!("\"fastp_version\": {},", quoted(report.version)),
    );
    out.line(
        2,
        format_args!("\"sequencing\": {},", quoted(&report.sequencing())),
    );
    for (side, statistics, end) in [
        ("before", report.before, "},"),
        ("after", report.after, "}"),
    ] {
        out.line(2, format_args!("\"{side}_filtering\": {{"));
        let sum = |of: fn(&ReadStatistics) -> u64| statistics.iter().map(of).sum::<u64>();
        let bases = sum(ReadStatistics::bases);
        let q20 = sum(|statistics| statistics.bases_from_quality(20));
        let q30 = sum(|statistics| statistics.bases_from_quality(30));
        let gc = sum(|statistics| statistics.letters()[1] + statistics.letters()[2]);
        out.line(
            3,
            format_args!("\"total_reads\":{},", sum(ReadStatistics::reads)),
        );
        out.line(3, format_args!("\"total_bases\":{bases},"));
        out.line(3, format_args!("\"q20_bases\":{q20},"));
        out.line(3, format_args!("\"q30_bases\":{q30},"));
        out.line(
            3,
            format_args!("\"q20_rate\":{},", SixDigits(ratio(q20, bases))),
        );
        out.line(
            3,
            format_args!("\"q30_rate\":{},", SixDigits(ratio(q30, bases))),
        );
        for (mate, statistics) in (1..).zip(statistics) {
            let mean = statistics.mean_length();
            out.line(3, format_args!("\"read{mate}_mean_length\":{mean},"));
        }
        out.line(
            3,
            format_args!("\"gc_content\":{}", SixDigits(ratio(gc, bases))),
        );
        out.line(2, end);
    }
    out.line(1, "},");
}

fn filtering(out: &mut Json, report: &CleaningReport<'_>) {
    let (counts, steps) = (report.counts, report.steps);
    let filtering = &counts.filtering;
    let corrected = steps.correction;
    let dimers = steps.adapter_cutting && report.schema == FastpVersion::V1_3;
    let rows = [
        (true, "passed_filter_reads", report.passed()),
        (corrected, "corrected_reads", counts.correction.reads),
        (corrected, "corrected_bases", counts.correction.bases),
        (true, "low_quality_reads", filtering.low_quality),
        (true, "too_many_N_reads", filtering.too_many_n),
        (
            steps.low_complexity,
            "low_complexity_reads",
            filtering.low_complexity,
        ),
        (dimers, "adapter_dimer_reads", filtering.adapter_dimer),
        (
            report.contaminants.is_some(),
            "contaminated_reads",
            filtering.contaminated,
        ),
        (true, "too_short_reads", filtering.too_short),
        (true, "too_long_reads", filtering.too_long),
        (
            steps.duplicates,
            "removed_duplicate_reads",
            filtering.removed_duplicates,
        ),
        (
            steps.by_index,
            "removed_by_index_reads",
            filtering.removed_by_index,
        ),
    ];
    out.line(1, "\"filtering_result\": {");
    let shown: Vec<_> = rows.into_iter().filter(|(shown, ..)| *shown).collect();
    for (number, (_, name, count)) in (1..).zip(&shown) {
        let comma = if number < shown.len() { "," } else { "" };
        out.line(2, format_args!("\"{name}\": {count}{comma}"));
    }
    out.line(1, "},");
}

fn adapters(out: &mut Json, report: &CleaningReport<'_>) {
    let Some(given) = report.steps.adapters else {
        return;
    };
    let counts = &report.counts.adapters;
    let mates = if report.is_paired() { 2 } else { 1 };
    out.line(1, "\"adapter_cutting\": {");
    out.line(
        2,
        format_args!("\"adapter_trimmed_reads\": {},", counts.trimmed_reads),
    );
    out.line(
        2,
        format_args!("\"adapter_trimmed_bases\": {},", counts.trimmed_bases),
    );
    for (mate, sequence) in (1..).zip([given.read1, given.read2]).take(mates) {
        let sequence = sequence.map_or("unspecified".into(), String::from_utf8_lossy);
        let sequence = quoted(&sequence);
        out.line(
            2,
            format_args!("\"read{mate}_adapter_sequence\": {sequence},"),
        );
    }
    // Less than a hundredth is an error in reading, or a chance.
    adapter_counts(out, counts, mates, 0.01);
    out.line(1, "},");
}

/// What reads were removed for, and how many for each.
fn contaminants(out: &mut Json, contaminants: &ReportedContaminants<'_>) {
    let each = contaminants.each.iter();
    let each = each.map(|one| {
        let name = quoted(&one.name);
        format!(
            "{{\"name\": {name}, \"k\": {}, \"removed_reads\": {}}}",
            one.k, one.reads
        )
    });
    let each: Vec<String> = each.collect();
    out.line(1, "\"contaminants\": {");
    let least = contaminants.least_kmers;
    out.line(2, format_args!("\"least_kmers\": {least},"));
    let least = SixDigits(contaminants.least_fraction);
    out.line(2, format_args!("\"least_fraction\": {least},"));
    out.line(2, format_args!("\"each\": [{}]", each.join(", ")));
    out.line(1, "},");
}

/// What became of the reads that pass: two for each merged pair, and the others.
fn merging(out: &mut Json, report: &CleaningReport<'_>) {
    let (merged, discarded) = (report.counts.passed_as_merged, report.counts.discarded);
    let written = report.passed().saturating_sub(2 * merged + discarded);
    out.line(1, "\"merging\": {");
    for (name, count, end) in [
        ("merged_pairs", merged, ","),
        ("unmerged_reads_written", written, ","),
        ("unmerged_reads_not_written", discarded, ""),
    ] {
        out.line(2, format_args!("\"{name}\": {count}{end}"));
    }
    out.line(1, "},");
}

/// Fixed numbers of bases cut off tails.
fn tails(out: &mut Json, report: &CleaningReport<'_>) {
    let tails = &report.counts.tails;
    out.line(1, "\"tail_trimming\": {");
    out.line(2, format_args!("\"trimmed_reads\": {},", tails.reads));
    out.line(2, format_args!("\"trimmed_bases\": {},", tails.bases));
    let bases = tails.bases;
    out.line(
        2,
        format_args!(
            "\"note\": \"-t and -T cut {bases} bases off tails; the number of threads is -w\""
        ),
    );
    out.line(1, "},");
}

/// What was written besides merged reads.
fn unmerged(out: &mut Json, report: &CleaningReport<'_>) {
    let uncounted = &report.counts.uncounted;
    out.line(1, "\"unmerged_after_filtering\": {");
    for (name, count, end) in [
        ("total_reads", uncounted.reads, ","),
        ("total_bases", uncounted.bases, ","),
        ("q30_bases", uncounted.q30_bases, ""),
    ] {
        out.line(2, format_args!("\"{name}\":{count}{end}"));
    }
    out.line(1, "},");
}

/// Adapters at the 5' end, as [`adapters`].
fn front_adapters(out: &mut Json, report: &CleaningReport<'_>) {
    let counts = &report.counts.front_adapters;
    out.line(1, "\"adapter_cutting_5p\": {");
    for (name, count) in [
        ("adapter_trimmed_reads", counts.trimmed_reads),
        ("adapter_trimmed_bases", counts.trimmed_bases),
    ] {
        out.line(2, format_args!("\"{name}\": {count},"));
    }
    // These were named, each of them.
    let mates = if report.is_paired() { 2 } else { 1 };
    adapter_counts(out, counts, mates, 0.0);
    out.line(1, "},");
}

/// What was cut of each mate, if it is the share `least` of all, as the last thing of its
/// section.
fn adapter_counts(out: &mut Json, counts: &AdapterCounts, mates: usize, least: f64) {
    for mate in 0..mates {
        let (sequences, others) = adapter_list(counts, mate, least);
        let mut entries: Vec<String> = sequences
            .into_iter()
            .map(|(sequence, count)| {
                format!("{}:{count}", quoted(&String::from_utf8_lossy(sequence)))
            })
            .collect();
        if others > 0 {
            entries.push(format!("\"others\":{others}"));
        }
        let comma = if mate + 1 < mates { "," } else { "" };
        let (mate, entries) = (mate + 1, entries.join(", "));
        out.line(
            2,
            format_args!("\"read{mate}_adapter_counts\": {{{entries}}}{comma}"),
        );
    }
}

/// Tails of G, and why they are cut.
fn poly_g(out: &mut Json, report: &CleaningReport<'_>, reported: ReportedPolyG<'_>) {
    let FixedCounts { reads, bases } = report.counts.poly_g;
    out.line(1, "\"polyg_trimming\": {");
    match reported.instrument {
        Some(serial) => {
            out.line(2, "\"cause\": \"two-colour instrument\",");
            out.line(2, format_args!("\"instrument\": {},", quoted(serial)));
        }
        None => out.line(2, "\"cause\": \"--trim_poly_g\","),
    }
    out.line(2, format_args!("\"total_polyg_trimmed_reads\": {reads},"));
    out.line(2, format_args!("\"total_polyg_trimmed_bases\": {bases}"));
    out.line(1, "},");
}

/// Tails of A, laid out as those of any base.
fn poly_a(out: &mut Json, report: &CleaningReport<'_>) {
    let counts = &report.counts.poly_a;
    let table = |[first, second]: [u64; 2]| match report.is_paired() {
        true => format!("{{\"read1\": {first}, \"read2\": {second}}}"),
        false => format!("{{\"read1\": {first}}}"),
    };
    out.line(1, "\"polya_trimming\": {");
    for (what, counts, end) in [("reads", counts.reads, ","), ("bases", counts.bases, "")] {
        let sum: u64 = counts.iter().sum();
        out.line(2, format_args!("\"total_polya_trimmed_{what}\": {sum},"));
        let counts = table(counts);
        out.line(2, format_args!("\"polya_trimmed_{what}\": {counts}{end}"));
    }
    out.line(1, "},");
}

fn poly_x(out: &mut Json, report: &CleaningReport<'_>) {
    let counts = &report.counts.poly_x;
    let table = |counts: &[u64; 4]| {
        let [a, t, c, g] = counts;
        format!("{{\"A\": {a}, \"T\": {t}, \"C\": {c}, \"G\": {g}}}")
    };
    let sum = |counts: &[u64; 4]| counts.iter().sum::<u64>();
    // The tab is fastp's.
    out.line(1, "\"polyx_trimming\": \t{");
    out.line(
        2,
        format_args!("\"total_polyx_trimmed_reads\": {},", sum(&counts.reads)),
    );
    out.line(
        2,
        format_args!("\"polyx_trimmed_reads\":{},", table(&counts.reads)),
    );
    out.line(
        2,
        format_args!("\"total_polyx_trimmed_bases\": {},", sum(&counts.bases)),
    );
    out.line(
        2,
        format_args!("\"polyx_trimmed_bases\":{}", table(&counts.bases)),
    );
    out.line(1, "},");
}

fn reads(
    out: &mut Json,
    statistics: &ReadStatistics,
    sequences: &[Overrepresented],
    schema: FastpVersion,
) {
    out.line(2, format_args!("\"total_reads\": {},", statistics.reads()));
    out.line(2, format_args!("\"total_bases\": {},", statistics.bases()));
    for quality in [20, 30, 40] {
        if quality < 40 || schema == FastpVersion::V1_3 {
            let bases = statistics.bases_from_quality(quality);
            out.line(2, format_args!("\"q{quality}_bases\": {bases},"));
        }
    }
    let cycles = &statistics.cycles()[..cycles(statistics)];
    out.line(2, format_args!("\"total_cycles\": {},", cycles.len()));

    out.line(2, "\"quality_curves\": {");
    let mean = |cycle: &Cycle| {
        mean_quality(cycle.quality_bytes.iter().sum(), cycle.total()).unwrap_or(0.0)
    };
    for (letter, place) in LETTERS {
        let curve = list(cycles.iter().map(|cycle| {
            // A letter that does not occur has the quality of all.
            let own = mean_quality(cycle.quality_bytes[place], cycle.letters[place]);
            SixDigits(own.unwrap_or_else(|| mean(cycle)))
        }));
        out.line(3, format_args!("\"{letter}\":[{curve}],"));
    }
    let curve = list(cycles.iter().map(|cycle| SixDigits(mean(cycle))));
    out.line(3, format_args!("\"mean\":[{curve}]"));
    out.line(2, "},");

    out.line(2, "\"content_curves\": {");
    let content = |places: &[usize]| {
        list(cycles.iter().map(|cycle| {
            let bases = places.iter().map(|&place| cycle.letters[place]).sum();
            SixDigits(ratio(bases, cycle.total()))
        }))
    };
    for (letter, place) in LETTERS {
        out.line(3, format_args!("\"{letter}\":[{}],", content(&[place])));
    }
    out.line(3, format_args!("\"N\":[{}],", content(&[4])));
    out.line(3, format_args!("\"GC\":[{}]", content(&[1, 2])));
    out.line(2, "},");

    out.line(2, "\"kmer_count\": {");
    let kmers: Vec<[u8; 5]> = kmers().collect();
    for (row, sixteen) in kmers.chunks(16).enumerate() {
        let entries: Vec<String> = sixteen
            .iter()
            .map(|kmer| {
                let count = statistics.kmer(kmer);
                format!("\t\t\t\"{}\":{count}", String::from_utf8_lossy(kmer))
            })
            .collect();
        let comma = if row < 63 { "," } else { "" };
        out.line(0, format_args!("{}{comma}", entries.join(",")));
    }
    out.line(2, "},");

    out.line(2, "\"overrepresented_sequences\": {");
    let entries: Vec<String> = sequences
        .iter()
        .map(|one| {
            let sequence = quoted(&String::from_utf8_lossy(&one.sequence));
            format!("\t\t\t{sequence}:{}", one.count)
        })
        .collect();
    // fastp ends no line after the last one.
    out.line(0, format_args!("{}\t\t}}", entries.join(",\n")));
}

/// All 5-mers, in the order A, T, C, G.
pub(super) fn kmers() -> impl Iterator<Item = [u8; 5]> {
    (0..1024_usize).map(|number| [8, 6, 4, 2, 0].map(|shift| b"ATCG"[number >> shift & 3]))
}

fn list<T: Display>(values: impl Iterator<Item = T>) -> String {
    let mut text = String::new();
    for value in values {
        if !text.is_empty() {
            text.push(',');
        }
        // Writing to a string does not fail.
        let _ = write!(text, "{value}");
    }
    text
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // DEL is allowed in JSON, but no one expects it.
            '\0'..='\x1f' | '\x7f' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Lines of text with tabs before them.
#[derive(Default)]
struct Json {
    text: String,
}

impl Json {
    fn line(&mut self, depth: usize, line: impl Display) {
        self.text.extend(std::iter::repeat_n('\t', depth));
        let _ = writeln!(self.text, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(
            quoted("a\"b\\c\nd\te\u{1}\u{7f}é"),
            r#""a\"b\\c\nd\te\u0001\u007fé""#
        );
    }

    #[test]
    fn kmers_come_in_the_order_of_fastp() {
        let all: Vec<_> = kmers().collect();
        assert_eq!(
            (&all[0], &all[1], &all[4], &all[1023]),
            (b"AAAAA", b"AAAAT", b"AAATA", b"GGGGG")
        );
    }
}
