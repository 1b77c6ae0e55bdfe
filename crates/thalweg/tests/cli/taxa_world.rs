//! Genomes, their taxonomy, a database of them, and reads.

use crate::support::{Place, gzip, random};

pub(crate) const NODES: &str = "1\t|\t1\t|\tno rank\t|\n\
                     2\t|\t1\t|\tsuperkingdom\t|\n\
                     10\t|\t2\t|\tgenus\t|\n\
                     11\t|\t10\t|\tspecies\t|\n\
                     12\t|\t10\t|\tspecies\t|\n\
                     21\t|\t11\t|\tstrain\t|\n\
                     22\t|\t11\t|\tstrain\t|\n";
pub(crate) const NAMES: &str = "1\t|\troot\t|\t\t|\tscientific name\t|\n\
                     2\t|\tBacteria\t|\t\t|\tscientific name\t|\n\
                     10\t|\tMadeus\t|\t\t|\tscientific name\t|\n\
                     11\t|\tMadeus primus\t|\t\t|\tscientific name\t|\n\
                     12\t|\tMadeus alter\t|\t\t|\tscientific name\t|\n\
                     21\t|\tMadeus primus A\t|\t\t|\tscientific name\t|\n\
                     22\t|\tMadeus primus B\t|\t\t|\tscientific name\t|\n";

/// Two strains that differ in one base of a hundred, and another species, with a taxonomy.
pub(crate) struct World {
    pub(crate) place: Place,
    /// Taxid and genome.
    pub(crate) genomes: Vec<(u32, Vec<u8>)>,
}

pub(crate) fn letters(length: usize, next: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    (0..length).map(|_| b"ACGT"[next(4)]).collect()
}

pub(crate) fn fasta(header: &str, letters: &[u8]) -> Vec<u8> {
    let mut text = format!(">{header}\n").into_bytes();
    for line in letters.chunks(70) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

pub(crate) fn world() -> World {
    let place = Place::new();
    std::fs::create_dir_all(place.path("taxdump")).unwrap();
    std::fs::create_dir_all(place.path("genomes/more")).unwrap();
    place.write("taxdump/nodes.dmp", NODES);
    place.write("taxdump/names.dmp", NAMES);
    let mut next = random(77);
    let first = letters(30_000, &mut next);
    let mut second = first.clone();
    for base in second.iter_mut() {
        if next(100) == 0 {
            *base = b"ACGT"[next(4)];
        }
    }
    let other = letters(30_000, &mut next);
    place.write("genomes/a.fa", fasta("a1|kraken:taxid|21 strain A", &first));
    place.write(
        "genomes/more/b.fna.gz",
        gzip(&fasta("kraken:taxid|22|b1", &second)),
    );
    place.write(
        "genomes/c.fasta",
        fasta("c1 kraken:taxid is not said here", &other),
    );
    place.write("genomes/notes.txt", "no genome");
    place.write("taxa.tsv", "c.fasta\t12\n");
    let genomes = vec![(21, first), (22, second), (12, other)];
    World { place, genomes }
}

pub(crate) const BUILD: [&str; 7] = [
    "taxa",
    "build",
    "--taxonomy",
    "taxdump",
    "--taxa",
    "taxa.tsv",
    "genomes",
];

/// Reads of 150 bases, turned around every second time, each named by its taxon; and random ones.
pub(crate) fn reads(world: &World, number: usize) -> Vec<u8> {
    let mut next = random(5);
    let mut text = Vec::new();
    for read in 0..number {
        let (taxid, genome) = match read % 4 {
            3 => (0, letters(150, &mut next)),
            of => world.genomes[of].clone(),
        };
        let start = next(genome.len() - 149);
        let mut bases = genome[start..start + 150].to_vec();
        if next(2) == 0 {
            bases.reverse();
            let turned =
                |base: &u8| b"TGCA"[b"ACGT".iter().position(|other| other == base).unwrap()];
            bases = bases.iter().map(turned).collect();
        }
        text.extend_from_slice(format!("@{taxid}-{read}\n").as_bytes());
        text.extend_from_slice(&bases);
        text.extend_from_slice(b"\n+\n");
        text.extend(std::iter::repeat_n(b'I', 150));
        text.push(b'\n');
    }
    text
}

pub(crate) fn built() -> World {
    let world = world();
    world
        .place
        .ok(&[&BUILD[..], &["-o", "ref.tht", "-q"]].concat());
    world
}
