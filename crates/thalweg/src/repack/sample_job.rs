//! Templates that are drawn, to outputs.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use thalweg_files::TemporaryError;
use thalweg_flow::{Claims, run_or};
use thalweg_reads::{Error, ErrorKind};
use thalweg_write::{OutputPiece, Outputs, ordinal};

use super::candidates::{Candidate, Candidates, MOST_OUTPUTS, share_of};
use super::spool::Spool;
use super::{Choice, Drawn, Layout, RankKeys, RepackJob, Repacked};
use crate::workers::finish;
use crate::{Control, Fault, Workers};

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleSize {
    /// So many templates.
    Reads(u64),
    /// This fraction of all templates, to the nearest whole number.
    Fraction(f64),
    /// Templates of the smallest keys until they have so many bases: the last one of these may have more than are lacking.
    Bases(u64),
}

/// Draws templates, and writes them in the order of the input.
#[derive(Clone, Debug)]
pub struct SampleJob {
    /// How many.
    pub size: SampleSize,
    /// Which.
    pub keys: RankKeys,
    /// How they are written.
    pub layout: Layout,
    /// Templates of each set of files that are read, if that is known of all, as indexes tell it. Then a number of
    /// templates, or a fraction, goes from input to output with nothing between.
    pub templates: Option<Vec<u64>>,
    /// Bytes of text that may wait in memory for the end of the input, where that is not known. All of them are in the
    /// sample, or would be if the input ended there. Beside it, 40 bytes are kept of each.
    pub memory: u64,
    /// Where the rest of the text waits, in a file without a name.
    pub directory: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sampled {
    /// Templates that were read and written, and the files.
    pub repacked: Repacked,
    /// Bases that were read and written, if it was a matter of bases.
    pub bases: Option<(u64, u64)>,
    /// Whether there was less than was asked for, so that all of it was taken.
    pub is_short: bool,
}

impl Sampled {
    /// Of templates that were chosen otherwise.
    pub fn of(repacked: Repacked) -> Self {
        Self {
            repacked,
            ..Self::default()
        }
    }
}

impl SampleJob {
    /// Take all batches of `workers` to `outputs`, as [`RepackJob::run`] does.
    ///
    /// # Errors
    /// The first fault of reading, writing, or putting aside, or that it was cancelled; no file appears then.
    ///
    /// # Panics
    /// If there are more than two outputs.
    pub fn run(
        &self,
        workers: Workers,
        outputs: Outputs,
        control: &Control,
    ) -> Result<Sampled, Fault> {
        assert!(
            outputs.len() <= MOST_OUTPUTS,
            "a sample in {} outputs",
            outputs.len()
        );
        match (&self.templates, self.size) {
            (Some(templates), SampleSize::Reads(reads)) => {
                self.pick(reads, templates, workers, outputs, control)
            }
            (Some(templates), SampleSize::Fraction(share)) => {
                let reads = share_of(share, templates.iter().sum());
                self.pick(reads, templates, workers, outputs, control)
            }
            _ => self.gather(workers, outputs, control),
        }
    }

    /// All keys are known before: each worker has those of its batches.
    fn pick(
        &self,
        reads: u64,
        templates: &[u64],
        workers: Workers,
        outputs: Outputs,
        control: &Control,
    ) -> Result<Sampled, Fault> {
        let records = self.layout.records_per_template();
        let drawn = Drawn::new(self.keys, reads, templates, records);
        let job = RepackJob {
            choice: Choice::Drawn(&drawn),
            invert: false,
            layout: self.layout,
        };
        Ok(Sampled {
            repacked: job.run(workers, outputs, control)?,
            bases: None,
            is_short: reads > templates.iter().sum(),
        })
    }

    /// What is drawn is known in the end: until then what may be is put aside.
    fn gather(
        &self,
        workers: Workers,
        outputs: Outputs,
        control: &Control,
    ) -> Result<Sampled, Fault> {
        let threads = workers.threads();
        let position = workers.progress();
        let most = usize::try_from(self.memory).unwrap_or(usize::MAX);
        let spool = Spool::new(most, self.directory.clone());
        let mut candidates = Candidates::new(self.size, self.layout, outputs.len(), spool);
        let cause = Mutex::new(None);
        let read = |batch| {
            control.progress(&position);
            control.check()?;
            Ok(batch)
        };
        let gathered = workers.map_in_order(read, |batch| {
            let mut outcome = Ok(());
            self.layout.each_template(&batch, |_, template| {
                if outcome.is_ok() {
                    let key = self.keys.key(candidates.read);
                    outcome = candidates.add(key, template);
                }
            });
            outcome.map_err(|error| {
                *cause.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Fault::from(Error::new(ErrorKind::Stopped))
            })
        });
        // Those that were stopped may be noted before the one that failed.
        let cause = cause.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (gathered, cause) {
            (Err(fault), Some(cause)) if fault.is_consequence() => return Err(waiting(cause)),
            (outcome, _) => outcome?,
        }
        let all = candidates.bases_read;
        if !candidates.finish() {
            return Err(Error::new(ErrorKind::Incomplete).into());
        }
        let kept = candidates.all.iter().map(|candidate| candidate.bases).sum();
        let is_short = match self.size {
            SampleSize::Reads(reads) => reads > candidates.read,
            SampleSize::Fraction(_) => false,
            SampleSize::Bases(bases) => bases > all,
        };
        let repacked = Repacked {
            read: candidates.read,
            kept: candidates.all.len() as u64,
            files: Vec::new(),
        };
        let files = write_all(&candidates, threads, outputs, control)?;
        Ok(Sampled {
            repacked: Repacked { files, ..repacked },
            bases: matches!(self.size, SampleSize::Bases(_)).then_some((all, kept)),
            is_short,
        })
    }
}

/// What was put aside could not be written, or read again.
fn waiting(error: TemporaryError) -> Fault {
    Fault::usage(
        error.to_string(),
        "what may be in the sample waits there for the end of the input: set TMPDIR to a directory with room, \
         or let more of it be in memory (--memory); with an index nothing has to wait",
    )
}

/// Bytes of the spool that one piece of the output is made of, unless a template has more.
const PIECE: u64 = 1 << 20;

/// Write what was drawn, by all threads.
fn write_all(
    candidates: &Candidates,
    threads: usize,
    outputs: Outputs,
    control: &Control,
) -> Result<Vec<Vec<thalweg_write::Written>>, Fault> {
    let pieces = pieces(&candidates.all, candidates.spool.in_file());
    let claims = Claims::new(pieces.len() as u64);
    let work = |_, _: &thalweg_flow::Stop| -> Result<(), Fault> {
        let mut writer = outputs.writer()?;
        let mut texts = vec![Vec::new(); outputs.len()];
        while let Some(number) = claims.claim() {
            if outputs.begin(number).is_err() {
                break;
            }
            control.check()?;
            let piece = pieces[number as usize];
            texts.iter_mut().for_each(Vec::clear);
            copy(piece, &candidates.spool, &mut texts)?;
            let piece = |text| OutputPiece::new(text, piece.len() as u64);
            let mut pieces: Vec<OutputPiece<'_>> = texts.iter_mut().map(piece).collect();
            match writer.write(ordinal(number), &mut pieces) {
                Err(error) if error.is_consequence() => break,
                outcome => outcome?,
            }
        }
        Ok(())
    };
    finish::<(), Fault>(run_or(threads, work, || outputs.close()))?;
    control.check()?;
    Ok(outputs.finish(pieces.len() as u64)?)
}

/// Candidates whose texts are near each other in the spool, all of them in its file or none.
fn pieces(all: &[Candidate], in_file: u64) -> Vec<&[Candidate]> {
    let mut pieces = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let end = match first.place < in_file {
            true => in_file.min(first.place + PIECE),
            false => first.place + PIECE,
        };
        let count = rest.partition_point(|candidate| candidate.place < end);
        let (piece, others) = rest.split_at(count);
        pieces.push(piece);
        rest = others;
    }
    pieces
}

/// The texts of candidates, to those of the outputs.
fn copy(piece: &[Candidate], spool: &Spool, texts: &mut [Vec<u8>]) -> Result<(), Fault> {
    let [first, ..] = piece else {
        return Ok(());
    };
    let end = piece.last().map_or(0, |last| last.place + last.size());
    let bytes = spool.read(first.place, end).map_err(waiting)?;
    for candidate in piece {
        let mut at = (candidate.place - first.place) as usize;
        for (text, &size) in texts.iter_mut().zip(&candidate.sizes) {
            text.extend_from_slice(&bytes[at..at + size as usize]);
            at += size as usize;
        }
    }
    Ok(())
}
