//! Reads taken through the steps, and what is reported of them.

use std::path::Path;

use thalweg_qc::counts::Counts;
use thalweg_qc::duplication::{Deduplicator, Duplication, DuplicationBuffer, Fingerprint};
use thalweg_qc::overrepresented::{CandidateFinder, Candidates, Occurrences, Overrepresented};
use thalweg_qc::report::{
    CleaningReport, ReportedAdapters, ReportedSequences, ReportedSource, ReportedSteps,
};
use thalweg_qc::statistics::{LetterRule, ReadStatistics, Stages};
use thalweg_qc::{FastpVersion, Mode, Observer};

use crate::command;

/// Frequent sequences of each mate.
type ByMate = Vec<Vec<Overrepresented>>;

/// Everything that a report borrows.
pub(crate) struct Run {
    line: String,
    before: Vec<ReadStatistics>,
    after: Vec<ReadStatistics>,
    counts: Counts,
    duplication: thalweg_qc::duplication::DuplicationSummary,
    sequences: Option<(ByMate, ByMate, u64)>,
    adapters: [Option<String>; 2],
    schema: FastpVersion,
}

/// Statistics, and frequent sequences as fastp counts them: in every so many reads before
/// the steps, and in every so many after them.
struct Watcher {
    stages: [Stages; 2],
    candidates: Option<[Candidates; 2]>,
    sampling: u64,
    /// Before and after, by mate.
    seen: [[u64; 2]; 2],
    occurrences: [[Occurrences; 2]; 2],
}

impl Watcher {
    fn count(&mut self, side: usize, mate: usize, bases: &[u8]) {
        let Some(candidates) = &self.candidates else {
            return;
        };
        if self.seen[side][mate].is_multiple_of(self.sampling) {
            self.occurrences[side][mate].add(bases, &candidates[mate]);
        }
        self.seen[side][mate] += 1;
    }
}

impl Observer for Watcher {
    fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.stages[mate].unchanged(bases, qualities);
        self.count(0, mate, bases);
        self.count(1, mate, bases);
    }

    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.stages[mate].before(bases, qualities);
        self.count(0, mate, bases);
    }

    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.stages[mate].after(bases, qualities);
        self.count(1, mate, bases);
    }
}

/// Carry out a fastp command line.
pub(crate) fn run(line: &str, schema: FastpVersion, place: &Path, inputs: &[&[u8]]) -> Run {
    let words: Vec<&str> = line.split([' ', '=']).collect();
    let has = |option| words.contains(&option);
    let value = |option| {
        let place = words.iter().position(|&word| word == option)?;
        words.get(place + 1).copied()
    };
    let sampling = value("-P").map_or(20, |value| value.parse().unwrap());
    let rule = LetterRule::Fastp;
    let mut watcher = Watcher {
        stages: [Stages::new(rule), Stages::new(rule)],
        candidates: has("-p")
            .then(|| [0, 1].map(|mate| candidates(inputs.get(mate).copied().unwrap_or_default()))),
        sampling,
        seen: [[0; 2]; 2],
        occurrences: Default::default(),
    };
    let table = Duplication::new();
    let mut buffer = DuplicationBuffer::new();
    let mut deduplicator = Deduplicator::new();
    let is_copy = |bases: &[&[u8]]| {
        let fingerprint = match bases {
            [first, second] => Fingerprint::of_pair(first, second),
            _ => Fingerprint::of_read(bases[0]),
        };
        buffer.add(fingerprint, &table);
        deduplicator.is_copy(fingerprint) && has("-D")
    };
    // What fastp does not know, the default mode does.
    let mode = match has("--adapter_sequence_5p") || has("--trim_poly_a") {
        true => Mode::Correct,
        false => Mode::Fastp(schema),
    };
    let outcome = command::run_watched(line, mode, place, inputs, &mut watcher, is_copy);
    let reads = buffer.finish(&table);

    let merging = has("-m");
    let after = if merging { 1 } else { inputs.len() };
    let (mut befores, mut afters): (Vec<_>, Vec<_>) =
        watcher.stages.iter_mut().map(Stages::take).unzip();
    befores.truncate(inputs.len());
    afters.truncate(after);
    let sequences = watcher.candidates.as_ref().map(|candidates| {
        let of = |side: usize, mates: usize| {
            let mates = (0..mates)
                .map(|mate| watcher.occurrences[side][mate].frequent(&candidates[mate], sampling));
            mates.collect()
        };
        (of(0, inputs.len()), of(1, after), sampling)
    });
    let first = value("-a").map(str::to_owned);
    let second = value("--adapter_sequence_r2").map(str::to_owned);
    Run {
        line: line.to_owned(),
        before: befores,
        after: afters,
        counts: outcome.counts,
        duplication: table.summary(reads),
        sequences,
        adapters: [first.clone(), second.or(first)],
        schema,
    }
}

fn candidates(text: &[u8]) -> Candidates {
    let mut finder = CandidateFinder::new();
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    for record in lines.chunks_exact(4) {
        finder.add(record[1]);
    }
    finder.finish()
}

impl Run {
    /// What there is to report.
    pub(crate) fn report<'a>(&'a self, title: &'a str, command: &'a str) -> CleaningReport<'a> {
        let words: Vec<&str> = self.line.split([' ', '=']).collect();
        let has = |option| words.contains(&option);
        let paired = self.before.len() == 2;
        let bytes = |text: &'a Option<String>| text.as_deref().map(str::as_bytes);
        // Single reads have no adapters unless some were given, as none is detected in few
        // reads.
        let adapters = (paired || has("-a") || has("--adapter_fasta")) && !has("-A");
        CleaningReport {
            version: match self.schema {
                FastpVersion::V0_23 => "0.23.2",
                FastpVersion::V1_3 => "1.3.6",
            },
            schema: self.schema,
            title: title.into(),
            command,
            source: ReportedSource {
                sample: title,
                date: command,
                inputs: vec![title.to_owned(); 9],
            },
            before: &self.before,
            after: &self.after,
            counts: &self.counts,
            steps: ReportedSteps {
                low_complexity: has("-y"),
                correction: paired && (has("-c") || has("-m")),
                front_adapters: has("--adapter_sequence_5p"),
                poly_a: has("--trim_poly_a"),
                poly_x: has("-x"),
                merging: has("-m"),
                adapter_cutting: !has("-A"),
                adapters: adapters.then(|| ReportedAdapters {
                    read1: bytes(&self.adapters[0]),
                    read2: bytes(&self.adapters[1]),
                }),
                ..ReportedSteps::default()
            },
            contaminants: None,
            duplication: Some(self.duplication.clone()),
            overrepresented: self.sequences.as_ref().map(|(before, after, sampling)| {
                ReportedSequences {
                    before: before.iter().map(Vec::as_slice).collect(),
                    after: after.iter().map(Vec::as_slice).collect(),
                    sampling: *sampling,
                }
            }),
        }
    }
}
