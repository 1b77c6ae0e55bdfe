//! Which templates are wanted.

use std::fmt;

use thalweg_reads::{Error, ErrorKind, Record};

use super::{Motif, NameList, RankKeys};
use crate::Batch;

/// What makes a template wanted. Of mates it is enough that it is true of one, but where a judge is given both.
#[derive(Clone, Copy)]
pub enum Choice<'a> {
    /// Nothing: all are.
    All,
    /// Its name is in a list.
    Named(&'a NameList),
    /// Its sequence has a motif.
    WithMotif(&'a Motif),
    /// It was drawn.
    Drawn(&'a Drawn),
    /// A function says so, which is given all its records.
    By(&'a Wanted<'a>),
}

/// What says of the records of a template whether it is wanted. Many threads ask it at once.
pub type Wanted<'a> = dyn Fn(&[Record<'_>]) -> bool + Sync + 'a;

impl fmt::Debug for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("All"),
            Self::Named(names) => f.debug_tuple("Named").field(names).finish(),
            Self::WithMotif(motif) => f.debug_tuple("WithMotif").field(motif).finish(),
            Self::Drawn(drawn) => f.debug_tuple("Drawn").field(drawn).finish(),
            Self::By(_) => f.write_str("By"),
        }
    }
}

/// Templates that were drawn of inputs whose numbers of templates were known before.
#[derive(Clone, Debug)]
pub struct Drawn {
    keys: RankKeys,
    /// The greatest key that is drawn; none if nothing is.
    limit: Option<u64>,
    /// The rank of the first template of each set of files.
    starts: Vec<u64>,
    records_per_template: u64,
}

impl Drawn {
    /// Draw `count` templates of sets of files that have `templates` each. `records_per_template` of a file are one.
    pub fn new(keys: RankKeys, count: u64, templates: &[u64], records_per_template: u64) -> Self {
        let mut all = 0;
        let mut starts = Vec::with_capacity(templates.len());
        for more in templates {
            starts.push(all);
            all += more;
        }
        Self {
            keys,
            limit: keys.limit(count, all),
            starts,
            records_per_template,
        }
    }

    /// The rank of the first template of a batch over all inputs.
    fn first_rank(&self, batch: &Batch) -> Result<u64, Error> {
        let start = self.starts.get(batch.set());
        let rank = batch.blocks().first().and_then(|block| block.first_rank());
        match (start, rank) {
            (Some(start), Some(rank)) => Ok(start + rank / self.records_per_template),
            // Whoever knows how many records a file has knows which ones these are.
            _ => Err(Error::new(ErrorKind::Incomplete)),
        }
    }
}

impl Choice<'_> {
    /// What tells of the templates of one batch whether they are wanted.
    #[inline]
    pub(super) fn of_batch(&self, batch: &Batch) -> Result<OfBatch<'_>, Error> {
        Ok(match self {
            Self::All => OfBatch::All,
            Self::Named(names) => OfBatch::Named(names),
            Self::WithMotif(motif) => OfBatch::WithMotif(motif),
            Self::Drawn(Drawn { limit: None, .. }) => OfBatch::None,
            Self::Drawn(drawn) => OfBatch::Drawn {
                keys: drawn.keys,
                first: drawn.first_rank(batch)?,
                limit: drawn.limit.unwrap_or_default(),
            },
            Self::By(judge) => OfBatch::By(*judge),
        })
    }
}

/// A choice, as far as it is about one batch.
pub(super) enum OfBatch<'a> {
    All,
    None,
    Named(&'a NameList),
    WithMotif(&'a Motif),
    Drawn {
        keys: RankKeys,
        first: u64,
        limit: u64,
    },
    By(&'a Wanted<'a>),
}

impl OfBatch<'_> {
    /// Whether template `number` of the batch is wanted.
    #[inline]
    pub(super) fn wants(&self, number: usize, template: &[Record<'_>]) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            // All are looked up: each name of the list that is there is found.
            Self::Named(names) => {
                let found = |record: &Record<'_>| usize::from(names.find(record.id()));
                template.iter().map(found).sum::<usize>() > 0
            }
            Self::WithMotif(motif) => template.iter().any(|record| motif.is_in(record)),
            Self::Drawn { keys, first, limit } => keys.key(first + number as u64) <= *limit,
            Self::By(judge) => judge(template),
        }
    }
}
