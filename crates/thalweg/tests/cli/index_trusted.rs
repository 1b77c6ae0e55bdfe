//! An index beside a file decides what is read: one that is wrong is told, as far as something shows it.

use std::io::{Read, Write};

use thalweg_gzip::index::{Index, IndexWriter, WINDOW_SIZE};

use crate::support::{Place, bgzf, fastq, gzip};

const COUNT: usize = 20_000;

/// Bytes of a `.mim` before its metadata, and where their length stands (docs/formats/index.md).
const FIXED: usize = 76;

fn to_another_base(byte: &mut u8) {
    *byte = match *byte {
        b'A' => b'C',
        b'C' => b'G',
        b'G' => b'T',
        b'T' => b'A',
        other => other,
    };
}

/// Have the windows of a `.mim` hold other bases.
fn forge(mim: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let start = FIXED + number(&mim[FIXED - 8..]) + 8;
    let mut list = Vec::new();
    let mut stream = flate2::read::GzDecoder::new(&mim[start..]);
    stream.read_to_end(&mut list).unwrap();
    let mut at = 8;
    for _ in 0..number(&list) {
        // in_pos, bits, out_pos; window; two more numbers.
        let length = number(&list[at + 17..]);
        let window = &mut list[at + 25..at + 25 + length];
        window.iter_mut().for_each(to_another_base);
        at += 25 + length + 16;
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packed.write_all(&list).unwrap();
    [&mim[..start], &packed.finish().unwrap()].concat()
}

fn place() -> Place {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    let options = ["--format", "mim", "--span", "400k", "a.fq.gz"];
    place.ok(&[&["index", "-q"], &options[..]].concat());
    place
}

const PART: [&str; 4] = ["cat", "--records", "15000..15100", "a.fq.gz"];

#[test]
fn a_part_that_nothing_checks_is_told() {
    let place = place();
    let expected = place.ok(&[
        "cat",
        "--index",
        "never",
        "--records",
        "15000..15100",
        "a.fq.gz",
    ]);
    assert_eq!(expected.stderr, "");
    let warning =
        "warning: a.fq.gz: a part is read through a.fq.gz.mim, which has no checksums of chunks";
    for words in [&[][..], &["-q"], &["-t", "1"]] {
        let ended = place.ok(&[&PART[..], words].concat());
        assert!(ended.stdout == expected.stdout);
        assert_eq!(ended.stderr.matches(warning).count(), 1, "{}", ended.stderr);
    }
    let count = [
        "count", "-q", "-k21", "--shard", "2/3", "a.fq.gz", "-o", "o.thk",
    ];
    assert!(place.ok(&count).stderr.contains(warning));
    // All of it is checked by the checksum of the member.
    for command in [&["cat"][..], &["stats"], &["cat", "--records", ".."]] {
        let ended = place.ok(&[command, &["--index", "require", "a.fq.gz"]].concat());
        assert_eq!(ended.stderr, "", "{command:?}");
    }
    let words = ["no checksums of chunks", "`thalweg index FILE`"];
    place.fails(&[&PART[..], &["--index", "require"]].concat(), 2, &words);
    let ended = place.ok(&["verify", "a.fq.gz"]);
    assert!(ended.stderr.contains("--full"), "{}", ended.stderr);
    assert_eq!(place.ok(&["verify", "--full", "a.fq.gz"]).stderr, "");
    // Our own index has them.
    place.ok(&["index", "-q", "--span", "400k", "a.fq.gz"]);
    let ended = place.ok(&[&PART[..], &["--index", "require"]].concat());
    assert_eq!((ended.stdout, &*ended.stderr), (expected.stdout, ""));
}

#[test]
fn a_forged_window_is_told() {
    let place = place();
    place.write("a.fq.gz.mim", forge(&place.read("a.fq.gz.mim")));
    let sound = place.ok(&[
        "cat",
        "--index",
        "never",
        "--records",
        "15000..15100",
        "a.fq.gz",
    ]);
    // Nothing shows what is wrong with a part.
    let ended = place.run(&PART);
    assert!(ended.stdout != sound.stdout);
    assert!(
        ended.stderr.contains("no checksums of chunks"),
        "{}",
        ended.stderr
    );
    for command in [
        &["cat"][..],
        &["stats"],
        &["count", "-k21", "-o", "o.thk"],
        &["qc", "-o", "o.fq"],
    ] {
        let words = ["the index beside it is wrong", "--index never"];
        place.fails(&[command, &["a.fq.gz"]].concat(), 1, &words);
        place.ok(&[command, &["--index", "never", "a.fq.gz"]].concat());
    }
    let words = [
        "the index is wrong, and the file is sound",
        "checkpoint",
        "index --force",
    ];
    for threads in ["1", "3"] {
        let verify = ["verify", "--full", "-t", threads, "a.fq.gz"];
        place.fails(&verify, 1, &words);
    }
    // Of a file that is damaged as well, that is told.
    let mut damaged = place.read("a.fq.gz");
    let trailer = damaged.len() - 8;
    damaged[trailer] ^= 1;
    place.write("a.fq.gz", damaged);
    place.fails(&["verify", "--full", "a.fq.gz"], 1, &["a.fq.gz: "]);
}

/// Writes `a.fq.gz.thw` with windows that hold other bases, and with the checksums of the chunks of `text`, which comes of them,
/// if it is known.
fn forge_thw(place: &Place, sound: &Index, text: Option<&[u8]>) {
    let mut writer = IndexWriter::create(&place.path("a.fq.gz.thw")).unwrap();
    let mut window = [0; WINDOW_SIZE];
    for (number, checkpoint) in sound.checkpoints.iter().enumerate() {
        let length = sound.window(number, &mut window).unwrap();
        let bytes = &mut window[WINDOW_SIZE - length..];
        bytes.iter_mut().for_each(to_another_base);
        let chunk = checkpoint.output_offset as usize..sound.chunk_end(number) as usize;
        let mut checkpoint = *checkpoint;
        checkpoint.crc32 = text.map(|text| crc32fast::hash(&text[chunk]));
        writer.push(checkpoint, bytes, None).unwrap();
    }
    writer.finish(&sound.summary()).unwrap();
}

#[test]
fn a_forged_window_with_checksums_that_fit_is_told_of_whole_members() {
    let place = Place::new();
    // Two members, each of several chunks.
    for name in ["one.fq.gz", "two.fq.gz"] {
        place.write(name, gzip(&fastq(COUNT)));
        place.ok(&["index", "-q", "--span", "400k", name]);
    }
    let join = ["cat", "--join", "-q", "one.fq.gz", "two.fq.gz", "-o"];
    place.ok(&[&join[..], &["a.fq.gz"]].concat());
    let sound = Index::open(&place.path("a.fq.gz.thw")).unwrap();
    assert!(sound.windows_size() > 0 && sound.chunks() > 8);
    forge_thw(&place, &sound, None);
    // The records of one chunk after the other: as long as no member is read whole, all come out.
    let ranks = sound.checkpoints.iter().map(|next| next.record_rank);
    let ranks = Vec::from_iter(ranks.chain([sound.record_count]));
    let records = |pair: &[u64]| {
        let range = format!("{}..{}", pair[0], pair[1]);
        let ended = place.ok(&["cat", "--records", &range, "a.fq.gz"]);
        assert!(ended.stderr.contains("no checksums of chunks"));
        ended.stdout
    };
    let text = ranks.windows(2).map(records).collect::<Vec<_>>().concat();
    assert_eq!(text.len() as u64, sound.output_size);
    forge_thw(&place, &sound, Some(&text));
    for command in [
        &["cat"][..],
        &["cat", "--records", ".."],
        &["cat", "--records", "0..20000"],
        &["cat", "--records", "0..25000"],
        &["cat", "--shard", "1/2"],
        &["stats"],
        &["count", "-k21", "-o", "o.thk"],
        &["count", "-k21", "--shard", "1/2", "-o", "o.thk"],
        &["qc", "-o", "o.fq"],
    ] {
        let words = ["the index beside it is wrong", "--index never"];
        place.fails(&[command, &["a.fq.gz"]].concat(), 1, &words);
    }
    for threads in ["1", "3"] {
        let words = [
            "the index is wrong, and the file is sound",
            "the window of checkpoint",
            "index --force",
        ];
        let verify = ["verify", "--full", "-t", threads, "a.fq.gz"];
        place.fails(&verify, 1, &words);
    }
    // An index is trusted to be that of its file. Nothing shows what is wrong with a part of a member.
    let [found, expected] = ["require", "never"].map(|index| {
        let part = ["--records", "15000..15100", "a.fq.gz"];
        place.ok(&[&["cat", "--index", index][..], &part].concat())
    });
    assert!(found.stdout != expected.stdout);
}

/// Nothing is read through a `.gzi`: it knows no records, so it cannot lead to wrong ones.
#[test]
fn a_forged_gzi_changes_nothing() {
    let place = Place::new();
    place.write("b.fq.gz", bgzf(&fastq(COUNT)));
    place.ok(&["index", "-q", "--format", "gzi", "b.fq.gz"]);
    let sound = place.read("b.fq.gz.gzi");
    let size = place.read("b.fq.gz").len() as u64;
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let pairs = sound[8..].chunks(16);
    let pairs = Vec::from_iter(pairs.map(|pair| [number(&pair[..8]), number(&pair[8..])]));
    let forge = |change: &dyn Fn(usize, &mut [u64; 2])| {
        let mut pairs = pairs.clone();
        let each = pairs.iter_mut().enumerate();
        each.for_each(|(number, pair)| change(number, pair));
        let pairs = pairs.concat().into_iter().flat_map(u64::to_le_bytes);
        [&sound[..8], &Vec::from_iter(pairs)].concat()
    };
    let last = pairs.len() - 1;
    // Blocks tell nothing of records.
    place.write("b.fq.gz.gzi", &sound[..]);
    place.fails(
        &["stats", "b.fq.gz", "--index-file", "b.fq.gz.gzi"],
        2,
        &[
            "b.fq.gz.gzi: this index lists blocks (.gzi), not records",
            "`thalweg index FILE`",
        ],
    );
    for bytes in [
        sound.clone(),
        forge(&|_, pair| pair[1] += 1),
        forge(&|number, pair| pair[0] += if number == 3 { 1000 } else { 0 }),
        forge(&|_, pair| pair[0] += size),
        forge(&|number, pair| pair[1] = if number == last { 1 << 40 } else { pair[1] }),
        forge(&|number, pair| pair[0] = if number == 5 { 18 } else { pair[0] }),
        sound[..sound.len() - 3].to_vec(),
    ] {
        place.write("b.fq.gz.gzi", bytes);
        for command in [
            &["cat"][..],
            &["stats"],
            &["verify", "--full"],
            &["cat", "--records", "15000..15100"],
        ] {
            let line = [command, &["b.fq.gz"]].concat();
            let ended = place.ok(&line);
            let without = place.ok(&[&line[..], &["--index", "never"]].concat());
            assert!(ended.stdout == without.stdout, "{command:?}");
            let named = place.run(&[&line[..], &["--index-file", "b.fq.gz.gzi"]].concat());
            assert_ne!(named.code, Some(0), "{command:?}");
            assert!(
                named.stdout.is_empty() && named.stderr.contains("b.fq.gz"),
                "{}",
                named.stderr
            );
        }
    }
}
