//! What was built, to a database.

use std::collections::HashSet;
use std::path::Path;

use super::Built;
use crate::database::{
    Contents, DatabasePart, Making, NodeStatistics, Reference, ReferenceSequences,
    TaxonDatabaseHeader, TaxonDatabaseWriter, WriterPlan,
};
use crate::library::LibraryInputs;
use crate::{Error, ErrorKind, GoOn, Node, Result, Taxonomy};

impl Built {
    /// Writes the database to a file, which appears when it is whole. `inputs` are the sequences that workers were given,
    /// with nodes of `taxonomy`, as [`DatabaseBuilder::finish`](super::DatabaseBuilder::finish) got it; `log` is JSON, and tells how the
    /// database was made.
    ///
    /// # Errors
    ///
    /// What the system said; [`ErrorKind::NoDatabase`] if the inputs have a taxon that no worker was given.
    pub fn write(
        &self,
        path: &Path,
        inputs: &LibraryInputs,
        taxonomy: &Taxonomy,
        log: &str,
    ) -> Result<TaxonDatabaseHeader> {
        self.write_unless(path, inputs, taxonomy, log, &|| Ok(()))
    }

    /// The same, as long as `go_on` says so.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write), and those of `go_on`: no file appears then.
    pub fn write_unless(
        &self,
        path: &Path,
        inputs: &LibraryInputs,
        taxonomy: &Taxonomy,
        log: &str,
        go_on: &GoOn<'_>,
    ) -> Result<TaxonDatabaseHeader> {
        let layout = self.layout();
        let mut writer = TaxonDatabaseWriter::create(
            path,
            &WriterPlan {
                scheme: layout.scheme(),
                directory_bits: layout.directory_bits(),
                id_bits: layout.id_bits(),
            },
        )?;
        let (references, statistics) = self.references(inputs, taxonomy)?;
        self.visit_entries(|entries| {
            go_on()?;
            writer.push(entries)
        })?;
        writer.finish(&Contents {
            taxonomy: self.taxonomy(),
            species: self.species(),
            references: &references,
            sets: self.sets(),
            statistics: &statistics,
            log,
            kmers: self.totals().kmers,
            is_folded: self.is_folded(),
            making: Making {
                part: self.part.map(|(number, of)| DatabasePart {
                    number,
                    of,
                    fingerprint: inputs.fingerprint,
                }),
                ..self.making
            },
        })
    }

    /// Whether there is any k-mer; of one part of a database there need not be.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoKmers`] if not.
    pub fn check_kmers(&self) -> Result<()> {
        match self.totals().kmers == 0 && self.part.is_none() {
            true => Err(Error::new(ErrorKind::NoKmers {
                k: self.layout().scheme().k(),
                is_masked: self.making.is_masked,
            })),
            false => Ok(()),
        }
    }

    /// Whether any set does not tell all of its leaves.
    pub fn is_folded(&self) -> bool {
        super::is_folded(self.sets(), self.species())
    }

    /// The sequences with their leaves, and what each node has of them and of k-mers.
    fn references(
        &self,
        inputs: &LibraryInputs,
        taxonomy: &Taxonomy,
    ) -> Result<(ReferenceSequences, Vec<NodeStatistics>)> {
        let of_kmers = self.kmers_of_nodes().iter();
        let mut statistics = Vec::from_iter(of_kmers.map(|of_node| NodeStatistics {
            by_gc: of_node.by_gc,
            specific: of_node.specific,
            ..NodeStatistics::default()
        }));
        // Where a set does not tell the leaves of a species, nodes below that were not counted now.
        for of_nodes in &self.before.statistics {
            for (now, before) in statistics.iter_mut().zip(of_nodes) {
                if before.kmers() > now.kmers() {
                    now.by_gc = before.by_gc;
                }
            }
        }
        let mut references = self.before.references.clone();
        references.sequences.reserve(inputs.sequences.len());
        let files_before = references.files.len() as u32;
        let files = inputs.files.iter();
        let names = files.map(|file| file.to_string_lossy().replace(char::is_control, "\u{fffd}"));
        references.files.extend(names);
        for sequence in &inputs.sequences {
            let leaf = self.leaf(taxonomy, sequence.node).ok_or_else(|| {
                let what = format!(
                    "no worker was given a sequence of the taxon of {}",
                    sequence.name
                );
                Error::new(ErrorKind::NoDatabase { what })
            })?;
            references.sequences.push(Reference {
                file: files_before + sequence.file,
                leaf,
                bases: sequence.letters,
                name: sequence.name.to_string(),
            });
        }
        let mut genomes = HashSet::new();
        for reference in &references.sequences {
            // Without bases it is none.
            let is_first = reference.bases > 0 && genomes.insert((reference.file, reference.leaf));
            let node = self.species().leaf_nodes()[reference.leaf as usize];
            for node in self.taxonomy().path_to_root(node) {
                let statistics = &mut statistics[node.0 as usize];
                statistics.bases = statistics.bases.saturating_add(reference.bases);
                statistics.sequences += 1;
                statistics.genomes += u64::from(is_first);
            }
        }
        Ok((references, statistics))
    }

    /// The leaf of a node of the whole taxonomy.
    fn leaf(&self, taxonomy: &Taxonomy, node: Node) -> Option<u32> {
        let node = self.taxonomy().node(taxonomy.taxid(node))?;
        self.species().leaf_at_node(node)
    }
}
