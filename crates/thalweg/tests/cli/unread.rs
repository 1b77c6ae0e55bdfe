//! Readers of the standard output that go away, and what else was asked for.

use crate::support::{Ended, Place, fastq, gzip, with_databases};

/// A reader of the standard output that has gone before anything is written.
fn unread(place: &Place, command: &str) -> Ended {
    let _ = std::fs::remove_file(place.path("gate"));
    nix::unistd::mkfifo(&place.path("gate"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script =
        format!("set -o pipefail; (read line < gate; {command}) | (exec <&-; echo > gate)");
    place.shell(&script)
}

/// What else was asked for is written.
#[test]
fn other_outputs_do_not_need_the_reader_of_one() {
    let place = with_databases();
    place.ok(&["count", "-q", "-k21", "a.fq", "--histo", "right.histo"]);
    place.ok(&["kmers", "histo", "a.thk", "--plot", "right.svg", "-o", "h"]);
    let quiet = |command: &str| {
        let ended = unread(&place, command);
        assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""), "{command}");
    };
    quiet("$THALWEG count -q -k21 a.fq --histo - -o x.thk");
    place.ok(&["kmers", "verify", "x.thk"]);
    for format in ["tsv", "thk", "jf"] {
        let _ = std::fs::remove_file(place.path("x.histo"));
        quiet(&format!(
            "$THALWEG count -q -k21 a.fq -o - --format {format} --histo x.histo"
        ));
        assert!(place.read("x.histo") == place.read("right.histo"));
    }
    quiet("$THALWEG kmers histo a.thk --plot x.svg");
    assert!(place.read("x.svg") == place.read("right.svg"));
    quiet("./kmc_tools transform a.kmc dump /dev/stdout histogram x.hist");
    assert!(!place.read("x.hist").is_empty());
    quiet("$THALWEG qc -q15 --quiet a.fq -o o.fq -j - -h x.html");
    assert!(place.read("x.html").trim_ascii_end().ends_with(b"</html>"));
}

/// What cannot be written then is told.
#[test]
fn reports_without_a_reader_of_the_reads_are_missed() {
    let place = with_databases();
    for (reports, missed) in [
        ("-j x.json -h x.html", "x.json and x.html"),
        ("-j x.json -h /dev/null", "x.json"),
    ] {
        let command = format!("$THALWEG qc --quiet a.fq --stdout {reports}");
        let ended = unread(&place, &command);
        ended.expect_failure(2, &["the pipe was closed", missed]);
        assert!(!place.path("x.json").exists() && !place.path("x.html").exists());
    }
    // Those that nobody asked for are told of, and no failure.
    let ended = unread(&place, "$THALWEG qc a.fq --stdout");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("no report is written: a.fastp.json and a.fastp.html")
    );
    for quiet in ["--no_report", "-j /dev/null -h /dev/null"] {
        let ended = unread(
            &place,
            &format!("$THALWEG qc --quiet a.fq --stdout {quiet}"),
        );
        assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
    }
}

#[test]
fn an_index_that_is_not_saved_is_told() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(50_000)));
    let ended = place.leave(&["cat", "--index", "save", "a.fq.gz"]);
    assert_eq!(ended.code, Some(0));
    let is_saved = place.path("a.fq.gz.thw").exists();
    let is_told = ended.stderr.contains("a.fq.gz: its index is not saved");
    assert!(is_saved != is_told, "{}", ended.stderr);
    place.ok(&["cat", "-q", "--index", "save", "a.fq.gz", "-o", "a.fq"]);
    let ended = place.leave(&["cat", "--index", "save", "a.fq.gz"]);
    assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
}
