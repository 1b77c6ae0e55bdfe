//! Records of all formats, and files that are indexed or changed while they are read.

mod support;

/// Records that are made up, of the tests of formats.
#[path = "../../../formats/tests/formats/given.rs"]
mod given;

/// A format that is made up, likewise.
#[path = "../../../formats/tests/formats/made_up.rs"]
mod made_up;

mod abreast;
mod binary;
mod byproduct;
mod changed;
mod legs;
mod legs_index;
mod legs_pipes;
mod pieces;
mod selection;
mod statistics;
