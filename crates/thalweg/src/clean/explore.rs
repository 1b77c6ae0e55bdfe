//! What the first reads tell before all are processed: adapters, frequent sequences.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_qc::overrepresented::{CandidateFinder, Candidates};
use thalweg_qc::{AdapterDetector, Config, DetectedAdapter, Mode, usual_letters};
use thalweg_reads::{Batch, IndexUse, KeptStreams};

use super::reading::{is_unseen, reader};
use super::{CleanSettings, compat};
use crate::{Control, Fault, MessageKind, Reads};

/// Reads or pairs that are looked at, at most: fastp's number.
const READS: u64 = 256 * 1024;

/// Of the memory for output, the part that may hold what is kept of streams: one in so many bytes. Little waits for its turn
/// while these are read again.
const KEPT_PART: u64 = 2;

/// Where the first set's streams, if there are such, are kept to be looked at first; `None` where nothing is to be found out,
/// or fastp, which is followed, does not look.
pub(crate) fn kept(
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
    config: &Config,
    memory: u64,
) -> Option<KeptStreams> {
    let is_file = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|data| data.is_file());
    let is_kept = has_questions(settings, config)
        && !is_unseen(config.mode(), lanes)
        && !lanes[0].iter().all(is_file);
    let directory: &Path = &settings.temporary_directory;
    is_kept.then(|| KeptStreams::new(memory / KEPT_PART, directory))
}

/// Look at the first reads where there is something to find out. Of streams, they are `kept`.
///
/// Adapters that are found go into `config`; candidates for frequent sequences are returned,
/// for both mates.
pub(crate) fn explore(
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
    kept: Option<&KeptStreams>,
    config: &mut Config,
    control: &Control<'_>,
) -> Result<Option<[Candidates; 2]>, Fault> {
    let wants_candidates = settings.reports.overrepresentation_analysis;
    let paired = config.options().paired;
    if !has_questions(settings, config) {
        // Reads that turned out to be pairs may leave no question.
        if let Some(kept) = kept {
            kept.release();
        }
        return Ok(None);
    }
    if is_unseen(config.mode(), lanes) {
        let unnamed = (0..2).filter(|&mate| is_looked_for(settings, config, mate));
        unnamed.for_each(|_| compat::say(config.mode(), control, UNSEEN));
        if wants_candidates {
            let note = format!(
                "{}: fastp looks for no frequent sequences in its standard input",
                lanes[0][0].display()
            );
            control.say(MessageKind::Note, note);
        }
        return Ok(None);
    }
    // fastp takes that of read 1 for both.
    let tail = config.options().trim_tail1;
    let mut detectors = [0, 1].map(|mate| {
        is_looked_for(settings, config, mate).then(|| AdapterDetector::new(config.mode(), tail))
    });
    let mut finders = [0, 1].map(|mate| {
        let wanted = wants_candidates && (mate == 0 || paired);
        wanted.then(CandidateFinder::new)
    });
    let records = match settings.interleaved_in {
        true => 2 * READS,
        false => READS,
    };
    let reader = reader(settings, &lanes[..1])
        .index(IndexUse::Never)
        .at_most(records)
        .budget(Budget::new(1));
    let reader = match kept {
        Some(kept) => reader.keep_streams(kept),
        None => reader,
    };
    let mut is_whole = true;
    for batch in Reads::open(reader)?.all_workers() {
        control.check()?;
        let batch = match batch {
            Ok(batch) => batch,
            // Whoever reads all that is wanted tells it, with what the index says about where.
            Err(fault) if fault.is_data() => {
                is_whole = false;
                break;
            }
            Err(error) => return Err(error.into()),
        };
        for mate in 0..2 {
            look(
                &batch,
                mate,
                config,
                &mut detectors[mate],
                &mut finders[mate],
            );
        }
        let is_done = |mate: usize| {
            detectors[mate]
                .as_ref()
                .is_none_or(AdapterDetector::is_full)
                && finders[mate]
                    .as_ref()
                    .is_none_or(|finder| !finder.wants_more())
        };
        if is_done(0) && is_done(1) {
            break;
        }
    }
    if let Some(kept) = kept {
        kept.release();
    }
    if let ([Some(detector), _], false, true) = (&detectors, paired, config.mode().is_correct())
        && !detector.has_enough()
        // Without bases there is no adapter, and of a fault another message tells.
        && detector.has_bases()
        && is_whole
    {
        let note = format!(
            "{}: too few reads to detect an adapter (at least {} are needed): give its sequence with -a",
            lanes[0][0].display(),
            AdapterDetector::LEAST_READS
        );
        control.say(MessageKind::Note, note);
    }
    for (mate, detector) in detectors.iter().enumerate() {
        let Some(detector) = detector else {
            continue;
        };
        let found = detector.detect();
        tell_found(config.mode(), control, mate, found.as_ref());
        if let Some(adapter) = found.filter(|found| found.is_used(config.mode())) {
            config.set_detected_adapter(mate, &adapter.sequence);
        }
    }
    let finish =
        |finder: Option<CandidateFinder>| finder.map(CandidateFinder::finish).unwrap_or_default();
    Ok(wants_candidates.then(|| finders.map(finish)))
}

/// Returns whether there is anything to find out of the first reads.
fn has_questions(settings: &CleanSettings, config: &Config) -> bool {
    let wants_candidates = settings.reports.overrepresentation_analysis;
    wants_candidates || (0..2).any(|mate| is_looked_for(settings, config, mate))
}

/// What fastp says of its standard input.
const UNSEEN: &str = "Adapter auto-detection is disabled for STDIN mode";

/// Whether the adapter of read `mate` (0 or 1) is to be found out.
fn is_looked_for(settings: &CleanSettings, config: &Config, mate: usize) -> bool {
    let paired = config.options().paired;
    let detects = !config.options().disable_adapter_trimming
        && (!paired || settings.steps.detect_adapter_for_pe);
    // To fastp an empty sequence is none to look for.
    let sequences = [
        &settings.steps.adapter_sequence,
        &settings.steps.adapter_sequence_r2,
    ];
    let is_empty = |sequence: &Vec<u8>| sequence.is_empty();
    detects
        && !sequences[mate].as_ref().is_some_and(is_empty)
        && config.adapter_sequence(mate).is_none()
        && (mate == 0 || paired)
}

/// What fastp says of the adapter that it found, or did not.
fn tell_found(mode: Mode, control: &Control<'_>, mate: usize, found: Option<&DetectedAdapter>) {
    let say = |line: &str| compat::say(mode, control, line);
    let number = mate + 1;
    say(&format!("Detecting adapter sequence for read{number}..."));
    if let Some(found) = found {
        found.name.inspect(|name| say(name));
        say(&String::from_utf8_lossy(&found.sequence));
    }
    if !found.is_some_and(|found| found.is_used(mode)) {
        say(&format!("No adapter detected for read{number}"));
    }
    say("");
}

fn look(
    batch: &Batch,
    mate: usize,
    config: &Config,
    detector: &mut Option<AdapterDetector>,
    finder: &mut Option<CandidateFinder>,
) {
    if detector.is_none() && finder.is_none() {
        return;
    }
    let paired = config.options().paired;
    let mut see = |sequence: &[u8]| {
        let usual = config.mode().is_correct().then(|| usual_letters(sequence));
        let sequence = usual.as_deref().unwrap_or(sequence);
        if let Some(detector) = detector {
            detector.add(sequence);
        }
        if let Some(finder) = finder.as_mut().filter(|finder| finder.wants_more()) {
            finder.add(sequence);
        }
    };
    match paired && batch.blocks().len() == 1 {
        true => batch
            .records()
            .skip(mate)
            .step_by(2)
            .for_each(|record| see(&record.sequence())),
        false => batch.mates(mate).for_each(|record| see(&record.sequence())),
    }
}
