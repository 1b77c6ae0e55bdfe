//! Reads, or pairs, that a function wants: from files to files in one call.

use std::path::{Path, PathBuf};

use thalweg_reads::{ReaderOptions, Record};
use thalweg_write::{OutputOptions, Outputs, check_not_input, check_written};

use super::choice::Wanted;
use super::{Choice, Layout, RepackJob, Repacked};
use crate::inputs::check_output_name;
use crate::{Control, Fault, Reads};

/// Write those reads of `inputs` to `output` that `wanted` says yes to, on all cores and in the order of the inputs, which
/// follow one another. Each is written as it stands. If the output's name ends with `.gz`, `.bgz` or `.zst` it is compressed.
///
/// `wanted` is asked by many threads at once. The output appears when it is whole.
///
/// ```no_run
/// let found = thalweg::filter_reads(["reads.fastq.gz"], "long.fastq.gz", |read| read.length() >= 1000)?;
/// println!("{} of {} reads", found.kept, found.read);
/// # Ok::<(), thalweg::Fault>(())
/// ```
///
/// For interleaved mates, a number of threads, or a level of compression, a [`RepackJob`] takes open reads and outputs.
///
/// # Errors
/// If an input cannot be read, or the output not be written or is an input.
#[doc(alias = "filter")]
pub fn filter_reads<P: AsRef<Path>>(
    inputs: impl IntoIterator<Item = P>,
    output: impl AsRef<Path>,
    wanted: impl Fn(&Record<'_>) -> bool + Sync,
) -> Result<Repacked, Fault> {
    filter_reads_with(inputs, output, &Control::default(), wanted)
}

/// The same, with who watches it, and may stop it.
///
/// # Errors
/// As [`filter_reads`]; and if it was cancelled.
pub fn filter_reads_with<P: AsRef<Path>>(
    inputs: impl IntoIterator<Item = P>,
    output: impl AsRef<Path>,
    control: &Control,
    wanted: impl Fn(&Record<'_>) -> bool + Sync,
) -> Result<Repacked, Fault> {
    let inputs = paths(inputs);
    let options = inputs
        .iter()
        .fold(ReaderOptions::new(), ReaderOptions::file);
    let wanted = |template: &[Record<'_>]| wanted(&template[0]);
    filter(options, &inputs, &[output.as_ref()], control, &wanted)
}

/// The same of pairs: mates in the two `inputs`, to the two `outputs`. Both mates of a pair are kept, or neither.
///
/// ```no_run
/// let kept = thalweg::filter_pairs(
///     ["r1.fastq.gz", "r2.fastq.gz"],
///     ["long1.fastq.gz", "long2.fastq.gz"],
///     |first, second| first.length().min(second.length()) >= 100,
/// )?;
/// # Ok::<(), thalweg::Fault>(())
/// ```
///
/// # Errors
/// As [`filter_reads`]; and if the inputs are not mates.
pub fn filter_pairs<P: AsRef<Path>, Q: AsRef<Path>>(
    inputs: [P; 2],
    outputs: [Q; 2],
    wanted: impl Fn(&Record<'_>, &Record<'_>) -> bool + Sync,
) -> Result<Repacked, Fault> {
    filter_pairs_with(inputs, outputs, &Control::default(), wanted)
}

/// The same, with who watches it, and may stop it.
///
/// # Errors
/// As [`filter_pairs`]; and if it was cancelled.
pub fn filter_pairs_with<P: AsRef<Path>, Q: AsRef<Path>>(
    inputs: [P; 2],
    outputs: [Q; 2],
    control: &Control,
    wanted: impl Fn(&Record<'_>, &Record<'_>) -> bool + Sync,
) -> Result<Repacked, Fault> {
    let inputs = paths(inputs);
    let options = ReaderOptions::new().mates(&inputs);
    let outputs = outputs.each_ref().map(AsRef::as_ref);
    let wanted = |template: &[Record<'_>]| wanted(&template[0], &template[1]);
    filter(options, &inputs, &outputs, control, &wanted)
}

fn paths<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Vec<PathBuf> {
    let owned = |path: P| path.as_ref().to_owned();
    inputs.into_iter().map(owned).collect()
}

fn filter(
    options: ReaderOptions,
    inputs: &[PathBuf],
    outputs: &[&Path],
    control: &Control,
    wanted: &Wanted<'_>,
) -> Result<Repacked, Fault> {
    for path in outputs {
        check_written(path)?;
        check_not_input(path, inputs)?;
    }
    let reads = Reads::open(options)?;
    let plans = reads.plan();
    (outputs.iter()).try_for_each(|path| check_output_name(path, &plans))?;
    let workers = reads.all_workers();
    let files = outputs.iter().map(OutputOptions::new).collect();
    let outputs = Outputs::open(files, workers.ahead())?;
    let layout = Layout {
        apart: true,
        ..Layout::default()
    };
    let job = RepackJob {
        choice: Choice::By(wanted),
        invert: false,
        layout,
    };
    job.run(workers, outputs, control)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Reads of 1 to 60 bases, the last without its line end.
    fn reads(mate: u8) -> String {
        let read = |number: usize| {
            let bases = &"ACGTTGCAAC".repeat(6)[..number * 7 % 60 + 1];
            let quality = "I".repeat(bases.len());
            format!("@r{number}/{mate}\n{bases}\n+\n{quality}\n")
        };
        let mut text: String = (0..5000).map(read).collect();
        text.pop();
        text
    }

    /// Records of four lines that have so many bases, one by one.
    fn plain(text: &str, least: usize) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let wanted = lines.chunks(4).filter(|record| record[1].len() >= least);
        wanted.map(|record| record.join("\n") + "\n").collect()
    }

    fn unzipped(path: &Path) -> String {
        let mut text = String::new();
        let file = std::fs::File::open(path).unwrap();
        let mut decoder = flate2::read::MultiGzDecoder::new(file);
        decoder.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn reads_that_are_wanted_come_out_in_order_and_compressed() {
        let directory = tempfile::tempdir().unwrap();
        let [one, two, out] = ["1.fq", "2.fq", "out.fq.gz"].map(|name| directory.path().join(name));
        std::fs::write(&one, reads(1)).unwrap();
        std::fs::write(&two, reads(2)).unwrap();
        let kept = filter_reads([&one, &two], &out, |read| read.length() >= 30).unwrap();
        let expected = plain(&reads(1), 30) + &plain(&reads(2), 30);
        assert!(unzipped(&out) == expected);
        assert_eq!(kept.read, 10_000);
        assert_eq!(kept.kept, expected.lines().count() as u64 / 4);
    }

    #[test]
    fn pairs_stay_together() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("1.fq"), reads(1)).unwrap();
        std::fs::write(path("2.fq"), reads(2)).unwrap();
        let inputs = [path("1.fq"), path("2.fq")];
        let outputs = [path("a.fq"), path("b.fq.gz")];
        let kept = filter_pairs(inputs, outputs.each_ref(), |first, second| {
            assert!(first.id().ends_with(b"/1") && second.id().ends_with(b"/2"));
            first.length() + second.length() >= 60
        });
        assert_eq!(kept.unwrap().read, 5000);
        let first = std::fs::read_to_string(&outputs[0]).unwrap();
        assert!(first == plain(&reads(1), 30));
        assert!(unzipped(&outputs[1]) == plain(&reads(2), 30));
    }

    #[test]
    fn nothing_is_left_of_what_fails() {
        let directory = tempfile::tempdir().unwrap();
        let [reads, out] = ["cut.fq", "out.fq"].map(|name| directory.path().join(name));
        std::fs::write(&reads, "@r\nACGT\n+\nIIII\n@s\nAC").unwrap();
        let fault = filter_reads([&reads], &out, |_| true).unwrap_err();
        assert!(fault.is_data(), "{fault}");
        assert!(format!("{fault:?}").contains("\nhint: "), "{fault:?}");
        assert!(!out.exists());
        let fault = filter_reads([&reads], &reads, |_| true).unwrap_err();
        assert!(
            fault.to_string().contains("is an input file too"),
            "{fault}"
        );
    }
}
