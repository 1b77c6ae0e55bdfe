//! Reads in colour space, which SOLiD instruments wrote: jobs that look for bases say that there are none.

use std::os::unix::fs::symlink;

use crate::support::{Place, gzip, random};
use crate::taxa_world::built;

/// A job, as a line for the shell, with `IN` where its input stands.
const JOBS: [&str; 8] = [
    "$THALWEG qc IN -o o.fq --no_report --quiet",
    "$THALWEG stats IN -q",
    "$THALWEG count -k 21 IN -o o.thk -q",
    "$THALWEG classify ref.tht IN -q",
    "./fastqc -q -o reports IN",
    "$THALWEG kmers query c.thk -s IN -q",
    "$THALWEG kmers filter-reads c.thk IN -o f.fq -q",
    "./fastp -i IN -o o.fq",
];

#[test]
fn jobs_warn_of_colours() {
    let world = built();
    let place = &world.place;
    for name in ["fastqc", "fastp"] {
        symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
    }
    place.shell("mkdir reports");
    place.ok(&["count", "-q", "-k", "21", "genomes/a.fa", "-o", "c.thk"]);
    let mut below = random(3);
    let mut reads = |first: &str, letters: &[u8], length: usize| {
        let mut text = String::new();
        for number in 0..200 {
            let drawn = (first.len()..length).map(|_| char::from(letters[below(letters.len())]));
            let sequence = first.to_owned() + &drawn.collect::<String>();
            text += &format!("@1_{number}_F3\n{sequence}\n+\n{}\n", "I".repeat(length));
        }
        text
    };
    // Reads of no known base are none in colour space.
    let colours = [reads("T", b"0123", 50), reads("", b"0123.", 35)];
    let bases = [
        reads("", b"ACGT", 50),
        reads("", b".", 50),
        reads("T", b".", 50),
        reads("", b"N", 50),
        reads("", b"ACGTRYKMSWBDHVN.-*", 50),
    ];
    let warned = |line: &str| {
        let ended = place.shell(line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
        let warnings = ended.stderr.matches("are in colour space (SOLiD)").count();
        assert!(warnings <= 1, "{line}: {}", ended.stderr);
        warnings == 1
    };
    for (texts, expected) in [(&colours[..], true), (&bases, false)] {
        for text in texts {
            place.write("in.fq", text);
            place.write("in.fq.gz", gzip(text.as_bytes()));
            for job in JOBS {
                for input in ["in.fq", "in.fq.gz", "<(cat in.fq.gz)"] {
                    let line = job.replace("IN", input);
                    assert_eq!(warned(&line), expected, "{line}: {text:.80}");
                }
            }
        }
    }
    // Files of sequences alone.
    place.write("in.csfasta", ">1_1_F3\nT0120312\n>1_2_F3\nT31201\n");
    assert!(warned("$THALWEG stats in.csfasta"));
    assert!(warned("$THALWEG classify ref.tht in.csfasta -q"));
}

#[test]
fn colours_that_are_no_fasta_or_fastq_are_recognised() {
    let place = Place::new();
    let comments = "# Wed Jun 11 2008\n# Title: S1\n>1_1_F3\nT0120312\n>1_2_F3\nT31201\n";
    let fewer = "@1_1_F3\nT0120312\n+\nIIIIIII\n".repeat(3);
    for (name, text) in [("a.csfasta", comments), ("a.csfastq", &fewer)] {
        place.write(name, text);
        place.write(&format!("{name}.gz"), gzip(text.as_bytes()));
        for name in [name, &format!("{name}.gz")] {
            for command in [
                &["stats"][..],
                &["qc", "-o", "o.fq"],
                &["count", "-k21", "-o", "o.thk"],
            ] {
                let words = ["reads in colour space (SOLiD)", "program for colour space"];
                let ended = place.fails(&[command, &[name]].concat(), 1, &words);
                assert!(
                    !ended.stderr.contains("as many qualities"),
                    "{}",
                    ended.stderr
                );
            }
        }
    }
    // Reads with a quality too few are damaged.
    place.write("bases.fq", "@r\nACGTACGT\n+\nIIIIIII\n");
    place.fails(&["stats", "bases.fq"], 1, &["as many qualities as bases"]);
}
