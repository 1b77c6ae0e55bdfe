//! Which files of `thalweg qc` may be one: none, but those of unpaired mates; and which may be
//! replaced.

use std::os::unix::fs::symlink;

use crate::support::{Place, fastq_with};

fn place() -> Place {
    let place = Place::new();
    for mate in ["1", "2"] {
        place.write(&format!("r{mate}.fq"), fastq_with(10, &format!("/{mate}")));
    }
    place
}

#[test]
fn no_file_has_two_roles() {
    let place = place();
    place.write("old.fq", "mine");
    std::fs::hard_link(place.path("old.fq"), place.path("hard.fq")).unwrap();
    symlink("old.fq", place.path("soft.fq")).unwrap();
    // To a file that is not there yet.
    symlink("a.fq", place.path("early.fq")).unwrap();
    let pairs = "-o a.fq -O b.fq";
    let before = place.names();
    for (line, roles) in [
        ("-o a.fq -O a.fq", "-o and -O"),
        ("-o a.fq -O ./a.fq", "-o and -O"),
        ("-o early.fq -O a.fq", "-o and -O"),
        ("-o soft.fq -O hard.fq", "-o and -O"),
        (&format!("{pairs} --failed_out b.fq"), "-O and --failed_out"),
        (&format!("{pairs} --unpaired1 b.fq"), "-O and --unpaired1"),
        (&format!("{pairs} --unpaired2 a.fq"), "-o and --unpaired2"),
        (
            &format!("{pairs} --overlapped_out a.fq"),
            "-o and --overlapped_out",
        ),
        (
            &format!("{pairs} --unpaired1 u --failed_out u"),
            "--unpaired1 and --failed_out",
        ),
        (
            &format!("{pairs} --unpaired2 u --failed_out ./u"),
            "--unpaired2 and --failed_out",
        ),
        (
            &format!("{pairs} --unpaired1 u --unpaired2 u --failed_out u"),
            "--unpaired1 and --failed_out",
        ),
        (
            &format!("{pairs} -m --merged_out a.fq"),
            "-o and --merged_out",
        ),
        (
            "-m --merged_out M --failed_out M",
            "--merged_out and --failed_out",
        ),
        (
            "-m --merged_out M --overlapped_out M",
            "--merged_out and --overlapped_out",
        ),
        (
            "--overlapped_out x --failed_out x",
            "--overlapped_out and --failed_out",
        ),
        ("--stdout --failed_out -", "--stdout and --failed_out"),
        ("-o - -O -", "-o and -O"),
        ("-m --stdout --json /dev/stdout", "--stdout and --json"),
        (&format!("{pairs} -j b.fq"), "-O and --json"),
        ("--failed_out x -h x", "--failed_out and --html"),
        ("-j x -h ./x", "--json and --html"),
    ] {
        for mode in ["", "--fastp-compat", "--fastp-compat=0.23"] {
            let words = format!("qc -i r1.fq -I r2.fq {line} {mode}");
            let words: Vec<&str> = words.split_whitespace().collect();
            place.fails(&words, 2, &[&format!("{roles} name the same file")]);
        }
    }
    place.fails(
        &["qc", "r1.fq", "-o", "a.fq", "--failed_out", "a.fq"],
        2,
        &["-o and --failed_out name the same file"],
    );
    assert_eq!(place.names(), before);
    assert_eq!(place.read("old.fq"), b"mine");
}

#[test]
fn unpaired_mates_share_a_file_and_the_null_device_takes_all() {
    let place = Place::new();
    let read = |name: &str, quality: &str| {
        format!(
            "@{name}\n{}\n+\n{}\n",
            "ACGTT".repeat(10),
            quality.repeat(50)
        )
    };
    place.write("r1.fq", read("a/1", "#") + &read("b/1", "I"));
    place.write("r2.fq", read("a/2", "I") + &read("b/2", "#"));
    for second in ["", "--unpaired2 u.fq", "--unpaired2 ./u.fq"] {
        let words = format!("qc r1.fq r2.fq -o /dev/null -O /dev/null --unpaired1 u.fq {second}");
        let words: Vec<&str> = words.split_whitespace().collect();
        place.ok(&[&words[..], &["-j", "/dev/null", "-h", "/dev/null"]].concat());
        let unpaired = String::from_utf8(place.read("u.fq")).unwrap();
        let names = unpaired.lines().step_by(4).collect::<Vec<_>>();
        assert_eq!(names.len(), 2, "{second}: {names:?}");
        assert!(names[0].starts_with("@a/2") && names[1].starts_with("@b/1"));
    }
}

#[test]
fn reports_are_not_replaced_either_where_that_is_forbidden() {
    let place = place();
    let words = ["qc", "r1.fq", "-o", "o.fq", "--dont_overwrite"];
    place.ok(&words);
    let wanted = place.report("json");
    std::fs::remove_file(place.path("o.fq")).unwrap();
    for (more, said) in [
        (&["-h", "new.html"][..], "fastp.json: exists already"),
        (&["-j", "new.json"], "fastp.html: exists already"),
        (
            &["--fastp-compat", "-j", "r1.fastp.json"],
            "fastp.json: exists already",
        ),
    ] {
        place.fails_without_hint(&[&words[..], more].concat(), 2, said);
        assert!(!place.names().contains("o.fq"));
    }
    assert_eq!(place.report("json"), wanted);
    place.ok(&[&words[..], &["-j", "new.json", "-h", "/dev/null"]].concat());
    std::fs::remove_file(place.path("o.fq")).unwrap();
    place.ok(&[&words[..], &["--no_report"]].concat());
}

#[test]
fn a_file_of_split_output_is_nothing_else() {
    let place = place();
    std::fs::create_dir(place.path("sub")).unwrap();
    symlink("elsewhere.fq", place.path("0002.link.fq")).unwrap();
    let reads = fastq_with(10, "");
    place.write("0001.in.fq", &reads);
    place.write("7.in.fq", &reads);
    let pairs = "qc r1.fq r2.fq -o a.fq -O b.fq";
    for (line, roles) in [
        (
            "--split 2 --failed_out 0001.a.fq",
            "--failed_out and a file of the split -o",
        ),
        (
            "--split 3 --unpaired1 ./0003.b.fq",
            "--unpaired1 and a file of the split -O",
        ),
        (
            "--split 3 --unpaired2 sub/../0002.b.fq",
            "--unpaired2 and a file of the split -O",
        ),
        (
            "-s 2 -d 2 --overlapped_out 02.a.fq",
            "--overlapped_out and a file of the split -o",
        ),
        ("-S 1000 -j 0999.a.fq", "--json and a file of the split -o"),
        (
            "-S 1000 -d 0 -h 12.b.fq",
            "--html and a file of the split -O",
        ),
    ] {
        for mode in ["", "--fastp-compat"] {
            let words = format!("{pairs} {line} {mode}");
            let words: Vec<&str> = words.split_whitespace().collect();
            place.fails(&words, 2, &[&format!("{roles} have the same name")]);
        }
    }
    for (line, word) in [
        (
            "qc 0001.in.fq -o in.fq -s 2",
            "0001.in.fq: the input and a file of the split -o",
        ),
        ("qc 7.in.fq -o in.fq -S 1000 -d 0", "7.in.fq: the input and"),
        (
            "qc r1.fq -o link.fq -s 2 --failed_out 0002.link.fq",
            "--failed_out and",
        ),
    ] {
        place.fails(&line.split(' ').collect::<Vec<_>>(), 2, &[word]);
    }
    // Names that no file of the split output has.
    for other in [
        "0000.a.fq",
        "0003.a.fq",
        "001.a.fq",
        "00001.a.fq",
        "sub/0001.a.fq",
        "x.0001.a.fq",
    ] {
        place.ok(&[
            "qc",
            "r1.fq",
            "-o",
            "a.fq",
            "-s",
            "2",
            "--failed_out",
            other,
        ]);
        assert!(place.path(other).exists(), "{other}");
    }
    assert_eq!(place.read("0001.in.fq"), reads);
}
