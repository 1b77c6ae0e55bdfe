//! Taxonomies, sequences, masks and databases against plain definitions, and against kraken2 and dustmasker.

mod broken;
mod database;
mod given;
mod kraken2;
mod lineages;
mod made;
mod masks;
mod sequences;
mod trees;
