//! k-mers of a database, as values.

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, SortOptions};
use thalweg_kmers::kmer::{KmerTask, dispatch};
use thalweg_trace::{Error, TraceEncoder, TracedKmer as Traced, Value};
use thalweg_write::{Level, OutputFormat, WholeFile};

use super::TraceOutput;
use crate::Control;
use crate::count::Fault;

/// A trace of the k-mers of a database, which appears when it is whole.
pub struct KmerTrace<'a> {
    output: &'a TraceOutput,
    file: WholeFile,
}

impl<'a> KmerTrace<'a> {
    /// One that has nothing but its header yet: before the counting, as what cannot be written is told then.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create(output: &'a TraceOutput) -> Result<Self, Fault> {
        let mut file = WholeFile::open_as(output.path(), OutputFormat::Plain, Level::default())?;
        file.write(output.head())?;
        Ok(Self { output, file })
    }

    /// Writes all k-mers with their counts, ascending, as `thalweg kmers dump` has them, on so many threads. Returns how many these are.
    ///
    /// # Errors
    /// What is wrong with the database, or what the system says about the trace; if the job was cancelled. The trace does not
    /// appear then.
    pub fn write(
        self,
        database: &Database,
        sorting: &SortOptions,
        threads: usize,
        control: &Control,
    ) -> Result<u64, Fault> {
        let task = WriteKmers {
            trace: self,
            database,
            sorting,
            threads,
            control,
        };
        dispatch(database.header().k, task)?
    }
}

struct WriteKmers<'a> {
    trace: KmerTrace<'a>,
    database: &'a Database,
    sorting: &'a SortOptions,
    threads: usize,
    control: &'a Control<'a>,
}

/// What a thread makes values with, and the bytes of a batch.
#[derive(Default)]
struct Batch {
    encoder: Option<TraceEncoder>,
    letters: Vec<u8>,
    bytes: Vec<u8>,
    values: u64,
}

impl KmerTask for WriteKmers<'_> {
    type Output = Result<u64, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let KmerTrace { output, mut file } = self.trace;
        let k = self.database.header().k;
        let control = self.control;
        let watch = control.watch(self.database);
        let records = (self.database).sorted_unless::<K>(self.sorting, &watch)?;
        let mut values = 0;
        records.in_order(
            self.threads,
            |records, batch: &mut Batch| {
                let encoded = batch.encode(records, k, output);
                encoded.map_err(|error| of_trace(&error))
            },
            |batch| {
                control.check()?;
                values += std::mem::take(&mut batch.values);
                file.write(&batch.bytes)?;
                batch.bytes.clear();
                Ok::<_, Fault>(())
            },
        )?;
        let end = output.end(values).map_err(|error| of_trace(&error))?;
        file.write(&end)?;
        control.check()?;
        file.finish()?;
        Ok(values)
    }
}

impl Batch {
    fn encode<K: Kmer>(
        &mut self,
        records: &[(K, u64)],
        k: usize,
        output: &TraceOutput,
    ) -> Result<(), Error> {
        let mut encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => output.encoder()?,
        };
        for &(kmer, count) in records {
            self.letters.clear();
            kmer.write_letters(k, &mut self.letters);
            encoder.push(&Value::Kmer(Traced {
                kmer: self.letters.as_slice().into(),
                count,
            }));
        }
        self.values = encoder.take_batch(&mut self.bytes)?;
        self.encoder = Some(encoder);
        Ok(())
    }
}

fn of_trace(error: &Error) -> Fault {
    Fault::usage(error.to_string(), "")
}
