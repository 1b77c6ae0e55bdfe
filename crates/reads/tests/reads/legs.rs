//! Large gzip files without an index, which workers decode in several places at once: the same batches and the same fault for any
//! number of workers.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use thalweg_flow::{Budget, Failure, run};
use thalweg_reads::{Batch, IndexUse, Reader, ReaderOptions};

use crate::support::gzip;

/// So many reads of letters and qualities that are hard to compress: a million bytes of gzip are 13,000 of them.
pub(crate) fn reads(mate: u64, count: usize) -> String {
    let mut state = mate;
    let mut number = move |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 33) % end) as usize
    };
    let mut text = String::new();
    for read in 0..count {
        let letters: String = (0..100).map(|_| b"ACGT"[number(4)] as char).collect();
        let qualities: String = (0..100)
            .map(|_| b"#-6;AEFFFIII"[number(12)] as char)
            .collect();
        writeln!(
            text,
            "@run.{read} {}/{mate}\n{letters}\n+\n{qualities}",
            number(9000)
        )
        .unwrap();
    }
    text
}

fn open(files: &[PathBuf], budget: Budget) -> Arc<Reader> {
    let options = ReaderOptions::new()
        .index(IndexUse::Never)
        .check_letters(true)
        .budget(budget);
    let options = match files {
        [one] => options.file(one),
        mates => options.mates(mates),
    };
    Arc::new(options.open().unwrap())
}

/// The number of a batch, and the text of each mate in it.
pub(crate) type Given = (u64, Vec<Vec<u8>>);

/// All batches in order; or the fault that is told.
fn batches(files: &[PathBuf], threads: usize) -> Result<Vec<Given>, String> {
    batches_within(files, Budget::new(threads), &|_| ())
}

/// The same; `see` is called with each batch when it comes.
pub(crate) fn batches_within(
    files: &[PathBuf],
    budget: Budget,
    see: &(dyn Fn(&Given) + Sync),
) -> Result<Vec<Given>, String> {
    let reader = open(files, budget);
    let given = |batch: &Batch| {
        let texts = batch.blocks().iter().map(|block| block.text().to_vec());
        (batch.place().ticket, texts.collect())
    };
    let parts = run(budget.threads(), |number, _| {
        let mut worker = reader.worker(number, None);
        let mut part = Vec::new();
        while let Some(batch) = worker.next_batch()? {
            let given = given(&batch);
            see(&given);
            part.push(given);
        }
        Ok(part)
    });
    match parts {
        Ok(parts) => {
            let mut all: Vec<Given> = parts.concat();
            // Mates may end with a batch that only tells that there are no more.
            all.retain(|(_, texts)| texts.iter().any(|text| !text.is_empty()));
            all.sort_unstable();
            Ok(all)
        }
        Err(Failure::<thalweg_reads::Error>::Failed(error)) => Err(error.to_string()),
        Err(_) => panic!("a worker has panicked"),
    }
}

#[test]
fn batches_are_the_same_for_any_number_of_workers() {
    let place = tempfile::tempdir().unwrap();
    let texts = [1, 2].map(|mate| reads(mate, 40_000));
    let files = [0, 1].map(|mate| {
        let path = place.path().join(format!("{mate}.fq.gz"));
        std::fs::write(&path, gzip(texts[mate].as_bytes())).unwrap();
        path
    });
    // Large enough to be cut into four strips.
    assert!(std::fs::metadata(&files[0]).unwrap().len() > 5 << 19);
    for mates in [1, 2] {
        let expected = batches(&files[..mates], 1).unwrap();
        for (mate, text) in texts.iter().enumerate().take(mates) {
            let found: Vec<&[u8]> = expected.iter().map(|batch| &batch.1[mate][..]).collect();
            assert!(found.concat() == text.as_bytes());
        }
        for threads in [2, 3, 8] {
            let found = batches(&files[..mates], threads).unwrap();
            assert!(found == expected, "{mates} files, {threads} threads");
        }
    }
}

#[test]
fn the_same_fault_is_told_by_any_number_of_workers() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(3, 40_000);
    let whole = gzip(text.as_bytes());
    let middle = text.len() / 2;
    let middle = middle + text[middle..].find("\n@run").unwrap() + 1;
    let with =
        |line: &str| gzip(format!("{}{line}{}", &text[..middle], &text[middle..]).as_bytes());
    let flipped = |at: usize| {
        let mut file = whole.clone();
        file[at] ^= 0x10;
        file
    };
    let files = [
        ("cut", whole[..whole.len() * 2 / 3].to_vec()),
        ("flipped", flipped(whole.len() / 2)),
        ("flipped late", flipped(whole.len() - 70_000)),
        ("trailer", flipped(whole.len() - 6)),
        ("garbage", [&whole[..], b"garbage"].concat()),
        ("no record", with("ACGT\n")),
        ("no letter", with("@x\nAC\x07T\n+\nFFFF\n")),
    ];
    for (name, file) in files {
        let path = place.path().join(format!("{name}.fq.gz"));
        std::fs::write(&path, file).unwrap();
        let expected = batches(std::slice::from_ref(&path), 1).unwrap_err();
        for threads in [2, 3, 8] {
            let found = batches(std::slice::from_ref(&path), threads).unwrap_err();
            assert_eq!(found, expected, "{name}, {threads} threads");
        }
    }
}
