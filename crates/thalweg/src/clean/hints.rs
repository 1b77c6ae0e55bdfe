//! What looks like a mistake in what was asked for: said, not judged.

use thalweg::qc::statistics::Statistics;
use thalweg::qc::{Config, UmiLocation};
use thalweg::{Batch, FilePlan, same_template};

use super::options::{AUTO, is_paired};
use crate::input::warn_of_repeats;
use crate::options::bam::{is_named_as_mate, tell_of_pairs};
use crate::options::qc::QcArguments;

/// Warn of mates that say of themselves to be the other one; and where fastp is followed, which compares no names, of
/// those that have none in common.
pub(crate) fn doubt_mates(arguments: &QcArguments, plans: &[FilePlan]) {
    let are_unchecked = arguments.running.fastp_compat.is_some()
        && !arguments.running.quiet
        && !arguments.files.ignore_names;
    if are_unchecked && is_paired(arguments) && !arguments.files.interleaved_in {
        for pair in plans.chunks_exact(2) {
            if !pair[1].is_named_as_mate {
                tell!(
                    "warning: the first reads of {} and {} have different names: they are taken for mates, as fastp \
                     does, and no names are compared",
                    pair[0].path.display(),
                    pair[1].path.display()
                );
            }
        }
    }
    if is_silent(arguments) {
        return;
    }
    if !is_paired(arguments) {
        return tell_of_pairs(plans, "--interleaved_in");
    }
    let warn = |warning: String| tell!("warning: {warning}");
    let files_of_a_pair = match arguments.files.interleaved_in {
        true => 1,
        false => 2,
    };
    for files in plans.chunks(files_of_a_pair) {
        match files {
            [only] if mate_of(&only.first_head) == Some(2) => warn(format!(
                "{}: the first read is named as read 2 of its pair, but is taken as read 1",
                only.path.display()
            )),
            [first, second] => {
                let mates = (mate_of(&first.first_head), mate_of(&second.first_head));
                let (first, second) = (first.path.display(), second.path.display());
                match mates {
                    (Some(2), Some(1)) => warn(format!(
                        "{first} holds read 2 and {second} read 1, by their names: swap them \
                         (and the outputs with them)"
                    )),
                    (Some(one), Some(other)) if one == other => warn(format!(
                        "{first} and {second} both hold read {one}, by their names: name the \
                         file of the other mates"
                    )),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Warn of a lane that is named twice.
pub(crate) fn doubt_lanes(arguments: &QcArguments, plans: &[FilePlan]) {
    if !is_silent(arguments) {
        warn_of_repeats(plans);
    }
}

/// Whether nothing is said but what fastp says, or nothing at all.
fn is_silent(arguments: &QcArguments) -> bool {
    arguments.running.quiet || arguments.running.fastp_compat.is_some()
}

/// Which mate a read is, 1 or 2, if its name says so: `x/2`, `x 2:N:0:ACGT`, or `SRR1.5.2` and
/// `SRR1.5 5/2` as the sequence archives write it.
fn mate_of(head: &[u8]) -> Option<u8> {
    let mut words = head.split(|byte| matches!(byte, b' ' | b'\t'));
    let id = words.next()?;
    let digit = match (id, words.next()) {
        ([.., b'/', digit], _) => *digit,
        (_, Some([digit, b':', b'Y' | b'N', b':', ..] | [.., b'/', digit])) => *digit,
        ([b'S' | b'E' | b'D', b'R', b'R', .., b'.', digit], _)
            if id.iter().filter(|byte| **byte == b'.').count() == 2 =>
        {
            *digit
        }
        _ => return None,
    };
    matches!(digit, b'1' | b'2').then(|| digit - b'0')
}

/// Note that UMIs are to be taken from indexes that the names do not have.
pub(crate) fn doubt_indexes(arguments: &QcArguments, plans: &[FilePlan]) {
    let names = &arguments.names;
    let is_index = names.umi
        && matches!(
            names.umi_loc.to_ascii_lowercase().as_str(),
            "index1" | "index2" | "per_index"
        );
    if is_silent(arguments) || !is_index {
        return;
    }
    if let Some(plan) = plans.iter().find(|plan| !has_index(&plan.first_head)) {
        tell!(
            "thalweg: note: --umi_loc {}: the first name of {} has no index behind its last colon, \
             as 1:N:0:ACGTAC+TTGGCC has: what stands there is taken, if there is a colon",
            names.umi_loc,
            plan.path.display()
        );
    }
}

/// Note that UMIs are to be taken from a tag that the first reads do not have.
pub(crate) fn doubt_tag(arguments: &QcArguments, plans: &[FilePlan]) {
    let names = &arguments.names;
    let location = UmiLocation::parse(&names.umi_loc).filter(|_| names.umi);
    let Some(UmiLocation::Tag(tag)) = location else {
        return;
    };
    let has_tag = |plan: &FilePlan| {
        let mut fields = plan.first_head.split(|byte| *byte == b'\t').skip(1);
        fields.any(|field| field.starts_with(&tag) && field[2..].starts_with(b":Z:"))
    };
    // Of a pair, one with the tag is enough.
    if is_silent(arguments) || plans.iter().any(has_tag) {
        return;
    }
    if let Some(plan) = plans.iter().find(|plan| !plan.first_head.is_empty()) {
        tell!(
            "thalweg: note: --umi_loc {}: the first read of {} has no tag {}: reads without it keep their names",
            names.umi_loc,
            plan.path.display(),
            tag.escape_ascii()
        );
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
pub(crate) fn is_interleaved(batch: &Batch) -> bool {
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
pub(crate) fn note_idle_options(arguments: &QcArguments) {
    if is_silent(arguments) {
        return;
    }
    for (option, why) in idle_options(arguments) {
        tell!("thalweg: note: {option} changes nothing: {why}");
    }
    if leaves_unmerged(arguments) {
        tell!(
            "thalweg: note: pairs that do not merge are not written: name their files with -o and -O, or send them to \
             --merged_out, too, with --include_unmerged"
        );
    }
    for option in empty_outputs(arguments) {
        tell!(
            "thalweg: note: {option} stays empty: --include_unmerged sends all reads that pass to --merged_out"
        );
    }
}

/// Whether pairs that pass go nowhere, as they do with fastp, and nobody says that they shall.
fn leaves_unmerged(arguments: &QcArguments) -> bool {
    let (files, pairs) = (&arguments.files, &arguments.pairs);
    let wanted = pairs.include_unmerged || files.out1.is_some() || files.out2.is_some();
    pairs.merge && !pairs.discard_unmerged && !wanted
}

/// Outputs that get nothing.
fn empty_outputs(arguments: &QcArguments) -> Vec<&'static str> {
    let (files, pairs) = (&arguments.files, &arguments.pairs);
    let outputs = [
        (&files.out1, "-o"),
        (&files.out2, "-O"),
        (&files.unpaired1, "--unpaired1"),
        (&files.unpaired2, "--unpaired2"),
    ];
    let named = outputs
        .into_iter()
        .filter(|(path, _)| path.is_some() && pairs.include_unmerged);
    named.map(|(_, option)| option).collect()
}

fn idle_options(arguments: &QcArguments) -> Vec<(&'static str, &'static str)> {
    let QcArguments {
        files,
        adapters,
        trimming,
        filters,
        pairs,
        names,
        reports,
        ..
    } = arguments;
    let single = !is_paired(arguments);
    let uncut = !(trimming.cut_front
        || trimming.cut_tail
        || trimming.cut_right
        || trimming.cut_by_quality5
        || trimming.cut_by_quality3
        || trimming.cut_by_quality_aggressive);
    let unindexed = filters.filter_by_index1.is_none() && filters.filter_by_index2.is_none();
    let unsplit = files.split.is_none() && files.split_by_lines.is_none();
    let no_pairs = "the reads are single";
    let rows = [
        (single && files.ignore_names, "--ignore_names", no_pairs),
        (single && pairs.correction, "--correction", no_pairs),
        (
            single && adapters.detect_adapter_for_pe,
            "--detect_adapter_for_pe",
            "the reads are single, whose adapters are looked for anyway",
        ),
        (
            single && pairs.overlap_len_require != 30,
            "--overlap_len_require",
            no_pairs,
        ),
        (
            single && pairs.overlap_diff_limit != 5,
            "--overlap_diff_limit",
            no_pairs,
        ),
        (
            single && pairs.overlap_diff_percent_limit != 20,
            "--overlap_diff_percent_limit",
            no_pairs,
        ),
        (
            single && trimming.trim_front2.is_some(),
            "--trim_front2",
            no_pairs,
        ),
        (
            single && trimming.trim_tail2.is_some(),
            "--trim_tail2",
            no_pairs,
        ),
        (
            single && trimming.max_len2.is_some(),
            "--max_len2",
            no_pairs,
        ),
        (
            !single && adapters.detect_adapter_for_pe && adapters.disable_adapter_trimming,
            "--detect_adapter_for_pe",
            "--disable_adapter_trimming is given",
        ),
        (
            adapters.disable_adapter_trimming && adapters.adapter_sequence != AUTO,
            "--adapter_sequence",
            "--disable_adapter_trimming is given",
        ),
        (
            adapters.disable_adapter_trimming && adapters.adapter_sequence_r2 != AUTO,
            "--adapter_sequence_r2",
            "--disable_adapter_trimming is given",
        ),
        (
            adapters.disable_adapter_trimming && adapters.adapter_fasta.is_some(),
            "--adapter_fasta",
            "--disable_adapter_trimming is given",
        ),
        (
            filters.disable_length_filtering && filters.length_required != 15,
            "--length_required",
            "--disable_length_filtering is given",
        ),
        (
            filters.disable_length_filtering && filters.length_limit != 0,
            "--length_limit",
            "--disable_length_filtering is given",
        ),
        (
            filters.disable_quality_filtering && filters.qualified_quality_phred != 15,
            "--qualified_quality_phred",
            "--disable_quality_filtering is given",
        ),
        (
            filters.disable_quality_filtering && filters.unqualified_percent_limit != 40,
            "--unqualified_percent_limit",
            "--disable_quality_filtering is given",
        ),
        (
            filters.disable_quality_filtering && filters.n_base_limit != 5,
            "--n_base_limit",
            "--disable_quality_filtering is given",
        ),
        (
            filters.disable_quality_filtering && filters.average_qual != 0,
            "--average_qual",
            "--disable_quality_filtering is given",
        ),
        (
            trimming.disable_trim_poly_g && trimming.poly_g_min_len != 10,
            "--poly_g_min_len",
            "--disable_trim_poly_g is given",
        ),
        (
            !names.umi && names.umi_skip != 0,
            "--umi_skip",
            "--umi is not given",
        ),
        (
            !names.umi && !names.umi_prefix.is_empty(),
            "--umi_prefix",
            "--umi is not given",
        ),
        (
            reports.no_report && reports.overrepresentation_analysis,
            "--overrepresentation_analysis",
            "--no_report is given",
        ),
        (
            uncut && trimming.cut_window_size != 4,
            "--cut_window_size",
            "none of --cut_front, --cut_tail and --cut_right is given",
        ),
        (
            uncut && trimming.cut_mean_quality != 20,
            "--cut_mean_quality",
            "none of --cut_front, --cut_tail and --cut_right is given",
        ),
        (
            !trimming.trim_poly_x && trimming.poly_x_min_len != 10,
            "--poly_x_min_len",
            "--trim_poly_x is not given",
        ),
        (
            !trimming.trim_poly_a && trimming.poly_a_min_len != 10,
            "--poly_a_min_len",
            "--trim_poly_a is not given",
        ),
        (
            !filters.low_complexity_filter && filters.complexity_threshold != 30,
            "--complexity_threshold",
            "--low_complexity_filter is not given",
        ),
        (
            unindexed && filters.filter_by_index_threshold != 0,
            "--filter_by_index_threshold",
            "neither --filter_by_index1 nor --filter_by_index2 is given",
        ),
        (
            !names.umi && !names.umi_loc.is_empty(),
            "--umi_loc",
            "--umi is not given",
        ),
        (
            !names.umi && names.umi_len != 0,
            "--umi_len",
            "--umi is not given",
        ),
        (
            !reports.overrepresentation_analysis && reports.overrepresentation_sampling != 20,
            "--overrepresentation_sampling",
            "--overrepresentation_analysis is not given",
        ),
        (
            files.split.is_some() && files.out1.is_none(),
            "--split",
            "there is no -o to be split",
        ),
        (
            files.split_by_lines.is_some() && files.out1.is_none(),
            "--split_by_lines",
            "there is no -o to be split",
        ),
        (
            unsplit && files.split_prefix_digits != 4,
            "--split_prefix_digits",
            "neither --split nor --split_by_lines is given",
        ),
    ];
    let idle = rows.into_iter().filter(|(is_idle, ..)| *is_idle);
    idle.map(|(_, option, why)| (option, why)).collect()
}

/// Whether whoever said `-t` may have meant threads, as it does in all other commands: nobody said how many.
pub(crate) fn doubts_tails(arguments: &QcArguments) -> bool {
    let QcArguments {
        trimming, running, ..
    } = arguments;
    let cuts = trimming.trim_tail1 > 0 || trimming.trim_tail2.is_some_and(|tail| tail > 0);
    cuts && running.threads.is_none() && running.fastp_compat.is_none()
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
pub(crate) fn doubt_encoding(config: &Config, before: &[Statistics]) -> Option<&'static str> {
    const ZERO: usize = 33;
    let count = |quality: usize| -> u64 {
        let tables = before.iter().map(Statistics::qualities);
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
        .then_some("all qualities are @ (64) or above: if they count from 64, say --phred64")
}

#[cfg(test)]
mod tests {
    use super::{has_index, looks_paired, mate_of};

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
    fn names_tell_which_mate_it_is() {
        for (head, mate) in [
            ("x/1", Some(1)),
            ("x/2 more", Some(2)),
            ("x 1:N:0:ACGT", Some(1)),
            ("x\t2:Y:18:", Some(2)),
            ("SRR1.5.2 5 length=7", Some(2)),
            ("ERR12.345.1", Some(1)),
            ("SRR1.5 5/2", Some(2)),
            ("SRR1.2", None),
            ("a.b.2", None),
            ("x/3", None),
            ("x", None),
            ("x 2:A", None),
            ("", None),
        ] {
            assert_eq!(mate_of(head.as_bytes()), mate, "{head}");
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
