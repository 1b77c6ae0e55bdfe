//! Many samples, one after the other, with the database opened once.
//!
//! A sheet has a line for each sample: its name, a file, and of pairs another one, with tabs between them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use thalweg::classify::{
    ClassifySettings, ReadsOutput, SampleOutputs, SampleSettings, TextOutput, check_sample_name,
};
use thalweg::files::list_lines;

use super::label;
use crate::options::files_from;
use crate::options::taxa::{ClassifyArguments, TextCompression};
use crate::options::trace::trace_settings;
use crate::process::exit::Failure;

/// The samples of a sheet.
pub(crate) fn read(sheet: &Path) -> Result<Vec<Row>, Failure> {
    let text = files_from::read(sheet)?;
    rows(&text, |name| Path::new(name).exists()).map_err(|(line, what)| {
        Failure::usage(
            format!("{}: line {line}: {what}", sheet.display()),
            "each line: sample, file and, for pairs, second file, tab-separated",
        )
    })
}

/// Label all samples. Of one that fails it is told why, and the others are labelled all the same.
pub(crate) fn run(
    arguments: &ClassifyArguments,
    rows: &[Row],
    settings: &ClassifySettings<'_>,
    reads: &[ReadsOutput],
    texts: &[TextOutput],
) -> Result<(), Failure> {
    let choice = &arguments.reads.samples;
    let directory = choice.out_dir.as_deref().unwrap_or(Path::new("."));
    let ending = match choice.compress {
        None => "",
        Some(TextCompression::Gz) => ".gz",
        Some(TextCompression::Bgz) => ".bgz",
        Some(TextCompression::Zst) => ".zst",
    };
    let sample = |row: &Row| {
        let place = |name: &str| directory.join(format!("{}.{name}", row.sample));
        let lanes = match arguments.reads.single {
            true => row.files.iter().map(|file| vec![file.clone()]).collect(),
            false => vec![row.files.clone()],
        };
        if arguments.reads.interleaved && row.files.len() > 1 {
            return Err(Failure::usage(
                format!("{}: two files, with --interleaved", row.sample),
                "give one, or remove --interleaved",
            ));
        }
        let reads = reads
            .iter()
            .map(|output| reads_of_sample(output, directory, &row.sample));
        let texts = texts
            .iter()
            .map(|output| text_of_sample(output, directory, &row.sample));
        let bins = arguments.profiles.cami_binning.as_deref();
        let bins = bins.map(|name| of_sample("--cami-binning", name, directory, &row.sample));
        let trace = arguments.trace.as_deref();
        let trace = trace.map(|name| of_sample("--trace", name, directory, &row.sample));
        Ok(SampleSettings {
            name: row.sample.clone(),
            interleaved: arguments.reads.interleaved,
            pairs_by_flags: !arguments.reads.single,
            ignore_names: arguments.reads.ignore_names,
            outputs: SampleOutputs {
                labels: Some(place(&format!("labels.tsv{ending}"))),
                report: Some(place("kreport")),
                bins: bins.transpose()?,
                texts: texts.collect::<Result<_, _>>()?,
                reads: reads.collect::<Result<_, _>>()?,
                trace: trace.transpose()?.as_deref().map(trace_settings),
            },
            ..SampleSettings::of_lanes(lanes)
        })
    };
    let samples = rows.iter().map(sample).collect::<Result<Vec<_>, _>>()?;
    settings.check(&samples)?;
    std::fs::create_dir_all(directory).map_err(|error| Failure::io(directory, error))?;
    let mut page = super::page(arguments, settings.path, settings.database)?;
    let mut failed = Vec::new();
    let mut worst = 0;
    for (row, sample) in rows.iter().zip(&samples) {
        if !arguments.common.quiet {
            tell!("thalweg: sample {}", row.sample);
        }
        match label(settings, sample, &arguments.common) {
            Ok(labelled) => {
                if let Some(page) = &mut page {
                    page.add(&row.sample, labelled);
                }
            }
            Err(failure) => {
                failure.print();
                tell!("thalweg: sample {}: failed; it has no output", row.sample);
                worst = worst.max(failure.code());
                failed.push(row.sample.as_str());
            }
        }
    }
    page.map_or(Ok(()), |page| page.finish(&failed))?;
    match failed.is_empty() {
        true => Ok(()),
        false => {
            tell!(
                "thalweg: {} of {} samples failed: {}",
                failed.len(),
                rows.len(),
                failed.join(", ")
            );
            Err(Failure::Reported(worst))
        }
    }
}

/// Reads that are written of one of several samples.
fn reads_of_sample(
    all: &ReadsOutput,
    directory: &Path,
    sample: &str,
) -> Result<ReadsOutput, Failure> {
    plain_name(all.option, &all.name)?;
    Ok(ReadsOutput {
        before: directory.join(format!("{sample}.")).into(),
        ..all.clone()
    })
}

/// A text that is written of one of several samples.
fn text_of_sample(all: &TextOutput, directory: &Path, sample: &str) -> Result<TextOutput, Failure> {
    Ok(TextOutput {
        name: of_sample(all.option, &all.name, directory, sample)?,
        ..all.clone()
    })
}

/// The name for one of several samples: in the directory, with the sample before it.
fn of_sample(
    option: &str,
    name: &Path,
    directory: &Path,
    sample: &str,
) -> Result<PathBuf, Failure> {
    let name = plain_name(option, name)?;
    Ok(directory.join(format!("{sample}.{name}")))
}

/// A name that can have that of a sample before it.
fn plain_name<'a>(option: &str, name: &'a Path) -> Result<&'a str, Failure> {
    let plain = name.to_str();
    match plain.filter(|name| !name.contains('/') && *name != "-") {
        Some(name) => Ok(name),
        None => Err(Failure::usage(
            format!(
                "{option} {}: cannot be used for several samples",
                name.display()
            ),
            "with --samples, give a name without a directory: clean_#.fq.gz becomes SAMPLE.clean_#.fq.gz in --out-dir",
        )),
    }
}

/// A sample of a sheet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    sample: String,
    /// One or two.
    pub(crate) files: Vec<PathBuf>,
}

/// What the first column is called in first lines that name the columns, but for capitals and what is between words.
const HEADS: [&str; 6] = ["sample", "samplename", "sampleid", "name", "id", "label"];

/// The samples of a sheet, or what is wrong in which line. What begins with # is a comment. A first line may name the columns:
/// if its first word is one that does, and `is_there` none of its files.
fn rows(text: &[u8], is_there: impl Fn(&str) -> bool) -> Result<Vec<Row>, (u64, String)> {
    let mut rows = Vec::new();
    let mut names = HashSet::new();
    let mut is_first = true;
    for (number, line) in list_lines(text) {
        let line = str::from_utf8(line).map_err(|_| (number, "no text".to_owned()))?;
        if line.starts_with('#') {
            continue;
        }
        let wrong = |what: String| Err((number, what));
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let is_named = |file: &&str| !file.is_empty() && (*file == "-" || is_there(file));
        if std::mem::take(&mut is_first)
            && is_head(columns[0])
            && !columns[1..].iter().any(is_named)
        {
            continue;
        }
        let (sample, files) = match columns[..] {
            [sample, file] | [sample, file, ""] => (sample, vec![file]),
            [sample, first, second] => (sample, vec![first, second]),
            _ => return wrong(format!("expected 2 or 3 columns, found {}", columns.len())),
        };
        if sample.is_empty() || files[0].is_empty() {
            return wrong("an empty column".to_owned());
        }
        if let Err(reason) = check_sample_name(sample) {
            return wrong(format!("{sample}: {reason}"));
        }
        if !names.insert(sample) {
            return wrong(format!("{sample}: duplicate sample name"));
        }
        rows.push(Row {
            sample: sample.to_owned(),
            files: files.into_iter().map(PathBuf::from).collect(),
        });
    }
    match rows.is_empty() {
        true => Err((1, "no sample".to_owned())),
        false => Ok(rows),
    }
}

fn is_head(word: &str) -> bool {
    let word = word.to_ascii_lowercase().replace(['_', '-', ' '], "");
    HEADS.contains(&&*word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &[u8]) -> Result<Vec<Row>, (u64, String)> {
        super::rows(text, |name| name == "there.fq")
    }

    #[test]
    fn sheets_are_read() {
        let text = "Sample\tfile1\tfile2\n# no\n\na b\tx.fq\r\nc\tx\ty\nd\tz\t\n";
        let row = |name: &str, files: &[&str]| Row {
            sample: name.to_owned(),
            files: files.iter().map(PathBuf::from).collect(),
        };
        let wanted = vec![
            row("a b", &["x.fq"]),
            row("c", &["x", "y"]),
            row("d", &["z"]),
        ];
        assert_eq!(rows(text.as_bytes()), Ok(wanted));
        let headless = rows(b"sample\tx.fq\nb\ty.fq");
        assert_eq!(headless, Ok(vec![row("b", &["y.fq"])]));
        for head in ["name\tread1\tread2", "Sample ID\tr1", "sample_name\tr1\tr2"] {
            let text = format!("{head}\nb\ty.fq\n");
            assert_eq!(rows(text.as_bytes()), Ok(vec![row("b", &["y.fq"])]));
        }
        // A sample may have such a name, too.
        for file in ["there.fq", "-"] {
            let text = format!("sample\t{file}\nname\tgone.fq\n");
            let wanted = vec![row("sample", &[file]), row("name", &["gone.fq"])];
            assert_eq!(rows(text.as_bytes()), Ok(wanted));
        }
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, line, word) in [
            ("", 1, "no sample"),
            ("sample\tfile\n", 1, "no sample"),
            ("a\tx\n#\nb\n", 3, "found 1"),
            ("a\tx\ty\tz", 1, "found 4"),
            ("a\tx\na\ty", 2, "duplicate"),
            ("a/b\tx", 1, "slash"),
            ("..\tx", 1, "directory"),
            ("b\tx\n-o\tx", 2, "dash"),
            ("a\x1b[2J\tx", 1, "control"),
            ("\tx", 1, "empty"),
            ("a\t\ty", 1, "empty"),
        ] {
            let (found, what) = rows(text.as_bytes()).unwrap_err();
            assert_eq!(found, line, "{text}");
            assert!(what.contains(word), "{text}: {what}");
        }
    }
}
