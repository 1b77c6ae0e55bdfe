//! Spectra, and whether databases are sound.

use std::sync::Mutex;

use thalweg_kmers::histogram::TableOptions;

use super::super::*;
use super::*;

/// How many k-mers have which count.
fn spectrum(counts: &BTreeMap<String, u64>) -> BTreeMap<u64, u64> {
    let mut spectrum = BTreeMap::new();
    counts
        .values()
        .for_each(|count| *spectrum.entry(*count).or_default() += 1);
    spectrum
}

#[test]
fn the_spectrum_comes_as_lines_json_picture_and_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let expected = spectrum(&plain(&FIRST));
    let file = |name: &str| directory.path().join(name);
    let mut settings = HistogramSettings {
        output: Some(file("a.histo")),
        plot: Some(file("a.svg")),
        ..HistogramSettings::new(&path)
    };
    let histogram = settings.run(&Control::default()).unwrap();
    assert_eq!(histogram.iter().collect::<BTreeMap<_, _>>(), expected);
    let lines = expected
        .iter()
        .map(|(count, kmers)| format!("{count} {kmers}\n"));
    assert_eq!(
        fs::read_to_string(file("a.histo")).unwrap(),
        lines.collect::<String>()
    );
    let picture = fs::read_to_string(file("a.svg")).unwrap();
    assert!(picture.contains("first.thk: 4-mers"), "{picture}");
    settings.form = HistogramForm::Json;
    settings.run(&Control::default()).unwrap();
    let json = fs::read_to_string(file("a.histo")).unwrap();
    assert!(
        json.starts_with('{') && json.contains("\"distinct\""),
        "{json}"
    );
}

#[test]
fn a_spectrum_that_cannot_be_is_told_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path(), "first", &FIRST);
    let file = |name: &str| directory.path().join(name);
    let usual = HistogramSettings {
        output: Some(file("a.histo")),
        plot: Some(file("a.svg")),
        ..HistogramSettings::new(&path)
    };
    let form = |low, high, full| {
        HistogramForm::Table(TableOptions {
            low,
            high,
            full,
            ..TableOptions::default()
        })
    };
    let wrong = [
        HistogramSettings {
            plot: Some(file("a.png")),
            ..usual.clone()
        },
        HistogramSettings {
            plot: Some(file("a.histo")),
            ..usual.clone()
        },
        HistogramSettings {
            output: Some(path.clone()),
            ..usual.clone()
        },
        HistogramSettings {
            form: form(5, 4, false),
            ..usual.clone()
        },
        HistogramSettings {
            form: form(1, u64::MAX, true),
            ..usual.clone()
        },
    ];
    for settings in wrong {
        let fault = settings.run(&Control::default()).unwrap_err();
        assert!(!fault.is_data() && fault.hint().is_some(), "{fault}");
        for name in ["a.histo", "a.svg", "a.png"] {
            assert!(!file(name).exists(), "{name}: {fault}");
        }
    }
}

#[test]
fn totals_of_each_database_come_with_what_makes_estimates_false() {
    let directory = tempfile::tempdir().unwrap();
    let first = database(directory.path(), "first", &FIRST);
    let frequent = directory.path().join("frequent.thk");
    let mut settings = CombineSettings::sum([&first], &frequent);
    settings.kept.0 = 2;
    settings.run(&Control::default()).unwrap();
    let said = Mutex::new(Vec::new());
    let control = Control {
        says: Some(&|message| said.lock().unwrap().push(message.to_string())),
        ..Control::default()
    };
    let spectra = SpectrumSettings::new([&first, &frequent])
        .run(&control)
        .unwrap();
    let mut all = plain(&FIRST);
    for (spectrum, path) in spectra.iter().zip([&first, &frequent]) {
        let histogram = &spectrum.histogram;
        assert_eq!((&spectrum.path, spectrum.k), (path, K));
        assert_eq!(histogram.distinct(), all.len() as u64);
        assert_eq!(histogram.total(), u128::from(all.values().sum::<u64>()));
        assert!(spectrum.estimate.is_err());
        all.retain(|_, count| *count >= 2);
    }
    let said = said.into_inner().unwrap();
    let warning = format!(
        "thalweg: warning: {}: of counts from 2 on only",
        frequent.display()
    );
    assert!(said.len() == 1 && said[0].starts_with(&warning), "{said:?}");
}

#[test]
fn damage_of_one_database_does_not_hide_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let [damaged, sound] = [("a", &FIRST), ("b", &SECOND)]
        .map(|(name, reads)| database(directory.path(), name, reads));
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let text = directory.path().join("c.tsv");
    fs::write(&text, "AAAA\t1\nACGT\t2\n").unwrap();
    let settings = CheckSettings::new([&damaged, &sound, &text]);
    let outcomes = settings.run(&Control::default()).unwrap();
    let fault = outcomes[0].1.as_ref().unwrap_err();
    assert!(fault.is_data() && fault.hint().is_some(), "{fault}");
    let checked = outcomes[1].1.as_ref().unwrap();
    assert_eq!(checked.totals.distinct, plain(&SECOND).len() as u64);
    assert_eq!(checked.notes(&sound).count(), 0);
    let notes: Vec<String> = outcomes[2]
        .1
        .as_ref()
        .unwrap()
        .notes(&text)
        .map(|note| note.to_string())
        .collect();
    assert!(
        notes.len() == 2 && notes[0].contains("no checksums"),
        "{notes:?}"
    );
}

#[test]
fn who_cancels_midway_gets_no_spectrum_and_no_check() {
    for format in [
        DatabaseFormat::Thk,
        DatabaseFormat::Jellyfish,
        DatabaseFormat::Kmc,
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = large_database(directory.path(), format);
        let output = directory.path().join("histo");
        let histogram = HistogramSettings {
            output: Some(output.clone()),
            ..HistogramSettings::new(&path)
        };
        cancelled_midway(|control| histogram.run(control).map(drop));
        assert!(!output.exists());
        let spectrum = SpectrumSettings::new([&path]);
        cancelled_midway(|control| spectrum.run(control).map(drop));
        cancelled_midway(|control| CheckSettings::new([&path]).run(control).map(drop));
    }
}

/// Of text nobody knows how far one is: it is sorted, which ends, too.
#[test]
fn sorting_ends_when_it_is_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.tsv");
    fs::write(&path, "TTTT\t1\nACGT\t2\n").unwrap();
    let cancel = AtomicBool::new(true);
    let control = Control {
        cancel: Some(&cancel),
        ..Control::default()
    };
    let outcomes = [
        SpectrumSettings::new([&path]).run(&control).map(drop),
        DumpSettings::new(&path, directory.path().join("b.tsv"))
            .run(&control)
            .map(drop),
        CombineSettings::sum([&path], directory.path().join("b.thk"))
            .run(&control)
            .map(drop),
    ];
    for outcome in outcomes {
        assert!(outcome.unwrap_err().is_cancelled());
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
