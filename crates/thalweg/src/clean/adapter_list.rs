//! Lists of adapters: FASTA files that the user names.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use thalweg_files::without_mark;
use thalweg_qc::{FastpVersion, Mode};

use super::compat::short_adapter;
use crate::{Control, Fault, MessageKind};

/// What a list is, for those who gave something else.
const HINT: &str = "adapters are listed in a file of '>name' lines and sequences";

/// The shortest adapter of a list that fastp takes.
const SHORTEST: usize = 6;

/// The adapters to cut at the 3' end, in the order in which they are cut: that of the file, but
/// fastp's is that of their names.
pub(super) fn at_the_end(
    path: &Path,
    mode: Mode,
    control: &Control<'_>,
) -> Result<Vec<Vec<u8>>, Fault> {
    let mut sequences = match mode {
        Mode::Correct => sequences(not_empty(path)?),
        // To fastp an empty list is as good as none.
        Mode::Fastp(_) => by_name(read_fasta(path)?),
    };
    let all = sequences.len();
    sequences.retain(|sequence| {
        let is_short = sequence.len() < SHORTEST;
        if is_short && !mode.is_correct() {
            control.say(MessageKind::Line, short_adapter(path, sequence, SHORTEST));
        }
        !is_short
    });
    let short = all - sequences.len();
    if short > 0 && mode.is_correct() {
        control.say(
            MessageKind::Note,
            format!(
                "{}: {short} of {all} sequences have fewer than {SHORTEST} bases, and are not looked for",
                path.display()
            ),
        );
    }
    // fastp 0.23 cuts one that has two names twice.
    if mode != Mode::Fastp(FastpVersion::V0_23) {
        let mut seen = HashSet::new();
        sequences.retain(|sequence| seen.insert(sequence.clone()));
    }
    Ok(sequences)
}

/// The adapters to cut at the 5' end, in the order of the file.
pub(super) fn at_the_front(path: &Path) -> Result<Vec<Vec<u8>>, Fault> {
    Ok(sequences(not_empty(path)?))
}

struct Adapter {
    /// All of the line behind `>`.
    name: Vec<u8>,
    /// In upper case.
    sequence: Vec<u8>,
}

fn sequences(adapters: Vec<Adapter>) -> Vec<Vec<u8>> {
    adapters
        .into_iter()
        .map(|adapter| adapter.sequence)
        .collect()
}

/// As fastp keeps them: by name, of several with one name the last.
fn by_name(adapters: Vec<Adapter>) -> Vec<Vec<u8>> {
    let mut kept = BTreeMap::new();
    for Adapter { name, sequence } in adapters {
        kept.insert(name, sequence);
    }
    kept.into_values().collect()
}

/// The sequences of a FASTA that has some.
fn not_empty(path: &Path) -> Result<Vec<Adapter>, Fault> {
    let adapters = read_fasta(path)?;
    if adapters.iter().all(|adapter| adapter.sequence.is_empty()) {
        let what = format!("{}: there is no adapter in it", path.display());
        return Err(Fault::usage(what, HINT));
    }
    Ok(adapters)
}

/// The sequences of a FASTA, in order.
fn read_fasta(path: &Path) -> Result<Vec<Adapter>, Fault> {
    let bytes = std::fs::read(path).map_err(|error| Fault::io(path, error))?;
    let bytes = without_mark(&bytes).map_err(|error| Fault::io(path, error.into()))?;
    let is_lone = |pair: &[u8]| pair[0] == b'\r' && !matches!(pair[1], b'\r' | b'\n');
    if bytes.windows(2).any(is_lone) {
        return Err(Fault::usage(
            format!("{}: lines end with a carriage return alone", path.display()),
            "make newlines of them: `sed 's/\\r$//' FILE | tr '\\r' '\\n' >FIXED`",
        ));
    }
    let mut adapters: Vec<Adapter> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = line.trim_ascii();
        match (text.first(), adapters.last_mut()) {
            (None, _) => {}
            (Some(b'>'), _) => adapters.push(Adapter {
                name: text[1..].to_vec(),
                sequence: Vec::new(),
            }),
            (Some(_), Some(adapter)) => adapter.sequence.extend(text.to_ascii_uppercase()),
            (Some(_), None) => {
                return Err(Fault::usage(
                    format!("{}: not FASTA: it does not begin with '>'", path.display()),
                    HINT,
                ));
            }
        }
    }
    Ok(adapters)
}
