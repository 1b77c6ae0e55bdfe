//! Taxids that follow from lineages alone; how is told at [`Lineages`](super::Lineages).

use std::collections::HashMap;

use crate::Taxid;

/// Greater than all taxids of NCBI, so that nobody takes one for the other.
const FIRST: u64 = 1 << 28;
/// Greater ones are negative for programs that hold them in 32 bits with a sign.
const BEHIND_LAST: u64 = 1 << 31;
/// With a fifteenth of all taxids taken, a free one is found soon.
pub(super) const MOST_NODES: usize = 1 << 27;

/// Taxids of lineages, all different. These come in the order of their bytes.
pub(super) fn of<'a>(lineages: impl Iterator<Item = &'a str>) -> Vec<Taxid> {
    let hashes: Vec<_> = lineages.map(hash).collect();
    let mut owners = HashMap::with_capacity(hashes.len());
    let mut ids: Vec<_> = hashes.iter().map(|hash| id(*hash, 0)).collect();
    for (number, id) in ids.iter().enumerate() {
        owners.entry(*id).or_insert(number);
    }
    for (number, hash) in hashes.iter().enumerate() {
        if owners[&ids[number]] != number {
            let others = (1..).map(|times| id(*hash, times));
            let free = others.into_iter().find(|id| !owners.contains_key(id));
            ids[number] = free.expect("there are far more taxids than nodes");
            owners.insert(ids[number], number);
        }
    }
    ids
}

fn id(hash: u64, times: u64) -> Taxid {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = mix(hash.wrapping_add(times.wrapping_mul(GOLDEN)));
    Taxid((FIRST + mixed % (BEHIND_LAST - FIRST)) as u32)
}

/// FNV-1a: Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(lineage: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    lineage.bytes().fold(BASIS, step)
}

/// The finalizer of MurmurHash3 (Appleby), so that all bits count.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ bits >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ bits >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of another implementation, in Python. Databases and reports hold them: they must not change.
    const LINEAGES: [(&str, u32); 4] = [
        ("d__Archaea", 1000178462),
        ("d__Bacteria", 1284893767),
        ("d__Bacteria;p__Pseudomonadota", 282970432),
        (
            "d__Bacteria;p__Pseudomonadota;c__Gammaproteobacteria;o__Enterobacterales;f__Enterobacteriaceae;g__Escherichia;s__Escherichia coli",
            570024078,
        ),
    ];

    #[test]
    fn ids_stay_what_they_are() {
        let lineages = LINEAGES.iter().map(|(lineage, _)| *lineage);
        let ids: Vec<_> = of(lineages).iter().map(|id| id.0).collect();
        assert_eq!(ids, LINEAGES.map(|(_, id)| id));
    }

    #[test]
    fn the_first_of_those_that_collide_keeps_its_id() {
        // As many that some collide: n² / 2 / 1.9e9 are 8.
        let names: Vec<_> = (0..175_000)
            .map(|number| format!("d__{number:06}"))
            .collect();
        let ids = of(names.iter().map(String::as_str));
        let mut by_id: HashMap<Taxid, Vec<usize>> = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            by_id.entry(id(hash(name), 0)).or_default().push(number);
        }
        let mut moved = 0;
        for (first_choice, numbers) in &by_id {
            assert_eq!(ids[numbers[0]], *first_choice);
            for number in &numbers[1..] {
                assert_eq!(ids[*number], id(hash(&names[*number]), 1));
                moved += 1;
            }
        }
        assert!((1..30).contains(&moved), "{moved}");
        let different: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        // Others do not matter.
        let half = of(names[..100_000].iter().map(String::as_str));
        assert_eq!(half, ids[..100_000]);
    }
}
