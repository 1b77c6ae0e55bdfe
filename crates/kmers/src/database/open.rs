//! Opens a database of any format.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::input::require_regular;
use super::records::{KmerRecords, RecordSource, SharedWatch, Watch};
use super::{
    DatabaseFormat, Header, Loaded, Lookup, Order, SortOptions, Sorter, jellyfish, kmc, set, text,
    thk, wrong_kind,
};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Totals of a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Number of distinct k-mers.
    pub distinct: u64,
    /// Sum of all counts.
    pub total: u128,
    /// Number of k-mers with the count 1.
    pub unique: u64,
    /// The largest count; 0 if there is no k-mer.
    pub max_count: u64,
}

impl Totals {
    /// Adds one k-mer with this count.
    #[inline]
    pub fn add(&mut self, count: u64) {
        self.distinct += 1;
        self.total += u128::from(count);
        self.unique += u64::from(count == 1);
        self.max_count = self.max_count.max(count);
    }

    /// Adds other k-mers.
    pub fn merge(&mut self, other: &Totals) {
        self.distinct += other.distinct;
        self.total += other.total;
        self.unique += other.unique;
        self.max_count = self.max_count.max(other.max_count);
    }
}

/// Opens a database; what it is, is found by its content.
///
/// KMC's databases of two files may be named by either, or by the common part of their names; a [set](super::set) by its directory.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is nothing known, [`Error::Damaged`], [`Error::Io`].
pub fn open(path: impl AsRef<Path>) -> Result<Database> {
    let path = path.as_ref();
    if set::is_set(path) {
        let reader = Reader::Thk(set::Manifest::read(path)?.open_shards(path)?);
        return Ok(Database {
            path: path.to_path_buf(),
            reader,
        });
    }
    let reader = match sniff(path)? {
        DatabaseFormat::Thk => Reader::Thk(thk::Reader::open(path)?),
        DatabaseFormat::Jellyfish | DatabaseFormat::JellyfishText => {
            Reader::Jellyfish(jellyfish::Reader::open(path)?)
        }
        DatabaseFormat::Kmc | DatabaseFormat::Kmc2 => Reader::Kmc(kmc::Reader::open(path)?),
        format @ (DatabaseFormat::Tsv | DatabaseFormat::Fasta) => {
            Reader::Text(text::Reader::open(path, format)?)
        }
    };
    Ok(Database {
        path: path.to_path_buf(),
        reader,
    })
}

/// The files that [`open`] reads for `path`: both of KMC's, those of a set, or the one of that name.
pub fn files_of(path: impl AsRef<Path>) -> Vec<PathBuf> {
    let path = path.as_ref();
    if set::is_set(path)
        && let Ok(manifest) = set::Manifest::read(path)
    {
        return manifest.files(path);
    }
    let (prefixes, suffixes) = kmc::names(path);
    if path == prefixes || path == suffixes || !path.exists() && prefixes.exists() {
        return vec![prefixes, suffixes];
    }
    vec![path.to_path_buf()]
}

/// The files that a database of this name and format is written to.
pub fn files_written(path: impl AsRef<Path>, format: DatabaseFormat) -> Vec<PathBuf> {
    let path = path.as_ref();
    match format {
        DatabaseFormat::Kmc | DatabaseFormat::Kmc2 => {
            let (prefixes, suffixes) = kmc::names(path);
            vec![prefixes, suffixes]
        }
        _ => vec![path.to_path_buf()],
    }
}

/// So many bytes tell what a file is: longer lines than any that is read are seen to their ends.
const START: u64 = 1 << 16;

/// Tells the formats apart, as far as the first bytes do.
fn sniff(path: &Path) -> Result<DatabaseFormat> {
    let (prefixes, suffixes) = kmc::names(path);
    if !path.exists() && (prefixes.exists() || suffixes.exists()) {
        return Ok(DatabaseFormat::Kmc);
    }
    let mut start = Vec::new();
    let file = std::fs::File::open(path).map_err(|source| match path.to_str() {
        // The standard input, elsewhere.
        Some("-") => Error::NotRegular {
            path: path.to_path_buf(),
        },
        _ => Error::io(path, source),
    })?;
    let wrong = |kind: wrong_kind::Kind| Error::WrongKind {
        path: path.to_path_buf(),
        kind: kind.name,
        way_out: kind.way_out,
    };
    if let Some(kind) = wrong_kind::of_directory(path) {
        return Err(wrong(kind));
    }
    require_regular(&file, path)?;
    let size = (file.metadata())
        .map_err(|source| Error::io(path, source))?
        .len();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, START), &mut start)
        .map_err(|source| Error::io(path, source))?;
    let unknown = |reason: &str| {
        Err(Error::UnknownFormat {
            path: path.to_path_buf(),
            reason: reason.to_owned(),
        })
    };
    if start.is_empty() {
        return unknown("it is empty (text without a k-mer does not say what k is)");
    }
    if start.starts_with(&thk::MAGIC) {
        return Ok(DatabaseFormat::Thk);
    }
    if start.starts_with(kmc::PREFIX_MAGIC) || start.starts_with(kmc::SUFFIX_MAGIC) {
        return Ok(DatabaseFormat::Kmc);
    }
    if jellyfish::sniff(&start) {
        return Ok(DatabaseFormat::Jellyfish);
    }
    if let Some(kind) = wrong_kind::of(&start, size) {
        return Err(wrong(kind));
    }
    if let Some(format) = text::sniff(&start) {
        text::check_k(path, format, &start)?;
        return Ok(format);
    }
    unknown("neither thk, Jellyfish, KMC, lines of k-mer and count, nor FASTA with counts as names")
}

/// An open database.
#[derive(Clone, Debug)]
pub struct Database {
    path: PathBuf,
    reader: Reader,
}

#[derive(Clone, Debug)]
enum Reader {
    Thk(thk::Reader),
    Jellyfish(jellyfish::Reader),
    Kmc(kmc::Reader),
    Text(text::Reader),
}

impl Database {
    /// What the database says about itself.
    pub fn header(&self) -> &Header {
        match &self.reader {
            Reader::Thk(reader) => reader.header(),
            Reader::Jellyfish(reader) => reader.header(),
            Reader::Kmc(reader) => reader.header(),
            Reader::Text(reader) => reader.header(),
        }
    }

    /// The name it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The totals, where the file has them, so that nothing needs to be read: `.thk`, and Jellyfish's if
    /// [`DatabaseWriter`](super::DatabaseWriter) wrote them.
    pub fn stored_totals(&self) -> Option<Totals> {
        match &self.reader {
            Reader::Thk(reader) => Some(reader.totals()),
            Reader::Jellyfish(reader) => reader.totals(),
            Reader::Kmc(_) | Reader::Text(_) => None,
        }
    }

    /// That of the header of a file of ours; 0 of any other, and of a set.
    pub(super) fn checksum(&self) -> u32 {
        match &self.reader {
            Reader::Thk(reader) => reader.identity().1,
            _ => 0,
        }
    }

    /// Whether the file says how many k-mers it has. If not (text, and what Jellyfish wrote), one that was cut
    /// between two records looks like a whole one, also to [`Database::verify`].
    pub fn tells_its_end(&self) -> bool {
        matches!(self.reader, Reader::Kmc(_)) || self.stored_totals().is_some()
    }

    /// The records in the order of the file; [`Header::order`] says which.
    ///
    /// # Errors
    /// [`Error::BadK`] if `K` is too narrow, [`Error::Damaged`], [`Error::Io`]; later ones come from the stream.
    pub fn records<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        match &self.reader {
            Reader::Thk(reader) => reader.records(),
            Reader::Jellyfish(reader) => self.of_one_strand(reader.records()?),
            Reader::Kmc(reader) => self.of_one_strand(reader.records()?),
            Reader::Text(reader) => reader.records(),
        }
    }

    /// The records of a file without checksums; if it says that it is canonical, that is checked.
    fn of_one_strand<K: Kmer>(&self, records: KmerRecords<K>) -> Result<KmerRecords<K>> {
        if self.header().canonical != Some(true) {
            return Ok(records);
        }
        Ok(KmerRecords::new(OneStrand {
            records,
            database: self.clone(),
        }))
    }

    /// Says that k-mer `kmer` should not be in a canonical database.
    pub(super) fn of_the_other_strand<K: Kmer>(&self, kmer: K) -> Error {
        let header = self.header();
        Error::Damaged {
            path: self.path.clone(),
            format: header.format.name(),
            reason: format!(
                "it says that it is canonical, but has {}",
                kmer.to_text(header.k)
            ),
        }
    }

    /// The records, k-mers ascending.
    ///
    /// What is sorted is read as it is, and an error if it is not. The partitions of a `.thk` file are
    /// merged while they are read. Everything else goes through a [`Sorter`], where the
    /// counts of a k-mer that occurs twice are added up.
    ///
    /// # Errors
    /// As [`Database::records`], and [`Error::Temporary`] for the file of the sort.
    pub fn sorted<K: Kmer>(&self, options: &SortOptions) -> Result<KmerRecords<K>> {
        self.sorted_unless(options, &|_| Ok(()))
    }

    /// The same, unless `watch` has something against it while they are sorted.
    ///
    /// # Errors
    /// As [`Database::sorted`], and those of `watch`.
    pub fn sorted_unless<K: Kmer>(
        &self,
        options: &SortOptions,
        watch: Watch<'_>,
    ) -> Result<KmerRecords<K>> {
        match (&self.reader, self.header().order) {
            (_, Order::Sorted) => Ok(KmerRecords::new(Ascending {
                records: self.records()?,
                last: None,
                path: self.path.clone(),
                format: self.header().format,
            })),
            (Reader::Thk(reader), _) => reader.sorted(),
            _ => {
                let mut sorter = Sorter::new(self.header().k, options);
                let push = |kmer, count| sorter.push(kmer, count).map(ControlFlow::Continue);
                let _ = self.records()?.each(watch, push)?;
                sorter.finish()
            }
        }
    }

    /// Whether [`Database::sorted`] has a [`Sorter`] for it, and its memory.
    pub(crate) fn needs_sorting(&self) -> bool {
        self.header().order != Order::Sorted && !matches!(self.reader, Reader::Thk(_))
    }

    /// How many partitions the file has, if k-mers belong to them as [`Counter`](crate::count::Counter) has it: those of
    /// files that `thalweg count` wrote, and their combinations.
    pub(crate) fn counted_partitions(&self) -> Option<usize> {
        match &self.reader {
            Reader::Thk(reader) => reader.counted_partitions(),
            _ => None,
        }
    }

    /// Its partitions, if it is a `.thk` file.
    ///
    /// # Errors
    /// As [`Database::records`].
    pub(crate) fn partitions<K: Kmer>(&self) -> Result<Option<thk::Partitions<K>>> {
        match &self.reader {
            Reader::Thk(reader) => reader.partitions().map(Some),
            _ => Ok(None),
        }
    }

    /// Whether single k-mers can be found in the file: not in Jellyfish's text, KMC's version 0x200, TSV, FASTA, nor in
    /// what does not say whether a k-mer stands for both strands.
    pub fn is_searchable(&self) -> bool {
        let header = self.header();
        header.canonical.is_some()
            && matches!(
                header.format,
                DatabaseFormat::Thk | DatabaseFormat::Jellyfish | DatabaseFormat::Kmc
            )
    }

    /// What finds single k-mers.
    ///
    /// What is not [searchable](Database::is_searchable) is [loaded](Database::load), once more for every lookup.
    ///
    /// # Errors
    /// As [`Database::records`].
    pub fn lookup<K: Kmer>(&self) -> Result<Lookup<K>> {
        self.header().check_type::<K>()?;
        if !self.is_searchable() {
            return Ok(self.load(1)?.lookup());
        }
        match &self.reader {
            Reader::Thk(reader) => Ok(Lookup::thk(self.header(), reader.search()?)),
            Reader::Jellyfish(reader) => Ok(Lookup::jellyfish(self.header(), reader.search())),
            Reader::Kmc(reader) => Ok(Lookup::kmc(self.header(), kmc::Search::new(reader))),
            Reader::Text(_) => Ok(self.load(1)?.lookup()),
        }
    }

    /// All of it in memory, for many lookups: in sequences, one is about a hundred times as fast as one in the file.
    ///
    /// Blocks of a `.thk` file are read and filled in by so many threads, all else by one.
    ///
    /// # Errors
    /// As [`Database::records`].
    pub fn load<K: Kmer>(&self, threads: usize) -> Result<Loaded<K>> {
        self.load_unless(threads, &|_| Ok(()))
    }

    /// The same, unless `watch` has something against it.
    ///
    /// # Errors
    /// As [`load`](Self::load), and those of `watch`.
    pub fn load_unless<K: Kmer>(&self, threads: usize, watch: Watch<'_>) -> Result<Loaded<K>> {
        let watch = &SharedWatch::new(watch)?;
        self.header().check_type::<K>()?;
        if let Some(partitions) = self.partitions::<K>()? {
            if let Some((rule, distinct)) = partitions.by_minimizer() {
                let records = |partition| partitions.records(partition, distinct.len());
                let header = self.header();
                let loaded =
                    Loaded::of_partitions(header, rule, threads, &distinct, records, watch);
                if let Some(loaded) = loaded? {
                    return Ok(loaded);
                }
            }
            let parts = partitions.parts();
            let records = |part| partitions.part(part);
            let loaded = Loaded::of_parts(self.header(), threads, parts, records, watch);
            if let Some(loaded) = loaded? {
                return Ok(loaded);
            }
        }
        Loaded::new(self.header(), self.records()?, watch)
    }
}

/// Records of a file that says that it is canonical.
struct OneStrand<K: Kmer> {
    records: KmerRecords<K>,
    database: Database,
}

impl<K: Kmer> RecordSource<K> for OneStrand<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        self.records.fill(batch)?;
        let k = self.database.header().k;
        match batch.iter().find(|(kmer, _)| kmer.canonical(k) != *kmer) {
            Some(&(kmer, _)) => Err(self.database.of_the_other_strand(kmer)),
            None => Ok(()),
        }
    }
}

/// Records of a file that says that it is sorted.
struct Ascending<K: Kmer> {
    records: KmerRecords<K>,
    last: Option<K>,
    path: PathBuf,
    format: DatabaseFormat,
}

impl<K: Kmer> RecordSource<K> for Ascending<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        self.records.fill(batch)?;
        for &(kmer, _) in batch.iter() {
            if self.last >= Some(kmer) {
                return Err(Error::Damaged {
                    path: self.path.clone(),
                    format: self.format.name(),
                    reason: "its k-mers are out of order".into(),
                });
            }
            self.last = Some(kmer);
        }
        Ok(())
    }
}
