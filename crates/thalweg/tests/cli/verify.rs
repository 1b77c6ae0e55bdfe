//! `thalweg verify`

use std::path::Path;

use crate::support::{Place, bgzf, fastq, gzip};

#[test]
fn whole_files_are_fine() {
    let place = Place::new();
    let text = fastq(20_000);
    place.write("a.fq.gz", gzip(&text));
    place.write("b.fq.gz", bgzf(&text));
    place.write("c.fq", &text);
    place.ok(&["index", "-q", "--span", "500k", "a.fq.gz"]);
    let ended = place.ok(&["verify", "a.fq.gz", "b.fq.gz", "c.fq"]);
    let text = ended.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "a.fq.gz: OK (hash)");
    assert_eq!(lines[1], "b.fq.gz: OK (20,000 records)");
    assert_eq!(lines[2], "c.fq: OK (20,000 records)");
    for threads in ["1", "2"] {
        let text = place
            .ok(&["verify", "--full", "-t", threads, "a.fq.gz"])
            .text();
        assert!(text.contains("1 gzip member, 20,000 records"), "{text}");
    }
}

#[test]
fn one_flipped_bit_is_found() {
    let place = Place::new();
    let mut data = gzip(&fastq(20_000));
    place.write("a.fq.gz", &data);
    place.write("good.fq.gz", &data);
    place.ok(&["index", "-q", "--span", "500k", "a.fq.gz"]);
    let middle = data.len() / 2;
    data[middle] ^= 4;
    place.write("a.fq.gz", &data);
    for arguments in [&["verify", "a.fq.gz"][..], &["verify", "--full", "a.fq.gz"]] {
        place.fails(arguments, 1, &["a.fq.gz"]);
    }
    place.fails(
        &["verify", "--index", "never", "a.fq.gz"],
        1,
        &["a.fq.gz", "byte "],
    );
    // One file at fault does not keep the next from being verified.
    let ended = place.fails(
        &["verify", "a.fq.gz", "good.fq.gz", "none"],
        2,
        &["a.fq.gz", "none"],
    );
    assert_eq!(ended.text(), "good.fq.gz: OK (20,000 records)\n");
    let ended = place.fails(&["verify", "a.fq.gz", "good.fq.gz"], 1, &["a.fq.gz"]);
    assert_eq!(ended.text(), "good.fq.gz: OK (20,000 records)\n");
}

#[test]
fn streams_are_verified_in_full() {
    let place = Place::new();
    let data = gzip(&fastq(2000));
    let ended = place.feed(&["verify", "-"], &data);
    assert_eq!(
        (ended.code, &*ended.text()),
        (Some(0), "-: OK (2,000 records)\n")
    );
    place
        .feed(&["verify", "-"], &data[..data.len() - 3])
        .expect_failure(1, &["-: ", "byte "]);
}

/// Bytes that break no record, but are neither bases nor qualities.
#[test]
fn stray_bytes_are_found() {
    let place = Place::new();
    let record = |bases: &str, qualities: &str| format!("@r\n{bases}\n+\n{qualities}\n");
    let good = record("ACGTN.*-", "!~IIIIII").repeat(3000);
    place.write("good.fq", &good);
    place.ok(&["verify", "good.fq"]);
    for (stray, told) in [
        (record("ACG T", "IIIII"), "not a letter, 0x20"),
        (record("ACG\tT", "IIIII"), "not a letter, 0x09"),
        (record("ACGT", "II\u{1f}I"), "outside of '!' to '~', 0x1f"),
        (record("ACGT", "II\u{7f}I"), "outside of '!' to '~', 0x7f"),
        (record("ACGT", "I\0II"), "outside of '!' to '~', 0x00"),
    ] {
        place.write("bad.fq", format!("{good}{stray}{good}"));
        place.write("bad.fq.gz", gzip(format!("{good}{stray}{good}").as_bytes()));
        for name in ["bad.fq", "bad.fq.gz"] {
            let words = [name, "record 3001", told];
            place.fails(&["verify", name], 1, &words);
            let qc = ["qc", name, "-o", "o.fq", "--no_report", "-w", "1"];
            place.fails(&qc, 1, &words);
            // fastp takes any byte.
            place.ok(&[&qc[..], &["--fastp-compat"]].concat());
            std::fs::remove_file(place.path("o.fq")).unwrap();
        }
    }
}

/// Whichever thread finds one: the first is found by reading the file once more.
#[test]
fn the_first_stray_byte_is_told_at_any_number_of_threads() {
    let place = Place::new();
    let text = String::from_utf8(fastq(60_000)).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    for record in [25_000, 40_000, 59_000] {
        lines[4 * record + 1] = "AC GT";
        lines[4 * record + 3] = "IIIII";
    }
    let text = lines.join("\n") + "\n";
    place.write("bad.fq.gz", gzip(text.as_bytes()));
    place.write("bad.fq", text);
    for name in ["bad.fq", "bad.fq.gz"] {
        for threads in ["1", "2", "5"] {
            let verify = ["verify", name, "--threads", threads];
            let qc = ["qc", name, "-o", "o.fq", "--no_report", "-w", threads];
            for arguments in [&verify[..], &qc] {
                let told = format!("{name}: ");
                place.fails(arguments, 1, &[&told, "record 25001", "0x20"]);
            }
        }
    }
}

#[test]
fn specimens_with_stray_bytes_are_found() {
    let specimens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/specimens");
    let Ok(table) = std::fs::read_to_string(specimens.join("STRICT4.tsv")) else {
        eprintln!("skipped: no {}", specimens.display());
        return;
    };
    let place = Place::new();
    let mut found = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, "plain", _, verdict, ..] = fields[..] else {
            continue;
        };
        let told = match verdict {
            _ if verdict.ends_with("outside 33..126") => "outside of '!' to '~'",
            _ if verdict.ends_with("that is no letter") => "not a letter",
            _ => continue,
        };
        let path = specimens.join(name);
        let ended = place.run(&["verify", path.to_str().unwrap()]);
        ended.expect_failure(1, &[name, told]);
        found += 1;
    }
    assert!(found > 10, "{found}");
}

/// Also of what is needed only to start in the middle.
#[test]
fn one_flipped_bit_of_an_index_is_found() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(5000)));
    place.ok(&["verify", "--index", "save", "a.fq.gz"]);
    place.ok(&["index", "-q", "--force", "--span", "200k", "a.fq.gz"]);
    let index = place.read("a.fq.gz.thw");
    let step = index.len() / 150;
    for at in (0..index.len()).step_by(step) {
        let mut changed = index.clone();
        changed[at] ^= 1 << (at % 8);
        place.write("a.fq.gz.thw", &changed);
        place.fails(&["verify", "a.fq.gz"], 1, &["a.fq.gz"]);
    }
    place.write("a.fq.gz.thw", &index);
    place.ok(&["verify", "a.fq.gz"]);
}

/// What a table of IUPAC's letters says; the same line for any number of threads, and for every way to read a file.
#[test]
fn letters_that_are_none_of_nucleotides_are_told() {
    let place = Place::new();
    let mut text = fastq(60_000);
    // All that may stand there, in both cases.
    let usual = b"ACGTUNRYKMSWBDHVacgtunrykmswbdhv*-.";
    let at = |text: &[u8], name: &str| {
        let line = format!("{name}\n").into_bytes();
        let found = text.windows(line.len()).position(|window| window == line);
        found.unwrap() + line.len()
    };
    let start = at(&text, "@r100");
    text[start..start + usual.len()].copy_from_slice(usual);
    for (name, data) in [("a.fq", text.clone()), ("a.fq.gz", gzip(&text))] {
        place.write(name, data);
        assert_eq!(place.ok(&["verify", "--full", name]).stderr, "");
    }
    // Letters of proteins, a digit and a sign.
    for (name, place, letters) in [
        ("@r58000", 0, &b"EFIJLOPQXZ"[..]),
        ("@r31000", 16, b"e"),
        ("@r45000", 99, b"7"),
        ("@r45001", 50, b"=?"),
    ] {
        let start = at(&text, name) + place;
        text[start..start + letters.len()].copy_from_slice(letters);
    }
    let fasta: Vec<u8> = String::from_utf8(text.clone())
        .unwrap()
        .lines()
        .collect::<Vec<_>>()
        .chunks(4)
        .flat_map(|lines| {
            format!(
                ">{}\n{}\n{}\n",
                &lines[0][1..],
                &lines[1][..9],
                &lines[1][9..]
            )
            .into_bytes()
        })
        .collect();
    place.write("a.fq", &text);
    place.write("b.fq.gz", gzip(&text));
    place.write("c.fq.gz", bgzf(&text));
    place.write("d.fq.gz", gzip(&text));
    place.ok(&["index", "-q", "--span", "500k", "d.fq.gz"]);
    place.write("e.fa", &fasta);
    for name in ["a.fq", "b.fq.gz", "c.fq.gz", "d.fq.gz", "e.fa"] {
        for threads in ["1", "2", "5"] {
            let ended = place.ok(&["verify", "--full", "-t", threads, name]);
            let told = format!(
                "thalweg: warning: {name}: 14 letters in 4 records are not nucleotides (IUPAC, '*', '-' or '.'): \
                 the first is 'e', record 31,001, base 17\n"
            );
            assert_eq!(ended.stderr, told);
            assert!(ended.text().contains("60,000 records"));
        }
    }
    // Nobody reads the records of a file whose hash is right.
    assert_eq!(place.ok(&["verify", "d.fq.gz"]).stderr, "");
    place.write("p.fa", ">a\nACGE\n");
    let ended = place.ok(&["verify", "p.fa"]);
    assert!(
        ended
            .stderr
            .contains("1 letter in 1 record is not a nucleotide (IUPAC"),
        "{}",
        ended.stderr
    );
}

#[test]
fn one_of_a_kind_is_singular() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(1)));
    let indexed = place.ok(&["index", "a.fq.gz"]).stderr;
    assert!(
        indexed.contains(": 1 record, ") && indexed.contains(", 1 checkpoint; "),
        "{indexed}"
    );
    let told = place.ok(&["verify", "--full", "a.fq.gz"]).text();
    assert!(told.contains("1 chunk, 1 gzip member, 1 record)"), "{told}");
    let told = place.ok(&["info", "-t", "1", "a.fq.gz"]).text();
    assert!(
        told.contains("1 thread, 1 piece (boundaries from the index)"),
        "{told}"
    );
}
