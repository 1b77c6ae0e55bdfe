//! The taxa of `--taxon`, by number or by name.

use std::path::Path;

use thalweg_taxa::Taxonomy;
use thalweg_taxa::taxonomy::Taxid;

use super::Taxa;
use crate::Fault;

/// What is at or below the taxa of these numbers and names, in the taxonomy of the database that is called `database`.
///
/// # Errors
/// [`Fault::Usage`] if there is no such taxon, or if several have the name.
pub fn taxa_of_names(
    named: &[String],
    taxonomy: &Taxonomy,
    database: &Path,
) -> Result<Taxa, Fault> {
    let taxid = |text: &String| taxid(text.trim(), taxonomy, database);
    let taxids = named.iter().map(taxid).collect::<Result<Vec<_>, _>>()?;
    Taxa::at_or_below(taxonomy, &taxids)
        .map_err(|unknown| missing(&unknown.0.to_string(), "no such taxon", database))
}

fn taxid(text: &str, taxonomy: &Taxonomy, database: &Path) -> Result<Taxid, Fault> {
    if text.is_empty() {
        return Err(Fault::usage(
            "--taxon without a taxid or a name",
            "separate several by single commas, as in 9606,562",
        ));
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let taxid = text.parse().map(Taxid);
        return taxid.map_err(|_| missing(text, "no such taxon", database));
    }
    let is_called_so = |name: &str| name.eq_ignore_ascii_case(text);
    let nodes = taxonomy.nodes();
    let nodes = Vec::from_iter(nodes.filter(|node| is_called_so(taxonomy.name(*node))));
    match nodes[..] {
        [node] => Ok(taxonomy.taxid(node)),
        [] => Err(missing(text, "no taxon of this name", database)),
        _ => {
            let taxids = nodes.iter().map(|node| taxonomy.taxid(*node).to_string());
            Err(Fault::usage(
                format!("--taxon {text}: {} taxa have this name", nodes.len()),
                format!("use taxids: {}", Vec::from_iter(taxids).join(", ")),
            ))
        }
    }
}

fn missing(text: &str, what: &str, database: &Path) -> Fault {
    Fault::usage(
        format!("--taxon {text}: {} has {what}", database.display()),
        "use a taxid, such as 562, or a name as in reports, such as \"Escherichia coli\"; only taxa of the database's genomes can be selected",
    )
}
