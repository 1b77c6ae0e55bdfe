//! HTML: whole, alone, and safe. `THALWEG_REPORT` names a directory where the pages are left
//! to be looked at.

use thalweg_qc::FastpVersion;

use crate::reporting::run;
use crate::simulation;

/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "path"];

/// Steps that fastp does not know, with an adapter that frequent fragments contain.
const MORE: &str = "--trim_poly_a --adapter_sequence_5p CACACACGTACAC";

#[test]
fn steps_that_fastp_does_not_know_are_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = simulation::pairs(9, 4000, 150, "K001");
    for inputs in [&[&first[..], &second][..], &[&first[..]]] {
        let run = run(MORE, FastpVersion::V1_3, directory.path(), inputs);
        let report = run.report("", "");
        let (front, poly_a) = (&report.counts.front_adapters, report.counts.poly_a);
        assert!(front.trimmed_reads > 50 && poly_a.reads[0] > 50);
        let json: serde_json::Value = serde_json::from_str(&report.json()).expect("JSON");
        let section = &json["adapter_cutting_5p"];
        assert_eq!(section["adapter_trimmed_reads"], front.trimmed_reads);
        assert_eq!(section["adapter_trimmed_bases"], front.trimmed_bases);
        assert_eq!(
            section["read1_adapter_counts"]["CACACACGTACAC"],
            front.trimmed_reads
        );
        let is_paired = inputs.len() == 2;
        assert_eq!(section["read2_adapter_counts"].is_object(), is_paired);
        let section = &json["polya_trimming"];
        for (what, counts) in [("reads", poly_a.reads), ("bases", poly_a.bases)] {
            let sum: u64 = counts.iter().sum();
            assert_eq!(section[format!("total_polya_trimmed_{what}")], sum);
            let by_mate = &section[format!("polya_trimmed_{what}")];
            assert_eq!(by_mate["read1"], counts[0]);
            assert_eq!(by_mate["read2"].is_number(), is_paired);
        }
        let page = report.html();
        assert!(page.contains("CACACACGTACAC") && page.contains("Poly-A tails"));
        assert_eq!(page.contains("Read 2, 5&#39; end"), is_paired);
    }
}

#[test]
fn pages_are_whole_and_safe() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = simulation::pairs(9, 4000, 150, "K001");
    let lines = [
        (2, "-p -P 1 -c -x -y", "pairs"),
        (1, "-p -P 1", "single"),
        (2, MORE, "more"),
        (1, "-A", "plain"),
        (2, "-m --merged_out merged.fq -D", "merged"),
    ];
    for (inputs, line, name) in lines {
        let inputs = &[&first[..], &second][..inputs];
        let run = run(line, FastpVersion::V1_3, directory.path(), inputs);
        let hostile = "<script>alert('1')</script> & \"quotes\"";
        check(&run.report(hostile, hostile).html(), name);
        if let Some(place) = std::env::var_os("THALWEG_REPORT") {
            let command = format!("thalweg qc -i reads_R1.fastq.gz -I reads_R2.fastq.gz {line}");
            let page = run.report("Sample 17, lane 1", &command).html();
            let place = std::path::Path::new(&place)
                .join(name)
                .with_extension("html");
            std::fs::write(place, page).expect("a page");
        }
    }
}

#[test]
fn no_reads_make_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = run("-p -c", FastpVersion::V1_3, directory.path(), &[b"", b""]);
    check(&run.report("nothing", "").html(), "nothing");
    let json: serde_json::Value = serde_json::from_str(&run.report("", "").json()).expect("JSON");
    assert_eq!(json["summary"]["before_filtering"]["total_reads"], 0);
}

fn check(page: &str, name: &str) {
    assert!(page.starts_with("<!doctype html>"), "{name}");
    assert!(page.trim_end().ends_with("</html>"), "{name}");
    for foreign in [
        "<script", "http:", "https:", "src=", "<link", "@import", "url(", "NaN", "inf%",
    ] {
        assert!(!page.contains(foreign), "{name}: {foreign}");
    }
    // Every element that begins ends, in the right order.
    let mut open = Vec::new();
    for tag in page.split('<').skip(2) {
        let tag = tag.split('>').next().unwrap_or_default();
        let element = tag.split([' ', '\n']).next().unwrap_or_default();
        if let Some(element) = element.strip_prefix('/') {
            assert_eq!(
                open.pop(),
                Some(element),
                "{name}: </{element}> after {open:?}"
            );
        } else if !tag.ends_with('/') && !VOID.contains(&element) {
            open.push(element);
        }
    }
    assert_eq!(open, [""; 0], "{name}");
}
