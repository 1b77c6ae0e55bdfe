//! Whether a file is what it was when it was indexed, and whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_flow::{Budget, Claims, Failure, Pool, run};
use thalweg_gzip::index::Index;
use thalweg_gzip::{Decoder, Event, LANES, WINDOW, Workbench, advance};

use crate::batch::{BufferPool, Buffers, give_buffers, take_buffers};
use crate::bytes::compressed_error;
use crate::chunk::open_chunk;
use crate::file::{Handle, InputFile};
use crate::foreign_letters::{ForeignLetters, LetterSearch};
use crate::index_check::first_wrong_window;
use crate::member_checks::MemberChecks;
use crate::open::{Expected, IndexSearch, IndexUse, OpenedFile};
use crate::{Compression, Error, ErrorKind, Listener, Progress, ReaderOptions, hash_file};

/// How thoroughly to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Decode everything: every chunk, every member, every record.
    pub full: bool,
    /// Which index to verify against.
    pub index: IndexUse,
    /// Where the index is looked for if there is none beside the file.
    pub index_directory: Option<PathBuf>,
    /// Threads.
    pub budget: Budget,
    /// True if BGZF must end with its empty block, also if it is text. So by default.
    pub check_end: bool,
    /// As [`ReaderOptions::on_missing_end`](crate::ReaderOptions::on_missing_end).
    pub on_missing_end: Option<Listener>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            full: false,
            index: IndexUse::Auto,
            index_directory: None,
            budget: Budget::all_cores(),
            check_end: true,
            on_missing_end: None,
        }
    }
}

/// What was verified. What could not be is `None`; what was wrong is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Whether there was an index to verify against.
    pub indexed: bool,
    /// BLAKE3 of the file on disk, if it is a regular file.
    pub blake3: Option<[u8; 32]>,
    /// Whether that is what the index says.
    pub hash_matches: bool,
    /// Chunks whose length, end and checksum are as the index says.
    pub chunks: Option<u64>,
    /// gzip members whose trailer matches their data, if the file was decoded by its index.
    pub members: Option<u64>,
    /// Well-formed records, if the file was decoded.
    pub records: Option<u64>,
    /// True if the index has no checksums of chunks, and was not compared with the data.
    pub index_is_unchecked: bool,
    /// Letters of their sequences that stand for no nucleotide, if there are any.
    pub foreign_letters: Option<ForeignLetters>,
}

/// Verify `path`: its hash against the index, the index itself, and with `full` all its data.
///
/// With an index, `full` decodes in parallel, twice: once for the checksums of
/// chunks and members, once for the records. Without one, a gzip file is read in
/// order, and every member's checksum is checked on the way.
///
/// `progress` is told bytes of the file that were decoded and in all; with an
/// index it goes from start to end twice.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(
    path: &Path,
    options: &VerifyOptions,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<VerifyReport, Error> {
    let progress = |done, size| {
        progress(done, size);
        Ok(())
    };
    verify_unless(path, options, &progress)
}

/// As [`verify`], and it ends with the error of `progress` if that has one: for whoever may be told to stop. Of what has no
/// size, `progress` is told 0 in its place.
///
/// # Errors
/// As [`verify`], and those of `progress`.
pub fn verify_unless(
    path: &Path,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<VerifyReport, Error> {
    let pool: Arc<BufferPool> = Arc::new(Pool::new(8 * options.budget.threads()));
    let handle = Handle::open(path)?
        .check_end(options.check_end)
        .on_missing_end(options.on_missing_end.clone());
    let search = IndexSearch {
        index_use: &options.index,
        directory: options.index_directory.as_deref(),
    };
    let expected = match options.full {
        true => Expected::RECORDS,
        false => Expected::TEXT,
    };
    let opened = OpenedFile::new(handle, search, expected, &pool)?;
    let mut report = VerifyReport {
        indexed: opened.index.is_some(),
        ..VerifyReport::default()
    };
    let threads = options.budget.threads();
    if let (Some(open), Some(size)) = (opened.file.regular(), opened.file.size()) {
        let hash = hash_file(open, size, threads).map_err(|error| Error::io(path, error))?;
        report.blake3 = Some(hash);
        if let Some(expected) = opened
            .index
            .as_ref()
            .and_then(|index| index.identity.blake3)
        {
            if expected != hash {
                let what = "its BLAKE3 hash differs".to_owned();
                return Err(Error::new(ErrorKind::OtherFile(what)).in_file(path));
            }
            report.hash_matches = true;
        }
    }
    if !options.full {
        if let Some(index) = &opened.index {
            // What is needed to start at each checkpoint: the rest was checked when the index was opened.
            let mut window = Box::new([0; WINDOW]);
            for chunk in 0..index.chunks() {
                let checked = index.window(chunk, &mut window);
                checked.map_err(|error| Error::new(ErrorKind::Index(error)).in_file(path))?;
            }
        }
        report.index_is_unchecked =
            (opened.index.as_ref()).is_some_and(|index| index.lacks_checksums());
        check_end(&opened.file, options)?;
        opened.file.check_unchanged()?;
        return Ok(report);
    }
    // A stream can be opened once only: this reader was for its index.
    let file = Arc::clone(&opened.file);
    let index = opened.index.clone();
    let decoded = decode(opened, options, &pool, progress, &mut report);
    match &index {
        Some(index) => {
            decoded.map_err(|fault| fault_of_index(&file, index, options, &pool, fault))?
        }
        None => decoded?,
    }
    check_end(&file, options)?;
    file.check_unchanged()?;
    Ok(report)
}

/// Check that BGZF has its empty block at the end, once nothing else was found to be wrong.
fn check_end(file: &InputFile, options: &VerifyOptions) -> Result<(), Error> {
    match options.check_end && file.lacks_end()? {
        true => Err(file.no_end()),
        false => Ok(()),
    }
}

/// Decode everything, by the index if there is one, and note in `report` what was right.
fn decode(
    opened: OpenedFile,
    options: &VerifyOptions,
    pool: &Arc<BufferPool>,
    progress: Progress<'_>,
    report: &mut VerifyReport,
) -> Result<(), Error> {
    let file = Arc::clone(&opened.file);
    if let Some(index) = &opened.index {
        let threads = options.budget.threads();
        report.chunks = Some(index.chunks() as u64);
        report.members = Some(verify_chunks(&file, index, threads, pool, progress)?);
    }
    let expected = opened.index.as_ref().map(|index| index.record_count);
    let (records, foreign_letters) = read_records(opened, options, progress)?;
    report.records = Some(records);
    report.foreign_letters = foreign_letters;
    if expected.is_some_and(|expected| report.records != Some(expected)) {
        let what = "it has another number of records".to_owned();
        return Err(Error::new(ErrorKind::OtherFile(what)).in_file(file.path()));
    }
    Ok(())
}

/// Returns the error for a `fault` that was met through the index: the index is wrong if the file alone is intact.
fn fault_of_index(
    file: &Arc<InputFile>,
    index: &Index,
    options: &VerifyOptions,
    pool: &Arc<BufferPool>,
    fault: Error,
) -> Error {
    if !fault.is_data() {
        return fault;
    }
    let window = match first_wrong_window(file, index, pool) {
        Ok(window) => window,
        // The file cannot be decoded without the index either, or a window not be read.
        Err(error) => return error,
    };
    let alone = VerifyOptions {
        index: IndexUse::Never,
        ..options.clone()
    };
    if let Err(error) = verify_unless(file.path(), &alone, &|_, _| Ok(())) {
        return error;
    }
    let what = match window {
        Some(number) => format!(
            "the window of checkpoint {number} is not the text before byte {} of the uncompressed data",
            index.checkpoints[number].output_offset
        ),
        None => fault.to_string(),
    };
    Error::new(ErrorKind::WrongIndex(what)).in_file(file.path())
}

/// Read all records; every check of the reader applies, and that of their letters and headers. Returns how many there are,
/// and what is unusual about their letters.
fn read_records(
    opened: OpenedFile,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<(u64, Option<ForeignLetters>), Error> {
    let before = opened.file.offset_reached();
    let reader = ReaderOptions::new()
        .check_letters(true)
        .check_headers()
        .budget(options.budget)
        .open_files(vec![vec![opened]])?;
    let reader = Arc::new(reader);
    let outcome = run(options.budget.threads(), |number, stop| {
        let mut worker = reader.worker(number, None);
        let mut records = 0;
        let mut letters = LetterSearch::default();
        while let Some(batch) = worker.next_batch()?
            && !stop.is_stopped()
        {
            records += batch.len() as u64;
            letters.add(&batch);
            let (read, size) = reader.progress();
            let read = read.saturating_sub(before);
            progress(size.map_or(read, |size| read.min(size)), size.unwrap_or(0))?;
        }
        Ok((records, letters))
    });
    let found = flatten(outcome)?;
    let records = found.iter().map(|(records, _)| records).sum();
    let letters = found.into_iter().map(|(_, letters)| letters);
    Ok((records, LetterSearch::finish(letters)))
}

/// Decode every chunk; returns the number of members.
fn verify_chunks(
    file: &Arc<InputFile>,
    index: &Arc<Index>,
    threads: usize,
    pool: &Arc<BufferPool>,
    progress: Progress<'_>,
) -> Result<u64, Error> {
    debug_assert_eq!(file.compression(), Compression::Gzip);
    let claims = Claims::new(index.chunks() as u64);
    let members = MemberChecks::new(index, index.chunks());
    let outcome = run(threads, |_, stop| {
        let mut workbench = Workbench::new();
        let mut decoders: Vec<(usize, Decoder)> = Vec::new();
        loop {
            while decoders.len() < LANES
                && let Some(chunk) = claims.claim()
            {
                let chunk = chunk as usize;
                let mut decoder = open_chunk(file, index, chunk, pool)?;
                decoder.report_members();
                decoders.push((chunk, decoder));
            }
            if decoders.is_empty() || stop.is_stopped() {
                return Ok(());
            }
            let mut running: Vec<_> = decoders.iter_mut().map(|(_, decoder)| decoder).collect();
            advance(&mut workbench, &mut running)
                .map_err(|(_, error)| compressed_error(file, error))?;
            let mut told = Ok(());
            decoders.retain_mut(|(chunk, decoder)| match decoder.event() {
                None => true,
                Some(Event::Full | Event::Block) => {
                    let length = decoder.data().len();
                    let slab = decoder.take(length, take_buffers(pool).slab);
                    give_buffers(
                        pool,
                        Buffers {
                            slab,
                            ..Buffers::default()
                        },
                    );
                    true
                }
                Some(Event::ChunkEnd | Event::End) => {
                    members.note(*chunk, decoder.take_members());
                    let size = file.size().unwrap_or(0);
                    if told.is_ok() {
                        told = progress(file.offset_reached().min(size), size);
                    }
                    false
                }
            });
            told?;
        }
    });
    flatten(outcome)?;
    members.check(file)
}

fn flatten<T>(outcome: Result<Vec<T>, Failure<Error>>) -> Result<Vec<T>, Error> {
    outcome.map_err(|failure| match failure {
        Failure::Failed(error) => error,
        Failure::Panicked(what) => Error::new(ErrorKind::Panicked(what)),
        Failure::NoThread(reason) => Error::new(ErrorKind::NoThread(reason)),
    })
}
