//! `thalweg classify`
//!
//! - `outputs`: which files there are, and what each gets.
//! - `labelling`: one sample, from its reads to its outputs; `report`: what is told of it; `page`: of all for a browser.
//! - `chosen`: which taxa are chosen.
//! - `samples`: many of them, as a sheet lists them.

mod chosen;
pub(crate) mod labelling;
pub(crate) mod outputs;
mod page;
pub(crate) mod report;
mod samples;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thalweg::classify::{Chosen, Form};
use thalweg::taxa::classify::{Lca, Lmat, NullModel, Posterior, Rule};
use thalweg::taxa::database::Database;
use thalweg::taxa::find_database_before;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Listed;
use thalweg::taxa::sample::PresenceTest;

use self::labelling::{Labelling, Sample};
use self::outputs::{OfSingles, Outputs, ReadOutput};
use self::page::PageOutput;
use self::report::{ReportStyle, Text, TextOutput};
use super::build::budget;
use super::open::{Way, open};
use crate::options::taxa::{ClassifyArguments, ProfileArguments, ReadArguments, RuleName};
use crate::process::exit::Failure;

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
                format!("{option} is about the report"),
                "name it: --report PATH",
            ));
        }
    }
    let inputs = lanes.iter().chain(rows.iter().map(|row| &row.files));
    let inputs: Vec<PathBuf> = inputs.flatten().cloned().collect();
    let way = match (arguments.preload, arguments.sweep) {
        (true, _) => Way::Preloaded,
        (_, true) => Way::Mapped,
        _ => Way::For(&inputs),
    };
    let sweep = match arguments.sweep {
        true => Some(budget(&arguments.common)?.memory()),
        false => None,
    };
    let path = find_database_before(&arguments.database, &inputs)?;
    let opened = open(&path, &way)?;
    if arguments.common.verbose {
        opened.describe(&path);
    }
    let database = &*opened.database;
    let labelling = Labelling {
        database,
        is_large: opened.is_large,
        sweep,
        path: &path,
        rule: rule(arguments, database)?,
        columns: Columns {
            names: arguments.use_names,
            more: arguments.scores,
        },
        least_quality: 0,
        style: ReportStyle {
            listed: match arguments.report_zero_counts {
                true => Listed::All,
                false => Listed::WithReads,
            },
            mpa: false,
            kmers: profiles.report_kmers,
        },
        test: presence_test(profiles)?,
        page: profiles.html.as_deref(),
        level: arguments.compression.level(),
        index: &arguments.index,
        max_record: arguments.limit.max_record,
        common: &arguments.common,
    };
    let reads = read_outputs(arguments, &path, database)?;
    if sheet.is_some() {
        return samples::run(arguments, &rows, &labelling, &reads, &texts(profiles));
    }
    let sample = Sample {
        name: (profiles.sample_name.clone()).unwrap_or_else(|| name_of(&lanes[0])),
        lanes,
        interleaved: arguments.reads.interleaved,
        ignore_names: arguments.reads.ignore_names,
        outputs: Outputs {
            labels: labels(arguments.output.as_deref().unwrap_or(Path::new("-"))),
            report: arguments.report.clone(),
            bins: profiles.cami_binning.clone(),
            texts: texts(profiles),
            reads,
            trace: arguments.trace.clone(),
        },
    };
    labelling.check(std::slice::from_ref(&sample))?;
    let mut page = page(arguments, &path, database)?;
    let labelled = labelling.run(&sample)?;
    if let Some(page) = &mut page {
        page.add(&sample.name, labelled);
    }
    page.map_or(Ok(()), |page| page.finish(&[]))
}

/// The page, if it is asked for.
fn page<'a>(
    arguments: &ClassifyArguments,
    database_path: &Path,
    database: &'a Database,
) -> Result<Option<PageOutput<'a>>, Failure> {
    let rule = match arguments.rule {
        RuleName::Posterior => "posterior",
        RuleName::Lca => "lca",
        RuleName::Lmat => "lmat",
    };
    let page = arguments.profiles.html.as_deref();
    page.map(|path| PageOutput::open(path, database.taxonomy(), database_path, rule))
        .transpose()
}

fn texts(profiles: &ProfileArguments) -> Vec<TextOutput> {
    let all = [
        ("--presence", &profiles.presence, Text::Presence),
        ("--krona", &profiles.krona, Text::Krona),
        ("--cami-profile", &profiles.cami_profile, Text::CamiProfile),
    ];
    let given = all.into_iter().filter_map(|(option, name, text)| {
        let name = name.clone()?;
        Some(TextOutput { option, name, text })
    });
    given.collect()
}

fn presence_test(profiles: &ProfileArguments) -> Result<PresenceTest, Failure> {
    let ratio = profiles.present_ratio;
    if !(ratio.is_finite() && ratio >= 0.0) {
        return Err(Failure::usage(
            format!("--present-ratio {ratio}: it is a ratio"),
            "0.25 is what tells most relatives apart",
        ));
    }
    Ok(PresenceTest {
        reads: profiles.present_reads,
        ratio,
    })
}

/// What a sample is called that nobody gave a name: that of its first file, without endings and without what tells mates.
fn name_of(lane: &[PathBuf]) -> String {
    let first = lane.first().map_or(Path::new("-"), PathBuf::as_path);
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let mut name = &*name;
    if name == "-" || name.is_empty() {
        return "sample".to_owned();
    }
    for endings in [
        &[".gz", ".bgz", ".zst", ".bz2", ".xz"][..],
        &[".fastq", ".fq", ".fasta", ".fa", ".fna", ".bam", ".txt"],
    ] {
        let found = endings.iter().find_map(|ending| name.strip_suffix(ending));
        name = found.filter(|name| !name.is_empty()).unwrap_or(name);
    }
    if lane.len() > 1 {
        let endings = ["_R1_001", "_R1", "_1", ".R1", ".1"];
        let found = endings.iter().find_map(|ending| name.strip_suffix(ending));
        name = found.filter(|name| !name.is_empty()).unwrap_or(name);
    }
    name.to_owned()
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
                "{} files: two are the mates of pairs, and more can only be single reads",
                first.len()
            ),
            "say --single if they are single reads, one file after the other; lanes of pairs are named by -i and -I",
        ));
    }
    if reads.interleaved && (!second.is_empty() || first.len() > 1 && !is_named) {
        return Err(Failure::usage(
            "--interleaved goes with one file",
            "run it for each file, or name lanes by -i",
        ));
    }
    if second.is_empty() {
        return Ok(first.iter().map(one).collect());
    }
    if first.len() != second.len() {
        return Err(Failure::usage(
            format!(
                "{} files of read 1, but {} of read 2",
                first.len(),
                second.len()
            ),
            "give -i and -I as often as each other",
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
    database: &Database,
) -> Result<Vec<ReadOutput>, Failure> {
    let chosen = &arguments.chosen;
    let of_singles = match arguments.reads.samples.samples {
        Some(_) => OfSingles::LeftOut,
        None => OfSingles::Refused,
    };
    let mut outputs = Vec::new();
    let mut add = |option, name: &Option<PathBuf>, chosen, form| {
        if let Some(name) = name {
            outputs.push(ReadOutput {
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
                "--taxon chooses reads, and there is nowhere to write them",
                "name --taxon-out, or --other-out for all others",
            ));
        }
        let taxa = chosen::taxa(&chosen.taxon, database.taxonomy(), path)?;
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

fn rule(arguments: &ClassifyArguments, database: &Database) -> Result<Rule, Failure> {
    if arguments.confidence.is_some() && arguments.rule != RuleName::Lca {
        return Err(Failure::usage(
            "--confidence goes with --rule lca",
            "the other rules have scores of their own: --scores",
        ));
    }
    if arguments.min_score.is_some() && arguments.rule != RuleName::Lmat {
        return Err(Failure::usage(
            "--min-score goes with --rule lmat",
            "of --rule lca it is --confidence; --scores writes the scores of all",
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
                    format!("--min-score {score}: it is no number"),
                    "LMAT's users take -1 to 2",
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
            format!("--confidence {confidence}: it is a share"),
            "from 0 to 1",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_named_by_their_files() {
        let name = |files: &[&str]| name_of(&Vec::from_iter(files.iter().map(PathBuf::from)));
        assert_eq!(name(&["/x/gut_R1.fastq.gz", "/x/gut_R2.fastq.gz"]), "gut");
        assert_eq!(name(&["gut_1.fq", "gut_2.fq"]), "gut");
        assert_eq!(name(&["gut_1.fq"]), "gut_1");
        assert_eq!(name(&["a.b.fa.zst"]), "a.b");
        assert_eq!(name(&["-"]), "sample");
        assert_eq!(name(&[".gz"]), ".gz");
        assert_eq!(name(&[]), "sample");
    }
}
