//! Templates that are chosen by themselves, to outputs.

use thalweg_write::{Outputs, Piece, Written};

use super::{Choice, Fault, Layout};
use crate::Workers;

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

impl RepackJob<'_> {
    /// Take all batches of `workers` to `outputs`: one, or one for each record of a template if these go apart. The
    /// outputs are opened with [`Workers::ahead`], so that they hold as much as the budget allows.
    ///
    /// # Errors
    /// The first fault of reading or writing; no file appears then.
    pub fn run(&self, workers: Workers, outputs: Outputs) -> Result<Repacked, Fault> {
        let work = |source: &mut crate::Source| -> Result<(u64, u64), Fault> {
            let mut writer = outputs.writer()?;
            let mut texts = vec![Vec::new(); outputs.len()];
            let (mut read, mut kept) = (0, 0);
            while let Some(batch) = source.next_batch()? {
                texts.iter_mut().for_each(Vec::clear);
                let choice = self.choice.of_batch(&batch)?;
                let before = kept;
                self.layout.each_template(&batch, |number, template| {
                    read += 1;
                    if choice.wants(number, template) != self.invert {
                        kept += 1;
                        self.layout.push(template, &mut texts);
                    }
                });
                let piece = |text| Piece::new(text, kept - before);
                let mut pieces: Vec<Piece<'_>> = texts.iter_mut().map(piece).collect();
                writer.write(batch.place(), &mut pieces)?;
            }
            Ok((read, kept))
        };
        let (parts, tickets) = workers.run_into(&outputs, work, Fault::is_consequence)?;
        let files = outputs.finish(tickets)?;
        let add = |all: (u64, u64), part: (u64, u64)| (all.0 + part.0, all.1 + part.1);
        let (read, kept) = parts.into_iter().fold((0, 0), add);
        Ok(Repacked { read, kept, files })
    }
}
