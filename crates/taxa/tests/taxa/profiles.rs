//! Shapes in which samples are written, field by field.

use std::fs;
use std::path::Path;

use thalweg_taxa::classify::{Posterior, Rule};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::report::cami::{bins_head, write_bin};
use thalweg_taxa::report::{CallTally, Listed, Page};
use thalweg_taxa::sample::{Observed, PresenceTest, Profile};
use thalweg_taxa::{Node, Taxid};

use crate::database::Random;
use crate::lines::multiqc_data;
use crate::samples::{known, observe, pairs_of};

struct Written {
    database: TaxonDatabase,
    tally: CallTally,
    observed: Observed,
    profile: Profile,
}

/// A sample of two species, of something that is far from any, and of nothing known.
fn sample(folder: &Path) -> Written {
    let (database, genomes) = known(folder, 31);
    let mut random = Random(9);
    let mut reads = pairs_of(&mut random, &genomes[0].1, 300);
    reads.extend(pairs_of(&mut random, &genomes[2].1, 200));
    let far = random.mutated(&genomes[1].1, 9);
    reads.extend(pairs_of(&mut random, &far, 100));
    let unknown = random.letters(5000);
    reads.extend(pairs_of(&mut random, &unknown, 50));
    let rule = Rule::Posterior(Posterior::new(31));
    let (tally, observed, _) = observe(&database, &rule, &reads, 1);
    let profile = Profile::new(&database, &tally, &observed, PresenceTest::default());
    Written {
        database,
        tally,
        observed,
        profile,
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> thalweg_taxa::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn tables_have_a_row_for_each_taxon() {
    let folder = tempfile::tempdir().unwrap();
    let Written {
        database,
        tally,
        profile,
        ..
    } = sample(folder.path());
    let taxonomy = database.taxonomy();
    let table = text(|out| profile.write(taxonomy, &tally, out, Path::new("")));
    let rows = Vec::from_iter(table.lines().map(|line| Vec::from_iter(line.split('\t'))));
    assert_eq!(rows[0].len(), 13);
    assert_eq!(rows[0][3], "reads");
    assert_eq!(rows.len(), 1 + profile.rows().len());
    let report = text(|out| tally.write(taxonomy, Listed::WithReads, out, Path::new("")));
    let of_report = report
        .lines()
        .skip(1)
        .map(|line| line.split('\t').nth(4).unwrap());
    assert!(of_report.eq(rows[1..].iter().map(|row| row[0])));
    for row in &rows[1..] {
        assert_eq!(row.len(), 13);
        let node = taxonomy.node(Taxid(row[0].parse().unwrap())).unwrap();
        let expected = profile.row(node).unwrap();
        assert_eq!(row[1], taxonomy.rank(node));
        assert_eq!(row[2], taxonomy.name(node));
        assert_eq!(row[3], expected.reads.to_string());
        assert_eq!(row[4], tally.direct(node).to_string());
        assert_eq!(row[5], expected.evidence.hits.to_string());
        assert_eq!(row[6], expected.evidence.distinct.to_string());
        assert!((row[8].parse::<f64>().unwrap() - expected.ratio).abs() < 1e-4);
        assert_eq!(row[11] == "-", expected.abundance.is_none());
        assert_eq!(row[12], expected.verdict.word());
    }
    let of = |taxid: &str| rows.iter().find(|row| row[0] == taxid).unwrap()[12];
    assert_eq!(["1", "11", "12", "21"].map(of), ["yes", "yes", "no", "yes"]);
}

#[test]
fn reports_have_kmers_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let Written {
        database,
        tally,
        profile,
        observed,
    } = sample(folder.path());
    let taxonomy = database.taxonomy();
    assert_eq!(profile.evidence(), observed.clades(taxonomy));
    for listed in [Listed::WithReads, Listed::All] {
        let plain = text(|out| tally.write(taxonomy, listed, out, Path::new("")));
        let more = text(|out| {
            tally.write_with_kmers(taxonomy, listed, profile.evidence(), out, Path::new(""))
        });
        assert_eq!(plain.lines().count(), more.lines().count());
        for (plain, more) in plain.lines().zip(more.lines()) {
            let more = Vec::from_iter(more.split('\t'));
            let node = taxonomy.node(Taxid(more[6].parse().unwrap()));
            let evidence = node.map(|node| profile.evidence()[node.0 as usize]);
            let evidence = evidence.unwrap_or_default();
            assert_eq!(more[3], evidence.hits.to_string());
            assert_eq!(more[4], evidence.distinct.to_string());
            let rest = [&more[..3], &more[5..]].concat();
            assert_eq!(rest.join("\t"), plain);
        }
        fs::write(folder.path().join("more.kreport"), more).unwrap();
    }
    if let Some(data) = multiqc_data("reports_have_kmers_on_request", folder.path()) {
        assert!(
            data.contains("\"more.kreport\"") && data.contains("Alpha one"),
            "{data}"
        );
    }
}

#[test]
fn lineages_are_those_of_reads() {
    let folder = tempfile::tempdir().unwrap();
    let Written {
        database, tally, ..
    } = sample(folder.path());
    let taxonomy = database.taxonomy();
    let krona = text(|out| tally.write_krona(taxonomy, out, Path::new("")));
    let mut lines = Vec::new();
    for node in taxonomy.nodes().filter(|node| tally.direct(*node) > 0) {
        let mut names = Vec::from_iter(taxonomy.path_to_root(node).map(|node| taxonomy.name(node)));
        // Without the root.
        names.pop();
        names.reverse();
        names.insert(0, "");
        lines.push(format!("{}{}", tally.direct(node), names.join("\t")));
    }
    lines.push(format!(
        "{}\tUnclassified",
        tally.reads() - tally.classified()
    ));
    lines.sort_unstable();
    let mut found = Vec::from_iter(krona.lines());
    found.sort_unstable();
    assert_eq!(found, lines);
    assert!(
        krona.contains("\tBeta <&\">\tBeta one\tBeta one 1\n"),
        "{krona}"
    );
    let numbers = krona.lines().map(|line| line.split('\t').next().unwrap());
    let sum: u64 = numbers.map(|number| number.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, tally.reads());
}

#[test]
fn profiles_are_camis() {
    let folder = tempfile::tempdir().unwrap();
    let Written {
        database, profile, ..
    } = sample(folder.path());
    let taxonomy = database.taxonomy();
    let cami = text(|out| profile.write_cami(taxonomy, "a\tb", out, Path::new("")));
    let mut lines = cami.lines();
    assert_eq!(lines.next(), Some("@SampleID:a b"));
    assert_eq!(lines.next(), Some("@Version:0.9.1"));
    assert_eq!(
        lines.next(),
        Some("@Ranks:superkingdom|phylum|class|order|family|genus|species")
    );
    assert_eq!(
        lines.next(),
        Some("@@TAXID\tRANK\tTAXPATH\tTAXPATHSN\tPERCENTAGE")
    );
    let rows = Vec::from_iter(lines.map(|line| Vec::from_iter(line.split('\t'))));
    let heads = rows.iter().map(|row| [row[0], row[1], row[2], row[3]]);
    let expected = [
        ["2", "superkingdom", "2", "Bacteria"],
        ["10", "genus", "2|||||10", "Bacteria|||||Alpha"],
        ["20", "genus", "2|||||20", "Bacteria|||||Beta <&\">"],
        [
            "11",
            "species",
            "2|||||10|11",
            "Bacteria|||||Alpha|Alpha one",
        ],
        [
            "21",
            "species",
            "2|||||20|21",
            "Bacteria|||||Beta <&\">|Beta one",
        ],
    ];
    assert!(heads.eq(expected), "{cami}");
    for rank in ["superkingdom", "genus", "species"] {
        let of_rank = rows.iter().filter(|row| row[1] == rank);
        let sum: f64 = of_rank.map(|row| row[4].parse::<f64>().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-5, "{sum}");
    }
    let share = profile.row(node(&database, 11)).unwrap().abundance.unwrap();
    assert_eq!(rows[3][4], format!("{:.6}", 100.0 * share));
}

fn node(database: &TaxonDatabase, taxid: u32) -> Node {
    database.taxonomy().node(Taxid(taxid)).unwrap()
}

#[test]
fn bins_are_camis() {
    let mut bins = bins_head("s\n1").into_bytes();
    write_bin(b"read/1", true, Taxid(562), &mut bins);
    write_bin(b"read/1", false, Taxid(9606), &mut bins);
    let expected = "@Version:0.9.0\n@SampleID:s 1\n@@SEQUENCEID\tTAXID\nread\t562\nread/1\t9606\n";
    assert_eq!(String::from_utf8(bins).unwrap(), expected);
}

/// What a browser gets: an object that is JSON, with all taxa, in a page that names cannot break.
#[test]
fn pages_hold_their_samples() {
    let folder = tempfile::tempdir().unwrap();
    let Written {
        database,
        tally,
        profile,
        ..
    } = sample(folder.path());
    let taxonomy = database.taxonomy();
    let title = "</script><b>\"'&\u{2028}";
    let mut page = Page::new(taxonomy, title, "notes\\");
    page.add("one", &tally, Some(profile.clone()));
    page.add("none", &CallTally::new(taxonomy), None);
    let html = page.render();
    assert!(html.contains("<title>&lt;/script&gt;&lt;b&gt;&quot;&#39;&amp;\u{2028}</title>"));
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("{{"));
    // Nothing is loaded from anywhere; the namespace of SVG is a name.
    let html = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!html.contains("http:") && !html.contains("https:") && !html.contains("src="));
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    assert!(!json.contains('<'));
    let check = "import json, sys\n\
                 data = json.load(sys.stdin)\n\
                 assert data['title'] == '</script><b>\"\\'&\\u2028', data['title']\n\
                 assert data['notes'] == 'notes\\\\'\n\
                 one, none = data['samples']\n\
                 assert none['reads'] == 0 and not none['profiled'] and set(none['values']) == {0}\n\
                 assert len(one['values']) == len(data['taxa'])\n\
                 for taxon, values in zip(data['taxa'], one['values']):\n\
                 \x20   print(taxon[1], taxon[4], *values, sep='\\t')\n";
    let Some(found) = python(check, json) else {
        eprintln!("SKIPPED: pages_hold_their_samples: no python3");
        return;
    };
    let lines = Vec::from_iter(found.lines().map(|line| Vec::from_iter(line.split('\t'))));
    assert_eq!(lines.len(), profile.rows().len());
    for (line, row) in lines.iter().zip(profile.rows()) {
        assert_eq!(line[0], taxonomy.taxid(row.node).to_string());
        assert_eq!(line[1], taxonomy.name(row.node));
        assert_eq!(line[2], row.reads.to_string());
        assert!((line[5].parse::<f64>().unwrap() - row.ratio).abs() < 1e-4);
        assert_eq!(line[7], row.evidence.distinct.to_string());
    }
}

/// What a program prints that reads this.
fn python(program: &str, input: &str) -> Option<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap())
}
