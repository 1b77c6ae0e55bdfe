//! The command line of `kmc_tools`: databases, then operations with their outputs, each with options behind it.

mod filter;

use std::iter::Peekable;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use thalweg::kmers::set_operations::{self, Combine};

use super::super::arguments::parse_number;
use crate::process::exit::Failure;

pub(super) use self::filter::{Action, FilterArguments};

/// What is to be done.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// Where they are not said, as many as there are cores.
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) task: Task,
}

#[derive(Debug, PartialEq)]
pub(super) enum Task {
    /// `transform` and `simple`.
    Databases(Tool),
    Filter(FilterArguments),
    /// What this database says of itself is printed.
    Info(PathBuf),
}

/// What is done with which databases.
#[derive(Debug, PartialEq)]
pub(super) struct Tool {
    /// One, or two that are combined.
    pub(super) inputs: Vec<Input>,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) limits: Limits,
}

#[derive(Debug, PartialEq)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) output: PathBuf,
    pub(super) limits: Limits,
    pub(super) largest: Option<u64>,
}

/// Counts that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Limits {
    least: Option<u64>,
    most: Option<u64>,
}

impl Limits {
    /// These, or `usual` where nothing is said.
    pub(super) fn within(self, usual: (u64, u64)) -> (u64, u64) {
        (
            self.least.unwrap_or(usual.0).max(1),
            self.most.unwrap_or(usual.1),
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Histogram,
    Dump,
    /// `sort` and `reduce`: what is written is sorted.
    Reduce,
    /// Every count becomes 1.
    Compact,
    Combine {
        operation: set_operations::Operation,
        /// The second database is the first.
        swapped: bool,
    },
}

/// Why a command line is not followed.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It makes no sense.
    Wrong(Failure),
    /// KMC does it.
    NotDone(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Wrong(failure)
    }
}

type Words<I> = Peekable<I>;

impl Line {
    pub(super) fn parse(words: impl Iterator<Item = String>) -> Result<Self, Refusal> {
        let mut words = words.peekable();
        let mut threads = None;
        while let Some(word) = option(&mut words) {
            match &word[1..] {
                "v" | "hp" => {}
                rest if rest.starts_with('t') => {
                    let number = usize::try_from(number(&rest[1..], &word)?);
                    threads = NonZeroUsize::new(number.unwrap_or(usize::MAX));
                }
                _ => return Err(unknown(&word).into()),
            }
        }
        let tool = words.next().unwrap_or_default();
        let task = match tool.as_str() {
            "transform" => Task::Databases(Tool::parse(1, &mut words)?),
            "simple" => Task::Databases(Tool::parse(2, &mut words)?),
            "filter" => Task::Filter(FilterArguments::parse(&mut words)?),
            "info" => Task::Info(Self::parse_info(&mut words)?),
            "complex" | "compare" => return Err(not_done(&tool)),
            _ => return Err(usage(format!("{tool}: not known here")).into()),
        };
        Ok(Self { threads, task })
    }

    fn parse_info<I: Iterator<Item = String>>(words: &mut Words<I>) -> Result<PathBuf, Failure> {
        let database = name(words, "a database")?.into();
        match words.next() {
            Some(word) => Err(unknown(&word)),
            None => Ok(database),
        }
    }
}

impl Tool {
    /// What is done with so many databases.
    fn parse<I: Iterator<Item = String>>(
        databases: usize,
        words: &mut Words<I>,
    ) -> Result<Self, Refusal> {
        let mut inputs = Vec::new();
        for _ in 0..databases {
            inputs.push(input(words)?);
        }
        let mut steps = Vec::new();
        while steps.is_empty() || words.peek().is_some() {
            let operation = name(words, "an operation")?;
            steps.push(step(&operation, databases, words)?);
        }
        Ok(Self { inputs, steps })
    }
}

/// A database, and the limits behind it.
fn input<I: Iterator<Item = String>>(words: &mut Words<I>) -> Result<Input, Failure> {
    let path = name(words, "a database")?.into();
    let mut limits = Limits::default();
    while let Some(word) = option(words) {
        if !set_limit(&mut limits, &word)? {
            return Err(unknown(&word));
        }
    }
    Ok(Input { path, limits })
}

fn step<I: Iterator<Item = String>>(
    name_of_it: &str,
    databases: usize,
    words: &mut Words<I>,
) -> Result<Step, Refusal> {
    use set_operations::Operation::{Difference, Intersection, Subtraction, Union};
    let combine = |operation, swapped| Operation::Combine { operation, swapped };
    let operation = match (databases, name_of_it) {
        (1, "histogram") => Operation::Histogram,
        (1, "dump") => Operation::Dump,
        (1, "sort" | "reduce") => Operation::Reduce,
        (1, "compact") => Operation::Compact,
        (1, "set_counts") => return Err(not_done(name_of_it)),
        (2, "union") => combine(Union(Combine::Sum), false),
        (2, "intersect") => combine(Intersection(Combine::Minimum), false),
        (2, "kmers_subtract") => combine(Subtraction, false),
        (2, "counters_subtract") => combine(Difference, false),
        (2, "reverse_kmers_subtract") => combine(Subtraction, true),
        (2, "reverse_counters_subtract") => combine(Difference, true),
        _ => return Err(usage(format!("{name_of_it}: no operation that is known here")).into()),
    };
    if operation == Operation::Dump && words.peek().is_some_and(|word| word == "-s") {
        words.next();
    }
    let mut step = Step {
        operation,
        output: name(words, "an output")?.into(),
        limits: Limits::default(),
        largest: None,
    };
    let is_text = matches!(operation, Operation::Histogram | Operation::Dump);
    while let Some(word) = option(words) {
        if set_limit(&mut step.limits, &word)? {
            continue;
        }
        if let Some(text) = word.strip_prefix("-cs").filter(|_| !is_text) {
            step.largest = Some(number(text, &word)?.max(1));
        } else if let Some(mode) = word.strip_prefix("-oc") {
            step.operation = counted(operation, mode, &word)?;
        } else if word == "-okff" {
            return Err(not_done(&word));
        } else if word != "-okmc" || is_text {
            return Err(unknown(&word).into());
        }
    }
    Ok(step)
}

/// The operation with another count for k-mers that both databases have.
fn counted(operation: Operation, mode: &str, word: &str) -> Result<Operation, Refusal> {
    use set_operations::Operation::{Intersection, Subtraction, Union};
    let combine = match mode {
        "min" => Combine::Minimum,
        "max" => Combine::Maximum,
        "sum" => Combine::Sum,
        "left" | "right" => Combine::First,
        "diff" => return Err(not_done(word)),
        _ => return Err(unknown(word).into()),
    };
    let operation = match operation {
        Operation::Combine { operation, .. } => match operation {
            Union(_) => Union(combine),
            Intersection(_) => Intersection(combine),
            // Nor does kmc_tools take it.
            Subtraction => {
                let one =
                    format!("{word}: of a k-mer that one database has alone there is one count");
                return Err(usage(one).into());
            }
            _ => return Err(not_done(&format!("{word} of counters that are subtracted"))),
        },
        _ => return Err(unknown(word).into()),
    };
    Ok(Operation::Combine {
        operation,
        swapped: mode == "right",
    })
}

/// Whether `word` is a limit of counts, which is then set.
fn set_limit(limits: &mut Limits, word: &str) -> Result<bool, Failure> {
    if let Some(text) = word.strip_prefix("-ci") {
        limits.least = Some(number(text, word)?);
    } else if let Some(text) = word.strip_prefix("-cx") {
        let most = number(text, word)?;
        if most == 0 {
            tell!("thalweg: warning: {word} is taken as -cx1, as kmc_tools does");
        }
        limits.most = Some(most.max(1));
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// The next word, if it is an option.
fn option<I: Iterator<Item = String>>(words: &mut Words<I>) -> Option<String> {
    words.next_if(|word| word.len() > 1 && word.starts_with('-'))
}

/// The next word, which is to be `what`.
fn name<I: Iterator<Item = String>>(words: &mut Words<I>, what: &str) -> Result<String, Failure> {
    match words.next() {
        Some(word) if word.len() > 1 && word.starts_with('-') => Err(unknown(&word)),
        Some(word) => Ok(word),
        None => Err(usage(format!("{what} is missing"))),
    }
}

fn unknown(word: &str) -> Failure {
    usage(format!("{word}: not known here"))
}

fn not_done(what: &str) -> Refusal {
    Refusal::NotDone(usage(format!("{what}: kmc_tools does that, this does not")))
}

fn number(text: &str, word: &str) -> Result<u64, Failure> {
    parse_number(text).ok_or_else(|| usage(format!("{word}: expected a number")))
}

/// What is wrong with the command line.
pub(super) fn usage(message: String) -> Failure {
    Failure::usage(
        message,
        "kmc_tools transform <database> histogram|dump|sort|reduce|compact <output>; kmc_tools simple <database> \
         <database> union|intersect|kmers_subtract|counters_subtract <output>; kmc_tools filter <database> <reads> \
         [-ci -cx] <output>; `kmc_tools --help` tells more",
    )
}
