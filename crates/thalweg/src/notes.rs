//! What is worth telling about inputs before they are read, the same for all jobs.

use std::collections::HashSet;
use std::path::Path;

use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::BAM;
use thalweg_reads::{FilePlan, lacks_bgzf_end};

use crate::{Message, MessageKind};

/// The warning of a BGZF file that may have been truncated between two blocks: no checksum shows it.
pub fn missing_end(file: &Path) -> Message {
    Message {
        kind: MessageKind::Warning,
        text: format!(
            "{}: no BGZF end-of-file block: the file may be truncated, or its writer makes none",
            file.display()
        ),
    }
}

/// The warning of [`missing_end`], if there is reason for it.
pub fn cut(file: &Path) -> impl Iterator<Item = Message> {
    let lacks_end = lacks_bgzf_end(file).unwrap_or(false);
    lacks_end.then(|| missing_end(file)).into_iter()
}

/// Files whose reads are in colour space, in which jobs find no bases.
pub fn colour_space(plans: &[FilePlan]) -> impl Iterator<Item = Message> {
    let plans = plans.iter().filter(|plan| plan.is_colour_space);
    plans.map(|plan| Message {
        kind: MessageKind::Warning,
        text: format!(
            "{}: the reads are in colour space (SOLiD): their digits are colours, and are not read as bases. Use a \
             program for colour space, or convert the reads to bases first",
            plan.path.display()
        ),
    })
}

/// The warning of a part that is read through an index that has no checksum for it.
pub fn unchecked_part(plan: &FilePlan) -> Option<Message> {
    let index = plan.index.as_ref().filter(|_| plan.is_unchecked)?;
    Some(Message {
        kind: MessageKind::Warning,
        text: format!(
            "{}: a part is read through {}, which has no checksums of chunks: if that index is wrong, so are the reads. `thalweg index` \
             makes one that has them",
            plan.path.display(),
            index.display()
        ),
    })
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
            "{path}: the first record is of a pair, but all records are taken as single reads. If mates are next to each \
             other, use {option}; in a file sorted by position, `samtools collate -u -O {path}` puts them there first"
        ),
    })
}

/// Notes that records of BAM are taken as pairs, as their flags say.
#[cfg(any(feature = "qc", feature = "taxa"))]
pub(crate) fn taken_as_pairs(plans: &[FilePlan]) -> Option<Message> {
    let path = plans.first()?.path.display();
    Some(Message {
        kind: MessageKind::Note,
        text: format!("{path}: reads are taken as pairs, as the flags of its records say"),
    })
}

/// Whether a record's flags say that it is of a pair: it has such a name in FASTQ.
pub(crate) fn is_named_as_mate(head: &[u8]) -> bool {
    let name = head.split(u8::is_ascii_whitespace).next();
    name.is_some_and(|name| name.ends_with(b"/1") || name.ends_with(b"/2"))
}

/// Which mate a read is, 1 or 2, if its name says so: `x/2`, `x 2:N:0:ACGT`, or `SRR1.5.2` and
/// `SRR1.5 5/2` as the sequence archives write it.
#[cfg(any(test, feature = "kmers"))]
pub(crate) fn mate_of(head: &[u8]) -> Option<u8> {
    let mut words = head.split(|byte| matches!(byte, b' ' | b'\t'));
    let id = words.next()?;
    let digit = match (id, words.next()) {
        ([.., b'/', digit], _) => *digit,
        (_, Some([digit, b':', b'Y' | b'N', b':', ..] | [.., b'/', digit])) => *digit,
        ([b'S' | b'E' | b'D', b'R', b'R', .., b'.', digit], _)
            if id.iter().filter(|byte| **byte == b'.').count() == 2 =>
        {
            *digit
        }
        _ => return None,
    };
    matches!(digit, b'1' | b'2').then(|| digit - b'0')
}

/// Two files that are read alone look like the mates of pairs, by their first names, and by their own where those do not say
/// which mate a read is: `option` would pair them.
#[cfg(any(test, feature = "kmers"))]
pub(crate) fn look_like_mates(plans: &[FilePlan], option: &str) -> Option<Message> {
    let [first, second] = plans else {
        return None;
    };
    let [one, other] = [first, second].map(|plan| &*plan.first_head);
    let are_mates = match (mate_of(one), mate_of(other)) {
        (None, None) => are_named_as_mates(&first.path, &second.path),
        mates => mates == (Some(1), Some(2)),
    };
    let (first, second) = (first.path.display(), second.path.display());
    (are_mates && !one.is_empty() && thalweg_reads::same_template(one, other)).then(|| Message {
        kind: MessageKind::Note,
        text: format!(
            "{first} and {second} look like mates by their names, but are read as single reads: use {option} if they belong together"
        ),
    })
}

/// Whether two files have one name, but for a 1 and a 2 in the same place of it.
#[cfg(any(test, feature = "kmers"))]
fn are_named_as_mates(first: &Path, second: &Path) -> bool {
    let [first, second] = [first, second].map(|path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.as_encoded_bytes()
    });
    let mut differing = first.iter().zip(second).filter(|(one, other)| one != other);
    let is_number = differing.next() == Some((&b'1', &b'2'));
    first.len() == second.len() && is_number && differing.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_which_mate_it_is() {
        for (head, mate) in [
            ("x/1", Some(1)),
            ("x/2 more", Some(2)),
            ("x 1:N:0:ACGT", Some(1)),
            ("x\t2:Y:18:", Some(2)),
            ("SRR1.5.2 5 length=7", Some(2)),
            ("ERR12.345.1", Some(1)),
            ("SRR1.5 5/2", Some(2)),
            ("SRR1.2", None),
            ("a.b.2", None),
            ("x/3", None),
            ("x", None),
            ("x 2:A", None),
            ("", None),
        ] {
            assert_eq!(mate_of(head.as_bytes()), mate, "{head}");
        }
    }

    #[test]
    fn files_of_mates_differ_in_a_number() {
        for (first, second, expected) in [
            ("a/S_1.fq", "b/S_2.fq", true),
            ("S_L001_R1.fq.gz", "S_L001_R2.fq.gz", true),
            ("S_2.fq", "S_1.fq", false),
            ("S_L001_R1.fq", "S_L002_R2.fq", false),
            ("S_1.fq", "S_1.fq", false),
            ("S_1.fq", "S_2.fq.gz", false),
            ("a.fq", "b.fq", false),
        ] {
            let found = are_named_as_mates(Path::new(first), Path::new(second));
            assert_eq!(found, expected, "{first} {second}");
        }
    }
}
