//! Ranks as Kraken's reports have them.

use std::fmt;

use super::{Node, Taxonomy, index};

/// A letter for the nearest rank at or above a node that has one, and how many steps below it the node is: `G`, `S1`.
///
/// As kraken2 has it: `R` root, `D` domain, `K` kingdom, `P` phylum, `C` class, `O` order, `F` family, `G` genus, `S`
/// species; `U` is for what is not classified. Steps count nodes in the tree, whatever their ranks.
///
/// kraken2 up to 2.16 knows NCBI's name of before 2025 for domains, `superkingdom`, alone, and gives `R2` for Bacteria of a
/// newer taxdump; here both names are `D`, as in 2.17.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RankCode {
    /// One of `RDKPCOFGS`, or `U`.
    pub letter: char,
    /// 0 for a node that has the rank itself.
    pub steps: u32,
}

impl RankCode {
    /// What is not classified has this one, and no node.
    pub const UNCLASSIFIED: Self = Self {
        letter: 'U',
        steps: 0,
    };
    const ROOT: Self = Self {
        letter: 'R',
        steps: 0,
    };

    /// Of a node of this rank; `None` if that has no letter.
    fn of_rank(rank: &str) -> Option<Self> {
        let letter = match rank {
            "domain" | "superkingdom" => 'D',
            "kingdom" => 'K',
            "phylum" => 'P',
            "class" => 'C',
            "order" => 'O',
            "family" => 'F',
            "genus" => 'G',
            "species" => 'S',
            _ => return None,
        };
        Some(Self { letter, steps: 0 })
    }

    fn one_step_below(self) -> Self {
        Self {
            steps: self.steps + 1,
            ..self
        }
    }
}

impl Taxonomy {
    /// Its code in Kraken's reports. Cost: steps up to the nearest rank that has a letter.
    pub fn rank_code(&self, node: Node) -> RankCode {
        let mut below = 0;
        for above in self.path_to_root(node) {
            if let Some(code) = RankCode::of_rank(self.rank(above)) {
                return RankCode {
                    steps: below,
                    ..code
                };
            }
            below += 1;
        }
        // The root itself was counted.
        RankCode {
            steps: below - 1,
            ..RankCode::ROOT
        }
    }

    /// The codes of all nodes, by number. Cost: linear, however deep the tree.
    pub fn rank_codes(&self) -> Vec<RankCode> {
        let of_rank: Vec<_> = (0..self.rank_names.len())
            .map(|rank| RankCode::of_rank(self.rank_names.get(rank)))
            .collect();
        let mut codes = Vec::<RankCode>::with_capacity(self.len());
        for node in self.nodes() {
            let own = of_rank[usize::from(self.ranks[index(node)])];
            let inherited = || match self.parent(node) {
                Some(parent) => codes[index(parent)].one_step_below(),
                None => RankCode::ROOT,
            };
            let code = own.unwrap_or_else(inherited);
            codes.push(code);
        }
        codes
    }
}

impl fmt::Display for RankCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps {
            0 => write!(f, "{}", self.letter),
            steps => write!(f, "{}{steps}", self.letter),
        }
    }
}
