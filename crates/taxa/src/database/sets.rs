//! The sections of sets: lists of species, and for each set its list and which leaves of them.

use std::collections::HashMap;

use thalweg_files::write_varint;

use super::header::SectionName;
use super::input::Input;
use crate::Result;
use crate::set::{Detail, LeafPlaces, LeafSet, Species};

/// The sets of a database by number, from 1; 0 is the set of no leaves, which stands for what is not found.
///
/// Many sets have the same species. Lists of species have numbers of their own, which follow from the order of sets.
/// Memory: 8 bytes for each set and its details, 4 for each species of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSets {
    /// Of each set, and first of the empty one.
    lists: Vec<u32>,
    /// Where each list begins in `species`, and where the last one ends; list 0 is empty.
    starts: Vec<u32>,
    species: Vec<u32>,
    /// Where the details of each set begin in `details`.
    detail_starts: Vec<u32>,
    details: Box<[u8]>,
}

impl StoredSets {
    /// Number of sets: they are 1 to this.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.lists.len() - 1
    }

    /// The species of a set, ascending.
    ///
    /// # Panics
    /// If there is no such set; so do all that take the number of one.
    #[inline]
    pub fn species(&self, set: u32) -> &[u32] {
        self.species_of_list(self.list(set))
    }

    /// The number of its list of species, from 1; 0 of the empty set.
    #[inline]
    pub fn list(&self, set: u32) -> u32 {
        self.lists[set as usize]
    }

    /// Number of lists, with the empty one.
    pub fn lists(&self) -> usize {
        self.starts.len() - 1
    }

    /// The species of a list, ascending.
    ///
    /// # Panics
    /// If there is no such list.
    #[inline]
    pub fn species_of_list(&self, list: u32) -> &[u32] {
        let at = list as usize;
        &self.species[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The species of a set, ascending, and what it tells of the leaves of each.
    pub fn details(&self, set: u32) -> impl Iterator<Item = (u32, Detail<'_>)> + Clone {
        let mut bytes = &self.details[self.detail_starts[set as usize] as usize..];
        self.species(set).iter().map(move |&species| {
            let detail = Detail::take(&mut bytes).unwrap_or(Detail::UNKNOWN);
            (species, detail)
        })
    }

    /// The set by itself.
    ///
    /// # Panics
    /// If it is 0.
    pub fn leaf_set(&self, set: u32) -> LeafSet {
        LeafSet::of_details(self.details(set))
    }

    /// The leaves of one species that are in a set, as places among [those of the species](Species::leaves_of); `None` if
    /// the set does not tell, or does not have the species. Cost: linear in the details before.
    pub fn places(&self, set: u32, species: u32) -> Option<LeafPlaces<'_>> {
        let at = self.species(set).binary_search(&species).ok()?;
        self.details(set).nth(at)?.1.places()
    }

    /// The leaves of a set, ascending in each species, and species of which they are not told.
    pub fn members<'a>(&'a self, set: u32, of: &'a Species) -> impl Iterator<Item = Member> + 'a {
        self.details(set).flat_map(move |(species, detail)| {
            let leaves = of.leaves_of(species);
            let folded = match (leaves, detail.places()) {
                ([leaf], _) => Some(Member::Leaf(*leaf)),
                (_, None) => Some(Member::Species(species)),
                (_, Some(_)) => None,
            };
            let places = detail.places().filter(|_| folded.is_none());
            let told = places.into_iter().flatten();
            folded.into_iter().chain(
                told.filter_map(|place| leaves.get(place as usize).copied().map(Member::Leaf)),
            )
        })
    }

    /// Those of the bytes of both sections.
    ///
    /// # Errors
    /// They are damaged, or have species and leaves that are not there.
    pub(super) fn from_bytes(
        sets: &[u8],
        details: &[u8],
        number: u32,
        species: &Species,
    ) -> Result<Self> {
        let mut read = Self {
            lists: vec![0],
            starts: vec![0, 0],
            species: Vec::new(),
            detail_starts: vec![0],
            details: details.into(),
        };
        read.read_lists(sets, species)?;
        read.read_details(number, species)?;
        Ok(read)
    }

    fn read_lists(&mut self, bytes: &[u8], species: &Species) -> Result<()> {
        let mut input = Input::new(bytes, SectionName::Sets);
        for _ in 0..input.number()? {
            let mut least = 0;
            for _ in 0..input.number()? {
                let number = input.number_below(species.len() - least as usize, "species")? + least;
                self.species.push(number);
                least = number + 1;
            }
            let end = u32::try_from(self.species.len())
                .map_err(|_| input.fault("it has more than 2^32 species"))?;
            if self.starts.last() == Some(&end) {
                return Err(input.fault("a list has no species"));
            }
            self.starts.push(end);
        }
        input.end()
    }

    fn read_details(&mut self, number: u32, species: &Species) -> Result<()> {
        let mut input = Input::new(&self.details, SectionName::Detl);
        let details_start = |input: &mut Input| {
            let at = self.details.len() - input.rest().len();
            u32::try_from(at).map_err(|_| input.fault("it has more than 2^32 bytes"))
        };
        let (lists, all_species, starts) = (&mut self.lists, &self.species, &self.starts);
        for _ in 0..number {
            let list = input.number_below(starts.len() - 2, "list")? + 1;
            lists.push(list);
            self.detail_starts.push(details_start(&mut input)?);
            let range = starts[list as usize] as usize..starts[list as usize + 1] as usize;
            for &of in &all_species[range] {
                let leaves = species.leaves_of(of).len() as u64;
                let detail = Detail::take(input.rest());
                if detail.is_none_or(|detail| detail.end() > leaves) {
                    return Err(input.fault("which leaves a set has is damaged"));
                }
            }
        }
        input.end()
    }
}

/// One of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A leaf.
    Leaf(u32),
    /// A species that has several, of which it is not told which they are.
    Species(u32),
}

/// The bytes of both sections, of sets in the order of their numbers.
pub(super) fn write(sets: &[LeafSet]) -> (Vec<u8>, Vec<u8>) {
    let mut numbers = HashMap::new();
    let (mut lists, mut details) = (Vec::<u8>::new(), Vec::new());
    for set in sets {
        let next = numbers.len() as u64;
        let list = *numbers.entry(set.species_part()).or_insert_with(|| {
            lists.extend(set.species_part());
            next
        });
        write_varint(&mut details, list);
        details.extend(set.details_bytes());
    }
    let mut bytes = Vec::with_capacity(lists.len() + 5);
    write_varint(&mut bytes, numbers.len() as u64);
    bytes.extend(lists);
    (bytes, details)
}
