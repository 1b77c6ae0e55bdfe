//! Lines and reports against those of kraken2, and MultiQC, which reads reports.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use thalweg_taxa::Taxid;
use thalweg_taxa::classify::{Call, Classifier, Hits, Lca, Posterior, Reason, Rule, Run};
use thalweg_taxa::label::{Columns, Labels};
use thalweg_taxa::report::{CallTally, Listed};
use thalweg_taxa::taxonomy::{Node, Taxonomy, write_names, write_nodes};

use crate::calls::{Found, PlainSets, Random, World, genomes, reads, tree};
use crate::made::is_there;

type Pairs = Vec<[Vec<u8>; 2]>;

/// Lines and the report of reads, or of pairs.
fn lines_and_report(
    classifier: &Classifier<'_, PlainSets>,
    world: &World,
    pairs: &Pairs,
    mates: usize,
    columns: Columns,
) -> (String, CallTally) {
    let labels = Labels::new(&world.taxonomy, world.k, columns);
    let mut workspace = classifier.workspace();
    let mut tally = CallTally::new(&world.taxonomy);
    let mut out = Vec::new();
    for (i, pair) in pairs.iter().enumerate() {
        let found = world.look_up(pair.each_ref().map(Vec::as_slice));
        let hits = found.each_ref().map(Found::hits);
        let hits = &hits[..mates];
        let call = classifier.call(&mut workspace, hits);
        let node_of = |set| classifier.node_of_set(&mut workspace, set);
        labels.write(format!("r{i}/1").as_bytes(), hits, &call, node_of, &mut out);
        tally.add(
            &call,
            hits.iter().map(|hits| hits.letters.len() as u64).sum(),
        );
    }
    (String::from_utf8(out).unwrap(), tally)
}

fn text(tally: &CallTally, taxonomy: &Taxonomy, listed: Listed) -> String {
    let mut out = Vec::new();
    tally
        .write(taxonomy, listed, &mut out, Path::new("report"))
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// Genomes, and parts of them.
type Samples = (Vec<(Node, Vec<u8>)>, Pairs);

fn world_and_samples(seed: u64, k: usize, number: usize) -> (World, Samples) {
    let mut random = Random(seed);
    let (taxonomy, leaves) = tree();
    let genomes = genomes(&mut random, &taxonomy, &leaves, 3000);
    let mut pairs = reads(&mut random, &genomes, number);
    for letters in pairs
        .iter_mut()
        .flatten()
        .filter(|letters| letters.is_empty())
    {
        letters.push(b'A');
    }
    let world = World::new(k, taxonomy, &genomes, usize::MAX);
    (world, (genomes, pairs))
}

#[test]
fn lines_and_reports_are_kraken2s() {
    let test = "lines_and_reports_are_kraken2s";
    if !(is_there(test, "kraken2-build") && is_there(test, "kraken2")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (world, (genomes, mut pairs)) = world_and_samples(3, 31, 400);
    fs::create_dir(folder.join("taxonomy")).unwrap();
    let mut files = [Vec::new(), Vec::new()];
    write_nodes(&world.taxonomy, &mut files[0], folder).unwrap();
    write_names(&world.taxonomy, &mut files[1], folder).unwrap();
    fs::write(folder.join("taxonomy/nodes.dmp"), &files[0]).unwrap();
    fs::write(folder.join("taxonomy/names.dmp"), &files[1]).unwrap();
    let mut fasta = String::new();
    for (i, (node, letters)) in genomes.iter().enumerate() {
        let taxid = world.taxonomy.taxid(*node);
        let letters = std::str::from_utf8(letters).unwrap();
        writeln!(fasta, ">s{i}|kraken:taxid|{taxid}\n{letters}").unwrap();
    }
    fs::write(folder.join("all.fa"), fasta).unwrap();
    let add = ["--db", ".", "--no-masking", "--add-to-library", "all.fa"];
    run("kraken2-build", folder, &add);
    // Minimizers that are k-mers: then it has all of these.
    let build = "--db . --build --threads 1 --kmer-len 31 --minimizer-len 31 --minimizer-spaces 0";
    let build: Vec<_> = build.split(' ').collect();
    run("kraken2-build", folder, &build);

    for (confidence, mates, names) in [
        ("0", 1, false),
        ("0", 2, true),
        ("0.3", 2, false),
        ("0.05", 1, true),
    ] {
        if confidence != "0" {
            // It counts those with other letters among all k-mers, too.
            for letter in pairs.iter_mut().flatten().flatten() {
                if *letter == b'N' {
                    *letter = b'A';
                }
            }
        }
        for mate in 0..2 {
            let mut fastq = Vec::new();
            for (i, pair) in pairs.iter().enumerate() {
                fastq.extend(format!("@r{i}/{} more\n", mate + 1).bytes());
                fastq.extend(&pair[mate]);
                fastq.extend(b"\n+\n");
                fastq.extend(pair[mate].iter().map(|_| b'I'));
                fastq.push(b'\n');
            }
            fs::write(folder.join(format!("{}.fq", mate + 1)), fastq).unwrap();
        }
        let rule = Rule::Lca(Lca::with_confidence(confidence.parse().unwrap()).unwrap());
        let columns = Columns { names, more: false };
        let classifier = world.classifier(rule);
        let (lines, tally) = lines_and_report(&classifier, &world, &pairs, mates, columns);
        for listed in [Listed::WithReads, Listed::All] {
            let mut arguments = vec!["--db", ".", "--threads", "1", "--minimum-hit-groups", "0"];
            arguments.extend(["--confidence", confidence, "--report", "report", "1.fq"]);
            if mates == 2 {
                arguments.extend(["2.fq", "--paired"]);
            }
            if names {
                arguments.push("--use-names");
            }
            if listed == Listed::All {
                arguments.push("--report-zero-counts");
            }
            let (theirs, told) = run("kraken2", folder, &arguments);
            for (ours, theirs) in lines.lines().zip(theirs.lines()) {
                assert_eq!(ours, theirs);
            }
            assert_eq!(lines, theirs);
            let report = text(&tally, &world.taxonomy, listed);
            let theirs = fs::read_to_string(folder.join("report")).unwrap();
            // Debian's build of 2.1.2 loses letters of codes, other ones from one machine to the next.
            let fields = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(report.lines().count(), theirs.lines().count());
            for (ours, theirs) in report.lines().zip(theirs.lines()) {
                let (ours, mut theirs) = (fields(ours), fields(theirs));
                if ours[3][1..] == theirs[3] {
                    theirs[3].clone_from(&ours[3]);
                }
                assert_eq!(ours, theirs);
            }
            let closing = tally.closing_lines(Duration::from_secs(1));
            let counts = |text: &str| {
                let lines = text.lines().filter(|line| line.contains("classified ("));
                lines.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(counts(&closing), counts(&told));
            assert_eq!(counts(&closing).len(), 2);
        }
    }
}

/// What a program writes, and what it tells.
fn run(program: &str, folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(program);
    let output = command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program}: {told}");
    (String::from_utf8(output.stdout).unwrap(), told)
}

#[test]
fn multiqc_reads_reports() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (world, (_, pairs)) = world_and_samples(5, 31, 300);
    let classifier = world.classifier(Rule::Posterior(Posterior::new(31)));
    let (_, tally) = lines_and_report(&classifier, &world, &pairs, 2, Columns::default());
    let report = text(&tally, &world.taxonomy, Listed::WithReads);
    fs::write(folder.join("sample.kreport"), report).unwrap();
    // Nor does it need the line of those that are not classified.
    let mut all = CallTally::new(&world.taxonomy);
    let mut call = Call {
        node: world.taxonomy.node(Taxid(11)),
        score: 1.0,
        runner_up: None,
        valid: 1,
        support: 1,
        reason: Reason::Direct,
    };
    all.add(&call, 100);
    call.node = world.taxonomy.node(Taxid(21));
    all.add(&call, 100);
    let report = text(&all, &world.taxonomy, Listed::WithReads);
    fs::write(folder.join("other.kreport"), report).unwrap();
    let Some(data) = multiqc_data("multiqc_reads_reports", folder) else {
        return;
    };
    for needed in [
        "\"sample.kreport\"",
        "\"other.kreport\"",
        "taxon 11",
        "taxon 21",
    ] {
        assert!(data.contains(needed), "no {needed} in {data}");
    }
}

/// What MultiQC has read of the reports of a folder; `None` without it.
pub(crate) fn multiqc_data(test: &str, folder: &Path) -> Option<String> {
    let program = std::env::var_os("THALWEG_MULTIQC").unwrap_or(OsString::from("multiqc"));
    let version = Command::new(&program).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: {test}: no multiqc");
        return None;
    }
    let output = Command::new(&program)
        .args(["--quiet", "--module", "kraken", "--outdir", "report", "."])
        .args(["--no-report", "--data-format", "json", "--force"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let data = fs::read_to_string(folder.join("report/multiqc_data/multiqc_data.json"))
        .or_else(|_| fs::read_to_string(folder.join("report/multiqc_data.json")))
        .expect("MultiQC's data");
    Some(data)
}

#[test]
fn reports_are_the_same_for_any_number_of_workers() {
    let (world, (_, pairs)) = world_and_samples(9, 24, 300);
    let classifier = world.classifier(Rule::Posterior(Posterior::new(24)));
    let columns = Columns {
        names: false,
        more: true,
    };
    let (lines, whole) = lines_and_report(&classifier, &world, &pairs, 2, columns);
    assert!(whole.classified() > 100 && whole.classified() < whole.reads());
    let expected = text(&whole, &world.taxonomy, Listed::WithReads);
    for workers in [1, 2, 8] {
        let parts: Vec<Pairs> = pairs
            .chunks(pairs.len().div_ceil(workers))
            .map(<[_]>::to_vec)
            .collect();
        let results: Vec<(String, CallTally)> = std::thread::scope(|scope| {
            let work = |part| {
                let (classifier, world) = (&classifier, &world);
                scope.spawn(move || lines_and_report(classifier, world, part, 2, columns))
            };
            let threads: Vec<_> = parts.iter().map(work).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let mut tally = CallTally::new(&world.taxonomy);
        for (_, part) in results.iter().rev() {
            tally.merge(part);
        }
        assert_eq!(tally, whole);
        assert_eq!(text(&tally, &world.taxonomy, Listed::WithReads), expected);
        // But for names, which count from 0 in each part.
        let behind_names = |text: &str| {
            let lines = text
                .lines()
                .map(|line| line.splitn(3, '\t').nth(2).unwrap().to_owned());
            lines.collect::<Vec<_>>()
        };
        let parts: String = results.iter().map(|(lines, _)| lines.as_str()).collect();
        assert_eq!(behind_names(&parts), behind_names(&lines));
    }
}

#[test]
fn lines_have_what_is_asked_for() {
    let (taxonomy, _) = tree();
    let node = |taxid| taxonomy.node(Taxid(taxid)).unwrap();
    let run = |start, kmers, set| Run {
        start,
        kmers,
        distinct: kmers,
        set,
    };
    let letters = [b'A'; 60];
    let hits = |length: usize, runs| Hits {
        letters: &letters[..length],
        runs,
    };
    let node_of = |set| node([0, 11, 111][set as usize]);
    let call = Call {
        node: Some(node(111)),
        score: 0.9876,
        runner_up: Some((node(22), 0.0123)),
        valid: 60,
        support: 30,
        reason: Reason::Direct,
    };
    let none = Call {
        node: None,
        score: 0.0,
        runner_up: None,
        valid: 0,
        support: 0,
        reason: Reason::TooShort,
    };
    // k is 21: 40 k-mers of 60 letters.
    let [first, second] = [
        [run(3, 20, 1), run(23, 10, 0)],
        [run(0, 10, 2), run(30, 10, 1)],
    ];
    let same = [run(0, 5, 1), run(5, 35, 1)];
    let cases: [(&str, &[Hits<'_>], &Call, &str); 8] = [
        (
            "x/1",
            &[hits(60, &first)],
            &call,
            "C\tx/1\t111\t60\tA:3 11:20 0:10 A:7 ",
        ),
        (
            "x/1",
            &[hits(60, &first), hits(60, &second)],
            &call,
            "C\tx\t111\t60|60\tA:3 11:20 0:10 A:7 |:| 111:10 A:20 11:10",
        ),
        ("x", &[hits(60, &same)], &call, "C\tx\t111\t60\t11:40"),
        ("x", &[hits(20, &[])], &none, "U\tx\t0\t20\t0:0"),
        (
            "x",
            &[hits(0, &[]), hits(0, &[])],
            &none,
            "U\tx\t0\t0|0\t|:|",
        ),
        (
            "x",
            &[hits(20, &[]), hits(60, &same)],
            &call,
            "C\tx\t111\t20|60\t|:| 11:40",
        ),
        (
            "x",
            &[hits(60, &same), hits(0, &[])],
            &call,
            "C\tx\t111\t60|0\t11:40 |:|",
        ),
        ("x", &[hits(60, &[])], &none, "U\tx\t0\t60\tA:40 "),
    ];
    let labels = |columns| Labels::new(&taxonomy, 21, columns);
    for (id, mates, call, expected) in cases {
        let mut out = Vec::new();
        labels(Columns::default()).write(id.as_bytes(), mates, call, node_of, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected}\n"));
        let mut out = Vec::new();
        let columns = Columns {
            names: true,
            more: true,
        };
        labels(columns).write(id.as_bytes(), mates, call, node_of, &mut out);
        let (named, more) = match call.node {
            Some(_) => (
                "\ttaxon 111 (taxid 111)\t",
                "\tS1\t0.988\t22\t0.012\t0.9675\tdirect",
            ),
            None => (
                "\tunclassified (taxid 0)\t",
                "\t-\t0.000\t0\t0.000\t0.0000\tshort",
            ),
        };
        let taxid = if call.node.is_some() {
            "\t111\t"
        } else {
            "\t0\t"
        };
        let expected = format!("{}{more}\n", expected.replacen(taxid, named, 1));
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn reports_of_nothing_are_empty() {
    let (taxonomy, _) = tree();
    let tally = CallTally::new(&taxonomy);
    assert_eq!(text(&tally, &taxonomy, Listed::WithReads), "");
    let all = text(&tally, &taxonomy, Listed::All);
    assert_eq!(all.lines().count(), taxonomy.len() + 1);
    assert!(all.starts_with("  0.00\t0\t0\tU\t0\tunclassified\n  0.00\t0\t0\tR\t1\troot\n"));
    let closing = tally.closing_lines(Duration::ZERO);
    assert!(
        closing
            .starts_with("0 sequences (0.00 Mbp) processed in 0.000s (0.0 Kseq/m, 0.00 Mbp/m).\n")
    );
}
