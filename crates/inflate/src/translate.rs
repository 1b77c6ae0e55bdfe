//! Bytes by a table of 256.

#[cfg(target_arch = "x86_64")]
mod x86;

/// Write for each of `bytes` what `table` says `to` the same place. Fastest where few rows of 16 entries differ from the bytes
/// themselves.
///
/// # Panics
///
/// If `bytes` and `to` differ in length.
pub fn translate(bytes: &[u8], table: &[u8; 256], to: &mut [u8]) {
    assert_eq!(bytes.len(), to.len(), "as many bytes as there is room");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        let rows = Rows::new(table);
        // SAFETY: the instructions are there, and the slices are of the same length.
        return unsafe { x86::translate(bytes, table, &rows, to) };
    }
    portable(bytes, table, to);
}

fn portable(bytes: &[u8], table: &[u8; 256], to: &mut [u8]) {
    for (to, &byte) in to.iter_mut().zip(bytes) {
        *to = table[usize::from(byte)];
    }
}

/// The rows of 16 entries in which a table differs from the bytes themselves.
#[cfg(target_arch = "x86_64")]
struct Rows {
    /// The upper half of the bytes that a row is for, and what is to be changed in them.
    rows: [(u8, [u8; 16]); 16],
    count: usize,
}

#[cfg(target_arch = "x86_64")]
impl Rows {
    fn new(table: &[u8; 256]) -> Self {
        let mut rows = Self {
            rows: [(0, [0; 16]); 16],
            count: 0,
        };
        for upper in 0..16_u8 {
            let change = core::array::from_fn(|lower| {
                let byte = upper << 4 | lower as u8;
                table[usize::from(byte)] ^ byte
            });
            if change != [0; 16] {
                rows.rows[rows.count] = (upper << 4, change);
                rows.count += 1;
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_the_table_says() {
        let mut state = 1_u64;
        let mut number = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u8
        };
        let bytes: Vec<u8> = (0..5000).map(|_| number()).collect();
        for changed in [0, 1, 2, 16, 60, 158, 256] {
            let mut table: [u8; 256] = core::array::from_fn(|byte| byte as u8);
            table[256 - changed..].fill_with(&mut number);
            for (from, length) in [
                (0, 5000),
                (1, 31),
                (3, 32),
                (5, 33),
                (7, 0),
                (9, 1),
                (11, 64),
                (13, 127),
            ] {
                let bytes = &bytes[from..from + length];
                // What is behind the room stays.
                let mut found = vec![0xcc; length + 40];
                translate(bytes, &table, &mut found[..length]);
                let mut wanted = vec![0xcc; length + 40];
                portable(bytes, &table, &mut wanted[..length]);
                assert!(found == wanted, "{changed} {from} {length}");
                let of_each = bytes.iter().map(|&byte| table[usize::from(byte)]);
                assert!(of_each.eq(found[..length].iter().copied()));
            }
        }
    }
}
