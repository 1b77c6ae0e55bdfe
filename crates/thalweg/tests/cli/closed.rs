//! Standard streams that are closed or full.

use crate::support::{Ended, Place, with_databases};

/// What prints, by thalweg itself.
const PRINTING: [&str; 29] = [
    "cat a.fq",
    "cat -t3 a.fq.gz -o -",
    "cat a.fq -o /dev/stdout",
    "cat a.fq -o /dev/fd/1",
    "cat --mates a.fq a.fq.gz",
    "stats a.fq",
    "stats --json a.fq",
    "info a.fq",
    "verify a.fq",
    "qc a.fq --stdout --no_report",
    "qc a.fq -o /dev/stdout -j j -h h",
    "qc a.fq -o o.fq -j - -h h",
    "count -k21 a.fq --histo -",
    "count -k21 a.fq -o - --format tsv",
    "kmers dump a.thk",
    "kmers histo a.thk",
    "kmers stats a.thk",
    "kmers info a.thk",
    "kmers verify a.thk",
    "kmers query a.thk AAAAAAAAAAAAAAAAAAAAA",
    "kmers filter-reads a.thk a.fq",
    "kmers merge a.thk a.thk -o /dev/stdout",
    "trace show a.jsonl",
    "trace count a.jsonl",
    "trace convert a.jsonl",
    "completions bash",
    "man",
    "help cat",
    "--version",
];

/// The same under other names, which end with 1 where those programs do.
const STAND_INS: [&str; 10] = [
    "fastp --version",
    "fastp -i a.fq --stdout -j j -h h",
    "jellyfish dump a.jf",
    "jellyfish histo a.jf",
    "jellyfish stats a.jf",
    "jellyfish info a.jf",
    "jellyfish query a.jf AAAAAAAAAAAAAAAAAAAAA",
    "kmc_dump a.kmc /dev/stdout",
    "kmc_tools info a.kmc",
    "kmc -k21 a.fq b.kmc .",
];

/// Runs every command that prints with its standard output redirected so.
fn of_all_printing(place: &Place, redirection: &str, check: impl Fn(&str, &Ended)) {
    let own = PRINTING.iter().map(|command| format!("$THALWEG {command}"));
    let others = STAND_INS.iter().map(|command| format!("./{command}"));
    for command in own.chain(others) {
        let before = place.names();
        let ended = place.shell(&format!("{command} {redirection}"));
        check(&command, &ended);
        assert_eq!(place.names(), before, "{command}");
    }
}

#[test]
fn closed_streams_are_told() {
    let place = with_databases();
    of_all_printing(&place, ">&-", |command, ended| {
        let Ended { code, stderr, .. } = ended;
        let failed = 2 - i32::from(command.contains("jellyfish") || command.contains("kmc"));
        assert_eq!(*code, Some(failed), "{command}: {stderr}");
        for word in ["thalweg: error: standard output: it is closed\n", "hint: "] {
            assert!(stderr.contains(word), "{command}: {stderr}");
        }
        // Told before work is done, which would say how much it was.
        assert!(!stderr.contains("distinct ("), "{command}: {stderr}");
    });
    // Handed over, but to be read.
    let ended = place.shell("$THALWEG stats a.fq 1< a.fq");
    ended.expect_failure(2, &["standard output: it is not open for writing"]);
}

#[test]
fn what_takes_everything_is_not_closed() {
    let place = with_databases();
    // As Python's subprocess.DEVNULL is opened, and as daemons do: for reading and writing.
    for redirection in ["> /dev/null", "1<> /dev/null", "< /dev/null > /dev/null"] {
        for command in ["cat a.fq", "stats a.fq", "kmers dump a.thk", "--version"] {
            let ended = place.shell(&format!("$THALWEG {command} {redirection}"));
            assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""), "{command}");
        }
    }
    let ended = place.shell("$THALWEG stats - 0<> /dev/null");
    assert_eq!(
        (ended.code, &ended.stderr[..]),
        (Some(0), "thalweg: note: -: no reads\n")
    );
}

/// Whatever is printed or not: a full one is told.
#[test]
fn full_streams_are_told() {
    let place = with_databases();
    for command in [
        "kmers dump a.thk",
        "kmers histo a.thk",
        "kmers stats a.thk",
        "kmers info a.thk",
    ] {
        let ended = place.shell(&format!("$THALWEG {command} > /dev/full"));
        ended.expect_failure(2, &["standard output: No space left"]);
    }
    for command in [
        "qc -q15 a.fq --stdout --no_report",
        "kmers filter-reads a.thk a.fq",
    ] {
        let ended = place.shell(&format!("$THALWEG {command} > /dev/full"));
        ended.expect_failure(2, &["standard output: ", "No space left"]);
    }
}

/// Nothing of this needs a standard stream; and no file gets the number of one, into which messages would go.
#[test]
fn files_do_without_standard_streams() {
    let place = with_databases();
    let commands = [
        ("cat a.fq -o o.fq", "o.fq"),
        ("cat a.fq -o o.fq.gz", "o.fq.gz"),
        ("index a.fq.gz", "a.fq.gz.thw"),
        ("count -k21 a.fq -o o.thk", "o.thk"),
        ("count -k21 a.fq -o o.jf --histo o.histo", "o.histo"),
        ("qc a.fq -o o.fq -j o.json -h o.html", "o.fq"),
        ("kmers dump a.thk -o o.tsv", "o.tsv"),
        ("kmers filter-reads a.thk a.fq -o o.fq", "o.fq"),
    ];
    for (command, output) in commands {
        let run = |redirections: &str| {
            let _ = std::fs::remove_file(place.path(output));
            let ended = place.shell(&format!("$THALWEG {command} {redirections}"));
            assert_eq!(
                ended.code,
                Some(0),
                "{command} {redirections}: {}",
                ended.stderr
            );
            place.read(output)
        };
        let usual = run("");
        for closed in [">&-", "2>&-", "<&-", "<&- >&- 2>&-"] {
            // The provenance of a database has its time.
            let same = run(closed) == usual || output.ends_with(".thk");
            assert!(same, "{command} {closed}");
        }
    }
    // What fails does so without a word, and without a trace.
    let before = place.names();
    let ended = place.shell("$THALWEG cat missing.fq -o x.fq 2>&-");
    assert_eq!(ended.code, Some(2));
    assert_eq!(place.names(), before);
}

#[test]
fn a_closed_input_is_no_empty_one() {
    let place = with_databases();
    for command in [
        "cat -",
        "stats -",
        "stats /dev/stdin",
        "stats /dev/fd/0",
        "stats --mates - a.fq",
        "info -",
        "verify -",
        "qc - --stdout --no_report",
        "qc --stdin --stdout --no_report",
        "count -k21 - -o x.thk",
        "count -k21 /dev/stdin -o x.thk",
        "kmers filter-reads a.thk -",
        "kmers query a.thk -",
        "kmers query a.thk --interactive",
        "kmers query a.thk --sequence -",
    ] {
        let before = place.names();
        let ended = place.shell(&format!("$THALWEG {command} <&-"));
        ended.expect_failure(2, &["thalweg: error: standard input: it is closed\n"]);
        assert_eq!(place.names(), before, "{command}");
    }
    let ended = place.shell("$THALWEG stats - 0> written");
    ended.expect_failure(2, &["standard input: it is not open for reading"]);
    // Both are, and the right one is told.
    let ended = place.shell("$THALWEG cat - -o x.fq <&- >&-");
    ended.expect_failure(2, &["standard input: it is closed"]);
}
