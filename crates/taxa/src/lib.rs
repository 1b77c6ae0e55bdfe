//! Which organisms sequences are of: what a classifier needs to know before it sees a k-mer.
//!
//! ```text
//! nodes.dmp, names.dmp … ──► Taxdump  ──┐
//! GTDB's tables         ──► Lineages ──┴─► Taxonomy ──► lca, is_below, species, rank_code
//! tables, maps, headers ──► sequences ─────► the taxon of each reference sequence
//! letters of a sequence ──► mask ──────────► ranges of low complexity
//! sequences and taxa ─────► build ─────────► leaves of each k-mer: set, record ──► database
//! reads and a database ───► lookup ────────► sets of their k-mers
//! what k-mers were found in ► classify ──────► the taxon of a read ──► label, report, sample
//! ```
//!
//! In the order in which data meet them:
//!
//! - [`taxonomy`]: taxdumps and tables of lineages, read into a [`Taxonomy`].
//! - [`sequences`]: which taxon each reference sequence is of, and which are of none.
//! - [`library`]: the list of all reference sequences, and what is to be told of them.
//! - [`mask`]: which letters of a sequence are of low complexity.
//! - [`build`]: sequences and their taxa to records of k-mers and sets of taxa.
//! - [`set`]: in which leaves of which species a k-mer is found.
//! - [`record`]: k-mers that have a minimizer and a set in common.
//! - [`database`]: all of these in one file.
//! - [`lookup`]: the set of every k-mer of a read.
//! - [`classify`]: the taxon of a read, of the sets that its k-mers were found in.
//! - [`label`], [`report`]: lines and reports as kraken2 writes them.
//! - [`sample`]: which taxa are there, and how much of each.
//!
//! Text comes from any `BufRead` of the caller, with a path that only messages use. But for databases and a build's temporary
//! files no files are opened; but for the end of a build no threads are started, and nothing is printed.
//!
//! ```
//! use std::path::Path;
//! use thalweg_taxa::{Taxid, taxonomy::Taxdump};
//!
//! let nodes = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tdomain\t|\n561\t|\t2\t|\tgenus\t|\n562\t|\t561\t|\tspecies\t|\n";
//! let names = "562\t|\tEscherichia coli\t|\t\t|\tscientific name\t|\n";
//! let mut dump = Taxdump::new();
//! dump.read_nodes(nodes.as_bytes(), Path::new("nodes.dmp"))?;
//! dump.read_names(names.as_bytes(), Path::new("names.dmp"))?;
//! let taxonomy = dump.finish()?;
//!
//! let coli = taxonomy.node(Taxid(562)).unwrap();
//! assert_eq!(taxonomy.name(coli), "Escherichia coli");
//! assert_eq!(taxonomy.rank_code(coli).to_string(), "S");
//! let bacteria = taxonomy.node(Taxid(2)).unwrap();
//! assert!(taxonomy.is_below(coli, bacteria));
//! assert_eq!(taxonomy.lca(coli, bacteria), bacteria);
//! # Ok::<(), thalweg_taxa::Error>(())
//! ```
#![deny(unsafe_code)]

pub mod build;
pub mod classify;
pub mod database;
mod error;
pub mod label;
pub mod library;
pub mod lookup;
pub mod record;
pub mod report;
pub mod sample;
pub mod sequences;
pub mod set;
pub mod taxonomy;
mod text;

pub use error::{Error, ErrorKind, GoOn, Result};
pub use taxonomy::{Node, Taxid, Taxonomy};
pub use thalweg_scan::low_complexity as mask;
pub use thalweg_superkmers::Kernel;
