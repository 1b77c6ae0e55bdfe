//! What `thalweg qc` reads, and from where.

use crate::support::Place;

fn json(place: &Place) -> serde_json::Value {
    serde_json::from_slice(&place.read("fastp.json")).unwrap()
}

/// More bases than 65,536, of which the last ones are others than those before.
#[test]
fn long_reads_are_told_apart_to_their_last_cycle() {
    let place = Place::new();
    let read = |name: &str, others: usize| {
        let bases = "AC".repeat(35_000) + &"G".repeat(others);
        format!("@{name}\n{bases}\n+\n{}\n", "5".repeat(bases.len()))
    };
    place.write("long.fq", read("a", 10) + &read("b", 20));
    place.ok(&["qc", "long.fq", "-A"]);
    let report = json(&place);
    let before = &report["read1_before_filtering"];
    assert_eq!(before["total_cycles"], 70_020);
    assert_eq!(before["total_bases"], 140_030);
    for (cycle, letter) in [(65_536, "A"), (69_999, "C"), (70_000, "G"), (70_019, "G")] {
        assert_eq!(before["content_curves"][letter][cycle], 1.0, "{cycle}");
        assert_eq!(before["quality_curves"]["mean"][cycle], 20.0, "{cycle}");
    }
    // Charts have a bounded number of points.
    assert!(place.read("fastp.html").len() < 500_000);
}
