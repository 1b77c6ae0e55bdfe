//! Any number of workers, and batches of any size, make the same report.

use thalweg_fastqc::{Limits, Settings};

use crate::reads::{Record, report};

/// Random reads of mixed lengths, some of which come again, with tiles, N and adapters; more different ones than are remembered.
fn records(number: usize) -> Vec<Record> {
    let mut state = 7_u64;
    let mut next = move |below: u64| {
        // Knuth's multiplier; the upper bits are random enough.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut records: Vec<Record> = Vec::with_capacity(number);
    for rank in 0..number {
        let tile = 1101 + next(5);
        let head = format!("A:1:F:1:{tile}:{}:{rank} 1:N:0:A", next(20_000)).into_bytes();
        if rank > 100 && next(10) == 0 {
            let other = &records[next(rank as u64) as usize];
            let (bases, qualities) = (other.bases.clone(), other.qualities.clone());
            records.push(Record {
                head,
                bases,
                qualities,
            });
            continue;
        }
        let length = match next(100) {
            0 => 0,
            1..9 => next(14),
            _ => 30 + next(150),
        };
        let mut bases: Vec<u8> = (0..length).map(|_| b"ACGT"[next(4) as usize]).collect();
        if next(20) == 0 && length > 0 {
            bases[next(length) as usize] = b'N';
        }
        if next(15) == 0 {
            let at = next(length + 1) as usize;
            bases.truncate(at);
            bases.extend_from_slice(b"AGATCGGAAGAG");
        }
        let qualities = bases.iter().map(|_| b'#' + next(40) as u8).collect();
        records.push(Record {
            head,
            bases,
            qualities,
        });
    }
    records
}

#[test]
fn any_parts_make_the_same_report() {
    let records = records(130_000);
    let settings = || {
        let mut limits = Limits::default();
        limits.kmer.ignored = false;
        Settings {
            limits,
            ..Settings::default()
        }
    };
    let whole = report(&records, "reads", settings(), records.len(), 1).data();
    for section in [
        "Per tile sequence quality",
        "Kmer Content",
        "Overrepresented sequences",
    ] {
        assert!(whole.contains(section), "{section}");
    }
    for (batch, workers) in [(1, 1), (777, 2), (50_001, 5)] {
        let parts = report(&records, "reads", settings(), batch, workers).data();
        assert!(parts == whole, "{batch} reads at a time, {workers} workers");
    }
}
