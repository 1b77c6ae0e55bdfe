//! From arguments to open reads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use thalweg::{Budget, FilePlan, IndexOptions, IndexUse, ReaderOptions, Reads};

use crate::arguments::{Common, IndexChoice, IndexMode, Pairing};
use crate::exit::Failure;
use crate::progress::Progress;

/// Threads and memory that the user allows.
pub(crate) fn budget(common: &Common) -> Budget {
    let all = Budget::all_cores();
    let threads = common.threads.map_or(all.threads(), usize::from);
    Budget::new(threads).with_memory(common.memory.unwrap_or(all.memory()))
}

/// Options for one set of files: read in step if they are mates, else one
/// after the other.
pub(crate) fn options(
    files: &[PathBuf],
    pairing: &Pairing,
    index: &IndexChoice,
    common: &Common,
) -> Result<ReaderOptions, Failure> {
    check_index_file(files, index)?;
    check_stdin(files)?;
    check_mates(files, pairing)?;
    let save = index.index == IndexMode::Save;
    if save && index.index_file.is_some() {
        for file in files {
            save_index(file, index, common)?;
        }
    }
    let options = match pairing.mates {
        true => ReaderOptions::new().mates(files),
        false => files.iter().fold(ReaderOptions::new(), ReaderOptions::file),
    };
    let options = options
        .interleaved(pairing.interleaved)
        .index(index_use(index))
        .budget(budget(common));
    Ok(match save {
        true => options.save_indexes(IndexOptions {
            budget: budget(common),
            ..IndexOptions::default()
        }),
        false => options,
    })
}

/// Say so if a BGZF file may have been cut off between two blocks: no checksum can tell. Also to those who want to
/// hear of errors only, as reads may be lost.
pub(crate) fn warn_if_cut(file: &Path) {
    // What cannot be opened is reported by whoever reads it.
    if thalweg::lacks_bgzf_end(file).unwrap_or(false) {
        warn_of_missing_end(file);
    }
}

/// The same of a pipe, when it has ended.
pub(crate) fn warn_of_missing_end(file: &Path) {
    tell!(
        "thalweg: warning: {}: no BGZF end-of-file block: the file may have been cut off, or its writer makes none",
        file.display()
    );
}

/// Say so if a file is to be read more than once as one sample: two lanes are seldom the same.
pub(crate) fn warn_of_repeats(plans: &[FilePlan]) {
    let mut seen = HashSet::new();
    for plan in plans {
        let Ok(path) = std::fs::canonicalize(&plan.path) else {
            continue;
        };
        // Whoever names a pipe twice may have two things to say.
        if path.is_file() && !seen.insert(path) {
            tell!(
                "thalweg: warning: {}: named twice, and read twice",
                plan.path.display()
            );
        }
    }
}

/// Open, and tell how the files will be read if the user wants to know.
pub(crate) fn open(options: ReaderOptions, common: &Common) -> Result<Reads, Failure> {
    let reads = Reads::open(options.on_missing_end(warn_of_missing_end))?;
    for plan in reads.plan() {
        warn_if_cut(&plan.path);
    }
    if common.verbose {
        for plan in reads.plan() {
            describe(&plan, budget(common).threads());
        }
    }
    Ok(reads)
}

/// Say so if an index was named for a file that can have none.
pub(crate) fn note_idle_index(reads: &Reads, index: &IndexChoice) {
    if index.index_file.is_none() {
        return;
    }
    for plan in reads.plan() {
        if plan.compression != "gzip" {
            tell!(
                "thalweg: note: --index-file changes nothing: {} is not gzip",
                plan.path.display()
            );
        }
    }
}

/// Tell how a file will be read.
pub(crate) fn describe(plan: &FilePlan, threads: usize) {
    let index = if plan.indexed { ", with its index" } else { "" };
    let pieces = match plan.pieces {
        Some(1) => "in one piece".to_owned(),
        Some(pieces) => format!("in {pieces} pieces"),
        None if plan.cut_by_name => "in parts, cut between mates".to_owned(),
        None => "decoded in order".to_owned(),
    };
    let format = if plan.format.is_fastq() {
        "FASTQ"
    } else {
        "FASTA"
    };
    tell!(
        "thalweg: {}: {} {format}{index}, {pieces}; threads: {threads}; kernel {}",
        plan.path.display(),
        plan.compression,
        thalweg::active_kernel(),
    );
}

/// What the library is to do about indexes.
pub(crate) fn index_use(index: &IndexChoice) -> IndexUse {
    match (index.index, &index.index_file) {
        (IndexMode::Never, _) => IndexUse::Never,
        (_, Some(path)) => IndexUse::At(path.clone()),
        (IndexMode::Require, None) => IndexUse::Require,
        (IndexMode::Auto | IndexMode::Save, None) => IndexUse::Auto,
    }
}

/// Where the index of `file` is or would be.
fn index_path(file: &Path, index: &IndexChoice) -> PathBuf {
    match &index.index_file {
        Some(path) => path.clone(),
        None => thalweg::index_path(file),
    }
}

/// An index belongs to one file.
pub(crate) fn check_index_file(files: &[PathBuf], index: &IndexChoice) -> Result<(), Failure> {
    match index.index_file {
        Some(_) if files.len() > 1 => Err(Failure::usage(
            "--index-file goes with one input file",
            "indexes that lie beside their files are found by themselves",
        )),
        Some(_) if index.index == IndexMode::Never => Err(Failure::usage(
            "--index-file contradicts --index never",
            "leave one of them out",
        )),
        _ => Ok(()),
    }
}

/// The same file twice is a slip of the keyboard that no check of names would find.
fn check_mates(files: &[PathBuf], pairing: &Pairing) -> Result<(), Failure> {
    if !pairing.mates {
        return Ok(());
    }
    if files.len() < 2 {
        return Err(Failure::usage(
            "--mates needs two files or more",
            "mates that follow each other in one file are --interleaved",
        ));
    }
    let identity = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let mut seen = Vec::new();
    for file in files {
        let identity = identity(file);
        if seen.contains(&identity) && file.as_os_str() != "-" {
            return Err(Failure::usage(
                format!("{}: named twice as its own mate", file.display()),
                "name the other file of the pair",
            ));
        }
        seen.push(identity);
    }
    Ok(())
}

pub(crate) fn check_stdin(files: &[PathBuf]) -> Result<(), Failure> {
    let count = files.iter().filter(|file| file.as_os_str() == "-").count();
    if count > 1 {
        return Err(Failure::usage(
            "the standard input can be read only once",
            "name - only once",
        ));
    }
    Ok(())
}

/// Build the index of a gzip file that has none, and keep it.
pub(crate) fn save_index(file: &Path, index: &IndexChoice, common: &Common) -> Result<(), Failure> {
    let destination = index_path(file, index);
    // Pipes must not be opened twice, and cannot be indexed anyway.
    let is_regular = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
    if !is_regular || destination.exists() {
        return Ok(());
    }
    let options = ReaderOptions::new().file(file).index(IndexUse::Never);
    let is_gzip = options
        .open()?
        .plan()
        .iter()
        .all(|plan| plan.compression == "gzip");
    if !is_gzip {
        return Ok(());
    }
    let options = IndexOptions {
        budget: budget(common),
        ..IndexOptions::default()
    };
    let (report, position) = crate::progress::counter();
    let _progress = Progress::start(common, file, position);
    thalweg::build_index(file, Some(&destination), &options, &report)?;
    Ok(())
}
