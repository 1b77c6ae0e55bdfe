//! Where the index of a file is looked for, and put.

use crate::support::{Place, fastq, gzip};

const COUNT: usize = 3000;

/// Where `info` says that the index of `name` is.
fn place_of_index(place: &Place, arguments: &[&str]) -> Option<String> {
    let told = place
        .ok(&[&["info", "--json"][..], arguments].concat())
        .text();
    let path = told.split("\"index\"").nth(1)?.split("\"path\"").nth(1)?;
    Some(path.split('"').nth(1).unwrap().to_owned())
}

#[test]
fn beside_the_name_and_then_beside_what_a_link_leads_to() {
    let place = Place::new();
    let text = fastq(COUNT);
    for directory in ["raw", "staged"] {
        std::fs::create_dir(place.path(directory)).unwrap();
    }
    place.write("raw/a.fq.gz", gzip(&text));
    // A link to a link, both of them relative, and with another name.
    std::os::unix::fs::symlink("../raw/a.fq.gz", place.path("staged/b.fq.gz")).unwrap();
    std::os::unix::fs::symlink("b.fq.gz", place.path("staged/c.fq.gz")).unwrap();
    assert_eq!(place_of_index(&place, &["staged/c.fq.gz"]), None);
    let mut expected = Vec::new();
    // Each is found before those that were made before it.
    for (format, index) in [
        ("mim", "raw/a.fq.gz.mim"),
        ("thw", "raw/a.fq.gz.thw"),
        ("mim", "staged/c.fq.gz.mim"),
        ("thw", "staged/c.fq.gz.thw"),
    ] {
        let input = index.strip_suffix(&format!(".{format}")).unwrap();
        place.ok(&["index", "--format", format, input]);
        let found = place_of_index(&place, &["staged/c.fq.gz"]).unwrap();
        expected.push(index);
        assert!(found.ends_with(index), "{found}, {expected:?}");
        let shards = place
            .shell("for i in 1 2 3; do $THALWEG cat --shard $i/3 staged/c.fq.gz || exit 1; done");
        assert!(shards.stdout == text, "{index}: {}", shards.stderr);
        let whole = place.ok(&["cat", "--index", "require", "staged/c.fq.gz"]);
        assert!(whole.stdout == text, "{index}");
        let verified = place.ok(&["verify", "--full", "staged/c.fq.gz"]).text();
        assert!(verified.contains("hash, "), "{verified}");
    }
}

#[test]
fn in_a_directory_by_name_and_fingerprint() {
    let place = Place::new();
    for (number, directory) in ["one", "two"].iter().enumerate() {
        std::fs::create_dir(place.path(directory)).unwrap();
        let text = fastq(COUNT + number);
        place.write(&format!("{directory}/R1.fq.gz"), gzip(&text));
    }
    // The directory need not be there.
    place.ok(&[
        "index",
        "--index-dir",
        "a/b",
        "one/R1.fq.gz",
        "two/R1.fq.gz",
    ]);
    let names = crate::support::names_in(&place.path("a/b"));
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("R1.fq.gz.")));
    let both = ["one/R1.fq.gz", "two/R1.fq.gz"];
    for file in both {
        // Nothing is beside the files.
        assert_eq!(place_of_index(&place, &[file]), None);
        assert!(place_of_index(&place, &["--index-dir", "a/b", file]).is_some());
    }
    let stats = |rest: &[&str]| {
        let arguments = [&["stats", "--tsv"][..], rest, &both].concat();
        place.ok(&arguments).stdout
    };
    let expected = stats(&[]);
    let require = stats(&["--index", "require", "--index-dir", "a/b"]);
    assert!(require == expected);
    let by_environment = place.shell(
        "THALWEG_INDEX_DIR=a/b $THALWEG stats --tsv --index require one/R1.fq.gz two/R1.fq.gz",
    );
    assert!(
        by_environment.stdout == expected,
        "{}",
        by_environment.stderr
    );
    // A copy of the file, and a link to it, have the same.
    std::fs::create_dir(place.path("copy")).unwrap();
    std::fs::copy(place.path("one/R1.fq.gz"), place.path("copy/R1.fq.gz")).unwrap();
    std::os::unix::fs::symlink("one/R1.fq.gz", place.path("link.fq.gz")).unwrap();
    for file in ["copy/R1.fq.gz", "link.fq.gz"] {
        assert!(place_of_index(&place, &["--index-dir", "a/b", file]).is_some());
    }
    // What is up to date is not made again.
    let again = place.ok(&["index", "--index-dir", "a/b", "one/R1.fq.gz"]);
    assert!(again.stderr.contains("is up to date"), "{}", again.stderr);
    let both_places = ["index", "--index-dir", "a", "-o", "x.thw", "one/R1.fq.gz"];
    assert_eq!(place.run(&both_places).code, Some(2));
}

#[test]
fn saved_indexes_go_there_too() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    for (command, rest) in [
        ("stats", &[][..]),
        ("cat", &["-o", "a.fq"]),
        ("verify", &["--full"]),
        ("count", &["-k", "21", "-o", "a.thk"]),
        ("qc", &["-o", "b.fq", "-j", "b.json", "-h", "b.html"]),
    ] {
        let directory = format!("of-{command}");
        let mut arguments = vec![command, "--index", "save", "--index-dir", &directory];
        arguments.extend(rest);
        arguments.push("a.fq.gz");
        place.ok(&arguments);
        assert!(place.path(&directory).exists(), "{command}");
        let names = crate::support::names_in(&place.path(&directory));
        assert_eq!(names.len(), 1, "{command}: {names:?}");
        assert!(!place.path("a.fq.gz.thw").exists(), "{command}");
        place.ok(&[
            "cat",
            "--index",
            "require",
            "--index-dir",
            &directory,
            "-o",
            "x",
            "a.fq.gz",
        ]);
    }
}

#[test]
fn one_is_named_for_each_input() {
    let place = Place::new();
    let texts = [fastq(COUNT), fastq(COUNT + 5)];
    for (number, text) in texts.iter().enumerate() {
        let name = format!("{number}.fq.gz");
        place.write(&name, gzip(text));
        place.ok(&["index", &name, "-o", &format!("{number}.thw")]);
    }
    let joined = texts.concat();
    let named = ["--index-file", "0.thw", "--index-file", "1.thw"];
    let swapped = ["--index-file", "1.thw", "--index-file", "0.thw"];
    let files = ["0.fq.gz", "1.fq.gz"];
    let cat = [&["cat"][..], &named, &files].concat();
    assert!(place.ok(&cat).stdout == joined);
    place.fails(
        &[&["cat"][..], &swapped, &files].concat(),
        1,
        &["0.fq.gz", "does not match the file"],
    );
    place.fails(
        &["cat", "--index-file", "0.thw", "0.fq.gz", "1.fq.gz"],
        2,
        &["--index-file"],
    );
    place.ok(&[&["verify"][..], &named, &files].concat());
    place.ok(&[&["stats"][..], &named, &files].concat());
    // Lanes of qc, and mates, have theirs in the order of the inputs.
    let qc = [
        "qc", "-i", "0.fq.gz", "-i", "1.fq.gz", "-A", "-Q", "-L", "-o", "o.fq", "-j", "j", "-h",
        "h",
    ];
    place.ok(&[&qc[..], &named].concat());
    assert!(place.read("o.fq") == joined);
    place.write("2.fq.gz", gzip(&texts[0]));
    place.ok(&["index", "2.fq.gz", "-o", "2.thw"]);
    let mates = [
        "--mates",
        "--index-file",
        "0.thw",
        "--index-file",
        "2.thw",
        "0.fq.gz",
        "2.fq.gz",
    ];
    place.ok(&[&["stats"][..], &mates].concat());
    // Those that are not there are made.
    let saved = [
        "--index",
        "save",
        "--index-file",
        "n0",
        "--index-file",
        "n1",
    ];
    place.ok(&[&["stats"][..], &saved, &files].concat());
    assert_eq!(place.read("n0"), place.read("0.thw"));
    assert_eq!(place.read("n1"), place.read("1.thw"));
}

/// Of a part of a file no index falls out: it is made first.
#[test]
fn an_index_is_made_before_a_part_is_read() {
    let place = Place::new();
    let text = fastq(COUNT);
    for (number, rest) in [
        &["--shard", "1/1"][..],
        &["--records", "0..3000"],
        &["--parts", "1", "-o", "part_{}"],
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{number}.fq.gz");
        place.write(&name, gzip(&text));
        let arguments = [&["cat", "--index", "save", &name], rest].concat();
        let ended = place.ok(&arguments);
        assert!(place.path(&format!("{name}.thw")).exists(), "{rest:?}");
        assert!(ended.stdout == text || place.read("part_001") == text);
    }
}

/// What cannot be compared with its index is not read as if there were none.
#[test]
fn an_index_is_none_of_a_pipe() {
    let place = Place::new();
    let text = fastq(10);
    place.write("a.fq.gz", gzip(&text));
    place.ok(&["index", "a.fq.gz", "-o", "i.thw"]);
    for input in [text.clone(), gzip(&text)] {
        let ended = place.feed(&["cat", "--index-file", "i.thw", "-"], &input);
        ended.expect_failure(2, &["needs a regular file"]);
    }
    // A file of that name must have one, also if it is plain text now.
    place.write("b.fq.gz", &text);
    place.fails(&["cat", "--index", "require", "b.fq.gz"], 2, &["no index"]);
}

/// Whatever the first bytes are, an index beside the file is of another one then.
#[test]
fn an_index_is_compared_whatever_the_file_begins_with() {
    let place = Place::new();
    let text = fastq(COUNT);
    let good = gzip(&text);
    place.write("a.fq.gz", &good);
    place.ok(&["index", "a.fq.gz"]);
    let mut first_byte = good.clone();
    first_byte[0] ^= 1;
    let mut first_page = good.clone();
    first_page[..4096].fill(0);
    let mut like_fastq = good.clone();
    like_fastq[0] = b'@';
    for (what, bytes) in [
        ("first byte", &first_byte),
        ("first page", &first_page),
        ("like FASTQ", &like_fastq),
        ("plain text", &text),
        ("nothing", &Vec::new()),
        ("zstd", &zstd::encode_all(&text[..], 1).unwrap()),
    ] {
        place.write("a.fq.gz", bytes);
        for command in [
            &["cat"][..],
            &["cat", "--index", "require"],
            &["cat", "--index-file", "a.fq.gz.thw"],
            &["stats"],
            &["verify"],
            &["verify", "--full"],
            &["info"],
            &["count", "-k", "21", "--histo", "-"],
            &["qc", "-o", "o.fq"],
        ] {
            let arguments = [command, &["a.fq.gz"]].concat();
            // That nothing is there is looked at first.
            let told = if what == "nothing" {
                "0 bytes"
            } else {
                "does not match the file"
            };
            let ended = place.fails(&arguments, 1, &["a.fq.gz", told]);
            assert!(ended.stdout.is_empty(), "{what}: {arguments:?}");
        }
    }
}
