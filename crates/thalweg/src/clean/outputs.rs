//! Which outputs there are, and what goes where.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use thalweg::qc::{Destination, Routes};
use thalweg::trace::TraceOutput;
use thalweg::write::{Format, OutputOptions, Split};

use super::packs::PACK;
use super::read_number;
use super::roles::refuse_shared;
use crate::jobs::trace;
use crate::options::qc::{OutputFormat, QcArguments};
use crate::process::exit::Failure;
use thalweg::write::is_same;

/// The streams to open, and which destination is which of them.
pub(crate) struct Streams {
    pub(crate) options: Vec<OutputOptions>,
    pub(crate) routes: Routes,
    pub(crate) paths: Vec<PathBuf>,
    /// How many of them there are that destinations go to.
    pub(crate) regular: usize,
    /// The streams that those behind them are copies of.
    pub(crate) copied: Vec<usize>,
    /// The trace, if one is written: behind all others.
    pub(crate) trace: Option<TraceOutput>,
    /// Whether some are split between fastp's packs.
    pub(crate) in_packs: bool,
    /// Whether there are more files to split into than reads.
    pub(crate) has_few_reads: bool,
}

/// What the user wants written. `lanes` are what is read.
pub(crate) fn streams(
    arguments: &QcArguments,
    lanes: &[Vec<PathBuf>],
    paired: bool,
) -> Result<Streams, Failure> {
    let (files, pairs) = (&arguments.files, &arguments.pairs);
    check(arguments, paired)?;
    let standard_output = PathBuf::from("-");
    let mut streams = Streams {
        options: Vec::new(),
        routes: Routes::none(),
        paths: Vec::new(),
        regular: 0,
        copied: Vec::new(),
        trace: None,
        in_packs: false,
        has_few_reads: false,
    };
    let (split, has_few_reads) = split(arguments, lanes)?;
    streams.has_few_reads = has_few_reads;
    streams.in_packs = split.is_some() && arguments.running.fastp_compat.is_some();
    // What else is asked for goes there, too.
    let or_standard = |path: &Option<PathBuf>, streams: bool| match (path, streams) {
        (None, true) => Some(standard_output.clone()),
        (path, _) => path.clone(),
    };
    let interleaved = files.stdout && !pairs.merge;
    // What fastp 0.23 opens then and writes nothing to; others do not come as far as this.
    let idle = match interleaved && paired {
        true => [files.out1.clone(), files.out2.clone()],
        false => [None, None],
    };
    let [out1, out2] = match idle {
        [None, None] => [&files.out1, &files.out2],
        _ => [&None, &None],
    };
    use Destination::{Failed, Merged, Overlapped, Read1, Read2, Unpaired1, Unpaired2};
    streams.add(arguments, Read1, or_standard(out1, interleaved), split);
    if paired {
        streams.add(arguments, Read2, or_standard(out2, interleaved), split);
        let unpaired2 = files.unpaired2.clone().or_else(|| files.unpaired1.clone());
        streams.add(arguments, Unpaired1, files.unpaired1.clone(), None);
        streams.add(arguments, Unpaired2, unpaired2, None);
        let merged = or_standard(&pairs.merged_out, files.stdout && pairs.merge);
        streams.add(arguments, Merged, merged, None);
        streams.add(arguments, Overlapped, files.overlapped_out.clone(), None);
    }
    streams.add(arguments, Failed, files.failed_out.clone(), None);
    for path in idle.into_iter().flatten() {
        streams.options.push(options(arguments, &path, None));
        streams.paths.push(path);
    }
    streams.regular = streams.paths.len();
    let is_copied = match pairs.merge {
        true => pairs.merged_out.is_some(),
        false => out1.is_some(),
    };
    let main = if pairs.merge { Merged } else { Read1 };
    if files.stdout
        && is_copied
        && let Some(copied) = streams.routes.stream(main)
    {
        streams
            .options
            .push(options(arguments, &standard_output, None));
        streams.paths.push(standard_output);
        streams.copied.push(copied);
    }
    if let Some(path) = &files.trace {
        let inputs: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
        let trace = trace::output(path, &inputs)?;
        let options = trace.options().dont_overwrite(files.dont_overwrite);
        streams.options.push(options.sync(false));
        streams.paths.push(path.clone());
        streams.trace = Some(trace);
    }
    Ok(streams)
}

impl Streams {
    /// What goes to `destination` is written to `path`, perhaps with others.
    fn add(
        &mut self,
        arguments: &QcArguments,
        destination: Destination,
        path: Option<PathBuf>,
        split: Option<Split>,
    ) {
        let Some(path) = path else {
            return;
        };
        let known = self.paths.iter().position(|other| is_same(other, &path));
        let stream = known.unwrap_or(self.paths.len());
        self.routes = self.routes.set(destination, stream);
        if known.is_none() {
            self.options.push(options(arguments, &path, split));
            self.paths.push(path);
        }
    }
}

fn options(arguments: &QcArguments, path: &Path, split: Option<Split>) -> OutputOptions {
    let files = &arguments.files;
    let mut options = OutputOptions::new(path)
        .level(files.compression)
        .dont_overwrite(files.dont_overwrite)
        // As other programs do; what a power failure may take can be made again.
        .sync(false);
    if let Some(format) = files.output_format {
        options = options.format(match format {
            OutputFormat::Plain => Format::Plain,
            OutputFormat::Gzip => Format::Gzip,
            OutputFormat::Bgzf => Format::Bgzf,
            OutputFormat::Zstd => Format::Zstd,
        });
    }
    match split {
        Some(split) => options.split(split),
        None => options,
    }
}

/// How outputs are split, and whether fastp, which is followed, finds fewer reads than files.
fn split(
    arguments: &QcArguments,
    lanes: &[Vec<PathBuf>],
) -> Result<(Option<Split>, bool), Failure> {
    let files = &arguments.files;
    let as_fastp = arguments.running.fastp_compat.is_some();
    let number = |number| NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN);
    let mut has_few_reads = false;
    let split = match (files.split, files.split_by_lines) {
        (None, None) => return Ok((None, false)),
        (Some(_), _) if as_fastp && files.out1.is_none() => return Ok((None, false)),
        (Some(count), _) if as_fastp => {
            let reads = read_number::reads_to_a_file(arguments, lanes, count)?;
            has_few_reads = reads == 0;
            Split::pack_shares(number(count), number(reads.max(1).div_ceil(PACK)))
        }
        // As many in turn as fastp hands its threads at once. Files of equal parts, each behind the other, would need to
        // know how many records pass; how many there are is known where there is an index, but the result must not depend
        // on that.
        (Some(count), _) => Split::dealt(number(count), number(PACK)),
        (None, Some(lines)) if lines % 4 != 0 => {
            return Err(Failure::usage(
                format!("--split_by_lines {lines}"),
                "a multiple of 4, as each read has 4 lines",
            ));
        }
        (None, Some(lines)) if as_fastp => Split::full_packs(number(lines / 4)),
        (None, Some(lines)) => Split::every(number(lines / 4)),
    };
    Ok((Some(split.digits(files.split_prefix_digits)), has_few_reads))
}

fn check(arguments: &QcArguments, paired: bool) -> Result<(), Failure> {
    let (files, pairs) = (&arguments.files, &arguments.pairs);
    let splits = files.split.is_some() || files.split_by_lines.is_some();
    let wrong = |what: &str, hint: &str| Err(Failure::usage(what, hint));
    if !paired {
        for (given, name) in [
            (&files.out2, "--out2"),
            (&files.unpaired1, "--unpaired1"),
            (&files.unpaired2, "--unpaired2"),
            (&files.overlapped_out, "--overlapped_out"),
        ] {
            if given.is_some() {
                return wrong(
                    &format!("{name} goes with pairs, and the reads are single"),
                    "name the file of read 2, or say --interleaved_in",
                );
            }
        }
    }
    if !pairs.merge && pairs.merged_out.is_some() {
        return wrong("--merged_out needs --merge", "add -m, or leave it out");
    }
    let follows_fastp = arguments.running.fastp_compat.is_some();
    if files.stdout && !pairs.merge && !follows_fastp {
        for (given, name) in [(&files.out1, "-o"), (&files.out2, "-O")] {
            if given.is_some() {
                return wrong(
                    &format!("--stdout leaves nothing for {name}"),
                    "leave out one of them",
                );
            }
        }
    }
    if paired && files.out1.is_some() != files.out2.is_some() {
        return wrong(
            "one of -o and -O is missing",
            "pairs need both, or --stdout for interleaved output",
        );
    }
    if pairs.merge && pairs.merged_out.is_none() && !files.stdout {
        return wrong("--merge needs --merged_out", "or --stdout");
    }
    if splits && (files.stdout || pairs.merge) {
        return wrong(
            "the standard output and merged reads cannot be split",
            "leave out --split and --split_by_lines, or name files with -o and -O",
        );
    }
    refuse_shared(arguments)
}
