//! The steps in their order.

use crate::contaminants::Contaminants;
use crate::counts::Counts;
use crate::observer::Observer;
use crate::outputs::{Destination, Piece, Pieces};
use crate::steps::{Merger, Overlap, OverlapScratch, Verdict, fix_mgi_name, judge, judge_bases};
use crate::{Config, Mode, Outcome, Read, Step};

/// What one worker needs to take reads through the steps: its own counts and buffers.
///
/// For each read or pair: load it from its record, hand it to [`Worker::single`] or
/// [`Worker::pair`], which append it to the pieces where it belongs. At the end the
/// [`Counts`] of all workers are merged.
#[derive(Debug)]
pub struct Worker<'c> {
    config: &'c Config,
    /// What has been counted so far.
    pub counts: Counts,
    overlap: OverlapScratch,
    merger: Merger,
    contaminants: Contaminants<'c>,
    text: Vec<u8>,
}

impl<'c> Worker<'c> {
    /// A worker that has seen nothing.
    pub fn new(config: &'c Config) -> Self {
        Worker {
            config,
            counts: Counts::default(),
            overlap: OverlapScratch::default(),
            merger: Merger::default(),
            contaminants: Contaminants::default(),
            text: Vec::new(),
        }
    }

    /// Let reads fail that `find` tells to be of a contaminant, which it numbers from 0. It is given the bases that are left of a
    /// read before it is judged, or those of both mates, which fail together.
    pub fn without(self, find: impl FnMut(&[&[u8]]) -> Option<usize> + 'c) -> Self {
        Self {
            contaminants: Contaminants::new(find),
            ..self
        }
    }

    /// Take a single read through all steps.
    ///
    /// `is_duplicate` tells that it is to be removed as a duplicate of an earlier one.
    pub fn single(
        &mut self,
        read: &mut Read<'_>,
        is_duplicate: bool,
        pieces: &mut Pieces,
        observer: &mut impl Observer,
    ) {
        let config = self.config;
        read.begin(0, config.options.phred64, observer);
        begin(observer, 0, read);

        if let Some(filter) = &config.index_filter
            && filter.removes(read, None)
        {
            self.counts.filtering.removed_by_index += 1;
            read.report(0, false, observer);
            end(observer, 0, read, None, || Outcome::Index);
            return;
        }
        if config.options.fix_mgi_id {
            fix_mgi_name(read);
        }
        if let Some(umi) = &config.umi {
            umi.apply(read, None, &mut self.text);
            follow(observer, 0, Step::Umi, read);
        }
        self.trim_ends(read, 0, observer);
        let mut verdict = None;
        if !read.is_lost() {
            let has_front = self.cut_front_adapter(read, 0);
            follow(observer, 0, Step::FrontAdapter, read);
            if let Some(poly_g) = config.poly_g {
                poly_g.apply(read, &mut self.counts.poly_g);
                follow(observer, 0, Step::PolyG, read);
            }
            if let Some(adapters) = &config.adapters {
                let (counts, padded) = (&mut self.counts.adapters, &mut self.text);
                let mut is_trimmed = adapters.by_sequence(read, 0, counts, padded);
                follow(observer, 0, Step::Adapter, read);
                is_trimmed |= match config.mode().is_old() {
                    // fastp 0.23 does not count what it cuts by a list.
                    true => adapters.by_list(read, 0, is_trimmed, &mut Default::default(), padded),
                    false => adapters.by_list(read, 0, is_trimmed, counts, padded),
                };
                follow(observer, 0, Step::AdapterList, read);
                if (is_trimmed || has_front) && adapters.is_dimer(read, None) {
                    verdict = Some(Verdict::AdapterDimer);
                }
            }
            if let Some(poly_a) = config.poly_a {
                poly_a.apply(read, 0, &mut self.counts.poly_a);
                follow(observer, 0, Step::PolyA, read);
            }
            if let Some(poly_x) = config.poly_x {
                poly_x.apply(read, &mut self.counts.poly_x);
                follow(observer, 0, Step::PolyX, read);
            }
            limit_length(read, config.max_length[0]);
            follow(observer, 0, Step::MaxLength, read);
        }
        let verdict = match self.is_contaminated([Some(read), None]) {
            true => Verdict::Contaminated,
            false => verdict.unwrap_or_else(|| judge(config, read)),
        };

        self.count(verdict, 1);
        let passes = verdict == Verdict::Pass;
        read.report(0, passes && !is_duplicate, observer);
        end(observer, 0, read, Some(verdict), || {
            outcome(is_duplicate, passes)
        });
        if is_duplicate {
            self.counts.filtering.removed_duplicates += u64::from(passes);
            self.keep_removed(read, verdict, pieces);
        } else if passes {
            put(pieces.at(Destination::Read1), read);
        } else if let Some(failed) = pieces.at(Destination::Failed) {
            failed.push(read, verdict.tag());
        }
    }

    /// A copy that is removed goes where reads go that fail; with fastp, nowhere.
    fn keep_removed(&self, read: &Read<'_>, verdict: Verdict, pieces: &mut Pieces) {
        if self.config.mode().is_correct()
            && let Some(failed) = pieces.at(Destination::Failed)
        {
            failed.push(read, tag_of_removed(verdict));
        }
    }

    /// Take a pair through all steps.
    ///
    /// `is_duplicate` tells that it is to be removed as a duplicate of an earlier one.
    pub fn pair<'a>(
        &mut self,
        first: &mut Read<'a>,
        second: &mut Read<'a>,
        is_duplicate: bool,
        pieces: &mut Pieces,
        observer: &mut impl Observer,
    ) {
        let config = self.config;
        first.begin(0, config.options.phred64, observer);
        second.begin(1, config.options.phred64, observer);
        begin(observer, 0, first);
        begin(observer, 1, second);

        if let Some(filter) = &config.index_filter
            && filter.removes(first, Some(second))
        {
            self.counts.filtering.removed_by_index += 2;
            first.report(0, false, observer);
            second.report(1, false, observer);
            end(observer, 0, first, None, || Outcome::Index);
            end(observer, 1, second, None, || Outcome::Index);
            return;
        }
        if config.options.fix_mgi_id {
            fix_mgi_name(first);
            fix_mgi_name(second);
        }
        if let Some(umi) = &config.umi {
            umi.apply(first, Some(second), &mut self.text);
            follow(observer, 0, Step::Umi, first);
            follow(observer, 1, Step::Umi, second);
        }
        let mut fronts = [0; 2];
        let mut have_front = false;
        for (mate, read) in [&mut *first, &mut *second].into_iter().enumerate() {
            fronts[mate] = self.trim_ends(read, mate, observer);
            if !read.is_lost() && self.cut_front_adapter(read, mate) {
                follow(observer, mate, Step::FrontAdapter, read);
                // The fragment begins behind it: what the other mate shows of it is cut, too.
                fronts[mate] = 0;
                have_front = true;
            }
        }
        let both = !first.is_lost() && !second.is_lost();
        let is_dimer = both && self.trim_pair(first, second, fronts, have_front, pieces, observer);
        for (mate, read) in [&mut *first, &mut *second].into_iter().enumerate() {
            if !both && !read.is_lost() {
                // What needs both mates was not done; tails are the read's own.
                if let Some(poly_g) = config.poly_g.filter(|_| config.mode().is_correct()) {
                    poly_g.apply(read, &mut self.counts.poly_g);
                    follow(observer, mate, Step::PolyG, read);
                }
                if let Some(poly_a) = config.poly_a {
                    poly_a.apply(read, mate, &mut self.counts.poly_a);
                    follow(observer, mate, Step::PolyA, read);
                }
            }
        }
        let is_contaminated = self.is_contaminated([Some(first), Some(second)]);
        if config.options.merge
            && !is_contaminated
            && self.merge(first, second, both, is_duplicate, pieces, observer)
        {
            return;
        }
        let verdicts = match is_dimer {
            _ if is_contaminated => [Verdict::Contaminated; 2],
            true => [Verdict::AdapterDimer; 2],
            false => [judge(config, first), judge(config, second)],
        };
        let worst = verdicts[0].max(verdicts[1]);
        let passing = if worst == Verdict::Pass {
            self.count(worst, 2);
            2
        } else if self.is_unpaired(verdicts, pieces) {
            self.count(verdicts[0], 1);
            self.count(verdicts[1], 1);
            1
        } else {
            self.count(worst, 2);
            0
        };
        if is_duplicate {
            self.counts.filtering.removed_duplicates += passing;
            first.report(0, false, observer);
            second.report(1, false, observer);
            for (mate, read) in [&*first, &*second].into_iter().enumerate() {
                end(observer, mate, read, Some(verdicts[mate]), || {
                    Outcome::Duplicate
                });
            }
            self.keep_removed(first, verdicts[0], pieces);
            self.keep_removed(second, verdicts[1], pieces);
            return;
        }
        self.write_pair(first, second, verdicts, pieces, observer);
    }

    /// Whether a read, or a pair, is of a contaminant; if so, it is counted as that.
    #[inline]
    fn is_contaminated(&mut self, reads: [Option<&Read<'_>>; 2]) -> bool {
        let found = self.contaminants.find(reads);
        if let Some(number) = found {
            let reads = reads.iter().flatten().count();
            self.counts.add_contaminated(number, reads as u64);
        }
        found.is_some()
    }

    /// Whether one mate fails, and the other is kept without it, which is then judged for itself.
    fn is_unpaired(&self, verdicts: [Verdict; 2], pieces: &Pieces) -> bool {
        self.config.mode().is_correct()
            && match verdicts.map(|verdict| verdict == Verdict::Pass) {
                [true, false] => pieces.wants(Destination::Unpaired1),
                [false, true] => pieces.wants(Destination::Unpaired2),
                _ => false,
            }
    }

    /// Cut fixed numbers of bases, and bad qualities. Returns the bases taken off the front.
    #[inline]
    fn trim_ends<O: Observer>(
        &mut self,
        read: &mut Read<'_>,
        mate: usize,
        observer: &mut O,
    ) -> usize {
        let trim = self.config.trim[mate];
        let length = read.len();
        let before = read.left();
        let front = self.config.cut.apply(read, trim);
        if O::FOLLOWS {
            let left = read.left();
            let is_trimmed_away = trim.front.saturating_add(trim.tail) > length;
            if !is_trimmed_away {
                // With its bugs, fastp keeps some of the bases that it is to trim.
                let start = before.start + trim.front;
                let end = before.end - trim.tail;
                let trimmed = match read.is_lost() {
                    true => start..end,
                    false => start.min(left.start)..end.max(left.end),
                };
                observer.done(mate, Step::Trim, trimmed);
            }
            let step = match is_trimmed_away {
                true => Step::Trim,
                false => Step::Quality,
            };
            observer.done(mate, step, left);
        }
        if trim.front > 0 {
            self.counts.fronts.add(trim.front.min(length));
        }
        if trim.tail > 0 {
            // Of a read that is not longer, all is cut.
            self.counts.tails.add(trim.tail.min(length));
        }
        front
    }

    /// Cut an adapter at the 5' end. Returns whether there was one.
    fn cut_front_adapter(&mut self, read: &mut Read<'_>, mate: usize) -> bool {
        self.config.front_adapters.as_ref().is_some_and(|adapters| {
            let counts = &mut self.counts.front_adapters;
            adapters.apply(read, mate, counts, &mut self.text)
        })
    }

    /// What is done to pairs of which nothing was lost so far. `have_front` tells that an
    /// adapter was cut at the 5' end of a mate. Returns whether there was nothing but
    /// adapters.
    fn trim_pair<'a>(
        &mut self,
        first: &mut Read<'a>,
        second: &mut Read<'a>,
        fronts: [usize; 2],
        have_front: bool,
        pieces: &mut Pieces,
        observer: &mut impl Observer,
    ) -> bool {
        let config = self.config;
        if let Some(poly_g) = config.poly_g {
            poly_g.apply(first, &mut self.counts.poly_g);
            poly_g.apply(second, &mut self.counts.poly_g);
            follow(observer, 0, Step::PolyG, first);
            follow(observer, 1, Step::PolyG, second);
        }
        let overlap = config
            .overlap
            .find(first, second, fronts, &mut self.overlap);
        self.count_insert_size(first, second, overlap, fronts);
        if let (Some(correction), Some(overlap)) = (config.correction, overlap) {
            let bases = correction.apply(first, second, overlap, &mut self.counts.correction);
            tell_corrected(observer, bases);
        }
        let is_dimer = self.cut_adapters(first, second, overlap, fronts, have_front, observer);
        // fastp does not wait for the end.
        if !config.mode().is_correct() && pieces.wants(Destination::Overlapped) {
            self.write_overlap(first, second, pieces);
        }
        if let Some(poly_a) = config.poly_a {
            poly_a.apply(first, 0, &mut self.counts.poly_a);
            poly_a.apply(second, 1, &mut self.counts.poly_a);
            follow(observer, 0, Step::PolyA, first);
            follow(observer, 1, Step::PolyA, second);
        }
        if let Some(poly_x) = config.poly_x {
            poly_x.apply(first, &mut self.counts.poly_x);
            poly_x.apply(second, &mut self.counts.poly_x);
            follow(observer, 0, Step::PolyX, first);
            follow(observer, 1, Step::PolyX, second);
        }
        limit_length(first, config.max_length[0]);
        limit_length(second, config.max_length[1]);
        follow(observer, 0, Step::MaxLength, first);
        follow(observer, 1, Step::MaxLength, second);
        is_dimer
    }

    fn cut_adapters<'a>(
        &mut self,
        first: &mut Read<'a>,
        second: &mut Read<'a>,
        overlap: Option<Overlap>,
        fronts: [usize; 2],
        have_front: bool,
        observer: &mut impl Observer,
    ) -> bool {
        let Some(adapters) = &self.config.adapters else {
            return false;
        };
        let (counts, padded) = (&mut self.counts.adapters, &mut self.text);
        let by_overlap = overlap
            .is_some_and(|overlap| adapters.by_overlap(first, second, overlap, fronts, counts));
        follow(observer, 0, Step::AdapterByOverlap, first);
        follow(observer, 1, Step::AdapterByOverlap, second);
        let mut is_trimmed = [by_overlap; 2];
        for (mate, read) in [&mut *first, &mut *second].into_iter().enumerate() {
            if !by_overlap {
                is_trimmed[mate] = adapters.by_sequence(read, mate, counts, padded);
                follow(observer, mate, Step::Adapter, read);
            }
            let is_counted = is_trimmed[mate];
            is_trimmed[mate] |= match self.config.mode().is_old() {
                // As of single reads.
                true => adapters.by_list(read, mate, is_counted, &mut Default::default(), padded),
                false => adapters.by_list(read, mate, is_counted, counts, padded),
            };
            follow(observer, mate, Step::AdapterList, read);
        }
        (have_front || is_trimmed[0] || is_trimmed[1]) && adapters.is_dimer(first, Some(second))
    }

    fn count_insert_size(
        &mut self,
        first: &Read<'_>,
        second: &Read<'_>,
        overlap: Option<Overlap>,
        fronts: [usize; 2],
    ) {
        let fragment = overlap
            .map(|overlap| overlap.fragment(first.len(), second.len(), self.config.mode()))
            .map(|length| length + fronts[0] + fronts[1]);
        self.counts.insert_sizes.add(fragment);
    }

    /// Write a pair as one read, if its mates overlap, or judge it as that if it is to be
    /// removed as a duplicate. Returns whether the pair is dealt with.
    fn merge(
        &mut self,
        first: &Read<'_>,
        second: &Read<'_>,
        both: bool,
        is_duplicate: bool,
        pieces: &mut Pieces,
        observer: &mut impl Observer,
    ) -> bool {
        let config = self.config;
        let overlap = both
            .then(|| {
                config
                    .overlap
                    .find(first, second, [0; 2], &mut self.overlap)
            })
            .flatten();
        if let Some(overlap) = overlap {
            self.merger.merge(first, second, overlap, config.mode());
            let (bases, qualities) = (&self.merger.bases, &self.merger.qualities);
            let verdict = judge_bases(config, bases, qualities);
            let passes = verdict == Verdict::Pass;
            // fastp merges copies as if nobody had asked to remove them.
            let is_removed = is_duplicate && config.mode().is_correct();
            first.report(0, false, observer);
            second.report(1, false, observer);
            let is_merged = match config.mode().is_correct() {
                true => !is_removed,
                false => passes,
            };
            for (mate, read) in [first, second].into_iter().enumerate() {
                end(observer, mate, read, Some(verdict), || match passes {
                    _ if is_removed => Outcome::Duplicate,
                    true => Outcome::Merged,
                    false => Outcome::Failed,
                });
            }
            self.counts.merged_pairs += u64::from(is_merged);
            if is_removed && passes {
                self.counts.filtering.removed_duplicates += 2;
            }
            if passes && !is_removed {
                self.counts.passed_as_merged += 1;
                observer.after(0, bases, qualities);
                if let Some(merged) = pieces.at(Destination::Merged) {
                    let (tag, comment) = (&self.merger.tag, first.comment());
                    let bases = self.merger.spelling();
                    merged.push_parts(first.head(), tag, comment, bases, qualities);
                }
            } else if config.mode().is_correct()
                && let Some(failed) = pieces.at(Destination::Failed)
            {
                let why = match is_removed {
                    true => tag_of_removed(verdict),
                    false => verdict.tag(),
                };
                self.merger.tag.push(b' ');
                self.merger.tag.extend_from_slice(why);
                let (tag, comment) = (&self.merger.tag, first.comment());
                let bases = self.merger.spelling();
                failed.push_parts(first.head(), tag, comment, bases, &self.merger.qualities);
            }
            self.count(verdict, 2);
            return true;
        }
        // With a mate that is lost, fastp goes on as if it did not merge.
        if config.options.include_unmerged && (both || config.mode().is_correct()) {
            for (mate, read) in [first, second].into_iter().enumerate() {
                let verdict = judge(config, read);
                self.count(verdict, 1);
                // Whichever mate it was: it goes among the merged reads.
                read.report(mate, false, observer);
                let passes = verdict == Verdict::Pass;
                end(observer, mate, read, Some(verdict), || {
                    outcome(is_duplicate, passes)
                });
                if is_duplicate {
                    self.counts.filtering.removed_duplicates += u64::from(passes);
                    self.keep_removed(read, verdict, pieces);
                } else if passes {
                    observer.after(0, read.bases(), read.qualities());
                    put(pieces.at(Destination::Merged), read);
                } else if config.mode().is_correct()
                    && let Some(failed) = pieces.at(Destination::Failed)
                {
                    failed.push(read, verdict.tag());
                }
            }
            return true;
        }
        false
    }

    fn write_pair(
        &mut self,
        first: &Read<'_>,
        second: &Read<'_>,
        verdicts: [Verdict; 2],
        pieces: &mut Pieces,
        observer: &mut impl Observer,
    ) {
        use Destination::{Failed, Overlapped, Read1, Read2, Unpaired1, Unpaired2};

        let is_contaminated = verdicts[0] == Verdict::Contaminated;
        if self.config.mode().is_correct() && !is_contaminated && pieces.wants(Overlapped) {
            self.write_overlap(first, second, pieces);
        }
        let passes = verdicts.map(|verdict| verdict == Verdict::Pass);
        let is_counted = match passes {
            // The statistics after the steps are then about merged reads.
            _ if self.config.options.merge => [false; 2],
            [true, true] => [true; 2],
            // fastp forgets them in its statistics.
            _ if !self.config.mode().is_correct() => [false; 2],
            _ => [
                passes[0] && pieces.wants(Unpaired1),
                passes[1] && pieces.wants(Unpaired2),
            ],
        };
        // fastp 0.23 loses second mates unless the first ones have a file, too.
        let has_unpaired2 =
            pieces.wants(Unpaired2) && (!self.config.mode().is_old() || pieces.wants(Unpaired1));
        let is_written = match passes {
            [true, true] => [pieces.wants(Read1), pieces.wants(Read2)],
            _ => [
                passes[0] && pieces.wants(Unpaired1),
                passes[1] && has_unpaired2,
            ],
        };
        for (mate, read) in [first, second].into_iter().enumerate() {
            read.report(mate, is_counted[mate], observer);
            end(observer, mate, read, Some(verdicts[mate]), || {
                match (passes[mate], passes[1 - mate]) {
                    (true, true) if self.config.options.merge && !is_written[mate] => {
                        Outcome::Unmerged
                    }
                    (true, true) => Outcome::Kept,
                    (true, false) if is_written[mate] => Outcome::Unpaired,
                    (true, false) => Outcome::MateFailed,
                    (false, _) => Outcome::Failed,
                }
            });
            if is_written[mate] {
                self.counts.unpaired += u64::from(passes != [true; 2]);
                if !is_counted[mate] {
                    self.counts.uncounted.add(read.qualities());
                }
            } else if passes == [true; 2] && self.config.options.merge {
                self.counts.discarded += 1;
            }
        }
        match passes {
            [true, true] => {
                put(pieces.at(Read1), first);
                put(pieces.at(Read2), second);
            }
            [true, false] => {
                let is_kept = pieces.wants(Unpaired1);
                put(pieces.at(Unpaired1), first);
                if let Some(failed) = pieces.at(Failed) {
                    if !is_kept {
                        failed.push(first, MATE_FAILS);
                    }
                    failed.push(second, verdicts[1].tag());
                }
            }
            [false, true] => {
                let is_kept = pieces.wants(Unpaired2);
                if has_unpaired2 {
                    put(pieces.at(Unpaired2), second);
                }
                if let Some(failed) = pieces.at(Failed) {
                    failed.push(first, verdicts[0].tag());
                    if !is_kept {
                        failed.push(second, MATE_FAILS);
                    }
                }
            }
            [false, false] => {
                // fastp writes these nowhere.
                if self.config.mode().is_correct()
                    && let Some(failed) = pieces.at(Failed)
                {
                    failed.push(first, verdicts[0].tag());
                    failed.push(second, verdicts[1].tag());
                }
            }
        }
    }

    /// Write the bases on which the mates agree.
    fn write_overlap(&mut self, first: &Read<'_>, second: &Read<'_>, pieces: &mut Pieces) {
        let finder = self.config.overlap.exact();
        let Some(overlap) = finder.find(first, second, [0; 2], &mut self.overlap) else {
            return;
        };
        let start = overlap.offset.max(0) as usize;
        let end = start + overlap.length;
        let (start, end) = match self.config.mode() {
            Mode::Correct => (start, end),
            // fastp writes what follows the overlap, most often nothing.
            Mode::Fastp(_) => (end, first.len()),
        };
        if let Some(piece) = pieces.at(Destination::Overlapped) {
            let (bases, qualities) = (
                &first.spelling()[start..end],
                &first.qualities()[start..end],
            );
            piece.push_parts(first.head(), b"", first.comment(), bases, qualities);
        }
    }

    fn count(&mut self, verdict: Verdict, reads: u64) {
        let counts = &mut self.counts.filtering;
        let count = match verdict {
            Verdict::Pass => &mut counts.passed,
            Verdict::ManyN => &mut counts.too_many_n,
            Verdict::TooShort => &mut counts.too_short,
            Verdict::TooLong => &mut counts.too_long,
            Verdict::LowQuality => &mut counts.low_quality,
            Verdict::LowComplexity => &mut counts.low_complexity,
            Verdict::AdapterDimer => &mut counts.adapter_dimer,
            Verdict::Contaminated => &mut counts.contaminated,
        };
        *count += reads;
    }
}

/// What stands behind the name of a read that passes, but whose mate does not.
const MATE_FAILS: &[u8] = b"paired_read_is_failing";

/// Behind the name of a copy that was removed.
fn tag_of_removed(verdict: Verdict) -> &'static [u8] {
    match verdict {
        Verdict::Pass => b"removed_duplicate",
        fails => fails.tag(),
    }
}

/// What became of a read that goes its way alone.
fn outcome(is_duplicate: bool, passes: bool) -> Outcome {
    match passes {
        _ if is_duplicate => Outcome::Duplicate,
        true => Outcome::Kept,
        false => Outcome::Failed,
    }
}

/// Tells who follows that a read comes.
#[inline(always)]
fn begin<O: Observer>(observer: &mut O, mate: usize, read: &Read<'_>) {
    if O::FOLLOWS {
        observer.begin(mate, read);
    }
}

/// Tells who follows what a step has left of a read.
#[inline(always)]
fn follow<O: Observer>(observer: &mut O, mate: usize, step: Step, read: &Read<'_>) {
    if O::FOLLOWS {
        observer.done(mate, step, read.left());
    }
}

/// Tells who follows how many bases were changed.
#[inline(always)]
fn tell_corrected<O: Observer>(observer: &mut O, bases: [u64; 2]) {
    if O::FOLLOWS {
        observer.corrected(bases);
    }
}

/// Tells who follows what became of a read.
#[inline(always)]
fn end<O: Observer>(
    observer: &mut O,
    mate: usize,
    read: &Read<'_>,
    verdict: Option<Verdict>,
    outcome: impl FnOnce() -> Outcome,
) {
    if O::FOLLOWS {
        observer.ended(mate, read, verdict.map_or("", Verdict::word), outcome());
    }
}

fn limit_length(read: &mut Read<'_>, longest: usize) {
    if longest > 0 && read.len() > longest {
        read.truncate(longest);
    }
}

#[inline]
fn put(piece: Option<&mut Piece>, read: &Read<'_>) {
    if let Some(piece) = piece {
        piece.push(read, b"");
    }
}
