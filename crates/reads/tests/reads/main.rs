//! Records of all formats, and files that are indexed or changed while they are read.

mod support;

/// Records that are made up, of the tests of formats.
#[path = "../../../formats/tests/formats/given.rs"]
mod given;

mod abreast;
mod byproduct;
mod changed;
mod pieces;
mod selection;
mod statistics;
