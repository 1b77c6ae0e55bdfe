//! What other programs make of traces.

use std::path::{Path, PathBuf};
use std::process::Command;

use thalweg_trace::{TraceFormat, Value};

use super::support::{examples, trace};

/// The command's output, if there is such a program.
fn output(test: &str, program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program}: {said}");
            Some(output.stdout)
        }
        Err(_) => {
            println!("SKIPPED: {test}: no {program}");
            None
        }
    }
}

fn file(directory: &Path, name: &str, values: &[Value<'_>]) -> PathBuf {
    let path = directory.join(name);
    let format = TraceFormat::of_name(&path).unwrap();
    std::fs::write(&path, trace(format, values, 2)).unwrap();
    path
}

/// Enough for several blocks in a frame.
fn many() -> Vec<Value<'static>> {
    std::iter::repeat_with(examples)
        .take(3000)
        .flatten()
        .collect()
}

#[test]
fn compressors_read_frames() {
    let directory = tempfile::tempdir().unwrap();
    let values = many();
    let plain = trace(TraceFormat::MessagePack, &values, 2);
    for (program, name) in [("lz4", "x.msgpack.lz4"), ("zstd", "x.msgpack.zst")] {
        if program == "zstd" && cfg!(not(feature = "zstd")) {
            continue;
        }
        let path = file(directory.path(), name, &values);
        let path = path.to_str().unwrap();
        if let Some(content) = output("compressors_read_frames", program, &["-dc", path]) {
            assert!(content == plain, "{program}");
        }
    }
}

/// What `lz4` writes, with any options, is a trace, too.
#[test]
fn frames_of_lz4_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let values = many();
    let path = file(directory.path(), "x.msgpack", &values);
    for options in [
        &["-B4"][..],
        &["-B7", "-BD"],
        &["-9", "-BX", "--content-size"],
        &["--no-frame-crc"],
    ] {
        let arguments = [options, &["-c", path.to_str().unwrap()]].concat();
        if let Some(bytes) = output("frames_of_lz4_are_read", "lz4", &arguments) {
            let (back, end) = super::support::read(&bytes);
            assert!(end.is_ok() && back == values, "{options:?}: {end:?}");
        }
    }
}

/// The lines of Python in docs/formats/trace.md. `THALWEG_TRACE_PYTHON` names a Python that has their packages.
#[test]
fn the_python_of_the_documentation_reads_traces() {
    let test = "the_python_of_the_documentation_reads_traces";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/trace.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, script) = page.split_once("```python\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    assert!(script.lines().count() <= 10, "ten lines are promised");
    let python = std::env::var("THALWEG_TRACE_PYTHON").unwrap_or("python3".into());
    let packages = Command::new(&python)
        .args(["-c", "import msgpack, lz4.frame"])
        .output();
    if !packages.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: {test}: no Python with msgpack and lz4");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let values = examples();
    let values: Vec<_> = values
        .into_iter()
        .filter(|value| value.kind() == "label")
        .collect();
    let path = file(directory.path(), "labels.msgpack.lz4", &values);
    let script_path = directory.path().join("read.py");
    std::fs::write(&script_path, script).unwrap();
    let arguments = [script_path.to_str().unwrap(), path.to_str().unwrap()];
    let said = output(test, &python, &arguments).unwrap();
    assert_eq!(
        String::from_utf8(said).unwrap(),
        "read/3 562 0.30000000000000004 shared\n 0 0.0 \n"
    );
    // What was cut is told there, too.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 30]).unwrap();
    let cut = Command::new(&python).args(arguments).output().unwrap();
    assert!(!cut.status.success());
}
