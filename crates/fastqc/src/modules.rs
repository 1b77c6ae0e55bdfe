//! The modules of a report, each a table and a verdict.

mod adapter_content;
mod base_content;
mod base_quality;
mod basic_statistics;
mod duplication;
mod kmer_content;
mod length_distribution;
mod n_content;
mod overrepresented;
mod sequence_gc;
mod sequence_quality;
mod tile_quality;

pub(crate) use self::base_quality::Row as QualityRow;
use crate::Findings;
use crate::report::Module;

/// All modules of a report on `findings`, in their order, but those that are left out or have nothing to show.
pub(crate) fn all(findings: &Findings, name: &str) -> Vec<Module> {
    let modules = [
        basic_statistics::module(findings, name),
        base_quality::module(findings),
        tile_quality::module(findings),
        sequence_quality::module(findings),
        base_content::module(findings),
        sequence_gc::module(findings),
        n_content::module(findings),
        length_distribution::module(findings),
        duplication::module(findings),
        overrepresented::module(findings),
        adapter_content::module(findings),
        kmer_content::module(findings),
    ];
    modules.into_iter().flatten().collect()
}
