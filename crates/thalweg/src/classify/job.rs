//! Reads to labels, to reads by their labels, and to counts.
//!
//! ```text
//! each thread:  batch ──► groups of reads or pairs ──► Lookup ──► Classifier ──► Call ──┬─► Tally, Collect
//!                                                                                       └─► a text for each Stream
//! all:          texts, compressed by the thread that made them ──► Outputs, in the order of the input
//! ```

use std::borrow::Cow;

use thalweg_reads::{Batch, Record, Records};
use thalweg_taxa::Kernel;
use thalweg_taxa::classify::{Classifier, Hits, Rule, Stored, Workspace};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::label::{Columns, Labels};
use thalweg_taxa::lookup::TaxonLookup;
use thalweg_taxa::report::{CallTally, cami::write_bin};
use thalweg_write::{OutputPiece, Outputs, Writer, ordinal};

use super::collect::{Called, Collect};
use super::rounds::Rounds;
use super::streams::Stream;
use crate::trace::{LabelTracer, TraceEncoder};
use crate::{Control, Fault, Source, Workers};

/// Reads, or pairs, whose k-mers are looked up together: what the memory has to bring for one is on its way while others
/// are looked at.
const TOGETHER: usize = 32;

/// The same where the disk has to bring it: that answers many questions at once.
const TOGETHER_OF_LARGE: usize = 1024;

/// Bytes that a letter of a read takes which is held: it, its quality and name, its runs, and what becomes of it.
const BYTES_OF_LETTER: u64 = 6;

/// Records of a pair.
const MATES: usize = 2;

/// Labels for reads.
pub struct ClassifyJob<'a> {
    /// Where their k-mers are looked up.
    pub database: &'a TaxonDatabase,
    /// The database is larger than the memory there is: what look-ups need of it is asked for together, many reads at a time.
    pub is_large: bool,
    /// Look-ups go through the database in its order, for as many reads at a time as so many bytes hold, of all threads
    /// together; `outputs` must let as many be unfinished. If `None`, reads are looked up as they come.
    pub sweep: Option<u64>,
    /// How they are called.
    pub rule: Rule,
    /// What their lines have.
    pub columns: Columns,
    /// Records 2i and 2i + 1 of one file are a pair.
    pub interleaved: bool,
    /// Letters of a lower quality than this are taken for no bases; 0 for none of them.
    pub least_quality: u8,
    /// What each of the outputs gets, in their order.
    pub streams: Vec<Stream>,
    /// Who is told how far it is, and may stop it.
    pub control: &'a Control<'a>,
}

/// What came of all reads.
#[derive(Debug)]
pub struct Classified<C> {
    /// How many were called what.
    pub tally: CallTally,
    /// What was collected besides.
    pub collected: C,
    /// How many tickets the reads had: for [`Outputs::finish`].
    pub tickets: u64,
}

impl ClassifyJob<'_> {
    /// Give `outputs`, one for each stream, what they are to get of all reads, and count. With two files in step, or
    /// interleaved, pairs have one label. `collector` makes what a thread collects with: `|| ()` if nothing is wanted.
    ///
    /// The outputs are whole, and [to be finished](Outputs::finish), when this returns.
    ///
    /// # Errors
    /// A fault of the reads or of the database, also that somebody wrote to that meanwhile; what the system says about an output;
    /// that it was cancelled. The outputs are closed then.
    ///
    /// # Panics
    /// If more than two files are in step.
    pub fn run<C: Collect>(
        &self,
        workers: Workers,
        outputs: &Outputs,
        collector: impl Fn() -> C + Sync,
    ) -> Result<Classified<C>, Fault> {
        let database = self.database;
        let (taxonomy, species) = (database.taxonomy(), database.species());
        let k = database.header().layout.scheme().k();
        let sets = Stored {
            sets: database.sets(),
            species,
        };
        let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
        let classifier = Classifier::new(taxonomy, k, nodes, leaves, &sets, self.rule.clone());
        let labels = Labels::new(taxonomy, k, self.columns);
        let rounds = self
            .sweep
            .map(|bytes| Rounds::new(bytes, workers.threads()));
        let position = workers.progress();
        let go_on = || {
            self.control.progress(&position);
            self.control.check()
        };
        let work = |source: &mut Source| {
            let mut desk = Desk {
                job: self,
                classifier: &classifier,
                labels: &labels,
                lookup: match self.is_large || self.sweep.is_some() {
                    true => TaxonLookup::of_large(database, Kernel::best()),
                    false => TaxonLookup::new(database, Kernel::best()),
                },
                workspace: classifier.workspace(),
                tally: CallTally::new(taxonomy),
                collected: collector(),
                texts: vec![Vec::new(); self.streams.len()],
                records: vec![0; self.streams.len()],
                tracer: self.trace_encoder()?.map(LabelTracer::new),
                traced: 0,
            };
            let mut writer = outputs.writer()?;
            match &rounds {
                None => {
                    while let Some(batch) = source.next_batch()? {
                        desk.label(&batch)?;
                        desk.write(&batch, &mut writer)?;
                        go_on()?;
                    }
                }
                Some(rounds) => {
                    let mut round = rounds.join();
                    while desk.sweep(source, rounds.bytes(), &mut writer)? {
                        round.next();
                        go_on()?;
                    }
                }
            }
            Ok((desk.tally, desk.collected, desk.traced))
        };
        let (parts, mut tickets) = workers.run_into(outputs, work, Fault::is_consequence)?;
        database.check_unchanged()?;
        let mut tally = CallTally::new(taxonomy);
        let mut collected = collector();
        let mut traced = 0;
        for (part, also, values) in parts {
            tally.merge(&part);
            collected.merge(also);
            traced += values;
        }
        if let Some(mut encoder) = self.trace_encoder()? {
            let end = encoder.end(traced)?;
            let texts = self.streams.iter().map(|stream| match stream {
                Stream::Trace(_) => end.clone(),
                _ => Vec::new(),
            });
            let mut texts: Vec<_> = texts.collect();
            let mut pieces: Vec<_> = texts
                .iter_mut()
                .map(|text| OutputPiece::new(text, 0))
                .collect();
            outputs.writer()?.write(ordinal(tickets), &mut pieces)?;
            tickets += 1;
        }
        Ok(Classified {
            tally,
            collected,
            tickets,
        })
    }
}

impl ClassifyJob<'_> {
    /// What a trace is made with, if there is one.
    fn trace_encoder(&self) -> Result<Option<TraceEncoder>, Fault> {
        let formats = self.streams.iter().filter_map(|stream| match stream {
            Stream::Trace(format) => Some(*format),
            _ => None,
        });
        Ok(formats.map(TraceEncoder::new).next().transpose()?)
    }
}

/// What one thread has.
struct Desk<'a, C> {
    job: &'a ClassifyJob<'a>,
    classifier: &'a Classifier<'a, Stored<'a>>,
    labels: &'a Labels<'a>,
    lookup: TaxonLookup<'a>,
    workspace: Workspace,
    tally: CallTally,
    collected: C,
    /// By stream: what it gets of a batch, and how many records that are.
    texts: Vec<Vec<u8>>,
    records: Vec<u64>,
    tracer: Option<LabelTracer>,
    /// Values that it has made.
    traced: u64,
}

impl<C: Collect> Desk<'_, C> {
    /// Labels all reads of a batch.
    fn label(&mut self, batch: &Batch) -> Result<(), Fault> {
        let together = match self.job.is_large {
            true => TOGETHER_OF_LARGE,
            false => TOGETHER,
        };
        let mut groups = Groups::new(batch, self.job.interleaved);
        let (mates, mut letters) = (groups.mates, Vec::new());
        while let Some(group) = groups.next(together) {
            letters.clear();
            letters.extend(group.iter().map(|record| self.letters(record)));
            self.lookup.clear();
            let reads = letters.chunks(mates);
            reads.for_each(|mates| self.lookup.push(mates));
            self.lookup.look_up()?;
            self.label_group(group, &letters, mates, 0);
        }
        Ok(())
    }

    /// Labels as many batches as there is room for, and writes their texts; tells whether there were any.
    fn sweep(
        &mut self,
        source: &mut Source,
        most_bytes: u64,
        writer: &mut Writer<'_>,
    ) -> Result<bool, Fault> {
        self.lookup.clear();
        let (mut batches, mut bytes) = (Vec::new(), 0);
        while bytes + self.lookup.bytes_of_sweep() < most_bytes
            && let Some(batch) = source.next_batch()?
        {
            let mut groups = Groups::new(&batch, self.job.interleaved);
            let mates = groups.mates;
            while let Some(group) = groups.next(TOGETHER) {
                for mates in group.chunks(mates) {
                    let letters = mates.iter().map(|record| self.letters(record));
                    bytes += BYTES_OF_LETTER
                        * mates.iter().map(|mate| mate.length() as u64).sum::<u64>();
                    let letters = Vec::from_iter(letters);
                    self.lookup.push(&letters);
                }
            }
            batches.push(batch);
        }
        self.lookup.sweep()?;
        let mut sequence = 0;
        let is_any = !batches.is_empty();
        for batch in batches {
            let mut groups = Groups::new(&batch, self.job.interleaved);
            let mates = groups.mates;
            while let Some(group) = groups.next(TOGETHER) {
                let letters = group.iter().map(|record| self.letters(record));
                let letters = Vec::from_iter(letters);
                self.label_group(group, &letters, mates, sequence);
                sequence += group.len();
            }
            self.write(&batch, writer)?;
        }
        Ok(is_any)
    }

    /// Gives the texts of a batch to the outputs, unless the database is damaged: collectors look k-mers up, too.
    fn write(&mut self, batch: &Batch, writer: &mut Writer<'_>) -> Result<(), Fault> {
        self.job.database.check_looked_up()?;
        if let Some(tracer) = &mut self.tracer {
            let streams = self.job.streams.iter().zip(&mut self.texts);
            for (_, text) in streams.filter(|(stream, _)| matches!(stream, Stream::Trace(_))) {
                self.traced += tracer.take_batch(text)?;
            }
        }
        let texts = self.texts.iter_mut().zip(&mut self.records);
        let mut pieces: Vec<_> = texts
            .map(|(text, records)| OutputPiece::new(text, std::mem::take(records)))
            .collect();
        Ok(writer.write(batch.place(), &mut pieces)?)
    }

    /// The letters of a record, of which some may be taken for no bases.
    #[inline]
    fn letters<'a>(&self, record: &Record<'a>) -> Cow<'a, [u8]> {
        let least = self.job.least_quality;
        let quality = (least > 0).then(|| record.quality()).flatten();
        match quality {
            Some(quality) => masked(record.sequence().into_owned(), &quality, least).into(),
            None => record.sequence(),
        }
    }

    /// Labels some reads or pairs, so many records each, which were looked up as the sequence `first_sequence` and the next ones.
    fn label_group(
        &mut self,
        group: &[Record<'_>],
        letters: &[Cow<'_, [u8]>],
        mates: usize,
        first_sequence: usize,
    ) {
        for (number, records) in group.chunks(mates).enumerate() {
            let first = number * mates;
            let letters = &letters[first..first + records.len()];
            let mut hits = [Hits::NONE; MATES];
            let hits = &mut hits[..records.len()];
            for (mate, hits) in hits.iter_mut().enumerate() {
                *hits = Hits {
                    letters: &letters[mate],
                    runs: self.lookup.runs(first_sequence + first + mate),
                };
            }
            let call = self.classifier.call(&mut self.workspace, hits);
            let bases = hits.iter().map(|hits| hits.letters.len() as u64).sum();
            self.tally.add(&call, bases);
            let called = Called {
                id: records[0].id(),
                mates: hits,
                call: &call,
            };
            self.collected.add(&called);
            if let Some(tracer) = &mut self.tracer {
                tracer.add(self.classifier, &mut self.workspace, called.id, hits, &call);
            }
            let taxonomy = self.classifier.taxonomy();
            let taxon = call.node.map(|node| (node, taxonomy.taxid(node)));
            let texts = self.texts.iter_mut().zip(&mut self.records);
            for (stream, (text, written)) in self.job.streams.iter().zip(texts) {
                *written += match stream {
                    Stream::Labels => {
                        let workspace = &mut self.workspace;
                        let node_of = |set| self.classifier.node_of_set(workspace, set);
                        self.labels.write(called.id, hits, &call, node_of, text);
                        1
                    }
                    Stream::Bins => match taxon {
                        Some((_, taxid)) => {
                            write_bin(called.id, hits.len() > 1, taxid, text);
                            1
                        }
                        None => 0,
                    },
                    Stream::Reads(stream) => stream.write(records, letters, taxon, text),
                    Stream::Trace(_) => 1,
                };
            }
        }
    }
}

/// The reads or pairs of a batch, some at a time.
struct Groups<'b> {
    files: Vec<Records<'b>>,
    mates: usize,
    group: Vec<Record<'b>>,
}

impl<'b> Groups<'b> {
    fn new(batch: &'b Batch, interleaved: bool) -> Self {
        let files = 0..batch.blocks().len();
        Self {
            mates: if interleaved { MATES } else { files.len() },
            files: files.map(|file| batch.mates(file)).collect(),
            group: Vec::new(),
        }
    }

    /// The records of up to so many reads or pairs, `None` if none are left.
    fn next(&mut self, reads: usize) -> Option<&[Record<'b>]> {
        self.group.clear();
        match &mut self.files[..] {
            [file] => self.group.extend(file.take(reads * self.mates)),
            files => {
                for _ in 0..reads {
                    self.group
                        .extend(files.iter_mut().filter_map(Iterator::next));
                }
            }
        }
        (!self.group.is_empty()).then_some(&self.group)
    }
}

/// The letters with an `x` wherever the quality, of Phred+33, is lower than `least`.
fn masked(mut letters: Vec<u8>, quality: &[u8], least: u8) -> Vec<u8> {
    for (letter, quality) in letters.iter_mut().zip(quality) {
        if quality.saturating_sub(b'!') < least {
            *letter = b'x';
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_low_quality_are_masked() {
        assert_eq!(masked(b"ACGTA".to_vec(), b"!5I4 ", 20), b"xCGxx");
        assert_eq!(masked(b"ACGT".to_vec(), b"!!!!", 0), b"ACGT");
    }
}
