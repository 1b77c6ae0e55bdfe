//! What fastp ignores of its options, and takes for granted; and what it says of it.

use std::path::{Path, PathBuf};

use thalweg_qc::{FastpVersion, Mode, Options};

use super::{CleanSettings, OutputSettings};
use crate::{Control, MessageKind};

/// Where fastp is followed, say a line of its own.
pub(super) fn say(mode: Mode, control: &Control<'_>, line: &str) {
    if !mode.is_correct() {
        control.say(MessageKind::Line, line);
    }
}

/// Where fastp is followed, take out of `settings` what it accepts without doing anything about it.
///
/// Returns what fastp says of it when it has looked for adapters. Where fastp says nothing, but reads are written somewhere
/// else than asked for, or nowhere, that is noted here.
pub(super) fn leave_out_what_fastp_ignores(
    settings: &mut CleanSettings,
    control: &Control<'_>,
) -> Vec<String> {
    let mode = settings.steps.mode;
    let Mode::Fastp(version) = mode else {
        return Vec::new();
    };
    let paired = settings.is_paired();
    if settings.discard_unmerged {
        let line =
            "DEPRECATED: --discard_unmerged has no effect now, see the introduction for merging.";
        say(mode, control, line);
    }
    let CleanSettings { outputs, steps, .. } = settings;
    let mut said = Said::default();
    // fastp takes the file of read 1 for both.
    let unpaired = |outputs: &mut OutputSettings, said: &mut Said, why: &str, names: [&str; 2]| {
        outputs.unpaired2 = outputs
            .unpaired2
            .take()
            .or_else(|| outputs.unpaired1.clone());
        said.ignored(why, names[0], &mut outputs.unpaired1);
        said.ignored(why, names[1], &mut outputs.unpaired2);
    };
    if outputs.stdout && version == FastpVersion::V1_3 {
        for (name, path) in [("out1", &mut outputs.out1), ("out2", &mut outputs.out2)] {
            if let Some(path) = path.take() {
                let path = path.display();
                said.line(format!("In STDOUT mode, ignore the {name} filename {path}"));
            }
        }
    }
    match steps.merge {
        true => {
            if outputs.merged_out.is_none()
                && !outputs.stdout
                && outputs.out1.is_some()
                && outputs.out2.is_none()
            {
                outputs.merged_out = outputs.out1.take();
                said.line(
                    "You specified --out1, but haven't specified --merged_out in merging mode. Using --out1 to store the \
                     merged reads to be compatible with fastp 0.19.8\n",
                );
            }
            if steps.include_unmerged {
                let why = "You specified --include_unmerged in merging mode. Ignoring";
                said.ignored(why, "--out1", &mut outputs.out1);
                said.ignored(why, "--out2", &mut outputs.out2);
                unpaired(outputs, &mut said, why, ["--unpaired1", "--unpaired1"]);
            }
            if outputs.out1.is_none() && outputs.out2.take().is_some() {
                let note = "-O is ignored, as fastp does: there is no -o";
                control.say(MessageKind::Note, note);
            }
        }
        false => {
            let why = "You haven't enabled merging mode (-m/--merge), ignoring";
            said.ignored(why, "--merged_out", &mut outputs.merged_out);
            steps.include_unmerged = false;
        }
    }
    if outputs.stdout {
        let what = match (steps.merge, paired) {
            (true, _) => "merged",
            (false, true) => "interleaved",
            (false, false) => "",
        };
        said.line(format!("Streaming uncompressed {what} reads to STDOUT..."));
        if paired && !steps.merge {
            said.line("Enable interleaved output mode for paired-end input.");
        }
        said.line("");
    }
    if !paired {
        let why = "Not paired-end mode. Ignoring";
        unpaired(outputs, &mut said, why, ["--unpaired1", "--unpaired2"]);
        said.ignored(why, "--overlapped_out", &mut outputs.overlapped_out);
        if steps.correction {
            said.line("WARNING: base correction is only appliable for paired end data, ignoring -c/--correction");
        }
        steps.adapter_sequence_r2 = None;
        steps.allow_gap_overlap_trimming = false;
    }
    said.0
}

/// What fastp says of its options before it looks at reads; `steps` have what is in the files that `settings` name.
pub(super) fn warn_as_fastp(settings: &CleanSettings, steps: &Options, control: &Control<'_>) {
    let Mode::Fastp(version) = steps.mode else {
        return;
    };
    let say = |line: &str| say(steps.mode, control, line);
    if has_idle_numbers(steps) {
        let forgot = match version {
            FastpVersion::V0_23 => "forogt",
            FastpVersion::V1_3 => "forgot",
        };
        say(&format!(
            "WARNING: you specified the options for cutting by quality, but {forgot} to enable any of \
             cut_front/cut_tail/cut_right. This will have no effect."
        ));
    }
    let lists = [
        (&settings.filter_by_index1, &steps.filter_by_index1),
        (&settings.filter_by_index2, &steps.filter_by_index2),
    ];
    for (path, indexes) in lists {
        if let Some(path) = path {
            say(&format!("filter by index, loading {}", path.display()));
            for index in indexes {
                say(&String::from_utf8_lossy(index));
            }
            say("");
        }
    }
}

/// Whether there are numbers for a step that is not asked for: cutting by quality.
fn has_idle_numbers(steps: &Options) -> bool {
    let usual = Options::default();
    let has_numbers = steps.cut_window_size != usual.cut_window_size
        || steps.cut_mean_quality != usual.cut_mean_quality
        || steps.cut_front_window_size.is_some()
        || steps.cut_front_mean_quality.is_some()
        || steps.cut_tail_window_size.is_some()
        || steps.cut_tail_mean_quality.is_some()
        || steps.cut_right_window_size.is_some()
        || steps.cut_right_mean_quality.is_some();
    has_numbers && !steps.cut_front && !steps.cut_right && !steps.cut_tail
}

/// What it says of an adapter in a list that is too short for it.
pub(super) fn short_adapter(path: &Path, sequence: &[u8], least: usize) -> String {
    let (path, sequence) = (path.display(), String::from_utf8_lossy(sequence));
    format!("skip too short adapter sequence in {path} ({least}bp required): {sequence}")
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
