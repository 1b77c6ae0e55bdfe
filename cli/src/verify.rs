//! `thalweg verify`

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use thalweg::index::Index;
use thalweg::{Error, ErrorKind};

use crate::arguments::{IndexMode, Pairing, VerifyArguments};
use crate::exit::Failure;
use crate::input::{self, budget, check_index_file, index_path};
use crate::output;
use crate::progress::Progress;
use crate::quantity::thousands;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    check_index_file(&arguments.files, &arguments.index)?;
    let mut worst = 0;
    for file in &arguments.files {
        match verify(file, arguments) {
            Ok(what) => output::print(&format!("{}: OK ({what})\n", file.display()))?,
            Err(failure) => {
                failure.print();
                worst = worst.max(failure.code());
            }
        }
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// What was checked and found to be right.
fn verify(file: &Path, arguments: &VerifyArguments) -> Result<String, Failure> {
    let has_index = has_index(file, arguments)?;
    let mut checked = Vec::new();
    if has_index && verify_hash(file, arguments)? {
        checked.push("hash of the file".to_owned());
    }
    if arguments.full || checked.is_empty() {
        let records = verify_records(file, arguments)?;
        checked.push(format!("{} records, every checksum", thousands(records)));
    }
    Ok(checked.join(", "))
}

fn has_index(file: &Path, arguments: &VerifyArguments) -> Result<bool, Failure> {
    let choice = &arguments.index;
    let wanted = choice.index_file.is_some() || choice.index == IndexMode::Require;
    let is_regular = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
    Ok(match choice.index {
        IndexMode::Never => false,
        _ => wanted || (is_regular && index_path(file, choice).exists()),
    })
}

/// Whether there is a hash to compare with; an error if it differs.
fn verify_hash(file: &Path, arguments: &VerifyArguments) -> Result<bool, Failure> {
    let at_fault = |error| Error::new(ErrorKind::Index(error)).in_file(file);
    let path = index_path(file, &arguments.index);
    if !path.exists() {
        return Err(Error::new(ErrorKind::NoIndex).in_file(file).into());
    }
    let index = Index::open(&path).map_err(at_fault)?;
    let Some(expected) = index.identity.blake3 else {
        return Ok(false);
    };
    let fail = |error| Error::io(file, error);
    let open = File::open(file).map_err(fail)?;
    let size = open.metadata().map_err(fail)?.len();
    let other = |what: String| Error::new(ErrorKind::OtherFile(what)).in_file(file);
    let indexed = index.identity.compressed_size;
    if indexed != 0 && indexed != size {
        return Err(other(format!("{indexed} bytes were indexed, the file has {size}")).into());
    }
    let threads = budget(&arguments.common).threads();
    let found = thalweg::hash_file(&Arc::new(open), size, threads).map_err(fail)?;
    if found != expected {
        return Err(other("its BLAKE3 differs".to_owned()).into());
    }
    Ok(true)
}

/// Decode everything; the number of records.
fn verify_records(file: &Path, arguments: &VerifyArguments) -> Result<u64, Failure> {
    let pairing = Pairing {
        mates: false,
        interleaved: false,
    };
    let files = [file.to_owned()];
    let options = input::options(&files, &pairing, &arguments.index, &arguments.common)?;
    let workers = input::open(options, &arguments.common)?.all_workers();
    let _progress = Progress::start(&arguments.common, file, workers.progress());
    let records = workers.fold(
        || 0,
        |sum: &mut u64, batch| *sum += batch.len() as u64,
        |sum, other| *sum += other,
    )?;
    Ok(records)
}
