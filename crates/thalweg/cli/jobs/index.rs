//! `thalweg index`

mod gzi;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::index::Index;
use thalweg::write::resolve;
use thalweg::{Checkpoints, Error, ErrorKind, IndexOptions, IndexUse, ReaderOptions};

use crate::input::indexes;
use crate::input::{budget, warn_if_cut};
use crate::options::quantity::{bytes, thousands};
use crate::options::{CheckpointChoice, IndexArguments, IndexFormat};
use crate::output::{refuse_compressed, refuse_input};
use crate::process::exit::Failure;
use crate::process::progress::{Progress, counter};

/// Threads that `--checkpoints auto` provides for unless told otherwise: what a
/// common node or large workstation has, or a job on a larger one gets.
const FOR_THREADS: usize = 16;

pub(crate) fn run(arguments: &IndexArguments) -> Result<(), Failure> {
    if arguments.output.is_some() && arguments.files.len() > 1 {
        return Err(Failure::usage(
            "-o goes with one input file",
            "leave it out: each index gets the name of its file",
        ));
    }
    // Of what is there already, more can be told.
    if let Some(output) = arguments.output.iter().find(|output| !output.exists()) {
        refuse_compressed(output)?;
    }
    let options = IndexOptions {
        checkpoints: checkpoints(arguments)?,
        metadata: metadata(arguments)?,
        budget: budget(&arguments.common),
    };
    let mut worst = 0;
    for file in &arguments.files {
        // One bad file must not keep a night's other files waiting.
        if let Err(failure) = index(file, arguments, &options) {
            failure.print();
            worst = worst.max(failure.code());
        }
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

fn index(file: &Path, arguments: &IndexArguments, options: &IndexOptions) -> Result<(), Failure> {
    // An input that is missing comes before an index that exists.
    let size = match std::fs::metadata(file) {
        Err(_) if file.as_os_str() == "-" => {
            return Err(Failure::usage(
                "the standard input cannot be indexed: an index lies beside a file",
                "write it to a file first",
            ));
        }
        Ok(metadata) if metadata.is_dir() => {
            return Err(Failure::io(file, std::io::ErrorKind::IsADirectory.into()));
        }
        Ok(metadata) => metadata.len(),
        Err(error) => return Err(Failure::io(file, error)),
    };
    // A link stays; what it points to is replaced, or made.
    let mut destination = destination(file, arguments)?;
    if destination.is_symlink() {
        destination = resolve(&destination);
    }
    refuse_input(&destination, &arguments.files)?;
    if destination.exists() {
        refuse_other_files(&destination, arguments.format)?;
        if !arguments.force {
            return keep_or_refuse(file, &destination, arguments, options);
        }
    }
    warn_if_cut(file);
    let started = Instant::now();
    let (report, position) = counter();
    let progress = Progress::start(&arguments.common, file, position);
    let built = match arguments.format {
        IndexFormat::Thw => thalweg::build_index(file, Some(&destination), options, &report)?,
        IndexFormat::Mim => {
            let index = thalweg::build_index(file, None, options, &report)?;
            index
                .write_mim(&destination)
                .map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file))?;
            index
        }
        IndexFormat::Gzi => gzi::build(file, &destination)?,
    };
    drop(progress);
    if !arguments.common.quiet {
        let index_size = std::fs::metadata(&destination).map_or(0, |metadata| metadata.len());
        let records = match built.has_records {
            true => format!("{} records, ", thousands(built.record_count)),
            false => String::new(),
        };
        tell!(
            "thalweg: {}: {records}{} ({} uncompressed), {} checkpoint{}; index {} ({:.3} %), {:.1} s",
            file.display(),
            bytes(size),
            bytes(built.output_size),
            thousands(built.chunks() as u64),
            if built.chunks() == 1 { "" } else { "s" },
            bytes(index_size),
            index_size as f64 * 100.0 / size.max(1) as f64,
            started.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}

fn destination(file: &Path, arguments: &IndexArguments) -> Result<PathBuf, Failure> {
    if let Some(output) = &arguments.output {
        return Ok(output.clone());
    }
    let ending = match arguments.format {
        IndexFormat::Thw => "thw",
        IndexFormat::Mim => "mim",
        IndexFormat::Gzi => "gzi",
    };
    indexes::place(file, arguments.directory.path().as_deref(), ending)
}

fn checkpoints(arguments: &IndexArguments) -> Result<Checkpoints, Failure> {
    let threads = arguments.for_threads.map(usize::from);
    Ok(match arguments.checkpoints {
        None => Checkpoints::Span(arguments.span.unwrap_or(thalweg::DEFAULT_SPAN)),
        Some(CheckpointChoice::Auto) => Checkpoints::ForThreads(threads.unwrap_or(FOR_THREADS)),
        Some(CheckpointChoice::AtMost(_)) if threads.is_some() => {
            return Err(Failure::usage(
                "--for-threads goes with --checkpoints auto",
                "leave it out, or say auto",
            ));
        }
        Some(CheckpointChoice::AtMost(most)) => Checkpoints::AtMost(most),
    })
}

fn metadata(arguments: &IndexArguments) -> Result<Option<serde_json::Value>, Failure> {
    let Some(given) = &arguments.metadata else {
        return Ok(None);
    };
    if arguments.format == IndexFormat::Gzi {
        return Err(Failure::usage(
            "a .gzi index holds no metadata",
            "use --format thw",
        ));
    }
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let path = Path::new(path);
            std::fs::read_to_string(path).map_err(|error| Failure::io(path, error))?
        }
        None => given.clone(),
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        Failure::usage(
            format!("--metadata is not JSON: {error}"),
            "quote it for the shell: --metadata '{\"run\": \"A17\"}', or put it in a file: --metadata @run.json",
        )
    })
}

/// Something lies where the index should go: fine if it is what we would write.
fn keep_or_refuse(
    file: &Path,
    existing: &Path,
    arguments: &IndexArguments,
    options: &IndexOptions,
) -> Result<(), Failure> {
    let hint = "replace it with --force, or write another one with -o";
    match is_up_to_date(file, existing, options) {
        Ok(index) if options.metadata.is_none() || index.metadata == options.metadata => {
            if !arguments.common.quiet {
                tell!(
                    "thalweg: {}: is up to date; --force builds it again",
                    existing.display()
                );
            }
            Ok(())
        }
        Ok(_) => Err(Failure::usage(
            format!("{}: exists, with other metadata", existing.display()),
            hint,
        )),
        Err(why) => Err(Failure::usage(
            format!("{}: exists, {why}", existing.display()),
            hint,
        )),
    }
}

/// Even --force replaces nothing but an index, be it damaged or outdated.
fn refuse_other_files(existing: &Path, format: IndexFormat) -> Result<(), Failure> {
    let fail = |error| Failure::io(existing, error);
    let metadata = std::fs::metadata(existing).map_err(fail)?;
    if !metadata.is_file() {
        return Err(Failure::usage(
            format!("{}: exists, and is no regular file", existing.display()),
            "an index needs a name of its own; -o - is not possible",
        ));
    }
    let mut start = Vec::new();
    let open = File::open(existing).map_err(fail)?;
    open.take(8).read_to_end(&mut start).map_err(fail)?;
    // A .gzi begins with a number: only its name tells.
    let is_gzi = format == IndexFormat::Gzi && existing.extension().is_some_and(|end| end == "gzi");
    if start.is_empty() || thalweg::index::is_index(&start) || is_gzi {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{}: exists, and is no index", existing.display()),
        "not even --force replaces other files: choose another name with -o",
    ))
}

fn is_up_to_date(file: &Path, existing: &Path, options: &IndexOptions) -> Result<Index, String> {
    let index = Index::open(existing).map_err(|_| "and is no index that can be used")?;
    if !index.has_records {
        return Err("and says nothing about records".to_owned());
    }
    // The reader refuses an index of another file.
    ReaderOptions::new()
        .file(file)
        .index(IndexUse::At(existing.to_owned()))
        .open()
        .map_err(|error| match error.kind() {
            ErrorKind::OtherFile(_) => "but belongs to another file or version of it".to_owned(),
            _ => format!("but cannot be used: {error}"),
        })?;
    if index.identity.head_tail.is_none()
        && let Some(expected) = index.identity.blake3
    {
        // Formats without a fingerprint: look at the whole file.
        let open = File::open(file).map_err(|error| error.to_string())?;
        let size = open.metadata().map_err(|error| error.to_string())?.len();
        let hash = thalweg::hash_file(&open, size, options.budget.threads());
        if hash.map_err(|error| error.to_string())? != expected {
            return Err("but belongs to another file or version of it".to_owned());
        }
    }
    Ok(index)
}
