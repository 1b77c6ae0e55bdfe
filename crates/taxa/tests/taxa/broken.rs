//! Input that is broken, and what is said of it; and input that only looks so.

use std::io::{self, Read};
use std::path::Path;

use proptest::prelude::*;
use thalweg_taxa::sequences::{Accessions, Table};
use thalweg_taxa::taxonomy::{Lineages, Taxdump, Taxonomy};
use thalweg_taxa::{Result, Taxid};

use crate::made::{read, taxids};

const NODES: &str = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tdomain\t|\n5\t|\t2\t|\tspecies\t|\n";
const NAMES: &str =
    "1\t|\troot\t|\t\t|\tscientific name\t|\n2\t|\tBacteria\t|\t\t|\tscientific name\t|\n";

fn error_of(nodes: &[u8], names: &[u8]) -> String {
    let error = read(nodes, names).expect_err("broken input");
    assert!(error.is_data() && error.hint().is_some(), "{error}");
    error.to_string()
}

#[test]
fn broken_nodes_are_told() {
    for (added, told) in [
        (
            "7\t|\t1\n",
            "line 4: 2 fields, expected at least 3 (separated by tab, `|`, tab)",
        ),
        (
            "7 | 1 | genus |\n",
            "line 4: 1 field, expected at least 3 (separated by tab, `|`, tab)",
        ),
        (
            "0\t|\t1\t|\tgenus\t|\n",
            "line 4: \"0\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "4294967296\t|\t1\t|\tgenus\t|\n",
            "line 4: \"4294967296\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "7\t|\t-1\t|\tgenus\t|\n",
            "line 4: \"-1\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "\t|\t1\t|\tgenus\t|\n",
            "line 4: \"\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            "7\t|\t1\t|\tge\tnus\t|\n",
            "line 4: the rank \"ge\\tnus\" is not text in UTF-8 without control characters",
        ),
        (
            "7\t|\t6\t|\tgenus\t|\n",
            "line 4: the parent of taxid 7 is 6, which is not among the nodes",
        ),
        (
            "5\t|\t1\t|\tspecies\t|\n",
            "line 4: taxid 5 stands here for the second time, with another parent or rank than in line 3",
        ),
        (
            "5\t|\t2\t|\tgenus\t|\n",
            "line 4: taxid 5 stands here for the second time, with another parent or rank than in line 3",
        ),
        (
            "7\t|\t7\t|\tgenus\t|\n",
            "line 4: taxid 7 is a root, and so is 1: a taxonomy has one",
        ),
        (
            "7\t|\t0\t|\tgenus\t|\n",
            "line 4: taxid 7 is a root, and so is 1: a taxonomy has one",
        ),
        (
            "7\t|\t8\t|\tgenus\t|\n8\t|\t9\t|\tgenus\t|\n9\t|\t8\t|\tgenus\t|\n",
            "line 5: taxid 8 is an ancestor of itself",
        ),
    ] {
        let nodes = format!("{NODES}{added}");
        assert_eq!(
            error_of(nodes.as_bytes(), NAMES.as_bytes()),
            format!("nodes.dmp: {told}")
        );
    }
    let circle = "2\t|\t3\t|\tgenus\t|\n3\t|\t2\t|\tgenus\t|\n";
    let told = "nodes.dmp: line 1: taxid 2 is an ancestor of itself";
    assert_eq!(error_of(circle.as_bytes(), NAMES.as_bytes()), told);
    let told = "nodes.dmp: no nodes: the taxonomy is empty";
    assert_eq!(error_of(b"", NAMES.as_bytes()), told);
    let nodes = [NODES.as_bytes(), b"7\t|\t1\t|\tg\xe9nus\t|\n"].concat();
    let told = "nodes.dmp: line 4: the rank \"g\u{fffd}nus\" is not text in UTF-8 without control characters";
    assert_eq!(error_of(&nodes, NAMES.as_bytes()), told);
    let told = "nodes.dmp: line 1: a line of more than 1048576 bytes";
    assert_eq!(error_of(&vec![b'1'; 3 << 20], NAMES.as_bytes()), told);
    let ranks: String = (2..70_000)
        .map(|it| format!("{it}\t|\t1\t|\trank {it}\t|\n"))
        .collect();
    let told = "nodes.dmp: line 65536: more than 65535 different ranks";
    assert_eq!(error_of(ranks.as_bytes(), NAMES.as_bytes()), told);
}

#[test]
fn broken_names_are_told() {
    let latin = b"5\t|\tSalmonella\xe9\t|\t\t|\tscientific name\t|\n";
    for (names, told) in [
        (
            &b""[..],
            "names.dmp: none of the nodes has a scientific name here",
        ),
        (
            b"7\t|\tx\t|\t\t|\tscientific name\t|\n",
            "names.dmp: none of the nodes has a scientific name here",
        ),
        (
            b"5\t|\tx\t|\t\t|\tsynonym\t|\n",
            "names.dmp: none of the nodes has a scientific name here",
        ),
        (
            b"5\t|\tx\t|\t\n",
            "names.dmp: line 1: 3 fields, expected at least 4 (separated by tab, `|`, tab)",
        ),
        (
            b"five\t|\tx\t|\t\t|\tsynonym\t|\n",
            "names.dmp: line 1: \"five\" is not a taxid: taxids are numbers from 1 to 4294967295",
        ),
        (
            latin,
            "names.dmp: line 1: the name \"Salmonella\u{fffd}\" is not text in UTF-8 without control characters",
        ),
    ] {
        assert_eq!(error_of(NODES.as_bytes(), names), told);
    }
}

#[test]
fn broken_lists_of_old_taxids_are_told() {
    let mut dump = Taxdump::new();
    let path = Path::new("merged.dmp");
    let error = dump
        .read_merged(&b"12\t|\t74109\t|\n30\t|\n"[..], path)
        .unwrap_err();
    let told = "merged.dmp: line 2: 1 field, expected at least 2 (separated by tab, `|`, tab)";
    assert_eq!(error.to_string(), told);
    let error = dump
        .read_deleted(&b"12\t|\nx\t|\n"[..], Path::new("delnodes.dmp"))
        .unwrap_err();
    let told =
        "delnodes.dmp: line 2: \"x\" is not a taxid: taxids are numbers from 1 to 4294967295";
    assert_eq!(error.to_string(), told);
}

#[test]
fn what_cannot_be_read_is_not_the_fault_of_data() {
    struct Torn;
    impl Read for Torn {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("torn"))
        }
    }
    let input = io::BufReader::new(Torn);
    let error = Taxdump::new()
        .read_nodes(input, Path::new("x/nodes.dmp"))
        .unwrap_err();
    assert_eq!(error.to_string(), "x/nodes.dmp: torn");
    assert!(!error.is_data() && error.hint().is_none());
}

#[test]
fn what_only_looks_broken_is_read() {
    let plain = read(NODES.as_bytes(), NAMES.as_bytes()).unwrap();
    let name = |taxonomy: &Taxonomy, taxid| {
        taxonomy
            .name(taxonomy.node(Taxid(taxid)).unwrap())
            .to_owned()
    };
    assert_eq!(
        [1, 2, 5].map(|taxid| name(&plain, taxid)),
        ["root", "Bacteria", "taxid 5"]
    );
    let dos = |text: &str| text.replace('\n', "\r\n");
    let of_other_parent = NODES.replacen("1\t|\t1", "1\t|\t2", 1);
    let of_no_parent = NODES.replacen("1\t|\t1", "1\t|\t0", 1);
    let without_end = NODES.replace("\t|\n", "\n\n");
    let twice = format!("{NODES}{NODES}");
    let last_counts =
        format!("2\t|\tx\t|\t\t|\tscientific name\t|\n{NAMES}2\t|\ty\t|\t\t|\tsynonym\t|\n");
    let synonym = [
        NAMES.as_bytes(),
        b"5\t|\t\xff\t|\t\t|\tsynonym\t|\n7\t|\tx\t|\t\t|\tscientific name\t|\n",
    ]
    .concat();
    for (nodes, names) in [
        (&dos(NODES), dos(NAMES).as_bytes()),
        (&of_other_parent, NAMES.as_bytes()),
        (&of_no_parent, NAMES.as_bytes()),
        (&without_end, NAMES.as_bytes()),
        (&twice, NAMES.as_bytes()),
        (&NODES.to_owned(), last_counts.as_bytes()),
        (&NODES.to_owned(), &synonym),
    ] {
        let other = read(nodes.as_bytes(), names).unwrap();
        assert_eq!(taxids(&other), taxids(&plain));
        assert_eq!(
            [1, 2, 5].map(|taxid| name(&other, taxid)),
            ["root", "Bacteria", "taxid 5"]
        );
    }
    // Another root than 1.
    let other = read(
        b"3\t|\t3\t|\tno rank\t|\n4\t|\t3\t|\tgenus\t|\n",
        b"3\t|\tx\t|\t\t|\tscientific name\t|\n",
    );
    assert_eq!(taxids(&other.unwrap()), [Taxid(3), Taxid(4)]);
}

/// Texts of all kinds with bytes changed, lost and put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let sound = prop::sample::select(vec![
        NODES,
        NAMES,
        "12\t|\t74109\t|\n5\t|\t2\t|\n",
        "a\td__B;p__P;s__S\nb\td__B;p__P;g__\n",
        "a\tB;P;C;O;F;G;S\nb\tB;P\n",
        "NC_1\tNC_1.1\t562\t0\nNC_2.1\t7\n",
    ]);
    let bytes = prop::sample::select(&b"\t|\n\r;_0123456789\0\xff\xc3ds"[..]);
    let change = (any::<prop::sample::Index>(), 0..3, bytes);
    (sound, prop::collection::vec(change, 1..12)).prop_map(|(sound, changes)| {
        let mut text = sound.as_bytes().repeat(2);
        for (at, how, byte) in changes {
            let at = at.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => drop(text.remove(at)),
            }
        }
        text
    })
}

proptest! {
    #[test]
    fn damaged_text_is_read_or_told(text in damaged()) {
        let path = Path::new("x");
        let told = |result: Result<()>| {
            if let Err(error) = result {
                assert!(error.is_data() && error.hint().is_some());
                assert!(error.to_string().starts_with("x: "), "{error}");
            }
        };
        let mut dump = Taxdump::new();
        told(dump.read_nodes(&*text, path).and_then(|()| dump.finish().map(drop)));
        let mut dump = Taxdump::new();
        told(dump.read_nodes(NODES.as_bytes(), path));
        told(dump.read_names(&*text, path));
        told(dump.read_merged(&*text, path));
        told(dump.read_deleted(&*text, path));
        dump.finish().unwrap();
        let mut lineages = Lineages::new();
        told(lineages.read(&*text, path).and_then(|()| lineages.finish().map(drop)));
        told(Table::new().read(&*text, path));
        let mut accessions = Accessions::new();
        accessions.want(b"NC_1.1");
        told(accessions.read(&*text, path));
    }
}
