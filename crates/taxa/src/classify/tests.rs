//! That memory is used again.

use std::ops::Range;

use super::{Classifier, Hits, Lca, Lmat, NullModel, Posterior, Rule, Run, Sets, Workspace};
use crate::taxonomy::{Node, Taxid, Taxonomy, TaxonomyBuilder};

/// Set n has the species whose bits n has.
struct Bits(Vec<Vec<u32>>);

impl Sets for Bits {
    fn number(&self) -> usize {
        self.0.len()
    }

    fn species(&self, set: u32) -> &[u32] {
        &self.0[set as usize]
    }

    fn visit_leaves(&self, set: u32, species: u32, mut each: impl FnMut(Range<u32>)) -> bool {
        // Two leaves a species.
        let first = 2 * species;
        match set % 3 {
            0 => return false,
            1 => each(first..first + 1),
            _ => each(first..first + 2),
        }
        true
    }
}

fn star() -> (Taxonomy, Vec<Node>, Vec<Node>) {
    let mut builder = TaxonomyBuilder::new();
    builder.add_node(Taxid(1), None, "no rank").unwrap();
    for species in 0..6 {
        let taxid = 10 + species;
        let parent = Some(Taxid(1));
        builder.add_node(Taxid(taxid), parent, "species").unwrap();
        for strain in 0..2 {
            let parent = Some(Taxid(taxid));
            let taxid = Taxid(100 + 2 * species + strain);
            builder.add_node(taxid, parent, "strain").unwrap();
        }
    }
    let taxonomy = builder.finish().unwrap();
    let of = |taxids: Range<u32>| taxids.map(|taxid| taxonomy.node(Taxid(taxid)).unwrap());
    let (species, leaves) = (of(10..16).collect(), of(100..112).collect());
    (taxonomy, species, leaves)
}

fn bytes(workspace: &Workspace) -> usize {
    workspace.counts.bytes()
        + workspace.mass.bytes()
        + workspace.lca.bytes()
        + workspace.lmat.bytes()
        + workspace.strains.bytes()
        + 4 * workspace.nodes.known.capacity()
}

#[test]
fn calls_use_memory_again() {
    let (taxonomy, species, leaves) = star();
    let lists = (0..64_u32).map(|set| (0..6).filter(|bit| set >> bit & 1 == 1).collect());
    let sets = Bits(lists.collect());
    let letters: Vec<u8> = (0..600_u32)
        .map(|at| b"ACGT"[(at * at / 7 % 4) as usize])
        .collect();
    let null = NullModel::new(taxonomy.nodes().map(|_| [1000; 32]), 31);
    let rules = [
        Rule::Posterior(Posterior::new(31)),
        Rule::Lca(Lca::new()),
        Rule::Lmat(Lmat::new(&taxonomy, null)),
    ];
    for rule in rules {
        let classifier = Classifier::new(&taxonomy, 31, &species, &leaves, &sets, rule);
        let mut workspace = classifier.workspace();
        let mut all = || {
            for seed in 0..200_u32 {
                let runs: Vec<Run> = (0..57)
                    .map(|i| Run {
                        start: 10 * i as usize,
                        kmers: 10,
                        distinct: 9,
                        set: (seed + i * (seed % 5)) % 64,
                    })
                    .collect();
                let hits = Hits {
                    letters: &letters,
                    runs: &runs,
                };
                classifier.call(&mut workspace, &[hits]);
                classifier.call(&mut workspace, &[hits, hits]);
            }
            bytes(&workspace)
        };
        let once = all();
        assert_eq!(once, all());
    }
}
