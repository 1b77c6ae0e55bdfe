//! `jellyfish cite`

use std::path::Path;

use super::arguments::CiteArguments;
use crate::jobs::kmers::Fault;
use crate::output::Output;

const TEXT: &str = "\
These counts were made by thalweg, with the options and formats of Jellyfish, which this paper describes:

Guillaume Mar\u{e7}ais and Carl Kingsford. A fast, lock-free approach for efficient parallel counting of occurrences
of k-mers. Bioinformatics 27(6), 764-770, 2011. https://doi.org/10.1093/bioinformatics/btr011
";

const BIBTEX: &str = "\
@article{Marcais2011,
  author  = {Mar\\c{c}ais, Guillaume and Kingsford, Carl},
  title   = {A fast, lock-free approach for efficient parallel counting of occurrences of k-mers},
  journal = {Bioinformatics},
  volume  = {27},
  number  = {6},
  pages   = {764--770},
  year    = {2011},
  doi     = {10.1093/bioinformatics/btr011}
}
";

pub(super) fn run(arguments: &CiteArguments) -> Result<(), Fault> {
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let mut output = Output::create_plain(path)?;
    output.write(match arguments.bibtex {
        true => BIBTEX.as_bytes(),
        false => TEXT.as_bytes(),
    })?;
    Ok(output.finish()?)
}
