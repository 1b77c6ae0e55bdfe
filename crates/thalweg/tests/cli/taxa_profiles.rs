//! What `thalweg classify` tells of a sample as a whole.

use crate::support::gzip;
use crate::taxa_world::{World, built, reads};

const ALL: [&str; 13] = [
    "--report",
    "kreport",
    "--report-kmers",
    "--presence",
    "presence.tsv",
    "--krona",
    "krona.txt",
    "--cami-profile",
    "profile.cami",
    "--cami-binning",
    "bins.tsv",
    "--html",
    "page.html",
];

const NAMES: [&str; 6] = [
    "kreport",
    "presence.tsv",
    "krona.txt",
    "profile.cami",
    "bins.tsv",
    "page.html",
];

fn with_reads() -> World {
    let world = built();
    let text = reads(&world, 800);
    world.place.write("gut.fq", &text);
    world.place.write("gut_1.fq.gz", gzip(&text));
    world.place.write("gut_2.fq.gz", gzip(&text));
    world.place.write("none.fq", "");
    world
}

fn text(world: &World, name: &str) -> String {
    String::from_utf8(world.place.read(name)).unwrap()
}

fn fields(line: &str) -> Vec<&str> {
    line.split('\t').collect()
}

#[test]
fn all_that_is_told_agrees() {
    let world = with_reads();
    let place = &world.place;
    let labels = place.ok(&["classify", "ref.tht", "gut.fq", "-q"]).stdout;
    let run = ["classify", "ref.tht", "gut.fq", "-q"];
    let ended = place.ok(&[&run[..], &ALL].concat());
    assert!(ended.stdout == labels);
    let labels = String::from_utf8(labels).unwrap();

    let report = text(&world, "kreport");
    let presence = text(&world, "presence.tsv");
    // Both without their first lines: what is not classified, and names of columns.
    let rows = report.lines().skip(1).zip(presence.lines().skip(1));
    for (of_report, of_table) in rows {
        let (of_report, of_table) = (fields(of_report), fields(of_table));
        let told = [1, 2, 3, 4, 6].map(|column| of_report[column]);
        let also = [3, 4, 5, 6, 0].map(|column| of_table[column]);
        assert_eq!(told, also);
    }
    assert_eq!(report.lines().count(), presence.lines().count());
    let of_species = |taxid: &str| {
        let rows = presence.lines().map(fields);
        let row = rows.into_iter().find(|row| row[0] == taxid).unwrap();
        (row[8].parse::<f64>().unwrap(), row[12].to_owned())
    };
    for taxid in ["11", "12"] {
        let (ratio, present) = of_species(taxid);
        assert!((0.9..1.1).contains(&ratio), "{taxid}: {ratio}");
        assert_eq!(present, "yes");
    }

    let krona = text(&world, "krona.txt");
    let numbers = krona
        .lines()
        .map(|line| fields(line)[0].parse::<u64>().unwrap());
    assert_eq!(numbers.sum::<u64>(), 800);
    let bins = text(&world, "bins.tsv");
    let classified = labels.lines().map(fields).filter(|label| label[0] == "C");
    let classified = classified.map(|label| format!("{}\t{}", label[1], label[2]));
    let head = ["@Version:0.9.0", "@SampleID:gut", "@@SEQUENCEID\tTAXID"].map(str::to_owned);
    assert!(bins.lines().eq(head.into_iter().chain(classified)));
    let cami = text(&world, "profile.cami");
    assert!(
        cami.starts_with("@SampleID:gut\n@Version:0.9.1\n"),
        "{cami}"
    );
    assert!(cami.contains("\tspecies\t2|||||10|11\t"), "{cami}");
    let page = text(&world, "page.html");
    assert!(page.contains("database ref.tht") && page.contains("\"name\":\"gut\",\"reads\":800"));
}

#[test]
fn threads_do_not_show() {
    let world = with_reads();
    let place = &world.place;
    let run = |more: &[&str]| {
        let run = ["classify", "ref.tht", "gut_1.fq.gz", "gut_2.fq.gz", "-q"];
        place.ok(&[&run[..], &ALL, &["-o", "/dev/null"], more].concat());
        NAMES.map(|name| place.read(name))
    };
    for rule in ["posterior", "lca", "lmat"] {
        let one = run(&["--rule", rule, "-t", "1"]);
        assert!(
            run(&["--rule", rule, "-t", "3", "--preload"]) == one,
            "{rule}"
        );
        let name = b"@SampleID:gut\n";
        assert!(one[3].starts_with(name), "{rule}");
    }
    let named = run(&["--sample-name", "a <b>"]);
    assert!(named[3].starts_with(b"@SampleID:a <b>\n"));
    let page = String::from_utf8(named[5].clone()).unwrap();
    assert!(page.contains("\"name\":\"a \\u003cb\\u003e\""));
}

#[test]
fn nothing_is_told_of_nothing() {
    let world = with_reads();
    let run = ["classify", "ref.tht", "none.fq", "-q"];
    world.place.ok(&[&run[..], &ALL].concat());
    let lines = |name: &str| text(&world, name).lines().count();
    assert_eq!(
        ["kreport", "presence.tsv", "krona.txt"].map(lines),
        [0, 1, 0]
    );
    assert_eq!(["profile.cami", "bins.tsv"].map(lines), [4, 3]);
    assert!(text(&world, "page.html").contains("\"reads\":0"));
}

#[test]
fn samples_have_outputs_of_their_own_and_one_page() {
    let world = with_reads();
    let place = &world.place;
    place.ok(&[
        &["classify", "ref.tht", "gut.fq", "-q", "-o", "labels"],
        &ALL[..],
    ]
    .concat());
    place.write("sheet.tsv", "gut\tgut.fq\nempty\tnone.fq\n");
    let run = [
        "classify",
        "ref.tht",
        "-q",
        "--samples",
        "sheet.tsv",
        "--out-dir",
        "all",
    ];
    let outputs = [
        "--presence",
        "p.tsv",
        "--krona",
        "k",
        "--cami-binning",
        "b.gz",
    ];
    let page = ["--html", "all.html", "--report-kmers"];
    place.ok(&[&run[..], &outputs, &page].concat());
    for (one, other) in [
        ("presence.tsv", "all/gut.p.tsv"),
        ("krona.txt", "all/gut.k"),
        ("kreport", "all/gut.kreport"),
    ] {
        assert!(place.read(one) == place.read(other), "{other}");
    }
    let bins = std::fs::File::open(place.path("all/gut.b.gz")).unwrap();
    let mut text_of_bins = String::new();
    let mut bins = flate2::read::MultiGzDecoder::new(bins);
    std::io::Read::read_to_string(&mut bins, &mut text_of_bins).unwrap();
    assert_eq!(text_of_bins, text(&world, "bins.tsv"));
    let page = text(&world, "all.html");
    assert!(page.contains("\"name\":\"gut\"") && page.contains("\"name\":\"empty\""));
    let outputs = ["--presence", "x/p.tsv"];
    place.fails(
        &[&run[..], &outputs].concat(),
        2,
        &["--presence", "directory"],
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let world = with_reads();
    let fails = |more: &[&str], words: &[&str]| {
        let run = ["classify", "ref.tht", "gut.fq", "-o", "labels"];
        world.place.fails(&[&run[..], more].concat(), 2, words);
        assert!(!world.place.path("labels").exists());
    };
    fails(&["--report-kmers"], &["--report-kmers", "--report PATH"]);
    fails(&["--min-score", "1"], &["--min-score", "lmat"]);
    fails(
        &["--rule", "lmat", "--confidence", "0.1"],
        &["--confidence", "lca"],
    );
    fails(&["--rule", "lmat", "--min-score", "nan"], &["--min-score"]);
    fails(
        &["--presence", "x", "--krona", "x"],
        &["--presence", "--krona"],
    );
    fails(&["--html", "labels"], &["the labels", "--html"]);
    fails(&["--cami-binning", "gut.fq"], &["gut.fq"]);
    fails(
        &["--presence", "p", "--present-ratio=-1"],
        &["--present-ratio"],
    );
}

/// A read whose score is too low gets no label.
#[test]
fn scores_of_lmat_decide() {
    let world = with_reads();
    let place = &world.place;
    let classified = |score: &str| {
        let run = ["classify", "ref.tht", "gut.fq", "-q", "--rule", "lmat"];
        let labels = place.ok(&[&run[..], &["--min-score", score, "--scores"]].concat());
        let labels = String::from_utf8(labels.stdout).unwrap();
        labels.lines().filter(|line| line.starts_with('C')).count()
    };
    let (few, all) = (classified("100"), classified("-1"));
    assert_eq!(few, 0);
    assert_eq!(all, 600);
}
