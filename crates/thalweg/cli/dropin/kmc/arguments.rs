//! KMC's command lines: options with their values attached, names behind them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use thalweg::files::{counted, read_text_list};

use super::usage;
use crate::process::exit::Failure;

/// KMC's own limits, where nothing else is said.
const LOWEST: u64 = 2;
const HIGHEST: u64 = 1_000_000_000;
const LARGEST: u64 = 255;

/// Of `kmc`.
#[derive(Debug, PartialEq)]
pub(super) struct CountArguments {
    pub(super) k: usize,
    pub(super) canonical: bool,
    /// Counts that are kept.
    pub(super) kept: (u64, u64),
    /// What larger counts are cut to.
    pub(super) largest: u64,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) memory: Option<u64>,
    pub(super) write: bool,
    /// The input is said to be FASTA on many lines: what KMC calls sequences then, it calls reads elsewhere.
    pub(super) of_sequences: bool,
    /// Where a summary in JSON goes.
    pub(super) summary: Option<PathBuf>,
    pub(super) input: String,
    pub(super) output: PathBuf,
    pub(super) directory: PathBuf,
}

impl CountArguments {
    pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut parsed = Self {
            k: 25,
            canonical: true,
            kept: (LOWEST, HIGHEST),
            largest: LARGEST,
            threads: None,
            memory: None,
            write: true,
            of_sequences: false,
            summary: None,
            input: String::new(),
            output: PathBuf::new(),
            directory: PathBuf::new(),
        };
        let mut names = Vec::new();
        for argument in arguments {
            match option(&argument) {
                // What describes threads of single stages, bins, and what is printed.
                Some("v" | "r" | "sm" | "hp" | "-opt-out-size" | "okmc") => {}
                Some("b") => parsed.canonical = false,
                Some("w") => parsed.write = false,
                Some(format @ ("fa" | "fq" | "fm")) => parsed.of_sequences = format == "fm",
                Some(option) => parsed.set(option, &argument)?,
                None => names.push(argument),
            }
        }
        let [input, output, directory] = <[String; 3]>::try_from(names).map_err(|names| {
            usage(format!(
                "{}, but three are needed: input, output and directory for temporary files",
                counted(names.len() as u64, "name")
            ))
        })?;
        parsed.input = input;
        parsed.output = output.into();
        parsed.directory = directory.into();
        Ok(parsed)
    }

    /// An option with a number.
    fn set(&mut self, option: &str, argument: &str) -> Result<(), Failure> {
        let value = |name: &str| option.strip_prefix(name);
        if let Some(path) = value("j").filter(|path| !path.is_empty()) {
            self.summary = Some(path.into());
            return Ok(());
        }
        if let Some(text) = value("ci") {
            // Every k-mer that there is occurs once.
            self.kept.0 = number(text, argument)?.max(1);
        } else if let Some(text) = value("cx") {
            self.kept.1 = number(text, argument)?;
        } else if let Some(text) = value("cs") {
            self.largest = number(text, argument)?.max(1);
        } else if let Some(text) = value("k") {
            self.k = usize::try_from(number(text, argument)?).unwrap_or(usize::MAX);
        } else if let Some(text) = value("m") {
            self.memory = Some(number(text, argument)?.saturating_mul(1_000_000_000));
        } else if let Some(text) = value("t") {
            let threads = usize::try_from(number(text, argument)?).unwrap_or(usize::MAX);
            let threads = NonZeroUsize::new(threads);
            self.threads = Some(
                threads
                    .ok_or_else(|| usage(format!("{argument}: at least one thread is needed")))?,
            );
        } else {
            let ignored = ["sf", "sp", "so", "sr", "p", "n"];
            let text = ignored.iter().find_map(|name| option.strip_prefix(name));
            number(text.ok_or_else(|| unknown(argument))?, argument)?;
        }
        Ok(())
    }

    /// The files to read: one, or those that a list has.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        files_of(&self.input)
    }
}

/// Of `kmc_dump`.
#[derive(Debug, PartialEq)]
pub(super) struct DumpArguments {
    pub(super) kept: (u64, u64),
    pub(super) database: PathBuf,
    pub(super) output: PathBuf,
}

impl DumpArguments {
    pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut kept = (0, u64::MAX);
        let mut names = Vec::new();
        for argument in arguments {
            match option(&argument) {
                Some(option) => match (option.strip_prefix("ci"), option.strip_prefix("cx")) {
                    (Some(text), _) => kept.0 = number(text, &argument)?,
                    // To kmc_dump, 0 is no limit.
                    (_, Some(text)) => {
                        kept.1 = match number(text, &argument)? {
                            0 => u64::MAX,
                            most => most,
                        }
                    }
                    _ => return Err(unknown(&argument)),
                },
                None => names.push(argument),
            }
        }
        let [database, output] = <[String; 2]>::try_from(names).map_err(|names| {
            usage(format!(
                "{}, but two are needed",
                counted(names.len() as u64, "name")
            ))
        })?;
        Ok(Self {
            kept,
            database: database.into(),
            output: output.into(),
        })
    }
}

/// The files that an input stands for: itself, or behind @ those that a list has.
pub(super) fn files_of(input: &str) -> Result<Vec<PathBuf>, Failure> {
    let Some(list) = input.strip_prefix('@') else {
        return Ok(vec![input.into()]);
    };
    let text = read_text_list(list.as_ref()).map_err(|error| Failure::io(list.as_ref(), error))?;
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    let files: Vec<PathBuf> = names.map(PathBuf::from).collect();
    match files.is_empty() {
        true => Err(usage(format!("{list} names no file"))),
        false => Ok(files),
    }
}

/// Whether nothing is to be done but to say what could be.
pub(super) fn asks_for_help(arguments: &[String]) -> bool {
    let asking = ["-h", "--help", "--version"];
    arguments.is_empty() || arguments.iter().any(|word| asking.contains(&word.as_str()))
}

/// What `kmc` does and this does not, if a count asks for it: better told than done in another way.
pub(super) fn not_done(arguments: &[String]) -> Option<&'static str> {
    arguments.iter().find_map(|argument| {
        Some(match option(argument)? {
            "okff" => "-okff: KFF is not written, only KMC's own format (-okmc)",
            "e" => "-e: nothing is estimated; -w counts exactly, and writes no database",
            "hc" => "-hc: homopolymers are not compressed",
            "fbam" => "-fbam: `thalweg count` reads BAM, and which of its records KMC counts is not known here",
            "fkmc" => {
                "-fkmc: databases are not counted; `thalweg kmers merge` converts them"
            }
            _ => return None,
        })
    })
}

/// What stands behind the dash; `None` for a name.
fn option(argument: &str) -> Option<&str> {
    argument.strip_prefix('-').filter(|rest| !rest.is_empty())
}

fn number(text: &str, argument: &str) -> Result<u64, Failure> {
    parse_number(text).ok_or_else(|| usage(format!("{argument}: expected a number")))
}

/// Whole, or as `1e9`.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    match text.split_once('e') {
        None => text.parse().ok(),
        Some((digits, zeros)) => digits
            .parse::<u64>()
            .ok()
            .zip(zeros.parse().ok())
            .and_then(|(digits, zeros)| digits.checked_mul(10_u64.checked_pow(zeros)?)),
    }
}

fn unknown(argument: &str) -> Failure {
    usage(format!("{argument}: not known here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<CountArguments, Failure> {
        CountArguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn what_is_not_done_is_told() {
        let asked = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            not_done(&words)
        };
        assert!(asked("-k21 -okff in out tmp").unwrap().contains("KFF"));
        assert!(asked("-e in out tmp").is_some());
        assert_eq!(asked("-k21 -okmc -fq -hp in okff e"), None);
    }

    #[test]
    fn options_have_their_values_attached() {
        let parsed =
            parse("-k31 -m4 -ci1 -cs1e5 -cx1e13 -t3 -fm -b -sf2 -hp -jx.json in.fa out tmp")
                .unwrap();
        let expected = CountArguments {
            k: 31,
            canonical: false,
            kept: (1, 10_000_000_000_000),
            largest: 100_000,
            threads: NonZeroUsize::new(3),
            memory: Some(4_000_000_000),
            write: true,
            of_sequences: true,
            summary: Some("x.json".into()),
            input: "in.fa".into(),
            output: "out".into(),
            directory: "tmp".into(),
        };
        assert_eq!(parsed, expected);
        let usual = parse("in out tmp").unwrap();
        assert_eq!(
            (usual.k, usual.kept, usual.largest),
            (25, (2, HIGHEST), 255)
        );
        for wrong in [
            "in out",
            "-kx in out tmp",
            "-k in out tmp",
            "-okff in out tmp",
            "-j in out tmp",
            "-e a b c",
            "-t0 in out tmp",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
