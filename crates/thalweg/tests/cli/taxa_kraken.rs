//! `thalweg taxa build` of a folder that kraken2-build has filled

use std::path::Path;
use std::process::Command;

use crate::taxa_world::{World, fasta, world};

/// Whether a program is in the `PATH`; that it is not is said.
fn is_there(test: &str, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("SKIPPED: {test}: no {program}");
    }
    found
}

fn kraken2_build(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("kraken2-build");
    let ended = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{arguments:?}: {told}");
}

/// Genomes with their taxids in the headers, and one with an accession.
fn filled(world: &World, more: &[&str]) {
    let place = &world.place;
    std::fs::create_dir_all(place.path("k2/taxonomy")).unwrap();
    for name in ["nodes.dmp", "names.dmp"] {
        place.write(
            &format!("k2/taxonomy/{name}"),
            place.read(&format!("taxdump/{name}")),
        );
    }
    place.write(
        "k2/taxonomy/nucl_gb.accession2taxid",
        "accession\taccession.version\ttaxid\tgi\nAB000001\tAB000001.1\t12\t1\n",
    );
    for (number, (taxid, letters)) in world.genomes.iter().enumerate() {
        // Low complexity, which kraken2-build masks by x.
        let letters = [&letters[..], &b"AC".repeat(100), &letters[..500]].concat();
        let header = match number {
            2 => "AB000001.1 a genome".to_owned(),
            _ => format!("kraken:taxid|{taxid}|g{number}"),
        };
        let name = format!("{number}.fna");
        place.write(&name, fasta(&header, &letters));
        let add = ["--db", "k2", "--add-to-library", &name];
        kraken2_build(&place.path("."), &[&add[..], more].concat());
    }
}

#[test]
fn libraries_of_kraken2_are_built_from() {
    let test = "libraries_of_kraken2_are_built_from";
    if !is_there(test, "kraken2-build") || !is_there(test, "dustmasker") {
        return;
    }
    for more in [&["--no-masking"][..], &[]] {
        let world = world();
        let place = &world.place;
        filled(&world, more);
        place.ok(&["taxa", "build", "k2", "-q", "-o", "library.tht"]);
        place.write("taxa2.tsv", "AB000001.1\t12\n");
        let plainly = [
            "taxa",
            "build",
            "--taxonomy",
            "taxdump",
            "--taxa",
            "taxa2.tsv",
        ];
        let files = ["0.fna", "1.fna", "2.fna", "-q", "-o", "plainly.tht"];
        place.ok(&[&plainly[..], &files].concat());
        let dump = |name: &str| place.ok(&["taxa", "dump", name]).stdout;
        let expected = dump("plainly.tht");
        match more.is_empty() {
            // Masked twice: by dustmasker, and what is left.
            true => assert!(dump("library.tht").len() > expected.len() / 10 * 9),
            false => assert!(dump("library.tht") == expected),
        }
        // The map of all sequences, which kraken2 makes before it builds, says the same.
        kraken2_build(&place.path("."), &["--db", "k2", "--build"]);
        assert!(place.path("k2/seqid2taxid.map").exists());
        place.ok(&["taxa", "build", "k2", "-q", "-o", "again.tht"]);
        assert!(dump("again.tht") == dump("library.tht"));
    }
    let world = world();
    world.place.fails(
        &["taxa", "build", "genomes", "-o", "x.tht"],
        2,
        &["no taxonomy given", "--taxonomy"],
    );
}
