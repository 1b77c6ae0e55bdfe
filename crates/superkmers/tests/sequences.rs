//! The minimizers of sequences, one at a time, against the definition: every m-mer of every window.

use thalweg_superkmers::{
    Kernel, Kmer, Scheme,
    kmer::{Alphabet, LETTERS, code},
    minimizer::{Minimizers, exact::Strand},
    sequence::{Cutter, Ties},
};

/// A minimizer of a window: its value, its place in the sequence, and its strand.
type Found = (u64, usize, Strand);

/// An m-mer's place in the order, its value, and its strand.
type Rank = ((bool, u64), u64, Strand);

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        self.0 >> 33
    }

    fn letters(&mut self, len: usize, of: &[u8]) -> Vec<u8> {
        (0..len)
            .map(|_| of[self.next() as usize % of.len()])
            .collect()
    }
}

/// Random letters, few kinds of them, short repeats, long ones, one letter, and some that are no bases.
fn texts(len: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let period = 1 + seed as usize % 7;
    let short = random.letters(period, &LETTERS);
    let long = random.letters(len.div_ceil(3).max(1), &LETTERS);
    let repeat = |part: &[u8]| part.iter().copied().cycle().take(len).collect::<Vec<u8>>();
    let mut with_others = random.letters(len, &LETTERS);
    for place in (40..len).step_by(97) {
        with_others[place] = b'N';
    }
    // Its own reverse complement, as each of its parts.
    let mut turned = random.letters(len / 2, &LETTERS);
    turned.extend(reverse_complement(&turned));
    vec![
        random.letters(len, &LETTERS),
        random.letters(len, b"AT"),
        repeat(&short),
        repeat(&long),
        vec![b'A'; len],
        with_others,
        turned,
    ]
}

fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let partner = |letter: &u8| match code(*letter) {
        code @ 0..4 => LETTERS[usize::from(3 - code)],
        _ => *letter,
    };
    letters.iter().rev().map(partner).collect()
}

/// Whether the least inner m-mer is the middle one, of m-mers that have a middle.
fn is_open(mer: &[u8]) -> bool {
    if mer.len() < 11 || mer.len().is_multiple_of(2) {
        return true;
    }
    let inner = |letters: &[u8]| {
        let four = [&letters[..2], &letters[3..]].concat();
        u64::from_letters(&four).unwrap().canonical(4) ^ 0b11_00_11_01
    };
    let all: Vec<u64> = mer.windows(5).map(inner).collect();
    let middle = all[all.len() / 2];
    all.iter().filter(|&&other| other <= middle).count() == 1
}

/// The minimizers of every window, from left to right; none where a letter is no base.
fn oracle(letters: &[u8], scheme: Scheme) -> Vec<Vec<Found>> {
    let (k, m) = (scheme.k(), scheme.m());
    let rank = |mer: &[u8]| {
        let forward = u64::from_letters(mer)?;
        let canonical = forward.canonical(m);
        let order = match m {
            ..=16 => (canonical as u32)
                .wrapping_mul(0x9e37_79b1)
                .wrapping_sub(1)
                .into(),
            _ => {
                canonical
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .wrapping_sub(1)
                    & (u64::MAX >> 1)
            }
        };
        let strand = match canonical == forward {
            true => Strand::Forward,
            false => Strand::Backward,
        };
        Some(((!is_open(mer), order), scheme.value(canonical), strand))
    };
    let ranks: Vec<_> = letters.windows(m).map(rank).collect();
    let minimizers = |(start, window): (usize, &[Option<Rank>])| {
        let ranks: Option<Vec<_>> = window.iter().copied().collect();
        let Some(ranks) = ranks else { return vec![] };
        let least = ranks.iter().map(|rank| rank.0).min().unwrap();
        (ranks.iter().enumerate())
            .filter(|(_, rank)| rank.0 == least)
            .map(|(i, rank)| (rank.1, start + i, rank.2))
            .collect()
    };
    ranks
        .windows(k - m + 1)
        .enumerate()
        .map(minimizers)
        .collect()
}

/// The minimizers of every window, as super-k-mers tell.
fn found(cutter: &mut Cutter, letters: &[u8], ties: Ties) -> Vec<Vec<Found>> {
    let scheme = cutter.scheme();
    let mut found = vec![Vec::new(); (letters.len() + 1).saturating_sub(scheme.k())];
    let turned = reverse_complement(letters);
    cutter.visit(letters, ties, |super_kmer| {
        let minimizer = super_kmer.minimizer();
        let (start, bases) = (super_kmer.start(), super_kmer.bases());
        for windows in &mut found[start..start + super_kmer.kmers()] {
            windows.push((minimizer.value, minimizer.position, minimizer.strand));
        }
        assert!(start <= minimizer.position);
        assert!(minimizer.position + scheme.m() <= start + bases);
        // Both strands' codes.
        let strands = [
            (super_kmer.forward(), &letters[start..]),
            (
                super_kmer.backward(),
                &turned[letters.len() - start - bases..],
            ),
        ];
        for (codes, letters) in strands {
            assert_eq!(codes.len(), bases);
            let bases_of = |at: usize| LETTERS[codes.bases(at, 1) as usize];
            let told: Vec<u8> = (0..bases).map(bases_of).collect();
            assert_eq!(told, letters[..bases].to_ascii_uppercase());
        }
        // The minimizer is what its value says.
        let mer = &letters[minimizer.position..][..scheme.m()];
        let canonical = u64::from_letters(mer).unwrap().canonical(scheme.m());
        assert_eq!(scheme.canonical(minimizer.value), canonical);
    });
    found
}

fn check(scheme: Scheme, letters: &[u8], kernel: Kernel) {
    let (k, m) = (scheme.k(), scheme.m());
    let mut cutter = Cutter::new(scheme, kernel, Alphabet::Acgt);
    let expected = oracle(letters, scheme);
    let all = found(&mut cutter, letters, Ties::All);
    assert_eq!(all, expected, "k = {k}, m = {m}: all");
    let first = found(&mut cutter, letters, Ties::First);
    for (found, expected) in first.iter().zip(&expected) {
        let leftmost = expected.first().copied();
        assert_eq!(
            *found,
            Vec::from_iter(leftmost),
            "k = {k}, m = {m}: leftmost"
        );
    }
    // The other strand has the same ones.
    let turned = found(&mut cutter, &reverse_complement(letters), Ties::All);
    let turn = |&(value, position, strand): &Found| {
        let mer = &letters[letters.len() - m - position..][..m];
        let is_both = reverse_complement(mer) == mer;
        let strand = match (strand, is_both) {
            (Strand::Backward, false) | (_, true) => Strand::Forward,
            (Strand::Forward, false) => Strand::Backward,
        };
        (value, letters.len() - m - position, strand)
    };
    for (found, expected) in turned.iter().rev().zip(&expected) {
        let found: Vec<Found> = found.iter().rev().map(turn).collect();
        assert_eq!(found, *expected, "k = {k}, m = {m}: the other strand");
    }
}

#[test]
fn minimizers_agree_with_the_definition_on_both_strands() {
    for k in 15..=64 {
        for m in 7..=19.min(k) {
            let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
            // All lengths in turn for one text of each kind, and one that fills more than a segment.
            let len = k + (31 * k + 7 * m) % 200;
            for letters in texts(len, (64 * k + m) as u64) {
                check(scheme, &letters, Kernel::best());
            }
        }
    }
}

#[test]
fn long_sequences_are_cut_in_segments() {
    for (k, m) in [(31, 11), (31, 15), (31, 17), (55, 19), (21, 8)] {
        let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
        for kernel in Kernel::all() {
            for letters in texts(5000, k as u64) {
                check(scheme, &letters, kernel);
            }
        }
    }
}

#[test]
fn only_super_kmers_that_are_tied_repeat_kmers() {
    let mut repeating = 0;
    // Of random letters, all and those that are tied.
    let mut random = [0, 0];
    for k in 16..=31 {
        for m in (7..=19.min(k)).step_by(2) {
            let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
            let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgt);
            for (kind, letters) in texts(200, (64 * k + m) as u64).iter().enumerate() {
                cutter.visit(letters, Ties::First, |super_kmer| {
                    let letters = &letters[super_kmer.start()..][..super_kmer.bases()];
                    let kmers = letters.windows(k);
                    let canonical = |kmer| u64::from_letters(kmer).unwrap().canonical(k);
                    let mut kmers: Vec<u64> = kmers.map(canonical).collect();
                    kmers.sort_unstable();
                    kmers.dedup();
                    if kmers.len() < super_kmer.kmers() {
                        repeating += 1;
                        assert!(super_kmer.is_tied(), "k = {k}, m = {m}");
                    }
                    if kind == 0 {
                        random[0] += 1;
                        random[1] += usize::from(super_kmer.is_tied());
                    }
                });
            }
        }
    }
    assert!(repeating > 0);
    assert!(20 * random[1] < random[0], "{random:?}");
}

#[test]
fn sequences_shorter_than_k_have_none() {
    let scheme = Scheme::new(31).unwrap();
    let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
    for len in [0, 1, 30] {
        cutter.visit(&vec![b'A'; len], Ties::All, |_| panic!("{len} bases"));
    }
}

/// Whoever finds a k-mer's minimizer alone finds the partition that it was cut into.
#[test]
fn values_tell_the_partition() {
    for (k, m) in [
        (31, 11),
        (31, 12),
        (31, 15),
        (40, 16),
        (31, 17),
        (31, 18),
        (64, 19),
    ] {
        let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
        let scheme = scheme.with_partition_bits(10).unwrap();
        let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgt);
        let mut minimizers = Minimizers::default();
        let mut seen = vec![0; scheme.partitions()];
        for letters in texts(2000, k as u64) {
            let mut packed = vec![0; letters.len() / 32 + 2];
            for (i, &letter) in letters.iter().enumerate() {
                packed[i / 32] |= u64::from(code(letter) & 3) << (2 * (i % 32));
            }
            minimizers.find(&packed, letters.len(), k, m);
            cutter.visit(&letters, Ties::All, |super_kmer| {
                let partition = scheme.partition_of(super_kmer.minimizer().value);
                seen[partition] += 1;
                for window in super_kmer.start()..super_kmer.start() + super_kmer.kmers() {
                    assert_eq!(scheme.partition(minimizers.least()[window]), partition);
                }
            });
        }
        let used = seen.iter().filter(|&&number| number > 0).count();
        assert!(used > 100, "k = {k}, m = {m}: {used} partitions");
    }
}
