//! k-mers looked up in a database, and written with their counts.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use thalweg_files::without_mark;
use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, Separator};
use thalweg_kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg_reads::Listener;
use thalweg_write::{OutputContents, check_contents, check_written};

use super::answers::Answers;
use super::names::check_text_not_over;
use super::{open_database, say_strands};
use crate::count::OutputFile;
use crate::index::IndexChoice;
use crate::{Budget, Control, Fault, inputs, standard_input};

/// Which k-mers are looked up, and where they go with their counts. All fields can be set; [`new`](Self::new) has the
/// defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::QuerySettings;
///
/// let mut settings = QuerySettings::new("counts.thk", "found.tsv");
/// settings.sequences = vec!["contigs.fasta".into()];
/// let answered = settings.run(&Control::default())?;
/// println!("{answered} k-mers of the contigs");
/// # Ok::<(), thalweg::Fault>(())
/// ```
///
/// [`find_counts`](super::find_counts) gives the counts of a few k-mers as values.
#[derive(Clone, Debug)]
pub struct QuerySettings {
    /// The database.
    pub database: PathBuf,
    /// k-mers, each of as many letters as the database's have; `-` stands for lines of the standard input, one k-mer each.
    pub kmers: Vec<String>,
    /// FASTQ or FASTA whose k-mers are all looked up, behind the others: compressed or not; `-` is the standard input.
    pub sequences: Vec<PathBuf>,
    /// Whether lines of the standard input are answered one by one, with nothing but the count, and nothing else is
    /// looked up. Not so by default.
    pub interactive: bool,
    /// Where answers go, compressed as its name says; `-` is the standard output.
    pub output: PathBuf,
    /// Which letters are bases: U is T by default.
    pub alphabet: Alphabet,
    /// Whether k-mers are made canonical before they are looked up; `None`, the default, as the database says.
    pub canonical: Option<bool>,
    /// What is between a k-mer and its count; a tab by default.
    pub separator: Separator,
    /// Which indexes of `sequences` are used.
    pub indexes: IndexChoice,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
    /// Bytes that answers may hold while they wait for their turn, the database aside; by default enough to keep all threads
    /// busy.
    pub memory: Option<u64>,
    /// Bytes of addresses that the process may use, if there is a limit (`ulimit -v`).
    pub addresses: Option<u64>,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](thalweg_reads::ReaderOptions::check_end)). So by default.
    pub check_end: bool,
}

impl QuerySettings {
    /// Nothing yet, of `database`.
    pub fn new(database: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            database: database.into(),
            kmers: Vec::new(),
            sequences: Vec::new(),
            interactive: false,
            output: output.into(),
            alphabet: Alphabet::Acgtu,
            canonical: None,
            separator: Separator::Tab,
            indexes: IndexChoice::default(),
            threads: Budget::all_cores().threads(),
            memory: None,
            addresses: None,
            on_wait: None,
            check_end: true,
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        if self.kmers.is_empty() && self.sequences.is_empty() && !self.interactive {
            return Err(Fault::usage(
                "no k-mer to look up",
                "name some, or - for the standard input, or --sequence FILE",
            ));
        }
        // Whatever asks on the standard input takes all of it.
        let lines = (self.kmers.iter()).map(PathBuf::from);
        let lines = lines.chain(self.interactive.then(|| PathBuf::from("-")));
        let asked: Vec<PathBuf> = lines.chain(self.sequences.iter().cloned()).collect();
        inputs::check_standard_input(&asked)?;
        check_written(&self.output)?;
        Ok(())
    }

    /// Look them up, in the order in which they are asked for; how many were answered.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); if the database or what is asked cannot be read, or answers not be written; if it was
    /// cancelled. There is no output, then.
    pub fn run(&self, control: &Control) -> Result<u64, Fault> {
        self.check()?;
        let database = open_database(&self.database, control)?;
        check_text_not_over(&self.output, &self.database, &self.sequences)?;
        check_contents(&self.output, &[OutputContents::Tabs, OutputContents::Text])?;
        let query = Query {
            settings: self,
            database: &database,
            output: OutputFile::create(&self.output)?,
            control,
        };
        dispatch(database.header().k, query)?
    }
}

struct Query<'a> {
    settings: &'a QuerySettings,
    database: &'a Database,
    output: OutputFile,
    control: &'a Control<'a>,
}

impl KmerTask for Query<'_> {
    type Output = Result<u64, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            settings,
            database,
            output,
            control,
        } = self;
        let mut answers = Answers::<K>::new(settings, database, output, control)?;
        say_strands(database, answers.is_canonical(), control);
        if settings.interactive {
            return answers.converse(standard_input::open()?, |letters| letters.into());
        }
        for word in &settings.kmers {
            match word == "-" {
                true => answer_lines(&mut answers, standard_input::open()?)?,
                false => {
                    let answered = answers.answer(word.as_bytes());
                    answered.map_err(|fault| of_word(fault, word))?;
                }
            }
        }
        answers.answer_sequences()?;
        answers.finish()
    }
}

/// Answers the k-mers on the lines of the standard input.
fn answer_lines<K: Kmer>(answers: &mut Answers<'_, K>, input: impl BufRead) -> Result<(), Fault> {
    for (number, line) in (1..).zip(input.split(b'\n')) {
        let line = line.map_err(standard_input::unreadable)?;
        let line = match number {
            1 => without_mark(&line).map_err(|error| standard_input::unreadable(error.into()))?,
            _ => &line,
        };
        let letters = line.trim_ascii();
        if !letters.is_empty() {
            let answered = answers.answer(letters);
            answered.map_err(|fault| of_line(fault, number))?;
        }
    }
    Ok(())
}

/// Of a k-mer that is none, but seems to be a file, tell how those in a file are looked up.
fn of_word(fault: Fault, word: &str) -> Fault {
    let seems_a_file = || word.contains(['.', '/']) || Path::new(word).is_file();
    match fault {
        Fault::Kmers(error @ thalweg_kmers::Error::NoKmer { .. }) if seems_a_file() => {
            Fault::usage(
                error.to_string(),
                "all k-mers of reads or sequences are looked up with --sequence FILE; a list with one on a line goes to the standard input: - < LIST",
            )
        }
        fault => fault,
    }
}

/// Of a k-mer that is none, tell on which line of the standard input it stands, counted from 1: these are data.
fn of_line(fault: Fault, number: u64) -> Fault {
    match fault {
        Fault::Kmers(error @ thalweg_kmers::Error::NoKmer { .. }) => Fault::Line {
            path: standard_input::STANDARD_INPUT.into(),
            number,
            error,
        },
        fault => fault,
    }
}
