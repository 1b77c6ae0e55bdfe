//! One sequence at a time: its super-k-mers with their minimizers, for who looks k-mers up.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):
//!   encode both strands, find the least value of each window               (encode, minimizer)
//!   for each stretch of windows of one class of values, in a run of bases:
//!     occurrences = m-mers of that class in the windows, with their whole order      (exact)
//!     for each occurrence: show the windows whose minimizer it is
//! ```
//! A k-mer may have several minimizers: an m-mer that it has more than once. Whichever strand it is read from, they are the
//! same ones. So who stores k-mers by their minimizers stores each of them ([`Ties::All`]), and who looks them
//! up needs any ([`Ties::First`]).

use crate::{
    Kernel, Scheme,
    cut::SEGMENT,
    encode::Encoded,
    kmer::{Alphabet, reverse_pairs},
    minimizer::{
        MAX_M, Minimizers,
        exact::{Minimizer, Strand, mask, order},
        window,
    },
    record::{self, Record},
};

/// Cuts sequences into super-k-mers, one at a time. It has buffers of its own, which it uses again.
///
/// ```
/// use thalweg_superkmers::{Kernel, Scheme, kmer::Alphabet, sequence::{Cutter, Ties}};
///
/// let scheme = Scheme::new(9)?.with_m(5)?;
/// let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
/// let mut kmers = 0;
/// cutter.visit(b"ACGGTCATGCNTTAGCATTGA", Ties::First, |super_kmer| {
///     let minimizer = super_kmer.minimizer();
///     assert!(super_kmer.start() <= minimizer.position);
///     assert!(minimizer.position + 5 <= super_kmer.start() + super_kmer.bases());
///     kmers += super_kmer.kmers();
/// });
/// // Two of ten bases before the N, two of ten behind it.
/// assert_eq!(kmers, 4);
/// # Ok::<(), thalweg_superkmers::Error>(())
/// ```
#[derive(Debug)]
pub struct Cutter {
    scheme: Scheme,
    kernel: Kernel,
    encoded: Encoded,
    minimizers: Minimizers,
    occurrences: Vec<Occurrence>,
}

/// Which of a k-mer's minimizers are shown, where it has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The leftmost: each k-mer is in one super-k-mer.
    First,
    /// Each: a k-mer is in as many super-k-mers as it has minimizers.
    All,
}

/// A stretch of k-mers that have a minimizer in common, at one place.
#[derive(Clone, Copy, Debug)]
pub struct SuperKmer<'a> {
    scheme: Scheme,
    encoded: &'a Encoded,
    /// Of the segment, in the sequence.
    offset: usize,
    /// In the segment.
    start: usize,
    kmers: usize,
    occurrence: Occurrence,
}

/// An m-mer that is the least one of some windows, or ties with others in the bits of its class.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    position: usize,
    order: u64,
    canonical: u64,
    strand: Strand,
    /// Whether windows near it have other m-mers of its class, and so perhaps the same one again.
    is_tied: bool,
}

impl Cutter {
    /// For sequences of letters of `alphabet`; a k-mer with any other letter is left out.
    pub fn new(scheme: Scheme, kernel: Kernel, alphabet: Alphabet) -> Self {
        Self {
            scheme,
            kernel,
            encoded: Encoded::new(alphabet),
            minimizers: Minimizers::default(),
            occurrences: Vec::new(),
        }
    }

    /// What decides where sequences are cut.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Calls `each` with the super-k-mers of a sequence, in the order of their minimizers' places.
    ///
    /// They are as long as they can be, but that each also ends where 2048 k-mers, or a multiple, have come since the
    /// sequence began. A sequence shorter than k has none. Linear in the length; at most `k - m + 1` times that where
    /// m-mers repeat.
    pub fn visit(&mut self, letters: &[u8], ties: Ties, mut each: impl FnMut(&SuperKmer<'_>)) {
        let overlap = self.scheme.k() - 1;
        let mut offset = 0;
        while offset + overlap < letters.len() {
            let end = letters.len().min(offset + SEGMENT + overlap);
            self.visit_segment(&letters[offset..end], offset, ties, &mut each);
            offset += SEGMENT;
        }
    }

    fn visit_segment(
        &mut self,
        letters: &[u8],
        offset: usize,
        ties: Ties,
        each: &mut impl FnMut(&SuperKmer<'_>),
    ) {
        let (scheme, k, m) = (self.scheme, self.scheme.k(), self.scheme.m());
        self.kernel.encode(&mut self.encoded, letters, b"", 0);
        self.kernel
            .exact_minimizers(&mut self.minimizers, &self.encoded, k, m);
        let Self {
            encoded,
            minimizers,
            occurrences,
            ..
        } = self;
        let encoded = &*encoded;
        let mut show = |start, kmers, occurrence| {
            each(&SuperKmer {
                scheme,
                encoded,
                offset,
                start,
                kmers,
                occurrence,
            });
        };
        // But for the strand, which the same m-mer may have either of.
        let class_of = |window: usize| match m {
            ..=MAX_M => u64::from(minimizers.least[window] >> 1),
            _ => minimizers.wide[window] >> 1,
        };
        let mut from = 0;
        while let Some((start, end)) = encoded.next_run(from, k) {
            from = end;
            let windows = end + 1 - k;
            let mut leftmost = Leftmost::default();
            let mut first = start;
            while first < windows {
                let class = class_of(first);
                let mut last = minimizers.next_change(first).min(windows);
                // Another value may be of the same class.
                while last < windows && class_of(last) == class {
                    last = minimizers.next_change(last).min(windows);
                }
                let places = minimizers.places.of_class(first..last + k - m, class);
                list(occurrences, encoded, m, places);
                match ties {
                    Ties::First => {
                        leftmost.add(occurrences, first..last, scheme.most_kmers(), &mut show);
                    }
                    Ties::All => show_all(occurrences, first..last, scheme.most_kmers(), &mut show),
                }
                first = last;
            }
            leftmost.finish(&mut show);
        }
    }
}

/// Lists the m-mers of a class, which begin at `places`.
#[inline]
fn list(
    occurrences: &mut Vec<Occurrence>,
    encoded: &Encoded,
    m: usize,
    places: impl Iterator<Item = usize>,
) {
    occurrences.clear();
    for position in places {
        let bases = window(&encoded.packed, position);
        let backward = !bases & mask(m);
        let forward = reverse_pairs(bases & mask(m)) >> (64 - 2 * m);
        let canonical = forward.min(backward);
        occurrences.push(Occurrence {
            position,
            order: order(canonical, m),
            canonical,
            strand: match backward < forward {
                true => Strand::Backward,
                false => Strand::Forward,
            },
            is_tied: false,
        });
    }
    if occurrences.len() > 1 {
        for occurrence in occurrences {
            occurrence.is_tied = true;
        }
    }
}

/// The windows whose leftmost minimizer is the same one.
#[derive(Default)]
struct Leftmost {
    current: Option<(Occurrence, usize, usize)>,
}

impl Leftmost {
    /// Takes the next windows, each with a minimizer among the occurrences, within `width` places.
    fn add(
        &mut self,
        occurrences: &[Occurrence],
        windows: std::ops::Range<usize>,
        width: usize,
        show: &mut impl FnMut(usize, usize, Occurrence),
    ) {
        if let [only] = occurrences {
            return self.take(*only, windows, show);
        }
        let mut behind = 0;
        for window in windows {
            behind += (occurrences[behind..].iter())
                .take_while(|occurrence| occurrence.position < window)
                .count();
            let least = (occurrences[behind..].iter())
                .take_while(|occurrence| occurrence.position < window + width)
                .min_by_key(|occurrence| occurrence.order);
            if let Some(&least) = least {
                self.take(least, window..window + 1, show);
            }
        }
    }

    fn take(
        &mut self,
        occurrence: Occurrence,
        windows: std::ops::Range<usize>,
        show: &mut impl FnMut(usize, usize, Occurrence),
    ) {
        match &mut self.current {
            Some((current, _, end)) if current.position == occurrence.position => {
                *end = windows.end;
                current.is_tied |= occurrence.is_tied;
            }
            _ => {
                self.finish(show);
                self.current = Some((occurrence, windows.start, windows.end));
            }
        }
    }

    fn finish(&mut self, show: &mut impl FnMut(usize, usize, Occurrence)) {
        if let Some((occurrence, start, end)) = self.current.take() {
            show(start, end - start, occurrence);
        }
    }
}

/// Shows each occurrence with those of the windows, of `width` places, in which none is less.
fn show_all(
    occurrences: &[Occurrence],
    windows: std::ops::Range<usize>,
    width: usize,
    show: &mut impl FnMut(usize, usize, Occurrence),
) {
    for (i, occurrence) in occurrences.iter().enumerate() {
        let position = occurrence.position;
        let mut start = windows.start.max((position + 1).saturating_sub(width));
        let mut end = windows.end.min(position + 1);
        let is_less = |other: &&Occurrence| other.order < occurrence.order;
        // The windows that have a lesser one begin up to its place, or end at it or behind. Those of other places do not matter.
        let mut before =
            (occurrences[..i].iter().rev()).take_while(|other| other.position + width > position);
        if let Some(before) = before.find(is_less) {
            start = start.max(before.position + 1);
        }
        let mut behind =
            (occurrences[i + 1..].iter()).take_while(|other| other.position < position + width);
        if let Some(behind) = behind.find(is_less) {
            end = end.min((behind.position + 1).saturating_sub(width));
        }
        if start < end {
            show(start, end - start, *occurrence);
        }
    }
}

impl<'a> SuperKmer<'a> {
    /// Where its first k-mer begins in the sequence.
    #[inline]
    pub fn start(&self) -> usize {
        self.offset + self.start
    }

    /// Number of its k-mers.
    #[inline]
    pub fn kmers(&self) -> usize {
        self.kmers
    }

    /// Number of its bases.
    #[inline]
    pub fn bases(&self) -> usize {
        self.kmers + self.scheme.k() - 1
    }

    /// What its k-mers have in common.
    #[inline]
    pub fn minimizer(&self) -> Minimizer {
        Minimizer {
            value: self.scheme.value(self.occurrence.canonical),
            position: self.offset + self.occurrence.position,
            strand: self.occurrence.strand,
        }
    }

    /// Whether one of its k-mers may have the minimizer more than once.
    ///
    /// Where none has, and m is odd, its k-mers are distinct, even as read from both strands: a k-mer and its reverse
    /// complement that share the place of a minimizer have it a second time, on the other strand.
    #[inline]
    pub fn is_tied(&self) -> bool {
        self.occurrence.is_tied
    }

    /// Its bases as the sequence reads.
    #[inline]
    pub fn forward(&self) -> Codes<'a> {
        Codes {
            packed: &self.encoded.packed,
            bit: 2 * self.start,
            len: self.bases(),
        }
    }

    /// Its bases as the other strand reads.
    #[inline]
    pub fn backward(&self) -> Codes<'a> {
        let end = self.start + self.bases();
        Codes {
            packed: &self.encoded.packed,
            bit: self.encoded.reverse_end() - 2 * end,
            len: self.bases(),
        }
    }
}

/// Bases of two bits each, of one strand.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    packed: &'a [u64],
    bit: usize,
    len: usize,
}

impl Codes<'_> {
    /// Number of bases; never none.
    #[expect(clippy::len_without_is_empty, reason = "a super-k-mer has a k-mer")]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The `number` bases, 1 to 32, from base `start` on, the first one in the lowest bits; the bits above are zero.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn bases(&self, start: usize, number: usize) -> u64 {
        assert!((1..=32).contains(&number) && start + number <= self.len);
        window(self.packed, self.bit / 2 + start) & u64::MAX >> (64 - 2 * number)
    }

    /// All bases as a record of [`Scheme::record_words`] words.
    ///
    /// # Panics
    ///
    /// If these are too few.
    #[inline]
    pub fn record<const N: usize>(&self) -> Record<N> {
        assert!(self.len < 32 * N);
        record::cut(self.packed, self.bit, self.len)
    }
}
