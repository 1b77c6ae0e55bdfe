//! Lists and tables as spreadsheets and editors write them: a byte order mark, CR LF, blanks at line ends

use crate::support::{Ended, Place, fastq_with, with_databases};
use crate::taxa_world::{NAMES, NODES, World, built, fasta, reads};

/// The ways to write a text that are read as the text itself.
fn forms(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let crlf = text.replace('\n', "\r\n");
    vec![
        ("CR LF", crlf.clone().into_bytes()),
        ("a mark", format!("\u{feff}{text}").into_bytes()),
        ("a mark and CR LF", format!("\u{feff}{crlf}").into_bytes()),
        (
            "no last newline",
            format!("\u{feff}{}", text.trim_end()).into_bytes(),
        ),
    ]
}

/// Runs with a list called `list` in all forms, and expects what the plain one gives.
fn same_in_all_forms(place: &Place, text: &str, run: impl Fn() -> Vec<u8>) {
    place.write("list", text);
    let expected = run();
    assert!(!expected.is_empty(), "{text}");
    for (form, bytes) in forms(text) {
        place.write("list", bytes);
        assert!(run() == expected, "{form} of {text}");
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn lists_of_reads_and_files() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.fq"), fastq_with(50, name));
    }
    place.write(
        "hash.fq",
        "@#1 x\nACGT\n+\nIIII\n@r2\nACGT\n+\nIIII\n@#3\nACGT\n+\nIIII\n",
    );
    let names = || {
        let ended = place.ok(&["cat", "--names", "list", "hash.fq"]);
        assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
        ended.stdout
    };
    same_in_all_forms(&place, "#1\nr2 \n", names);
    place.write("list", "\u{feff}#1\r\nr2\r\n");
    assert_eq!(names().iter().filter(|&&byte| byte == b'\n').count(), 8);
    let files = || place.ok(&["stats", "--tsv", "--files-from", "list"]).stdout;
    same_in_all_forms(&place, "a.fq\n\nb.fq \n", files);
    for text in [utf16("a.fq\n"), b"a.fq\rb.fq\r".to_vec()] {
        place.write("list", &text);
        let told = match text[0] {
            b'a' => "list: line 1: a carriage return without a newline\nhint: make newlines",
            _ => {
                "list: text in UTF-16, by its byte order mark, and not in UTF-8\nhint: convert it: `iconv"
            }
        };
        place.fails(&["cat", "--names", "list", "a.fq"], 2, &[told]);
        place.fails(&["stats", "--files-from", "list"], 2, &[told]);
    }
}

#[test]
fn tables_of_taxa() {
    let world: World = built();
    let place = &world.place;
    place.write("c.fa", fasta("c1", &world.genomes[2].1));
    place.write("acc.fa", fasta("AB000001.1 a", &world.genomes[2].1));
    std::fs::create_dir_all(place.path("marked")).unwrap();
    let built_with = |arguments: &[&str]| {
        let build = ["taxa", "build", "-q", "-o", "x.tht", "--skip-unmapped"];
        place.ok(&[&build[..], arguments].concat());
        place.ok(&["taxa", "dump", "x.tht"]).stdout
    };
    let taxdump = ["--taxonomy", "taxdump"];
    for (text, arguments) in [
        (
            "c.fa\t12\n# more\na1|kraken:taxid|21\t21\n",
            &["--taxa", "list", "c.fa", "genomes/a.fa"][..],
        ),
        ("file\ttaxid\nc.fa\t12\n", &["--taxa", "list", "c.fa"]),
        ("c1\t12\n", &["--map", "list", "c.fa"]),
        (
            "accession\taccession.version\ttaxid\tgi\nAB000001\tAB000001.1\t12\t1\n",
            &["--accessions", "list", "acc.fa"],
        ),
        (
            "AB000001\tAB000001.1\t12\t1\n",
            &["--accessions", "list", "acc.fa"],
        ),
    ] {
        same_in_all_forms(place, text, || {
            built_with(&[&taxdump[..], arguments].concat())
        });
    }
    let lineages = "c\td__B;p__C;c__D;o__E;f__F;g__G;s__G a\n";
    same_in_all_forms(place, lineages, || {
        built_with(&["--taxonomy", "list", "c.fa"])
    });
    for (text, name, other) in [
        (NODES, "nodes.dmp", ("names.dmp", NAMES)),
        (NAMES, "names.dmp", ("nodes.dmp", NODES)),
    ] {
        same_in_all_forms(place, text, || {
            place.write(&format!("marked/{name}"), place.read("list"));
            place.write(&format!("marked/{}", other.0), other.1);
            built_with(&["--taxonomy", "marked", "genomes/a.fa"])
        });
    }
    place.write("list", utf16("c.fa\t12\n"));
    let refused = [
        "taxa", "build", "-q", "-o", "y.tht", "--taxa", "list", "c.fa",
    ];
    place.fails(
        &[&refused[..], &taxdump].concat(),
        1,
        &["list: line 1: text in UTF-16", "hint: convert it: `iconv"],
    );
}

#[test]
fn sheets_of_samples() {
    let world = built();
    let place = &world.place;
    place.write("r.fq", reads(&world, 40));
    place.write("r2.fq", reads(&world, 40));
    let labelled = || {
        let run = [
            "classify",
            "-q",
            "ref.tht",
            "--samples",
            "list",
            "--out-dir",
            "out",
        ];
        place.ok(&run);
        let labels = ["one", "two"].map(|sample| {
            let name = format!("out/{sample}.labels.tsv");
            let labels = place.read(&name);
            std::fs::remove_file(place.path(&name)).unwrap();
            labels
        });
        labels.concat()
    };
    same_in_all_forms(place, "one\tr.fq\n# no\ntwo\tr.fq\tr2.fq\n", labelled);
    same_in_all_forms(
        place,
        "sample\tfile1\tfile2\none\tr.fq\t\ntwo\tr.fq\n",
        labelled,
    );
}

#[test]
fn lists_of_qc_and_of_drop_in_names() {
    let place = with_databases();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastqc")).unwrap();
    let adapter = "GATTACAGATTACAGATTACA";
    let read = |number: usize| {
        let bases = format!("{}{adapter}", "ACGTTGCAACTGCCTGAAGCTTACGGATCT");
        format!(
            "@r{number} 1:N:0:ACGT\n{bases}\n+\n{}\n",
            "I".repeat(bases.len())
        )
    };
    place.write("x.fq", (0..20).map(read).collect::<String>());
    let qc = |option: &str| {
        place.ok(&["qc", "--quiet", "x.fq", option, "list", "-o", "out.fq"]);
        // Reads may all be dropped.
        [&place.read("out.fq")[..], b"."].concat()
    };
    place.write("list", format!("\u{feff}>one\r\n{adapter}\r\n"));
    assert!(
        !String::from_utf8(qc("--adapter_fasta"))
            .unwrap()
            .contains("GATTACA")
    );
    same_in_all_forms(&place, &format!(">one\n{adapter}\n"), || {
        qc("--adapter_fasta")
    });
    place.write("list", "\u{feff}ACGT\r\n");
    assert_eq!(qc("--filter_by_index1"), b".");
    same_in_all_forms(&place, "ACGT\nTTTT\n", || qc("--filter_by_index1"));
    let shell = |script: &str| {
        let ended: Ended = place.shell(script);
        assert_eq!(ended.code, Some(0), "{script}: {}", ended.stderr);
        ended.stdout
    };
    same_in_all_forms(&place, &format!("Mine\t{adapter}\n"), || {
        shell("./fastqc -q -o . -a list x.fq && unzip -p x_fastqc.zip '*/fastqc_data.txt'")
    });
    same_in_all_forms(&place, "kmer\tignore\t0\nadapter\tignore\t1\n", || {
        shell("./fastqc -q -o . -l list x.fq && unzip -p x_fastqc.zip '*/fastqc_data.txt'")
    });
    same_in_all_forms(&place, "a.fq\nx.fq\n", || {
        shell("./kmc -k21 -ci1 @list db . >/dev/null && ./kmc_dump -ci1 db out.txt && cat out.txt")
    });
    same_in_all_forms(&place, "cat a.fq\ncat x.fq\n", || {
        shell("./jellyfish count -m 21 -s 1M -g list -o g.jf && ./jellyfish dump -c g.jf")
    });
    let kmers = String::from_utf8(place.ok(&["kmers", "dump", "-q", "a.thk"]).stdout).unwrap();
    let kmer = &kmers.lines().next().unwrap()[..21];
    same_in_all_forms(&place, &format!("{kmer}\n"), || {
        shell("\"$THALWEG\" kmers query -q a.thk - <list")
    });
}
