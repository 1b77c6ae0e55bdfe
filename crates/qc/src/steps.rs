//! What can be done to a read or a pair, one step per file, in the order in which
//! the pipeline takes them.
//!
//! A step is a small value made from the options, shared by all workers, with one
//! method that looks at a read or changes it. None knows of the others.

mod adapter_sequence;
mod adapters;
mod correction;
mod detection;
mod evidence;
mod fastp_adapters;
mod filters;
mod front_adapters;
mod gap;
mod index_filter;
mod instrument;
mod iupac;
mod known_adapters;
mod known_search;
mod merging;
mod mgi;
mod mismatches;
mod overlap;
mod poly_a;
mod poly_g;
mod poly_x;
mod probe;
mod quality_cut;
mod reverse_complement;
mod short_fragment;
mod trim;
mod umi;

pub(crate) use adapters::AdapterTrimmer;
pub(crate) use correction::BaseCorrection;
pub use detection::{AdapterDetector, DetectedAdapter};
pub(crate) use filters::{
    ComplexityFilter, LengthFilter, QualityFilter, Verdict, judge, judge_bases,
};
pub(crate) use front_adapters::{FrontAdapters, LONGEST, REQUIRED, split_anchor};
pub(crate) use index_filter::IndexFilter;
pub use instrument::{is_two_colour, two_colour_instrument};
pub(crate) use merging::Merger;
pub(crate) use mgi::fix_mgi_name;
pub(crate) use overlap::{Overlap, OverlapFinder, OverlapScratch};
pub(crate) use poly_a::PolyATrim;
pub(crate) use poly_g::PolyGTrim;
pub(crate) use poly_x::PolyXTrim;
pub(crate) use quality_cut::QualityCut;
pub(crate) use reverse_complement::{complement, reverse_complement};
pub(crate) use trim::GlobalTrim;
pub(crate) use umi::Umi;
