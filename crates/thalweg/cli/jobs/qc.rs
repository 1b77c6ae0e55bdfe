//! `thalweg qc`: open, read, take through the steps, write, report.
//!
//! - `options`, `adapter_list`: what the user said; `compat`: what of it fastp ignores, and what it says of it.
//! - `explore`: what the first reads tell; `hints`: what looks like a mistake.
//! - `outputs`, `roles`, `read_number`: what goes where.
//! - `process`, `in_order`, `packs`, `collect`: what each thread does.
//! - `reports`, `fastqc`, `command_line`, `summary`: what came of it.

#[path = "../../src/clean/adapter_list.rs"]
mod adapter_list;
#[path = "../../src/clean/collect.rs"]
mod collect;
mod command_line;
#[path = "../../src/clean/compat.rs"]
mod compat;
#[path = "../../src/clean/explore.rs"]
mod explore;
#[path = "../../src/clean/fastqc.rs"]
mod fastqc;
#[path = "../../src/clean/findings.rs"]
mod findings;
#[path = "../../src/clean/hints.rs"]
mod hints;
#[path = "../../src/clean/in_order.rs"]
mod in_order;
#[path = "../../src/clean/options.rs"]
mod options;
#[path = "../../src/clean/outputs.rs"]
mod outputs;
#[path = "../../src/clean/packs.rs"]
mod packs;
#[path = "../../src/clean/process.rs"]
mod process;
#[path = "../../src/clean/read_number.rs"]
mod read_number;
#[path = "../../src/clean/reports.rs"]
mod reports;
#[path = "../../src/clean/roles.rs"]
mod roles;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use thalweg::notes::without_data;
use thalweg::qc::Config;
use thalweg::qc::duplication::Duplication;
use thalweg::write::Outputs;
use thalweg::{Budget, Compression, Error, ErrorKind, Format, Reads};

use self::fastqc::FastqcReports;
use self::findings::Findings;
use self::in_order::InOrder;
use self::process::Shared;
use crate::input::indexes;
use crate::input::{check_stdin, warn_if_cut_or_empty};
use crate::options::qc::QcArguments;
use crate::output::refuse_input;
use crate::process::exit::Failure;
use crate::process::progress::Progress;

/// What fastp says of reads that are to be split.
const FEW_READS: &str = "WARNING: the input file has less reads than the number of files to split";

/// Bytes that output may hold unless told otherwise.
const MEMORY: u64 = 256 << 20;

pub(crate) fn run(arguments: &mut QcArguments) -> Result<(), Failure> {
    let started = Instant::now();
    let ignored = compat::leave_out_what_fastp_ignores(arguments);
    // From here on they stay as they are.
    let arguments = &*arguments;
    roles::refuse_unwritten_names(arguments)?;
    let lanes = options::lanes(arguments)?;
    let inputs: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
    check_stdin(&inputs)?;
    indexes::check(&inputs, &arguments.running.index)?;
    let mut config = Config::new(options::options(arguments)?)?;
    compat::warn_as_fastp(arguments, config.options());
    let reads = open(arguments, &lanes)?;
    let plans = reads.plan();
    if !options::is_unseen(arguments, &lanes) {
        config.set_first_name(&plans[0].first_head);
    }
    let streams = outputs::streams(arguments, &lanes, config.options().paired)?;
    for output in &streams.paths {
        refuse_input(output, &inputs)?;
    }
    roles::refuse_numbered(arguments, &inputs)?;

    let workers = reads.all_workers();
    let report = !arguments.reports.no_report;
    let (paired, dedup) = (config.options().paired, config.options().dedup);
    // fastp evaluates it for removing duplicates, and so tells it.
    let evaluates =
        !arguments.filters.dont_eval_duplication || dedup && !config.mode().is_correct();
    let duplication = (report && evaluates).then(Duplication::new);
    let files = match report {
        true => Some(reports::Files::open(arguments, &lanes)?),
        false => None,
    };
    let fastqc = FastqcReports::open(arguments, &lanes, paired)?;
    let outputs = Outputs::open(streams.options, workers.ahead())?;
    hints::note_idle_options(arguments);
    hints::doubt_lanes(arguments, &plans);
    hints::doubt_mates(arguments, &plans);
    hints::doubt_indexes(arguments, &plans);
    hints::doubt_tag(arguments, &plans);
    // Now that it is known that there is a place for what comes of it.
    let candidates = explore::explore(arguments, &lanes, &mut config)?;
    ignored.iter().for_each(|line| compat::say(arguments, line));
    if streams.has_few_reads {
        compat::say(arguments, FEW_READS);
    }
    let in_order = dedup || candidates.is_some() || streams.in_packs || streams.trace.is_some();
    let shared = Shared {
        config: &config,
        routes: streams.routes,
        outputs: &outputs,
        copied: streams.copied,
        streams: streams.regular,
        trace: streams.trace.as_ref(),
        report,
        duplication: duplication.as_ref(),
        candidates: candidates.as_ref().map(|both| {
            (
                both,
                u64::from(arguments.reports.overrepresentation_sampling),
            )
        }),
        fastqc: fastqc.as_ref(),
        in_packs: streams.in_packs,
        in_order: in_order.then(|| InOrder::new(paired, dedup, config.mode())),
    };
    let progress = Progress::start_if(
        !arguments.running.quiet && !arguments.running.no_progress,
        &inputs[0],
        workers.progress(),
    );
    let work = |source: &mut _| process::run(&shared, source);
    let outcome = workers.run_into(&outputs, work, Failure::is_consequence);
    drop(progress);
    let closed = |failure: Failure| match failure.of_outputs(&streams.paths) {
        failure @ Failure::ClosedPipe { .. } if report => reports::unwritten(arguments, failure),
        failure => failure,
    };
    let (mut parts, tickets) = outcome.map_err(closed)?;
    let counted = parts
        .iter_mut()
        .filter_map(|part| part.fastqc.take())
        .collect();
    let mut findings = Findings::default();
    parts.iter().for_each(|part| findings.merge(part));
    let all_tickets = process::end_trace(&shared, tickets, findings.traced).map_err(closed)?;
    let fastqc = fastqc
        .map(|reports| reports.reports(counted, tickets))
        .transpose()?;

    let duplication = duplication.map(|table| table.summary(findings.fingerprints));
    // All that takes time is done before the first file has its name: whoever is interrupted has all files or none.
    let reported = files.map(|mut files| {
        let candidates = candidates.as_ref();
        let duplication = duplication.clone();
        reports::write(
            &mut files,
            arguments,
            &lanes,
            &config,
            &findings,
            duplication,
            candidates,
        )
        .map(|said| (files, said))
    });
    outputs
        .finish(all_tickets)
        .map_err(Failure::from)
        .map_err(closed)?;
    let mut terminal = None;
    if let Some(reported) = reported {
        let finished = reported.and_then(|(files, said)| files.finish().map(|()| said));
        let said = finished.inspect_err(|failure| {
            if !matches!(failure, Failure::ClosedPipe { .. }) {
                tell!("thalweg: note: all reads are written; it is the reports that fail");
            }
        })?;
        terminal = Some(said).filter(|_| !config.mode().is_correct());
    }
    for (report, files) in fastqc.into_iter().flatten() {
        files.finish(&report)?;
    }
    match terminal {
        _ if arguments.running.quiet => {}
        Some(said) => summary::as_fastp(arguments, &config, &findings, &said, started.elapsed()),
        None => summary::summarise(arguments, &config, &findings, duplication.as_ref()),
    }
    Ok(())
}

fn open(arguments: &QcArguments, lanes: &[Vec<PathBuf>]) -> Result<Reads, Failure> {
    let running = &arguments.running;
    let all = Budget::all_cores();
    let mut threads = running.threads.map_or(all.threads(), usize::from);
    let follows_fastp = running.fastp_compat.is_some();
    if follows_fastp && arguments.reports.overrepresentation_analysis {
        // fastp looks at one in so many of the reads that pass, in their order.
        threads = 1;
    }
    let budget = Budget::new(threads).with_memory(running.memory.unwrap_or(MEMORY));
    let files: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
    let draws = !running.quiet && !running.no_progress;
    indexes::save_named(&files, &running.index, budget, draws)?;
    let options = options::reader(arguments, lanes).budget(budget);
    let options = indexes::choose(options, &running.index, budget);
    let reads = Reads::open(options)?;
    if let Some(fasta) = reads
        .plan()
        .iter()
        .find(|plan| plan.format == Format::Fasta)
    {
        return Err(Failure::usage(
            format!("{}: is FASTA", fasta.path.display()),
            "qualities are judged here, which only FASTQ has",
        ));
    }
    for file in &files {
        if let (true, Some(Compression::Gzip)) = (follows_fastp, without_data(file)) {
            // fastp, which goes by the name, refuses it.
            let kind = ErrorKind::NoData(Compression::Gzip);
            return Err(Error::new(kind).in_file(file).into());
        }
        warn_if_cut_or_empty(file);
    }
    if running.verbose {
        for plan in reads.plan() {
            crate::input::describe(&plan, threads);
        }
    }
    Ok(reads)
}
