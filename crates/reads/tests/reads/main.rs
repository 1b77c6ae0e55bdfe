//! Records of all formats, and files that are indexed or changed while they are read.

mod support;

mod abreast;
mod byproduct;
mod changed;
mod pieces;
mod records;
mod selection;
