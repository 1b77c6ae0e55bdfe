//! One rank's part of a count, from settings to a shard with its name.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use thalweg::count::{
    CountSettings, HandedOn, OutputFile, PartitionOutput, Position, Target, add, available,
    expected_bases, for_counting, provenance, reader_budget, write_spectrum,
};
use thalweg::kmers::count::{CountTotals, Counter, NoSink, Share};
use thalweg::kmers::database::{self, Description, thk};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::options::CountOptions;
use thalweg::kmers::set_operations::{Combine, Operation, combine_partitions};
use thalweg::kmers::{self, Kmer};
use thalweg::sharing::{ClaimReport, ClaimTable};
use thalweg::{Budget, Control, IndexUse, ReaderOptions, Reads};

use crate::directory_lock::DirectoryLock;
use crate::mail::Mail;
use crate::stage1::{Cut, Stage1};
use crate::{
    Destination, Exchange, Fault, Ownership, RankReport, Sizes, Tag, frames, rank_report, shards,
};

/// What came of it.
pub type Result<T> = std::result::Result<T, Fault>;

/// What all ranks are asked for; it is the same for each.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// What is counted; threads and memory are those of a rank. Where the database goes is said by `destination`.
    pub count: CountSettings,
    /// Where it goes.
    pub destination: Destination,
    /// Bytes on disk of a part that is claimed as one, of files that are cut by size; some MiB unless set.
    pub chunk: Option<u64>,
    /// Which indexes are used.
    pub index: IndexUse,
    /// Where indexes are looked for, beside those that lie beside their files.
    pub index_directory: Option<PathBuf>,
    /// Ranks on this machine: they share what memory is available, unless a limit is set.
    pub ranks_here: usize,
}

/// What was found, as rank 0 knows it.
#[derive(Debug)]
pub struct Found {
    /// Of all ranks.
    pub totals: CountTotals,
    /// What each rank has done.
    pub ranks: Vec<RankReport>,
    /// Files that one rank has read alone, as there was no way to share them out; with their sizes.
    pub undivided: Vec<(PathBuf, u64)>,
    /// Bytes of all files.
    pub bytes: u64,
}

/// One rank of a count.
pub struct ClusterJob<'a> {
    /// Its settings.
    pub settings: &'a ClusterSettings,
    /// Called on rank 0 when reading begins, with the bytes that were given out to be read.
    pub watch: &'a dyn Fn(Position) -> Box<dyn Any>,
}

/// What there is to read, as rank 0 tells it.
struct Start {
    table: ClaimTable,
    bases: Option<u64>,
}

impl ClusterJob<'_> {
    /// Count, together with the other ranks; what was found, on rank 0.
    ///
    /// To be called by the thread that may use the exchange. After an error the other ranks wait: the caller tells the user,
    /// and [aborts](Exchange::abort).
    ///
    /// # Errors
    /// If files cannot be read or written, settings do not go together, or another rank has failed.
    pub fn run(&self, exchange: &mut dyn Exchange) -> Result<Option<Found>> {
        let mut mail = Mail::new(exchange);
        let rank = mail.rank();
        // Rank 0 looks at all files, and the others only at those that they read of.
        let found = match rank == 0 && self.has_streams() {
            true => self.count_streams(&mut mail)?,
            false => self.count_files(&mut mail)?,
        };
        // Nobody goes before the result is whole.
        mail.barrier()?;
        Ok(found)
    }

    /// Whether there are inputs that only one process can read.
    fn has_streams(&self) -> bool {
        let is_stream = |path: &PathBuf| {
            let is_other = |data: std::fs::Metadata| !data.is_file() && !data.is_dir();
            path.as_os_str() == "-" || std::fs::metadata(path).is_ok_and(is_other)
        };
        self.settings.count.files.iter().any(is_stream)
    }

    /// Threads, and the memory of counting and exchange together.
    fn budget(&self) -> Result<Budget> {
        let CountSettings {
            threads, memory, ..
        } = self.settings.count;
        let share = || available(None) / self.settings.ranks_here.max(1) as u64;
        let memory = for_counting(Some(memory.unwrap_or_else(share)), threads, None)?;
        Ok(Budget::new(threads).with_memory(memory))
    }

    fn reading(&self, budget: Budget) -> ReaderOptions {
        let settings = self.settings;
        let options = (settings.count.reading(budget))
            .index(settings.index.clone())
            .index_directory(settings.index_directory.clone());
        match settings.chunk {
            Some(bytes) => options.part_size(bytes),
            None => options,
        }
    }

    fn count_files(&self, mail: &mut Mail<'_>) -> Result<Option<Found>> {
        let (rank, ranks) = (mail.rank(), mail.ranks());
        let settings = self.settings;
        let budget = self.budget()?;
        let reading = self.reading(budget);
        let (prepared, start) = match rank {
            0 => {
                let prepared = self.prepare()?;
                let (table, bases) = self.look_at_files(&reading)?;
                (Some(prepared), Some(Start { table, bases }))
            }
            _ => (None, None),
        };
        let start = begin(mail, start)?;
        let options = (settings.count.options()?).with_blocks_only();
        let agreed = self.agree(mail, &options, start.bases, budget)?;
        let options = match ranks {
            1 => options.with_expected_bases(start.bases),
            _ => options.with_partitions(agreed.partitions)?,
        };
        let (sizes, taken) = Sizes::of(budget.memory(), budget.threads(), ranks, agreed.partitions);
        let left = budget.with_memory(budget.memory().saturating_sub(taken));
        let counter = Counter::new(options, left)?;
        let dealt = Arc::new(AtomicU64::new(0));
        let table = start.table;
        let bytes = table.files().flatten().map(|file| file.size).sum::<u64>();
        let watching = (rank == 0).then(|| {
            let (dealt, claims) = (Arc::clone(&dealt), table.claims().max(1));
            let position = move || {
                let done = u128::from(bytes) * u128::from(dealt.load(Ordering::Relaxed));
                ((done / u128::from(claims)) as u64, Some(bytes))
            };
            (self.watch)(Box::new(position))
        });
        let mut report = RankReport {
            rank: rank as u64,
            host: rank_report::host(),
            ..RankReport::default()
        };
        let clock = Instant::now();
        let stage1 = Stage1 {
            counter: &counter,
            sizes,
            reading: reading.budget(reader_budget(left)),
            table: table.clone(),
            workers: budget.threads(),
            all_workers: agreed.workers,
            dealt,
        };
        let Cut {
            shares,
            reports,
            ownership,
        } = stage1.run(mail, &mut report)?;
        drop(watching);
        report.stages[0] = clock.elapsed();
        let clock = Instant::now();
        let (ownership, partitions) = match ranks {
            1 => alone(&counter, &shares),
            _ => (ownership, counter.partitions()),
        };
        let (totals, shard) = self.count_own(&counter, shares, partitions, (rank, ranks))?;
        report.stages[1] = clock.elapsed();
        report.kmers_cut = totals.kmers;
        report.kmers_counted = u64::try_from(totals.counted()).unwrap_or(u64::MAX);
        report.spilled = totals.spilled_bytes;
        report.peak_memory = rank_report::peak_memory();
        let message = frames::join(&[
            &totals.to_bytes(),
            &ClaimReport::to_bytes(&reports),
            &report.to_bytes(),
        ]);
        let all = mail.gather(Tag::Counted, message)?;
        let found = match prepared {
            None => None,
            Some(_) => {
                let mut found = checked(&all, &table)?;
                found.bytes = bytes;
                found.undivided = undivided(&table);
                Some(found)
            }
        };
        self.name_shards(mail, &ownership, shard)?;
        if let (Some(found), Some(prepared)) = (&found, prepared) {
            self.finish(prepared, &found.totals)?;
        }
        Ok(found)
    }

    /// Look at outputs before anything is read, on rank 0: the file of the spectrum.
    fn prepare(&self) -> Result<Prepared> {
        self.settings.count.check_histo()?;
        let histo = self.settings.count.histo.as_deref();
        let histo = histo.map(OutputFile::create).transpose()?;
        let directory = self.settings.destination.directory();
        let lock = directory.map(|directory| shards::prepare(&directory));
        let lock = lock.transpose()?;
        Ok(Prepared { lock, histo })
    }

    /// What there is to claim, and about how many bases that are.
    fn look_at_files(&self, reading: &ReaderOptions) -> Result<(ClaimTable, Option<u64>)> {
        let files = self.settings.count.files.iter();
        let options = files.fold(reading.clone(), ReaderOptions::file);
        let mut plans = Vec::new();
        let table = options.claim_table_with(|more| plans.extend(more))?;
        Ok((table, expected_bases(&plans)))
    }

    /// How many partitions there are: as many as rank 0 and the input want, and every rank has memory for.
    fn agree(
        &self,
        mail: &mut Mail<'_>,
        options: &CountOptions,
        bases: Option<u64>,
        budget: Budget,
    ) -> Result<Agreed> {
        let options = options.clone().with_expected_bases(bases);
        // The exchange takes an eighth, or little more.
        let left = budget.with_memory(budget.memory() / 8 * 7);
        let here = Counter::new(options, left)?.partitions() as u64;
        let mine = frames::of_numbers([here, budget.threads() as u64]);
        let all = mail.gather(Tag::Partitions, mine)?;
        let nonsense = || Fault::nonsense("numbers of partitions");
        let mut agreed = [u64::MAX, 0];
        for numbers in all {
            let Some(&[partitions, workers]) = frames::numbers(&numbers).as_deref() else {
                return Err(nonsense());
            };
            agreed = [agreed[0].min(partitions), agreed[1] + workers];
        }
        let told = mail.broadcast(Tag::Agreed, frames::of_numbers(agreed))?;
        match frames::numbers(&told).as_deref() {
            Some(&[partitions, workers]) => Ok(Agreed {
                partitions: partitions as usize,
                workers: workers as usize,
            }),
            _ => Err(nonsense()),
        }
    }

    /// The second stage of one rank: its partitions, to its shard if there is to be one.
    fn count_own(
        &self,
        counter: &Counter,
        shares: Vec<Share>,
        partitions: usize,
        (rank, ranks): (usize, usize),
    ) -> Result<(CountTotals, Option<Unfinished>)> {
        let directory = self.settings.destination.directory();
        let path = directory.map(|directory| shards::unfinished(&directory, rank, ranks));
        let shard = path.clone().map(Unfinished);
        let stage2 = Stage2 {
            counter,
            shares,
            partitions,
            path,
            description: self.settings.count.description(),
        };
        let totals = dispatch(self.settings.count.k, stage2)??;
        Ok((totals, shard))
    }

    /// All is well: shards get their names, and then there is a manifest.
    fn name_shards(
        &self,
        mail: &mut Mail<'_>,
        ownership: &Ownership,
        shard: Option<Unfinished>,
    ) -> Result<()> {
        let directory = self.settings.destination.directory();
        if let (0, Some(directory)) = (mail.rank(), &directory) {
            shards::remove_set(directory)?;
        }
        mail.broadcast(Tag::Verdict, Vec::new())?;
        let Some(directory) = directory else {
            return Ok(());
        };
        let (rank, ranks) = (mail.rank(), mail.ranks());
        shards::rename(&directory, rank, ranks)?;
        if let Some(shard) = shard {
            shard.keep();
        }
        mail.gather(Tag::Named, Vec::new())?;
        match rank {
            0 => shards::write_manifest(&directory, ownership, ranks),
            _ => Ok(()),
        }
    }

    /// What rank 0 does alone: the spectrum, and one file of all shards.
    fn finish(&self, prepared: Prepared, totals: &CountTotals) -> Result<()> {
        if let Destination::Merged(target) = &self.settings.destination {
            let directory = self.settings.destination.directory().unwrap_or_default();
            let merge = Merge {
                directory: &directory,
                target,
                description: self.settings.count.description(),
                budget: self.budget()?,
                tmp: &self.settings.count.temporary_directory,
            };
            dispatch(self.settings.count.k, merge)??;
            shards::remove_set(&directory)?;
            drop(prepared.lock);
            match std::fs::remove_dir(&directory) {
                // Another run has it already.
                Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {}
                removed => {
                    removed.map_err(|error| thalweg::count::Fault::io(&directory, error))?;
                }
            }
        }
        let written = write_spectrum(prepared.histo, totals);
        match written.and_then(|histo| histo.map_or(Ok(()), OutputFile::finish)) {
            // A reader of the spectrum that goes does not cost the set.
            Err(fault) if !fault.is_unread() => Err(fault.into()),
            _ => Ok(()),
        }
    }

    /// Inputs that are read as data come: there can be one rank.
    fn count_streams(&self, mail: &mut Mail<'_>) -> Result<Option<Found>> {
        if mail.ranks() > 1 {
            return Err(Fault::usage(
                format!(
                    "pipes and the standard input have one reader, and here are {} ranks",
                    mail.ranks()
                ),
                "name files that all ranks can open, or start one rank",
            ));
        }
        let prepared = self.prepare()?;
        let budget = self.budget()?;
        let options = self.settings.count.options()?.with_blocks_only();
        let counter = Counter::new(options, budget)?;
        let files = self.settings.count.files.iter();
        let reads = Reads::open(files.fold(self.reading(budget), ReaderOptions::file))?;
        let mut report = RankReport {
            host: rank_report::host(),
            ..RankReport::default()
        };
        let clock = Instant::now();
        let records = reads.records_given();
        let workers = reads.all_workers();
        let watching = (self.watch)(Box::new(workers.progress()));
        let with_quality = counter.options().minimum_quality() > 0;
        let shares = workers.gather(
            || Ok::<_, Fault>(counter.worker()?),
            |worker, batch| Ok(add(worker, batch, with_quality)?),
            |worker| Ok(worker.into_share()?),
        )?;
        drop(watching);
        report.records = records();
        report.stages[0] = clock.elapsed();
        let clock = Instant::now();
        let (ownership, partitions) = alone(&counter, &shares);
        let (totals, shard) = self.count_own(&counter, shares, partitions, (0, 1))?;
        totals.check()?;
        report.stages[1] = clock.elapsed();
        report.kmers_cut = totals.kmers;
        report.kmers_counted = totals.kmers;
        report.spilled = totals.spilled_bytes;
        report.peak_memory = rank_report::peak_memory();
        self.name_shards(mail, &ownership, shard)?;
        self.finish(prepared, &totals)?;
        Ok(Some(Found {
            totals,
            ranks: vec![report],
            undivided: Vec::new(),
            bytes: 0,
        }))
    }
}

/// Returns the partitions of a single rank: as many as the k-mers want, all its own.
fn alone(counter: &Counter, shares: &[Share]) -> (Ownership, usize) {
    let partitions = counter.database_partitions(shares);
    (Ownership::by_weights(&vec![0; partitions], 1), partitions)
}

/// What rank 0 has open from the beginning.
struct Prepared {
    lock: Option<DirectoryLock>,
    histo: Option<OutputFile>,
}

/// What ranks have in common.
struct Agreed {
    partitions: usize,
    workers: usize,
}

/// A shard that is removed, unless it has got another name: then one of another run may have this one.
struct Unfinished(PathBuf);

impl Unfinished {
    /// Keeps the file, which has its final name.
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

/// Tell all ranks what there is to read.
fn begin(mail: &mut Mail<'_>, start: Option<Start>) -> Result<Start> {
    let message = start.map_or_else(Vec::new, |start| {
        // So many there cannot be.
        let bases = frames::of_numbers([start.bases.unwrap_or(u64::MAX)]);
        frames::join(&[&start.table.to_bytes(), &bases])
    });
    let message = mail.broadcast(Tag::Start, message)?;
    let nonsense = || Fault::nonsense("the table of files");
    let [table, bases] = frames::split(&message).ok_or_else(nonsense)?;
    let Some(&[bases]) = frames::numbers(bases).as_deref() else {
        return Err(nonsense());
    };
    Ok(Start {
        table: ClaimTable::from_bytes(table).ok_or_else(nonsense)?,
        bases: (bases != u64::MAX).then_some(bases),
    })
}

/// What all ranks have found, if it is everything.
fn checked(messages: &[Vec<u8>], table: &ClaimTable) -> Result<Found> {
    let nonsense = || Fault::nonsense("the sums of a rank");
    let (mut totals, mut claims, mut ranks) = (CountTotals::default(), Vec::new(), Vec::new());
    for message in messages {
        let [sums, reports, rank] = frames::split(message).ok_or_else(nonsense)?;
        totals.merge(&CountTotals::from_bytes(sums)?);
        claims.extend(ClaimReport::from_bytes(reports).ok_or_else(nonsense)?);
        ranks.push(RankReport::from_bytes(rank).ok_or_else(nonsense)?);
    }
    table.check(claims)?;
    totals.check()?;
    Ok(Found {
        totals,
        ranks,
        undivided: Vec::new(),
        bytes: 0,
    })
}

/// Files that are claimed as a whole and are larger than parts are.
fn undivided(table: &ClaimTable) -> Vec<(PathBuf, u64)> {
    const SMALL: u64 = 64 << 20;
    let large = table.undivided().filter(|file| file.size > SMALL);
    large.map(|file| (file.path.clone(), file.size)).collect()
}

/// The second stage.
struct Stage2<'a> {
    counter: &'a Counter,
    shares: Vec<Share>,
    partitions: usize,
    path: Option<PathBuf>,
    description: Description,
}

impl KmerTask for Stage2<'_> {
    type Output = Result<CountTotals>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Some(path) = self.path else {
            return Ok(self.counter.finish_part::<K>(self.shares, &NoSink)?);
        };
        let rule = thk::Partitioning::minimizers(self.partitions, self.description.k);
        let mut writer = thk::ThkWriter::<K>::create(&path, &self.description, rule)?;
        let own = self.counter.partitions();
        let totals = match self.partitions == own {
            true => self.counter.finish_part(self.shares, &writer)?,
            false => {
                writer.set_partitioning(rule, self.partitions.div_ceil(own))?;
                (self.counter).finish_as(self.shares, self.partitions, &writer)?
            }
        };
        let written = writer.finish()?;
        if (written.distinct, written.total) != (totals.kept_distinct, totals.kept_kmers.into()) {
            return Err(kmers::Error::totals(totals.kept_kmers.into(), written.total).into());
        }
        Ok(totals)
    }
}

/// A set on its way into one file.
struct Merge<'a> {
    directory: &'a Path,
    target: &'a Target,
    description: Description,
    budget: Budget,
    tmp: &'a Path,
}

impl KmerTask for Merge<'_> {
    type Output = Result<()>;

    fn run<K: Kmer>(self) -> Self::Output {
        let set = [database::open(self.directory)?];
        let partitions = kmers::set_operations::common_partitions(&set)
            .ok_or_else(|| Fault::nonsense("the set"))?;
        let distinct = set[0].stored_totals().map_or(0, |totals| totals.distinct);
        let mut description = self.description;
        description.expected = Some(distinct);
        description.provenance = provenance();
        let options = CountOptions::new(description.k)?
            .with_expected_bases(Some(distinct.saturating_mul(4)))
            .with_temporary_directory(self.tmp);
        let output = PartitionOutput::<K>::create(
            self.target,
            &description,
            partitions,
            &options,
            self.budget,
        )?;
        // Ranks are not cancelled.
        let (threads, control) = (self.budget.threads(), Control::default());
        let totals = match output.copy(&set, partitions, threads, &control)? {
            Some(totals) => totals,
            None => {
                let sum = Operation::Union(Combine::Sum);
                combine_partitions(&set, sum, 1..=u64::MAX, threads, &output)?
            }
        };
        let handed_on = HandedOn {
            distinct: totals.distinct,
            total: totals.total,
        };
        output.finish(self.target, &description, u64::MAX, handed_on, &control)?;
        Ok(())
    }
}
