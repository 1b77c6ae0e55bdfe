//! Genomes to a database.
//!
//! ```text
//! each thread:  the next file ──► its sequences, in order ──► which taxon? (Library) ─┬─► super-k-mers (Builder)
//!                                                      parts of long ones, to a pile ◄┴─► of whoever has no file
//! all:          Inputs, Built ──► Database
//! ```
//! A file is read by one thread: so its sequences have places, and many files are many threads' work. Long sequences are cut
//! into parts, which whoever has no file takes: so is a file of a few chromosomes.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thalweg_files::Unfinished;
use thalweg_flow::{Budget, Claims, Failure, Pile, Stop, run};
use thalweg_reads::{Error, ErrorKind, ReaderOptions};
use thalweg_taxa::build::{BuildOptions, Builder, Share, Totals, Worker};
use thalweg_taxa::database::{Database, Header};
use thalweg_taxa::library::{Inputs, Library, Listing, Sequence};
use thalweg_taxa::sequences::Sources;
use thalweg_taxa::{Node, Taxid, Taxonomy};

use super::{Fault, merge_job::union_of};
use crate::Reads;

/// A database to be built.
pub struct BuildJob<'a> {
    /// FASTA or FASTQ, compressed or not.
    pub files: Vec<PathBuf>,
    /// What there is.
    pub taxonomy: &'a Taxonomy,
    /// Which sequence is of what.
    pub sources: &'a Sources,
    /// Databases whose k-mers and taxa the new one has, too; `options` are to go with them.
    pub onto: &'a [Database],
    /// What becomes of them.
    pub options: BuildOptions,
    /// Threads, and the memory that building may take.
    pub budget: Budget,
    /// Whether sequences without a taxon are left out, and are no error.
    pub skips_unmapped: bool,
}

/// What was built.
#[derive(Debug)]
pub struct Made {
    /// What the file says of itself.
    pub header: Header,
    /// Its sequences, and what became of all there were.
    pub inputs: Inputs,
    /// Sequences that are not among them, as a database that was built on has one of the same name, taxon and number of
    /// letters.
    pub known: Vec<Sequence>,
    /// What was taken.
    pub totals: Totals,
}

impl BuildJob<'_> {
    /// Build, and write the database to `output`, where it appears when it is whole. `log` makes a JSON text of what became of
    /// the inputs.
    ///
    /// # Errors
    /// If a file cannot be read or written, sequences are of no taxon, all are, or none has a k-mer; or memory does not suffice.
    pub fn run(self, output: &Path, log: impl FnOnce(&Inputs) -> String) -> Result<Made, Fault> {
        // A place where nothing can be written is known before the genomes are read; this is gone at once.
        Unfinished::create(output).map_err(|error| Fault::io(output, error))?;
        let builder = Builder::new(self.options, self.budget)?;
        let union;
        let taxonomy = match self.onto {
            [] => self.taxonomy,
            databases => {
                union = union_of(databases, Some(self.taxonomy))?;
                &union
            }
        };
        let library = Library::new(taxonomy, self.sources, self.files.clone());
        let claims = Claims::new(self.files.len() as u64);
        let parts = Parts {
            pile: Pile::new(),
            lying: AtomicUsize::new(0),
            threads: self.budget.threads(),
        };
        let work = |_, stop: &Stop| {
            let mut worker = builder.worker()?;
            let mut listing = library.listing();
            let bringer = parts.pile.bringer();
            while let Some(file) = claims.claim()
                && !stop.is_stopped()
            {
                let file = file as usize;
                let path = &self.files[file];
                take(file, path, &mut listing, &mut worker, &parts, stop)?;
            }
            drop(bringer);
            while let Some(part) = parts.pile.wait()
                && !stop.is_stopped()
            {
                parts.add(&part, &mut worker)?;
            }
            Ok::<_, Fault>((worker.into_share()?, listing))
        };
        let (shares, listings): (Vec<Share>, Vec<Listing<'_>>) =
            finished(run(self.budget.threads(), work))?
                .into_iter()
                .unzip();
        let mut inputs = library.finish(listings);
        if !self.skips_unmapped {
            inputs.check_mapped()?;
        }
        inputs.check_some_mapped()?;
        let known = leave_out_known(self.onto, taxonomy, &mut inputs)?;
        let built = builder.finish_onto(self.onto, shares, taxonomy)?;
        built.check_kmers()?;
        let header = built.write(output, &inputs, taxonomy, &log(&inputs))?;
        Ok(Made {
            known,
            header,
            totals: built.totals(),
            inputs,
        })
    }
}

/// Sequences of fewer letters are not cut.
const LONG: usize = 8 << 20;

/// Parts of long sequences, for whoever has nothing else to do.
struct Parts {
    pile: Pile<Part>,
    /// How many lie there, or nearly.
    lying: AtomicUsize,
    threads: usize,
}

struct Part {
    node: Node,
    sequence: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Parts {
    /// Cuts a sequence, and takes parts itself until no more than one for each thread lie there: then there is time to read
    /// what comes next. So two long sequences are held at most by each thread that reads.
    fn cut(&self, node: Node, letters: Vec<u8>, worker: &mut Worker) -> Result<(), Fault> {
        let sequence = Arc::new(letters);
        for range in Worker::parts(sequence.len()) {
            // A count of what lies there, tied to no other memory.
            self.lying.fetch_add(1, Ordering::Relaxed);
            let sequence = Arc::clone(&sequence);
            self.pile.push(Part {
                node,
                sequence,
                range,
            });
        }
        while self.lying.load(Ordering::Relaxed) > self.threads
            && let Some(part) = self.pile.take()
        {
            self.add(&part, worker)?;
        }
        Ok(())
    }

    /// Gives a part that was taken off the pile to a worker.
    fn add(&self, part: &Part, worker: &mut Worker) -> Result<(), Fault> {
        self.lying.fetch_sub(1, Ordering::Relaxed);
        Ok(worker.add_part(part.node, &part.sequence, part.range.clone())?)
    }
}

/// The sequences of a file, to the list and to the worker.
fn take(
    number: usize,
    path: &Path,
    listing: &mut Listing<'_>,
    worker: &mut Worker,
    parts: &Parts,
    stop: &Stop,
) -> Result<(), Fault> {
    let options = ReaderOptions::new().file(path).check_letters(true);
    let reads = Reads::open(options.budget(Budget::new(1)))?;
    let mut place = 0;
    for batch in reads.workers(1) {
        if stop.is_stopped() {
            break;
        }
        for record in batch?.records() {
            let letters = record.sequence();
            if let Some(node) = listing.add(number, place, record.head(), &letters) {
                match letters.len() >= LONG && parts.threads > 1 {
                    true => parts.cut(node, letters.into_owned(), worker)?,
                    false => worker.add(node, &letters)?,
                }
            }
            place += 1;
        }
    }
    Ok(())
}

/// Leaves out of the list what databases have already, by name, taxon and number of letters: it counts once.
fn leave_out_known(
    databases: &[Database],
    taxonomy: &Taxonomy,
    inputs: &mut Inputs,
) -> Result<Vec<Sequence>, Fault> {
    let mut before: HashSet<(String, u64, Taxid)> = HashSet::new();
    for database in databases {
        let leaves = database.species().leaf_nodes();
        for reference in database.references()?.sequences {
            let taxid = database.taxonomy().taxid(leaves[reference.leaf as usize]);
            before.insert((reference.name, reference.bases, taxid));
        }
    }
    Ok(inputs.leave_out(|sequence| {
        let taxid = taxonomy.taxid(sequence.node);
        before.contains(&(sequence.name.to_string(), sequence.letters, taxid))
    }))
}

fn finished<T>(outcome: Result<Vec<T>, Failure<Fault>>) -> Result<Vec<T>, Fault> {
    outcome.map_err(|failure| match failure {
        Failure::Failed(fault) => fault,
        Failure::Panicked(what) => Error::new(ErrorKind::Panicked(what)).into(),
        Failure::NoThread(reason) => Error::new(ErrorKind::NoThread(reason)).into(),
    })
}
