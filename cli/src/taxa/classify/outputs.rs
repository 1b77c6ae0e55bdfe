//! Which outputs a sample has, and what each of them gets.

use std::path::{Path, PathBuf};

use thalweg::taxa::report::cami::bins_head;
use thalweg::taxa::{Chosen, Form, ReadStream, Stream};
use thalweg::write::{Level, OutputOptions};

use super::report::TextOutput;
use crate::exit::Failure;
use crate::identity::find_shared;
use crate::output::{refuse_input, refuse_unwritten};

/// What is written for a sample.
pub(crate) struct Outputs {
    /// `None` where nobody wants labels.
    pub(crate) labels: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    /// CAMI's binning.
    pub(crate) bins: Option<PathBuf>,
    /// What is written when all reads were seen, beside the report.
    pub(crate) texts: Vec<TextOutput>,
    pub(crate) reads: Vec<ReadOutput>,
}

/// Reads that are written.
#[derive(Clone)]
pub(crate) struct ReadOutput {
    /// What the user asked for them with.
    pub(crate) option: &'static str,
    /// The name, in which # stands for the mate.
    pub(crate) name: PathBuf,
    pub(crate) chosen: Chosen,
    pub(crate) form: Form,
}

/// Outputs to open, and what each gets.
pub(crate) struct Streams {
    pub(crate) options: Vec<OutputOptions>,
    pub(crate) streams: Vec<Stream>,
}

impl Outputs {
    /// The outputs of the sample of this name, whose reads are pairs or not.
    pub(crate) fn streams(
        &self,
        sample: &str,
        paired: bool,
        level: Level,
    ) -> Result<Streams, Failure> {
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
        Ok(all)
    }

    /// All names, with the options that ask for them.
    pub(crate) fn roles(&self, paired: bool) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
        let labels = self.labels.iter().map(|path| ("the labels", path.clone()));
        let report = self.report.iter().map(|path| ("--report", path.clone()));
        let bins = (self.bins.iter()).map(|path| ("--cami-binning", path.clone()));
        let texts = (self.texts.iter()).map(|text| (text.option, text.name.clone()));
        let mut roles: Vec<_> = labels.chain(report).chain(bins).chain(texts).collect();
        for output in &self.reads {
            let files = output.files(paired)?.into_iter();
            roles.extend(files.map(|(path, _)| (output.option, path)));
        }
        Ok(roles)
    }
}

/// Refuse names that cannot be written, that are inputs, or that two outputs have.
pub(crate) fn check(roles: &[(&'static str, PathBuf)], inputs: &[PathBuf]) -> Result<(), Failure> {
    for (_, path) in roles {
        refuse_unwritten(path)?;
        refuse_input(path, inputs)?;
    }
    let roles = roles.iter().map(|(role, path)| (*role, path.as_path()));
    match find_shared(roles, |_, _| false) {
        Some((one, other, path)) => Err(Failure::usage(
            format!("{}: {one} and {other} name the same file", path.display()),
            "give each its own",
        )),
        None => Ok(()),
    }
}

impl ReadOutput {
    /// The files, each with the mates that it gets: `None` for all.
    fn files(&self, paired: bool) -> Result<Vec<(PathBuf, Option<usize>)>, Failure> {
        let Some(name) = self.name.to_str().filter(|name| name.contains('#')) else {
            return Ok(vec![(self.name.clone(), None)]);
        };
        if !paired {
            return match self.form {
                // It is no more than a letter there, as in kraken2.
                Form::Kraken => Ok(vec![(self.name.clone(), None)]),
                Form::AsTheyCame => {
                    Err(self.wrong_name("the reads are single: they go to one file"))
                }
            };
        }
        let Some((before, behind)) = name
            .split_once('#')
            .filter(|(_, behind)| !behind.contains('#'))
        else {
            return Err(self.wrong_name("a name has one #, which stands for the mate"));
        };
        let mates = match self.form {
            Form::Kraken => ["_1", "_2"],
            Form::AsTheyCame => ["1", "2"],
        };
        let file = |(mate, number): (usize, &str)| {
            (format!("{before}{number}{behind}").into(), Some(mate))
        };
        Ok(mates.into_iter().enumerate().map(file).collect())
    }

    fn wrong_name(&self, hint: &str) -> Failure {
        let Self { option, name, .. } = self;
        Failure::usage(format!("{option} {}", name.display()), hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(name: &str, form: Form, paired: bool) -> Option<Vec<(String, Option<usize>)>> {
        let output = ReadOutput {
            option: "--out",
            name: name.into(),
            chosen: Chosen::Classified,
            form,
        };
        let files = output.files(paired).ok()?.into_iter();
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        Some(files.map(|(path, mate)| (text(path), mate)).collect())
    }

    #[test]
    fn mates_have_names() {
        let both = |one: &str, two: &str| Some(vec![(one.into(), Some(0)), (two.into(), Some(1))]);
        let one = |name: &str| Some(vec![(name.into(), None)]);
        use Form::{AsTheyCame, Kraken};
        assert_eq!(files("h_#.fq", AsTheyCame, true), both("h_1.fq", "h_2.fq"));
        assert_eq!(files("h#.fq", Kraken, true), both("h_1.fq", "h_2.fq"));
        assert_eq!(files("h.fq", AsTheyCame, true), one("h.fq"));
        assert_eq!(files("h.fq", Kraken, false), one("h.fq"));
        assert_eq!(files("h#.fq", Kraken, false), one("h#.fq"));
        assert_eq!(files("h#.fq", AsTheyCame, false), None);
        assert_eq!(files("#h#.fq", Kraken, true), None);
    }
}
