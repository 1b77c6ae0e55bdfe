//! `thalweg stats`

use serde_json::Value;

use crate::support::{Place, fastq, fastq_with, gzip};

const READS: &str = "@a\nACGTN\n+\nIIIII\n@b\nacgR\n+\n!5?I\n@c\n\n+\n\n@d\nGG\r\n+\r\n55\r\n";

#[test]
fn tables_are_exact() {
    let place = Place::new();
    place.write("x.fq", READS);
    place.write("long-name.fa", ">a\nAC\nGT\n>b\nNN\n");
    let expected = "\
file          format  reads  bases  A  C  G  T  N  other  min  mean  max  N50   GC %
x.fq          FASTQ       4     11  2  2  4  1  1      1    0   2.8    5    4  54.55
long-name.fa  FASTA       2      6  1  1  1  1  2      0    2   3.0    4    4  33.33
";
    let ended = place.ok(&["stats", "x.fq", "long-name.fa"]);
    assert_eq!(ended.text(), expected);
    assert_eq!(ended.stderr, "");
}

#[test]
fn tsv_is_exact() {
    let place = Place::new();
    place.write("x.fq.gz", gzip(READS.as_bytes()));
    let expected = "\
file\tformat\treads\tbases\tA\tC\tG\tT\tN\tother\tmin\tmean\tmax\tN50\tGC\tletters\tQ20\tQ30\tmean_quality\tquality_of_mean_error
x.fq.gz\tFASTQ\t4\t11\t2\t2\t4\t1\t1\t1\t0\t2.7500\t5\t4\t54.5455\tA:1,C:1,G:3,N:1,R:1,T:1,a:1,c:1,g:1\t90.9091\t63.6364\t30.0000\t10.2788
";
    assert_eq!(
        place.ok(&["stats", "--tsv", "--quality", "x.fq.gz"]).text(),
        expected
    );
}

#[test]
fn json_has_all_numbers_and_a_total() {
    let place = Place::new();
    place.write("x.fq", READS);
    place.write("empty.fq", "");
    let text = place
        .ok(&[
            "stats",
            "--json",
            "--total",
            "--quality",
            "x.fq",
            "empty.fq",
        ])
        .text();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["files"][0]["reads"], 4);
    assert_eq!(json["files"][0]["letters"]["a"], 1);
    assert_eq!(json["files"][0]["mean_quality"], 30.0);
    let quality = json["files"][0]["quality_of_mean_error"].as_f64().unwrap();
    // Five and one of an error in 10,000, one of nothing else, two of 1 in 100, and one of 1 in 1,000.
    let errors: f64 = 6.0 * 1e-4 + 1.0 + 3.0 * 1e-2 + 1e-3;
    assert!(
        (quality - -10.0 * (errors / 11.0).log10()).abs() < 1e-9,
        "{quality}"
    );
    assert_eq!(json["files"][0]["l50"], 2);
    assert_eq!(json["files"][1]["reads"], 0);
    assert_eq!(json["files"][1]["n50"], Value::Null);
    assert_eq!(json["total"]["bases"], 11);
}

#[test]
fn every_number_of_threads_counts_the_same() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq_with(30_000, "")));
    place.ok(&["index", "--span", "200k", "a.fq.gz"]);
    let one = place
        .ok(&["stats", "--tsv", "--quality", "-t", "1", "a.fq.gz"])
        .text();
    for threads in ["2", "7"] {
        for index in ["auto", "never"] {
            let arguments = [
                "stats",
                "--tsv",
                "--quality",
                "-t",
                threads,
                "--index",
                index,
                "a.fq.gz",
            ];
            assert_eq!(place.ok(&arguments).text(), one);
        }
    }
}

/// Files that can only be decoded in order are decoded at the same time; each has its own row all the same.
#[test]
fn many_compressed_files_have_a_row_each() {
    let place = Place::new();
    let mut expected = Vec::new();
    let mut files = Vec::new();
    for number in 0..70 {
        // Some have no reads, the first ones several batches.
        let reads = (if number < 6 { 20_000 } else { number }) * usize::from(number % 5 != 3);
        let text = format!("@a {number}\nACGTA\n+\nIIIII\n").repeat(reads);
        let name = format!("{number}.fq.gz");
        place.write(&name, gzip(text.as_bytes()));
        expected.push(format!("{name}\t{reads}"));
        files.push(name);
    }
    // The same file once more.
    expected.push(expected[4].clone());
    files.push(files[4].clone());
    for threads in ["1", "2", "7"] {
        let mut command = vec!["stats", "--tsv", "--index", "never", "-t", threads];
        command.extend(files.iter().map(String::as_str));
        let text = place.ok(&command).text();
        let columns = text.lines().skip(1).map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(
                cells[3].parse::<usize>(),
                cells[2].parse::<usize>().map(|reads| 5 * reads)
            );
            format!("{}\t{}", cells[0], cells[2])
        });
        assert_eq!(Vec::from_iter(columns), expected, "{threads} threads");
    }
}

/// Of several files, the first fault is told, also where another thread meets one of a later file sooner.
#[test]
fn the_first_fault_of_many_files_is_told() {
    let place = Place::new();
    let good = "@a\nACGTA\n+\nIIIII\n".repeat(400_000);
    place.write("1.fq", format!("{good}@a\nACGTA\n+\nIII\n"));
    place.write("2.fq.gz", &gzip(good.as_bytes())[..9000]);
    place.write("3.fq.gz", &gzip(good.as_bytes())[..900]);
    for threads in ["1", "2", "4"] {
        place.fails(
            &["stats", "-t", threads, "1.fq", "2.fq.gz", "3.fq.gz"],
            1,
            &["1.fq", "400001"],
        );
        place.fails(
            &["stats", "-t", threads, "2.fq.gz", "3.fq.gz"],
            1,
            &["2.fq.gz", "end too early"],
        );
    }
}

/// Rows of the other files are printed, whatever the number of threads, and then what is wrong.
#[test]
fn files_with_a_fault_have_no_row() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    place.write("bad.fq", "@a\nACGT\n+\nII\n");
    place.write("cut.fq.gz", &gzip(&fastq(900))[..9000]);
    place.write("c.fa", ">c\nAC\n");
    let files = ["a.fq", "bad.fq", "cut.fq.gz", "c.fa"];
    for layout in ["--no-progress", "--tsv", "--seqkit", "--seqkit=few"] {
        let expected = place.ok(&["stats", layout, "a.fq", "c.fa"]).text();
        for threads in ["1", "2", "7"] {
            let ended = place.run(&[&["stats", layout, "-t", threads][..], &files].concat());
            ended.expect_failure(1, &[]);
            assert_eq!(ended.text(), expected, "{layout}");
            let errors = ended.stderr.lines().filter(|line| line.contains("error: "));
            let errors: Vec<&str> = errors.collect();
            assert_eq!(errors.len(), 2, "{}", ended.stderr);
            assert!(errors[0].contains("bad.fq") && errors[1].contains("cut.fq.gz"));
        }
    }
    // The worst exit code counts; where there is no row, there is no head of a table.
    let ended = place.run(&["stats", "none.fq", "bad.fq", "gone.fq", "a.fq"]);
    ended.expect_failure(2, &["none.fq", "bad.fq", "gone.fq"]);
    assert_eq!(ended.text(), place.ok(&["stats", "a.fq"]).text());
    let ended = place.run(&["stats", "--json", "bad.fq", "cut.fq.gz"]);
    ended.expect_failure(1, &["bad.fq", "cut.fq.gz"]);
    assert_eq!(ended.text(), "");
    // Of files that are read twice, as one beside them has a fault, nothing is said twice.
    place.ok(&["cat", "a.fq", "-o", "no_end.bam"]);
    let whole = place.read("no_end.bam");
    place.write("no_end.bam", &whole[..whole.len() - 28]);
    let ended = place.run(&["stats", "--no-eof-check", "no_end.bam", "bad.fq"]);
    let warned = ended.stderr.matches("no BGZF end-of-file block").count();
    assert_eq!(warned, 1, "{}", ended.stderr);
}

#[test]
fn json_says_which_files_have_a_fault() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    place.write("bad.fq", "@a\nACGT\n+\nII\n");
    place.write("c.fa", ">c\nAC\n");
    let words = ["stats", "--json", "--total", "a.fq", "bad.fq", "c.fa"];
    let ended = place.run(&words);
    ended.expect_failure(1, &["bad.fq", "note: there is no total"]);
    let json: Value = serde_json::from_str(&ended.text()).unwrap();
    assert_eq!(json["files"][0]["reads"], 3);
    assert_eq!(json["files"][1]["file"], "bad.fq");
    assert_eq!(json["files"][1]["reads"], Value::Null);
    let error = json["files"][1]["error"].as_str().unwrap();
    assert!(error.starts_with("bad.fq: "), "{error}");
    assert_eq!(json["files"][2]["bases"], 2);
    assert_eq!(json["total"], Value::Null);
    // Whoever reads no more hears of the fault all the same.
    let ended = place.shell("{ $THALWEG stats a.fq bad.fq; echo $? >code; } | true; cat code");
    assert_eq!(ended.text(), "1\n", "{}", ended.stderr);
}

/// A small limit on open files is no reason to fail.
#[test]
fn more_files_than_may_be_open_are_counted() {
    let place = Place::new();
    let names: Vec<String> = (0..90).map(|number| format!("{number}.fa")).collect();
    for name in &names {
        place.write(name, ">a\nACGT\n");
    }
    let names = names.join(" ");
    let ended = place.shell(&format!(
        "ulimit -n 40; exec $THALWEG stats --tsv --total {names}"
    ));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.text().contains("total\t-\t90\t360\t"),
        "{}",
        ended.text()
    );
}

/// The writer of pipes may open the second one when the first has been read.
#[test]
fn pipes_are_read_one_after_the_other() {
    let place = Place::new();
    let text = "@a\nACGTA\n+\nIIIII\n".repeat(40_000);
    place.write("a.fq", &text);
    let ended = place.shell(
        "mkfifo p1 p2; (cat a.fq > p1; cat a.fq > p2) & timeout 60 $THALWEG stats --tsv a.fq a.fq p1 p2 | cut -f 1,3",
    );
    assert_eq!(
        ended.text(),
        "file\treads\na.fq\t40000\na.fq\t40000\np1\t40000\np2\t40000\n"
    );
}

/// A slab of 256 KiB that is full with one record of a pair grows.
#[test]
fn long_pairs_of_one_file_are_read() {
    let place = Place::new();
    let record = |length| format!("@a\n{}\n+\n{}\n", "A".repeat(length), "I".repeat(length));
    for length in [65_000, 66_000, 300_000] {
        let text = record(length).repeat(8);
        place.write("a.fq", &text);
        place.write("a.fq.gz", gzip(text.as_bytes()));
        for file in ["a.fq", "a.fq.gz"] {
            let columns = ["stats", "--tsv", "--interleaved", file];
            let text = place.ok(&columns).text();
            assert!(text.contains(&format!("\t8\t{}\t", 8 * length)), "{text}");
        }
    }
}

#[test]
fn mates_are_checked_and_counted_apart() {
    let place = Place::new();
    place.write("r1.fq", fastq_with(1000, "/1"));
    place.write("r2.fq.gz", gzip(&fastq_with(1000, "/2")));
    let text = place
        .ok(&["stats", "--tsv", "--mates", "r1.fq", "r2.fq.gz"])
        .text();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[1].starts_with("r1.fq\tFASTQ\t1000\t100000\t"));
    assert!(rows[2].starts_with("r2.fq.gz\tFASTQ\t1000\t100000\t"));
}

#[test]
fn verbose_tells_the_plan_on_stderr() {
    let place = Place::new();
    place.write("x.fq", READS);
    let ended = place.ok(&["stats", "-v", "x.fq"]);
    assert!(ended.stderr.contains("x.fq: plain"), "{}", ended.stderr);
}

#[test]
fn the_standard_input_is_read_once() {
    let place = Place::new();
    place.fails(&["stats", "-", "-"], 2, &["only once"]);
    place.fails(&["index", "-"], 2, &["cannot be indexed"]);
}

#[test]
fn empty_files_are_told() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    place.write("empty.fq", "");
    for layout in ["--tsv", "--json", "--seqkit"] {
        let ended = place.ok(&["stats", layout, "a.fq", "empty.fq"]);
        assert_eq!(ended.stderr, "thalweg: note: empty.fq: no reads\n");
        assert_eq!(place.ok(&["stats", layout, "a.fq"]).stderr, "");
        assert_eq!(place.ok(&["stats", layout, "-q", "empty.fq"]).stderr, "");
    }
    // BAM with a header and nothing behind it is no empty file.
    place.ok(&["cat", "empty.fq", "-o", "header.bam"]);
    assert!(!place.read("header.bam").is_empty());
    let told = place.ok(&["stats", "header.bam"]).stderr;
    assert_eq!(told, "thalweg: note: header.bam: no reads\n");
}
