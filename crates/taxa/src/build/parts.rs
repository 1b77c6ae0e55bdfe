//! All parts of a database to the database, which is the same as if it had been built at once.
//!
//! ```text
//! every part, by ranges of values:  its k-mers ─► how many are of each of its sets
//! sets of all parts, by their bytes ─► by falling number of k-mers: their numbers, as of one build
//! part after part:                  its records, with these numbers ─► the database
//! ```
//! Parts have the k-mers of ranges of values that follow each other, so that records come in order. What a record has does not
//! depend on other minimizers; only the numbers of sets do, and they are as few as there are.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use thalweg_flow::{Budget, Claims, run};

use super::sets::{self, Sets};
use super::{Strains, number_sets, of_threads};
use crate::database::{
    Contents, Making, NodeStatistics, TaxonDatabase, TaxonDatabaseHeader, TaxonDatabaseWriter,
    WriterPlan, minimizers, walk_values,
};
use crate::record::Entry;
use crate::{Error, ErrorKind, GoOn, Result};

/// Ranges that a part is counted by, so that all threads have work to the end.
const RANGES: u64 = 64;

/// Makes the database of all parts of a build, given in any order, and writes it to a file, which appears when it is whole.
///
/// It has the same bytes as if it had been built without parts, also the log, and the names of files of the first part.
/// All checksums of the parts are compared before, and their records checked.
///
/// # Errors
///
/// [`ErrorKind::NotMergeable`] if one is missing, given twice, or of another build; damage of a part; what the system said;
/// [`ErrorKind::MemoryOfSets`] and [`ErrorKind::TooManySets`] as of a build.
pub fn merge_parts(
    parts: Vec<TaxonDatabase>,
    path: &Path,
    budget: &Budget,
) -> Result<TaxonDatabaseHeader> {
    merge_parts_unless(parts, path, budget, &|| Ok(()))
}

/// The same, as long as `go_on` says so.
///
/// # Errors
///
/// As [`merge_parts`], and those of `go_on`: no file appears then.
pub fn merge_parts_unless(
    mut parts: Vec<TaxonDatabase>,
    path: &Path,
    budget: &Budget,
    go_on: &GoOn<'_>,
) -> Result<TaxonDatabaseHeader> {
    sort_and_check(&mut parts)?;
    let first = &parts[0];
    let scheme = first.header().layout.scheme();
    let making = Making {
        part: None,
        ..first.header().making
    };
    let counts = count(&parts, budget.threads(), go_on)?;
    let sets = Sets::new(budget.memory() / 2);
    let mut numbers = Vec::with_capacity(parts.len());
    for (part, kmers) in parts.iter().zip(&counts) {
        numbers.push(add_sets(part, kmers, &sets)?);
    }
    let records = parts.iter().map(|part| part.header().records).sum();
    let strains = match making.tells_all_strains {
        true => Strains::All,
        false => Strains::Folded,
    };
    let (layout, renumbered) = number_sets(&sets.into_shards(), scheme, strains, records)?;
    for number in numbers.iter_mut().flatten() {
        let (shard, place) = sets::split(*number);
        *number = renumbered.numbers[shard].get(place).copied().unwrap_or(0);
    }
    let plan = WriterPlan {
        scheme,
        directory_bits: layout.directory_bits(),
        id_bits: layout.id_bits(),
    };
    let mut writer = TaxonDatabaseWriter::create(path, &plan)?;
    for (part, numbers) in parts.iter().zip(&numbers) {
        write_records(part, numbers, &mut writer, go_on)
            .map_err(|error| error.in_file(part.path()))?;
        part.check_unchanged()?;
    }
    writer.finish(&Contents {
        taxonomy: first.taxonomy(),
        species: first.species(),
        references: &first.references()?,
        sets: &renumbered.sets,
        statistics: &statistics(&parts),
        log: first.log()?,
        kmers: counts.iter().flatten().sum(),
        is_folded: super::is_folded(&renumbered.sets, first.species()),
        making,
    })
}

/// Puts parts in order, if they are all parts of one build.
fn sort_and_check(parts: &mut [TaxonDatabase]) -> Result<()> {
    let mut of_first = None;
    let mut seen: Vec<Option<usize>> = Vec::new();
    for (at, database) in parts.iter().enumerate() {
        let refuse = |what: String| {
            Err(Error::new(ErrorKind::NotMergeable { what }).in_file(database.path()))
        };
        let header = database.header();
        let Some(part) = header.making.part else {
            return refuse("it is a whole database, but the others are parts".to_owned());
        };
        let first = parts[*of_first.get_or_insert(at)].header();
        let belongs = first
            .making
            .part
            .is_some_and(|first| (first.of, first.fingerprint) == (part.of, part.fingerprint))
            && header.layout.scheme() == first.layout.scheme()
            && header.making.is_masked == first.making.is_masked
            && header.making.tells_all_strains == first.making.tells_all_strains
            && database.taxa_bytes() == parts[0].taxa_bytes();
        if !belongs {
            return refuse(format!(
                "not from the same build as {}: sequences, taxa or options differ",
                parts[0].path().display()
            ));
        }
        seen.resize(part.of as usize, None);
        if let Some(before) = seen[part.number as usize - 1].replace(at) {
            let (number, of) = (part.number, part.of);
            return refuse(format!(
                "part {number} of {of} is also {}",
                parts[before].path().display()
            ));
        }
    }
    let missing = (seen.iter().zip(1..)).filter(|(part, _)| part.is_none());
    let missing = Vec::from_iter(missing.map(|(_, number): (_, u32)| number.to_string()));
    if !missing.is_empty() || parts.is_empty() {
        let what = match missing.len() {
            1 => format!("part {} of {} is missing", missing[0], seen.len()),
            _ => format!("parts {} of {} are missing", missing.join(", "), seen.len()),
        };
        return Err(Error::new(ErrorKind::NotMergeable { what }));
    }
    parts.sort_by_key(|database| database.header().making.part.map(|part| part.number));
    Ok(())
}

/// How many k-mers are of each set of each part. Checks checksums and records.
fn count(parts: &[TaxonDatabase], threads: usize, go_on: &GoOn<'_>) -> Result<Vec<Vec<u64>>> {
    let of_no_kmers = |part: &TaxonDatabase| Mutex::new(vec![0; part.sets().len() + 1]);
    let counts = Vec::from_iter(parts.iter().map(of_no_kmers));
    let claims = Claims::new(parts.len() as u64);
    run(threads, |_, stop| {
        while let Some(part) = claims.claim().filter(|_| !stop.is_stopped()) {
            parts[part as usize].check_pages(go_on)?;
        }
        Ok(())
    })
    .map_err(of_threads)?;
    let claims = Claims::new(parts.len() as u64 * RANGES);
    run(threads, |_, stop| {
        while let Some(claim) = claims.claim().filter(|_| !stop.is_stopped()) {
            go_on()?;
            let (at, range) = ((claim / RANGES) as usize, claim % RANGES);
            let part = &parts[at];
            let values = range_of(part.header(), range);
            let mut kmers_of_sets = vec![0; part.sets().len() + 1];
            walk_values(&part.view(), values, |_, kmers| {
                for &(_, set) in kmers {
                    kmers_of_sets[set as usize] += 1;
                }
                Ok(())
            })
            .map_err(|error| error.in_file(part.path()))?;
            let mut sums = counts[at].lock().unwrap_or_else(PoisonError::into_inner);
            for (sum, kmers) in sums.iter_mut().zip(kmers_of_sets) {
                *sum += kmers;
            }
        }
        Ok(())
    })
    .map_err(of_threads)?;
    let counts = counts.into_iter();
    let unlocked = counts.map(|counts| counts.into_inner());
    Ok(unlocked
        .map(|counts| counts.unwrap_or_else(PoisonError::into_inner))
        .collect())
}

fn range_of(header: &TaxonDatabaseHeader, range: u64) -> Range<u64> {
    let Range { start, end } = header.values();
    let border = |range: u64| {
        start + (u128::from(end - start) * u128::from(range) / u128::from(RANGES)) as u64
    };
    border(range)..border(range + 1)
}

/// Adds the sets of a part, and tells the number of each among those of all; some number of one that no k-mer has.
fn add_sets(part: &TaxonDatabase, kmers: &[u64], sets: &Sets) -> Result<Vec<u32>> {
    let number = |(set, &kmers): (usize, &u64)| match kmers {
        0 => Ok(0),
        _ => sets.add(part.sets().leaf_set(set as u32).to_bytes(), kmers),
    };
    kmers.iter().enumerate().map(number).collect()
}

/// Writes the records of a part, with these numbers of sets.
fn write_records(
    part: &TaxonDatabase,
    numbers: &[u32],
    writer: &mut TaxonDatabaseWriter,
    go_on: &GoOn<'_>,
) -> Result<()> {
    let (mut entries, mut overflow) = (Vec::new(), Vec::new());
    minimizers(&part.view(), part.header().values(), |of_minimizer| {
        go_on()?;
        let value = of_minimizer.value;
        entries.clear();
        entries.extend(of_minimizer.records.iter().map(|record| Entry {
            value,
            flanks: record.flanks,
            lo: record.lo,
            hi: record.hi,
            set: numbers[record.id as usize],
        }));
        writer.push(&entries)?;
        if !of_minimizer.overflow.is_empty() {
            let kmers = of_minimizer.overflow.iter();
            overflow.clear();
            overflow.extend(kmers.map(|&(kmer, set)| (kmer, numbers[set as usize])));
            writer.push_overflow(value, &overflow)?;
        }
        Ok(())
    })
}

/// Each node's sequences are in every part, and each k-mer in one.
fn statistics(parts: &[TaxonDatabase]) -> Vec<NodeStatistics> {
    let mut all = parts[0].statistics().to_vec();
    for part in &parts[1..] {
        for (sum, node) in all.iter_mut().zip(part.statistics()) {
            sum.specific += node.specific;
            for (sum, kmers) in sum.by_gc.iter_mut().zip(node.by_gc) {
                *sum += kmers;
            }
        }
    }
    all
}
