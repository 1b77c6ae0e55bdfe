//! `jellyfish`: what scripts call, done by thalweg
//!
//! The options and the output are those of Jellyfish 2.3. Where Jellyfish is known to be wrong, this is not:
//! `merge` keeps whether k-mers are canonical, and letters that are none are not looked up as A.
//! Inputs may be compressed, and databases of any known format. `bc` finds exactly the k-mers that occur more than once,
//! in a database that only this `count --bc` reads; `count --bf-size` leaves out exactly the k-mers that occur once, and counts
//! the others in full, where Jellyfish does not count the first of each; `mem` tells about Jellyfish's hash table, which is not used here.
//!
//! Not there: `jf`; of `count`, --sam.

mod arguments;
mod cite;
mod count;
mod filter;
mod generators;
mod info;
mod memory;
mod primed;
mod sequential;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use thalweg::count::{OutputFile, Target, provenance};
use thalweg::databases::{Answers, Combination, Dump, HistogramForm, QuerySettings};
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, DatabaseFormat, Description, Separator, SortOptions};
use thalweg::kmers::histogram::{Histogram, TableOptions};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg::kmers::set_operations::{self, Combine, Operation, similarity};
use thalweg::{Control, Listener};

use self::arguments::{
    Command, DumpArguments, HistoArguments, Jellyfish, MergeArguments, QueryArguments,
    StatsArguments, VERSION,
};
use super::{FAILED, ended};
use crate::input::tell_of_wait;
use crate::jobs::kmers::failure::Fault;
use crate::jobs::kmers::open_database;
use crate::jobs::kmers::query::indexes;
use crate::options::print_answer;
use crate::output::{refuse_input_database, refuse_text_over};
use crate::process::exit::{Failure, after_printing};
use crate::process::hearing::heard_unless;
use crate::process::limits::addresses;
use crate::process::standard_streams::{STANDARD_INPUT, standard_input};
use crate::process::threads::threads;

/// The command line, for completions.
pub(crate) fn command() -> clap::Command {
    Jellyfish::command()
}

/// Do what the command line says, which is Jellyfish's.
pub(crate) fn run() -> ExitCode {
    // Of an option that is given twice, Jellyfish takes the last.
    let command =
        Jellyfish::command().mut_subcommands(|subcommand| subcommand.args_override_self(true));
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // Each subcommand has these; `--full-help` tells no more here.
    for word in words.iter_mut().skip(2) {
        if word == "-V" || word == "--version" {
            return after_printing(writeln!(io::stdout(), "{VERSION}"), 0);
        }
        if word == "--usage" || word == "--full-help" {
            *word = "--help".into();
        }
    }
    let arguments = command
        .try_get_matches_from(words)
        .and_then(|matches| Jellyfish::from_arg_matches(&matches));
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(mut message) => {
            let is_sam = matches!(
                message.get(ContextKind::InvalidArg),
                Some(ContextValue::String(option)) if option == "--sam"
            );
            // To take an option of Jellyfish's for the name of a file helps nobody.
            message.remove(ContextKind::Suggested);
            let of_sam =
                "SAM is not read, BAM is, without an option: `samtools view -u FILE` makes it";
            let printed = print_answer(&message, is_sam.then(|| of_sam.to_owned()));
            return after_printing(printed, if message.use_stderr() { FAILED } else { 0 });
        }
    };
    let outcome = match &arguments.command {
        Command::Count(arguments) => count::run(arguments),
        Command::Histo(arguments) => {
            sequential::with(&arguments.database, |database| histo(arguments, database))
        }
        Command::Dump(arguments) => {
            sequential::with(&arguments.database, |database| dump(arguments, database))
        }
        Command::Stats(arguments) => {
            sequential::with(&arguments.database, |database| stats(arguments, database))
        }
        Command::Query(arguments) => query(arguments),
        Command::Merge(arguments) => sequential::with_all(&arguments.databases, |databases| {
            merge(arguments, databases)
        }),
        Command::Info(arguments) => sequential::with(&arguments.database, |database| {
            info::run(arguments, database)
        }),
        Command::Bc(arguments) => filter::run(arguments),
        Command::Mem(arguments) => memory::run(arguments),
        Command::Cite(arguments) => cite::run(arguments),
    };
    ended(outcome)
}

/// The file to write, or the standard output.
fn open_output(
    path: Option<&Path>,
    database: &Path,
    files: &[PathBuf],
) -> Result<OutputFile, Fault> {
    let path = path.unwrap_or(Path::new("-"));
    refuse_text_over(path, database, files)?;
    Ok(OutputFile::create_plain(path)?)
}

fn limits(lower: Option<u64>, upper: Option<u64>) -> (u64, u64) {
    (lower.unwrap_or(0), upper.unwrap_or(u64::MAX))
}

fn histo(arguments: &HistoArguments, database: &Database) -> Result<(), Fault> {
    let mut output = open_output(arguments.output.as_deref(), &arguments.database, &[])?;
    let form = HistogramForm::Table(TableOptions {
        low: arguments.low,
        high: arguments.high,
        increment: arguments.increment,
        full: arguments.full,
    });
    let histogram = database.histogram(&SortOptions::default())?;
    output.write(form.text(&histogram)?.as_bytes())?;
    Ok(output.finish()?)
}

fn dump(arguments: &DumpArguments, database: &Database) -> Result<(), Fault> {
    let output = open_output(arguments.output.as_deref(), &arguments.database, &[])?;
    let separator = match (arguments.column, arguments.tab) {
        (false, _) => Separator::Fasta,
        (true, true) => Separator::Tab,
        (true, false) => Separator::Blank,
    };
    let dump = Dump {
        database,
        sorting: None,
        kept: limits(arguments.lower_count, arguments.upper_count),
        separator,
        output,
        threads: threads(None),
        control: &Control::default(),
    };
    dump.run()?;
    Ok(())
}

fn stats(arguments: &StatsArguments, database: &Database) -> Result<(), Fault> {
    let (lower, upper) = limits(arguments.lower_count, arguments.upper_count);
    let histogram: Histogram = database
        .histogram(&SortOptions::default())?
        .iter()
        .filter(|(count, _)| (lower..=upper).contains(count))
        .collect();
    let text = format!(
        "Unique:    {}\nDistinct:  {}\nTotal:     {}\nMax_count: {}\n",
        histogram.unique(),
        histogram.distinct(),
        histogram.total(),
        histogram.max_count()
    );
    let mut output = open_output(arguments.output.as_deref(), &arguments.database, &[])?;
    output.write(text.as_bytes())?;
    Ok(output.finish()?)
}

fn query(arguments: &QueryArguments) -> Result<(), Fault> {
    let database = open_database(&arguments.database)?;
    let output = open_output(
        arguments.output.as_deref(),
        &arguments.database,
        &arguments.sequence,
    )?;
    let settings = QuerySettings {
        sequences: arguments.sequence.clone(),
        alphabet: Alphabet::Acgt,
        // What does not say it is canonical is not, for Jellyfish.
        canonical: Some(database.header().canonical == Some(true)),
        separator: Separator::Blank,
        indexes: indexes(),
        threads: threads(None),
        addresses: addresses(),
        on_wait: Some(Listener::new(tell_of_wait)),
        // Both are open.
        ..QuerySettings::new("", "")
    };
    heard_unless(false, |control| {
        let query = Query {
            settings: &settings,
            arguments,
            database: &database,
            output,
            control,
        };
        dispatch(database.header().k, query)?
    })
}

/// All k-mers of sequences, then those that were named, then those that are typed.
struct Query<'a> {
    settings: &'a QuerySettings,
    arguments: &'a QueryArguments,
    database: &'a Database,
    output: OutputFile,
    control: &'a Control<'a>,
}

impl KmerTask for Query<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let (database, k) = (self.database, self.database.header().k);
        let mut answers = Answers::<K>::new(self.settings, database, self.output, self.control)?;
        answers.answer_sequences()?;
        for mer in &self.arguments.mers {
            let letters = as_read(mer.as_bytes(), k);
            match letters.len() < k {
                true => tell!("Invalid mer '{mer}'"),
                false => answers.answer(&letters)?,
            }
        }
        match self.arguments.interactive {
            true => {
                let lines = standard_input().map_err(unreadable)?;
                answers.converse(lines, |mer| as_read(mer, k))?
            }
            false => answers.finish()?,
        };
        Ok(())
    }
}

fn unreadable(error: io::Error) -> Failure {
    Failure::io(Path::new(STANDARD_INPUT), error)
}

/// The k-mer that Jellyfish makes of the letters of a query: what comes behind k of them is not looked at, and from the first
/// on that is no base, all are A. Of fewer it makes none.
fn as_read(letters: &[u8], k: usize) -> Cow<'_, [u8]> {
    let letters = &letters[..letters.len().min(k)];
    let is_base = |letter: &&u8| b"ACGTacgt".contains(letter);
    let bases = letters.iter().take_while(is_base).count();
    if bases == letters.len() {
        return letters.into();
    }
    let mut read = letters[..bases].to_vec();
    read.resize(letters.len(), b'A');
    read.into()
}

fn merge(arguments: &MergeArguments, databases: &[Database]) -> Result<(), Fault> {
    let (k, _) = set_operations::check(databases)?;
    refuse_input_database(
        &arguments.output,
        DatabaseFormat::Jellyfish,
        &arguments.databases,
    )?;
    if arguments.jaccard {
        let output = OutputFile::create_plain(&arguments.output)?;
        return dispatch(k, Jaccard(databases, output))?;
    }
    let sorting = SortOptions::default();
    let target = Target::with_format(
        &arguments.output,
        DatabaseFormat::Jellyfish,
        &sorting.directory,
    )?;
    let canonical = set_operations::are_canonical(databases)?;
    let mut description = Description::new(k, canonical);
    description.provenance = provenance();
    description.counter_bytes = databases[0]
        .header()
        .counter_bytes
        .filter(|bytes| *bytes > 0);
    description.saturate = true;
    let (lower, upper) = (arguments.lower_count, arguments.upper_count);
    let (operation, lower) = match (arguments.min, arguments.max) {
        (true, _) => (Operation::Intersection(Combine::Minimum), lower.or(Some(1))),
        (_, true) => (Operation::Union(Combine::Maximum), lower),
        _ => (Operation::Union(Combine::Sum), lower),
    };
    let combination = Combination {
        databases,
        operation,
        kept: limits(lower, upper),
        target: &target,
        description,
        sorting,
        threads: threads(None),
        control: &Control::default(),
    };
    dispatch(k, combination)??;
    Ok(())
}

/// The similarity of databases, in two lines.
struct Jaccard<'a>(&'a [Database], OutputFile);

impl KmerTask for Jaccard<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let options = SortOptions::default();
        let streams = set_operations::sorted::<K>(self.0, &options)?;
        let similarity = similarity(streams, self.0[0].header().k)?;
        let mut output = self.1;
        let text = format!(
            "Jaccard  {}\nwJaccard {}\n",
            six_digits(similarity.jaccard),
            six_digits(similarity.weighted_jaccard)
        );
        output.write(text.as_bytes())?;
        Ok(output.finish()?)
    }
}

/// A number from 0 to 1 with six digits that count, as C++ prints it.
fn six_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let (digits, exponent): (String, i32) = match format!("{number:.5e}").split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => return number.to_string(),
    };
    let trim = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if exponent < -4 {
        return format!("{}e-{:02}", trim(&digits), -exponent);
    }
    let places = usize::try_from(5 - exponent).unwrap_or(0);
    trim(&format!("{number:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::six_digits;

    #[test]
    fn numbers_are_those_of_c() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 30.0, "0.0666667"),
            (0.000_123_456_78, "0.000123457"),
            (0.000_012_5, "1.25e-05"),
        ] {
            assert_eq!(six_digits(number), text);
        }
    }
}
