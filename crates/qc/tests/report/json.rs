//! JSON, compared line by line.

use std::path::Path;
use std::process::{Command, Stdio};

use thalweg_qc::FastpVersion;

use crate::reporting::run;
use crate::simulation;

#[test]
fn json_of_fastp_1_3_is_met() {
    let Some(directory) = std::env::var_os("THALWEG_FASTP_GOLDEN") else {
        println!("skipped: THALWEG_FASTP_GOLDEN names no directory");
        return;
    };
    let directory = Path::new(&directory);
    let table = std::fs::read_to_string(directory.join("options.tsv")).expect("options.tsv");
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for row in table.lines() {
        let (number, line) = row.split_once('\t').expect("number and options");
        let line = line.replace("IDX1", "IDX1.txt");
        for name in ["sars", "hiseqx", "yeast", "short"] {
            let read = |mate| std::fs::read(directory.join(format!("in/{name}.{mate}.fq")));
            let (first, second) = (read(1).expect("reads"), read(2).expect("mates"));
            for (kind, inputs) in [("pe", vec![&first[..], &second]), ("se", vec![&first[..]])] {
                let place = directory.join(kind).join(name).join(number);
                let Ok(theirs) = std::fs::read_to_string(place.join("fastp.json")) else {
                    continue;
                };
                let what = format!("{kind} {name} {number} {line}");
                let run = run(&line, FastpVersion::V1_3, directory, &inputs);
                wrong.extend(difference(&run.report("", "").json(), &theirs, &what));
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "only {compared} runs were compared");
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn json_of_fastp_0_23_is_met() {
    let version = Command::new("fastp").arg("--version").output();
    let Ok(version) = version else {
        println!("skipped: no fastp");
        return;
    };
    let version = [version.stdout, version.stderr].concat();
    if !String::from_utf8_lossy(&version).contains("0.23.2") {
        println!("skipped: this fastp is not 0.23.2");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path();
    let mut wrong = Vec::new();
    // Fewer than 10,000, so that no adapter is detected; 42 bases make two of the
    // lengths of frequent sequences equal.
    for length in [42, 100] {
        let [first, second] = simulation::pairs(7, 2500, length, "K001");
        // Copies, and frequent sequences.
        let (first, second) = (repeat_first(&first), repeat_first(&second));
        std::fs::write(place.join("1.in.fq"), &first).expect("reads");
        std::fs::write(place.join("2.in.fq"), &second).expect("mates");
        for (paired, line) in [
            (false, ""),
            (false, "-p -P 1 -y -x"),
            (false, "-p -a AGATCGGAAGAGC"),
            (true, ""),
            (true, "-p -P 3 -c -q 25"),
            (true, "-x -g -5 -3 -y -Y 40"),
            (true, "-m --merged_out merged.fq -p -P 2"),
            (true, "-A"),
        ] {
            let mut fastp = Command::new("fastp");
            fastp
                .current_dir(place)
                .stdin(Stdio::null())
                .stderr(Stdio::null());
            fastp.args("-w 1 -j theirs.json -h theirs.html -i 1.in.fq -o 1.fq".split(' '));
            let mut inputs = vec![&first[..]];
            if paired {
                fastp.args("-I 2.in.fq -O 2.fq".split(' '));
                inputs.push(&second);
            }
            let status = fastp.args(line.split_whitespace()).status().expect("fastp");
            assert!(status.success(), "{line}");
            let theirs = std::fs::read_to_string(place.join("theirs.json")).expect("JSON");
            let run = run(line, FastpVersion::V0_23, place, &inputs);
            let what = format!("{length} bases, paired {paired}: {line}");
            wrong.extend(difference(&run.report("", "").json(), &theirs, &what));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every fifth record in place of the two after it, and the first fifty once more.
fn repeat_first(text: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let records: Vec<&[&[u8]]> = lines.chunks(4).collect();
    let some = records
        .iter()
        .step_by(5)
        .flat_map(|record| [record, record, record]);
    let again = records.iter().take(50).cycle().take(600);
    some.chain(again)
        .flat_map(|record| record.concat())
        .collect()
}

/// The first line that differs, except those of the command.
fn difference(ours: &str, theirs: &str, what: &str) -> Option<String> {
    let is_command = |line: &str| line.starts_with("\t\"command\"");
    let mut pairs = ours.lines().zip(theirs.lines());
    let different = pairs.find(|(a, b)| a != b && !(is_command(a) && is_command(b)));
    let short = |line: &str| line.chars().take(300).collect::<String>();
    if let Some((a, b)) = different {
        return Some(format!(
            "{what}:\n  {}\ninstead of\n  {}",
            short(a),
            short(b)
        ));
    }
    let (a, b) = (ours.lines().count(), theirs.lines().count());
    (a != b).then(|| format!("{what}: {a} instead of {b} lines"))
}
