//! G and C in both reads of every pair, with all cores: `cargo run --release -p thalweg --example gc_of_pairs -- R1 R2`.

fn main() -> Result<(), thalweg::Error> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [pairs, gc] = count(&paths)?;
    println!("{pairs} pairs, {gc} G or C");
    Ok(())
}

/// Pairs, and G and C.
pub fn count(paths: &[String]) -> Result<[u64; 2], thalweg::Error> {
    let workers = thalweg::open_mates(paths)?.all_workers();
    workers.fold(
        || [0, 0],
        |sums, batch| {
            for (left, right) in batch.pairs() {
                sums[0] += 1;
                for read in [left, right] {
                    // Borrowed, unless the sequence has several lines.
                    let sequence = read.sequence();
                    let is_gc = |base: &&u8| matches!(base, b'G' | b'C' | b'g' | b'c');
                    sums[1] += sequence.iter().filter(is_gc).count() as u64;
                }
            }
        },
        |sums, others| {
            sums[0] += others[0];
            sums[1] += others[1];
        },
    )
}
