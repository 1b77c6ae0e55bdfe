//! Tables of lineages.

use std::path::Path;

use thalweg_taxa::taxonomy::{Lineages, OfLineages, Taxdump, write_names, write_nodes};
use thalweg_taxa::{Result, Taxid, Taxonomy};

use crate::made::taxids;

const COLI: &str = "d__Bacteria;p__Pseudomonadota;c__Gammaproteobacteria;o__Enterobacterales;f__Enterobacteriaceae;g__Escherichia;s__Escherichia coli";
const BUCHNERA: &str = "d__Bacteria;p__Pseudomonadota;c__Gammaproteobacteria;o__Enterobacterales;f__Enterobacteriaceae;g__;s__";

fn read(table: &str) -> Result<OfLineages> {
    read_by(Lineages::new(), table)
}

fn read_by(mut lineages: Lineages, table: &str) -> Result<OfLineages> {
    lineages.read(table.as_bytes(), Path::new("t.tsv"))?;
    lineages.finish()
}

/// From the taxon of a name to the root.
fn path(of: &OfLineages, name: &str) -> Vec<String> {
    let (_, taxid) = of
        .members
        .iter()
        .find(|(member, _)| &**member == name)
        .unwrap();
    let node = of.taxonomy.node(*taxid).unwrap();
    let nodes = of.taxonomy.path_to_root(node);
    nodes
        .map(|node| format!("{} {}", of.taxonomy.rank(node), of.taxonomy.name(node)))
        .collect()
}

#[test]
fn tables_of_gtdb_are_read() {
    let of = read(&format!(
        "RS_GCF_000005845.2\t{COLI}\nGB_x\t{BUCHNERA}\r\nRS_y\t{COLI}\n"
    ))
    .unwrap();
    assert_eq!(of.taxonomy.len(), 8);
    let coli = [
        "species Escherichia coli",
        "genus Escherichia",
        "family Enterobacteriaceae",
        "order Enterobacterales",
        "class Gammaproteobacteria",
        "phylum Pseudomonadota",
        "domain Bacteria",
        "no rank root",
    ];
    assert_eq!(path(&of, "RS_GCF_000005845.2"), coli);
    assert_eq!(path(&of, "RS_y"), coli);
    assert_eq!(path(&of, "GB_x"), coli[2..]);
    let names: Vec<_> = of.members.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["RS_GCF_000005845.2", "GB_x", "RS_y"]);

    // As it stands in the documentation, and in databases.
    let species = of.members[0].1;
    assert!((1 << 28..1 << 31).contains(&species.0));
    let alone = read(&format!("other\t{COLI}\tmore\tcolumns\n")).unwrap();
    assert_eq!(alone.members, [("other".into(), species)]);
}

#[test]
fn prefixes_may_be_missing_everywhere() {
    let with = read(&format!("a\t{COLI}\n")).unwrap();
    let plain = COLI
        .split(';')
        .map(|field| &field[3..])
        .collect::<Vec<_>>()
        .join("; ");
    for table in [
        format!("a\t{plain}\n"),
        format!("# made by hand\nuser_genome\tclassification\na\t{plain};\n"),
        format!("Feature ID\tTaxon\na\t{plain}\tx\n"),
    ] {
        let without = read(&table).unwrap();
        assert_eq!(with.members, without.members);
        assert_eq!(path(&with, "a"), path(&without, "a"));
    }
    let of = read("a\tBacteria;;;;;Escherichia\n").unwrap();
    assert_eq!(
        path(&of, "a"),
        ["genus Escherichia", "domain Bacteria", "no rank root"]
    );
}

#[test]
fn names_may_come_again_elsewhere() {
    let of = read("a\tf__A;g__uncultured\nb\tf__B;g__uncultured\nc\tg__uncultured\n").unwrap();
    assert_eq!(path(&of, "a")[..2], ["genus uncultured", "family A"]);
    assert_eq!(path(&of, "b")[..2], ["genus uncultured", "family B"]);
    assert_eq!(path(&of, "c")[..2], ["genus uncultured", "no rank root"]);
    assert_eq!(of.taxonomy.len(), 6);
}

#[test]
fn genomes_can_be_strains() {
    let table = format!("a\t{COLI}\nb\t{COLI};t__K-12\n");
    let of = read_by(Lineages::new().with_members_as_strains(), &table).unwrap();
    assert_eq!(
        path(&of, "a")[..2],
        ["strain a", "species Escherichia coli"]
    );
    assert_eq!(
        path(&of, "b")[..2],
        ["strain b", "species Escherichia coli"]
    );
    let of = read(&table).unwrap();
    assert_eq!(
        path(&of, "b")[..2],
        ["strain K-12", "species Escherichia coli"]
    );
}

#[test]
fn several_tables_are_one_taxonomy_and_order_does_not_matter() {
    let mut lineages = Lineages::new();
    let path = Path::new("t.tsv");
    lineages.read(&b"a\td__Archaea;p__X\n"[..], path).unwrap();
    lineages
        .read(format!("b\t{COLI}\n").as_bytes(), path)
        .unwrap();
    let two = lineages.finish().unwrap();
    let one = read(&format!("b\t{COLI}\na\td__Archaea;p__X\n")).unwrap();
    assert_eq!(taxids(&two.taxonomy), taxids(&one.taxonomy));
}

#[test]
fn what_is_written_is_a_taxdump() {
    let of = read(&format!("a\t{COLI}\nb\td__Archaea;p__X\n")).unwrap();
    let [mut nodes, mut names] = [Vec::new(), Vec::new()];
    write_nodes(&of.taxonomy, &mut nodes, Path::new("nodes.dmp")).unwrap();
    write_names(&of.taxonomy, &mut names, Path::new("names.dmp")).unwrap();
    let first =
        "1\t|\t1\t|\tno rank\t|\t\t|\t8\t|\t0\t|\t1\t|\t0\t|\t0\t|\t0\t|\t0\t|\t0\t|\t\t|\n";
    assert!(nodes.starts_with(first.as_bytes()));
    assert!(names.starts_with(b"1\t|\troot\t|\t\t|\tscientific name\t|\n"));
    let mut dump = Taxdump::new();
    dump.read_nodes(&*nodes, Path::new("nodes.dmp")).unwrap();
    dump.read_names(&*names, Path::new("names.dmp")).unwrap();
    let again = dump.finish().unwrap();
    let all = |taxonomy: &Taxonomy| -> Vec<(Taxid, String, String)> {
        let text = |node| {
            (
                taxonomy.taxid(node),
                taxonomy.rank(node).to_owned(),
                taxonomy.name(node).to_owned(),
            )
        };
        taxonomy.nodes().map(text).collect()
    };
    assert_eq!(all(&of.taxonomy), all(&again));
}

#[test]
fn broken_tables_are_told() {
    for (table, told) in [
        (
            "1\t|\t1\t|\tno rank\t|\n",
            "line 1: this is one of the files of a taxdump, not a table of lineages",
        ),
        (
            "genome\t562\n",
            "line 1: \"562\" is not a lineage: this is a table of taxids",
        ),
        ("", "no nodes: the taxonomy is empty"),
        ("#a\td__B\n", "no nodes: the taxonomy is empty"),
        (
            "a d__B\n",
            "line 1: 1 field, expected at least 2 (tab-separated)",
        ),
        (
            "a\td__B\nb\t\n",
            "line 2: \"\" begins with none of sk__ d__ r__ k__ p__ c__ o__ f__ g__ s__ t__, or other lineages have no such prefixes",
        ),
        ("a\t\n", "line 1: a lineage without a name"),
        ("a\td__;p__\n", "line 1: a lineage without a name"),
        (
            "a\td__B\nb\td__B;Proteo\n",
            "line 2: \"Proteo\" begins with none of sk__ d__ r__ k__ p__ c__ o__ f__ g__ s__ t__, or other lineages have no such prefixes",
        ),
        (
            "a\td__B\nb\td__B;x__Y\n",
            "line 2: \"x__Y\" begins with none of sk__ d__ r__ k__ p__ c__ o__ f__ g__ s__ t__, or other lineages have no such prefixes",
        ),
        (
            "a\tB\nb\td__B\n",
            "line 2: \"d__B\" begins with none of sk__ d__ r__ k__ p__ c__ o__ f__ g__ s__ t__, or other lineages have no such prefixes",
        ),
        (
            "a\td__B;s__S;g__G\n",
            "line 1: \"g__G\" comes after a name of the same rank, or of a lower one",
        ),
        (
            "a\td__B;d__C\n",
            "line 1: \"d__C\" comes after a name of the same rank, or of a lower one",
        ),
        (
            "a\t1;2;3;4;5;6;7;8;9\n",
            "line 1: a lineage of more than 8 names without prefixes, which say their ranks",
        ),
        (
            "a\td__B\na\td__B\na\td__C\n",
            "line 3: \"a\" stands here for the second time, with another lineage",
        ),
        (
            "a\td__B\u{7}\n",
            "line 1: the line \"a\\td__B\\u{7}\" is not text in UTF-8 without control characters",
        ),
    ] {
        let error = read(table).expect_err(table);
        assert_eq!(error.to_string(), format!("t.tsv: {told}"));
        assert!(error.is_data() && error.hint().is_some());
    }
}
