//! How a process ends that is refused memory.

use std::process::Command;

use thalweg_memory::OrExit;

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

/// More than any system gives.
const FAR_TOO_MUCH: usize = isize::MAX as usize / 2;

#[test]
fn refused_memory_ends_the_process_with_a_message() {
    let ended = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "asks_for_far_too_much",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let message = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{message}");
    let first = format!(
        "thalweg: error: out of memory: {FAR_TOO_MUCH} more bytes were asked for and refused\nhint: "
    );
    assert_eq!(message.matches(&first).count(), 1, "{message}");
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
#[ignore = "ends the process: the test above runs it in one of its own"]
fn asks_for_far_too_much() {
    std::thread::scope(|scope| {
        // All at once: one of them has the last word.
        for _ in 0..4 {
            scope.spawn(|| Vec::<u8>::with_capacity(FAR_TOO_MUCH).capacity());
        }
    });
}
