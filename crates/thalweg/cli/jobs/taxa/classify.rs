//! `thalweg classify`
//!
//! What the user said, as [`thalweg::classify`] takes it, and what is told when it is done.
//!
//! - `samples`: many of them, as a sheet lists them.

mod samples;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::Listener;
use thalweg::classify::{
    Chosen, ClassifySettings, Form, Labelled, LoadedDatabase, Loading, OfSingles, ReadsOutput,
    ReportStyle, SampleOutputs, SampleSettings, SampleText, SamplesPage, TextOutput, open_database,
    taxa_of_names,
};
use thalweg::files::{counted, one_line};
use thalweg::taxa::classify::{Lca, Lmat, NullModel, Posterior, Rule};
use thalweg::taxa::database::TaxonDatabase;
use thalweg::taxa::find_database_before;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Listed;
use thalweg::taxa::sample::PresenceTest;

use super::build::budget;
use crate::input::{self, indexes};
use crate::options::Common;
use crate::options::quantity::bytes;
use crate::options::taxa::{ClassifyArguments, ProfileArguments, ReadArguments, RuleName};
use crate::options::trace::trace_settings;
use crate::process::exit::Failure;
use crate::process::hearing::{heard, heard_of};

pub(crate) fn run(arguments: &ClassifyArguments) -> Result<(), Failure> {
    let sheet = arguments.reads.samples.samples.as_deref();
    let (lanes, rows) = match sheet {
        Some(sheet) => (Vec::new(), samples::read(sheet)?),
        None => (lanes(&arguments.reads)?, Vec::new()),
    };
    let profiles = &arguments.profiles;
    for (option, is_given) in [
        ("--report-zero-counts", arguments.report_zero_counts),
        ("--report-kmers", profiles.report_kmers),
    ] {
        if is_given && arguments.report.is_none() && sheet.is_none() {
            return Err(Failure::usage(
                format!("{option} requires --report"),
                "add --report PATH",
            ));
        }
    }
    let inputs = lanes.iter().chain(rows.iter().map(|row| &row.files));
    let inputs: Vec<PathBuf> = inputs.flatten().cloned().collect();
    let loading = match (arguments.preload, arguments.sweep) {
        (true, _) => Loading::Preloaded,
        (_, true) => Loading::Mapped,
        _ => Loading::For(&inputs),
    };
    let sweep = match arguments.sweep {
        true => Some(budget(&arguments.common)?.memory()),
        false => None,
    };
    let path = find_database_before(&arguments.database, &inputs)?;
    thalweg_memory::name_mapped_file(one_line(&path));
    let common = &arguments.common;
    let loaded = heard_of(common, |control| open_database(&path, loading, control))?;
    if common.verbose {
        describe(&loaded, &path);
    }
    let database = &*loaded.database;
    let settings = ClassifySettings {
        sweep,
        rule: rule(arguments, database)?,
        columns: Columns {
            names: arguments.use_names,
            more: arguments.scores,
        },
        style: ReportStyle {
            listed: match arguments.report_zero_counts {
                true => Listed::All,
                false => Listed::WithReads,
            },
            mpa: false,
            kmers: profiles.report_kmers,
        },
        test: PresenceTest {
            reads: profiles.present_reads,
            ratio: profiles.present_ratio,
        },
        page: profiles.html.as_deref(),
        level: arguments.compression.level(),
        indexes: indexes::to_library(&arguments.index),
        max_record: arguments.limit.max_record,
        check_end: arguments.end.is_wanted(),
        budget: input::budget(common),
        on_wait: (!common.quiet).then(|| Listener::new(input::tell_of_wait)),
        ..ClassifySettings::new(&loaded, &path)
    };
    let reads = read_outputs(arguments, &path, database)?;
    if sheet.is_some() {
        return samples::run(arguments, &rows, &settings, &reads, &texts(profiles));
    }
    let mut sample = SampleSettings {
        interleaved: arguments.reads.interleaved,
        pairs_by_flags: !arguments.reads.single,
        ignore_names: arguments.reads.ignore_names,
        outputs: SampleOutputs {
            labels: labels(arguments.output.as_deref().unwrap_or(Path::new("-"))),
            report: arguments.report.clone(),
            bins: profiles.cami_binning.clone(),
            texts: texts(profiles),
            reads,
            trace: arguments.trace.as_deref().map(trace_settings),
        },
        ..SampleSettings::of_lanes(lanes)
    };
    if let Some(name) = &profiles.sample_name {
        sample.name.clone_from(name);
    }
    settings.check(std::slice::from_ref(&sample))?;
    let mut page = page(arguments, &path, database)?;
    let labelled = label(&settings, &sample, common)?;
    if let Some(page) = &mut page {
        page.add(&sample.name, labelled);
    }
    Ok(page.map_or(Ok(()), |page| page.finish(&[]))?)
}

/// Label a sample, and say how many of its reads have labels.
pub(crate) fn label(
    settings: &ClassifySettings<'_>,
    sample: &SampleSettings,
    common: &Common,
) -> Result<Labelled, Failure> {
    let start = Instant::now();
    input::tell_of_terminal(&sample.files(), common);
    let names = sample.roles()?.into_iter().map(|(_, name)| name);
    let names = Vec::from_iter(names);
    let labelled = heard(common, &sample.lanes[0][0], |control| {
        settings.run(sample, control)
    });
    let labelled = labelled.map_err(|fault| Failure::from(fault).of_outputs(&names))?;
    if !common.quiet {
        let lines = labelled.tally.closing_lines(start.elapsed());
        lines.lines().for_each(|line| tell!("{line}"));
    }
    Ok(labelled)
}

/// Tell how a database comes into memory.
fn describe(loaded: &LoadedDatabase, path: &Path) {
    let size = bytes(loaded.database.header().file_bytes);
    tell!("thalweg: {}: {size}, {}", path.display(), loaded.how());
}

/// The page, if it is asked for.
fn page<'a>(
    arguments: &ClassifyArguments,
    database_path: &Path,
    database: &'a TaxonDatabase,
) -> Result<Option<SamplesPage<'a>>, Failure> {
    let rule = match arguments.rule {
        RuleName::Posterior => "posterior",
        RuleName::Lca => "lca",
        RuleName::Lmat => "lmat",
    };
    let page = arguments.profiles.html.as_deref();
    let page = page.map(|path| SamplesPage::create(path, database.taxonomy(), database_path, rule));
    Ok(page.transpose()?)
}

fn texts(profiles: &ProfileArguments) -> Vec<TextOutput> {
    let all = [
        ("--presence", &profiles.presence, SampleText::Presence),
        ("--krona", &profiles.krona, SampleText::Krona),
        (
            "--cami-profile",
            &profiles.cami_profile,
            SampleText::CamiProfile,
        ),
    ];
    let given = all.into_iter().filter_map(|(option, name, text)| {
        let name = name.clone()?;
        Some(TextOutput { option, name, text })
    });
    given.collect()
}

/// The files, those of mates together.
fn lanes(reads: &ReadArguments) -> Result<Vec<Vec<PathBuf>>, Failure> {
    let one = |file: &PathBuf| vec![file.clone()];
    let (first, second) = match (reads.in1.is_empty(), &reads.files[..]) {
        (false, _) => (&reads.in1[..], &reads.in2[..]),
        (true, [first, second]) if !reads.single => {
            (std::slice::from_ref(first), std::slice::from_ref(second))
        }
        (true, files) => (files, &[][..]),
    };
    let is_named = !reads.in1.is_empty();
    if first.len() > 2 && !reads.single && !is_named {
        return Err(Failure::usage(
            format!(
                "{} files given, but a pair of mates is two files",
                first.len()
            ),
            "give two mates, use --single for single reads, or give paired lanes with -i and -I",
        ));
    }
    if reads.interleaved && (!second.is_empty() || first.len() > 1 && !is_named) {
        return Err(Failure::usage(
            "--interleaved requires a single file",
            "run it for each file, or give lanes with -i",
        ));
    }
    if second.is_empty() {
        return Ok(first.iter().map(one).collect());
    }
    if first.len() != second.len() {
        return Err(Failure::usage(
            format!(
                "{} of read 1, but {} of read 2",
                counted(first.len() as u64, "file"),
                second.len()
            ),
            "give the same number of -i and -I",
        ));
    }
    let pairs = first.iter().zip(second);
    Ok(pairs
        .map(|(first, second)| vec![first.clone(), second.clone()])
        .collect())
}

/// Where labels go: lines that nobody reads need not be made.
fn labels(path: &Path) -> Option<PathBuf> {
    (path != Path::new("/dev/null")).then(|| path.to_owned())
}

/// What reads go where.
fn read_outputs(
    arguments: &ClassifyArguments,
    path: &Path,
    database: &TaxonDatabase,
) -> Result<Vec<ReadsOutput>, Failure> {
    let chosen = &arguments.chosen;
    let of_singles = match arguments.reads.samples.samples {
        Some(_) => OfSingles::LeftOut,
        None => OfSingles::Refused,
    };
    let mut outputs = Vec::new();
    let mut add = |option, name: &Option<PathBuf>, chosen, form| {
        if let Some(name) = name {
            outputs.push(ReadsOutput {
                option,
                before: OsString::new(),
                name: name.clone(),
                chosen,
                form,
                of_singles,
            });
        }
    };
    if !chosen.taxon.is_empty() {
        if chosen.taxon_out.is_none() && chosen.other_out.is_none() {
            return Err(Failure::usage(
                "--taxon selects reads, but there is no output for them",
                "use --taxon-out, or --other-out for all other reads",
            ));
        }
        let taxa = taxa_of_names(&chosen.taxon, database.taxonomy(), path)?;
        let others = Chosen::Except(taxa.clone());
        add(
            "--taxon-out",
            &chosen.taxon_out,
            Chosen::Of(taxa),
            Form::AsTheyCame,
        );
        add("--other-out", &chosen.other_out, others, Form::AsTheyCame);
    }
    let (classified, unclassified) = (Chosen::Classified, Chosen::Unclassified);
    add(
        "--classified-out",
        &chosen.classified_out,
        classified,
        Form::Kraken,
    );
    add(
        "--unclassified-out",
        &chosen.unclassified_out,
        unclassified,
        Form::Kraken,
    );
    Ok(outputs)
}

fn rule(arguments: &ClassifyArguments, database: &TaxonDatabase) -> Result<Rule, Failure> {
    if arguments.confidence.is_some() && arguments.rule != RuleName::Lca {
        return Err(Failure::usage(
            "--confidence requires --rule lca",
            "other rules have their own scores: see --scores",
        ));
    }
    if arguments.min_score.is_some() && arguments.rule != RuleName::Lmat {
        return Err(Failure::usage(
            "--min-score requires --rule lmat",
            "with --rule lca, use --confidence; --scores writes scores for all rules",
        ));
    }
    let k = database.header().layout.scheme().k();
    match arguments.rule {
        RuleName::Posterior => Ok(Rule::Posterior(Posterior::new(k))),
        RuleName::Lca => lca(arguments.confidence.unwrap_or(0.0)),
        RuleName::Lmat => {
            let by_gc = database.statistics().iter().map(|node| node.by_gc);
            let rule = Lmat::new(database.taxonomy(), NullModel::new(by_gc, k));
            match arguments.min_score.unwrap_or(0.0) {
                score if score.is_finite() => Ok(Rule::Lmat(rule.with_least_score(score))),
                score => Err(Failure::usage(
                    format!("--min-score {score}: must be a finite number"),
                    "typical values for LMAT are -1 to 2",
                )),
            }
        }
    }
}

/// The rule of kraken2.
pub(crate) fn lca(confidence: f64) -> Result<Rule, Failure> {
    match Lca::with_confidence(confidence) {
        Some(lca) => Ok(Rule::Lca(lca)),
        None => Err(Failure::usage(
            format!("--confidence {confidence}: must be from 0 to 1"),
            "it is a fraction of a read's k-mers, such as 0.1",
        )),
    }
}
