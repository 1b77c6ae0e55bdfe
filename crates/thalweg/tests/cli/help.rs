//! Help and manual pages, and where commands are to be found.

use crate::support::Place;

#[test]
fn manual_pages_go_to_a_directory_that_need_not_be_there() {
    let place = Place::new();
    for _ in 0..2 {
        place.ok(&["man", "share/man/man1"]);
        assert!(place.path("share/man/man1/thalweg-qc.1").is_file());
    }
    place.write("file", "mine");
    place.fails(&["man", "file"], 2, &["file"]);
}

#[test]
fn commands_of_a_group_are_found_without_it() {
    let place = Place::new();
    let wanted = place.ok(&["help", "kmers", "filter-reads"]).text();
    assert!(wanted.contains("filter-reads"));
    assert_eq!(place.ok(&["help", "filter-reads"]).text(), wanted);
    assert!(
        place
            .ok(&["help", "stats"])
            .text()
            .contains("Count reads and bases")
    );
    for words in [&["filter-reads", "x"][..], &["histo"]] {
        let ended = place.run(words);
        assert_eq!(ended.code, Some(2));
        let said = format!("hint: did you mean `thalweg kmers {0}`?", words[0]);
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
    let ended = place.run(&["help", "nothing"]);
    assert!(
        ended.code == Some(2) && !ended.stderr.contains("hint: nothing"),
        "{}",
        ended.stderr
    );
}
