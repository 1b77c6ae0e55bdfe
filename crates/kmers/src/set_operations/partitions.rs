//! Databases whose partitions have the same k-mers, combined partition by partition, by all threads.
//!
//! The hash of its minimizer says to which partition a k-mer belongs: the partition's number is its upper bits. So a
//! partition of a file that has few stands for several, side by side, of one that has more, and no k-mer of it is in
//! any other. Nothing is sorted, unless files have different numbers of partitions.

use std::ops::{Range, RangeInclusive};

use thalweg_flow::{Claims, run};

use super::{Operation, check, combine_records};
use crate::count::Sink;
use crate::database::{Database, KmerRecords, Totals, thk};
use crate::error::{Error, Result, of_threads};
use crate::kmer::Kmer;

/// How many partitions the databases can be combined by: the fewest that one of them has; `None` unless all are files of
/// `thalweg count`, or made of such files in this way, by the rule of today.
pub fn common_partitions(databases: &[Database]) -> Option<usize> {
    let all = databases.iter().map(Database::counted_partitions);
    all.collect::<Option<Vec<usize>>>()?.into_iter().min()
}

/// Combines databases that have [`common_partitions`], on so many threads, and hands each partition of the result to
/// `sink`, but for k-mers whose count is not in `kept`. Returns the totals of what was handed on.
///
/// Memory is a batch and up to 256 KiB for each database and thread; more where one has many times as many partitions as
/// another.
///
/// # Errors
/// Those of [`check`], of reading the databases, and of the sink; [`Error::BadOption`] if there are no common partitions,
/// [`Error::Mismatch`] where a sum exceeds 64 bits.
pub fn combine_partitions<K: Kmer>(
    databases: &[Database],
    operation: Operation,
    kept: RangeInclusive<u64>,
    threads: usize,
    sink: &impl Sink<K>,
) -> Result<Totals> {
    combine_some_partitions(databases, operation, kept, 0..usize::MAX, threads, sink)
}

/// The same, of a range of the partitions only.
///
/// # Errors
/// As [`combine_partitions`].
pub fn combine_some_partitions<K: Kmer>(
    databases: &[Database],
    operation: Operation,
    kept: RangeInclusive<u64>,
    range: Range<usize>,
    threads: usize,
    sink: &impl Sink<K>,
) -> Result<Totals> {
    let (k, _) = check(databases)?;
    let no_partitions = || Error::BadOption("the databases have no partitions in common".into());
    let number = common_partitions(databases).ok_or_else(no_partitions)?;
    let range = range.start.min(number)..range.end.min(number);
    let partitions: Option<Vec<thk::Partitions<K>>> = databases
        .iter()
        .map(Database::partitions)
        .collect::<Result<_>>()?;
    let partitions = partitions.ok_or_else(no_partitions)?;
    let claims = Claims::new(range.len() as u64);
    let all = run(threads, |_, stop| {
        let mut totals = Totals::default();
        let mut batch: Vec<(K, u64)> = Vec::new();
        while let Some(partition) = claims.claim().filter(|_| !stop.is_stopped()) {
            let partition = range.start + partition as usize;
            let streams = partitions
                .iter()
                .map(|file| file.records(partition, number));
            let mut combined: KmerRecords<K> = combine_records(streams.collect(), k, operation)?;
            loop {
                let records = combined.at_hand()?;
                if records.is_empty() {
                    break;
                }
                batch.clear();
                batch.extend(records.iter().filter(|record| kept.contains(&record.1)));
                for &(_, count) in &batch {
                    totals.add(count);
                }
                sink.accept(partition, &batch)?;
                combined.advance(usize::MAX);
            }
            sink.end(partition)?;
        }
        Ok(totals)
    });
    let all = all.map_err(of_threads::<Error>)?;
    let mut totals = Totals::default();
    all.iter().for_each(|part| totals.merge(part));
    Ok(totals)
}

/// Copies the partitions of databases to `writer`, on so many threads, where no two of them fill the same one: shards of a set, for
/// example. Nothing is decoded, and each block is compared with its checksum. Returns the totals; `None`, with nothing written,
/// if there is something to combine: partitions that two of them fill, or other numbers of partitions than `partitions`.
///
/// `writer` must have as many partitions, by the rule of today. `goes_on` is asked before each of them.
///
/// # Errors
/// Those of [`check`], of reading the databases, of writing, and of `goes_on`.
pub fn copy_partitions<K: Kmer>(
    databases: &[Database],
    partitions: usize,
    threads: usize,
    writer: &thk::ThkWriter<K>,
    goes_on: impl Fn() -> Result<()> + Sync,
) -> Result<Option<Totals>> {
    check(databases)?;
    let is_alike = |database: &Database| database.counted_partitions() == Some(partitions);
    let mut totals = Totals::default();
    for database in databases {
        match database.stored_totals() {
            Some(more) if is_alike(database) => totals.merge(&more),
            _ => return Ok(None),
        }
    }
    let files = databases.iter().map(Database::partitions);
    let Some(files) = files.collect::<Result<Option<Vec<thk::Partitions<K>>>>>()? else {
        return Ok(None);
    };
    let mut owners = Vec::with_capacity(partitions);
    for partition in 0..partitions {
        let mut filled = files.iter().filter(|file| !file.is_empty(partition));
        owners.push(filled.next());
        if filled.next().is_some() {
            return Ok(None);
        }
    }
    let claims = Claims::new(partitions as u64);
    run(threads, |_, stop| {
        while let Some(partition) = claims.claim().filter(|_| !stop.is_stopped()) {
            goes_on()?;
            let partition = partition as usize;
            if let Some(owner) = owners[partition] {
                owner.copy(partition, writer)?;
            }
        }
        Ok(())
    })
    .map_err(of_threads::<Error>)?;
    writer.add_totals(&totals);
    Ok(Some(totals))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use thalweg_flow::Budget;

    use super::super::{Combine, combine};
    use super::*;
    use crate::count::Counter;
    use crate::database::{Description, SortOptions, open};
    use crate::kmer::Wide;
    use crate::options::CountOptions;

    /// Bases as good as random; more of those of `seed` than of what all have in common.
    fn bases(seed: u64) -> Vec<u8> {
        let random = |seed: u64, length: usize| {
            let mut state = seed;
            (0..length).map(move |_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                b"ACGT"[(state >> 62) as usize]
            })
        };
        random(1, 20_000).chain(random(seed, 30_000)).collect()
    }

    fn database<K: Kmer>(directory: &Path, seed: u64, k: usize, partitions: usize) -> Database {
        let options = CountOptions::new(k).unwrap().with_partitions(partitions);
        let counter = Counter::new(options.unwrap(), Budget::new(1)).unwrap();
        let mut worker = counter.worker().unwrap();
        worker.add(&bases(seed)).unwrap();
        let path = directory.join(format!("{seed}.thk"));
        let rule = thk::Partitioning::minimizers(partitions, k);
        let writer = thk::ThkWriter::<K>::create(&path, &Description::new(k, true), rule).unwrap();
        counter
            .finish(vec![worker.into_share().unwrap()], &writer)
            .unwrap();
        writer.finish().unwrap();
        open(&path).unwrap()
    }

    /// The same file, as if its k-mers were in partitions by the rule before.
    fn of_older_rule(database: &Database) -> Database {
        let path = database.path();
        let mut bytes = std::fs::read(path).unwrap();
        bytes[104] -= 1;
        let checksum = crc32fast::hash(&bytes[..124]);
        bytes[124..128].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(path, &bytes).unwrap();
        open(path).unwrap()
    }

    /// What comes of a partition, and whether it came to an end.
    #[derive(Clone)]
    struct Part<K> {
        records: Vec<(K, u64)>,
        has_ended: bool,
    }

    impl<K> Part<K> {
        fn new() -> Self {
            Part {
                records: Vec::new(),
                has_ended: false,
            }
        }
    }

    struct Kept<K>(Mutex<Vec<Part<K>>>);

    impl<K: Kmer> Sink<K> for Kept<K> {
        fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
            let mut all = self.0.lock().unwrap();
            assert!(!all[partition].has_ended);
            all[partition].records.extend_from_slice(entries);
            Ok(())
        }

        fn end(&self, partition: usize) -> Result<()> {
            let mut all = self.0.lock().unwrap();
            assert!(!std::mem::replace(&mut all[partition].has_ended, true));
            Ok(())
        }
    }

    fn agrees<K: Kmer>(k: usize) {
        let directory = tempfile::tempdir().unwrap();
        let partitions = [64, 16, 16, 256];
        let databases: Vec<Database> = (partitions.iter().zip(2..))
            .map(|(&partitions, seed)| database::<K>(directory.path(), seed, k, partitions))
            .collect();
        for (databases, fewest) in [
            (&databases[..], 16),
            (&databases[..1], 64),
            (&databases[..2], 16),
            (&databases[1..3], 16),
        ] {
            assert_eq!(common_partitions(databases), Some(fewest));
            for operation in [
                Operation::Union(Combine::Sum),
                Operation::Intersection(Combine::Minimum),
                Operation::Subtraction,
                Operation::Difference,
            ] {
                let in_order = combine::<K>(databases, operation, &SortOptions::default());
                let in_order: Result<Vec<(K, u64)>> = in_order.unwrap().collect();
                let kept = 1..=3;
                let mut expected = in_order.unwrap();
                expected.retain(|record| kept.contains(&record.1));
                for threads in [1, 3] {
                    let sink = Kept(Mutex::new(vec![Part::new(); fewest]));
                    let totals =
                        combine_partitions(databases, operation, kept.clone(), threads, &sink);
                    let found = sink.0.into_inner().unwrap();
                    assert!(found.iter().all(|partition| partition.has_ended));
                    assert!(found.iter().all(|partition| partition.records.is_sorted()));
                    let mut all: Vec<(K, u64)> = found
                        .into_iter()
                        .flat_map(|partition| partition.records)
                        .collect();
                    all.sort_unstable();
                    let mut counted = Totals::default();
                    expected.iter().for_each(|record| counted.add(record.1));
                    assert_eq!(totals.unwrap(), counted);
                    assert!(all == expected, "{operation:?}, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn partitions_are_what_one_stream_is() {
        agrees::<u64>(21);
        agrees::<u128>(55);
        agrees::<Wide<4>>(101);
    }

    #[test]
    fn what_has_no_such_partitions_has_none_in_common() {
        let directory = tempfile::tempdir().unwrap();
        let counted = || database::<u64>(directory.path(), 2, 21, 16);
        let path = directory.path().join("sorted.thk");
        let rule = thk::Partitioning::sorted();
        let writer =
            thk::ThkWriter::<u64>::create(&path, &Description::new(21, true), rule).unwrap();
        writer.finish().unwrap();
        let databases = [counted(), open(&path).unwrap()];
        assert_eq!(common_partitions(&databases), None);
        assert_eq!(common_partitions(&[of_older_rule(&counted())]), None);
        let sink = Kept::<u64>(Mutex::default());
        let union = Operation::Union(Combine::Sum);
        let error = combine_partitions(&databases, union, 1..=9, 1, &sink).unwrap_err();
        assert!(matches!(error, Error::BadOption(_)), "{error}");
    }
}
