//! What one thread does: batches in, through the steps, pieces out.

use thalweg_qc::duplication::{Duplication, DuplicationBuffer, Fingerprint};
use thalweg_qc::overrepresented::Candidates;
use thalweg_qc::{Config, DESTINATIONS, Pieces, Read, Routes, Worker};
use thalweg_reads::{Batch, Block, Record};
use thalweg_write::{self as write, Outputs, Writer, ordinal};

use super::collect::{ByRank, Collectors};
use super::fastqc::FastqcReports;
use super::findings::Findings;
use super::hints::is_interleaved;
use super::in_order::{InOrder, Ranked};
use super::packs::Packs;
use super::removal::{FirstFault, Removal};
use crate::trace::{Followed, ReadTracer, TraceOutput};
use crate::{Control, Fault, Source};

/// What all threads share.
pub(crate) struct Shared<'a> {
    pub(crate) config: &'a Config,
    /// What reads are removed for.
    pub(crate) removal: Option<&'a Removal>,
    pub(crate) routes: Routes,
    pub(crate) outputs: &'a Outputs,
    pub(crate) streams: usize,
    /// Of these, those that are written once more, behind the others.
    pub(crate) copied: Vec<usize>,
    /// The trace, which is behind all of them.
    pub(crate) trace: Option<&'a TraceOutput>,
    /// Whether anything is collected for reports.
    pub(crate) report: bool,
    pub(crate) duplication: Option<&'a Duplication>,
    /// Frequent sequences to count, by mate, in one of so many reads.
    pub(crate) candidates: Option<(&'a [Candidates; 2], u64)>,
    /// FastQC's reports.
    pub(crate) fastqc: Option<&'a FastqcReports>,
    /// Whether outputs are split between fastp's packs.
    pub(crate) in_packs: bool,
    /// What needs to see the batches in their order first.
    pub(crate) in_order: Option<InOrder>,
    /// Bytes read so far and in all.
    pub(crate) position: &'a (dyn Fn() -> (u64, Option<u64>) + Sync),
    /// Who is told of them, and may want to stop.
    pub(crate) control: &'a Control<'a>,
}

/// Take all batches of a thread through the steps.
pub(crate) fn run(shared: &Shared<'_>, source: &mut Source) -> Result<Findings, Fault> {
    let mut worker = Worker::new(shared.config);
    let mut removal_fault = FirstFault::default();
    if let Some(removal) = shared.removal {
        let mut finder = removal.finder()?;
        removal_fault = finder.fault();
        worker = worker.without(move |sequences| finder.find(sequences));
    }
    let mut thread = Thread {
        shared,
        worker,
        removal_fault,
        longest: 0,
        writer: shared.outputs.writer()?,
        pieces: Pieces::new(shared.routes),
        packs: Packs::new(shared.in_packs),
        texts: Default::default(),
        collectors: Collectors::new(
            shared.config.mode(),
            shared.report,
            shared.candidates,
            shared.fastqc.map(FastqcReports::seen),
        ),
        fingerprints: DuplicationBuffer::new(),
        tracer: (shared.trace.map(TraceOutput::encoder).transpose()?).map(ReadTracer::new),
        trace: Vec::new(),
        traced: 0,
        interleaved: false,
    };
    let reader = shared.in_order.as_ref().map(InOrder::reader);
    let bringer = shared.fastqc.map(FastqcReports::bringer);
    while let Some(batch) = source.next_batch()? {
        shared.control.check()?;
        shared.control.progress(shared.position);
        let place = batch.place();
        if (place.ticket, place.piece) == (0, 0) && !shared.config.options().paired {
            thread.interleaved = shared.config.mode().is_correct() && is_interleaved(&batch);
        }
        match &shared.in_order {
            None => thread.process(&batch, 0, &[])?,
            Some(in_order) => {
                in_order.hand_in(batch);
                while let Some(ranked) = in_order.take() {
                    thread.process_ranked(&ranked)?;
                }
            }
        }
    }
    drop(reader);
    if let Some(in_order) = &shared.in_order {
        while let Some(ranked) = in_order.wait() {
            thread.process_ranked(&ranked)?;
        }
    }
    drop(bringer);
    if let (Some(reports), Some(seen)) = (shared.fastqc, &mut thread.collectors.fastqc) {
        reports.wait(seen);
    }
    Ok(thread.finish())
}

struct Thread<'a> {
    shared: &'a Shared<'a>,
    worker: Worker<'a>,
    /// Why what reads are removed for could not be asked.
    removal_fault: FirstFault,
    /// Bases of the longest read so far.
    longest: usize,
    writer: Writer<'a>,
    pieces: Pieces,
    packs: Packs,
    /// Buffers on their way to the writer.
    texts: [Vec<u8>; DESTINATIONS],
    collectors: Collectors<'a>,
    fingerprints: DuplicationBuffer,
    tracer: Option<ReadTracer>,
    /// Its bytes on their way to the writer.
    trace: Vec<u8>,
    /// Values that it has made.
    traced: u64,
    /// Whether the first single reads look like pairs.
    interleaved: bool,
}

impl Thread<'_> {
    fn process_ranked(&mut self, ranked: &Ranked) -> Result<(), Fault> {
        self.process(&ranked.batch, ranked.first_rank, &ranked.copies)
    }

    /// `first_rank` and `copies` are known where the order is.
    fn process(&mut self, batch: &Batch, first_rank: u64, copies: &[bool]) -> Result<(), Fault> {
        self.packs.begin(first_rank);
        if let Some(seen) = &mut self.collectors.fastqc {
            seen.begin(batch, !self.shared.config.options().phred64);
        }
        let mut steps = Steps {
            shared: self.shared,
            worker: &mut self.worker,
            pieces: &mut self.pieces,
            packs: &mut self.packs,
            fingerprints: &mut self.fingerprints,
            longest: &mut self.longest,
        };
        let seen = &mut self.collectors;
        match &mut self.tracer {
            None => steps.process(batch, first_rank, copies, seen),
            Some(tracer) => {
                steps.process(batch, first_rank, copies, &mut Followed { seen, tracer })
            }
        }
        // What was not told of a read is not taken for an answer.
        if let Some(error) = self.removal_fault.take() {
            return Err(error.into());
        }
        if let (Some(reports), Some(seen)) = (self.shared.fastqc, &mut self.collectors.fastqc) {
            reports.end(batch, seen)?;
        }
        self.write(batch)
    }

    fn write(&mut self, batch: &Batch) -> Result<(), Fault> {
        let streams = 0..self.shared.streams;
        let copied = self.shared.copied.iter();
        let mut copies: Vec<_> = copied
            .map(|&stream| self.pieces.stream(stream).clone())
            .collect();
        let mut pieces = Vec::with_capacity(streams.len() + copies.len());
        for (stream, text) in streams.clone().zip(&mut self.texts) {
            let piece = self.pieces.stream_mut(stream);
            std::mem::swap(text, &mut piece.text);
            // Of outputs that are split, all get as many records.
            pieces.push(write::OutputPiece::new(text, piece.records).pack_ends(self.packs.ends()));
        }
        for copy in &mut copies {
            pieces.push(write::OutputPiece::new(&mut copy.text, copy.records));
        }
        if let Some(tracer) = &mut self.tracer {
            let values = tracer.take_batch(&mut self.trace)?;
            self.traced += values;
            pieces.push(write::OutputPiece::new(&mut self.trace, values));
        }
        self.writer.write(batch.place(), &mut pieces)?;
        self.pieces.clear();
        for (stream, text) in streams.zip(&mut self.texts) {
            std::mem::swap(text, &mut self.pieces.stream_mut(stream).text);
        }
        Ok(())
    }

    fn finish(mut self) -> Findings {
        let fingerprints = match self.shared.duplication {
            Some(table) => self.fingerprints.finish(table),
            None => 0,
        };
        let mut findings = Findings {
            counts: std::mem::take(&mut self.worker.counts),
            fingerprints,
            traced: self.traced,
            longest: self.longest,
            interleaved: self.interleaved,
            ..Findings::default()
        };
        self.collectors.finish(&mut findings);
        findings
    }
}

/// What takes the reads of a batch through the steps.
struct Steps<'t, 'a> {
    shared: &'t Shared<'a>,
    worker: &'t mut Worker<'a>,
    pieces: &'t mut Pieces,
    packs: &'t mut Packs,
    fingerprints: &'t mut DuplicationBuffer,
    longest: &'t mut usize,
}

impl Steps<'_, '_> {
    fn process(&mut self, batch: &Batch, first_rank: u64, copies: &[bool], seen: &mut impl ByRank) {
        match self.shared.config.options().paired {
            true => self.process_pairs(batch, first_rank, copies, seen),
            false => self.process_single(batch, first_rank, copies, seen),
        }
    }

    fn process_pairs(
        &mut self,
        batch: &Batch,
        first_rank: u64,
        copies: &[bool],
        seen: &mut impl ByRank,
    ) {
        let mode = self.shared.config.mode();
        let (mut first, mut second) = (Read::new(mode), Read::new(mode));
        let is_usual = batch.blocks().iter().all(Block::has_usual_letters);
        for (number, (left, right)) in batch.pairs().enumerate() {
            load(&mut first, &left, is_usual);
            load(&mut second, &right, is_usual);
            *self.longest = (*self.longest).max(first.len()).max(second.len());
            if let Some(table) = self.shared.duplication {
                let fingerprint = Fingerprint::of_pair(first.bases(), second.bases());
                self.fingerprints.add(fingerprint, table);
            }
            let rank = first_rank + number as u64;
            self.packs.reach(rank, self.pieces);
            seen.set_rank(rank);
            seen.set_head(0, left.head());
            seen.set_head(1, right.head());
            let is_copy = copies.get(number).is_some_and(|&is_copy| is_copy);
            self.worker
                .pair(&mut first, &mut second, is_copy, self.pieces, seen);
        }
    }

    fn process_single(
        &mut self,
        batch: &Batch,
        first_rank: u64,
        copies: &[bool],
        seen: &mut impl ByRank,
    ) {
        let mut read = Read::new(self.shared.config.mode());
        let is_usual = batch.blocks().iter().all(Block::has_usual_letters);
        let mut number = 0;
        #[expect(
            clippy::explicit_counter_loop,
            reason = "`enumerate` is called for each read, not inlined, as there are two of this function"
        )]
        for record in batch.records() {
            load(&mut read, &record, is_usual);
            *self.longest = (*self.longest).max(read.len());
            if let Some(table) = self.shared.duplication {
                let fingerprint = Fingerprint::of_read(read.bases());
                self.fingerprints.add(fingerprint, table);
            }
            let rank = first_rank + number as u64;
            self.packs.reach(rank, self.pieces);
            seen.set_rank(rank);
            seen.set_head(0, record.head());
            let is_copy = copies.get(number).is_some_and(|&is_copy| is_copy);
            self.worker.single(&mut read, is_copy, self.pieces, seen);
            number += 1;
        }
    }
}

/// Write what a trace ends with, behind all batches; returns how many tickets there are then.
pub(crate) fn end_trace(shared: &Shared<'_>, tickets: u64, values: u64) -> Result<u64, Fault> {
    let Some(trace) = shared.trace else {
        return Ok(tickets);
    };
    let mut texts = vec![Vec::new(); shared.streams + shared.copied.len()];
    texts.push(trace.end(values)?);
    let mut pieces: Vec<_> = (texts.iter_mut())
        .map(|text| write::OutputPiece::new(text, 0))
        .collect();
    shared
        .outputs
        .writer()?
        .write(ordinal(tickets), &mut pieces)?;
    Ok(tickets + 1)
}

/// Load a record, of whose batch is known whether it has usual letters only.
#[inline]
fn load<'a>(read: &mut Read<'a>, record: &Record<'a>, is_usual: bool) {
    match is_usual {
        true => read.load_usual(record),
        false => read.load(record),
    }
}
