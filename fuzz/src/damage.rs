//! Damage to well-formed files, as the fuzzer's input asks for it.
//!
//! Bytes that a fuzzer makes up hardly ever get past a magic number, a size that must fit, or a checksum. So
//! the input is read as a list of operations on a good file, five bytes each: what to do, where (of
//! 65536 parts of the file), and a value.

/// Bytes of an operation.
const OPERATION: usize = 5;

/// Operations that are done; more make no file that a fewer could not.
const MOST: usize = 64;

/// Most bytes that one operation inserts.
const LONGEST: usize = 64;

/// Applies `operations` to `file`; what is left over at their end is ignored.
pub fn apply(operations: &[u8], file: &mut Vec<u8>) {
    for operation in operations.chunks_exact(OPERATION).take(MOST) {
        let [kind, place @ .., low, high] = operation else {
            continue;
        };
        let place = usize::from(place[0]) | usize::from(place[1]) << 8;
        // Small files are reached byte by byte, large ones in proportion.
        let place = if file.len() > 0xffff { place * file.len() >> 16 } else { place.min(file.len()) };
        // From the end, too: that is where some formats have their header.
        let place = if kind & 0x80 == 0 { place } else { file.len() - place };
        apply_one(kind & 0x7f, place, *low, *high, file);
    }
}

fn apply_one(kind: u8, place: usize, low: u8, high: u8, file: &mut Vec<u8>) {
    let value = u64::from(low) | u64::from(high) << 8;
    let length = usize::from(low) % LONGEST;
    match kind % 9 {
        0 => overwrite(file, place, &[low]),
        1 => {
            let byte = file.get(place).map_or(0, |byte| byte ^ (1 << (low % 8)));
            overwrite(file, place, &[byte]);
        }
        2 => overwrite(file, place, &value.to_le_bytes()[..4]),
        3 => overwrite(file, place, &value.to_le_bytes()),
        // Numbers at the upper end, where sums overflow.
        4 => overwrite(file, place, &(!value).to_le_bytes()[..4 << (high % 2)]),
        5 => overwrite(file, place, &(1u64 << (low % 64)).to_le_bytes()[..4 << (high % 2)]),
        6 => drop(file.splice(place..place, std::iter::repeat_n(high, length))),
        7 => {
            let end = (place + length).min(file.len());
            file.drain(place..end);
        }
        _ => {
            let piece = file[place..(place + length).min(file.len())].to_vec();
            let target = usize::from(high).min(file.len());
            overwrite(file, target, &piece);
        }
    }
}

fn overwrite(file: &mut [u8], place: usize, bytes: &[u8]) {
    for (old, new) in file[place..].iter_mut().zip(bytes) {
        *old = *new;
    }
}
