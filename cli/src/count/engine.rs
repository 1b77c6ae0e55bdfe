//! From open reads to a database.

use std::path::Path;

use thalweg::kmers::count::{Counter, NoSink, Share, Totals, Worker};
use thalweg::kmers::database::{self, Description, Format, Formatted, Scatter, thk};
use thalweg::kmers::kmer::KmerTask;
use thalweg::kmers::options::CountOptions;
use thalweg::kmers::{self, Kmer};
use thalweg::{Batch, Budget, Reads};

use crate::arguments::Common;
use crate::kmers::{DatabaseOutput, Fault, Placement, Target, remove_unfinished_on_signal};
use crate::progress::Progress;

/// Everything that a count needs; [`thalweg::kmers::kmer::dispatch`] runs it.
pub(crate) struct Job<'a> {
    pub(crate) reads: Reads,
    /// For the progress bar.
    pub(crate) name: &'a Path,
    pub(crate) common: &'a Common,
    pub(crate) options: CountOptions,
    pub(crate) budget: Budget,
    /// `None` where only totals and spectrum are wanted.
    pub(crate) target: Option<&'a Target>,
    /// What larger counts are cut to in formats that are sorted throughout; `u64::MAX` for none.
    pub(crate) largest: u64,
    /// What the database says about itself; what is known after counting is filled in.
    pub(crate) description: Description,
}

impl KmerTask for Job<'_> {
    type Output = Result<Totals, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let is_sorted = self
            .target
            .is_some_and(|target| target.format != Format::Thk);
        let memory = self.budget.memory();
        let counting = match is_sorted {
            true => memory - memory / SCATTER_SHARE,
            false => memory,
        };
        let counter = Counter::new(self.options.clone(), self.budget.with_memory(counting))?;
        match self.target {
            None => {
                let shares = self.read(&counter)?;
                Ok(counter.finish::<K>(shares, &NoSink)?)
            }
            Some(target) if target.format == Format::Thk => {
                let placement = Placement::new(target)?;
                let totals = self.write_partitions::<K>(&counter, &placement.path)?;
                placement.finish()?;
                Ok(totals)
            }
            Some(target) => self.write_sorted::<K>(&counter, target),
        }
    }
}

/// Of the memory allowed, the part that brings partitions into one order.
const SCATTER_SHARE: u64 = 8;

impl Job<'_> {
    /// The first stage: all reads, by all threads.
    fn read(self, counter: &Counter) -> Result<Vec<Share>, Fault> {
        let workers = self.reads.all_workers();
        let _progress = Progress::start(self.common, self.name, workers.progress());
        let with_quality = self.options.minimum_quality() > 0;
        workers.gather(
            || Ok(counter.worker()?),
            |worker, batch| Ok(add(worker, batch, with_quality)?),
            |worker| Ok(worker.into_share()?),
        )
    }

    /// Our own format takes partitions as they come from the threads.
    fn write_partitions<K: Kmer>(self, counter: &Counter, path: &Path) -> Result<Totals, Fault> {
        let partitioning = thk::Partitioning::minimizers(counter.partitions(), self.options.k());
        let writer = thk::Writer::<K>::create(path, &self.description, partitioning)?;
        let _cleanup = remove_unfinished_on_signal(path);
        let shares = self.read(counter)?;
        let totals = counter.finish(shares, &writer)?;
        let written = writer.finish()?;
        check(&totals, &written)?;
        Ok(totals)
    }

    /// Other formats are sorted throughout: partitions become ranges of k-mers, which become bytes.
    fn write_sorted<K: Kmer>(self, counter: &Counter, target: &Target) -> Result<Totals, Fault> {
        let ceiling = self.largest;
        let (memory, threads) = (self.budget.memory(), self.budget.threads());
        let for_buffers = memory / SCATTER_SHARE;
        let budget = self.budget.with_memory(memory - for_buffers);
        let mut description = self.description.clone();
        let scatter = Scatter::<K>::new(
            &self.options,
            threads,
            for_buffers,
            &target.temporary_directory,
        )?;
        let shares = self.read(counter)?;
        let mut totals = counter.finish(shares, &scatter)?;
        let ranges = scatter.finish();
        totals.spilled_bytes += ranges.temporary_bytes();
        let largest = totals.histogram.max_count().min(description.kept.1);
        description.expected = Some(totals.kept_distinct);
        if description.counter_bytes.is_none() && target.format == Format::Jellyfish {
            // As Jellyfish, unless a count needs more.
            description.counter_bytes = Some(if largest > u64::from(u32::MAX) { 8 } else { 4 });
        }
        let mut output = DatabaseOutput::<K>::create(target, &description)?;
        let Some(formatter) = output.formatter().cloned() else {
            return Err(kmers::Error::BadOption("no format to be sorted".into()).into());
        };
        let formatter = formatter.with_largest(ceiling);
        ranges.in_order::<_, Fault>(
            budget,
            formatter.record_bytes(),
            |records, bytes: &mut Formatted| Ok(formatter.extend(records, bytes)?),
            |bytes| {
                output.append(bytes)?;
                bytes.clear();
                Ok(())
            },
        )?;
        check(&totals, output.totals())?;
        output.finish()?;
        Ok(totals)
    }
}

/// As many k-mers as were counted, and as many occurrences, must have been written.
fn check(counted: &Totals, written: &database::Totals) -> Result<(), kmers::Error> {
    if written.distinct == counted.kept_distinct && written.total == u128::from(counted.kept_kmers)
    {
        return Ok(());
    }
    Err(kmers::Error::Totals {
        read: counted.kept_kmers,
        counted: u64::try_from(written.total).unwrap_or(u64::MAX),
    })
}

fn add(worker: &mut Worker, batch: &Batch, with_quality: bool) -> kmers::Result<()> {
    for block in batch.blocks() {
        for record in block.records() {
            match record.quality().filter(|_| with_quality) {
                Some(quality) => worker.add_with_quality(&record.sequence(), &quality)?,
                // FASTA has no qualities: all of its bases count.
                None => worker.add(&record.sequence())?,
            }
        }
    }
    Ok(())
}
