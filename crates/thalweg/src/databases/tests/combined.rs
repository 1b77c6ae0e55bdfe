//! Several databases to one, and reads past a database.

use std::sync::Mutex;

use thalweg_kmers::set_operations::{Combine, Operation};

use super::super::*;
use super::*;

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
            format: DatabaseFormat::Tsv,
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
    let fasta =
        |reads: &[&str]| -> String { reads.iter().map(|read| format!(">r\n{read}\n")).collect() };
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

/// Who cancels when he is told of a file without reads: none is read, and nobody is asked before the end.
#[test]
fn reads_that_are_not_there_are_not_kept_when_it_is_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let database = database(directory.path(), "known", &FIRST);
    let (reads, output) = (
        directory.path().join("none.fa"),
        directory.path().join("out.fa"),
    );
    fs::write(&reads, "").unwrap();
    let settings = FilterSettings::new(&database, [&reads], &output);
    let cancel = AtomicBool::new(false);
    let control = Control {
        says: Some(&|_| cancel.store(true, Ordering::Relaxed)),
        cancel: Some(&cancel),
        progress: None,
    };
    assert!(settings.run(&control).unwrap_err().is_cancelled());
    assert!(!output.exists());
    settings.run(&Control::default()).unwrap();
    assert!(output.exists());
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
