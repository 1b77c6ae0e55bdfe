use super::*;

/// Letters with every base at every distance from the ends.
fn letters(k: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    (0..k)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            LETTERS[(state >> 62) as usize]
        })
        .collect()
}

fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let partner = |letter: &u8| LETTERS[3 - usize::from(code(*letter))];
    letters.iter().rev().map(partner).collect()
}

struct Checks(usize);

impl KmerTask for Checks {
    type Output = ();

    fn run<K: Kmer>(self) {
        let k = self.0;
        for seed in 0..8 {
            let text = letters(k, seed);
            let other_text = letters(k, seed + 100);
            let kmer = K::from_letters(&text).expect("only bases");
            let other = K::from_letters(&other_text).expect("only bases");
            assert_eq!(kmer.to_letters(k), text);
            assert_eq!(kmer.cmp(&other), text.cmp(&other_text), "order at k = {k}");
            let partner = reverse_complement(&text);
            assert_eq!(kmer.reverse_complement(k).to_letters(k), partner);
            assert_eq!(
                kmer.canonical(k).to_letters(k),
                partner.clone().min(text.clone())
            );
            for (i, &letter) in text.iter().enumerate() {
                assert_eq!(kmer.base(i, k), code(letter));
            }
            let next = [&text[1..], b"G"].concat();
            assert_eq!(kmer.append(2, k).to_letters(k), next);
            let before = [b"T", &text[..k - 1]].concat();
            assert_eq!(kmer.prepend(3, k).to_letters(k), before);
            let mut bytes = Vec::new();
            kmer.write_le_bytes(k, &mut bytes);
            assert_eq!(bytes.len(), byte_len(k));
            assert_eq!(K::from_le_bytes(&bytes, k), Some(kmer));
            assert_eq!(K::from_words(&kmer.to_words()), kmer);
            if !k.is_multiple_of(4) {
                *bytes.last_mut().expect("k >= 1") |= 0x80;
                assert_eq!(K::from_le_bytes(&bytes, k), None);
            }
        }
    }
}

#[test]
fn every_k_agrees_with_letters() {
    for k in 1..=MAX_K {
        dispatch(k, Checks(k)).expect("a good k");
    }
    assert!(dispatch(0, Checks(0)).is_err());
    assert!(dispatch(256, Checks(256)).is_err());
}

#[test]
fn other_letters_are_refused() {
    assert_eq!(u64::from_letters(b"ACNT"), None);
    assert_eq!(u64::from_letters(b""), None);
    assert_eq!(u64::from_letters(&[b'A'; 33]), None);
    assert_eq!(u64::from_letters(b"acgt"), u64::from_letters(b"ACGT"));
}
