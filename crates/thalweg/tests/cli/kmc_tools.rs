//! Under the name of `kmc_tools`, compared with it.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;

use crate::extent::{is_all, one_of, some_of};
use crate::kmers::Program;
use crate::support::{Place, gzip, random};

/// Names of files, and what they hold.
type Files = Vec<(String, Vec<u8>)>;

/// Two databases that share some k-mers: `a` and `b` of many counts, `c` of counts to 255 and up, `d` with limits of its own.
fn databases(place: &Place, k: &str) {
    // Each is made once for all tests: KMC takes more than a second for the smallest.
    static MADE: Mutex<BTreeMap<String, Files>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap();
    let files = made.entry(k.to_owned()).or_insert_with(|| {
        let place = Place::new();
        make_databases(&place, k);
        let names = place.names().into_iter();
        names
            .map(|name| (name.clone(), place.read(&name)))
            .collect()
    });
    for (name, bytes) in files {
        place.write(name, bytes);
    }
}

fn make_databases(place: &Place, k: &str) {
    let mut below = random(88_172_645_463_325_252);
    let mut bases =
        |count: usize| -> String { (0..count).map(|_| char::from(b"ACGT"[below(4)])).collect() };
    let (shared, own, other) = (bases(900), bases(900), bases(900));
    let mut reads = |genome: &str, count: usize| -> String {
        let starts = (0..count).map(|_| below(genome.len() - 80));
        starts
            .map(|start| format!(">r\n{}\n", &genome[start..start + 80]))
            .collect()
    };
    place.write("a.fa", reads(&(shared.clone() + &own), 120));
    place.write("b.fa", reads(&(shared.clone() + &other), 90));
    let many = |times: usize| format!(">r\n{}\n", &shared[..200]).repeat(times);
    place.write("c.fa", many(300) + &reads(&own, 30));
    place.write("d.fa", many(40) + &reads(&shared, 60));
    for (name, limits) in [
        ("a", &["-ci1"][..]),
        ("b", &["-ci1"]),
        ("c", &["-ci1", "-cs1000"]),
        ("d", &["-ci2", "-cx200"]),
    ] {
        let input = format!("{name}.fa");
        let line = [&["-fm", k], limits, &[&input, name, "."]].concat();
        Program("kmc".into()).ok(place, &line);
    }
}

fn sorted(text: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// What an output holds: a text, or the text of a database by KMC's own dump.
fn content(place: &Place, name: &str) -> Vec<String> {
    if place.path(name).is_file() {
        return sorted(place.read(name));
    }
    Program("kmc_dump".into()).ok(place, &[name, "dumped.txt"]);
    sorted(place.read("dumped.txt"))
}

/// Both do what `line` says, and make the same. Returns how many outputs hold anything.
fn agree(place: &Place, ours: &Program, real: &Program, line: &str) -> usize {
    let mut compared = 0;
    let mut found = Vec::new();
    for (program, name) in [(ours, "ours"), (real, "real")] {
        let line = line.replace("OUT", name);
        let words: Vec<&str> = line.split(' ').collect();
        program.ok(place, &words);
        let outputs = ["", "2", "3", "4"].map(|number| format!("{name}{number}"));
        let made = outputs.iter().filter(|output| {
            place.path(output).is_file() || place.path(&format!("{output}.kmc_pre")).is_file()
        });
        let mut contents: Vec<Vec<String>> = made.map(|output| content(place, output)).collect();
        assert_eq!(contents.len(), line.matches(name).count(), "{line}");
        if line.starts_with("simple") {
            // Also where the counts of what is written begin and end.
            real.ok(place, &["transform", name, "histogram", "histogram"]);
            contents.push(sorted(place.read("histogram")));
            let info = real.ok(place, &["info", name]);
            let said = |line: &&str| line.starts_with("cutoff") || line.starts_with("total");
            contents.push(info.lines().filter(said).map(str::to_owned).collect());
        }
        compared += contents.iter().filter(|lines| !lines.is_empty()).count();
        found.push(contents);
        for output in &outputs {
            for ending in ["", ".kmc_pre", ".kmc_suf"] {
                let _ = std::fs::remove_file(place.path(&format!("{output}{ending}")));
            }
        }
    }
    assert!(found[0] == found[1], "{line}: {found:.3000?}");
    compared
}

/// The limits of what is combined are those of what is written, too, unless that has its own.
#[test]
fn limits_of_inputs_are_taken_as_by_kmc_tools() {
    if Command::new("kmc_tools").output().is_err() {
        eprintln!("SKIPPED: limits_of_inputs_are_taken_as_by_kmc_tools: no kmc_tools");
        return;
    }
    let place = Place::new();
    databases(&place, "-k15");
    let (ours, real) = (
        Program::ours_as(&place, "kmc_tools"),
        Program("kmc_tools".into()),
    );
    let mut compared = 0;
    let inputs = [
        "a -cx6 b -cx8",
        "a -ci2 -cx5 b -ci3",
        "a -ci3 b -ci2 -cx7",
        "c -cx300 d",
        "d -ci3 -cx50 d -cx60",
        // The least is above the largest: of counts, those between them are left out.
        "d -cx1 a -cx7",
        "a -ci6 -cx3 b -cx9",
    ];
    for (turn, operation) in [
        "union",
        "intersect",
        "kmers_subtract",
        "counters_subtract",
        "reverse_kmers_subtract",
        "reverse_counters_subtract",
    ]
    .into_iter()
    .enumerate()
    {
        // Of operations and inputs, each has several of the others.
        let inputs = inputs.into_iter().enumerate();
        for (number, input) in inputs.filter(|&(number, _)| is_all() || number % 3 == turn % 3) {
            // Every other line has limits of the output, too; which do, changes from operation to operation.
            let limits = ["", " -ci2", "", " -cx4", "", " -ci3 -cx9 -cs5"][(number + turn) % 6];
            let line = format!("simple {input} {operation} OUT{limits}");
            compared += agree(&place, &ours, &real, &line);
        }
    }
    let modes = ["min", "max", "sum", "left", "right"];
    for (turn, mode) in modes.into_iter().enumerate() {
        for operation in one_of(turn, &["union", "intersect"]) {
            let line = format!("simple a -cx6 b -ci2 -cx7 {operation} OUT -oc{mode}");
            compared += agree(&place, &ours, &real, &line);
        }
    }
    let least = if is_all() { 95 } else { 35 };
    assert!(compared > least, "{compared}");
}

#[test]
fn kmc_tools_and_its_namesake_agree() {
    if Command::new("kmc_tools").output().is_err() {
        eprintln!("SKIPPED: kmc_tools_and_its_namesake_agree: no kmc_tools");
        return;
    }
    // Longer k-mers are combined by the same code: some of the lines tell whether it is right for two words, too.
    let (every, least) = if is_all() { (3, 20) } else { (6, 10) };
    for (k, every, least) in [("-k15", 1, 70), ("-k40", every, least)] {
        let place = Place::new();
        databases(&place, k);
        let (ours, real) = (
            Program::ours_as(&place, "kmc_tools"),
            Program("kmc_tools".into()),
        );
        let mut compared = 0;
        for line in [
            "transform a histogram OUT",
            "transform c histogram OUT",
            "transform d histogram OUT",
            "transform a -ci3 -cx4 histogram OUT",
            "transform c histogram OUT -ci3 -cx301",
            "transform d histogram OUT -ci3",
            "-t2 -hp transform a dump OUT",
            "transform a dump -s OUT",
            "transform a -ci2 -cx5 dump -s OUT",
            "transform a dump OUT -ci3",
            "transform a sort OUT",
            "transform a reduce OUT -ci2 -cx4",
            "transform c reduce OUT -cs100",
            "transform c -ci5 reduce OUT -okmc",
            "transform a sort OUT -cx2 -cs1",
            "transform c compact OUT",
            "transform a compact OUT -ci3",
            "transform a reduce OUT -cx2 reduce OUT2 -ci3 histogram OUT3 dump -s OUT4",
            "simple a b union OUT",
            "simple a c union OUT",
            "simple a d union OUT",
            "simple a b union OUT -ci3 -cx6",
            "simple a b union OUT -cs3",
            "simple a b -ci2 intersect OUT",
            "simple a -cx3 b -ci2 union OUT",
            "simple c d intersect OUT",
            "simple a b intersect OUT -ocsum",
            "simple a b union OUT -ocmax",
            "simple a b union OUT -ocmin",
            "simple a b union OUT -ocleft",
            "simple a b union OUT -ocright",
            "simple a b intersect OUT -ocright",
            "simple a b kmers_subtract OUT",
            "simple a b counters_subtract OUT",
            "simple c d counters_subtract OUT -ci100",
            "simple a b reverse_kmers_subtract OUT",
            "simple a b reverse_counters_subtract OUT",
            "simple a b union OUT intersect OUT2 -ocmax kmers_subtract OUT3",
        ]
        .into_iter()
        .step_by(every)
        {
            compared += agree(&place, &ours, &real, line);
        }
        assert!(compared > least, "{k}: {compared}");
    }
}

#[test]
fn databases_say_the_same_of_themselves() {
    if Command::new("kmc_tools").output().is_err() {
        eprintln!("SKIPPED: databases_say_the_same_of_themselves: no kmc_tools");
        return;
    }
    let place = Place::new();
    let (ours, real) = (
        Program::ours_as(&place, "kmc_tools"),
        Program("kmc_tools".into()),
    );
    databases(&place, "-k15");
    let kmc = Program("kmc".into());
    for (name, options) in [
        ("apart", &["-k40", "-b", "-ci3", "-cs70000"][..]),
        ("small", &["-k5", "-ci1"]),
        ("frequent", &["-k15", "-cx5000000000", "-p7"]),
    ] {
        kmc.ok(&place, &[options, &["-fm", "a.fa", name, "."]].concat());
    }
    ours.ok(&place, &["transform", "apart", "reduce", "sorted", "-ci4"]);
    for name in ["a", "c", "d", "apart", "small", "frequent", "sorted"] {
        let line = ["-hp", "info", name];
        assert_eq!(ours.ok(&place, &line), real.ok(&place, &line), "{name}");
    }
    // What KMC does not read says what it has.
    place.ok(&["count", "-q", "-k15", "a.fa", "-o", "a.thk"]);
    let text = ours.ok(&place, &["info", "a.thk"]);
    assert!(text.starts_with("k                 :  15\n"), "{text}");
    assert!(text.contains("\nboth strands      :  yes\n"), "{text}");
    let ended = ours.run(&place, &["info", "a", "b"]);
    ended.expect_failure(1, &["b: not known"]);
}

/// Reads of every number of k-mers in the database, whole ones and some that are not, and such as have no k-mers.
fn reads_by_k_mers(known: &str, k: usize) -> Vec<(String, String)> {
    let mut below = random(1_234_567);
    let mut bases =
        |count: usize| -> String { (0..count).map(|_| char::from(b"ACGT"[below(4)])).collect() };
    let mut reads = Vec::new();
    for places in 1..40 {
        for found in 0..=places {
            let at = (places * 37 + found * 11) % 400;
            let shared = match found {
                0 => "",
                _ => &known[at..at + k - 1 + found],
            };
            let rest = places + k - 1 - shared.len();
            reads.push((
                format!("p{places}f{found} x"),
                shared.to_owned() + &bases(rest),
            ));
        }
    }
    let middle = [&known[20..60], "N", &known[61..100]].concat();
    let behind = ["N", &known[100..150]].concat();
    let both = [&known[200..240], &"T".repeat(k + 5), &known[240..280]].concat();
    for (name, sequence) in [
        ("middle", middle),
        ("behind", behind),
        ("both", both),
        ("lower", known[300..350].to_ascii_lowercase()),
    ] {
        reads.push((format!("{name}/1 y"), sequence));
    }
    reads
}

#[test]
fn reads_are_filtered_as_by_kmc_tools() {
    if Command::new("kmc_tools").output().is_err() {
        eprintln!("SKIPPED: reads_are_filtered_as_by_kmc_tools: no kmc_tools");
        return;
    }
    let place = Place::new();
    let (ours, real) = (
        Program::ours_as(&place, "kmc_tools"),
        Program("kmc_tools".into()),
    );
    let mut below = random(7_654_321);
    let known: String = (0..600).map(|_| char::from(b"ACGT"[below(4)])).collect();
    let reads = reads_by_k_mers(&known, 15);
    let fastq = |reads: &[(String, String)]| -> String {
        let quality = |length: usize| -> String {
            let letters = (0..length).map(|at| char::from(33 + (at % 40) as u8));
            letters.collect()
        };
        let records = reads.iter().map(|(name, sequence)| {
            format!("@{name}\n{sequence}\n+\n{}\n", quality(sequence.len()))
        });
        records.collect()
    };
    let mut short = reads.clone();
    short.push(("none".to_owned(), known[300..314].to_owned()));
    short.push(("short".to_owned(), known[300..310].to_owned()));
    let long = fastq(&reads);
    place.write("long.fq", &long);
    place.write("long.fq.gz", gzip(long.as_bytes()));
    // KMC's -t does not survive them.
    place.write("reads.fq", fastq(&short));
    let fasta = |(name, sequence): &(String, String)| format!(">{name}\n{sequence}\n");
    place.write("reads.fa", short.iter().map(fasta).collect::<String>());
    place.write("list", "long.fq\nreads.fq\n");
    place.write("known.fa", format!(">k\n{known}\n"));
    let kmc = Program("kmc".into());
    kmc.ok(&place, &["-k15", "-ci1", "-fm", "known.fa", "once", "."]);
    // Counts from 2 to some hundreds.
    kmc.ok(&place, &["-k15", "-ci2", "-fm", "reads.fa", "many", "."]);
    kmc.ok(
        &place,
        &["-k15", "-ci1", "-b", "-fm", "known.fa", "apart", "."],
    );
    let mut lines: Vec<String> = [
        "filter once reads.fa -fa -ci3 OUT",
        "filter once reads.fa -fa -ci0.0 -cx0.5 OUT",
        "filter once reads.fq -ci3 OUT -fa",
        "filter once reads.fq -fq -ci3 OUT -fq",
        "filter once long.fq.gz -ci5 -cx9 OUT",
        "-t2 -hp filter once @list -ci5 OUT",
        "filter many -ci3 reads.fq OUT",
        "filter many -ci3 -cx20 reads.fq -ci0.2 OUT",
        "filter many -cx5 reads.fq -ci1 OUT",
        "filter -t once long.fq -ci0 OUT",
        "filter -hm once reads.fq -ci0 OUT",
        "filter -hm many -cx20 reads.fq -ci0 OUT",
        "filter -t once long.fq -ci1 OUT",
        "filter -t many long.fq -ci3 OUT -fa",
        "filter -t many -cx20 long.fq OUT",
        "filter -hm once reads.fq -ci1 OUT",
        "filter -hm many reads.fq -ci3 OUT -fa",
        "filter -hm many -cx20 reads.fa -fa OUT",
        "filter -hm many reads.fq -ci3 -cx20 OUT",
        "filter -t -hm many reads.fq -ci20 OUT",
    ]
    .map(str::to_owned)
    .into();
    for (turn, database) in ["once", "many", "apart"].into_iter().enumerate() {
        let ranges = [
            "",
            "-ci0",
            "-ci1",
            "-ci3 -cx5",
            "-ci5 -cx3",
            "-ci0.5",
            "-ci0.9",
            "-ci.29 -cx0.57",
            "-cx0.3",
            "-ci1.0",
            "-ci0.0",
        ];
        // Of each database some, and each of some database.
        for range in some_of(3, ranges.into_iter().skip(if is_all() { 0 } else { turn })) {
            lines.push(format!("filter {database} reads.fq {range} OUT"));
        }
    }
    for line in lines {
        let mut texts = Vec::new();
        for (program, name) in [(&ours, "ours"), (&real, "real")] {
            let line = line.replace("OUT", name);
            let words: Vec<&str> = line.split_whitespace().collect();
            program.ok(&place, &words);
            texts.push(String::from_utf8(place.read(name)).unwrap());
            std::fs::remove_file(place.path(name)).unwrap();
        }
        let differ = texts[0].lines().zip(texts[1].lines()).find(|(a, b)| a != b);
        assert!(texts[0] == texts[1], "{line}: {differ:?}");
        assert!(line.contains("-cx3 ") || !texts[0].is_empty(), "{line}");
    }
    // What has no qualities, and what would replace a database.
    let ended = ours.run(&place, &["filter", "once", "reads.fa", "-fa", "o", "-fq"]);
    ended.expect_failure(1, &["without qualities"]);
    let ended = ours.run(&place, &["filter", "once", "reads.fq", "once.kmc_suf"]);
    ended.expect_failure(1, &["is an input file too"]);
    let ended = ours.run(
        &place,
        &["filter", "once", "-ci3", "-cx2", "reads.fq", "-ci0", "o"],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("no k-mer occurs"), "{}", ended.stderr);
}

/// A database is two files, whichever of its three names is said.
#[test]
fn inputs_are_not_replaced_by_outputs() {
    let place = Place::new();
    let ours = Program::ours_as(&place, "kmc_tools");
    place.write("reads.fa", ">r\nACGTTGCATTAGACCATGGA\n");
    place.ok(&[
        "count", "-q", "-k", "5", "reads.fa", "-o", "db.kmc", "--format", "kmc",
    ]);
    let before = place.names();
    for line in [
        "transform db.kmc reduce db.kmc",
        "transform db.kmc.kmc_pre reduce db.kmc",
        "transform db.kmc reduce db.kmc.kmc_pre",
        "transform db.kmc histogram db.kmc.kmc_suf",
        "transform db.kmc dump db.kmc.kmc_pre",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ended = ours.run(&place, &words);
        assert_eq!(ended.code, Some(1), "{line}");
        let message = ended.stderr;
        assert!(
            message.contains("is an input file too"),
            "{line}: {message}"
        );
    }
    assert_eq!(place.names(), before);
    // Its own name is free.
    ours.ok(&place, &["transform", "db.kmc", "histogram", "db.kmc"]);
}

#[test]
fn what_kmc_tools_does_and_this_does_not_is_told() {
    let place = Place::new();
    let ours = Program::ours_as(&place, "kmc_tools");
    for words in [&[][..], &["--help"]] {
        let help = ours.ok(&place, words);
        assert!(help.starts_with("kmc_tools ver. 3.2.1 (thalweg "), "{help}");
    }
    for (line, code, said) in [
        ("complex x", 2, "complex: kmc_tools does that"),
        ("filter nowhere r.fq y", 1, "nowhere"),
        ("filter", 1, "a database is missing"),
        ("filter a", 1, "a file of reads is missing"),
        ("filter a r.fq", 1, "an output is missing"),
        ("filter a r.fq y z", 1, "z: not known"),
        ("filter a r.fq -fm y", 1, "-fm: not known"),
        ("filter a r.fq -ci1.5 y", 1, "from 0.0 to 1.0"),
        ("filter a r.fq -ci2 -cx0.5 y", 1, "whole numbers for both"),
        ("filter -t a r.fq -ci0.5 y", 1, "a whole number"),
        ("transform a set_counts 3 o", 2, "set_counts: "),
        ("simple a b union o -ocdiff", 2, "-ocdiff: "),
        ("simple a b union o -okff", 2, "-okff: "),
        (
            "simple a b counters_subtract o -ocsum",
            2,
            "-ocsum of counters",
        ),
        (
            "simple a b kmers_subtract o -ocsum",
            1,
            "-ocsum: of a k-mer",
        ),
        ("transform a union o", 1, "union: no operation"),
        ("transform a dump", 1, "an output is missing"),
        ("transform", 1, "a database is missing"),
        ("simple a b", 1, "an operation is missing"),
        ("simple a b union o -cix", 1, "-cix: expected a number"),
        ("transform a dump o -cs3", 1, "-cs3: not known"),
        ("transform nowhere dump o", 1, "nowhere"),
        ("foo", 1, "foo: not known"),
    ] {
        let ended = ours.run(&place, &line.split(' ').collect::<Vec<_>>());
        ended.expect_failure(code, &[said]);
    }
    // The hint is of this program, not of `kmc`.
    let ended = ours.run(&place, &["simple", "a", "b", "union", "o", "-cix"]);
    ended.expect_failure(1, &["kmc_tools simple <database>"]);
    // A database is not written over itself.
    place.write("a.fa", format!(">r\n{}\n", "ACGTTGCA".repeat(20)));
    place.ok(&["count", "-q", "-k15", "a.fa", "-o", "a.kmc"]);
    let name = place
        .names()
        .into_iter()
        .find(|name| name.ends_with(".kmc_pre"))
        .unwrap();
    let database = name.trim_end_matches(".kmc_pre");
    let ended = ours.run(&place, &["transform", database, "reduce", database]);
    ended.expect_failure(1, &["is an input file too"]);
}

/// Counts of other formats may be larger than any of KMC's.
#[test]
fn counts_that_are_cut_are_told() {
    let place = Place::new();
    let ours = Program::ours_as(&place, "kmc_tools");
    place.write("a.tsv", "AAAAC\t4294967295\nAAAAG\t7\nAAACC\t4294967296\n");
    place.write("b.tsv", "AAAAC\t1\nAAACC\t1\n");
    let note = "more often than 4294967295, the largest count that KMC has";
    for (line, cut) in [
        ("transform a.tsv sort o", Some("o: 1 k-mers ")),
        ("simple a.tsv b.tsv union o", Some("o: 2 k-mers ")),
        ("simple a.tsv b.tsv intersect o", None),
        ("transform a.tsv sort o -cs1000", None),
        ("transform a.tsv compact o", None),
    ] {
        let ended = ours.run(&place, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
        match cut {
            Some(cut) => {
                assert!(ended.stderr.contains(cut), "{line}: {}", ended.stderr);
                assert!(ended.stderr.contains(note), "{line}: {}", ended.stderr);
            }
            None => assert_eq!(ended.stderr, "", "{line}"),
        }
    }
}
