//! Profiles and bins as the CAMI challenges have them.
//!
//! A profile (version 0.9.1) has percentages of genomes by rank, of what is present; they sum up to 100 at each rank as far
//! as all species have a taxon of it. Bins (0.9.0) have a taxon for each read that was called; a pair has one line, with
//! the name of the first mate without its `/1`.

use std::io::{self, Write};
use std::path::Path;

use crate::Result;
use crate::label::without_mate;
use crate::sample::Profile;
use crate::taxonomy::{Node, RankCode, Taxid, Taxonomy};
use crate::text;

/// Ranks with their letters in reports.
const RANKS: [(char, &str); 7] = [
    ('D', "superkingdom"),
    ('P', "phylum"),
    ('C', "class"),
    ('O', "order"),
    ('F', "family"),
    ('G', "genus"),
    ('S', "species"),
];

impl Profile {
    /// Writes a CAMI profile of the sample of this name, in which line ends and tabs become spaces. `path` is for messages.
    ///
    /// # Errors
    /// What the system said.
    pub fn write_cami(
        &self,
        taxonomy: &Taxonomy,
        sample: &str,
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        text::written(self.write_ranks(taxonomy, sample, &mut output), path)?;
        text::written(output.flush(), path)
    }

    fn write_ranks(
        &self,
        taxonomy: &Taxonomy,
        sample: &str,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let names = RANKS.map(|(_, name)| name).join("|");
        writeln!(
            output,
            "@SampleID:{}\n@Version:0.9.1\n@Ranks:{names}\n@@TAXID\tRANK\tTAXPATH\tTAXPATHSN\tPERCENTAGE",
            in_one_line(sample)
        )?;
        let codes = taxonomy.rank_codes();
        let rank_of = |node: Node| rank_of(taxonomy, node, codes[node.0 as usize]);
        let nearest = nearest_of_ranks(taxonomy, rank_of);
        let is_there = |share: &f64| *share > 0.0;
        for (rank, (_, name)) in RANKS.into_iter().enumerate() {
            let of_rank = self
                .rows()
                .iter()
                .filter(|row| rank_of(row.node) == Some(rank));
            let mut of_rank = Vec::from_iter(of_rank.filter_map(|row| {
                let share = row.abundance.filter(is_there)?;
                Some((row.node, share))
            }));
            // The most abundant first, and of equal ones that of the lesser number: the order of nodes is kept.
            of_rank.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            for (node, share) in of_rank {
                let path = &nearest[node.0 as usize][..=rank];
                write!(output, "{}\t{name}\t", taxonomy.taxid(node))?;
                for (i, above) in path.iter().enumerate() {
                    let bar = if i > 0 { "|" } else { "" };
                    let taxid = above.map(|above| taxonomy.taxid(above).to_string());
                    write!(output, "{bar}{}", taxid.unwrap_or_default())?;
                }
                write!(output, "\t")?;
                for (i, above) in path.iter().enumerate() {
                    let bar = if i > 0 { "|" } else { "" };
                    // Bars are between names alone.
                    let above = above.map(|above| taxonomy.name(above).replace('|', "/"));
                    write!(output, "{bar}{}", above.unwrap_or_default())?;
                }
                writeln!(output, "\t{:.6}", 100.0 * share)?;
            }
        }
        Ok(())
    }
}

/// By node: for each of [`RANKS`], the nearest node of this rank, itself or above it. Cost: linear, however deep the tree.
fn nearest_of_ranks(
    taxonomy: &Taxonomy,
    rank_of: impl Fn(Node) -> Option<usize>,
) -> Vec<[Option<Node>; RANKS.len()]> {
    let mut nearest = Vec::<[Option<Node>; RANKS.len()]>::with_capacity(taxonomy.len());
    for node in taxonomy.nodes() {
        let above = taxonomy.parent(node);
        let mut of_node = above.map_or([None; RANKS.len()], |above| nearest[above.0 as usize]);
        if let Some(place) = rank_of(node) {
            of_node[place] = Some(node);
        }
        nearest.push(of_node);
    }
    nearest
}

/// The place of a node's rank in [`RANKS`]. Viruses had the rank of a superkingdom before they had one of their own.
fn rank_of(taxonomy: &Taxonomy, node: Node, code: RankCode) -> Option<usize> {
    if taxonomy.rank(node) == "acellular root" {
        return Some(0);
    }
    (RANKS.iter()).position(|(letter, _)| code.steps == 0 && code.letter == *letter)
}

/// The lines before all bins of the sample of this name, in which line ends and tabs become spaces.
pub fn bins_head(sample: &str) -> String {
    let sample = in_one_line(sample);
    format!("@Version:0.9.0\n@SampleID:{sample}\n@@SEQUENCEID\tTAXID\n")
}

/// Appends the line of a read, or of a pair of which `id` is the first mate's name.
pub fn write_bin(id: &[u8], is_pair: bool, taxid: Taxid, out: &mut Vec<u8>) {
    out.extend_from_slice(if is_pair { without_mate(id) } else { id });
    out.extend_from_slice(format!("\t{taxid}\n").as_bytes());
}

fn in_one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}
