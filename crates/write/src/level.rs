/// How hard to compress: 1 (fastest) to 12 (smallest).
///
/// For gzip and BGZF, 1 is `thalweg-deflate`'s `Fast` and 2 to 4 are its `Small`, which know
/// the form of FASTQ; from 5 on they are the levels of libdeflate. Small stands for three
/// of them as libdeflate, in blocks of BGZF, saves little between its levels 2 and 4 but takes
/// much longer (`docs/design/deflate.md` has speeds and sizes). For zstd the levels are spread over its range:
///
/// | level | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
/// |---|---|---|---|---|---|---|---|---|---|---|---|---|
/// | zstd | 1 | 2 | 3 | 4 | 6 | 8 | 10 | 12 | 14 | 16 | 18 | 19 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The fastest.
    pub const FASTEST: Self = Self(1);
    /// The smallest output.
    pub const SMALLEST: Self = Self(12);

    /// A level; `None` if it is not in 1..=12.
    pub fn new(level: u8) -> Option<Self> {
        (1..=12).contains(&level).then_some(Self(level))
    }

    /// The number, 1 to 12.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The level of our own DEFLATE that stands for this one, if any.
    pub(crate) fn own(self) -> Option<thalweg_deflate::Level> {
        match self.0 {
            1 => Some(thalweg_deflate::Level::Fast),
            2..=4 => Some(thalweg_deflate::Level::Small),
            _ => None,
        }
    }

    #[cfg(feature = "zstd")]
    pub(crate) fn zstd(self) -> i32 {
        const LEVELS: [i32; 12] = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 19];
        LEVELS[usize::from(self.0) - 1]
    }
}

impl Default for Level {
    /// 4, as fastp's.
    fn default() -> Self {
        Self(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_levels() {
        let levels: Vec<_> = (0..=255).filter_map(Level::new).collect();
        assert_eq!(levels.len(), 12);
        assert_eq!((levels[0], levels[11]), (Level::FASTEST, Level::SMALLEST));
        #[cfg(feature = "zstd")]
        assert!(levels.is_sorted_by_key(|level| level.zstd()));
    }
}
