//! NCBI's taxdump: `nodes.dmp`, `names.dmp`, `merged.dmp` and `delnodes.dmp`.
//!
//! A line is a row, fields are separated by `\t|\t`, and `\t|` ends the line (`readme.txt` of
//! <https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump.tar.gz>, described in
//! <https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/new_taxdump/taxdump_readme.txt>):
//!
//! ```text
//! nodes.dmp     taxid | parent | rank | …
//! names.dmp     taxid | name | unique name | class of the name
//! merged.dmp    old taxid | new taxid
//! delnodes.dmp  taxid
//! ```
//!
//! In 2025 NCBI changed ranks: `superkingdom` is `domain`, and there are `cellular root`, `acellular root` and `realm`. Ranks
//! are text here, so that it does not matter; who needs one of them knows both names.

use std::io::{BufRead, Write};
use std::path::Path;

use super::{Node, Taxid, Taxonomy, TaxonomyBuilder};
use crate::text::{self, Lines, Place};
use crate::{Error, ErrorKind, Result};

/// Reads a taxdump, in any order of its files, of which `nodes.dmp` is the only one that must be there.
///
/// Tolerated as by kraken2: lines that end in CR LF, fields behind those that are needed, a root that names another parent
/// than itself, names of taxids that are no nodes, several scientific names for one (the last counts), nodes without one
/// (kraken2 prints none, here it is `taxid N`). Besides, the `\t|` at the end of a line may be missing, and empty lines are
/// passed over.
///
/// Not tolerated, where kraken2 leaves out sequences silently or stops with a message about numbers: see [`TaxonomyBuilder`] and the
/// errors of each method. Names and ranks must be UTF-8; those of other classes than `scientific name` are not looked at.
#[derive(Debug, Default)]
pub struct Taxdump {
    builder: TaxonomyBuilder,
}

impl Taxdump {
    /// One of which nothing was read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `nodes.dmp`. `path` is for messages.
    ///
    /// # Errors
    /// It cannot be read, a line has fewer than three fields, a taxid is no number from 1 to 2^32 - 1 (a parent of 0 is none),
    /// a rank is not UTF-8, or there are no nodes.
    pub fn read_nodes(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            let [taxid, parent, rank] = fields(line, place)?;
            let taxid = place.taxid(taxid)?;
            let parent = match text::parse_number(parent) {
                Some(0) => None,
                _ => Some(place.taxid(parent)?),
            };
            let rank = place.text(rank, "the rank")?;
            let added = (self.builder).add_node_of_line(taxid, parent, rank, place.line());
            added.map_err(|kind| place.error(kind))?;
        }
        if self.builder.nodes() == 0 {
            return Err(Error::new(ErrorKind::NoNodes).in_file(path));
        }
        self.builder.path = Some(path.to_owned());
        Ok(())
    }

    /// Reads the scientific names of `names.dmp`. If nodes were read before, one of them must have a name here.
    ///
    /// # Errors
    /// It cannot be read, a line has fewer than four fields, a taxid is no number from 1 to 2^32 - 1, a scientific name is not
    /// UTF-8 or has control characters, or none is of a node.
    pub fn read_names(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            let [taxid, name, _, class] = fields(line, place)?;
            let taxid = place.taxid(taxid)?;
            if class == b"scientific name" {
                let name = place.text(name, "the name")?;
                self.builder.add_name(taxid, name)?;
            }
        }
        if self.builder.nodes() > 0 && !self.builder.has_names() {
            return Err(Error::new(ErrorKind::NoNames).in_file(path));
        }
        Ok(())
    }

    /// Reads `merged.dmp`.
    ///
    /// # Errors
    /// It cannot be read, a line has fewer than two fields, or a taxid is no number from 1 to 2^32 - 1.
    pub fn read_merged(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            let [old, new] = fields(line, place)?;
            (self.builder).add_merged(place.taxid(old)?, place.taxid(new)?);
        }
        Ok(())
    }

    /// Reads `delnodes.dmp`.
    ///
    /// # Errors
    /// It cannot be read, or a taxid is no number from 1 to 2^32 - 1.
    pub fn read_deleted(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            let [taxid] = fields(line, place)?;
            self.builder.add_deleted(place.taxid(taxid)?);
        }
        Ok(())
    }

    /// The tree of all that was read.
    ///
    /// # Errors
    /// The nodes are no tree, see [`TaxonomyBuilder::finish`]; the file is that of the nodes, and the line that of the node.
    pub fn finish(self) -> Result<Taxonomy> {
        self.builder.finish()
    }
}

const SEPARATOR: &[u8] = b"\t|\t";

/// The first fields of a line.
fn fields<'l, const N: usize>(line: &'l [u8], place: Place<'_>) -> Result<[&'l [u8]; N]> {
    let mut rest = Some(line.strip_suffix(b"\t|").unwrap_or(line));
    let mut fields = [&[][..]; N];
    for (found, field) in fields.iter_mut().enumerate() {
        let Some(text) = rest else {
            return Err(place.error(ErrorKind::MissingFields {
                needed: N,
                found,
                separator: "separated by tab, `|`, tab",
            }));
        };
        (*field, rest) = match text.windows(SEPARATOR.len()).position(|w| w == SEPARATOR) {
            Some(at) => (&text[..at], Some(&text[at + SEPARATOR.len()..])),
            None => (text, None),
        };
    }
    Ok(fields)
}

/// Writes `nodes.dmp` with NCBI's thirteen columns, by number of node (so that parents come first); the ones that say
/// nothing here are as those of the root are. `path` is for messages.
///
/// # Errors
/// What the system said.
pub fn write_nodes(taxonomy: &Taxonomy, mut output: impl Write, path: &Path) -> Result<()> {
    let mut line = |node: Node| {
        let taxid = taxonomy.taxid(node);
        let parent = taxonomy.parent(node).map_or(taxid, |it| taxonomy.taxid(it));
        let rank = taxonomy.rank(node);
        writeln!(
            output,
            "{taxid}\t|\t{parent}\t|\t{rank}\t|\t\t|\t8\t|\t0\t|\t1\t|\t0\t|\t0\t|\t0\t|\t0\t|\t0\t|\t\t|"
        )
    };
    text::written(taxonomy.nodes().try_for_each(&mut line), path)?;
    text::written(output.flush(), path)
}

/// Writes `names.dmp`, the scientific names alone, by number of node. `path` is for messages.
///
/// # Errors
/// What the system said.
pub fn write_names(taxonomy: &Taxonomy, mut output: impl Write, path: &Path) -> Result<()> {
    let mut line = |node: Node| {
        let (taxid, name) = (taxonomy.taxid(node), taxonomy.name(node));
        writeln!(output, "{taxid}\t|\t{name}\t|\t\t|\tscientific name\t|")
    };
    text::written(taxonomy.nodes().try_for_each(&mut line), path)?;
    text::written(output.flush(), path)
}

/// Writes `merged.dmp`: old taxids of nodes, rising. `path` is for messages.
///
/// # Errors
/// What the system said.
pub fn write_merged(taxonomy: &Taxonomy, mut output: impl Write, path: &Path) -> Result<()> {
    let mut line =
        |&(old, node): &(Taxid, Node)| writeln!(output, "{old}\t|\t{}\t|", taxonomy.taxid(node));
    text::written(taxonomy.merged().iter().try_for_each(&mut line), path)?;
    text::written(output.flush(), path)
}
