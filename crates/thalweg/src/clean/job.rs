//! From checked settings to what came of them.

use std::path::PathBuf;

use thalweg_fastqc::Report;
use thalweg_flow::Budget;
use thalweg_qc::duplication::Duplication;
use thalweg_qc::{Config, Options};
use thalweg_reads::{Format, ReaderOptions};
use thalweg_write::{self as write, Outputs, check_not_input, is_standard_output};

use super::fastqc::FastqcReports;
use super::findings::Findings;
use super::in_order::InOrder;
use super::process::{self, Shared};
use super::removal::Opened;
use super::settings::MEMORY;
use super::{
    CleanSettings, Cleaned, compat, explore, hints, outputs, reading, reports, roles, sample,
};
use crate::fastqc::ReportFiles;
use crate::inputs::{MissingEnds, say_how};
use crate::notes;
use crate::{Control, Fault, MessageKind, Reads};

/// What fastp says of reads that are to be split.
const FEW_READS: &str = "WARNING: the input file has less reads than the number of files to split";

/// A cleaning whose settings were checked, and whose lists of adapters and indexes were read. Nothing else was opened.
#[derive(Debug)]
pub struct CleanJob {
    settings: CleanSettings,
    /// Sets of files that follow one another: one file each, or two mates.
    lanes: Vec<Vec<PathBuf>>,
    steps: Options,
    config: Config,
    /// What fastp, where it is followed, says of what it ignores.
    ignored: Vec<String>,
}

impl CleanJob {
    /// Check settings, which have to go together.
    ///
    /// # Errors
    /// If they do not, or a list cannot be read.
    pub fn new(mut settings: CleanSettings, control: &Control<'_>) -> Result<Self, Fault> {
        settings.check()?;
        let ignored = compat::leave_out_what_fastp_ignores(&mut settings, control);
        roles::refuse_unwritten_names(&settings)?;
        let lanes = reading::lanes(&settings)?;
        settings.steps.paired = settings.is_paired();
        let inputs: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
        settings.indexes.check(&inputs)?;
        let steps = reading::steps(&settings, control)?;
        let config = match config(&steps) {
            // Their flags may say that they are pairs, when they are open.
            Err(_) if reading::may_be_paired(&settings, &lanes) => {
                config(&reading::of_pairs(steps.clone()))
            }
            config => config,
        }?;
        Ok(Self {
            settings,
            lanes,
            steps,
            config,
            ignored,
        })
    }

    /// What is asked for, but for what a program that is followed ignores of it.
    pub fn settings(&self) -> &CleanSettings {
        &self.settings
    }

    /// What is read, in sets of files that follow one another: one file each, or two mates.
    pub fn lanes(&self) -> &[Vec<PathBuf>] {
        &self.lanes
    }

    /// Have reports tell this [command line](super::ReportSettings::command).
    pub fn set_command(&mut self, command: String) {
        self.settings.reports.command = Some(command);
    }

    /// Open, read, take through the steps, write, report.
    ///
    /// # Errors
    /// If files cannot be read or written, or `control` says to stop.
    pub fn run(self, control: &Control<'_>) -> Result<Cleaned, Fault> {
        let Self {
            mut settings,
            lanes,
            steps,
            mut config,
            ignored,
        } = self;
        compat::warn_as_fastp(&settings, config.options(), control);
        let read: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
        let databases = Opened::open(&settings, &read, control)?;
        let memory = settings.memory.unwrap_or(MEMORY);
        let memory = (databases.as_ref()).map_or(memory, |databases| databases.left_of(memory));
        let missing_ends = MissingEnds::default();
        let kept = explore::kept(&settings, &lanes, &config, memory);
        let opened = reading::reader(&settings, &lanes).on_missing_end(missing_ends.note());
        let opened = match &kept {
            Some(kept) => opened.keep_streams(kept),
            None => opened,
        };
        let reads = open(opened, &settings, &lanes, memory, control)?;
        let by_flags = reads.is_interleaved() && !settings.is_paired();
        if by_flags {
            settings.interleaved_in = true;
            settings.steps.paired = true;
            config = self::config(&reading::of_pairs(steps))?;
        } else if config.options().paired != settings.is_paired() {
            config = self::config(&steps)?;
        }
        let threads = reads.threads();
        let mut inputs = read.clone();
        inputs.extend(databases.iter().flat_map(Opened::files));
        let mode = config.mode();
        let plans = reads.plan();
        if !reading::is_unseen(mode, &lanes) {
            config.set_first_name(&plans[0].first_head);
        }
        let (paired, dedup) = (config.options().paired, config.options().dedup);
        let flags_of = lanes[0].first().filter(|_| by_flags);
        let streams = outputs::streams(&settings, &lanes, paired, flags_of.map(PathBuf::as_path))?;
        if by_flags {
            notes::taken_as_pairs(&plans)
                .into_iter()
                .for_each(|note| control.tell(note));
        }
        for output in &streams.paths {
            check_not_input(output, &inputs)?;
        }
        roles::refuse_numbered(&settings, &inputs)?;

        let workers = reads.all_workers();
        let report = !settings.reports.no_report;
        // fastp evaluates it for removing duplicates, and so tells it.
        let evaluates = !settings.reports.dont_eval_duplication || dedup && !mode.is_correct();
        let duplication = (report && evaluates).then(Duplication::new);
        let files = match report {
            true => Some(reports::Files::open(&settings, &inputs, control)?),
            false => None,
        };
        roles::refuse_other_contents(&settings)?;
        let command = &mut settings.reports.command;
        command.get_or_insert_with(|| usual_command(&lanes[0]));
        settings.reports.date.get_or_insert_with(sample::today);
        if settings.reports.sample.is_none() {
            settings.reports.sample = sample::sample_name(&settings.in1, &settings.in2);
        }
        let fastqc = FastqcReports::open(&settings, &lanes, paired)?;
        let are_reads_streamed = streams.are_reads_streamed();
        let outputs = Outputs::open(streams.options, workers.ahead())?;
        hints::doubt(&settings, &plans, control);
        // Now that it is known that there is a place for what comes of it.
        let candidates = explore::explore(&settings, &lanes, kept.as_ref(), &mut config, control)?;
        let removal = databases.map(|databases| databases.load(&settings, &read, threads, control));
        let removal = removal.transpose()?;
        for line in &ignored {
            compat::say(mode, control, line);
        }
        if streams.has_few_reads {
            compat::say(mode, control, FEW_READS);
        }
        let sampling = u64::from(settings.reports.overrepresentation_sampling);
        let in_order = dedup || candidates.is_some() || streams.in_packs || streams.trace.is_some();
        let position = workers.progress();
        let shared = Shared {
            config: &config,
            removal: removal.as_ref(),
            routes: streams.routes,
            outputs: &outputs,
            copied: streams.copied,
            streams: streams.regular,
            trace: streams.trace.as_ref(),
            report,
            duplication: duplication.as_ref(),
            candidates: candidates.as_ref().map(|both| (both, sampling)),
            fastqc: fastqc.as_ref(),
            in_packs: streams.in_packs,
            in_order: in_order.then(|| InOrder::new(paired, dedup, mode)),
            position: &position,
            control,
        };
        let work = |source: &mut _| process::run(&shared, source);
        let outcome = workers.run_into(&outputs, work, Fault::is_consequence);
        missing_ends.say(control);
        let closed = |fault: Fault| match is_only_unread(&fault, &streams.paths) {
            true if report => reports::unwritten(&settings, fault, control),
            _ => told(fault, &streams.paths),
        };
        let (mut parts, tickets) = outcome.map_err(closed)?;
        let counted = parts
            .iter_mut()
            .filter_map(|part| part.fastqc.take())
            .collect();
        let mut findings = Findings::default();
        parts.iter().for_each(|part| findings.merge(part));
        if let Some(removal) = &removal {
            removal.check_lengths(findings.longest)?;
        }
        let all_tickets = process::end_trace(&shared, tickets, findings.traced).map_err(closed)?;
        let fastqc = fastqc
            .map(|reports| reports.reports(counted, tickets, control))
            .transpose()?;

        let overrepresented = candidates.as_ref().map(|candidates| {
            [&findings.frequent_before, &findings.frequent_after].map(|occurrences| {
                [0, 1].map(|mate| occurrences[mate].frequent(&candidates[mate], sampling))
            })
        });
        let cleaned = Cleaned {
            duplication: duplication.map(|table| table.summary(findings.fingerprints)),
            counts: findings.counts,
            before: findings.before,
            after: findings.after,
            longest: findings.longest,
            looks_interleaved: findings.interleaved,
            contaminant_lengths: removal.map_or_else(Vec::new, |removal| removal.lengths()),
            overrepresented,
            config: config.clone(),
            settings: settings.clone(),
        };
        // All that takes time is done before the first file has its name: whoever is interrupted has all files or none.
        control.check()?;
        let reads = outputs.seal(all_tickets).map_err(Fault::from);
        let reads = reads.map_err(closed)?;
        let reported = seal_reports(files, fastqc, &cleaned);
        let reported = reported.map_err(|fault| beside_reads(fault, are_reads_streamed))?;
        control.check()?;
        reads.name_with(reported.files)?;
        if let Some(why) = cleaned.why_long_reads_fail() {
            control.say(MessageKind::Warning, why);
        }
        if let Some(unread) = reported.unread {
            return Err(Fault::Report(Box::new(unread)));
        }
        Ok(cleaned)
    }
}

/// Checks the options of the steps.
fn config(steps: &Options) -> Result<Config, Fault> {
    Config::new(steps.clone()).map_err(|error| Fault::usage(error.to_string(), ""))
}

fn open(
    options: ReaderOptions,
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
    memory: u64,
    control: &Control<'_>,
) -> Result<Reads, Fault> {
    let all = Budget::all_cores();
    let mut threads = settings.threads.map_or(all.threads(), usize::from);
    let follows_fastp = !settings.steps.mode.is_correct();
    if follows_fastp && settings.reports.overrepresentation_analysis {
        // fastp looks at one in so many of the reads that pass, in their order.
        threads = 1;
    }
    let budget = Budget::new(threads).with_memory(memory);
    let files: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
    settings.indexes.build_named(&files, budget, control)?;
    let options = settings.indexes.choose(options.budget(budget), budget);
    let reads = Reads::open(options)?;
    let plans = reads.plan();
    if let Some(fasta) = plans.iter().find(|plan| plan.format == Format::Fasta) {
        return Err(Fault::usage(
            format!("{}: is FASTA", fasta.path.display()),
            "qc needs qualities, which FASTQ and BAM have",
        ));
    }
    for file in &files {
        notes::cut(file).for_each(|message| control.tell(message));
    }
    notes::colour_space(&plans).for_each(|note| control.tell(note));
    for plan in &plans {
        say_how(plan, threads, control);
    }
    Ok(reads)
}

/// Write all reports; they have no names yet.
fn seal_reports(
    files: Option<reports::Files>,
    fastqc: Option<Vec<(Report, ReportFiles)>>,
    cleaned: &Cleaned,
) -> Result<reports::Sealed, Fault> {
    let mut sealed = match files {
        Some(mut files) => {
            files.write(&cleaned.report(), cleaned.config.mode())?;
            files.seal()?
        }
        None => reports::Sealed::default(),
    };
    for (report, files) in fastqc.into_iter().flatten() {
        // Not extracted, it has no folder.
        let (_, files) = files.seal(&report)?;
        sealed.files.extend(files);
    }
    Ok(sealed)
}

/// What is told of a report that fails: where all reads went to streams, these have them.
fn beside_reads(fault: Fault, are_reads_streamed: bool) -> Fault {
    match are_reads_streamed {
        true => Fault::Report(Box::new(fault)),
        false => fault,
    }
}

/// A command line that names the files of the first lane, as MultiQC looks for them.
fn usual_command(lane: &[PathBuf]) -> String {
    let options = ["-i", "-I"].iter().zip(lane);
    let words = options.map(|(option, file)| format!(" {option} {}", file.display()));
    "thalweg qc".to_owned() + &words.collect::<String>()
}

/// Whether it is that nobody reads the standard output any more, to which alone reads are written: who went has what it
/// wants.
fn is_only_unread(fault: &Fault, outputs: &[PathBuf]) -> bool {
    fault.is_unread() && matches!(outputs, [only] if is_standard_output(only))
}

/// Of several outputs, nobody would learn that one failed.
fn told(fault: Fault, outputs: &[PathBuf]) -> Fault {
    match fault {
        Fault::Write(error @ write::Error::ClosedPipe { .. }) if !matches!(outputs, [only] if is_standard_output(only)) => {
            Fault::usage(error.to_string(), error.hint().unwrap_or_default())
        }
        fault => fault,
    }
}
