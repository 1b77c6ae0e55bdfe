//! HTML: whole, alone, and safe. `THALWEG_REPORT` names a directory where the pages are left
//! to be looked at.

use thalweg_qc::FastpVersion;

use crate::reporting::run;
use crate::simulation;

/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "path"];

#[test]
fn pages_are_whole_and_safe() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = simulation::pairs(9, 4000, 150, "K001");
    let lines = [
        (2, "-p -P 1 -c -x -y", "pairs"),
        (1, "-p -P 1", "single"),
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
