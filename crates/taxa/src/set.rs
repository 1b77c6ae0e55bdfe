//! In which references a k-mer is found, on two levels: their species, and which leaves of each.
//!
//! A *leaf* is a taxon that sequences were given to, whether anything is below it or not. Leaves are numbered from 0, by
//! their nodes. A *species* here is the species that a leaf is of, or the leaf itself where it is of none; these are
//! numbered from 0 by their nodes, too.
//!
//! ```text
//! leaves of a k-mer ─► LeafSet: species, ascending ──── all that most of classifying reads
//!                               └─ of each, which of its leaves, or that this is not told any more (folded)
//! ```

mod detail;

use thalweg_files::{read_varint, write_varint};

use crate::{Node, Taxonomy};

pub use detail::{Detail, LeafPlaces};

/// Which leaf is at which node, and of which species.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Species {
    /// Of each leaf, rising.
    leaf_nodes: Vec<Node>,
    /// Of each species, rising.
    nodes: Vec<Node>,
    /// Of each leaf.
    of_leaves: Vec<u32>,
    /// Of each leaf, among the leaves of its species.
    places: Vec<u32>,
    /// Where each species' leaves begin in `leaves`, and where the last one's end.
    starts: Vec<u32>,
    /// Species by species, in each rising.
    leaves: Vec<u32>,
}

impl Species {
    /// Those of the leaves at these nodes. Cost: linear in the taxonomy.
    ///
    /// # Panics
    /// Unless the nodes rise strictly and are of this taxonomy.
    pub fn new(taxonomy: &Taxonomy, leaf_nodes: impl Into<Vec<Node>>) -> Self {
        let leaf_nodes = leaf_nodes.into();
        assert!(leaf_nodes.is_sorted_by(|one, next| one < next));
        assert!(
            leaf_nodes
                .last()
                .is_none_or(|&node| taxonomy.contains(node))
        );
        // Parents have lower numbers: what is above a node is known when its turn comes.
        let mut above: Vec<Option<Node>> = Vec::with_capacity(taxonomy.len());
        for node in taxonomy.nodes() {
            let of_parent = (taxonomy.parent(node)).and_then(|parent| above[parent.0 as usize]);
            let is_species = taxonomy.is_species(node);
            above.push(if is_species { Some(node) } else { of_parent });
        }
        let of_nodes = (leaf_nodes.iter()).map(|&node| above[node.0 as usize].unwrap_or(node));
        let of_nodes = Vec::from_iter(of_nodes);
        let mut nodes = of_nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        let number = |node: &Node| nodes.partition_point(|other| other < node) as u32;
        let of_leaves = Vec::from_iter(of_nodes.iter().map(number));

        let mut starts = vec![0; nodes.len() + 1];
        let mut places = Vec::with_capacity(leaf_nodes.len());
        for &species in &of_leaves {
            places.push(starts[species as usize + 1]);
            starts[species as usize + 1] += 1;
        }
        for species in 0..nodes.len() {
            starts[species + 1] += starts[species];
        }
        let mut leaves = vec![0; leaf_nodes.len()];
        for (leaf, (&species, &place)) in of_leaves.iter().zip(&places).enumerate() {
            leaves[(starts[species as usize] + place) as usize] = leaf as u32;
        }
        Self {
            leaf_nodes,
            nodes,
            of_leaves,
            places,
            starts,
            leaves,
        }
    }

    /// Number of species.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes of all species, by number.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of a species.
    ///
    /// # Panics
    /// If there is no such species; so do all that take the number of one.
    #[inline]
    pub fn node(&self, species: u32) -> Node {
        self.nodes[species as usize]
    }

    /// The species of a node, if it is one.
    pub fn at_node(&self, node: Node) -> Option<u32> {
        self.nodes.binary_search(&node).ok().map(|at| at as u32)
    }

    /// The nodes of all leaves, by number.
    #[inline]
    pub fn leaf_nodes(&self) -> &[Node] {
        &self.leaf_nodes
    }

    /// The leaf at a node, if there is one.
    pub fn leaf_at_node(&self, node: Node) -> Option<u32> {
        let found = self.leaf_nodes.binary_search(&node);
        found.ok().map(|at| at as u32)
    }

    /// The species of a leaf.
    ///
    /// # Panics
    /// If there is no such leaf.
    #[inline]
    pub fn of_leaf(&self, leaf: u32) -> u32 {
        self.of_leaves[leaf as usize]
    }

    /// The leaves of a species, ascending; at least one. [`LeafPlaces`] are counted among these.
    #[inline]
    pub fn leaves_of(&self, species: u32) -> &[u32] {
        let at = species as usize;
        &self.leaves[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// The leaves that a k-mer is found in. Sets are equal, and in the same order, as their bytes are.
///
/// Of one species or more; of each it has which of its leaves, or not ([`Detail`]). Of a species with a single leaf that is
/// never told, as it is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafSet {
    bytes: Box<[u8]>,
    /// Bytes of the part that tells the species.
    details: u32,
}

impl LeafSet {
    /// The set of these leaves, in any order. Of a species of which more than `most_strains` are among them, it does not
    /// tell which.
    ///
    /// # Panics
    /// If there are none, or a leaf that `species` does not know.
    pub fn of_leaves(leaves: &[u32], species: &Species, most_strains: usize) -> Self {
        assert!(!leaves.is_empty());
        let place = |&leaf: &u32| (species.of_leaf(leaf), species.places[leaf as usize]);
        let mut places = Vec::from_iter(leaves.iter().map(place));
        // Most often they are sorted already.
        places.sort_unstable();
        places.dedup();
        let of_one_species = || places.chunk_by(|one, next| one.0 == next.0);
        let mut bytes = species_bytes(of_one_species().map(|places| places[0].0));
        let details = bytes.len() as u32;
        for places in of_one_species() {
            let leaves = species.leaves_of(places[0].0).len();
            match leaves == 1 || places.len() > most_strains {
                true => detail::write_unknown(&mut bytes),
                false => detail::write(&mut bytes, places.iter().map(|&(_, place)| place)),
            }
        }
        Self {
            bytes: bytes.into(),
            details,
        }
    }

    /// The set of these leaves and species, in any order. Of the species, and of those of which more than `most_strains` are
    /// among the leaves, it does not tell which leaves it has.
    ///
    /// # Panics
    /// If there are none, or one that `all` does not know.
    pub(crate) fn of_members(
        leaves: &[u32],
        species: &[u32],
        all: &Species,
        most_strains: usize,
    ) -> Self {
        if species.is_empty() {
            return Self::of_leaves(leaves, all, most_strains);
        }
        let told = match leaves {
            [] => None,
            _ => Some(Self::of_leaves(leaves, all, most_strains)),
        };
        let told = told.iter().flat_map(Self::details);
        let mut details = Vec::from_iter(species.iter().map(|&of| (of, Detail::UNKNOWN)));
        details.extend(told.filter(|(of, _)| !species.contains(of)));
        details.sort_by_key(|&(of, _)| of);
        details.dedup_by_key(|&mut (of, _)| of);
        Self::of_details(details.iter().copied())
    }

    /// The set of these species, ascending strictly, whose leaves are not told.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_species(species: impl ExactSizeIterator<Item = u32>) -> Self {
        let number = species.len();
        assert!(number > 0);
        let mut bytes = species_bytes_of(number, species);
        let details = bytes.len() as u32;
        (0..number).for_each(|_| detail::write_unknown(&mut bytes));
        Self {
            bytes: bytes.into(),
            details,
        }
    }

    /// The set of these species, ascending strictly, with what is told of the leaves of each.
    ///
    /// # Panics
    /// If there are none.
    pub(crate) fn of_details<'a>(details: impl Iterator<Item = (u32, Detail<'a>)> + Clone) -> Self {
        let mut bytes = species_bytes(details.clone().map(|(species, _)| species));
        assert!(bytes[0] > 0);
        let species_bytes = bytes.len() as u32;
        details.for_each(|(_, detail)| detail.write(&mut bytes));
        Self {
            bytes: bytes.into(),
            details: species_bytes,
        }
    }

    /// The same species, of none of which it tells the leaves.
    #[must_use]
    pub fn folded(&self) -> Self {
        Self::of_species(Vec::from_iter(self.species()).into_iter())
    }

    /// Whether there is nothing to fold.
    pub fn is_folded(&self) -> bool {
        self.details_bytes().iter().all(|&byte| byte == 0)
    }

    /// Its species, ascending.
    pub fn species(&self) -> impl Iterator<Item = u32> + '_ {
        let mut bytes = &self.bytes[..];
        let number = next(&mut bytes);
        let mut least = 0;
        (0..number).map(move |_| {
            let species = least + next(&mut bytes);
            least = species + 1;
            species as u32
        })
    }

    /// Its species, ascending, and what it tells of the leaves of each.
    pub fn details(&self) -> impl Iterator<Item = (u32, Detail<'_>)> {
        let mut bytes = self.details_bytes();
        self.species().map(move |species| {
            let detail = Detail::take(&mut bytes).unwrap_or(Detail::UNKNOWN);
            (species, detail)
        })
    }

    /// Its bytes, of which it can be made again: number of species and the species, then what is told of the leaves of each.
    ///
    /// All are integers of variable length. Of the first species its number; of each other one, how many lie between it and
    /// the one before. Of each species the number of stretches of its leaves, 0 if they are not told; of each stretch, how
    /// many leaves lie before it (behind the stretch before, less one), and how many it has, less one.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The set of these bytes, which [`to_bytes`](Self::to_bytes) gave; `None` if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let number = read_varint(&mut rest).ok().filter(|&number| number > 0)?;
        let mut least = 0u64;
        for _ in 0..number {
            let species = least.checked_add(read_varint(&mut rest).ok()?)?;
            u32::try_from(species).ok()?;
            least = species + 1;
        }
        let details = u32::try_from(bytes.len() - rest.len()).ok()?;
        for _ in 0..number {
            Detail::take(&mut rest)?;
        }
        rest.is_empty().then(|| Self {
            bytes: bytes.into(),
            details,
        })
    }

    /// The part of the bytes that tells the species.
    pub(crate) fn species_part(&self) -> &[u8] {
        &self.bytes[..self.details as usize]
    }

    /// The part that tells the leaves.
    pub(crate) fn details_bytes(&self) -> &[u8] {
        &self.bytes[self.details as usize..]
    }
}

fn species_bytes(species: impl Iterator<Item = u32> + Clone) -> Vec<u8> {
    species_bytes_of(species.clone().count(), species)
}

fn species_bytes_of(number: usize, species: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * number + 2);
    write_varint(&mut bytes, number as u64);
    let mut least = 0;
    for species in species {
        let species = u64::from(species);
        debug_assert!(species >= least, "ascending");
        write_varint(&mut bytes, species - least);
        least = species + 1;
    }
    bytes
}

/// The next integer of bytes that were checked.
fn next(bytes: &mut &[u8]) -> u64 {
    read_varint(bytes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Taxid;
    use crate::taxonomy::StoredNode;

    /// 0 root, 1 genus, 2 species, 3 to 5 its strains, 6 species without strains, 7 no rank.
    fn species(leaves: &[u32]) -> Species {
        let node = |(taxid, parent, rank)| StoredNode {
            taxid: Taxid(taxid),
            parent: Node(parent),
            rank,
            name: "",
        };
        let nodes = [
            (1, 0, "no rank"),
            (2, 0, "genus"),
            (3, 1, "species"),
            (4, 2, "strain"),
            (5, 2, "strain"),
            (6, 2, "strain"),
            (7, 1, "species"),
            (8, 0, "no rank"),
        ];
        let taxonomy = Taxonomy::from_stored(nodes.map(node), []).unwrap();
        Species::new(&taxonomy, Vec::from_iter(leaves.iter().copied().map(Node)))
    }

    #[test]
    fn leaves_have_species() {
        let species = species(&[1, 2, 3, 5, 6, 7]);
        assert_eq!(species.len(), 4);
        let nodes = [0, 1, 2, 3].map(|number| species.node(number).0);
        assert_eq!(nodes, [1, 2, 6, 7]);
        let of_leaves = [0, 1, 2, 3, 4, 5].map(|leaf| species.of_leaf(leaf));
        assert_eq!(of_leaves, [0, 1, 1, 1, 2, 3]);
        assert_eq!(species.leaves_of(1), [1, 2, 3]);
        assert_eq!(species.leaves_of(3), [5]);
        assert_eq!(species.at_node(Node(6)), Some(2));
        assert_eq!(species.at_node(Node(5)), None);
        assert_eq!(species.leaf_at_node(Node(5)), Some(3));
        assert_eq!(species.leaf_at_node(Node(4)), None);
    }

    fn told(set: &LeafSet, species: &Species) -> Vec<(u32, Option<Vec<u32>>)> {
        let told = |(number, detail): (u32, Detail)| {
            let leaves = species.leaves_of(number);
            let told = |places: LeafPlaces| places.map(|place| leaves[place as usize]).collect();
            (number, detail.places().map(told))
        };
        set.details().map(told).collect()
    }

    #[test]
    fn sets_tell_what_they_were_made_of() {
        let species = species(&[1, 2, 3, 5, 6, 7]);
        let set = |leaves: &[u32], most| LeafSet::of_leaves(leaves, &species, most);
        let all = set(&[4, 1, 3, 0], 16);
        let expected = vec![(0, None), (1, Some(vec![1, 3])), (2, None)];
        assert_eq!(told(&all, &species), expected);
        assert_eq!(all, set(&[0, 1, 3, 3, 4], 2));
        assert_eq!(Vec::from_iter(all.species()), [0, 1, 2]);
        assert_eq!(LeafSet::from_bytes(all.to_bytes()).as_ref(), Some(&all));
        assert!(!all.is_folded());

        let folded = set(&[0, 1, 3, 4], 1);
        assert_eq!(folded, all.folded());
        assert!(folded.is_folded());
        assert_eq!(told(&folded, &species)[1], (1, None));
        assert_ne!(folded, all);
        assert_eq!(folded.species_part(), all.species_part());
        assert_eq!(
            told(&set(&[1, 2, 3], 16), &species),
            [(1, Some(vec![1, 2, 3]))]
        );
        assert!(set(&[5], 16).is_folded());
    }

    #[test]
    fn other_bytes_are_no_set() {
        for bytes in [
            &[][..],
            &[0],
            &[1],
            &[1, 0],
            &[1, 0, 1],
            &[1, 0, 1, 0],
            &[1, 0, 0, 0],
            &[2, 0, 0, 0],
            &[1, 0x80, 0x80, 0x80, 0x80, 0x10, 0],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0],
            &[1, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0],
        ] {
            assert_eq!(LeafSet::from_bytes(bytes), None, "{bytes:?}");
        }
        assert!(LeafSet::from_bytes(&[2, 0, 0, 0, 1, 0, 3]).is_some());
    }
}
