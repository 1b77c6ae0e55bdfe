//! All k-mers of a database in memory, each found by its hash.
//!
//! ```text
//! upper bits of the hash ──► bucket  | 5 k-mers | 5 counts |     64 bytes for k-mers of one word: a cache line
//! no place in it left    ──► the next bucket
//! ```
//! A bucket fills from the left, and k-mers go on to the next one only if it is full: so one that has room ends the
//! search. Three places of four are in use at most; then one bucket in three is full, and most searches end where they
//! begin. What costs is the wait for that line: of the k-mers of a sequence, many are asked for at a time.
//!
//! A file of `thalweg count` has its k-mers in partitions, which their minimizers choose. Each has a region of the buckets for
//! itself, which a core's cache holds while it is filled in: without that, loading was two fifths of the time of
//! looking up the k-mers of half as many reads as were counted. Where k-mers of a sequence belong, the vectors tell that count them.
//!
//! Of all else, threads that load a file together sort its k-mers by 64 regions that the hash chooses, and fill one in when
//! they have some for it. The last bucket of a region is followed by its first.

mod search;
mod table;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_flow::{Claims, run};

pub(super) use self::search::Search;
use self::table::Region;
pub(super) use self::table::{Table, Wanted};
use super::merge::no_sum;
use super::records::{KmerRecords, RecordSource, SharedWatch};
use super::{Header, Lookup};
use crate::error::{Error, Result, of_threads};
use crate::kmer::Kmer;

/// k-mers whose lines are asked for before they are filled in.
const AHEAD: usize = 32;

/// Regions that threads fill at the same time: more than there are threads, mostly, so that few wait for each other.
const REGIONS: usize = 64;

/// k-mers that a thread puts aside for a region before it fills them in: 2 KB of one word for each region.
const LANE: usize = 128;

/// Fewer are filled in by one thread: it takes some milliseconds.
const FEW: u64 = 1 << 18;

/// All k-mers of a database in memory, to be looked up by any number of threads.
///
/// 17 bytes for each k-mer of up to 32 bases, 28 for those of up to 64 ([`Loaded::bytes_for`]); up to twice that, and
/// three times while it is made, if the file does not say how many there are. Made by
/// [`Database::load`](super::Database::load).
#[derive(Clone)]
pub struct Loaded<K> {
    pub(super) k: usize,
    pub(super) canonical: bool,
    /// Bases of the minimizers that choose the region of a k-mer, and the number of regions; `None` if its hash does.
    pub(super) rule: Option<(u8, u32)>,
    pub(super) table: Arc<Table<K>>,
}

impl<K: Kmer> Loaded<K> {
    /// Counts of a k-mer that comes several times are added up.
    ///
    /// # Errors
    /// Those of the records and of `watch`, and a sum beyond 64 bits.
    pub(super) fn new(
        header: &Header,
        mut records: impl RecordSource<K>,
        watch: &SharedWatch<'_>,
    ) -> Result<Loaded<K>> {
        // Of KMC's files a forged one may say any number, but not of more k-mers than there can be. What cannot be had
        // at once is asked for as it comes.
        let most = 1u64.checked_shl(2 * header.k as u32).unwrap_or(u64::MAX);
        let distinct = header.distinct.unwrap_or(0).min(most);
        let mut table = Table::for_kmers(distinct, 1).unwrap_or_else(Table::least);
        let mut all_canonical = true;
        let mut batch = Vec::new();
        loop {
            records.fill(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            watch.add(batch.len())?;
            if header.canonical.is_none() {
                let is_canonical =
                    |&(kmer, _): &(K, u64)| kmer <= kmer.reverse_complement(header.k);
                all_canonical &= batch.iter().all(is_canonical);
            }
            table.make_room(batch.len()).ok_or_else(|| {
                Error::BadOption("there is not enough memory for all k-mers of the database".into())
            })?;
            for mut region in table.regions() {
                add_all(&batch, &mut region, header.k)?;
            }
        }
        Ok(Loaded {
            k: header.k,
            canonical: header.canonical.unwrap_or(all_canonical),
            rule: None,
            table: Arc::new(table),
        })
    }

    /// The same of records in parts, on so many threads, of a file that says how many they are and whether they are
    /// canonical.
    ///
    /// `None` if there is not so much memory, if it is not worth the threads, or if the k-mers are more than the file says.
    pub(super) fn of_parts(
        header: &Header,
        threads: usize,
        parts: usize,
        records: impl Fn(usize) -> KmerRecords<K> + Sync,
        watch: &SharedWatch<'_>,
    ) -> Result<Option<Loaded<K>>> {
        let (Some(distinct), Some(canonical)) = (header.distinct, header.canonical) else {
            return Ok(None);
        };
        if threads == 1 || distinct < FEW {
            return Ok(None);
        }
        let Some(mut table) = Table::for_kmers(distinct, REGIONS) else {
            return Ok(None);
        };
        let layout = table.layout();
        let regions: Vec<Mutex<Region<'_, K>>> = table.regions().map(Mutex::new).collect();
        let claims = Claims::new(parts as u64);
        // Whether all found room.
        let fill = |lane: &mut Vec<(K, u64)>, number: usize| -> Result<bool> {
            let mut region = regions[number]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if !region.has_room(lane.len()) {
                return Ok::<_, Error>(false);
            }
            add_all(lane, &mut region, header.k)?;
            lane.clear();
            Ok(true)
        };
        let found_room = run(threads, |_, stop| {
            let mut lanes: Vec<Vec<(K, u64)>> = vec![Vec::new(); REGIONS];
            while let Some(part) = claims.claim().filter(|_| !stop.is_stopped()) {
                let mut records = records(part as usize);
                loop {
                    let at_hand = records.at_hand()?;
                    if at_hand.is_empty() {
                        break;
                    }
                    watch.add(at_hand.len())?;
                    for &(kmer, count) in at_hand {
                        let number = layout.region_of(kmer);
                        let lane = &mut lanes[number];
                        lane.push((kmer, count));
                        if lane.len() == LANE && !fill(lane, number)? {
                            return Ok(false);
                        }
                    }
                    records.advance(usize::MAX);
                }
            }
            for (number, lane) in lanes.iter_mut().enumerate() {
                if !fill(lane, number)? {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        let found_room = found_room.map_err(of_threads::<Error>)?;
        drop(regions);
        Ok(found_room.into_iter().all(|all| all).then(|| Loaded {
            k: header.k,
            canonical,
            rule: None,
            table: Arc::new(table),
        }))
    }

    /// The same of partitions that the minimizers of k-mers choose, each of so many k-mers, on so many threads.
    ///
    /// `None` if there is not so much memory.
    pub(super) fn of_partitions(
        header: &Header,
        rule: (u8, u32),
        threads: usize,
        distinct: &[u64],
        records: impl Fn(usize) -> KmerRecords<K> + Sync,
        watch: &SharedWatch<'_>,
    ) -> Result<Option<Loaded<K>>> {
        let Some(canonical) = header.canonical else {
            return Ok(None);
        };
        let Some(mut table) = Table::for_parts(distinct.iter().copied()) else {
            return Ok(None);
        };
        let regions: Vec<Mutex<Region<'_, K>>> = table.regions().map(Mutex::new).collect();
        let claims = Claims::new(regions.len() as u64);
        let filled = run(threads, |_, stop| {
            while let Some(number) = claims.claim().filter(|_| !stop.is_stopped()) {
                let region = &regions[number as usize];
                let mut region = region.lock().unwrap_or_else(PoisonError::into_inner);
                let mut records = records(number as usize);
                loop {
                    let at_hand = records.at_hand()?;
                    if at_hand.is_empty() {
                        break;
                    }
                    watch.add(at_hand.len())?;
                    add_all(at_hand, &mut region, header.k)?;
                    records.advance(usize::MAX);
                }
            }
            Ok(())
        });
        filled.map_err(of_threads::<Error>)?;
        drop(regions);
        Ok(Some(Loaded {
            k: header.k,
            canonical,
            rule: Some(rule),
            table: Arc::new(table),
        }))
    }

    /// What so many k-mers take.
    pub fn bytes_for(distinct: u64) -> u64 {
        let words = Table::<K>::words_for(distinct);
        words
            .and_then(|words| (words as u64).checked_mul(8))
            .unwrap_or(u64::MAX)
    }

    /// Whether a k-mer stands for both strands. Where the database does not say: whether none of its k-mers is
    /// greater than its reverse complement, which one in two is if strands are apart.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// What finds k-mers; as many as there are threads, of the same memory.
    pub fn lookup(&self) -> Lookup<K> {
        Lookup::loaded(self.k, self.canonical, Search::new(self.clone()))
    }
}

impl<K: Kmer> fmt::Debug for Loaded<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .field("distinct", &self.table.len())
            .finish()
    }
}

/// Adds records to the region that they all belong to, and that has room for them.
fn add_all<K: Kmer>(records: &[(K, u64)], region: &mut Region<'_, K>, k: usize) -> Result<()> {
    for &(kmer, _) in records.iter().take(AHEAD) {
        region.ask(kmer);
    }
    for (number, &(kmer, count)) in records.iter().enumerate() {
        if let Some(&(later, _)) = records.get(number + AHEAD) {
            region.ask(later);
        }
        let sum = region.add(kmer, count);
        sum.ok_or_else(|| no_sum(kmer, k))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::database::DatabaseFormat;
    use crate::kmer::Wide;
    use std::collections::HashMap;

    /// By hand: buckets of 64 bytes with 3.75 k-mers of one word, of 344 bytes with those of eight.
    #[test]
    fn memory_is_that_of_buckets_of_three_k_mers_in_four_places() {
        let pages = |bytes: f64| (bytes / (2 << 20) as f64).ceil() as u64 * (2 << 20);
        let least = |distinct: u64, bucket: f64| pages(distinct as f64 / 3.75 * bucket);
        for distinct in [1_000_000, 7_000_000, 235_000_000] {
            let one = Loaded::<u64>::bytes_for(distinct);
            assert!((least(distinct, 64.0)..=least(distinct, 64.1)).contains(&one));
            let eight = Loaded::<Wide<8>>::bytes_for(distinct);
            assert!((least(distinct, 344.0)..=least(distinct, 344.1)).contains(&eight));
        }
        for distinct in [1 << 60, 1 << 62, u64::MAX] {
            assert_eq!(Loaded::<u64>::bytes_for(distinct), u64::MAX);
            assert_eq!(Loaded::<Wide<8>>::bytes_for(distinct), u64::MAX);
        }
    }

    fn agrees<K: Kmer>(records: &[(u64, u64)], k: usize) {
        let spread = |number: u64| {
            let words = [number, number >> 1, number << 7, 3, number, 1, 2, number];
            K::from_words(&words).append(0, k)
        };
        let mut table = Table::<K>::least();
        let mut expected: HashMap<K, u64> = HashMap::new();
        for &(number, count) in records {
            let kmer = spread(number);
            let sum = expected.entry(kmer).or_default();
            let added = sum.checked_add(count);
            table.make_room(1).expect("memory");
            let is_added = add_all(&[(kmer, count)], &mut table.regions().next().unwrap(), k);
            assert_eq!(is_added.is_ok(), added.is_some());
            match added {
                Some(added) => *sum = added,
                None => return,
            }
        }
        assert_eq!(table.len(), expected.len());
        for number in 0..200 {
            let kmer = spread(number);
            assert_eq!(table.get(table.wanted(kmer)), expected.get(&kmer).copied());
        }
        for (&kmer, &count) in &expected {
            assert_eq!(table.get(table.wanted(kmer)), Some(count));
        }
    }

    proptest! {
        #[test]
        fn all_counts_are_found(
            records in prop::collection::vec(
                (0..150u64, prop_oneof![
                    0..5u64,
                    u64::from(u32::MAX) - 3..u64::from(u32::MAX) + 3,
                    Just(u64::MAX / 3),
                ]),
                0..300,
            ),
        ) {
            agrees::<u64>(&records, 31);
            agrees::<u128>(&records, 61);
            agrees::<Wide<4>>(&records, 100);
            agrees::<Wide<8>>(&records, 255);
        }
    }

    /// More than the first pages hold.
    #[test]
    fn it_grows() {
        let records: Vec<(u64, u64)> = (0..400_000).map(|number| (number, number)).collect();
        agrees::<u64>(&records, 31);
        agrees::<Wide<4>>(&records, 128);
    }

    /// Parts of any size, so many k-mers that threads share the work; counts of every kind.
    #[test]
    fn threads_fill_in_what_one_does() {
        let distinct = FEW + 1000;
        let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2;
        let count = |number: u64| match number % 1000 {
            0 => u64::MAX - number,
            _ => number % 7,
        };
        let mut header = Header::new(DatabaseFormat::Thk, 31);
        header.distinct = Some(distinct);
        header.canonical = Some(false);
        let part = |part: usize| {
            let numbers = (part as u64..distinct).step_by(10);
            KmerRecords::from_vec(
                numbers
                    .map(|number| (spread(number), count(number)))
                    .collect(),
            )
        };
        let watch = SharedWatch::new(&|_| Ok(())).unwrap();
        for threads in [2, 5] {
            let loaded = Loaded::of_parts(&header, threads, 10, part, &watch)
                .unwrap()
                .unwrap();
            assert_eq!(loaded.table.len() as u64, distinct);
            let mut search = Search::new(loaded);
            for number in 0..distinct {
                assert_eq!(search.find(spread(number)), Some(count(number)));
            }
            for number in distinct..distinct + 1000 {
                assert_eq!(search.find(spread(number)), None);
            }
        }
        // Of one part, each k-mer twice: sums beyond 64 bits.
        let twice = |_: usize| part(0);
        let error = Loaded::of_parts(&header, 2, 2, twice, &watch)
            .unwrap_err()
            .to_string();
        assert!(error.contains("add up to more than"), "{error}");
        // Not for threads: nothing is known, few, one thread, more than there should be.
        assert!(
            Loaded::of_parts(&header, 1, 10, part, &watch)
                .unwrap()
                .is_none()
        );
        header.distinct = Some(FEW - 1);
        assert!(
            Loaded::of_parts(&header, 2, 10, part, &watch)
                .unwrap()
                .is_none()
        );
        header.distinct = Some(FEW);
        let more = |part: usize| {
            let numbers = (part as u64..2 * distinct).step_by(10);
            KmerRecords::from_vec(numbers.map(|number| (spread(number), 1)).collect())
        };
        assert!(
            Loaded::of_parts(&header, 2, 10, more, &watch)
                .unwrap()
                .is_none()
        );
    }
}
