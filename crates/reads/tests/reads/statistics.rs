//! Statistics against a slow oracle and another tool.

use std::process::Command;

use proptest::prelude::*;
use thalweg_reads::{Format, Records, Scanner, Statistics, sniff};

use crate::given::{decompressed, layout, records, shared, write};

proptest! {
    // Files of failures beside the source are of no use here: a failing case is printed whole.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statistics_agree_with_the_oracle(records in records(30), layout in layout(), cut in 0usize..30) {
        let (data, _) = write(&records, &layout);
        let mut ends = Vec::new();
        Scanner::new(layout.format).scan(&data, 0, true, usize::MAX, &mut ends).unwrap();
        let (before, after) = Records::new(&data, 0, layout.format, &ends).split_at(cut);
        let mut statistics = Statistics::new(true);
        statistics.add(before);
        let mut others = Statistics::new(true);
        others.add(after);
        statistics.merge(&others);

        let mut lengths: Vec<u64> = records.iter().map(|record| record.1.len() as u64).collect();
        lengths.sort_unstable();
        let bases: u64 = lengths.iter().sum();
        prop_assert_eq!(statistics.reads(), lengths.len() as u64);
        prop_assert_eq!(statistics.bases(), bases);
        prop_assert_eq!(statistics.letters().total(), bases);
        prop_assert_eq!(statistics.shortest(), lengths.first().copied());
        prop_assert_eq!(statistics.longest(), lengths.last().copied());
        let mut sum = 0;
        let n50 = lengths.iter().rev().find(|&&length| { sum += length; 2 * sum >= bases });
        prop_assert_eq!(statistics.n50(), if bases == 0 { lengths.first().copied() } else { n50.copied() });
        let mut sum = 0;
        let longest = lengths.iter().rev().position(|&length| { sum += length; 2 * sum >= bases });
        prop_assert_eq!(statistics.l50(), longest.map(|before| before as u64 + 1));
        for letter in 0..=u8::MAX {
            let count = records.iter().flat_map(|record| &record.1).filter(|&&byte| byte == letter).count();
            prop_assert_eq!(statistics.letters().count(letter), count as u64);
        }
        let qualities: Vec<u8> = match layout.format {
            Format::Fasta => Vec::new(),
            _ => records.iter().flat_map(|record| record.2.clone().unwrap()).collect(),
        };
        let totals = statistics.qualities().unwrap();
        prop_assert_eq!(totals.bases, qualities.len() as u64);
        prop_assert_eq!(totals.sum, qualities.iter().map(|&byte| i64::from(byte) - 33).sum::<i64>());
        for quality in 0..=u8::MAX {
            let count = qualities.iter().filter(|&&other| other == quality).count() as u64;
            prop_assert_eq!(statistics.quality_counts().unwrap()[usize::from(quality)], count);
        }
        let errors: f64 = qualities.iter().map(|&byte| 10_f64.powf(f64::from(byte - 33) / -10.0)).sum();
        match (statistics.quality_of_mean_error(), qualities.len()) {
            (None, number) => prop_assert_eq!(number, 0),
            (Some(quality), number) => {
                let expected = -10.0 * (errors / number as f64).log10();
                prop_assert!((quality - expected).abs() < 1e-9, "{} {}", quality, expected);
                prop_assert!(quality <= statistics.mean_quality().unwrap() + 1e-9);
            }
        }
        prop_assert_eq!(totals.q30, qualities.iter().filter(|&&byte| byte >= 63).count() as u64);
    }
}

#[test]
fn seqkit_counts_the_same() {
    let names = [
        "reads/yeast_raw/SRR6924569_S1_L001_R1_001.fastq.gz",
        "reads/ont_seqkit/nanopore.fq.gz",
        "reads/pacbio_hifi16s/test_1000_reads.fastq.gz",
        "reads/genome_analyzer/SRR059298_subset.fastq.gz",
        "reads/sarscov2_amplicon/SRR13687078_1.fastq.gz",
        "genomes/Klebsiella_pneumoniae_ATCC-13883_GCF_000742135.1.fna.gz",
        "genomes/Enterococcus_faecium_NBRC-100486_GCF_001544255.1.fna.gz",
    ];
    for name in names {
        let Some(path) = shared(name) else { return };
        let Ok(output) = Command::new("seqkit")
            .args(["stats", "-a", "-T", "-j", "1"])
            .arg(&path)
            .output()
        else {
            eprintln!("skipped: seqkit is not installed");
            return;
        };
        let table = String::from_utf8(output.stdout).unwrap();
        let mut lines = table.lines();
        let (titles, values) = (lines.next().unwrap(), lines.next().unwrap());
        let columns: std::collections::HashMap<&str, &str> =
            titles.split('\t').zip(values.split('\t')).collect();

        let data = decompressed(&path, "gzip").unwrap();
        let format = sniff(&data[..data.len().min(65536)], false)
            .unwrap()
            .unwrap();
        let mut ends = Vec::new();
        Scanner::new(format)
            .scan(&data, 0, true, usize::MAX, &mut ends)
            .unwrap();
        let mut statistics = Statistics::new(true);
        statistics.add(Records::new(&data, 0, format, &ends));

        assert_eq!(
            columns["num_seqs"],
            statistics.reads().to_string(),
            "{name}"
        );
        assert_eq!(columns["sum_len"], statistics.bases().to_string(), "{name}");
        assert_eq!(
            columns["min_len"],
            statistics.shortest().unwrap().to_string(),
            "{name}"
        );
        assert_eq!(
            columns["avg_len"],
            format!("{:.1}", statistics.mean_length().unwrap()),
            "{name}"
        );
        assert_eq!(
            columns["max_len"],
            statistics.longest().unwrap().to_string(),
            "{name}"
        );
        assert_eq!(
            columns["N50"],
            statistics.n50().unwrap().to_string(),
            "{name}"
        );
        assert_eq!(
            columns["GC(%)"],
            format!("{:.2}", 100.0 * statistics.gc().unwrap()),
            "{name}"
        );
        if format.has_qualities() {
            assert_eq!(
                columns["Q20(%)"],
                format!("{:.2}", 100.0 * statistics.q20().unwrap()),
                "{name}"
            );
            assert_eq!(
                columns["Q30(%)"],
                format!("{:.2}", 100.0 * statistics.q30().unwrap()),
                "{name}"
            );
        }
    }
}
