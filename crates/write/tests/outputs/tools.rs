//! The field's own tools, and our reader, read what was written.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::support::{batches, expected, write};
use thalweg_flow::{Budget, Stop, run_or};
use thalweg_reads::ReaderOptions;
use thalweg_write::{Level, OutputFormat, OutputOptions, OutputPiece, Outputs};

/// What a tool prints about a file; `None` if it is not installed.
fn run(tool: &str, arguments: &[&str], path: &Path) -> Option<Vec<u8>> {
    let output = Command::new(tool)
        .args(arguments)
        .arg(path)
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: {tool} is not installed");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {errors}");
    assert!(errors.is_empty(), "{tool} {arguments:?}: {errors}");
    Some(output.stdout)
}

#[test]
fn tools_accept_and_expand_every_format() {
    let directory = tempfile::tempdir().unwrap();
    for (format, name, tools) in [
        (OutputFormat::Gzip, "a.gz", &["gzip", "pigz"][..]),
        (OutputFormat::Bgzf, "b.gz", &["gzip", "pigz"]),
        (OutputFormat::Zstd, "c.zst", &["zstd"]),
    ] {
        for tickets in [0, 12] {
            for level in [1, 6, 12] {
                let batches = batches(level, tickets, 1, 2000);
                let path = directory.path().join(name);
                let level = Level::new(level as u8).unwrap();
                let options = OutputOptions::new(&path).format(format).level(level);
                let outputs = Outputs::open(vec![options], 4).unwrap();
                write(&outputs, &batches, 3, 2, 0).unwrap();
                outputs.finish(tickets as u64).unwrap();
                for tool in tools {
                    run(tool, &["-tq"], &path);
                    if let Some(text) = run(tool, &["-dc"], &path) {
                        assert!(text == expected(&batches, 0), "{tool} {format:?} {level:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn bgzip_can_index_and_seek() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.fq.gz");
    let batches = batches(1, 20, 1, 2000);
    let outputs = Outputs::open(vec![OutputOptions::new(&path)], 4).unwrap();
    write(&outputs, &batches, 3, 2, 0).unwrap();
    outputs.finish(20).unwrap();
    let text = expected(&batches, 0);
    assert!(text.len() > 1_000_000);
    run("bgzip", &["-t"], &path);
    if run("bgzip", &["-r"], &path).is_some()
        && let Some(part) = run("bgzip", &["-b", "700001", "-s", "999"], &path)
    {
        assert!(part == text[700_001..701_000]);
    }
    // samtools looks for the block that marks the end.
    if let Some(lines) = run("samtools", &["import", "-O", "SAM", "--no-PG", "-0"], &path) {
        let reads = lines
            .split(|byte| *byte == b'\n')
            .filter(|line| line.first().is_some_and(|first| *first != b'@'));
        let records: u64 = batches.iter().flatten().map(|piece| piece[0].records).sum();
        assert_eq!(reads.count() as u64, records);
    }
}

#[test]
fn our_reader_gives_the_records_back() {
    let directory = tempfile::tempdir().unwrap();
    let batches = batches(9, 20, 1, 1500);
    for name in ["a.fq", "a.fq.gz", "a.fq.zst", "member.gz"] {
        let path = directory.path().join(name);
        let mut options = OutputOptions::new(&path);
        if name == "member.gz" {
            options = options.format(OutputFormat::Gzip);
        }
        let outputs = Outputs::open(vec![options], 4).unwrap();
        write(&outputs, &batches, 3, 2, 0).unwrap();
        outputs.finish(20).unwrap();
        let reader = Arc::new(ReaderOptions::new().file(&path).open().unwrap());
        let mut worker = reader.worker(0, None);
        let mut read: Vec<(u64, Vec<u8>)> = Vec::new();
        while let Some(batch) = worker.next_batch().unwrap() {
            let place = batch.place();
            for block in batch.blocks() {
                read.push((place.ticket << 32 | place.piece, block.as_bytes().to_vec()));
            }
        }
        read.sort_by_key(|(place, _)| *place);
        let text: Vec<u8> = read.into_iter().flat_map(|(_, text)| text).collect();
        assert!(text == expected(&batches, 0), "{name}");
    }
}

/// Workers of the reader hand their batches on: several tickets each, in no order.
#[test]
fn what_the_reader_gives_comes_out_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let batches = batches(11, 60, 1, 1500);
    let text = expected(&batches, 0);
    for name in ["a.fq", "a.fq.gz", "member.gz"] {
        let input = directory.path().join(name);
        let mut options = OutputOptions::new(&input);
        if name == "member.gz" {
            options = options.format(OutputFormat::Gzip);
        }
        let outputs = Outputs::open(vec![options], 4).unwrap();
        write(&outputs, &batches, 2, 1, 0).unwrap();
        outputs.finish(60).unwrap();
        for (threads, ahead) in [(1, 1), (1, 9), (2, 1), (2, 3), (4, 18), (8, 2)] {
            let reader = ReaderOptions::new()
                .file(&input)
                .part_size(100_000)
                .budget(Budget::new(threads));
            let reader = Arc::new(reader.open().unwrap());
            let path = directory.path().join("out.fq");
            let outputs = Outputs::open(vec![OutputOptions::new(&path)], ahead).unwrap();
            let work = |number: usize, _: &Stop| {
                let mut worker = reader.worker(number, Some(Arc::clone(outputs.gate())));
                let mut writer = outputs.writer().unwrap();
                while let Some(batch) = worker.next_batch()? {
                    let blocks = batch.blocks().iter();
                    let mut text: Vec<u8> =
                        blocks.flat_map(|block| block.as_bytes()).copied().collect();
                    let piece = OutputPiece::new(&mut text, batch.len() as u64);
                    writer.write(batch.place(), &mut [piece]).unwrap();
                }
                Ok::<_, thalweg_reads::Error>(())
            };
            run_or(threads, work, || outputs.close()).unwrap();
            let written = outputs.finish(reader.tickets()).unwrap();
            let records: u64 = batches.iter().flatten().map(|piece| piece[0].records).sum();
            assert_eq!(written[0][0].records, records);
            assert!(
                std::fs::read(&path).unwrap() == text,
                "{name} {threads} {ahead}"
            );
        }
    }
}
