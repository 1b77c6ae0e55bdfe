use thalweg_gzip::Decoder;
use thalweg_gzip::index::References;

use super::collector::Mark;
use super::options::Checkpoints;

/// Decides at which blocks of a stream a chunk may start, and watches what is
/// needed to start there.
pub(super) struct Marker {
    span: u64,
    /// How many marks are enough: twice as many are thinned.
    wanted: Option<usize>,
    /// Marks that the thinning has left.
    live: usize,
    /// Uncompressed offset of the last mark.
    last: Option<u64>,
    watching: bool,
    pub(super) marks: Vec<Mark>,
    /// One for each mark that has a window, in order.
    pub(super) references: Vec<Option<Box<References>>>,
}

impl Marker {
    /// Marks as `checkpoints` say.
    pub(super) fn new(checkpoints: Checkpoints) -> Self {
        Self {
            span: checkpoints.first_span(),
            wanted: checkpoints.wanted(),
            live: 0,
            last: None,
            watching: false,
            marks: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Look at what the decoder has seen of the window it watches. Whenever it
    /// stopped; `at_end`: for the last time.
    pub(super) fn look(&mut self, decoder: &mut Decoder, at_end: bool) {
        if !self.watching {
            return;
        }
        let found = decoder.take_references(at_end);
        if found.is_some() || at_end {
            self.references.push(found);
            self.watching = false;
        }
    }

    /// A block begins where the decoder stands.
    pub(super) fn block(&mut self, decoder: &mut Decoder) {
        let output = decoder.output();
        if self.last.is_some_and(|last| output - last < self.span) {
            return;
        }
        if std::mem::take(&mut self.watching) {
            // Chunks shorter than a window: not all that refers to the last
            // one has been seen, so all of it is kept.
            decoder.take_references(true);
            self.references.push(None);
        }
        let history = decoder.history();
        let window = decoder.window();
        self.marks.push(Mark {
            bit_offset: decoder.position(),
            output_offset: output,
            window: window[window.len() - history..].to_vec(),
        });
        self.last = Some(output);
        self.live += 1;
        // The collector drops every second of 2 * wanted checkpoints when it has
        // the one behind them. It may come to that later, on another thread; the
        // span must not depend on when.
        if let Some(wanted) = self.wanted
            && self.live > 2 * wanted
        {
            self.live = wanted + 1;
            self.span = self.span.saturating_mul(2);
        }
        if history > 0 {
            decoder.watch_window();
            self.watching = true;
        }
    }
}
