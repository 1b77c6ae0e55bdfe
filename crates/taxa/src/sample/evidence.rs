//! k-mers of reads by taxon.

use thalweg_superkmers::Kernel;

use super::{classes::Classes, seen::KmersSeen};
use crate::classify::{Call, Classifier, Hits, Lca, Rule, Stored, Workspace};
use crate::database::TaxonDatabase;
use crate::lookup::Places;
use crate::taxonomy::Taxonomy;

/// What speaks for a taxon. That of a taxon and all below is the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// k-mers of reads that were called to be of this taxon, all with no other letters than bases.
    pub valid: u64,
    /// k-mers of reads that were called, whose lowest taxon with the call's is this one. So of a taxon and all below:
    /// those of its reads that no reference elsewhere has.
    pub specific: u64,
    /// k-mers of all reads whose set has this taxon as its lowest common ancestor, each as often as it is there.
    pub hits: u64,
    /// The same, each once in the whole sample.
    pub distinct: u64,
}

/// One thread's view of a sample.
#[derive(Debug)]
pub struct SampleObserver<'a> {
    /// For the nodes and species of sets; it calls nothing.
    classifier: Classifier<'a, Stored<'a>>,
    workspace: Workspace,
    places: Places<'a>,
    seen: &'a KmersSeen,
    /// k-mers that are on their way: places and sets.
    coming: Vec<(u64, u32)>,
    /// By node.
    evidence: Vec<Evidence>,
    classes: Classes,
}

/// k-mers that are on their way from memory at a time.
const COMING: usize = 128;

/// What was seen of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// By node.
    evidence: Vec<Evidence>,
    pub(super) classes: Classes,
}

impl<'a> SampleObserver<'a> {
    pub(super) fn new(
        database: &'a TaxonDatabase,
        sets: &'a Stored<'a>,
        kernel: Kernel,
        seen: &'a KmersSeen,
    ) -> Self {
        let k = database.header().layout.scheme().k();
        let (taxonomy, species) = (database.taxonomy(), database.species());
        let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
        let rule = Rule::Lca(Lca::new());
        let classifier = Classifier::new(taxonomy, k, nodes, leaves, sets, rule);
        Self {
            workspace: classifier.workspace(),
            classifier,
            places: Places::new(database, kernel),
            seen,
            coming: Vec::with_capacity(COMING),
            evidence: vec![Evidence::default(); database.taxonomy().len()],
            classes: Classes::new(k, database.species().len()),
        }
    }

    /// Adds a read, or both mates of a pair, with its call by any rule.
    pub fn add(&mut self, mates: &[Hits<'_>], call: &Call) {
        let Self {
            classifier,
            workspace,
            evidence,
            seen,
            coming,
            ..
        } = self;
        let taxonomy = classifier.taxonomy();
        for run in mates.iter().flat_map(|mate| mate.runs) {
            if run.set == 0 {
                continue;
            }
            let kmers = u64::from(run.kmers);
            let node = classifier.node_of_set(workspace, run.set);
            evidence[node.0 as usize].hits += kmers;
            if let Some(called) = call.node {
                let above = taxonomy.lca(called, node);
                evidence[above.0 as usize].specific += kmers;
            }
        }
        let mut mark = |coming: &mut Vec<(u64, u32)>| {
            for (place, set) in coming.drain(..) {
                if seen.insert(place) {
                    let node = classifier.node_of_set(workspace, set);
                    evidence[node.0 as usize].distinct += 1;
                }
            }
        };
        // Of what is in no set there is nothing to find.
        let is_any_found = |mate: &&Hits<'_>| mate.runs.iter().any(|run| run.set != 0);
        for mate in mates.iter().filter(is_any_found) {
            self.places.visit(mate.letters, |place, set| {
                seen.prefetch(place);
                coming.push((place, set));
                if coming.len() == COMING {
                    mark(coming);
                }
            });
        }
        mark(coming);
        if let Some(called) = call.node {
            evidence[called.0 as usize].valid += u64::from(call.valid);
            self.classes.add(classifier.species_kmers(workspace, mates));
        }
    }

    /// Adds what another one of the same sample was given.
    pub fn merge(&mut self, other: Self) {
        add_all(&mut self.evidence, &other.evidence);
        self.classes.merge(other.classes);
    }

    /// All that was added.
    pub fn finish(self) -> Observed {
        Observed {
            evidence: self.evidence,
            classes: self.classes,
        }
    }
}

impl Observed {
    /// What speaks for each taxon itself, by node.
    pub fn direct(&self) -> &[Evidence] {
        &self.evidence
    }

    /// What speaks for each taxon and all below it, by node.
    pub fn clades(&self, taxonomy: &Taxonomy) -> Vec<Evidence> {
        let mut clades = self.evidence.clone();
        // Nodes are behind their parents.
        for node in taxonomy.nodes().rev() {
            if let Some(parent) = taxonomy.parent(node) {
                let of_node = clades[node.0 as usize];
                clades[parent.0 as usize].add(&of_node);
            }
        }
        clades
    }
}

impl Evidence {
    fn add(&mut self, other: &Self) {
        self.valid += other.valid;
        self.specific += other.specific;
        self.hits += other.hits;
        self.distinct += other.distinct;
    }
}

fn add_all(sums: &mut [Evidence], others: &[Evidence]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        sum.add(other);
    }
}
