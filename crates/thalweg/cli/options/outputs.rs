//! Whether a command line asks for files.

use std::path::PathBuf;

use thalweg::write::is_stream;

use super::kmers::{KmersArguments, KmersCommand};
use super::qc::QcArguments;
use super::taxa::{ClassifyArguments, TaxaArguments, TaxaCommand};
use super::trace::{TraceArguments, TraceCommand};
use super::{CatArguments, Command};

impl Command {
    /// Whether files are to be written under names of their own, and not only pipes, devices and the standard output.
    pub(crate) fn writes_files(&self) -> bool {
        match self {
            Self::Index(_) => true,
            Self::Cat(arguments) => arguments.writes_files(),
            Self::Qc(arguments) => arguments.writes_files(),
            Self::Count(arguments) => {
                any_is_file([&arguments.output, &arguments.histo, &arguments.trace])
            }
            Self::Kmers(arguments) => arguments.writes_files(),
            Self::Taxa(arguments) => arguments.writes_files(),
            Self::Classify(arguments) => arguments.writes_files(),
            Self::Trace(TraceArguments { command }) => match command {
                TraceCommand::Convert(arguments) => any_is_file([&arguments.output]),
                TraceCommand::Show(_) | TraceCommand::Count(_) => false,
            },
            Self::Info(_)
            | Self::Verify(_)
            | Self::Stats(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

impl CatArguments {
    fn writes_files(&self) -> bool {
        let repack = &self.repack;
        let are_parts = self.parts.is_some()
            || repack.records_per_part.is_some()
            || repack.bases_per_part.is_some();
        let routes = self.bam.routes.paths();
        let routes = [&routes.first, &routes.second, &routes.single, &routes.other];
        !self.pipes && (are_parts || any_is_file([&self.output, &repack.out2]))
            || any_is_file(routes)
    }
}

impl QcArguments {
    fn writes_files(&self) -> bool {
        let (files, reports) = (&self.files, &self.reports);
        let has_unnamed_report =
            !reports.no_report && (reports.json.is_none() || reports.html.is_none());
        has_unnamed_report
            || reports.fastqc.is_some()
            || any_is_file([
                &files.out1,
                &files.out2,
                &files.unpaired1,
                &files.unpaired2,
                &files.failed_out,
                &files.overlapped_out,
                &files.trace,
                &self.pairs.merged_out,
                &reports.json,
                &reports.html,
            ])
    }
}

impl KmersArguments {
    fn writes_files(&self) -> bool {
        let is_file = |output: &PathBuf| !is_stream(output);
        match &self.command {
            KmersCommand::Histo(arguments) => any_is_file([&arguments.plot, &arguments.output]),
            KmersCommand::Dump(arguments) => any_is_file([&arguments.output]),
            KmersCommand::Query(arguments) => any_is_file([&arguments.output]),
            KmersCommand::FilterReads(arguments) => {
                any_is_file([&arguments.output, &arguments.out2])
            }
            KmersCommand::Merge(arguments) => is_file(&arguments.merge.result.output),
            KmersCommand::Intersect(arguments) => is_file(&arguments.result.output),
            KmersCommand::Subtract(arguments) | KmersCommand::Diff(arguments) => {
                is_file(&arguments.result.output)
            }
            KmersCommand::Join(_) => true,
            KmersCommand::Stats(_) | KmersCommand::Info(_) | KmersCommand::Verify(_) => false,
        }
    }
}

impl TaxaArguments {
    fn writes_files(&self) -> bool {
        match &self.command {
            TaxaCommand::Build(_) | TaxaCommand::Add(_) | TaxaCommand::Merge(_) => true,
            TaxaCommand::Dump(arguments) => any_is_file([&arguments.output]),
            TaxaCommand::Info(_) | TaxaCommand::Verify(_) => false,
        }
    }
}

impl ClassifyArguments {
    fn writes_files(&self) -> bool {
        let (chosen, profiles) = (&self.chosen, &self.profiles);
        self.reads.samples.out_dir.is_some()
            || any_is_file([
                &self.output,
                &self.report,
                &self.trace,
                &chosen.taxon_out,
                &chosen.other_out,
                &chosen.classified_out,
                &chosen.unclassified_out,
                &profiles.presence,
                &profiles.html,
                &profiles.krona,
                &profiles.cami_profile,
                &profiles.cami_binning,
            ])
    }
}

/// Whether one of these that are named is a file, or will be.
fn any_is_file<const N: usize>(outputs: [&Option<PathBuf>; N]) -> bool {
    let mut named = outputs.into_iter().flatten();
    named.any(|output| !is_stream(output))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use crate::options::{Arguments, command};

    #[test]
    fn files_are_told_from_streams() {
        for (words, expected) in [
            ("cat a.fq", false),
            ("cat a.fq -o -", false),
            ("cat a.fq -o /dev/null", false),
            ("cat a.fq -o b.fq", true),
            ("cat a.fq --parts 3", true),
            ("cat a.fq --parts 3 --pipes", false),
            ("cat a.bam -1 r1.fq -2 r2.fq", true),
            ("stats a.fq", false),
            ("index a.fq.gz", true),
            ("qc a.fq", true),
            ("qc a.fq --no_report", false),
            ("qc a.fq -j /dev/null -h /dev/null", false),
            ("qc a.fq -j /dev/null -h h.html", true),
            ("count -k5 a.fq --histo -", false),
            ("count -k5 a.fq -o a.thk", true),
            ("kmers merge a.thk b.thk -o c.thk", true),
            ("kmers merge a.thk b.thk -o /dev/null --format tsv", false),
            ("kmers histo a.thk", false),
            ("taxa build a.fa -o a.tht", true),
            ("taxa info a.tht", false),
            ("classify a.tht a.fq", false),
            ("classify a.tht a.fq --report r", true),
            ("trace convert a -o b.tsv", true),
        ] {
            let words = ["thalweg"].into_iter().chain(words.split(' '));
            let matches = command().try_get_matches_from(words.clone()).unwrap();
            let arguments = Arguments::from_arg_matches(&matches).unwrap();
            assert_eq!(
                arguments.command.writes_files(),
                expected,
                "{:?}",
                Vec::from_iter(words)
            );
        }
    }
}
