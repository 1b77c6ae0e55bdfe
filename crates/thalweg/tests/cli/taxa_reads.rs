//! `thalweg classify`: reads that are written by their labels

use std::collections::HashMap;
use std::process::{Command, Stdio};

use crate::support::{Place, gzip, names_in, random};
use crate::taxa_world::{World, built, letters, reads};

/// The records of four lines of FASTQ.
fn records(text: &[u8]) -> Vec<&[u8]> {
    let mut ends = vec![0];
    let lines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    ends.extend(lines.map(|(at, _)| at + 1).skip(3).step_by(4));
    ends.windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}

/// The taxids of all labels, in order.
fn taxids(labels: &str) -> Vec<u32> {
    let column = |line: &str| line.split('\t').nth(2).unwrap().parse().unwrap();
    labels.lines().map(column).collect()
}

/// The records whose labels are wanted, in order.
fn chosen(text: &[u8], taxids: &[u32], wanted: impl Fn(u32) -> bool) -> Vec<u8> {
    let records = records(text);
    assert_eq!(records.len(), taxids.len());
    let chosen = records.into_iter().zip(taxids);
    let chosen = chosen.filter(|(_, taxid)| wanted(**taxid));
    chosen.flat_map(|(record, _)| record.to_vec()).collect()
}

/// A record as kraken2 writes it.
fn as_kraken2(text: &[u8], taxids: &[u32]) -> Vec<u8> {
    let mut written = Vec::new();
    for (record, taxid) in records(text).into_iter().zip(taxids) {
        if *taxid != 0 {
            let end = record.iter().position(|&byte| byte == b'\n').unwrap();
            written.extend_from_slice(&record[..end]);
            written.extend_from_slice(format!(" kraken:taxid|{taxid}").as_bytes());
            written.extend_from_slice(&record[end..]);
        }
    }
    written
}

fn is_primus(taxid: u32) -> bool {
    [11, 21, 22].contains(&taxid)
}

/// Both mates of pairs, of the same genome.
fn pairs(world: &World, number: usize) -> [Vec<u8>; 2] {
    let mut next = random(99);
    let mut files = [Vec::new(), Vec::new()];
    for pair in 0..number {
        let genome = match pair % 4 {
            3 => letters(2000, &mut next),
            of => world.genomes[of].1.clone(),
        };
        for (mate, text) in files.iter_mut().enumerate() {
            let start = next(genome.len() - 149);
            text.extend_from_slice(format!("@p{pair}/{} more words\n", mate + 1).as_bytes());
            text.extend_from_slice(&genome[start..start + 150]);
            text.extend_from_slice(b"\n+\n");
            text.extend((0..150).map(|at| b"I5#"[(at + pair) % 3]));
            text.push(b'\n');
        }
    }
    files
}

fn classify(place: &Place, more: &[&str]) -> String {
    place
        .ok(&[&["classify", "-q", "ref.tht"], more].concat())
        .text()
}

#[test]
fn reads_go_where_their_labels_say() {
    let world = built();
    let place = &world.place;
    let text = reads(&world, 20_000);
    place.write("reads.fq", &text);
    place.write("reads.fq.gz", gzip(&text));
    let labels = classify(place, &["-t1", "reads.fq"]);
    let taxids = taxids(&labels);
    let primus = chosen(&text, &taxids, is_primus);
    let others = chosen(&text, &taxids, |taxid| !is_primus(taxid));
    let classified = as_kraken2(&text, &taxids);
    let unclassified = chosen(&text, &taxids, |taxid| taxid == 0);
    assert!(!primus.is_empty() && others.len() > unclassified.len());
    for (threads, input) in [
        ("-t1", "reads.fq"),
        ("-t2", "reads.fq.gz"),
        ("-t8", "reads.fq"),
    ] {
        let outputs = [
            "--taxon",
            "11,21",
            "--taxon-out",
            "p.fq",
            "--other-out",
            "o.fq.gz",
            "--classified-out",
            "c.fq.zst",
            "--unclassified-out",
            "u.fq",
            "--report",
            "x.kreport",
        ];
        let again = classify(place, &[&[threads, input], &outputs[..]].concat());
        assert!(again == labels, "{threads}");
        let read = |name: &str| place.ok(&["cat", "-q", name]).stdout;
        assert!(place.read("p.fq") == primus, "{threads}");
        assert!(read("o.fq.gz") == others, "{threads}");
        assert!(read("c.fq.zst") == classified, "{threads}");
        assert!(place.read("u.fq") == unclassified, "{threads}");
        assert!(place.read("o.fq.gz").starts_with(b"\x1f\x8b"));
        assert!(place.read("c.fq.zst").starts_with(b"\x28\xb5\x2f\xfd"));
    }
    // Only the reads that are wanted.
    let nothing = classify(
        place,
        &[
            "reads.fq",
            "-o",
            "/dev/null",
            "--taxon",
            "12",
            "--taxon-out",
            "a.fq",
        ],
    );
    assert_eq!(nothing, "");
    assert!(place.read("a.fq") == chosen(&text, &taxids, |taxid| taxid == 12));
    let on_stdout = classify(
        place,
        &[
            "reads.fq",
            "-o",
            "l.tsv.gz",
            "--taxon",
            "12",
            "--other-out",
            "-",
        ],
    );
    assert!(on_stdout.as_bytes() == chosen(&text, &taxids, |taxid| taxid != 12));
    assert!(place.ok(&["cat", "-q", "l.tsv.gz"]).text() == labels);
}

#[test]
fn mates_go_together() {
    let world = built();
    let place = &world.place;
    let [first, second] = pairs(&world, 3000);
    place.write("r1.fq", &first);
    place.write("r2.fq.gz", gzip(&second));
    let both = place
        .ok(&["cat", "-q", "--mates", "r1.fq", "r2.fq.gz"])
        .stdout;
    place.write("both.fq", &both);
    let labels = classify(place, &["-t1", "r1.fq", "r2.fq.gz"]);
    let taxids = taxids(&labels);
    assert_eq!(taxids.len(), 3000);
    let mates = [&first, &second].map(|text| chosen(text, &taxids, is_primus));
    let others = [&first, &second].map(|text| chosen(text, &taxids, |taxid| !is_primus(taxid)));
    let classified = [&first, &second].map(|text| as_kraken2(text, &taxids));
    let interleaved: Vec<u8> = (records(&mates[0]).into_iter())
        .zip(records(&mates[1]))
        .flat_map(|(first, second)| [first, second].concat())
        .collect();
    let files = [&["r1.fq", "r2.fq.gz"][..], &["--interleaved", "both.fq"]];
    for (input, threads) in files.into_iter().zip(["-t2", "-t8"]) {
        let outputs = [
            threads,
            "--taxon",
            "11",
            "--taxon-out",
            "p_#.fq",
            "--other-out",
            "o#.fq.gz",
            "--classified-out",
            "c#.fq",
        ];
        assert!(classify(place, &[input, &outputs[..]].concat()) == labels);
        for (mate, number) in ["1", "2"].iter().enumerate() {
            let read = |name: String| place.ok(&["cat", "-q", &name]).stdout;
            assert!(read(format!("p_{number}.fq")) == mates[mate], "{number}");
            assert!(read(format!("o{number}.fq.gz")) == others[mate], "{number}");
            assert!(
                read(format!("c_{number}.fq")) == classified[mate],
                "{number}"
            );
        }
        classify(
            place,
            &[input, &["--taxon=11", "--taxon-out=p.fq"]].concat(),
        );
        assert!(place.read("p.fq") == interleaved);
    }
    // Lanes are one sample.
    let lanes = [
        "-i", "r1.fq", "-I", "r2.fq.gz", "-i", "r1.fq", "-I", "r2.fq.gz",
    ];
    let twice = classify(
        place,
        &[&lanes[..], &["--taxon=11", "--taxon-out=p_#.fq"]].concat(),
    );
    assert!(twice == labels.repeat(2));
    assert!(place.read("p_2.fq") == mates[1].repeat(2));
    let single = classify(place, &["-i", "r1.fq", "-i", "both.fq", "-i", "r1.fq"]);
    assert_eq!(single.lines().count(), 12_000);
    let one = classify(place, &["--interleaved", "-i", "both.fq", "-i", "both.fq"]);
    assert!(one == twice);
}

#[test]
fn records_stay_as_they_came() {
    let world = built();
    let place = &world.place;
    let genome = &world.genomes[2].1;
    let (line1, line2) = (&genome[..70], &genome[70..140]);
    let mut text = b">a one\r\n".to_vec();
    for part in [
        line1,
        b"\r\n",
        line2,
        b"\r\n>b  \n\n>c two words\n",
        line1,
        b"\n",
        line2,
    ] {
        text.extend_from_slice(part);
    }
    place.write("reads.fa", &text);
    let labels = classify(
        place,
        &[
            "reads.fa",
            "--taxon",
            "12",
            "--taxon-out",
            "t.fa",
            "--other-out",
            "o.fa",
            "--classified-out",
            "c.fa",
            "--unclassified-out",
            "u.fa",
        ],
    );
    assert_eq!(taxids(&labels), [12, 0, 12]);
    let at = text.windows(2).position(|two| two == b">b").unwrap();
    let next = text.windows(2).position(|two| two == b">c").unwrap();
    let wanted = [&text[..at], &text[next..], b"\n"].concat();
    assert!(place.read("t.fa") == wanted);
    assert!(place.read("o.fa") == text[at..next]);
    assert_eq!(place.read("u.fa"), b">b\n\n");
    let joined = [line1, line2].concat();
    let joined = str::from_utf8(&joined).unwrap();
    let wanted =
        format!(">a one kraken:taxid|12\n{joined}\n>c two words kraken:taxid|12\n{joined}\n");
    assert_eq!(place.read("c.fa"), wanted.as_bytes());
    // No read at all.
    place.write("none.fq.gz", gzip(b""));
    let files = [
        "none.fq.gz",
        "--unclassified-out",
        "u.fq.gz",
        "--report",
        "x.kreport",
    ];
    assert_eq!(classify(place, &files), "");
    assert_eq!(place.ok(&["cat", "-q", "u.fq.gz"]).stdout, b"");
}

#[test]
fn outputs_that_cannot_be_are_refused() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 10));
    place.write("more.fa", ">x\nACGT\n");
    let [first, second] = pairs(&world, 10);
    place.write("r1.fq", first);
    place.write("r2.fq", second);
    let single = &["reads.fq"][..];
    let mates = &["r1.fq", "r2.fq"][..];
    for (input, more, words) in [
        (
            single,
            &["--taxon", "9", "--taxon-out", "x.fq"][..],
            &["--taxon 9", "ref.tht"][..],
        ),
        (
            single,
            &["--taxon", "11", "--taxon-out", "x#.fq"],
            &["x#.fq", "single"],
        ),
        (
            mates,
            &["--taxon", "11", "--taxon-out", "x##.fq"],
            &["x##.fq", "more than one #"],
        ),
        (
            mates,
            &["--classified-out", "#x#.fq"],
            &["#x#.fq", "more than one #"],
        ),
        (
            single,
            &["--unclassified-out", "x#.fq"],
            &["--unclassified-out x#.fq: ", "single"],
        ),
        (
            single,
            &[
                "--taxon",
                "11",
                "--taxon-out",
                "x.fq",
                "--other-out",
                "./x.fq",
            ],
            &["--taxon-out and --other-out"],
        ),
        (
            mates,
            &["--taxon=11", "--taxon-out=x_#.fq", "--other-out=x_2.fq"],
            &["x_2.fq", "--taxon-out and --other-out"],
        ),
        (
            single,
            &["--report", "x", "--classified-out", "x"],
            &["--report and --classified-out"],
        ),
        (
            single,
            &["--unclassified-out", "-"],
            &["the labels and --unclassified-out"],
        ),
        (
            single,
            &["--unclassified-out", "reads.fq"],
            &["reads.fq", "input"],
        ),
        (
            single,
            &["--unclassified-out", "ref.tht"],
            &["ref.tht", "input"],
        ),
        (
            mates,
            &["--taxon=11", "--other-out=r#.fq"],
            &["r1.fq", "input"],
        ),
        (single, &["--unclassified-out", "x.fq.bz2"], &["x.fq.bz2"]),
        (
            &["--single", "reads.fq", "more.fa"],
            &["--unclassified-out", "x"],
            &["FASTQ and FASTA"],
        ),
        (single, &["--report-zero-counts"], &["--report"]),
        (
            &["-i", "r1.fq", "-i", "reads.fq", "-I", "r2.fq"],
            &[],
            &["2 files of read 1", "-I"],
        ),
        (
            &["--interleaved", "-i", "r1.fq", "-I", "r2.fq"],
            &[],
            &["--interleaved"],
        ),
        (
            single,
            &["--unclassified-out", "nowhere/x.fq"],
            &["nowhere/x.fq"],
        ),
        (
            single,
            &["--unclassified-out", "/dev/full"],
            &["/dev/full", "No space"],
        ),
        (single, &["-o", "/dev/full"], &["/dev/full", "No space"]),
        (
            single,
            &["-o", "x", "--report", "/dev/full"],
            &["/dev/full", "No space"],
        ),
    ] {
        place.fails(&[&["classify", "ref.tht"], input, more].concat(), 2, words);
    }
    for more in [
        &["--taxon", "11"][..],
        &["--taxon-out", "x.fq"],
        &["--taxon", "x", "--taxon-out", "x"],
    ] {
        let ended = place.run(&[&["classify", "ref.tht", "reads.fq"], more].concat());
        assert_eq!(ended.code, Some(2), "{more:?}: {}", ended.stderr);
    }
    // Whoever reads only the first labels has no complaint; others would not learn of it.
    place.write("many.fq", reads(&world, 20_000));
    let ended = place.leave(&["classify", "-q", "ref.tht", "many.fq"]);
    assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
    let ended = place.leave(&[
        "classify",
        "-q",
        "ref.tht",
        "many.fq",
        "--classified-out",
        "x.fq",
    ]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(!place.path("x.fq").exists());
}

/// Faults of reads leave no output.
#[test]
fn reads_at_fault_leave_nothing() {
    let world = built();
    let place = &world.place;
    let [first, second] = pairs(&world, 20_000);
    place.write("r1.fq", &first);
    place.write("short.fq", &second[..second.len() / 2]);
    place.write("other.fq", reads(&world, 20_000));
    let whole = gzip(&second);
    place.write("cut.fq.gz", &whole[..whole.len() / 2]);
    for second in ["short.fq", "other.fq", "cut.fq.gz"] {
        for threads in ["-t1", "-t2", "-t8"] {
            let outputs = [
                "-o",
                "x.tsv.gz",
                "--report=x",
                "--taxon=11",
                "--other-out=x#.fq.gz",
            ];
            let command = [
                &["classify", "ref.tht", "r1.fq", second, threads],
                &outputs[..],
            ];
            place.fails(&command.concat(), 1, &[".fq"]);
        }
    }
}

/// Mates into two pipes, which a program reads in step.
#[test]
fn pipes_are_outputs() {
    let world = built();
    let place = &world.place;
    let [first, second] = pairs(&world, 5000);
    place.write("r1.fq", &first);
    place.write("r2.fq", &second);
    classify(place, &["r1.fq", "r2.fq", "--unclassified-out", "u#.fq"]);
    let script = "mkfifo p1 p2; timeout 50 paste p1 p2 > pasted & \
                  $THALWEG classify -q -t3 ref.tht r1.fq r2.fq -o /dev/null --taxon 1 --other-out 'p#'; \
                  echo $?; wait; paste u_1.fq u_2.fq | cmp - pasted && echo same";
    assert_eq!(place.shell(script).text(), "0\nsame\n");
}

/// A small file system of our own, if we may mount one.
#[test]
fn a_full_file_system_has_no_half_outputs() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 20_000));
    std::fs::create_dir(place.path("small")).unwrap();
    let small = place.path("small");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=128k", "none"])
        .arg(&small)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: a_full_file_system_has_no_half_outputs: cannot mount a tmpfs here");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        for outputs in [
            &["-o", "small/labels.tsv", "--report", "small/x.kreport"][..],
            &[
                "-o",
                "/dev/null",
                "--report=small/x.kreport",
                "--classified-out=small/c.fq",
            ],
        ] {
            let command = [&["classify", "-q", "ref.tht", "reads.fq"], outputs].concat();
            place.fails(&command, 2, &["small/", "No space"]);
            assert!(names_in(&small).is_empty(), "{outputs:?}");
        }
    });
    let unmounted = Command::new("umount").arg(&small).status();
    assert!(unmounted.unwrap().success());
    outcome.unwrap();
}

/// Reports count what the labels say.
#[test]
fn reports_count_labels() {
    let world = built();
    let place = &world.place;
    place.write("reads.fq", reads(&world, 2000));
    let labels = classify(place, &["reads.fq", "--report", "x.kreport"]);
    let mut counts = HashMap::new();
    for taxid in taxids(&labels) {
        *counts.entry(taxid).or_insert(0) += 1;
    }
    let report = String::from_utf8(place.read("x.kreport")).unwrap();
    for line in report.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let (direct, taxid): (u32, u32) =
            (columns[2].parse().unwrap(), columns[4].parse().unwrap());
        assert_eq!(counts.remove(&taxid).unwrap_or(0), direct, "{line}");
    }
    assert!(counts.is_empty(), "{counts:?}");
}
