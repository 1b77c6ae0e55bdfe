//! `qc --remove`: reads of what is not wanted, compared with `kmers filter-reads`, and with a set of k-mers.

use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::symlink;

use crate::bam_file::of_fastq;
use crate::extent::{is_all, one_of};
use crate::support::{Place, bgzf, gzip, random, with_databases};

const PHIX: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/databases/phix.fa"
));

const ADAPTER: &[u8] = b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCG";

fn turned(bases: &[u8]) -> Vec<u8> {
    let other = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    bases.iter().rev().map(other).collect()
}

fn bases(next: &mut impl FnMut(usize) -> usize, count: usize) -> Vec<u8> {
    (0..count).map(|_| b"ACGT"[next(4)]).collect()
}

/// Reads of both ends of a fragment, `length` bases of which one in so many is wrong; behind a short fragment comes an adapter.
fn sequenced(
    next: &mut impl FnMut(usize) -> usize,
    fragment: &[u8],
    length: usize,
    right: usize,
) -> [Vec<u8>; 2] {
    [fragment.to_vec(), turned(fragment)].map(|strand| {
        let mut read = [&strand, ADAPTER, &[b'G'; 200]].concat();
        read.truncate(length);
        for base in &mut read {
            if next(right) == 0 {
                *base = b"ACGT"[next(4)];
            }
        }
        read
    })
}

/// FASTQ of mates whose names begin with where they are from.
fn fastq(pairs: &[(&str, [Vec<u8>; 2])]) -> [Vec<u8>; 2] {
    [0, 1].map(|mate| {
        let mut text = Vec::new();
        for (number, (from, mates)) in pairs.iter().enumerate() {
            let read = &mates[mate];
            text.extend(format!("@{from}:{number}/{}\n", mate + 1).bytes());
            text.extend_from_slice(read);
            text.extend_from_slice(b"\n+\n");
            text.extend(vec![b'I'; read.len()]);
            text.push(b'\n');
        }
        text
    })
}

/// Names, as far as a blank or a slash, and bases.
fn records(text: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let record = |lines: &[&str]| {
        let name = lines[0][1..].split([' ', '/']).next().unwrap();
        (name.to_owned(), lines[1].to_owned())
    };
    lines.chunks_exact(4).map(record).collect()
}

fn names(text: &[u8]) -> Vec<String> {
    records(text).into_iter().map(|(name, _)| name).collect()
}

fn report(place: &Place) -> serde_json::Value {
    serde_json::from_slice(&place.read("fastp.json")).unwrap()
}

/// Fragments of two genomes by turns, some shorter than the reads: half a place of what is to stay, half of what is to go.
fn mixture(place: &Place, pairs: usize) -> Vec<(&'static str, [Vec<u8>; 2])> {
    let mut next = random(77);
    let host = bases(&mut next, 20_000);
    let kept = bases(&mut next, 20_000);
    place.write("host.fa", [b">host\n", &host[..], b"\n"].concat());
    let mut all = Vec::new();
    for number in 0..pairs {
        let (from, genome) = match number % 3 {
            0 => ("host", &host),
            _ => ("kept", &kept),
        };
        let at = next(genome.len() - 400);
        let length = [60, 90, 150, 390][next(4)];
        let mut fragment = genome[at..at + length].to_vec();
        if number % 2 == 0 {
            fragment = turned(&fragment);
        }
        let [mut first, mut second] = sequenced(&mut next, &fragment, 100, 30);
        match number % 30 {
            // One mate is of the other genome, or too bad to be kept.
            4 => first = host[at..at + 100].to_vec(),
            7 => second = turned(&host[at..at + 100]),
            15 => second = vec![b'N'; 100],
            _ => {}
        }
        all.push((from, [first, second]));
    }
    let [r1, r2] = fastq(&all);
    place.write("r1.fq", &r1);
    place.write("r2.fq", &r2);
    all
}

#[test]
fn all_of_phix_goes_and_nothing_else() {
    let place = Place::new();
    let genome: Vec<u8> = PHIX.lines().skip(1).collect::<String>().into_bytes();
    // A circle: fragments run across its end.
    let circle = [&genome[..], &genome[..600]].concat();
    let mut next = random(20);
    let mut pairs = Vec::new();
    for number in 0..3000 {
        let length = 120 + next(400);
        let fragment = match number % 4 {
            0 => ("other", bases(&mut next, length)),
            // Of the end and the beginning, some of them.
            1 => {
                let at = genome.len() - 1 - next(length - 1);
                ("phix", circle[at..at + length].to_vec())
            }
            _ => {
                let at = next(genome.len());
                ("phix", circle[at..at + length].to_vec())
            }
        };
        let fragment = match number % 2 {
            0 => fragment,
            _ => (fragment.0, turned(&fragment.1)),
        };
        // One base in two hundred is another one.
        let mates = sequenced(&mut next, &fragment.1, 150, 150);
        pairs.push((fragment.0, mates));
    }
    let [r1, r2] = fastq(&pairs);
    place.write("r1.fq", &r1);
    place.write("r2.fq.gz", gzip(&r2));
    let reports = ["-j", "fastp.json", "-h", "fastp.html"];
    let usual = ["--remove", "phix", "-o", "o1.fq", "--failed_out", "f.fq"];
    for files in [&["r1.fq"][..], &["r1.fq", "r2.fq.gz", "-O", "o2.fq"]] {
        let ended = place.ok(&[&["qc"], files, &usual, &reports].concat());
        let mates = files.len().div_ceil(2);
        let left = names(&place.read("o1.fq"));
        assert_eq!(left.len(), 750);
        assert!(left.iter().all(|name| name.starts_with("other")));
        let removed = 2250 * mates;
        let failed = String::from_utf8(place.read("f.fq")).unwrap();
        assert_eq!(failed.matches(" failed_contaminated\n").count(), removed);
        let report = report(&place);
        assert_eq!(report["filtering_result"]["contaminated_reads"], removed);
        assert_eq!(
            report["filtering_result"]["passed_filter_reads"],
            750 * mates
        );
        let wanted = serde_json::json!({
            "least_kmers": 1,
            "least_fraction": 0,
            "each": [{"name": "phix", "k": 31, "removed_reads": removed}],
        });
        assert_eq!(report["contaminants"], wanted);
        let told = crate::support::thousands(removed);
        for words in [
            format!("{told} contaminated"),
            format!("{told} reads removed that match phix"),
        ] {
            assert!(ended.stderr.contains(&words), "{}", ended.stderr);
        }
        let page = String::from_utf8(place.read("fastp.html")).unwrap();
        assert!(page.contains("Contaminated") && page.contains("phix (31-mers)"));
        assert!(page.contains(&told));
    }
    // Nothing is told of it where nobody asks.
    place.ok(&[&["qc", "r1.fq", "-o", "o1.fq"][..], &reports].concat());
    assert_eq!(records(&place.read("o1.fq")).len(), 3000);
    assert!(report(&place).get("contaminants").is_none());
    assert!(
        report(&place)["filtering_result"]
            .get("contaminated_reads")
            .is_none()
    );
    let page = String::from_utf8(place.read("fastp.html")).unwrap();
    assert!(!page.contains("ontamina"));
}

#[test]
fn what_is_left_is_what_filter_reads_leaves_of_cleaned_reads() {
    let place = Place::new();
    mixture(&place, 900);
    let cleaning = ["-a", "AGATCGGAAGAGC", "-f", "3", "--cut_right", "-g"];
    let quiet = ["--quiet", "--no_report"];
    let qc = |rest: &[&str]| place.ok(&[&["qc"], &cleaning[..], &quiet, rest].concat());
    qc(&["r1.fq", "-o", "c.fq"]);
    qc(&["r1.fq", "r2.fq", "-o", "c1.fq", "-O", "c2.fq"]);
    let text = place.read("r1.fq");
    place.write("r1.fq.gz", gzip(&text));
    place.write("r1.bam", bgzf(&of_fastq(&text, 200)));
    let ways = ["r1.fq", "r1.fq.gz"].map(|input| ["1", "2", "3"].map(|threads| (input, threads)));
    let mut turn = 0;
    for (k, strands) in [("13", ""), ("31", ""), ("31", "--forward"), ("61", "")] {
        for extension in ["thk", "jf", "tsv"] {
            let database = format!("a{k}{strands}.{extension}");
            let mut count = vec!["count", "-q", "-k", k, "host.fa", "-o", &database];
            count.extend((!strands.is_empty()).then_some(strands));
            place.ok(&count);
            for fraction in ["0", "0.01", "0.5", "1"] {
                let filter = [
                    "kmers",
                    "filter-reads",
                    "-q",
                    "--invert",
                    "--fraction",
                    fraction,
                ];
                let filtered =
                    |rest: &[&str]| place.ok(&[&filter[..], &[&database], rest].concat()).stdout;
                let wanted = filtered(&["c.fq"]);
                let asked = match fraction {
                    "0" => vec!["--remove", &database],
                    _ => vec!["--remove", &database, "--remove-fraction", fraction],
                };
                // Five has no divisor in common with the numbers of databases and of ways.
                turn += 5;
                for (input, threads) in one_of(turn, ways.as_flattened()) {
                    qc(&[&asked[..], &[input, "-o", "o.fq", "-w", threads]].concat());
                    let what = format!("{database} {fraction} {input} {threads}");
                    assert!(place.read("o.fq") == wanted, "{what}");
                }
                // Mates in a BAM file have no slash.
                if is_all() || turn % 2 == 0 {
                    qc(&[&asked[..], &["r1.bam", "-o", "o.fq"]].concat());
                    assert_eq!(records(&place.read("o.fq")), records(&wanted), "{database}");
                }
                // Of pairs, one k-mer of either is one of both.
                if fraction == "0" {
                    let wanted = filtered(&["--mates", "c1.fq", "c2.fq"]);
                    for threads in ["1", "2"] {
                        let outputs = ["r1.fq", "r2.fq", "-w", threads, "--stdout"];
                        let left = qc(&[&asked[..], &outputs].concat()).stdout;
                        assert!(left == wanted, "{database} {threads}");
                    }
                }
            }
        }
    }
}

/// k-mers of both strands, and how many of a read are among them.
struct Known(HashSet<Vec<u8>>, usize);

impl Known {
    fn of(fasta: &[u8], k: usize) -> Self {
        let genome = fasta.split(|&byte| byte == b'\n').nth(1).unwrap();
        let both = [genome.to_vec(), turned(genome)];
        let windows = both.iter().flat_map(|strand| strand.windows(k));
        Self(windows.map(<[u8]>::to_vec).collect(), k)
    }

    fn found_and_all(&self, reads: &[&String]) -> (usize, usize) {
        let windows = reads
            .iter()
            .flat_map(|read| read.as_bytes().windows(self.1));
        let whole = windows.filter(|window| !window.contains(&b'N'));
        let (mut found, mut all) = (0, 0);
        for window in whole {
            all += 1;
            found += usize::from(self.0.contains(window));
        }
        (found, all)
    }
}

#[test]
fn k_mers_of_both_mates_are_counted_together() {
    let place = Place::new();
    let pairs = mixture(&place, 900);
    place.ok(&["count", "-q", "-k21", "host.fa", "-o", "host.thk"]);
    let known = Known::of(&place.read("host.fa"), 21);
    let outputs = ["-o", "o1.fq", "-O", "o2.fq", "--failed_out", "f.fq"];
    let quiet = ["--quiet", "-Q", "-L", "-A"];
    let mut seen = HashSet::new();
    let mut check = |asked: &[&str], is_enough: &dyn Fn(usize, usize) -> bool| {
        let line = [
            &["qc", "r1.fq", "r2.fq", "--remove", "host.thk"],
            asked,
            &outputs,
            &quiet,
        ]
        .concat();
        place.ok(&line);
        let (mut left, mut gone) = (Vec::new(), Vec::new());
        for (number, (from, mates)) in pairs.iter().enumerate() {
            let mates = mates.clone().map(|mate| String::from_utf8(mate).unwrap());
            let (found, all) = known.found_and_all(&[&mates[0], &mates[1]]);
            let name = format!("{from}:{number}");
            match is_enough(found, all) {
                true => gone.extend([name.clone(), name]),
                false => left.push(name),
            }
        }
        assert_eq!(names(&place.read("o1.fq")), left, "{asked:?}");
        assert_eq!(names(&place.read("o2.fq")), left, "{asked:?}");
        assert_eq!(names(&place.read("f.fq")), gone, "{asked:?}");
        let contaminated = &report(&place)["filtering_result"]["contaminated_reads"];
        assert_eq!(*contaminated, gone.len(), "{asked:?}");
        assert!(seen.insert(gone.len()), "{asked:?} is as another");
    };
    check(&[], &|found, _| found >= 1);
    for least in ["30", "90", "130"] {
        let number: usize = least.parse().unwrap();
        check(&["--remove-min", least], &|found, _| found >= number);
    }
    for fraction in ["0.1", "0.6", "1"] {
        let share: f64 = fraction.parse().unwrap();
        check(&["--remove_fraction", fraction], &|found, all| {
            found > 0 && found as f64 >= share * all as f64
        });
    }
}

/// The pairs that go are the same; what is merged of the others is as if they had never been there.
#[test]
fn merging_takes_what_is_left() {
    let place = Place::new();
    mixture(&place, 900);
    place.ok(&["count", "-q", "-k21", "host.fa", "-o", "host.thk"]);
    let remove = ["--remove", "host.thk"];
    // Of merged pairs, bases are corrected before.
    place.ok(&[
        &[
            "qc",
            "r1.fq",
            "r2.fq",
            "-c",
            "-o",
            "o1.fq",
            "-O",
            "o2.fq",
            "--failed_out",
            "f.fq",
        ],
        &remove[..],
    ]
    .concat());
    let failed = String::from_utf8(place.read("f.fq")).unwrap();
    let gone: HashSet<String> = (failed.lines())
        .filter(|line| line.ends_with(" failed_contaminated"))
        .map(|line| line[1..].split('/').next().unwrap().to_owned())
        .collect();
    assert!(gone.len() > 250, "{}", gone.len());
    let files = ["m.fq", "o1.fq", "o2.fq", "u1.fq", "u2.fq", "v.fq"];
    for more in [
        "-o o1.fq -O o2.fq --unpaired1 u1.fq --unpaired2 u2.fq --overlapped_out v.fq",
        "--include_unmerged --dedup",
    ] {
        let line = format!("qc -m r1.fq r2.fq --merged_out m.fq {more}");
        let line: Vec<&str> = line.split(' ').collect();
        let written: Vec<&str> = files
            .into_iter()
            .filter(|file| line.contains(file))
            .collect();
        place.ok(&line);
        let all: BTreeMap<&str, Vec<(String, String)>> = (written.iter())
            .map(|&file| (file, records(&place.read(file))))
            .collect();
        for threads in ["-w1", "-w3"] {
            place.ok(&[&line[..], &remove, &[threads]].concat());
            for file in &written {
                let expected: Vec<_> = (all[file].iter())
                    .filter(|(name, _)| !gone.contains(name))
                    .cloned()
                    .collect();
                assert_eq!(records(&place.read(file)), expected, "{file} {line:?}");
            }
            let report = report(&place);
            let contaminated = &report["filtering_result"]["contaminated_reads"];
            assert_eq!(*contaminated, 2 * gone.len());
        }
        assert!(all["m.fq"].iter().any(|(name, _)| gone.contains(name)));
    }
}

#[test]
fn each_of_several_is_told() {
    let place = Place::new();
    let mut next = random(5);
    let genomes = [0, 1].map(|_| bases(&mut next, 3000));
    for (name, genome) in ["a", "b"].iter().zip(&genomes) {
        let fasta = format!("{name}.fa");
        place.write(&fasta, [b">g\n", &genome[..], b"\n"].concat());
        let (k, database) = (
            if *name == "a" { "15" } else { "40" },
            format!("{name}.thk"),
        );
        place.ok(&["count", "-q", "-k", k, &fasta, "-o", &database]);
    }
    std::fs::create_dir(place.path("dir")).unwrap();
    std::fs::rename(place.path("b.thk"), place.path("dir/b.thk")).unwrap();
    let mut pairs = Vec::new();
    for number in 0..400 {
        let at = next(2800);
        let part = |which: usize| genomes[which][at..at + 90].to_vec();
        pairs.push(match number % 8 {
            0 => ("a", [part(0), bases(&mut next, 90)]),
            1 | 2 => ("b", [bases(&mut next, 90), part(1)]),
            // The first that is named counts.
            3 => ("both", [part(1), part(0)]),
            _ => ("none", [bases(&mut next, 90), bases(&mut next, 90)]),
        });
    }
    let [r1, r2] = fastq(&pairs);
    place.write("r1.fq", &r1);
    place.write("r2.fq", &r2);
    let line = "qc r1.fq r2.fq -o o1.fq -O o2.fq --remove a.thk --remove dir/b.thk --remove phix --trace t.jsonl";
    let ended = place.ok(&line.split(' ').collect::<Vec<_>>());
    assert!(
        names(&place.read("o2.fq"))
            .iter()
            .all(|name| name.starts_with("none"))
    );
    let each = serde_json::json!([
        {"name": "a.thk", "k": 15, "removed_reads": 200},
        {"name": "b.thk", "k": 40, "removed_reads": 200},
        {"name": "phix", "k": 31, "removed_reads": 0},
    ]);
    assert_eq!(report(&place)["contaminants"]["each"], each);
    for words in [
        "400 contaminated",
        "200 reads removed that match a.thk",
        "200 reads removed that match b.thk",
        "0 reads removed that match phix",
    ] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let trace = String::from_utf8(place.read("t.jsonl")).unwrap();
    assert_eq!(trace.matches("failed_contaminated").count(), 400);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let place = with_databases();
    let mut next = random(9);
    let long = [b">l\n", &bases(&mut next, 300)[..], b"\n"].concat();
    place.write("long.fa", long);
    place.ok(&["count", "-q", "-k101", "long.fa", "-o", "long.thk"]);
    let damaged = place.read("a.thk");
    place.write("cut.thk", &damaged[..damaged.len() / 2]);
    let output = ["-o", "o.fq", "--no_report"];
    for (arguments, code, words) in [
        (
            &["--remove", "a.fq"][..],
            2,
            &["a.fq", "FASTQ", "thalweg count"][..],
        ),
        (&["--remove", "cut.thk"], 1, &["cut.thk", "damaged"]),
        (
            &["--remove", "absent.thk"],
            2,
            &["absent.thk", "No such file"],
        ),
        (&["--remove", "PHIX"], 2, &["PHIX", "No such file"]),
        (
            &["--remove", "phix", "--remove", "long.thk"],
            2,
            &["long.thk", "101 bases", "more than 100", "-k K"],
        ),
        (
            &["--fastp-compat", "--remove", "phix"],
            2,
            &["--remove", "fastp", "thalweg qc"],
        ),
        (
            &["--fastp-compat=0.23", "--remove", "a.thk"],
            2,
            &["--remove", "fastp", "thalweg qc"],
        ),
    ] {
        let files = ["qc", "-i", "a.fq"];
        let line = [&files[..], &output, arguments].concat();
        place.fails(&line, code, words);
    }
    for (arguments, words) in [
        (&["--remove-min", "2"][..], &["--remove"][..]),
        (&["--remove-fraction", "0.5"], &["--remove"]),
        (
            &[
                "--remove",
                "phix",
                "--remove-min",
                "2",
                "--remove-fraction",
                "0.5",
            ],
            &["--remove-min", "--remove-fraction"],
        ),
        (
            &["--remove", "phix", "--remove-min", "0"],
            &["--remove-min"],
        ),
        (&["--remove", "phix", "--remove-min", "-1"], &["-1"]),
        (&["--remove", "phix", "--remove-min", "1.5"], &["1.5"]),
        (
            &["--remove", "phix", "--remove-fraction", "0"],
            &["--remove-fraction", "above 0"],
        ),
        (
            &["--remove", "phix", "--remove-fraction", "1.01"],
            &["--remove-fraction", "not above 1"],
        ),
        (
            &["--remove", "phix", "--remove-fraction", "nan"],
            &["--remove-fraction"],
        ),
        (&["--remove"], &["--remove"]),
    ] {
        let line = [&["qc", "a.fq"], &output[..], arguments].concat();
        place.refuses(&line, words);
    }
    // A database is an input like others.
    let before = place.read("a.thk");
    for arguments in [
        ["-o", "a.thk"],
        ["-j", "a.thk"],
        ["-h", "a.thk"],
        ["--failed_out", "a.thk"],
    ] {
        let line = [&["qc", "a.fq", "--remove", "a.thk"], &arguments[..]].concat();
        let ended = place.run(&line);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(place.read("a.thk") == before, "{arguments:?}");
    }
    // Under fastp's name.
    let ended = place.shell("./fastp -i a.fq -o o.fq --remove phix");
    ended.expect_failure(2, &["--remove", "thalweg qc"]);
    // A file of the name that is built in.
    symlink(place.path("a.thk"), place.path("phix")).unwrap();
    let line = ["qc", "a.fq", "--remove", "./phix", "-o", "o.fq"];
    place.ok(&[&line[..], &["-j", "fastp.json"]].concat());
    assert_eq!(report(&place)["contaminants"]["each"][0]["k"], 21);
    assert_eq!(
        report(&place)["filtering_result"]["contaminated_reads"],
        300
    );
    // No reads are none that are too short.
    place.write("empty.fq", "");
    place.ok(&["qc", "empty.fq", "--remove", "long.thk", "-o", "o.fq"]);
    assert_eq!(place.read("o.fq"), b"");
}

/// What does not fit is looked up in its file, if it can be; the result is the same.
#[test]
fn memory_is_shared_with_what_is_loaded() {
    let place = Place::new();
    let mut next = random(15);
    let genome = bases(&mut next, 600_000);
    place.write("g.fa", [b">g\n", &genome[..], b"\n"].concat());
    for output in ["g.thk", "g.tsv"] {
        place.ok(&["count", "-q", "-k25", "g.fa", "-o", output]);
    }
    let mut pairs = Vec::new();
    for number in 0..400 {
        let read = match number % 2 {
            0 => genome[number * 1000..][..100].to_vec(),
            _ => bases(&mut next, 100),
        };
        pairs.push(("r", [read, Vec::new()]));
    }
    place.write("r.fq", &fastq(&pairs)[0]);
    let line = ["qc", "r.fq", "--no_report", "-o", "o.fq", "--remove"];
    let ended = place.ok(&[&line[..], &["g.thk", "-V"]].concat());
    assert!(
        ended.stderr.contains("looked up in memory"),
        "{}",
        ended.stderr
    );
    let wanted = place.read("o.fq");
    assert_eq!(records(&wanted).len(), 200);
    for threads in ["1", "2"] {
        let ended = place.ok(&[&line[..], &["g.thk", "--memory", "12M", "-w", threads]].concat());
        assert!(
            ended.stderr.contains("looked up in its file"),
            "{}",
            ended.stderr
        );
        assert!(place.read("o.fq") == wanted);
    }
    place.ok(&[&line[..], &["g.tsv"]].concat());
    assert!(place.read("o.fq") == wanted);
    place.fails(
        &[&line[..], &["g.tsv", "--memory", "12M"]].concat(),
        2,
        &["g.tsv", "--memory leaves 8 MiB", "kmers merge"],
    );
    // The block where a k-mer may be: what is told of a read must not be a guess.
    let mut bytes = place.read("g.thk");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x55);
    place.write("g.thk", bytes);
    for memory in ["12M", "1G"] {
        let line = [&line[..], &["g.thk", "--memory", memory]].concat();
        place.fails(&line, 1, &["g.thk", "damaged"]);
    }
}

/// What is named is no database, but what somebody may have meant is told; it is no fault of the data.
#[test]
fn what_is_no_database_is_told_with_the_way_to_one() {
    let place = Place::new();
    place.write("a.fq", "@a\nACGTTGC\n+\nIIIIIII\n");
    let genome = format!(">chr1\n{}\n", "ACGTTGCATGCATCGACTAGC".repeat(20));
    place.write("genome.fna", &genome);
    place.write("genome.v2.fna.gz", gzip(genome.as_bytes()));
    place.write("reads.fq.gz", bgzf(b"@a\nACGT\n+\nIIII\n"));
    let remove = |name: &'static str| ["qc", "a.fq", "-o", "o.fq", "--remove", name];
    for (name, kind, way) in [
        (
            "genome.fna",
            "FASTA",
            "thalweg count -k 31 genome.fna -o genome.thk`, then --remove genome.thk",
        ),
        (
            "genome.v2.fna.gz",
            "FASTA",
            "thalweg count -k 31 genome.v2.fna.gz -o genome.thk`",
        ),
        (
            "reads.fq.gz",
            "FASTQ",
            "thalweg count -k 31 reads.fq.gz -o reads.thk`",
        ),
    ] {
        place.fails(&remove(name), 2, &[&format!("{name}: this is {kind}"), way]);
    }
    for name in ["Phix", "PhiX174", "PHIX", "phi-x"] {
        place.fails(&remove(name), 2, &[name, "--remove phix"]);
    }
    let ended = place.fails(&remove("phoenix"), 2, &["phoenix"]);
    assert!(!ended.stderr.contains("remove phix"), "{}", ended.stderr);
    // What is compressed may be a dump of k-mers.
    place.write("dump.fa.gz", gzip(b">3\nACGTA\n>1\nCCCCC\n"));
    place.fails(&remove("dump.fa.gz"), 1, &["compressed with gzip"]);
    // And what is there under such a name is taken.
    place.ok(&["count", "-q", "-k5", "genome.fna", "-o", "PhiX"]);
    place.ok(&[&remove("PhiX")[..], &["--no_report"]].concat());
}
