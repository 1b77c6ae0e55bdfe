//! Compressed text that all cores decode, into a parser that only knows readers: `byte_stream ANNOTATION.gff.gz`.
//!
//! Other libraries' parsers are fed the same way: whatever takes a `Read + Send` or a `BufRead` takes a `ByteStream`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).expect("a file of GFF");
    for (kind, count) in features(&path)? {
        println!("{count}\t{kind}");
    }
    Ok(())
}

/// How many features of each kind a file of GFF has.
pub fn features(path: &str) -> Result<BTreeMap<String, u64>, Box<dyn Error>> {
    let text = thalweg::byte_stream(path)?;
    // A file that is cut or damaged ends in an error here, with the file's name and the place.
    Ok(kinds(text)?)
}

/// A parser that knows nothing of files.
fn kinds(text: impl BufRead) -> io::Result<BTreeMap<String, u64>> {
    let mut kinds = BTreeMap::new();
    for line in text.lines() {
        let line = line?;
        if let Some(kind) = line.split('\t').nth(2).filter(|_| !line.starts_with('#')) {
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
    }
    Ok(kinds)
}
