//! Which outputs a sample has, and what each of them gets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thalweg_reads::FilePlan;
use thalweg_taxa::report::cami::bins_head;
use thalweg_write::{
    Level, OutputContents, OutputOptions, check_contents, check_not_input, check_written,
    find_shared,
};

use super::report::TextOutput;
use super::{Chosen, Form, ReadStream, Stream};
use crate::Fault;
use crate::inputs::check_output_name;
use crate::trace::TraceSettings;

/// What is written for a sample; by default nothing. Names tell what it is compressed with, and `-` is the standard output.
#[derive(Clone, Debug, Default)]
pub struct SampleOutputs {
    /// A line for each read or pair, as kraken2 has them.
    pub labels: Option<PathBuf>,
    /// How many reads are of which taxon, as kraken2 has it.
    pub report: Option<PathBuf>,
    /// The taxon of each read, as CAMI's binning has it.
    pub bins: Option<PathBuf>,
    /// What else is written when all reads were seen.
    pub texts: Vec<TextOutput>,
    /// The reads themselves, by their calls.
    pub reads: Vec<ReadsOutput>,
    /// What each label was chosen from, as records for other programs.
    pub trace: Option<TraceSettings>,
}

/// Reads that are written.
#[derive(Clone, Debug)]
pub struct ReadsOutput {
    /// What errors call it: the option that asked for it.
    pub option: &'static str,
    /// What stands before the name: of one of several samples, its directory and what it is called.
    pub before: OsString,
    /// The name, in which # stands for the mate.
    pub name: PathBuf,
    /// Which reads.
    pub chosen: Chosen,
    /// How they are written.
    pub form: Form,
    /// What # is where there are no mates.
    pub of_singles: OfSingles,
}

/// What # in a name is where reads have no mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfSingles {
    /// A slip.
    Refused,
    /// No more than a letter, as in kraken2.
    Letter,
    /// Left out, with a `_`, `.` or `-` before it: one sheet can have samples of pairs, and of single reads.
    LeftOut,
}

/// What asks for a trace.
const TRACE: &str = "--trace";

/// Outputs to open, and what each gets.
pub(super) struct Streams {
    pub(super) options: Vec<OutputOptions>,
    pub(super) streams: Vec<Stream>,
}

impl SampleOutputs {
    /// The outputs of the sample of this name, whose reads are pairs or not.
    pub(super) fn streams(
        &self,
        sample: &str,
        inputs: &[PathBuf],
        paired: bool,
        level: Level,
    ) -> Result<Streams, Fault> {
        let mut all = Streams {
            options: Vec::new(),
            streams: Vec::new(),
        };
        let mut add = |path: &Path, stream| {
            // As other programs do; what a power failure may take can be made again.
            let mut options = OutputOptions::new(path).level(level).sync(false);
            if matches!(stream, Stream::Bins) {
                options = options.head(bins_head(sample));
            }
            all.options.push(options);
            all.streams.push(stream);
        };
        if let Some(labels) = &self.labels {
            add(labels, Stream::Labels);
        }
        if let Some(bins) = &self.bins {
            add(bins, Stream::Bins);
        }
        for output in &self.reads {
            for (path, mate) in output.files(paired)? {
                let stream = ReadStream {
                    chosen: output.chosen.clone(),
                    mate,
                    form: output.form,
                };
                add(&path, Stream::Reads(stream));
            }
        }
        if let Some(trace) = &self.trace {
            let trace = trace.output(inputs)?;
            all.options.push(trace.options().sync(false));
            all.streams.push(Stream::Trace(trace.format()));
        }
        Ok(all)
    }

    /// All names, with the options that ask for them.
    pub(super) fn roles(&self, paired: bool) -> Result<Vec<(&'static str, PathBuf)>, Fault> {
        let labels = self.labels.iter().map(|path| ("the labels", path.clone()));
        let report = self.report.iter().map(|path| ("--report", path.clone()));
        let bins = (self.bins.iter()).map(|path| ("--cami-binning", path.clone()));
        let texts = (self.texts.iter()).map(|text| (text.option, text.name.clone()));
        let mut roles: Vec<_> = labels.chain(report).chain(bins).chain(texts).collect();
        for output in &self.reads {
            let files = output.files(paired)?.into_iter();
            roles.extend(files.map(|(path, _)| (output.option, path)));
        }
        roles.extend((self.trace.iter()).map(|trace| (TRACE, trace.path.clone())));
        Ok(roles)
    }

    /// Refuses names that say another format than is written, as far as `plans` tell of the reads what they are. The endings of
    /// traces are their own.
    pub(super) fn check_endings(&self, plans: &[FilePlan]) -> Result<(), Fault> {
        let texts = self.texts.iter().map(|text| &text.name);
        let texts = self
            .labels
            .iter()
            .chain(&self.report)
            .chain(&self.bins)
            .chain(texts);
        for path in texts {
            check_contents(path, &[OutputContents::Tabs, OutputContents::Text])?;
        }
        let mut reads = self.reads.iter();
        reads.try_for_each(|output| check_output_name(&output.path(&output.name), plans))
    }
}

/// Refuse names that cannot be written, that are inputs, or that two outputs have.
pub(super) fn check(roles: &[(&'static str, PathBuf)], inputs: &[PathBuf]) -> Result<(), Fault> {
    for (role, path) in roles {
        // The names of a trace are its own.
        if *role != TRACE {
            check_written(path)?;
        }
        check_not_input(path, inputs)?;
    }
    let roles = roles.iter().map(|(role, path)| (*role, path.as_path()));
    match find_shared(roles, |_, _| false) {
        Some((one, other, path)) => Err(Fault::usage(
            format!("{}: {one} and {other} name the same file", path.display()),
            "give each its own",
        )),
        None => Ok(()),
    }
}

impl ReadsOutput {
    /// The files, each with the mates that it gets: `None` for all.
    fn files(&self, paired: bool) -> Result<Vec<(PathBuf, Option<usize>)>, Fault> {
        let Some(name) = self.name.to_str().filter(|name| name.contains('#')) else {
            return Ok(vec![(self.path(&self.name), None)]);
        };
        if !paired && self.of_singles == OfSingles::Letter {
            return Ok(vec![(self.path(&self.name), None)]);
        }
        let Some((before, behind)) = name
            .split_once('#')
            .filter(|(_, behind)| !behind.contains('#'))
        else {
            return Err(Fault::usage(
                format!("{} {name}: more than one #", self.option),
                "one # stands for the mate: reads_#.fq",
            ));
        };
        if paired {
            let mates = match self.form {
                Form::Kraken => ["_1", "_2"],
                Form::AsTheyCame => ["1", "2"],
            };
            let file = |(mate, number): (usize, &str)| {
                let name = format!("{before}{number}{behind}");
                (self.path(Path::new(&name)), Some(mate))
            };
            return Ok(mates.into_iter().enumerate().map(file).collect());
        }
        match self.of_singles {
            OfSingles::LeftOut => {
                let before = before.strip_suffix(['_', '.', '-']).unwrap_or(before);
                let name = format!("{before}{behind}");
                Ok(vec![(self.path(Path::new(&name)), None)])
            }
            OfSingles::Refused | OfSingles::Letter => Err(Fault::usage(
                format!(
                    "{} {name}: # stands for the mate, but these reads are single",
                    self.option
                ),
                "remove # for single reads; for mates, give two files or --interleaved",
            )),
        }
    }

    /// Where a file of this name is.
    fn path(&self, name: &Path) -> PathBuf {
        let mut path = self.before.clone();
        path.push(name);
        path.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(
        name: &str,
        form: Form,
        paired: bool,
        of_singles: OfSingles,
    ) -> Option<Vec<(String, Option<usize>)>> {
        let output = ReadsOutput {
            option: "--out",
            before: "a#b/s#.".into(),
            name: name.into(),
            chosen: Chosen::Classified,
            form,
            of_singles,
        };
        let files = output.files(paired).ok()?.into_iter();
        let text = |path: PathBuf| {
            let text = path.to_string_lossy().into_owned();
            text.strip_prefix("a#b/s#.").unwrap().to_owned()
        };
        Some(files.map(|(path, mate)| (text(path), mate)).collect())
    }

    #[test]
    fn mates_have_names() {
        let both = |one: &str, two: &str| Some(vec![(one.into(), Some(0)), (two.into(), Some(1))]);
        let one = |name: &str| Some(vec![(name.into(), None)]);
        use Form::{AsTheyCame, Kraken};
        use OfSingles::{LeftOut, Letter, Refused};
        for of_singles in [LeftOut, Letter, Refused] {
            let paired = |name: &str, form| files(name, form, true, of_singles);
            assert_eq!(paired("h_#.fq", AsTheyCame), both("h_1.fq", "h_2.fq"));
            assert_eq!(paired("h#.fq", Kraken), both("h_1.fq", "h_2.fq"));
            assert_eq!(paired("h.fq", AsTheyCame), one("h.fq"));
            assert_eq!(paired("#h#.fq", Kraken), None);
            assert_eq!(files("h.fq", Kraken, false, of_singles), one("h.fq"));
        }
        for form in [Kraken, AsTheyCame] {
            let single = |name: &str, of_singles| files(name, form, false, of_singles);
            assert_eq!(single("h#.fq", Letter), one("h#.fq"));
            assert_eq!(single("h#.fq", Refused), None);
            assert_eq!(single("h#.fq", LeftOut), one("h.fq"));
            assert_eq!(single("h_#.fq", LeftOut), one("h.fq"));
            assert_eq!(single("#h#.fq", LeftOut), None);
        }
    }
}
