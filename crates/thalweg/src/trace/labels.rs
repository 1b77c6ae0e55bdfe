//! Reads that are labelled, as values.

use thalweg_taxa::classify::{Call, Classifier, Hits, Sets, Workspace};
use thalweg_taxa::label::without_mate;
use thalweg_trace::{Error, Label, TraceEncoder, TracedCandidate, Value};

/// Makes values of the labels of one worker.
pub(crate) struct LabelTracer {
    encoder: TraceEncoder,
    candidates: Vec<TracedCandidate>,
}

impl LabelTracer {
    pub(crate) fn new(encoder: TraceEncoder) -> Self {
        Self {
            encoder,
            candidates: Vec::new(),
        }
    }

    /// Add a read, or a pair, that was called a moment ago in this workspace.
    pub(crate) fn add<S: Sets>(
        &mut self,
        classifier: &Classifier<'_, S>,
        workspace: &mut Workspace,
        id: &[u8],
        mates: &[Hits<'_>],
        call: &Call,
    ) {
        let taxonomy = classifier.taxonomy();
        self.candidates.clear();
        let weighed = classifier.candidates(workspace, call);
        self.candidates
            .extend(weighed.iter().map(|weighed| TracedCandidate {
                taxid: taxonomy.taxid(weighed.node).0,
                score: weighed.score,
                kmers: weighed.kmers.into(),
            }));
        let mut lengths = [0; 2];
        for (length, mate) in lengths.iter_mut().zip(mates) {
            *length = mate.letters.len() as u64;
        }
        self.encoder.push(&Value::Label(Label {
            name: match mates {
                [_, _] => without_mate(id).into(),
                _ => id.into(),
            },
            lengths: lengths[..mates.len().min(2)].into(),
            taxid: call.node.map_or(0, |node| taxonomy.taxid(node).0),
            score: call.score,
            reason: call.reason.word().into(),
            kmers: call.valid.into(),
            support: call.support.into(),
            candidates: self.candidates.as_slice().into(),
        }));
    }

    /// Append the bytes of all labels since the last time to `into`; returns how many these are.
    pub(crate) fn take_batch(&mut self, into: &mut Vec<u8>) -> Result<u64, Error> {
        self.encoder.take_batch(into)
    }
}
