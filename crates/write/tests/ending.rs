//! What a process does that is told to end. It is a process of its own, as nobody can make temporary names behind that.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use thalweg_write::{OutputFormat, OutputOptions, OutputPiece, Outputs, Split, ordinal};

/// What a thread does that waits for signals, in the middle of the run.
#[test]
fn outputs_leave_nothing_and_make_nothing_more() {
    let directory = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(directory.path()).unwrap().count();
    let split = Split::every(std::num::NonZeroU64::MIN);
    let options = OutputOptions::new(directory.path().join("out")).split(split);
    let outputs = Outputs::open(vec![options.format(OutputFormat::Plain)], 4).unwrap();
    let outputs = Arc::new(outputs);
    let write = |outputs: &Outputs, ticket| {
        let mut text = b"@a\nA\n+\nF\n".to_vec();
        let mut writer = outputs.writer().unwrap();
        let written = writer.write(ordinal(ticket), &mut [OutputPiece::new(&mut text, 1)]);
        written.unwrap();
    };
    (0..5).for_each(|ticket| write(&outputs, ticket));
    assert_eq!(count(), 5);
    let ending = thalweg_files::remove_unfinished();
    assert_eq!(count(), 0);
    // Whoever makes another file now waits.
    let waiting = std::thread::spawn({
        let outputs = Arc::clone(&outputs);
        move || write(&outputs, 5)
    });
    std::thread::sleep(Duration::from_millis(100));
    assert!(!waiting.is_finished());
    assert_eq!(count(), 0);
    drop(ending);
    waiting.join().unwrap();
    assert_eq!(count(), 1);
    drop(outputs);
    assert_eq!(count(), 0);
}
