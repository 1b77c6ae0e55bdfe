//! `thalweg kmers query`

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use thalweg::databases::say_strands;
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, Lookup, Separator};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};

use super::answers::Answers;
use super::failure::Fault;
use super::open_database;
use super::output::TextOutput;
use crate::options::kmers::QueryArguments;
use crate::output::{Output, refuse_text_over, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::hearing::always_heard;
use crate::process::standard_streams::{STANDARD_INPUT, standard_input};
use crate::process::threads::threads;

pub(crate) fn run(arguments: &QueryArguments) -> Result<(), Fault> {
    if arguments.kmers.is_empty() && arguments.sequence.is_empty() && !arguments.interactive {
        return Err(Failure::usage(
            "no k-mer to look up",
            "name some, or - for the standard input, or --sequence FILE",
        )
        .into());
    }
    if let Some(path) = &arguments.output {
        refuse_unwritten(path)?;
    }
    let database = open_database(&arguments.database)?;
    let output = match &arguments.output {
        Some(path) => {
            refuse_text_over(path, &arguments.database, &arguments.sequence)?;
            Output::create(path)?
        }
        None => {
            refuse_text_over(Path::new("-"), &arguments.database, &arguments.sequence)?;
            Output::stdout()?
        }
    };
    let query = Query {
        database: &database,
        arguments,
        output,
    };
    dispatch(database.header().k, query)?
}

struct Query<'a> {
    database: &'a Database,
    arguments: &'a QueryArguments,
    output: Output,
}

impl KmerTask for Query<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            database,
            arguments,
            output,
        } = self;
        let threads = threads(arguments.threads);
        let output = TextOutput::new(output, database.header().k, Separator::Tab);
        let mut answers = Answers::<K>::new(
            database,
            &arguments.sequence,
            threads,
            Alphabet::Acgtu,
            None,
            output,
        )?;
        if !arguments.notes.quiet {
            let canonical = answers.lookup.is_canonical();
            always_heard(|control| say_strands(database, canonical, control));
        }
        if arguments.interactive {
            let output = answers.output.into_output()?;
            return interact(answers.lookup, output, |letters| letters.into());
        }
        for word in &arguments.kmers {
            if word != "-" {
                answers.answer(word.as_bytes())?;
                continue;
            }
            for (number, line) in standard_input()
                .map_err(unreadable)?
                .split(b'\n')
                .enumerate()
            {
                let line = line.map_err(unreadable)?;
                let letters = line.trim_ascii();
                if !letters.is_empty() {
                    let answered = answers.answer(letters);
                    answered.map_err(|fault| fault.of_line(number + 1))?;
                }
            }
        }
        let (memory, quiet) = (arguments.memory, arguments.notes.quiet);
        answers.answer_sequences(&arguments.sequence, threads, memory, quiet)?;
        answers.output.finish()?;
        Ok(())
    }
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::io(Path::new(STANDARD_INPUT), error)
}

/// A count for each line as soon as it has come; what is no k-mer is told, and does not end it.
///
/// Letters are looked up as `read` has them.
pub(crate) fn interact<K: Kmer>(
    mut lookup: Lookup<K>,
    mut output: Output,
    read: impl Fn(&[u8]) -> Cow<'_, [u8]>,
) -> Result<(), Fault> {
    for line in standard_input().map_err(unreadable)?.split(b'\n') {
        let line = line.map_err(unreadable)?;
        let letters = line.trim_ascii();
        match lookup.find_letters(&read(letters)) {
            Ok(count) => output.write(format!("{}\n", count.unwrap_or(0)).as_bytes())?,
            Err(thalweg::kmers::Error::NoKmer { .. }) => {
                tell!("Invalid mer '{}'", String::from_utf8_lossy(letters));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(output.finish()?)
}
