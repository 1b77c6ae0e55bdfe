//! BLAKE3 of a file, on several threads.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root,
};
use thalweg_files::{ReadAt, ReadFrom};
use thalweg_flow::{Claims, Failure, run};

/// Bytes that a thread hashes at a time. A power of two, as subtrees of
/// BLAKE3's tree must be.
const SUBTREE: u64 = 4 << 20;

/// BLAKE3 of the first `size` bytes of `file`, the same value as `b3sum` prints.
///
/// Each thread hashes subtrees of 4 MiB; they are merged at the end. Time is
/// that of reading where the page cache is cold.
///
/// # Errors
/// What reading gave; [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
pub fn hash_file(file: &dyn ReadAt, size: u64, threads: usize) -> io::Result<[u8; 32]> {
    if size <= SUBTREE {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 256 * 1024];
        read_all(file, 0, size, &mut buffer, |bytes| {
            hasher.update(bytes);
        })?;
        return Ok(*hasher.finalize().as_bytes());
    }
    let count = size.div_ceil(SUBTREE);
    let claims = Claims::new(count);
    let values = Mutex::new(vec![ChainingValue::default(); count as usize]);
    let outcome = run(threads, |_, stop| {
        let mut buffer = vec![0; 256 * 1024];
        while let Some(claim) = claims.claim().filter(|_| !stop.is_stopped()) {
            let start = claim * SUBTREE;
            let length = SUBTREE.min(size - start);
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset(start);
            read_all(file, start, length, &mut buffer, |bytes| {
                hasher.update(bytes);
            })?;
            let value = hasher.finalize_non_root();
            values.lock().unwrap_or_else(PoisonError::into_inner)[claim as usize] = value;
        }
        Ok(())
    });
    match outcome {
        Ok(_) => {}
        Err(Failure::Failed(error)) => return Err(error),
        Err(Failure::Panicked(what) | Failure::NoThread(what)) => {
            return Err(io::Error::other(what));
        }
    }
    let values = values.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (left, right) = split(&values, size);
    let hash = merge_subtrees_root(&left, &right, Mode::Hash);
    Ok(*hash.as_bytes())
}

/// Chaining values of the two subtrees below the root.
fn split(values: &[ChainingValue], size: u64) -> (ChainingValue, ChainingValue) {
    let left = left_subtree_len(size);
    let (left_values, right_values) = values.split_at((left / SUBTREE) as usize);
    (merge(left_values, left), merge(right_values, size - left))
}

fn merge(values: &[ChainingValue], size: u64) -> ChainingValue {
    if let [value] = values {
        return *value;
    }
    let (left, right) = split(values, size);
    merge_subtrees_non_root(&left, &right, Mode::Hash)
}

/// Hand `length` bytes from `start` on to `take`, piece by piece.
pub(super) fn read_all(
    file: &dyn ReadAt,
    start: u64,
    length: u64,
    buffer: &mut [u8],
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut source = ReadFrom::new(file, start);
    let mut left = length;
    while left > 0 {
        let wanted = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        match source.read(&mut buffer[..wanted]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                take(&buffer[..count]);
                left -= count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn subtrees_give_the_hash_of_the_whole() {
        let mut file = tempfile::tempfile().unwrap();
        let mut text = vec![0_u8; 3 * SUBTREE as usize + 12_345];
        for (at, byte) in text.iter_mut().enumerate() {
            *byte = ((at * 31) >> 7) as u8;
        }
        file.write_all(&text).unwrap();
        let sizes = [0, 1, 1024, SUBTREE - 1, SUBTREE, SUBTREE + 1, 2 * SUBTREE];
        for size in sizes.into_iter().chain([3 * SUBTREE, text.len() as u64]) {
            let expected = *blake3::hash(&text[..size as usize]).as_bytes();
            for threads in [1, 3] {
                assert_eq!(hash_file(&file, size, threads).unwrap(), expected, "{size}");
            }
        }
    }
}
