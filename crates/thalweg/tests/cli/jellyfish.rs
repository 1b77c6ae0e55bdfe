//! Under the name of jellyfish: what is counted where commands write it, filtered, or only asked for.

use crate::count::{count, reads, to_fasta, to_fastq, to_tsv};
use crate::kmers::{Program, real, sorted};
use crate::support::{Place, names_in, random};

/// Lines of `dump -c` as lines of k-mer, tab, count, sorted.
fn to_lines(dump: &str) -> String {
    let lines: Vec<String> = sorted(dump)
        .iter()
        .map(|line| line.replace(' ', "\t") + "\n")
        .collect();
    lines.concat()
}

#[test]
fn commands_are_read_like_files() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let parts = [(21, 700), (22, 400), (23, 0)].map(|(seed, number)| reads(seed, 2500, number));
    for (number, part) in parts.iter().enumerate() {
        place.write(&format!("{number}.fq"), to_fastq(part));
    }
    place.write("commands", "cat 0.fq\n\ncat 1.fq | cat\n");
    let expected = to_tsv(&count(&parts.concat(), 21, true, 0));
    let counting = ["count", "-m", "21", "-C", "-s", "1M"];
    for rest in [
        &["-g", "commands", "2.fq"][..],
        &["-G", "2", "--gen=commands", "2.fq"],
    ] {
        ours.ok(&place, &[&counting[..], &["-o", "x.jf"], rest].concat());
        let dump = ours.ok(&place, &["dump", "-c", "x.jf"]);
        assert!(to_lines(&dump) == expected, "{rest:?}");
        std::fs::remove_file(place.path("x.jf")).unwrap();
    }
    // A link stays, and a stream is written to.
    place.write("target", "");
    std::os::unix::fs::symlink("target", place.path("link")).unwrap();
    let counting = [&counting[..], &["-g", "commands", "2.fq", "-o"]].concat();
    ours.ok(&place, &[&counting[..], &["link"]].concat());
    assert!(place.path("link").is_symlink());
    let dump = ours.ok(&place, &["dump", "-c", "target"]);
    assert!(to_lines(&dump) == expected);
    let command =
        "bin/jellyfish count -m 21 -C -s 1M -g commands 2.fq -o /dev/stdout | cat > printed";
    assert_eq!(place.shell(command).code, Some(0));
    let dump = ours.ok(&place, &["dump", "-c", "printed"]);
    assert!(to_lines(&dump) == expected);
    // What fails leaves nothing, even if its output was well-formed.
    place.write("failing", "cat 0.fq; exit 3\n");
    place.write("missing", "cat 0.fq\ncat no.fq\n");
    place.write("none", "\n\n");
    let before = place.names();
    for (file, words) in [
        ("failing", "exit 3"),
        ("missing", "cat no.fq"),
        ("none", "no commands"),
        ("nothing", "nothing"),
    ] {
        for command in ["count", "bc"] {
            let arguments = [command, "-m", "21", "-s", "1M", "-o", "x", "-g", file];
            let ended = ours.run(&place, &arguments);
            assert_eq!(ended.code, Some(1), "{}", ended.stderr);
            assert!(ended.stderr.contains(words), "{}", ended.stderr);
            assert_eq!(place.names(), before);
        }
    }
    assert!(names_in(&place.path("bin")).len() == 1);
}

#[test]
fn filters_let_only_through_what_occurs_again() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let (first, second) = (reads(31, 3000, 250), reads(31, 3000, 400));
    place.write("first.fa", to_fasta(&first));
    place.write("second.fa", to_fasta(&second));
    let filter = ["bc", "-m", "21", "-C", "-s", "1M", "-f", "0.000000001"];
    let counting = ["count", "-m", "21", "-C", "-s", "1M", "--bc", "x.bc"];
    let run = |program: &Program, output: &str| {
        program.ok(&place, &[&filter[..], &["-o", "x.bc", "first.fa"]].concat());
        program.ok(
            &place,
            &[&counting[..], &["-o", output, "second.fa"]].concat(),
        );
        to_lines(&program.ok(&place, &["dump", "-c", output]))
    };
    let again = count(&first, 21, true, 0);
    let mut expected = count(&second, 21, true, 0);
    expected.retain(|kmer, _| again.get(kmer).is_some_and(|count| *count > 1));
    let expected = to_tsv(&expected);
    assert!(run(&ours, "ours.jf") == expected);
    // One of another k, one that is none, one that Jellyfish made.
    for (k, file, word) in [("22", "x.bc", "k = 21"), ("21", "first.fa", "first.fa")] {
        let arguments = ["count", "-m", k, "-C", "--bc", file, "-o", "y", "second.fa"];
        let ended = ours.run(&place, &arguments);
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
    let Some(real) = real() else { return };
    assert!(run(&real, "real.jf") == expected);
    let arguments = [&counting[..], &["-o", "y", "second.fa"]].concat();
    let ended = ours.run(&place, &arguments);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("bloomcounter"), "{}", ended.stderr);
    assert!(!place.path("y").exists());
}

#[test]
fn memory_of_tables_is_jellyfish_s() {
    let place = Place::new();
    let ours = Program::ours(&place);
    // From its documentation, and some of its answers.
    for (line, expected) in [
        ("-m 24 -s 1G", "4521043056 (4G)\n"),
        ("-m 31 -s 100M -C -t 8 -o x reads.fa", "859018288 (819M)\n"),
        ("-m 21 -s 1M", "5005552 (4M)\n"),
        ("-m 100 -s 1048576", "26122832 (24M)\n"),
        ("-m 31 --mem 8G", "1073741824 (1G)\n"),
        ("-m 31 --mem 4k", "1 (1)\n"),
    ] {
        let words: Vec<&str> = ["mem"].into_iter().chain(line.split(' ')).collect();
        assert_eq!(ours.ok(&place, &words), expected, "{line}");
    }
    for wrong in [&["-m", "31"][..], &["-m", "31", "-s", "1", "--mem", "1"]] {
        assert_eq!(ours.run(&place, &[&["mem"], wrong].concat()).code, Some(1));
    }
    let Some(real) = real() else { return };
    let mut below = random(99);
    for _ in 0..60 {
        let mut pick = |from: &[&'static str]| from[below(from.len())];
        let arguments = [
            "mem",
            "-m",
            pick(&[
                "1", "5", "12", "16", "21", "31", "32", "40", "64", "127", "200",
            ]),
            "-c",
            pick(&["0", "1", "3", "7", "10", "20", "50", "63", "64"]),
            "-p",
            pick(&["0", "1", "10", "62", "126", "127", "254", "255"]),
            pick(&["-s", "--mem"]),
            pick(&["1", "3", "100", "1k", "5k", "1M", "100M", "4G", "1T"]),
        ];
        let expected = real.ok(&place, &arguments);
        assert_eq!(ours.ok(&place, &arguments), expected, "{arguments:?}");
    }
}

/// Jellyfish's filter lets some k-mers that occur once through, by mistake, and counts one less of each.
#[test]
fn k_mers_that_occur_once_are_left_out_exactly() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let reads = reads(33, 3000, 250);
    place.write("a.fa", to_fasta(&reads));
    let counting = [
        "count",
        "-m21",
        "-C",
        "-s1M",
        "--bf-size",
        "1M",
        "--bf-fp=1e-9",
    ];
    for (limits, least) in [(&[][..], 2), (&["-L", "1"], 2), (&["-L", "4"], 4)] {
        let arguments = [&counting[..], limits, &["-o", "ours.jf", "a.fa"]].concat();
        let ended = ours.run(&place, &arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains("one lower"), "{}", ended.stderr);
        let mut expected = count(&reads, 21, true, 0);
        expected.retain(|_, count| *count >= least);
        let dump = ours.ok(&place, &["dump", "-c", "ours.jf"]);
        assert!(to_lines(&dump) == to_tsv(&expected), "{limits:?}");
    }
    let twice = ["count", "-m21", "--bf-size", "1M", "--bc", "x", "a.fa"];
    assert_eq!(ours.run(&place, &twice).code, Some(1));
    let Some(real) = real() else { return };
    real.ok(
        &place,
        &[&counting[..], &["-o", "real.jf", "a.fa"]].concat(),
    );
    let mut expected = count(&reads, 21, true, 0);
    expected.retain(|_, count| *count >= 2);
    expected.values_mut().for_each(|count| *count -= 1);
    assert!(to_lines(&real.ok(&place, &["dump", "-c", "real.jf"])) == to_tsv(&expected));
}

#[test]
fn where_no_count_is_kept_the_result_is_empty() {
    let place = Place::new();
    place.write("a.fa", to_fasta(&reads(36, 3000, 200)));
    place.write("few.fa", to_fasta(&reads(36, 3000, 5)));
    let mut programs = vec![(Program::ours(&place), true)];
    programs.extend(real().map(|program| (program, false)));
    for (program, is_ours) in &programs {
        for limits in [
            &["-U", "0"][..],
            &["-L", "5", "-U", "3"],
            &["-L", "5", "-U", "3", "--text"],
            &["-U", "0", "-L", "1", "--if", "few.fa"],
        ] {
            let counting = ["count", "-m21", "-C", "-s1M", "-o", "x.jf", "a.fa"];
            let ended = program.run(&place, &[&counting[..], limits].concat());
            assert_eq!(ended.code, Some(0), "{limits:?}: {}", ended.stderr);
            let is_told = *is_ours && !limits.contains(&"--if");
            assert_eq!(ended.stderr.contains("the result is empty"), is_told);
            for (program, _) in &programs {
                let stats = program.ok(&place, &["stats", "x.jf"]);
                assert!(stats.starts_with("Unique:    0\nDistinct:  0\n"), "{stats}");
                assert_eq!(program.ok(&place, &["dump", "x.jf"]), "");
            }
            std::fs::remove_file(place.path("x.jf")).unwrap();
        }
    }
}

#[test]
fn databases_come_by_pipes() {
    let place = Place::new();
    let ours = Program::ours(&place);
    place.write("a.fa", to_fasta(&reads(37, 3000, 200)));
    std::fs::create_dir(place.path("tmp")).unwrap();
    for text in [&[][..], &["--text"]] {
        let counting = ["count", "-m21", "-C", "-s1M", "-o", "x.jf", "a.fa"];
        ours.ok(&place, &[&counting[..], text].concat());
        for command in ["histo", "dump -c", "stats", "info"] {
            let words: Vec<&str> = command.split(' ').chain(["x.jf"]).collect();
            let expected = ours.ok(&place, &words);
            for line in [
                format!("TMPDIR=tmp bin/jellyfish {command} <(cat x.jf)"),
                format!("cat x.jf | TMPDIR=tmp bin/jellyfish {command} /dev/stdin"),
            ] {
                let ended = place.shell(&line);
                assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
                assert!(ended.text() == expected, "{line}");
            }
        }
    }
    place.write("b.fa", to_fasta(&reads(38, 3000, 200)));
    ours.ok(
        &place,
        &["count", "-m21", "-C", "-s1M", "-o", "y.jf", "b.fa"],
    );
    ours.ok(
        &place,
        &["count", "-m21", "-C", "-s1M", "-o", "x.jf", "a.fa"],
    );
    ours.ok(&place, &["merge", "-o", "both.jf", "x.jf", "y.jf"]);
    let pipes = "TMPDIR=tmp bin/jellyfish merge -o piped.jf <(cat x.jf) <(cat y.jf)";
    assert_eq!(place.shell(pipes).code, Some(0));
    let dump = |name| ours.ok(&place, &["dump", "-c", name]);
    assert!(dump("piped.jf") == dump("both.jf"));
    let ended = place.shell("TMPDIR=tmp bin/jellyfish histo <(head -c 300 x.jf)");
    ended.expect_failure(1, &["is a pipe"]);
    let ended = place.shell("TMPDIR=no bin/jellyfish histo <(cat x.jf)");
    ended.expect_failure(1, &["TMPDIR"]);
    assert_eq!(names_in(&place.path("tmp")).len(), 0);
}

/// Of letters that are no bases, k-mers are made as Jellyfish makes them, so that each line has its answer.
#[test]
fn queries_are_read_as_jellyfish_reads_them() {
    let place = Place::new();
    place.write("a.fa", ">a\nAAAAA\n>c\nCAAGACCCA\n");
    let ours = Program::ours(&place);
    let mut programs = vec![ours];
    match std::process::Command::new("jellyfish").output() {
        Ok(_) => programs.push(Program("jellyfish".into())),
        Err(_) => eprintln!("SKIPPED: queries_are_read_as_jellyfish_reads_them: no jellyfish"),
    }
    for program in programs {
        program.ok(&place, &["count", "-m3", "-s1k", "-o", "x.jf", "a.fa"]);
        let words = [
            "NAA", "CNC", "CCX", "caN", "AAAN", "ACNA", "CAA", "TTT", "AN",
        ];
        let ended = program.run(&place, &[&["query", "x.jf"], &words[..]].concat());
        let counts = [
            "AAA 3", "CAA 1", "CCA 1", "CAA 1", "AAA 3", "ACA 0", "CAA 1", "TTT 0",
        ];
        assert_eq!(ended.text(), counts.join("\n") + "\n");
        assert!(
            ended.stderr.contains("Invalid mer 'AN'"),
            "{}",
            ended.stderr
        );
        place.write("words", words.join("\n") + "\n");
        for (options, expected) in [
            ("-i x.jf", "3\n1\n1\n1\n3\n0\n1\n0\n"),
            ("-i -o out x.jf CAA", "CAA 1\n3\n1\n1\n1\n3\n0\n1\n0\n"),
        ] {
            let script = format!(
                "rm -f out; '{}' query {options} < words; cat out",
                program.0.display()
            );
            let ended = place.shell(&script);
            assert_eq!(ended.text(), expected, "{}", ended.stderr);
        }
    }
}

/// Scripts ask what there is, and note the version.
#[test]
fn subcommands_tell_their_version_and_usage() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let text = |words: &[&str]| String::from_utf8(ours.run(&place, words).stdout).unwrap();
    assert_eq!(text(&["--version"]), "jellyfish 2.3.0\n");
    for command in ["count", "histo", "dump", "stats", "merge", "query", "info"] {
        assert_eq!(text(&[command, "-V"]), "2.3.0\n");
        assert_eq!(text(&[command, "--version"]), "2.3.0\n");
        let help = text(&[command, "--help"]);
        assert!(help.contains("Usage: jellyfish"), "{help}");
        for option in ["--usage", "--full-help"] {
            assert_eq!(text(&[command, option]), help);
        }
    }
}

/// What Jellyfish's help hides, and what changes nothing here.
#[test]
fn hidden_options_are_taken() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let reads = reads(35, 3000, 200);
    place.write("a.fa", to_fasta(&reads));
    place.write("commands", "cat a.fa\n");
    let expected = to_tsv(&count(&reads, 21, true, 0));
    let run = |program: &Program, options: &[&str]| {
        let counting = ["count", "-m21", "-C", "-s1M", "-o", "x.jf"];
        let arguments = [&counting[..], options, &["a.fa"]].concat();
        let ended = program.run(&place, &arguments);
        assert_eq!(ended.code, Some(0), "{options:?}: {}", ended.stderr);
        ended.stderr
    };
    for (option, is_told) in [
        ("--no-merge", true),
        ("--no-unlink", true),
        ("--disk", false),
    ] {
        let stderr = run(&ours, &[option]);
        assert_eq!(
            stderr.contains("there is only one output"),
            is_told,
            "{stderr}"
        );
        let dump = ours.ok(&place, &["dump", "-c", "x.jf"]);
        assert!(to_lines(&dump) == expected, "{option}");
        let usual = |command: &[&str]| ours.ok(&place, &[command, &["x.jf"]].concat());
        assert_eq!(usual(&["histo", "-s", "10M"]), usual(&["histo"]));
        assert_eq!(usual(&["histo", "--buffer-size=1"]), usual(&["histo"]));
        assert_eq!(usual(&["stats", "-r"]), usual(&["stats"]));
        assert_eq!(usual(&["stats", "--recompute"]), usual(&["stats"]));
        std::fs::remove_file(place.path("x.jf")).unwrap();
    }
    let mut programs = vec![ours];
    programs.extend(real());
    for program in programs {
        run(&program, &["--no-write", "--timing", "times"]);
        run(&program, &["--no-write", "-g", "commands"]);
        assert!(!place.path("x.jf").exists());
        assert!(place.path("times").exists());
        std::fs::remove_file(place.path("times")).unwrap();
    }
}

#[test]
fn the_paper_is_cited() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let doi = "10.1093/bioinformatics/btr011";
    let text = ours.ok(&place, &["cite"]);
    assert!(text.contains("Kingsford") && text.contains(doi), "{text}");
    ours.ok(&place, &["cite", "-b", "-o", "paper.bib"]);
    let entry = String::from_utf8(place.read("paper.bib")).unwrap();
    assert!(
        entry.starts_with("@article{") && entry.contains(doi),
        "{entry}"
    );
}

#[test]
fn what_is_not_read_is_told_with_a_way_out() {
    let place = Place::new();
    let ours = Program::ours(&place);
    let ended = ours.run(&place, &["count", "-m", "5", "-s", "1M", "--sam", "x.bam"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("samtools view"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("tip:"), "{}", ended.stderr);
}
