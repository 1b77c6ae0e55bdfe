use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use thalweg_reads::{Error, FilePlan, Format, Reader, ReaderOptions};

use crate::Workers;

/// Open `paths` as one stream of reads: files that follow one another.
///
/// Formats are told from the content. An index beside a file is used; its
/// absence is no error.
///
/// # Errors
/// If a file cannot be opened or holds no sequencing reads, or has an index
/// that does not belong to it.
pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Reads, Error> {
    let options = paths
        .into_iter()
        .fold(ReaderOptions::new(), ReaderOptions::file);
    Reads::open(options)
}

/// Open `paths` to be read in step: paired ends, reads with their index reads.
///
/// # Errors
/// As [`open`]; and if indexes tell that the numbers of records differ.
pub fn open_mates<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Reads, Error> {
    Reads::open(ReaderOptions::new().mates(paths))
}

/// Open `reader` as if it were a file called `name`: FASTQ, FASTA or BAM, compressed or not, as its first bytes tell.
///
/// It is read from where it stands, in large steps, by one worker after the other. With files before or behind it, or with
/// mates, it is [`ReaderOptions::reader`] and [`ReaderOptions::mate_readers`].
///
/// ```
/// let text: &[u8] = b"@r1\nACGT\n+\nIIII\n";
/// for batch in thalweg::open_reader("memory", text)?.workers(2) {
///     for record in batch?.records() {
///         assert_eq!((record.id(), &record.sequence()[..]), (&b"r1"[..], &b"ACGT"[..]));
///     }
/// }
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// If it cannot be read, or holds no sequencing reads.
#[doc(alias = "from_reader")]
pub fn open_reader(
    name: impl AsRef<Path>,
    reader: impl Read + Send + 'static,
) -> Result<Reads, Error> {
    Reads::open(ReaderOptions::new().reader(name, reader))
}

/// Open files and a plan of how to share their records out.
pub struct Reads {
    reader: Reader,
}

impl Reads {
    /// Open what `options` say.
    ///
    /// # Errors
    /// As [`ReaderOptions::open`].
    pub fn open(options: ReaderOptions) -> Result<Self, Error> {
        Ok(Self {
            reader: options.open()?,
        })
    }

    /// FASTQ or FASTA.
    pub fn format(&self) -> Format {
        self.reader.format()
    }

    /// Returns whether mates follow each other in each file: it was opened so, or [its records say
    /// so](ReaderOptions::pairs_by_flags).
    pub fn is_interleaved(&self) -> bool {
        self.reader.is_interleaved()
    }

    /// Number of files in step: 1, unless opened as mates.
    pub fn mates(&self) -> usize {
        self.reader.mates()
    }

    /// Threads that the budget it was opened with has.
    pub fn threads(&self) -> usize {
        self.reader.budget().threads()
    }

    /// How each file will be read.
    pub fn plan(&self) -> Vec<FilePlan> {
        self.reader.plan()
    }

    /// How many records of each file workers have given so far; files that follow one another add up. To be taken
    /// before there are workers; final when they are done.
    pub fn records_given(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        self.reader.records_given()
    }

    /// Read with `threads` workers (at least one).
    pub fn workers(self, threads: usize) -> Workers {
        let memory = self.reader.budget().memory();
        let budget = thalweg_flow::Budget::new(threads).with_memory(memory);
        Workers::new(Arc::new(self.reader.with_budget(budget)))
    }

    /// Read with as many workers as the budget that it was opened with says:
    /// all cores, unless told otherwise.
    pub fn all_workers(self) -> Workers {
        Workers::new(Arc::new(self.reader))
    }
}
