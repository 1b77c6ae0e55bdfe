//! Which outputs there are, and what goes where.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use thalweg_qc::{Destination, Routes};
use thalweg_write::{OutputOptions, Split, is_same, is_stream};

use super::packs::PACK;
use super::roles::refuse_shared;
use super::{CleanSettings, OutputSettings, read_number};
use crate::Fault;
use crate::trace::TraceOutput;

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
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
    paired: bool,
    paired_by_flags_of: Option<&Path>,
) -> Result<Streams, Fault> {
    let (outputs, steps) = (&settings.outputs, &settings.steps);
    check(settings, paired, paired_by_flags_of)?;
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
    let (split, has_few_reads) = split(settings, lanes)?;
    streams.has_few_reads = has_few_reads;
    streams.in_packs = split.is_some() && !steps.mode.is_correct();
    // What else is asked for goes there, too.
    let or_standard = |path: &Option<PathBuf>, streams: bool| match (path, streams) {
        (None, true) => Some(standard_output.clone()),
        (path, _) => path.clone(),
    };
    let interleaved = outputs.stdout && !steps.merge;
    // What fastp 0.23 opens then and writes nothing to; others do not come as far as this.
    let idle = match interleaved && paired {
        true => [outputs.out1.clone(), outputs.out2.clone()],
        false => [None, None],
    };
    let [out1, out2] = match idle {
        [None, None] => [&outputs.out1, &outputs.out2],
        _ => [&None, &None],
    };
    use Destination::{Failed, Merged, Overlapped, Read1, Read2, Unpaired1, Unpaired2};
    streams.add(outputs, Read1, or_standard(out1, interleaved), split);
    if paired {
        streams.add(outputs, Read2, or_standard(out2, interleaved), split);
        let unpaired2 = outputs
            .unpaired2
            .clone()
            .or_else(|| outputs.unpaired1.clone());
        streams.add(outputs, Unpaired1, outputs.unpaired1.clone(), None);
        streams.add(outputs, Unpaired2, unpaired2, None);
        let merged = or_standard(&outputs.merged_out, outputs.stdout && steps.merge);
        streams.add(outputs, Merged, merged, None);
        streams.add(outputs, Overlapped, outputs.overlapped_out.clone(), None);
    }
    streams.add(outputs, Failed, outputs.failed_out.clone(), None);
    for path in idle.into_iter().flatten() {
        streams.options.push(options(outputs, &path, None));
        streams.paths.push(path);
    }
    streams.regular = streams.paths.len();
    let is_copied = match steps.merge {
        true => outputs.merged_out.is_some(),
        false => out1.is_some(),
    };
    let main = if steps.merge { Merged } else { Read1 };
    if outputs.stdout
        && is_copied
        && let Some(copied) = streams.routes.stream(main)
    {
        streams
            .options
            .push(options(outputs, &standard_output, None));
        streams.paths.push(standard_output);
        streams.copied.push(copied);
    }
    if let Some(settings) = &outputs.trace {
        let inputs: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
        let trace = settings.output(&inputs)?;
        let options = trace.options().dont_overwrite(outputs.dont_overwrite);
        streams.options.push(options.sync(!outputs.no_sync));
        streams.paths.push(settings.path.clone());
        streams.trace = Some(trace);
    }
    Ok(streams)
}

impl Streams {
    /// Whether there are outputs, of reads at least, and all are streams.
    pub(crate) fn are_reads_streamed(&self) -> bool {
        let traces = usize::from(self.trace.is_some());
        self.paths.len() > traces && self.paths.iter().all(|path| is_stream(path))
    }

    /// What goes to `destination` is written to `path`, perhaps with others.
    fn add(
        &mut self,
        outputs: &OutputSettings,
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
            self.options.push(options(outputs, &path, split));
            self.paths.push(path);
        }
    }
}

fn options(outputs: &OutputSettings, path: &Path, split: Option<Split>) -> OutputOptions {
    let mut options = OutputOptions::new(path)
        .level(outputs.compression)
        .dont_overwrite(outputs.dont_overwrite)
        .sync(!outputs.no_sync);
    if let Some(format) = outputs.output_format {
        options = options.format(format);
    }
    match split {
        Some(split) => options.split(split),
        None => options,
    }
}

/// How outputs are split, and whether fastp, which is followed, finds fewer reads than outputs.
fn split(settings: &CleanSettings, lanes: &[Vec<PathBuf>]) -> Result<(Option<Split>, bool), Fault> {
    let outputs = &settings.outputs;
    let as_fastp = !settings.steps.mode.is_correct();
    let number = |number| NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN);
    let mut has_few_reads = false;
    let split = match (outputs.split, outputs.split_by_lines) {
        (None, None) => return Ok((None, false)),
        (Some(_), _) if as_fastp && outputs.out1.is_none() => return Ok((None, false)),
        (Some(count), _) if as_fastp => {
            let reads = read_number::reads_to_a_file(settings, lanes, count)?;
            has_few_reads = reads == 0;
            Split::pack_shares(number(count), number(reads.max(1).div_ceil(PACK)))
        }
        // As many in turn as fastp hands its threads at once. Files of equal parts, each behind the other, would need to
        // know how many records pass; how many there are is known where there is an index, but the result must not depend
        // on that.
        (Some(count), _) => Split::dealt(number(count), number(PACK)),
        (None, Some(lines)) if lines % 4 != 0 => {
            return Err(Fault::usage(
                format!("--split_by_lines {lines}"),
                "a multiple of 4, as each read has 4 lines",
            ));
        }
        (None, Some(lines)) if as_fastp => Split::full_packs(number(lines / 4)),
        (None, Some(lines)) => Split::every(number(lines / 4)),
    };
    Ok((
        Some(split.digits(outputs.split_prefix_digits)),
        has_few_reads,
    ))
}

fn check(
    settings: &CleanSettings,
    paired: bool,
    paired_by_flags_of: Option<&Path>,
) -> Result<(), Fault> {
    let (outputs, steps) = (&settings.outputs, &settings.steps);
    let splits = outputs.split.is_some() || outputs.split_by_lines.is_some();
    let wrong = |what: &str, hint: &'static str| Err(Fault::usage(what, hint));
    if !paired {
        for (given, name) in [
            (&outputs.out2, "--out2"),
            (&outputs.unpaired1, "--unpaired1"),
            (&outputs.unpaired2, "--unpaired2"),
            (&outputs.overlapped_out, "--overlapped_out"),
        ] {
            if given.is_some() {
                return wrong(
                    &format!("{name} requires pairs, but the reads are single"),
                    "give the input of read 2 as well, or use --interleaved_in",
                );
            }
        }
    }
    if !steps.merge && outputs.merged_out.is_some() {
        return wrong("--merged_out needs --merge", "add -m, or leave it out");
    }
    let follows_fastp = !settings.steps.mode.is_correct();
    if outputs.stdout && !steps.merge && !follows_fastp {
        for (given, name) in [(&outputs.out1, "-o"), (&outputs.out2, "-O")] {
            if given.is_some() {
                return wrong(
                    &format!("--stdout leaves nothing for {name}"),
                    "leave out one of them",
                );
            }
        }
    }
    if paired && outputs.out1.is_some() != outputs.out2.is_some() {
        if let Some(file) = paired_by_flags_of {
            return Err(one_output_for_flags(file));
        }
        return wrong(
            "one of -o and -O is missing",
            match steps.merge {
                true => "with --merge, they take the pairs that do not merge: give both, or none",
                false => "pairs need both, or --stdout for interleaved output",
            },
        );
    }
    if steps.merge && outputs.merged_out.is_none() && !outputs.stdout {
        return wrong("--merge needs --merged_out", "or --stdout");
    }
    if splits && (outputs.stdout || steps.merge) {
        return wrong(
            "the standard output and merged reads cannot be split",
            "leave out --split and --split_by_lines, or name files with -o and -O",
        );
    }
    refuse_shared(settings)
}

/// The fault of one output for two kinds of mates, which the user may have taken for single reads.
fn one_output_for_flags(file: &Path) -> Fault {
    let file = file.display();
    Fault::usage(
        format!(
            "{file}: its reads are pairs, by the flags of its records, but one of -o and -O is missing"
        ),
        format!(
            "name both, as -o r1.fq -O r2.fq; write interleaved pairs with `--stdout > pairs.fq`; or clean them as single reads with \
             `thalweg cat {file} | thalweg qc - -o reads.fq`"
        ),
    )
}
