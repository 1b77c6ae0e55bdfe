//! Taxonomies from hostile text and bytes: NCBI's dump, tables of lineages, stored nodes, and the tables that give
//! sequences their taxa. Whatever they say, nothing panics; what becomes a taxonomy is a tree whose quick answers equal
//! those of plain walks, and a dump of it, and its stored nodes, are read as the same taxonomy.
//!
//! The first byte of the input says what the rest is. Files of a dump are separated by a zero byte.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use thalweg_taxa::sequences::{Accessions, Table};
use thalweg_taxa::taxonomy::{Found, Lineages, StoredNode, Taxdump, write_merged, write_names, write_nodes};
use thalweg_taxa::{Node, Result, Taxid, Taxonomy};

/// Nodes of which each pair is looked at.
const FEW: usize = 40;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    match choice % 5 {
        0 => {
            if let Ok(taxonomy) = dumped(rest) {
                check(&taxonomy);
                check_dump(&taxonomy);
            }
        }
        1 => lineages(rest, Lineages::new()),
        2 => lineages(rest, Lineages::new().with_members_as_strains()),
        3 => {
            if let Ok(taxonomy) = stored(rest) {
                check(&taxonomy);
            }
        }
        _ => tables(rest),
    }
});

fn path() -> &'static Path {
    Path::new("x")
}

fn dumped(text: &[u8]) -> Result<Taxonomy> {
    let mut files = text.splitn(4, |byte| *byte == 0);
    let mut next = || files.next().unwrap_or_default();
    let mut dump = Taxdump::new();
    dump.read_nodes(next(), path())?;
    dump.read_names(next(), path())?;
    dump.read_merged(next(), path())?;
    dump.read_deleted(next(), path())?;
    dump.finish()
}

fn lineages(text: &[u8], mut lineages: Lineages) {
    if lineages.read(text, path()).is_err() {
        return;
    }
    let Ok(found) = lineages.finish() else {
        return;
    };
    check(&found.taxonomy);
    check_dump(&found.taxonomy);
    for (name, taxid) in &found.members {
        assert!(matches!(found.taxonomy.find(*taxid), Found::Node(_)), "{name} has a taxid that is no node");
    }
}

/// Six bytes a node: taxid, parent, rank and name, all of few values, so that equal ones are met.
fn stored(bytes: &[u8]) -> Result<Taxonomy> {
    const TEXTS: [&str; 8] = ["no rank", "species", "strain", "genus", "domain", "", "Name of more words", "tab\tinside"];
    let nodes = bytes.chunks_exact(6).filter(|node| node[0] < 0xf0).enumerate();
    let nodes = nodes.map(|(number, node)| StoredNode {
        taxid: Taxid(u32::from_le_bytes([node[0], node[1], 0, 0])),
        // Mostly some node shortly before this one.
        parent: Node((number as u32).saturating_sub(u32::from(node[2] & 0x7f)).wrapping_add(u32::from(node[2] >> 7) << 16)),
        rank: TEXTS[usize::from(node[4]) % TEXTS.len()],
        name: TEXTS[usize::from(node[5]) % TEXTS.len()],
    });
    let merged = bytes.chunks_exact(6).filter(|node| node[0] >= 0xf0);
    let merged = merged.map(|old| (Taxid(u32::from_le_bytes([old[1], old[2], 1, 0])), Node(old[3].into())));
    Taxonomy::from_stored(nodes, merged)
}

fn tables(text: &[u8]) {
    let names: Vec<&[u8]> = text.split(|byte| b"\t\n\0".contains(byte)).take(FEW).collect();
    for mut table in [Table::new(), Table::of_sequences()] {
        let _ = table.read(text, path());
        for name in &names {
            let _ = table.of_sequence(name);
            if let Ok(name) = std::str::from_utf8(name) {
                let _ = table.of_file(Path::new(name));
            }
        }
    }
    let mut accessions = Accessions::new();
    names.iter().for_each(|name| accessions.want(name));
    let _ = accessions.read(text, path());
    for name in &names {
        let _ = accessions.taxid(name);
    }
}

/// Against walks from each node to the root.
fn check(taxonomy: &Taxonomy) {
    let mut children: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for node in taxonomy.nodes() {
        assert_eq!(taxonomy.find(taxonomy.taxid(node)), Found::Node(node));
        assert!(!taxonomy.name(node).contains(char::is_control));
        assert!(!taxonomy.rank(node).contains(char::is_control));
        match taxonomy.parent(node) {
            Some(parent) => {
                assert!(parent < node);
                children.entry(parent).or_default().push(node);
            }
            None => assert_eq!(node, Taxonomy::ROOT),
        }
    }
    let codes = taxonomy.rank_codes();
    for node in taxonomy.nodes().rev().take(FEW) {
        assert_eq!(codes[node.0 as usize], taxonomy.rank_code(node));
        let above = BTreeSet::from_iter(taxonomy.path_to_root(node));
        assert_eq!(taxonomy.depth(node) + 1, above.len());
        assert_eq!(Vec::from_iter(taxonomy.children(node)), children.remove(&node).unwrap_or_default());
        for other in taxonomy.nodes().take(FEW) {
            assert_eq!(taxonomy.is_below(node, other), above.contains(&other));
            let lca = taxonomy.path_to_root(other).find(|node| above.contains(node));
            assert_eq!(Some(taxonomy.lca(node, other)), lca);
        }
    }
    let again = Taxonomy::from_stored(taxonomy.stored(), taxonomy.merged().iter().copied());
    assert_same(taxonomy, &again.expect("what a taxonomy stores"));
    let some = Vec::from_iter(taxonomy.nodes().filter(|node| node.0 % 3 == 1));
    let part = taxonomy.restricted_to(some.iter().copied());
    for node in some {
        let kept = part.node(taxonomy.taxid(node)).expect("what was asked for");
        let taxids = |of: &Taxonomy, node| Vec::from_iter(of.path_to_root(node).map(|node| of.taxid(node)));
        assert_eq!(taxids(&part, kept), taxids(taxonomy, node));
    }
}

fn check_dump(taxonomy: &Taxonomy) {
    let mut text = Vec::new();
    write_nodes(taxonomy, &mut text, path()).expect("room in memory");
    text.push(0);
    write_names(taxonomy, &mut text, path()).expect("room in memory");
    text.push(0);
    write_merged(taxonomy, &mut text, path()).expect("room in memory");
    assert_same(taxonomy, &dumped(&text).expect("a dump of a taxonomy"));
}

fn assert_same(one: &Taxonomy, other: &Taxonomy) {
    assert!(one.stored().eq(other.stored()));
    assert_eq!(one.merged(), other.merged());
}
