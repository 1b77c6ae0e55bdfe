//! `thalweg cat`
//!
//! Records to one output, to several by what their flags say, or as BAM: [`thalweg::copy`].
//!
//! - `pipes`: to named pipes, of parts of about equal size.
//! - `repack`: records that are chosen, or packed otherwise than they are: as FASTA, mates apart, in `parts`.
//! - `join`: files behind one another by their bytes.

mod join;
mod parts;
mod pipes;
mod repack;

use std::path::Path;

use thalweg::Listener;
use thalweg::copy::{CopySettings, ReadingSettings, RouteSettings, UnalignedSettings};
use thalweg::write::OutputFormat;

use self::parts::Division;
use crate::input::{self, indexes};
use crate::options::CatArguments;
use crate::options::quantity::thousands;
use crate::output::{refuse_input, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::hearing::heard;
use crate::process::limits::most_open_files;

pub(crate) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    check(arguments)?;
    if !arguments.common.quiet && !arguments.bam.routes.is_given() {
        note_idle_level(arguments);
    }
    if arguments.parts.is_some() {
        indexes::save_all_missing(&arguments.files, &arguments.index, &arguments.common)?;
    }
    if arguments.pipes {
        return pipes::run(arguments);
    }
    if arguments.repack.join {
        return join::run(arguments);
    }
    if arguments.repack.is_given() || arguments.parts.is_some() {
        return repack::run(arguments);
    }
    let (common, files) = (&arguments.common, &arguments.files);
    input::tell_of_terminal(files, common);
    let (reading, level) = (reading(arguments), arguments.compression.level());
    if arguments.bam.routes.is_given() {
        let paths = arguments.bam.routes.paths();
        let settings = RouteSettings {
            reading,
            paths,
            level,
        };
        return Ok(heard(common, &files[0], |control| settings.run(control))?);
    }
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let output = output.to_owned();
    if is_unaligned(arguments) {
        let settings = UnalignedSettings {
            reading,
            output,
            level,
            read_group: arguments.read_group.clone(),
        };
        let changed = heard(common, &files[0], |control| settings.run(control))?;
        tell_changes(changed);
        return Ok(());
    }
    let settings = CopySettings {
        reading,
        output,
        level,
        raw: arguments.raw,
    };
    Ok(heard(common, &files[0], |control| settings.run(control))?)
}

/// What is read, as the library takes it.
fn reading(arguments: &CatArguments) -> ReadingSettings {
    let (common, pairing) = (&arguments.common, &arguments.pairing);
    let ranks = arguments.records.as_ref();
    ReadingSettings {
        mates: pairing.mates,
        interleaved: pairing.interleaved,
        ignore_names: pairing.ignore_names,
        records: ranks.map(|ranks| ranks.start..ranks.end.unwrap_or(u64::MAX)),
        shard: arguments.shard,
        bam: arguments.bam.options(),
        expects_bam: arguments.bam.is_given(),
        indexes: indexes::to_library(&arguments.index),
        budget: input::budget(common),
        most_open: most_open_files(),
        max_record: arguments.limit.max_record,
        check_end: arguments.end.is_wanted(),
        on_wait: (!common.quiet).then(|| Listener::new(input::tell_of_wait)),
        ..ReadingSettings::new(&arguments.files)
    }
}

/// Say what BAM does not keep.
fn tell_changes(changed: u64) {
    if changed > 0 {
        tell!(
            "thalweg: warning: {} letters are lower case, or letters that BAM does not have: they are written in upper case, U as T, all others as N",
            thousands(changed)
        );
    }
}

/// Whether the output's name asks for unaligned BAM.
fn is_unaligned(arguments: &CatArguments) -> bool {
    let output = arguments.output.as_deref();
    let ending = output.and_then(Path::extension).unwrap_or_default();
    ending.eq_ignore_ascii_case("bam")
}

/// Refuse what does not go with unaligned BAM, and what goes with nothing else.
fn check_unaligned(arguments: &CatArguments) -> Result<(), Failure> {
    if !is_unaligned(arguments) {
        return match &arguments.read_group {
            Some(_) => Err(Failure::usage(
                "--read-group applies only to BAM output",
                "name the output .bam, as in -o reads.bam",
            )),
            None => Ok(()),
        };
    }
    let refused = match arguments {
        _ if arguments.raw => "--raw",
        _ if arguments.parts.is_some() => "--parts",
        _ if arguments.pairing.mates && arguments.files.len() > 2 => {
            "--mates of more than two files"
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(
        format!("{refused} does not work with BAM output"),
        "omit it, or write FASTQ",
    ))
}

/// Say so if a level was given for an output that is not compressed.
fn note_idle_level(arguments: &CatArguments) {
    let is_plain = match &arguments.output {
        Some(path) => {
            OutputFormat::of_name(path) == OutputFormat::Plain && !is_unaligned(arguments)
        }
        None => Division::of(arguments).is_none(),
    };
    if is_plain && arguments.compression.is_given() {
        tell!(
            "thalweg: note: --compression has no effect: the output is not named .gz, .bgz or .zst, and so is plain"
        );
    }
}

fn check(arguments: &CatArguments) -> Result<(), Failure> {
    if arguments.raw && arguments.bam.is_given() {
        return Err(Failure::usage(
            "--raw writes BAM unchanged, and does not work with the other BAM options",
            "omit --raw or the others",
        ));
    }
    check_unaligned(arguments)?;
    arguments.bam.routes.paths().check(&arguments.files)?;
    let one_set = arguments.pairing.mates || arguments.files.len() == 1;
    if (arguments.records.is_some() || arguments.pipes) && !one_set {
        return Err(Failure::usage(
            "--records and --pipes work with one file or one set of mates only",
            "run it for each file, or use --mates if the files belong together",
        ));
    }
    let are_parts = Division::of(arguments).is_some();
    if let Some(output) = &arguments.output
        && !is_unaligned(arguments)
        && !arguments.repack.join
    {
        refuse_unwritten(output)?;
    }
    match &arguments.output {
        _ if are_parts => Ok(()),
        Some(path) => refuse_input(path, &arguments.files),
        None => refuse_input(Path::new("-"), &arguments.files),
    }
}
