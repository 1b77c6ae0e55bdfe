//! Which percents a read of some length and number of G and C is counted at.

/// The longest reads whose letters all count.
const EXACT: usize = 100;

/// Reads from this length on are cut to a multiple of it, shorter ones to a multiple of [`EXACT`].
const LONG: usize = 1000;

/// So many letters of a read are looked at.
pub(crate) fn looked_at(length: usize) -> usize {
    match length {
        _ if length > LONG => length / LONG * LONG,
        _ if length > EXACT => length / EXACT * EXACT,
        _ => length,
    }
}

/// How much a read of one length adds to each percent that it is counted at.
pub(crate) struct GcModel {
    length: usize,
    /// One by how many numbers of G and C are counted at that percent.
    increments: [f64; 101],
}

impl GcModel {
    /// Of reads of `length` letters, of which there is at least one. Linear in it.
    pub(crate) fn new(length: usize) -> Self {
        let mut claims = [0_u32; 101];
        for letters in 0..=length {
            for percent in percents(letters, length) {
                claims[percent] += 1;
            }
        }
        GcModel {
            length,
            increments: claims.map(|claims| 1.0 / f64::from(claims)),
        }
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Count a read that has so many G and C.
    #[inline]
    pub(crate) fn add(&self, letters: usize, distribution: &mut [f64; 101]) {
        for percent in percents(letters, self.length) {
            distribution[percent] += self.increments[percent];
        }
    }
}

/// The percents from half a letter less to half a letter more, rounded.
#[inline]
fn percents(letters: usize, length: usize) -> std::ops::RangeInclusive<usize> {
    let (most, letters) = (length as f64, letters as f64);
    let percent = |letters: f64| {
        let percent = letters.clamp(0.0, most) * 100.0 / most;
        (percent + 0.5).floor() as usize
    };
    percent(letters - 0.5)..=percent(letters + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reads_are_cut() {
        for (length, cut) in [
            (0, 0),
            (99, 99),
            (100, 100),
            (151, 100),
            (999, 900),
            (1000, 1000),
            (2999, 2000),
        ] {
            assert_eq!(looked_at(length), cut);
        }
    }

    #[test]
    fn all_numbers_together_fill_every_percent_once() {
        for length in [1, 7, 36, 76, 100, 200, 2000] {
            let model = GcModel::new(length);
            let mut distribution = [0.0; 101];
            (0..=length).for_each(|letters| model.add(letters, &mut distribution));
            assert!(
                distribution
                    .iter()
                    .all(|one: &f64| (one - 1.0).abs() < 1e-9),
                "{length}"
            );
        }
    }
}
