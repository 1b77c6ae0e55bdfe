//! Databases that were cut or combined, and what is told of it.

use crate::count::{count, reads, to_fasta};
use crate::kmers::{databases, real};
use crate::support::Place;

/// Bytes of a record of 21-mers in a .jf: 6 of the k-mer, 4 of the count.
const RECORD: usize = 10;

#[test]
fn a_cut_between_two_k_mers_is_told_where_the_file_can_tell() {
    let place = Place::new();
    let reads = reads(60, 1500, 50);
    databases(&place, "a", &reads, 21, &["jf", "tsv"]);
    let whole = place.read("a.jf");
    for records in [1, 2, 100] {
        place.write("cut.jf", &whole[..whole.len() - records * RECORD]);
        for arguments in [
            &["verify", "cut.jf"][..],
            &["info", "cut.jf"],
            &["histo", "cut.jf"],
            &["dump", "cut.jf", "-o", "x.tsv"],
            &["query", "cut.jf", "ACGTACGTACGTACGTACGTA"],
            &["merge", "cut.jf", "a.jf", "-o", "x.thk"],
        ] {
            place.fails(
                &[&["kmers"], arguments].concat(),
                1,
                &["cut.jf", "but says", "it was cut"],
            );
        }
    }
    let ended = place.ok(&["kmers", "verify", "a.jf"]);
    assert_eq!(ended.stderr, "");
    let note = "does not say how many k-mers it has";
    assert!(
        place
            .ok(&["kmers", "verify", "a.tsv"])
            .stderr
            .contains(note)
    );
    // Jellyfish's own file says nothing, whole or cut.
    let Some(real) = real() else { return };
    place.write("a.fa", to_fasta(&reads));
    let counting = ["count", "-m21", "-C", "-s1M", "-o", "stock.jf", "a.fa"];
    real.ok(&place, &counting);
    let whole = place.read("stock.jf");
    let distinct = count(&reads, 21, true, 0).len();
    for records in [0, 1] {
        place.write("cut.jf", &whole[..whole.len() - records * RECORD]);
        let ended = place.ok(&["kmers", "verify", "cut.jf"]);
        let told = format!("{} distinct", distinct - records);
        assert!(
            ended.text().replace(',', "").contains(&told),
            "{}",
            ended.text()
        );
        assert!(ended.stderr.contains(note), "{}", ended.stderr);
    }
}
