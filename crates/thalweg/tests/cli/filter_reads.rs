//! Reads, by the k-mers that a database has of them.

use std::collections::BTreeMap;
use std::io::Read as _;

use crate::count::{Read, count, reads, reverse_complement, to_fastq};
use crate::kmers::databases;
use crate::support::{Place, records};

/// Every other read from the other strand, too.
fn of_both_strands(reads: &[Read]) -> Vec<Read> {
    let turn = |(letters, qualities): &Read| {
        let qualities = qualities.iter().rev().copied().collect();
        (reverse_complement(letters), qualities)
    };
    let turned = reads.iter().enumerate().map(|(number, read)| match number {
        number if number % 2 == 0 => turn(read),
        _ => read.clone(),
    });
    turned.collect()
}

/// Each k-mer of a read and its count, as `kmers query -s` prints them: one at a time, no cleverness.
fn answers(read: &Read, k: usize, canonical: bool, known: &BTreeMap<String, u64>) -> Vec<String> {
    let windows = read.0.windows(k).filter_map(|window| {
        let window = window.to_ascii_uppercase();
        if !window.iter().all(|letter| b"ACGT".contains(letter)) {
            return None;
        }
        let other = reverse_complement(&window);
        let stored = match canonical && other < window {
            true => other,
            false => window,
        };
        let stored = String::from_utf8(stored).unwrap();
        let count = known.get(&stored).copied().unwrap_or(0);
        Some(format!("{stored}\t{count}\n"))
    });
    windows.collect()
}

/// A file of many reads makes the database be loaded, one of a single read does not: the answers are the same, whatever
/// the format is, and whether or not it says what a k-mer stands for.
#[test]
fn all_formats_give_the_same_answers() {
    const K: usize = 21;
    let place = Place::new();
    let mine = reads(40, 20_000, 1500);
    let mut asked = of_both_strands(&mine[..150]);
    asked.extend(reads(41, 3000, 60));
    let (many, few) = (to_fastq(&asked), to_fastq(&asked[2..3]));
    place.write("many.fq", &many);
    place.write("few.fq", &few);
    place.write("a.fq", to_fastq(&mine));
    for canonical in [true, false] {
        let known = count(&mine, K, canonical, 0);
        assert!(
            known.len() > 20_000,
            "{}: few.fq would load it",
            known.len()
        );
        let all: Vec<Vec<String>> = asked
            .iter()
            .map(|read| answers(read, K, canonical, &known))
            .collect();
        let is_kept = |answers: &Vec<String>| {
            let found = answers.iter().filter(|line| {
                let (_, count) = line.trim().split_once('\t').unwrap();
                count.parse::<u64>().unwrap() >= 2
            });
            let found = found.count();
            found > 0 && 2 * found >= answers.len()
        };
        let kept: Vec<&[u8]> = (0..asked.len())
            .filter(|&at| is_kept(&all[at]))
            .map(|at| records(&many, at, at + 1))
            .collect();
        // Some of the turned ones are found only if strands are one.
        match canonical {
            true => assert!(kept.len() > 140, "{}", kept.len()),
            false => assert!((50..130).contains(&kept.len()), "{}", kept.len()),
        }
        for extension in ["thk", "jf", "kmc", "tsv"] {
            let name = format!("a.{extension}");
            let mut counting = vec!["count", "-q", "-k21", "a.fq", "-o", &name];
            counting.extend((!canonical).then_some("--forward"));
            place.ok(&counting);
            let tells = extension != "tsv";
            for (file, wanted) in [("many.fq", all.concat()), ("few.fq", all[2].clone())] {
                let ended = place.ok(&["kmers", "query", &name, "-s", file]);
                assert!(ended.text() == wanted.concat(), "{name} {file} {canonical}");
                assert_eq!(ended.stderr.contains("does not say"), !tells);
            }
            for (file, wanted) in [
                ("many.fq", kept.concat()),
                (
                    "few.fq",
                    match is_kept(&all[2]) {
                        true => few.clone(),
                        false => Vec::new(),
                    },
                ),
            ] {
                let filter = ["kmers", "filter-reads", "-L2", "--fraction=0.5"];
                let ended = place.ok(&[&filter[..], &[&name, file]].concat());
                assert!(ended.stdout == wanted, "{name} {file} {canonical}");
                assert_eq!(ended.stderr.contains("does not say"), !tells);
            }
        }
    }
}

#[test]
fn reads_are_kept_by_their_k_mers() {
    let place = Place::new();
    let (mine, others) = (reads(10, 3000, 100), reads(11, 3000, 100));
    databases(&place, "a", &mine, 21, &["thk"]);
    let mixed: Vec<Read> = mine
        .iter()
        .zip(&others)
        .flat_map(|(a, b)| [a.clone(), b.clone()])
        .collect();
    let text = to_fastq(&mixed);
    place.write("mixed.fq", &text);
    let known = count(&mine, 21, true, 0);
    let has = |read: &Read| {
        let kmers = count(std::slice::from_ref(read), 21, true, 0);
        kmers.keys().any(|kmer| known.contains_key(kmer))
    };
    let records: Vec<&[u8]> = (0..mixed.len())
        .map(|at| records(&text, at, at + 1))
        .collect();
    for (flag, wanted) in [(None, true), (Some("--invert"), false)] {
        let mut arguments = vec!["kmers", "filter-reads", "-t2", "a.thk", "mixed.fq"];
        arguments.extend(flag);
        let expected: Vec<&[u8]> = records
            .iter()
            .zip(&mixed)
            .filter(|(_, read)| has(read) == wanted)
            .map(|(record, _)| *record)
            .collect();
        assert!(!expected.is_empty());
        assert!(
            place.ok(&arguments).stdout == expected.concat(),
            "{arguments:?}"
        );
    }
}

/// Records of both mates by turns.
fn interleave(mates: &[Vec<&[u8]>; 2]) -> Vec<u8> {
    let pairs = mates[0].iter().zip(&mates[1]);
    pairs
        .flat_map(|(first, second)| [*first, *second].concat())
        .collect()
}

#[test]
fn mates_are_kept_or_left_out_as_one() {
    let place = Place::new();
    let (mine, others) = (reads(50, 3000, 400), reads(51, 3000, 400));
    databases(&place, "a", &mine, 21, &["thk"]);
    // All four kinds of pairs.
    let pick = |bit: usize, at: usize| match at >> bit & 1 {
        0 => mine[at].clone(),
        _ => others[at].clone(),
    };
    let mates = [0, 1].map(|bit| (0..400).map(|at| pick(bit, at)).collect::<Vec<Read>>());
    let texts = mates.each_ref().map(|mates| to_fastq(mates));
    place.write("r1.fq", &texts[0]);
    place.write("r2.fq", &texts[1]);
    let known = count(&mine, 21, true, 0);
    let has = |read: &Read| {
        let kmers = count(std::slice::from_ref(read), 21, true, 0);
        kmers.keys().any(|kmer| known.contains_key(kmer))
    };
    let all = texts
        .each_ref()
        .map(|text| (0..400).map(|at| records(text, at, at + 1)).collect());
    place.write("both.fq", interleave(&all));
    let mut seen = std::collections::BTreeSet::new();
    for flags in [&[][..], &["--both"], &["--invert"], &["--both", "--invert"]] {
        let kept = |at: usize| {
            let found = [0, 1].map(|mate| has(&mates[mate][at]));
            let kept = match flags.contains(&"--both") {
                true => found[0] && found[1],
                false => found[0] || found[1],
            };
            kept != flags.contains(&"--invert")
        };
        let expected = all.each_ref().map(|records: &Vec<&[u8]>| {
            let kept = (0..400).filter(|&at| kept(at));
            kept.map(|at| records[at]).collect::<Vec<&[u8]>>()
        });
        assert!(seen.insert(expected[0].len()), "{flags:?} is as another");
        for threads in ["-t1", "-t2"] {
            let filter = [&["kmers", "filter-reads", threads, "a.thk"], flags].concat();
            let run = |rest: &[&str]| place.ok(&[&filter[..], rest].concat());
            let ended = run(&["--mates", "r1.fq", "r2.fq", "-o", "o1.fq", "-O", "o2.fq"]);
            let told = format!("{} of 400 pairs", expected[0].len());
            assert!(ended.stderr.contains(&told), "{}", ended.stderr);
            assert!(place.read("o1.fq") == expected[0].concat(), "{flags:?}");
            assert!(place.read("o2.fq") == expected[1].concat(), "{flags:?}");
            let by_turns = interleave(&expected);
            assert!(run(&["--mates", "r1.fq", "r2.fq"]).stdout == by_turns);
            assert!(run(&["--interleaved", "both.fq"]).stdout == by_turns);
            run(&["--interleaved", "both.fq", "-o", "i1.fq", "-O", "i2.fq"]);
            assert!(place.read("i1.fq") == expected[0].concat());
            assert!(place.read("i2.fq") == expected[1].concat());
        }
    }
}

#[test]
fn mates_that_do_not_match_are_told() {
    let place = Place::new();
    let reads = reads(52, 3000, 30);
    databases(&place, "a", &reads, 21, &["thk"]);
    place.write("r1.fq", to_fastq(&reads));
    place.write("short.fq", to_fastq(&reads[..20]));
    let text = String::from_utf8(to_fastq(&reads)).unwrap();
    place.write("renamed.fq", text.replace("@r7\n", "@other\n"));
    let outputs = ["-o", "o1.fq", "-O", "o2.fq"];
    for (files, code, words) in [
        (
            &["--mates", "r1.fq", "short.fq"][..],
            1,
            &["short.fq has 20 records, but r1.fq has"][..],
        ),
        (
            &["--mates", "short.fq", "r1.fq"],
            1,
            &["short.fq has 20 records, but r1.fq has"],
        ),
        (&["--mates", "r1.fq", "renamed.fq"], 1, &["r7", "other"]),
        (&["--mates", "r1.fq"], 2, &["two files, not 1"]),
        (
            &["--mates", "r1.fq", "r1.fq"],
            2,
            &["given twice as different mates"],
        ),
        (&["r1.fq", "short.fq"], 2, &["-O requires pairs", "--mates"]),
    ] {
        let arguments = [&["kmers", "filter-reads", "a.thk"], files, &outputs].concat();
        place.fails(&arguments, code, words);
    }
    place.fails(
        &["kmers", "filter-reads", "a.thk", "r1.fq", "--both"],
        2,
        &["--both requires pairs"],
    );
    // Of which -o is missing.
    for (files, words) in [
        (
            &["--mates", "r1.fq", "renamed.fq"][..],
            &["requires -o (first mates)"][..],
        ),
        (&["r1.fq", "short.fq"], &["-O requires pairs", "--mates"]),
    ] {
        let arguments = [&["kmers", "filter-reads", "a.thk"], files, &["-O", "o2.fq"]].concat();
        let ended = place.fails(&arguments, 2, words);
        assert!(!ended.stderr.contains("--both"), "{}", ended.stderr);
    }
}

/// Whoever forgets --mates gets files that are out of step: said, as two files may be of single reads.
#[test]
fn files_that_look_like_mates_are_told() {
    let place = Place::new();
    let reads = reads(53, 3000, 30);
    databases(&place, "a", &reads, 21, &["thk"]);
    let text = String::from_utf8(to_fastq(&reads)).unwrap();
    let named = |mate: &str| {
        text.replace('\n', "\r")
            .replace("\r@", "\n@")
            .lines()
            .map(|record| {
                record
                    .replacen('\r', &format!("{mate}\r"), 1)
                    .replace('\r', "\n")
                    + "\n"
            })
            .collect::<String>()
    };
    for (name, text) in [
        ("S_1.fq", text.clone()),
        ("S_2.fq", text.clone()),
        ("lane.fq", text.clone()),
        ("one.fq", named("/1")),
        ("two.fq", named("/2")),
        ("casava1.fq", named(" 1:N:0:A")),
        ("casava2.fq", named(" 2:N:0:A")),
    ] {
        place.write(name, text);
    }
    for (files, is_told) in [
        (&["S_1.fq", "S_2.fq"][..], true),
        (&["one.fq", "two.fq"], true),
        (&["casava1.fq", "casava2.fq"], true),
        (&["one.fq", "one.fq"], false),
        (&["S_1.fq", "lane.fq"], false),
        (&["S_2.fq", "S_1.fq"], false),
        (&["S_1.fq"], false),
        (&["S_1.fq", "S_2.fq", "lane.fq"], false),
        (&["--mates", "S_1.fq", "S_2.fq"], false),
    ] {
        let arguments = [&["kmers", "filter-reads", "a.thk"], files].concat();
        let told = place.ok(&arguments).stderr;
        let says = told.contains("look like mates by their names") && told.contains("--mates");
        assert_eq!(says, is_told, "{files:?}: {told}");
        let told = place.ok(&[&arguments[..], &["-q"]].concat()).stderr;
        assert_eq!(told, "");
    }
}

/// What stands under a compressed name is compressed, and the same text for every number of threads.
#[test]
fn kept_reads_are_compressed_as_their_name_says() {
    let place = Place::new();
    let mine = reads(42, 3000, 400);
    databases(&place, "a", &mine, 21, &["thk"]);
    let mut mixed = reads(43, 3000, 400);
    mixed.extend(mine.into_iter().step_by(2));
    place.write("mixed.fq", to_fastq(&mixed));
    let filter = |threads: &str, output: &str| {
        let arguments = ["kmers", "filter-reads", threads, "a.thk", "mixed.fq", "-o"];
        place.ok(&[&arguments[..], &[output]].concat());
        place.read(output)
    };
    let plain = filter("-t1", "x.fq");
    assert!(plain.len() > 10_000 && plain.starts_with(b"@r"));
    for threads in ["-t1", "-t2"] {
        assert!(filter(threads, "y.fq") == plain);
        let bgzf = filter(threads, "x.fq.gz");
        // A gzip member with the extra field of BGZF.
        assert!(bgzf.starts_with(&[0x1f, 0x8b, 8, 4]) && bgzf[12..14] == *b"BC");
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&bgzf[..])
            .read_to_end(&mut text)
            .unwrap();
        assert!(text == plain, "{threads}");
        assert!(filter(threads, "x.fq.zst").starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
        assert!(place.ok(&["cat", "x.fq.zst"]).stdout == plain);
    }
}

#[test]
fn the_standard_input_is_asked_for_once() {
    let place = Place::new();
    databases(&place, "a", &reads(44, 1500, 50), 21, &["thk"]);
    for arguments in [
        &["filter-reads", "a.thk", "-", "-"][..],
        &["filter-reads", "--mates", "a.thk", "-", "-"],
        &["query", "a.thk", "-", "-"],
        &["query", "a.thk", "-", "-s", "-"],
        &["query", "a.thk", "-s", "-", "-s", "-"],
    ] {
        let arguments = [&["kmers"], arguments].concat();
        place.fails(&arguments, 2, &["the standard input can be read only once"]);
    }
}

#[test]
fn names_of_what_is_not_written_are_refused() {
    let place = Place::new();
    databases(&place, "a", &reads(44, 1500, 50), 21, &["thk"]);
    for (arguments, ending) in [
        (
            &["kmers", "filter-reads", "a.thk", "a.fq", "-o", "x.fq.bz2"][..],
            ".bz2",
        ),
        (
            &["kmers", "filter-reads", "a.thk", "a.fq", "-o", "x.fq.xz"],
            ".xz",
        ),
        (&["kmers", "dump", "a.thk", "-o", "x.tsv.xz"], ".xz"),
        (&["kmers", "dump", "a.thk", "-o", "x.tsv.BZ2"], ".BZ2"),
        (&["kmers", "merge", "a.thk", "-o", "x.jf.gz"], ".gz"),
        (&["count", "-k21", "a.fq", "-o", "x.jf.gz"], ".gz"),
        (
            &["kmers", "filter-reads", "a.thk", "a.fq", "-o", "x.bam"],
            ".bam",
        ),
        (&["count", "-k21", "a.fq", "-o", "x.thk.bz2"], ".bz2"),
    ] {
        let told = format!("output as {ending} is not supported");
        let hint = match ending {
            ".bam" => "thalweg cat - -o FILE.bam",
            _ => "use another ending",
        };
        place.fails(arguments, 2, &[&told, hint]);
    }
    let contradiction = ["kmers", "filter-reads", "-L3", "-U2", "a.thk", "a.fq"];
    place.fails(&contradiction, 2, &["-L 3 is greater than -U 2"]);
    for command in [&["dump", "a.thk"][..], &["merge", "a.thk", "-o", "x.thk"]] {
        let arguments = [&["kmers"], command, &["-L3", "-U2"]].concat();
        place.fails(&arguments, 2, &["-L 3 is greater than -U 2"]);
    }
}

/// By the name that the user gave, not by the temporary one.
#[test]
fn missing_directories_are_named() {
    let place = Place::new();
    let reads = reads(45, 1500, 50);
    databases(&place, "a", &reads, 21, &["thk"]);
    let missing = "No such file or directory (os error 2)\n";
    for (arguments, name) in [
        (
            &["kmers", "filter-reads", "a.thk", "a.fq", "-o", "no/x.fq"][..],
            "no/x.fq",
        ),
        (&["kmers", "dump", "a.thk", "-o", "no/x.tsv"], "no/x.tsv"),
        (&["kmers", "histo", "a.thk", "-o", "no/x"], "no/x"),
        (&["kmers", "merge", "a.thk", "-o", "no/x.thk"], "no/x.thk"),
        (&["count", "-k21", "a.fq", "-o", "no/x.jf"], "no/x.jf"),
        (&["count", "-k21", "a.fq", "-o", "no/x.kmc"], "no/x.kmc"),
        (&["count", "-k21", "a.fq", "-o", "no/x.tsv"], "no/x.tsv"),
        // Directories for temporary files.
        (
            &["count", "-k21", "a.fq", "-o", "x.jf", "--tmp", "no"],
            "no",
        ),
        (
            &["count", "-k21", "a.fq", "-o", "x.thk", "--tmp", "no"],
            "no",
        ),
        (
            &["count", "-k21", "a.fq", "-o-", "--format=thk", "--tmp=no"],
            "no",
        ),
        (
            &["kmers", "merge", "a.thk", "-o-", "--format=jf", "--tmp=no"],
            "no",
        ),
        (&["kmers", "dump", "a.thk", "--tmp", "no"], "no"),
    ] {
        let ended = place.fails(arguments, 2, &[]);
        let told = format!("thalweg: error: {name}: {missing}");
        assert!(
            ended.stderr.starts_with(&told),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
}
