//! Inputs of a job: which go together, and what is to be said of them at once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_reads::{Compression, FilePlan, ReaderOptions, lacks_bgzf_end};

use crate::{Control, Fault, MessageKind, Reads};

/// Refuse the standard input where it is named more than once.
///
/// # Errors
/// [`Fault::Usage`].
pub fn check_standard_input(files: &[PathBuf]) -> Result<(), Fault> {
    let count = files.iter().filter(|file| file.as_os_str() == "-").count();
    match count > 1 {
        true => Err(Fault::usage(
            "the standard input can be read only once",
            "name - only once",
        )),
        false => Ok(()),
    }
}

/// Refuse indexes that were named for some of the files only, and of which none is to be used where `none_is_used`: an index
/// belongs to one file.
///
/// # Errors
/// [`Fault::Usage`].
pub fn check_index_files(
    files: &[PathBuf],
    index_files: &[PathBuf],
    none_is_used: bool,
) -> Result<(), Fault> {
    let named = index_files.len();
    if named > 0 && named != files.len() {
        return Err(Fault::usage(
            format!(
                "--index-file is there {named} times, and there are {} input files",
                files.len()
            ),
            "name one for each file, in their order; those beside their files are found by themselves",
        ));
    }
    if named > 0 && none_is_used {
        return Err(Fault::usage(
            "--index-file contradicts --index never",
            "leave one of them out",
        ));
    }
    Ok(())
}

/// Refuse files that are no mates of each other: one alone, or the same twice, which no check of names would find.
///
/// # Errors
/// [`Fault::Usage`].
pub fn check_mates(files: &[PathBuf]) -> Result<(), Fault> {
    if files.len() < 2 {
        return Err(Fault::usage(
            "--mates needs two files or more",
            "mates that follow each other in one file are --interleaved",
        ));
    }
    let identity = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let mut seen = HashSet::new();
    for file in files {
        if !seen.insert(identity(file)) && file.as_os_str() != "-" {
            return Err(Fault::usage(
                format!("{}: named twice as its own mate", file.display()),
                "name the other file of the pair",
            ));
        }
    }
    Ok(())
}

/// Refuse not to compare names where none are compared: those of single reads.
///
/// # Errors
/// [`Fault::Usage`].
pub fn check_names_matter(ignore_names: bool, are_paired: bool) -> Result<(), Fault> {
    match ignore_names && !are_paired {
        true => Err(Fault::usage(
            "--ignore-names is for mates",
            "say --mates if the files belong together, or --interleaved",
        )),
        false => Ok(()),
    }
}

/// Open, and say of each file what there is to say, and how it will be read.
///
/// # Errors
/// As [`Reads::open`].
pub fn open(options: ReaderOptions, control: &Control) -> Result<Reads, Fault> {
    let reads = Reads::open(options)?;
    let plans = reads.plan();
    for plan in &plans {
        say_if_cut_or_empty(&plan.path, control);
    }
    for plan in &plans {
        say_how(plan, reads.threads(), control);
    }
    Ok(reads)
}

/// Say so if a BGZF file may have been cut off between two blocks: no checksum can tell.
pub fn say_if_cut(file: &Path, control: &Control) {
    // What cannot be opened is reported by whoever reads it.
    if lacks_bgzf_end(file).unwrap_or(false) {
        say_end_is_missing(file, control);
    }
}

/// The same, and of a compressed file that was cut off before its first byte.
pub fn say_if_cut_or_empty(file: &Path, control: &Control) {
    say_if_cut(file, control);
    if let Some(compression) = without_data(file) {
        let text = format!(
            "{}: it has 0 bytes, where {} of no reads has some: whatever was to write it wrote nothing",
            file.display(),
            compression.name()
        );
        control.say(MessageKind::Warning, text);
    }
}

/// What a file is compressed with by its name, if it has no bytes at all.
pub fn without_data(file: &Path) -> Option<Compression> {
    let is_empty = std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() == 0);
    Compression::of_no_data(file).filter(|_| is_empty)
}

/// Say that a file or stream of BGZF ended without the block that belongs there.
pub fn say_end_is_missing(file: &Path, control: &Control) {
    let text = format!(
        "{}: no BGZF end-of-file block: the file may have been cut off, or its writer makes none",
        file.display()
    );
    control.say(MessageKind::Warning, text);
}

/// Say so if a file is to be read more than once as one sample: two lanes are seldom the same.
pub fn say_repeats(plans: &[FilePlan], control: &Control) {
    let mut seen = HashSet::new();
    for plan in plans {
        let Ok(path) = std::fs::canonicalize(&plan.path) else {
            continue;
        };
        // Whoever names a pipe twice may have two things to say.
        if path.is_file() && !seen.insert(path) {
            let text = format!("{}: named twice, and read twice", plan.path.display());
            control.say(MessageKind::Doubt, text);
        }
    }
}

/// Say how a file will be read.
pub fn say_how(plan: &FilePlan, threads: usize, control: &Control) {
    let path = plan.path.display();
    if plan.compression == "unread" {
        let text = format!("{path}: read as data come; threads: {threads}");
        return control.say(MessageKind::Detail, text);
    }
    let index = if plan.indexed { ", with its index" } else { "" };
    let pieces = match plan.pieces {
        Some(1) => "in one piece".to_owned(),
        Some(pieces) => format!("in {pieces} pieces"),
        None if plan.cut_by_name => "in parts, cut between mates".to_owned(),
        None => "decoded in order".to_owned(),
    };
    let text = format!(
        "{path}: {} {}{index}, {pieces}; threads: {threads}; kernel {}",
        plan.compression,
        plan.format_name,
        thalweg_gzip::active_kernel(),
    );
    control.say(MessageKind::Detail, text);
}

/// Streams whose ends were found to be missing while they were read, to be said when all is read.
#[derive(Clone, Default)]
pub(crate) struct MissingEnds(Arc<Mutex<Vec<PathBuf>>>);

impl MissingEnds {
    /// Notes one.
    pub(crate) fn note(&self) -> impl Fn(&Path) + Send + Sync + 'static {
        let noted = Arc::clone(&self.0);
        move |path| {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            noted.push(path.to_owned());
        }
    }

    /// Say what was noted.
    pub(crate) fn say(&self, control: &Control) {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        noted
            .iter()
            .for_each(|path| say_end_is_missing(path, control));
    }
}
