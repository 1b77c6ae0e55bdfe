//! A link named `kraken2`, against the program of that name

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Ended, Place, ended, random};
use crate::taxa_world::{NAMES, NODES, built, fasta, letters, reads};

/// Runs the link with these words, here.
fn link(place: &Place, words: &[&str], variables: &[(&str, &str)]) -> Ended {
    let path = place.path("kraken2");
    if !path.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), &path).unwrap();
    }
    let mut command = Command::new(path);
    command.current_dir(place.path(".")).args(words);
    command.stdin(Stdio::null());
    for name in [
        "KRAKEN2_DB_PATH",
        "KRAKEN2_DEFAULT_DB",
        "KRAKEN2_NUM_THREADS",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    ended(command)
}

fn ok(place: &Place, words: &[&str]) -> Ended {
    let ended = link(place, words, &[]);
    assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.stderr);
    ended
}

/// Two genomes that have nothing in common, a database of either program, and pairs with an error now and then.
///
/// `None` if kraken2 is not installed.
fn two_databases() -> Option<Place> {
    let is_there = |program: &str| {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !is_there("kraken2") || !is_there("kraken2-build") {
        eprintln!("SKIPPED: kraken2_and_its_namesake_agree: no kraken2");
        return None;
    }
    let place = Place::new();
    std::fs::create_dir_all(place.path("theirs/taxonomy")).unwrap();
    place.write("theirs/taxonomy/nodes.dmp", NODES);
    place.write("theirs/taxonomy/names.dmp", NAMES);
    let mut next = random(4711);
    let genomes: Vec<Vec<u8>> = (0..2).map(|_| letters(20_000, &mut next)).collect();
    let mut library = fasta("a1|kraken:taxid|21 strain A", &genomes[0]);
    library.extend(fasta("kraken:taxid|12|c1", &genomes[1]));
    place.write("genomes.fa", library);
    let build = |words: &[&str]| {
        let mut command = Command::new("kraken2-build");
        command
            .current_dir(place.path("."))
            .args(["--db", "theirs"])
            .args(words);
        let ended = ended(command);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    build(&["--no-masking", "--add-to-library", "genomes.fa"]);
    build(&["--build", "--threads", "1"]);
    place.ok(&[
        "taxa",
        "build",
        "-q",
        "--no-masking",
        "--taxonomy",
        "theirs/taxonomy",
        "genomes.fa",
        "-o",
        "ours.tht",
    ]);
    let mut files = [Vec::new(), Vec::new()];
    for pair in 0..900 {
        let genome = match pair % 5 {
            0 => letters(500, &mut next),
            1 | 2 => genomes[0].clone(),
            _ => genomes[1].clone(),
        };
        for (mate, text) in files.iter_mut().enumerate() {
            let start = next(genome.len() - 149);
            let mut bases = genome[start..start + 150].to_vec();
            bases[75] = b"ACGTN"[next(5)];
            text.extend_from_slice(format!("@read{pair}/{} of a run\n", mate + 1).as_bytes());
            text.extend_from_slice(&bases);
            text.extend_from_slice(b"\n+\n");
            text.extend((0..150).map(|_| if next(200) == 0 { b'#' } else { b'I' }));
            text.push(b'\n');
        }
    }
    place.write("r1.fq", &files[0]);
    place.write("r2.fq", &files[1]);
    Some(place)
}

/// The columns of each line that must be equal.
fn columns(text: &[u8], number: usize) -> Vec<Vec<String>> {
    let lines = str::from_utf8(text).unwrap().lines();
    let of_line = |line: &str| line.split('\t').take(number).map(str::to_owned).collect();
    lines.map(of_line).collect()
}

#[test]
fn kraken2_and_its_namesake_agree() {
    let Some(place) = two_databases() else {
        return;
    };
    for (number, words) in [
        &["r1.fq"][..],
        &["--use-names", "--report-zero-counts", "r1.fq", "r2.fq"],
        &["--paired", "r1.fq", "r2.fq"],
        // Its shares are of all k-mers, and ours of those that are of bases only: this one tells them not apart.
        &["--paired", "--confidence", "0.3", "r1.fq", "r2.fq"],
        &["--paired", "--minimum-base-quality", "20", "r1.fq", "r2.fq"],
        &["--minimum-base-quality", "30", "--threads", "2", "r1.fq"],
    ]
    .iter()
    .enumerate()
    {
        let outputs = |folder: &str| {
            std::fs::create_dir_all(place.path(folder)).unwrap();
            let option = |name: &str, file: &str| format!("--{name}={folder}/{file}");
            [
                option("classified-out", "c#.fq"),
                option("unclassified-out", "u#.fq"),
                option("report", "report"),
                option("output", "labels"),
            ]
        };
        let (ours, theirs) = (format!("ours{number}"), format!("theirs{number}"));
        let mut command = Command::new("kraken2");
        command
            .current_dir(place.path("."))
            .args(["--db", "theirs"]);
        command.args(outputs(&theirs)).args(*words);
        let kraken2 = ended(command);
        assert_eq!(kraken2.code, Some(0), "{}", kraken2.stderr);
        let named = outputs(&ours);
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let namesake = ok(&place, &[&["--db", "ours"], &named[..], words].concat());
        let names = |folder: &str| crate::support::names_in(&place.path(folder));
        assert_eq!(names(&ours), names(&theirs), "{words:?}");
        for name in names(&ours) {
            let [ours, theirs] =
                [&ours, &theirs].map(|folder| place.read(&format!("{folder}/{name}")));
            match &*name {
                "labels" => assert_eq!(columns(&ours, 4), columns(&theirs, 4), "{words:?}"),
                "report" => assert_reports(&ours, &theirs),
                _ => assert!(ours == theirs, "{words:?}: {name}"),
            }
        }
        // But for the time that it took.
        let said = |ended: &Ended| -> Vec<String> {
            let lines = ended
                .stderr
                .lines()
                .filter(|line| line.contains("classified"));
            lines.map(|line| line.trim().to_owned()).collect()
        };
        assert_eq!(said(&namesake).len(), 2);
        for line in said(&namesake) {
            assert!(kraken2.stderr.contains(&line), "{line}: {}", kraken2.stderr);
        }
    }
    for words in [
        &["--use-mpa-style"][..],
        &["--use-mpa-style", "--report-zero-counts"],
    ] {
        let more = ["--output", "-", "r1.fq"];
        let mut command = Command::new("kraken2");
        command
            .current_dir(place.path("."))
            .args(["--db", "theirs", "--report", "theirs.mpa"]);
        command.args(words).args(more);
        let kraken2 = ended(command);
        assert_eq!(kraken2.code, Some(0), "{}", kraken2.stderr);
        let db = ["--db", "ours.tht", "--report", "ours.mpa"];
        let namesake = ok(&place, &[&db, words, &more].concat());
        assert_eq!(
            (&kraken2.stdout[..], &namesake.stdout[..]),
            (&b""[..], &b""[..])
        );
        let [ours, theirs] = ["ours.mpa", "theirs.mpa"].map(|name| columns(&place.read(name), 9));
        assert_eq!(ours, theirs, "{words:?}");
    }
    kmers_of_reports_agree(&place);
}

/// Both have two columns more, of what they look up: k-mers here, minimizers there.
fn kmers_of_reports_agree(place: &Place) {
    let more = ["--report-minimizer-data", "--output", "-", "r1.fq", "r2.fq"];
    let mut command = Command::new("kraken2");
    command.current_dir(place.path("."));
    command.args(["--db", "theirs", "--report", "theirs.report"]);
    command.args(more);
    let kraken2 = ended(command);
    assert_eq!(kraken2.code, Some(0), "{}", kraken2.stderr);
    let db = ["--db", "ours.tht", "--report", "ours.report"];
    ok(place, &[&db[..], &more].concat());
    let split = |name: &str| {
        let mut lines = columns(&place.read(name), 9);
        let kmers = lines.iter_mut().map(|line| {
            assert_eq!(line.len(), 8, "{line:?}");
            let kmers = line
                .drain(3..5)
                .map(|number| number.parse::<u64>().unwrap());
            Vec::from_iter(kmers)
        });
        (Vec::from_iter(kmers), lines)
    };
    let ((kmers, ours), (minimizers, theirs)) = (split("ours.report"), split("theirs.report"));
    assert_lines(ours, theirs);
    // A minimizer is that of several k-mers.
    for (kmers, minimizers) in kmers.iter().zip(&minimizers).skip(1) {
        assert!(
            kmers[0] >= kmers[1] && kmers[1] > minimizers[1] / 2,
            "{kmers:?} {minimizers:?}"
        );
    }
    assert_eq!((&kmers[0], &minimizers[0]), (&vec![0, 0], &vec![0, 0]));
    // Genomes of 20,000 bases each that have nothing in common.
    assert!((30_000..=39_940).contains(&kmers[1][1]), "{kmers:?}");
}

fn assert_reports(ours: &[u8], theirs: &[u8]) {
    assert_lines(columns(ours, 9), columns(theirs, 9));
}

fn assert_lines(ours: Vec<Vec<String>>, theirs: Vec<Vec<String>>) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        // Debian's build of 2.1.2 loses letters of ranks.
        let is_cut = ours[3].get(1..) == Some(&theirs[3]);
        assert!(ours[3] == theirs[3] || is_cut, "{ours:?}, not {theirs:?}");
        assert_eq!(ours[..3], theirs[..3]);
        assert_eq!(ours[4..], theirs[4..]);
    }
}

#[test]
fn databases_are_found_as_kraken2_does() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 40));
    for folder in [
        "dbs/one",
        "dbs/empty",
        "dbs/many",
        "dbs/theirs/taxonomy",
        "dbs/theirs/library",
    ] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    std::fs::copy(place.path("ref.tht"), place.path("dbs/one/database.tht")).unwrap();
    place.write("dbs/theirs/hash.k2d", "x");
    for number in 1..8 {
        place.write(&format!("dbs/many/{number}.tht"), "x");
    }
    let wanted = ok(place, &["--db", "ref.tht", "reads.fq"]).stdout;
    assert_eq!(wanted.split(|&byte| byte == b'\n').count(), 41);
    let absolute = place.path("ref.tht").to_str().unwrap().to_owned();
    for (words, variables) in [
        (&["--db", "ref"][..], &[][..]),
        (&["--db", "./ref.tht"], &[("KRAKEN2_DB_PATH", "nowhere")]),
        (&["--db=one"], &[("KRAKEN2_DB_PATH", "nowhere:dbs")]),
        (&["--db", "ref"], &[("KRAKEN2_DB_PATH", "dbs:")]),
        (
            &[],
            &[
                ("KRAKEN2_DEFAULT_DB", &*absolute),
                ("KRAKEN2_NUM_THREADS", "2"),
            ],
        ),
        (
            &["--memory-mapping", "--gzip-compressed", "--db", "dbs/one"],
            &[],
        ),
        (&["--db", "gone", "--db", "ref", "--threads", "3"], &[]),
        (&["-db", "ref", "-Threads=2"], &[]),
    ] {
        let ended = link(place, &[words, &["reads.fq"]].concat(), variables);
        assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.stderr);
        assert!(ended.stdout == wanted, "{words:?}");
    }
    for (words, variables, told) in [
        (&[][..], &[][..], &["no database", "--db"][..]),
        (
            &["--db", "gone"],
            &[("KRAKEN2_DB_PATH", "dbs")],
            &["gone", "KRAKEN2_DB_PATH"],
        ),
        (
            &["--db", "dbs/empty"],
            &[],
            &["dbs/empty", "without a database"],
        ),
        (
            &["--db", "dbs/theirs"],
            &[],
            &[
                "dbs/theirs",
                "taxa build --taxonomy dbs/theirs/taxonomy dbs/theirs/library",
            ],
        ),
        (
            &["--db", "ref"],
            &[("KRAKEN2_NUM_THREADS", "many")],
            &["KRAKEN2_NUM_THREADS=many"],
        ),
        (
            &["--db", "ref", "--paired"],
            &[],
            &["--paired needs an even number of files, not 1\n"],
        ),
        (
            &["--db=ref", "--paired", "--classified-out=x", "reads.fq"],
            &[],
            &["--classified-out x: with --paired, the name needs a #"],
        ),
        (
            &["--db", "dbs/many"],
            &[],
            &["dbs/many: a directory of 7 databases: 1.tht, 2.tht, 3.tht, 4.tht, 5.tht, ..."],
        ),
        (
            &["--db", "dbs/theirs/hash.k2d"],
            &[],
            &["dbs/theirs: this is a kraken2 database"],
        ),
        (
            &["--db", "ref", "--confidence", "1.5"],
            &[],
            &["--confidence 1.5"],
        ),
        (
            &["--db", "ref", "--bzip2-compressed", "--gzip-compressed"],
            &[],
            &["content"],
        ),
        (
            &["--db", "ref", "--classified-out", "x", "--output", "x"],
            &[],
            &["same file"],
        ),
    ] {
        let ended = link(place, &[words, &["reads.fq"]].concat(), variables);
        ended.expect_failure(2, told);
    }
    assert!(!place.path("x").exists());
}

#[test]
fn what_has_no_effect_is_told() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 40));
    let words = [
        "--db=ref",
        "--quick",
        "--minimum-hit-groups=3",
        "--use-mpa-style",
        "reads.fq",
    ];
    let ended = ok(place, &words);
    for option in [
        "--quick has no effect",
        "--minimum-hit-groups has no effect",
        "without --report",
    ] {
        assert!(ended.stderr.contains(option), "{}", ended.stderr);
    }
    for option in ["--version", "-v", "-V", "--vers", "-version"] {
        let version = ok(place, &[option]).text();
        assert!(version.starts_with("Kraken version 2."), "{option}");
    }
    let help = ok(place, &["--help"]).text();
    assert!(
        help.contains("--minimum-base-quality") && help.contains("thalweg"),
        "{help}"
    );
    let ended = link(place, &["--use-daemon", "--db=ref", "reads.fq"], &[]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("no daemon is needed"),
        "{}",
        ended.stderr
    );
    let ended = link(place, &["--db=ref"], &[]);
    assert_eq!(ended.code, Some(2));
}

/// MultiQC finds the sample of a report, and what is in it.
#[test]
fn multiqc_reads_reports() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 400));
    let classify = ["classify", "-q", "ref.tht", "reads.fq", "-o", "/dev/null"];
    place.ok(&[&classify[..], &["--report", "ours.kreport"]].concat());
    ok(
        place,
        &[
            "--db=ref",
            "reads.fq",
            "--output=-",
            "--report=link.kreport",
        ],
    );
    // Each of its own kind, and of no read at all.
    place.write("none.fq", "");
    for (name, more) in [
        ("kmers", &["reads.fq", "--report-kmers"][..]),
        ("lmat", &["reads.fq", "--report-kmers", "--rule=lmat"]),
        ("zero", &["reads.fq", "--report-zero-counts"]),
        ("nothing", &["none.fq"]),
    ] {
        let report = format!("{name}.kreport");
        let classify = ["classify", "-q", "ref.tht", "-o", "/dev/null"];
        place.ok(&[&classify[..], &["--report", &report], more].concat());
    }
    let multiqc = std::env::var_os("THALWEG_MULTIQC").unwrap_or("multiqc".into());
    let mut run = Command::new(multiqc);
    run.current_dir(place.path("."));
    run.args(["-q", "-m", "kraken", "-o", "report", "."]);
    let Ok(output) = run.output() else {
        eprintln!("SKIPPED: multiqc_reads_reports: no multiqc");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let data = place.read("report/multiqc_data/multiqc_data.json");
    let data = String::from_utf8(data).unwrap();
    for word in ["ours", "link", "kmers", "lmat", "zero", "Madeus alter"] {
        assert!(data.contains(word), "{word} is not in what MultiQC found");
    }
    assert!(Path::new(&place.path("report")).is_dir());
}
