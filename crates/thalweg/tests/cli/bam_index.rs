//! Indexes of BAM, and what is read by them.

use crate::bam_file::{Record, append, header};
use crate::support::{Place, bgzf, fastq_with, gzip};

/// So many records, each third one twice: once more as a secondary one. And their FASTQ.
fn records(count: usize) -> (Vec<u8>, String) {
    let (mut data, mut text) = (header(70_000), String::new());
    for number in 0..count {
        let name = format!("r{number}");
        let length = 30 + number * 7 % 200;
        let sequence: Vec<u8> = (0..length)
            .map(|at| b"ACGT"[(at * at + number) % 4])
            .collect();
        let qualities: Vec<u8> = (0..length)
            .map(|at| b'#' + ((at + number) % 40) as u8)
            .collect();
        append(&mut data, &Record::new(&name, 4, &sequence, &qualities));
        if number % 3 == 0 {
            append(&mut data, &Record::new(&name, 0x100, &sequence, &qualities));
        }
        let line = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        text += &format!("@{name}\n{}\n+\n{}\n", line(sequence), line(qualities));
    }
    (data, text)
}

#[test]
fn an_index_of_bam_gives_ranks_shards_and_parts() {
    const COUNT: usize = 12_000;
    let place = Place::new();
    let (data, text) = records(COUNT);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    place.write("a.bam", bgzf(&data));
    place.write("one.bam", gzip(&data));
    for name in ["a.bam", "one.bam"] {
        place.ok(&["index", "--span", "150k", name]);
        for (start, end) in [
            (0, 1),
            (1, 3),
            (5999, 8001),
            (COUNT - 1, COUNT),
            (0, COUNT),
            (40, 40),
        ] {
            let range = format!("{start}..{end}");
            let expected = lines[4 * start..4 * end].concat();
            for threads in ["1", "3"] {
                let found = place.ok(&[
                    "cat",
                    "-t",
                    threads,
                    "--records",
                    &range,
                    "--index",
                    "require",
                    name,
                ]);
                assert!(found.text() == expected, "{name} {range}");
            }
        }
        let shards = |count: usize| -> String {
            let shard = |number: usize| {
                let shard = format!("{number}/{count}");
                place
                    .ok(&["cat", "--shard", &shard, "--index", "require", name])
                    .text()
            };
            (1..=count).map(shard).collect()
        };
        assert!(shards(4) == text && shards(1) == text);
        place.ok(&["cat", "--parts", "3", name, "-o", "part{}.fq"]);
        let parts = [1, 2, 3].map(|part| place.read(&format!("part00{part}.fq")));
        assert!(parts.concat() == text.as_bytes());
        assert!(parts.iter().all(|part| part.len() > text.len() / 5));
    }
}

#[test]
fn an_index_says_that_it_is_of_bam() {
    let place = Place::new();
    let (data, _) = records(2000);
    place.write("a.bam", bgzf(&data));
    let told = place.ok(&["info", "a.bam"]).text();
    assert!(told.contains("  format             bam\n"), "{told}");
    place.ok(&["index", "a.bam"]);
    for name in ["a.bam", "a.bam.thw"] {
        let told = place.ok(&["info", name]).text();
        assert!(told.contains("  record format      bam\n"), "{told}");
        assert!(told.contains("  records            2,000\n"), "{told}");
    }
    let told = place.ok(&["info", "--json", "a.bam"]).text();
    assert!(
        told.contains("\"format\": \"bam\"") && told.contains("\"record_format\": \"bam\""),
        "{told}"
    );
    // An index that is saved by the way says the same.
    std::fs::remove_file(place.path("a.bam.thw")).unwrap();
    place.ok(&["stats", "--index", "save", "a.bam"]);
    assert!(
        place
            .ok(&["info", "a.bam.thw"])
            .text()
            .contains("record format      bam\n")
    );
    place.write("a.fq.gz", gzip(&fastq_with(9, "")));
    place.ok(&["index", "a.fq.gz"]);
    assert!(
        place
            .ok(&["info", "a.fq.gz"])
            .text()
            .contains("record format      fastq\n")
    );
}
