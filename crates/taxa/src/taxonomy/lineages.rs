//! Tables of lineages: what GTDB gives in place of a taxdump (`bac120_taxonomy.tsv`), and what people write.
//!
//! ```text
//! RS_GCF_000005845.2 <tab> d__Bacteria;p__Pseudomonadota;…;g__Escherichia;s__Escherichia coli
//! genome7            <tab> Bacteria;Pseudomonadota;…;Escherichia;Escherichia coli
//! ```
//!
//! The first column names a genome or a sequence, the second what it belongs to, from the top. Further columns are not
//! looked at, nor lines that begin with `#`, nor a first line that says `lineage`, `classification`, `taxonomy`,
//! `gtdb_taxonomy` or `taxon` in its second column.
//!
//! Ranks stand before the names (`sk__` superkingdom, `d__` domain, `r__` realm, `k__` kingdom, `p__` phylum, `c__` class,
//! `o__` order, `f__` family, `g__` genus, `s__` species, `t__` strain), in this order, where any may be missing or have no
//! name (`s__`). If the first line has no such prefix, no line may, and ranks follow from places: domain, phylum, class,
//! order, family, genus, species, strain.
//!
//! Two nodes are the same if all names and ranks from the top are, so that a genus called `uncultured` of one family is not
//! that of another.

mod ids;

use std::collections::HashMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::{Taxid, Taxonomy, TaxonomyBuilder};
use crate::text::{Lines, Place, parse_taxid, shown};
use crate::{Error, ErrorKind, Result};

/// Reads one or more tables of lineages, of which taxids follow.
///
/// # Taxids
/// The root is 1, all others are from 2^28 to 2^31 - 1, where neither NCBI's are nor what programs take for negative. They
/// follow from the names alone: of the lineage from the top to the node, written with prefixes and `;` between them, without
/// ranks that have no name, FNV-1a of 64 bits is taken, mixed by the finalizer of MurmurHash3, modulo 2^31 - 2^28. So they
/// are the same for each table that has the lineage, in every release, on every machine, and with or without prefixes.
///
/// Lineages that get the same one are told apart by their order as bytes: the first keeps it, and the others, in this order,
/// take the next one that no lineage has (the hash plus n times the odd number nearest to 2^64 divided by the golden
/// ratio, mixed again). Of n nodes some n² / 3.8 × 10^9 are concerned: 6 of GTDB's 150,000. The taxid of such a node,
/// and of no other, depends on what else is in the table.
#[derive(Debug, Default)]
pub struct Lineages {
    nodes: Vec<Entry>,
    /// By lineage from the top, written with prefixes.
    numbers: HashMap<Box<str>, u32>,
    members: Vec<(Box<str>, u32)>,
    /// By name: the node.
    member_nodes: HashMap<Box<str>, u32>,
    has_prefixes: Option<bool>,
    are_members_strains: bool,
    /// For messages.
    path: PathBuf,
}

/// What tables of lineages say.
#[derive(Clone, Debug)]
pub struct OfLineages {
    /// The tree of all lineages.
    pub taxonomy: Taxonomy,
    /// Names of the first column with their taxa, in the order in which they stand.
    pub members: Vec<(Box<str>, Taxid)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// `None` right below the root.
    parent: Option<u32>,
    rank: usize,
}

/// Prefixes and ranks, from the top.
const RANKS: [(&str, &str); 11] = [
    ("sk", "superkingdom"),
    ("d", "domain"),
    ("r", "realm"),
    ("k", "kingdom"),
    ("p", "phylum"),
    ("c", "class"),
    ("o", "order"),
    ("f", "family"),
    ("g", "genus"),
    ("s", "species"),
    ("t", "strain"),
];
const STRAIN: usize = RANKS.len() - 1;
/// Ranks of lineages without prefixes, by place.
const BY_PLACE: [usize; 8] = [1, 4, 5, 6, 7, 8, 9, STRAIN];

const HEADERS: [&str; 5] = [
    "lineage",
    "classification",
    "taxonomy",
    "gtdb_taxonomy",
    "taxon",
];

impl Lineages {
    /// One of which nothing was read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives each name of the first column a node of its own, of rank `strain`, below what its lineage says. Otherwise all
    /// genomes of a species are the same taxon.
    pub fn with_members_as_strains(mut self) -> Self {
        self.are_members_strains = true;
        self
    }

    /// Reads a table. `path` is for messages.
    ///
    /// # Errors
    /// It cannot be read; a line has fewer than two fields or is not UTF-8; a lineage has no name, is a number, has too many
    /// names, an unknown or a missing prefix, or ranks that are not in order; a name of the first column has another lineage than before.
    pub fn read(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        self.path = path.to_owned();
        let mut lines = Lines::new(input, path);
        let mut is_first = true;
        while let Some((line, place)) = lines.next()? {
            let line = place.text_with_tabs(line, "the line")?;
            if line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t').map(str::trim);
            let (Some(member), Some(lineage)) = (fields.next(), fields.next()) else {
                return Err(place.error(ErrorKind::MissingFields {
                    needed: 2,
                    found: 1,
                    separator: "tab-separated",
                }));
            };
            let is_header = HEADERS
                .iter()
                .any(|word| word.eq_ignore_ascii_case(lineage));
            if !(std::mem::take(&mut is_first) && is_header) {
                self.add(member, lineage, place)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, member: &str, lineage: &str, place: Place<'_>) -> Result<()> {
        // Fields of taxdumps have `|` between them.
        if lineage == "|" {
            return Err(place.error(ErrorKind::FileOfTaxdump));
        }
        if parse_taxid(lineage.as_bytes()).is_some() {
            return Err(place.error(ErrorKind::NotALineage {
                found: lineage.to_owned(),
            }));
        }
        let mut names = self.names_of(lineage, place)?;
        if self.are_members_strains {
            if names.last().is_some_and(|(rank, _)| *rank == STRAIN) {
                names.pop();
            }
            names.push((STRAIN, member));
        }
        let node = self.node(&names)?;
        match self.member_nodes.get(member) {
            None => {
                self.member_nodes.insert(member.into(), node);
                self.members.push((member.into(), node));
                Ok(())
            }
            Some(known) if *known == node => Ok(()),
            Some(_) => Err(place.error(ErrorKind::TwoLineages {
                name: shown(member.as_bytes()),
            })),
        }
    }

    /// Ranks and names of a lineage.
    fn names_of<'l>(
        &mut self,
        lineage: &'l str,
        place: Place<'_>,
    ) -> Result<Vec<(usize, &'l str)>> {
        let fields = lineage.trim_end_matches(';').split(';').map(str::trim);
        let has_prefixes = *(self.has_prefixes)
            .get_or_insert_with(|| fields.clone().any(|field| prefixed(field).is_some()));
        let mut names = Vec::with_capacity(RANKS.len());
        for (at, field) in fields.enumerate() {
            let (rank, name) = match (prefixed(field), has_prefixes) {
                (Some(found), true) => found,
                (None, false) => {
                    let rank = BY_PLACE.get(at).ok_or_else(|| {
                        place.error(ErrorKind::LongLineage {
                            limit: BY_PLACE.len(),
                        })
                    })?;
                    (*rank, field)
                }
                _ => {
                    return Err(place.error(ErrorKind::BadPrefix {
                        found: shown(field.as_bytes()),
                    }));
                }
            };
            if name.is_empty() {
                continue;
            }
            if names.last().is_some_and(|(above, _)| *above >= rank) {
                return Err(place.error(ErrorKind::RankOrder {
                    found: shown(field.as_bytes()),
                }));
            }
            names.push((rank, name));
        }
        if names.is_empty() {
            return Err(place.error(ErrorKind::NoLineage));
        }
        Ok(names)
    }

    /// The number of the node that ends a lineage; what is above it is made, too.
    fn node(&mut self, names: &[(usize, &str)]) -> Result<u32> {
        let mut path = String::new();
        let mut parent = None;
        for &(rank, name) in names {
            if !path.is_empty() {
                path.push(';');
            }
            path.extend([RANKS[rank].0, "__", name]);
            let known = self.numbers.get(path.as_str()).copied();
            parent = Some(match known {
                Some(number) => number,
                None => {
                    let number = self.nodes.len();
                    if number == ids::MOST_NODES {
                        let kind = ErrorKind::TooManyNodes { limit: number };
                        return Err(Error::new(kind).in_file(&self.path));
                    }
                    self.nodes.push(Entry { parent, rank });
                    self.numbers.insert(path.as_str().into(), number as u32);
                    number as u32
                }
            });
        }
        Ok(parent.expect("a lineage has a name"))
    }

    /// The tree of all that was read.
    ///
    /// # Errors
    /// There are no lineages.
    pub fn finish(self) -> Result<OfLineages> {
        if self.nodes.is_empty() {
            return Err(Error::new(ErrorKind::NoNodes).in_file(&self.path));
        }
        const ROOT: Taxid = Taxid(1);
        let mut lineages: Vec<_> = self.numbers.into_iter().collect();
        lineages.sort_unstable();
        let ids = ids::of(lineages.iter().map(|(lineage, _)| &**lineage));
        let mut taxids = vec![ROOT; self.nodes.len()];
        for ((_, number), id) in lineages.iter().zip(ids) {
            taxids[*number as usize] = id;
        }

        let mut builder = TaxonomyBuilder::new();
        builder.path = Some(self.path);
        builder.add_node(ROOT, None, "no rank")?;
        builder.add_name(ROOT, "root")?;
        for (lineage, number) in &lineages {
            let taxid = taxids[*number as usize];
            let node = self.nodes[*number as usize];
            let parent = node.parent.map_or(ROOT, |parent| taxids[parent as usize]);
            builder.add_node(taxid, Some(parent), RANKS[node.rank].1)?;
            builder.add_name(taxid, last_name(lineage))?;
        }
        let member = |(name, number): (Box<str>, u32)| (name, taxids[number as usize]);
        Ok(OfLineages {
            taxonomy: builder.finish()?,
            members: self.members.into_iter().map(member).collect(),
        })
    }
}

/// Rank and name of a field that begins with one of the prefixes.
fn prefixed(field: &str) -> Option<(usize, &str)> {
    let (prefix, name) = field.split_once("__")?;
    let rank = RANKS.iter().position(|(known, _)| *known == prefix)?;
    Some((rank, name.trim()))
}

/// The name at the end of a lineage written with prefixes.
fn last_name(lineage: &str) -> &str {
    let field = lineage.rsplit(';').next().unwrap_or(lineage);
    prefixed(field).map_or(field, |(_, name)| name)
}
