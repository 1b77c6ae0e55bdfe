//! Two taxonomies that do not contradict each other, as one.

use super::{Found, Node, Taxid, Taxonomy, TaxonomyBuilder};
use crate::{Error, ErrorKind, Result};

impl Taxonomy {
    /// The nodes of both. Names are those of the first, where it has one; old taxids lead where they lead in either.
    ///
    /// # Errors
    /// [`ErrorKind::TaxonomiesDiffer`] if a taxon has another parent or rank in the other one, or was merged into another
    /// taxon there; [`ErrorKind::TwoRoots`].
    pub fn union(&self, other: &Self) -> Result<Self> {
        for node in other.nodes() {
            self.check_node(other, node)?;
        }
        for one_and_other in [(self, other), (other, self)] {
            check_merged(one_and_other.0, one_and_other.1)?;
        }
        let mut builder = TaxonomyBuilder::new();
        for taxonomy in [other, self] {
            for node in taxonomy.nodes() {
                let taxid = taxonomy.taxid(node);
                let parent = taxonomy.parent(node).map(|parent| taxonomy.taxid(parent));
                builder.add_node(taxid, parent, taxonomy.rank(node))?;
                let name = taxonomy.name(node);
                if name != nameless(taxid) {
                    builder.add_name(taxid, name)?;
                }
            }
            for &(old, node) in &taxonomy.merged {
                builder.add_merged(old, taxonomy.taxid(node));
            }
            (taxonomy.deleted.iter()).for_each(|&taxid| builder.add_deleted(taxid));
        }
        builder.finish()
    }

    /// That this taxonomy says the same of a node of the other one, if anything.
    fn check_node(&self, other: &Self, node: Node) -> Result<()> {
        let taxid = other.taxid(node);
        let Found::Node(own) = self.find(taxid) else {
            return Ok(());
        };
        let of_parent = |taxonomy: &Self, node| match taxonomy.parent(node) {
            Some(parent) => format!("the parent {}", taxonomy.taxid(parent)),
            None => "no parent".to_owned(),
        };
        let parents = (of_parent(self, own), of_parent(other, node));
        let ranks = (self.rank(own), other.rank(node));
        let what = if parents.0 != parents.1 {
            format!("has {} in one taxonomy, and {} here", parents.0, parents.1)
        } else if ranks.0 != ranks.1 {
            format!("is a {} in one taxonomy, and a {} here", ranks.0, ranks.1)
        } else {
            return Ok(());
        };
        Err(differ(taxid, what))
    }
}

/// That what was merged in one taxonomy is nothing else in the other one.
fn check_merged(one: &Taxonomy, other: &Taxonomy) -> Result<()> {
    for &(old, node) in &one.merged {
        let new = one.taxid(node);
        let what = match other.find(old) {
            Found::Node(_) => {
                format!("was merged into {new} in one taxonomy, and is a taxon in the other")
            }
            Found::Merged(node) if other.taxid(node) != new => format!(
                "was merged into {new} in one taxonomy, and into {} in the other",
                other.taxid(node)
            ),
            _ => continue,
        };
        return Err(differ(old, what));
    }
    Ok(())
}

fn differ(taxid: Taxid, what: String) -> Error {
    Error::new(ErrorKind::TaxonomiesDiffer { taxid, what })
}

/// What a node is called that has no name.
fn nameless(taxid: Taxid) -> String {
    format!("taxid {taxid}")
}
