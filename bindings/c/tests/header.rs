//! Whether `include/thalweg.h` is what cbindgen makes of the source.
#![forbid(unsafe_code)]

use std::path::Path;

/// In the order of the header. `lib.rs` is not among them, as cbindgen follows its modules, and would declare all twice.
const SOURCES: [&str; 7] = [
    "error.rs",
    "version.rs",
    "pointers.rs",
    "settings.rs",
    "reader.rs",
    "kmers.rs",
    "taxa.rs",
];

fn header() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"));
    let mut builder = cbindgen::Builder::new().with_config(config.expect("cbindgen.toml"));
    for name in SOURCES {
        builder = builder.with_src(folder.join("src").join(name));
    }
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    // What rustdoc wants under a heading, documentation of C calls a precondition.
    let made = String::from_utf8(made).expect("text");
    made.replace(" * # Safety\n * ", " * @pre ")
}

fn place() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include/thalweg.h")
}

#[test]
fn the_header_is_that_of_the_source() {
    let found = std::fs::read_to_string(place()).expect("include/thalweg.h");
    assert_eq!(
        found,
        header(),
        "run `cargo test -p thalweg-c --test header -- --ignored`, and look at the difference"
    );
}

#[test]
fn each_function_is_declared_once() {
    let header = header();
    let declared = header.lines().filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        let is_comment = line.trim_start().starts_with(['*', '/']);
        let name = before.rsplit([' ', '*']).next()?;
        (!is_comment && name.starts_with("thalweg_")).then_some(name)
    });
    let mut names: Vec<&str> = declared.collect();
    let number = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(number > 25 && names.len() == number, "{names:?}");
}

#[test]
fn no_words_of_rust_are_left() {
    let header = header();
    for word in [
        "# Safety", "# Errors", "# Panics", "[`", "`]", "&mut", "Option", "Result", "unsafe",
    ] {
        assert!(!header.contains(word), "{word}");
    }
}

#[test]
#[ignore = "writes the header"]
fn write_the_header() {
    std::fs::write(place(), header()).expect("include/thalweg.h");
}
