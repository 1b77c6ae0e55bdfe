//! The rules that every index obeys, whoever wrote it.

use super::column::LARGEST;
use super::{Checkpoint, IndexError, Summary};

/// A broken rule, before it is known which file and section it is in.
#[derive(Debug)]
pub(super) struct Fault(String);

impl Fault {
    pub(super) fn in_section(self, section: &'static str) -> IndexError {
        self.at(section, 0)
    }

    pub(super) fn at(self, section: &'static str, offset: u64) -> IndexError {
        IndexError::damaged(section, offset, self.0)
    }
}

/// Checks everything that readers rely on. O(checkpoints).
pub(super) fn check(summary: &Summary, checkpoints: &[Checkpoint]) -> Result<(), Fault> {
    let compressed_bits = summary.identity.compressed_size.checked_mul(8);
    let Some(compressed_bits) = compressed_bits.filter(|bits| *bits <= LARGEST) else {
        return Err(Fault("the compressed size is impossible".into()));
    };
    if summary.output_size > LARGEST || summary.record_count > summary.output_size {
        return Err(Fault(
            "the output size or the number of records is impossible".into(),
        ));
    }
    match checkpoints.first() {
        None if summary.output_size > 0 => {
            return Err(Fault("no checkpoint, but the file is not empty".into()));
        }
        Some(first) if first.output_offset != 0 || first.record_rank != 0 => {
            return Err(Fault(
                "the first checkpoint does not lie at the start".into(),
            ));
        }
        _ => {}
    }
    let mut previous: Option<&Checkpoint> = None;
    for (number, checkpoint) in checkpoints.iter().enumerate() {
        let rule = broken_rule(summary, compressed_bits, previous, checkpoint);
        if let Some(rule) = rule {
            return Err(Fault(format!("checkpoint {number}: {rule}")));
        }
        previous = Some(checkpoint);
    }
    Ok(())
}

fn broken_rule(
    summary: &Summary,
    compressed_bits: u64,
    previous: Option<&Checkpoint>,
    checkpoint: &Checkpoint,
) -> Option<&'static str> {
    if checkpoint.bit_offset >= compressed_bits {
        return Some("lies past the end of the compressed file");
    }
    if checkpoint.output_offset > summary.output_size {
        return Some("its output offset is past the end");
    }
    if summary.has_records {
        if checkpoint.record_rank > summary.record_count {
            return Some("its record rank is past the last record");
        }
        if !(checkpoint.output_offset..=summary.output_size).contains(&checkpoint.record_offset) {
            return Some("its record starts before it or past the end");
        }
    }
    let previous = previous?;
    if checkpoint.bit_offset <= previous.bit_offset {
        return Some("its bit offset does not increase");
    }
    if checkpoint.output_offset < previous.output_offset {
        return Some("its output offset decreases");
    }
    if summary.has_records {
        if checkpoint.record_rank < previous.record_rank {
            return Some("its record rank decreases");
        }
        let same_record = checkpoint.record_rank == previous.record_rank;
        let same_offset = checkpoint.record_offset == previous.record_offset;
        if same_record != same_offset || checkpoint.record_offset < previous.record_offset {
            return Some("its record's rank and offset disagree with the checkpoint before");
        }
    }
    None
}
