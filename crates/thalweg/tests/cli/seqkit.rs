//! `thalweg stats --seqkit`, beside seqkit itself: that of `THALWEG_SEQKIT`, or of `PATH`.

use std::ffi::OsString;
use std::process::Command;

use crate::extent::is_all;
use crate::support::{Place, bgzf, fastq_with, gzip, random};

const HEADER: &str = "file\tformat\ttype\tnum_seqs\tsum_len\tmin_len\tavg_len\tmax_len\tQ1\tQ2\tQ3\tsum_gap\tN50\tN50_num\tQ20(%)\tQ30(%)\tAvgQual\tGC(%)\tsum_n";

/// The columns whose meaning and format are the same in all versions since 2.3.
const OLD: [&str; 11] = [
    "file", "format", "type", "num_seqs", "sum_len", "min_len", "avg_len", "max_len", "sum_gap",
    "N50", "GC(%)",
];

#[test]
fn tables_are_exact() {
    let place = Place::new();
    place.write(
        "x.fq",
        "@a\nACGTN\n+\nIIIII\n@b\nacgR\n+\n!5?I\n@c\n\n+\n\n@d\nGG\n+\n55\n",
    );
    place.write("empty.fa", "");
    place.write(
        "long.fa",
        format!(">a\n{}\n>b\nAC-.\n", "ACGTU".repeat(300)),
    );
    let files = ["x.fq", "empty.fa", "long.fa"];
    let rows = "\
x.fq\tFASTQ\tDNA\t4\t11\t0\t2.8\t5\t1\t3\t4\t0\t4\t2\t91\t64\t10.28\t54.55\t1
empty.fa\t\t\t0\t0\t0\t0.0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0.00\t0.00\t0
long.fa\tFASTA\tProtein\t2\t1504\t4\t752.0\t1500\t4\t752\t1500\t2\t1500\t1\t0\t0\t0.00\t0.00\t0
";
    let text = place
        .ok(&[&["stats", "--seqkit"], &files[..]].concat())
        .text();
    assert_eq!(text, format!("{HEADER}\n{rows}"));
    let text = place
        .ok(&[&["stats", "--seqkit=tabular"], &files[..]].concat())
        .text();
    assert!(text.starts_with("file\tformat\ttype\tnum_seqs\tsum_len\tmin_len\tavg_len\tmax_len\nx.fq\tFASTQ\tDNA\t4\t11\t0\t2.8\t5\n"));
    let aligned = "\
file      format  type     num_seqs  sum_len  min_len  avg_len  max_len
x.fq      FASTQ   DNA             4       11        0      2.8        5
empty.fa                          0        0        0        0        0
long.fa   FASTA   Protein         2    1,504        4      752    1,500
";
    let text = place
        .ok(&[&["stats", "--seqkit=few"], &files[..]].concat())
        .text();
    assert_eq!(text, aligned);
    let aligned = "\
file  format  type  num_seqs  sum_len  min_len  avg_len  max_len  Q1  Q2   Q3  sum_gap  N50  N50_num  Q20(%)  Q30(%)  AvgQual  GC(%)  sum_n
x.fq  FASTQ   DNA          4       11        0      2.8        5   1   3  4.5        0    4        2   90.91   63.64    10.28  54.55      1
";
    let text = place.ok(&["stats", "--seqkit=all", "x.fq"]).text();
    assert_eq!(text, aligned);
    let text = place
        .feed(&["stats", "--seqkit", "-"], b">a\nACGU\n")
        .text();
    assert!(text.contains("\n-\tFASTA\tRNA\t1\t4\t"), "{text}");
    place.refuses(&["stats", "--seqkit", "--json", "x.fq"], &["--seqkit"]);
}

/// Files of all kinds, of lengths and letters by chance.
fn write_files(place: &Place) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = random(20_261_126);
    let alphabets = [
        "ACGT",
        "ACGTNRYKM-.",
        "ACGUNacgun",
        "ACDEFGHIKLMNPQRSTVWYXx*",
        "ACGT?1NnXx",
    ];
    for (number, letters) in alphabets.iter().enumerate() {
        let letters = letters.as_bytes();
        let qualities: Vec<u8> = (33..=(b'~' - number as u8 * 10)).collect();
        for (sizes, reads) in [(3, 7), (400, 900), (9, 1), (30_000, 12)] {
            let (mut fasta, mut fastq) = (Vec::new(), Vec::new());
            for read in 0..reads {
                let length = next(sizes);
                let mut pick =
                    |of: &[u8]| -> Vec<u8> { (0..length).map(|_| of[next(of.len())]).collect() };
                let (bases, values) = (pick(letters), pick(&qualities));
                fastq.extend_from_slice(format!("@{read} x\n").as_bytes());
                fastq.extend_from_slice(&bases);
                fastq.extend_from_slice(b"\n+\n");
                fastq.extend_from_slice(&values);
                fastq.push(b'\n');
                fasta.extend_from_slice(format!(">{read} x\n").as_bytes());
                for line in bases.chunks(61) {
                    fasta.extend_from_slice(line);
                    fasta.push(b'\n');
                }
            }
            for (ending, text) in [("fq", &fastq), ("fa", &fasta)] {
                let name = format!("{number}-{sizes}-{reads}.{ending}");
                place.write(&name, text);
                names.push(name);
            }
        }
    }
    place.write("b.fq.gz", bgzf(&fastq_with(30_000, "/1")));
    place.write("g.fq.gz", gzip(&fastq_with(30_000, " 1")));
    // The first 10,000 letters are of DNA; and one before that is none.
    let long = "ACGT".repeat(700_000);
    place.write(
        "dna.fa",
        format!(
            ">a\n{}EFQ\n",
            long.as_bytes()
                .chunks(60)
                .map(|line| String::from_utf8_lossy(line).into_owned() + "\n")
                .collect::<String>()
        ),
    );
    place.write(
        "protein.fa",
        format!(">a\n{}\nEFQ\n{long}\n", &long[..9997]),
    );
    names.extend(["b.fq.gz", "g.fq.gz", "dna.fa", "protein.fa"].map(str::to_owned));
    names
}

#[test]
fn seqkit_prints_the_same() {
    let place = Place::new();
    let names = write_files(&place);
    let seqkit = std::env::var_os("THALWEG_SEQKIT").unwrap_or(OsString::from("seqkit"));
    for (turn, name) in names.iter().enumerate() {
        let layouts = [
            ("tabular-all", &["-a", "-T"][..]),
            ("tabular", &["-T"]),
            ("all", &["-a"]),
            ("few", &[]),
        ];
        // The first has all that others have; of those, a file has one.
        let is_asked = |number| is_all() || number == 0 || number == 1 + turn % 3;
        let layouts = layouts.into_iter().enumerate();
        for (_, (layout, options)) in layouts.filter(|(number, _)| is_asked(*number)) {
            // One file at a time by one thread: several of its threads mix what they know of files.
            let mut command = Command::new(&seqkit);
            command
                .current_dir(place.path("."))
                .args(["stats", "-j", "1"])
                .args(options);
            let Ok(output) = command.arg(name).output() else {
                eprintln!("SKIPPED: seqkit_prints_the_same: no seqkit");
                return;
            };
            let theirs = String::from_utf8(output.stdout).unwrap();
            let ours = place
                .ok(&["stats", &format!("--seqkit={layout}"), name])
                .text();
            let header = |text: &str| -> Vec<String> {
                let line = text.lines().next().unwrap_or_default();
                line.split_whitespace().map(str::to_owned).collect()
            };
            if header(&ours) == header(&theirs) {
                assert_eq!(ours, theirs, "{name} {layout}");
                continue;
            }
            let column = |text: &str, name| {
                let place = header(text)
                    .iter()
                    .position(|column| column == name)
                    .unwrap();
                let row = text.lines().nth(1).unwrap();
                row.split('\t').nth(place).unwrap().to_owned()
            };
            if layout == "tabular-all" {
                for name in OLD {
                    // Since 2.8, GC is not counted of proteins.
                    let is_known = name != "GC(%)" || ours.contains("DNA") || ours.contains("RNA");
                    if is_known {
                        assert_eq!(column(&ours, name), column(&theirs, name), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_number_of_threads_and_every_way_to_read_prints_the_same() {
    let place = Place::new();
    let names = write_files(&place);
    let mut command = vec!["stats", "--seqkit", "-t", "1", "--index", "never"];
    command.extend(names.iter().map(String::as_str));
    let expected = place.ok(&command).text();
    assert!(expected.contains("dna.fa\tFASTA\tDNA\t"), "{expected}");
    assert!(
        expected.contains("protein.fa\tFASTA\tProtein\t"),
        "{expected}"
    );
    assert_eq!(
        expected
            .matches("fq.gz\tFASTQ\tDNA\t30000\t3000000\t")
            .count(),
        2
    );
    place.ok(&["index", "-q", "--span", "200k", "g.fq.gz", "b.fq.gz"]);
    for threads in ["1", "2", "7"] {
        for index in ["auto", "never"] {
            command[3] = threads;
            command[5] = index;
            assert_eq!(place.ok(&command).text(), expected, "{threads} {index}");
        }
    }
}

/// BAM counts as the FASTQ that it becomes.
#[test]
fn bam_counts_as_fastq() {
    let place = Place::new();
    place.write("a.fq", fastq_with(3000, ""));
    place.ok(&["cat", "-q", "a.fq", "-o", "a.bam"]);
    let row = |name| {
        let text = place.ok(&["stats", "--seqkit", "-t", "2", name]).text();
        text.lines()
            .nth(1)
            .unwrap()
            .split_once('\t')
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(row("a.bam"), row("a.fq"));
}

#[test]
fn multiqc_reads_the_table() {
    let place = Place::new();
    let layouts = ["tabular-all", "all", "tabular", "few"];
    let reads = [gzip(&fastq_with(2000, "/1")), fastq_with(1500, "/2")];
    for layout in layouts {
        let names = [format!("{layout}_1.fq.gz"), format!("{layout}_2.fq")];
        for (name, text) in names.iter().zip(&reads) {
            place.write(name, text);
        }
        let layout = format!("--seqkit={layout}");
        let table = place.ok(&["stats", &layout, &names[0], &names[1]]);
        // What it finds, it tells by the names of files.
        std::fs::create_dir(place.path(&layout)).unwrap();
        place.write(&format!("{layout}/seqkit.txt"), table.stdout);
    }
    let multiqc = std::env::var_os("THALWEG_MULTIQC").unwrap_or("multiqc".into());
    let mut run = Command::new(multiqc);
    run.current_dir(place.path("."));
    run.args(["-q", "-m", "seqkit", "-o", "report", "."]);
    let Ok(output) = run.output() else {
        eprintln!("SKIPPED: multiqc_reads_the_table: no multiqc");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let data = place.read("report/multiqc_data/multiqc_data.json");
    let data: serde_json::Value = serde_json::from_slice(&data).unwrap();
    let samples = &data["report_saved_raw_data"]["multiqc_seqkit_stats"];
    for layout in layouts {
        for (mate, reads) in [("1", 2000.0), ("2", 1500.0)] {
            let found = &samples[&format!("{layout}_{mate}")];
            assert_eq!(found["num_seqs"], reads, "{layout} {samples}");
            assert_eq!(found["avg_len"], 100.0, "{layout} {samples}");
            if layout.ends_with("all") {
                assert!(
                    found["AvgQual"]
                        .as_f64()
                        .is_some_and(|quality| quality > 3.0),
                    "{samples}"
                );
            }
        }
    }
}
