//! k-mers with their counts.

use thalweg_kmers::kmer::Alphabet;

use super::super::*;
use super::*;

/// All k-mers of sequences with their counts in `counts`, in their order.
fn answers<'a>(
    sequences: impl IntoIterator<Item = &'a str>,
    counts: &BTreeMap<String, u64>,
) -> String {
    let kmers = sequences.into_iter().flat_map(|sequence| {
        let starts = 0..(sequence.len() + 1).saturating_sub(K);
        starts.map(move |start| &sequence[start..start + K])
    });
    let line = |kmer: &str| format!("{kmer}\t{}\n", counts.get(kmer).unwrap_or(&0));
    kmers.map(line).collect()
}

#[test]
fn k_mers_come_with_their_counts() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let counts = plain(&FIRST);
    let sequences = directory.path().join("contigs.fa");
    let letters = ["TTACGTACGGAC", "CCCCCC", "GG"];
    let fasta = letters.map(|letters| format!(">c\n{letters}\n")).concat();
    fs::write(&sequences, fasta).unwrap();
    let output = directory.path().join("a.tsv");
    let kmers = ["ACGT", "GGGG", "CCCC"];
    for threads in [1, 3] {
        let settings = QuerySettings {
            kmers: kmers.map(str::to_owned).to_vec(),
            sequences: vec![sequences.clone()],
            threads,
            ..QuerySettings::new(&path, &output)
        };
        let answered = settings.run(&Control::default()).unwrap();
        let expected = answers(kmers.into_iter().chain(letters), &counts);
        assert_eq!(fs::read_to_string(&output).unwrap(), expected);
        assert_eq!(answered, expected.lines().count() as u64);
    }
}

#[test]
fn letters_and_strands_are_what_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let reads = directory.path().join("r.fa");
    fs::write(&reads, ">r\nAACGT\n").unwrap();
    let database = directory.path().join("a.thk");
    let mut count = CountSettings::new(5, [&reads]);
    count.output = Some(database.clone());
    count.run(&Control::default()).unwrap();
    let output = directory.path().join("a.tsv");
    let ask = |canonical, alphabet| {
        let settings = QuerySettings {
            kmers: vec!["ACGUU".to_owned()],
            canonical,
            alphabet,
            ..QuerySettings::new(&database, &output)
        };
        settings
            .run(&Control::default())
            .map(|_| fs::read_to_string(&output).unwrap())
    };
    assert_eq!(ask(None, Alphabet::Acgtu).unwrap(), "AACGT\t1\n");
    assert_eq!(ask(Some(false), Alphabet::Acgtu).unwrap(), "ACGTT\t0\n");
    fs::remove_file(&output).unwrap();
    let fault = ask(None, Alphabet::Acgt).unwrap_err();
    assert!(
        matches!(fault, Fault::Kmers(thalweg_kmers::Error::NoKmer { .. })),
        "{fault}"
    );
    assert!(fault.hint().is_some() && !output.exists());
}

#[test]
fn what_is_asked_on_lines_is_answered_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let output = directory.path().join("a");
    let settings = QuerySettings::new(&path, &output);
    let said = std::sync::Mutex::new(Vec::new());
    let control = Control {
        says: Some(&|message| said.lock().unwrap().push(message.to_string())),
        ..Control::default()
    };
    let open = open_database(&path, &control).unwrap();
    let file = crate::count::OutputFile::create(&output).unwrap();
    let answers = Answers::<u64>::new(&settings, &open, file, &control).unwrap();
    let lines = &b"ACGT\nACG\n  cccc \nGGGG"[..];
    let answered = answers.converse(lines, |letters| letters.into()).unwrap();
    let counts = plain(&FIRST);
    let expected = format!("{}\n{}\n0\n", counts["ACGT"], counts["CCCC"]);
    assert_eq!(
        (fs::read_to_string(&output).unwrap(), answered),
        (expected, 3)
    );
    assert_eq!(said.into_inner().unwrap(), ["Invalid mer 'ACG'"]);
}

#[test]
fn who_cancels_before_the_first_line_gets_no_answers() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let output = directory.path().join("a");
    let settings = QuerySettings::new(&path, &output);
    let open = open_database(&path, &Control::default()).unwrap();
    crate::control::stopping::at_once(directory.path(), |control| {
        let file = crate::count::OutputFile::create(&output)?;
        let answers = Answers::<u64>::new(&settings, &open, file, control)?;
        answers.converse(&b""[..], |letters| letters.into())
    });
}

#[test]
fn nothing_asked_is_told() {
    let fault = QuerySettings::new("no.thk", "no.tsv").run(&Control::default());
    assert!(matches!(fault, Err(Fault::Usage { .. })), "{fault:?}");
}

/// Before anything is looked up: as it is loaded into memory, by one thread or several, and of a few k-mers.
#[test]
fn who_cancels_waits_for_no_database_to_be_loaded() {
    use thalweg_kmers::database::KmerScreen;
    for format in [
        DatabaseFormat::Thk,
        DatabaseFormat::Jellyfish,
        DatabaseFormat::Kmc,
        DatabaseFormat::Tsv,
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = large_database(directory.path(), format);
        let open = open_database(&path, &Control::default()).unwrap();
        let all = 1..=u64::MAX;
        for threads in [1, 2] {
            let told = std::sync::atomic::AtomicU64::new(0);
            let midway = |read| {
                told.store(read, Ordering::Relaxed);
                match read {
                    0 => Ok(()),
                    _ => Err(thalweg_kmers::Error::Cancelled),
                }
            };
            let loaded = open.load_unless::<u64>(threads, &midway);
            assert!(Fault::from(loaded.unwrap_err()).is_cancelled(), "{format}");
            let screen = KmerScreen::<u64>::open_unless(&open, all.clone(), threads, &midway);
            assert!(Fault::from(screen.unwrap_err()).is_cancelled(), "{format}");
            let told = told.into_inner();
            assert!((1..300_000).contains(&told), "{format}: {told}");
        }
        let cancel = AtomicBool::new(true);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let reads = directory.path().join("r.fa");
        fs::write(&reads, ">r\nACGTACGTACGTACGT\n".repeat(10_000)).unwrap();
        let files = [reads];
        let lookups = Lookups::<u64>::for_files(&open, &files, 2, None, &control);
        assert!(Fault::from(lookups.err().unwrap()).is_cancelled());
        let screen = Screen::for_files(&open, &files, (1, u64::MAX), 2, None, &control);
        assert!(Fault::from(screen.err().unwrap()).is_cancelled());
        let found = find_counts(&path, ["ACGTACGTACGTACG"], &control);
        assert!(found.unwrap_err().is_cancelled());
    }
}

#[test]
fn who_cancels_midway_gets_no_answers() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let (sequences, output) = (directory.path().join("r.fa"), directory.path().join("a"));
    fs::write(&sequences, ">r\nACGTACGT\n".repeat(1_000_000)).unwrap();
    let settings = QuerySettings {
        sequences: vec![sequences],
        threads: 2,
        ..QuerySettings::new(&path, &output)
    };
    cancelled_midway(|control| settings.run(control).map(drop));
    assert!(!output.exists());
}
