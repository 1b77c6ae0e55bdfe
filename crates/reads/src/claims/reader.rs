//! What one process has open of a table.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::table::ClaimedSet;
use super::{ClaimReport, ClaimSource, ClaimTable, SharedWorker};
use crate::reader::Reader;
use crate::{Error, ErrorKind, FilePlan, IndexUse, ReaderOptions};

/// The files of a table of claims, each opened when this process first has a claim of it, and closed when its threads are
/// done with those. Share it between threads, and let each take a [`SharedWorker`].
pub struct SharedReader {
    /// All but the files.
    options: ReaderOptions,
    table: ClaimTable,
    source: Arc<dyn ClaimSource>,
    /// Of each set the reader that is open, as long as a worker has it.
    open: Vec<Mutex<Weak<Reader>>>,
    /// Sets that are read as a whole: other workers can help.
    wholes: Mutex<Vec<Whole>>,
    reports: Mutex<Vec<ClaimReport>>,
}

/// A set that is read as a whole, from its claim to the end of the last batch.
struct Whole {
    claim: u64,
    reader: Arc<Reader>,
    workers: usize,
    /// Somebody has come to the end: nobody need help any more.
    is_over: bool,
}

impl SharedReader {
    pub(crate) fn new(
        options: ReaderOptions,
        table: ClaimTable,
        source: Arc<dyn ClaimSource>,
    ) -> Self {
        Self {
            options,
            open: table.sets().iter().map(|_| Mutex::default()).collect(),
            table,
            source,
            wholes: Mutex::default(),
            reports: Mutex::default(),
        }
    }

    /// A worker, number `number` of as many as the budget has threads. Their batches come in any order.
    pub fn worker(self: &Arc<Self>, number: usize) -> SharedWorker {
        SharedWorker::new(Arc::clone(self), number)
    }

    /// The table that it reads by.
    pub fn table(&self) -> &ClaimTable {
        &self.table
    }

    /// What became of the claims of this process, in no order. All of them are there when all workers are done.
    pub fn take_reports(&self) -> Vec<ClaimReport> {
        std::mem::take(&mut lock(&self.reports))
    }

    pub(super) fn source(&self) -> &Arc<dyn ClaimSource> {
        &self.source
    }

    /// The set of a claim, and the numbers of all of its claims.
    pub(super) fn set_of(&self, claim: u64) -> Result<(usize, Range<u64>), Error> {
        let unknown = ErrorKind::Unsupported("a claim that is not in the table");
        self.table.set_of(claim).ok_or_else(|| Error::new(unknown))
    }

    /// The reader of set number `set`, opened if no worker has it open.
    ///
    /// # Errors
    /// What opening gives, and those of [`ClaimedSet::check_same`].
    pub(super) fn open(&self, set: usize) -> Result<Arc<Reader>, Error> {
        let mut open = lock(&self.open[set]);
        if let Some(reader) = open.upgrade() {
            return Ok(reader);
        }
        let expected = &self.table.sets()[set];
        let options = of_files(&self.options, expected);
        let reader = options.open()?;
        expected.check_same(&ClaimedSet::of_section(reader.only_section()?)?)?;
        let reader = Arc::new(reader);
        *open = Arc::downgrade(&reader);
        Ok(reader)
    }

    pub(super) fn report(&self, reports: impl IntoIterator<Item = ClaimReport>) {
        lock(&self.reports).extend(reports);
    }

    /// Begin to read a set as a whole.
    pub(super) fn begin_whole(&self, claim: u64, reader: &Arc<Reader>) {
        lock(&self.wholes).push(Whole {
            claim,
            reader: Arc::clone(reader),
            workers: 1,
            is_over: false,
        });
    }

    /// A set that others read as a whole, for one more worker.
    pub(super) fn whole_to_help(&self) -> Option<(u64, Arc<Reader>)> {
        let mut wholes = lock(&self.wholes);
        let whole = wholes.iter_mut().find(|whole| !whole.is_over)?;
        whole.workers += 1;
        Some((whole.claim, Arc::clone(&whole.reader)))
    }

    /// A worker has come to the end of a set that is read as a whole. The last one reports it.
    pub(super) fn leave_whole(&self, claim: u64) {
        let mut wholes = lock(&self.wholes);
        let Some(place) = wholes.iter().position(|whole| whole.claim == claim) else {
            return;
        };
        wholes[place].is_over = true;
        wholes[place].workers -= 1;
        if wholes[place].workers == 0 {
            let whole = wholes.swap_remove(place);
            let records = whole.reader.records_given()();
            self.report([ClaimReport {
                claim,
                records,
                seam: None,
            }]);
        }
    }
}

impl ReaderOptions {
    /// What there is to claim of the files, so that several processes, or threads of another program, can share it out: see
    /// [`open_shared`](Self::open_shared). Each set of files is opened and closed, one after the other.
    ///
    /// # Errors
    /// As [`open`](Self::open); and if a file is a pipe, or not all records of all files are wanted.
    pub fn claim_table(&self) -> Result<ClaimTable, Error> {
        self.claim_table_with(|_| {})
    }

    /// As [`claim_table`](Self::claim_table), and `see` is given how the files of each set will be read.
    ///
    /// # Errors
    /// As [`claim_table`](Self::claim_table).
    pub fn claim_table_with(
        &self,
        mut see: impl FnMut(Vec<FilePlan>),
    ) -> Result<ClaimTable, Error> {
        self.check_shared()?;
        let mut table = ClaimTable::default();
        for options in self.one_by_one() {
            let reader = options.open()?;
            table.push(ClaimedSet::of_section(reader.only_section()?)?);
            see(reader.plan());
        }
        Ok(table)
    }

    /// Read what `source` gives out of the claims of `table`. The files are those of the table, and the options must be those
    /// that it was made with, on whatever machine.
    ///
    /// # Errors
    /// If files were added here, or the options select records.
    pub fn open_shared(
        self,
        table: ClaimTable,
        source: Arc<dyn ClaimSource>,
    ) -> Result<SharedReader, Error> {
        self.check_shared()?;
        if self.has_files() {
            let what = "files beside those of a table of claims";
            return Err(Error::new(ErrorKind::Unsupported(what)));
        }
        Ok(SharedReader::new(self, table, source))
    }
}

/// `options`, of the files of one set, with the indexes that the table was made with.
fn of_files(options: &ReaderOptions, set: &ClaimedSet) -> ReaderOptions {
    let paths = set.files.iter().map(|file| &file.path);
    let options = options.clone().mates(paths);
    let indexes: Option<Vec<&PathBuf>> = set.files.iter().map(|file| file.index.as_ref()).collect();
    match indexes {
        Some(indexes) => options.index_files(indexes),
        // One that was made meanwhile would divide the file otherwise.
        None => options.index(IndexUse::Never),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
