//! What tells mates apart by their names, found out from the first records of their files.
//!
//! ```text
//! file 1   file 2
//! a.1      a.2       the ends stay the same, what comes before them does not: they are those of mates
//! b.1      b.2
//! n.1      n.2       the end of file 1 changes behind the same beginning: it numbers the reads,
//! n.2      n.3       and no two of these belong together
//! x.1      x.2       of one record alone it could be either
//! ```
//! Once found out, it must hold for every record: a wrong guess ends in an error, not in wrong pairs.

use crate::name::{has_same_id, id, without_mate};

/// How the names of mates are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MateNames {
    /// For each file but the first, or for the second mates of an interleaved file.
    ends: Vec<Option<Ends>>,
    /// Bytes behind which a number is that of the read, and not of the mate.
    numbering: Vec<u8>,
}

/// What names end with, beside what mates have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ends {
    first: Vec<u8>,
    other: Vec<u8>,
}

impl MateNames {
    /// Those of files in step, from the header lines of the first records of each; first and second mates of an interleaved
    /// file are two such files.
    pub fn of_files(heads: &[Vec<Vec<u8>>]) -> Self {
        let numbering = numbering(heads);
        let Some((first, others)) = heads.split_first() else {
            return Self::default();
        };
        let ends = others.iter().map(|other| {
            let pairs = first.iter().zip(other).map(|(a, b)| (id(a), id(b)));
            Ends::of(&pairs.collect::<Vec<_>>())
        });
        Self {
            ends: ends.collect(),
            numbering,
        }
    }

    /// Whether something was found out.
    pub fn is_known(&self) -> bool {
        self.ends.iter().any(Option::is_some)
    }

    /// Take from others what these could not tell, if the first records of all files, of `heads`, agree so.
    pub fn learn_from(&mut self, known: &Self, heads: &[Vec<Vec<u8>>]) {
        let Some((first, others)) = heads.split_first() else {
            return;
        };
        for ((ends, known), other) in self.ends.iter_mut().zip(&known.ends).zip(others) {
            if let (None, Some(known)) = (&ends, known) {
                let mut pairs = first.iter().zip(other);
                let is_so = pairs.all(|(a, b)| known.agree(id(a), id(b)));
                *ends = is_so.then(|| known.clone());
            }
        }
    }

    /// Whether two header lines (without `@` or `>`) name mates: one of the first file, and one of file `other`, which
    /// counts from 0 behind that. Of an interleaved file the second mates are such a file.
    #[inline]
    pub fn agree(&self, other: usize, first: &[u8], second: &[u8]) -> bool {
        has_same_id(first, second) || self.agree_apart(other, id(first), id(second))
    }

    /// The same of ids.
    #[inline(never)]
    fn agree_apart(&self, other: usize, first: &[u8], second: &[u8]) -> bool {
        let ends = self.ends.get(other).and_then(Option::as_ref);
        ends.is_some_and(|ends| ends.agree(first, second))
            || first == second
            || without_mate(first, &self.numbering) == without_mate(second, &self.numbering)
    }

    /// The beginning of an id of the first file that its mate in file `other` has, too.
    pub fn template<'a>(&self, other: usize, id: &'a [u8]) -> &'a [u8] {
        let ends = self.ends.get(other).and_then(Option::as_ref);
        match ends.and_then(|ends| ends.template(id)) {
            Some(template) => template,
            None => without_mate(id, &self.numbering).0,
        }
    }
}

/// Whether two ids differ by nothing but what may tell mates apart, or number the reads.
pub fn may_be_mates(first: &[u8], second: &[u8]) -> bool {
    !Ends::candidates(first, second).is_empty()
}

/// What tells mates apart, if it comes behind a separator: words of one row, in upper or lower case.
const WORDS: [&[&str]; 13] = [
    &["0", "1", "2", "3", "4"],
    &["r1", "r2", "r3", "r4", "i1", "i2"],
    &["f", "r"],
    &["fwd", "rev"],
    &["for", "rev"],
    &["fw", "rv"],
    &["forward", "reverse"],
    &["left", "right"],
    &["first", "second"],
    &["read1", "read2"],
    &["mate1", "mate2"],
    &["end1", "end2"],
    &["pe1", "pe2"],
];

impl Ends {
    /// Those of mates with these ids: the same for all of them, and of two different reads at least.
    fn of(pairs: &[(&[u8], &[u8])]) -> Option<Self> {
        let (a, b) = pairs.first()?;
        Self::candidates(a, b).into_iter().find(|ends| {
            pairs.iter().all(|(a, b)| ends.agree(a, b))
                && pairs
                    .iter()
                    .any(|(id, _)| ends.template(id) != ends.template(a))
        })
    }

    /// What these two ids could end with if they are those of mates.
    fn candidates(first: &[u8], other: &[u8]) -> Vec<Self> {
        let (first, other) = (without_umi(first).0, without_umi(other).0);
        if first == other {
            return Vec::new();
        }
        let mut candidates = Vec::new();
        for row in WORDS {
            let [of_first, of_other] = [first, other].map(|id| {
                let end = row.iter().find_map(|word| end_of(id, word.as_bytes()));
                end.unwrap_or_default()
            });
            let ends = Self {
                first: of_first.to_vec(),
                other: of_other.to_vec(),
            };
            // Where both have one, behind the same separator.
            let separators = [of_first, of_other].map(|end| end.first());
            let is_same = separators[0] == separators[1] || separators.contains(&None);
            if is_same && first.strip_suffix(of_first) == other.strip_suffix(of_other) {
                candidates.push(ends);
            }
        }
        candidates
    }

    /// The beginning of an id of the first file.
    fn template<'a>(&self, first: &'a [u8]) -> Option<&'a [u8]> {
        without_umi(first).0.strip_suffix(&self.first[..])
    }

    fn agree(&self, first: &[u8], other: &[u8]) -> bool {
        self.agree_at_ends(first, other) || self.agree_before_umis(first, other)
    }

    /// Without UMIs, which few have.
    fn agree_at_ends(&self, first: &[u8], other: &[u8]) -> bool {
        let template = first.strip_suffix(&self.first[..]);
        template.is_some() && template == other.strip_suffix(&self.other[..])
    }

    fn agree_before_umis(&self, first: &[u8], other: &[u8]) -> bool {
        let ((first, umi), (other, other_umi)) = (without_umi(first), without_umi(other));
        let template = first.strip_suffix(&self.first[..]);
        umi == other_umi && template.is_some() && template == other.strip_suffix(&self.other[..])
    }
}

/// The separator and `word` that `id` ends with, in upper or lower case.
fn end_of<'a>(id: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (before, end) = id.split_at_checked(id.len().checked_sub(word.len())?)?;
    let is_behind_separator = before.last().is_some_and(u8::is_ascii_punctuation);
    (end.eq_ignore_ascii_case(word) && is_behind_separator).then(|| &id[before.len() - 1..])
}

/// An id, and the UMI that a program has put behind it: `x.1_ACGT`, `x.1:ACGT+TTGA`.
fn without_umi(id: &[u8]) -> (&[u8], &[u8]) {
    let is_of_umi = |byte: &u8| b"ACGTN+-_:#".contains(byte);
    let before = id.iter().rposition(|byte| !is_of_umi(byte));
    let start = before.map_or(0, |before| before + 1);
    let separator = id[start..].iter().position(u8::is_ascii_punctuation);
    match separator {
        Some(place) if start + place > 0 => id.split_at(start + place),
        _ => (id, &[]),
    }
}

/// Bytes behind which two records of the same file have different numbers, and the same before.
fn numbering(heads: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut numbering = Vec::new();
    for heads in heads {
        let numbers: Vec<_> = heads
            .iter()
            .filter_map(|head| number_of(id(head)))
            .collect();
        for (at, (before, number)) in numbers.iter().enumerate() {
            let is_numbered = numbers[..at]
                .iter()
                .any(|(other, other_number)| other == before && other_number != number);
            if let (true, Some(separator)) = (is_numbered, before.last())
                && !numbering.contains(separator)
            {
                numbering.push(*separator);
            }
        }
    }
    numbering
}

/// The number at the end of an id, and all before it, whose last byte is a separator.
fn number_of(id: &[u8]) -> Option<(&[u8], &[u8])> {
    let separator = id.iter().rposition(|byte| !byte.is_ascii_digit())?;
    let (before, number) = id.split_at(separator + 1);
    (id[separator].is_ascii_punctuation() && !number.is_empty()).then_some((before, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(names: &[&str]) -> Vec<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    /// Whether all records agree by what the first ones tell.
    fn all_agree(first: &[&str], other: &[&str]) -> Vec<bool> {
        let names = MateNames::of_files(&[heads(first), heads(other)]);
        let agree = |(a, b): (&&str, &&str)| names.agree(0, a.as_bytes(), b.as_bytes());
        first.iter().zip(other).map(agree).collect()
    }

    #[test]
    fn ends_that_stay_the_same_are_those_of_mates() {
        for (one, two) in [
            (".1", ".2"),
            (".2", ".1"),
            (".1", ".3"),
            (".1", ""),
            ("", ".2"),
            ("_1", "_2"),
            (":1", ":2"),
            ("-1", "-2"),
            ("|1", "|2"),
            ("#0/1", "#0/2"),
            ("_R1", "_R2"),
            ("#R1", "#R2"),
            (".R1", ".I1"),
            ("_forward", "_reverse"),
            ("/forward", "/reverse"),
            (".FORWARD", ".REVERSE"),
            ("-Forward", "-Reverse"),
            ("_fwd", "_rev"),
            (".f", ".r"),
            ("+F", "+R"),
            ("_left", "_right"),
            ("_read1", "_read2"),
            (".1_ACGT", ".2_ACGT"),
            (".1:ACGT+TTGA", ".2:ACGT+TTGA"),
            ("_fwd_NNA 1:N:0", "_rev_NNA 2:N:0"),
            (".1 length=60", ".2 length=60"),
        ] {
            let named =
                |end: &str| ["A:1:FC:1:1101:5:9", "read7", "x"].map(|x| format!("{x}{end}"));
            let (first, other) = (named(one), named(two));
            let [first, other] = [&first, &other].map(|names| names.each_ref().map(|x| &x[..]));
            assert_eq!(all_agree(&first, &other), [true; 3], "{one} {two}");
        }
    }

    #[test]
    fn numbers_of_reads_are_none_of_mates() {
        for separator in [".", "_", ":", "-", "/", "|"] {
            let numbers = |from: usize| [0, 1, 2].map(|at| format!("n{separator}{}", from + at));
            let (first, shifted) = (numbers(1), numbers(2));
            let [same, shifted] = [&first, &shifted].map(|names| names.each_ref().map(|x| &x[..]));
            assert_eq!(all_agree(&same, &shifted), [false; 3], "{separator}");
            assert_eq!(all_agree(&same, &same), [true; 3], "{separator}");
        }
    }

    #[test]
    fn one_record_does_not_tell_what_its_name_ends_with() {
        for (one, two) in [("x.1", "x.2"), ("x_forward", "x_reverse"), ("x", "x.2")] {
            assert_eq!(all_agree(&[one], &[two]), [false]);
            // The same read twice tells no more.
            assert_eq!(all_agree(&[one; 2], &[two; 2]), [false; 2]);
            assert!(may_be_mates(one.as_bytes(), two.as_bytes()));
        }
        assert_eq!(all_agree(&["x_1"], &["x_2"]), [true]);
    }

    #[test]
    fn other_ends_are_none_of_mates() {
        for (first, other) in [
            (["a.1", "b.1"], ["b.2", "c.2"]),
            (["a.1", "b.2"], ["a.2", "b.1"]),
            (["a.1", "b.1"], ["a_2", "b_2"]),
            (["a.1", "b.1"], ["a.21", "b.21"]),
            (["a1", "b1"], ["a2", "b2"]),
            (["a.1_ACGT", "b.1_ACGT"], ["a.2_ACGA", "b.2_ACGA"]),
            (["a_liver", "b_liver"], ["a_lung", "b_lung"]),
            (["aF", "bF"], ["aR", "bR"]),
            (["a.f", "b.f"], ["a.2", "b.2"]),
        ] {
            assert_eq!(all_agree(&first, &other), [false; 2], "{first:?} {other:?}");
        }
        for (one, two) in [("a.1", "b.2"), ("a", "b"), ("a_liver", "a_lung"), ("", "")] {
            assert!(!may_be_mates(one.as_bytes(), two.as_bytes()), "{one} {two}");
        }
    }

    #[test]
    fn interleaved_mates_are_told_by_two_pairs() {
        let of = |all: &[&str]| {
            let mates = |from| heads(all).into_iter().skip(from).step_by(2).collect();
            MateNames::of_files(&[mates(0), mates(1)])
        };
        let names = of(&["a.1", "a.2", "b.1", "b.2", "c.1"]);
        assert!(names.agree(0, b"z.1", b"z.2"));
        for (one, two) in [("z.2", "z.1"), ("z.2", "z.3"), ("y.1", "z.2")] {
            assert!(!names.agree(0, one.as_bytes(), two.as_bytes()));
        }
        for reads in [
            &["n.1", "n.2", "n.3", "n.4"][..],
            &["a.2", "b.1", "b.2", "c.1"],
            &["a.1", "a.2"],
        ] {
            assert!(!of(reads).agree(0, b"n.1", b"n.2"), "{reads:?}");
        }
        // Numbers of reads, although one pair alone would be taken.
        assert!(!of(&["n_1", "n_2", "n_3", "n_4"]).agree(0, b"n_1", b"n_2"));
        assert!(of(&["n_1", "n_2"]).agree(0, b"n_1", b"n_2"));
    }

    #[test]
    fn each_file_has_ends_of_its_own() {
        let files = [
            &["a.1", "b.1"][..],
            &["a.2", "b.2"],
            &["a", "b"],
            &["a.3", "c.3"],
        ];
        let names = MateNames::of_files(&files.map(heads));
        assert!(names.agree(0, b"z.1", b"z.2") && names.agree(1, b"z.1", b"z"));
        assert!(!names.agree(0, b"z.1", b"z.3") && !names.agree(2, b"z.1", b"z.3"));
        assert_eq!(names.template(0, b"z.1"), b"z");
        assert_eq!(names.template(0, b"z.1_ACGT"), b"z");
        assert_eq!(names.template(0, b"z/1"), b"z");
    }

    #[test]
    fn a_lane_of_one_read_is_as_the_others() {
        let (lane, short) = (
            [&["a.1", "b.1"][..], &["a.2", "b.2"]],
            [&["c.1"][..], &["c.2"]],
        );
        let short = short.map(heads);
        let mut names = MateNames::of_files(&short);
        names.learn_from(&MateNames::of_files(&lane.map(heads)), &short);
        assert!(names.agree(0, b"c.1", b"c.2"));
        let other = [&["n_forward"][..], &["n_reverse"]].map(heads);
        let mut names = MateNames::of_files(&other);
        names.learn_from(&MateNames::of_files(&lane.map(heads)), &other);
        assert!(!names.agree(0, b"c.1", b"c.2"));
    }
}
