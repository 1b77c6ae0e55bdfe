//! The index of files that were put behind one another, from theirs.
//!
//! Members of gzip follow one another, so the bytes of several files are a file, and nothing has to be decoded to know where
//! its chunks begin:
//!
//! ```text
//! file          |------ a ------|--- b ---|
//! checkpoint    0      20       0    7              bits, bytes of text and ranks of its own file
//! of the whole  0      20      a+0  a+7             and what stands before it
//! ```
//! A chunk ends where the next begins, also if that is another file's, so checksums of chunks stay what they are. What
//! changes is the record that comes next where none comes in the file: it is the first one of a later file.

use super::{Checkpoint, Container, Index, IndexBuilder, IndexError, IndexedFile, Summary};

impl Index {
    /// The index of the file that has the bytes of the files of `parts` behind one another, whose [`IndexedFile`] the caller
    /// knows but for its size. Of metadata it has none.
    ///
    /// It says how records are written if all parts say the same. It is of BGZF if all parts are.
    ///
    /// # Errors
    /// [`IndexError::NotRepresentable`] if a part knows nothing of records or of its own size; [`IndexError::Io`] and
    /// [`IndexError::Damaged`] if a window cannot be read, or sizes together are impossible.
    pub fn join(parts: &[Index], identity: IndexedFile) -> Result<Index, IndexError> {
        let mut builder = IndexBuilder::new();
        let mut before = Before::default();
        for (number, part) in parts.iter().enumerate() {
            if !part.has_records || part.identity.compressed_size == 0 {
                return Err(IndexError::NotRepresentable {
                    format: "thw",
                    reason: "the index of a part does not number its records",
                });
            }
            let end = before.output.saturating_add(part.output_size);
            let next_record = end.saturating_add(first_record(&parts[number + 1..]));
            for (number, checkpoint) in part.checkpoints.iter().enumerate() {
                let window = part.windows.encoded(number)?;
                builder.push_encoded(before.shift(checkpoint, part, next_record), window);
            }
            before.add(part);
        }
        let first = parts.first();
        let record_format = first.and_then(|first| first.record_format);
        let all = |is: &dyn Fn(&Index) -> bool| parts.iter().all(is);
        builder.finish(Summary {
            identity: IndexedFile {
                compressed_size: before.compressed,
                ..identity
            },
            container: match all(&|part| part.container == Container::Bgzf) {
                true => Container::Bgzf,
                false => Container::Gzip,
            },
            record_format: record_format
                .filter(|_| all(&|part| part.record_format == record_format)),
            has_records: true,
            output_size: before.output,
            record_count: before.records,
            metadata: None,
        })
    }
}

/// Bytes of text from the start of these parts to their first record; all of them if there is none.
fn first_record(parts: &[Index]) -> u64 {
    let mut bytes = 0_u64;
    for part in parts {
        match part.checkpoints.first() {
            Some(first) if part.record_count > 0 => {
                return bytes.saturating_add(first.record_offset);
            }
            _ => bytes = bytes.saturating_add(part.output_size),
        }
    }
    bytes
}

/// What stands before a part.
#[derive(Default)]
struct Before {
    compressed: u64,
    output: u64,
    records: u64,
}

impl Before {
    /// Sums that do not fit are no sizes of files: the checks of the whole find them.
    fn add(&mut self, part: &Index) {
        self.compressed = self
            .compressed
            .saturating_add(part.identity.compressed_size);
        self.output = self.output.saturating_add(part.output_size);
        self.records = self.records.saturating_add(part.record_count);
    }

    /// A checkpoint of `part`, as one of the whole. Behind the last record of the part comes that at `next_record`.
    fn shift(&self, checkpoint: &Checkpoint, part: &Index, next_record: u64) -> Checkpoint {
        let is_behind_last = checkpoint.record_rank == part.record_count;
        Checkpoint {
            bit_offset: self
                .compressed
                .saturating_mul(8)
                .saturating_add(checkpoint.bit_offset),
            output_offset: self.output.saturating_add(checkpoint.output_offset),
            record_rank: self.records.saturating_add(checkpoint.record_rank),
            record_offset: match is_behind_last {
                true => next_record,
                false => self.output.saturating_add(checkpoint.record_offset),
            },
            crc32: checkpoint.crc32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checkpoints as (bit offset, output offset, rank, record offset).
    fn part(size: u64, output: u64, records: u64, checkpoints: &[[u64; 4]]) -> Index {
        let mut builder = IndexBuilder::new();
        for &[bit_offset, output_offset, record_rank, record_offset] in checkpoints {
            let checkpoint = Checkpoint {
                bit_offset,
                output_offset,
                record_rank,
                record_offset,
                crc32: Some(bit_offset as u32),
            };
            builder.push(checkpoint, &vec![b'A'; output_offset as usize], None);
        }
        let summary = Summary {
            identity: identity(size),
            container: Container::Bgzf,
            record_format: None,
            has_records: true,
            output_size: output,
            record_count: records,
            metadata: None,
        };
        builder.finish(summary).unwrap()
    }

    fn identity(compressed_size: u64) -> IndexedFile {
        IndexedFile {
            compressed_size,
            blake3: None,
            head_tail: Some([7; 16]),
        }
    }

    #[test]
    fn places_and_ranks_are_shifted_by_what_stands_before() {
        let parts = [
            part(
                100,
                50,
                3,
                &[[144, 0, 0, 1], [400, 20, 2, 30], [700, 48, 3, 50]],
            ),
            // Blank lines only.
            part(30, 4, 0, &[[144, 0, 0, 4]]),
            part(60, 40, 2, &[[144, 0, 0, 2], [300, 30, 2, 40]]),
            part(25, 5, 0, &[[144, 0, 0, 5]]),
        ];
        let whole = Index::join(&parts, identity(0)).unwrap();
        assert_eq!(
            (
                whole.identity.compressed_size,
                whole.output_size,
                whole.record_count
            ),
            (215, 99, 5)
        );
        assert_eq!(whole.container, Container::Bgzf);
        assert_eq!(whole.identity.head_tail, Some([7; 16]));
        let found: Vec<_> = whole
            .checkpoints
            .iter()
            .map(|at| {
                [
                    at.bit_offset,
                    at.output_offset,
                    at.record_rank,
                    at.record_offset,
                ]
            })
            .collect();
        assert_eq!(
            found,
            [
                [144, 0, 0, 1],
                [400, 20, 2, 30],
                [700, 48, 3, 56],
                [944, 50, 3, 56],
                [1184, 54, 3, 56],
                [1340, 84, 5, 99],
                [1664, 94, 5, 99],
            ]
        );
        let mut window = [0; super::super::WINDOW_SIZE];
        assert_eq!(whole.window(1, &mut window).unwrap(), 20);
        assert_eq!(whole.window(3, &mut window).unwrap(), 0);
        assert_eq!(whole.checkpoints[5].crc32, Some(300));
    }

    #[test]
    fn nothing_is_made_of_parts_without_records() {
        let mut unknown = part(100, 50, 0, &[[144, 0, 0, 50]]);
        unknown.has_records = false;
        let parts = [part(100, 50, 1, &[[144, 0, 0, 0]]), unknown];
        assert!(matches!(
            Index::join(&parts, identity(0)),
            Err(IndexError::NotRepresentable { .. })
        ));
    }
}
