//! `thalweg cat`
//!
//! - `copy`: records to one output, in order; `routes`: to one by what their flags say; `unaligned`: as BAM.
//! - `pipes`: to named pipes, of parts of about equal size.
//! - `repack`: records that are chosen, or packed otherwise than they are: as FASTA, mates apart, in `parts`.
//! - `join`: files behind one another by their bytes.

mod copy;
mod join;
mod parts;
mod pipes;
mod repack;
pub(crate) mod routes;
pub(crate) mod unaligned;

use std::ops::Range;
use std::path::Path;

use thalweg::Reads;
use thalweg::count::Inputs;
use thalweg::write::Format;

use self::copy::{Joiner, copy_behind};
use self::parts::Division;
use self::routes::Routes;
use self::unaligned::Unaligned;
use crate::input::sharing::Sharing;
use crate::input::{self, indexes};
use crate::options::CatArguments;
use crate::output::{Output, refuse_input, refuse_unwritten};
use crate::process::exit::Failure;
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
    let sharing = Sharing::of(&arguments.files, &arguments.pairing, arguments.shard)?;
    if arguments.records.is_some() || arguments.shard.is_some() {
        indexes::save_all_missing(sharing.files(), &arguments.index, &arguments.common)?;
    }
    let index = arguments.bam.index(&arguments.index)?;
    let is_bam = unaligned::is_asked_for(arguments);
    let is_sorted = arguments.bam.routes.is_given();
    let wants_text = !is_bam && !is_sorted;
    let open = |range: Range<usize>, tells: bool| {
        let index = sharing.indexes(range.clone(), &index);
        let files = &sharing.files()[range.clone()];
        let mut options = input::options(files, &arguments.pairing, &index, &arguments.common)?;
        if let Some(ranks) = &arguments.records {
            options = options.records(ranks.start..ranks.end.unwrap_or(u64::MAX));
        } else if arguments.shard.is_some() {
            options = sharing.choose(options, range);
        } else if wants_text && !arguments.pairing.mates && !arguments.pairing.interleaved {
            // Nobody needs to know where records are, but of BAM.
            options = match arguments.raw {
                true => options.as_text(true),
                false => options.as_rendered_text(true),
            };
        }
        options = arguments.bam.choose(options).check_letters(is_bam);
        match tells {
            true => input::open(options, &arguments.common),
            false => Ok(Reads::open(options)?),
        }
    };
    input::check_stdin(&arguments.files)?;
    indexes::check(&arguments.files, &index)?;
    let inputs = match arguments.pairing.mates {
        true => Inputs::all(sharing.files(), open)?,
        false => Inputs::open(sharing.files(), most_open_files(), open)?,
    };
    arguments.bam.check(inputs.plans())?;
    if is_bam {
        unaligned::refuse_bam(inputs.plans())?;
    }
    if is_sorted {
        let mut routes = Routes::create(arguments)?;
        inputs.each(|reads| routes.copy(reads, arguments))?;
        return routes.finish();
    }
    let mut output = match &arguments.output {
        Some(path) if is_bam => Output::create_bgzf(path, arguments.compression.level())?,
        Some(path) => Output::create_at(path, arguments.compression.level())?,
        None => Output::stdout()?,
    };
    let unsaved = indexes::to_be_saved(inputs.plans(), &arguments.index);
    if is_bam {
        let unaligned = Unaligned::begin(arguments, &mut output)?;
        inputs.each(|reads| unaligned.copy(reads, arguments, &mut output))?;
        output.finish()?;
        unaligned.tell_changes();
        return Ok(());
    }
    let mut joiner = Joiner::default();
    let copied = inputs.each(|reads| copy_behind(&mut joiner, reads, arguments, &mut output));
    let closed = copied.and_then(|()| {
        match (joiner.open_line()).is_some_and(|file| sharing.is_followed(file)) {
            true => output.write(b"\n"),
            false => Ok(()),
        }
    });
    closed
        .and_then(|()| output.finish())
        .inspect_err(|failure| {
            if matches!(failure, Failure::ClosedPipe { .. }) {
                indexes::tell_unsaved(&unsaved, &arguments.index);
            }
        })
}

/// Say so if a level was given for an output that is not compressed.
fn note_idle_level(arguments: &CatArguments) {
    let is_plain = match &arguments.output {
        Some(path) => Format::of_name(path) == Format::Plain && !unaligned::is_asked_for(arguments),
        None => Division::of(arguments).is_none(),
    };
    if is_plain && arguments.compression.is_given() {
        tell!(
            "thalweg: note: --compression changes nothing: the output is not named .gz, .bgz or .zst, and so is plain"
        );
    }
}

fn check(arguments: &CatArguments) -> Result<(), Failure> {
    if arguments.raw && arguments.bam.is_given() {
        return Err(Failure::usage(
            "--raw leaves BAM as it is, and other options are for FASTQ made of it",
            "leave --raw out, or the others",
        ));
    }
    unaligned::check(arguments)?;
    arguments.bam.routes.check(&arguments.files)?;
    let one_set = arguments.pairing.mates || arguments.files.len() == 1;
    if (arguments.records.is_some() || arguments.pipes) && !one_set {
        return Err(Failure::usage(
            "--records and --pipes go with one file or one set of mates",
            "run it for each file, or say --mates if the files belong together",
        ));
    }
    let are_parts = Division::of(arguments).is_some();
    if let Some(output) = &arguments.output
        && !unaligned::is_asked_for(arguments)
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
