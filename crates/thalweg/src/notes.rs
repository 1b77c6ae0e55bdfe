//! What is worth telling about inputs before they are read, the same for all jobs.

use std::collections::HashSet;
use std::path::Path;

use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::BAM;
use thalweg_reads::{Compression, FilePlan, lacks_bgzf_end};

use crate::{Message, MessageKind};

/// A BGZF file may have been cut off between two blocks: no checksum can tell.
pub fn missing_end(file: &Path) -> Message {
    Message {
        kind: MessageKind::Warning,
        text: format!(
            "{}: no BGZF end-of-file block: the file may have been cut off, or its writer makes none",
            file.display()
        ),
    }
}

/// What looks as if a file of BGZF had been cut off between two blocks.
pub fn cut(file: &Path) -> impl Iterator<Item = Message> {
    let lacks_end = lacks_bgzf_end(file).unwrap_or(false);
    lacks_end.then(|| missing_end(file)).into_iter()
}

/// What looks as if a file had been cut off: between two blocks of BGZF, or before its first byte.
///
/// A file that cannot be opened is nothing to tell here, as whoever reads it will.
pub fn cut_or_empty(file: &Path) -> impl Iterator<Item = Message> {
    let empty = without_data(file).map(|compression| Message {
        kind: MessageKind::Warning,
        text: format!(
            "{}: it has 0 bytes, where {} of no reads has some: whatever was to write it wrote nothing",
            file.display(),
            compression.name()
        ),
    });
    cut(file).chain(empty)
}

/// What a file is compressed with by its name, if it has no bytes at all.
pub fn without_data(file: &Path) -> Option<Compression> {
    let is_empty = std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() == 0);
    Compression::of_no_data(file).filter(|_| is_empty)
}

/// Files that are read more than once as one sample: two lanes are seldom the same.
pub fn repeats(plans: &[FilePlan]) -> impl Iterator<Item = Message> {
    let mut seen = HashSet::new();
    plans.iter().filter_map(move |plan| {
        let path = std::fs::canonicalize(&plan.path).ok()?;
        // Whoever names a pipe twice may have two things to say.
        let is_repeat = path.is_file() && !seen.insert(path);
        is_repeat.then(|| Message {
            kind: MessageKind::Doubt,
            text: format!("{}: named twice, and read twice", plan.path.display()),
        })
    })
}

/// Records of BAM are of pairs, by the flags of the first, and are taken as single reads: `option` would pair them.
pub fn taken_as_single(plans: &[FilePlan], option: &str) -> Option<Message> {
    let has_mates =
        |plan: &&FilePlan| plan.format_name == BAM.name() && is_named_as_mate(&plan.first_head);
    let path = plans.iter().find(has_mates)?.path.display();
    Some(Message {
        kind: MessageKind::Note,
        text: format!(
            "{path}: the first record is of a pair, and all are taken as single reads. If mates stand \
             beside each other, say {option}; if the file is sorted by place, \
             `samtools collate -u -O {path} | thalweg ... {option} -` puts them there"
        ),
    })
}

/// Whether a record's flags say that it is of a pair: it has such a name in FASTQ.
pub(crate) fn is_named_as_mate(head: &[u8]) -> bool {
    let name = head.split(u8::is_ascii_whitespace).next();
    name.is_some_and(|name| name.ends_with(b"/1") || name.ends_with(b"/2"))
}
