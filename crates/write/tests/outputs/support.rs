//! Batches that know what they are, workers that hand them in, and a slow reader of
//! all formats.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use thalweg_flow::{Claims, Failure, Place, Stop, run_or};
use thalweg_write::{Error, OutputFormat, OutputOptions, OutputPiece, Outputs, Written};

/// Numbers that look random and are the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// The text of one batch for one output.
pub(crate) struct Batch {
    pub(crate) text: Vec<u8>,
    pub(crate) records: u64,
    pub(crate) pack_ends: Vec<u64>,
}

/// `batches[ticket][piece][output]`.
pub(crate) type Batches = Vec<Vec<Vec<Batch>>>;

/// How batches are handed in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    seed: u64,
    threads: usize,
    lanes: usize,
    ahead: u64,
    tickets: usize,
}

/// By up to 8 threads, with up to 4 tickets at a time each.
pub(crate) fn runs(most_ahead: u64, most_tickets: usize) -> impl Strategy<Value = Run> {
    (
        any::<u64>(),
        1_usize..=8,
        1_usize..=4,
        1..=most_ahead,
        0..=most_tickets,
    )
        .prop_map(|(seed, threads, lanes, ahead, tickets)| Run {
            seed,
            threads,
            lanes,
            ahead,
            tickets,
        })
}

impl Run {
    /// See [`batches`].
    pub(crate) fn batches(&self, outputs: usize, largest: u64) -> Batches {
        batches(self.seed, self.tickets, outputs, largest)
    }

    /// Hand `batches` in to outputs of their own, with random delays of up to so many microseconds.
    pub(crate) fn write(
        &self,
        options: Vec<OutputOptions>,
        batches: &Batches,
        delay: u64,
    ) -> Vec<Vec<Written>> {
        let outputs = Outputs::open(options, self.ahead).unwrap();
        write(&outputs, batches, self.threads, self.lanes, delay).unwrap();
        outputs.finish(self.tickets as u64).unwrap()
    }
}

/// Random batches of up to `largest` records; every fourth piece is empty.
pub(crate) fn batches(seed: u64, tickets: usize, outputs: usize, largest: u64) -> Batches {
    let mut random = Random(seed);
    let mut rank = vec![0_u64; outputs];
    let mut piece = |random: &mut Random| {
        (0..outputs)
            .map(|output| {
                let records = match random.below(4) {
                    0 => 0,
                    _ => random.below(largest + 1),
                };
                let mut text = Vec::new();
                for _ in 0..records {
                    let length = random.below(150) as usize;
                    let bases: String = (0..length)
                        .map(|_| b"ACGT"[random.below(4) as usize] as char)
                        .collect();
                    let qualities: String = (0..length)
                        .map(|_| (b'!' + random.below(41) as u8) as char)
                        .collect();
                    let name = rank[output];
                    rank[output] += 1;
                    text.extend(
                        format!("@{output}.{name}\n{bases}\n+\n{qualities}\n").into_bytes(),
                    );
                }
                let mut pack_ends: Vec<u64> = (0..random.below(4))
                    .map(|_| random.below(records + 1))
                    .collect();
                pack_ends.sort_unstable();
                Batch {
                    text,
                    records,
                    pack_ends,
                }
            })
            .collect()
    };
    (0..tickets)
        .map(|_| {
            let pieces = 1 + random.below(3);
            (0..pieces).map(|_| piece(&mut random)).collect()
        })
        .collect()
}

/// What an output has to be.
pub(crate) fn expected(batches: &Batches, output: usize) -> Vec<u8> {
    let pieces = batches.iter().flatten();
    pieces
        .flat_map(|piece| piece[output].text.iter().copied())
        .collect()
}

/// Hand in all batches from `threads` workers that dawdle. A worker takes up to
/// `lanes` tickets at a time and works on them in no order, as the reader does.
pub(crate) fn write(
    outputs: &Outputs,
    batches: &Batches,
    threads: usize,
    lanes: usize,
    delay: u64,
) -> Result<(), Failure<Error>> {
    let claims = Claims::new(batches.len() as u64);
    let each = |worker: usize| {
        let mut random = Random(worker as u64);
        let mut writer = outputs.writer()?;
        let mut held: Vec<(u64, usize)> = Vec::new();
        let mut texts = vec![Vec::new(); batches.first().map_or(0, |ticket| ticket[0].len())];
        let mut pending = None;
        loop {
            while held.len() < lanes {
                pending = pending.or_else(|| claims.claim());
                let Some(ticket) = pending else { break };
                if held.is_empty() {
                    outputs.begin(ticket)?;
                } else if !outputs.gate().admits(ticket).map_err(|_| Error::Stopped)? {
                    break;
                }
                held.push((ticket, 0));
                pending = None;
            }
            if held.is_empty() {
                return Ok::<_, Error>(());
            }
            let chosen = random.below(held.len() as u64) as usize;
            let (ticket, piece) = held[chosen];
            if delay > 0 {
                std::thread::sleep(Duration::from_micros(random.below(delay)));
            }
            let pieces = &batches[ticket as usize];
            let last = piece + 1 == pieces.len();
            let place = Place {
                ticket,
                piece: piece as u64,
                last,
            };
            for (text, batch) in texts.iter_mut().zip(&pieces[piece]) {
                assert!(text.is_empty());
                text.extend_from_slice(&batch.text);
            }
            let mut handed: Vec<_> = texts
                .iter_mut()
                .zip(&pieces[piece])
                .map(|(text, batch)| {
                    OutputPiece::new(text, batch.records).pack_ends(&batch.pack_ends)
                })
                .collect();
            writer.write(place, &mut handed)?;
            if last {
                held.swap_remove(chosen);
            } else {
                held[chosen].1 += 1;
            }
        }
    };
    // Who was stopped by another's failure has none of its own.
    let work = |worker: usize, _: &Stop| match each(worker) {
        Err(error) if error.is_consequence() => Ok(()),
        outcome => outcome,
    };
    run_or(threads, work, || outputs.close()).map(|_| ())
}

/// The text in a file, read by other libraries than those that wrote it where there are any.
pub(crate) fn text_of(path: &Path, format: OutputFormat) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    match format {
        OutputFormat::Plain => text = bytes,
        OutputFormat::Gzip | OutputFormat::Bgzf => {
            assert!(!bytes.is_empty());
            let mut members = flate2::read::MultiGzDecoder::new(&bytes[..]);
            members.read_to_end(&mut text).unwrap();
        }
        OutputFormat::Zstd => {
            assert!(!bytes.is_empty());
            text = zstd::stream::decode_all(&bytes[..]).unwrap();
        }
    }
    text
}

/// Names in a directory, sorted.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
