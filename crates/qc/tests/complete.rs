//! In the default mode nothing is lost: every read that comes in goes out once, and the
//! counts say where.

use std::collections::BTreeMap;

use proptest::prelude::*;
use thalweg_formats::{Format, Records, Scanner};
use thalweg_qc::counts::Counts;
use thalweg_qc::{Config, Destination, Options, Pieces, Read, Routes, UmiLocation, Worker};

const DESTINATIONS: [Destination; 6] = [
    Destination::Read1,
    Destination::Read2,
    Destination::Unpaired1,
    Destination::Unpaired2,
    Destination::Merged,
    Destination::Failed,
];

fn scan(text: &[u8]) -> Vec<u32> {
    let mut ends = Vec::new();
    Scanner::new(Format::Fastq)
        .scan(text, 0, true, usize::MAX, &mut ends)
        .expect("FASTQ");
    ends
}

/// Whether bases have these.
fn have(bases: &[u8], these: &[u8]) -> bool {
    bases.windows(these.len()).any(|window| window == these)
}

/// What makes reads contaminants, if they are looked for.
const CONTAMINANTS: [&[u8]; 2] = [b"ACACAC", b"TTT"];

/// The steps applied to pairs; the pieces for each destination, and the counts.
fn run(options: Options, removes: bool, texts: &[Vec<u8>; 2]) -> (Vec<Vec<u8>>, Counts) {
    let config = Config::new(options).expect("options");
    let routes = DESTINATIONS
        .iter()
        .enumerate()
        .fold(Routes::none(), |routes, (stream, &destination)| {
            routes.set(destination, stream)
        });
    let mut worker = Worker::new(&config);
    if removes {
        worker = worker.without(|sequences| {
            let is_of = |these: &&[u8]| sequences.iter().any(|bases| have(bases, these));
            CONTAMINANTS.iter().position(is_of)
        });
    }
    let mut pieces = Pieces::new(routes);
    let ends = texts.each_ref().map(|text| scan(text));
    let (mut first, mut second) = (Read::default(), Read::default());
    let records = |mate: usize| Records::new(&texts[mate], 0, Format::Fastq, &ends[mate]);
    for (record, mate) in records(0).zip(records(1)) {
        first.load(&record);
        second.load(&mate);
        worker.pair(&mut first, &mut second, false, &mut pieces, &mut ());
    }
    let texts = (0..DESTINATIONS.len())
        .map(|stream| {
            let piece = pieces.stream(stream);
            assert_eq!(scan(&piece.text).len() as u64, 4 * piece.records);
            piece.text.clone()
        })
        .collect();
    (texts, worker.counts)
}

fn sequence() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ACGT]{1,120}",
        "[ACGTN]{1,40}",
        "[ACGT]{0,40}G{10,40}",
        "(AC|GT){1,30}",
        "[ACGT]{0,60}AGATCGGAAGAGCACACGTCTGAACTCC"
    ]
}

proptest! {
    #[test]
    fn every_read_goes_somewhere(
        pairs in proptest::collection::vec((sequence(), sequence(), any::<bool>(), 34u8..74), 1..12),
        flags in any::<[bool; 12]>(),
        (front, tail) in (0usize..20, 0usize..20),
        removes in any::<bool>(),
    ) {
        let mut texts = [Vec::new(), Vec::new()];
        for (number, (first, second, overlaps, quality)) in pairs.iter().enumerate() {
            let second = match overlaps {
                // The other strand, and a little more.
                true => first
                    .chars()
                    .rev()
                    .map(|base| match base { 'A' => 'T', 'C' => 'G', 'G' => 'C', 'T' => 'A', _ => 'N' })
                    .chain("AGATCGG".chars())
                    .collect(),
                false => second.clone(),
            };
            for (text, bases) in texts.iter_mut().zip([first, &second]) {
                let qualities = String::from(char::from(*quality)).repeat(bases.len());
                text.extend(format!("@r{number} x:ACGT+TTTT\n{bases}\n+\n{qualities}\n").bytes());
            }
        }
        let [merge, unmerged, umi, cut, correct, poly, complex, adapters, quality, length, front_adapters, poly_a] = flags;
        let options = Options {
            paired: true,
            merge,
            include_unmerged: merge && unmerged,
            umi,
            umi_loc: Some(UmiLocation::PerRead),
            umi_len: 5,
            cut_front: cut,
            cut_tail: cut,
            correction: correct,
            trim_poly_g: Some(poly),
            trim_poly_x: poly,
            low_complexity_filter: complex,
            disable_adapter_trimming: adapters,
            disable_quality_filtering: quality,
            disable_length_filtering: length,
            adapter_sequence_5p: match front_adapters {
                true => vec![b"ACNGTA".to_vec(), b"^ACACACAC".to_vec()],
                false => Vec::new(),
            },
            adapter_sequence_5p_r2: match front_adapters {
                true => vec![b"RYRYR".to_vec()],
                false => Vec::new(),
            },
            trim_poly_a: poly_a,
            poly_a_min_len: 1,
            trim_front1: front,
            trim_tail1: tail,
            ..Options::default()
        };
        let (outputs, counts) = run(options, removes, &texts);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut passed = 0;
        let mut contaminated = 0;
        for (destination, text) in DESTINATIONS.iter().zip(&outputs) {
            let ends = scan(text);
            for record in Records::new(text, 0, Format::Fastq, &ends) {
                let head = String::from_utf8_lossy(record.head()).into_owned();
                let name = head.split([' ', ':']).next().unwrap_or_default().to_owned();
                // A merged read stands for both.
                let reads = if head.contains(" merged_") { 2 } else { 1 };
                *seen.entry(name).or_default() += reads;
                let is_failed = *destination == Destination::Failed;
                prop_assert_eq!(
                    is_failed,
                    head.contains(" failed_") || head.contains(" paired_read_is_failing")
                );
                passed += if is_failed { 0 } else { reads };
                contaminated += u64::from(head.contains(" failed_contaminated"));
                // What is merged is more than the mates.
                let is_whole = !is_failed && *destination != Destination::Merged;
                let bases = record.sequence();
                let is_one = CONTAMINANTS.iter().any(|these| have(&bases, these));
                prop_assert!(!(removes && is_whole && is_one), "{head}");
            }
        }
        prop_assert_eq!(seen.len(), pairs.len());
        prop_assert!(seen.values().all(|reads| *reads == 2), "{seen:?}");
        let filtering = counts.filtering;
        let judged = filtering.passed
            + filtering.low_quality
            + filtering.too_many_n
            + filtering.low_complexity
            + filtering.adapter_dimer
            + filtering.contaminated
            + filtering.too_short
            + filtering.too_long;
        prop_assert_eq!(judged, 2 * pairs.len() as u64);
        prop_assert_eq!(filtering.contaminated, contaminated);
        prop_assert_eq!(counts.contaminants.iter().sum::<u64>(), contaminated);
        prop_assert!(removes || contaminated == 0);
        // What passes is what is written, a mate that loses the other one included.
        prop_assert_eq!(filtering.passed, passed as u64);
    }
}
