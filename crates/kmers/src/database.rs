//! Files of counted k-mers: one interface to read any of them and to write most.
//!
//! In the order in which data meet them:
//!
//! - [`open`] finds out what a file is, by its content, and gives a [`Database`]: its [`Header`], its
//!   [`KmerRecords`] in the order of the file or [sorted](Database::sorted), and a [`Lookup`] for single k-mers.
//! - [`KmerScreen`] judges reads by whether they have k-mers of a database.
//! - [`DatabaseWriter`] writes any [`DatabaseFormat`] from one sorted stream.
//! - [`Scatter`] takes the partitions of a count, and its [`Ranges`] make one sorted stream of them, on all threads.
//! - [`thk`] is our own format, which takes partitions from several workers at once.
//! - [`set`]: several files of it in a directory, which are one database wherever one is wanted.
//!
//! | format | read | written | order of its records | query |
//! |---|---|---|---|---|
//! | `.thk` | yes | yes | sorted in each partition, or throughout | one block |
//! | Jellyfish `binary/sorted` | yes | yes | by a hash; ours are sorted throughout | binary search |
//! | Jellyfish `text/sorted` | yes | yes | the same | after loading |
//! | KMC version 0 (KMC 1, `kmc_tools`) | yes | yes | sorted throughout | binary search |
//! | KMC version 0x200 (`kmc`) | yes | no | sorted in each bin | after loading |
//! | TSV, FASTA | yes | yes | any | after loading |
//!
//! A file gets its name when it is whole: until then it has none, or a temporary one in the same directory, and nothing
//! is left of it if something fails.
//!
//! ```no_run
//! use thalweg_kmers::database;
//!
//! let database = database::open("sample.jf")?;
//! println!("k = {}", database.header().k);
//! for record in database.records::<u64>()? {
//!     let (kmer, count) = record?;
//!     # let _ = (kmer, count);
//! }
//! # Ok::<(), thalweg_kmers::Error>(())
//! ```

mod fold;
mod formatter;
mod header;
mod in_order;
mod input;
mod jellyfish;
mod kmc;
mod loaded;
mod lookup;
mod merge;
mod number;
mod open;
mod output;
mod part;
mod query;
mod records;
mod row;
mod scatter;
mod screen;
pub mod set;
mod share;
mod sort;
mod text;
pub mod thk;
mod writer;
mod wrong_kind;

pub use formatter::{Formatted, Formatter};
pub use header::{DatabaseFormat, Description, Header, Order};
pub use loaded::Loaded;
pub use lookup::Lookup;
pub use open::{Database, Totals, files_of, files_written, open};
pub use part::{Part, check_parts, job_checksum};
pub use query::SequenceKmers;
pub use records::{BATCH, KmerRecords, RecordSource, Watch};
pub use scatter::{Ranges, Scatter};
pub use screen::{KmerScreen, Screener, Threshold};
pub use share::{InputShare, check_shares};
pub use sort::{SortOptions, Sorter};
pub use text::Separator;
pub use writer::DatabaseWriter;

pub(crate) use merge::{Merge, not_ascending, sum as sum_counts};
