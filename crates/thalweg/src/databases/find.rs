//! Single k-mers looked up in a database.

use std::path::Path;

use thalweg_kmers::Kmer;
use thalweg_kmers::database::Database;
use thalweg_kmers::kmer::{KmerTask, dispatch};

use super::{open_database, say_strands};
use crate::{Control, Fault};

/// The counts of `kmers` in the database at `path`, in their order; `None` of those that it does not have.
///
/// Of a database of canonical k-mers either strand may be given. Costs a few small reads for each k-mer: of whole reads,
/// [`Screen`](super::Screen) and [`Lookups`](super::Lookups) ask faster.
///
/// ```no_run
/// let found = thalweg::databases::find_counts("counts.thk", ["ACGTACGTACGTACGTACGTA"], &Default::default())?;
/// assert_eq!(found, [Some(12)]);
/// # Ok::<(), thalweg::Fault>(())
/// ```
///
/// # Errors
/// If the database cannot be read, or letters are no k-mer of its; if it was cancelled.
#[doc(alias = "query")]
pub fn find_counts<L: AsRef<[u8]>>(
    path: impl AsRef<Path>,
    kmers: impl IntoIterator<Item = L>,
    control: &Control,
) -> Result<Vec<Option<u64>>, Fault> {
    let database = open_database(path, control)?;
    let kmers = kmers.into_iter().collect();
    let k = database.header().k;
    let task = Find {
        database: &database,
        kmers,
        control,
    };
    dispatch(k, task)?
}

struct Find<'a, L> {
    database: &'a Database,
    kmers: Vec<L>,
    control: &'a Control<'a>,
}

impl<L: AsRef<[u8]>> KmerTask for Find<'_, L> {
    type Output = Result<Vec<Option<u64>>, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let mut lookup = self.database.lookup::<K>()?;
        say_strands(self.database, lookup.is_canonical(), self.control);
        let find = |letters: &L| {
            self.control.check()?;
            Ok(lookup.find_letters(letters.as_ref())?)
        };
        self.kmers.iter().map(find).collect()
    }
}
