//! Files of genomes that `thalweg taxa build` and `taxa add` take, or report as unreadable

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use crate::support::random;
use crate::taxa_world::{BUILD, World, fasta, letters, world};

/// A genome of another directory, which a link in that of the genomes leads to.
fn linked() -> World {
    let world = world();
    let place = &world.place;
    std::fs::create_dir_all(place.path("store/deep")).unwrap();
    let genome = letters(4_000, &mut random(9));
    place.write(
        "store/deep/d.fa",
        fasta("d1|kraken:taxid|12 linked", &genome),
    );
    symlink("../store", place.path("genomes/linked")).unwrap();
    world
}

#[test]
fn linked_directories_are_followed_and_counted() {
    let world = linked();
    let place = &world.place;
    let ended = place.ok(&[&BUILD[..], &["-o", "ref.tht"]].concat());
    let taken = "thalweg: used 4 sequences (94,000 bases in total) from 4 files\n";
    assert!(ended.stderr.contains(taken), "{}", ended.stderr);
    // A second link to the same directory changes nothing.
    symlink("../../store/deep", place.path("genomes/more/again")).unwrap();
    let ended = place.ok(&[&BUILD[..], &["-o", "again.tht"]].concat());
    assert!(ended.stderr.contains(taken), "{}", ended.stderr);
    assert!(!ended.stderr.contains("given twice"), "{}", ended.stderr);
    let dump = |name: &str| place.ok(&["taxa", "dump", name]).stdout;
    assert!(dump("again.tht") == dump("ref.tht"));
}

#[test]
fn what_cannot_be_read_is_listed_before_anything_is_built() {
    let world = linked();
    let place = &world.place;
    place.ok(&[&BUILD[..6], &["-q", "genomes/a.fa", "-o", "a.tht"]].concat());
    symlink("../gone/x.fa", place.path("genomes/x.fa")).unwrap();
    symlink("/not/mounted", place.path("genomes/bacteria")).unwrap();
    symlink("../../genomes", place.path("store/deep/up")).unwrap();
    // A broken link of a name that is no genome's is as any other file of that name.
    symlink("gone.txt", place.path("genomes/more.txt")).unwrap();
    let _socket = UnixListener::bind(place.path("genomes/s.fa")).unwrap();
    let told = [
        "thalweg: error: 5 genome files cannot be read:\n",
        "\n  genomes/bacteria: a link to /not/mounted, which is not there\n",
        "\n  genomes/linked/deep/up: a loop of links: ",
        "\n  genomes/s.fa: neither a file nor a directory\n",
        "\n  genomes/x.fa: a link to ../gone/x.fa, which is not there\n",
        "\n  nowhere.fa: No such file",
        "hint: check names, permissions and links: nothing was built",
    ];
    place.write("list", "nowhere.fa\n");
    let taxa = ["--taxonomy", "taxdump", "--taxa", "taxa.tsv"];
    for command in [&["taxa", "build"][..], &["taxa", "add", "a.tht"]] {
        let files = ["genomes", "--files-from", "list", "-o", "x.tht"];
        let ended = place.fails(&[command, &taxa, &files].concat(), 2, &told);
        assert!(!ended.stderr.contains("more.txt"), "{}", ended.stderr);
        assert!(!place.path("x.tht").exists());
    }
    let skip = [&BUILD[..], &["--skip-unmapped", "-o", "x.tht"]].concat();
    place.fails(&skip, 2, &["4 genome files cannot be read"]);
}

/// A broken link is no missing file.
#[test]
fn broken_links_among_taxonomies_are_errors() {
    for name in ["merged.dmp", "delnodes.dmp", "seqid2taxid.map"] {
        let world = world();
        let place = &world.place;
        symlink("gone", place.path(&format!("taxdump/{name}"))).unwrap();
        let build = [&BUILD[..], &["-q", "-o", "x.tht"]].concat();
        place.fails(&build, 2, &[&format!("taxdump/{name}: No such file")]);
    }
}

#[test]
fn sequences_without_a_kmer_are_named() {
    let world = world();
    let place = &world.place;
    let mut genome = fasta("kraken:taxid|12|sound", &world.genomes[2].1);
    for number in 1..=9 {
        genome.extend(fasta(
            &format!("short{number}|kraken:taxid|12"),
            &b"ACGTTGCATG".repeat(3),
        ));
    }
    genome.extend(fasta("ns|kraken:taxid|12", &[b'N'; 500]));
    genome.extend(fasta("low|kraken:taxid|12", &b"AC".repeat(200)));
    genome.extend(fasta("empty|kraken:taxid|12", b""));
    place.write("genome.fa", genome);
    let build = ["taxa", "build", "--taxonomy", "taxdump", "genome.fa", "-o"];
    let told = |more: &[&str]| place.ok(&[&build[..], more].concat()).stderr;
    let masked = told(&["masked.tht"]);
    let head = "warning: sequences without a k-mer (too short, all N or of low complexity): \
                short1|kraken:taxid|12 (genome.fa), ";
    assert!(masked.contains(head), "{masked}");
    let end = "ns|kraken:taxid|12 (genome.fa), and 1 more\n";
    assert!(masked.contains(end), "{masked}");
    let all = told(&["all.tht", "--no-masking"]);
    assert!(all.contains("ns|kraken:taxid|12 (genome.fa)\n"), "{all}");
    // Which part is built does not matter, nor how many threads there are.
    let part = told(&["part.tht", "--partition", "2/3", "-t1"]);
    assert!(part.contains(end), "{part}");
}
