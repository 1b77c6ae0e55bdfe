//! Genomes to a database.
//!
//! ```text
//! each thread:  the next file ──► its sequences, in order ──► which taxon? (Library) ─┬─► super-k-mers (Builder)
//!                                                      parts of long ones, to a pile ◄┴─► of whoever has no file
//! all:          Inputs, Built ──► Database
//! ```
//! A file is read by one thread: so its sequences have places, and many files are many threads' work. Long sequences are cut
//! into parts, which whoever has no file takes: so is a file of a few chromosomes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use thalweg_files::Unfinished;
use thalweg_flow::{Budget, Claims, Failure, Pile, Stop, run};
use thalweg_reads::{Error, ErrorKind, ReaderOptions};
use thalweg_taxa::build::{BuildOptions, BuildShare, BuildTotals, BuildWorker, DatabaseBuilder};
use thalweg_taxa::database::{TaxonDatabase, TaxonDatabaseHeader};
use thalweg_taxa::library::{Library, LibraryInputs, Listing, Sequence};
use thalweg_taxa::sequences::Sources;
use thalweg_taxa::{Node, Taxid, Taxonomy};

use super::{Fault, merge_job::union_of};
use crate::{Control, Reads};

/// A database to be built.
pub struct BuildJob<'a> {
    /// FASTA or FASTQ, compressed or not.
    pub files: Vec<PathBuf>,
    /// What there is.
    pub taxonomy: &'a Taxonomy,
    /// Which sequence is of what.
    pub sources: &'a Sources,
    /// Databases whose k-mers and taxa the new one has, too; `options` are to go with them.
    pub onto: &'a [TaxonDatabase],
    /// What becomes of them.
    pub options: BuildOptions,
    /// Threads, and the memory that building may take.
    pub budget: Budget,
    /// Whether sequences without a taxon are left out, and are no error.
    pub skips_unmapped: bool,
}

/// What was built.
#[derive(Debug)]
pub struct BuiltDatabase {
    /// What the file says of itself.
    pub header: TaxonDatabaseHeader,
    /// Its sequences, and what became of all there were.
    pub inputs: LibraryInputs,
    /// Sequences that are not among them, as a database that was built on has one of the same name, taxon and number of
    /// letters.
    pub known: Vec<Sequence>,
    /// What was taken.
    pub totals: BuildTotals,
}

impl BuildJob<'_> {
    /// Build, and write the database to `output`, where it appears when it is whole. `log` makes a JSON text of what became of
    /// the inputs. `control` is told how much of the files was read.
    ///
    /// # Errors
    /// If a file cannot be read or written, sequences are of no taxon, all are, or none has a k-mer; if memory does not suffice;
    /// if it was cancelled. No database is there, then.
    pub fn run(
        self,
        output: &Path,
        control: &Control,
        log: impl FnOnce(&LibraryInputs) -> String,
    ) -> Result<BuiltDatabase, Fault> {
        // A place where nothing can be written is known before the genomes are read; this is gone at once.
        Unfinished::create(output).map_err(|error| Fault::io(output, error))?;
        let builder = DatabaseBuilder::new(self.options, self.budget)?;
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
            control,
            skips_unmapped: self.skips_unmapped,
            is_without: AtomicBool::new(false),
        };
        let position = Position::of(&self.files);
        let work = |_, stop: &Stop| {
            let mut worker = builder.worker()?;
            let mut listing = library.listing();
            let bringer = parts.pile.bringer();
            while let Some(file) = claims.claim()
                && !stop.is_stopped()
            {
                let file = file as usize;
                let path = &self.files[file];
                let mut taking = Taking {
                    file,
                    listing: &mut listing,
                    worker: &mut worker,
                    parts: &parts,
                };
                take(path, &mut taking, &position, stop)?;
            }
            drop(bringer);
            while let Some(part) = parts.pile.wait()
                && !stop.is_stopped()
            {
                parts.add(&part, &mut worker)?;
            }
            Ok::<_, Fault>((worker.into_share()?, listing))
        };
        let (shares, listings): (Vec<BuildShare>, Vec<Listing<'_>>) =
            finished(run(self.budget.threads(), work))?
                .into_iter()
                .unzip();
        let mut inputs = library.finish(listings);
        inputs.check_rows()?;
        if !self.skips_unmapped {
            inputs.check_mapped()?;
        }
        inputs.check_some_mapped()?;
        let known = leave_out_known(self.onto, taxonomy, &mut inputs)?;
        let go_on = || control.check_taxa();
        let built = builder.finish_onto_unless(self.onto, shares, taxonomy, &go_on)?;
        built.check_kmers()?;
        let header = built.write_unless(output, &inputs, taxonomy, &log(&inputs), &go_on)?;
        Ok(BuiltDatabase {
            known,
            header,
            totals: built.totals(),
            inputs,
        })
    }
}

/// Sequences of fewer letters are not cut.
const LONG: usize = 8 << 20;

/// Bytes on disk that were read of all files.
struct Position {
    read: AtomicU64,
    /// `None` if a file does not tell its size.
    all: Option<u64>,
}

impl Position {
    fn of(files: &[PathBuf]) -> Self {
        let size = |file: &PathBuf| {
            let metadata = std::fs::metadata(file).ok()?;
            metadata.is_file().then_some(metadata.len())
        };
        Self {
            read: AtomicU64::new(0),
            all: files.iter().map(size).sum(),
        }
    }

    /// So many more were read.
    fn add(&self, bytes: u64, control: &Control) {
        // A sum of its own, tied to no other memory.
        let read = self.read.fetch_add(bytes, Ordering::Relaxed) + bytes;
        control.progress(|| (read, self.all));
    }
}

/// Parts of long sequences, for whoever has nothing else to do.
struct Parts<'a> {
    pile: Pile<Part>,
    /// How many lie there, or nearly.
    lying: AtomicUsize,
    threads: usize,
    control: &'a Control<'a>,
    skips_unmapped: bool,
    /// True if a sequence was found of no known taxon, which is to be an error: from then on all are listed, to be counted and
    /// named, and none is cut.
    is_without: AtomicBool,
}

struct Part {
    node: Node,
    sequence: Arc<Vec<u8>>,
    range: Range<usize>,
    /// Set if a k-mer begins in it, as in other parts of its sequence.
    has_kmers: Arc<AtomicBool>,
}

impl Parts<'_> {
    /// Cuts a sequence, and takes parts itself until no more than one for each thread lie there: then there is time to read
    /// what comes next. So two long sequences are held at most by each thread that reads.
    fn cut(
        &self,
        node: Node,
        letters: Vec<u8>,
        has_kmers: &Arc<AtomicBool>,
        worker: &mut BuildWorker,
    ) -> Result<(), Fault> {
        let sequence = Arc::new(letters);
        for range in BuildWorker::parts(sequence.len()) {
            // A count of what lies there, tied to no other memory.
            self.lying.fetch_add(1, Ordering::Relaxed);
            let sequence = Arc::clone(&sequence);
            self.pile.push(Part {
                node,
                sequence,
                range,
                has_kmers: Arc::clone(has_kmers),
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
    fn add(&self, part: &Part, worker: &mut BuildWorker) -> Result<(), Fault> {
        self.lying.fetch_sub(1, Ordering::Relaxed);
        self.control.check()?;
        if worker.add_part(part.node, &part.sequence, part.range.clone())? {
            // Read when all threads have ended.
            part.has_kmers.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// One thread's side of a file that is being read.
struct Taking<'a, 'l> {
    /// Its number.
    file: usize,
    listing: &'a mut Listing<'l>,
    worker: &'a mut BuildWorker,
    parts: &'a Parts<'a>,
}

impl Taking<'_, '_> {
    /// Takes the sequence at this place of the file: to the list, and to the worker or the pile.
    fn add(&mut self, place: u64, head: &[u8], letters: Cow<'_, [u8]>) -> Result<(), Fault> {
        let node = self.listing.add(self.file, place, head, &letters);
        // A mark for speed alone: who sees it late cuts in vain.
        let is_without = &self.parts.is_without;
        let Some(node) = node else {
            if !self.parts.skips_unmapped {
                is_without.store(true, Ordering::Relaxed);
            }
            return Ok(());
        };
        if is_without.load(Ordering::Relaxed) {
            return Ok(());
        }
        if letters.len() >= LONG && self.parts.threads > 1 {
            let has_kmers = self.listing.kmers_of_last();
            let letters = letters.into_owned();
            return self.parts.cut(node, letters, &has_kmers, self.worker);
        }
        if !self.worker.add(node, &letters)? {
            self.listing.kmers_of_last();
        }
        Ok(())
    }
}

/// Gives the sequences of a file to the list and to the worker.
fn take(
    path: &Path,
    taking: &mut Taking<'_, '_>,
    position: &Position,
    stop: &Stop,
) -> Result<(), Fault> {
    let options = ReaderOptions::new().file(path).check_letters(true);
    let workers = Reads::open(options.budget(Budget::new(1)))?.workers(1);
    let read = workers.progress();
    let (mut place, mut told) = (0, 0);
    for batch in workers {
        if stop.is_stopped() {
            break;
        }
        taking.parts.control.check()?;
        let (now, _) = read();
        position.add(now.saturating_sub(told), taking.parts.control);
        told = now;
        for record in batch?.records() {
            taking.add(place, record.head(), record.sequence())?;
            place += 1;
        }
    }
    Ok(())
}

/// Leaves out of the list what databases have already, by name, taxon and number of letters: it counts once.
fn leave_out_known(
    databases: &[TaxonDatabase],
    taxonomy: &Taxonomy,
    inputs: &mut LibraryInputs,
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use thalweg_taxa::sequences::Sources;
    use thalweg_taxa::taxonomy::Taxdump;

    use super::*;
    use crate::control::stopping;
    use crate::taxa::{MergeJob, dump_database, verify_database};

    /// A species below the root.
    fn taxonomy() -> Taxonomy {
        let mut dump = Taxdump::new();
        let nodes = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tspecies\t|\n";
        let names = "2\t|\tA b\t|\t\t|\tscientific name\t|\n";
        dump.read_nodes(nodes.as_bytes(), Path::new("nodes.dmp"))
            .unwrap();
        dump.read_names(names.as_bytes(), Path::new("names.dmp"))
            .unwrap();
        dump.finish().unwrap()
    }

    /// A genome of random letters, in lines that fill many batches.
    fn genome(path: &Path, mut state: u64) {
        let mut text = String::from(">g|kraken:taxid|2\n");
        for place in 0..1_000_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            text.push(char::from(b"ACGT"[(state >> 62) as usize]));
            if place % 100_000 == 99_999 {
                text.push_str("\n>g|kraken:taxid|2\n");
            }
        }
        text.push_str("ACGT\n");
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn databases_that_are_stopped_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let (taxonomy, sources) = (taxonomy(), Sources::new());
        let build = |genome: &Path, output: &str, control: &Control, log: &dyn Fn()| {
            let job = BuildJob {
                files: vec![genome.to_owned()],
                taxonomy: &taxonomy,
                sources: &sources,
                onto: &[],
                options: BuildOptions::new(31)?.with_temporary_directory(directory.path()),
                budget: Budget::new(2).with_memory(1 << 28),
                skips_unmapped: false,
            };
            job.run(&path(output), control, |_| {
                log();
                String::from("{}")
            })
        };
        for (number, name) in ["a", "b"].into_iter().enumerate() {
            let genome_file = path(&format!("{name}.fa"));
            genome(&genome_file, number as u64);
            let output = format!("{name}.tht");
            // Stopped between what was built and what is written.
            let cancel = AtomicBool::new(false);
            let control = Control {
                cancel: Some(&cancel),
                ..Control::default()
            };
            let late = build(&genome_file, &output, &control, &|| {
                cancel.store(true, Ordering::Relaxed);
            });
            assert!(late.unwrap_err().is_cancelled());
            assert!(!path(&output).exists());
            stopping::midway(directory.path(), |control| {
                build(&genome_file, &output, control, &|| {})
            });
        }
        let merge = |control: &Control| {
            let job = MergeJob {
                files: ["a.tht", "b.tht"].map(path).to_vec(),
                budget: Budget::new(2).with_memory(1 << 28),
                temporary_directory: directory.path().to_owned(),
            };
            job.run(&path("all.tht"), control, |_| String::from("{}"))
        };
        stopping::at_once(directory.path(), merge);
        assert!(merge(&Control::default()).unwrap().kmers > 0);
        stopping::at_once(directory.path(), |control| {
            verify_database(&path("all.tht"), control)
        });
        verify_database(&path("all.tht"), &Control::default()).unwrap();
        let dump = |control: &Control| dump_database(&path("all.tht"), &path("all.txt"), control);
        stopping::at_once(directory.path(), dump);
        dump(&Control::default()).unwrap();
        // A few lines, which are written when all of them are there.
        std::fs::write(
            path("few.fa"),
            format!(
                ">g|kraken:taxid|2\n{}\n",
                "ACGGTCATGCGTTAGCATTGACCAGTTACAGGATTTCAGGCTA"
            ),
        )
        .unwrap();
        build(&path("few.fa"), "few.tht", &Control::default(), &|| {}).unwrap();
        stopping::at_once(directory.path(), |control| {
            dump_database(&path("few.tht"), &path("few.txt"), control)
        });
    }
}
