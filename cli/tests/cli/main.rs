//! The command as its users meet it: files in a fresh directory, exact output,
//! exit codes, messages, and what is left behind.

mod bad_input;
mod cat;
mod codec_limits;
mod count;
mod damage_told;
mod databases;
mod file_kinds;
mod filter_reads;
mod help;
mod index;
mod index_places;
mod info;
mod jellyfish;
mod kmc_tools;
mod kmers;
mod kmers_asked;
mod limits;
mod members;
mod no_database;
mod output;
mod parts;
mod qc;
mod qc_compat;
mod qc_hints;
mod qc_inputs;
mod qc_more;
mod qc_refused;
mod qc_roles;
mod qc_split;
mod qc_told;
mod returns;
mod stats;
mod streams;
mod support;
mod verify;
