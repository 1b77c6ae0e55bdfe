//! All k-mers as lines, and parts that become one database.

use flate2::read::MultiGzDecoder;
use thalweg_kmers::database::Separator;

use super::super::*;
use super::*;
use crate::Shard;
use crate::control::stopping;

fn lines(counts: &BTreeMap<String, u64>, separator: char) -> String {
    let lines = counts.iter();
    let lines = lines.map(|(kmer, count)| format!("{kmer}{separator}{count}\n"));
    lines.collect()
}

#[test]
fn all_k_mers_are_listed_as_names_and_settings_say() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let all = plain(&FIRST);
    let list = |name: &str, change: &dyn Fn(&mut DumpSettings)| {
        let output = directory.path().join(name);
        let mut settings = DumpSettings::new(&path, &output);
        change(&mut settings);
        let totals = settings.run(&Control::default()).unwrap();
        (totals, fs::read(&output).unwrap())
    };
    let (totals, text) = list("a.tsv", &|_| ());
    assert_eq!(text, lines(&all, '\t').as_bytes());
    assert_eq!(totals.distinct, all.len() as u64);
    let (_, text) = list("a", &|settings| settings.separator = Some(Separator::Blank));
    assert_eq!(text, lines(&all, ' ').as_bytes());
    let (_, text) = list("a.fa", &|_| ());
    let fasta = |(kmer, count): (&String, &u64)| format!(">{count}\n{kmer}\n");
    assert_eq!(text, all.iter().map(fasta).collect::<String>().as_bytes());
    let (totals, text) = list("b.tsv", &|settings| settings.kept = (3, 3));
    let thrice = all.clone().into_iter().filter(|(_, count)| *count == 3);
    let thrice: BTreeMap<String, u64> = thrice.collect();
    assert!(!thrice.is_empty() && thrice.len() < all.len());
    assert_eq!(text, lines(&thrice, '\t').as_bytes());
    assert_eq!(totals.total, 3 * thrice.len() as u128);
    let (_, text) = list("c.tsv.gz", &|settings| settings.file_order = true);
    let mut unpacked = String::new();
    std::io::Read::read_to_string(&mut MultiGzDecoder::new(&text[..]), &mut unpacked).unwrap();
    let mut sorted: Vec<&str> = unpacked.lines().collect();
    sorted.sort_unstable();
    assert_eq!(sorted.join("\n") + "\n", lines(&all, '\t'));
}

#[test]
fn any_number_of_threads_lists_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = large_database(directory.path(), DatabaseFormat::Thk);
    let list = |threads| {
        let output = directory.path().join("a.tsv.gz");
        let mut settings = DumpSettings::new(&path, &output);
        settings.threads = threads;
        settings.run(&Control::default()).unwrap();
        let packed = fs::read(&output).unwrap();
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut MultiGzDecoder::new(&packed[..]), &mut text).unwrap();
        text
    };
    let one = list(1);
    assert_eq!(one.iter().filter(|&&byte| byte == b'\n').count(), 300_000);
    assert!(list(3) == one);
}

#[test]
fn a_list_is_no_database_and_not_written_over_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    for (name, kind) in [
        ("a.thk", "Usage"),
        ("first.thk", "IsInput"),
        ("a.xz", "NotWritten"),
    ] {
        let settings = DumpSettings::new(&path, directory.path().join(name));
        let fault = settings.run(&Control::default()).unwrap_err();
        let is_it = match &fault {
            Fault::Usage { .. } => kind == "Usage",
            Fault::Write(thalweg_write::Error::IsInput { .. }) => kind == "IsInput",
            Fault::Write(thalweg_write::Error::NotWritten { .. }) => kind == "NotWritten",
            _ => false,
        };
        assert!(is_it, "{name}: {fault}");
    }
    assert!(!directory.path().join("a.thk").exists());
}

#[test]
fn who_cancels_midway_gets_no_list() {
    for (format, file_order) in [
        (DatabaseFormat::Thk, false),
        (DatabaseFormat::Thk, true),
        (DatabaseFormat::Jellyfish, false),
        (DatabaseFormat::Kmc, false),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = large_database(directory.path(), format);
        let output = directory.path().join("a.tsv");
        let mut settings = DumpSettings::new(path, &output);
        settings.file_order = file_order;
        cancelled_midway(|control| settings.run(control).map(drop));
        assert!(!output.exists(), "{format}");
    }
}

#[test]
fn a_database_of_nothing_is_not_listed_when_it_is_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "none", &["ACG"]);
    let open = open_database(&path, &Control::default()).unwrap();
    let output = directory.path().join("a.tsv");
    let list = |control: &Control| {
        let dump = Dump {
            database: &open,
            sorting: None,
            kept: (0, u64::MAX),
            separator: Separator::Tab,
            output: crate::count::OutputFile::create(&output).unwrap(),
            threads: 1,
            control,
        };
        dump.run()
    };
    stopping::at_once(directory.path(), list);
    assert_eq!(list(&Control::default()).unwrap().distinct, 0);
    #[cfg(feature = "trace")]
    {
        use thalweg_kmers::database::SortOptions;

        use crate::trace::{KmerTrace, TraceSettings};
        let settings = TraceSettings::new(directory.path().join("trace.jsonl"));
        let output = settings.output(&[]).unwrap();
        let write = |control: &Control| {
            KmerTrace::create(&output)?.write(&open, &SortOptions::default(), 1, control)
        };
        stopping::at_once(directory.path(), write);
        assert_eq!(write(&Control::default()).unwrap(), 0);
    }
}

#[test]
fn parts_become_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let first = database(directory.path(), "first", &FIRST);
    let second = database(directory.path(), "second", &SECOND);
    let parts = directory.path().join("parts");
    fs::create_dir(&parts).unwrap();
    let make = |number| {
        let part = parts.join(format!("{number}.thk"));
        let settings = CombineSettings {
            partition: Some(Shard { number, of: 3 }),
            ..CombineSettings::sum([&first, &second], &part)
        };
        settings.run(&Control::default()).unwrap();
        part
    };
    let files: Vec<PathBuf> = (1..=3).map(make).collect();
    let lacking = JoinSettings::new(&files[..2]).run(&Control::default());
    assert!(matches!(lacking, Err(Fault::Kmers(_))), "{lacking:?}");
    let joined = JoinSettings::new(&files).run(&Control::default()).unwrap();
    let both: Vec<&str> = FIRST.iter().chain(&SECOND).copied().collect();
    let all = plain(&both);
    let distinct = all.len() as u64;
    assert_eq!((joined.parts, joined.distinct), (3, distinct));
    let output = directory.path().join("all.tsv");
    let list = DumpSettings::new(&joined.directory, &output);
    list.run(&Control::default()).unwrap();
    assert_eq!(fs::read_to_string(output).unwrap(), lines(&all, '\t'));
}
