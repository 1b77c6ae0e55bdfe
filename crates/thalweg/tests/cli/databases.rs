//! Databases that were cut or combined, and what is told of it.

use std::process::Command;

use crate::count::{count, reads, to_fasta};
use crate::kmers::{databases, real};
use crate::support::{Place, ended, fastq};

/// Bytes of a record of 21-mers in a .jf: 6 of the k-mer, 4 of the count.
const RECORD: usize = 10;

#[test]
fn what_was_made_is_told_unless_asked_not_to() {
    let place = Place::new();
    let reads = reads(61, 1500, 50);
    databases(&place, "a", &reads[..30], 21, &["thk"]);
    databases(&place, "b", &reads[20..], 21, &["jf"]);
    let counts = [&reads[..30], &reads[20..]].map(|reads| count(reads, 21, true, 0));
    let both: Vec<u64> = (counts[0].iter())
        .filter_map(|(kmer, count)| Some(count + counts[1].get(kmer)?))
        .collect();
    let plain = |text: String| text.replace(',', "");
    for output in ["x.thk", "x.jf", "x.kmc", "x.tsv"] {
        let ended = place.ok(&["kmers", "intersect", "a.thk", "b.jf", "-o", output]);
        let (distinct, total) = (both.len(), both.iter().sum::<u64>());
        assert_eq!(
            plain(ended.stderr),
            format!(
                "thalweg: wrote {distinct} distinct k-mers (total count {total}) to {output}\n"
            )
        );
    }
    for command in ["merge", "intersect", "subtract", "diff"] {
        let arguments = ["kmers", command, "a.thk", "b.jf", "-o", "y.thk"];
        let told = place.ok(&arguments).stderr;
        assert!(
            told.starts_with("thalweg: ") && told.lines().count() == 1,
            "{told}"
        );
        let quiet = place.ok(&[&arguments[..], &["-q"]].concat());
        assert_eq!(quiet.stderr, "");
    }
    let ended = place.ok(&["kmers", "merge", "a.thk", "-o-", "--format=tsv"]);
    assert!(ended.stderr.ends_with(")\n"), "{}", ended.stderr);
}

/// Each subcommand begins with a word of its own.
#[test]
fn subcommands_are_told_apart() {
    let help = Place::new().ok(&["kmers", "--help"]).text();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let mut words: Vec<&str> = Vec::new();
    // Lines that go on are indented further.
    for line in commands.lines().filter(|line| !line.starts_with("   ")) {
        let mut fields = line.split_whitespace();
        let (command, first) = (fields.next().unwrap(), fields.next().unwrap());
        assert!(command == "help" || !words.contains(&first), "{line}");
        words.push(first);
    }
    assert_eq!(words.len(), 13, "{commands}");
}

#[test]
fn a_cut_between_two_k_mers_is_told_where_the_file_can_tell() {
    let place = Place::new();
    let reads = reads(60, 1500, 50);
    databases(&place, "a", &reads, 21, &["jf", "tsv"]);
    let whole = place.read("a.jf");
    for records in [1, 2, 100] {
        place.write("cut.jf", &whole[..whole.len() - records * RECORD]);
        for arguments in [
            &["verify", "cut.jf"][..],
            &["info", "cut.jf"],
            &["histo", "cut.jf"],
            &["dump", "cut.jf", "-o", "x.tsv"],
            &["query", "cut.jf", "ACGTACGTACGTACGTACGTA"],
            &["merge", "cut.jf", "a.jf", "-o", "x.thk"],
        ] {
            place.fails(
                &[&["kmers"], arguments].concat(),
                1,
                &["cut.jf", "but says", "it was cut"],
            );
        }
    }
    let note = "does not say how many k-mers it has";
    let ended = place.ok(&["kmers", "verify", "a.jf"]);
    assert!(!ended.stderr.contains(note), "{}", ended.stderr);
    let ended = place.ok(&["kmers", "verify", "a.tsv"]);
    assert!(ended.stderr.contains(note), "{}", ended.stderr);
    // A count that lost digits is one.
    let text = place.read("a.tsv");
    let warning = "no line feed";
    assert!(!ended.stderr.contains(warning), "{}", ended.stderr);
    for lost in [1, 2] {
        let longer = [&text[..text.len() - 1], b"23\n"].concat();
        place.write("cut.tsv", &longer[..longer.len() - lost]);
        // Whoever reads it is warned, not only who doubts it.
        for command in [
            &["verify", "cut.tsv"][..],
            &["dump", "cut.tsv"],
            &["histo", "cut.tsv"],
            &["stats", "cut.tsv"],
            &["query", "cut.tsv", "-s", "a.fq"],
            &["merge", "cut.tsv", "-o-", "--format=tsv"],
        ] {
            let ended = place.ok(&[&["kmers"], command].concat());
            assert_eq!(ended.stderr.matches(warning).count(), 1, "{}", ended.stderr);
        }
    }
    // Jellyfish's own file says nothing, whole or cut.
    let Some(real) = real() else { return };
    place.write("a.fa", to_fasta(&reads));
    let counting = ["count", "-m21", "-C", "-s1M", "-o", "stock.jf", "a.fa"];
    real.ok(&place, &counting);
    let whole = place.read("stock.jf");
    let distinct = count(&reads, 21, true, 0).len();
    for records in [0, 1] {
        place.write("cut.jf", &whole[..whole.len() - records * RECORD]);
        let ended = place.ok(&["kmers", "verify", "cut.jf"]);
        let told = format!("{} distinct", distinct - records);
        assert!(
            ended.text().replace(',', "").contains(&told),
            "{}",
            ended.text()
        );
        assert!(ended.stderr.contains(note), "{}", ended.stderr);
    }
}

/// What is said is not the work: nobody to say it to is no failure.
#[test]
fn messages_that_cannot_be_told_do_not_matter() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    for arguments in ["count -k 5 a.fa -o x.thk", "count -k 5 no.fa -o y.thk"] {
        let command = format!("exec \"$0\" {arguments} 2> /dev/full");
        let mut shell = Command::new("sh");
        shell
            .current_dir(place.path("."))
            .args(["-c", &command, env!("CARGO_BIN_EXE_thalweg")]);
        let code = if arguments.contains("no.fa") { 2 } else { 0 };
        assert_eq!(ended(shell).code, Some(code), "{arguments}");
    }
    assert!(place.names().contains("x.thk"));
    let both = ["count", "-k5", "a.fa", "-o-", "--format=thk", "--histo=-"];
    place.fails(&both, 2, &["both --output and --histo"]);
}

/// What is read to tell the format would be missing afterwards.
#[test]
fn databases_are_no_pipes() {
    let place = Place::new();
    for text in ["ACGTA\t7\nCCCCC\t1\n", ">7\nACGTA\n>1\nCCCCC\n"] {
        place.write("x", text);
        let file = std::fs::File::open(place.path("x")).unwrap();
        let mut redirected = place.command(&["kmers", "stats", "/dev/stdin"]);
        redirected.stdin(file);
        assert_eq!(ended(redirected).code, Some(0));
        let ended = place.feed(&["kmers", "stats", "/dev/stdin"], text.as_bytes());
        ended.expect_failure(2, &["must be a regular file"]);
    }
    let ended = place.feed(&["kmers", "stats", "-"], b"ACGTA\t7\n");
    ended.expect_failure(2, &["must be a regular file"]);
}

/// Databases that do not say which strands their k-mers stand for are judged by these.
#[test]
fn strands_that_are_not_said_are_told() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "both.thk"]);
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "both.tsv"]);
    place.ok(&["count", "-q", "-k5", "--forward", "a.fa", "-o", "apart.tsv"]);
    for (name, told, is_canonical) in [
        ("both.tsv", "each stands for both", true),
        ("apart.tsv", "each is taken for its own", false),
    ] {
        let ended = place.ok(&["kmers", "merge", name, "-o", "m.thk"]);
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
        let info = place.ok(&["kmers", "info", "--json", "m.thk"]).stdout;
        let info: serde_json::Value = serde_json::from_slice(&info).unwrap();
        assert_eq!(info["databases"][0]["canonical"], is_canonical);
        place.ok(&["kmers", "verify", "m.thk"]);
    }
    for command in ["merge", "intersect", "subtract"] {
        let arguments = ["kmers", command, "both.thk", "apart.tsv", "-o", "n.thk"];
        place.fails(&arguments, 2, &["incompatible databases", "apart.tsv"]);
    }
    assert!(!place.path("n.thk").exists());
}

/// Two outputs must not be one, however they are spelled: one of them would be lost, or both mixed.
#[test]
fn one_file_is_not_two_outputs() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "x.thk"]);
    let before = place.read("x.thk");
    let both = "is both --output and --histo";
    for (script, said) in [
        ("count -k5 a.fa -o y --format kmc --histo y.kmc_pre", both),
        ("count -k5 a.fa -o y --format kmc --histo ./y.kmc_suf", both),
        ("count -k5 a.fa -o y.kmc --histo y.kmc.kmc_suf", both),
        ("count -k5 a.fa -o /dev/stdout --histo - > mix", both),
        ("count -k5 a.fa -o /dev/fd/1 --histo - | cat", both),
        ("count -k5 a.fa -o x.thk --histo - > x.thk", both),
        (
            "kmers histo x.thk --plot x.svg > x.svg",
            "the histogram is written there, too",
        ),
    ] {
        let ended = place.shell(&format!("set -o pipefail; \"$THALWEG\" {script}"));
        ended.expect_failure(2, &[said]);
        place.write("x.thk", &before);
    }
    // A reader that has enough of the spectrum does not cost the database.
    place.shell("\"$THALWEG\" count -q -k5 a.fa -o z.thk --histo - | true");
    assert_eq!(
        place.ok(&["kmers", "dump", "z.thk"]).text(),
        place.ok(&["kmers", "dump", "x.thk"]).text()
    );
    // Not the spectrum, but its file: nothing has its name before all is written.
    place.write("o.thk", "old");
    place.fails(
        &[
            "count",
            "-k5",
            "a.fa",
            "-o",
            "o.thk",
            "--histo",
            "/dev/full",
        ],
        2,
        &["No space"],
    );
    assert_eq!(place.read("o.thk"), b"old");
}

/// Who opened the standard output says where in a file it goes.
#[test]
fn the_standard_output_is_written_to_where_it_is() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "x.thk"]);
    let dump = place.ok(&["kmers", "dump", "x.thk"]).text();
    for command in [
        "kmers dump x.thk",
        "kmers dump x.thk -o -",
        "kmers dump x.thk -o /dev/stdout",
        "count -q -k5 a.fa --format tsv -o /dev/fd/1",
        "kmers merge -q x.thk --format tsv -o /proc/self/fd/1",
    ] {
        let script =
            format!("(echo head; \"$THALWEG\" {command}; echo tail) > f; echo end >> f; cat f");
        let found = place.shell(&script).text();
        assert_eq!(found, format!("head\n{dump}tail\nend\n"), "{command}");
    }
    let kmc = "\"$THALWEG\" count -k5 a.fa --format kmc -o /dev/stdout > f";
    place.shell(kmc).expect_failure(2, &["two files"]);
    // Neither is a file that is read.
    let before = (place.read("x.thk"), place.read("a.fa"));
    for command in [
        "kmers dump x.thk >> x.thk",
        "kmers histo x.thk >> x.thk",
        "kmers merge x.thk -o - --format tsv >> x.thk",
        "kmers query x.thk -s a.fa >> a.fa",
        "kmers filter-reads x.thk a.fa >> a.fa",
        "count -k5 a.fa --format tsv -o - >> a.fa",
        "cat a.fa -o - >> a.fa",
        "cat a.fa >> a.fa",
    ] {
        let ended = place.shell(&format!("\"$THALWEG\" {command}"));
        ended.expect_failure(2, &["standard output: is an input file too"]);
        assert_eq!(
            (place.read("x.thk"), place.read("a.fa")),
            before,
            "{command}"
        );
    }
}

/// What is read must not be replaced, whatever it is read for.
#[test]
fn whatever_is_read_stays() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.write("seqs", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.write("list", "a.fa\n");
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "x.thk"]);
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "x.jf"]);
    std::os::unix::fs::symlink("a.fa", place.path("link")).unwrap();
    for name in ["jellyfish", "kmc"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
    }
    for command in [
        "$THALWEG kmers query x.thk -s seqs -o seqs",
        "$THALWEG kmers query x.thk -s a.fa -o link",
        "$THALWEG count -k 5 - -o a.fa < a.fa",
        "./jellyfish query -s a.fa -o a.fa x.jf",
        "./jellyfish count -m 5 -s 1M a.fa -o y.jf --timing a.fa",
        "./jellyfish count -m 5 -s 1M a.fa -o a.fa --if x.jf",
        "./jellyfish count -m 5 -s 1M list -o a.fa --if a.fa",
        "./jellyfish count -m 5 -s 1M -g list -o list",
        "./jellyfish count -m 5 -s 1M a.fa --bc x.jf -o x.jf",
        "./jellyfish bc -m 5 -s 1M a.fa -o y.bc --timing a.fa",
        "./kmc -k5 -fa -jlist @list y .",
    ] {
        let read = |name: &&str| place.read(name);
        let before = ["a.fa", "seqs", "list", "x.jf"].each_ref().map(read);
        let ended = place.shell(command);
        assert!(
            ended.stderr.contains("is an input file too"),
            "{command}: {}",
            ended.stderr
        );
        let after = ["a.fa", "seqs", "list", "x.jf"].each_ref().map(read);
        assert_eq!(before, after, "{command}");
    }
}

/// A letter of a k-mer may change in what has no checksums.
#[test]
fn verify_tells_what_cannot_be_verified() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    for (name, is_told) in [("x.kmc", true), ("x.jf", true), ("x.thk", false)] {
        place.ok(&["count", "-q", "-k5", "a.fa", "-o", name]);
        let ended = place.ok(&["kmers", "verify", name]);
        assert_eq!(ended.stderr.contains("no checksums"), is_told, "{name}");
    }
}

/// Scripts give `-q` to every command, also to those that say nothing anyway.
#[test]
fn notes_can_be_done_without() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGTTGCATGCCGATTAGACC\n");
    place.ok(&["count", "-q", "-k5", "a.fa", "-o", "a.tsv"]);
    for (command, more, is_told) in [
        ("query", &["ACGTT"][..], true),
        ("verify", &[], true),
        ("histo", &[], false),
        ("dump", &[], false),
        ("stats", &[], false),
        ("info", &[], false),
    ] {
        let command = [&["kmers", command, "a.tsv"], more].concat();
        let told = place.ok(&command);
        assert_eq!(told.stderr.contains("note"), is_told, "{command:?}");
        let quiet = place.ok(&[&command[..], &["-q"]].concat());
        assert_eq!(
            (quiet.text(), &quiet.stderr[..]),
            (told.text(), ""),
            "{command:?}"
        );
    }
}

#[test]
fn spectra_of_no_counts_and_pictures_of_other_kinds_are_refused() {
    let place = Place::new();
    databases(&place, "a", &reads(67, 500, 20), 21, &["thk"]);
    let empty = ["kmers", "histo", "a.thk", "--low", "9", "--high", "3"];
    place.fails(&empty, 2, &["--high 3 is less than --low 9"]);
    for name in ["a.png", "a.PDF"] {
        let other = ["kmers", "histo", "a.thk", "--plot", name];
        place.fails(&other, 2, &[name, "SVG"]);
    }
    let one = [
        "kmers", "histo", "a.thk", "--low", "3", "--high", "3", "--plot", "a.svg",
    ];
    place.ok(&one);
}

/// Where k-mers are out of order, those that are looked up are not found: whoever reads all of the file says so.
#[test]
fn damage_that_hides_k_mers_is_told() {
    let place = Place::new();
    place.write("r.fq", fastq(300));
    for name in ["a.kmc", "a.jf"] {
        place.ok(&["count", "-k", "31", "r.fq", "-o", name]);
    }
    // The table of prefixes: an entry later or earlier by some records.
    let prefixes = place.read("a.kmc.kmc_pre");
    let mut told = 0;
    for at in (4..prefixes.len() - 100).step_by(prefixes.len() / 40) {
        let mut damaged = prefixes.clone();
        damaged[at] ^= 8;
        place.write("a.kmc.kmc_pre", &damaged);
        let whole = place.run(&["kmers", "dump", "a.kmc"]).code;
        for arguments in [
            &["kmers", "dump", "--file-order", "a.kmc"][..],
            &["kmers", "filter-reads", "-q", "a.kmc", "r.fq"],
            &["kmers", "query", "a.kmc", "-s", "r.fq"],
        ] {
            assert_eq!(place.run(arguments).code, whole, "{arguments:?}, byte {at}");
        }
        told += usize::from(whole == Some(1));
    }
    assert!(told > 5, "{told}");
    // The last entry, of a prefix that no k-mer has: 64 bytes of header, its size and the mark follow it.
    place.write("few.fa", format!(">a\n{}C\n", "A".repeat(31)));
    place.ok(&["count", "-k", "31", "few.fa", "-o", "few.kmc"]);
    let mut damaged = place.read("few.kmc.kmc_pre");
    let last = damaged.len() - 4 - 4 - 64 - 8;
    assert_eq!(damaged[last], 2);
    damaged[last] = 3;
    place.write("few.kmc.kmc_pre", &damaged);
    place.fails(&["kmers", "verify", "few.kmc"], 1, &["table of prefixes"]);
    // The highest bits of the 100th k-mer from the end: 8 bytes, and 4 of its count.
    let mut jellyfish = place.read("a.jf");
    let at = jellyfish.len() - 100 * 12 + 7;
    jellyfish[at] ^= 0x20;
    place.write("a.jf", &jellyfish);
    for arguments in [
        &["kmers", "dump", "--file-order", "a.jf"][..],
        &["kmers", "query", "a.jf", "-s", "r.fq"],
    ] {
        place.fails(arguments, 1, &["a.jf", "out of order"]);
    }
    // Who asks for one k-mer alone gets its count or the error, whether it is the damaged one or another.
    place.ok(&["count", "-k", "31", "r.fq", "-o", "a.tsv"]);
    let sound = String::from_utf8(place.read("a.tsv")).expect("text");
    let mut told = 0;
    for line in sound.lines().rev().skip(80).take(40) {
        let (kmer, count) = line.split_once('\t').expect("k-mer and count");
        let answer = place.run(&["kmers", "query", "a.jf", kmer]);
        match answer.code {
            Some(0) => assert_eq!(answer.text().trim(), format!("{kmer}\t{count}")),
            code => {
                assert_eq!(code, Some(1), "{}", answer.text());
                told += 1;
            }
        }
    }
    assert!((1..40).contains(&told), "{told}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let place = Place::new();
    place.write("r.fq", fastq(300));
    place.write("r.fa", ">a\nACGTACGTACGTACGTACGTACGT\n");
    place.ok(&["count", "-k", "21", "r.fq", "-o", "a.thk"]);
    for (arguments, words) in [
        (
            &["kmers", "merge", "a.thk", "a.thk", "-o", "b.kff"][..],
            &["b.kff: a database cannot be written as KFF"][..],
        ),
        (
            &["kmers", "histo", "a.thk", "-o", "h", "--plot", "h"][..],
            &["h: the histogram is written there"][..],
        ),
        (
            &["kmers", "histo", "a.thk", "--plot", "-"],
            &["-: the histogram"],
        ),
        (
            &["kmers", "histo", "--full", "--high", "10000000000", "a.thk"],
            &["9999999999 lines"],
        ),
        (&["kmers", "histo", "a.thk", "-o", "h.xz"], &["h.xz", ".xz"]),
        (
            &["kmers", "dump", "a.thk", "-o", "b.jf"],
            &["b.jf", "merge"],
        ),
        (&["kmers", "dump", "a.thk", "-U", "0"], &["-U 0"]),
        (
            &[
                "kmers",
                "filter-reads",
                "a.thk",
                "r.fq",
                "r.fa",
                "-o",
                "o.fq",
            ],
            &["r.fq and r.fa"],
        ),
    ] {
        place.fails(arguments, 2, words);
    }
    let names = ["a.thk", "r.fa", "r.fq"];
    assert_eq!(place.names(), names.map(str::to_owned).into());
    // Counts that were left out cannot be estimated from.
    place.ok(&["count", "-k", "21", "-U", "30", "r.fq", "-o", "cut.thk"]);
    let ended = place.ok(&["kmers", "stats", "cut.thk"]);
    assert!(
        ended.stderr.contains("counts from 1 to 30 only"),
        "{}",
        ended.stderr
    );
    // Answers that nothing was found are no k-mers.
    place.write("z.tsv", "ACG 0\nTTA 3\n");
    assert!(
        place
            .ok(&["kmers", "stats", "z.tsv"])
            .text()
            .contains("distinct          1\n")
    );
}

/// Of counts that the format has no room for, and what is cut where that is asked for.
#[test]
fn large_counts_are_refused_or_cut() {
    let place = Place::new();
    place.write("big.tsv", "AAAAC\t5000000000\nAAACC\t7\n");
    place.fails(
        &["kmers", "merge", "-q", "big.tsv", "-o", "x.kmc"],
        2,
        &[
            "the count 5000000000 of AAAAC does not fit into 4 bytes",
            "--saturate",
        ],
    );
    assert_eq!(place.names(), ["big.tsv".to_owned()].into());
    let cut = |database: &str, output: &str| {
        place.ok(&["kmers", "merge", "-q", database, "--saturate", "-o", output]);
        place.ok(&["kmers", "dump", output]).text()
    };
    let largest = "AAAAC\t4294967295\nAAACC\t7\n";
    assert_eq!(cut("big.tsv", "x.kmc"), largest);
    // Other formats have room for any, and a count for those of its own.
    assert_eq!(cut("big.tsv", "x.thk"), "AAAAC\t5000000000\nAAACC\t7\n");
    // Totals that are known are those of before.
    assert_eq!(cut("x.thk", "y.kmc"), largest);
    place.write("reads.fa", ">a\nACGTTGCATT\n");
    place.ok(&[
        "count",
        "-q",
        "-k5",
        "--saturate",
        "reads.fa",
        "-o",
        "z.kmc",
    ]);
}

/// What an estimate is made of, where that makes it another one.
#[test]
fn estimates_are_warned_of() {
    let place = Place::new();
    let mut state = 5u64;
    let mut below = |bound: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        ((state >> 33) % bound) as usize
    };
    let genome: Vec<u8> = (0..20_000).map(|_| b"ACGT"[below(4)]).collect();
    let mut text = Vec::new();
    for _ in 0..6000 {
        let mut piece = genome[below(19_900)..][..100].to_vec();
        // One error in three reads.
        if let Some(letter) = piece.get_mut(below(300)) {
            *letter = b"ACGT"[below(4)];
        }
        text.extend([b">\n", &piece[..], b"\n"].concat());
    }
    place.write("reads.fa", text);
    let warnings = |options: &[&str]| {
        place.ok(&[&["count", "-q", "-k21", "reads.fa", "-o", "x.thk"], options].concat());
        place.ok(&["kmers", "stats", "x.thk"]).stderr
    };
    assert_eq!(warnings(&[]), "");
    // As KMC has it, if nothing else is asked for.
    assert_eq!(warnings(&["-U", "1000000000"]), "");
    let apart = warnings(&["--forward"]);
    assert!(apart.contains("the strands are counted apart"), "{apart}");
    let cut = warnings(&["-L", "2"]);
    assert!(cut.contains("x.thk: of counts from 2 on only: "), "{cut}");
    let cut = warnings(&["-L", "2", "-U", "3"]);
    assert!(
        cut.contains("of counts from 2 to 3 only: that may be why"),
        "{cut}"
    );
}
