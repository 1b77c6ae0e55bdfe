//! What the command says: errors in one style, hints that lead somewhere, names that do nothing to a terminal.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, fastq, with_databases};

#[test]
fn memory_without_a_unit_is_a_slip() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    for words in [
        &["count", "-k5", "--histo", "h", "a.fq", "--memory", "4"][..],
        &["stats", "a.fq", "--memory", "4"],
        &["qc", "a.fq", "-o", "o.fq", "--memory", "4"],
        &["kmers", "histo", "a.thk", "--memory", "4"],
    ] {
        place.fails(words, 2, &["--memory", "use 4G"]);
    }
    assert_eq!(place.names().len(), 1);
}

#[test]
fn hyphens_and_underscores_are_alike() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    for words in [
        &[
            "qc",
            "a.fq",
            "-o",
            "o.fq",
            "--length-required",
            "20",
            "--no-report",
        ][..],
        &[
            "qc",
            "a.fq",
            "-o",
            "o.fq",
            "--length_required=20",
            "--no_report",
        ],
        &["qc", "a.fq", "-o", "o.fq", "--fastp_compat", "--no-report"],
        &["count", "-k5", "--histo", "h", "a.fq", "--min_quality", "3"],
        &["stats", "a.fq", "--no_progress"],
        &["kmers", "filter-reads", "--help"],
    ] {
        place.ok(words);
    }
}

#[test]
fn what_others_call_otherwise_is_found() {
    let place = Place::new();
    for (name, hint) in [
        ("merge", "thalweg kmers merge"),
        ("query", "thalweg kmers query"),
        ("fastp", "thalweg qc"),
        ("head", "thalweg cat --records"),
        ("sample", "thalweg cat --sample"),
        ("trim", "thalweg qc"),
        ("zcat", "thalweg cat"),
        ("fq2fa", "thalweg cat --fasta"),
        ("dedup", "thalweg qc --dedup"),
        ("rmdup", "thalweg qc --dedup"),
        ("lint", "thalweg verify --faults"),
        ("convert", "thalweg kmers merge"),
        ("seqkit", "thalweg stats --seqkit"),
        ("inspect", "thalweg info"),
        ("bbduk.sh", "thalweg qc"),
        ("bbmap", "no command aligns"),
        ("repair.sh", "thalweg verify --mates"),
        ("faidx", "thalweg cat --names"),
        ("flagstat", "thalweg stats"),
        ("sort", "no command sorts"),
        ("version", "thalweg --version"),
        ("view", "no command writes SAM"),
        ("collate", "samtools collate"),
        ("fastq", "thalweg cat FILE.bam"),
        ("clumpify.sh", "no command puts similar reads together"),
    ] {
        let told = place.run(&[name]);
        assert_eq!(told.code, Some(2));
        let hints: Vec<&str> = told
            .stderr
            .lines()
            .filter(|line| line.starts_with("hint: "))
            .collect();
        assert_eq!(hints.len(), 1, "{}", told.stderr);
        assert!(hints[0].contains(hint), "{}", told.stderr);
        assert!(
            told.stderr.starts_with("thalweg: error: "),
            "{}",
            told.stderr
        );
    }
    let told = place.run(&["cat", "--record", "a"]);
    assert!(
        told.stderr.contains("\nhint: a similar argument"),
        "{}",
        told.stderr
    );
    assert!(!told.stderr.contains("tip:"), "{}", told.stderr);
}

/// The one hint, which stands behind what is wrong.
fn hint(place: &Place, words: &[&str]) -> String {
    let told = place.run(words);
    assert_eq!(told.code, Some(2), "{words:?}: {}", told.stderr);
    assert!(told.stderr.starts_with("thalweg: error: "), "{words:?}");
    let hints = told
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("hint: "));
    let hints: Vec<&str> = hints.collect();
    assert_eq!(hints.len(), 1, "{words:?}: {}", told.stderr);
    hints[0].to_owned()
}

#[test]
fn options_of_other_programs_lead_to_ours() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    place.write("k=31", fastq(10));
    for (words, told) in [
        (&["stats", "-T", "a.fq"][..], "--tsv"),
        (&["stats", "-j", "4", "a.fq"], "-t N"),
        (&["stats", "-a", "a.fq"], "--seqkit"),
        (&["stats", "--seqkit", "all", "a.fq"], "--seqkit=all"),
        (&["cat", "-n", "5", "a.fq"], "--records 0..10"),
        (&["qc", "-q", "a.fq"], "--quiet"),
        (&["count", "-m", "31", "a.fq"], "-k K"),
        (&["count", "-k31", "-s", "1G", "a.fq"], "no hash size"),
        (&["count", "-k31", "-C", "a.fq"], "--forward"),
        (&["count", "-k31", "-ci2", "a.fq"], "-L N"),
        (&["count", "-k31", "-cx1000", "a.fq"], "-U N"),
        (&["kmers", "histo", "-t", "4", "a.thk"], "one thread"),
        (&["kmers", "dump", "-ci2", "a.thk"], "-L N"),
        (
            &[
                "kmers",
                "filter-reads",
                "--min-fraction",
                "0.5",
                "a.thk",
                "a.fq",
            ],
            "--fraction PART",
        ),
        (
            &[
                "kmers",
                "filter-reads",
                "--min_fraction=0.5",
                "a.thk",
                "a.fq",
            ],
            "--fraction PART",
        ),
        (
            &["kmers", "filter-reads", "ref=phix.fa", "in=a.fq"],
            "thalweg count",
        ),
        (&["classify", "--db", "ref.tht", "a.fq"], "first argument"),
        (&["cat", "-@", "4", "a.fq"], "-t N"),
        (&["qc", "a.fq", "--outdir", "o"], "--fastqc DIR"),
        (&["qc", "a.fq", "--minimum-length", "30"], "-l N"),
        (
            &["qc", "in=a.fq", "out=b.fq", "ref=adapters"],
            "--adapter_fasta",
        ),
        (&["qc", "in=a.fq"], "-i FILE"),
        (
            &["verify", "--disable-validator", "S007", "a.fq"],
            "--disable CODE",
        ),
    ] {
        let hint = hint(&place, words);
        assert!(hint.contains(told), "{words:?}: {hint}");
    }
    place.write("all", fastq(10));
    place.ok(&["stats", "--seqkit", "all", "a.fq"]);
    // A file of such a name is a file, a value is a value, and fastp takes no notice of such words.
    place.ok(&["qc", "k=31", "--no_report", "-R", "in=out"]);
    // So is a database of KMC's, which has two files of other names.
    place.ok(&["count", "-k21", "a.fq", "-o", "k=31.kmc"]);
    assert!(!place.path("k=31.kmc").exists());
    let filter = ["kmers", "filter-reads", "k=31.kmc", "a.fq", "-o", "o.fq"];
    place.ok(&filter);
    let words = [
        "qc",
        "-i",
        "a.fq",
        "in=b.fq",
        "--fastp-compat",
        "-j",
        "j",
        "-h",
        "h",
    ];
    place.ok(&words);
}

#[test]
fn help_of_a_similar_name_is_found() {
    let place = Place::new();
    assert_eq!(
        hint(&place, &["help", "qcc"]),
        "a similar subcommand exists: 'qc'"
    );
    let told = hint(&place, &["help", "kmers", "histoo"]);
    assert_eq!(told, "a similar subcommand exists: 'histo'");
    assert!(hint(&place, &["help", "fq2fa"]).contains("--fasta"));
}

/// Under the name of a program that it does not stand in for, it does nothing that this would not do.
#[test]
fn a_link_of_another_name_says_what_to_call() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    for (name, told) in [
        ("seqkit", "thalweg stats --seqkit"),
        ("bbduk.sh", "thalweg qc"),
        ("kraken2-build", "thalweg taxa build"),
    ] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
        let ended = place.shell(&format!("./{name} stats a.fq"));
        ended.expect_failure(2, &[&format!("{name}: thalweg does not stand in"), told]);
        assert!(ended.stdout.is_empty());
    }
    // Any other name is one for thalweg.
    for name in ["thalweg-0.1", "fq"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
        let ended = place.shell(&format!("./{name} stats a.fq"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    assert!(hint(&place, &["fq", "lint"]).contains("thalweg verify"));
}

/// Under the names of other programs, too, errors are told in one way.
#[test]
fn links_tell_errors_as_all_others() {
    let place = with_databases();
    for name in ["fastqc", "kraken2"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
    }
    for (line, told) in [
        ("fastp --nonsense", "--nonsense"),
        ("fastp -i none.fq", "none.fq"),
        ("fastqc --nonsense a.fq", "--nonsense"),
        ("fastqc none.fq", "none.fq"),
        ("jellyfish count --nonsense", "--nonsense"),
        (
            "jellyfish count -m 21 -s 1M --sam a.sam",
            "hint: SAM is not read",
        ),
        ("jellyfish histo none.jf", "none.jf"),
        ("kmc -nonsense a.fq o .", "nonsense"),
        ("kmc none.fq o .", "none.fq"),
        ("kmc_dump none o", "none"),
        ("kmc_tools nonsense", "nonsense"),
        ("kraken2 --nonsense", "--nonsense"),
        ("kraken2 --db none a.fq", "none"),
        (
            "kraken2 --protein-query --db none a.fq",
            "hint: there are no databases",
        ),
    ] {
        let ended = place.shell(&format!("exec ./{line}"));
        assert!(matches!(ended.code, Some(1 | 2)), "{line}");
        let stderr = &ended.stderr;
        assert!(stderr.starts_with("thalweg: error: "), "{line}: {stderr}");
        assert!(stderr.contains(told), "{line}: {stderr}");
        assert!(
            !stderr.contains("\nerror: ") && !stderr.contains("tip: "),
            "{line}: {stderr}"
        );
    }
}

#[test]
fn names_do_nothing_to_a_terminal() {
    let place = Place::new();
    let name = "\x1b[2Jred\x07.fq";
    for words in [
        &["stats", name][..],
        &["cat", name],
        &[name],
        &["cat", "--", name],
    ] {
        let told = place.run(words);
        assert_ne!(told.code, Some(0));
        assert!(
            told.stderr.contains(r"\x1b[2Jred\x07.fq"),
            "{}",
            told.stderr
        );
        let is_harmful = |letter: char| letter.is_control() && letter != '\n';
        assert!(!told.stderr.contains(is_harmful), "{:?}", told.stderr);
    }
    // Names of reads.
    place.write("1.fq", "@a\x1b[31m\nA\n+\nI\n");
    place.write("2.fq", "@b\x1b[32m\nA\n+\nI\n");
    let told = place.run(&["stats", "--mates", "1.fq", "2.fq"]);
    assert!(told.stderr.contains(r"a\x1b[31m"), "{}", told.stderr);
}

/// As a terminal sees it, with and without colours.
#[test]
fn errors_have_colours_on_a_terminal() {
    let place = Place::new();
    let name = "\x1b[2Ja.fq";
    place.write(name, fastq(1));
    let shown = |script: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new("script");
        command
            .args(["-qec", script, "/dev/null"])
            .current_dir(place.path(""))
            .env("THALWEG", env!("CARGO_BIN_EXE_thalweg"))
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        command
            .output()
            .map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Ok(coloured) = shown("$THALWEG stats --no-progress none.fq", &[]) else {
        eprintln!("SKIPPED: errors_have_colours_on_a_terminal: no script");
        return;
    };
    assert!(
        coloured.contains("thalweg: \x1b[1;31merror:\x1b[0m none.fq"),
        "{coloured:?}"
    );
    assert!(coloured.contains("\x1b[1;36mhint:\x1b[0m "), "{coloured:?}");
    for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let told = shown("$THALWEG stats --no-progress none.fq", &[plain]).unwrap();
        assert!(told.contains("thalweg: error: none.fq"), "{told:?}");
        assert!(!told.contains('\x1b'), "{told:?}");
    }
    // Results, too, where they are shown.
    let rows = shown("$THALWEG stats --no-progress *a.fq", &[]).unwrap();
    assert!(
        rows.contains(r"\x1b[2Ja.fq") && !rows.contains('\x1b'),
        "{rows:?}"
    );
}

/// What it says when a signal comes, such as that of Ctrl-C, while its input goes on.
fn interrupted(place: &Place, signal: (&str, i32), words: &[&str]) -> String {
    let (name, number) = signal;
    // What runs in the background ignores it, and so do its children.
    let mut command = Command::new("env");
    command
        .arg(format!("--default-signal={name}"))
        .arg(env!("CARGO_BIN_EXE_thalweg"))
        .args(words)
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&fastq(100)).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let process = child.id().to_string();
    let sent = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(&process)
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(number), "{:?}", output.status);
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_interrupted_command_says_that_nothing_was_written() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    let before = place.names();
    let (interrupt, end) = (("INT", 2), ("TERM", 15));
    for (signal, words) in [
        (
            interrupt,
            &["qc", "--stdin", "-o", "o.fq", "-j", "j", "-h", "h"][..],
        ),
        // These have not begun an output yet.
        (interrupt, &["cat", "--names", "-", "a.fq", "-o", "o.fq"]),
        (end, &["taxa", "build", "--files-from", "-", "-o", "o.tht"]),
    ] {
        let told = interrupted(&place, signal, words);
        let last = "thalweg: interrupted: no output file was written";
        assert_eq!(told.lines().last(), Some(last), "{words:?}");
        assert_eq!(place.names(), before);
    }
    // Where no file was to be, nothing is said of any.
    for (signal, words) in [
        (interrupt, &["stats", "-"][..]),
        (end, &["cat", "-", "-o", "/dev/null"]),
    ] {
        let told = interrupted(&place, signal, words);
        assert!(!told.contains("written"), "{words:?}: {told}");
    }
}

/// Somebody who reads no messages holds up no end.
#[test]
fn a_signal_ends_what_nobody_listens_to() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    let mut filling = writer.try_clone().unwrap();
    // More than a pipe holds.
    let filler = std::thread::spawn(move || filling.write_all(&[b'-'; 1 << 22]));
    std::thread::sleep(Duration::from_millis(500));
    let mut child = place
        .command(&["cat", "-", "-o", "o.fq"])
        .stdin(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let process = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &process]).status();
    assert!(sent.unwrap().success());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let is_late = start.elapsed() > Duration::from_secs(20);
        if is_late {
            child.kill().unwrap();
        }
        assert!(!is_late, "it waits for a reader");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(reader);
    assert!(filler.join().unwrap().is_err());
}

#[test]
fn completions_are_there_for_every_name() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        for (name, option) in [
            ("thalweg", "no-progress"),
            ("fastp", "cut_right"),
            ("fastqc", "outdir"),
            ("jellyfish", "mer-len"),
            ("kraken2", "use-names"),
        ] {
            let script = place.ok(&["completions", shell, name]).text();
            assert!(script.contains(option), "{shell} {name}");
            assert!(
                script.contains(&format!("{name} ")) || script.contains(&format!("_{name}")),
                "{shell} {name}"
            );
        }
    }
    let fish = place.ok(&["completions", "fish"]).text();
    assert!(fish.contains(" -s '?' ") && !fish.contains(" -s ? "));
}

/// Their values stand behind their options, in the same word.
#[test]
fn programs_of_kmc_are_completed() {
    let place = Place::new();
    for (program, words) in [
        ("kmc", &["k", "ci", "cs"][..]),
        ("kmc_dump", &["cx"]),
        ("kmc_tools", &["transform", "kmers_subtract", "ocmin"]),
    ] {
        for shell in ["bash", "zsh", "fish"] {
            let script = place.ok(&["completions", shell, program]).text();
            for word in words.iter().chain([&program]) {
                assert!(script.contains(word), "{shell} {program} {word}");
            }
        }
        place.fails(&["completions", "elvish", program], 2, &[program, "bash"]);
    }
    place.write("tr.db", "");
    place.write("un b.db", "");
    let completed = |program: &str, words: &str| {
        let place = words.split(' ').count();
        let script = format!(
            "source <($THALWEG completions bash {program}); COMP_WORDS=({program} {words}); COMP_CWORD={place}; \
             compopt() {{ echo \"$@\"; }}; _{program}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        script
    };
    for (program, words, expected) in [
        ("kmc", "-c", "-ci\n-cx\n-cs\n"),
        ("kmc", "-m", "-o nospace\n-m\n"),
        ("kmc", "-w", "-w\n"),
        ("kmc", "tr", "-o filenames\ntr.db\n"),
        ("kmc_tools", "tr", "transform\n"),
        ("kmc_tools", "-t8 tr", "transform\n"),
        ("kmc_tools", "-t8 ''", "transform\nsimple\nfilter\ninfo\n"),
        ("kmc_tools", "simple a b uni", "-o filenames\nunion\n"),
        ("kmc_tools", "simple a tr", "-o filenames\ntr.db\n"),
        (
            "kmc_tools",
            "-t8 simple a un",
            "-o filenames\nunion\nun b.db\n",
        ),
    ] {
        let ended = place.shell(&completed(program, words));
        assert_eq!(
            ended.text(),
            expected,
            "{program} {words}: {}",
            ended.stderr
        );
    }
}

#[test]
fn the_options_that_most_need_come_first() {
    let place = Place::new();
    let help = place.ok(&["qc", "--help"]).text();
    let (_, options) = help.split_once("\nMain options:\n").unwrap();
    let (first, _) = options.split_once("\n\nInput and output:").unwrap();
    for option in [
        "--in1",
        "--in2",
        "--out1",
        "--out2",
        "--adapter_sequence",
        "--cut_right",
        "--length_required",
        "--interleaved_in",
        "--compression",
        "--json",
        "--html",
        "--fastqc",
        "--thread",
    ] {
        assert!(
            first.contains(&format!("{option} <")) || first.contains(&format!("{option}\n")),
            "{option}: {first}"
        );
    }
    let options = first
        .lines()
        .filter(|line| line.trim_start().starts_with('-'))
        .count();
    assert_eq!(options, 13, "{first}");
    let help = place.ok(&["count", "--help"]).text();
    assert!(help.contains("21 is usual"), "{help}");
}

#[test]
fn columns_are_those_of_jellyfish() {
    let place = with_databases();
    let ours = place.ok(&["kmers", "dump", "-q", "-c", "a.thk"]).text();
    assert!(ours.lines().all(|line| line.split(' ').count() == 2));
    let tabs = place.ok(&["kmers", "dump", "-q", "a.thk"]).text();
    assert_eq!(ours, tabs.replace('\t', " "));
    place.fails(
        &["kmers", "dump", "-c", "--format", "fasta", "a.thk"],
        2,
        &["--format"],
    );
    let mut theirs = Command::new("/usr/bin/jellyfish");
    theirs.args(["dump", "-c"]).arg(place.path("a.jf"));
    let Ok(theirs) = theirs.output() else {
        eprintln!("SKIPPED: columns_are_those_of_jellyfish: no jellyfish");
        return;
    };
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let mut lines: Vec<&str> = theirs.lines().collect();
    lines.sort_unstable();
    assert_eq!(ours.lines().collect::<Vec<_>>(), lines);
}

/// A script that others may run, a secret that others may not read.
#[test]
fn what_is_replaced_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    place.write("a.fq", fastq(100));
    for mode in [0o600, 0o640, 0o755] {
        for (words, output) in [
            (&["cat", "a.fq", "-o", "o"][..], "o"),
            (
                &[
                    "qc",
                    "a.fq",
                    "-o",
                    "o.fq",
                    "-j",
                    "j",
                    "-h",
                    "h",
                    "--no_sync",
                ],
                "o.fq",
            ),
            (&["qc", "a.fq", "-o", "o.fq", "-j", "j", "-h", "h"], "j"),
            (&["count", "-q", "-k5", "a.fq", "-o", "o.thk"], "o.thk"),
        ] {
            let path = place.write(output, "old");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            place.ok(words);
            assert_ne!(place.read(output), b"old");
            let found = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{words:?}: {found:o}");
        }
    }
}
