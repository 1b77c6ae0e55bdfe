//! What `thalweg qc --fastp-compat`, and a link named `fastp`, take as fastp does; and what the default mode says of it.

use std::process::Command;

use crate::support::{Ended, Place, ended, fastq_with, random};

/// Pairs of 100 bases from inserts of 150 and 300, and single reads.
pub(crate) fn place() -> Place {
    let place = Place::new();
    let mut random = 88_172_645_463_325_252_u64;
    let mut base = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char::from(b"ACGT"[(random >> 33) as usize % 4])
    };
    let other = |base| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        _ => 'A',
    };
    let mut mates = [String::new(), String::new()];
    for number in 0..60 {
        let size = if number % 3 == 0 { 300 } else { 150 };
        let insert: String = (0..size).map(|_| base()).collect();
        let reverse: String = insert.chars().rev().map(other).collect();
        for (mate, strand) in [insert, reverse].iter().enumerate() {
            let quality = if number % 7 == mate { "#" } else { "I" };
            let (bases, qualities) = (&strand[..100], quality.repeat(100));
            mates[mate].push_str(&format!(
                "@r{number}/{}\n{bases}\n+\n{qualities}\n",
                mate + 1
            ));
        }
    }
    place.write("r1.fq", &mates[0]);
    place.write("r2.fq", &mates[1]);
    place
}

pub(crate) fn has_fastp() -> bool {
    let found = Command::new("fastp").arg("--version").output();
    let is_it = found.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stderr).starts_with("fastp 0.23")
            || String::from_utf8_lossy(&output.stdout).starts_with("fastp 0.23")
    });
    if !is_it {
        println!("skipped: no fastp 0.23");
    }
    is_it
}

/// fastp, without what it counts for its reports alone: that takes memory which it clears first, a gigabyte.
const FASTP: [&str; 2] = ["fastp", "--dont_eval_duplication"];

/// Run fastp, or thalweg in its place, in a directory of its own; give what came of it.
fn outputs(place: &Place, program: &[&str], line: &str) -> (Ended, Vec<(String, Vec<u8>)>) {
    let directory = place.path("run");
    std::fs::create_dir(&directory).unwrap();
    let mut command = Command::new("timeout");
    command
        .current_dir(&directory)
        .arg("60")
        .args(program)
        .args(line.split_whitespace());
    let ended = ended(command);
    let mut files = Vec::new();
    for name in crate::support::names_in(&directory) {
        let text = std::fs::read(directory.join(&name)).unwrap();
        // What they say is compared elsewhere.
        let is_report = name.ends_with("json") || name.ends_with("html");
        files.push((name, if is_report { Vec::new() } else { text }));
    }
    std::fs::remove_dir_all(&directory).unwrap();
    (ended, files)
}

#[test]
fn what_fastp_takes_is_taken_and_ends_in_the_same_files() {
    if !has_fastp() {
        return;
    }
    let place = place();
    let pairs = "-i ../r1.fq -I ../r2.fq -w 1";
    let single = "-i ../r1.fq -w 1";
    for (line, fails) in [
        (format!("{pairs} -m --stdout -o a.fq -O b.fq"), false),
        (format!("{pairs} -m --stdout -O b.fq"), false),
        (format!("{pairs} -m --stdout --merged_out m.fq"), false),
        (
            format!("{pairs} -m --stdout --merged_out m.fq -o a.fq -O b.fq"),
            false,
        ),
        (format!("{pairs} -m --stdout -o a.fq"), true),
        (format!("{pairs} -m -o a.fq"), false),
        (format!("{pairs} -m -o a.fq -O b.fq"), true),
        (format!("{pairs} -m --merged_out m.fq -O b.fq"), false),
        (format!("{pairs} -m --merged_out m.fq -o a.fq"), true),
        (format!("{pairs} --merged_out m.fq"), false),
        (format!("{pairs} --merged_out m.fq -o a.fq -O b.fq"), false),
        (format!("{pairs} --include_unmerged -o a.fq -O b.fq"), false),
        (
            format!(
                "{pairs} -m --merged_out m.fq --include_unmerged -o a.fq -O b.fq --unpaired1 u.fq --unpaired2 v.fq --failed_out f.fq"
            ),
            false,
        ),
        (
            format!("{pairs} -m --stdout --include_unmerged -o a.fq"),
            false,
        ),
        (format!("{pairs} --length_limit 10 -o a.fq -O b.fq"), false),
        (
            format!("{pairs} --length_limit 10 -l 50 -o a.fq -O b.fq"),
            false,
        ),
        (
            format!("{pairs} --overlap_len_require 0 -o a.fq -O b.fq"),
            false,
        ),
        (format!("{single} --length_limit 10 -o a.fq"), false),
        (format!("{single} --merged_out m.fq -o a.fq"), false),
        (format!("{single} --stdout -o a.fq"), false),
        (format!("{single} --stdin -o a.fq"), false),
        (
            format!("{single} -o a.fq --unpaired1 u.fq --unpaired2 v.fq --overlapped_out x.fq"),
            false,
        ),
        (
            format!("{single} -o a.fq --adapter_sequence_r2 ACGTACGT"),
            false,
        ),
        (format!("{single} -o a.fq -O b.fq"), true),
        (format!("{single} -m --merged_out m.fq"), true),
        (
            format!("{single} -j x.json -j y.json -h x.html -h y.html -o a.fq -o b.fq"),
            false,
        ),
        (format!("{single} -q 20 -q 30 -A -A -Q -Q -o a.fq"), false),
        (format!("{single} --dup_calc_accuracy 0 -o a.fq"), false),
        (format!("{single} -s 2"), false),
        (format!("{single} --cut_by_quality5 -M 30 -o a.fq"), false),
        (format!("{single} --cut_by_quality3 -M 30 -o a.fq"), false),
        (
            format!("{single} --cut_by_quality_aggressive -M 30 -o a.fq"),
            false,
        ),
        (format!("{pairs} --fix_mgi_id -o a.fq -O b.fq"), false),
        (format!("{single} -y -Y 150 -o a.fq"), false),
        (format!("{single} -w 0 -o a.fq"), false),
        (format!("{single} -o a.fq and more words"), false),
        (format!("{pairs} -o a.fq -O b.fq ../r1.fq"), false),
        (
            format!("{single} -U --umi_loc READ1 --umi_len 4 -o a.fq"),
            false,
        ),
        (
            format!("{single} -L --length_limit 10 -l 20 -o a.fq"),
            false,
        ),
    ] {
        let ours = [env!("CARGO_BIN_EXE_thalweg"), "qc", "--fastp-compat=0.23"];
        let (theirs, wanted) = outputs(&place, &FASTP, &line);
        let (ended, found) = outputs(&place, &ours, &line);
        assert_eq!(
            theirs.code != Some(0),
            fails,
            "fastp {line}: {}",
            theirs.stderr
        );
        assert_eq!(ended.code != Some(0), fails, "{line}: {}", ended.stderr);
        if !fails {
            assert_eq!(ended.stdout, theirs.stdout, "{line}");
            assert_eq!(found, wanted, "{line}");
        }
    }
}

/// Which of several adapters is cut first decides where the read ends: what is left of it is
/// where the next one is looked for.
#[test]
fn adapters_of_a_list_are_cut_in_the_order_of_their_names() {
    if !has_fastp() {
        return;
    }
    let place = place();
    let adapters = ["GGGTTTAAACCC", "TAAGGGCATGCA", "TTAACGGTCGAT"];
    let mut below = random(88_172_645_463_325_252);
    for mate in ["r1.fq", "r2.fq"] {
        let reads = (0..400).map(|number| {
            let mut bases: String = (0..50).map(|_| char::from(b"ACGT"[below(4)])).collect();
            for _ in 0..4 {
                // Parts of adapters on one another: what one leaves is the beginning of others.
                let adapter = adapters[below(3)];
                let length = 4 + below(adapter.len() - 3);
                bases.push_str(&adapter[..length]);
            }
            let qualities = "I".repeat(bases.len());
            format!("@r{number}\n{bases}\n+\n{qualities}\n")
        });
        place.write(mate, reads.collect::<String>());
    }
    let lists = [
        ["z1", "y2", "a3"],
        ["TruSeq R1", "TruSeq R2", "Nextera"],
        ["x 1", "x 2", "a"],
        ["x", "x", "a"],
        ["b", "a", "b"],
        ["a", "B", "A"],
        ["a\t2", "a 1", "a"],
    ];
    let (mut found_by_file, mut found_by_name) = (Vec::new(), Vec::new());
    for names in lists {
        // The last one stands twice: under its name, and under one behind all others.
        let names = names.into_iter().chain(["~"]);
        let sequences = adapters.into_iter().chain([adapters[2]]);
        let list = names.clone().zip(sequences);
        let list: String = list
            .map(|(name, bases)| {
                format!(">{name}\n{}\n{}\n", &bases[..7], bases[7..].to_lowercase())
            })
            .collect();
        place.write("list.fa", list);
        for line in [
            "-i ../r1.fq -o a.fq -w 1 --adapter_fasta ../list.fa",
            "-i ../r1.fq -I ../r2.fq -o a.fq -O b.fq -w 1 --adapter_fasta ../list.fa",
            "-i ../r1.fq -I ../r2.fq -o a.fq -O b.fq -w 1 --adapter_fasta ../list.fa -a AACCCTAAGG",
        ] {
            let ours = [env!("CARGO_BIN_EXE_thalweg"), "qc", "--fastp-compat=0.23"];
            let (theirs, wanted) = outputs(&place, &FASTP, line);
            let (ended, found) = outputs(&place, &ours, line);
            assert_eq!(theirs.code, Some(0), "{}", theirs.stderr);
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            let names: Vec<&str> = names.clone().collect();
            assert!(found == wanted, "{names:?}: {line}");
            found_by_name.push(found);
        }
        // Whatever the names: in the order of the file.
        let line = "-i ../r1.fq -o a.fq -w 1 --adapter_fasta ../list.fa";
        let (_, found) = outputs(&place, &[env!("CARGO_BIN_EXE_thalweg"), "qc"], line);
        found_by_file.push(found);
    }
    assert!(found_by_file.iter().all(|found| *found == found_by_file[0]));
    // Otherwise nothing was shown.
    found_by_name.sort();
    found_by_name.dedup();
    assert!(found_by_name.len() > 6, "{}", found_by_name.len());
}

#[test]
fn a_link_named_fastp_speaks_of_fastp() {
    let place = place();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastp")).unwrap();
    for (line, code, said) in [
        ("", 0, "Usage: fastp -i <IN1>"),
        ("-o x.fq", 2, "hint: fastp -i r1.fq.gz"),
        ("--bogus", 2, "Usage: fastp -i <IN1>"),
    ] {
        let (ended, _) = outputs(&place, &["../fastp"], line);
        assert_eq!(ended.code, Some(code), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{line}: {}", ended.stderr);
        assert!(!ended.stderr.contains("thalweg qc r1"), "{}", ended.stderr);
    }
}

#[test]
fn a_link_named_fastp_says_what_it_ignores() {
    let place = place();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastp")).unwrap();
    let fastp = |line: &str| {
        let (ended, files) = outputs(&place, &["../fastp"], line);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let names: Vec<String> = files.into_iter().map(|(name, _)| name).collect();
        (ended, names.join(" "))
    };
    let pairs = "-i ../r1.fq -I ../r2.fq";
    for (line, said, files) in [
        (
            "-m --stdout -o a.fq -O b.fq",
            "In STDOUT mode, ignore the out1 filename a.fq\n",
            "fastp.html fastp.json",
        ),
        (
            "--stdout -o a.fq -O b.fq",
            "In STDOUT mode, ignore the out2 filename b.fq\n",
            "fastp.html fastp.json",
        ),
        (
            "--merged_out m.fq",
            "You haven't enabled merging mode (-m/--merge), ignoring argument --merged_out = m.fq\n",
            "fastp.html fastp.json",
        ),
        (
            "-m --merged_out m.fq --include_unmerged -o a.fq -O b.fq",
            "You specified --include_unmerged in merging mode. Ignoring argument --out1 = a.fq\n",
            "fastp.html fastp.json m.fq",
        ),
        (
            "-j a.json -j b.json -h a.html -h b.html",
            "",
            "b.html b.json",
        ),
    ] {
        let (ended, names) = fastp(&format!("{pairs} {line}"));
        assert!(ended.stderr.contains(said), "{line}: {}", ended.stderr);
        assert_eq!(names, files, "{line}");
    }
}

#[test]
fn merged_reads_and_unmerged_ones_go_where_they_are_sent() {
    let place = place();
    let line = "qc r1.fq r2.fq -m -o a.fq -O b.fq";
    let words = |more: &'static str| line.split(' ').chain(more.split(' ')).collect::<Vec<_>>();
    place.ok(&words("--merged_out m.fq"));
    let wanted = ["m.fq", "a.fq", "b.fq"].map(|name| place.read(name));
    assert!(wanted.iter().all(|text| !text.is_empty()));
    for (more, kept) in [("--stdout", false), ("--stdout --merged_out m2.fq", true)] {
        let ended = place.ok(&words(more));
        assert!(ended.stdout == wanted[0], "{more}");
        assert!(place.read("a.fq") == wanted[1] && place.read("b.fq") == wanted[2]);
        assert_eq!(place.path("m2.fq").exists(), kept);
    }
    assert!(place.read("m2.fq") == wanted[0]);
    // Nothing is left for others then, and that is said.
    let ended = place.ok(&words("--merged_out m.fq --include_unmerged"));
    for option in ["-o", "-O"] {
        let said = format!("note: {option} stays empty: --include_unmerged");
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
    assert!(place.read("a.fq").is_empty() && place.read("b.fq").is_empty());
    assert!(place.read("m.fq").len() > wanted[0].len());
}

#[test]
fn single_reads_that_look_like_pairs_are_told() {
    let place = Place::new();
    let [first, second] = ["/1", "/2"].map(|mate| fastq_with(20, mate));
    let text = |from: &[u8]| String::from_utf8(from.to_vec()).unwrap();
    let (first, second) = (text(&first), text(&second));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (lines(&first), lines(&second));
    let pairs = first.chunks(4).zip(second.chunks(4));
    let mixed: Vec<String> = pairs
        .flat_map(|(one, other)| [one.join("\n"), other.join("\n")])
        .collect();
    let mixed = mixed.join("\n") + "\n";
    place.write("mixed.fq", &mixed);
    place.write("single.fq", first.join("\n") + "\n");
    let said = "if they are pairs, use --interleaved_in";
    for (words, is_told) in [
        (&["qc", "mixed.fq"][..], true),
        (&["qc", "mixed.fq", "-w", "1"], true),
        (&["qc", "mixed.fq", "--interleaved_in"], false),
        (&["qc", "mixed.fq", "--quiet"], false),
        (&["qc", "mixed.fq", "--fastp-compat"], false),
        (&["qc", "single.fq"], false),
    ] {
        let ended = place.ok(words);
        assert_eq!(
            ended.stderr.contains(said),
            is_told,
            "{words:?}: {}",
            ended.stderr
        );
    }
    let ended = place.feed(&["qc", "--stdin", "-Q"], mixed.as_bytes());
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    // Nothing to be split.
    for (option, number) in [("--split", "3"), ("--split_by_lines", "1000")] {
        let ended = place.ok(&["qc", "single.fq", option, number]);
        let said = format!("note: {option} has no effect: -o is not given");
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
}

#[test]
fn reports_that_cannot_be_written_are_told_with_a_way_out() {
    let place = place();
    std::fs::create_dir(place.path("r1.fastp.json")).unwrap();
    let words = ["qc", "r1.fq", "-o", "o.fq"];
    place.fails(&words, 2, &["r1.fastp.json", "-j and -h", "--no_report"]);
    std::fs::remove_dir(place.path("r1.fastp.json")).unwrap();
    let away = [&words[..], &["-h", "nowhere/x.html"]].concat();
    place.fails(&away, 2, &["nowhere/x.html", "--no_report"]);
    place.ok(&[&words[..], &["--no_report"]].concat());
}

/// All other options take their values behind a blank.
/// What fastp takes for mates, and says of adapters; without, names are compared.
#[test]
fn names_of_mates_and_of_files_are_as_fastp_takes_them() {
    let place = Place::new();
    place.write("1.fq", fastq_with(20, ""));
    let other = String::from_utf8(fastq_with(20, "")).unwrap();
    place.write(
        "2.fq",
        other.replace("\n@", "\n@other").replacen('@', "@other", 1),
    );
    let line = ["qc", "1.fq", "2.fq", "-o", "a.fq", "-O", "b.fq"];
    let refused = place.fails(&line, 1, &["does not match", "2.fq"]);
    assert!(!refused.stderr.contains("no names are compared"));
    for compat in ["--fastp-compat", "--fastp-compat=0.23"] {
        let ended = place.ok(&[&line[..], &[compat, "-w", "2", "-A", "-Q", "-L"]].concat());
        assert!(
            ended.stderr.contains("have different names"),
            "{}",
            ended.stderr
        );
        assert!(place.read("a.fq") == place.read("1.fq"));
        let empty = [
            "--failed_out",
            "",
            "--adapter_fasta",
            "",
            "--unpaired1",
            "",
            "-a",
            "",
        ];
        place.ok(&[&line[..], &[compat], &empty].concat());
        place.fails(
            &[&line[..], &[compat, "-a", "acgtacgt"]].concat(),
            2,
            &["-a acgtacgt", "A, C, G and T"],
        );
    }
    let ended = place.run(&[&line[..], &["--failed_out", ""]].concat());
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    place.fails(&["qc", "-i", "-", "-I", "-"], 2, &["only once"]);
}

#[test]
fn the_version_may_follow_a_blank() {
    let place = Place::new();
    place.write(
        "r.fq",
        "@r\nACGTACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIII\n",
    );
    for (version, told) in [("0.23", "0.23.2"), ("1.3", "1.3.")] {
        let arguments = ["qc", "--fastp-compat", version, "-i", "r.fq", "-o", "o.fq"];
        place.ok(&[&arguments[..], &["-j", "o.json", "-h", "o.html"]].concat());
        let told = format!("\"fastp_version\": \"{told}");
        let report = String::from_utf8(place.read("o.json")).unwrap();
        assert!(report.contains(&told), "{report}");
    }
}
