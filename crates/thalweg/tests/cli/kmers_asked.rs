//! What a database is asked: single k-mers, spectra and totals.

use std::collections::BTreeMap;

use crate::count::{count, reads, reverse_complement, to_histo, to_tsv};
use crate::kmers::databases;
use crate::support::{Place, gzip, names_in};

#[test]
fn every_k_mer_is_found() {
    for k in [3, 11, 12, 31, 55] {
        let place = Place::new();
        let reads = reads(k as u64, 1500, 60);
        databases(&place, "a", &reads, k, &["thk", "jf", "kmc", "tsv"]);
        let counts = count(&reads, k, true, 0);
        let list: String = counts.keys().map(|kmer| format!("{kmer}\n")).collect();
        let other_strand: String = counts
            .keys()
            .map(|kmer| String::from_utf8(reverse_complement(kmer.as_bytes())).unwrap() + "\n")
            .collect();
        for name in ["a.thk", "a.jf", "a.kmc", "a.tsv"] {
            let found = place.feed(&["kmers", "query", name, "-"], list.as_bytes());
            assert!(found.text() == to_tsv(&counts), "k = {k}, {name}");
            let found = place.feed(&["kmers", "query", name, "-"], other_strand.as_bytes());
            assert!(
                found.text() == to_tsv(&counts),
                "k = {k}, {name}, other strand"
            );
        }
        let missing = "ACGT".repeat(64)[..k].to_owned();
        if !counts.contains_key(&missing) {
            let found = place.ok(&["kmers", "query", "a.jf", &missing]).text();
            assert!(found.ends_with("\t0\n"), "{found}");
        }
        // All of the reads' own, in their order.
        let found = place.ok(&["kmers", "query", "a.thk", "-s", "a.fq"]).text();
        let total: u64 = counts.values().sum();
        assert_eq!(found.lines().count() as u64, total);
        for line in found.lines() {
            let (kmer, count) = line.split_once('\t').unwrap();
            assert_eq!(counts[kmer].to_string(), count);
        }
    }
}

/// Each batch is looked up by the thread that reads it, and its answers wait for their turn.
#[test]
fn all_threads_answer_in_the_order_of_the_files() {
    let place = Place::new();
    let reads = reads(9, 20_000, 12_000);
    databases(&place, "a", &reads, 21, &["thk", "tsv"]);
    let counts = count(&reads, 21, true, 0);
    let answer = |kmer: &[u8]| -> String {
        let turned = reverse_complement(kmer);
        let stored = String::from_utf8(turned.min(kmer.to_vec())).unwrap();
        format!("{stored}\t{}\n", counts[&stored])
    };
    let windows = reads.iter().flat_map(|(letters, _)| letters.windows(21));
    let windows = windows.map(|window| window.to_ascii_uppercase());
    let windows = windows.filter(|window| window.iter().all(|letter| b"ACGT".contains(letter)));
    let expected: String = windows.map(|window| answer(&window)).collect();
    // Some 256 KiB at a time; and some chunks of an index, of which each thread takes several.
    place.write("a.fq.gz", gzip(&place.read("a.fq")));
    place.write("b.fq.gz", place.read("a.fq.gz"));
    place.ok(&["index", "--span", "200K", "b.fq.gz"]);
    for (database, file) in [
        ("a.thk", "a.fq"),
        ("a.thk", "a.fq.gz"),
        ("a.thk", "b.fq.gz"),
        ("a.tsv", "b.fq.gz"),
    ] {
        for more in [&["-t1"][..], &["-t3"], &["-t4", "--memory", "1k"]] {
            let query = ["kmers", "query", "-q", database, "-s", file];
            let found = place.ok(&[&query[..], more].concat()).text();
            assert!(found == expected, "{database}, {file}, {more:?}");
        }
    }
    // What is wrong is told, however many have looked further.
    let mut cut = place.read("a.fq.gz");
    cut.truncate(cut.len() - 1000);
    place.write("cut.fq.gz", cut);
    let query = [
        "kmers",
        "query",
        "a.thk",
        "-s",
        "cut.fq.gz",
        "-t3",
        "-o",
        "x",
    ];
    place.fails(&query, 1, &["cut.fq.gz"]);
    assert!(!place.path("x").exists());
    let script = "\"$THALWEG\" kmers query a.thk -s a.fq -t3 > /dev/full";
    place.shell(script).expect_failure(2, &["No space left"]);
}

/// A file is no k-mer: it is told how its k-mers are looked up.
#[test]
fn a_file_in_the_place_of_k_mers_is_told() {
    let place = Place::new();
    databases(&place, "a", &reads(3, 1500, 60), 21, &["thk"]);
    place.write("contigs", ">c\nACGT\n");
    for word in ["contigs", "a.fq", "nobody.fa", "there/contigs"] {
        let words = [word, "21 bases", "--sequence FILE", "- < LIST"];
        place.fails(&["kmers", "query", "a.thk", word], 2, &words);
    }
    let ended = place.fails(&["kmers", "query", "a.thk", "ACGU"], 2, &["21 bases"]);
    assert!(!ended.stderr.contains("--sequence"), "{}", ended.stderr);
}

/// A spectrum of text is that of sorted k-mers, as one may come again: with as little memory as it needs, and where it is told.
#[test]
fn text_is_sorted_where_it_is_told_with_the_memory_that_it_is_told() {
    let place = Place::new();
    let letters = |number: usize| -> String {
        let base = |i: usize| b"ACGT"[number >> (2 * i) & 3] as char;
        (0..9).rev().map(base).collect()
    };
    // More than a run has at least, descending; all of them come twice.
    let once = (0..40_000usize)
        .rev()
        .map(|number| (letters(number), number % 5 + 1));
    let text: String = once
        .map(|(kmer, count)| format!("{kmer}\t{count}\n"))
        .collect();
    place.write("a.tsv", text.repeat(2));
    std::fs::create_dir(place.path("tmp")).unwrap();
    let expected = "2 8000\n4 8000\n6 8000\n8 8000\n10 8000\n";
    let little = ["--memory", "1k", "--tmp", "tmp"];
    for more in [&little[..0], &little] {
        let run = |command: &str| place.ok(&[&["kmers", command, "a.tsv"], more].concat());
        assert_eq!(run("histo").text(), expected);
        assert!(run("stats").text().contains("240,000"));
        let verified = run("verify").text();
        assert!(
            verified.contains("240,000 k-mers, 40,000 distinct"),
            "{verified}"
        );
    }
    assert!(names_in(&place.path("tmp")).is_empty());
    for command in ["histo", "stats", "verify"] {
        place.fails(
            &["kmers", command, "a.tsv", "--tmp", "missing"],
            2,
            &["missing"],
        );
        let script =
            format!("ulimit -f 1; exec \"$THALWEG\" kmers {command} a.tsv --memory 1k --tmp tmp");
        place.shell(&script).expect_failure(2, &["tmp", "--tmp"]);
        assert!(names_in(&place.path("tmp")).is_empty());
    }
}

#[test]
fn spectra_totals_and_pictures() {
    let place = Place::new();
    // 40x without errors: a peak to be found.
    let reads = reads(6, 20_000, 8000);
    databases(&place, "a", &reads, 21, &["thk", "jf"]);
    let counts = count(&reads, 21, true, 0);
    for name in ["a.thk", "a.jf"] {
        let histo = place.ok(&["kmers", "histo", name, "--plot", "a.svg"]);
        assert_eq!(histo.text(), to_histo(&counts));
        let picture = String::from_utf8(place.read("a.svg")).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("21-mers"));
        let stats: serde_json::Value =
            serde_json::from_slice(&place.ok(&["kmers", "stats", "--json", name]).stdout).unwrap();
        let stats = &stats["databases"][0];
        assert_eq!(stats["distinct"], counts.len());
        assert_eq!(stats["total"], counts.values().sum::<u64>());
        assert_eq!(stats["max_count"], *counts.values().max().unwrap());
        let size = stats["estimate"]["genome_size"].as_f64().unwrap();
        assert!((18_000.0..22_000.0).contains(&size), "{size}");
        let info: serde_json::Value =
            serde_json::from_slice(&place.ok(&["kmers", "info", "--json", name]).stdout).unwrap();
        assert_eq!(info["databases"][0]["k"], 21);
        assert_eq!(info["databases"][0]["canonical"], true);
        assert_eq!(info["databases"][0]["distinct"], counts.len());
        let text = place.ok(&["kmers", "stats", name]).text();
        assert!(text.contains("genome size"), "{text}");
    }
}

#[test]
fn each_line_is_answered_at_once() {
    let place = Place::new();
    let set = reads(16, 1500, 100);
    databases(&place, "a", &set, 21, &["thk"]);
    let counts = count(&set, 21, true, 0);
    let asked: Vec<&String> = counts.keys().step_by(300).collect();
    let mut lines = String::from("ACGT\n");
    let mut expected = String::new();
    for kmer in &asked {
        let other = reverse_complement(kmer.as_bytes());
        let other = String::from_utf8(other).unwrap();
        lines.push_str(&format!("{kmer}\n{}\n", other.to_lowercase()));
        expected.push_str(&format!("{0}\n{0}\n", counts[*kmer]));
    }
    lines.push_str("ACGTACGTACGTACGTACGTN\nACGTACGTACGTACGTACGTA");
    expected.push_str("0\n");
    for option in ["-i", "--interactive"] {
        let ended = place.feed(&["kmers", "query", "a.thk", option], lines.as_bytes());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.text(), expected);
        let told: Vec<&str> = ended.stderr.lines().collect();
        assert_eq!(
            told,
            ["Invalid mer 'ACGT'", "Invalid mer 'ACGTACGTACGTACGTACGTN'"]
        );
    }
}

#[test]
fn spectra_are_printed_as_they_are_asked_for() {
    let place = Place::new();
    let set = reads(17, 1500, 100);
    databases(&place, "a", &set, 21, &["thk"]);
    let mut bins = BTreeMap::new();
    for count in count(&set, 21, true, 0).into_values() {
        *bins.entry(count).or_insert(0_u64) += 1;
    }
    let json: serde_json::Value =
        serde_json::from_slice(&place.ok(&["kmers", "histo", "--json", "a.thk"]).stdout).unwrap();
    let all: Vec<(u64, u64)> = bins.clone().into_iter().collect();
    assert_eq!(json["histogram"], serde_json::json!(all));
    // Bins of 4 counts up to 20, and what is above.
    let text = place.ok(&[
        "kmers",
        "histo",
        "--full",
        "--increment",
        "4",
        "--high",
        "20",
        "a.thk",
    ]);
    let mut expected: BTreeMap<u64, u64> = (0..=24).step_by(4).map(|bin| (bin, 0)).collect();
    for (count, kmers) in &bins {
        *expected.get_mut(&(count / 4 * 4).min(24)).unwrap() += kmers;
    }
    let lines = expected
        .iter()
        .map(|(count, kmers)| format!("{count} {kmers}\n"));
    assert_eq!(text.text(), lines.collect::<String>());
}
