//! Against loops over letters and words, one by one.

use proptest::prelude::*;

use super::*;

/// `None`, and a word about it, where the machine has no coder.
fn coder() -> Option<Coder> {
    let coder = Coder::new();
    if coder.is_none() {
        eprintln!("not tested: this machine has no AVX-512 with VBMI2");
    }
    coder
}

/// Names that tell lengths apart as far as they can.
fn names() -> RunNames {
    let mut names = RunNames {
        first: [0; 256],
        second: [0; 256],
    };
    for number in 0..256 {
        names.first[number] = (LETTERS + number % (NEAR - LETTERS)) as u8;
        names.second[number] = (NEAR + number / 5) as u8;
    }
    names
}

/// What [`Coder::condense`] is to append.
fn condensed(line: &[u8]) -> Option<Vec<u8>> {
    let (names, mut kept) = (names(), Vec::new());
    let mut at = 1;
    while at < line.len() {
        let repeats = line[at..].iter().take_while(|&&byte| byte == line[at - 1]);
        let length = repeats.count().min(LONGEST_RUN);
        if length >= SHORTEST_RUN {
            let number = length - SHORTEST_RUN;
            kept.extend([names.first[number], names.second[number]]);
            at += length;
            continue;
        }
        let value = line[at].checked_sub(LOWEST)?;
        if usize::from(value) >= LETTERS {
            return None;
        }
        kept.push(value);
        at += 1;
    }
    // A run of letters that are none is none either.
    let has_place = |&byte: &u8| usize::from(byte.wrapping_sub(LOWEST)) < LETTERS;
    line.get(1..)
        .unwrap_or(&[])
        .iter()
        .all(has_place)
        .then_some(kept)
}

/// Lines of runs of any length, of few letters or many, now and then with one that is none.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![
        8 => 1_usize..4,
        4 => 1_usize..12,
        1 => prop::sample::select(vec![62_usize, 63, 64, 65, 66, 127, 128, 129, 257, 258, 259, 260, 261, 262, 600]),
    ];
    let few = prop::sample::select(b"F:,#".to_vec());
    let letter = prop_oneof![
        300 => few,
        300 => 33_u8..97,
        1 => any::<u8>(),
    ];
    let run = (letter, length).prop_map(|(letter, length)| vec![letter; length]);
    prop::collection::vec(run, 0..90).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn lines_are_condensed_as_letter_by_letter(lines in prop::collection::vec(lines(), 1..4)) {
        let Some(coder) = coder() else { return Ok(()) };
        let (names, mut out, mut expected) = (names(), Vec::new(), Vec::new());
        for line in &lines {
            let parts = condensed(line);
            prop_assert_eq!(coder.condense(line, &names, &mut out), parts.is_some());
            expected.extend(parts.into_iter().flatten());
            prop_assert_eq!(&out, &expected);
        }
    }

    #[test]
    fn words_are_joined_in_their_order(
        words in prop::collection::vec((0..=LONGEST_WORD, any::<u16>()), NEAR + FAR),
        most in 1..=LONGEST_WORD,
        kept in prop::collection::vec(0..(NEAR + FAR) as u8, 0..300),
    ) {
        let Some(coder) = coder() else { return Ok(()) };
        let words = words.into_iter().map(|(count, bits)| word(count.min(most), bits));
        let words: Vec<_> = words.collect();
        let mut table = Words::new();
        for (value, &(bits, count)) in words.iter().enumerate() {
            table.set(value, bits, count);
        }
        let expected = each(kept.iter().map(|&value| words[usize::from(value)]));
        prop_assert_eq!(coder.join(&kept, &table, Written::default()).0, expected);
    }

    #[test]
    fn words_of_bases_are_joined_in_their_order(
        words in prop::array::uniform4((0..=BaseWords::LONGEST, any::<u16>())),
        bases in prop::collection::vec(0..4_usize, 0..300),
    ) {
        let Some(coder) = coder() else { return Ok(()) };
        let words = words.map(|(count, bits)| word(count, bits));
        let table = BaseWords::new(words).expect("none is too long");
        let expected = each(bases.iter().map(|&base| words[base]));
        let bases: Vec<_> = bases.into_iter().map(|base| b"ACGT"[base]).collect();
        prop_assert_eq!(coder.join_bases(&bases, &table, Written::default()).0, expected);
    }
}

#[test]
fn bases_may_have_no_long_words() {
    let words = |count| [(0, 2), (1, 2), (2, 2), (3, count)];
    assert!(BaseWords::new(words(BaseWords::LONGEST)).is_some());
    assert!(BaseWords::new(words(BaseWords::LONGEST + 1)).is_none());
}

/// As many of the bits.
fn word(count: u16, bits: u16) -> (u16, u16) {
    (bits & ((1 << count) - 1), count)
}

/// Bits one by one.
#[derive(Default)]
struct Written(Vec<bool>);

impl Sink for Written {
    fn write(&mut self, bits: u64, count: u32) {
        assert!(count <= 56 && bits >> count == 0);
        self.0
            .extend((0..count).map(|place| bits >> place & 1 == 1));
    }
}

fn each(words: impl Iterator<Item = (u16, u16)>) -> Vec<bool> {
    let mut written = Written::default();
    words.for_each(|(bits, count)| written.write(bits.into(), count.into()));
    written.0
}
