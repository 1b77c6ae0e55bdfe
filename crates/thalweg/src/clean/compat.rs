//! What fastp ignores of its options, and takes for granted; and what it says of it.

use std::path::{Path, PathBuf};

use thalweg::qc::Options;

use super::options::{AUTO, is_paired};
use crate::options::qc::{Compat, Files, QcArguments, Trimming};

/// Where fastp is followed, print a line of its own on standard error.
pub(crate) fn say(arguments: &QcArguments, line: &str) {
    if arguments.running.fastp_compat.is_some() && !arguments.running.quiet {
        tell!("{line}");
    }
}

/// With `--fastp-compat`, take out of `arguments` what fastp accepts without doing anything about it.
///
/// Returns what fastp says of it when it has looked for adapters. Where fastp says nothing, but reads are written somewhere
/// else than asked for, or nowhere, that is noted here.
pub(crate) fn leave_out_what_fastp_ignores(arguments: &mut QcArguments) -> Vec<String> {
    let Some(version) = arguments.running.fastp_compat else {
        return Vec::new();
    };
    let quiet = arguments.running.quiet;
    leave_out_words(&mut arguments.files, quiet);
    let paired = is_paired(arguments);
    if arguments.pairs.discard_unmerged {
        say(
            arguments,
            "DEPRECATED: --discard_unmerged has no effect now, see the introduction for merging.",
        );
    }
    let QcArguments {
        files,
        adapters,
        pairs,
        ..
    } = arguments;
    if !files.in1.is_empty() {
        files.stdin = false;
    }
    let mut said = Said::default();
    // fastp takes the file of read 1 for both.
    let unpaired = |files: &mut Files, said: &mut Said, why: &str, names: [&str; 2]| {
        files.unpaired2 = files.unpaired2.take().or_else(|| files.unpaired1.clone());
        said.ignored(why, names[0], &mut files.unpaired1);
        said.ignored(why, names[1], &mut files.unpaired2);
    };
    if files.stdout && version == Compat::V1_3 {
        for (name, path) in [("out1", &mut files.out1), ("out2", &mut files.out2)] {
            if let Some(path) = path.take() {
                let path = path.display();
                said.line(format!("In STDOUT mode, ignore the {name} filename {path}"));
            }
        }
    }
    match pairs.merge {
        true => {
            if pairs.merged_out.is_none()
                && !files.stdout
                && files.out1.is_some()
                && files.out2.is_none()
            {
                pairs.merged_out = files.out1.take();
                said.line(
                    "You specified --out1, but haven't specified --merged_out in merging mode. Using --out1 to store the \
                     merged reads to be compatible with fastp 0.19.8\n",
                );
            }
            if pairs.include_unmerged {
                let why = "You specified --include_unmerged in merging mode. Ignoring";
                said.ignored(why, "--out1", &mut files.out1);
                said.ignored(why, "--out2", &mut files.out2);
                unpaired(files, &mut said, why, ["--unpaired1", "--unpaired1"]);
            }
            if files.out1.is_none() && files.out2.take().is_some() && !quiet {
                tell!("thalweg: note: -O is ignored, as fastp does: there is no -o");
            }
        }
        false => {
            let why = "You haven't enabled merging mode (-m/--merge), ignoring";
            said.ignored(why, "--merged_out", &mut pairs.merged_out);
            pairs.include_unmerged = false;
        }
    }
    if files.stdout {
        let what = match (pairs.merge, paired) {
            (true, _) => "merged",
            (false, true) => "interleaved",
            (false, false) => "",
        };
        said.line(format!("Streaming uncompressed {what} reads to STDOUT..."));
        if paired && !pairs.merge {
            said.line("Enable interleaved output mode for paired-end input.");
        }
        said.line("");
    }
    if !paired {
        let why = "Not paired-end mode. Ignoring";
        unpaired(files, &mut said, why, ["--unpaired1", "--unpaired2"]);
        said.ignored(why, "--overlapped_out", &mut files.overlapped_out);
        if pairs.correction {
            said.line("WARNING: base correction is only appliable for paired end data, ignoring -c/--correction");
        }
        AUTO.clone_into(&mut adapters.adapter_sequence_r2);
        adapters.allow_gap_overlap_trimming = false;
    }
    said.0
}

/// What fastp says of its options before it looks at reads; `options` are those of the steps.
pub(crate) fn warn_as_fastp(arguments: &QcArguments, options: &Options) {
    let Some(version) = arguments.running.fastp_compat else {
        return;
    };
    warn_of_cutting(arguments, version);
    let lists = [
        (
            &arguments.filters.filter_by_index1,
            &options.filter_by_index1,
        ),
        (
            &arguments.filters.filter_by_index2,
            &options.filter_by_index2,
        ),
    ];
    for (path, indexes) in lists {
        if let Some(path) = path {
            let path = path.display();
            say(arguments, &format!("filter by index, loading {path}"));
            for index in indexes {
                say(arguments, &String::from_utf8_lossy(index));
            }
            say(arguments, "");
        }
    }
}

/// What it says of an adapter in a list that is too short for it.
pub(crate) fn short_adapter(path: &Path, sequence: &[u8], least: usize) -> String {
    let (path, sequence) = (path.display(), String::from_utf8_lossy(sequence));
    format!("skip too short adapter sequence in {path} ({least}bp required): {sequence}")
}

/// Old names of options, and numbers of a step that is not asked for.
fn warn_of_cutting(arguments: &QcArguments, version: Compat) {
    let trimming: &Trimming = &arguments.trimming;
    let mut front = trimming.cut_front;
    let mut right = trimming.cut_right;
    for (given, is_on, old, new) in [
        (
            trimming.cut_by_quality5,
            &mut front,
            "cut_by_quality5",
            "cut_front",
        ),
        (
            trimming.cut_by_quality_aggressive,
            &mut right,
            "cut_by_quality_aggressive",
            "cut_right",
        ),
    ] {
        if given && !*is_on {
            *is_on = true;
            say(
                arguments,
                &format!("WARNING: {old} is deprecated, please use {new} instead."),
            );
        }
        // Of both names for the front, only the first is said.
        if old == "cut_by_quality5" && trimming.cut_by_quality3 && !*is_on {
            *is_on = true;
            say(
                arguments,
                "WARNING: cut_by_quality3 is deprecated, please use cut_tail instead.",
            );
        }
    }
    let has_numbers = trimming.cut_window_size != 4
        || trimming.cut_mean_quality != 20
        || trimming.cut_front_window_size.is_some()
        || trimming.cut_front_mean_quality.is_some()
        || trimming.cut_tail_window_size.is_some()
        || trimming.cut_tail_mean_quality.is_some()
        || trimming.cut_right_window_size.is_some()
        || trimming.cut_right_mean_quality.is_some();
    if has_numbers && !front && !right && !trimming.cut_tail {
        let forgot = match version {
            Compat::V0_23 => "forogt",
            Compat::V1_3 => "forgot",
        };
        say(
            arguments,
            &format!(
                "WARNING: you specified the options for cutting by quality, but {forgot} to enable any of \
                 cut_front/cut_tail/cut_right. This will have no effect."
            ),
        );
    }
}

/// Lines of fastp's.
#[derive(Default)]
struct Said(Vec<String>);

impl Said {
    fn line(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// Ignore the file of an option.
    fn ignored(&mut self, why: &str, option: &str, path: &mut Option<PathBuf>) {
        if let Some(path) = path.take() {
            self.line(format!("{why} argument {option} = {}", path.display()));
        }
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
