//! Columns of growing numbers: the change of the step, as a variable-length integer.
//!
//! Checkpoints lie a nearly constant number of bytes and records apart, so that the difference from one step to the
//! next is small: for BGZF (blocks of 64 KiB, 90,000 reads per chunk) it takes 2 to 3 bytes where the step takes 3 to 4.

use thalweg_files::write_varint;

use super::IndexError;
use super::cursor::Cursor;

/// The largest value a column can hold: steps and their differences then fit an i64.
pub(super) const LARGEST: u64 = (1 << 62) - 1;

/// Appends a column of values that are at most [`LARGEST`]; the reader knows their number.
pub(super) fn push_column(bytes: &mut Vec<u8>, values: impl Iterator<Item = u64>) {
    let (mut value, mut step) = (0_i64, 0_i64);
    for next in values {
        debug_assert!(next <= LARGEST);
        let next_step = next as i64 - value;
        let change = next_step - step;
        write_varint(bytes, ((change << 1) ^ (change >> 63)) as u64);
        (value, step) = (next as i64, next_step);
    }
}

/// Reads `count` values that [`push_column`] wrote.
pub(super) fn read_column(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<u64>, IndexError> {
    let (mut value, mut step) = (0_i64, 0_i64);
    let mut values = Vec::with_capacity(count.min(cursor.remaining()));
    for _ in 0..count {
        let code = cursor.varint()?;
        let change = (code >> 1) as i64 ^ -((code & 1) as i64);
        let next = step
            .checked_add(change)
            .and_then(|next_step| Some((value.checked_add(next_step)?, next_step)));
        match next {
            Some((next, next_step)) if (0..=LARGEST as i64).contains(&next) => {
                (value, step) = (next, next_step)
            }
            _ => return Err(cursor.damaged("an offset leaves the range of 62 bits")),
        }
        values.push(value as u64);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_round_trip_at_the_extremes() {
        let values = [0, 0, LARGEST, LARGEST, 0, 5, 1 << 40];
        let mut bytes = Vec::new();
        push_column(&mut bytes, values.iter().copied());
        let mut cursor = Cursor::new(&bytes, "test", 0);
        assert_eq!(read_column(&mut cursor, values.len()).unwrap(), values);
        cursor.finish().unwrap();
    }

    #[test]
    fn a_column_that_leaves_the_range_is_refused() {
        let mut bytes = Vec::new();
        write_varint(&mut bytes, u64::MAX);
        assert!(read_column(&mut Cursor::new(&bytes, "test", 0), 1).is_err());
        assert!(read_column(&mut Cursor::new(&bytes, "test", 0), usize::MAX).is_err());
    }
}
