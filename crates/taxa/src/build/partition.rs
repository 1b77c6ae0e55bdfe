//! One partition at a time: from stored super-k-mers to sorted records.
//!
//! ```text
//! load: the super-k-mers of all stores, sorted by leaf, each once                                    (load)
//! colour: k-mer -> set of leaves                                                                   (colour)
//! sets that k-mers have: folded, each to the sets of all partitions                                  (sets)
//! emit: records, sorted, to this thread's temporary file                                    (emit, entries)
//! ```
//! A partition that does not fit is done in parts, of ranges of the minimizers' values. What becomes of a minimizer's k-mers
//! depends on no other one, so neither partitions nor parts show in what comes out.

use thalweg_superkmers::partition::SealedStore;

use super::{
    bases::Base,
    colour::{self, Colours, KmersOfSets},
    emit::emit,
    entries::{EntryFile, Place},
    load::{Loader, Part},
    options::{Plan, Strains},
    oriented::Oriented,
    sets::Sets,
    statistics::{self, NodeKmers, Statistics},
};
use crate::database::records_of;
use crate::record::Entry;
use crate::set::{LeafSet, Species};
use crate::{Node, Result, Taxonomy};

/// What all threads work with.
#[derive(Debug)]
pub(super) struct Common<'a> {
    pub(super) plan: &'a Plan,
    pub(super) stores: &'a [SealedStore],
    /// By number of a leaf in records: its place in depth-first order.
    pub(super) leaves: &'a [u32],
    /// Databases that the build begins with.
    pub(super) bases: &'a [Base<'a>],
    pub(super) species: &'a Species,
    pub(super) taxonomy: &'a Taxonomy,
    pub(super) strains: Strains,
    pub(super) sets: &'a Sets,
    /// Bytes that one thread may take.
    pub(super) memory: u64,
}

/// Bytes for each k-mer of a super-k-mer at most: of the super-k-mer, of colouring, of the k-mers of its set, the set's
/// number among all, and a record.
const BYTES_OF_KMER: u64 = size_of::<Oriented>() as u64
    + colour::BYTES_OF_KMER
    + colour::BYTES_OF_KMER_OF_SET
    + size_of::<u32>() as u64
    + size_of::<Entry>() as u64;

/// One thread's part of the second stage.
#[derive(Debug)]
pub(super) struct PartitionBuilder<'a> {
    common: &'a Common<'a>,
    loader: Loader<'a>,
    super_kmers: Vec<Oriented>,
    colours: Colours,
    kmers_of_sets: KmersOfSets,
    /// Of the set at hand.
    by_gc: Vec<(u8, u64)>,
    numbers: Vec<u32>,
    leaves: Vec<u32>,
    /// Species of which leaves are not told.
    folded: Vec<u32>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    statistics: Statistics<'a>,
    made: Made,
}

/// What one thread has made of its partitions.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) file: EntryFile,
    pub(super) places: Vec<Place>,
    /// Canonical k-mers.
    pub(super) kmers: u64,
    /// k-mers by the places beside their minimizers.
    pub(super) kmers_by_minimizer: u64,
    pub(super) entries: u64,
    /// Records that the database will have for them.
    pub(super) records: u64,
}

impl<'a> PartitionBuilder<'a> {
    pub(super) fn new(common: &'a Common<'a>, file: EntryFile) -> Self {
        let of_nodes = statistics::BYTES_OF_NODE * common.taxonomy.len() as u64;
        let most_kmers = common.memory.saturating_sub(of_nodes) / BYTES_OF_KMER;
        let Common {
            plan,
            stores,
            leaves,
            bases,
            ..
        } = *common;
        let loader = Loader::new(plan, stores, leaves, bases, most_kmers);
        Self {
            common,
            loader,
            super_kmers: Vec::new(),
            colours: Colours::default(),
            kmers_of_sets: KmersOfSets::default(),
            by_gc: Vec::new(),
            numbers: Vec::new(),
            leaves: Vec::new(),
            folded: Vec::new(),
            nodes: Vec::new(),
            entries: Vec::new(),
            statistics: Statistics::new(common.taxonomy),
            made: Made {
                file,
                places: Vec::new(),
                kmers: 0,
                kmers_by_minimizer: 0,
                entries: 0,
                records: 0,
            },
        }
    }

    /// Makes the records of a partition.
    pub(super) fn build(&mut self, partition: usize) -> Result<()> {
        for part in self.loader.parts(partition)? {
            self.build_part(partition, &part)?;
        }
        Ok(())
    }

    fn build_part(&mut self, partition: usize, part: &Part) -> Result<()> {
        let scheme = &self.common.plan.scheme;
        let kmers = (self.loader).load(partition, part, &mut self.super_kmers)?;
        if kmers == 0 {
            return Ok(());
        }
        self.colours.colour(&self.super_kmers, scheme.k(), kmers);
        self.add_sets()?;
        self.colours.renumber(&self.numbers);
        self.entries.clear();
        self.made.kmers_by_minimizer += emit(
            &mut self.colours,
            &self.super_kmers,
            scheme,
            &mut self.entries,
        );
        let place = self.made.file.append(partition, &self.entries)?;
        self.made.places.push(place);
        self.made.entries += self.entries.len() as u64;
        let of_minimizers = (self.entries).chunk_by(|one, next| one.value == next.value);
        let records = of_minimizers.map(|entries| records_of(entries.len()) as u64);
        self.made.records += records.sum::<u64>();
        Ok(())
    }

    /// Adds the sets that k-mers have to those of all partitions, which number them.
    fn add_sets(&mut self) -> Result<()> {
        let Common { species, sets, .. } = *self.common;
        let (k, most_strains) = (self.common.plan.scheme.k(), self.common.strains.most());
        self.colours.kmers_of_sets(k, &mut self.kmers_of_sets);
        self.numbers.clear();
        for set in 0..self.kmers_of_sets.sets() {
            self.kmers_of_sets.by_gc(set, &mut self.by_gc);
            if self.by_gc.is_empty() {
                self.numbers.push(0);
                continue;
            }
            let kmers = self.by_gc.iter().map(|(_, kmers)| kmers).sum();
            self.colours.leaves(set as u32, &mut self.leaves);
            self.resolve();
            let set = LeafSet::of_members(&self.leaves, &self.folded, species, most_strains);
            self.numbers.push(sets.add(set.to_bytes(), kmers)?);
            self.made.kmers += kmers;
            self.nodes.clear();
            let leaves = self.leaves.iter();
            (self.nodes).extend(leaves.map(|&leaf| species.leaf_nodes()[leaf as usize]));
            if !self.folded.is_empty() {
                let folded = self.folded.iter();
                (self.nodes).extend(folded.map(|&of| species.node(of)));
                self.nodes.sort_unstable();
            }
            (self.statistics).add(self.nodes.iter().copied(), &self.by_gc);
        }
        Ok(())
    }

    /// Leaves in the place of what [`Loader::load`] gave for them, and of sets of bases.
    fn resolve(&mut self) {
        self.folded.clear();
        let sets = self.loader.sets();
        if sets.is_empty() {
            return;
        }
        let members = std::mem::take(&mut self.leaves);
        for &member in &members {
            match sets.get(member as usize) {
                Some(&(base, set)) => (self.common.bases[base as usize]).members(
                    set,
                    &mut self.leaves,
                    &mut self.folded,
                ),
                None => self.leaves.push(member - sets.len() as u32),
            }
        }
        self.leaves.sort_unstable();
        self.leaves.dedup();
        self.folded.sort_unstable();
        self.folded.dedup();
    }

    pub(super) fn finish(self) -> (Made, Vec<NodeKmers>) {
        (self.made, self.statistics.finish())
    }
}
