//! Reads of BAM that is grouped by name: pairs, mates without the other, and reads of no pair.
//!
//! ```text
//! batch      a1 a2 | b1 | c1 c2 ... | y0 | z1        records of one name beside each other are a template
//!            ─────   ──────────────────   ──
//!            first   in the middle        last        z2 may begin the next batch
//! ```
//! What is in the middle is sorted by whoever has the batch. The first and the last template are put together in the order
//! of batches by [`TemplateJoiner`].

use thalweg_formats::bam::BamRecord;

use crate::Batch;

/// Text of records by what they are, in their order.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct SortedReads {
    /// First reads of pairs.
    pub first: Vec<u8>,
    /// Second reads of pairs, as many and in the same order.
    pub second: Vec<u8>,
    /// Reads of pairs without the other.
    pub single: Vec<u8>,
    /// Reads of no pair.
    pub other: Vec<u8>,
}

/// Records of one name beside each other, at the end of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    /// Which of the files that follow one another it is from.
    set: usize,
    name: Vec<u8>,
    /// Which mate each is, and its text.
    reads: Vec<(Option<u8>, Vec<u8>)>,
}

/// The templates of a batch.
#[derive(Clone, Default, Debug)]
pub struct BatchOfTemplates {
    first: Option<Template>,
    /// What is between the first and the last.
    pub middle: SortedReads,
    last: Option<Template>,
}

/// Puts the ends of batches together, which come in their order.
#[derive(Default, Debug)]
pub struct TemplateJoiner {
    pending: Option<Template>,
}

impl SortedReads {
    /// Add the records of a template: pairs as far as there are both, each in the order of the file.
    fn add<'a>(&mut self, reads: impl Iterator<Item = (Option<u8>, &'a [u8])> + Clone) {
        let of = |wanted| {
            let reads = reads.clone().filter(move |(mate, _)| *mate == wanted);
            reads.map(|(_, text)| text)
        };
        let pairs = of(Some(1)).count().min(of(Some(2)).count());
        let append = |texts: &mut Vec<u8>, text: &[u8]| texts.extend_from_slice(text);
        of(Some(1))
            .take(pairs)
            .for_each(|text| append(&mut self.first, text));
        of(Some(2))
            .take(pairs)
            .for_each(|text| append(&mut self.second, text));
        let singles = of(Some(1)).skip(pairs).chain(of(Some(2)).skip(pairs));
        singles.for_each(|text| append(&mut self.single, text));
        of(None).for_each(|text| append(&mut self.other, text));
    }
}

impl Template {
    /// Add what need not wait for more of the name: pairs, and reads of none.
    fn settle(&mut self, sorted: &mut SortedReads) {
        let count = |wanted| {
            let of_mate = self.reads.iter().filter(|(mate, _)| *mate == Some(wanted));
            of_mate.count()
        };
        let pairs = usize::min(count(1), count(2));
        let mut left = [pairs; 2];
        self.reads.retain(|(mate, text)| {
            let texts = match mate {
                Some(1) if left[0] > 0 => &mut sorted.first,
                Some(2) if left[1] > 0 => &mut sorted.second,
                Some(_) => return true,
                None => &mut sorted.other,
            };
            texts.extend_from_slice(text);
            if let Some(mate) = mate {
                left[usize::from(mate - 1)] -= 1;
            }
            false
        });
    }

    /// Add all; those that are left have no mate.
    fn sort_into(mut self, sorted: &mut SortedReads) {
        self.settle(sorted);
        for (_, text) in &self.reads {
            sorted.single.extend_from_slice(text);
        }
    }

    fn is_of(&self, other: &Self) -> bool {
        self.set == other.set && self.name == other.name
    }
}

impl BatchOfTemplates {
    /// Sort the records of a batch of BAM; `None` of other data, which tell no mates.
    pub fn of(batch: &Batch) -> Option<Self> {
        let block = batch.blocks().first()?;
        let raw = block.raw_records()?.map(BamRecord::new);
        let mut records = raw.zip(block.records()).peekable();
        let mut templates = Self::default();
        let mut reads = Vec::new();
        while let Some((first, _)) = records.peek() {
            let name = first.name();
            reads.clear();
            while let Some((record, text)) = records.next_if(|(record, _)| record.name() == name) {
                reads.push((record.flags().mate(), text.as_bytes()));
            }
            let is_first = templates.first.is_none();
            if !is_first && records.peek().is_some() {
                templates.middle.add(reads.iter().copied());
                continue;
            }
            let own = reads.iter().map(|(mate, text)| (*mate, text.to_vec()));
            let template = Template {
                set: batch.set(),
                name: name.to_vec(),
                reads: own.collect(),
            };
            match is_first {
                true => templates.first = Some(template),
                false => templates.last = Some(template),
            }
        }
        Some(templates)
    }
}

impl TemplateJoiner {
    /// Take the ends of the next batch. What is whole before its [`middle`](BatchOfTemplates::middle) is added to `sorted`.
    pub fn join(&mut self, next: &mut BatchOfTemplates, sorted: &mut SortedReads) {
        let Some(first) = next.first.take() else {
            return;
        };
        match &mut self.pending {
            Some(pending) if pending.is_of(&first) => {
                pending.reads.extend(first.reads);
                // Of a name that all records have, not all are kept.
                pending.settle(sorted);
            }
            pending => {
                if let Some(before) = pending.replace(first) {
                    before.sort_into(sorted);
                }
            }
        }
        // Another follows in the batch, so this one is whole.
        if let Some(last) = next.last.take()
            && let Some(before) = self.pending.replace(last)
        {
            before.sort_into(sorted);
        }
    }

    /// All batches have come.
    pub fn finish(self, sorted: &mut SortedReads) {
        if let Some(last) = self.pending {
            last.sort_into(sorted);
        }
    }
}
