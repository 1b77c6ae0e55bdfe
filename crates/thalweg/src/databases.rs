//! Work on databases of k-mer counts: the jobs behind `thalweg kmers`.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::databases::CombineSettings;
//!
//! let merged = CombineSettings::sum(["1.thk", "2.thk"], "all.thk").run(&Control::default())?;
//! println!("{} different k-mers", merged.distinct);
//! # Ok::<(), thalweg::Fault>(())
//! ```
//!
//! - [`open_database`], [`open_databases`]: databases, and what is to be said of them at once; `strands`: what is taken for
//!   granted of those that do not say it.
//! - [`CombineSettings`]: several databases to one, or to a part of one; [`Combination`]: the same of open ones.
//! - [`FilterSettings`]: reads that a database has k-mers of; [`Filtering`]: reads past a database, to outputs in their order.
//! - [`find_counts`]: how often some k-mers were counted.
//! - [`Screen`]: whether single reads or pairs have enough k-mers of a database, of sequences, or of PhiX174.
//! - [`Lookups`]: where the k-mers of whole files are looked up, in the database's file or in memory.
//! - [`kmers::database`](crate::kmers::database): the databases themselves: histograms, records in order, checks.

mod answers;
mod check;
mod combine;
mod counts;
mod dump;
mod filter;
mod filtering;
mod find;
mod histogram;
mod join;
mod lookups;
mod names;
mod open;
mod part;
mod phix;
mod query;
mod screen;
mod spectrum;
mod strands;

pub use answers::Answers;
pub use check::{CheckSettings, Checked};
pub use combine::{Combination, CombineSettings};
pub use counts::check_counts;
pub use dump::{Dump, DumpSettings, list_records};
pub use filter::{FilterSettings, push_record};
pub use filtering::{Filtering, Kept};
pub use find::find_counts;
pub use histogram::{HistogramForm, HistogramSettings};
pub use join::{JoinSettings, JoinedParts};
pub use lookups::{Lack, Lookups};
pub use names::format_of;
pub use open::{open_database, open_databases};
pub use query::QuerySettings;
pub use screen::{Judge, Screen};
pub use spectrum::{Spectrum, SpectrumSettings};
pub use strands::say_strands;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use thalweg_kmers::database::Format;
    use thalweg_kmers::set_operations::{Combine, Operation};

    use super::*;
    use crate::count::CountSettings;
    use crate::{Control, Fault};

    const K: usize = 4;

    /// Reads, and a database of their k-mers, strands apart.
    fn database(directory: &Path, name: &str, reads: &[&str]) -> PathBuf {
        let path = directory.join(format!("{name}.fa"));
        let text: String = reads.iter().map(|read| format!(">r\n{read}\n")).collect();
        std::fs::write(&path, text).unwrap();
        let mut settings = CountSettings::new(K, [&path]);
        settings.forward = true;
        settings.output = Some(directory.join(format!("{name}.thk")));
        settings.run(&Control::default()).unwrap();
        directory.join(format!("{name}.thk"))
    }

    /// Counted one by one.
    fn plain(reads: &[&str]) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for read in reads {
            for start in 0..(read.len() + 1).saturating_sub(K) {
                *counts.entry(read[start..start + K].to_owned()).or_default() += 1;
            }
        }
        counts
    }

    const FIRST: [&str; 2] = ["ACGTACGGTTAC", "CCCCCCA"];
    const SECOND: [&str; 2] = ["TTACGTACG", "GGGGA"];

    #[test]
    fn combined_counts_are_those_of_a_map() {
        let directory = tempfile::tempdir().unwrap();
        let first = database(directory.path(), "first", &FIRST);
        let second = database(directory.path(), "second", &SECOND);
        let (a, b) = (plain(&FIRST), plain(&SECOND));
        let both: Vec<&str> = FIRST.iter().chain(&SECOND).copied().collect();
        let least = |(kmer, count): (&String, &u64)| Some((kmer.clone(), *count.min(b.get(kmer)?)));
        let only = |(kmer, _): &(&String, &u64)| !b.contains_key(*kmer);
        let subtracted = a.iter().filter(only);
        for (operation, expected) in [
            (Operation::Union(Combine::Sum), plain(&both)),
            (
                Operation::Intersection(Combine::Minimum),
                a.iter().filter_map(least).collect(),
            ),
            (
                Operation::Subtraction,
                subtracted
                    .map(|(kmer, count)| (kmer.clone(), *count))
                    .collect(),
            ),
        ] {
            let output = directory.path().join("out.tsv");
            let settings = CombineSettings {
                operation,
                format: Format::Tsv,
                ..CombineSettings::sum([&first, &second], &output)
            };
            let totals = settings.run(&Control::default()).unwrap();
            assert_eq!(totals.distinct, expected.len() as u64, "{operation:?}");
            let lines = expected
                .iter()
                .map(|(kmer, count)| format!("{kmer}\t{count}\n"));
            let text = std::fs::read_to_string(&output).unwrap();
            assert_eq!(text, lines.collect::<String>(), "{operation:?}");
        }
    }

    #[test]
    fn reads_are_kept_that_have_a_k_mer() {
        let directory = tempfile::tempdir().unwrap();
        let database = database(directory.path(), "known", &["ACGTA"]);
        let reads = directory.path().join("reads.fa");
        let all = ["TTACGTTT", "GGGGGGG", "CGTACC", "ACG", "AAAACGTA"];
        let fasta = |reads: &[&str]| -> String {
            reads.iter().map(|read| format!(">r\n{read}\n")).collect()
        };
        std::fs::write(&reads, fasta(&all)).unwrap();
        let known = plain(&["ACGTA"]);
        let has = |read: &&&str| plain(&[**read]).keys().any(|kmer| known.contains_key(kmer));
        for invert in [false, true] {
            let output = directory.path().join("out.fa");
            let settings = FilterSettings {
                invert,
                ..FilterSettings::new(&database, [&reads], &output)
            };
            let kept = settings.run(&Control::default()).unwrap();
            let expected: Vec<&str> = all
                .iter()
                .filter(|read| has(read) != invert)
                .copied()
                .collect();
            assert_eq!((kept.kept, kept.read), (expected.len() as u64, 5));
            assert_eq!(std::fs::read_to_string(&output).unwrap(), fasta(&expected));
        }
    }

    #[test]
    fn who_cancels_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let database = database(directory.path(), "first", &FIRST);
        let (cancel, output) = (AtomicBool::new(true), directory.path().join("out.fa"));
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let reads = directory.path().join("first.fa");
        let filter = FilterSettings::new(&database, [&reads], &output);
        assert!(filter.run(&control).unwrap_err().is_cancelled());
        let combine = CombineSettings::sum([&database], &output);
        assert!(combine.run(&control).unwrap_err().is_cancelled());
        let mut count = CountSettings::new(K, [&reads]);
        count.output = Some(output.clone());
        assert!(count.run(&control).unwrap_err().is_cancelled());
        assert!(!output.exists());
    }

    #[test]
    fn what_is_worth_knowing_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let text = directory.path().join("a.tsv");
        std::fs::write(&text, "AAAA\t1\nACGT\t2").unwrap();
        let said = Mutex::new(Vec::new());
        let control = Control {
            says: Some(&|message| said.lock().unwrap().push(message.to_string())),
            ..Control::default()
        };
        open_database(&text, &control).unwrap();
        let said = said.into_inner().unwrap();
        assert!(
            said.len() == 1 && said[0].contains("no line feed"),
            "{said:?}"
        );
    }

    #[test]
    fn a_result_is_not_written_over_what_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let first = database(directory.path(), "first", &FIRST);
        let outcome = CombineSettings::sum([&first], &first).run(&Control::default());
        assert!(matches!(outcome, Err(Fault::Write(_))), "{outcome:?}");
    }
}
