//! Templates that are chosen by themselves, to outputs.

use thalweg_write::{OutputPiece, Outputs, Written};

use super::{Choice, Layout};
use crate::{Control, Fault, Record, Workers};

/// Writes the templates that are wanted, in the order of the input.
#[derive(Clone, Copy, Debug)]
pub struct RepackJob<'a> {
    /// Which are wanted.
    pub choice: Choice<'a>,
    /// Write the others instead.
    pub invert: bool,
    /// How they are written.
    pub layout: Layout,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repacked {
    /// Templates that were read.
    pub read: u64,
    /// Templates that were written.
    pub kept: u64,
    /// The files of each output.
    pub files: Vec<Vec<Written>>,
}

/// What is written of a batch.
struct Chosen {
    /// Of each output.
    texts: Vec<Vec<u8>>,
    /// Where templates end in each text, for outputs that are split.
    ends: Vec<Vec<usize>>,
    /// Bases of each template, likewise.
    bases: Vec<u64>,
}

impl Chosen {
    fn new(outputs: usize) -> Self {
        Self {
            texts: vec![Vec::new(); outputs],
            ends: vec![Vec::new(); outputs],
            bases: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.texts.iter_mut().for_each(Vec::clear);
        self.ends.iter_mut().for_each(Vec::clear);
        self.bases.clear();
    }

    /// The texts end with this template.
    fn note(&mut self, template: &[Record<'_>]) {
        for (ends, text) in self.ends.iter_mut().zip(&self.texts) {
            ends.push(text.len());
        }
        let bases = template.iter().map(|record| record.length() as u64);
        self.bases.push(bases.sum());
    }

    fn pieces(&mut self, templates: u64) -> Vec<OutputPiece<'_>> {
        let mut pieces = Vec::with_capacity(self.texts.len());
        for (text, ends) in self.texts.iter_mut().zip(&self.ends) {
            let piece = OutputPiece::new(text, templates).ends(ends);
            pieces.push(piece.weights(&self.bases));
        }
        pieces
    }
}

impl RepackJob<'_> {
    /// Take all batches of `workers` to `outputs`: one, or one for each record of a template if these go apart. The
    /// outputs are opened with [`Workers::ahead`], so that they hold as much as the budget allows. Where they are
    /// [split](thalweg_write::Split), templates are what is divided, and weigh as much as they have bases.
    ///
    /// # Errors
    /// The first fault of reading or writing, or that it was cancelled; no file appears then.
    pub fn run(
        &self,
        workers: Workers,
        outputs: Outputs,
        control: &Control,
    ) -> Result<Repacked, Fault> {
        let splits = outputs.splits();
        let position = workers.progress();
        let work = |source: &mut crate::Source| -> Result<(u64, u64), Fault> {
            let mut writer = outputs.writer()?;
            let mut chosen = Chosen::new(outputs.len());
            let (mut read, mut kept) = (0, 0);
            while let Some(batch) = source.next_batch()? {
                control.progress(&position);
                control.check()?;
                chosen.clear();
                let choice = self.choice.of_batch(&batch)?;
                let before = kept;
                self.layout.each_template(&batch, |number, template| {
                    read += 1;
                    if choice.wants(number, template) != self.invert {
                        kept += 1;
                        self.layout.push(template, &mut chosen.texts);
                        if splits {
                            chosen.note(template);
                        }
                    }
                });
                writer.write(batch.place(), &mut chosen.pieces(kept - before))?;
            }
            Ok((read, kept))
        };
        let (parts, tickets) = workers.run_into(&outputs, work, Fault::is_consequence)?;
        // All batches may have been made before.
        control.check()?;
        let files = outputs.finish(tickets)?;
        let add = |all: (u64, u64), part: (u64, u64)| (all.0 + part.0, all.1 + part.1);
        let (read, kept) = parts.into_iter().fold((0, 0), add);
        Ok(Repacked { read, kept, files })
    }
}
