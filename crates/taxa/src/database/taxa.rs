//! The section of the taxonomy and of the leaves.

use std::collections::HashMap;

use thalweg_files::write_varint;

use super::header::SectionName;
use super::input::{Input, write_text};
use crate::set::Species;
use crate::taxonomy::StoredNode;
use crate::{Node, Result, Taxid, Taxonomy};

/// The bytes of the section.
pub(super) fn write(taxonomy: &Taxonomy, species: &Species) -> Vec<u8> {
    let mut ranks = Vec::new();
    let mut numbers = HashMap::new();
    for node in taxonomy.stored() {
        numbers.entry(node.rank).or_insert_with(|| {
            ranks.push(node.rank);
            ranks.len() - 1
        });
    }
    let mut bytes = Vec::new();
    write_varint(&mut bytes, ranks.len() as u64);
    (ranks.iter()).for_each(|rank| write_text(&mut bytes, rank));
    write_varint(&mut bytes, taxonomy.len() as u64);
    for (number, node) in (0..).zip(taxonomy.stored()) {
        write_varint(&mut bytes, node.taxid.0.into());
        write_varint(&mut bytes, number - u64::from(node.parent.0));
        write_varint(&mut bytes, numbers[node.rank] as u64);
        write_text(&mut bytes, node.name);
    }
    write_varint(&mut bytes, taxonomy.merged().len() as u64);
    let mut least = 0;
    for (taxid, node) in taxonomy.merged() {
        write_varint(&mut bytes, u64::from(taxid.0) - least);
        write_varint(&mut bytes, node.0.into());
        least = u64::from(taxid.0) + 1;
    }
    write_varint(&mut bytes, species.leaf_nodes().len() as u64);
    let mut least = 0;
    for node in species.leaf_nodes() {
        write_varint(&mut bytes, u64::from(node.0) - least);
        least = u64::from(node.0) + 1;
    }
    bytes
}

/// The taxonomy and the leaves of these bytes.
///
/// # Errors
/// They are damaged.
pub(super) fn read(bytes: &[u8]) -> Result<(Taxonomy, Species)> {
    let mut input = Input::new(bytes, SectionName::Taxa);
    let mut ranks = Vec::new();
    for _ in 0..input.number()? {
        ranks.push(input.text()?);
    }
    let nodes = input.number()?;
    let mut stored = Ok(());
    let taxonomy = {
        // Taken one at a time: a node is larger in memory.
        let mut number = 0;
        let nodes = std::iter::from_fn(|| {
            let node = (number < nodes).then(|| read_node(&mut input, number, &ranks))?;
            number += 1;
            node.map_err(|error| stored = Err(error)).ok()
        });
        Taxonomy::from_stored(nodes, [])
    };
    stored?;
    let taxonomy = taxonomy?;
    let mut merged = Vec::new();
    let mut least = 0u64;
    for _ in 0..input.number()? {
        let taxid = least.saturating_add(input.number()?);
        let taxid = u32::try_from(taxid).map_err(|_| input.fault("a taxid is too large"))?;
        let node = input.number_below(taxonomy.len(), "node")?;
        merged.push((Taxid(taxid), Node(node)));
        least = u64::from(taxid) + 1;
    }
    let mut leaves = Vec::new();
    let mut least = 0;
    for _ in 0..input.number()? {
        let node = input.number_below(taxonomy.len() - least, "node")? + least as u32;
        leaves.push(Node(node));
        least = node as usize + 1;
    }
    input.end()?;
    let taxonomy = taxonomy.with_merged(merged)?;
    let species = Species::new(&taxonomy, leaves);
    Ok((taxonomy, species))
}

fn read_node<'a>(input: &mut Input<'a>, number: u64, ranks: &[&'a str]) -> Result<StoredNode<'a>> {
    let taxid = input.number_below(1 << 32, "taxid")?;
    let up = input.number_below(number as usize + 1, "the distance to a parent")?;
    let rank = input.number_below(ranks.len(), "rank")?;
    Ok(StoredNode {
        taxid: Taxid(taxid),
        parent: Node(number as u32 - up),
        rank: ranks[rank as usize],
        name: input.text()?,
    })
}
