//! Random trees against walks from parent to parent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use thalweg_taxa::classify::{Call, Reason};
use thalweg_taxa::report::{CallTally, Listed, MOST_INDENTED, Page};
use thalweg_taxa::taxonomy::{Found, Node, RankCode, StoredNode, Taxid, Taxonomy, TaxonomyBuilder};

use crate::made::{RANKS_OF_ALL_KINDS, taxids, taxonomy};

const RANKS: [&str; 12] = [
    "no rank",
    "domain",
    "superkingdom",
    "kingdom",
    "phylum",
    "class",
    "order",
    "family",
    "genus",
    "species",
    "strain",
    "clade",
];

/// Parent (`None` of the root), and rank, by taxid.
type Plain = BTreeMap<u32, (Option<u32>, &'static str)>;

/// Any tree of up to 60 nodes, deep or flat, whose taxids have nothing to do with where they are.
fn trees() -> impl Strategy<Value = Plain> {
    let node = (any::<prop::sample::Index>(), 0..RANKS.len(), any::<u8>());
    (
        prop::collection::vec(node, 0..60),
        2..1000_u32,
        any::<bool>(),
    )
        .prop_map(|(nodes, seed, has_taxid_one)| {
            // Distinct numbers, in an order of their own.
            let taxid = |at: usize| match at {
                0 if has_taxid_one => 1,
                _ => 2 + (at as u32 * 7919 + seed * 104_729) % 1_000_003,
            };
            let mut tree = Plain::from([(taxid(0), (None, "no rank"))]);
            for (at, (parent, rank, depth)) in nodes.iter().enumerate() {
                // Half of them below the one before, so that there are long paths.
                let parent = if depth % 2 == 0 {
                    at
                } else {
                    parent.index(at + 1)
                };
                tree.insert(taxid(at + 1), (Some(taxid(parent)), RANKS[*rank]));
            }
            tree
        })
}

fn built(tree: &Plain, mut order: Vec<u32>) -> Taxonomy {
    let mut builder = TaxonomyBuilder::new();
    order.dedup();
    for taxid in order {
        let (parent, rank) = tree[&taxid];
        builder
            .add_node(Taxid(taxid), parent.map(Taxid), rank)
            .unwrap();
        builder
            .add_name(Taxid(taxid), &format!("name of {taxid}"))
            .unwrap();
    }
    builder.finish().unwrap()
}

/// From the node to the root.
fn path(tree: &Plain, taxid: u32) -> Vec<u32> {
    std::iter::successors(Some(taxid), |taxid| tree[taxid].0).collect()
}

fn lca(tree: &Plain, one: u32, other: u32) -> u32 {
    let above_other = path(tree, other);
    *path(tree, one)
        .iter()
        .find(|taxid| above_other.contains(taxid))
        .unwrap()
}

/// kraken2's way: down from the root, with the code so far and the steps since.
fn rank_code(tree: &Plain, taxid: u32) -> String {
    let (mut letter, mut steps) = ('R', -1);
    for above in path(tree, taxid).iter().rev() {
        let known = match tree[above].1 {
            "superkingdom" | "domain" => Some('D'),
            "kingdom" => Some('K'),
            "phylum" => Some('P'),
            "class" => Some('C'),
            "order" => Some('O'),
            "family" => Some('F'),
            "genus" => Some('G'),
            "species" => Some('S'),
            _ => None,
        };
        (letter, steps) = known.map_or((letter, steps + 1), |letter| (letter, 0));
    }
    if steps == 0 {
        letter.to_string()
    } else {
        format!("{letter}{steps}")
    }
}

/// All that can be asked, by walks.
fn is_as_defined(taxonomy: &Taxonomy, tree: &Plain) {
    let node = |taxid: u32| taxonomy.node(Taxid(taxid)).unwrap();
    let taxid = |node: Node| taxonomy.taxid(node).0;
    assert_eq!(taxonomy.len(), tree.len());
    let codes = taxonomy.rank_codes();
    for (&one, &(parent, rank)) in tree {
        let at = node(one);
        assert_eq!(taxonomy.find(Taxid(one)), Found::Node(at));
        assert_eq!(taxid(at), one);
        assert_eq!(taxonomy.rank(at), rank);
        assert_eq!(taxonomy.name(at), format!("name of {one}"));
        assert_eq!(taxonomy.parent(at).map(taxid), parent);
        let above = path(tree, one);
        assert_eq!(
            taxonomy.path_to_root(at).map(taxid).collect::<Vec<_>>(),
            above
        );
        assert_eq!(taxonomy.depth(at), above.len() - 1);
        let species = above.iter().find(|above| tree[above].1 == "species");
        assert_eq!(taxonomy.species(at).map(taxid), species.copied());
        let children: Vec<_> = tree
            .iter()
            .filter(|(_, it)| it.0 == Some(one))
            .map(|it| *it.0)
            .collect();
        assert_eq!(
            taxonomy.children(at).map(taxid).collect::<Vec<_>>(),
            children
        );
        assert_eq!(taxonomy.is_leaf(at), children.is_empty());
        assert_eq!(taxonomy.rank_code(at).to_string(), rank_code(tree, one));
        assert_eq!(taxonomy.rank_code(at), codes[at.0 as usize]);
        for &other in tree.keys() {
            assert_eq!(taxonomy.is_below(at, node(other)), above.contains(&other));
            assert_eq!(taxonomy.lca(at, node(other)), node(lca(tree, one, other)));
        }
    }
}

proptest! {
    #[test]
    fn any_tree_is_as_its_parents_say(tree in trees()) {
        is_as_defined(&built(&tree, tree.keys().copied().collect()), &tree);
    }

    #[test]
    fn numbers_do_not_depend_on_the_order_of_nodes(tree in trees(), rank in any::<u64>()) {
        let order: Vec<_> = tree.keys().copied().collect();
        let mut other = order.clone();
        other.sort_by_key(|taxid| u64::from(*taxid).wrapping_mul(rank | 1));
        // A node may stand twice.
        other.extend(&order[..order.len() / 2]);
        prop_assert_eq!(taxids(&built(&tree, order)), taxids(&built(&tree, other)));
    }

    #[test]
    fn what_is_above_stays(tree in trees(), chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let whole = built(&tree, tree.keys().copied().collect());
        let chosen: Vec<_> = chosen.iter().map(|chosen| Node(chosen.index(whole.len()) as u32)).collect();
        let mut kept = BTreeSet::from([whole.taxid(Taxonomy::ROOT).0]);
        chosen.iter().for_each(|node| kept.extend(path(&tree, whole.taxid(*node).0)));
        let part = tree.into_iter().filter(|(taxid, _)| kept.contains(taxid)).collect();
        is_as_defined(&whole.restricted_to(chosen), &part);
    }
}

proptest! {
    #[test]
    fn a_stored_tree_is_the_same(tree in trees(), at in any::<prop::sample::Index>(), value in 0..60_u32) {
        let taxonomy = built(&tree, tree.keys().copied().collect());
        let merged = [(Taxid(2_000_000), Taxonomy::ROOT)];
        let again = Taxonomy::from_stored(taxonomy.stored(), merged).unwrap();
        is_as_defined(&again, &tree);
        prop_assert_eq!(again.find(merged[0].0), Found::Merged(Taxonomy::ROOT));

        // One that is not as it was is refused, or is one that could have been.
        for is_parent in [true, false] {
            let mut nodes: Vec<_> = taxonomy.stored().collect();
            let node = at.get(&(0..nodes.len()).collect::<Vec<_>>()).to_owned();
            if is_parent {
                nodes[node].parent = Node(value);
            } else {
                nodes[node].taxid = Taxid(value);
            }
            if let Ok(other) = Taxonomy::from_stored(nodes.iter().copied(), []) {
                let plain = (nodes.iter().enumerate()).map(|(at, node)| {
                    let parent = (at > 0).then(|| nodes[node.parent.0 as usize].taxid.0);
                    (node.taxid.0, (parent, RANKS[RANKS.iter().position(|rank| *rank == node.rank).unwrap()]))
                });
                let plain: Plain = plain.collect();
                prop_assert_eq!(taxids(&other), taxids(&built_as_it_is(&plain, nodes[0].taxid)));
            }
        }
    }
}

/// As `built`, but that taxid 1 may be elsewhere than at the root.
fn built_as_it_is(tree: &Plain, root: Taxid) -> Taxonomy {
    let mut builder = TaxonomyBuilder::new();
    // Taxid 1 is a root for the builder.
    let shown = |taxid: u32| Taxid(if root.0 == 1 { taxid } else { taxid + 1 });
    for (&taxid, &(parent, rank)) in tree {
        builder
            .add_node(shown(taxid), parent.map(shown), rank)
            .unwrap();
    }
    let shifted = builder.finish().unwrap();
    let nodes = shifted.stored().map(|node| StoredNode {
        taxid: Taxid(if root.0 == 1 {
            node.taxid.0
        } else {
            node.taxid.0 - 1
        }),
        ..node
    });
    Taxonomy::from_stored(nodes, []).unwrap()
}

#[test]
fn stored_trees_that_are_none_are_told() {
    let node = |taxid, parent, name| StoredNode {
        taxid: Taxid(taxid),
        parent: Node(parent),
        rank: "no rank",
        name,
    };
    let good = [
        node(1, 0, "a"),
        node(5, 0, "b"),
        node(9, 1, "c"),
        node(7, 0, "d"),
    ];
    assert_eq!(
        Taxonomy::from_stored(good, [(Taxid(3), Node(1)), (Taxid(4), Node(1))])
            .unwrap()
            .len(),
        4
    );
    let order = |node: u32| {
        format!(
            "node {node} of the stored taxonomy is not in depth-first order by taxid, or its taxid stands twice"
        )
    };
    let with = |at: usize, node: StoredNode<'static>| {
        let mut nodes = good;
        nodes[at] = node;
        nodes
    };
    for (nodes, told) in [
        (with(0, node(1, 1, "a")), order(0)),
        (with(0, node(0, 0, "a")), order(0)),
        (with(1, node(5, 1, "b")), order(1)),
        (with(1, node(8, 0, "b")), order(3)),
        (with(2, node(9, 7, "c")), order(2)),
        (with(2, node(9, u32::MAX, "c")), order(2)),
        (with(3, node(7, 2, "d")), String::new()),
        (with(3, node(9, 0, "d")), order(3)),
        (
            with(3, node(7, 0, "d\n")),
            "the name \"d\\n\" is not text in UTF-8 without control characters".to_owned(),
        ),
    ] {
        let told_now = Taxonomy::from_stored(nodes, [])
            .map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(told_now, told, "{nodes:?}");
    }
    for merged in [
        [(Taxid(3), Node(4)), (Taxid(4), Node(0))],
        [(Taxid(4), Node(0)), (Taxid(4), Node(0))],
    ] {
        assert!(Taxonomy::from_stored(good, merged).is_err());
    }
    assert!(Taxonomy::from_stored([], []).is_err());
}

#[test]
fn old_taxids_lead_to_nodes() {
    let mut builder = TaxonomyBuilder::new();
    for (taxid, parent) in [(1, None), (5, Some(1)), (9, Some(5))] {
        builder
            .add_node(Taxid(taxid), parent.map(Taxid), "no rank")
            .unwrap();
    }
    for (old, new) in [
        (2, 9),
        (3, 2),
        (4, 77),
        (7, 8),
        (8, 7),
        (5, 1),
        (6, 1),
        (6, 5),
    ] {
        builder.add_merged(Taxid(old), Taxid(new));
    }
    for taxid in [11, 10, 11] {
        builder.add_deleted(Taxid(taxid));
    }
    let taxonomy = builder.finish().unwrap();
    let node = |taxid| taxonomy.node(Taxid(taxid)).unwrap();
    for (taxid, found) in [
        (2, Found::Merged(node(9))),
        (3, Found::Merged(node(9))),
        // To what is no node; in a circle.
        (4, Found::Unknown),
        (7, Found::Unknown),
        // It is a node all the same.
        (5, Found::Node(Node(1))),
        // The last one counts.
        (6, Found::Merged(node(5))),
        (10, Found::Deleted),
        (11, Found::Deleted),
        (12, Found::Unknown),
    ] {
        assert_eq!(taxonomy.find(Taxid(taxid)), found, "{taxid}");
    }
    let part = taxonomy.restricted_to([node(5)]);
    assert_eq!(part.find(Taxid(6)), Found::Merged(Node(1)));
    assert_eq!(part.find(Taxid(2)), Found::Unknown);
    assert_eq!(part.find(Taxid(9)), Found::Unknown);
    assert_eq!(part.find(Taxid(10)), Found::Unknown);
}

#[test]
fn codes_count_from_the_nearest_rank() {
    let taxonomy = taxonomy(&RANKS_OF_ALL_KINDS).unwrap();
    let code = |taxid| {
        taxonomy
            .rank_code(taxonomy.node(Taxid(taxid)).unwrap())
            .to_string()
    };
    let all: Vec<_> = RANKS_OF_ALL_KINDS.iter().map(|row| code(row.0)).collect();
    let told = "R R1 D D1 P C O O1 F G G1 S S1 S1 S2 K P S D D1 S R1 R2 K S";
    assert_eq!(all.join(" "), told);
    assert_eq!(RankCode::UNCLASSIFIED.to_string(), "U");
}

#[test]
fn a_path_of_a_million_nodes_takes_no_stack() {
    let mut builder = TaxonomyBuilder::new();
    for taxid in 1..=1_000_000 {
        builder
            .add_node(
                Taxid(taxid),
                Some(Taxid(taxid - 1)).filter(|it| it.0 > 0),
                "no rank",
            )
            .unwrap();
    }
    let taxonomy = builder.finish().unwrap();
    let last = Node(999_999);
    assert_eq!(taxonomy.depth(last), 999_999);
    assert_eq!(taxonomy.rank_codes()[999_999].to_string(), "R999999");
    assert_eq!(taxonomy.lca(last, Node(17)), Node(17));
    assert_eq!(taxonomy.restricted_to([last]).len(), 1_000_000);
    assert!(
        (0..)
            .zip(taxonomy.depths())
            .all(|(depth, found)| depth == found)
    );
}

/// A report that indents names by their depth has as many bytes as the square of the depth.
#[test]
fn reports_of_deep_trees_are_linear() {
    const NODES: u32 = 300_000;
    let mut builder = TaxonomyBuilder::new();
    for taxid in 1..=NODES {
        let parent = (taxid > 1).then_some(Taxid(taxid - 1));
        builder.add_node(Taxid(taxid), parent, "clade").unwrap();
        builder.add_name(Taxid(taxid), "x").unwrap();
    }
    let taxonomy = builder.finish().unwrap();
    let mut tally = CallTally::new(&taxonomy);
    tally.add(
        &Call {
            node: Some(Node(NODES - 1)),
            score: 1.0,
            runner_up: None,
            valid: 70,
            support: 70,
            reason: Reason::Direct,
        },
        100,
    );
    let (mut report, path) = (Vec::new(), Path::new(""));
    (tally.write(&taxonomy, Listed::WithReads, &mut report, path)).unwrap();
    let report = String::from_utf8(report).unwrap();
    assert_eq!(report.lines().count(), NODES as usize);
    for (depth, line) in report.lines().enumerate() {
        let name = line.rsplit('\t').next().unwrap();
        let levels = depth.min(MOST_INDENTED as usize);
        assert_eq!(name.len(), 2 * levels + 1, "{line}");
    }
    let (mut krona, mut paths) = (Vec::new(), Vec::new());
    tally.write_krona(&taxonomy, &mut krona, path).unwrap();
    assert_eq!(krona.len(), 2 * NODES as usize);
    (tally.write_mpa(&taxonomy, Listed::WithReads, &mut paths, path)).unwrap();
    assert!(paths.is_empty());
    let mut page = Page::new(&taxonomy, "deep", "");
    page.add("sample", &tally, None);
    assert!(page.render().contains("R299999"));
}
