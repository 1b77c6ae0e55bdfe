//! `thalweg classify --sweep`

use crate::extent::one_of;
use crate::support::gzip;
use crate::taxa_world::{built, reads};

/// Single reads, pairs in two files and in one, all rules, threads, and so little memory that it takes many rounds.
#[test]
fn sweeps_give_the_same_labels() {
    let world = built();
    let place = &world.place;
    let text = reads(&world, 12_000);
    place.write("1.fq", &text);
    place.write("2.fq", &text);
    place.write("1.fq.gz", gzip(&text));
    let both = place.ok(&["cat", "-q", "--mates", "1.fq", "2.fq"]).stdout;
    place.write("both.fq", both);
    let mut turn = 0;
    for (inputs, same) in [
        (&["1.fq"][..], &["1.fq.gz"][..]),
        (&["1.fq", "2.fq"], &["1.fq", "2.fq"]),
        (&["--interleaved", "both.fq"], &["--interleaved", "both.fq"]),
        (
            &["--single", "1.fq", "2.fq"],
            &["--single", "1.fq.gz", "2.fq"],
        ),
    ] {
        for rule in ["posterior", "lca", "lmat"] {
            let classify = ["classify", "ref.tht", "--rule", rule, "--scores"];
            let plainly = ["-o", "plain.tsv", "--report", "plain.kreport", "-q"];
            place.ok(&[&classify[..], inputs, &plainly].concat());
            turn += 1;
            for more in one_of(turn, &[&["-t1"][..], &["-t3", "--memory", "48M"]]) {
                let swept = [
                    "--sweep",
                    "-o",
                    "swept.tsv",
                    "--report",
                    "swept.kreport",
                    "-q",
                ];
                place.ok(&[&classify[..], same, &swept, more].concat());
                let equal = place.read("swept.tsv") == place.read("plain.tsv");
                assert!(equal, "{inputs:?} {rule} {more:?}");
                assert!(place.read("swept.kreport") == place.read("plain.kreport"));
            }
        }
    }
    // Reads go where they go otherwise, and no read is no fault.
    let apart = [
        "--taxon",
        "12",
        "--taxon-out",
        "a_#.fq",
        "--other-out",
        "b_#.fq.gz",
    ];
    place.ok(&[
        &["classify", "ref.tht", "1.fq", "2.fq", "-q", "-o", "x.tsv"][..],
        &apart,
    ]
    .concat());
    let expected = [place.read("a_2.fq"), place.ok(&["cat", "b_1.fq.gz"]).stdout];
    let sweep = [
        "classify", "ref.tht", "1.fq", "2.fq", "-q", "-o", "x.tsv", "--sweep",
    ];
    place.ok(&[&sweep[..], &apart].concat());
    assert!([place.read("a_2.fq"), place.ok(&["cat", "b_1.fq.gz"]).stdout] == expected);
    place.write("short.fq", "@a\nACGT\n+\nIIII\n");
    let short = place.ok(&["classify", "ref.tht", "short.fq", "--sweep", "-q"]);
    assert_eq!(
        short.text(),
        place.ok(&["classify", "ref.tht", "short.fq", "-q"]).text()
    );
    // A read at fault is told, and nothing is left.
    place.write("bad.fq", [&text[..], b"@x\nACGT\n+\nIII\n"].concat());
    let ended = place.run(&[
        "classify", "ref.tht", "bad.fq", "--sweep", "-q", "-o", "bad.tsv",
    ]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(!place.path("bad.tsv").exists());
}
