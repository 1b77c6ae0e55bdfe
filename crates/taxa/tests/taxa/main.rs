//! Taxonomies, sequences, masks, databases and calls against plain definitions, and against kraken2, dustmasker and MultiQC.

mod broken;
mod builds;
mod calls;
mod damage;
mod database;
#[path = "../../../thalweg/tests/support/extent.rs"]
#[allow(dead_code)]
mod extent;
mod given;
mod kraken2;
mod libraries;
mod lineages;
mod lines;
mod lmat;
mod made;
mod masks;
mod merges;
mod parts;
mod profiles;
mod samples;
mod sequences;
mod trees;
