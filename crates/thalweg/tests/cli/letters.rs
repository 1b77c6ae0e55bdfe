//! Letters of reads that are no A, C, G or T: U is T, and what is left out of a count is said.

use crate::support::{Place, gzip};

fn has(program: &str) -> bool {
    let version = std::process::Command::new(program)
        .arg("--version")
        .output();
    version.is_ok()
}

/// Reads of `letters`, each of 60 of them, as FASTQ.
fn fastq(letters: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for (number, read) in letters.chunks(60).enumerate() {
        text.extend_from_slice(format!("@r{number}\n").as_bytes());
        text.extend_from_slice(read);
        text.extend_from_slice(b"\n+\n");
        text.extend(std::iter::repeat_n(b'I', read.len()));
        text.push(b'\n');
    }
    text
}

fn random(seed: u64, length: usize, letters: &[u8]) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            letters[(state >> 16) as usize % letters.len()]
        })
        .collect()
}

fn as_rna(letters: &[u8]) -> Vec<u8> {
    let turn = |&letter: &u8| match letter {
        b'T' => b'U',
        b't' => b'u',
        other => other,
    };
    letters.iter().map(turn).collect()
}

fn sorted(text: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| line.replace(' ', "\t")).collect();
    lines.sort();
    lines
}

/// The counts of RNA are those that Jellyfish and KMC have of its copy with T.
#[test]
fn reads_with_u_are_counted_as_with_t() {
    let place = Place::new();
    let dna = random(1, 30_000, b"ACGTacgt");
    place.write("dna.fq", fastq(&dna));
    place.write("rna.fq", fastq(&as_rna(&dna)));
    place.write("rna.fq.gz", gzip(&fastq(&as_rna(&dna))));
    let mut all = Vec::new();
    for file in ["dna.fq", "rna.fq", "rna.fq.gz"] {
        for threads in ["1", "3"] {
            let count = [
                "count",
                "-k",
                "9",
                file,
                "-o",
                "x.tsv",
                "--threads",
                threads,
            ];
            let ended = place.ok(&count);
            assert!(!ended.stderr.contains("skipped:"), "{}", ended.stderr);
            all.push(sorted(place.read("x.tsv")));
            std::fs::remove_file(place.path("x.tsv")).unwrap();
        }
    }
    assert!(all.iter().all(|counts| *counts == all[0]));
    if !has("jellyfish") || !has("kmc") {
        println!("SKIPPED: reads_with_u_are_counted_as_with_t: no jellyfish or kmc");
        return;
    }
    let theirs = place.shell(
        "jellyfish count -m 9 -C -s 1M dna.fq -o j.jf && jellyfish dump -c j.jf >j.tsv && mkdir tmp && \
         kmc -k9 -ci1 -cs100000 -fq dna.fq k tmp >&2 && kmc_dump k k.tsv >&2",
    );
    assert_eq!(theirs.code, Some(0), "{}", theirs.stderr);
    assert_eq!(sorted(place.read("j.tsv")), all[0]);
    assert_eq!(sorted(place.read("k.tsv")), all[0]);
}

/// Under the names of Jellyfish and KMC U is left out, as by those.
#[test]
fn jellyfish_and_kmc_leave_u_out_and_so_do_their_namesakes() {
    if !has("jellyfish") || !has("kmc") {
        println!(
            "SKIPPED: jellyfish_and_kmc_leave_u_out_and_so_do_their_namesakes: no jellyfish or kmc"
        );
        return;
    }
    let place = Place::new();
    let dna = random(2, 12_000, b"ACGTacgt");
    place.write("dna.fq", fastq(&dna));
    place.write("rna.fq", fastq(&as_rna(&dna)));
    let script = |bin: &str| {
        format!(
            "set -e; {bin} mkdir -p tmp; jellyfish count -m 7 -C -s 1M rna.fq -o j; jellyfish dump -c j >j.tsv; \
             jellyfish count -m 7 -C -s 1M dna.fq -o d; jellyfish query -s rna.fq d >q.tsv; \
             jellyfish query d ACGUACG UUUUUUU >w.tsv; echo ACGUACG | jellyfish query -i d >i.tsv; \
             kmc -k7 -ci1 -cs1000 -fq rna.fq k tmp >&2; kmc_dump k k.tsv >&2; kmc -k7 -ci1 -fq dna.fq e tmp >&2; \
             kmc_tools -hp filter e rna.fq -ci1 f.fq >&2; kmc_tools -hp filter -hm e rna.fq -ci1 h.fq >&2"
        )
    };
    let names = ["j.tsv", "q.tsv", "w.tsv", "i.tsv", "k.tsv", "f.fq", "h.fq"];
    let ours = place.shell(&script(
        "mkdir bin; for n in jellyfish kmc kmc_tools kmc_dump; do ln -s $THALWEG bin/$n; done; PATH=$PWD/bin:$PATH;",
    ));
    assert_eq!(ours.code, Some(0), "{}", ours.stderr);
    let found = names.map(|name| sorted(place.read(name)));
    let theirs = place.shell(&script(""));
    assert_eq!(theirs.code, Some(0), "{}", theirs.stderr);
    for (name, found) in names.iter().zip(found) {
        assert!(!found.is_empty(), "{name}");
        assert_eq!(found, sorted(place.read(name)), "{name}");
    }
}

/// Whatever is asked with U has the answers of what has T.
#[test]
fn questions_with_u_are_those_with_t() {
    let place = Place::new();
    let dna = random(3, 6_000, b"ACGT");
    place.write("dna.fq", fastq(&dna));
    // Half of these reads are in the database.
    let mut other = dna[..3_000].to_vec();
    other.extend(random(4, 3_000, b"ACGT"));
    place.write("asked.fq", fastq(&other));
    place.write("asked.rna.fq", fastq(&as_rna(&other)));
    for database in ["d.thk", "d.jf", "d.kmc", "d.tsv"] {
        place.ok(&["count", "-q", "-k", "15", "dna.fq", "-o", database]);
        let words = |words: [&str; 2]| {
            let asked = ["kmers", "query", "-q", database, words[0], words[1]];
            place.ok(&asked).stdout
        };
        let word = String::from_utf8(dna[10..25].to_vec()).unwrap();
        let rna = word.replace('T', "U");
        let small = rna.to_lowercase();
        let answer = words([&word, "TTTTTTTTTTTTTTT"]);
        assert!(!answer.is_empty() && !answer.contains(&b'U'));
        assert_eq!(words([&rna, "UUUUUUUUUUUUUUU"]), answer, "{database}");
        assert_eq!(words([&small, "uuuuuuuuuuuuuuu"]), answer, "{database}");
        let lines = place.feed(
            &["kmers", "query", "-q", database, "-"],
            format!("{rna}\nUUUUUUUUUUUUUUU\n").as_bytes(),
        );
        assert_eq!(lines.stdout, answer, "{database}");
        let one = place.feed(
            &["kmers", "query", "-q", database, "-i"],
            format!("{rna}\n").as_bytes(),
        );
        assert_eq!(one.stdout, b"1\n", "{database}: {}", one.stderr);
        let all = |file: &str| {
            let asked = ["kmers", "query", "-q", database, "--sequence", file];
            place.ok(&asked).stdout
        };
        assert_eq!(all("asked.rna.fq"), all("asked.fq"), "{database}");
        let kept = |file: &str| {
            let name = format!("kept.{file}");
            place.ok(&["kmers", "filter-reads", "-q", database, file, "-o", &name]);
            let kept = place.read(&name);
            std::fs::remove_file(place.path(&name)).unwrap();
            kept
        };
        let (dna, rna) = (kept("asked.fq"), kept("asked.rna.fq"));
        assert_eq!(dna.iter().filter(|byte| **byte == b'\n').count(), 4 * 50);
        assert_eq!(rna, fastq(&as_rna(&other[..3_000])), "{database}");
    }
}

/// The letters are those that `grep` and `wc` would find: in short reads, on lines, in a long sequence, with little memory.
#[test]
fn letters_that_are_left_out_are_said_with_their_number() {
    let place = Place::new();
    let mut long = random(5, 500_000, b"ACGTU");
    // About every 1,499 bases, so that many lie where segments, pieces and batches overlap.
    for (number, letter) in long.iter_mut().step_by(1_499).enumerate() {
        *letter = b"NnR-"[number % 4];
    }
    long[200_000..260_000].fill(b'N');
    let number = |letters: &[u8]| {
        let of = |letter: &&u8| letters.contains(&letter.to_ascii_uppercase());
        long.iter().filter(of).count() as u64
    };
    let thousands = |number: u64| format!("{},{:03}", number / 1000, number % 1000);
    let mut fasta = b">long\n".to_vec();
    for line in long.chunks(71) {
        fasta.extend_from_slice(line);
        fasta.push(b'\n');
    }
    let one_line = [b">long\n", &long[..], b"\n"].concat();
    // Reads shorter than k.
    let short = b"@a\nNNACGTNN\n+\nIIIIIIII\n@b\nRYACN\n+\nIIIII\n@c\n\n+\n\n";
    place.write("lines.fa", &fasta);
    place.write("line.fa", one_line);
    place.write("lines.fa.gz", gzip(&fasta));
    place.write("short.fq", short);
    let (n, r, gaps) = (number(b"N"), number(b"R"), number(b"-"));
    let expected = format!(
        "thalweg: skipped k-mers that contain letters other than A, C, G, T and U; {} such letters in the reads (N: {}, ",
        thousands(n + r + gaps),
        thousands(n),
    );
    for file in ["lines.fa", "line.fa", "lines.fa.gz"] {
        for (k, threads, memory) in [
            ("31", "1", "64Mi"),
            ("31", "4", "64Mi"),
            ("9", "2", "64Mi"),
            ("200", "3", "64Mi"),
        ] {
            let count = [
                "count",
                "-k",
                k,
                file,
                "--histo",
                "-",
                "--threads",
                threads,
                "--memory",
                memory,
            ];
            let ended = place.ok(&count);
            assert!(
                ended.stderr.contains(&expected),
                "{file} {k}: {expected}\n{}",
                ended.stderr
            );
            for kind in [format!("R: {r}"), format!("-: {gaps}")] {
                assert!(ended.stderr.contains(&kind), "{kind}: {}", ended.stderr);
            }
        }
    }
    // Of bases of low quality nothing is said: they are bases.
    let quality = [
        "count",
        "-k",
        "4",
        "short.fq",
        "--histo",
        "-",
        "--min-quality",
        "41",
    ];
    for count in [&quality[..], &quality[..6]] {
        let ended = place.ok(count);
        let expected = "skipped k-mers that contain letters other than A, C, G, T and U; 7 such letters in the reads (N: 5, R: 1, Y: 1)";
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
    let quiet = place.ok(&["count", "-q", "-k", "4", "short.fq", "--histo", "-"]);
    assert_eq!(quiet.stderr, "");
}

/// Proteins have more kinds of letters than a line should name.
#[test]
fn of_many_kinds_of_letters_the_rest_is_one_number() {
    let place = Place::new();
    let letters: Vec<u8> = (b'A'..=b'Z')
        .flat_map(|letter| vec![letter; usize::from(letter - b'A') + 1])
        .collect();
    place.write("p.fa", [b">p\n", &letters[..], b"\n"].concat());
    let ended = place.ok(&["count", "-k", "3", "p.fa", "--histo", "-"]);
    // 26 * 27 / 2 letters, less those of A, C, G, T and U: 1 + 3 + 7 + 20 + 21; then Z to Q but for U and T.
    let expected = "letters other than A, C, G, T and U; 299 such letters in the reads (Z: 26, Y: 25, X: 24, W: 23, V: 22, S: 19, R: 18, Q: 17, others: 125)";
    assert!(ended.stderr.contains(expected), "{}", ended.stderr);
}
