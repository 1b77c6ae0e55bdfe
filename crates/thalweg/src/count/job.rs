//! From open reads to a database.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use thalweg_flow::Budget;
use thalweg_kmers::count::{BlockSink, CountTotals, CountWorker, Counter, NoSink, Share};
use thalweg_kmers::database::{DatabaseFormat, Description};
use thalweg_kmers::kmer::KmerTask;
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::{self as kmers, Kmer};
use thalweg_reads::Batch;
use thalweg_write::SealedFile;

use super::Inputs;
use super::partition_output::{HandedOn, PartitionOutput, left_for_partitions};
use super::target::Target;
use crate::output_file::OutputFile;
use crate::stoppable::StoppableSink;
use crate::{Control, Fault, Workers};

/// Everything that a count needs; [`dispatch`](kmers::kmer::dispatch) runs it.
///
/// `E` is the error of who opens the inputs.
pub struct CountJob<'a, E> {
    /// What is read.
    pub inputs: Inputs<'a, E>,
    /// Who is told how far it is, and may stop it.
    pub control: &'a Control<'a>,
    /// What is counted, and how.
    pub options: CountOptions,
    /// Threads, and the memory that counting may take.
    pub budget: Budget,
    /// `None` where only totals and spectrum are wanted.
    pub target: Option<&'a Target>,
    /// Where the spectrum goes, too: before the database gets its name, as whatever fails leaves neither.
    pub histo: Option<OutputFile>,
    /// What larger counts are cut to in formats that are sorted throughout; `u64::MAX` for none.
    pub largest: u64,
    /// What the database says about itself; what is known after counting is filled in.
    pub description: Description,
}

/// Tells how many bytes on disk were read, and of how many, if that is known.
pub type Position = Box<dyn Fn() -> (u64, Option<u64>) + Send>;

/// What a count has found.
#[derive(Debug)]
pub struct Counted {
    /// Sums, and the spectrum.
    pub totals: CountTotals,
    /// How long the first stage took: reading.
    pub reading: Duration,
    /// How many reads there were.
    pub records: u64,
}

impl<E> KmerTask for CountJob<'_, E>
where
    E: From<Fault> + From<thalweg_reads::Error> + Send,
{
    type Output = Result<Counted, E>;

    fn run<K: Kmer>(self) -> Self::Output {
        let mut stage = self.read_all::<K>()?;
        let totals = stage.count()?;
        Ok(stage.write(totals)?)
    }
}

/// Between the stages of a count: all is read, and nothing is counted.
pub(super) struct SecondStage<'a, K: Kmer> {
    control: &'a Control<'a>,
    counter: Counter,
    shares: Vec<Share>,
    reading: Duration,
    records: u64,
    database: Option<(&'a Target, PartitionOutput<K>)>,
    description: Description,
    largest: u64,
    histo: Option<OutputFile>,
}

impl<K: Kmer> SecondStage<'_, K> {
    /// Count the k-mers of all partitions, which are handed on to the database.
    pub(super) fn count(&mut self) -> Result<CountTotals, Fault> {
        let (shares, control) = (std::mem::take(&mut self.shares), self.control);
        Ok(match &mut self.database {
            Some((_, output)) if output.is_partitioned() => {
                // The reads say what the file is like, and not how they came.
                let partitions = self.counter.database_partitions(&shares);
                let open = partitions.div_ceil(self.counter.partitions());
                output.set_partitions(partitions, self.description.k, open)?;
                let sink = StoppableSink::new(output, control);
                (self.counter).finish_as(shares, partitions, &sink)?
            }
            Some((_, output)) => {
                (self.counter).finish(shares, &StoppableSink::new(output, control))?
            }
            None => {
                let sink = StoppableSink::new(&NoSink, control);
                self.counter.finish::<K>(shares, &sink)?
            }
        })
    }

    /// Give what was counted to where it is wanted.
    fn write(self, mut totals: CountTotals) -> Result<Counted, Fault> {
        let control = self.control;
        let sealed = write_spectrum(self.histo, &totals)
            .and_then(|histo| histo.map(OutputFile::seal).transpose());
        let histo = match (sealed, &self.database) {
            // A reader of the spectrum that goes does not cost the database.
            (Err(fault), Some(_)) if fault.is_unread() => Err(fault),
            (sealed, _) => Ok(sealed?),
        };
        let (histo, mut unread) = match histo {
            Ok(histo) => (histo, None),
            Err(fault) => (None, Some(fault)),
        };
        control.check()?;
        if let Some((target, output)) = self.database {
            let description = of_counted(self.description, target.format, &totals);
            let handed_on = HandedOn {
                distinct: totals.kept_distinct,
                total: u128::from(totals.kept_kmers),
            };
            // Nor does one of the database, on the standard output, cost the spectrum.
            match output.finish(target, &description, self.largest, handed_on, control) {
                Ok(spilled) => totals.spilled_bytes += spilled,
                Err(fault) if fault.is_unread() => unread = Some(fault),
                Err(fault) => return Err(fault),
            }
        }
        SealedFile::name_all(histo)?;
        match unread {
            Some(fault) => Err(fault),
            None => Ok(Counted {
                totals,
                reading: self.reading,
                records: self.records,
            }),
        }
    }
}

/// With what is known after counting.
fn of_counted(
    mut description: Description,
    format: DatabaseFormat,
    totals: &CountTotals,
) -> Description {
    let max_count = totals.histogram.max_count().min(description.kept.1);
    description.expected = Some(totals.kept_distinct);
    if description.counter_bytes.is_none() && format == DatabaseFormat::Jellyfish {
        // As Jellyfish, unless a count needs more.
        description.counter_bytes = Some(if max_count > u64::from(u32::MAX) {
            8
        } else {
            4
        });
    }
    description
}

impl<'a, E> CountJob<'a, E>
where
    E: From<Fault> + From<thalweg_reads::Error> + Send,
{
    /// The first stage, with all that the second one needs.
    pub(super) fn read_all<K: Kmer>(mut self) -> Result<SecondStage<'a, K>, E> {
        let start = Instant::now();
        let (control, histo, largest) = (self.control, self.histo.take(), self.largest);
        let format = (self.target).map_or(DatabaseFormat::Thk, |target| target.format);
        let left = left_for_partitions(self.budget, format);
        let counter = Counter::new(self.options.clone(), left).map_err(Fault::from)?;
        let description = self.description.clone();
        let create = |target| {
            let partitions = counter.partitions();
            let (options, budget) = (&self.options, self.budget);
            let output =
                PartitionOutput::create(target, &description, partitions, options, budget)?;
            Ok::<_, Fault>((target, output))
        };
        let database = self.target.map(create).transpose()?;
        let (shares, records) = self.read(&counter)?;
        Ok(SecondStage {
            control,
            counter,
            shares,
            reading: start.elapsed(),
            records,
            database,
            description,
            largest,
            histo,
        })
    }

    /// All reads, by all threads; and how many they are.
    fn read(self, counter: &Counter) -> Result<(Vec<Share>, u64), E> {
        let with_quality = self.options.minimum_quality() > 0;
        let of_kmers = |error: kmers::Error| E::from(Fault::from(error));
        let control = self.control;
        let add = |worker: &mut CountWorker, batch: &Batch| {
            add(worker, batch, with_quality).map_err(of_kmers)?;
            Ok(control.check()?)
        };
        let start = || counter.worker().map_err(of_kmers);
        let end = |worker: CountWorker| worker.into_share().map_err(of_kmers);
        let Inputs {
            open,
            groups,
            opener,
            ..
        } = self.inputs;
        if let Some(reads) = open {
            let records = reads.records_given();
            let workers = reads.all_workers();
            let position = workers.progress();
            let add = |worker: &mut CountWorker, batch: &Batch| {
                control.progress(&position);
                add(worker, batch)
            };
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
///
/// # Errors
/// If the system refuses it.
pub fn write_spectrum(
    output: Option<OutputFile>,
    totals: &CountTotals,
) -> Result<Option<OutputFile>, Fault> {
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

/// Gives the reads of a batch to a worker, with their qualities if bases go by these.
///
/// # Errors
/// Those of the worker.
pub fn add<S: BlockSink>(
    worker: &mut CountWorker<S>,
    batch: &Batch,
    with_quality: bool,
) -> kmers::Result<()> {
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
