//! Building: from sequences and their taxa to the records and sets of a database.
//!
//! ```text
//! every worker for itself:  (node, letters) ─► super-k-mers, by partition, in memory or a temporary file           (cut)
//! every partition by one:   super-k-mers by leaf ─► k-mer: set of leaves ─► records, sorted    (load, colour, emit)
//! then:                     sets by falling number of k-mers: their numbers                           (renumber)
//! records in order, with these ─► a database
//! ```
//! A partition is a range of minimizers' values. Equal k-mers have equal minimizers, so all that is known of a k-mer is in one
//! partition, and nothing but sets is shared between threads. A k-mer that has its minimizer at several places is stored for
//! each of them, so that a look-up that knows one of these finds it.
//!
//! What comes out depends on the sequences, their nodes and the [`BuildOptions`], and on nothing else: not on the number of
//! threads, the memory, the number of partitions, nor the order in which sequences come. A sequence must come whole.
//!
//! # Constants
//!
//! | what | value | why |
//! |---|---|---|
//! | m | 15; 17 above 5e8 k-mers, 19 above 8e9; less than k | few k-mers of a minimizer |
//! | partitions | 64 to 4096 of up to 200,000 bases; 16,384 at most; fewer if memory is short | a partition's tables fit the second-level cache |
//! | super-k-mer, stored | about 15 bytes of 10 k-mers | two bits a base, a byte for up to 256 leaves, its minimizer's place |
//! | memory | a quarter for stages and first chunks, half for further chunks, a quarter for what comes after | chunks spill, partitions are done in parts |
//! | strains told | up to 16 of a species | sets of many strains are almost as many as k-mers |
//!
//! # Example
//!
//! ```
//! # use std::path::Path;
//! use thalweg_flow::{Budget, run};
//! use thalweg_taxa::{Error, Taxid, build::{BuildOptions, DatabaseBuilder}, taxonomy::Taxdump};
//!
//! # let nodes = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tspecies\t|\n3\t|\t1\t|\tspecies\t|\n";
//! # let mut dump = Taxdump::new();
//! # dump.read_nodes(nodes.as_bytes(), Path::new("nodes.dmp"))?;
//! # dump.read_names("2\t|\tA b\t|\t\t|\tscientific name\t|\n".as_bytes(), Path::new("names.dmp"))?;
//! # let taxonomy = dump.finish()?;
//! let genomes = [
//!     (Taxid(2), &b"ACGGTCATGCGTTAGCATTGACCAGTTACAGGATTTC"[..]),
//!     (Taxid(3), &b"TTACGGTCATGCGTTAGCATTGACCAGTTACACCAAA"[..]),
//! ];
//! let builder = DatabaseBuilder::new(BuildOptions::new(31)?, Budget::new(2))?;
//! let shares = run::<_, Error, _>(2, |thread, _stop| {
//!     let mut worker = builder.worker()?;
//!     let (taxid, sequence) = genomes[thread];
//!     worker.add(taxonomy.node(taxid).expect("it is there"), sequence)?;
//!     worker.into_share()
//! }).expect("no thread fails");
//! let built = builder.finish(shares, &taxonomy)?;
//! // 7 k-mers of each, of which "ACGGTCATGCGTTAGCATTGACCAGTTACA" and no longer stretch is of both.
//! assert_eq!(built.totals().kmers, 14);
//! assert_eq!(built.sets().len(), 2);
//! built.visit_entries(|entries| {
//!     assert!(entries.is_sorted());
//!     Ok(())
//! })?;
//! # Ok::<(), Error>(())
//! ```

mod bases;
mod colour;
mod cut;
mod emit;
mod entries;
mod estimate;
mod leaves;
mod load;
mod merge;
mod numbers;
mod options;
mod oriented;
mod partition;
mod parts;
mod renumber;
mod sets;
mod statistics;
mod write;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use thalweg_flow::{Budget, Claims, Failure, run};
use thalweg_superkmers::{
    Kernel, Scheme,
    partition::{Ledger, SealedStore, Store},
    spill::Spill,
};

pub use cut::{BuildShare, BuildWorker};
pub use estimate::BuildEstimate;
pub use options::{BuildOptions, MOST_STRAINS, Strains};
pub use parts::{merge_parts, merge_parts_unless};
pub use renumber::Folded;
pub use statistics::NodeKmers;

use crate::database::{Making, TaxonDatabase};
use crate::record::{Entry, RecordLayout};
use crate::set::{LeafSet, Species};
use crate::{Error, ErrorKind, GoOn, Node, Result, Taxonomy};
use bases::Base;
use entries::{EntryFile, Place};
use leaves::Leaves;
use merge::Before;
use options::Plan;
use partition::{Common, PartitionBuilder};
use renumber::{Renumbered, renumber};
use sets::{Sets, Shard};

/// Bits of a set's number, for the sake of which no detail is dropped: records have room for as many, and mostly more.
const USUAL_ID_BITS: u32 = 16;

/// A build in the making: gives out [`BuildWorker`]s and takes their [`BuildShare`]s back.
#[derive(Debug)]
pub struct DatabaseBuilder {
    options: BuildOptions,
    plan: Plan,
    kernel: Kernel,
    ledger: Arc<Ledger>,
    leaves: Arc<Leaves>,
    workers: AtomicUsize,
}

/// All that a database is made of.
#[derive(Debug)]
pub struct Built {
    taxonomy: Taxonomy,
    species: Species,
    layout: RecordLayout,
    totals: BuildTotals,
    kmers_of_nodes: Vec<NodeKmers>,
    renumbered: Renumbered,
    files: Vec<EntryFile>,
    /// In order by partition, with the number of the file.
    places: Vec<(usize, Place)>,
    making: Making,
    part: Option<(u32, u32)>,
    before: Before,
}

/// What was taken, and what it became.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildTotals {
    /// Sequences.
    pub sequences: u64,
    /// Letters of them, whatever they are.
    pub bases: u64,
    /// Those among them that were left out, as they are of low complexity.
    pub masked: u64,
    /// Super-k-mers that were cut: of a k-mer with several minimizers, several.
    pub super_kmers: u64,
    /// Bytes of super-k-mers that went to temporary files.
    pub spilled_bytes: u64,
    /// Different canonical k-mers.
    pub kmers: u64,
    /// The same at each place of their minimizers.
    pub kmers_by_minimizer: u64,
    /// Records.
    pub entries: u64,
}

impl DatabaseBuilder {
    /// Plans a build; allocates nothing yet.
    ///
    /// `budget.memory()` bounds all large buffers of all workers together and of what [`finish`](Self::finish) does, and
    /// `budget.threads()` is the number of workers that can be had.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`] if that is less than 4 MiB per thread, or too little for a number of partitions that was asked
    /// for; [`ErrorKind::BadOption`] for instructions that this processor does not have.
    pub fn new(options: BuildOptions, budget: Budget) -> Result<Self> {
        let plan = Plan::new(&options, &budget)?;
        let kernel = Kernel::choose(options.kernel()).ok_or_else(|| {
            let names = Vec::from_iter(Kernel::names());
            bad(format!("this processor runs {}", names.join(", ")))
        })?;
        Ok(Self {
            kernel,
            ledger: Arc::new(Ledger::new(plan.chunk_memory)),
            leaves: Arc::default(),
            workers: AtomicUsize::new(0),
            plan,
            options,
        })
    }

    /// A worker for one thread.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadOption`] if as many as the budget has threads have been given out.
    pub fn worker(&self) -> Result<BuildWorker> {
        let (plan, shape) = (self.plan, self.plan.shape);
        // A count of those given out, tied to no other memory.
        if self.workers.fetch_add(1, Ordering::Relaxed) >= plan.threads {
            let threads = plan.threads;
            return Err(bad(format!(
                "more workers than the {threads} threads of the budget"
            )));
        }
        let spill = Spill::new(self.options.temporary_directory(), shape.partitions);
        let store = Store::new(shape, Arc::clone(&self.ledger), spill);
        let leaves = Arc::clone(&self.leaves);
        Ok(BuildWorker::new(
            plan,
            self.options.masking(),
            self.kernel,
            leaves,
            store,
        ))
    }

    /// Lengths of k-mers and minimizers.
    pub fn scheme(&self) -> Scheme {
        self.plan.scheme
    }

    /// What is built.
    pub fn options(&self) -> &BuildOptions {
        &self.options
    }

    /// Name of the instructions used: for a log.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Makes records and sets of what all workers have taken, on the budget's threads. `taxonomy` is that of the nodes that
    /// they were given.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Temporary`]; [`ErrorKind::Memory`] and [`ErrorKind::MemoryOfSets`] if a single minimizer's k-mers or all
    /// sets do not fit; [`ErrorKind::TooManySets`] if there are more than records have room for.
    ///
    /// # Panics
    ///
    /// If a node is none of this taxonomy.
    pub fn finish(&self, shares: Vec<BuildShare>, taxonomy: &Taxonomy) -> Result<Built> {
        self.finish_onto(&[], shares, taxonomy)
    }

    /// The same, of all that these databases have, too: as if the sequences that they were built of had been given to workers.
    ///
    /// The options are to be those of [`BuildOptions::of_databases`], and `taxonomy` is to have all taxa of theirs, as
    /// [`Taxonomy::union`] does. Where a database does not tell which leaves of a species a k-mer is in, nor does the new one.
    /// Records may be others than one build of all sequences makes, but have the same k-mers.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); [`ErrorKind::NotMergeable`] if a database does not go with the options or the taxonomy;
    /// damage of one.
    pub fn finish_onto(
        &self,
        databases: &[TaxonDatabase],
        shares: Vec<BuildShare>,
        taxonomy: &Taxonomy,
    ) -> Result<Built> {
        self.finish_onto_unless(databases, shares, taxonomy, &|| Ok(()))
    }

    /// The same, as long as `go_on` says so.
    ///
    /// # Errors
    ///
    /// As [`finish_onto`](Self::finish_onto), and those of `go_on`.
    pub fn finish_onto_unless(
        &self,
        databases: &[TaxonDatabase],
        shares: Vec<BuildShare>,
        taxonomy: &Taxonomy,
        go_on: &GoOn<'_>,
    ) -> Result<Built> {
        let (scheme, threads) = (self.plan.scheme, self.plan.threads);
        merge::check(&self.options, scheme, databases, threads, go_on)?;
        let mut totals = BuildTotals::default();
        let mut stores = Vec::with_capacity(shares.len());
        for BuildShare { store, totals: of } in shares {
            totals.sequences += of.sequences;
            totals.bases += of.bases;
            totals.masked += of.masked;
            totals.super_kmers += of.records;
            totals.spilled_bytes += store.spilled();
            stores.push(store);
        }
        let given = self.leaves.in_order();
        let mut nodes = given.nodes.clone();
        for database in databases {
            nodes.extend(merge::leaves_in(database, taxonomy)?);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let place =
            |&place: &u32| nodes.partition_point(|node| *node < given.nodes[place as usize]);
        let leaves = Vec::from_iter(given.places.iter().map(|of| place(of) as u32));
        let (taxonomy, leaf_nodes) = restricted(taxonomy, &nodes);
        let species = Species::new(&taxonomy, leaf_nodes);
        let base = |database| Base::new(database, &taxonomy, &species);
        let bases = databases.iter().map(base).collect::<Result<Vec<_>>>()?;

        let left = self.memory_left(&stores);
        let sets = Sets::new(left / 4);
        let common = Common {
            plan: &self.plan,
            stores: &stores,
            leaves: &leaves,
            bases: &bases,
            species: &species,
            taxonomy: &taxonomy,
            strains: self.options.strains(),
            sets: &sets,
            memory: left / 4 * 3 / self.plan.threads as u64,
        };
        let made = self.build_partitions(&common, go_on)?;
        drop(stores);
        (databases.iter()).try_for_each(TaxonDatabase::check_unchanged)?;

        let mut kmers_of_nodes = vec![NodeKmers::default(); taxonomy.len()];
        let (mut files, mut places) = (Vec::new(), Vec::new());
        let mut records = 0;
        for (made, of_nodes) in made {
            for (sum, more) in kmers_of_nodes.iter_mut().zip(of_nodes) {
                *sum += more;
            }
            totals.kmers += made.kmers;
            totals.kmers_by_minimizer += made.kmers_by_minimizer;
            totals.entries += made.entries;
            records += made.records;
            let number = files.len();
            places.extend(made.places.into_iter().map(|place| (number, place)));
            files.push(made.file);
        }
        let before = merge::before(&bases, &taxonomy)?;
        drop(bases);
        // Those of one partition are in one file, and in order already.
        places.sort_by_key(|(_, place)| place.partition);
        // What is folded for the sake of the numbers, all parts together tell.
        let strains = match self.options.part() {
            Some(_) => Strains::All,
            None => self.options.strains(),
        };
        let (layout, renumbered) =
            number_sets(&sets.into_shards(), self.plan.scheme, strains, records)?;
        Ok(Built {
            taxonomy,
            species,
            layout,
            totals,
            kmers_of_nodes,
            renumbered,
            files,
            places,
            making: Making {
                is_masked: self.options.masking(),
                tells_all_strains: self.options.strains() == Strains::All,
                part: None,
            },
            part: self.options.part(),
            before,
        })
    }

    fn build_partitions(
        &self,
        common: &Common<'_>,
        go_on: &GoOn<'_>,
    ) -> Result<Vec<(partition::Made, Vec<NodeKmers>)>> {
        let order = self.order(common.stores);
        let claims = Claims::new(order.len() as u64);
        run(self.plan.threads, |_, stop| {
            let file = EntryFile::new(self.options.temporary_directory());
            let mut builder = PartitionBuilder::new(common, file);
            while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
                go_on()?;
                builder.build(order[next as usize])?;
            }
            Ok(builder.finish())
        })
        .map_err(of_threads)
    }

    /// What there is beside the stores.
    fn memory_left(&self, stores: &[SealedStore]) -> u64 {
        let used: u64 = stores.iter().map(SealedStore::memory).sum();
        self.plan.memory.saturating_sub(used)
    }

    /// The partitions, those with most super-k-mers first: the last claims are small ones.
    fn order(&self, stores: &[SealedStore]) -> Vec<usize> {
        let words =
            |&partition: &usize| -> u64 { stores.iter().map(|store| store.words(partition)).sum() };
        let mut order = Vec::from_iter(0..self.plan.shape.partitions);
        order.sort_by_cached_key(|partition| std::cmp::Reverse(words(partition)));
        order
    }
}

/// Whether any of the sets does not tell all of its leaves.
fn is_folded(sets: &[LeafSet], species: &Species) -> bool {
    let is_told = |number| species.leaves_of(number).len() == 1;
    (sets.iter().flat_map(|set| set.details()))
        .any(|(number, detail)| detail.places().is_none() && !is_told(number))
}

impl Built {
    /// The nodes that sequences were given to, and those above them.
    pub fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    /// The leaves, which are the nodes that sequences were given to, and their species.
    pub fn species(&self) -> &Species {
        &self.species
    }

    /// The layout of records that has room for the numbers of all sets.
    pub fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// What was taken, and what it became.
    pub fn totals(&self) -> BuildTotals {
        self.totals
    }

    /// The sets, of which the first has the number 1: by falling number of k-mers, then by their bytes.
    pub fn sets(&self) -> &[LeafSet] {
        &self.renumbered.sets
    }

    /// Canonical k-mers of each set.
    pub fn kmers_of_sets(&self) -> &[u64] {
        &self.renumbered.kmers
    }

    /// What was left out so that the numbers of sets fit. Species of which more than [`MOST_STRAINS`] strains have a k-mer do
    /// not count here.
    pub fn folded(&self) -> Folded {
        self.renumbered.folded
    }

    /// k-mers of each node of [`Self::taxonomy`].
    pub fn kmers_of_nodes(&self) -> &[NodeKmers] {
        &self.kmers_of_nodes
    }

    /// Bytes of records in temporary files.
    pub fn temporary_bytes(&self) -> u64 {
        self.files.iter().map(EntryFile::bytes).sum()
    }

    /// Shows all records, some thousands at a time, in their order: as a [`TaxonDatabaseWriter`](crate::database::TaxonDatabaseWriter) takes them.
    ///
    /// # Errors
    ///
    /// Those of the temporary files, and those of `see`.
    pub fn visit_entries(&self, mut see: impl FnMut(&[Entry]) -> Result<()>) -> Result<()> {
        for &(file, place) in &self.places {
            self.files[file].visit(place, |entries| {
                for entry in entries.iter_mut() {
                    let (shard, number) = sets::split(entry.set);
                    entry.set = self.renumbered.numbers[shard][number];
                }
                see(entries)
            })?;
        }
        Ok(())
    }
}

/// The layout of so many records, and sets with numbers for which it has room.
fn number_sets(
    shards: &[Shard],
    scheme: Scheme,
    strains: Strains,
    records: u64,
) -> Result<(RecordLayout, Renumbered)> {
    let sets: usize = shards.iter().map(|shard| shard.sets().count()).sum();
    let needed = usize::BITS - sets.leading_zeros();
    let mut id_bits = match strains {
        Strains::Folded => needed.clamp(1, USUAL_ID_BITS),
        Strains::All => needed.max(1),
    };
    loop {
        let directory_bits = RecordLayout::directory_bits_for(scheme, id_bits, records);
        let layout = RecordLayout::new(scheme, directory_bits, id_bits).map_err(bad)?;
        if let Some(renumbered) = renumber(shards, layout.max_id().into()) {
            return Ok((layout, renumbered));
        }
        id_bits = layout.id_bits() + 1;
        if id_bits > 32 {
            let limit = layout.max_id() as usize;
            return Err(Error::new(ErrorKind::TooManySets { limit }));
        }
    }
}

/// The taxonomy of these nodes and those above, and their numbers in it.
fn restricted(taxonomy: &Taxonomy, nodes: &[Node]) -> (Taxonomy, Vec<Node>) {
    let restricted = taxonomy.restricted_to(nodes.iter().copied());
    // What has a node in the one has it in the other; the order is the same.
    let new = |&node: &Node| restricted.node(taxonomy.taxid(node));
    let nodes = nodes.iter().filter_map(new).collect();
    (restricted, nodes)
}

fn bad(reason: String) -> Error {
    Error::new(ErrorKind::BadOption(reason))
}

/// Why threads did not do their work.
fn of_threads(failure: Failure<Error>) -> Error {
    match failure {
        Failure::Failed(error) => error,
        Failure::Panicked(message) => Error::new(ErrorKind::Panicked(message)),
        Failure::NoThread(reason) => Error::new(ErrorKind::NoThread(reason)),
    }
}
