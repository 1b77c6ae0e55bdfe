//! Inputs of a job: which go together, and what is to be said of them at once.

mod in_groups;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_files::list_lines;
use thalweg_reads::{FilePlan, Listener, ReaderOptions};
use thalweg_write::{OutputContents, check_contents};

pub use self::in_groups::Inputs;
use crate::{Control, Fault, MessageKind, Reads, notes};

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

/// Returns the names of files in the text of a list, one on each line, without blanks at its end; as they are where NUL bytes
/// end them, as of `find -print0`.
pub fn file_names(list: &[u8]) -> Vec<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let name = |name: &[u8]| OsString::from_vec(name.to_vec()).into();
    if list.contains(&0) {
        let names = list.split(|&byte| byte == 0);
        return names.filter(|name| !name.is_empty()).map(name).collect();
    }
    list_lines(list).map(|(_, line)| name(line)).collect()
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
                "--index-file is given {named} times, but there are {} input files",
                files.len()
            ),
            "name one for each file, in their order; those beside their files are found by themselves",
        ));
    }
    if named > 0 && none_is_used {
        return Err(Fault::usage(
            "--index-file contradicts --index never",
            "omit one of them",
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
            "for interleaved mates in one file, use --interleaved",
        ));
    }
    let identity = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let mut seen = HashSet::new();
    for file in files {
        if !seen.insert(identity(file)) && file.as_os_str() != "-" {
            return Err(Fault::usage(
                format!("{}: given twice as different mates", file.display()),
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
            "--ignore-names applies only to mates",
            "use --mates if the files belong together, or --interleaved",
        )),
        false => Ok(()),
    }
}

/// Returns true if a file may be BAM by its name: it is named .bam, or is a stream.
#[cfg(any(feature = "qc", feature = "taxa"))]
pub(crate) fn may_be_bam(file: &Path) -> bool {
    let is_named_so = (file.extension()).is_some_and(|ending| ending.eq_ignore_ascii_case("bam"));
    is_named_so || !std::fs::metadata(file).is_ok_and(|data| data.is_file())
}

/// Refuse files whose records would be joined into what is neither FASTQ nor FASTA.
///
/// # Errors
/// [`Fault::Usage`], with this hint.
pub fn refuse_two_formats(reads: &Reads, hint: &'static str) -> Result<(), Fault> {
    refuse_two_formats_of(&reads.plan(), hint)
}

/// The same by plans: those of files without a record, and of what is read as data come, tell nothing.
pub(crate) fn refuse_two_formats_of(plans: &[FilePlan], hint: &'static str) -> Result<(), Fault> {
    let mut known = plans.iter().filter(|plan| !plan.first_head.is_empty());
    let Some(first) = known.next() else {
        return Ok(());
    };
    match known.find(|plan| plan.format.has_qualities() != first.format.has_qualities()) {
        Some(other) => Err(two_formats(&first.path, &other.path, hint)),
        None => Ok(()),
    }
}

/// Refuses the name of an output of reads that says something else than what they are: FASTA, or FASTQ.
///
/// # Errors
/// [`OtherContents`](thalweg_write::Error::OtherContents).
pub fn check_output_name(output: &Path, plans: &[FilePlan]) -> Result<(), Fault> {
    let known = plans.iter().find(|plan| !plan.first_head.is_empty());
    let accepted: &[OutputContents] = match known.map(|plan| plan.format.has_qualities()) {
        Some(true) => &[OutputContents::Fastq, OutputContents::Text],
        Some(false) => &[OutputContents::Fasta, OutputContents::Text],
        None => &[
            OutputContents::Fastq,
            OutputContents::Fasta,
            OutputContents::Text,
        ],
    };
    Ok(check_contents(output, accepted)?)
}

/// About how many bytes of text a file of so many bytes has: compression makes a quarter of it.
#[cfg(any(feature = "kmers", feature = "taxa"))]
pub(crate) fn text_bytes(bytes: u64, is_compressed: bool) -> u64 {
    match is_compressed {
        true => bytes.saturating_mul(4),
        false => bytes,
    }
}

/// Have `listener`, if there is one, told of pipes that are waited for.
pub(crate) fn tell_of_waits(options: ReaderOptions, listener: Option<&Listener>) -> ReaderOptions {
    match listener.cloned() {
        Some(listener) => options.on_wait(move |path| listener.tell(path)),
        None => options,
    }
}

/// Files of FASTQ and FASTA.
pub(crate) fn two_formats(first: &Path, other: &Path, hint: &'static str) -> Fault {
    let message = format!(
        "{} and {}: cannot concatenate FASTQ and FASTA",
        first.display(),
        other.display()
    );
    Fault::usage(message, hint)
}

/// Open, and say of each file what there is to say, and how it will be read.
///
/// # Errors
/// As [`Reads::open`].
pub fn open(options: ReaderOptions, control: &Control) -> Result<Reads, Fault> {
    let reads = Reads::open(options)?;
    let plans = reads.plan();
    for plan in &plans {
        notes::cut(&plan.path).for_each(|note| control.tell(note));
        notes::unchecked_part(plan)
            .into_iter()
            .for_each(|note| control.tell(note));
    }
    for plan in &plans {
        say_how(plan, reads.threads(), control);
    }
    Ok(reads)
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
            .for_each(|path| control.tell(notes::missing_end(path)));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn names_are_lines_or_end_with_nul() {
        let all = |list: &[u8]| -> Vec<Vec<u8>> {
            let names = file_names(list).into_iter();
            names.map(|name| name.into_os_string().into_vec()).collect()
        };
        assert_eq!(
            all(b"a b.fq \r\n\n\xffc\nd"),
            [&b"a b.fq"[..], b"\xffc", b"d"]
        );
        assert_eq!(all(b"a\nb\0c\r\0"), [&b"a\nb"[..], b"c\r"]);
        assert!(all(b"\n\r\n").is_empty());
    }
}
