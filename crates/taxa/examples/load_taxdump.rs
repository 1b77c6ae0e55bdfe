//! How long a taxdump takes to read: `load_taxdump DIRECTORY`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use thalweg_taxa::taxonomy::Taxdump;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("a directory is needed")?;
    let path = |name: &str| Path::new(&folder).join(name);
    let open = |name: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(BufReader::new(File::open(path(name))?)))
    };
    let start = Instant::now();
    let mut dump = Taxdump::new();
    dump.read_nodes(open("nodes.dmp")?, &path("nodes.dmp"))?;
    dump.read_names(open("names.dmp")?, &path("names.dmp"))?;
    let read = start.elapsed();
    let taxonomy = dump.finish()?;
    let done = start.elapsed();
    println!(
        "{} nodes: read {read:.2?}, then a tree {done:.2?}",
        taxonomy.len()
    );
    Ok(())
}
