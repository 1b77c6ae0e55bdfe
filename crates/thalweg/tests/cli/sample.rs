//! `thalweg cat --sample`

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, random};

/// By the words of the guide, all keys at once: the records whose keys are the `count` smallest, in order.
fn drawn(all: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut ranks: Vec<usize> = (0..all).collect();
    ranks.sort_by_key(|&rank| key(seed, rank as u64));
    ranks.truncate(count);
    ranks.sort_unstable();
    ranks
}

fn key(seed: u64, rank: u64) -> u64 {
    let mix = |x: u64| {
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d049bb133111eb);
        x ^ (x >> 31)
    };
    let step = (rank + 1).wrapping_mul(0x9e3779b97f4a7c15);
    mix(mix(seed).wrapping_add(step))
}

/// The records of FASTQ of four lines.
fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut ends = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let mut start = 0;
    let mut records = Vec::new();
    while let Some((end, _)) = ends.nth(3) {
        records.push(&text[start..=end]);
        start = end + 1;
    }
    records
}

fn these(text: &[u8], ranks: &[usize]) -> Vec<u8> {
    let records = split(text);
    ranks
        .iter()
        .flat_map(|&rank| records[rank])
        .copied()
        .collect()
}

const COUNT: usize = 20_000;

/// Reads of 1 to 300 bases.
fn of_any_length(count: usize) -> Vec<u8> {
    let mut next = random(99);
    let mut text = Vec::new();
    for record in 0..count {
        let size = 1 + next(300);
        let bases: Vec<u8> = (0..size).map(|_| b"ACGT"[next(4)]).collect();
        text.extend_from_slice(format!("@v{record}\n").as_bytes());
        text.extend_from_slice(&bases);
        text.extend_from_slice(b"\n+\n");
        text.extend(std::iter::repeat_n(b'F', size));
        text.push(b'\n');
    }
    text
}

fn place_with_inputs(text: &[u8]) -> Place {
    let place = Place::new();
    place.write("plain.fq", text);
    place.write("one.fq.gz", gzip(text));
    place.write("indexed.fq.gz", gzip(text));
    place.write("blocks.fq.gz", bgzf(text));
    place.ok(&["index", "--span", "300k", "indexed.fq.gz"]);
    place
}

const INPUTS: [&str; 4] = ["plain.fq", "one.fq.gz", "indexed.fq.gz", "blocks.fq.gz"];

#[test]
fn a_sample_is_the_smallest_keys_in_the_order_of_the_input() {
    let text = fastq(COUNT);
    let place = place_with_inputs(&text);
    for (size, count) in [
        ("1", 1),
        ("7", 7),
        ("3000", 3000),
        ("19999", 19_999),
        ("20000", COUNT),
        ("0.1", 2000),
        ("33.335%", 6667),
        ("0.00001", 0),
        ("100%", COUNT),
    ] {
        let wanted = these(&text, &drawn(COUNT, count, 11));
        for input in INPUTS {
            for threads in ["1", "2", "5"] {
                let ended = place.ok(&["cat", "--sample", size, "-t", threads, input]);
                assert!(
                    ended.stdout == wanted,
                    "{size} of {input}, {threads} threads"
                );
                let told = format!(
                    "{} of 20,000 reads; seed 11\n",
                    crate::support::thousands(count)
                );
                assert!(ended.stderr.ends_with(&told), "{}", ended.stderr);
            }
        }
        let ended = place.feed(&["cat", "-q", "--sample", size, "-"], &gzip(&text));
        assert!(ended.stdout == wanted && ended.stderr.is_empty(), "{size}");
    }
}

#[test]
fn a_seed_draws_others_and_samples_are_nested() {
    let text = fastq(5000);
    let place = place_with_inputs(&text);
    let of = |size: &str, seed: &str| {
        place
            .ok(&["cat", "--sample", size, "--seed", seed, "one.fq.gz"])
            .stdout
    };
    let (small, large) = (of("500", "3"), of("0.3", "3"));
    assert!(small == these(&text, &drawn(5000, 500, 3)));
    let large = split(&large);
    assert_eq!(large.len(), 1500);
    assert!(split(&small).iter().all(|record| large.contains(record)));
    assert!(of("500", "4") != small);
    assert!(of("500", "18446744073709551615") == these(&text, &drawn(5000, 500, u64::MAX)));
}

#[test]
fn mates_are_drawn_together() {
    let texts = ["/1", "/2"].map(|end| fastq_with(6000, end));
    let place = Place::new();
    for (number, text) in texts.iter().enumerate() {
        place.write(&format!("{number}.fq"), text);
        place.write(&format!("{number}.fq.gz"), gzip(text));
        place.write(&format!("i{number}.fq.gz"), gzip(text));
        place.ok(&["index", "-q", "--span", "200k", &format!("i{number}.fq.gz")]);
    }
    let [first, second] = texts.each_ref().map(|text| split(text));
    let pairs: Vec<u8> = first
        .iter()
        .zip(&second)
        .flat_map(|(a, b)| [*a, *b].concat())
        .collect();
    place.write("pairs.fq", &pairs);
    place.write("pairs.fq.gz", gzip(&pairs));
    let ranks = drawn(6000, 1000, 11);
    let [one, two] = texts.each_ref().map(|text| these(text, &ranks));
    let both: Vec<usize> = ranks
        .iter()
        .flat_map(|rank| [2 * rank, 2 * rank + 1])
        .collect();
    let both = these(&pairs, &both);
    for files in [
        &["--mates", "0.fq", "1.fq"][..],
        &["--mates", "0.fq.gz", "1.fq.gz"],
        &["--mates", "i0.fq.gz", "i1.fq.gz"],
        &["--mates", "i0.fq.gz", "1.fq"],
        &["--interleaved", "pairs.fq"],
        &["--interleaved", "pairs.fq.gz"],
    ] {
        for threads in ["1", "3"] {
            let sample = ["cat", "-t", threads, "--sample", "1000"];
            let ended = place.ok(&[&sample, files].concat());
            assert!(ended.stdout == both, "{files:?}");
            assert!(
                ended.stderr.contains("1,000 of 6,000 pairs"),
                "{}",
                ended.stderr
            );
            place.ok(&[&sample, files, &["-o", "a.fq", "-O", "b.fq.gz"]].concat());
            assert!(place.read("a.fq") == one, "{files:?}");
            assert!(place.ok(&["cat", "b.fq.gz"]).stdout == two, "{files:?}");
        }
    }
    // Alone, each file gives the same.
    assert!(place.ok(&["cat", "--sample", "1000", "1.fq"]).stdout == two);
    place.write("odd.fq", fastq_with(5999, "/2"));
    let unequal = [
        "cat", "--sample", "10", "--mates", "0.fq", "odd.fq", "-o", "x.fq",
    ];
    place.fails(&unequal, 1, &["odd.fq"]);
    let others = [
        "cat", "--sample", "10", "--mates", "0.fq", "0.fq.gz", "-o", "x.fq",
    ];
    place.ok(&others);
    std::fs::remove_file(place.path("x.fq")).unwrap();
    place.write(
        "other.fq",
        String::from_utf8(fastq_with(6000, "/2"))
            .unwrap()
            .replace("@r77/", "@q77/"),
    );
    let disagree = [
        "cat", "--sample", "10", "--mates", "0.fq", "other.fq", "-o", "x.fq",
    ];
    place.fails(&disagree, 1, &["q77"]);
    assert!(!place.path("x.fq").exists());
}

/// Of bases, keys are taken until there are enough.
#[test]
fn a_depth_is_reached_by_the_smallest_keys() {
    let text = of_any_length(9000);
    let place = place_with_inputs(&text);
    let records = split(&text);
    let bases = |rank: usize| {
        records[rank]
            .split(|&byte| byte == b'\n')
            .nth(1)
            .unwrap()
            .len()
    };
    let all: usize = (0..9000).map(bases).sum();
    for (asked, options) in [
        (1, &["--sample", "1b"][..]),
        (60_000, &["--sample", "60kb"]),
        (93_000, &["--sample", "3x", "--genome-size", "31k"]),
        (700_000, &["--sample", "0.7Mbp"]),
    ] {
        let mut ranks: Vec<usize> = (0..9000).collect();
        ranks.sort_by_key(|&rank| key(5, rank as u64));
        let mut sum = 0;
        ranks.retain(|&rank| {
            let lacks = sum < asked;
            sum += if lacks { bases(rank) } else { 0 };
            lacks
        });
        ranks.sort_unstable();
        let wanted = these(&text, &ranks);
        for input in INPUTS {
            for threads in ["1", "4"] {
                let command = ["cat", "--seed", "5", "-t", threads, input];
                let ended = place.ok(&[&command, options].concat());
                assert!(ended.stdout == wanted, "{options:?} of {input}");
                assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
            }
        }
    }
    let ended = place.ok(&["cat", "--sample", "1Gb", "one.fq.gz"]);
    assert!(ended.stdout == text);
    let told = format!(
        "only {} bases available (1,000,000,000 requested): all",
        crate::support::thousands(all)
    );
    assert!(ended.stderr.contains(&told), "{}", ended.stderr);
}

/// What waits beyond the memory allowed is in a file without a name.
#[test]
fn little_memory_makes_no_difference() {
    let text = of_any_length(30_000);
    let place = place_with_inputs(&text);
    let wanted = these(&text, &drawn(30_000, 12_000, 11));
    for input in ["plain.fq", "one.fq.gz", "blocks.fq.gz"] {
        for size in ["12000", "0.4"] {
            let memory = [
                "cat", "--memory", "100k", "-t", "3", "--sample", size, input,
            ];
            assert!(place.ok(&memory).stdout == wanted, "{size} of {input}");
            place.ok(&[&memory[..], &["-o", "x.fq.gz"]].concat());
            assert!(
                place.ok(&["cat", "x.fq.gz"]).stdout == wanted,
                "{size} of {input}"
            );
        }
    }
    let bases: usize = text.len() / 5;
    let size = format!("{bases}b");
    let of = |memory| {
        place
            .ok(&["cat", "--memory", memory, "--sample", &size, "one.fq.gz"])
            .stdout
    };
    assert!(of("100k") == of("1G"));
    let mut command = place.command(&["cat", "--memory", "100k", "--sample", "12000", "one.fq.gz"]);
    command.env("TMPDIR", place.path("nowhere"));
    crate::support::ended(command)
        .expect_failure(2, &["nowhere", "temporary files", "TMPDIR", "--memory"]);
}

#[test]
fn files_behind_one_another_are_one_input() {
    let text = fastq(COUNT);
    let (a, b) = text.split_at(these(&text, &(0..7000).collect::<Vec<_>>()).len());
    let place = Place::new();
    place.write("a.fq", a);
    place.write("b.fq", &b[..b.len() - 1]);
    place.write("a.fq.gz", gzip(a));
    place.write("b.fq.gz", bgzf(b));
    for name in ["a.fq.gz", "b.fq.gz"] {
        place.ok(&["index", "-q", "--span", "300k", name]);
    }
    let wanted = these(&text, &drawn(COUNT, 5000, 11));
    for files in [
        ["a.fq", "b.fq"],
        ["a.fq.gz", "b.fq.gz"],
        ["a.fq.gz", "b.fq"],
    ] {
        let ended = place.ok(&[&["cat", "--sample", "5000"], &files[..]].concat());
        assert!(ended.stdout == wanted, "{files:?}");
    }
}

#[test]
fn shards_of_a_sample_are_the_sample() {
    let text = fastq(COUNT);
    let place = place_with_inputs(&text);
    let wanted = these(&text, &drawn(COUNT, 5000, 11));
    let shard = |which: &str| {
        place
            .ok(&["cat", "--sample", "25%", "--shard", which, "indexed.fq.gz"])
            .stdout
    };
    assert!(["1/3", "2/3", "3/3"].map(shard).concat() == wanted);
    let of_none = ["cat", "--sample", "10", "--shard", "1/2", "plain.fq"];
    place.fails(&of_none, 2, &["--sample with --shard", "index"]);
    let two = [
        "cat",
        "--sample",
        "10",
        "--shard",
        "1/2",
        "indexed.fq.gz",
        "plain.fq",
    ];
    place.fails(&two, 2, &["one file"]);
    let bases = ["cat", "--sample", "10kb", "--shard", "1/2", "indexed.fq.gz"];
    place.fails(&bases, 2, &["bases"]);
}

#[test]
fn more_than_there_is_is_all_with_a_warning() {
    let text = fastq(300);
    let place = place_with_inputs(&text);
    for input in INPUTS {
        let ended = place.ok(&["cat", "-q", "--sample", "1k", input]);
        assert!(ended.stdout == text, "{input}");
        assert_eq!(
            ended.stderr,
            "thalweg: warning: only 300 reads available (1,000 requested): all are written\n"
        );
    }
    place.write("none.fq", "");
    let ended = place.ok(&["cat", "--sample", "5", "none.fq", "-o", "x.fq.gz"]);
    assert!(ended.stderr.contains("only 0 reads"), "{}", ended.stderr);
    assert!(place.ok(&["cat", "x.fq.gz"]).stdout.is_empty());
    assert!(
        place
            .ok(&["cat", "--sample", "0.5", "none.fq"])
            .stdout
            .is_empty()
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = place_with_inputs(&fastq(300));
    let input = "one.fq.gz";
    for (options, words) in [
        (&["--sample", "0"][..], &["0"][..]),
        (&["--sample", "0.0"], &["fraction"]),
        (&["--sample", "1.5"], &["at most 1"]),
        (&["--sample", "-3"], &["-3"]),
        (&["--sample", "some"], &["number of reads"]),
        (&["--sample", "30x"], &["--genome-size"]),
        (
            &["--sample", "30", "--genome-size", "5M"],
            &["--genome-size"],
        ),
        (&["--seed", "3"], &["--sample"]),
        (&["--sample", "3", "--seed", "-1"], &["-1"]),
        (&["--sample", "3", "--records", "0..9"], &["--records"]),
        (&["--sample", "3", "--parts", "2"], &["--parts"]),
        (&["--sample", "3", "-O", "b.fq", "-o", "a.fq"], &["mates"]),
        (&["--sample", "3", "-o", "a.bam"], &["BAM"]),
        (
            &["--sample", "3", "-o", "one.fq.gz"],
            &["one.fq.gz", "input"],
        ),
        (&["--sample", "3", "-o", "a.fq.bz2"], &["bz2"]),
        (&["--sample", "3", "-o", "no/a.fq"], &["no/a.fq"]),
        (
            &["--sample", "3", "-o", "/dev/full"],
            &["/dev/full", "No space"],
        ),
    ] {
        place.refuses(&[&["cat", input], options].concat(), words);
    }
    assert_eq!(place.names().len(), 5);
    // A damaged file gives no sample.
    let mut damaged = gzip(&fastq(3000));
    let at = damaged.len() / 2;
    damaged.truncate(at);
    place.write("cut.fq.gz", damaged);
    place.fails(
        &["cat", "--sample", "3", "cut.fq.gz", "-o", "x.fq"],
        1,
        &["cut.fq.gz"],
    );
    assert!(!place.path("x.fq").exists());
}

/// What is not done at once is told how to do one after the other; and so it works.
#[test]
fn two_choices_are_made_one_after_the_other() {
    let place = Place::new();
    place.write("a.fq", fastq(100));
    for (words, told) in [
        (
            &["--sample", "10", "--parts", "2"][..],
            "--records-per-part N -",
        ),
        (
            &["--sample", "10", "--records-per-part", "2"],
            "--records-per-part N -",
        ),
        (&["--names", "x", "--parts", "2"], "--records-per-part N -"),
        (
            &["--sample", "10", "--names", "x"],
            "--names LIST FILE | thalweg cat --sample N -",
        ),
        (&["--names", "x", "--grep", "ACGT"], "--names LIST FILE | "),
    ] {
        let ended = place.run(&[&["cat", "a.fq", "-o", "b_{}.fq"], words].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains("\nhint: "), "{}", ended.stderr);
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    let ended = place.shell(
        "$THALWEG cat -q --sample 10 a.fq | $THALWEG cat -q --records-per-part 4 - -o 'part_{}.fq'; cat part_00?.fq | grep -c @r",
    );
    assert_eq!(ended.text(), "10\n", "{}", ended.stderr);
}
