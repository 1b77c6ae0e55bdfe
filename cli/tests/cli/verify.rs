//! `thalweg verify`

use crate::support::{Place, bgzf, fastq, gzip};

#[test]
fn whole_files_are_fine() {
    let place = Place::new();
    let text = fastq(20_000);
    place.write("a.fq.gz", gzip(&text));
    place.write("b.fq.gz", bgzf(&text));
    place.write("c.fq", &text);
    place.ok(&["index", "-q", "--span", "500k", "a.fq.gz"]);
    let ended = place.ok(&["verify", "a.fq.gz", "b.fq.gz", "c.fq"]);
    let text = ended.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "a.fq.gz: OK (hash)");
    assert_eq!(lines[1], "b.fq.gz: OK (20,000 records)");
    assert_eq!(lines[2], "c.fq: OK (20,000 records)");
    for threads in ["1", "2"] {
        let text = place
            .ok(&["verify", "--full", "-t", threads, "a.fq.gz"])
            .text();
        assert!(text.contains("1 gzip members, 20,000 records"), "{text}");
    }
}

#[test]
fn one_flipped_bit_is_found() {
    let place = Place::new();
    let mut data = gzip(&fastq(20_000));
    place.write("a.fq.gz", &data);
    place.write("good.fq.gz", &data);
    place.ok(&["index", "-q", "--span", "500k", "a.fq.gz"]);
    let middle = data.len() / 2;
    data[middle] ^= 4;
    place.write("a.fq.gz", &data);
    for arguments in [&["verify", "a.fq.gz"][..], &["verify", "--full", "a.fq.gz"]] {
        place.fails(arguments, 1, &["a.fq.gz"]);
    }
    place.fails(
        &["verify", "--index", "never", "a.fq.gz"],
        1,
        &["a.fq.gz", "byte "],
    );
    // One file at fault does not keep the next from being verified.
    let ended = place.fails(
        &["verify", "a.fq.gz", "good.fq.gz", "none"],
        2,
        &["a.fq.gz", "none"],
    );
    assert_eq!(ended.text(), "good.fq.gz: OK (20,000 records)\n");
    let ended = place.fails(&["verify", "a.fq.gz", "good.fq.gz"], 1, &["a.fq.gz"]);
    assert_eq!(ended.text(), "good.fq.gz: OK (20,000 records)\n");
}

#[test]
fn streams_are_verified_in_full() {
    let place = Place::new();
    let data = gzip(&fastq(2000));
    let ended = place.feed(&["verify", "-"], &data);
    assert_eq!(
        (ended.code, &*ended.text()),
        (Some(0), "-: OK (2,000 records)\n")
    );
    place
        .feed(&["verify", "-"], &data[..data.len() - 3])
        .expect_failure(1, &["-: ", "byte "]);
}
