//! Traces of jobs: all of `thalweg_trace`, what turns what each job has into values, and the jobs behind `thalweg trace`.
//!
//! - [`TraceSettings`], [`TraceOutput`]: where a trace goes, and what it begins and ends with.
//! - [`ReadTracer`], [`Followed`]: reads that are cleaned, of `qc`.
//! - [`KmerTrace`]: k-mers of a database that was counted.
//! - [`ShowSettings`]: values as lines of JSON; [`count_values`]: how many there are of what; [`ConvertSettings`]: a trace to a
//!   table, or to another format.
//! - labels are written by [`ClassifyJob`](crate::classify::ClassifyJob), to a [`Stream::Trace`](crate::classify::Stream::Trace).
//!
//! Values are in the order of the input. Behind the header, which has the command line, bytes are the same for every number of
//! threads: there is a frame for each batch, and batches do not depend on threads.

mod convert;
mod input;
#[cfg(feature = "kmers")]
mod kmers;
#[cfg(feature = "taxa")]
mod labels;
mod output;
#[cfg(feature = "qc")]
mod reads;
mod show;

pub use convert::{ConvertSettings, Converted, TraceTarget};
#[cfg(feature = "kmers")]
pub use kmers::KmerTrace;
#[cfg(feature = "taxa")]
pub(crate) use labels::LabelTracer;
pub use output::{TraceOutput, TraceSettings};
#[cfg(feature = "qc")]
pub use reads::{Followed, ReadTracer};
pub use show::{ShowSettings, count_values};
pub use thalweg_trace::*;

use crate::Fault;

/// Bytes that are collected before the system is asked to write.
const BLOCK: usize = 1 << 18;

/// Why a kind is refused.
fn no_such_kind(kind: &str, kinds: &str) -> Fault {
    Fault::usage(
        format!("{kind}: no such kind, or none that can be had here"),
        format!("kinds are {kinds}"),
    )
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::Control;
    use crate::control::stopping;

    /// A trace of three k-mers and a read.
    fn write_trace(directory: &Path) -> PathBuf {
        let mut encoder = TraceEncoder::new(TraceFormat::Lz4).unwrap();
        let mut bytes = encoder
            .header(&TraceHeader::new("test 1", ["x"], []))
            .unwrap();
        for count in 1..=3 {
            let kmer = "ACGTA".into();
            encoder.push(&Value::Kmer(TracedKmer { kmer, count }));
        }
        encoder.push(&Value::Read(TracedRead {
            name: "r1".into(),
            verdict: "passed".into(),
            ..TracedRead::default()
        }));
        let values = encoder.take_batch(&mut bytes).unwrap();
        bytes.extend(encoder.end(values).unwrap());
        let path = directory.join("a.msgpack.lz4");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn values_are_shown_and_counted() {
        let directory = tempfile::tempdir().unwrap();
        let trace = write_trace(directory.path());
        let lines = directory.path().join("lines.jsonl");
        let show = |choose: fn(&mut ShowSettings)| {
            let mut settings = ShowSettings::new(&trace, &lines);
            choose(&mut settings);
            let shown = settings.run(&Control::default()).unwrap();
            (
                shown,
                std::fs::read_to_string(&lines).unwrap().lines().count(),
            )
        };
        // With the header, where no names are asked for.
        assert_eq!(show(|_| {}), (4, 5));
        assert_eq!(show(|settings| settings.most = Some(2)), (2, 3));
        assert_eq!(
            show(|settings| settings.name = Some(b"r1".to_vec())),
            (1, 1)
        );
        assert_eq!(
            show(|settings| settings.kind = Some("kmer".to_owned())),
            (3, 3)
        );
        let tally = count_values(&trace, &Control::default()).unwrap();
        assert!(tally.iter().any(|row| row == ("kmer", "counts", "", 6)));
    }

    #[test]
    fn a_table_tells_what_it_leaves_out() {
        let directory = tempfile::tempdir().unwrap();
        let trace = write_trace(directory.path());
        let table = directory.path().join("a.tsv");
        let said = std::sync::Mutex::new(Vec::new());
        let says = |message: crate::Message| said.lock().unwrap().push(message.to_string());
        let control = Control {
            says: Some(&says),
            ..Control::default()
        };
        let settings = ConvertSettings::new(&trace, &table);
        let converted = settings.run(&control).unwrap();
        assert_eq!((converted.records, converted.left_out), (3, 1));
        assert_eq!(said.lock().unwrap().len(), 1);
        let text = std::fs::read_to_string(&table).unwrap();
        assert_eq!(text.lines().last(), Some("ACGTA\t3"));
    }

    #[test]
    fn kinds_that_are_not_are_refused() {
        let mut show = ShowSettings::new("none", "none.jsonl");
        show.kind = Some("reads".to_owned());
        let mut convert = ConvertSettings::new("none", "none.tsv");
        convert.kind = Some("reads".to_owned());
        let control = Control::default();
        let faults = [show.run(&control).err(), convert.run(&control).err()];
        for fault in faults.map(Option::unwrap) {
            assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
        }
    }

    #[test]
    fn jobs_that_are_stopped_or_of_a_trace_that_was_cut_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let trace = write_trace(directory.path());
        let path = |name: &str| directory.path().join(name);
        stopping::at_once(directory.path(), |control| count_values(&trace, control));
        let show = ShowSettings::new(&trace, path("a.jsonl"));
        stopping::midway(directory.path(), |control| show.run(control));
        let convert = ConvertSettings::new(&trace, path("a.msgpack"));
        stopping::midway(directory.path(), |control| convert.run(control));

        let bytes = std::fs::read(&trace).unwrap();
        std::fs::write(&trace, &bytes[..bytes.len() - 1]).unwrap();
        let control = Control::default();
        let show = ShowSettings::new(&trace, path("b.jsonl")).run(&control);
        let convert = ConvertSettings::new(&trace, path("b.tsv")).run(&control);
        for fault in [show.err(), convert.err()].map(Option::unwrap) {
            assert!(fault.is_data(), "{fault}");
        }
        assert!(!path("b.jsonl").exists() && !path("b.tsv").exists());
    }
}
