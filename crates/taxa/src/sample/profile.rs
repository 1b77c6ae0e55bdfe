//! A row for each taxon of a sample: is it there, and how much of it?
//!
//! ```text
//! ratio      = (k-mers of its reads that no reference elsewhere has / all k-mers of its reads)
//!            / (the share of its references' k-mers that no reference elsewhere has)
//! identity   = ratio^(1/k), at most 1
//! present    = at least 5 reads, and a ratio of at least 0.25
//! expected   = G (1 - e^(-n / G)) distinct k-mers, where n are found of its G that no reference elsewhere has
//! abundance  = its share of genomes: reads that are expected to be its, by the length of its genomes; of what is present
//! ```
//! Reads of something that is not in the database are called by the few k-mers that it has in common with what is: these
//! are mostly k-mers of many taxa, so that the ratio is small. What is expected, as by Poisson's law of k-mers all over the
//! genomes, is to compare: far less distinct k-mers come from few places of a genome.

use super::{Evidence, Observed, abundance};
use crate::database::{NodeStatistics, TaxonDatabase};
use crate::report::CallTally;
use crate::taxonomy::{Node, Taxonomy};

/// When a taxon is said to be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresenceTest {
    /// Reads of it and of what is below, at least.
    pub reads: u64,
    /// The ratio, at least.
    pub ratio: f64,
}

impl Default for PresenceTest {
    fn default() -> Self {
        Self {
            reads: 5,
            ratio: 0.25,
        }
    }
}

/// Whether a taxon is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It passes the test, or is above what does.
    Present,
    /// It is a species or below one, and fails.
    Absent,
    /// It is above species, and none of them passes: reads may be of species that are not in the database.
    Untold,
}

impl Presence {
    /// `yes`, `no` or `-`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Present => "yes",
            Self::Absent => "no",
            Self::Untold => "-",
        }
    }
}

/// A taxon that reads were called to be of, or to be below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The taxon.
    pub node: Node,
    /// Reads of it and of what is below.
    pub reads: u64,
    /// k-mers of it and of what is below.
    pub evidence: Evidence,
    /// Distinct k-mers that so many would be, were they from all over the genomes.
    pub expected: f64,
    /// How much is found of what should be; 0 if nothing of it is specific.
    pub ratio: f64,
    /// The share of bases that agree with the references, as the ratio tells: 0 to 1.
    pub identity: f64,
    /// Reads of it and of what is below, with those that are called above their species. Below species it is not told.
    pub expected_reads: Option<f64>,
    /// Its share of all genomes of species that are present, 0 to 1. Below species it is not told.
    pub abundance: Option<f64>,
    /// Whether it is there.
    pub verdict: Presence,
}

/// All taxa of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// In the order of their nodes.
    rows: Vec<Row>,
    evidence: Vec<Evidence>,
}

impl Profile {
    /// Of calls, and what was seen of their reads.
    ///
    /// # Panics
    /// If they are not of this database's taxa.
    pub fn new(
        database: &TaxonDatabase,
        tally: &CallTally,
        observed: &Observed,
        test: PresenceTest,
    ) -> Self {
        let (taxonomy, species) = (database.taxonomy(), database.species());
        let statistics = database.statistics();
        let k = database.header().layout.scheme().k();
        let reads = tally.clades(taxonomy);
        let evidence = observed.clades(taxonomy);
        let mut rows = Vec::from_iter(taxonomy.nodes().map(|node| {
            let at = node.0 as usize;
            row(node, reads[at], &evidence[at], &statistics[at], k)
        }));
        judge(&mut rows, taxonomy, species.nodes(), test);

        let is_present = |&node: &Node| rows[node.0 as usize].verdict == Presence::Present;
        let is_present = Vec::from_iter(species.nodes().iter().map(is_present));
        let reads_of = abundance::reads_of_species(&observed.classes, &is_present);
        let mut expected_reads = vec![0.0; taxonomy.len()];
        let mut genomes = vec![0.0; taxonomy.len()];
        for (&node, &reads) in species.nodes().iter().zip(&reads_of) {
            let at = node.0 as usize;
            expected_reads[at] = reads;
            if rows[at].verdict == Presence::Present {
                genomes[at] = reads / genome_length(&statistics[at]);
            }
        }
        let all: f64 = genomes.iter().sum();
        for node in taxonomy.nodes().rev() {
            if let Some(parent) = taxonomy.parent(node) {
                expected_reads[parent.0 as usize] += expected_reads[node.0 as usize];
                genomes[parent.0 as usize] += genomes[node.0 as usize];
            }
        }
        let are_within = are_within_species(taxonomy);
        for row in &mut rows {
            let at = row.node.0 as usize;
            if !are_within[at] {
                row.expected_reads = Some(expected_reads[at]);
                row.abundance = Some(if all > 0.0 { genomes[at] / all } else { 0.0 });
            }
        }
        rows.retain(|row| row.reads > 0);
        Self { rows, evidence }
    }

    /// A row for each taxon with reads, in the order of their nodes.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a taxon, if it has reads.
    pub fn row(&self, node: Node) -> Option<&Row> {
        let found = self.rows.binary_search_by_key(&node, |row| row.node);
        found.ok().map(|at| &self.rows[at])
    }

    /// k-mers of each taxon and all below it, by node, also of those without reads.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }
}

fn row(node: Node, reads: u64, evidence: &Evidence, statistics: &NodeStatistics, k: usize) -> Row {
    let share = |part: u64, all: u64| match all {
        0 => 0.0,
        _ => part as f64 / all as f64,
    };
    let should = share(statistics.specific, statistics.kmers());
    let ratio = match should > 0.0 {
        true => share(evidence.specific, evidence.valid) / should,
        false => 0.0,
    };
    let specific = statistics.specific as f64;
    Row {
        node,
        reads,
        evidence: *evidence,
        expected: match statistics.specific {
            0 => 0.0,
            _ => specific * -(-(evidence.hits as f64) / specific).exp_m1(),
        },
        ratio,
        identity: ratio.powf(1.0 / k as f64).min(1.0),
        expected_reads: None,
        abundance: None,
        verdict: Presence::Untold,
    }
}

/// Says of all nodes, in their order, whether they are there.
fn judge(rows: &mut [Row], taxonomy: &Taxonomy, species: &[Node], test: PresenceTest) {
    let passes = |row: &Row| row.reads >= test.reads && row.ratio >= test.ratio;
    let are_within = are_within_species(taxonomy);
    for at in 0..rows.len() {
        let node = rows[at].node;
        let above = taxonomy.parent(node).filter(|_| are_within[at]);
        // What is no species, but has a number as if it were one and nothing below it, is taken for one.
        let is_one = taxonomy.is_species(node)
            || taxonomy.is_leaf(node) && species.binary_search(&node).is_ok();
        if above.is_some() || is_one {
            let is_possible =
                above.is_none_or(|above| rows[above.0 as usize].verdict == Presence::Present);
            rows[at].verdict = match is_possible && passes(&rows[at]) {
                true => Presence::Present,
                false => Presence::Absent,
            };
        }
    }
    // Nodes are behind their parents.
    for at in (1..rows.len()).rev() {
        if rows[at].verdict == Presence::Present
            && let Some(parent) = taxonomy.parent(rows[at].node)
        {
            rows[parent.0 as usize].verdict = Presence::Present;
        }
    }
}

/// By node: whether a node above it is a species. Cost: linear, however deep the tree.
fn are_within_species(taxonomy: &Taxonomy) -> Vec<bool> {
    let mut are_within = Vec::<bool>::with_capacity(taxonomy.len());
    for node in taxonomy.nodes() {
        let above = taxonomy.parent(node);
        are_within.push(
            above.is_some_and(|above| taxonomy.is_species(above) || are_within[above.0 as usize]),
        );
    }
    are_within
}

/// Bases of a genome of a taxon, as its references have them.
///
/// Where files have several genomes of one taxon, bases by genome are many times its distinct k-mers: then these are the
/// better guess.
fn genome_length(statistics: &NodeStatistics) -> f64 {
    let bases = statistics.bases as f64 / statistics.genomes.max(1) as f64;
    let kmers = statistics.kmers() as f64;
    match bases > 2.0 * kmers && kmers > 0.0 {
        true => kmers,
        false => bases.max(1.0),
    }
}
