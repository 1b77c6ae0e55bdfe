//! Which taxa sequences are of.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use thalweg_taxa::sequences::{
    Accessions, Assignment, AssignmentSource, AssignmentTally, Sources, Table,
};
use thalweg_taxa::taxonomy::{Taxid, Taxonomy, TaxonomyBuilder};

use crate::given::taxdump;
use crate::made::given;

const FILE: &str = "genomes/ecoli.fna.gz";

/// 1 has 2 and 3; 2 has 10 to 19; 5 was merged into 10, 6 deleted.
fn small() -> Taxonomy {
    let mut builder = TaxonomyBuilder::new();
    let mut add = |taxid, parent: Option<u32>| {
        builder
            .add_node(Taxid(taxid), parent.map(Taxid), "no rank")
            .unwrap();
    };
    add(1, None);
    add(2, Some(1));
    add(3, Some(1));
    (10..20).for_each(|taxid| add(taxid, Some(2)));
    builder.add_merged(Taxid(5), Taxid(10));
    builder.add_deleted(Taxid(6));
    builder.finish().unwrap()
}

fn table(text: &str) -> Table {
    let mut table = Table::new();
    table.read(text.as_bytes(), Path::new("t.tsv")).unwrap();
    table
}

#[test]
fn what_comes_first_counts() {
    let taxonomy = small();
    let file = Path::new(FILE);
    let header = b"AB_1.1|kraken:taxid|12 some words";
    let mut sources = Sources::new();
    sources.accessions.want(b"AB_1.1");
    sources.accessions.want(b"AB_2.1");
    sources.accessions.want(b"AB_3.1");
    let lines = &b"AB_1\tAB_1.1\t14\t0\nAB_2\tAB_2.1\t14\t0\nAB_3\tAB_3.1\t14\t0\n"[..];
    sources.accessions.read(lines, Path::new("a2t")).unwrap();
    sources
        .map
        .read(
            &b"AB_1.1|kraken:taxid|12\t13\nAB_2.1\t13\n"[..],
            Path::new("map"),
        )
        .unwrap();
    let of = |sources: &Sources, header: &[u8]| match sources.assign(&taxonomy, file, header) {
        Assignment::Taxon {
            node,
            taxid,
            source,
        } => {
            assert_eq!(taxonomy.node(taxid), Some(node));
            (taxid.0, source)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&sources, b"AB_3.1 x"), (14, AssignmentSource::Accession));
    assert_eq!(of(&sources, b"AB_3.7"), (14, AssignmentSource::Accession));
    assert_eq!(of(&sources, b"AB_2.1\tx"), (13, AssignmentSource::Map));
    assert_eq!(of(&sources, header), (12, AssignmentSource::Header));
    sources.table = table("ecoli\t11\n");
    assert_eq!(of(&sources, header), (11, AssignmentSource::TableOfFiles));
    sources.table = table("ecoli\t11\nAB_1.1|kraken:taxid|12\t10\n");
    assert_eq!(
        of(&sources, header),
        (10, AssignmentSource::TableOfSequences)
    );
    assert_eq!(
        of(&sources, b"AB_2.1"),
        (11, AssignmentSource::TableOfFiles)
    );
}

#[test]
fn all_that_a_user_should_know_is_told() {
    let taxonomy = small();
    let file = Path::new(FILE);
    let sources = Sources::new();
    let mut tally = AssignmentTally::new();
    for (header, node) in [
        ("a|kraken:taxid|10", Some(10)),
        ("b|kraken:taxid|5 old", Some(10)),
        ("c|kraken:taxid|5", Some(10)),
        ("d|kraken:taxid|6 gone", None),
        ("e|kraken:taxid|77", None),
        ("f words", None),
        ("12", None),
        // Equal sequences, as NCBI joins them.
        ("g|kraken:taxid|5 x\u{1}h|kraken:taxid|11 y\u{1}i", Some(2)),
        ("j\u{1}k|kraken:taxid|6\u{1}l|kraken:taxid|3", Some(3)),
    ] {
        let assignment = sources.assign(&taxonomy, file, header.as_bytes());
        assert_eq!(
            assignment.node().map(|node| taxonomy.taxid(node).0),
            node,
            "{header}"
        );
        tally.add(&taxonomy, file, header.as_bytes(), &assignment);
    }
    let mut twice = tally.clone();
    twice.merge(tally.clone());
    for (tally, times) in [(tally, 1), (twice, 2)] {
        assert_eq!(tally.mapped, 5 * times);
        assert_eq!(
            tally.merged.into_iter().collect::<Vec<_>>(),
            [(Taxid(5), (Taxid(10), 3 * times))]
        );
        assert_eq!(
            tally.deleted.into_iter().collect::<Vec<_>>(),
            [(Taxid(6), times)]
        );
        assert_eq!(
            tally.unknown.into_iter().collect::<Vec<_>>(),
            [(Taxid(77), times)]
        );
        let names: Vec<_> = tally
            .unmapped
            .iter()
            .map(|(_, name)| name.as_str())
            .collect();
        assert_eq!(
            names[..4],
            ["d|kraken:taxid|6", "e|kraken:taxid|77", "f", "12"]
        );
        assert_eq!(names.len() as u64, 4 * times);
        assert!(tally.unmapped.iter().all(|(path, _)| path == file));
    }
}

#[test]
fn files_are_found_by_their_names() {
    for (named, asked, is_found) in [
        ("ecoli", "genomes/ecoli.fna.gz", true),
        ("ecoli.fna", "genomes/ecoli.fna.gz", true),
        ("ecoli.fna.gz", "ecoli.fa", true),
        ("/elsewhere/ecoli.fna.gz", "genomes/ecoli.fasta", true),
        (
            "RS_GCF_000005845.2",
            "x/GCF_000005845.2_ASM584v2_genomic.fna.gz",
            true,
        ),
        ("GCF_000005845.2", "GCF_000005845.2.fa", true),
        ("GB_GCA_000005845.2", "GCA_000005845.2_x.fna", true),
        (
            "GCF_000005845.1",
            "GCF_000005845.2_ASM584v2_genomic.fna.gz",
            false,
        ),
        ("coli", "ecoli.fa", false),
        ("ecoli", "ecoli_2.fa", false),
    ] {
        let table = table(&format!("{named}\t7\n"));
        let found = table.of_file(Path::new(asked)).is_some();
        assert_eq!(found, is_found, "{named} {asked}");
    }
    let table = table("a/x.fa\t1\nb/x.fa\t2\nc/y.fa\t3\nd/y.fa\t3\n");
    let of = |path: &str| table.of_file(Path::new(path)).map(|taxid| taxid.0);
    assert_eq!(of("a/x.fa"), Some(1));
    assert_eq!(of("b/x.fa"), Some(2));
    assert_eq!(of("x.fa"), None);
    assert_eq!(of("y.fa"), Some(3));
}

#[test]
fn tables_are_read_or_told() {
    let krakenuniq =
        table("# name, taxid, what it is\nNC_1.1\t 562 \tEscherichia coli\r\n\nNC_1.1\t562\n");
    assert_eq!(krakenuniq.len(), 1);
    assert_eq!(krakenuniq.of_sequence(b"NC_1.1"), Some(Taxid(562)));
    for (text, told) in [
        (
            "a\t1\nb\n",
            "line 2: 1 field, expected at least 2 (tab-separated)",
        ),
        (
            "a 1\n",
            "line 1: no tab: columns are separated by blanks here",
        ),
        (
            "a,1\n",
            "line 1: no tab: columns are separated by commas here",
        ),
        (
            "name\ttaxid\na\t1\nb\ttaxid\n",
            "line 3: \"taxid\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "a\tx\n",
            "line 1: \"x\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "a\t0\n",
            "line 1: \"0\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "a\t1\n\na\t2\n",
            "line 3: \"a\" has two taxids, 1 before and 2 here",
        ),
    ] {
        let error = Table::new()
            .read(text.as_bytes(), Path::new("t.tsv"))
            .unwrap_err();
        assert_eq!(error.to_string(), format!("t.tsv: {told}"));
        assert!(error.is_data() && error.hint().is_some());
    }
}

#[test]
fn a_file_and_a_sequence_may_be_named() {
    let taxonomy = small();
    let mut sources = Sources::new();
    let rows = "ecoli.fna.gz:c:1\t10\necoli:c_2\t11\nc_2\t12\nGCF_1.2:c_3\t13\n\
                a/x.fa:c_4\t14\nb/x.fa:c_4\t15\nkraken:taxid|3\t16\n";
    sources.table = table(rows);
    sources.map = table("ecoli:c_5\t17\nc_5\t18\n");
    for (file, header, found) in [
        (FILE, "c:1 x", Some((10, AssignmentSource::TableOfBoth))),
        (FILE, "c_2", Some((11, AssignmentSource::TableOfBoth))),
        (
            "b.fa",
            "c_2",
            Some((12, AssignmentSource::TableOfSequences)),
        ),
        ("b.fa", "c:1", None),
        (
            "GCF_1.2_ASM_genomic.fna",
            "c_3",
            Some((13, AssignmentSource::TableOfBoth)),
        ),
        ("a/x.fa", "c_4", Some((14, AssignmentSource::TableOfBoth))),
        ("b/x.fa", "c_4", Some((15, AssignmentSource::TableOfBoth))),
        // Which of the two is meant is not known.
        ("c/x.fa", "c_4", None),
        ("kraken.fa", "taxid|3", None),
        (FILE, "c_5", Some((17, AssignmentSource::MapOfBoth))),
        ("b.fa", "c_5", Some((18, AssignmentSource::Map))),
        (
            "b.fa",
            "c_6 kraken:taxid|19",
            Some((19, AssignmentSource::Header)),
        ),
    ] {
        let assigned = match sources.assign(&taxonomy, Path::new(file), header.as_bytes()) {
            Assignment::Taxon { taxid, source, .. } => Some((taxid.0, source)),
            _ => None,
        };
        assert_eq!(assigned, found, "{file} {header}");
    }
    sources.table.check_taxids(&taxonomy, |_| true).unwrap();
    sources.table = table("a\t5\nb\t6\nc\t99\n");
    let error = sources.table.check_taxids(&taxonomy, |_| true).unwrap_err();
    let told =
        "t.tsv: line 2: taxid 6 of \"b\" was deleted from the taxonomy (and 1 more row like this)";
    assert_eq!(error.to_string(), told);
    sources.table.check_taxids(&taxonomy, |_| false).unwrap();
}

#[test]
fn accessions_are_read_or_told() {
    let asked = [
        "NC_1.2",
        "NC_2",
        "gi|7|ref|NC_3.1|",
        "NC_4.1",
        "NC_5.1",
        "NC_6.1",
        "lcl|x.1",
    ];
    let mut accessions = Accessions::new();
    for name in asked {
        accessions.want(name.as_bytes());
    }
    let header = "accession\taccession.version\ttaxid\tgi\n";
    let lines = "NC_1\tNC_1.1\t10\t0\nNC_1\tNC_1.2\t11\t0\nNC_2\tNC_2.5\t12\t0\nNC_3\tNC_3.1\t13\t0\n\
                 NC_6\tNC_6.1\t0\t0\nNC_9\tNC_9.1\tnone\t0\n";
    let path = Path::new("nucl_gb.accession2taxid");
    accessions
        .read(format!("{header}{lines}").as_bytes(), path)
        .unwrap();
    // The first file counts; the other format.
    let full = "accession.version\ttaxid\nNC_1.2\t77\nNC_4.1\t14\nlcl|x.1\t15\n";
    accessions.read(full.as_bytes(), path).unwrap();
    let found = asked.map(|name| accessions.taxid(name.as_bytes()).map(|taxid| taxid.0));
    assert_eq!(
        found,
        [Some(11), Some(12), Some(13), Some(14), None, None, Some(15)]
    );
    // Another version will do; what was not asked for is not kept.
    assert_eq!(accessions.taxid(b"NC_1.9"), Some(Taxid(10)));
    assert_eq!(accessions.taxid(b"NC_9.1"), None);
    assert!(!accessions.are_all_known());
    for (text, told) in [
        (
            "NC_1\n",
            "line 1: 1 field, expected at least 2 (tab-separated)",
        ),
        (
            "NC_1\tNC_1.1\tx\t0\n",
            "line 1: \"x\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "kraken:taxid|10|NC_1.1\t10\n",
            "line 1: \"kraken:taxid|10|NC_1.1\" is not an accession: this is not an accession2taxid file",
        ),
    ] {
        let error = accessions.read(text.as_bytes(), path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("nucl_gb.accession2taxid: {told}")
        );
    }
}

#[test]
fn only_what_nothing_else_knows_is_looked_for() {
    let mut sources = Sources::new();
    sources.map.add(b"NC_2.1", Taxid(10)).unwrap();
    let file = Path::new(FILE);
    sources.want_accessions(file, b"NC_1.1|kraken:taxid|10");
    sources.want_accessions(file, b"NC_2.1");
    assert!(sources.accessions.is_empty());
    sources.want_accessions(file, b"NC_2.1 x\x01NC_3.1 y");
    assert!(!sources.accessions.are_all_known());
    let line = &b"NC_3\tNC_3.1\t11\t0\n"[..];
    sources.accessions.read(line, Path::new("a2t")).unwrap();
    assert!(sources.accessions.are_all_known());
}

#[test]
fn given_sequences_are_all_mapped() {
    let Some(folder) = given("given_sequences_are_all_mapped", "taxonomy") else {
        return;
    };
    let taxonomy = taxdump(&folder);
    let path = folder.join("seqid2taxid.map");
    let mut sources = Sources::new();
    sources
        .map
        .read(BufReader::new(File::open(&path).unwrap()), &path)
        .unwrap();
    assert_eq!(sources.map.len(), 171);
    let header = b"NC_000913.3 Escherichia coli str. K-12 substr. MG1655, complete genome";
    let assignment = sources.assign(&taxonomy, Path::new("x.fna"), header);
    let species = taxonomy.species(assignment.node().unwrap()).unwrap();
    assert_eq!(taxonomy.name(species), "Escherichia coli");
}
