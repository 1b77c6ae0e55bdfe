//! The matrix over GF(2) that gives a k-mer its position.

/// `r` rows and `2k` columns; a column is the position of the k-mer that has this bit alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    /// Column `i` belongs to bit `i` of the k-mer, counted from the least significant.
    columns: Vec<u64>,
}

impl Matrix {
    /// The position is the low `rows` (at most 64) bits.
    pub(super) fn identity(bits: usize, rows: u32) -> Matrix {
        let column = |i: usize| if i < rows as usize { 1 << i } else { 0 };
        Matrix {
            columns: (0..bits).map(column).collect(),
        }
    }

    /// The position is the high `rows` bits: then the order is that of the k-mers.
    pub(super) fn high(bits: usize, rows: u32) -> Matrix {
        let below = bits - rows as usize;
        let column = |i: usize| if i < below { 0 } else { 1 << (i - below) };
        Matrix {
            columns: (0..bits).map(column).collect(),
        }
    }

    /// From columns as files have them: that of the most significant bit first.
    pub(super) fn from_file(columns: Vec<u64>) -> Matrix {
        Matrix {
            columns: columns.into_iter().rev().collect(),
        }
    }

    pub(super) fn to_file(&self) -> Vec<u64> {
        self.columns.iter().rev().copied().collect()
    }

    /// Whether (position, k-mer) has the order of the k-mers, positions being cut to `mask`.
    pub(super) fn keeps_order(&self, mask: u64) -> bool {
        let rows = mask.count_ones();
        rows as usize <= self.columns.len()
            && self
                .columns
                .iter()
                .map(|column| column & mask)
                .eq(Matrix::high(self.columns.len(), rows).columns)
    }

    /// The position of the k-mer that has bit `bit` alone; 0 for bits that k-mers do not have.
    pub(super) fn column(&self, bit: usize) -> u64 {
        self.columns.get(bit).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_bits_keep_the_order_and_low_ones_do_not() {
        let high = Matrix::high(70, 62);
        assert_eq!((high.column(69), high.column(7)), (1 << 61, 0));
        assert!(high.keeps_order((1 << 62) - 1));
        let low = Matrix::identity(70, 62);
        assert_eq!((low.column(69), low.column(7)), (0, 1 << 7));
        assert!(!low.keeps_order((1 << 62) - 1));
        assert!(Matrix::identity(10, 10).keeps_order(1023));
        assert_eq!(Matrix::from_file(high.to_file()), high);
    }
}
