//! What calls and their lines cost, without looking k-mers up: `call_rate`, of pairs that are made.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use thalweg_taxa::classify::{Classifier, Hits, Lca, Posterior, Rule, Run, Sets};
use thalweg_taxa::label::{Columns, Labels};
use thalweg_taxa::taxonomy::{Node, Taxid, Taxonomy, TaxonomyBuilder};

/// Of each species first the sets of both strains, each strain, and itself; then those of two species.
struct Made(Vec<Vec<u32>>);

const SPECIES: u32 = 40;
const STRAINS: u32 = 2;

impl Sets for Made {
    fn number(&self) -> usize {
        self.0.len()
    }

    fn species(&self, set: u32) -> &[u32] {
        &self.0[set as usize]
    }

    fn visit_leaves(&self, set: u32, species: u32, mut each: impl FnMut(Range<u32>)) -> bool {
        let first = STRAINS * species;
        match set % 4 {
            0 => return false,
            1 => each(first..first + STRAINS),
            rest => each(first + rest - 2..first + rest - 1),
        }
        true
    }
}

fn tree() -> (Taxonomy, Vec<Node>, Vec<Node>) {
    let mut builder = TaxonomyBuilder::new();
    let mut add = |taxid: u32, parent: u32, rank: &str| {
        let parent = (parent > 0).then_some(Taxid(parent));
        builder.add_node(Taxid(taxid), parent, rank).unwrap();
    };
    add(1, 0, "no rank");
    for genus in 0..SPECIES / 4 {
        add(10 + genus, 1, "genus");
    }
    for species in 0..SPECIES {
        add(100 + species, 10 + species / 4, "species");
        for strain in 0..STRAINS {
            add(1000 + STRAINS * species + strain, 100 + species, "strain");
        }
    }
    let taxonomy = builder.finish().unwrap();
    let of = |taxids: Range<u32>| {
        let nodes = taxids.map(|taxid| taxonomy.node(Taxid(taxid)).unwrap());
        nodes.collect()
    };
    let (species, leaves) = (of(100..100 + SPECIES), of(1000..1000 + STRAINS * SPECIES));
    (taxonomy, species, leaves)
}

fn main() {
    let (taxonomy, species, leaves) = tree();
    let mut lists = vec![Vec::new()];
    for set in 1..4 * SPECIES {
        lists.push(vec![set / 4]);
    }
    for set in 0..SPECIES - 1 {
        lists.push(vec![set, set + 1]);
    }
    let sets = Made(lists);
    let letters: Vec<u8> = (0..150_u64)
        .map(|at| b"ACGT"[(at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 & 3) as usize])
        .collect();
    // Twelve super-k-mers of ten k-mers in each mate.
    let mates = |of_run: &dyn Fn(u32) -> u32| -> [Vec<Run>; 2] {
        [0, 12].map(|first| {
            let run = |i: u32| Run {
                start: 10 * i as usize,
                kmers: 10,
                distinct: 10,
                set: of_run(first + i),
            };
            (0..12).map(run).collect()
        })
    };
    let cases = [
        ("one set", mates(&|_| 5)),
        ("one species", mates(&|i| 4 * 7 + 1 + i % 3)),
        ("two species", mates(&|i| 4 * (7 + i % 2) + 1 + i % 3)),
        ("many sets", mates(&|i| 4 * SPECIES + i)),
        ("not found", mates(&|_| 0)),
    ];
    let rules = [
        ("posterior", Rule::Posterior(Posterior::new(31))),
        ("lca", Rule::Lca(Lca::new())),
    ];
    for (rule_name, rule) in rules {
        let classifier = Classifier::new(&taxonomy, 31, &species, &leaves, &sets, rule);
        let mut workspace = classifier.workspace();
        let labels = Labels::new(&taxonomy, 31, Columns::default());
        for (name, mates) in &cases {
            let mates = mates.each_ref().map(|runs| Hits {
                letters: &letters,
                runs,
            });
            let calls = least(|| {
                for _ in 0..PAIRS {
                    black_box(classifier.call(&mut workspace, black_box(&mates)));
                }
            });
            let call = classifier.call(&mut workspace, &mates);
            let mut out = Vec::new();
            let name_of_pair = b"read:1:1234:5678";
            let lines = least(|| {
                for _ in 0..PAIRS {
                    out.clear();
                    let node_of = |set| classifier.node_of_set(&mut workspace, set);
                    labels.write(name_of_pair, black_box(&mates), &call, node_of, &mut out);
                }
            });
            println!("{rule_name}, {name}: {calls} ns a call, {lines} ns a line");
        }
    }
}

const PAIRS: u32 = 20_000;

/// Nanoseconds a pair in the fastest of some rounds.
fn least(mut round: impl FnMut()) -> u32 {
    let mut took = || {
        let start = Instant::now();
        round();
        start.elapsed()
    };
    let least = (0..10).map(|_| took()).min().unwrap();
    least.as_nanos() as u32 / PAIRS
}
