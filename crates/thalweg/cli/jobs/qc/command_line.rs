//! The command line as reports tell it, in which MultiQC looks for the name of the sample.
//!
//! It takes the words behind `-i` and `-I`; where there is no `-i`, the name of the JSON report. So inputs that were named
//! by their places get these options, and inputs without a name of their own (the standard input, pipes, `<(...)`) do not
//! stand behind them: all samples would have the name of a file descriptor, of which MultiQC keeps one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use thalweg::clean::{CleanSettings, ReportSettings};

/// The words of the command line, joined, as reports tell them. To be asked for before inputs are read: whoever feeds a pipe
/// may remove it. `named_by_place` are inputs that no option names.
pub(super) fn command_line(
    named_by_place: &[PathBuf],
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
) -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let inputs: Vec<Input> = lanes
        .iter()
        .flat_map(|lane| lane.iter().zip(1..))
        .map(|(path, mate)| Input::new(path, mate))
        .collect();
    let told = told(words.collect(), named_by_place, &inputs, label(settings));
    match settings.steps.mode.is_correct() {
        true => told
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
        // fastp joins them as they are.
        false => told.join(" "),
    }
}

/// A word as it can be given to a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,@%+".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
    }
}

/// An input, and whether its name says nothing of the sample.
struct Input {
    word: String,
    /// 1 or 2.
    mate: u8,
    is_nameless: bool,
}

impl Input {
    fn new(path: &Path, mate: u8) -> Self {
        Self {
            word: path.to_string_lossy().into_owned(),
            mate,
            is_nameless: is_descriptor(path)
                || !std::fs::metadata(path).is_ok_and(|data| data.is_file()),
        }
    }

    /// What stands for it; the number of a descriptor without the directory that all have in common.
    fn told(&self) -> String {
        let path = Path::new(&self.word);
        let value = match path.file_name() {
            Some(number) if is_descriptor(path) && self.word.contains("/fd/") => {
                format!("fd:{}", number.to_string_lossy())
            }
            _ => self.word.clone(),
        };
        // In one word, which MultiQC passes over.
        format!("--in{}={value}", self.mate)
    }
}

/// Whether a path leads to whatever is open: `-`, `/dev/stdin`, `/dev/fd/63`, `/proc/self/fd/63`.
fn is_descriptor(path: &Path) -> bool {
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = path.iter().filter_map(|word| word.to_str()).collect();
    match words[..] {
        ["-"] | ["/", "dev", "stdin"] => true,
        ["/", "dev", "fd", number] => is_number(number),
        ["/", "proc", .., "fd", number] => is_number(number),
        _ => false,
    }
}

/// What the sample may be called where neither its input nor its report has a name: as the first of its outputs with its
/// directory, else as the directory of the report. Other samples have other directories, or other outputs.
fn label(settings: &CleanSettings) -> Option<String> {
    let json = settings.reports.json.as_ref()?;
    if json.file_name()? != ReportSettings::JSON {
        return None;
    }
    let files = &settings.outputs;
    let mut outputs = [&files.out1, &files.merged_out, &files.out2]
        .into_iter()
        .flatten()
        .filter(|path| {
            !["-", "/dev/fd", "/dev/null", "/dev/stdout", "/proc"]
                .iter()
                .any(|place| path.starts_with(place))
        });
    let path = outputs.next().map_or(json, |output| output);
    let path = std::path::absolute(path).ok()?;
    let directory = path.parent().and_then(Path::file_name);
    let name = path
        .file_name()
        .filter(|name| *name != ReportSettings::JSON);
    let words: Vec<_> = [directory, name]
        .into_iter()
        .flatten()
        .map(|word| word.to_string_lossy())
        .collect();
    Some(format!("pipe:{}", words.join("_")))
}

/// Options whose value may be `-`, and is no input then.
const OUTPUTS: [&str; 17] = [
    "-o",
    "-O",
    "-j",
    "-h",
    "--out1",
    "--out2",
    "--unpaired1",
    "--unpaired2",
    "--merged_out",
    "--failed_out",
    "--overlapped_out",
    "--json",
    "--html",
    "-R",
    "--report_title",
    "--umi_delim",
    "--umi_prefix",
];

/// Whether a word is one of [`OUTPUTS`], with hyphens or underscores.
fn is_output(word: &str) -> bool {
    let usual = word
        .strip_prefix("--")
        .map(|name| format!("--{}", name.replace('-', "_")));
    OUTPUTS.contains(&usual.as_deref().unwrap_or(word))
}

/// The words with what was said above done to them. `named_by_place` are inputs that no option names.
fn told(
    mut words: Vec<String>,
    named_by_place: &[PathBuf],
    inputs: &[Input],
    label: Option<String>,
) -> Vec<String> {
    // Behind the names of program and subcommand.
    let mut from = 1 + usize::from(words.get(1).is_some_and(|word| word == "qc"));
    let first = from;
    for (input, option) in named_by_place.iter().zip(["-i", "-I"]) {
        let input = input.to_string_lossy();
        let is_it = |at: &usize| words[*at] == input && !is_output(&words[*at - 1]);
        let Some(at) = (from..words.len()).find(is_it) else {
            break;
        };
        words.insert(at, option.to_owned());
        from = at + 2;
    }
    if !named_by_place.is_empty() {
        words.retain(|word| word != "--");
    }
    let mut label = label.map(|label| vec!["-i".to_owned(), label]);
    for input in inputs.iter().filter(|input| input.is_nameless) {
        let Some((range, left)) = find(&words[first..], input) else {
            continue;
        };
        let label = label.take().filter(|_| input.mate == 1);
        let new = match (label, &*input.word) {
            (Some(label), _) => label,
            (None, "-") if input.mate == 1 => vec!["--stdin".to_owned()],
            (None, _) => vec![input.told()],
        };
        let range = range.start + first..range.end + first;
        words.splice(range, left.into_iter().chain(new));
    }
    words
}

/// Which words name an input, and what is left of the first of them.
fn find(words: &[String], input: &Input) -> Option<(std::ops::Range<usize>, Option<String>)> {
    let (short, long) = match input.mate {
        1 => ('i', "--in1"),
        _ => ('I', "--in2"),
    };
    words.iter().enumerate().find_map(|(at, word)| {
        // `--in1=x`, `-i=x`, `-ix`.
        let joined = word.strip_prefix(long).or_else(|| {
            let value = word.strip_prefix('-')?;
            value.strip_prefix(short)
        });
        let is_joined = joined.is_some_and(|value| {
            !value.is_empty() && value.strip_prefix('=').unwrap_or(value) == input.word
        });
        if is_joined {
            return Some((at..at + 1, None));
        }
        // `-i x`, `-Di x`.
        let option = words.get(at.checked_sub(1)?)?;
        if *word != input.word {
            return None;
        }
        let cluster = option
            .strip_suffix(short)
            .filter(|rest| rest.starts_with('-') && !rest.starts_with("--"));
        match cluster {
            _ if option == long => Some((at - 1..at + 1, None)),
            Some("-") => Some((at - 1..at + 1, None)),
            Some(rest) => Some((at - 1..at + 1, Some(rest.to_owned()))),
            None => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_without_names_stand_behind_no_option() {
        let pipe = "/dev/fd/63";
        let other = "/proc/self/fd/62";
        for (line, by_place, inputs, label, wanted) in [
            ("qc a -o x", &["a"][..], &[("a", 1)][..], "", "qc -i a -o x"),
            (
                "qc a b -c",
                &["a", "b"],
                &[("a", 1), ("b", 2)],
                "",
                "qc -i a -I b -c",
            ),
            (
                "qc -c a -o x b",
                &["a", "b"],
                &[("a", 1), ("b", 2)],
                "",
                "qc -c -i a -o x -I b",
            ),
            (
                "qc -i a -I b",
                &[],
                &[("a", 1), ("b", 2)],
                "",
                "qc -i a -I b",
            ),
            (
                "qc -c -- a b",
                &["a", "b"],
                &[("a", 1), ("b", 2)],
                "",
                "qc -c -i a -I b",
            ),
            ("qc qc", &["qc"], &[("qc", 1)], "", "qc -i qc"),
            ("qc - -o x", &["-"], &[("-", 1)], "", "qc --stdin -o x"),
            ("qc -o - -", &["-"], &[("-", 1)], "", "qc -o - --stdin"),
            ("qc -i - -o -", &[], &[("-", 1)], "", "qc --stdin -o -"),
            (
                "qc - b",
                &["-", "b"],
                &[("-", 1), ("b", 2)],
                "",
                "qc --stdin -I b",
            ),
            (
                "qc a -",
                &["a", "-"],
                &[("a", 1), ("-", 2)],
                "",
                "qc -i a --in2=-",
            ),
            (
                "qc /dev/stdin",
                &["/dev/stdin"],
                &[("/dev/stdin", 1)],
                "",
                "qc --in1=/dev/stdin",
            ),
            (
                "qc /dev/fd/63 /proc/self/fd/62 -o x",
                &[pipe, other],
                &[(pipe, 1), (other, 2)],
                "",
                "qc --in1=fd:63 --in2=fd:62 -o x",
            ),
            (
                "qc /dev/fd/63 /proc/self/fd/62 -o x",
                &[pipe, other],
                &[(pipe, 1), (other, 2)],
                "pipe:x",
                "qc -i pipe:x --in2=fd:62 -o x",
            ),
            (
                "-i /dev/fd/63 -o x",
                &[],
                &[(pipe, 1)],
                "",
                "--in1=fd:63 -o x",
            ),
            (
                "-Di /dev/fd/63 -o x",
                &[],
                &[(pipe, 1)],
                "",
                "-D --in1=fd:63 -o x",
            ),
            (
                "-i/dev/fd/63 -o x",
                &[],
                &[(pipe, 1)],
                "",
                "--in1=fd:63 -o x",
            ),
            (
                "--in1 /dev/fd/63 -o x",
                &[],
                &[(pipe, 1)],
                "",
                "--in1=fd:63 -o x",
            ),
            (
                "--in1=/dev/fd/63 -o x",
                &[],
                &[(pipe, 1)],
                "",
                "--in1=fd:63 -o x",
            ),
            (
                "-i a.fifo -I b.fifo",
                &[],
                &[("a.fifo", 1), ("b.fifo", 2)],
                "",
                "--in1=a.fifo --in2=b.fifo",
            ),
            (
                "qc --stdin -o x",
                &[],
                &[("-", 1)],
                "pipe:x",
                "qc --stdin -o x",
            ),
        ] {
            let words = ["thalweg"].into_iter().chain(line.split(' '));
            let by_place: Vec<PathBuf> = by_place.iter().map(PathBuf::from).collect();
            let inputs: Vec<Input> = inputs
                .iter()
                .map(|&(word, mate)| Input {
                    word: word.to_owned(),
                    mate,
                    is_nameless: word.contains('/') || word.contains("fifo") || word == "-",
                })
                .collect();
            let label = (!label.is_empty()).then(|| label.to_owned());
            let found = told(
                words.map(str::to_owned).collect(),
                &by_place,
                &inputs,
                label,
            );
            assert_eq!(found.join(" "), format!("thalweg {wanted}"), "{line}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, wanted) in [
            ("-o", "-o"),
            ("a/b_1.fq.gz", "a/b_1.fq.gz"),
            ("--in1=x,y:z", "--in1=x,y:z"),
            ("", "''"),
            ("my reads.fq", "'my reads.fq'"),
            ("it's", r"'it'\''s'"),
            ("$HOME;rm", "'$HOME;rm'"),
            ("größe", "'größe'"),
        ] {
            assert_eq!(quoted(word), wanted);
        }
    }

    #[test]
    fn descriptors_are_known_by_their_paths() {
        for (path, wanted) in [
            ("-", true),
            ("/dev/stdin", true),
            ("/dev/fd/0", true),
            ("/dev//fd/63", true),
            ("/proc/self/fd/3", true),
            ("/proc/123/fd/3", true),
            ("/dev/fd/x", false),
            ("/data/fd/3", false),
            ("dev/fd/3", false),
            ("r.fq", false),
        ] {
            assert_eq!(is_descriptor(Path::new(path)), wanted, "{path}");
        }
    }
}
