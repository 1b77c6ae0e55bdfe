//! BAM without its end-of-file block, which a killed writer leaves: an error in every job, unless that is accepted.

use std::os::unix::fs::symlink;

use crate::support::{Place, bgzf, fastq};
use crate::taxa_world::built;

/// Bytes of the block.
const END: usize = 28;

/// `a.bam` whole, and `t.bam` without its last block.
fn place() -> Place {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    place.ok(&["cat", "-q", "a.fq", "-o", "a.bam"]);
    let whole = place.read("a.bam");
    place.write("t.bam", &whole[..whole.len() - END]);
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    place
}

#[test]
fn truncated_bam_is_an_error_in_every_job() {
    let place = place();
    let truncated = place.read("t.bam");
    let words = ["truncated", "end-of-file block", "--no-eof-check"];
    for command in [
        &["stats"][..],
        &["cat"],
        &["cat", "-o", "o.fq"],
        &["cat", "-o", "o.fq.gz", "-t", "3"],
        &["cat", "--fasta", "-o", "o.fa"],
        &["cat", "--raw", "-o", "o.raw"],
        &["cat", "--records", "0..3"],
        &["qc", "-o", "o.fq"],
        &["count", "-k", "21", "-o", "o.thk"],
        &["kmers", "filter-reads", "a.thk", "-o", "o.fq"],
        &["kmers", "query", "a.thk", "-o", "o.tsv", "-s"],
        &["verify"],
        &["verify", "--full"],
        &["info"],
    ] {
        place.fails(&[command, &["t.bam"]].concat(), 1, &words);
        let before = place.names();
        let ended = place.feed(&[command, &["-"]].concat(), &truncated);
        // Of a pipe it is known at its end, as far as it is read.
        if !["info"].contains(&command[0]) && !command.contains(&"--records") {
            ended.expect_failure(1, &words);
            assert_eq!(place.names(), before, "{command:?}");
        }
    }
    place.fails(&["index", "t.bam"], 1, &words);
    // Pipes that are read as data come.
    let two = place.shell("$THALWEG stats <(cat a.bam) <(cat t.bam)");
    two.expect_failure(1, &words);
    let ended = place.feed(&["stats", "-"], &place.read("a.bam"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn truncated_bam_is_read_where_that_is_accepted() {
    let place = place();
    let truncated = place.read("t.bam");
    let warning = "warning: t.bam: no BGZF end-of-file block";
    for command in [
        &["stats"][..],
        &["cat"],
        &["cat", "--fasta"],
        &["cat", "--parts", "2", "-o", "p_{}.fq"],
        &["qc", "-o", "o.fq"],
        &["count", "-k", "21", "-o", "o.thk"],
        &["kmers", "filter-reads", "a.thk", "-o", "o.fq"],
        &["verify"],
        &["info"],
        &["index"],
    ] {
        let arguments = [command, &["--no-eof-check", "t.bam"]].concat();
        let ended = place.ok(&arguments);
        assert!(
            ended.stderr.contains(warning),
            "{command:?}: {}",
            ended.stderr
        );
        let told = ended.stderr.matches(warning).count();
        assert_eq!(told, 1, "{command:?}: {}", ended.stderr);
    }
    let ended = place.feed(&["cat", "--no-eof-check", "-"], &truncated);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout == fastq(300));
    assert!(
        ended
            .stderr
            .contains("warning: -: no BGZF end-of-file block")
    );
    // What is no BAM, or no BGZF, is as before.
    place.write("b.fq.gz", &bgzf(&fastq(10))[..]);
    assert_eq!(place.ok(&["cat", "b.fq.gz"]).stderr, "");
}

#[test]
fn a_truncated_block_is_no_missing_one() {
    let place = Place::new();
    place.write("a.fq", fastq(3000));
    place.ok(&["cat", "-q", "a.fq", "-o", "a.bam"]);
    let whole = place.read("a.bam");
    place.write("block.bam", &whole[..whole.len() - END - 1]);
    place.write("header.bam", &whole[..whole.len() - END + 5]);
    for name in ["block.bam", "header.bam"] {
        for command in [
            &["stats"][..],
            &["cat", "-o", "o.fq"],
            &["qc", "-o", "o.fq"],
            &["verify"],
            &["info"],
            &["index"],
        ] {
            let words = [
                name,
                "truncated: the last BGZF block is incomplete",
                "download",
            ];
            let ended = place.fails(&[command, &[name]].concat(), 1, &words);
            assert!(!ended.stderr.contains("eof-check"), "{}", ended.stderr);
        }
        // The option would not have helped.
        place.fails(&["stats", "--no-eof-check", name], 1, &[name]);
    }
}

#[test]
fn programs_that_lack_an_option_are_not_told_of_it() {
    let world = built();
    let place = &world.place;
    place.write("a.fq", fastq(300));
    place.ok(&["cat", "-q", "a.fq", "-o", "a.bam"]);
    let whole = place.read("a.bam");
    place.write("t.bam", &whole[..whole.len() - END]);
    for name in ["kraken2", "jellyfish", "fastqc"] {
        symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
    }
    place.shell("mkdir out && cp ref.tht out");
    for line in [
        "./kraken2 --db out t.bam",
        "./jellyfish count -m 21 -s 1M t.bam -o t.jf",
        "./fastqc t.bam -o out",
    ] {
        let ended = place.shell(line);
        let told = ended.stderr;
        assert!(told.contains("no BGZF end-of-file block"), "{line}: {told}");
        assert!(
            told.contains("hint: write the file again, or copy"),
            "{line}: {told}"
        );
        assert!(!told.contains("--no-eof-check"), "{line}: {told}");
    }
    // Of pairs that are taken as single reads, what this program has is named.
    place.write("pairs.fq", "@p/1\nACGT\n+\nIIII\n@p/2\nACGT\n+\nIIII\n");
    place.ok(&["cat", "-q", "--interleaved", "pairs.fq", "-o", "pairs.bam"]);
    let told = place.shell("./kraken2 --db out pairs.bam").stderr;
    assert!(told.contains("use --paired --interleaved;"), "{told}");
    let paired = place.shell("./kraken2 --db out --paired --interleaved pairs.bam");
    assert_eq!(
        (
            paired.code,
            paired.stdout.iter().filter(|&&byte| byte == b'\n').count()
        ),
        (Some(0), 1)
    );
}
