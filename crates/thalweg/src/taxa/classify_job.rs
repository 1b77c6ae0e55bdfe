//! Reads to labels.

use std::sync::{Mutex, PoisonError};

use thalweg_reads::{Batch, Error, Record};
use thalweg_taxa::Kernel;
use thalweg_taxa::classify::{Classifier, Hits, Rule, Stored, Workspace};
use thalweg_taxa::database::Database;
use thalweg_taxa::label::{Columns, Labels};
use thalweg_taxa::lookup::Lookup;
use thalweg_taxa::report::Tally;

use crate::Workers;

/// Reads, or pairs, whose k-mers are looked up together: what the memory has to bring for one is on its way while others
/// are looked at.
const TOGETHER: usize = 32;

/// Labels for reads.
pub struct ClassifyJob<'a> {
    /// Where their k-mers are looked up.
    pub database: &'a Database,
    /// How they are called.
    pub rule: Rule,
    /// What their lines have.
    pub columns: Columns,
    /// Records 2i and 2i + 1 of one file are a pair.
    pub interleaved: bool,
}

/// What one thread has while it labels a batch.
struct Desk<'a> {
    lookup: Lookup<'a>,
    workspace: Workspace,
    tally: Tally,
}

impl ClassifyJob<'_> {
    /// Give the labels of all reads to `sink`, as lines, in the order of the input, and return how many reads were called what.
    /// With two files in step, or interleaved, pairs have one line.
    ///
    /// # Errors
    /// The first failure of `sink`, or a fault of the reads.
    pub fn run<E: From<Error> + Send>(
        &self,
        workers: Workers,
        mut sink: impl FnMut(&[u8]) -> Result<(), E> + Send,
    ) -> Result<Tally, E> {
        let database = self.database;
        let (taxonomy, species) = (database.taxonomy(), database.species());
        let k = database.header().layout.scheme().k();
        let sets = Stored {
            sets: database.sets(),
            species,
        };
        let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
        let classifier = Classifier::new(taxonomy, k, nodes, leaves, &sets, self.rule.clone());
        let labels = Labels::new(taxonomy, k, self.columns);
        let desks = Mutex::new(Vec::new());
        let lock = || desks.lock().unwrap_or_else(PoisonError::into_inner);
        workers.map_in_order(
            |batch| {
                let mut desk = lock().pop().unwrap_or_else(|| Desk {
                    lookup: Lookup::new(database, Kernel::best()),
                    workspace: classifier.workspace(),
                    tally: Tally::new(taxonomy),
                });
                let lines = self.label(&batch, &classifier, &labels, &mut desk);
                lock().push(desk);
                Ok(lines)
            },
            |lines| sink(&lines),
        )?;
        let mut tally = Tally::new(taxonomy);
        for desk in lock().drain(..) {
            tally.merge(&desk.tally);
        }
        Ok(tally)
    }

    /// The lines of a batch.
    fn label(
        &self,
        batch: &Batch,
        classifier: &Classifier<'_, Stored<'_>>,
        labels: &Labels<'_>,
        desk: &mut Desk<'_>,
    ) -> Vec<u8> {
        let mut lines = Vec::new();
        let mut group: Vec<Vec<Record<'_>>> = Vec::with_capacity(TOGETHER);
        let mut files: Vec<_> = (0..batch.blocks().len())
            .map(|mate| batch.mates(mate))
            .collect();
        loop {
            group.clear();
            while group.len() < TOGETHER {
                let mut mates: Vec<_> = files.iter_mut().filter_map(Iterator::next).collect();
                if self.interleaved {
                    mates.extend(files[0].next());
                }
                match mates.is_empty() {
                    true => break,
                    false => group.push(mates),
                }
            }
            if group.is_empty() {
                return lines;
            }
            label_group(&group, classifier, labels, desk, &mut lines);
        }
    }
}

/// The lines of some reads or pairs.
fn label_group(
    group: &[Vec<Record<'_>>],
    classifier: &Classifier<'_, Stored<'_>>,
    labels: &Labels<'_>,
    desk: &mut Desk<'_>,
    lines: &mut Vec<u8>,
) {
    let letters: Vec<_> = (group.iter().flatten())
        .map(|record| record.sequence())
        .collect();
    desk.lookup.clear();
    for mates in group {
        desk.lookup
            .push(mates.iter().map(|record| record.sequence()));
    }
    desk.lookup.look_up();
    let mut sequence = 0;
    let mut hits = Vec::with_capacity(2);
    for mates in group {
        hits.clear();
        hits.extend((sequence..sequence + mates.len()).map(|number| Hits {
            letters: &letters[number],
            runs: desk.lookup.runs(number),
        }));
        sequence += mates.len();
        let call = classifier.call(&mut desk.workspace, &hits);
        let number_of_letters = hits.iter().map(|hits| hits.letters.len() as u64).sum();
        desk.tally.add(&call, number_of_letters);
        let workspace = &mut desk.workspace;
        let node_of = |set| classifier.node_of_set(workspace, set);
        labels.write(mates[0].id(), &hits, &call, node_of, lines);
    }
}
