//! How the command line is parsed, and how errors in it are reported.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use super::Arguments;
use super::elsewhere::{
    elsewhere, groups_with, in_place_of, in_place_of_assignment, in_place_of_value,
};
use crate::dropin::fastp;
use crate::process::exit::{Failure, after_printing};

/// The command line as clap sees it; `--version` (not -V) also names the kernel.
pub(crate) fn command() -> clap::Command {
    let version = env!("CARGO_PKG_VERSION");
    let kernel = thalweg::active_kernel();
    let command = Arguments::command().long_version(format!("{version}\ninflate kernel: {kernel}"));
    // Longer lines are hard to follow, however wide the terminal is.
    let command = command.max_term_width(100);
    with_either_dash(with_negative_numbers(command))
}

/// Let hyphens and underscores be alike in the names of options: fastp has the one, most others the other.
fn with_either_dash(command: clap::Command) -> clap::Command {
    let names = |arg: &clap::Arg| {
        let long = arg.get_long().map(str::to_owned);
        let aliases = arg.get_all_aliases().unwrap_or_default();
        let aliases = aliases.into_iter().map(str::to_owned);
        long.into_iter().chain(aliases).collect::<Vec<_>>()
    };
    let mut taken: BTreeSet<String> = command.get_arguments().flat_map(names).collect();
    command
        .mut_args(|arg| {
            let others: Vec<String> = names(&arg)
                .iter()
                .flat_map(|name| [name.replace('-', "_"), name.replace('_', "-")])
                .filter(|other| taken.insert(other.clone()))
                .collect();
            arg.aliases(others)
        })
        .mut_subcommands(with_either_dash)
}

/// Let `-1` after an option for a number be taken as its value: the option then says what it takes instead.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let is_number = |arg: &clap::Arg| {
        let takes_value = arg.get_action().takes_values();
        let names = arg.get_value_names().filter(|_| takes_value);
        names.is_some_and(|names| {
            let number = [
                "N", "K", "Q", "COUNT", "SIZE", "BYTES", "QUALITY", "PERCENT", "LEVEL", "A..B",
                "I/N", "N|auto",
            ];
            names.iter().any(|name| number.contains(&name.as_str()))
        })
    };
    command
        .mut_args(|arg| match is_number(&arg) {
            true => arg.allow_negative_numbers(true),
            false => arg,
        })
        .mut_subcommands(with_negative_numbers)
}

/// Parse the command line; if it asks for help, or something is wrong, that is printed, and the exit code is what is left.
pub(crate) fn parse() -> Result<(Arguments, Assignments), ExitCode> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let mut command = command();
    if fastp::is_named_so() {
        command = fastp::stand_in(command, &mut words)?;
    }
    command = fastp::follow(command, &mut words);
    name_the_group(&command, &mut words);
    let said: Vec<String> = (words.iter())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let name = name_of_command(&command, &said);
    if let Some(failure) = stray_value(&name, &said) {
        return Err(failure.report());
    }
    let matches = command.try_get_matches_from(words);
    matches
        .and_then(|matches| {
            let assignments = Assignments::of(&name, &matches);
            Ok((Arguments::from_arg_matches(&matches)?, assignments))
        })
        .map_err(|error| refuse(error, &name, &said))
}

/// What the words of a command line ask for: `qc`, or `kmers histo`.
fn name_of_command(command: &clap::Command, words: &[String]) -> String {
    let mut command = command;
    let names = words.iter().skip(1).map_while(|word| {
        command = command.find_subcommand(word)?;
        Some(word.as_str())
    });
    names.collect::<Vec<_>>().join(" ")
}

/// What is wrong where a word follows an option that takes none, and is no file.
fn stray_value(name: &str, words: &[String]) -> Option<Failure> {
    let stray = |pair: &[String]| {
        let (option, word) = (&pair[0], &pair[1]);
        let instead = in_place_of_value(name, option, word)?;
        let message =
            format!("{option} {word}: {option} takes no value, and there is no file named {word}");
        (!Path::new(word).exists()).then(|| Failure::usage(message, instead))
    };
    words.windows(2).find_map(stray)
}

/// Names of inputs that are BBDuk's way to say what is read and what is done, as `in=reads.fq`, and what to do in their place
/// if there are no such files.
pub(crate) struct Assignments(Vec<(PathBuf, &'static str)>);

impl Assignments {
    /// Those of the command `name`.
    fn of(name: &str, matches: &clap::ArgMatches) -> Self {
        let mut innermost = matches;
        while let Some((_, matches)) = innermost.subcommand() {
            innermost = matches;
        }
        if innermost.try_contains_id("fastp_compat").unwrap_or(false) {
            return Self(Vec::new());
        }
        let files = ["database", "files"].into_iter().flat_map(|id| {
            let paths = innermost.try_get_many::<PathBuf>(id).ok().flatten();
            paths.into_iter().flatten()
        });
        let instead = |file: &PathBuf| {
            let instead = in_place_of_assignment(name, &file.to_string_lossy())?;
            Some((file.clone(), instead))
        };
        Self(files.filter_map(instead).collect())
    }

    /// Reports a failure, with what to do instead if one of them is not there, and returns the exit code.
    pub(crate) fn report(&self, failure: Failure) -> ExitCode {
        let missing = failure.missing();
        let instead = (self.0.iter()).find(|(file, _)| missing == Some(file.as_path()));
        match instead {
            Some((_, instead)) => failure.report_as(|_| (*instead).to_owned()),
            None => failure.report(),
        }
    }
}

/// Of `help SUBCOMMAND`, find the subcommand among those of groups, too: `help kmers SUBCOMMAND`.
fn name_the_group(command: &clap::Command, words: &mut Vec<OsString>) {
    let [_, help, name] = &words[..] else {
        return;
    };
    let is_alone = help == "help" && command.find_subcommand(name).is_none();
    let group = groups_with(command, name).next().map(OsString::from);
    if let Some(group) = group.filter(|_| is_alone) {
        words.insert(2, group);
    }
}

/// Commands that read the standard input where it is named.
const READING: [&str; 4] = ["cat", "stats", "count", "classify"];

/// How to do one after the other what `cat` does not do at once, if that is what is wrong.
fn of_two_choices(error: &clap::Error) -> Option<&'static str> {
    if error.kind() != ErrorKind::ArgumentConflict {
        return None;
    }
    let kinds = [ContextKind::InvalidArg, ContextKind::PriorArg];
    let words = kinds.into_iter().filter_map(|kind| error.get(kind));
    let words: Vec<&str> = words
        .flat_map(|words| match words {
            ContextValue::String(word) => vec![word.as_str()],
            ContextValue::Strings(words) => words.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        })
        .filter_map(|word| word.split_whitespace().next())
        .collect();
    let has = |names: &[&str]| words.iter().filter(|word| names.contains(word)).count();
    let choices = has(&["--sample", "--names", "--grep"]);
    let parts = has(&["--parts", "--records-per-part", "--bases-per-part"]);
    match (choices, parts) {
        (1, 1) => Some(
            "do one after the other, through a pipe: `thalweg cat --sample N FILE | thalweg cat --records-per-part N - -o 'part_{}.fq.gz'`; mates go through it interleaved (--mates, then --interleaved)",
        ),
        (2.., _) => Some(
            "do one after the other, through a pipe: `thalweg cat --names LIST FILE | thalweg cat --sample N -`; mates go through it interleaved (--mates, then --interleaved)",
        ),
        _ => None,
    }
}

/// Prints help, or what is wrong with words for the command `name`, in the form of all errors. With it:
///
/// - where a command that somebody looks for is to be found;
/// - what there is in the place of other programs' options;
/// - how `cat` does one after the other what it does not do at once;
/// - how the standard input is named;
/// - that `qc -h`, which fastp's users know, is no help, and `qc -q` not what `-q` is elsewhere.
fn refuse(mut error: clap::Error, name: &str, words: &[String]) -> ExitCode {
    let code = error.exit_code() as u8;
    if !error.use_stderr() {
        return after_printing(error.print(), code);
    }
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(said)) => Some(said.as_str()),
        _ => None,
    };
    let in_place = match error.kind() {
        ErrorKind::UnknownArgument => {
            said(ContextKind::InvalidArg).and_then(|option| instead_of(option, name, words))
        }
        // Of several names of files, more than there may be.
        ErrorKind::TooManyValues => {
            said(ContextKind::InvalidValue).and_then(|word| in_place_of_assignment(name, word))
        }
        _ => None,
    };
    let elsewhere = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => elsewhere(&command(), name),
        _ => None,
    };
    if let Some(similar) = similar_to(&error, words) {
        error.insert(ContextKind::SuggestedSubcommand, similar);
    }
    drop_distant_suggestions(&mut error);
    suggest_own_name(&mut error, name);
    if in_place.is_some() || elsewhere.is_some() {
        // Another that has a similar name is none that helps.
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    if error.kind() == ErrorKind::UnknownArgument {
        // How a file with such a name would be given: nobody means that.
        error.remove(ContextKind::Suggested);
    }
    if let Some(usage) = usage_of(name).filter(|_| !fastp::is_named_so()) {
        // Clap's own names the options that were given, as if they were required.
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    let lacks_file = error.kind() == ErrorKind::MissingRequiredArgument
        && READING.contains(&name)
        && matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing)) if missing.iter().any(|name| name.contains("FILE")));
    let says = |kind, text: &str| match error.get(kind) {
        Some(ContextValue::String(said)) => said.starts_with(text),
        _ => false,
    };
    let lacks_value = error.kind() == ErrorKind::InvalidValue
        && matches!(error.get(ContextKind::InvalidValue), Some(ContextValue::String(value)) if value.is_empty());
    let of_input = (lacks_file && !io::stdin().is_terminal())
        .then(|| "use - as FILE to read standard input".to_owned());
    let of_help = (lacks_value && says(ContextKind::InvalidArg, "--html"))
        .then(|| "-h sets the HTML report, as in fastp; for help, use --help or -?".to_owned());
    let in_turn = (name == "cat").then(|| of_two_choices(&error)).flatten();
    let of_files = (name == "qc" && in_place.is_none())
        .then(|| of_files(&error))
        .flatten();
    let hints = [
        elsewhere,
        of_files.map(str::to_owned),
        in_place.map(str::to_owned),
        in_turn.map(str::to_owned),
        of_input,
        of_help,
        of_quiet(&error).map(str::to_owned),
    ];
    let hints: Vec<String> = hints.into_iter().flatten().collect();
    tell!("{}", as_told(&error.render().to_string(), &hints));
    ExitCode::from(code)
}

/// Drops names that clap suggests by their letters, and that are no slip of what was typed: they seldom mean the same.
fn drop_distant_suggestions(error: &mut clap::Error) {
    let pairs = [
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
    ];
    for (typed, suggested) in pairs {
        let Some(ContextValue::String(typed)) = error.get(typed).cloned() else {
            continue;
        };
        match error.remove(suggested) {
            Some(ContextValue::String(name)) if is_slip(&typed, &name) => {
                error.insert(suggested, ContextValue::String(name));
            }
            Some(ContextValue::Strings(mut names)) => {
                names.retain(|name| is_slip(&typed, name));
                if !names.is_empty() {
                    error.insert(suggested, ContextValue::Strings(names));
                }
            }
            _ => {}
        }
    }
}

/// Returns the usage of a command, such as `Usage: thalweg qc [OPTIONS] [FILE]...`.
fn usage_of(name: &str) -> Option<clap::builder::StyledStr> {
    let mut command = command();
    command.build();
    let mut asked = &mut command;
    for name in name.split_whitespace() {
        asked = asked.find_subcommand_mut(name)?;
    }
    Some(asked.render_usage())
}

/// Returns how files are given to `qc`, if that is what is wrong.
fn of_files(error: &clap::Error) -> Option<&'static str> {
    let is_of_files = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => word.starts_with("[FILE]"),
        Some(ContextValue::Strings(words)) => words.iter().any(|word| word.starts_with("[FILE]")),
        _ => false,
    };
    match error.kind() {
        ErrorKind::ArgumentConflict
            if is_of_files(ContextKind::InvalidArg) || is_of_files(ContextKind::PriorArg) =>
        {
            Some("give all files with options (-i R1 -I R2), or all without (R1 R2)")
        }
        ErrorKind::TooManyValues if is_of_files(ContextKind::InvalidArg) => {
            Some("give one file of reads, or two files of mates; for lanes, repeat -i and -I")
        }
        _ => None,
    }
}

/// Suggests an option by its own name where clap suggests the one with the other dash.
fn suggest_own_name(error: &mut clap::Error, name: &str) {
    let Some(ContextValue::String(suggested)) = error.get(ContextKind::SuggestedArg) else {
        return;
    };
    let with_hyphens = |name: &str| name.trim_start_matches('-').replace('_', "-");
    let wanted = with_hyphens(suggested);
    let mut command = command();
    command.build();
    let mut names = name.split_whitespace();
    let asked = names.try_fold(&command, |command, name| command.find_subcommand(name));
    let options = asked.into_iter().flat_map(|asked| asked.get_arguments());
    let own = options
        .filter_map(|option| option.get_long())
        .find(|long| with_hyphens(long) == wanted)
        .map(|long| format!("--{long}"));
    if let Some(own) = own {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(own));
    }
}

/// Returns true if one is the beginning of the other, or at most a third of the letters differ.
fn is_slip(typed: &str, name: &str) -> bool {
    let bare = |word: &str| {
        let word = word.trim_start_matches('-');
        let end = word.find([' ', '=']).unwrap_or(word.len());
        word[..end].to_owned()
    };
    let (typed, name) = (bare(typed), bare(name));
    let is_part = typed.len() > 2 && (name.starts_with(&typed) || typed.starts_with(&name));
    is_part || 3 * strsim::osa_distance(&typed, &name) <= typed.chars().count()
}

/// Returns the hint for a quality of `qc` that is no number: elsewhere `-q` takes none.
fn of_quiet(error: &clap::Error) -> Option<&'static str> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(said)) => said.as_str(),
        _ => "",
    };
    let is_of_it = error.kind() == ErrorKind::ValueValidation
        && said(ContextKind::InvalidArg).starts_with("--qualified_quality_phred")
        && said(ContextKind::InvalidValue).parse::<u64>().is_err();
    is_of_it.then_some(
        "-q is the quality that a base needs to count as good, as in fastp; to print errors only, use --quiet",
    )
}

/// What there is in the place of an option that the command `name` lacks.
fn instead_of(option: &str, name: &str, words: &[String]) -> Option<&'static str> {
    let mut command = command();
    command.build();
    let mut names = name.split_whitespace();
    let asked = names.try_fold(&command, |command, name| command.find_subcommand(name))?;
    in_place_of(asked, name, option, words)
}

/// Returns the subcommand of a similar name for `help SUBCOMMAND`, which clap suggests only without `help`.
fn similar_to(error: &clap::Error, words: &[String]) -> Option<ContextValue> {
    let [program, help, rest @ ..] = words else {
        return None;
    };
    if error.kind() != ErrorKind::InvalidSubcommand || help != "help" {
        return None;
    }
    let words = [program].into_iter().chain(rest);
    let error = command().try_get_matches_from(words).err()?;
    error.get(ContextKind::SuggestedSubcommand).cloned()
}

/// Prints an answer of clap under another program's name: help as it is, and errors in the form of all errors, with a hint.
///
/// # Errors
/// If help cannot be written.
pub(crate) fn print_answer(answer: &clap::Error, hint: Option<String>) -> io::Result<()> {
    if !answer.use_stderr() {
        return answer.print();
    }
    let hints: Vec<String> = hint.into_iter().collect();
    tell!("{}", as_told(&answer.render().to_string(), &hints));
    Ok(())
}

/// Returns a message of clap in the form of all errors: its tips are hints, and come, with `hints`, after what is wrong.
fn as_told(said: &str, hints: &[String]) -> String {
    let said = said.trim_end();
    let wrong = said.strip_prefix("error: ");
    let Some(wrong) = wrong else {
        // Help, for who asked for nothing.
        return said.to_owned();
    };
    let (wrong, usage) = match wrong.find("\n\nUsage:") {
        Some(at) => wrong.split_at(at),
        None => match wrong.find("\n\nFor more information") {
            Some(at) => wrong.split_at(at),
            None => (wrong, ""),
        },
    };
    let mut told = format!(
        "thalweg: error: {}",
        wrong.replace("\n\n  tip: ", "\nhint: ")
    );
    told = told.replace("\n  tip: ", "\nhint: ");
    for hint in hints {
        told.push_str("\nhint: ");
        told.push_str(hint);
    }
    told + usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn options_are_found_with_either_dash() {
        fn check(command: &clap::Command) {
            for arg in command.get_arguments() {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                let known = |name: String| {
                    arg.get_long() == Some(&*name) || aliases.iter().any(|alias| *alias == name)
                };
                if let Some(long) = arg.get_long() {
                    assert!(
                        known(long.replace('-', "_")),
                        "{} --{long}",
                        command.get_name()
                    );
                    assert!(
                        known(long.replace('_', "-")),
                        "{} --{long}",
                        command.get_name()
                    );
                }
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
    }

    #[test]
    fn short_help_fits_a_terminal() {
        fn check(command: &mut clap::Command) {
            let help = command.render_help().to_string();
            let (lines, widest) = (
                help.lines().count(),
                help.lines().map(|line| line.chars().count()).max(),
            );
            assert!(lines <= 50 && widest <= Some(80), "{lines} lines:\n{help}");
            command.get_subcommands_mut().for_each(check);
        }
        let mut command = command().term_width(80);
        command.build();
        check(&mut command);
    }

    #[test]
    fn names_are_suggested_for_slips_only() {
        for (typed, name) in [
            ("--thread", "--threads"),
            ("--treads", "--threads"),
            ("--min-len", "--min-length"),
            ("--outptu <FILE>", "--output"),
            ("verfiy", "verify"),
        ] {
            assert!(is_slip(typed, name), "{typed} {name}");
        }
        for (typed, name) in [
            ("replace", "trace"),
            ("--minlength", "--umi-len"),
            ("--x", "--k"),
            ("", "--kmer"),
        ] {
            assert!(!is_slip(typed, name), "{typed} {name}");
        }
    }

    #[test]
    fn what_clap_says_is_told_as_all_errors_are() {
        let said = "error: unexpected argument '--x' found\n\n  tip: a similar argument exists: '--xy'\n\nUsage: t\n\nFor more information, try '--help'.\n";
        assert_eq!(
            as_told(said, &["look".to_owned()]),
            "thalweg: error: unexpected argument '--x' found\nhint: a similar argument exists: '--xy'\nhint: look\n\nUsage: t\n\nFor more information, try '--help'."
        );
        assert_eq!(as_told("Usage: t\n", &[]), "Usage: t");
    }
}
