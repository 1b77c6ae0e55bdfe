//! Putting together all that may say which taxon a sequence is of.

use std::path::Path;

use super::{Accessions, Table, header};
use crate::Taxid;
use crate::taxonomy::{Found, Node, Taxonomy};

/// What says which taxa sequences are of; see the [module](super) for what comes first.
#[derive(Debug)]
pub struct Sources {
    /// The user's, by sequence or file.
    pub table: Table,
    /// `seqid2taxid.map`.
    pub map: Table,
    /// accession2taxid.
    pub accessions: Accessions,
}

impl Default for Sources {
    fn default() -> Self {
        Self::new()
    }
}

/// Which of them said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignmentSource {
    /// The user's table, by the names of the file and of the sequence.
    TableOfBoth,
    /// The user's table, by the name of the sequence.
    TableOfSequences,
    /// The user's table, by the name of the file.
    TableOfFiles,
    /// `kraken:taxid|N` in the header.
    Header,
    /// `seqid2taxid.map`, by the names of the file and of the sequence.
    MapOfBoth,
    /// `seqid2taxid.map`, by the name of the sequence.
    Map,
    /// accession2taxid.
    Accession,
}

impl AssignmentSource {
    /// Returns whether it names sequences without their files, by names that several files may have.
    pub(crate) fn is_of_names_alone(self) -> bool {
        matches!(self, Self::TableOfSequences | Self::Map)
    }
}

/// Which taxon a sequence is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// This one.
    Taxon {
        /// The node.
        node: Node,
        /// As the source has it, unless the taxonomy merged it into another one.
        taxid: Taxid,
        /// Which says so.
        source: AssignmentSource,
    },
    /// This one, under a taxid that the taxonomy merged into another one.
    Merged {
        /// The node.
        node: Node,
        /// The old taxid, as the source has it.
        taxid: Taxid,
        /// Which says so.
        source: AssignmentSource,
    },
    /// None: the taxid was given up.
    Deleted {
        /// As the source has it.
        taxid: Taxid,
        /// Which says so.
        source: AssignmentSource,
    },
    /// None: the taxonomy does not know the taxid.
    Unknown {
        /// As the source has it.
        taxid: Taxid,
        /// Which says so.
        source: AssignmentSource,
    },
    /// None: nothing says which.
    Unmapped,
}

impl Assignment {
    /// The node, if the sequence is of one.
    pub fn node(&self) -> Option<Node> {
        match self {
            Self::Taxon { node, .. } | Self::Merged { node, .. } => Some(*node),
            Self::Deleted { .. } | Self::Unknown { .. } | Self::Unmapped => None,
        }
    }
}

impl Sources {
    /// Without any: headers alone count.
    pub fn new() -> Self {
        Self {
            table: Table::new(),
            map: Table::of_sequences(),
            accessions: Accessions::new(),
        }
    }

    /// The taxon of a sequence of `file`, whose header is given without `>`.
    ///
    /// A header of several names (see [`header::names`]) is of the lowest taxon above those that its names are of, as
    /// kraken2 has it; names without a taxon do not matter then. The taxid and the source are those of the first.
    pub fn assign(&self, taxonomy: &Taxonomy, file: &Path, header: &[u8]) -> Assignment {
        self.assign_noting(taxonomy, file, header, |_, _| {})
    }

    /// The same. Of each name that is of a taxon, `note` is told which source says so.
    pub fn assign_noting(
        &self,
        taxonomy: &Taxonomy,
        file: &Path,
        header: &[u8],
        mut note: impl FnMut(&[u8], AssignmentSource),
    ) -> Assignment {
        let mut all = header::parts(header).map(|part| {
            let found = self.taxid(file, part);
            if let Some((_, source)) = found {
                note(header::name(part), source);
            }
            Self::assigned(taxonomy, found)
        });
        let first = all.next().unwrap_or(Assignment::Unmapped);
        all.fold(first, |so_far, next| match (so_far.node(), next.node()) {
            (Some(one), Some(other)) => so_far.with_node(taxonomy.lca(one, other)),
            (None, Some(_)) => next,
            (_, None) => so_far,
        })
    }

    fn assigned(taxonomy: &Taxonomy, found: Option<(Taxid, AssignmentSource)>) -> Assignment {
        let Some((taxid, source)) = found else {
            return Assignment::Unmapped;
        };
        match taxonomy.find(taxid) {
            Found::Node(node) => Assignment::Taxon {
                node,
                taxid,
                source,
            },
            Found::Merged(node) => Assignment::Merged {
                node,
                taxid,
                source,
            },
            Found::Deleted => Assignment::Deleted { taxid, source },
            Found::Unknown => Assignment::Unknown { taxid, source },
        }
    }

    /// What the first source says that says anything of a header of one name.
    fn taxid(&self, file: &Path, header: &[u8]) -> Option<(Taxid, AssignmentSource)> {
        use AssignmentSource::{
            Accession, Header, Map, MapOfBoth, TableOfBoth, TableOfFiles, TableOfSequences,
        };

        let name = header::name(header);
        let (table, map) = (&self.table, &self.map);
        let from = |source| move |taxid| (taxid, source);
        (table.of_both(file, name).map(from(TableOfBoth)))
            .or_else(|| table.of_sequence(name).map(from(TableOfSequences)))
            .or_else(|| table.of_file(file).map(from(TableOfFiles)))
            .or_else(|| header::taxid(header).map(from(Header)))
            .or_else(|| map.of_both(file, name).map(from(MapOfBoth)))
            .or_else(|| map.of_sequence(name).map(from(Map)))
            .or_else(|| self.accessions.taxid(name).map(from(Accession)))
    }

    /// Which files one of them was read from, in words, such as `bad.tsv`.
    pub fn told(&self, source: AssignmentSource) -> String {
        let (paths, otherwise) = match source {
            AssignmentSource::TableOfBoth
            | AssignmentSource::TableOfSequences
            | AssignmentSource::TableOfFiles => (self.table.paths(), "a table"),
            AssignmentSource::Header => (&[][..], "the header"),
            AssignmentSource::MapOfBoth | AssignmentSource::Map => (self.map.paths(), "a map"),
            AssignmentSource::Accession => (self.accessions.paths(), "accession2taxid"),
        };
        match paths {
            [] => otherwise.to_owned(),
            [path] => path.display().to_string(),
            [path, others @ ..] => format!("{} or {} more", path.display(), others.len()),
        }
    }

    /// Whether accession2taxid is needed for the header: asks it for each name that no other source knows. Of the same headers
    /// [`assign`](Self::assign) is to be asked when the files were read.
    pub fn want_accessions(&mut self, file: &Path, header: &[u8]) {
        for part in header::parts(header) {
            if self.taxid(file, part).is_none() {
                self.accessions.want(header::name(part));
            }
        }
    }
}

impl Assignment {
    fn with_node(mut self, new: Node) -> Self {
        if let Self::Taxon { node, .. } | Self::Merged { node, .. } = &mut self {
            *node = new;
        }
        self
    }
}
