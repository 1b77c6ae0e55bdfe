//! Which reads have enough k-mers of a database: decisions, where counts do not matter.
//!
//! ```text
//! read ──► minimizers of its windows ──► filter: may the database have a k-mer with that minimizer?
//!            no stretch of windows passes, or too few do:        the read does not reach the threshold
//!            else k-mers of these stretches ──► all k-mers:      until the threshold is reached, or cannot be
//! ```
//! Neighbouring k-mers share minimizers, so a read that has nothing to do with the database is asked for few of them, in a
//! filter that a core's cache holds where its k-mers do not fit. Whatever passes is looked up, so that decisions are those of looking
//! up every k-mer.
//!
//! All k-mers are a table with counts, or `sorted` without, where the file has them so.

mod filter;
mod sorted;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use thalweg_flow::{Claims, run};
use thalweg_superkmers::Kernel;
use thalweg_superkmers::encode::Encoded;
use thalweg_superkmers::minimizer::single::{class_of, telling_length};
use thalweg_superkmers::minimizer::{Minimizers, partition};
use thalweg_superkmers::pieces::for_each_piece;

use self::filter::{Filling, Filter, Place};
use self::sorted::Sorted;
use super::loaded::{self, Loaded};
use super::{Database, Format, Header, Records, SequenceKmers};
use crate::error::{Error, Result, of_threads};
use crate::kmer::{Alphabet, Kmer};

/// Letters of a sequence that are looked at together; what is found of them stays in the caches.
const PIECE: usize = 4096;

/// The most k-mers that are asked for before the first of them is looked at.
const AHEAD: usize = 32;

/// The fewest.
const FEWEST_AHEAD: usize = 8;

/// Buckets of the table whose minimizers a thread finds at a time.
const BUCKETS: usize = 1 << 14;

/// How many k-mers of a read must be in the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// So many at least.
    pub least: u64,
    /// Of all k-mers of the read, such a share at least: from 0 to 1.
    pub fraction: f64,
}

impl Threshold {
    /// Whether `found` of `all` k-mers are enough.
    ///
    /// More of the same, or the same of fewer, are enough then, too.
    #[inline]
    pub fn is_reached(self, found: u64, all: u64) -> bool {
        found >= self.least && found as f64 >= self.fraction * all as f64
    }
}

/// All k-mers of a database whose counts are within limits, for any number of threads that judge reads by them.
///
/// What it takes besides its k-mers is an eighth of a table of them at most, and less for longer k-mers: a sixtieth with 31 bases.
pub struct Screen<K> {
    k: usize,
    canonical: bool,
    /// Bases of the minimizers that choose the partition of a k-mer, and the number of partitions; `None` if they do not.
    rule: Option<(u8, u32)>,
    kmers: All<K>,
    /// Bases of the minimizers that the filter has.
    m: usize,
    filter: Option<Arc<Filter>>,
}

/// Where all k-mers are.
enum All<K> {
    Table(Loaded<K>, RangeInclusive<u64>),
    Sorted(Arc<Sorted<K>>),
}

impl<K: Kmer> Screen<K> {
    /// Of the k-mers of a database, those with these counts. They are loaded by so many threads: nine bytes for each of up to 32 bases
    /// where `thalweg count` has written them, else as [`Database::load`] does.
    ///
    /// # Errors
    /// If the database cannot be read, or threads not be started.
    pub fn open(database: &Database, counts: RangeInclusive<u64>, threads: usize) -> Result<Self> {
        let header = database.header();
        header.check_type::<K>()?;
        if let (Some(canonical), Some(partitions)) = (header.canonical, database.partitions::<K>()?)
            && let Some((rule, distinct)) = partitions.by_minimizer()
        {
            let (k, m) = (header.k, telling_length(header.k));
            let filling = Filling::new(distinct.iter().sum(), k, m);
            let records = |partition| partitions.records(partition, distinct.len());
            let filter = filling.as_ref();
            let sorted = Sorted::new((k, m), &counts, threads, &distinct, records, filter)?;
            if let Some(sorted) = sorted {
                return Ok(Self {
                    k,
                    canonical,
                    rule: Some(rule),
                    kmers: All::Sorted(Arc::new(sorted)),
                    m,
                    filter: filling.and_then(Filling::finish).map(Arc::new),
                });
            }
        }
        Self::new(database.load(threads)?, counts, threads)
    }

    /// Of the k-mers of `loaded`, those with these counts. Their minimizers are found on so many threads.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn new(loaded: Loaded<K>, counts: RangeInclusive<u64>, threads: usize) -> Result<Self> {
        let (k, kernel) = (loaded.k, Kernel::best());
        let m = telling_length(k);
        let table = &*loaded.table;
        let mut filter = None;
        if let Some(filling) = Filling::new(table.len() as u64, k, m) {
            let buckets = table.buckets();
            let claims = Claims::new(buckets.div_ceil(BUCKETS) as u64);
            let fill = |_, stop: &thalweg_flow::Stop| -> Result<()> {
                let (mut kmers, mut classes) = (Vec::new(), Vec::new());
                while let Some(claim) = claims.claim().filter(|_| !stop.is_stopped()) {
                    let first = claim as usize * BUCKETS;
                    kmers.clear();
                    table.list(first..buckets.min(first + BUCKETS), &counts, &mut kmers);
                    kernel.classes(&kmers, k, m, &mut classes);
                    filling.add_all(&classes);
                }
                Ok(())
            };
            run(threads, fill).map_err(of_threads::<Error>)?;
            filter = filling.finish().map(Arc::new);
        }
        Ok(Self {
            k,
            canonical: loaded.is_canonical(),
            rule: loaded.rule,
            kmers: All::Table(loaded, counts),
            m,
            filter,
        })
    }

    /// Of all k-mers of sequences, each of which stands for both strands. Windows with another letter than A, C, G and T, or U for
    /// T, have none. A few bytes are taken for each letter meanwhile.
    ///
    /// # Errors
    /// If k is 0 or more than `K` holds, or threads cannot be started.
    pub fn of_sequences<'a>(
        sequences: impl IntoIterator<Item = &'a [u8]>,
        k: usize,
        threads: usize,
    ) -> Result<Self> {
        if !(1..=K::MAX_K).contains(&k) {
            return Err(Error::BadK { k, max: K::MAX_K });
        }
        let mut kmers = Vec::new();
        for sequence in sequences {
            let found = SequenceKmers::<K>::new(sequence, k).with_alphabet(Alphabet::Acgtu);
            kmers.extend(found.map(|(_, kmer)| kmer.canonical(k)));
        }
        kmers.sort_unstable();
        kmers.dedup();
        let header = Header {
            canonical: Some(true),
            distinct: Some(kmers.len() as u64),
            ..Header::new(Format::Thk, k)
        };
        let records = kmers.into_iter().map(|kmer| (kmer, 1)).collect();
        let loaded = Loaded::new(&header, Records::from_vec(records))?;
        Self::new(loaded, 1..=u64::MAX, threads)
    }

    /// What so many k-mers take at most, those of the file they come from and more.
    pub fn bytes_for(distinct: u64) -> u64 {
        let loaded = Loaded::<K>::bytes_for(distinct);
        loaded.saturating_add(loaded / 8)
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Whether a k-mer stands for both strands.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// What judges reads, for one thread; letters of `alphabet` are bases.
    pub fn screener(&self, alphabet: Alphabet) -> Screener<K> {
        Screener {
            screen: self.clone(),
            kernel: Kernel::best(),
            encoded: Encoded::new(alphabet),
            minimizers: Minimizers::default(),
            places: Minimizers::default(),
            letters: Vec::new(),
            candidates: Vec::new(),
            stretches: Vec::new(),
        }
    }
}

impl<K> Clone for Screen<K> {
    fn clone(&self) -> Self {
        Self {
            kmers: self.kmers.clone(),
            filter: self.filter.clone(),
            ..*self
        }
    }
}

impl<K> Clone for All<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Sorted(sorted) => Self::Sorted(Arc::clone(sorted)),
            Self::Table(loaded, counts) => {
                let table = Arc::clone(&loaded.table);
                Self::Table(Loaded { table, ..*loaded }, counts.clone())
            }
        }
    }
}

impl<K: Kmer> fmt::Debug for Screen<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .field("is_sorted", &matches!(self.kmers, All::Sorted(_)))
            .field("is_filtered", &self.filter.is_some())
            .finish()
    }
}

/// Judges reads by a [`Screen`]. It has buffers of its own.
pub struct Screener<K> {
    screen: Screen<K>,
    kernel: Kernel,
    encoded: Encoded,
    /// Those of the filter.
    minimizers: Minimizers,
    /// Those that choose partitions, where there are some.
    places: Minimizers,
    /// A piece of a sequence on several lines, or of several sequences.
    letters: Vec<u8>,
    /// Stretches whose minimizers are looked for in the filter.
    candidates: Vec<(usize, usize, Place)>,
    /// Windows that are to be looked up: the first, and the one behind the last.
    stretches: Vec<(usize, usize)>,
}

/// What was found of a read.
#[derive(Clone, Copy, Default)]
struct Sum {
    found: u64,
    /// k-mers that were looked at, and more that there may be.
    all: u64,
    may_come: u64,
}

impl<K: Kmer> Screener<K> {
    /// Whether enough k-mers of the sequences are in the database, those of all sequences taken together. Each sequence is made of
    /// lines; k-mers with a letter that is no base do not count.
    #[inline]
    pub fn reaches<'a, L>(
        &mut self,
        sequences: impl IntoIterator<Item = L>,
        threshold: Threshold,
    ) -> bool
    where
        L: IntoIterator<Item = &'a [u8]>,
    {
        // Between sequences stands a letter that is none.
        let lines = sequences.into_iter().enumerate();
        let mut lines = lines.flat_map(|(number, lines)| {
            let between: &[u8] = if number == 0 { b"" } else { b"\n" };
            std::iter::once(between).chain(lines)
        });
        let mut sum = Sum::default();
        let mut letters = std::mem::take(&mut self.letters);
        letters.clear();
        // Few are longer than a piece, and all is known of a shorter one before anything is looked up.
        let longer = lines.find(|line| {
            let fits = letters.len() + line.len() <= PIECE;
            if fits {
                letters.extend_from_slice(line);
            }
            !fits
        });
        match longer {
            None => self.look(&letters, 0, threshold, &mut sum),
            Some(line) => {
                let start = std::mem::take(&mut letters);
                let all = [&*start, line].into_iter().chain(lines.map(shorter));
                let overlap = self.screen.k - 1;
                let look = |piece: &[u8]| {
                    self.look(piece, u64::MAX, threshold, &mut sum);
                    Ok::<(), std::convert::Infallible>(())
                };
                let Ok(_) = for_each_piece(all, PIECE, overlap, &mut letters, look);
            }
        }
        self.letters = letters;
        threshold.is_reached(sum.found, sum.all)
    }

    /// Looks at letters, behind which so many more k-mers may come, until it is known whether the threshold is reached; then `sum` says
    /// so.
    fn look(&mut self, letters: &[u8], may_come: u64, threshold: Threshold, sum: &mut Sum) {
        let Self {
            screen,
            kernel,
            encoded,
            minimizers,
            candidates,
            stretches,
            ..
        } = self;
        let k = screen.k;
        stretches.clear();
        candidates.clear();
        let is_known = may_come > 0 && threshold.is_reached(sum.found, may_come);
        if letters.len() < k || is_known {
            return;
        }
        kernel.encode(encoded, letters, b"", 0);
        if screen.filter.is_some() {
            kernel.minimizers(minimizers, encoded, k, screen.m);
        }
        let (mut all, mut passing, mut from) = (0, 0, 0);
        while let Some((start, end)) = encoded.next_run(from, k) {
            from = end;
            let windows = start..end + 1 - k;
            all += windows.len() as u64;
            match &screen.filter {
                Some(filter) => {
                    // All are asked for before the first is looked at.
                    let each = minimizers.stretches(windows);
                    candidates.extend(each.map(|(stretch, least)| {
                        (stretch.start, stretch.end, filter.ask(class_of(least)))
                    }));
                }
                None => {
                    passing += windows.len() as u64;
                    stretches.push((windows.start, windows.end));
                }
            }
        }
        if let Some(filter) = &screen.filter {
            for &(start, end, place) in &*candidates {
                if filter.has(place) {
                    passing += (end - start) as u64;
                    stretches.push((start, end));
                }
            }
        }
        sum.all += all;
        sum.may_come = may_come;
        // If all that pass were found, would they do?
        if may_come == 0 && !threshold.is_reached(sum.found + passing, sum.all) {
            return;
        }
        if passing > 0 {
            self.find(passing, threshold, sum);
        }
    }

    /// Looks up the stretches, of so many k-mers, until the threshold is reached or cannot be reached any more.
    fn find(&mut self, passing: u64, threshold: Threshold, sum: &mut Sum) {
        let Self {
            screen,
            kernel,
            encoded,
            places,
            stretches,
            ..
        } = self;
        let (k, canonical) = (screen.k, screen.canonical);
        let bits = screen.rule.map(|(length, partitions)| {
            kernel.minimizers(places, encoded, k, usize::from(length));
            partitions.trailing_zeros()
        });
        let least = places.least();
        let windows = stretches.iter().flat_map(|&(start, end)| start..end);
        let kmers = windows.map(|window| {
            let [forward, backward] = encoded.strands::<K>(window, k);
            let kmer = match canonical {
                true => forward.min(backward),
                false => forward,
            };
            (bits.map(|bits| partition(least[window], bits)), kmer)
        });
        match &screen.kmers {
            All::Table(loaded, counts) => {
                let table = InTable(&loaded.table, counts);
                look_up(&table, kmers, passing, threshold, sum);
            }
            All::Sorted(sorted) => look_up(&**sorted, kmers, passing, threshold, sum),
        }
    }
}

/// What k-mers are looked up in, several at a time.
trait Kmers<K> {
    type Wanted: Copy + Default;

    /// Where a k-mer is looked for, of this partition if there are partitions.
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted;

    /// Asks for what tells more of where it is.
    fn ask_where(&self, wanted: Self::Wanted);

    /// Asks for the place itself.
    fn ask(&self, wanted: &mut Self::Wanted);

    /// Whether it is there.
    fn has(&self, wanted: Self::Wanted) -> bool;
}

impl<K: Kmer> Kmers<K> for Sorted<K> {
    type Wanted = sorted::Wanted<K>;

    #[inline(always)]
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted {
        self.wanted(partition.unwrap_or(0), kmer)
    }

    #[inline(always)]
    fn ask_where(&self, wanted: Self::Wanted) {
        self.ask_where(wanted);
    }

    #[inline(always)]
    fn ask(&self, wanted: &mut Self::Wanted) {
        self.ask(wanted);
    }

    #[inline(always)]
    fn has(&self, wanted: Self::Wanted) -> bool {
        self.has(wanted)
    }
}

/// A table, and the counts that are wanted.
struct InTable<'a, K>(&'a loaded::Table<K>, &'a RangeInclusive<u64>);

impl<K: Kmer> Kmers<K> for InTable<'_, K> {
    type Wanted = loaded::Wanted<K>;

    #[inline(always)]
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted {
        match partition {
            Some(partition) => self.0.wanted_in(partition, kmer),
            None => self.0.wanted(kmer),
        }
    }

    #[inline(always)]
    fn ask_where(&self, _: Self::Wanted) {}

    #[inline(always)]
    fn ask(&self, wanted: &mut Self::Wanted) {
        self.0.ask(*wanted);
    }

    #[inline(always)]
    fn has(&self, wanted: Self::Wanted) -> bool {
        let count = self.0.get(wanted);
        count.is_some_and(|count| self.1.contains(&count))
    }
}

/// Looks up so many k-mers, until the threshold is reached or cannot be reached any more.
#[inline(always)]
fn look_up<K: Kmer, A: Kmers<K>>(
    all_kmers: &A,
    mut kmers: impl Iterator<Item = (Option<usize>, K)>,
    mut passing: u64,
    threshold: Threshold,
    sum: &mut Sum,
) {
    let mut asked = [A::Wanted::default(); AHEAD];
    let all = sum.all.saturating_add(sum.may_come);
    loop {
        let missing = threshold.least.saturating_sub(sum.found) as usize;
        let ahead = missing.clamp(FEWEST_AHEAD, AHEAD);
        let mut number = 0;
        for (place, (partition, kmer)) in asked[..ahead].iter_mut().zip(&mut kmers) {
            *place = all_kmers.wanted(partition, kmer);
            all_kmers.ask_where(*place);
            number += 1;
        }
        if number == 0 {
            return;
        }
        asked[..number]
            .iter_mut()
            .for_each(|wanted| all_kmers.ask(wanted));
        for &wanted in &asked[..number] {
            sum.found += u64::from(all_kmers.has(wanted));
        }
        passing -= number as u64;
        let is_known = threshold.is_reached(sum.found, all)
            || sum.may_come == 0 && !threshold.is_reached(sum.found + passing, sum.all);
        if is_known {
            return;
        }
    }
}

/// The same line, for as long as lines before it live.
fn shorter<'a: 'b, 'b>(line: &'a [u8]) -> &'b [u8] {
    line
}

impl<K> fmt::Debug for Screener<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screener")
            .field("k", &self.screen.k)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::database::{Database, Description, Lookup, Writer, open};
    use crate::kmer::Wide;

    /// Bases as good as random, with a letter that is none now and then.
    fn letters(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        let mut letter = |place: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            match place % 977 {
                500 => b'N',
                _ => b"ACGTacgtU"[(state >> 33) as usize % 9],
            }
        };
        (0..length).map(&mut letter).collect()
    }

    /// The k-mers of a sequence, with counts of every size.
    fn database<K: Kmer>(path: &Path, sequence: &[u8], k: usize, canonical: bool) -> Database {
        let kmers = SequenceKmers::<K>::new(sequence, k).with_alphabet(Alphabet::Acgtu);
        let mut kmers: Vec<K> = kmers
            .map(|(_, kmer)| if canonical { kmer.canonical(k) } else { kmer })
            .collect();
        kmers.sort();
        kmers.dedup();
        let count = |number: usize| match number % 5 {
            4 => u64::MAX - number as u64,
            small => 1 + small as u64,
        };
        let description = Description::new(k, canonical);
        let mut writer = Writer::create(path, Format::Thk, &description).unwrap();
        let records = kmers.iter().enumerate();
        writer
            .extend(records.map(|(number, &kmer)| Ok((kmer, count(number)))))
            .unwrap();
        writer.finish().unwrap();
        open(path).unwrap()
    }

    /// Found k-mers and all, one by one.
    fn slowly<K: Kmer>(
        lookup: &mut Lookup<K>,
        sequences: &[&[u8]],
        counts: &RangeInclusive<u64>,
    ) -> (u64, u64) {
        let (mut found, mut all) = (0, 0);
        for sequence in sequences {
            let each = |_, count: Option<u64>| {
                all += 1;
                found += u64::from(count.is_some_and(|count| counts.contains(&count)));
            };
            lookup.find_in_sequence(sequence, each).unwrap();
        }
        (found, all)
    }

    fn check<K: Kmer>(k: usize) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let genome = letters(k as u64, 20_000);
        // From the database, from elsewhere, of both, too short, empty, and longer than a piece.
        let foreign = letters(99, 20_000);
        let mut reads: Vec<Vec<u8>> = Vec::new();
        for number in 0..60 {
            let at = number * 300;
            reads.push(genome[at..at + 300].to_vec());
            reads.push(foreign[at..at + 300].to_vec());
            let mut both = foreign[at..at + 280].to_vec();
            let length = k + number % 20;
            both.splice(40..40, genome[at..at + length].iter().copied());
            reads.push(both);
        }
        reads.extend([genome[..k - 1].to_vec(), genome[..k].to_vec(), vec![]]);
        let mut long = foreign.clone();
        reads.push(long.clone());
        long.extend(&genome[..2 * PIECE]);
        reads.push(long);
        reads.push(genome.clone());
        for canonical in [true, false] {
            let database = database::<K>(&path, &genome, k, canonical);
            let mut lookup = database.load::<K>(1).unwrap().lookup();
            for (counts, threads) in [(0..=u64::MAX, 1), (2..=3, 3), (5..=u64::MAX, 1)] {
                let loaded = database.load::<K>(threads).unwrap();
                let screen = Screen::new(loaded, counts.clone(), threads).unwrap();
                assert_eq!(screen.is_canonical(), canonical);
                let mut screener = screen.screener(Alphabet::Acgtu);
                let mut agrees = |sequences: &[&[u8]]| {
                    let (found, all) = slowly(&mut lookup, sequences, &counts);
                    for least in [0, 1, found, found + 1] {
                        for fraction in [0.0, 0.01, found as f64 / all.max(1) as f64] {
                            let threshold = Threshold { least, fraction };
                            let lines = sequences.iter().map(|sequence| sequence.chunks(70));
                            let whole = sequences.iter().map(|sequence| [*sequence]);
                            let expected = found >= least && found as f64 >= fraction * all as f64;
                            let what = format!("{k} {found} of {all}, {threshold:?}");
                            assert_eq!(screener.reaches(whole, threshold), expected, "{what}");
                            assert_eq!(screener.reaches(lines, threshold), expected, "{what}");
                        }
                    }
                };
                for pair in reads.windows(2) {
                    agrees(&[&pair[0]]);
                    agrees(&[&pair[0], &pair[1]]);
                }
                agrees(&[&genome]);
                agrees(&[]);
            }
        }
    }

    #[test]
    fn decisions_are_those_of_looking_up_every_k_mer() {
        check::<u64>(3);
        check::<u64>(13);
        check::<u64>(16);
        check::<u64>(31);
        check::<u64>(32);
    }

    #[test]
    fn longer_k_mers_decide_alike() {
        check::<u128>(55);
        check::<Wide<4>>(101);
        check::<Wide<8>>(255);
    }

    /// k-mers of both strands, in a set that knows nothing of ours.
    #[test]
    fn sequences_are_screened_without_a_file() {
        let turned = |sequence: &[u8]| -> Vec<u8> {
            let other = |base: &u8| match base {
                b'A' => b'T',
                b'C' => b'G',
                b'G' => b'C',
                _ => b'A',
            };
            sequence.iter().rev().map(other).collect()
        };
        let upper = |seed, length| -> Vec<u8> {
            let bases = letters(seed, length).to_ascii_uppercase();
            let base = |base| if base == b'U' { b'T' } else { base };
            bases.into_iter().map(base).collect()
        };
        for k in [1, 5, 25, 31, 32, 60] {
            let sequences = [upper(1, 3000), upper(2, 700), b"AC".to_vec()];
            let mut known = std::collections::HashSet::new();
            for sequence in &sequences {
                let windows = sequence.windows(k);
                for kmer in windows.filter(|window| !window.contains(&b'N')) {
                    known.insert(kmer.to_vec());
                    known.insert(turned(kmer));
                }
            }
            let foreign = upper(3, 3000);
            let slices = sequences.iter().map(Vec::as_slice);
            let agrees = |reaches: &mut dyn FnMut(&[u8], Threshold) -> bool| {
                let mut reads: Vec<Vec<u8>> = Vec::new();
                for at in (0..2800).step_by(61) {
                    let mut read = sequences[0][at..at + 100].to_vec();
                    reads.push(turned(&read));
                    read[at % 100] = b'A';
                    read[(at + 50) % 100] = b'C';
                    reads.push(read);
                    reads.push(foreign[at..at + 100].to_vec());
                }
                for read in &reads {
                    let windows = read.windows(k);
                    let all = windows.filter(|window| !window.contains(&b'N'));
                    let found = all.clone().filter(|window| known.contains(*window)).count() as u64;
                    let all = all.count() as u64;
                    for least in [1, found, found + 1] {
                        for fraction in [0.0, 0.5, 1.0] {
                            let threshold = Threshold { least, fraction };
                            let expected = found >= least && found as f64 >= fraction * all as f64;
                            assert_eq!(reaches(read, threshold), expected, "{k} {threshold:?}");
                        }
                    }
                }
            };
            if k <= 32 {
                let screen = Screen::<u64>::of_sequences(slices, k, 2).unwrap();
                assert!(screen.is_canonical() && screen.k() == k);
                let mut screener = screen.screener(Alphabet::Acgtu);
                agrees(&mut |read, threshold| screener.reaches([[read]], threshold));
            } else {
                let screen = Screen::<u128>::of_sequences(slices, k, 1).unwrap();
                let mut screener = screen.screener(Alphabet::Acgtu);
                agrees(&mut |read, threshold| screener.reaches([[read]], threshold));
            }
        }
        for k in [0, 33] {
            assert!(Screen::<u64>::of_sequences([&b"ACGT"[..]], k, 1).is_err());
        }
        let nothing = Screen::<u64>::of_sequences([], 31, 1).unwrap();
        let any = Threshold {
            least: 1,
            fraction: 0.0,
        };
        assert!(
            !nothing
                .screener(Alphabet::Acgtu)
                .reaches([[&[b'A'; 99][..]]], any)
        );
    }

    /// Of what a count has written, whose minimizers choose where k-mers are looked for.
    #[test]
    fn partitions_of_a_count_decide_alike() {
        use crate::count::Counter;
        use crate::database::thk;
        use crate::options::CountOptions;
        use thalweg_flow::Budget;

        const K: usize = 31;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let genome = letters(5, 9000);
        let options = CountOptions::new(K).unwrap().with_canonical(true);
        let counter = Counter::new(options.with_partitions(64).unwrap(), Budget::new(1)).unwrap();
        let mut worker = counter.worker().unwrap();
        worker.add(&genome).unwrap();
        let rule = thk::Partitioning::minimizers(64, K);
        let writer = thk::Writer::<u64>::create(&path, &Description::new(K, true), rule).unwrap();
        counter
            .finish(vec![worker.into_share().unwrap()], &writer)
            .unwrap();
        writer.finish().unwrap();
        let database = open(&path).unwrap();
        let loaded = database.load::<u64>(2).unwrap();
        assert!(loaded.rule.is_some());
        let mut lookup = loaded.lookup();
        let screen = Screen::<u64>::open(&database, 1..=u64::MAX, 2).unwrap();
        assert!(matches!(screen.kmers, All::Sorted(_)));
        let mut screener = screen.screener(Alphabet::Acgtu);
        let screen = Screen::new(loaded, 1..=u64::MAX, 2).unwrap();
        let mut by_table = screen.screener(Alphabet::Acgtu);
        let mut reached = 0;
        let foreign = letters(6, 9000);
        for (number, read) in genome.chunks(150).chain(foreign.chunks(150)).enumerate() {
            let mut read = read.to_vec();
            let middle = number % read.len();
            read[middle] = b"ACGT"[number % 4];
            let (found, all) = slowly(&mut lookup, &[&read], &(1..=u64::MAX));
            let threshold = Threshold {
                least: 1,
                fraction: 0.9,
            };
            let expected = threshold.is_reached(found, all);
            assert_eq!(screener.reaches([[&*read]], threshold), expected);
            assert_eq!(by_table.reaches([[&*read]], threshold), expected);
            reached += u64::from(expected);
        }
        assert!((1..60).contains(&reached), "{reached}");
    }
}
