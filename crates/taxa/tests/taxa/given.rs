//! The taxdump that is given, which is NCBI's in its names and ranks of 2025.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use thalweg_taxa::Taxid;
use thalweg_taxa::taxonomy::{Taxdump, Taxonomy, write_merged, write_names, write_nodes};

use crate::made::{given, taxids};

pub(crate) fn taxdump(folder: &Path) -> Taxonomy {
    let open = |name: &str| BufReader::new(File::open(folder.join(name)).expect("given"));
    let mut dump = Taxdump::new();
    // Names may come first.
    dump.read_names(open("names.dmp"), Path::new("names.dmp"))
        .unwrap();
    dump.read_nodes(open("nodes.dmp"), Path::new("nodes.dmp"))
        .unwrap();
    dump.read_merged(open("merged.dmp"), Path::new("merged.dmp"))
        .unwrap();
    dump.read_deleted(open("delnodes.dmp"), Path::new("delnodes.dmp"))
        .unwrap();
    dump.finish().unwrap()
}

#[test]
fn it_is_read_and_written() {
    let Some(folder) = given("it_is_read_and_written", "taxonomy") else {
        return;
    };
    let taxonomy = taxdump(&folder);
    let path = taxonomy.path_to_root(taxonomy.node(Taxid(511145)).unwrap());
    let told: Vec<_> = path
        .map(|node| format!("{} {}", taxonomy.rank_code(node), taxonomy.name(node)))
        .collect();
    assert_eq!(told.last().unwrap(), "R root");
    assert!(told.contains(&"D Bacteria".to_owned()), "{told:?}");
    assert!(told.contains(&"S Escherichia coli".to_owned()), "{told:?}");

    let mut files = [Vec::new(), Vec::new(), Vec::new()];
    let path = Path::new("out");
    write_nodes(&taxonomy, &mut files[0], path).unwrap();
    write_names(&taxonomy, &mut files[1], path).unwrap();
    write_merged(&taxonomy, &mut files[2], path).unwrap();
    let mut dump = Taxdump::new();
    dump.read_nodes(&*files[0], path).unwrap();
    dump.read_names(&*files[1], path).unwrap();
    dump.read_merged(&*files[2], path).unwrap();
    let again = dump.finish().unwrap();
    assert_eq!(taxids(&taxonomy), taxids(&again));
    for node in taxonomy.nodes() {
        assert_eq!(taxonomy.parent(node), again.parent(node));
        assert_eq!(taxonomy.rank(node), again.rank(node));
        assert_eq!(taxonomy.name(node), again.name(node));
    }
}
