//! Huffman codes of limited length (RFC 1951, section 3.2.2).
//!
//! ```text
//! sort the symbols that occur by frequency
//! join the two rarest trees until one is left (leaves and joined trees are two sorted queues)
//! count the leaves of each depth; those deeper than the limit move up to it, and while the
//!     code is over-full, one leaf of the deepest level above the limit takes a leaf at the
//!     limit as its sister, one level deeper
//! the rarest symbols get the longest codes
//! ```
//! The limit of literals is all but never met in text, so that the loss against package-merge is nil.

/// A code word, its first bit lowest, and its length in bits; 0 for a symbol without.
#[derive(Clone, Copy, Default)]
pub(crate) struct Word {
    pub(crate) bits: u16,
    pub(crate) length: u16,
}

/// Lengths of the best code for `counts`, none above `limit`.
///
/// At least two symbols get a length, as some readers refuse a code of one word.
pub(crate) fn lengths(counts: &[u32], limit: usize, lengths: &mut [u8]) {
    // Frequency above, symbol below: at most 288 of them, in 9 bits.
    let mut sorted = [0_u64; 288];
    let mut used = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        lengths[symbol] = 0;
        if count > 0 {
            sorted[used] = u64::from(count) << 9 | symbol as u64;
            used += 1;
        }
    }
    if used < 2 {
        let only = (used == 1).then(|| sorted[0] as usize & 0x1ff);
        lengths[only.unwrap_or(0)] = 1;
        lengths[if only == Some(0) || only.is_none() {
            1
        } else {
            0
        }] = 1;
        return;
    }
    let sorted = &mut sorted[..used];
    sorted.sort_unstable();

    let mut per_length = depths(sorted);
    let deepest = per_length.len() - 1;
    for depth in limit + 1..=deepest {
        per_length[limit] += per_length[depth];
        per_length[depth] = 0;
    }
    // Kraft's sum, in units of the longest word.
    let full = 1_u64 << limit;
    let mut sum: u64 = (1..=limit)
        .map(|length| u64::from(per_length[length]) << (limit - length))
        .sum();
    while sum > full {
        // Cannot miss: at most 2^limit symbols are used, so not all stand at the limit.
        let above = (1..limit).rev().find(|&length| per_length[length] > 0);
        let above = above.unwrap_or(1);
        per_length[above] -= 1;
        per_length[above + 1] += 2;
        per_length[limit] -= 1;
        sum -= 1;
    }
    let mut next = sorted.iter();
    for length in (1..=limit).rev() {
        for &entry in next.by_ref().take(per_length[length] as usize) {
            lengths[entry as usize & 0x1ff] = length as u8;
        }
    }
}

/// Numbers of leaves by depth in the tree of at least two sorted frequencies.
fn depths(sorted: &[u64]) -> [u32; 64] {
    let leaves = sorted.len();
    // Joined trees, in the order they are made: their frequencies never fall.
    let mut weights = [0_u64; 288];
    let mut parents = [0_u16; 2 * 288];
    let (mut leaf, mut tree) = (0, 0);
    for made in 0..leaves - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let take_leaf = leaf < leaves && (tree >= made || sorted[leaf] >> 9 <= weights[tree]);
            let child = if take_leaf {
                weight += sorted[leaf] >> 9;
                leaf += 1;
                leaf - 1
            } else {
                weight += weights[tree];
                tree += 1;
                leaves + tree - 1
            };
            parents[child] = made as u16;
        }
        weights[made] = weight;
    }
    // The root was made last; parents come after their children.
    let mut tree_depths = [0_u8; 288];
    for tree in (0..leaves - 2).rev() {
        tree_depths[tree] = tree_depths[usize::from(parents[leaves + tree])] + 1;
    }
    let mut counts = [0; 64];
    for &parent in &parents[..leaves] {
        // Depth d needs a frequency of Fibonacci(d): 63 is out of reach of 32-bit counts.
        counts[usize::from(tree_depths[usize::from(parent)] + 1).min(63)] += 1;
    }
    counts
}

/// The canonical words for the lengths of a code.
pub(crate) fn words(lengths: &[u8], words: &mut [Word]) {
    let mut per_length = [0_u16; 17];
    for &length in lengths {
        per_length[usize::from(length)] += 1;
    }
    per_length[0] = 0;
    let mut next = [0_u16; 17];
    for length in 1..16 {
        next[length + 1] = (next[length] + per_length[length]) << 1;
    }
    for (word, &length) in words.iter_mut().zip(lengths) {
        *word = Word::default();
        if length > 0 {
            let code = &mut next[usize::from(length)];
            // Words of at most 15 bits.
            word.bits = code.reverse_bits() >> (16 - u16::from(length));
            word.length = u16::from(length);
            *code = code.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kraft(lengths: &[u8]) -> f64 {
        let used = lengths.iter().filter(|&&length| length > 0);
        used.map(|&length| 0.5_f64.powi(length.into())).sum()
    }

    #[test]
    fn fibonacci_frequencies_keep_the_limit() {
        let mut counts = vec![1_u32, 1];
        while counts.len() < 40 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        for limit in [6, 7, 14, 15] {
            let mut found = [0; 40];
            lengths(&counts, limit, &mut found);
            assert_eq!(usize::from(*found.iter().max().unwrap()), limit);
            assert!(found.iter().all(|&length| length > 0));
            assert!(found.is_sorted_by(|a, b| a >= b));
            assert_eq!(kraft(&found), 1.0);
        }
    }

    #[test]
    fn codes_are_complete_and_as_short_as_brute_force_says() {
        let mut state = 7_u32;
        for size in [2, 3, 5, 19, 286] {
            let counts: Vec<u32> = (0..size)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Not so unequal that the limit is met.
                    (state >> 20) + 64
                })
                .collect();
            let mut found = vec![0; size];
            lengths(&counts, 15, &mut found);
            assert_eq!(kraft(&found), 1.0);
            let cost: u64 = (counts.iter().zip(&found))
                .map(|(&count, &length)| u64::from(count) * u64::from(length))
                .sum();
            // The cost of Huffman's tree is the sum of its joined weights.
            let mut trees: Vec<u64> = counts
                .iter()
                .map(|&n| n.into())
                .filter(|&n| n > 0)
                .collect();
            let mut best = 0;
            while trees.len() > 1 {
                trees.sort_by(|a, b| b.cmp(a));
                let joined = trees.pop().unwrap() + trees.pop().unwrap();
                best += joined;
                trees.push(joined);
            }
            assert_eq!(cost, best);
        }
    }

    #[test]
    fn one_symbol_gets_a_companion() {
        for counts in [[0, 0, 0], [9, 0, 0], [0, 0, 9]] {
            let mut found = [0; 3];
            lengths(&counts, 15, &mut found);
            assert_eq!(kraft(&found), 1.0);
        }
    }
}
