//! `thalweg info`, and the commands that tell about the command itself.

use serde_json::Value;

use crate::support::{Place, fastq, gzip, names_in};

#[test]
fn data_and_index_are_described() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(20_000)));
    let describe = |arguments: &[&str]| -> Value {
        let ended = place.ok(&[&["info", "--json"], arguments].concat());
        serde_json::from_str(&ended.text()).unwrap()
    };
    let data = describe(&["a.fq.gz"]);
    assert_eq!(data["files"][0]["kind"], "data");
    assert_eq!(data["files"][0]["compression"], "gzip");
    assert_eq!(data["files"][0]["pieces"], Value::Null);
    assert_eq!(data["files"][0].get("index"), None);
    place.ok(&["index", "--span", "1M", "a.fq.gz"]);
    let data = describe(&["a.fq.gz"]);
    let index = describe(&["a.fq.gz.thw", "--checkpoints"]);
    assert_eq!(index["files"][0]["kind"], "index");
    let index = &index["files"][0]["index"];
    assert_eq!(index["records"], 20_000);
    assert_eq!(index["blake3"], data["files"][0]["index"]["blake3"]);
    let list = index["checkpoint_list"].as_array().unwrap();
    assert_eq!(index["checkpoints"], list.len() as u64);
    assert_eq!(list[0]["record_rank"], 0);
    let text = place
        .ok(&["info", "a.fq.gz", "a.fq.gz.thw", "--checkpoints"])
        .text();
    for word in ["records", "20,000", "of every chunk", "bit offset"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[test]
fn what_cannot_be_described_is_an_error() {
    let place = Place::new();
    place.write("bad.thw", "no index");
    place.fails(&["info", "bad.thw"], 1, &["bad.thw"]);
    place.fails(&["info", "none"], 2, &["none"]);
    place.fails(&["info", "."], 2, &["."]);
}

#[test]
fn version_names_the_kernel_and_help_has_examples() {
    let place = Place::new();
    assert!(place.ok(&["--version"]).text().contains("kernel"));
    for command in [
        "index",
        "info",
        "verify",
        "cat",
        "stats",
        "completions",
        "man",
    ] {
        let help = place.ok(&[command, "--help"]).text();
        assert!(help.contains("Example"), "{help}");
    }
    assert_eq!(place.run(&[]).code, Some(2));
    assert_eq!(place.run(&["dance"]).code, Some(2));
    assert_eq!(place.run(&["cat", "--threads", "0", "x"]).code, Some(2));
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.ok(&["completions", shell]).text().contains("thalweg"));
    }
    assert!(place.ok(&["man"]).text().contains(".TH thalweg"));
    std::fs::create_dir(place.path("man1")).unwrap();
    place.ok(&["man", "man1"]);
    let pages = names_in(&place.path("man1"));
    for page in [
        "thalweg.1",
        "thalweg-cat.1",
        "thalweg-index.1",
        "thalweg-stats.1",
    ] {
        assert!(pages.contains(page), "{pages:?}");
    }
}
