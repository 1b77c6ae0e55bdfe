//! `thalweg index`

use std::path::Path;
use std::time::Instant;

use thalweg::files::counted;
use thalweg::index::{IndexFormat, IndexSettings, MadeIndex};
use thalweg::{Checkpoints, IndexOptions};

use crate::input::budget;
use crate::options::quantity::bytes;
use crate::options::{CheckpointChoice, IndexArguments, IndexFormatName};
use crate::output::refuse_compressed;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(crate) fn run(arguments: &IndexArguments) -> Result<(), Failure> {
    let mut settings = IndexSettings {
        output: arguments.output.clone(),
        directory: arguments.directory.path(),
        format: match arguments.format {
            IndexFormatName::Thw => IndexFormat::Thw,
            IndexFormatName::Mim => IndexFormat::Mim,
            IndexFormatName::Gzi => IndexFormat::Gzi,
        },
        force: arguments.force,
        ..IndexSettings::new(&arguments.files)
    };
    settings.check()?;
    // Of what is there already, more can be told.
    if let Some(output) = arguments.output.iter().find(|output| !output.exists()) {
        refuse_compressed(output)?;
    }
    settings.options = IndexOptions {
        checkpoints: checkpoints(arguments)?,
        metadata: metadata(arguments)?,
        budget: budget(&arguments.common),
        check_end: arguments.end.is_wanted(),
    };
    settings.check()?;
    let mut worst = 0;
    for file in &arguments.files {
        // One bad file must not keep a night's other files waiting.
        if let Err(failure) = index(file, &settings, arguments) {
            failure.print();
            worst = worst.max(failure.code());
        }
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

fn index(file: &Path, settings: &IndexSettings, arguments: &IndexArguments) -> Result<(), Failure> {
    let started = Instant::now();
    let common = &arguments.common;
    let made = heard(common, file, |control| settings.index(file, control))?;
    if !common.quiet {
        tell_made(file, &made, started);
    }
    Ok(())
}

fn tell_made(file: &Path, made: &MadeIndex, started: Instant) {
    if made.was_there {
        return tell!(
            "thalweg: {}: is up to date; --force builds it again",
            made.path.display()
        );
    }
    let index = &made.index;
    let index_size = std::fs::metadata(&made.path).map_or(0, |metadata| metadata.len());
    let records = match index.has_records {
        true => format!("{}, ", counted(index.record_count, "record")),
        false => String::new(),
    };
    tell!(
        "thalweg: {}: {records}{} ({} uncompressed), {}; index {} ({:.3}%), {:.1} s",
        file.display(),
        bytes(made.file_size),
        bytes(index.output_size),
        counted(index.chunks() as u64, "checkpoint"),
        bytes(index_size),
        index_size as f64 * 100.0 / made.file_size.max(1) as f64,
        started.elapsed().as_secs_f64(),
    );
}

fn checkpoints(arguments: &IndexArguments) -> Result<Checkpoints, Failure> {
    let threads = arguments.for_threads.map(usize::from);
    Ok(match arguments.checkpoints {
        None => Checkpoints::Span(arguments.span.unwrap_or(thalweg::DEFAULT_SPAN)),
        Some(CheckpointChoice::Auto) => {
            Checkpoints::ForThreads(threads.unwrap_or(IndexSettings::FOR_THREADS))
        }
        Some(CheckpointChoice::AtMost(_)) if threads.is_some() => {
            return Err(Failure::usage(
                "--for-threads requires --checkpoints auto",
                "omit it, or use auto",
            ));
        }
        Some(CheckpointChoice::AtMost(most)) => Checkpoints::AtMost(most),
    })
}

fn metadata(arguments: &IndexArguments) -> Result<Option<serde_json::Value>, Failure> {
    let Some(given) = &arguments.metadata else {
        return Ok(None);
    };
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let path = Path::new(path);
            std::fs::read_to_string(path).map_err(|error| Failure::io(path, error))?
        }
        None => given.clone(),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).map(Some).map_err(|error| {
        Failure::usage(
            format!("--metadata is not JSON: {error}"),
            "quote it for the shell: --metadata '{\"run\": \"A17\"}', or put it in a file: --metadata @run.json",
        )
    })
}
