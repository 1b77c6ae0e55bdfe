//! Records that are made up and written down, and files that may be here.

use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use thalweg_formats::Format;

/// Name, sequence and quality, owned.
pub(crate) type Plain = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

fn wrap(out: &mut Vec<u8>, field: &[u8], width: usize, end: &[u8]) {
    if field.is_empty() {
        out.extend(end);
    }
    for line in field.chunks(width) {
        out.extend(line);
        out.extend(end);
    }
}

/// How a file is written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    pub(crate) width: usize,
    pub(crate) carriage_return: bool,
    pub(crate) last_newline: bool,
    pub(crate) blank_lines: usize,
}

pub(crate) fn write(records: &[Plain], layout: &Layout) -> (Vec<u8>, Vec<usize>) {
    let end: &[u8] = if layout.carriage_return {
        b"\r\n"
    } else {
        b"\n"
    };
    let mut out = Vec::new();
    let mut starts = Vec::new();
    for (name, sequence, quality) in records {
        starts.push(out.len());
        match (layout.format, quality) {
            (Format::Fasta, _) => {
                out.push(b'>');
                wrap(&mut out, name, usize::MAX, end);
                if !sequence.is_empty() {
                    wrap(&mut out, sequence, layout.width, end);
                }
            }
            (format, Some(quality)) => {
                let width = match format {
                    Format::Fastq => usize::MAX,
                    _ => layout.width,
                };
                out.push(b'@');
                wrap(&mut out, name, usize::MAX, end);
                wrap(&mut out, sequence, width, end);
                out.push(b'+');
                out.extend(end);
                wrap(&mut out, quality, width, end);
            }
            _ => unreachable!("FASTQ has qualities"),
        }
    }
    if layout.last_newline {
        (0..layout.blank_lines).for_each(|_| out.extend(end));
    } else if out.ends_with(end) {
        out.truncate(out.len() - end.len());
    }
    (out, starts)
}

pub(crate) fn format() -> impl Strategy<Value = Format> {
    prop::sample::select(vec![Format::Fastq, Format::FastqMultiline, Format::Fasta])
}

pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    (
        format(),
        1usize..90,
        any::<bool>(),
        any::<bool>(),
        0usize..4,
    )
        .prop_map(
            |(format, width, carriage_return, last_newline, blank_lines)| Layout {
                format,
                width,
                carriage_return,
                last_newline,
                blank_lines,
            },
        )
}

/// Records whose qualities like to start with '@' and '+'.
pub(crate) fn records(most: usize) -> impl Strategy<Value = Vec<Plain>> {
    let name = prop::collection::vec(prop::sample::select(b"ab1 @+>/".as_slice()), 0..12);
    let pairs = prop::collection::vec(
        (
            prop::sample::select(b"ACGTNacgtnRY.-*".as_slice()),
            prop::sample::select(b"@+@+!#>5?I~".as_slice()),
        ),
        0..200,
    );
    prop::collection::vec((name, pairs), 1..most).prop_map(|records| {
        let plain = |(name, pairs): (Vec<u8>, Vec<(u8, u8)>)| {
            let (sequence, quality): (Vec<u8>, Vec<u8>) = pairs.into_iter().unzip();
            (name, sequence, Some(quality))
        };
        records.into_iter().map(plain).collect()
    })
}

/// The collection of real and of malformed files, where it is installed.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("THALWEG_TEST_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = root.unwrap_or(beside).join(path);
    if !path.exists() {
        eprintln!(
            "skipped: {} is not here (set THALWEG_TEST_DATA)",
            path.display()
        );
        return None;
    }
    Some(path)
}

/// The bytes of a file, decompressed by the tool for its container; `None` without that tool.
pub(crate) fn decompressed(path: &Path, container: &str) -> Option<Vec<u8>> {
    let tool = match container {
        "plain" => return Some(std::fs::read(path).unwrap()),
        "zstd" => "zstd",
        _ => "gzip",
    };
    let file = std::fs::File::open(path).unwrap();
    let output = Command::new(tool).arg("-dc").stdin(file).output().ok()?;
    output.status.success().then_some(output.stdout)
}
