//! Lines that end with carriage returns alone: what is behind one would be taken for the rest of a name, and be lost.

use crate::support::{Place, bgzf, fastq, gzip};

/// Records of FASTA of ten lines of 60 bases each, named r0, r1, …; lines end with `end`.
fn fasta(records: usize, end: &str) -> Vec<String> {
    let line = format!("{}{end}", "ACGTTGCAAC".repeat(6));
    let record = |number| format!(">r{number} some words{end}{}", line.repeat(10));
    (0..records).map(record).collect()
}

/// Every command that looks at records refuses `name` for its record `record`, counted from 1, at any number of threads.
fn all_refuse(place: &Place, name: &str, record: usize) {
    let number = format!("record {record},");
    for threads in ["1", "3"] {
        for command in [
            &["stats"][..],
            &["verify"],
            &["count", "-k", "21", "-o", "out"],
            &["cat", "--records", "0..", "-o", "out"],
            &["kmers", "query", "sound.thk", "-s"],
            &["kmers", "filter-reads", "sound.thk", "-o", "out"],
        ] {
            let arguments = [command, &[name, "--threads", threads]].concat();
            place.fails(&arguments, 1, &[name, "carriage return", &number]);
        }
    }
}

fn place_with_database() -> Place {
    let place = Place::new();
    place.write("sound.fa", fasta(3, "\n").concat());
    place.ok(&["count", "-q", "-k", "21", "-o", "sound.thk", "sound.fa"]);
    place
}

/// Break `text` at record `at` in every way, and say what is done.
fn broken(records: &[String], at: usize, end: &str) -> Vec<(&'static str, usize, Vec<u8>)> {
    let with = |record: String| {
        let mut records = records.to_vec();
        records[at] = record;
        records.concat().into_bytes()
    };
    let record = &records[at];
    let mut all = vec![
        ("the header", at, with(record.replacen(end, "\r", 1))),
        ("all of it", at, with(record.replace(end, "\r"))),
    ];
    if at + 1 < records.len() {
        // The next record would be lost in this one's sequence.
        let open = record.strip_suffix(end).unwrap().to_owned() + "\r";
        all.push(("the last line", at, with(open)));
    }
    all
}

#[test]
fn fasta_with_carriage_returns_alone_is_refused() {
    for end in ["\n", "\r\n"] {
        let records = fasta(40, end);
        for at in [0, 17, 39] {
            for (what, record, text) in broken(&records, at, end) {
                println!("{what} of record {at}, {end:?}");
                let place = place_with_database();
                place.write("a.fa", &text);
                all_refuse(&place, "a.fa", record + 1);
                place
                    .feed(&["stats", "-"], &text)
                    .expect_failure(1, &["carriage return"]);
                // As bytes they are what they are.
                assert_eq!(place.ok(&["cat", "a.fa"]).stdout, text);
            }
        }
    }
}

/// Parts, blocks and checkpoints lie anywhere; sequences come in pieces.
#[test]
fn it_is_found_anywhere_in_a_large_file() {
    let mut records = fasta(30_000, "\n");
    // Longer than a batch, and than a part of it.
    records[11_000] = format!(">long\n{}", "ACGTTGCAAC\n".repeat(200_000));
    for at in [12_345, 11_000, 29_999] {
        let mut broken = records.clone();
        broken[at] = records[at].replacen('\n', "\r", 1);
        let text = broken.concat();
        let place = Place::new();
        let number = format!("record {},", at + 1);
        let words = ["carriage return", &number];
        for (name, data) in [
            ("a.fa", text.as_bytes()),
            ("a.fa.gz", &gzip(text.as_bytes())),
            ("b.fa.gz", &bgzf(text.as_bytes())),
        ] {
            place.write(name, data);
            for threads in ["1", "3"] {
                for command in ["stats", "verify"] {
                    place.fails(&[command, "-t", threads, name], 1, &words);
                }
                place.fails(
                    &["cat", "--records", "0..", "-t", threads, "-o", "out", name],
                    1,
                    &words,
                );
            }
        }
        place.fails(&["index", "a.fa.gz"], 1, &words);
        place.fails(&["index", "b.fa.gz"], 1, &words);
    }
}

/// Lines of Windows are lines, and so are those that were made such twice.
#[test]
fn carriage_returns_before_newlines_are_fine() {
    let place = Place::new();
    place.write("a.fa", fasta(500, "\n").concat());
    let expected = place.ok(&["stats", "--json", "a.fa"]).text();
    let words = |name: &str| expected.replace("a.fa", name);
    place.write("b.fa", fasta(500, "\r\n").concat());
    assert_eq!(place.ok(&["stats", "--json", "b.fa"]).text(), words("b.fa"));
    let twice = fasta(500, "\n")
        .concat()
        .replace(" some words\n", " some words\r\r\n");
    place.write("c.fa", twice);
    assert_eq!(place.ok(&["stats", "--json", "c.fa"]).text(), words("c.fa"));
    let open = fasta(500, "\r\n").concat();
    place.write("d.fa", open.strip_suffix('\n').unwrap());
    assert_eq!(place.ok(&["stats", "--json", "d.fa"]).text(), words("d.fa"));
    place.write("e.fa.gz", gzip(fasta(500, "\r\n").concat().as_bytes()));
    place.ok(&["index", "e.fa.gz"]);
    assert_eq!(
        place.ok(&["stats", "--json", "e.fa.gz"]).text(),
        words("e.fa.gz")
    );
}

/// The way out that the message tells gives all records.
#[test]
fn the_hint_mends_it() {
    let place = Place::new();
    for (name, end) in [("a.fa", "\n"), ("b.fa", "\r\n"), ("c.fa", "\r")] {
        let mut records = fasta(20, end);
        records[7] = fasta(20, "\r")[7].clone();
        place.write(name, records.concat());
        let ended = place.fails(&["stats", name], 1, &["carriage return"]);
        let (_, command) = ended.stderr.split_once("`thalweg ").unwrap();
        let (command, _) = command.split_once('`').unwrap();
        let command = command.replace("FILE", name);
        place.shell(&format!("$THALWEG {command}"));
        place.shell(&format!("mv FIXED fixed-{name}"));
        let fixed = place
            .ok(&["stats", "--tsv", &format!("fixed-{name}")])
            .text();
        let row: Vec<&str> = fixed.lines().nth(1).unwrap().split('\t').collect();
        assert_eq!(row[2..4], ["20", "12000"], "{fixed}");
    }
}

#[test]
fn fastq_with_carriage_returns_alone_is_refused() {
    let text = String::from_utf8(fastq(300)).unwrap();
    let returns = |records: &str| records.replace('\n', "\r");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let part = |first: usize, end: usize| lines[4 * first..4 * end].concat();
    let cases = [
        (0, returns(&text)),
        // Whole records in the header of the next.
        (0, returns(&part(0, 1)) + &part(1, 300)),
        (
            120,
            part(0, 120) + &returns(&part(120, 130)) + &part(130, 300),
        ),
        (299, part(0, 299) + &returns(&part(299, 300))),
        (200, part(0, 200) + &returns(&part(200, 300))),
        // One header.
        (
            77,
            part(0, 77) + &part(77, 78).replacen('\n', "\r", 1) + &part(78, 300),
        ),
    ];
    for (record, broken) in cases {
        let place = place_with_database();
        place.write("a.fq", &broken);
        all_refuse(&place, "a.fq", record + 1);
        place.write("a.fq.gz", gzip(broken.as_bytes()));
        all_refuse(&place, "a.fq.gz", record + 1);
        let number = format!("record {},", record + 1);
        let words = ["carriage return", &number];
        place.fails(&["index", "a.fq.gz"], 1, &words);
        place.fails(&["qc", "-o", "out", "a.fq"], 1, &words);
        place.write("mate.fq", &text);
        if record > 0 {
            place.fails(
                &["cat", "--mates", "mate.fq", "a.fq"],
                1,
                &["carriage return"],
            );
        }
    }
    // Wrapped lines.
    let wrapped = "@a\nAC\nGT\n+\nII\nII\n";
    let place = place_with_database();
    place.write("w.fq", format!("{wrapped}{}{wrapped}", returns(wrapped)));
    all_refuse(&place, "w.fq", 2);
}

/// `verify` looks at every header, also at those that are shorter than others.
#[test]
fn verify_sees_records_in_short_headers() {
    let place = Place::new();
    let long = format!("@{}\nACGT\n+\nIIII\n", "n".repeat(300));
    let record = "@a\nACGT\n+\nIIII\n";
    let hidden = record.replace('\n', "\r");
    for (name, text) in [
        ("a.fq", format!("{long}{hidden}{record}")),
        // Behind the plus.
        (
            "b.fq",
            format!("{long}@b\nACGT\n+\rIIII\r{}+\nIIII\n", "@a\rACGT\r"),
        ),
    ] {
        place.write(name, &text);
        place.write("c.fq.gz", gzip(text.as_bytes()));
        for threads in ["1", "3"] {
            let words = ["carriage return", "record 2,"];
            place.fails(&["verify", "-t", threads, name], 1, &words);
            place.fails(&["verify", "-t", threads, "c.fq.gz"], 1, &words);
        }
    }
}
