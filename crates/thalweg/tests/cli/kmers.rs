//! `thalweg kmers`, and the program under the name of Jellyfish.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use crate::count::{Read, count, reads, to_fasta, to_fastq, to_tsv};
use crate::extent::is_all;
use crate::support::{Ended, Place, ended};

/// Counts of some reads as `name.EXTENSION` of each extension.
pub(crate) fn databases(place: &Place, name: &str, reads: &[Read], k: usize, extensions: &[&str]) {
    let input = format!("{name}.fq");
    place.write(&input, to_fastq(reads));
    for extension in extensions {
        let output = format!("{name}.{extension}");
        let k = k.to_string();
        place.ok(&["count", "-q", "-k", &k, &input, "-o", &output]);
    }
}

#[test]
fn combined_databases_are_combined_maps() {
    let place = Place::new();
    let sets = [1, 2, 3].map(|seed| {
        let mut set = reads(7, 1500, 200);
        set.extend(reads(seed, 1500, 100));
        set.drain(..40 * seed as usize);
        set
    });
    databases(&place, "a", &sets[0], 21, &["thk", "jf"]);
    databases(&place, "b", &sets[1], 21, &["kmc", "thk"]);
    databases(&place, "c", &sets[2], 21, &["tsv", "thk"]);
    let maps = sets.map(|set| count(&set, 21, true, 0));
    let all: BTreeSet<&String> = maps.iter().flat_map(|map| map.keys()).collect();
    let expected = |keep: &dyn Fn([u64; 3]) -> u64| -> String {
        let of = |kmer: &String| [0, 1, 2].map(|at| maps[at].get(kmer).copied().unwrap_or(0));
        let kept = all.iter().map(|&kmer| (kmer.clone(), keep(of(kmer))));
        to_tsv(&kept.filter(|(_, count)| *count > 0).collect())
    };
    let in_all = |counts: [u64; 3]| counts.iter().all(|&count| count > 0);
    type Rule<'a> = &'a dyn Fn([u64; 3]) -> u64;
    let rules: [(&[&str], Rule<'_>); 7] = [
        (&["merge"], &|counts| counts.iter().sum()),
        (&["merge", "--count", "max"], &|counts| {
            counts.into_iter().max().unwrap_or(0)
        }),
        (&["intersect"], &|counts| {
            if in_all(counts) {
                counts.iter().sum()
            } else {
                0
            }
        }),
        (&["intersect", "--count", "min"], &|counts| {
            counts.into_iter().min().unwrap_or(0)
        }),
        (&["intersect", "--count", "first"], &|counts| {
            if in_all(counts) { counts[0] } else { 0 }
        }),
        (&["subtract"], &|counts| match counts {
            [count, 0, 0] => count,
            _ => 0,
        }),
        (&["diff"], &|[a, b, c]| a.saturating_sub(b + c)),
    ];
    for (command, rule) in rules {
        let partitions = ["a.thk", "b.thk", "c.thk"];
        for (databases, threads, output) in [
            (["a.thk", "b.kmc", "c.tsv"], "2", "x.thk"),
            (["a.jf", "b.kmc", "c.tsv"], "1", "x.jf"),
            (["a.thk", "b.kmc", "c.tsv"], "1", "x.kmc"),
            (partitions, "1", "x.thk"),
            (partitions, "3", "x.thk"),
            (partitions, "2", "x.jf"),
            (partitions, "1", "x.kmc"),
            (partitions, "3", "x.tsv"),
        ] {
            let inputs = ["kmers"].iter().chain(command);
            let mut arguments: Vec<&str> = inputs.copied().collect();
            arguments.extend(databases);
            arguments.extend(["--threads", threads, "-o", output]);
            place.ok(&arguments);
            let dump = place.ok(&["kmers", "dump", output]).text();
            assert!(dump == expected(rule), "{arguments:?}");
        }
    }
    // One database alone becomes another format, within limits.
    place.ok(&["kmers", "merge", "a.jf", "-L2", "-U", "6", "-o", "y.thk"]);
    let mut kept = maps[0].clone();
    kept.retain(|_, count| (2..=6).contains(count));
    assert_eq!(place.ok(&["kmers", "dump", "y.thk"]).text(), to_tsv(&kept));
}

#[test]
fn databases_that_do_not_fit_are_refused() {
    let place = Place::new();
    let reads = reads(5, 1500, 50);
    databases(&place, "a", &reads, 21, &["thk", "jf"]);
    databases(&place, "b", &reads, 23, &["thk"]);
    place.ok(&["count", "-q", "-k21", "--forward", "a.fq", "-o", "f.thk"]);
    place.write("nothing", "");
    place.write("text", "some words\n");
    let whole = place.read("a.thk");
    place.write("cut.thk", &whole[..whole.len() - 9]);
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    place.write("flipped.thk", &flipped);
    let jellyfish = place.read("a.jf");
    place.write("cut.jf", &jellyfish[..jellyfish.len() - 3]);
    for (arguments, code, words) in [
        (&["merge", "a.thk", "b.thk", "-o", "x"][..], 2, "k = 23"),
        (&["merge", "a.thk", "f.thk", "-o", "x"], 2, "canonical"),
        (&["merge", "a.thk", "no.thk", "-o", "x"], 2, "no.thk"),
        (&["merge", "a.thk", "a.jf", "-o", "a.jf"], 2, "a.jf"),
        (&["merge", "a.thk", "a.jf", "-o", "no/x"], 2, "no/x"),
        (
            &["merge", "a.thk", "flipped.thk", "-o", "x.jf"],
            1,
            "flipped.thk",
        ),
        (&["dump", "flipped.thk", "-o", "x.tsv"], 1, "flipped.thk"),
        (&["histo", "flipped.thk", "-o", "x"], 1, "flipped.thk"),
        (&["info", "cut.thk"], 1, "cut.thk"),
        (&["info", "nothing"], 1, "nothing"),
        (&["stats", "text"], 1, "text"),
        (&["verify", "flipped.thk"], 1, "flipped.thk"),
        (&["verify", "cut.jf"], 1, "cut.jf"),
        (&["query", "a.thk", "ACGT"], 2, "21"),
        (&["query", "a.thk"], 2, "look up"),
    ] {
        let arguments = [&["kmers"], arguments].concat();
        place.fails(&arguments, code, &[words]);
    }
    let list = format!("\n{}\nACGT\n", "A".repeat(21));
    place
        .feed(&["kmers", "query", "a.thk", "-"], list.as_bytes())
        .expect_failure(1, &["standard input, line 3", "\"ACGT\"", "21 bases"]);
    // The others are checked all the same.
    let ended = place.run(&["kmers", "verify", "flipped.thk", "a.thk"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.text().contains("a.thk: OK"), "{}", ended.text());
}

/// Jellyfish itself; `None` where it is not installed.
pub(crate) fn real() -> Option<Program> {
    let found = Command::new("jellyfish")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a comparison");
        eprintln!("SKIPPED: {test}: no jellyfish");
        return None;
    }
    Some(Program("jellyfish".into()))
}

/// Another program, or this program under its name.
pub(crate) struct Program(pub(crate) std::path::PathBuf);

impl Program {
    /// This program.
    pub(crate) fn ours(place: &Place) -> Self {
        Self::ours_as(place, "jellyfish")
    }

    /// This program under the name of another.
    pub(crate) fn ours_as(place: &Place, name: &str) -> Self {
        std::fs::create_dir_all(place.path("bin")).unwrap();
        let link = place.path("bin").join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), &link).unwrap();
        Self(link)
    }

    pub(crate) fn run(&self, place: &Place, arguments: &[&str]) -> Ended {
        let mut command = Command::new(&self.0);
        command
            .current_dir(place.path("."))
            .args(arguments)
            .stdin(Stdio::null());
        ended(command)
    }

    pub(crate) fn ok(&self, place: &Place, arguments: &[&str]) -> String {
        let ended = self.run(place, arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        ended.text()
    }
}

pub(crate) fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn under_the_name_of_jellyfish_it_is_jellyfish() {
    let Some(real) = real() else { return };
    let place = Place::new();
    let ours = Program::ours(&place);
    let first = reads(12, 2500, 300);
    place.write("a.fq", to_fastq(&first));
    place.write("b.fa", to_fasta(&reads(12, 2500, 200)));
    place.write("few.fa", to_fasta(&first[..5]));
    place.write("commands", "cat b.fa\ncat few.fa | cat\n");
    for options in [
        &["-m", "21", "-C"][..],
        &["-m31", "-C", "-L", "2", "-U", "8"],
        &["--mer-len=15", "--lower-count=3"],
        &["-m", "5", "--canonical", "--out-counter-len", "1"],
        &["-m", "40", "-C", "-Q", "5"],
        &[
            "-m",
            "21",
            "-C",
            "--min-quality",
            "10",
            "--quality-start",
            "33",
        ],
        &["-m", "21", "-C", "--if", "few.fa"],
        &["-m", "21", "-C", "--if", "few.fa", "-L", "1"],
        &["-m", "21", "-C", "-g", "commands"],
        &["-m", "21", "-C", "--text"],
        &["-m", "21", "-C", "--text", "--if", "few.fa"],
    ] {
        let counting = [&["count"], options, &["-s", "1M", "-t", "2"]].concat();
        for input in ["a.fq", "b.fa"] {
            if input == "b.fa" && options.contains(&"-Q") {
                continue;
            }
            for (program, output) in [(&ours, "ours.jf"), (&real, "real.jf")] {
                program.ok(&place, &[&counting[..], &["-o", output, input]].concat());
            }
            // Both programs on both files; only the order of k-mers may differ.
            for command in [
                &["dump", "-c"][..],
                &["dump", "-c", "-t", "-L", "3"],
                &["histo"],
                &["histo", "-l", "3", "-h", "6"],
                &["histo", "-l", "2", "-h", "20", "-i", "4", "-f"],
                &["stats"],
                &["stats", "-L", "2", "-U", "5"],
            ] {
                let run = |program: &Program, file: &str| {
                    program.ok(&place, &[command, &[file]].concat())
                };
                let expected = run(&real, "real.jf");
                for (program, file) in [(&real, "ours.jf"), (&ours, "real.jf"), (&ours, "ours.jf")]
                {
                    let found = run(program, file);
                    let (found, expected) = match command[0] {
                        "dump" => (sorted(&found), sorted(&expected)),
                        _ => (found.lines().collect(), expected.lines().collect()),
                    };
                    assert_eq!(found, expected, "{options:?} {command:?} {file}");
                }
            }
        }
    }
}

#[test]
fn jellyfish_and_its_namesake_answer_alike() {
    let Some(real) = real() else { return };
    let place = Place::new();
    let ours = Program::ours(&place);
    let all = [reads(13, 2500, 200), reads(14, 2500, 200)];
    place.write("a.fa", to_fasta(&all[0]));
    place.write("b.fa", to_fasta(&all[1][..150]));
    place.write("c.fa", to_fasta(&all[0][100..]));
    for (program, name) in [(&ours, "ours"), (&real, "real")] {
        for input in ["a", "b", "c"] {
            let (output, input) = (format!("{name}.{input}.jf"), format!("{input}.fa"));
            program.ok(
                &place,
                &["count", "-m21", "-C", "-s1M", "-o", &output, &input],
            );
        }
        for (flag, output) in [(None, "sum"), (Some("-m"), "min"), (Some("-M"), "max")] {
            let inputs = ["a", "b", "c"].map(|input| format!("{name}.{input}.jf"));
            let output = format!("{name}.{output}.jf");
            let mut arguments = vec!["merge", "-o", &output];
            arguments.extend(flag);
            arguments.extend(inputs.iter().map(String::as_str));
            program.ok(&place, &arguments);
        }
        let report = format!("{name}.jaccard");
        let inputs = ["a", "c"].map(|input| format!("{name}.{input}.jf"));
        program.ok(
            &place,
            &["merge", "-j", "-o", &report, &inputs[0], &inputs[1]],
        );
    }
    assert_eq!(place.read("ours.jaccard"), place.read("real.jaccard"));
    for merged in ["sum", "min", "max"] {
        let dump = |name: &str| real.ok(&place, &["dump", "-c", &format!("{name}.{merged}.jf")]);
        let (found, expected) = (dump("ours"), dump("real"));
        assert_eq!(sorted(&found), sorted(&expected), "{merged}");
    }
    // Queries: the same text, order included.
    let counts = count(&all[0], 21, true, 0);
    let mut mers: Vec<&str> = counts.keys().map(String::as_str).step_by(40).collect();
    let behind = format!("{}ACGT", mers[0]);
    mers.extend(["ACGTACGTACGTACGTACGTA", "ACG", &behind]);
    let arguments = ["-s", "b.fa"];
    for (program, file) in [
        (&real, "ours.a.jf"),
        (&ours, "real.a.jf"),
        (&ours, "ours.a.jf"),
    ] {
        let run = |program: &Program, file| {
            let run = |load: &[&str]| {
                let query = [&["query"], load, &arguments[..], &[file], &mers].concat();
                let ended = program.run(&place, &query);
                (ended.code, ended.text(), ended.stderr)
            };
            assert_eq!(run(&["-l"]), run(&["-L"]));
            run(&[])
        };
        assert_eq!(run(program, file), run(&real, "real.a.jf"), "{file}");
    }
    // A line, an answer.
    place.write(
        "lines",
        format!("{}\nACG\n{behind}\nacgtacgtacgtacgtacgta\n", mers[0]),
    );
    let interactive = |program: &Program| {
        let mut command = Command::new(&program.0);
        let lines = std::fs::File::open(place.path("lines")).unwrap();
        command
            .current_dir(place.path("."))
            .args(["query", "-i", "real.a.jf"])
            .stdin(lines);
        let ended = ended(command);
        (ended.code, ended.text(), ended.stderr)
    };
    assert_eq!(interactive(&ours), interactive(&real));
    // What a file says about itself, by both.
    for command in [&["info", "-c"][..], &["info"], &["info", "-s"]] {
        let run =
            |program: &Program, file| program.run(&place, &[command, &[file]].concat()).stdout;
        for file in ["ours.a.jf", "real.a.jf"] {
            assert_eq!(run(&ours, file), run(&real, file), "{command:?} {file}");
        }
    }
    let header = |program: &Program| -> BTreeMap<String, serde_json::Value> {
        serde_json::from_str(&program.ok(&place, &["info", "-j", "real.a.jf"])).unwrap()
    };
    assert_eq!(header(&ours), header(&real));
    // Failures have its exit code.
    assert_eq!(ours.run(&place, &["histo", "missing.jf"]).code, Some(1));
    assert_eq!(
        ours.run(&place, &["count", "-m21", "missing.fa"]).code,
        Some(1)
    );
    assert_eq!(ours.run(&place, &["unknown"]).code, Some(1));
}

#[test]
fn stats_tell_that_counts_may_be_cut() {
    let place = Place::new();
    let kmc = Program::ours_as(&place, "kmc");
    std::fs::create_dir(place.path("tmp")).unwrap();
    place.write("reads.fa", format!(">r\n{}\n", "A".repeat(100)).repeat(10));
    let warnings = |largest: &str| {
        let options = ["-k25", "-ci1", largest, "-fm", "reads.fa", "x", "tmp"];
        kmc.ok(&place, &options);
        place.ok(&["kmers", "stats", "x"]).stderr
    };
    // 760 of poly-A.
    let cut = warnings("-cs255");
    assert!(
        cut.contains("the largest count, 255, is the largest that"),
        "{cut}"
    );
    assert!(cut.contains("(k-mers with it: 1)"), "{cut}");
    assert_eq!(warnings("-cs1000"), "");
    // Larger ones were left out, not cut.
    assert!(!warnings("-cx255").contains("has room for"));
}

#[test]
fn kmc_and_its_namesake_count_alike() {
    let found = Command::new("kmc").output().is_ok();
    if !found {
        eprintln!("SKIPPED: kmc_and_its_namesake_count_alike: no kmc");
        return;
    }
    let place = Place::new();
    let (ours, real) = (Program::ours_as(&place, "kmc"), Program("kmc".into()));
    let (our_dump, real_dump) = (
        Program::ours_as(&place, "kmc_dump"),
        Program("kmc_dump".into()),
    );
    std::fs::create_dir(place.path("tmp")).unwrap();
    // KMC takes more than 255 of poly-A: counts are cut.
    let reads = reads(15, 2500, 300);
    place.write("a.fq", to_fastq(&reads[..200]));
    place.write("b.fq", to_fastq(&reads[200..]));
    place.write("a.fa", to_fasta(&reads));
    place.write("list", "a.fq\nb.fq\n");
    for options in [
        &["-k25", "-fm", "a.fa"][..],
        &["-k31", "-ci1", "-cs4294967295", "@list"],
        &["-k21", "-ci3", "-cx6", "a.fq"],
        &["-k15", "-ci1", "-cs3", "-b", "-fm", "a.fa"],
        &["-k40", "-ci1", "-t2", "-m2", "@list"],
        // Nothing is kept, and a database without k-mers is written.
        &["-k21", "-ci5", "-cx2", "a.fq"],
        &["-k21", "-cx0", "a.fq"],
    ] {
        let mut options = options.to_vec();
        if options[0] == "-k21" && !is_all() {
            // KMC takes more than a second for what is longer than 13.
            options[0] = "-k13";
        }
        let (options, input) = options.split_at(options.len() - 1);
        let mut dumps = Vec::new();
        for (program, name) in [(&ours, "ours"), (&real, "real")] {
            let summary = ["-jsummary.json"];
            let arguments = [options, &summary, input, &[name, "tmp"]].concat();
            let printed = program.ok(&place, &arguments);
            let summary: serde_json::Value =
                serde_json::from_slice(&place.read("summary.json")).unwrap();
            // What both tell is the same, but for super-k-mers.
            let numbers: Vec<String> = printed
                .lines()
                .filter(|line| line.contains("o. of ") && !line.contains("super"))
                .map(str::to_owned)
                .collect();
            assert_eq!(numbers.len(), 6, "{printed}");
            assert_eq!(summary["Tmp_size"], "0MB", "{summary}");
            for (line, key) in [
                ("1st stage: ", "1st_stage"),
                ("2nd stage: ", "2nd_stage"),
                ("Total    : ", "Total"),
            ] {
                assert!(printed.lines().any(|told| told.starts_with(line)));
                let time = summary[key]
                    .as_str()
                    .and_then(|time| time.strip_suffix('s'));
                assert!(time.is_some_and(|time| time.parse::<f64>().is_ok()));
            }
            let sequences = match options.contains(&"-fm") {
                true => "#Total_sequences",
                false => "#Total_reads",
            };
            for (number, key) in numbers.iter().zip([
                "#k-mers_below_min_threshold",
                "#k-mers_above_max_threshold",
                "#Unique_k-mers",
                "#Unique_counted_k-mers",
                "#Total no. of k-mers",
                sequences,
            ]) {
                let told = summary["Stats"][key].to_string();
                assert!(number.ends_with(&format!(" {told}")), "{key}: {summary}");
            }
            for dump in [&our_dump, &real_dump] {
                // KMC's own dump refuses limits beyond those that the database was made with.
                let all = [&[][..], &["-ci3", "-cx5"]];
                let is_empty = options.contains(&"-cx2") || options.contains(&"-cx0");
                for limits in &all[..if is_empty { 1 } else { 2 }] {
                    dump.ok(&place, &[*limits, &[name, "out.txt"]].concat());
                    let text = String::from_utf8(place.read("out.txt")).unwrap();
                    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    lines.sort_unstable();
                    dumps.push((limits.len(), numbers.clone(), lines));
                }
            }
        }
        for dump in &dumps {
            let same = dumps.iter().find(|other| other.0 == dump.0).unwrap();
            assert!(dump == same, "{options:?}");
        }
    }
    for program in [&ours, &our_dump] {
        for arguments in [&[][..], &["--version"], &["--help"]] {
            let first = program.ok(&place, arguments);
            assert!(first.starts_with("K-Mer Counter (KMC) ver. 3.2.1 (thalweg "));
        }
    }
    assert_eq!(
        ours.run(&place, &["-k21", "no.fq", "x", "tmp"]).code,
        Some(1)
    );
    assert_eq!(
        ours.run(&place, &["-cs1x", "a.fq", "x", "tmp"]).code,
        Some(1)
    );
    let ended = ours.run(&place, &["-t0", "-k21", "a.fq", "x", "tmp"]);
    ended.expect_failure(1, &["-t0: at least one thread"]);
    for (option, word) in [("-okff", "KFF is not written"), ("-fbam", "thalweg count")] {
        let ended = ours.run(&place, &["-k21", option, "a.fq", "x", "tmp"]);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
    assert!(!place.path("x.kmc_pre").exists() && !place.path("x.kmc_suf").exists());
    ours.ok(&place, &["-k21", "a.fq", "y", "tmp"]);
    // Which files a name of KMC's stands for, whoever writes text beside it knows.
    for arguments in [
        &["kmers", "dump", "y", "-o", "y.kmc_suf"][..],
        &["kmers", "histo", "y", "-o", "y.kmc_pre"],
        &["kmers", "query", "y", "ACGT", "-o", "y.kmc_suf"],
        &["kmers", "filter-reads", "y", "a.fq", "-o", "y.kmc_suf"],
    ] {
        let ended = place.run(arguments);
        assert!(
            ended.stderr.contains("is an input file too"),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
}
