//! `qc --trace`: each read's way, beside what is written and reported.

use std::collections::HashMap;

use thalweg::trace::{TracedRead, Value};

use crate::support::{Place, bgzf, gzip, random};
use crate::trace::{frames, values};

const ADAPTER: &[u8] = b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";

/// Pairs of fragments some of which are short, with bad tails, tails of G, wrong bases, copies, and lower case.
fn pairs(number: usize) -> [Vec<u8>; 2] {
    let mut next = random(4711);
    let mut files = [Vec::new(), Vec::new()];
    let mut fragment = Vec::new();
    for pair in 0..number {
        if pair % 10 != 9 {
            let length = [40, 90, 140, 300][next(4)];
            fragment = (0..length).map(|_| b"ACGT"[next(4)]).collect();
        }
        let turned: Vec<u8> = (fragment.iter().rev())
            .map(|base| b"TGCA"[b"ACGT".iter().position(|one| one == base).unwrap()])
            .collect();
        for (mate, strand) in [&fragment, &turned].into_iter().enumerate() {
            let mut bases = [strand, ADAPTER, &[b'G'; 100]].concat();
            bases.truncate(100);
            let mut qualities = vec![b'I'; 100];
            for _ in 0..next(4) {
                let at = next(100);
                bases[at] = b"ACGTN"[next(5)];
                qualities[at] = b'#';
            }
            if next(4) == 0 {
                let from = 100 - next(90);
                qualities[from..].fill(b'+');
            }
            if pair % 50 == 7 {
                bases.make_ascii_lowercase();
            }
            let file = &mut files[mate];
            file.extend_from_slice(format!("@p{pair}/{} x:{mate}\n", mate + 1).as_bytes());
            file.extend_from_slice(&bases);
            file.extend_from_slice(b"\n+\n");
            file.extend_from_slice(&qualities);
            file.push(b'\n');
        }
    }
    files
}

/// By name: the bases of a record, and what stands behind its name.
fn records(text: &[u8]) -> HashMap<String, (Vec<u8>, String)> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let record = |lines: &[&str]| {
        let (name, rest) = lines[0][1..]
            .split_once(' ')
            .unwrap_or((&lines[0][1..], ""));
        (
            name.to_owned(),
            (lines[1].as_bytes().to_vec(), rest.to_owned()),
        )
    };
    lines.chunks(4).map(record).collect()
}

fn reads(place: &Place, name: &str) -> Vec<TracedRead<'static>> {
    let read = |value| match value {
        Value::Read(read) => read,
        other => panic!("{other:?}"),
    };
    values(place, name).into_iter().map(read).collect()
}

/// What every read must agree with: sums of cuts, and where it came from.
fn check_sums(reads: &[TracedRead<'_>], inputs: &[HashMap<String, (Vec<u8>, String)>]) {
    for read in reads {
        let (front, tail) = (read.cuts.iter()).fold((0, 0), |(front, tail), cut| {
            assert!(cut.front + cut.tail > 0, "{read:?}");
            (front + cut.front, tail + cut.tail)
        });
        assert_eq!(front, read.start, "{read:?}");
        assert_eq!(
            read.length_after + front + tail,
            read.length_before,
            "{read:?}"
        );
        let (bases, _) = &inputs[usize::from(read.mate) - 1][&read.name.to_string()];
        assert_eq!(bases.len() as u64, read.length_before);
    }
}

/// With all steps: bases of outputs are those that the trace says are left, and verdicts are those of the failed.
#[test]
fn the_way_of_each_read_is_told() {
    let place = Place::new();
    let [r1, r2] = pairs(3000);
    let inputs = [records(&r1), records(&r2)];
    place.write("r1.fq", &r1);
    place.write("r2.fq", &r2);
    let outputs = "--out1 c1.fq --out2 c2.fq --unpaired1 u1.fq --unpaired2 u2.fq --failed_out f.fq";
    let steps = "-5 -3 -g -x -c -f 2 -t 1 -l 20 --max_len1 80 -U --umi_loc per_read --umi_len 4 --detect_adapter_for_pe";
    for more in [
        "",
        " --dedup",
        " --cut_right",
        " -A",
        " --adapter_sequence_5p ACGTACGTAC",
    ] {
        let all =
            format!("qc r1.fq r2.fq {outputs} {steps}{more} --no_report --trace t.msgpack.lz4");
        place.ok(&all.split_whitespace().collect::<Vec<_>>());
        let reads = reads(&place, "t.msgpack.lz4");
        assert_eq!(reads.len(), 6000);
        check_sums(&reads, &inputs);
        // Names have the UMI behind them in outputs: look for them without.
        let of = |name: &str| {
            let all = records(&place.read(name)).into_iter();
            let plain = |name: String| match name.split_once(':') {
                Some((start, end)) => {
                    format!("{start}{}", end.find('/').map_or("", |at| &end[at..]))
                }
                None => name,
            };
            all.map(|(name, record)| (plain(name), record))
                .collect::<HashMap<_, _>>()
        };
        let kept = [of("c1.fq"), of("c2.fq")];
        let unpaired = [of("u1.fq"), of("u2.fq")];
        let failed = of("f.fq");
        let mut outcomes = HashMap::<String, usize>::new();
        for (at, read) in reads.iter().enumerate() {
            assert_eq!(
                (read.rank, usize::from(read.mate)),
                (at as u64 / 2, at % 2 + 1)
            );
            let (mate, name) = (at % 2, read.name.to_string());
            *outcomes.entry(read.outcome.to_string()).or_default() += 1;
            let places = [
                kept[mate].get(&name),
                unpaired[mate].get(&name),
                failed.get(&name),
            ];
            let place = ["kept", "unpaired", "failed"].map(|place| read.outcome == place);
            let place = [
                place[0],
                place[1],
                place[2] || read.outcome == "duplicate" || read.outcome == "mate_failed",
            ];
            assert_eq!(places.map(|record| record.is_some()), place, "{read:?}");
            let (bases, behind) = places.into_iter().flatten().next().unwrap();
            let (came, _) = &inputs[mate][&name];
            let from = read.start as usize;
            let left = &came[from..from + read.length_after as usize];
            if read.length_after > 0 {
                assert_eq!(bases.len(), left.len(), "{read:?}");
                let changed = bases
                    .iter()
                    .zip(left)
                    .filter(|(one, other)| one != other)
                    .count();
                assert!(changed as u64 <= read.corrected, "{read:?}");
            }
            match &*read.outcome {
                "failed" => assert!(behind.ends_with(&*read.verdict), "{read:?} {behind}"),
                "duplicate" => {
                    assert!(behind.ends_with("removed_duplicate") || read.verdict != "passed")
                }
                _ => assert_eq!(read.verdict, "passed"),
            }
        }
        for outcome in ["kept", "failed"] {
            assert!(outcomes[outcome] > 100, "{outcomes:?}");
        }
        assert_eq!(outcomes.contains_key("duplicate"), more == " --dedup");
        let has = |step: &str| {
            reads
                .iter()
                .any(|read| read.cuts.iter().any(|cut| cut.step == step))
        };
        for step in ["umi", "trim", "quality", "max_length"] {
            assert!(has(step), "{step} {more}");
        }
        assert!(has("adapter_by_overlap") == (more != " -A"), "{more}");
    }
}

/// Numbers of reads that are trimmed are those of the report.
#[test]
fn the_report_counts_the_same() {
    let place = Place::new();
    let [r1, r2] = pairs(3000);
    place.write("r1.fq", &r1);
    place.write("r2.fq", &r2);
    let json = |name: &str| serde_json::from_slice::<serde_json::Value>(&place.read(name)).unwrap();
    for arguments in [
        "r1.fq -o c.fq -g -x",
        "r1.fq r2.fq -o c1.fq -O c2.fq -c",
        "--merge r1.fq r2.fq --merged_out m.fq",
        "--merge r1.fq r2.fq --merged_out m.fq --include_unmerged",
        "--fastp-compat -i r1.fq -I r2.fq -o c1.fq -O c2.fq -c -5 -r -f 3 -t 2",
    ] {
        let all = format!("qc {arguments} -j x.json -h x.html --trace t.jsonl");
        place.ok(&all.split_whitespace().collect::<Vec<_>>());
        let (reads, report) = (reads(&place, "t.jsonl"), json("x.json"));
        let number = |is: &dyn Fn(&TracedRead<'_>) -> bool| {
            reads.iter().filter(|read| is(read)).count() as u64
        };
        let filtering = &report["filtering_result"];
        for (field, verdict) in [
            ("low_quality_reads", "failed_quality_filter"),
            ("too_many_N_reads", "failed_too_many_n_bases"),
        ] {
            if !arguments.contains("r2.fq") {
                let counted = number(&|read| read.verdict == verdict);
                assert_eq!(filtering[field], counted, "{arguments}: {field}");
            }
        }
        let passed =
            number(&|read| matches!(&*read.outcome, "kept" | "unpaired" | "merged" | "unmerged"));
        assert_eq!(filtering["passed_filter_reads"], passed, "{arguments}");
        let corrected: u64 = reads.iter().map(|read| read.corrected).sum();
        let told = report["base_correction"]
            .get("corrected_bases")
            .or(report["filtering_result"].get("corrected_bases"));
        if arguments.contains(" -c") {
            assert_eq!(
                told.and_then(serde_json::Value::as_u64).unwrap_or(0),
                corrected,
                "{arguments}"
            );
        }
    }
}

/// Outputs are the same with a trace and without, and the trace is for every number of threads and kind of input.
#[test]
fn nothing_depends_on_threads() {
    let place = Place::new();
    let [r1, r2] = pairs(9000);
    place.write("r1.fq", &r1);
    place.write("r2.fq", &r2);
    place.write("z1.fq.gz", gzip(&r1));
    place.write("z2.fq.gz", gzip(&r2));
    place.write("b1.fq.gz", bgzf(&r1));
    place.write("b2.fq.gz", bgzf(&r2));
    place.ok(&"qc r1.fq r2.fq -o w1.fq -O w2.fq --no_report -t 1 -w 1"
        .split(' ')
        .collect::<Vec<_>>());
    let mut wanted = Vec::new();
    for [one, two] in [
        ["r1.fq", "r2.fq"],
        ["z1.fq.gz", "z2.fq.gz"],
        ["b1.fq.gz", "b2.fq.gz"],
    ] {
        let mut of_kind = Vec::new();
        for threads in ["1", "2", "4"] {
            let all = format!(
                "qc {one} {two} -o c1.fq -O c2.fq --no_report -t 1 -w {threads} --trace t.msgpack.lz4"
            );
            place.ok(&all.split(' ').collect::<Vec<_>>());
            assert!(place.read("c1.fq") == place.read("w1.fq"));
            assert!(place.read("c2.fq") == place.read("w2.fq"));
            let values = values(&place, "t.msgpack.lz4");
            if wanted.is_empty() {
                wanted.clone_from(&values);
            }
            assert!(values == wanted, "{one}, {threads} threads");
            let bytes = place.read("t.msgpack.lz4");
            let behind_header = frames(&bytes)[1..].concat();
            if of_kind.is_empty() {
                of_kind.clone_from(&behind_header);
            }
            assert!(
                behind_header == of_kind,
                "{one}: bytes of {threads} threads"
            );
        }
    }
}

/// Split and copied outputs have the trace beside them.
#[test]
fn a_trace_goes_with_all_outputs() {
    let place = Place::new();
    let [r1, _] = pairs(3000);
    place.write("r1.fq", &r1);
    let all = "qc r1.fq -o c.fq --split 3 --no_report --trace t.msgpack.zst";
    place.ok(&all.split(' ').collect::<Vec<_>>());
    assert_eq!(reads(&place, "t.msgpack.zst").len(), 3000);
    let ended = place.ok(&"qc r1.fq --stdout --no_report --trace t.msgpack"
        .split(' ')
        .collect::<Vec<_>>());
    let kept = reads(&place, "t.msgpack")
        .iter()
        .filter(|read| read.outcome == "kept")
        .count();
    assert_eq!(
        ended.stdout.iter().filter(|&&byte| byte == b'\n').count(),
        4 * kept
    );
    let empty = place.write("empty.fq", "");
    place.ok(&[
        "qc",
        empty.to_str().unwrap(),
        "--no_report",
        "--trace",
        "e.msgpack.lz4",
    ]);
    assert_eq!(reads(&place, "e.msgpack.lz4").len(), 0);
}
