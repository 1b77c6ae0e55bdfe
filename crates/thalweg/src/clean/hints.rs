//! What looks like a mistake in what was asked for: said, not judged.

use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::BAM;
use thalweg_qc::statistics::ReadStatistics;
use thalweg_qc::{Config, UmiLocation};
use thalweg_reads::{Batch, FilePlan, same_template};

use super::CleanSettings;
use crate::notes::{self, is_named_as_mate, mate_of};
use crate::{Control, MessageKind};

/// Say what looks like a mistake, when files are open and before they are read.
pub(super) fn doubt(settings: &CleanSettings, plans: &[FilePlan], control: &Control<'_>) {
    match settings.steps.mode.is_correct() {
        true => {
            note_idle_options(settings, control);
            notes::repeats(plans).for_each(|message| control.tell(message));
            doubt_mates(settings, plans, control);
            doubt_indexes(settings, plans, control);
            doubt_tag(settings, plans, control);
        }
        // Nothing is said but what fastp says, which compares no names; but that they differ.
        false => doubt_names(settings, plans, control),
    }
}

/// Where names are not compared, warn of mates that have none in common.
fn doubt_names(settings: &CleanSettings, plans: &[FilePlan], control: &Control<'_>) {
    if settings.ignore_names || !settings.is_paired() || settings.interleaved_in {
        return;
    }
    for pair in plans.chunks_exact(2) {
        if !pair[1].is_named_as_mate {
            let doubt = format!(
                "the first reads of {} and {} have different names: they are taken for mates, as fastp \
                 does, and no names are compared",
                pair[0].path.display(),
                pair[1].path.display()
            );
            control.say(MessageKind::Doubt, doubt);
        }
    }
}

/// Warn of mates that say of themselves to be the other one.
fn doubt_mates(settings: &CleanSettings, plans: &[FilePlan], control: &Control<'_>) {
    if !settings.is_paired() {
        if let Some(note) = notes::taken_as_single(plans, "--interleaved_in") {
            control.tell(note);
        }
        return;
    }
    let warn = |warning: String| control.say(MessageKind::Doubt, warning);
    let files_of_a_pair = match settings.interleaved_in {
        true => 1,
        false => 2,
    };
    for files in plans.chunks(files_of_a_pair) {
        match files {
            // Mates of BAM are put into their order.
            [only] if only.format_name != BAM.name() && mate_of(&only.first_head) == Some(2) => {
                warn(format!(
                    "{}: the first read is named as read 2 of its pair, but is taken as read 1",
                    only.path.display()
                ))
            }
            [first, second] => {
                let mates = (mate_of(&first.first_head), mate_of(&second.first_head));
                let (first, second) = (first.path.display(), second.path.display());
                match mates {
                    (Some(2), Some(1)) => warn(format!(
                        "the mates look swapped: the names in {first} are those of read 2, and those in {second} of \
                         read 1; name the inputs, and the outputs, in the other order"
                    )),
                    (Some(one), Some(other)) if one == other => warn(format!(
                        "by their names, {first} and {second} both hold read {one}: give the file of the \
                         other mates"
                    )),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Note that UMIs are to be taken from indexes that the names do not have.
fn doubt_indexes(settings: &CleanSettings, plans: &[FilePlan], control: &Control<'_>) {
    use UmiLocation::{Index1, Index2, PerIndex};
    let steps = &settings.steps;
    let Some(location @ (Index1 | Index2 | PerIndex)) = steps.umi_loc.filter(|_| steps.umi) else {
        return;
    };
    if let Some(plan) = plans.iter().find(|plan| !has_index(&plan.first_head)) {
        let note = format!(
            "--umi_loc {location}: the first name of {} has no index behind its last colon, \
             as 1:N:0:ACGTAC+TTGGCC has: what stands there is taken, if there is a colon",
            plan.path.display()
        );
        control.say(MessageKind::Note, note);
    }
}

/// Note that UMIs are to be taken from a tag that the first reads do not have.
fn doubt_tag(settings: &CleanSettings, plans: &[FilePlan], control: &Control<'_>) {
    let steps = &settings.steps;
    let location = steps.umi_loc.filter(|_| steps.umi);
    let Some(location @ UmiLocation::Tag(tag)) = location else {
        return;
    };
    let has_tag = |plan: &FilePlan| {
        let mut fields = plan.first_head.split(|byte| *byte == b'\t').skip(1);
        fields.any(|field| field.starts_with(&tag) && field[2..].starts_with(b":Z:"))
    };
    // Of a pair, one with the tag is enough.
    if plans.iter().any(has_tag) {
        return;
    }
    if let Some(plan) = plans.iter().find(|plan| !plan.first_head.is_empty()) {
        let note = format!(
            "--umi_loc {location}: the first read of {} has no tag {}: reads without it keep their names",
            plan.path.display(),
            tag.escape_ascii()
        );
        control.say(MessageKind::Note, note);
    }
}

/// Whether bases follow the last colon of a name, perhaps of two indexes.
fn has_index(head: &[u8]) -> bool {
    let head = match head {
        [rest @ .., b'/', b'1' | b'2'] => rest,
        _ => head,
    };
    let colon = head.iter().rposition(|byte| *byte == b':');
    let index = colon.map(|colon| &head[colon + 1..]);
    index.is_some_and(|index| {
        index.len() > 1 && index.iter().all(|byte| b"ACGTNacgtn+-_".contains(byte))
    })
}

/// Whether reads, taken as single, look like pairs one after the other: two and two of the first have the same name, and
/// no others. Of BAM, flags have told it before.
pub(super) fn is_interleaved(batch: &Batch) -> bool {
    const LOOKED_AT: usize = 8;
    let heads: Vec<Vec<u8>> = batch
        .records()
        .take(LOOKED_AT)
        .map(|read| read.head().to_vec())
        .collect();
    let is_told = batch.blocks()[0].raw_records().is_some()
        && heads.first().is_some_and(|head| is_named_as_mate(head));
    !is_told && looks_paired(&heads)
}

fn looks_paired(heads: &[impl AsRef<[u8]>]) -> bool {
    let same = |pair: &[&[u8]]| match pair {
        [first, second] => same_template(first, second),
        _ => false,
    };
    let heads: Vec<&[u8]> = heads.iter().map(AsRef::as_ref).collect();
    let whole = heads.len() / 2 * 2;
    whole > 0 && heads[..whole].chunks(2).all(same) && !heads[1..].chunks_exact(2).any(same)
}

/// Note options that change nothing, as what they need is not there.
fn note_idle_options(settings: &CleanSettings, control: &Control<'_>) {
    let note = |text: String| control.say(MessageKind::Note, text);
    for (option, why) in settings
        .steps
        .idle()
        .into_iter()
        .chain(idle_options(settings))
    {
        note(format!("--{option} has no effect: {why}"));
    }
    if leaves_unmerged(settings) {
        note(
            "pairs that do not merge are not written: name their files with -o and -O, or send them to \
             --merged_out, too, with --include_unmerged"
                .to_owned(),
        );
    }
    for option in empty_outputs(settings) {
        note(format!(
            "{option} stays empty: --include_unmerged sends all reads that pass to --merged_out"
        ));
    }
}

/// Whether pairs that pass go nowhere, as they do with fastp, and nobody says that they shall.
fn leaves_unmerged(settings: &CleanSettings) -> bool {
    let (outputs, steps) = (&settings.outputs, &settings.steps);
    let wanted = steps.include_unmerged || outputs.out1.is_some() || outputs.out2.is_some();
    steps.merge && !settings.discard_unmerged && !wanted
}

/// Outputs that get nothing.
fn empty_outputs(settings: &CleanSettings) -> Vec<&'static str> {
    let files = &settings.outputs;
    let outputs = [
        (&files.out1, "-o"),
        (&files.out2, "-O"),
        (&files.unpaired1, "--unpaired1"),
        (&files.unpaired2, "--unpaired2"),
    ];
    let named = outputs
        .into_iter()
        .filter(|(path, _)| path.is_some() && settings.steps.include_unmerged);
    named.map(|(_, option)| option).collect()
}

/// Options that change nothing, and why: those that are no steps' own.
fn idle_options(settings: &CleanSettings) -> impl Iterator<Item = (&'static str, &'static str)> {
    let CleanSettings {
        steps,
        outputs,
        reports,
        ..
    } = settings;
    let usual = CleanSettings::new([""; 0]);
    let has_list = settings.adapter_fasta.is_some() || !steps.adapter_fasta.is_empty();
    let unindexed = settings.filter_by_index1.is_none()
        && settings.filter_by_index2.is_none()
        && steps.filter_by_index1.is_empty()
        && steps.filter_by_index2.is_empty();
    let unsplit = outputs.split.is_none() && outputs.split_by_lines.is_none();
    let sampling = reports.overrepresentation_sampling;
    let rows = [
        (
            settings.ignore_names && !settings.is_paired(),
            "ignore_names",
            "the reads are single",
        ),
        (
            steps.disable_adapter_trimming && has_list,
            "adapter_fasta",
            "--disable_adapter_trimming is given",
        ),
        (
            reports.no_report && reports.overrepresentation_analysis,
            "overrepresentation_analysis",
            "--no_report is given",
        ),
        (
            unindexed && steps.filter_by_index_threshold != usual.steps.filter_by_index_threshold,
            "filter_by_index_threshold",
            "neither --filter_by_index1 nor --filter_by_index2 is given",
        ),
        (
            !reports.overrepresentation_analysis
                && sampling != usual.reports.overrepresentation_sampling,
            "overrepresentation_sampling",
            "--overrepresentation_analysis is not given",
        ),
        (
            outputs.split.is_some() && outputs.out1.is_none(),
            "split",
            "-o is not given",
        ),
        (
            outputs.split_by_lines.is_some() && outputs.out1.is_none(),
            "split_by_lines",
            "-o is not given",
        ),
        (
            unsplit && outputs.split_prefix_digits != usual.outputs.split_prefix_digits,
            "split_prefix_digits",
            "neither --split nor --split_by_lines is given",
        ),
    ];
    let idle = rows.into_iter().filter(|(is_idle, ..)| *is_idle);
    idle.map(|(_, option, why)| (option, why))
}

/// Doubt, after the run, that qualities count from where `--phred64` or its absence says.
///
/// With it, what is below 64 became quality 0, and all reads may fail for it. That is little of
/// what counts from 64, where 0 is hardly used, but most of what counts from 33; and the best of
/// that, J, is then quality 10, which no run has as its best. Only B (2) fills reads of its own.
///
/// Without it, what counts from 64 has nothing below @ and hardly more than 40 or 41 above it.
/// What counts from 33 either ends at J or, as long reads and those of some instruments, has bad
/// bases too: below @ are all to 30.
pub(super) fn doubt_encoding(config: &Config, before: &[ReadStatistics]) -> Option<&'static str> {
    const ZERO: usize = 33;
    let count = |quality: usize| -> u64 {
        let tables = before.iter().map(ReadStatistics::qualities);
        tables.map(|table| table[quality]).sum()
    };
    let known = (ZERO..=usize::from(b'~')).filter(|quality| count(*quality) > 0);
    let (least, most) = (known.clone().min()?, known.clone().max()?);
    if config.options().phred64 {
        let all: u64 = known.map(count).sum();
        let (low, best) = (count(ZERO) > all / 2, most - ZERO);
        return match (low, best) {
            (true, _) => Some("most qualities are below 64: is --phred64 right for these reads?"),
            (false, 3..=10) => {
                Some("no quality is above J (74): is --phred64 right for these reads?")
            }
            _ => None,
        };
    }
    let counts_from_64 = least >= usize::from(b'@') && (75..=106).contains(&most);
    (counts_from_64 && config.mode().is_correct())
        .then_some("all qualities are @ (64) or above: if they count from 64, use --phred64")
}

#[cfg(test)]
mod tests {
    use super::{has_index, looks_paired};

    #[test]
    fn interleaved_pairs_are_told_by_their_names() {
        for (heads, wanted) in [
            (&["a/1", "a/2"][..], true),
            (&["a/1", "a/2", "b/1"], true),
            (&["a 1:N:0:", "a 2:N:0:", "b 1:N:0:", "b 2:N:0:"], true),
            (&["SRR1.1.1", "SRR1.1.2", "SRR1.2.1", "SRR1.2.2"], true),
            (&["a", "b", "c", "d"], false),
            (&["a", "a", "b", "c"], false),
            (&["a", "b", "b", "c", "c"], false),
            (&["a", "a", "a", "a"], false),
            (&["a"], false),
            (&[], false),
        ] {
            assert_eq!(looks_paired(heads), wanted, "{heads:?}");
        }
    }

    #[test]
    fn indexes_are_bases_behind_the_last_colon() {
        for (head, wanted) in [
            ("a:b 1:N:0:ACGTAA+TTGGCC", true),
            ("a:b 1:N:0:ACGTAA", true),
            ("a:1:2:ACGT/1", true),
            ("a:7:1101:2000:3000", false),
            ("a:b 1:N:0:", false),
            ("a:b 1:N:0:1", false),
            ("SRR1.5 5/1", false),
            ("x", false),
        ] {
            assert_eq!(has_index(head.as_bytes()), wanted, "{head}");
        }
    }
}
