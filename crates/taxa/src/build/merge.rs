//! What must be so that databases go together, and what of theirs is not in their records.

use std::collections::HashSet;

use thalweg_flow::{Claims, run};
use thalweg_superkmers::Scheme;

use super::{BuildOptions, Strains, bases::Base, of_threads};
use crate::database::{NodeStatistics, Reference, ReferenceSequences, TaxonDatabase};
use crate::{Error, ErrorKind, GoOn, Node, Result, Taxonomy};

/// What databases that a build begins with have of sequences.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Of all of them, with the new numbers of leaves.
    pub(super) references: ReferenceSequences,
    /// By new node: the statistics that each database has of it.
    pub(super) statistics: Vec<Vec<NodeStatistics>>,
}

impl BuildOptions {
    /// Those by which these databases were built, and others can be added to them. All strains are told if all databases do.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotMergeable`] if they differ in k, in minimizers or in masking, or there is none;
    /// [`ErrorKind::BadOption`] if a build cannot have their minimizers.
    pub fn of_databases(databases: &[TaxonDatabase]) -> Result<Self> {
        let [first, others @ ..] = databases else {
            let what = "no databases are given".to_owned();
            return Err(Error::new(ErrorKind::NotMergeable { what }));
        };
        let (scheme, making) = (first.header().layout.scheme(), first.header().making);
        let tells_all = |database: &TaxonDatabase| database.header().making.tells_all_strains;
        let strains = match databases.iter().all(tells_all) {
            true => Strains::All,
            false => Strains::Folded,
        };
        let options = Self::new(scheme.k())?
            .with_m(scheme.m())?
            .with_masking(making.is_masked)
            .with_strains(strains);
        for other in others {
            check_one(&options, scheme, other)?;
        }
        let bases = databases.iter().map(|database| database.header().bases);
        let bases = bases.fold(0, u64::saturating_add);
        Ok(options.with_expected_bases(Some(bases)))
    }
}

/// That databases go with the options of a build, and are not damaged.
pub(super) fn check(
    options: &BuildOptions,
    scheme: Scheme,
    databases: &[TaxonDatabase],
    threads: usize,
    go_on: &GoOn<'_>,
) -> Result<()> {
    if databases.is_empty() {
        return Ok(());
    }
    if options.part().is_some() {
        let reason = "a part of a database is built of sequences alone".to_owned();
        return Err(Error::new(ErrorKind::BadOption(reason)));
    }
    for database in databases {
        check_one(options, scheme, database)?;
    }
    let claims = Claims::new(databases.len() as u64);
    let checked = run(threads, |_, stop| {
        while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
            databases[next as usize].check_pages(go_on)?;
        }
        Ok(())
    });
    checked.map(drop).map_err(of_threads)
}

fn check_one(options: &BuildOptions, scheme: Scheme, database: &TaxonDatabase) -> Result<()> {
    let (header, making) = (database.header(), database.header().making);
    let of = header.layout.scheme();
    let what = if making.part.is_some() {
        "it is a part, but the others are whole databases".to_owned()
    } else if (of.k(), of.m()) != (scheme.k(), scheme.m()) {
        format!(
            "it has k-mers of {} bases and minimizers of {}, but {} and {} are needed",
            of.k(),
            of.m(),
            scheme.k(),
            scheme.m()
        )
    } else if making.is_masked != options.masking() {
        match making.is_masked {
            true => "it has no k-mers of low complexity, but others do".to_owned(),
            false => "it has k-mers of low complexity, but others do not".to_owned(),
        }
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::NotMergeable { what }).in_file(database.path()))
}

/// The nodes that the leaves of a database have in a taxonomy.
pub(super) fn leaves_in(database: &TaxonDatabase, taxonomy: &Taxonomy) -> Result<Vec<Node>> {
    let nodes = database.species().leaf_nodes().iter();
    let taxids = nodes.map(|&node| database.taxonomy().taxid(node));
    let node = |taxid| {
        let missing = || {
            let what = format!("its taxid {taxid} is not in the taxonomy");
            Error::new(ErrorKind::NotMergeable { what }).in_file(database.path())
        };
        taxonomy.node(taxid).ok_or_else(missing)
    };
    taxids.map(node).collect()
}

/// What the databases have beside their records, with nodes of the new taxonomy and new leaves.
pub(super) fn before(bases: &[Base<'_>], taxonomy: &Taxonomy) -> Result<Before> {
    let mut before = Before::default();
    let mut known = HashSet::new();
    for base in bases {
        let database = base.database();
        let files = before.references.files.len() as u32;
        let references = database.references()?;
        before.references.files.extend(references.files);
        let sequences_before = before.references.sequences.len();
        for mut reference in references.sequences {
            reference.file += files;
            // All leaves are there: they were looked up for the base.
            reference.leaf = base.leaf(reference.leaf).unwrap_or(0);
            // What an earlier database has, too, counts once.
            if !known.contains(&identity(&reference)) {
                before.references.sequences.push(reference);
            }
        }
        known.extend(
            before.references.sequences[sequences_before..]
                .iter()
                .map(identity),
        );
        let mut statistics = vec![NodeStatistics::default(); taxonomy.len()];
        for (old, of_node) in database.taxonomy().nodes().zip(database.statistics()) {
            if let Some(node) = taxonomy.node(database.taxonomy().taxid(old)) {
                statistics[node.0 as usize] = *of_node;
            }
        }
        before.statistics.push(statistics);
    }
    Ok(before)
}

/// What a sequence is the same by as one of another database.
fn identity(reference: &Reference) -> (u32, u64, String) {
    (reference.leaf, reference.bases, reference.name.clone())
}
