//! From open reads to a database.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use thalweg::kmers::count::{Counter, NoSink, Share, Totals, Worker};
use thalweg::kmers::database::{Description, Format};
use thalweg::kmers::kmer::KmerTask;
use thalweg::kmers::options::CountOptions;
use thalweg::kmers::{self, Kmer};
use thalweg::{Batch, Budget, Workers};

use crate::arguments::Common;
use crate::exit::Failure;
use crate::inputs::Inputs;
use crate::kmers::{Fault, HandedOn, PartitionOutput, Target, left_for_partitions};
use crate::output::Output;
use crate::progress::Progress;

/// Everything that a count needs; [`thalweg::kmers::kmer::dispatch`] runs it.
pub(crate) struct Job<'a> {
    pub(crate) inputs: Inputs<'a>,
    /// For the progress bar.
    pub(crate) name: &'a Path,
    pub(crate) common: &'a Common,
    pub(crate) options: CountOptions,
    pub(crate) budget: Budget,
    /// `None` where only totals and spectrum are wanted.
    pub(crate) target: Option<&'a Target>,
    /// Where the spectrum goes, too: before the database gets its name, as whatever fails leaves neither.
    pub(crate) histo: Option<Output>,
    /// What larger counts are cut to in formats that are sorted throughout; `u64::MAX` for none.
    pub(crate) largest: u64,
    /// What the database says about itself; what is known after counting is filled in.
    pub(crate) description: Description,
}

/// What a count has found.
pub(crate) struct Counted {
    pub(crate) totals: Totals,
    /// How long the first stage took: reading.
    pub(crate) reading: Duration,
    /// How many reads there were.
    pub(crate) records: u64,
}

impl KmerTask for Job<'_> {
    type Output = Result<Counted, Fault>;

    fn run<K: Kmer>(mut self) -> Self::Output {
        let start = Instant::now();
        let histo = self.histo.take();
        let format = self.target.map_or(Format::Thk, |target| target.format);
        let counter = Counter::new(
            self.options.clone(),
            left_for_partitions(self.budget, format),
        )?;
        let Some(target) = self.target else {
            let (shares, records) = self.read(&counter)?;
            let reading = start.elapsed();
            let totals = counter.finish::<K>(shares, &NoSink)?;
            write_spectrum(histo, &totals)?.map_or(Ok(()), Output::finish)?;
            return Ok(Counted {
                totals,
                reading,
                records,
            });
        };
        let output = PartitionOutput::<K>::create(
            target,
            &self.description,
            counter.partitions(),
            &self.options,
            self.budget,
        )?;
        let (mut description, largest) = (self.description.clone(), self.largest);
        let (shares, records) = self.read(&counter)?;
        let reading = start.elapsed();
        let mut totals = counter.finish(shares, &output)?;
        // A reader of the spectrum that goes does not cost the database.
        let (histo, unread) = match write_spectrum(histo, &totals) {
            Ok(histo) => (histo, None),
            Err(failure @ Failure::ClosedPipe { .. }) => (None, Some(failure)),
            Err(failure) => return Err(failure.into()),
        };
        let max_count = totals.histogram.max_count().min(description.kept.1);
        description.expected = Some(totals.kept_distinct);
        if description.counter_bytes.is_none() && format == Format::Jellyfish {
            // As Jellyfish, unless a count needs more.
            description.counter_bytes = Some(if max_count > u64::from(u32::MAX) {
                8
            } else {
                4
            });
        }
        let handed_on = HandedOn {
            distinct: totals.kept_distinct,
            total: u128::from(totals.kept_kmers),
        };
        // Nor does one of the database, on the standard output, cost the spectrum.
        let unread = match output.finish(target, &description, largest, handed_on) {
            Ok(spilled) => {
                totals.spilled_bytes += spilled;
                unread
            }
            Err(Fault::Command(failure @ Failure::ClosedPipe { .. })) => Some(failure),
            Err(fault) => return Err(fault),
        };
        histo.map_or(Ok(()), Output::finish)?;
        if let Some(failure) = unread {
            return Err(failure.into());
        }
        Ok(Counted {
            totals,
            reading,
            records,
        })
    }
}

impl Job<'_> {
    /// The first stage: all reads, by all threads; and how many they are.
    fn read(self, counter: &Counter) -> Result<(Vec<Share>, u64), Fault> {
        let with_quality = self.options.minimum_quality() > 0;
        let add = |worker: &mut Worker, batch: &Batch| Ok(add(worker, batch, with_quality)?);
        let start = || Ok::<_, Fault>(counter.worker()?);
        let end = |worker: Worker| Ok(worker.into_share()?);
        let Inputs {
            open,
            groups,
            opener,
            ..
        } = self.inputs;
        if let Some(reads) = open {
            let records = reads.records_given();
            let workers = reads.all_workers();
            let _progress = Progress::start(self.common, self.name, workers.progress());
            let shares = workers.gather(start, add, end)?;
            return Ok((shares, records()));
        }
        // Each thread goes on with what it has, as that may have a temporary file.
        let given = Mutex::new(Vec::<Box<dyn Fn() -> u64 + Send>>::new());
        let lock = || given.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |group: usize| {
            let reads = opener(groups[group].clone(), false)?;
            lock().push(Box::new(reads.records_given()));
            Ok(reads)
        };
        let threads = self.budget.threads();
        let shares = Workers::gather_in_turn(threads, groups.len(), open, start, add, end)?;
        let records = lock().iter().map(|given| given()).sum();
        Ok((shares, records))
    }
}

/// Writes the spectrum to where it is wanted, which has no name yet.
fn write_spectrum(output: Option<Output>, totals: &Totals) -> Result<Option<Output>, Failure> {
    let Some(mut output) = output else {
        return Ok(None);
    };
    let mut text = String::new();
    for (count, kmers) in totals.histogram.iter() {
        text.push_str(&format!("{count} {kmers}\n"));
    }
    output.write(text.as_bytes())?;
    Ok(Some(output))
}

fn add(worker: &mut Worker, batch: &Batch, with_quality: bool) -> kmers::Result<()> {
    for block in batch.blocks() {
        let is_next_piece = block.piece().is_some_and(|piece| !piece.is_first());
        for record in block.records() {
            match record.quality().filter(|_| with_quality) {
                Some(quality) => worker.add_with_quality(&record.sequence(), &quality)?,
                None if is_next_piece => worker.add_next_piece(record.sequence_lines())?,
                // FASTA has no qualities: all of its bases count.
                None => worker.add_lines(record.sequence_lines())?,
            }
        }
    }
    Ok(())
}
