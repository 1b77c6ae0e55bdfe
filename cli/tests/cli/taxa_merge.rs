//! `thalweg taxa build --partition` and `thalweg taxa merge`

use crate::taxa_world::{BUILD, built};

#[test]
fn parts_become_the_same_database() {
    let world = built();
    let place = &world.place;
    for number in 1..=3 {
        let (part, name) = (format!("{number}/3"), format!("part{number}.tht"));
        place.ok(&[&BUILD[..], &["-q", "--partition", &part, "-o", &name]].concat());
    }
    let merge = ["taxa", "merge", "-o", "merged.tht"];
    place.ok(&[&merge[..], &["-q", "part3.tht", "part1.tht", "part2.tht"]].concat());
    assert!(place.read("merged.tht") == place.read("ref.tht"));

    let told = place.ok(&["taxa", "verify", "part2.tht"]).text();
    assert!(told.starts_with("part2.tht: OK ("), "{told}");
    let told = place.ok(&["taxa", "info", "part2.tht"]).text();
    assert!(
        told.starts_with("part2.tht: part 2 of 3 of a database of taxa"),
        "{told}"
    );
    place.write("reads.fq", "@a\nACGT\n+\nIIII\n");
    for (arguments, message) in [
        (
            &["classify", "part2.tht", "reads.fq"][..],
            "part2.tht: this is part 2 of 3 of a database of taxa",
        ),
        (
            &["taxa", "dump", "part2.tht"],
            "part2.tht: this is part 2 of 3 of a database of taxa",
        ),
        (
            &["taxa", "merge", "part1.tht", "part3.tht", "-o", "x.tht"],
            "part 2 of 3 is missing",
        ),
        (
            &["taxa", "merge", "part1.tht", "part1.tht", "-o", "x.tht"],
            "part1.tht: it cannot be merged: it is part 1 of 3, and so is part1.tht",
        ),
        (
            &[
                "taxa",
                "merge",
                "part1.tht",
                "part2.tht",
                "ref.tht",
                "-o",
                "x.tht",
            ],
            "ref.tht: it cannot be merged: it is a whole database among parts",
        ),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("x.tht").exists());
    }
}
