//! Look-ups of very many reads in the order of the file, which is so read once, from its start to its end.
//!
//! ```text
//! super-k-mers of all reads, sorted by bucket; by WINDOW of them:
//!   window i + 2   ask for its part of the directory
//!   window i + 1   ask for its records
//!   window i       look it up
//! then, in the order of the reads: runs of what was found
//! ```

use super::{OfQuery, TaxonLookup, find, push_runs};
use crate::record::MAX_FLANK;

/// Super-k-mers whose pages are asked for together.
const WINDOW: usize = 4096;

/// What was found of each super-k-mer.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The set of all k-mers, or where the sets of each are.
    all: Vec<Result<u32, u32>>,
    mixed: Vec<[u32; MAX_FLANK + 1]>,
}

impl Answers {
    fn of(&self, query: usize) -> OfQuery {
        self.all[query].map_err(|at| self.mixed[at as usize])
    }
}

impl TaxonLookup<'_> {
    /// Looks up all sequences that were added since the last [`clear`](Self::clear), like [`look_up`](Self::look_up), but in the
    /// order in which the database has what they need. For a database that is larger than memory and many reads: each page
    /// is read once.
    ///
    /// Memory: 16 bytes for each super-k-mer more. Cost: sorting them.
    ///
    /// # Errors
    /// The database is damaged: no run may be used.
    ///
    /// # Panics
    /// If some were looked up already, or if there are 2^32 super-k-mers.
    pub fn sweep(&mut self) -> crate::Result<()> {
        assert!(self.run_ends.is_empty() && u32::try_from(self.queries.len()).is_ok());
        let (view, queries) = (self.view, &self.queries);
        let layout = view.layout();
        let mut order = Vec::from_iter(0..queries.len() as u32);
        order.sort_unstable_by_key(|&query| (queries[query as usize].turned.value, query));
        let windows = Vec::from_iter(order.chunks(WINDOW));
        let bucket = |&query: &u32| layout.split(queries[query as usize].turned.value).0;
        let mut answers = Answers {
            all: vec![Ok(0); queries.len()],
            mixed: Vec::new(),
        };
        for step in 0..windows.len() + 2 {
            if let (Some(fetch), Some(window)) = (&mut self.fetch, windows.get(step)) {
                window
                    .iter()
                    .for_each(|query| fetch.add_bucket(bucket(query)));
                fetch.ask();
            }
            let window = step.checked_sub(1).and_then(|at| windows.get(at));
            if let (Some(fetch), Some(window)) = (&mut self.fetch, window) {
                let buckets = window.iter().map(bucket);
                buckets.for_each(|bucket| fetch.add_records(&view.bucket(bucket)));
                fetch.ask();
            }
            let Some(window) = step.checked_sub(2).and_then(|at| windows.get(at)) else {
                continue;
            };
            for at in *window {
                let query = &queries[*at as usize];
                let found = find(&view, query, view.bucket(bucket(at)));
                answers.all[*at as usize] = found.sets(query.kmers).map_err(|sets| {
                    answers.mixed.push(sets);
                    answers.mixed.len() as u32 - 1
                });
            }
        }
        let mut first = 0;
        for &end in &self.query_ends {
            let first_run = self.runs.len();
            for (at, query) in (first..end).zip(&queries[first..end]) {
                push_runs(&mut self.runs, first_run, query, answers.of(at));
            }
            self.run_ends.push(self.runs.len());
            first = end;
        }
        self.view.damage()
    }

    /// Bytes that it takes for the sequences that were added, with what [`sweep`](Self::sweep) will take, but for runs.
    pub fn bytes_of_sweep(&self) -> u64 {
        let of_query = size_of::<super::Query>() + size_of::<u32>() + size_of::<Result<u32, u32>>();
        (self.queries.len() * of_query) as u64
    }
}
