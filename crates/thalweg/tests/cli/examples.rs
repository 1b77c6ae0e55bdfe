//! The examples of the library, each run on small files, and compared with what is plain to see.

use crate::support::{Place, fastq, gzip};

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/byte_stream.rs"]
mod byte_stream;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/clean.rs"]
mod clean;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/filter_to_gzip.rs"]
mod filter_to_gzip;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/gc_of_pairs.rs"]
mod gc_of_pairs;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/kmer_count.rs"]
mod kmer_count;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/look_up.rs"]
mod look_up;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/motif_count.rs"]
mod motif_count;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/records_by_rank.rs"]
mod records_by_rank;

/// The name of a file here.
fn name(place: &Place, file: &str) -> String {
    place.path(file).to_str().unwrap().to_owned()
}

#[test]
fn every_example_is_in_the_index_and_here() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let index = std::fs::read_to_string(format!("{directory}/README.md")).unwrap();
    let here = include_str!("examples.rs");
    let mut examples = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(example) = file.strip_suffix(".rs") else {
            continue;
        };
        examples += 1;
        assert!(index.contains(&format!("[{example}]({file})")), "{file}");
        assert!(here.contains(&format!("examples/{file}")), "{file}");
    }
    assert_eq!(examples, 8);
}

#[test]
fn motifs_are_found_on_both_strands() {
    let place = Place::new();
    place.write(
        "a.fa",
        ">1\nCCCCAAAG\n>2\nGGGTTTTT\n>3\nACGT\n>4\nAA\nCC\nCC\n",
    );
    let files = [name(&place, "a.fa")];
    let found = motif_count::count(b"AACCCC", files.into_iter()).unwrap();
    assert_eq!(found, [1, 4]);
    let files = [name(&place, "a.fa")];
    let found = motif_count::count(b"AAA", files.into_iter()).unwrap();
    assert_eq!(found, [2, 4]);
}

#[test]
fn letters_of_pairs_are_counted() {
    let place = Place::new();
    place.write("1.fq", "@a/1\nACGT\n+\nIIII\n@b/1\nGG\n+\nII\n");
    place.write("2.fq", "@a/2\nAAAA\n+\nIIII\n@b/2\nCT\n+\nII\n");
    let files = [name(&place, "1.fq"), name(&place, "2.fq")];
    assert_eq!(gc_of_pairs::count(&files).unwrap(), [2, 5]);
}

#[test]
fn reads_are_filtered_in_order() {
    let place = Place::new();
    let read = |number: usize, sequence: String| {
        let quality = "I".repeat(sequence.len());
        format!("@r{number}\n{sequence}\n+\n{quality}\n")
    };
    let sequences = [
        "ACGT".repeat(25),
        "ACGT".repeat(24),
        "N".repeat(2) + &"A".repeat(120),
    ];
    let reads: String = (0..900)
        .map(|number| read(number, sequences[number % 3].clone()))
        .collect();
    place.write("a.fq.gz", gzip(reads.as_bytes()));
    let output = name(&place, "long.fq.gz");
    let files = [name(&place, "a.fq.gz")];
    let done = filter_to_gzip::filter(&output, files.into_iter()).unwrap();
    assert_eq!(done, [300, 900]);
    let expected: String = (0..300)
        .map(|number| read(3 * number, sequences[0].clone()))
        .collect();
    let text = place.ok(&["cat", "long.fq.gz"]).stdout;
    assert!(text == expected.as_bytes());
}

#[test]
fn k_mers_are_counted_and_looked_up() {
    let place = Place::new();
    place.write(
        "a.fa",
        ">1\nACGTACGTACGTTTGACCAGTA\n>2\nACGTACGTACGTTTGACCAGT\n",
    );
    let database = name(&place, "a.thk");
    let files = [name(&place, "a.fa")];
    let spectrum = kmer_count::count(&database, files.into_iter()).unwrap();
    assert_eq!(spectrum, [(1, 1), (2, 1)]);
    let kmers = [
        "ACGTACGTACGTTTGACCAGT",
        // The other strand of the same.
        "ACTGGTCAAACGTACGTACGT",
        "CGTACGTACGTTTGACCAGTA",
        "AAAAAAAAAAAAAAAAAAAAA",
    ];
    let counts = look_up::counts(&database, &kmers.map(str::to_owned)).unwrap();
    assert_eq!(counts, [2, 2, 1, 0]);
    let fault = look_up::counts(&database, &["ACG".to_owned()]).unwrap_err();
    assert!(fault.to_string().contains("ACG"), "{fault}");
}

#[test]
fn records_are_found_by_rank() {
    let place = Place::new();
    let reads = fastq(5000);
    place.write("a.fq.gz", gzip(&reads));
    let reads = String::from_utf8(reads).unwrap();
    let lines: Vec<&str> = reads.lines().collect();
    for (first, count) in [(0, 1), (4321, 7), (4999, 5)] {
        let Ok(found) = records_by_rank::records(&name(&place, "a.fq.gz"), first, count) else {
            // Beyond the end.
            assert_eq!(first, 4999);
            continue;
        };
        assert!(place.path("a.fq.gz.thw").exists());
        let mut text = Vec::new();
        for record in &found {
            record.write_to(&mut text).unwrap();
        }
        let end = (first + count) as usize * 4;
        let expected = lines[first as usize * 4..end].join("\n") + "\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}

#[test]
fn reads_are_cleaned() {
    let place = Place::new();
    place.write("a.fq", fastq(100));
    let files = ["out.fq", "a.fq"].map(|file| place.path(file));
    let report = name(&place, "fastp.json");
    let cleaned = clean::clean(&files, &report).unwrap();
    assert!(place.path("out.fq").exists() && place.path("fastp.json").exists());
    let written = place.ok(&["cat", "out.fq"]).stdout;
    let lines = written.iter().filter(|byte| **byte == b'\n').count() as u64;
    assert_eq!(lines, 4 * cleaned.passed());
}

#[test]
fn other_parsers_read_what_is_decoded() {
    let place = Place::new();
    let mut text = "##gff-version 3\n".to_owned();
    for number in 0..20_000 {
        let kind = ["gene", "mRNA", "exon", "exon"][number % 4];
        text += &format!(
            "chr1\tx\t{kind}\t{number}\t{}\t.\t+\t.\tID={number}\n",
            number + 9
        );
    }
    let bytes = gzip(text.as_bytes());
    place.write("a.gff.gz", &bytes);
    let kinds = byte_stream::features(&name(&place, "a.gff.gz")).unwrap();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(kind, count)| (&kind[..], *count))
        .collect();
    assert_eq!(kinds, [("exon", 10_000), ("gene", 5000), ("mRNA", 5000)]);
    place.write("cut.gff.gz", &bytes[..bytes.len() - 100]);
    let error = byte_stream::features(&name(&place, "cut.gff.gz")).unwrap_err();
    assert!(error.to_string().contains("cut.gff.gz"), "{error}");
}
