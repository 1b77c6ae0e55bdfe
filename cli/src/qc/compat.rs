//! What fastp ignores of its options, and takes for granted.

use std::path::PathBuf;

use super::arguments::{Compat, Files, QcArguments};
use super::options::{AUTO, is_paired};

/// With `--fastp-compat`, take out of `arguments` what fastp accepts without doing anything about it.
///
/// Where reads are written somewhere else than asked for, or nowhere, that is said, as fastp does.
pub(crate) fn leave_out_what_fastp_ignores(arguments: &mut QcArguments) {
    let Some(version) = arguments.running.fastp_compat else {
        return;
    };
    let quiet = arguments.running.quiet;
    leave_out_words(&mut arguments.files, quiet);
    let paired = is_paired(arguments);
    let QcArguments {
        files,
        adapters,
        pairs,
        ..
    } = arguments;
    let ignore = |option: &str, path: &mut Option<PathBuf>, why: &str| {
        if path.take().is_some() && !quiet {
            tell!("thalweg: note: {option} is ignored, as fastp does: {why}");
        }
    };
    if !files.in1.is_empty() {
        files.stdin = false;
    }
    if files.stdout && (version == Compat::V1_3 || (paired && !pairs.merge)) {
        let why = "--stdout is given";
        ignore("-o", &mut files.out1, why);
        ignore("-O", &mut files.out2, why);
    }
    match pairs.merge {
        true => {
            if pairs.merged_out.is_none() && !files.stdout && files.out2.is_none() {
                // As in fastp 0.19.8.
                pairs.merged_out = files.out1.take();
            }
            if pairs.include_unmerged {
                let why = "--include_unmerged is given";
                ignore("-o", &mut files.out1, why);
                ignore("-O", &mut files.out2, why);
                ignore("--unpaired1", &mut files.unpaired1, why);
                ignore("--unpaired2", &mut files.unpaired2, why);
            }
            if files.out1.is_none() {
                ignore("-O", &mut files.out2, "there is no -o");
            }
        }
        false => {
            ignore("--merged_out", &mut pairs.merged_out, "there is no --merge");
            pairs.include_unmerged = false;
        }
    }
    if !paired {
        let why = "the reads are single";
        ignore("--unpaired1", &mut files.unpaired1, why);
        ignore("--unpaired2", &mut files.unpaired2, why);
        ignore("--overlapped_out", &mut files.overlapped_out, why);
        AUTO.clone_into(&mut adapters.adapter_sequence_r2);
        adapters.allow_gap_overlap_trimming = false;
    }
}

/// Inputs have options, beside which other words mean nothing to fastp.
fn leave_out_words(files: &mut Files, quiet: bool) {
    if files.in1.is_empty() && !files.stdin {
        return;
    }
    for word in files.files.drain(..).filter(|_| !quiet) {
        let word = word.display();
        tell!("thalweg: note: {word} is ignored, as fastp does: it belongs to no option");
    }
}
