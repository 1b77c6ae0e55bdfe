//! Low complexity: stretches of a few letters over and over, which sequences share without being related.
//!
//! As kraken2-build masks them by default: symmetric DUST (Morgulis, Gertz, Schäffer and Agarwala, 2006, *Journal of
//! Computational Biology* 13:1028, <https://doi.org/10.1089/cmb.2006.13.1028>) with dustmasker's defaults, a window of 64
//! letters, level 20 and linker 1.
//!
//! **Definition.** A stretch of l triplets, the t-th of the 64 kinds c(t) times, has the score
//! S = Σ c(t) (c(t) - 1) / 2 / (l - 1). It is *perfect* if it has at most 64 letters, S > 2, and no stretch inside of it has
//! a higher score. Masked is what lies in a perfect stretch.
//!
//! **Algorithm.** A window of 62 triplets slides over the sequence. For each start in it, the longest perfect stretch so far is
//! kept; when the start leaves the window, that stretch is masked.
//!
//! ```text
//! for each triplet that enters:
//!     the start that leaves is masked as far as its stretch goes
//!     shorten the suffix until no triplet is in it more than 4 times   (no stretch in it can have S > 2)
//!     if the window's sum says that a longer suffix could have S > 2:
//!         for each start before the suffix, from right to left:
//!             it is perfect up to here if S > 2 and S >= all of stretches that start at it or behind it
//! ```
//!
//! In sequences that are not repetitive the last step is rare, so that the cost is that of four counts for each letter.
//!
//! dustmasker takes all letters that are no bases for A, so that it masks runs of N, and A beside them. Here they end a
//! stretch: no k-mer has one of them anyway.

use std::ops::Range;

/// Letters of the longest stretch, and of the window.
pub const WINDOW: usize = 64;
/// What the score must exceed, dustmasker's level of 20 in tenths.
const THRESHOLD: i32 = 2;
const TRIPLETS: usize = WINDOW - 2;
/// A stretch of l triplets, none more than 2T times, has S <= l (2T - 1) / 2 / (l - 1), which is at most T if l >= 2T; and a
/// shorter one has S <= l / 2.
const MOST_IN_SUFFIX: i32 = 2 * THRESHOLD;

/// Appends the ranges of letters of low complexity to `masked`: rising, at least one letter apart.
///
/// `sequence` is all letters of a sequence or a part of them, without line ends, in upper or lower case; U is T. What is
/// masked at a letter depends on the [`WINDOW`] - 1 letters before it and behind it, and on no others: who cuts a sequence
/// gives each part as many more at both of its sides, and leaves out what is masked there.
///
/// Cost: linear; repetitive sequences take up to 62 steps a letter.
pub fn low_complexity(sequence: &[u8], masked: &mut Vec<Range<usize>>) {
    let first = masked.len();
    let mut begin = 0;
    while begin < sequence.len() {
        begin += 1 + mask_bases(&sequence[begin..], begin, first, masked);
    }
}

/// Masks letters up to the first that is no base, and tells how many they were. `offset` is added to places; ranges before
/// the one numbered `first` are of other sequences.
fn mask_bases(
    letters: &[u8],
    offset: usize,
    first: usize,
    masked: &mut Vec<Range<usize>>,
) -> usize {
    let mut mask = |stretch: Range<usize>| {
        let letters = offset + stretch.start..offset + stretch.end + 2;
        match masked[first..].last_mut() {
            // In the order of their starts; linker 1 joins those that touch.
            Some(last) if letters.start <= last.end => last.end = last.end.max(letters.end),
            _ => masked.push(letters),
        }
    };
    let mut triplet = 0;
    for (at, &letter) in letters.iter().take(2).enumerate() {
        match code(letter) {
            OTHER => return at,
            code => triplet = triplet << 2 | code,
        }
    }
    let mut window = Window::new();
    let mut bases = letters.len();
    for (at, &letter) in letters.iter().enumerate().skip(2) {
        let code = code(letter);
        if code == OTHER {
            bases = at;
            break;
        }
        triplet = (triplet << 2 | code) & 63;
        if let Some(stretch) = window.leave_if_full() {
            mask(stretch);
        }
        if window.enter(triplet) {
            window.find_perfect_stretches();
        }
    }
    while !window.is_empty() {
        if let Some(stretch) = window.leave() {
            mask(stretch);
        }
    }
    bases
}

/// The last triplets; places count triplets from the start of the sequence.
///
/// The *excess* of a stretch of l triplets is Σ c (c - 1) / 2 - T (l - 1): above 0 where S > T. When a triplet is appended
/// that is c times in the stretch, it rises by c - T.
struct Window {
    /// By place modulo 64.
    triplets: [u8; RING],
    start: usize,
    end: usize,
    /// Where the longest suffix begins in which no triplet is more than [`MOST_IN_SUFFIX`] times.
    suffix: usize,
    counts: [Counts; 64],
    /// Σ c (c - 1) / 2 of the window, and of the suffix.
    window_sum: i32,
    suffix_sum: i32,
    /// No stretch that begins before the suffix and ends here has more excess.
    most_excess: i32,
    /// By start modulo 64: the longest perfect stretch.
    perfect: [Stretch; RING],
    /// How many of these there are.
    stretches: usize,
}

const RING: usize = 64;

/// How often a triplet is in the window, and 256 times how often it is in the suffix: in one number, so that entering
/// changes it once.
type Counts = u16;
const ONE_IN_WINDOW: Counts = 1;
const ONE_IN_SUFFIX: Counts = 1 << 8;

#[inline]
fn of_window(counts: Counts) -> i32 {
    i32::from(counts & 0xff)
}

#[inline]
fn of_suffix(counts: Counts) -> i32 {
    i32::from(counts >> 8)
}

/// What begins at a known start.
#[derive(Clone, Copy)]
struct Stretch {
    /// One behind the last triplet; 0 if there is no such stretch.
    end: usize,
    sum: i32,
    /// Triplets less one: what the sum is divided by.
    divisor: i32,
}

const NO_STRETCH: Stretch = Stretch {
    end: 0,
    sum: 0,
    divisor: 1,
};

impl Stretch {
    fn scores_less_than(&self, other: &Self) -> bool {
        self.sum * other.divisor < other.sum * self.divisor
    }
}

impl Window {
    fn new() -> Self {
        Self {
            triplets: [0; RING],
            start: 0,
            end: 0,
            suffix: 0,
            counts: [0; 64],
            window_sum: 0,
            suffix_sum: 0,
            most_excess: 0,
            perfect: [NO_STRETCH; RING],
            stretches: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    #[inline]
    fn leave_if_full(&mut self) -> Option<Range<usize>> {
        (self.end - self.start == TRIPLETS)
            .then(|| self.leave())
            .flatten()
    }

    /// Takes the first triplet out, and gives the longest perfect stretch that begins with it.
    #[inline]
    fn leave(&mut self) -> Option<Range<usize>> {
        let start = self.start;
        if self.suffix == start {
            self.shorten_suffix();
        }
        let counts = &mut self.counts[usize::from(self.triplets[start % RING] & 63)];
        *counts -= ONE_IN_WINDOW;
        self.window_sum -= of_window(*counts);
        self.start += 1;
        if self.stretches == 0 {
            return None;
        }
        let stretch = std::mem::replace(&mut self.perfect[start % RING], NO_STRETCH);
        self.stretches -= usize::from(stretch.end > 0);
        (stretch.end > 0).then_some(start..stretch.end)
    }

    /// Appends a triplet, and tells whether perfect stretches may end with it.
    #[inline]
    fn enter(&mut self, triplet: u8) -> bool {
        self.triplets[self.end % RING] = triplet;
        self.end += 1;
        let counts = &mut self.counts[usize::from(triplet & 63)];
        let before = *counts;
        *counts += ONE_IN_WINDOW + ONE_IN_SUFFIX;
        self.window_sum += of_window(before);
        self.suffix_sum += of_suffix(before);
        let risen = if of_suffix(before) < MOST_IN_SUFFIX {
            self.most_excess + of_window(before) - THRESHOLD
        } else {
            while self.shorten_suffix() != triplet {}
            // Nothing was known of the starts that were in the suffix.
            i32::MAX
        };
        // No stretch has more pairs than the window has, and those asked for are longer than the suffix.
        let at_most = self.window_sum - THRESHOLD * (self.end - self.suffix) as i32;
        // More is no fault; so it does not sink for ever.
        self.most_excess = risen.min(at_most).max(-(TRIPLETS as i32));
        self.most_excess > 0
    }

    /// Takes the first triplet out of the suffix, and tells which it was.
    #[inline]
    fn shorten_suffix(&mut self) -> u8 {
        let first = self.triplets[self.suffix % RING];
        let counts = &mut self.counts[usize::from(first & 63)];
        *counts -= ONE_IN_SUFFIX;
        self.suffix_sum -= of_suffix(*counts);
        self.suffix += 1;
        first
    }

    /// Finds the perfect stretches that end here.
    fn find_perfect_stretches(&mut self) {
        self.most_excess = self.excess();
        if self.most_excess > 0 {
            self.keep_perfect_stretches();
        }
    }

    /// The most excess of stretches that begin before the suffix and end here.
    fn excess(&self) -> i32 {
        let mut counts = self.counts;
        let mut sum = self.suffix_sum;
        let mut most = i32::MIN;
        let mut needed = THRESHOLD * (self.end - self.suffix) as i32;
        for start in (self.start..self.suffix).rev() {
            let counts = &mut counts[usize::from(self.triplets[start % RING] & 63)];
            sum += of_suffix(*counts);
            *counts += ONE_IN_SUFFIX;
            most = most.max(sum - needed);
            needed += THRESHOLD;
            // Longer ones have at most the pairs of the window. It does not matter what they have beyond 0.
            if self.window_sum - needed <= most.min(0) {
                break;
            }
        }
        most
    }

    fn keep_perfect_stretches(&mut self) {
        let mut counts = self.counts;
        let mut sum = self.suffix_sum;
        let mut best = NO_STRETCH;
        for start in (self.start..self.suffix).rev() {
            let counts = &mut counts[usize::from(self.triplets[start % RING] & 63)];
            sum += of_suffix(*counts);
            *counts += ONE_IN_SUFFIX;
            let known = &mut self.perfect[start % RING];
            if best.scores_less_than(known) {
                best = *known;
            }
            let stretch = Stretch {
                end: self.end,
                sum,
                divisor: (self.end - start - 1) as i32,
            };
            if stretch.sum > THRESHOLD * stretch.divisor && !stretch.scores_less_than(&best) {
                self.stretches += usize::from(known.end == 0);
                best = stretch;
                *known = stretch;
            }
        }
    }
}

const OTHER: u8 = 4;

/// Two bits for a base, [`OTHER`] for any other letter.
#[inline]
fn code(letter: u8) -> u8 {
    CODES[usize::from(letter)]
}

static CODES: [u8; 256] = {
    let mut codes = [OTHER; 256];
    let letters = *b"AaCcGgTtUu";
    let values = *b"0011223333";
    let mut at = 0;
    while at < letters.len() {
        codes[letters[at] as usize] = values[at] - b'0';
        at += 1;
    }
    codes
};
