//! BAM as an input of all commands.

use std::process::{Command, Stdio};

use crate::bam_file::{Record, append, header, of_fastq};
use crate::support::{Place, bgzf, fastq, fastq_with, gzip, random};

/// Reads of all lengths, some of which span many blocks, as FASTQ.
fn reads() -> Vec<u8> {
    let mut text = fastq(6000);
    for length in [1, 2, 19_999, 150_000, 400_001] {
        let (sequence, qualities) = ("ACGTN".repeat(length), "#5:?I".repeat(length));
        text.extend(format!("@long{length}\n{sequence}\n+\n{qualities}\n").bytes());
        text.extend(fastq_with(700, &format!("_{length}")));
    }
    text
}

/// What `samtools` prints; `None` if it is not installed.
fn samtools(place: &Place, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("samtools");
    command.args(arguments).current_dir(place.path("."));
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        eprintln!("skipped: samtools is not installed");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "samtools {arguments:?}: {errors}");
    Some(output.stdout)
}

#[test]
fn bam_comes_out_as_fastq_however_it_is_read() {
    let place = Place::new();
    let text = reads();
    // A header that is longer than parts are.
    let data = of_fastq(&text, 3_000_000);
    place.write("a.bam", bgzf(&data));
    place.write("plain.bam", &data);
    place.write("one.bam.gz", gzip(&data));
    for name in ["a.bam", "plain.bam", "one.bam.gz"] {
        for threads in ["1", "2", "5"] {
            let ended = place.ok(&["cat", "-t", threads, name]);
            assert!(ended.stdout == text, "{name}, {threads} threads");
            assert_eq!(ended.stderr, "");
        }
        assert!(place.feed(&["cat", "-"], &place.read(name)).stdout == text);
        assert!(place.ok(&["cat", "--raw", name]).stdout == data);
    }
    let some = &text[text.len() - 100_000..];
    assert!(
        place
            .ok(&["cat", "--records", "7000..", "a.bam"])
            .stdout
            .ends_with(some)
    );
    let shard = |number| place.ok(&["cat", "--shard", number, "a.bam"]).stdout;
    assert!(["1/3", "2/3", "3/3"].map(shard).concat() == text);
    // Also behind text, and compressed.
    place.write("b.fq", &text[..text.len() - 1]);
    place.ok(&["cat", "b.fq", "a.bam", "b.fq", "-o", "all.fq.gz"]);
    let all = place.ok(&["cat", "all.fq.gz"]).stdout;
    assert!(
        all.len() == 3 * text.len() - 1
            && all == [&text[..], &text, &text[..text.len() - 1]].concat()
    );

    for name in ["a.bam", "one.bam.gz"] {
        place.ok(&["index", "--span", "300k", name]);
        for threads in ["1", "3"] {
            assert!(place.ok(&["cat", "-t", threads, name]).stdout == text);
        }
        let ranks = place.ok(&["cat", "--records", "6000..6002", name]).text();
        assert!(
            ranks.starts_with("@long1\nACGTN\n+\n#5:?I\n@r0_1\n"),
            "{}",
            &ranks[..50]
        );
        place.ok(&["verify", "--full", name]);
    }
}

#[test]
fn every_command_takes_it_as_it_takes_fastq() {
    let place = Place::new();
    let text = reads();
    place.write("a.bam", bgzf(&of_fastq(&text, 100)));
    place.write("a.fq", &text);
    place.ok(&["count", "-q", "-k", "21", "a.fq", "-o", "a.thk"]);
    let bam = place.read("a.bam");
    for arguments in [
        &["stats", "--tsv", "--quality"][..],
        &["count", "-q", "-k", "21", "--histo", "-"],
        &["qc", "--stdout", "--cut_right"],
        &["kmers", "filter-reads", "-q", "--fraction", "0.5", "a.thk"],
    ] {
        let of = |name: &str| {
            let ended = place.run(&[arguments, &[name]].concat());
            assert_eq!(
                ended.code,
                Some(0),
                "{arguments:?} {name}: {}",
                ended.stderr
            );
            String::from_utf8(ended.stdout)
                .unwrap()
                .replace(name, "FILE")
        };
        // What they are called is all that differs.
        let expected = of("a.fq").replace("FILE\tFASTQ\t", "FILE\tBAM\t");
        assert!(!expected.is_empty(), "{arguments:?}");
        assert!(of("a.bam") == expected, "{arguments:?}");
        let piped = place.feed(&[arguments, &["-"]].concat(), &bam);
        assert_eq!(piped.code, Some(0), "{arguments:?}: {}", piped.stderr);
        let piped = piped.text().replace("\n-\t", "\nFILE\t");
        assert!(piped == expected, "{arguments:?}");
    }
    assert!(
        place
            .ok(&["verify", "a.bam"])
            .text()
            .contains("9,505 records")
    );
}

#[test]
fn mates_are_told_apart_and_read_in_step() {
    let place = Place::new();
    let (first, second) = (fastq_with(3000, "/1"), fastq_with(3000, "/2"));
    place.write("1.bam", bgzf(&of_fastq(&first, 0)));
    place.write("2.bam", bgzf(&of_fastq(&second, 0)));
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    let mates = ["cat", "--mates"];
    let expected = place.ok(&[&mates[..], &["1.fq", "2.fq"]].concat()).stdout;
    for threads in ["1", "3"] {
        for files in [["1.bam", "2.bam"], ["1.fq", "2.bam"]] {
            let found = place.ok(&[&mates[..], &["-t", threads], &files].concat());
            assert!(found.stdout == expected, "{files:?}");
        }
    }
    // Beside each other in one file, also where the second comes first.
    place.write("both.bam", bgzf(&of_fastq(&expected, 0)));
    let lines: Vec<&[u8]> = expected.split_inclusive(|&byte| byte == b'\n').collect();
    let pairs = lines.chunks(8).enumerate();
    let turned = pairs.flat_map(|(number, pair)| match number % 3 {
        0 => [&pair[4..], &pair[..4]].concat().concat(),
        _ => pair.concat(),
    });
    let turned: Vec<u8> = turned.collect();
    place.write("turned.bam", bgzf(&of_fastq(&turned, 0)));
    for name in ["both.bam", "turned.bam"] {
        for threads in ["1", "3"] {
            let found = place.ok(&["cat", "--interleaved", "-t", threads, name]);
            assert!(found.stdout == expected, "{name}");
        }
        let option = match name {
            "both.bam" => "--interleaved_in",
            _ => "--interleaved",
        };
        place.ok(&["qc", option, name, "-o", "c1.fq", "-O", "c2.fq"]);
        assert!(place.read("c1.fq").starts_with(b"@r0/1\n"));
        assert!(place.read("c2.fq").starts_with(b"@r0/2\n"));
    }
    let plain = place.ok(&["cat", "-n", "both.bam"]).text();
    assert!(plain.starts_with("@r0\n") && !plain.contains("/1"));
    assert!(place.ok(&["cat", "-n", "-N", "both.bam"]).stdout == expected);

    let told = |option: &str| place.ok(&["stats", option, "both.bam"]).text();
    assert!(told("--tsv").contains("both.bam\tBAM\t"));
    assert!(told("--json").contains("\"format\": \"bam\""));
    place.write("cut.bam", bgzf(&of_fastq(&expected, 0)[..3000]));
    let ended = place.run(&["stats", "cut.bam"]);
    assert!(ended.stderr.contains("samtools quickcheck") && !ended.stderr.contains("4R-3"));

    // Sorted by place: all mates are somewhere else.
    let sorted = [&first[..], &second].concat();
    place.write("sorted.bam", bgzf(&of_fastq(&sorted, 0)));
    place.fails(
        &["cat", "--interleaved", "sorted.bam"],
        1,
        &["samtools collate", "'r0/1'"],
    );
}

#[test]
fn pairs_that_are_taken_as_single_reads_are_told() {
    let place = Place::new();
    let (first, second) = (fastq_with(30, "/1"), fastq_with(30, "/2"));
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    let both = place.ok(&["cat", "--mates", "1.fq", "2.fq"]).stdout;
    place.write("both.bam", bgzf(&of_fastq(&both, 0)));
    place.write("single.bam", bgzf(&of_fastq(&fastq(60), 0)));
    place.ok(&["count", "-q", "-k", "21", "1.fq", "-o", "a.thk"]);
    let note = "both.bam: the first record is of a pair";
    {
        let arguments = &["kmers", "filter-reads", "a.thk", "-o", "o.fq"][..];
        let pairing = "--interleaved";
        let told = |more: &[&str]| place.ok(&[arguments, more].concat()).stderr;
        let single = told(&["both.bam"]);
        assert_eq!(single.matches(note).count(), 1, "{single}");
        assert!(single.contains(&format!("use {pairing}; ")), "{single}");
        assert!(!single.contains("two and two"), "{single}");
        assert!(single.contains("samtools collate -u -O both.bam"));
        assert!(!told(&[pairing, "both.bam"]).contains("of a pair"));
        assert!(!told(&["single.bam"]).contains("of a pair"));
    }
    // Of what is counted, pairs are nothing else than their reads.
    let counted = place.ok(&["count", "-k", "21", "both.bam", "-o", "b.thk"]);
    assert!(!counted.stderr.contains("of a pair"));
}

#[test]
fn what_is_wanted_of_bam_alone_is_refused_elsewhere() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    place.write("a.bam", bgzf(&of_fastq(&fastq(3), 0)));
    for option in [&["-T", "RX"][..], &["-n"], &["--secondary"]] {
        place.fails(
            &[&["cat", "a.fq"][..], option].concat(),
            2,
            &["BAM input only"],
        );
        place.fails(
            &[&["cat", "--raw", "a.bam"][..], option].concat(),
            2,
            &["--raw"],
        );
    }
    let refused = place.run(&["cat", "-T", "R", "a.bam"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("'R' is not a tag"),
        "{}",
        refused.stderr
    );
    let saved = ["cat", "--secondary", "--index", "save", "a.bam"];
    place.fails(&saved, 2, &["secondary"]);
}

#[test]
fn damage_is_told_with_record_and_place() {
    let place = Place::new();
    let text = fastq(2000);
    let mut data = of_fastq(&text, 50_000);
    let start = of_fastq(&text[..0], 50_000).len();
    let length = (data.len() - start) / 2000;
    // Names have one to four digits, so look for it.
    let name = memchr(&data, b"r1500\0");
    assert!(length > 150);
    data[name - 36 + 23] = 0x7f;
    for (name, bytes) in [("a.bam", bgzf(&data)), ("plain.bam", data.clone())] {
        place.write(name, bytes);
        for threads in ["1", "4"] {
            let ended = place.fails(
                &["stats", "-t", threads, name],
                1,
                &[name, "record 1501", "lengths disagree"],
            );
            assert!(ended.stdout.is_empty());
            place.fails(
                &["cat", "-t", threads, name, "-o", "o.fq"],
                1,
                &["record 1501"],
            );
        }
    }
}

fn memchr(data: &[u8], word: &[u8]) -> usize {
    data.windows(word.len())
        .position(|window| window == word)
        .unwrap()
}

/// Flags, names and tags as they come from aligners and basecallers.
const CASES: &str = "\
u 4 * 0 0 * * 0 0 ACGTN IIIII RX:Z:AAAA BC:Z:ACGT-TTTT CB:Z:TTT xi:i:-5 xj:i:300000 xk:i:70000 xA:A:q xH:H:1AE3
mods 4 * 0 0 * * 0 0 ACGTN IIIII MM:Z:C+m?,1,0; ML:B:C,200,0,255 mv:B:c,5,1,0,0,-1 xb:B:s,-300,300 xu:B:S,65535 xi:B:i,-70000 xI:B:I,4000000000
floats 4 * 0 0 * * 0 0 A I qs:f:12.3456789 fa:f:0.000012345 fb:f:1234567 fc:f:0.3333333 fd:f:100000 fe:f:999999.5 ff:f:-0.0001 fg:B:f,1.25,3e10,0.1,-0
first 77 * 0 0 * * 0 0 ACGT IIII
second 141 * 0 0 * * 0 0 ACG III
rev 16 c 5 60 15M * 0 0 ACMGRSVTWYHKDBN ABCDEFGHIJKLMNO
rev4 16 c 5 60 2S2M * 0 0 ACMG ABCD RX:Z:ACGT
firstrev 89 c 5 60 4M * 0 0 ACGA IABC
secondrev 153 c 5 60 1H4M * 0 0 ACGA IABC
missing 4 * 0 0 * * 0 0 ACGT *
missingrev 16 c 5 60 3M * 0 0 ACG *
secondary 256 c 5 60 4M * 0 0 ACGT IIII
supplementary 2064 c 5 60 4M * 0 0 ACGT IIII
failed 516 * 0 0 * * 0 0 ACGT !~:;
duplicate 1028 * 0 0 * * 0 0 ACGT !~:;
both 197 * 0 0 * * 0 0 ACGT IIII
neither 5 * 0 0 * * 0 0 ACGT IIII
slash/1 77 * 0 0 * * 0 0 AC=T IIII
single 73 c 5 60 4M * 0 0 ACGT IIII
recalibrated 16 c 5 60 4M * 0 0 ACGA IABC OQ:Z:#$%&
";

#[test]
fn records_come_as_samtools_prints_them() {
    let place = Place::new();
    let lines = CASES.lines().map(|line| line.replace(' ', "\t") + "\n");
    let sam = format!(
        "@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000\n{}",
        lines.collect::<String>()
    );
    place.write("a.sam", &sam);
    if samtools(&place, &["view", "-b", "-o", "a.bam", "a.sam"]).is_none() {
        return;
    }
    for options in [
        &[][..],
        &["-n"],
        &["-N"],
        &["-O"],
        &["-T", "*"],
        &["-n", "-T", "RX,BC,CB"],
        &["-T", "mv,MM,ML"],
    ] {
        let expected = samtools(&place, &[&["fastq"][..], options, &["a.bam"]].concat()).unwrap();
        let expected = String::from_utf8(expected).unwrap();
        // -O is for second mates here.
        let ours = options.iter().map(|&option| match option {
            "-O" => "--original-qualities",
            option => option,
        });
        let ours: Vec<&str> = ours.collect();
        for threads in ["1", "3"] {
            let found = place.ok(&[&["cat", "-t", threads][..], &ours, &["a.bam"]].concat());
            assert_eq!(found.text(), expected, "{options:?}");
        }
    }
    // SAM, as the message says.
    place.fails(&["stats", "a.sam"], 1, &["SAM", "samtools view -u"]);
    let piped = place.shell("samtools view -u a.sam | \"$THALWEG\" cat -");
    assert_eq!(piped.text(), place.ok(&["cat", "a.bam"]).text());
    // Other records than the usual ones.
    let all = samtools(&place, &["fastq", "-F", "0", "a.bam"]).unwrap();
    assert!(
        place
            .ok(&["cat", "--secondary", "--supplementary", "a.bam"])
            .stdout
            == all
    );
}

#[test]
fn no_read_is_lost_where_samtools_loses_some() {
    let place = Place::new();
    let mut data = header(10);
    for (name, sequence) in [("a", &b"ACGT"[..]), ("a", b"CCCC"), ("a", b""), ("b", b"")] {
        append(
            &mut data,
            &Record::new(name, 4, sequence, &b"IIII"[..sequence.len()]),
        );
    }
    place.write("a.bam", bgzf(&data));
    let expected = "@a\nACGT\n+\nIIII\n@a\nCCCC\n+\nIIII\n@a\n\n+\n\n@b\n\n+\n\n";
    assert_eq!(place.ok(&["cat", "a.bam"]).text(), expected);
    // Should it print them some day, docs are to change.
    if let Some(printed) = samtools(&place, &["fastq", "a.bam"]) {
        assert!(printed.len() < expected.len());
    }
}

#[test]
fn reads_become_unaligned_bam_and_come_back() {
    let place = Place::new();
    let text = reads();
    place.write("a.fq", &text);
    place.write("a.fq.gz", gzip(&text));
    let mut files = Vec::new();
    for (input, threads) in [("a.fq", "1"), ("a.fq", "3"), ("a.fq.gz", "2")] {
        let ended = place.ok(&["cat", "-q", "-t", threads, input, "-o", "a.bam"]);
        assert_eq!(ended.stderr, "");
        files.push(place.ok(&["cat", "--raw", "a.bam"]).stdout);
        assert!(place.ok(&["cat", "a.bam"]).stdout == text);
    }
    assert!(files.iter().all(|file| *file == files[0]));
    assert!(files[0].windows(4).any(|word| word == b"@PG\t"));

    // Tags behind names come back as they were, and who is of which group.
    let tagged =
        "@a/1\tRX:Z:ACGT\tML:B:C,0,255\tNM:i:-3\nACGTN\n+\n!~III\n@b\tRG:Z:other\nA\n+\nI\n";
    place.write("t.fq", tagged);
    place.ok(&["cat", "t.fq", "-o", "t.bam"]);
    assert_eq!(place.ok(&["cat", "-T", "*", "t.bam"]).text(), tagged);
    let group = "@RG\\tID:x\\tSM:sample";
    place.ok(&["cat", "t.fq", "--read-group", group, "-o", "t.bam"]);
    let expected = tagged.replace("i:-3\n", "i:-3\tRG:Z:x\n");
    assert_eq!(place.ok(&["cat", "-T", "*", "t.bam"]).text(), expected);
    let raw = place.ok(&["cat", "--raw", "t.bam"]).stdout;
    assert!(String::from_utf8_lossy(&raw).contains("@RG\tID:x\tSM:sample\n"));

    // Mates, whose names say nothing.
    place.write("1.fq", fastq(2000));
    place.write("2.fq", fastq_with(2000, ""));
    place.ok(&["cat", "--mates", "1.fq", "2.fq", "-o", "m.bam"]);
    let pairs = place.ok(&["cat", "--interleaved", "m.bam"]).text();
    assert!(pairs.starts_with("@r0/1\n") && pairs.matches("/2\n").count() == 2000);
    assert!(
        place.ok(&["cat", "-n", "m.bam"]).stdout
            == place.ok(&["cat", "--mates", "1.fq", "2.fq"]).stdout
    );

    if let Some(checked) = samtools(
        &place,
        &["quickcheck", "-u", "-v", "a.bam", "t.bam", "m.bam"],
    ) {
        assert!(checked.is_empty());
        let import = ["import", "-T", "*", "-0", "t.fq", "-R", "x", "-o", "s.bam"];
        samtools(&place, &import).unwrap();
        let lines = |name| samtools(&place, &["view", name]).unwrap();
        let import = String::from_utf8(lines("s.bam")).unwrap();
        // It gives all records its group, beside their own.
        let ours = String::from_utf8(lines("t.bam")).unwrap();
        assert_eq!(ours, import.replace("RG:Z:other\tRG:Z:x", "RG:Z:other"));
        let whole = ["import", "-0", "a.fq", "-o", "s.bam"];
        samtools(&place, &whole).unwrap();
        assert!(lines("s.bam") == lines("a.bam"));
    }
}

#[test]
fn what_does_not_go_into_bam_is_told() {
    let place = Place::new();
    place.write("a.fq", "@a\nacGt.\n+\nIIIII\n");
    let ended = place.ok(&["cat", "a.fq", "-o", "a.bam"]);
    assert!(
        ended.stderr.contains("warning: 4 letters"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.ok(&["cat", "a.bam"]).text(), "@a\nACGTN\n+\nIIIII\n");
    place.fails(
        &["cat", "a.bam", "-o", "b.bam"],
        2,
        &["a.bam: is BAM already"],
    );
    place.fails(&["cat", "a.fq", "--read-group", "x"], 2, &["--read-group"]);
    place.fails(
        &["cat", "a.fq", "--parts", "2", "-o", "b.bam"],
        2,
        &["--parts"],
    );
    place.write("long.fq", format!("@{}\nA\n+\nI\n", "x".repeat(255)));
    place.fails(
        &["cat", "long.fq", "-o", "b.bam"],
        2,
        &["long.fq: read 'xxx", "254"],
    );
    place.write("bad.fq", "@a\nAC\n+\nI \n");
    place.fails(
        &["cat", "bad.fq", "-o", "b.bam"],
        1,
        &["bad.fq", "record 1"],
    );
    place.fails(&["qc", "a.fq", "-o", "x.bam"], 2, &["thalweg cat"]);
}

#[test]
fn bam_of_no_reads_is_bam() {
    let place = Place::new();
    place.write("a.bam", bgzf(&header(100_000)));
    place.write("a.fq", "");
    place.ok(&["cat", "a.fq", "-o", "b.bam"]);
    for name in ["a.bam", "b.bam"] {
        for threads in ["1", "2"] {
            assert!(place.ok(&["cat", "-t", threads, name]).stdout.is_empty());
        }
        assert!(place.ok(&["stats", "--tsv", name]).text().contains("\t0\t"));
        place.ok(&["verify", name]);
        place.ok(&["index", name]);
        assert!(place.ok(&["cat", name]).stdout.is_empty());
    }
}

#[test]
fn reads_go_where_samtools_puts_them() {
    let place = Place::new();
    let mut data = header(10);
    let mut next = random(9);
    for template in 0..9000 {
        let name = format!("t{template}");
        let length = 20 + next(200);
        let mut record = |flags: u16| {
            let sequence: Vec<u8> = (0..length).map(|_| b"ACGTN"[next(5)]).collect();
            let qualities: Vec<u8> = (0..length).map(|_| b'!' + next(40) as u8).collect();
            append(&mut data, &Record::new(&name, flags, &sequence, &qualities));
        };
        let flags: &[u16] = match template % 11 {
            0 => &[4],
            1 => &[77],
            2 => &[141],
            3 => &[153, 73],
            4 => &[99, 2147, 147, 403],
            5 => &[0x10],
            _ => &[77, 141],
        };
        flags.iter().for_each(|&flags| record(flags));
    }
    place.write("a.bam", bgzf(&data));
    let outputs = ["1.fq", "2.fq", "s.fq", "0.fq"];
    let arguments = [
        "-1", "1.fq", "-2", "2.fq", "-s", "s.fq", "-0", "0.fq", "a.bam",
    ];
    let mut first = None;
    for threads in ["1", "2", "5"] {
        place.ok(&[&["cat", "-t", threads][..], &arguments].concat());
        let files = outputs.map(|name| place.read(name));
        assert!(files.iter().all(|file| !file.is_empty()));
        assert!(
            *first.get_or_insert(files.clone()) == files,
            "{threads} threads"
        );
    }
    let ours = first.unwrap();
    place.ok(&[
        "cat", "-1", "1.gz", "-2", "2.gz", "-s", "s.gz", "-0", "0.gz", "a.bam",
    ]);
    for (name, text) in ["1.gz", "2.gz", "s.gz", "0.gz"].iter().zip(&ours) {
        assert!(place.ok(&["cat", name]).stdout == *text);
    }
    place.ok(&["cat", "--mates", "1.fq", "2.fq", "-o", "m.fq"]);
    for options in [&[][..], &["-N"], &["-n"]] {
        if samtools(&place, &[&["fastq"][..], options, &arguments].concat()).is_none() {
            return;
        }
        let expected = outputs.map(|name| place.read(name));
        place.ok(&[&["cat"][..], options, &arguments].concat());
        for (name, expected) in outputs.iter().zip(expected) {
            assert!(place.read(name) == expected, "{options:?} {name}");
        }
    }
}

#[test]
fn no_read_is_left_without_an_output() {
    let place = Place::new();
    let (sequence, qualities) = (&b"ACGT"[..], &b"IIII"[..]);
    let file = |records: &[(&str, u16)]| {
        let mut data = header(10);
        for (name, flags) in records {
            append(&mut data, &Record::new(name, *flags, sequence, qualities));
        }
        bgzf(&data)
    };
    place.write(
        "pairs.bam",
        file(&[("a", 77), ("a", 141), ("b", 141), ("b", 77)]),
    );
    place.write("single.bam", file(&[("a", 77), ("a", 141), ("b", 77)]));
    place.write(
        "other.bam",
        file(&[("a", 77), ("a", 141), ("b", 4), ("c", 77), ("c", 141)]),
    );
    // Each of two is there twice: samtools would drop two of them.
    place.write(
        "twice.bam",
        file(&[("a", 77), ("a", 77), ("a", 141), ("a", 141), ("a", 77)]),
    );
    let pairs = ["-1", "1.fq", "-2", "2.fq"];
    place.fails(
        &[&["cat", "single.bam"][..], &pairs].concat(),
        2,
        &["'b'", "collate", "-s"],
    );
    place.fails(
        &[&["cat", "other.bam"][..], &pairs].concat(),
        2,
        &["'b'", "-0"],
    );
    place.ok(&[&["cat", "pairs.bam"][..], &pairs].concat());
    let text = |names: &[&str]| -> Vec<u8> {
        let record = |name: &&str| format!("@{name}\nACGT\n+\nIIII\n");
        names.iter().map(record).collect::<String>().into_bytes()
    };
    assert_eq!(place.read("1.fq"), text(&["a", "b"]));
    assert_eq!(place.read("2.fq"), text(&["a", "b"]));
    place.ok(&[&["cat", "twice.bam", "-s", "s.fq"][..], &pairs].concat());
    assert_eq!(place.read("1.fq"), text(&["a", "a"]));
    assert_eq!(place.read("s.fq"), text(&["a"]));
    // More of one name than a batch holds.
    let many: Vec<_> = (0..40_000)
        .map(|number| ("a", if number < 20_000 { 77 } else { 141 }))
        .collect();
    place.write("many.bam", file(&many));
    place.ok(&[&["cat", "-t", "3", "many.bam"][..], &pairs].concat());
    assert!(
        place.read("1.fq") == text(&["a"; 20_000]) && place.read("2.fq") == text(&["a"; 20_000])
    );
    // The last of one file and the first of the next are no template.
    place.write("end.bam", file(&[("x", 77)]));
    place.write("start.bam", file(&[("x", 141)]));
    place.ok(&[&["cat", "end.bam", "start.bam", "-s", "s.fq"][..], &pairs].concat());
    assert_eq!(place.read("s.fq"), text(&["x", "x"]));
    place.write("a.fq", text(&["a"]));
    place.fails(
        &[&["cat", "a.fq"][..], &pairs].concat(),
        2,
        &["BAM input only"],
    );
    place.fails(
        &["cat", "pairs.bam", "-1", "x.fq", "-2", "x.fq"],
        2,
        &["x.fq: -1 and -2 name the same file"],
    );
    // As manuals of samtools have it.
    let nowhere = ["-s", "/dev/null", "-0", "/dev/null", "-n"];
    place.ok(&[&["cat", "other.bam"][..], &pairs, &nowhere].concat());
    assert_eq!(place.read("1.fq"), text(&["a", "c"]));
}

#[test]
fn umis_of_tags_go_into_names() {
    let place = Place::new();
    let mut data = header(10);
    let (sequence, qualities) = (b"ACGTACGTACGTACGTACGT".repeat(4), b"I".repeat(80));
    for (number, tags) in [&b"RXZACGT-TT\0"[..], b"BCZGG\0RXZCCCC\0", b""]
        .iter()
        .enumerate()
    {
        let name = format!("r{number}");
        for flags in [77, 141] {
            let record = Record::new(&name, flags, &sequence, &qualities);
            append(&mut data, &Record { tags, ..record });
        }
    }
    place.write("a.bam", bgzf(&data));
    let names = |file: &str| -> Vec<String> {
        let text = String::from_utf8(place.read(file)).unwrap();
        text.lines().step_by(4).map(str::to_owned).collect()
    };
    let qc = [
        "qc",
        "--interleaved_in",
        "-U",
        "--umi_loc",
        "tag:RX",
        "-o",
        "1.fq",
        "-O",
        "2.fq",
    ];
    place.ok(&[&qc[..], &["a.bam"]].concat());
    assert_eq!(
        names("1.fq"),
        [
            "@r0:ACGT-TT/1\tRX:Z:ACGT-TT",
            "@r1:CCCC/1\tRX:Z:CCCC",
            "@r2/1"
        ]
    );
    assert_eq!(
        names("2.fq"),
        [
            "@r0:ACGT-TT/2\tRX:Z:ACGT-TT",
            "@r1:CCCC/2\tRX:Z:CCCC",
            "@r2/2"
        ]
    );
    let lacks = "the first read of single.bam has no tag RX";
    place.write("single.bam", bgzf(&of_fastq(&fastq(3), 0)));
    let umi = ["qc", "-U", "--umi_loc", "tag:RX", "--stdout"];
    let told = |name: &str| place.ok(&[&umi[..], &[name]].concat()).stderr;
    assert!(told("single.bam").contains(lacks) && !told("a.bam").contains("no tag"));
    // The same of FASTQ that has them.
    place.ok(&["cat", "-T", "RX", "a.bam", "-o", "a.fq"]);
    let expected = names("1.fq");
    place.ok(&[&qc[..], &["a.fq"]].concat());
    assert_eq!(names("1.fq"), expected);
    let unknown = ["qc", "-U", "--umi_loc", "tag:R", "-o", "1.fq", "a.bam"];
    place.fails(&unknown, 2, &["tag:R"]);
}
