//! All records of files, or some by their ranks, behind one another: the jobs behind plain `thalweg cat`.
//!
//! - [`ReadingSettings`]: which records of which files, and how BAM becomes FASTQ.
//! - [`CopySettings`]: to one output, as they stand, mates interleaved.
//! - [`RouteSettings`]: of BAM that is grouped by name, pairs, mates without the other, and reads of no pair to outputs of
//!   their own.
//! - [`UnalignedSettings`]: to unaligned BAM.
//! - [`Interleaved`], [`Interleaver`]: mates one behind the other, for who writes batches himself.
//!
//! Records that are chosen by what is in them, or packed otherwise, are the matter of [`repack`](crate::repack).
//!
//! - `seam`: where the bytes of two files meet; `last_lines`: whether a text goes on with its last record;
//!   `last_record`: whether it ends inside of it.

mod job;
mod last_lines;
mod last_record;
mod reading;
mod routes;
mod seam;
mod unaligned;

pub use job::CopySettings;
pub use reading::ReadingSettings;
pub use routes::{RoutePaths, RouteSettings};
pub use seam::{Interleaved, Interleaver};
pub use unaligned::{ReadGroup, UnalignedSettings};

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use thalweg_formats::bam::BamOptions;
    use thalweg_write::Level;

    use super::*;
    use crate::control::stopping;
    use crate::sharing::Shard;
    use crate::{Control, Fault};

    /// Mates, in more than one batch each.
    fn mates(directory: &Path) -> [PathBuf; 2] {
        let files = ["1.fq", "2.fq"].map(|name| directory.join(name));
        let read = |number: usize| format!("@r{number}\nACGTTGCA\n+\nIIIIIIII\n");
        let text: String = (0..200_000).map(read).collect();
        files
            .iter()
            .for_each(|file| std::fs::write(file, &text).unwrap());
        files
    }

    #[test]
    fn copies_that_are_stopped_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let files = mates(directory.path());
        for (name, mates) in [
            ("a.fq", false),
            ("b.fq.gz", false),
            ("c.fq", true),
            ("d.fq.gz", true),
        ] {
            let mut settings = CopySettings::new(&files);
            settings.output = path(name);
            settings.reading.mates = mates;
            stopping::midway(directory.path(), |control| settings.run(control));
        }
        let mut reading = ReadingSettings::new(&files);
        reading.mates = true;
        let unaligned = UnalignedSettings {
            reading,
            output: path("pairs.bam"),
            level: Level::default(),
            read_group: Some("sample".parse().unwrap()),
        };
        stopping::midway(directory.path(), |control| unaligned.run(control));
        // What was made of mates is taken apart again.
        let mut reading = ReadingSettings::new([path("pairs.bam")]);
        reading.bam = BamOptions {
            with_mate: false,
            ..BamOptions::new()
        };
        let routes = RouteSettings {
            reading,
            paths: RoutePaths {
                first: Some(path("first.fq")),
                second: Some(path("second.fq.gz")),
                ..RoutePaths::default()
            },
            level: Level::default(),
        };
        stopping::midway(directory.path(), |control| routes.run(control));
        let text = |name: &str| std::fs::read(path(name)).unwrap();
        assert!(text("first.fq") == text("1.fq"));
        assert!(text("a.fq") == [text("1.fq"), text("2.fq")].concat());
    }

    /// The only pair comes out at the end, and what is compressed is written then: the disk is full.
    #[test]
    fn first_mates_do_not_appear_without_the_second_ones() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["1.fq", "2.fq"] {
            std::fs::write(path(name), "@r\nACGT\n+\nIIII\n").unwrap();
        }
        let mut reading = ReadingSettings::new([path("1.fq"), path("2.fq")]);
        reading.mates = true;
        let pairs = UnalignedSettings {
            reading,
            output: path("pairs.bam"),
            level: Level::default(),
            read_group: None,
        };
        pairs.run(&Control::default()).unwrap();
        std::os::unix::fs::symlink("/dev/full", path("full.fq.gz")).unwrap();
        for (second, is_full) in [("full.fq.gz", true), ("second.fq.gz", false)] {
            let routes = RouteSettings {
                reading: ReadingSettings::new([path("pairs.bam")]),
                paths: RoutePaths {
                    first: Some(path("first.fq")),
                    second: Some(path(second)),
                    ..RoutePaths::default()
                },
                level: Level::default(),
            };
            assert_eq!(routes.run(&Control::default()).is_err(), is_full);
            assert_eq!(path("first.fq").exists(), !is_full);
        }
    }

    /// That it is refused, and what is told.
    fn refused(outcome: Result<impl Sized, Fault>) -> String {
        match outcome.err() {
            Some(fault @ Fault::Usage { .. }) => fault.to_string(),
            outcome => panic!("{outcome:?}"),
        }
    }

    #[test]
    fn pairs_are_of_two_files() {
        let mut reading = ReadingSettings::new(["1.fq", "2.fq", "3.fq"]);
        reading.mates = true;
        let settings = UnalignedSettings {
            reading,
            output: "pairs.bam".into(),
            level: Level::default(),
            read_group: None,
        };
        let told = refused(settings.run(&Control::default()));
        assert!(told.contains("more than two files of mates"), "{told}");
    }

    #[test]
    fn raw_bytes_and_sorted_reads_are_those_of_all_records() {
        let shard = Shard { number: 1, of: 2 };
        let choices: [fn(&mut ReadingSettings, Shard); 5] = [
            |reading, _| reading.records = Some(0..1),
            |reading, shard| reading.shard = Some(shard),
            |reading, _| reading.mates = true,
            |reading, _| reading.interleaved = true,
            |reading, _| reading.max_record = Some(1 << 20),
        ];
        for (number, choose) in choices.into_iter().enumerate() {
            let mut reading = ReadingSettings::new(["1.bam"]);
            choose(&mut reading, shard);
            if reading.mates {
                reading.files.push("2.bam".into());
            }
            let mut raw = CopySettings::new(["1.bam"]);
            (raw.reading, raw.raw) = (reading.clone(), true);
            let told = refused(raw.run(&Control::default()));
            assert!(told.contains("not its records"), "{told}");
            let routes = RouteSettings {
                reading,
                paths: RoutePaths::default(),
                level: Level::default(),
            };
            match number {
                // A limit of size goes with them; but there is no such file.
                4 => assert!(!matches!(
                    routes.run(&Control::default()),
                    Err(Fault::Usage { .. })
                )),
                _ => assert!(refused(routes.run(&Control::default())).contains("all of them")),
            }
        }
    }
}
