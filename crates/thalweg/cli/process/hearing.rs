//! What a job of the library says and how far it is, as the user wants to hear it.

use std::path::Path;

use thalweg::{Control, Message, MessageKind};

use crate::options::Common;
use crate::process::progress::{Progress, counter};

/// Do a job, draw how far it is under the name of `file`, and print what it says.
pub(crate) fn heard<T>(common: &Common, file: &Path, job: impl FnOnce(&Control) -> T) -> T {
    let (report, position) = counter();
    let progress = Progress::start(common, file, position);
    let report = |done, all: Option<u64>| report(done, all.unwrap_or(0));
    let says = |message| tell(&message, common);
    let report: &(dyn Fn(u64, Option<u64>) + Sync) = &report;
    job(&Control {
        progress: progress.is_drawn().then_some(report),
        says: Some(&says),
        ..Control::default()
    })
}

/// Do a job and draw how far it is, if `draws`; what it says is not printed.
pub(crate) fn drawn<T>(draws: bool, file: &Path, job: impl FnOnce(&Control) -> T) -> T {
    let (report, position) = counter();
    let progress = Progress::start_if(draws, file, position);
    let report = |done, all: Option<u64>| report(done, all.unwrap_or(0));
    let report: &(dyn Fn(u64, Option<u64>) + Sync) = &report;
    job(&Control {
        progress: progress.is_drawn().then_some(report),
        ..Control::default()
    })
}

/// Print all that is said, whatever the user wants to hear: whoever calls this has asked.
pub(crate) fn always_heard<T>(say: impl FnOnce(&Control) -> T) -> T {
    say(&Control {
        says: Some(&|message| tell!("{message}")),
        ..Control::default()
    })
}

/// Print what is said, or if `quiet` what may be wrong only, for commands with options of their own, which have none for details.
pub(crate) fn heard_unless<T>(quiet: bool, job: impl FnOnce(&Control) -> T) -> T {
    let says = |message: Message| {
        let is_wanted = match message.kind {
            MessageKind::Warning => true,
            MessageKind::Detail => false,
            _ => !quiet,
        };
        if is_wanted {
            tell!("{message}");
        }
    };
    job(&Control {
        says: Some(&says),
        ..Control::default()
    })
}

/// Print what is said, as [`heard`] does, and draw nothing.
pub(crate) fn heard_of<T>(common: &Common, say: impl FnOnce(&Control) -> T) -> T {
    let says = |message| tell(&message, common);
    say(&Control {
        says: Some(&says),
        ..Control::default()
    })
}

/// Print what a job says, unless the user wants to hear less.
fn tell(message: &Message, common: &Common) {
    let is_wanted = match message.kind {
        MessageKind::Warning => true,
        MessageKind::Detail => common.verbose,
        _ => !common.quiet,
    };
    if is_wanted {
        tell!("{message}");
    }
}
