//! Adapters, by whatever tells of them.

use super::Overlap;
use super::adapter_sequence::AdapterSequence;
use crate::counts::AdapterCounts;
use crate::{Mode, Options, Read};

/// Cuts adapters.
#[derive(Clone, Debug)]
pub(crate) struct AdapterTrimmer {
    /// For read 1 and read 2.
    sequences: [Option<AdapterSequence>; 2],
    /// Cut from both, one after the other.
    list: Vec<AdapterSequence>,
    /// Bases of an adapter of the list that a read must have.
    list_required: usize,
    dimer_max_length: usize,
    mode: Mode,
}

/// Bases of an adapter that a read must have.
const REQUIRED: usize = 4;

/// Bases by which sequences are tabulated. Illumina's adapters differ in the first 16
/// if they do at all; behind that, errors make for many that occur once.
const TABULATED: usize = 16;

impl AdapterTrimmer {
    pub(crate) fn new(options: &Options) -> Self {
        let sequence = |sequence: &Option<Vec<u8>>| {
            sequence
                .as_ref()
                .map(|sequence| AdapterSequence::new(sequence, options.mode))
        };
        let first = sequence(&options.adapter_sequence);
        let second = match sequence(&options.adapter_sequence_r2) {
            None if options.paired && !options.detect_adapter_for_pe => first.clone(),
            second => second,
        };
        AdapterTrimmer {
            sequences: [first, second],
            list: options
                .adapter_fasta
                .iter()
                .map(|sequence| AdapterSequence::new(sequence, options.mode))
                .collect(),
            // The more sequences, the more of them are met by chance.
            list_required: match options.adapter_fasta.len() {
                257.. => REQUIRED + 2,
                17.. => REQUIRED + 1,
                _ => REQUIRED,
            },
            dimer_max_length: options.dimer_max_len,
            mode: options.mode,
        }
    }

    pub(crate) fn set_detected(&mut self, mate: usize, sequence: &[u8]) {
        if self.sequences[mate].is_none() {
            self.sequences[mate] = Some(AdapterSequence::new(sequence, self.mode));
        }
    }

    pub(crate) fn sequence(&self, mate: usize) -> Option<&[u8]> {
        self.sequences[mate].as_ref().map(AdapterSequence::sequence)
    }

    /// Cut what stands behind the fragment, if it is shorter than the reads.
    /// `fronts` are the bases cut off the fronts of the reads, which are missing at the
    /// ends of the overlap. Returns whether adapters were cut.
    pub(crate) fn by_overlap<'a>(
        &self,
        first: &mut Read<'a>,
        second: &mut Read<'a>,
        overlap: Overlap,
        fronts: [usize; 2],
        counts: &mut AdapterCounts,
    ) -> bool {
        let end = match self.mode {
            Mode::Correct => overlap.end(second.len()),
            // fastp takes it that both mates reach behind the fragment or none.
            Mode::Fastp(_) if overlap.offset >= 0 => return false,
            Mode::Fastp(_) => overlap.length,
        };
        let lengths = [
            first.len().min(end + fronts[1]),
            second.len().min(end + fronts[0]),
        ];
        let mut reads = 0;
        for (mate, (read, length)) in [first, second].into_iter().zip(lengths).enumerate() {
            if length < read.len() {
                reads += 1;
                self.count(counts, mate, &read.bases()[length..]);
                read.truncate(length);
            }
        }
        counts.trimmed_reads += match self.mode {
            Mode::Correct => reads,
            Mode::Fastp(_) => 2,
        };
        overlap.offset < 0 || reads > 0
    }

    /// Cut the adapter of read `mate` (0 or 1) by its sequence.
    pub(crate) fn by_sequence(
        &self,
        read: &mut Read<'_>,
        mate: usize,
        counts: &mut AdapterCounts,
        padded: &mut Vec<u8>,
    ) -> bool {
        let Some(adapter) = &self.sequences[mate] else {
            return false;
        };
        let Some(begin) = adapter.find(read.bases(), REQUIRED, padded) else {
            return false;
        };
        let position = begin.0.max(0) as usize;
        if begin.0 < 0 && !self.mode.is_correct() {
            // fastp tabulates the adapter as it should be, not as it was read.
            let lacking = begin.0.unsigned_abs();
            let sequence = adapter.sequence();
            let cut = &sequence[..sequence.len() - lacking];
            self.count(counts, mate, cut);
        } else {
            self.count(counts, mate, &read.bases()[position..]);
        }
        counts.trimmed_reads += 1;
        read.truncate(position);
        true
    }

    /// Cut all adapters of the list, one after the other. `is_counted` tells that the
    /// read is among those that were trimmed before.
    pub(crate) fn by_list(
        &self,
        read: &mut Read<'_>,
        mate: usize,
        is_counted: bool,
        counts: &mut AdapterCounts,
        padded: &mut Vec<u8>,
    ) -> bool {
        let length = read.len();
        let mut kept = length;
        let mut is_trimmed = false;
        for adapter in &self.list {
            let bases = &read.bases()[..kept];
            if let Some(begin) = adapter.find(bases, self.list_required, padded) {
                kept = begin.0.max(0) as usize;
                is_trimmed = true;
            }
        }
        if is_trimmed {
            self.count(counts, mate, &read.bases()[kept..]);
            counts.trimmed_reads += u64::from(!is_counted);
            read.truncate(kept);
        }
        is_trimmed
    }

    /// Whether so little is left that there was nothing but adapters.
    pub(crate) fn is_dimer(&self, read: &Read<'_>, mate: Option<&Read<'_>>) -> bool {
        let is_short = |read: &Read<'_>| read.len() <= self.dimer_max_length;
        !self.mode.is_old() && is_short(read) && mate.is_none_or(is_short)
    }

    fn count(&self, counts: &mut AdapterCounts, mate: usize, cut: &[u8]) {
        counts.trimmed_bases += cut.len() as u64;
        if !cut.is_empty() {
            let keep = match self.mode {
                Mode::Correct => TABULATED,
                Mode::Fastp(_) => usize::MAX,
            };
            counts.tabulate(mate, cut, keep);
        }
    }
}
