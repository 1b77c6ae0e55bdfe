//! `classify --trace`: what each label was chosen from, beside the labels.

use thalweg::trace::{Label, Value};

use crate::support::gzip;
use crate::taxa_world::{built, reads};
use crate::trace::{frames, values};

fn labels(values: Vec<Value<'static>>) -> Vec<Label<'static>> {
    let label = |value| match value {
        Value::Label(label) => label,
        other => panic!("{other:?}"),
    };
    values.into_iter().map(label).collect()
}

#[test]
fn labels_are_those_of_the_lines() {
    let world = built();
    let place = &world.place;
    let text = reads(&world, 400);
    place.write("r.fq", &text);
    for (rule, more) in [
        ("posterior", ""),
        ("lca", " --confidence 0.2"),
        ("lmat", ""),
        ("posterior", " --sweep"),
        ("posterior", " --interleaved --ignore-names"),
    ] {
        let all = format!(
            "classify ref.tht r.fq --rule {rule}{more} --scores -o l.tsv --trace l.msgpack.lz4 -q"
        );
        place.ok(&all.split(' ').collect::<Vec<_>>());
        let lines = String::from_utf8(place.read("l.tsv")).unwrap();
        let labels = labels(values(place, "l.msgpack.lz4"));
        assert_eq!(lines.lines().count(), labels.len());
        let mut most = 0;
        for (line, label) in lines.lines().zip(&labels) {
            let columns: Vec<&str> = line.split('\t').collect();
            let lengths: Vec<String> = label.lengths.iter().map(u64::to_string).collect();
            let told = [
                label.name.to_string(),
                label.taxid.to_string(),
                lengths.join("|"),
                format!("{:.3}", label.score),
                label.reason.to_string(),
            ];
            assert_eq!(
                told,
                [1, 2, 3, 6, 10].map(|column| columns[column].to_owned()),
                "{line}"
            );
            let candidates = &label.candidates;
            assert!(candidates.is_sorted_by(|one, next| one.score >= next.score));
            assert_eq!(
                candidates.is_empty(),
                ["none", "short"].contains(&&*label.reason),
                "{label:?}"
            );
            assert!(label.support <= label.kmers);
            most = most.max(candidates.len());
            if rule == "posterior" && !candidates.is_empty() {
                let sum: f64 = candidates.iter().map(|candidate| candidate.score).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{label:?}");
                assert_eq!(candidates[0].kmers, label.support, "{label:?}");
                assert!(
                    candidates
                        .iter()
                        .all(|candidate| [11, 12].contains(&candidate.taxid))
                );
            }
            if rule == "lca" {
                let kmers: u64 = candidates.iter().map(|candidate| candidate.kmers).sum();
                assert!(kmers <= label.kmers);
                assert!(
                    candidates
                        .iter()
                        .all(|candidate| (0.0..=1.0).contains(&candidate.score))
                );
            }
            if rule == "lmat" && label.reason == "direct" {
                let own = candidates
                    .iter()
                    .find(|candidate| candidate.taxid == label.taxid)
                    .unwrap();
                assert_eq!((own.score, own.kmers), (label.score, label.support));
            }
        }
        assert!(most > 0);
    }
}

/// Labels do not change with a trace, nor the trace with threads.
#[test]
fn traces_of_labels_do_not_depend_on_threads() {
    let world = built();
    let place = &world.place;
    place.write("r.fq.gz", gzip(&reads(&world, 3000)));
    let lines = place.ok(&["classify", "ref.tht", "r.fq.gz", "-q"]).text();
    let mut wanted = None;
    for threads in ["1", "2", "4"] {
        let all = [
            "classify",
            "ref.tht",
            "r.fq.gz",
            "-q",
            "-t",
            threads,
            "--trace",
            "t.msgpack.lz4",
        ];
        assert_eq!(place.ok(&all).text(), lines);
        let bytes = place.read("t.msgpack.lz4");
        let traced = (values(place, "t.msgpack.lz4"), frames(&bytes)[1..].concat());
        assert_eq!(traced.0.len(), lines.lines().count());
        let wanted = wanted.get_or_insert_with(|| traced.clone());
        assert!(*wanted == traced, "{threads}");
    }
    // Of a sheet of samples, each has its own.
    place.write("sheet.tsv", "one\tr.fq.gz\ntwo\tr.fq.gz\n");
    let all = [
        "classify",
        "ref.tht",
        "--samples",
        "sheet.tsv",
        "--out-dir",
        "out",
        "-q",
        "--trace",
        "t.jsonl",
    ];
    place.ok(&all);
    for sample in ["one", "two"] {
        let name = format!("out/{sample}.t.jsonl");
        assert_eq!(values(place, &name).len(), lines.lines().count(), "{name}");
    }
    place.fails(
        &[
            "classify",
            "ref.tht",
            "r.fq.gz",
            "-o",
            "x.msgpack",
            "--trace",
            "x.msgpack",
        ],
        2,
        &["--trace"],
    );
}
