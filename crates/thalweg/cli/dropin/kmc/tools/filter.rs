//! `kmc_tools filter`: reads that are kept, trimmed or masked by what a database has of their k-mers
//!
//! What comes out is what KMC writes: FASTQ on four lines with nothing behind the plus. Reads are in the order of their
//! files.

use std::num::NonZeroUsize;

use thalweg::databases::{Filtered, Filtering};
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Lookup, SequenceKmers};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg::write::Level;
use thalweg::{Batch, Control, ReaderOptions, Record};

use super::arguments::{Action, FilterArguments};
use super::usage;
use crate::input;
use crate::jobs::kmers::failure::Fault;
use crate::jobs::kmers::open_database;
use crate::options::{Common, IndexDirectory};
use crate::output::{refuse_input, refuse_unwritten};
use crate::process::limits::addresses;

pub(super) fn run(arguments: &FilterArguments, threads: Option<NonZeroUsize>) -> Result<(), Fault> {
    let database = open_database(&arguments.database.path)?;
    let mut inputs = arguments.files.clone();
    inputs.extend(database::files_of(&arguments.database.path));
    refuse_input(&arguments.output, &inputs)?;
    refuse_unwritten(&arguments.output)?;
    let common = Common::quiet(threads, None);
    let options = arguments.files.iter();
    let options = options.fold(ReaderOptions::new(), ReaderOptions::file);
    let options = options
        .index_directory(IndexDirectory::of_environment())
        .budget(input::budget(&common));
    let reads = input::open(options, &common)?;
    input::refuse_two_formats(&reads, "filter them one after the other")?;
    let have_qualities = (reads.plan().iter()).all(|plan| plan.format.has_qualities());
    if arguments.as_fastq == Some(true) && !have_qualities {
        return Err(usage("-fq: the reads are FASTA, without qualities".to_owned()).into());
    }
    let header = database.header();
    let counts = arguments.database.limits.within(header.kept);
    if counts.0 > counts.1 {
        tell!(
            "thalweg: warning: no k-mer occurs {} times or more and {} times or less: no k-mer of a read is found",
            counts.0,
            counts.1
        );
    }
    let task = Task {
        k: header.k,
        action: arguments.action,
        counts,
        as_fastq: arguments.as_fastq.unwrap_or(have_qualities),
        filtering: Filtering {
            database: &database,
            files: &arguments.files,
            reads,
            alphabet: Alphabet::Acgt,
            paths: vec![&arguments.output],
            level: Level::default(),
            addresses: addresses(),
            control: &Control::default(),
        },
    };
    let outcome = dispatch(header.k, task)?;
    outcome.map_err(|fault| Fault::from(fault).of_outputs(&[&arguments.output]))
}

struct Task<'a> {
    k: usize,
    action: Action,
    /// Counts of k-mers that are in the database as far as this is concerned.
    counts: (u64, u64),
    as_fastq: bool,
    filtering: Filtering<'a>,
}

impl KmerTask for Task<'_> {
    type Output = Result<(), thalweg::Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            k,
            action,
            counts,
            as_fastq,
            filtering,
        } = self;
        let judge = Judge {
            k,
            action,
            counts,
            as_fastq,
        };
        filtering.run::<K>(|lookup, batch, texts| judge.keep(lookup, batch, &mut texts[0]))?;
        Ok(())
    }
}

/// What is kept, and how.
struct Judge {
    k: usize,
    action: Action,
    counts: (u64, u64),
    as_fastq: bool,
}

impl Judge {
    fn keep<K: Kmer>(
        &self,
        lookup: &mut Lookup<K>,
        batch: &Batch,
        text: &mut Vec<u8>,
    ) -> thalweg::kmers::Result<Filtered> {
        let mut all = Filtered::default();
        for record in batch.records() {
            all.read += 1;
            all.kept += u64::from(self.keep_record(lookup, &record, text)?);
        }
        all.records = all.kept;
        Ok(all)
    }

    /// Appends what is kept of a record; whether anything is.
    fn keep_record<K: Kmer>(
        &self,
        lookup: &mut Lookup<K>,
        record: &Record<'_>,
        text: &mut Vec<u8>,
    ) -> thalweg::kmers::Result<bool> {
        let sequence = record.sequence();
        let counts = self.counts.0..=self.counts.1;
        let is_known = |count: Option<u64>| count.is_some_and(|count| counts.contains(&count));
        // What the database does not have occurs no times.
        let is_sound =
            |count: Option<u64>, least| count.filter(|_| is_known(count)).unwrap_or(0) >= least;
        let windows = (sequence.len() + 1).saturating_sub(self.k);
        match self.action {
            Action::Keep(range) => {
                let mut found = 0;
                lookup.find_in_sequence(&sequence, |_, count| {
                    found += u64::from(is_known(count));
                })?;
                if !range.has(found, sequence.len(), self.k) {
                    return Ok(false);
                }
                self.push(record, &sequence, text);
            }
            Action::Trim(least) => {
                let (mut places, mut sound) = (SequenceKmers::<K>::new(&sequence, self.k), 0);
                lookup.find_in_sequence(&sequence, |_, count| {
                    // From a place on that is passed over, for its k-mer or as it has none, `sound` stays.
                    let place = places.next().map(|(place, _)| place);
                    sound += usize::from(is_sound(count, least) && place == Some(sound));
                })?;
                // Windows without a k-mer are as sound as those that do not occur.
                if least == 0 {
                    sound = windows;
                }
                if sound == 0 {
                    return Ok(false);
                }
                self.push(record, &sequence[..sound + self.k - 1], text);
            }
            Action::Mask(least) => {
                let mut places = SequenceKmers::<K>::new(&sequence, self.k);
                let mut sound = vec![least == 0; windows];
                lookup.find_in_sequence(&sequence, |_, count| {
                    if let Some((place, _)) = places.next() {
                        sound[place] = is_sound(count, least);
                    }
                })?;
                let mut masked = sequence.to_vec();
                let mut end = 0;
                for (place, _) in sound.iter().enumerate().filter(|(_, is_sound)| !**is_sound) {
                    // Up to `end`, it is masked.
                    masked[end.max(place)..place + self.k].fill(b'N');
                    end = place + self.k;
                }
                self.push(record, &masked, text);
            }
        }
        Ok(true)
    }

    /// Appends a record with another sequence, which may be shorter.
    fn push(&self, record: &Record<'_>, sequence: &[u8], text: &mut Vec<u8>) {
        let is_whole = matches!(self.action, Action::Keep(_));
        if is_whole && !record.has_qualities() {
            // Sequences stay on as many lines as they are.
            return record.append_to(text);
        }
        let end: &[u8] = match record.as_bytes().ends_with(b"\r\n") {
            true => b"\r\n",
            false => b"\n",
        };
        let quality = record.quality().filter(|_| self.as_fastq);
        text.push(if quality.is_some() { b'@' } else { b'>' });
        for part in [record.head(), end, sequence, end] {
            text.extend_from_slice(part);
        }
        if let Some(quality) = quality {
            for part in [b"+", end, &quality[..sequence.len()], end] {
                text.extend_from_slice(part);
            }
        }
    }
}
