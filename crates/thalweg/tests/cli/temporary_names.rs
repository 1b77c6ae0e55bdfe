//! Outputs where files cannot be without names: they have temporary ones, and those vanish however a command ends, but by
//! `kill -9`.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, fastq, gzip};

/// `command` where nothing lies in /proc, by way of which a file without a name gets one. `None` if nothing can be mounted
/// here.
fn without_proc(command: &Command) -> Option<Command> {
    let hide = |then: &str| {
        let mut hidden = Command::new("unshare");
        let script = format!("mount -t tmpfs none /proc && {then}");
        hidden.args(["--mount", "sh", "-c", &script]);
        hidden
    };
    let can = hide("true").stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: temporary names: nothing can be mounted over /proc here");
        return None;
    }
    let mut hidden = hide("exec \"$0\" \"$@\"");
    hidden.arg(command.get_program()).args(command.get_args());
    hidden.stdin(Stdio::null()).stderr(Stdio::null());
    if let Some(directory) = command.get_current_dir() {
        hidden.current_dir(directory);
    }
    Some(hidden)
}

/// One of each kind of output, stopped when it has begun.
#[test]
fn signals_leave_no_temporary_names() {
    let text = fastq(200_000);
    let place = Place::new();
    place.write("a.fq.gz", gzip(&text));
    place.write("ref.tht", crate::taxa_world::built().place.read("ref.tht"));
    let pipe = place.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for arguments in [
        &["index", "a.fq.gz", "-o", "x.thw"][..],
        &["cat", "pipe", "-o", "x.fq"],
        &["cat", "pipe", "-o", "x.fq.gz"],
        &["qc", "pipe", "-o", "x.fq", "-j", "x.json", "-h", "x.html"],
        &["qc", "pipe", "-o", "x.fq", "--split_by_lines", "1000"],
        &["count", "-k31", "pipe", "-o", "x.thk"],
        &["count", "-k31", "pipe", "--histo", "x.histo"],
        &["classify", "ref.tht", "pipe", "-o", "x.tsv"],
        &[
            "classify",
            "ref.tht",
            "pipe",
            "--unclassified-out",
            "x.fq.gz",
            "--report",
            "x.kreport",
        ],
    ] {
        let Some(mut command) = without_proc(&place.command(arguments)) else {
            return;
        };
        let mut child = command.spawn().unwrap();
        // It has what we write, and waits for more.
        let writer = arguments.contains(&"pipe").then(|| {
            let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
            writer.write_all(&text[..text.len() / 4]).unwrap();
            writer
        });
        let deadline = Instant::now() + Duration::from_secs(20);
        while !place.names().iter().any(|name| name.starts_with('.')) {
            assert!(child.try_wait().unwrap().is_none(), "{arguments:?} ended");
            assert!(Instant::now() < deadline, "{arguments:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
        let process = child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &process]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), None, "{arguments:?}");
        drop(writer);
        let left = ["a.fq.gz", "pipe", "ref.tht"].map(str::to_owned);
        assert_eq!(place.names(), left.into(), "{arguments:?}");
    }
}

#[test]
fn temporary_names_become_the_final_ones() {
    let text = fastq(20_000);
    let place = Place::new();
    place.write("a.fq.gz", gzip(&text));
    for _older in [false, true] {
        for arguments in [
            &["index", "--force", "a.fq.gz", "-o", "x.thw"][..],
            &["cat", "a.fq.gz", "-o", "x.fq"],
            &["count", "-k31", "a.fq.gz", "-o", "x.thk"],
            &["count", "-k31", "a.fq.gz", "-o", "x.kmc"],
        ] {
            let Some(mut command) = without_proc(&place.command(arguments)) else {
                return;
            };
            assert!(command.status().unwrap().success(), "{arguments:?}");
        }
        let names = [
            "a.fq.gz",
            "x.fq",
            "x.kmc.kmc_pre",
            "x.kmc.kmc_suf",
            "x.thk",
            "x.thw",
        ];
        assert_eq!(place.names(), names.map(str::to_owned).into());
        assert!(place.read("x.fq") == text);
        place.ok(&["verify", "a.fq.gz"]);
    }
}
